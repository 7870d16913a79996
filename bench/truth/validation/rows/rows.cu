// Row-wise operations of neural networks for the validation of the time model. Nothing is tuned on them.
// SPDX-License-Identifier: Apache-2.0

__device__ float warp_sum(float v)
{
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_xor_sync(~0u, v, d);
    return v;
}

__device__ float warp_max(float v)
{
    for (int d = 16; d > 0; d /= 2)
        v = fmaxf(v, __shfl_xor_sync(~0u, v, d));
    return v;
}

template <bool MAX> __device__ float block_all(float v)
{
    __shared__ float part[32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
    v = MAX ? warp_max(v) : warp_sum(v);
    __syncthreads();
    if (lane == 0)
        part[warp] = v;
    __syncthreads();
    v = lane < warps ? part[lane] : MAX ? -3e38f : 0;
    return MAX ? warp_max(v) : warp_sum(v);
}

extern "C" __global__ void softmax_warp(float *out, const float *in, int columns)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    const float *x = in + (size_t)row * columns;
    float *y = out + (size_t)row * columns, most = -3e38f, sum = 0;
    for (int i = lane; i < columns; i += 32)
        most = fmaxf(most, x[i]);
    most = warp_max(most);
    for (int i = lane; i < columns; i += 32)
        sum += __expf(x[i] - most);
    sum = warp_sum(sum);
    for (int i = lane; i < columns; i += 32)
        y[i] = __expf(x[i] - most) / sum;
}

extern "C" __global__ void softmax_block(float *out, const float *in, int columns)
{
    const float *x = in + (size_t)blockIdx.x * columns;
    float *y = out + (size_t)blockIdx.x * columns, most = -3e38f, sum = 0;
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        most = fmaxf(most, x[i]);
    most = block_all<true>(most);
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        sum += expf(x[i] - most);
    sum = block_all<false>(sum);
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        y[i] = expf(x[i] - most) / sum;
}

// A thread a row.
extern "C" __global__ void softmax_thread(float *out, const float *in, int columns)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    const float *x = in + (size_t)row * columns;
    float *y = out + (size_t)row * columns, most = -3e38f, sum = 0;
    for (int i = 0; i < columns; i++)
        most = fmaxf(most, x[i]);
    for (int i = 0; i < columns; i++)
        sum += __expf(x[i] - most);
    for (int i = 0; i < columns; i++)
        y[i] = __expf(x[i] - most) / sum;
}

// 256 columns a warp, all in registers; the exponential in f64 by oversight.
extern "C" __global__ void softmax_f64(float *out, const float *in, int columns)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    const float *x = in + (size_t)row * columns;
    float *y = out + (size_t)row * columns;
    double sum = 0;
    for (int i = lane; i < columns; i += 32)
        sum += exp((double)x[i]);
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    for (int i = lane; i < columns; i += 32)
        y[i] = exp((double)x[i]) / sum;
}

extern "C" __global__ void layernorm_block(float *out, const float *in, const float *weight, int columns)
{
    const float *x = in + (size_t)blockIdx.x * columns;
    float *y = out + (size_t)blockIdx.x * columns, sum = 0, square = 0;
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        sum += x[i];
    float mean = block_all<false>(sum) / columns;
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        square += (x[i] - mean) * (x[i] - mean);
    float scale = rsqrtf(block_all<false>(square) / columns + 1e-5f);
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        y[i] = (x[i] - mean) * scale * weight[i];
}

extern "C" __global__ void rmsnorm_warp(float4 *out, const float4 *in, const float4 *weight, int columns)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32, n = columns / 4;
    const float4 *x = in + (size_t)row * n;
    float sum = 0;
    for (int i = lane; i < n; i += 32) {
        float4 v = x[i];
        sum += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
    float scale = rsqrtf(warp_sum(sum) / columns + 1e-6f);
    for (int i = lane; i < n; i += 32) {
        float4 v = x[i], w = weight[i];
        out[(size_t)row * n + i] = make_float4(v.x * scale * w.x, v.y * scale * w.y, v.z * scale * w.z, v.w * scale * w.w);
    }
}

extern "C" __global__ void gelu(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float x = in[i];
        out[i] = 0.5f * x * (1 + tanhf(0.7978845608f * (x + 0.044715f * x * x * x)));
    }
}

extern "C" __global__ void bias_relu(float *out, const float *in, const float *bias, int columns)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < columns)
        out[(size_t)y * columns + x] = fmaxf(in[(size_t)y * columns + x] + bias[x], 0.0f);
}

extern "C" __global__ void argmax_block(unsigned *out, const float *in, int columns)
{
    __shared__ float value[256];
    __shared__ int place[256];
    int t = threadIdx.x, best = 0;
    float most = -3e38f;
    for (int i = t; i < columns; i += 256)
        if (in[(size_t)blockIdx.x * columns + i] > most) {
            most = in[(size_t)blockIdx.x * columns + i];
            best = i;
        }
    value[t] = most;
    place[t] = best;
    __syncthreads();
    for (int d = 128; d > 0; d /= 2) {
        if (t < d && value[t + d] > value[t]) {
            value[t] = value[t + d];
            place[t] = place[t + d];
        }
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = (unsigned)place[0];
}

extern "C" __global__ void column_sums(float *out, const float *in, int rows, int columns)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, step = rows / gridDim.y, from = blockIdx.y * step;
    float sum = 0;
    for (int i = from; i < from + step; i++)
        sum += in[(size_t)i * columns + x];
    atomicAdd(&out[x], sum);
}
