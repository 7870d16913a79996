// A Toeplitz matrix times vectors; the diagonals lie from the upper right one on. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void toeplitz_row(float *y, const float *d, const float *x, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x, v = blockIdx.y;
    if (r >= n)
        return;
    float sum = 0.0f;
    for (int j = 0; j < n; j++)
        sum += d[r - j + n - 1] * x[v * n + j];
    y[v * n + r] = sum;
}

extern "C" __global__ void toeplitz_shared(float *y, const float *d, const float *x, int n)
{
    __shared__ float ds[255], xs[128];
    int t = threadIdx.x, r0 = blockIdx.x * 128, v = blockIdx.y;
    float sum = 0.0f;
    for (int j0 = 0; j0 < n; j0 += 128) {
        for (int k = t; k < 255; k += 128) {
            int at = r0 - j0 - 127 + k + n - 1;
            ds[k] = at >= 0 && at < 2 * n - 1 ? d[at] : 0.0f;
        }
        xs[t] = j0 + t < n ? x[v * n + j0 + t] : 0.0f;
        __syncthreads();
#pragma unroll 8
        for (int j = 0; j < 128; j++)
            sum += ds[t + 127 - j] * xs[j];
        __syncthreads();
    }
    if (r0 + t < n)
        y[v * n + r0 + t] = sum;
}

// Four rows a thread; a step of the row brings one number.
extern "C" __global__ void __launch_bounds__(64) toeplitz_four(float *__restrict__ y, const float *__restrict__ d,
                                                               const float *__restrict__ x, int n)
{
    __shared__ float ds[320], xs[64];
    int t = threadIdx.x, r0 = blockIdx.x * 256, v = blockIdx.y;
    float sum[4] = {};
    for (int j0 = 0; j0 < n; j0 += 64) {
        for (int k = t; k < 319; k += 64) {
            int at = r0 - j0 - 63 + k + n - 1;
            ds[k] = at >= 0 && at < 2 * n - 1 ? d[at] : 0.0f;
        }
        xs[t] = j0 + t < n ? x[v * n + j0 + t] : 0.0f;
        __syncthreads();
        const float *p = ds + 4 * t + 63;
        float a = p[0], b = p[1], c = p[2], e = p[3];
#pragma unroll 8
        for (int j = 0; j < 64; j++) {
            float f = xs[j];
            sum[0] += a * f;
            sum[1] += b * f;
            sum[2] += c * f;
            sum[3] += e * f;
            e = c;
            c = b;
            b = a;
            if (j < 63)
                a = p[-j - 1];
        }
        __syncthreads();
    }
#pragma unroll
    for (int k = 0; k < 4; k++)
        if (r0 + 4 * t + k < n)
            y[v * n + r0 + 4 * t + k] = sum[k];
}
