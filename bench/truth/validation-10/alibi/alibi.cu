// Causal softmax over 512 keys of scores of attention, less a head's slope times the distance of key and query. A head has 128 queries, each fourth. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void alibi_tree(float *out, const float *scores, const float *slopes, int keys, float scale)
{
    __shared__ float s[128];
    int t = threadIdx.x, head = blockIdx.y, query = blockIdx.x * 4 + 3;
    size_t row = (size_t)(head * gridDim.x + blockIdx.x) * keys;
    float most = -INFINITY, sum = 0.0f;
    for (int k = t; k <= query; k += blockDim.x)
        most = fmaxf(most, scores[row + k] * scale - slopes[head] * (query - k));
    s[t] = most;
    __syncthreads();
    for (int d = blockDim.x / 2; d > 0; d /= 2) {
        if (t < d)
            s[t] = fmaxf(s[t], s[t + d]);
        __syncthreads();
    }
    most = s[0];
    __syncthreads();
    for (int k = t; k <= query; k += blockDim.x)
        sum += expf(scores[row + k] * scale - slopes[head] * (query - k) - most);
    s[t] = sum;
    __syncthreads();
    for (int d = blockDim.x / 2; d > 0; d /= 2) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    sum = s[0];
    for (int k = t; k < keys; k += blockDim.x)
        out[row + k] = k <= query ? expf(scores[row + k] * scale - slopes[head] * (query - k) - most) / sum : 0.0f;
}

// Largest and sum in one pass, a warp a row.
extern "C" __global__ void alibi_warp(float *out, const float *scores, const float *slopes, int keys, float scale)
{
    int lane = threadIdx.x, r = blockIdx.x * blockDim.y + threadIdx.y, head = r / 128, query = r % 128 * 4 + 3;
    const float *row = scores + (size_t)r * keys;
    float slope = slopes[head], most = -INFINITY, sum = 0.0f;
    for (int k = lane; k <= query; k += 32) {
        float v = row[k] * scale - slope * (query - k), higher = fmaxf(most, v);
        sum = sum * __expf(most - higher) + __expf(v - higher);
        most = higher;
    }
    float all = most;
    for (int d = 16; d > 0; d /= 2)
        all = fmaxf(all, __shfl_xor_sync(0xffffffff, all, d));
    sum *= __expf(most - all);
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, d);
    float inverse = 1.0f / sum;
    for (int k = lane; k < keys; k += 32)
        out[(size_t)r * keys + k] = k <= query ? __expf(row[k] * scale - slope * (query - k) - all) * inverse : 0.0f;
}

extern "C" __global__ void __launch_bounds__(256) alibi_registers(float4 *__restrict__ out, const float4 *__restrict__ scores, const float *__restrict__ slopes)
{
    int lane = threadIdx.x % 32, r = blockIdx.x * 8 + threadIdx.x / 32, query = r % 128 * 4 + 3;
    const float log2e = 1.44269504f;
    float slope = slopes[r / 128] * log2e, v[16], most = -INFINITY, sum = 0.0f;
#pragma unroll
    for (int j = 0; j < 4; j++) {
        int k = 4 * (32 * j + lane);
        float4 four = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        if (k <= query)
            four = scores[r * 128 + 32 * j + lane];
        v[4 * j] = four.x;
        v[4 * j + 1] = four.y;
        v[4 * j + 2] = four.z;
        v[4 * j + 3] = four.w;
    }
#pragma unroll
    for (int j = 0; j < 16; j++) {
        int k = 4 * (32 * (j / 4) + lane) + j % 4;
        v[j] = k <= query ? v[j] * (0.125f * log2e) - slope * (query - k) : -INFINITY;
        most = fmaxf(most, v[j]);
    }
#pragma unroll
    for (int d = 16; d > 0; d /= 2)
        most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, d));
#pragma unroll
    for (int j = 0; j < 16; j++) {
        v[j] = exp2f(v[j] - most);
        sum += v[j];
    }
#pragma unroll
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, d);
    float inverse = __fdividef(1.0f, sum);
#pragma unroll
    for (int j = 0; j < 4; j++)
        out[r * 128 + 32 * j + lane] = make_float4(v[4 * j] * inverse, v[4 * j + 1] * inverse, v[4 * j + 2] * inverse, v[4 * j + 3] * inverse);
}
