// The biharmonic operator on a grid, zero within two points of the border. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

extern "C" __global__ void biharm_direct(float *out, const float *in, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n)
        return;
    int i = y * n + x;
    if (x < 2 || y < 2 || x >= n - 2 || y >= n - 2) {
        out[i] = 0.0f;
        return;
    }
    out[i] = 20.0f * in[i] - 8.0f * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n]) +
             2.0f * (in[i - n - 1] + in[i - n + 1] + in[i + n - 1] + in[i + n + 1]) + in[i - 2] + in[i + 2] + in[i - 2 * n] +
             in[i + 2 * n];
}

extern "C" __global__ void biharm_tile(float *out, const float *in, int n)
{
    __shared__ float s[20][36];
    int tx = threadIdx.x, ty = threadIdx.y, x0 = blockIdx.x * 32 - 2, y0 = blockIdx.y * 16 - 2;
    for (int j = ty; j < 20; j += 16)
        for (int i = tx; i < 36; i += 32) {
            int x = x0 + i, y = y0 + j;
            s[j][i] = x >= 0 && y >= 0 && x < n && y < n ? in[y * n + x] : 0.0f;
        }
    __syncthreads();
    int x = x0 + 2 + tx, y = y0 + 2 + ty;
    if (x >= n || y >= n)
        return;
    float v = 0.0f;
    if (x >= 2 && y >= 2 && x < n - 2 && y < n - 2) {
        int i = tx + 2, j = ty + 2;
        v = 20.0f * s[j][i] - 8.0f * (s[j][i - 1] + s[j][i + 1] + s[j - 1][i] + s[j + 1][i]) +
            2.0f * (s[j - 1][i - 1] + s[j - 1][i + 1] + s[j + 1][i - 1] + s[j + 1][i + 1]) + s[j][i - 2] + s[j][i + 2] +
            s[j - 2][i] + s[j + 2][i];
    }
    out[y * n + x] = v;
}

// 16 rows a thread: its own column slides through registers.
extern "C" __global__ void biharm_column(float *__restrict__ out, const float *__restrict__ in, int n)
{
    int x = blockIdx.x * 128 + threadIdx.x, y0 = blockIdx.y * 16, end = min(y0 + 16, n);
    if (x >= n)
        return;
    if (x < 2 || x >= n - 2) {
        for (int y = y0; y < end; y++)
            out[y * n + x] = 0.0f;
        return;
    }
    int y = y0;
    for (; y < 2; y++)
        out[y * n + x] = 0.0f;
    const float *p = in + y * n + x;
    float a = p[-2 * n], b = p[-n], c = p[0], d = y + 1 < n ? p[n] : 0.0f;
    float up = p[-n - 1] + p[-n + 1], here = p[-1] + p[1];
    for (; y < end && y < n - 2; y++, p += n) {
        float e = p[2 * n], down = p[n - 1] + p[n + 1];
        out[y * n + x] = 20.0f * c - 8.0f * (here + b + d) + 2.0f * (up + down) + p[-2] + p[2] + a + e;
        a = b;
        b = c;
        c = d;
        d = e;
        up = here;
        here = down;
    }
    for (; y < end; y++)
        out[y * n + x] = 0.0f;
}
