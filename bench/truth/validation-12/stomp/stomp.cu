// For each of n windows of 32 numbers the least squared distance to a window that begins at least 8 places away. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void stomp_anew(float *out, const float *x, int n, int length, int apart)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float best = INFINITY;
    for (int j = 0; j < n; j++) {
        if (abs(i - j) < apart)
            continue;
        float sum = 0.0f;
        for (int k = 0; k < length; k++) {
            float d = x[i + k] - x[j + k];
            sum += d * d;
        }
        if (sum < best)
            best = sum;
    }
    out[i] = best;
}

// A window in registers, the windows of 128 others in shared memory.
extern "C" __global__ void __launch_bounds__(128) stomp_tile(float *__restrict__ out, const float *__restrict__ x, int n)
{
    __shared__ float s[160];
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    float own[32], best = INFINITY;
#pragma unroll
    for (int k = 0; k < 32; k++)
        own[k] = i < n ? x[i + k] : 0.0f;
    for (int j0 = 0; j0 < n; j0 += 128) {
        int here = min(128, n - j0);
        for (int k = t; k < here + 31; k += 128)
            s[k] = x[j0 + k];
        __syncthreads();
#pragma unroll 2
        for (int j = 0; j < here; j++) {
            float sum = 0.0f;
#pragma unroll
            for (int k = 0; k < 32; k++) {
                float d = own[k] - s[j + k];
                sum = fmaf(d, d, sum);
            }
            best = abs(i - j0 - j) < 8 ? best : fminf(best, sum);
        }
        __syncthreads();
    }
    if (i < n)
        out[i] = best;
}

extern "C" __global__ void stomp_clear(unsigned *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 0x7f800000;
}

// A diagonal a thread: the sum loses a square and gains one. Double precision keeps it.
extern "C" __global__ void __launch_bounds__(64) stomp_diagonals(unsigned *__restrict__ out, const float *__restrict__ x, int n)
{
    int apart = blockIdx.x * 64 + threadIdx.x + 8;
    if (apart >= n)
        return;
    double sum = 0.0;
    for (int k = 0; k < 32; k++) {
        float d = x[k] - x[apart + k];
        sum += d * d;
    }
    for (int i = 0;; i++) {
        unsigned bits = __float_as_uint(fmaxf((float)sum, 0.0f));
        if (bits < *(volatile unsigned *)&out[i])
            atomicMin(&out[i], bits);
        if (bits < *(volatile unsigned *)&out[i + apart])
            atomicMin(&out[i + apart], bits);
        if (i + apart + 1 >= n)
            break;
        double lost = x[i] - x[i + apart], won = x[i + 32] - x[i + apart + 32];
        sum += won * won - lost * lost;
    }
}
