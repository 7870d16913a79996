// Mean and variance of n numbers. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

// Sums of x - 3 and of its square (3 stands near the mean), a tree in shared memory and two atomics a block.
extern "C" __global__ void moments_atomic(float *sums, const float *x, int n)
{
    __shared__ float s[256], q[256];
    int t = threadIdx.x;
    float sum = 0.0f, squares = 0.0f;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += blockDim.x * gridDim.x) {
        float v = x[i] - 3.0f;
        sum += v;
        squares += v * v;
    }
    s[t] = sum;
    q[t] = squares;
    __syncthreads();
    for (int d = 128; d > 0; d >>= 1) {
        if (t < d) {
            s[t] += s[t + d];
            q[t] += q[t + d];
        }
        __syncthreads();
    }
    if (t == 0) {
        atomicAdd(&sums[0], s[0]);
        atomicAdd(&sums[1], q[0]);
    }
}

extern "C" __global__ void moments_finish(float *out, const float *sums, int n)
{
    if (threadIdx.x == 0) {
        float mean = sums[0] / n;
        out[0] = mean + 3.0f;
        out[1] = sums[1] / n - mean * mean;
    }
}

struct group {
    float count, mean, m2;
};

__device__ group combine(group a, group b)
{
    float count = a.count + b.count;
    if (count == 0.0f)
        return a;
    float delta = b.mean - a.mean, share = b.count / count;
    group r = {count, a.mean + delta * share, a.m2 + b.m2 + delta * delta * a.count * share};
    return r;
}

__device__ group warp_combine(group g)
{
    for (int d = 16; d > 0; d /= 2) {
        group other = {__shfl_down_sync(~0u, g.count, d), __shfl_down_sync(~0u, g.mean, d), __shfl_down_sync(~0u, g.m2, d)};
        g = combine(g, other);
    }
    return g;
}

// Welford's way: each thread goes on from number to number, groups are joined by shuffles and shared memory.
extern "C" __global__ void __launch_bounds__(512) welford_parts(group *part, const float *x, int n)
{
    __shared__ group warps[16];
    int t = threadIdx.x, step = gridDim.x * 512;
    group g = {0.0f, 0.0f, 0.0f};
    for (int i = blockIdx.x * 512 + t; i < n; i += step) {
        float v = x[i], delta = v - g.mean;
        g.count += 1.0f;
        g.mean += delta / g.count;
        g.m2 += delta * (v - g.mean);
    }
    g = warp_combine(g);
    if (t % 32 == 0)
        warps[t / 32] = g;
    __syncthreads();
    if (t < 32) {
        group none = {0.0f, 0.0f, 0.0f};
        g = warp_combine(t < 16 ? warps[t] : none);
        if (t == 0)
            part[blockIdx.x] = g;
    }
}

extern "C" __global__ void welford_join(float *out, const group *part, int parts)
{
    __shared__ group s[128];
    int t = threadIdx.x;
    group g = {0.0f, 0.0f, 0.0f};
    for (int i = t; i < parts; i += 128)
        g = combine(g, part[i]);
    s[t] = g;
    __syncthreads();
    for (int d = 64; d > 0; d /= 2) {
        if (t < d)
            s[t] = combine(s[t], s[t + d]);
        __syncthreads();
    }
    if (t == 0) {
        out[0] = s[0].mean;
        out[1] = s[0].m2 / s[0].count;
    }
}
