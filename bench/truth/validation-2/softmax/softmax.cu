// Softmax of scaled attention scores under a causal mask: row r of a head sees its first r + 1 columns, the others become
// zero. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

__device__ float warp_max(float v)
{
    for (int d = 16; d > 0; d /= 2)
        v = fmaxf(v, __shfl_xor_sync(~0u, v, d));
    return v;
}

__device__ float warp_sum(float v)
{
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_xor_sync(~0u, v, d);
    return v;
}

// A thread per row, maximum and sum in one pass.
extern "C" __global__ void causal_thread(float *out, const float *in, float scale, int rows, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x, seen = row % cols + 1;
    if (row >= rows)
        return;
    in += (size_t)row * cols;
    out += (size_t)row * cols;
    float most = -INFINITY, sum = 0;
    for (int i = 0; i < seen; i++) {
        float v = in[i] * scale;
        if (v > most) {
            sum *= expf(most - v);
            most = v;
        }
        sum += expf(v - most);
    }
    for (int i = 0; i < cols; i++)
        out[i] = i < seen ? expf(in[i] * scale - most) / sum : 0;
}

// A block of 128 per row: the row waits in shared memory, trees find maximum and sum.
extern "C" __global__ void causal_block(float *out, const float *in, float scale, int rows, int cols)
{
    extern __shared__ float kept[];
    __shared__ float s[128];
    int row = blockIdx.x, seen = row % cols + 1, t = threadIdx.x;
    in += (size_t)row * cols;
    out += (size_t)row * cols;
    float most = -INFINITY, sum = 0;
    for (int i = t; i < seen; i += blockDim.x) {
        kept[i] = in[i] * scale;
        most = fmaxf(most, kept[i]);
    }
    s[t] = most;
    __syncthreads();
    for (int d = 64; d > 0; d /= 2) {
        if (t < d)
            s[t] = fmaxf(s[t], s[t + d]);
        __syncthreads();
    }
    most = s[0];
    __syncthreads();
    for (int i = t; i < seen; i += blockDim.x) {
        kept[i] = expf(kept[i] - most);
        sum += kept[i];
    }
    s[t] = sum;
    __syncthreads();
    for (int d = 64; d > 0; d /= 2) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    float share = 1 / s[0];
    for (int i = t; i < cols; i += blockDim.x)
        out[i] = i < seen ? kept[i] * share : 0;
}

// A warp per row, which reads it three times.
extern "C" __global__ void causal_warp(float *out, const float *in, float scale, int rows, int cols)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32, seen = row % cols + 1;
    if (row >= rows)
        return;
    in += (size_t)row * cols;
    out += (size_t)row * cols;
    float most = -INFINITY, sum = 0;
    for (int i = lane; i < seen; i += 32)
        most = fmaxf(most, in[i] * scale);
    most = warp_max(most);
    for (int i = lane; i < seen; i += 32)
        sum += __expf(in[i] * scale - most);
    float share = 1 / warp_sum(sum);
    for (int i = lane; i < cols; i += 32)
        out[i] = i < seen ? __expf(in[i] * scale - most) * share : 0;
}

// A warp per row of 384, three float4 a lane in registers.
extern "C" __global__ void causal_kept(float4 *out, const float4 *in, float scale, int rows)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32, seen = row % 384 + 1;
    if (row >= rows)
        return;
    float4 v[3];
    float most = -INFINITY, sum = 0;
#pragma unroll
    for (int q = 0; q < 3; q++) {
        v[q] = in[(size_t)row * 96 + q * 32 + lane];
#pragma unroll
        for (int e = 0; e < 4; e++) {
            float &x = (&v[q].x)[e];
            x = (q * 32 + lane) * 4 + e < seen ? x * scale : -INFINITY;
            most = fmaxf(most, x);
        }
    }
    most = warp_max(most);
#pragma unroll
    for (int q = 0; q < 3; q++)
#pragma unroll
        for (int e = 0; e < 4; e++) {
            float &x = (&v[q].x)[e];
            x = exp2f((x - most) * 1.44269504f);
            sum += x;
        }
    float share = 1 / warp_sum(sum);
#pragma unroll
    for (int q = 0; q < 3; q++)
        out[(size_t)row * 96 + q * 32 + lane] = make_float4(v[q].x * share, v[q].y * share, v[q].z * share, v[q].w * share);
}
