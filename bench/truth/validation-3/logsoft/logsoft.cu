// Log-softmax of long rows, a block per row. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

// Three passes over the row: the largest, the sum, the results.
extern "C" __global__ void logsoft_three(float *y, const float *x, int cols)
{
    __shared__ float s[512];
    int tid = threadIdx.x;
    const float *in = x + (size_t)blockIdx.x * cols;
    float *out = y + (size_t)blockIdx.x * cols;
    float largest = -INFINITY;
    for (int i = tid; i < cols; i += blockDim.x)
        largest = fmaxf(largest, in[i]);
    s[tid] = largest;
    __syncthreads();
    for (int step = blockDim.x / 2; step > 0; step >>= 1) {
        if (tid < step)
            s[tid] = fmaxf(s[tid], s[tid + step]);
        __syncthreads();
    }
    largest = s[0];
    __syncthreads();
    float sum = 0.0f;
    for (int i = tid; i < cols; i += blockDim.x)
        sum += expf(in[i] - largest);
    s[tid] = sum;
    __syncthreads();
    for (int step = blockDim.x / 2; step > 0; step >>= 1) {
        if (tid < step)
            s[tid] += s[tid + step];
        __syncthreads();
    }
    float away = largest + logf(s[0]);
    for (int i = tid; i < cols; i += blockDim.x)
        out[i] = in[i] - away;
}

struct seen {
    float largest, sum; // sum of exp(x - largest)
};

__device__ __forceinline__ seen join(seen a, seen b)
{
    seen more = a.largest > b.largest ? a : b, less = a.largest > b.largest ? b : a;
    more.sum += less.sum * __expf(less.largest - more.largest);
    return more;
}

// The largest and the sum in one pass, corrected as a larger one comes; shuffles join the lanes, then the warps.
extern "C" __global__ void __launch_bounds__(1024) logsoft_online(float *y, const float *x, int cols)
{
    __shared__ seen warps[32];
    int tid = threadIdx.x, lane = tid % 32;
    const float *in = x + (size_t)blockIdx.x * cols;
    float *out = y + (size_t)blockIdx.x * cols;
    seen now = {-3.4e38f, 0.0f};
    for (int i = tid; i < cols; i += 1024) {
        float v = in[i], larger = fmaxf(now.largest, v);
        now.sum = now.sum * __expf(now.largest - larger) + __expf(v - larger);
        now.largest = larger;
    }
    for (int step = 16; step > 0; step /= 2)
        now = join(now, {__shfl_xor_sync(~0u, now.largest, step), __shfl_xor_sync(~0u, now.sum, step)});
    if (lane == 0)
        warps[tid / 32] = now;
    __syncthreads();
    now = warps[lane];
    for (int step = 16; step > 0; step /= 2)
        now = join(now, {__shfl_xor_sync(~0u, now.largest, step), __shfl_xor_sync(~0u, now.sum, step)});
    float away = now.largest + __logf(now.sum);
    for (int i = tid; i < cols; i += 1024)
        out[i] = in[i] - away;
}
