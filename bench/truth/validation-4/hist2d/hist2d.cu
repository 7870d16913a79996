// Counts of pairs of numbers in 64 x 64 bins; what is outside counts for the outermost. Nothing is tuned on these kernels
// (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

__device__ int bin(float x, float y)
{
    int bx = min(max((int)(x * 64.0f), 0), 63), by = min(max((int)(y * 64.0f), 0), 63);
    return by * 64 + bx;
}

extern "C" __global__ void hist2d_global(unsigned *counts, const float *x, const float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&counts[bin(x[i], y[i])], 1u);
}

extern "C" __global__ void hist2d_shared(unsigned *counts, const float *x, const float *y, int n)
{
    __shared__ unsigned s[4096];
    for (int i = threadIdx.x; i < 4096; i += blockDim.x)
        s[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&s[bin(x[i], y[i])], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < 4096; i += blockDim.x)
        atomicAdd(&counts[i], s[i]);
}

// Four pairs a thread, and empty bins are not added.
extern "C" __global__ void hist2d_four(unsigned *counts, const float4 *x, const float4 *y, int quads)
{
    __shared__ unsigned s[4096];
    for (int i = threadIdx.x; i < 4096; i += blockDim.x)
        s[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < quads; i += gridDim.x * blockDim.x) {
        float4 a = x[i], b = y[i];
        atomicAdd(&s[bin(a.x, b.x)], 1u);
        atomicAdd(&s[bin(a.y, b.y)], 1u);
        atomicAdd(&s[bin(a.z, b.z)], 1u);
        atomicAdd(&s[bin(a.w, b.w)], 1u);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 4096; i += blockDim.x)
        if (s[i])
            atomicAdd(&counts[i], s[i]);
}
