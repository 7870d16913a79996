// Rows and elements: rowsoft_*, softdouble_*, normrows_*, gelubf_*, geludouble_*, gelufast_*, addgelu_*, gemv_*,
// dgamma_*. Each pair's YAML says what differs.
// SPDX-License-Identifier: Apache-2.0
#include <cuda_bf16.h>

static __device__ __forceinline__ float warp_sum(float v)
{
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_xor_sync(0xffffffff, v, d);
    return v;
}

static __device__ __forceinline__ float warp_most(float v)
{
    for (int d = 16; d > 0; d /= 2)
        v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, d));
    return v;
}

/* ---- Softmax of rows -------------------------------------------------------------------------------------------------- */

extern "C" __global__ void rowsoft_thread(float *out, const float *in, int rows, int columns)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    const float *x = in + (size_t)row * columns;
    float *y = out + (size_t)row * columns;
    float most = -3.4e38f, sum = 0;
    for (int c = 0; c < columns; c++)
        most = fmaxf(most, x[c]);
    for (int c = 0; c < columns; c++) {
        float e = expf(x[c] - most);
        y[c] = e;
        sum += e;
    }
    for (int c = 0; c < columns; c++)
        y[c] /= sum;
}

// A block on each row; trees over all threads in shared memory.
extern "C" __global__ void rowsoft_block(float *out, const float *in, int columns)
{
    __shared__ float part[256];
    const float *x = in + (size_t)blockIdx.x * columns;
    float *y = out + (size_t)blockIdx.x * columns;
    int t = threadIdx.x;
    float most = -3.4e38f, sum = 0;
    for (int c = t; c < columns; c += 256)
        most = fmaxf(most, x[c]);
    part[t] = most;
    __syncthreads();
    for (int d = 128; d > 0; d /= 2) {
        if (t < d)
            part[t] = fmaxf(part[t], part[t + d]);
        __syncthreads();
    }
    most = part[0];
    __syncthreads();
    for (int c = t; c < columns; c += 256) {
        float e = expf(x[c] - most);
        y[c] = e;
        sum += e;
    }
    part[t] = sum;
    __syncthreads();
    for (int d = 128; d > 0; d /= 2) {
        if (t < d)
            part[t] += part[t + d];
        __syncthreads();
    }
    sum = part[0];
    for (int c = t; c < columns; c += 256)
        y[c] /= sum;
}

extern "C" __global__ void rowsoft_kept(float *out, const float *in, int columns)
{
    __shared__ float part[8];
    const float4 *x = (const float4 *)(in + (size_t)blockIdx.x * columns);
    float4 *y = (float4 *)(out + (size_t)blockIdx.x * columns);
    int t = threadIdx.x;
    float4 own[4];
    float most = -3.4e38f, sum = 0;
    for (int k = 0; k < 4; k++) {
        own[k] = x[k * 256 + t];
        most = fmaxf(most, fmaxf(fmaxf(own[k].x, own[k].y), fmaxf(own[k].z, own[k].w)));
    }
    most = warp_most(most);
    if (t % 32 == 0)
        part[t / 32] = most;
    __syncthreads();
    most = warp_most(part[t % 8]);
    __syncthreads();
    for (int k = 0; k < 4; k++) {
        own[k] = make_float4(__expf(own[k].x - most), __expf(own[k].y - most),
                             __expf(own[k].z - most), __expf(own[k].w - most));
        sum += own[k].x + own[k].y + own[k].z + own[k].w;
    }
    sum = warp_sum(sum);
    if (t % 32 == 0)
        part[t / 32] = sum;
    __syncthreads();
    sum = 0;
    for (int k = 0; k < 8; k++)
        sum += part[k];
    float by = 1 / sum;
    for (int k = 0; k < 4; k++)
        y[k * 256 + t] = make_float4(own[k].x * by, own[k].y * by, own[k].z * by, own[k].w * by);
}

/* ---- Softmax by a warp, its exponentials in double by mistake ----------------------------------------------------------- */

extern "C" __global__ void softdouble_mistake(float *out, const float *in, int rows)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float own[32], most = -3.4e38f, sum = 0;
    for (int k = 0; k < 32; k++) {
        own[k] = in[(size_t)row * 1024 + 32 * k + lane];
        most = fmaxf(most, own[k]);
    }
    most = warp_most(most);
    for (int k = 0; k < 32; k++) {
        own[k] = exp((double)own[k] - most);
        sum += own[k];
    }
    sum = warp_sum(sum);
    for (int k = 0; k < 32; k++)
        out[(size_t)row * 1024 + 32 * k + lane] = own[k] / sum;
}

extern "C" __global__ void softdouble_floats(float *out, const float *in, int rows)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float own[32], most = -3.4e38f, sum = 0;
    for (int k = 0; k < 32; k++) {
        own[k] = in[(size_t)row * 1024 + 32 * k + lane];
        most = fmaxf(most, own[k]);
    }
    most = warp_most(most);
    for (int k = 0; k < 32; k++) {
        own[k] = expf(own[k] - most);
        sum += own[k];
    }
    sum = warp_sum(sum);
    for (int k = 0; k < 32; k++)
        out[(size_t)row * 1024 + 32 * k + lane] = own[k] / sum;
}

/* ---- Layer normalization ---------------------------------------------------------------------------------------------- */

extern "C" __global__ void normrows_thread(float *out, const float *in, const float *weight,
                                           const float *bias, int rows, int columns)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    const float *x = in + (size_t)row * columns;
    float mean = 0, squares = 0;
    for (int c = 0; c < columns; c++)
        mean += x[c];
    mean /= columns;
    for (int c = 0; c < columns; c++)
        squares += (x[c] - mean) * (x[c] - mean);
    float by = rsqrtf(squares / columns + 1e-5f);
    for (int c = 0; c < columns; c++)
        out[(size_t)row * columns + c] = (x[c] - mean) * by * weight[c] + bias[c];
}

extern "C" __global__ void normrows_warp(float *out, const float *in, const float *weight,
                                         const float *bias, int rows, int columns)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    const float *x = in + (size_t)row * columns;
    float mean = 0, squares = 0;
    for (int c = lane; c < columns; c += 32)
        mean += x[c];
    mean = warp_sum(mean) / columns;
    for (int c = lane; c < columns; c += 32)
        squares += (x[c] - mean) * (x[c] - mean);
    float by = rsqrtf(warp_sum(squares) / columns + 1e-5f);
    for (int c = lane; c < columns; c += 32)
        out[(size_t)row * columns + c] = (x[c] - mean) * by * weight[c] + bias[c];
}

// A warp's row in registers, four elements to a load; 1024 columns.
extern "C" __global__ void normrows_kept(float *out, const float *in, const float *weight,
                                         const float *bias, int rows)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    const float4 *x = (const float4 *)(in + (size_t)row * 1024);
    float4 own[8];
    float mean = 0, squares = 0;
    for (int k = 0; k < 8; k++) {
        own[k] = x[32 * k + lane];
        mean += own[k].x + own[k].y + own[k].z + own[k].w;
    }
    mean = warp_sum(mean) / 1024;
    for (int k = 0; k < 8; k++) {
        own[k] = make_float4(own[k].x - mean, own[k].y - mean, own[k].z - mean, own[k].w - mean);
        squares += own[k].x * own[k].x + own[k].y * own[k].y + own[k].z * own[k].z +
                   own[k].w * own[k].w;
    }
    float by = rsqrtf(warp_sum(squares) / 1024 + 1e-5f);
    for (int k = 0; k < 8; k++) {
        float4 w = ((const float4 *)weight)[32 * k + lane], b = ((const float4 *)bias)[32 * k + lane];
        ((float4 *)out)[(size_t)row * 256 + 32 * k + lane] =
            make_float4(own[k].x * by * w.x + b.x, own[k].y * by * w.y + b.y,
                        own[k].z * by * w.z + b.z, own[k].w * by * w.w + b.w);
    }
}

/* ---- GELU --------------------------------------------------------------------------------------------------------------- */

static __device__ __forceinline__ float gelu_fast(float x)
{
    float u = 0.7978845608f * (x + 0.044715f * x * x * x);
    return x / (1 + __expf(-2 * u));
}

extern "C" __global__ void gelubf_each(__nv_bfloat16 *out, const __nv_bfloat16 *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = __float2bfloat16(gelu_fast(__bfloat162float(in[i])));
}

extern "C" __global__ void gelubf_eight(uint4 *out, const uint4 *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (8 * i >= n)
        return;
    uint4 v = in[i];
    __nv_bfloat162 *x = (__nv_bfloat162 *)&v;
    for (int k = 0; k < 4; k++) {
        float2 f = __bfloat1622float2(x[k]);
        x[k] = __floats2bfloat162_rn(gelu_fast(f.x), gelu_fast(f.y));
    }
    out[i] = v;
}

extern "C" __global__ void geludouble_literals(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float x = in[i];
    out[i] = 0.5 * x * (1.0 + tanh(0.7978845608 * (x + 0.044715 * x * x * x)));
}

extern "C" __global__ void geludouble_floats(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float x = in[i];
    out[i] = 0.5f * x * (1.0f + tanhf(0.7978845608f * (x + 0.044715f * x * x * x)));
}

// Derivative and value: three exact functions of each element.
extern "C" __global__ void gelufast_exact(float4 *out, const float4 *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (4 * i >= n)
        return;
    float4 v = in[i];
    float *x = (float *)&v;
    for (int k = 0; k < 4; k++) {
        float t = tanhf(0.7978845608f * (x[k] + 0.044715f * x[k] * x[k] * x[k]));
        float c = 0.5f * (1 + erff(x[k] * 0.7071067812f));
        x[k] = 0.5f * x[k] * (1 + t) / (1 + expf(-x[k])) + c;
    }
    out[i] = v;
}

extern "C" __global__ void gelufast_fast(float4 *out, const float4 *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (4 * i >= n)
        return;
    float4 v = in[i];
    float *x = (float *)&v;
    for (int k = 0; k < 4; k++) {
        float u = 0.7978845608f * (x[k] + 0.044715f * x[k] * x[k] * x[k]);
        float c = __fdividef(1, 1 + __expf(-2 * u));
        float e = __fdividef(1, 1 + __expf(-x[k]));
        x[k] = x[k] * c * e + c;
    }
    out[i] = v;
}

/* ---- Bias, GELU, residual: a launch each, and one ---------------------------------------------------------------------- */

extern "C" __global__ void addgelu_bias(float *out, const float *in, const float *bias, int columns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] + bias[i % columns];
}

extern "C" __global__ void addgelu_gelu(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = gelu_fast(in[i]);
}

extern "C" __global__ void addgelu_residual(float *out, const float *in, const float *residual)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] + residual[i];
}

extern "C" __global__ void addgelu_fused(float *out, const float *in, const float *bias,
                                         const float *residual, int columns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = gelu_fast(in[i] + bias[i % columns]) + residual[i];
}

/* ---- Matrix times vector ------------------------------------------------------------------------------------------------ */

extern "C" __global__ void gemv_thread(float *out, const float *a, const float *x, int rows, int columns)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0;
    for (int c = 0; c < columns; c++)
        sum += a[(size_t)row * columns + c] * x[c];
    out[row] = sum;
}

extern "C" __global__ void gemv_block(float *out, const float *a, const float *x, int columns)
{
    __shared__ float part[4];
    float sum = 0;
    for (int c = threadIdx.x; c < columns; c += 128)
        sum += a[(size_t)blockIdx.x * columns + c] * x[c];
    sum = warp_sum(sum);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = part[0] + part[1] + part[2] + part[3];
}

/* ---- Gradient of a layer's weight: columns summed over all rows ------------------------------------------------------------ */

extern "C" __global__ void dgamma_atomics(float *dgamma, const float *dout, const float *norm, int columns)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
    atomicAdd(&dgamma[c], dout[(size_t)row * columns + c] * norm[(size_t)row * columns + c]);
}

extern "C" __global__ void dgamma_bands(float *dgamma, const float *dout, const float *norm, int columns,
                                        int band)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int r = 0; r < band; r++) {
        size_t at = (size_t)(blockIdx.y * band + r) * columns + c;
        sum += dout[at] * norm[at];
    }
    atomicAdd(&dgamma[c], sum);
}
