// The dot product of two arrays of doubles. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

extern "C" __global__ void dot_atomic(double *out, const double *x, const double *y, int n)
{
    double sum = 0.0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += x[i] * y[i];
    atomicAdd(out, sum);
}

extern "C" __global__ void dot_tree(double *out, const double *x, const double *y, int n)
{
    __shared__ double s[256];
    double sum = 0.0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += x[i] * y[i];
    s[threadIdx.x] = sum;
    __syncthreads();
    for (unsigned d = blockDim.x / 2; d > 0; d >>= 1) {
        if (threadIdx.x < d)
            s[threadIdx.x] += s[threadIdx.x + d];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        atomicAdd(out, s[0]);
}

__device__ double block_sum(double v)
{
    __shared__ double s[16];
    for (int d = 16; d > 0; d >>= 1)
        v += __shfl_down_sync(0xffffffff, v, d);
    if (threadIdx.x % 32 == 0)
        s[threadIdx.x / 32] = v;
    __syncthreads();
    v = threadIdx.x < blockDim.x / 32 ? s[threadIdx.x] : 0.0;
    if (threadIdx.x < 32)
        for (int d = 8; d > 0; d >>= 1)
            v += __shfl_down_sync(0xffffffff, v, d);
    return v;
}

// Two numbers a load.
extern "C" __global__ void dot_parts(double *part, const double2 *__restrict__ x, const double2 *__restrict__ y, int n)
{
    double sum = 0.0;
    int pairs = n / 2;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < pairs; i += gridDim.x * blockDim.x) {
        double2 a = x[i], b = y[i];
        sum += a.x * b.x + a.y * b.y;
    }
    if (n % 2 && blockIdx.x == 0 && threadIdx.x == 0)
        sum += ((const double *)x)[n - 1] * ((const double *)y)[n - 1];
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        part[blockIdx.x] = sum;
}

extern "C" __global__ void dot_join(double *out, const double *part, int parts)
{
    double sum = 0.0;
    for (int i = threadIdx.x; i < parts; i += blockDim.x)
        sum += part[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        *out = sum;
}
