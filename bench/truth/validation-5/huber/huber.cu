// The mean of Huber's loss of x - y. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

__device__ float huber(float x, float y)
{
    float d = fabsf(x - y);
    return d < 1.0f ? 0.5f * d * d : d - 0.5f;
}

extern "C" __global__ void huber_atomic(float *loss, const float *x, const float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(loss, huber(x[i], y[i]) / n);
}

extern "C" __global__ void huber_tree(float *loss, const float *x, const float *y, int n)
{
    __shared__ float s[512];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t] = i < n ? huber(x[i], y[i]) / n : 0.0f;
    __syncthreads();
    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        if (t % (2 * stride) == 0)
            s[t] += s[t + stride];
        __syncthreads();
    }
    if (t == 0)
        atomicAdd(loss, s[0]);
}

// A grid that goes over the array, 16 bytes at once.
extern "C" __global__ void huber_shuffles(float *loss, const float4 *__restrict__ x, const float4 *__restrict__ y, int n, float share)
{
    __shared__ float s[8];
    int t = threadIdx.x;
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) {
        float4 a = x[i], b = y[i];
        sum += huber(a.x, b.x) + huber(a.y, b.y) + huber(a.z, b.z) + huber(a.w, b.w);
    }
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, d);
    if (t % 32 == 0)
        s[t / 32] = sum;
    __syncthreads();
    if (t < 8) {
        sum = s[t];
        for (int d = 4; d > 0; d /= 2)
            sum += __shfl_down_sync(0xff, sum, d);
        if (t == 0)
            atomicAdd(loss, sum * share);
    }
}
