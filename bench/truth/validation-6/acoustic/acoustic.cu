// A step of the wave equation, eighth order in space; zero within four points of the border. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

#define C0 -8.5416667f /* three times -205/72 */
#define C1 1.6f
#define C2 -0.2f
#define C3 0.025396825f
#define C4 -0.0017857143f

extern "C" __global__ void acoustic_direct(float *next, const float *u, const float *before, const float *speed, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= n || y >= n || z >= n)
        return;
    int plane = n * n, i = z * plane + y * n + x;
    if (x < 4 || y < 4 || z < 4 || x >= n - 4 || y >= n - 4 || z >= n - 4) {
        next[i] = 0.0f;
        return;
    }
    float sum = C0 * u[i];
    sum += C1 * (u[i - 1] + u[i + 1] + u[i - n] + u[i + n] + u[i - plane] + u[i + plane]);
    sum += C2 * (u[i - 2] + u[i + 2] + u[i - 2 * n] + u[i + 2 * n] + u[i - 2 * plane] + u[i + 2 * plane]);
    sum += C3 * (u[i - 3] + u[i + 3] + u[i - 3 * n] + u[i + 3 * n] + u[i - 3 * plane] + u[i + 3 * plane]);
    sum += C4 * (u[i - 4] + u[i + 4] + u[i - 4 * n] + u[i + 4 * n] + u[i - 4 * plane] + u[i + 4 * plane]);
    next[i] = 2.0f * u[i] - before[i] + speed[i] * sum;
}

// A thread goes through all planes with nine of its column in registers.
extern "C" __global__ void acoustic_planes(float *next, const float *__restrict__ u, const float *__restrict__ before,
                                           const float *__restrict__ speed, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, plane = n * n;
    if (x >= n || y >= n)
        return;
    bool inside = x >= 4 && y >= 4 && x < n - 4 && y < n - 4;
    int i = y * n + x;
    float q[9];
#pragma unroll
    for (int d = 0; d < 8; d++)
        q[d + 1] = u[i + d * plane];
    for (int z = 0; z < 4; z++, i += plane)
        next[i] = 0.0f;
    for (int z = 4; z < n - 4; z++, i += plane) {
#pragma unroll
        for (int d = 0; d < 8; d++)
            q[d] = q[d + 1];
        q[8] = u[i + 4 * plane];
        float v = 0.0f;
        if (inside) {
            float sum = C0 * q[4];
            sum += C1 * (u[i - 1] + u[i + 1] + u[i - n] + u[i + n] + q[3] + q[5]);
            sum += C2 * (u[i - 2] + u[i + 2] + u[i - 2 * n] + u[i + 2 * n] + q[2] + q[6]);
            sum += C3 * (u[i - 3] + u[i + 3] + u[i - 3 * n] + u[i + 3 * n] + q[1] + q[7]);
            sum += C4 * (u[i - 4] + u[i + 4] + u[i - 4 * n] + u[i + 4 * n] + q[0] + q[8]);
            v = 2.0f * q[4] - before[i] + speed[i] * sum;
        }
        next[i] = v;
    }
    for (int z = 0; z < 4; z++, i += plane)
        next[i] = 0.0f;
}

// The same over "depth" planes, the plane in shared memory with what is around it.
extern "C" __global__ void __launch_bounds__(512) acoustic_shared(float *__restrict__ next, const float *__restrict__ u,
                                                                  const float *__restrict__ before, const float *__restrict__ speed,
                                                                  int n, int depth)
{
    __shared__ float s[24][40];
    int tx = threadIdx.x, ty = threadIdx.y, t = ty * 32 + tx, plane = n * n;
    int x0 = blockIdx.x * 32, y0 = blockIdx.y * 16, x = x0 + tx, y = y0 + ty;
    int first = blockIdx.z * depth, end = min(first + depth, n);
    bool here = x < n && y < n, inside = x >= 4 && y >= 4 && x < n - 4 && y < n - 4;
    float q[9];
#pragma unroll
    for (int d = 0; d < 8; d++) {
        int z = first - 4 + d;
        q[d + 1] = here && z >= 0 && z < n ? u[z * plane + y * n + x] : 0.0f;
    }
    for (int z = first; z < end; z++) {
        int i = z * plane + y * n + x;
#pragma unroll
        for (int d = 0; d < 8; d++)
            q[d] = q[d + 1];
        q[8] = here && z + 4 < n ? u[i + 4 * plane] : 0.0f;
        for (int j = t; j < 24 * 40; j += 512) {
            int sx = x0 - 4 + j % 40, sy = y0 - 4 + j / 40;
            s[j / 40][j % 40] = sx >= 0 && sy >= 0 && sx < n && sy < n ? u[z * plane + sy * n + sx] : 0.0f;
        }
        __syncthreads();
        float v = 0.0f;
        if (inside && z >= 4 && z < n - 4) {
            const float *p = &s[ty + 4][tx + 4];
            float sum = C0 * q[4];
            sum += C1 * (p[-1] + p[1] + p[-40] + p[40] + q[3] + q[5]);
            sum += C2 * (p[-2] + p[2] + p[-80] + p[80] + q[2] + q[6]);
            sum += C3 * (p[-3] + p[3] + p[-120] + p[120] + q[1] + q[7]);
            sum += C4 * (p[-4] + p[4] + p[-160] + p[160] + q[0] + q[8]);
            v = 2.0f * q[4] - before[i] + speed[i] * sum;
        }
        if (here)
            next[i] = v;
        __syncthreads();
    }
}
