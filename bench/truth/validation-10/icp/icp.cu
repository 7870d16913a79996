// Sums of the normal equations of points to planes: 21 of the matrix and 6 of the right side. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
// The row of a pair: six numbers, and how far the plane is.
__device__ void equation(float (&a)[7], const float *p, const float *q, const float *normal, int i)
{
    float x = p[3 * i], y = p[3 * i + 1], z = p[3 * i + 2], nx = normal[3 * i], ny = normal[3 * i + 1], nz = normal[3 * i + 2];
    a[0] = y * nz - z * ny;
    a[1] = z * nx - x * nz;
    a[2] = x * ny - y * nx;
    a[3] = nx;
    a[4] = ny;
    a[5] = nz;
    a[6] = nx * (q[3 * i] - x) + ny * (q[3 * i + 1] - y) + nz * (q[3 * i + 2] - z);
}

extern "C" __global__ void icp_thread(float *out, const float *p, const float *q, const float *normal, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float a[7];
    equation(a, p, q, normal, i);
    int at = 0;
    for (int r = 0; r < 6; r++)
        for (int c = r; c < 7; c++)
            atomicAdd(&out[at++], a[r] * a[c]);
}

extern "C" __global__ void icp_tree(float *out, const float *p, const float *q, const float *normal, int n)
{
    __shared__ float s[256];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, at = 0;
    float a[7] = {};
    if (i < n)
        equation(a, p, q, normal, i);
    for (int r = 0; r < 6; r++)
        for (int c = r; c < 7; c++) {
            s[t] = a[r] * a[c];
            __syncthreads();
            for (int d = blockDim.x / 2; d > 0; d /= 2) {
                if (t < d)
                    s[t] += s[t + d];
                __syncthreads();
            }
            if (t == 0)
                atomicAdd(&out[at], s[0]);
            at++;
        }
}

extern "C" __global__ void __launch_bounds__(128) icp_rows(float *__restrict__ rows, const float *__restrict__ p, const float *__restrict__ q,
                                                           const float *__restrict__ normal, int n)
{
    __shared__ float part[4][27];
    int t = threadIdx.x, lane = t % 32;
    float sum[27] = {};
    for (int i = blockIdx.x * 128 + t; i < n; i += gridDim.x * 128) {
        float a[7];
        equation(a, p, q, normal, i);
        int at = 0;
#pragma unroll
        for (int r = 0; r < 6; r++)
#pragma unroll
            for (int c = r; c < 7; c++)
                sum[at++] += a[r] * a[c];
    }
#pragma unroll
    for (int k = 0; k < 27; k++) {
#pragma unroll
        for (int d = 16; d > 0; d /= 2)
            sum[k] += __shfl_xor_sync(0xffffffff, sum[k], d);
        if (lane == 0)
            part[t / 32][k] = sum[k];
    }
    __syncthreads();
    if (t < 27)
        rows[blockIdx.x * 27 + t] = part[0][t] + part[1][t] + part[2][t] + part[3][t];
}

extern "C" __global__ void __launch_bounds__(32) icp_total(float *__restrict__ out, const float *__restrict__ rows, int count)
{
    int k = blockIdx.x;
    float sum = 0.0f;
    for (int r = threadIdx.x; r < count; r += 32)
        sum += rows[r * 27 + k];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (threadIdx.x == 0)
        out[k] = sum;
}
