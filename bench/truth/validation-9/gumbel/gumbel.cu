// A token drawn from each row of 32000 logits: the largest of logit - log(-log u). Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
__device__ float noisy(float logit, int row, int i)
{
    unsigned h = (row * 32000u + i) * 0x9e3779b9u + 0x632be5abu;
    h = (h ^ h >> 16) * 0x7feb352d;
    h = (h ^ h >> 15) * 0x846ca68b;
    h ^= h >> 16;
    float u = ((h >> 9) + 0.5f) * (1.0f / 8388608.0f);
    return logit - logf(-logf(u));
}

extern "C" __global__ void gumbel_tree(int *token, const float *logits, int n)
{
    __shared__ float value[256];
    __shared__ int place[256];
    int t = threadIdx.x, row = blockIdx.x, at = 0;
    float best = -INFINITY;
    for (int i = t; i < n; i += 256) {
        float v = noisy(logits[row * n + i], row, i);
        if (v > best) {
            best = v;
            at = i;
        }
    }
    value[t] = best;
    place[t] = at;
    __syncthreads();
    for (int d = 128; d > 0; d /= 2) {
        if (t < d && value[t + d] > value[t]) {
            value[t] = value[t + d];
            place[t] = place[t + d];
        }
        __syncthreads();
    }
    if (t == 0)
        token[row] = place[0];
}

extern "C" __global__ void gumbel_clear(unsigned long long *best, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows)
        best[row] = 0;
}

// Floats as integers of the same order, with the place in the low half.
__device__ unsigned long long keyed(float v, int i)
{
    unsigned bits = __float_as_uint(v);
    bits = bits >> 31 ? ~bits : bits | 0x80000000u;
    return (unsigned long long)bits << 32 | (unsigned)i;
}

extern "C" __global__ void gumbel_split(unsigned long long *best, const float *logits, int n)
{
    int row = blockIdx.y, i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long key = 0;
    for (; i < n; i += gridDim.x * blockDim.x)
        key = max(key, keyed(noisy(logits[row * n + i], row, i), i));
    for (int d = 16; d > 0; d /= 2)
        key = max(key, __shfl_xor_sync(0xffffffff, key, d));
    if (threadIdx.x % 32 == 0)
        atomicMax(&best[row], key);
}

extern "C" __global__ void gumbel_place(int *token, const unsigned long long *best, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows)
        token[row] = (int)best[row];
}

extern "C" __global__ void __launch_bounds__(1024) gumbel_wide(int *__restrict__ token, const float4 *__restrict__ logits)
{
    __shared__ unsigned long long keys[32];
    int t = threadIdx.x, row = blockIdx.x;
    unsigned long long key = 0;
    for (int i = t; i < 8000; i += 1024) {
        float4 v = logits[row * 8000 + i];
        key = max(key, keyed(noisy(v.x, row, 4 * i), 4 * i));
        key = max(key, keyed(noisy(v.y, row, 4 * i + 1), 4 * i + 1));
        key = max(key, keyed(noisy(v.z, row, 4 * i + 2), 4 * i + 2));
        key = max(key, keyed(noisy(v.w, row, 4 * i + 3), 4 * i + 3));
    }
#pragma unroll
    for (int d = 16; d > 0; d /= 2)
        key = max(key, __shfl_xor_sync(0xffffffff, key, d));
    if (t % 32 == 0)
        keys[t / 32] = key;
    __syncthreads();
    if (t >= 32)
        return;
    key = keys[t];
#pragma unroll
    for (int d = 16; d > 0; d /= 2)
        key = max(key, __shfl_xor_sync(0xffffffff, key, d));
    if (t == 0)
        token[row] = (int)key;
}
