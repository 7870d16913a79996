// y = layer norm of (x + residual), a row of 640 f32 or any other length. Nothing is tuned on these kernels
// (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

__device__ float warp_sum(float v)
{
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_xor_sync(~0u, v, d);
    return v;
}

// A thread per row, three passes over it.
extern "C" __global__ void norm_thread(float *y, const float *x, const float *residual, const float *gain, const float *shift, int rows, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    x += (size_t)row * cols;
    residual += (size_t)row * cols;
    y += (size_t)row * cols;
    float mean = 0, square = 0;
    for (int i = 0; i < cols; i++)
        mean += x[i] + residual[i];
    mean /= cols;
    for (int i = 0; i < cols; i++) {
        float d = x[i] + residual[i] - mean;
        square += d * d;
    }
    float scale = 1.0f / sqrtf(square / cols + 1e-5f);
    for (int i = 0; i < cols; i++)
        y[i] = (x[i] + residual[i] - mean) * scale * gain[i] + shift[i];
}

// A block of 256 per row, sums by trees in shared memory; the row is read three times.
extern "C" __global__ void norm_block(float *y, const float *x, const float *residual, const float *gain, const float *shift, int rows, int cols)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    size_t base = (size_t)blockIdx.x * cols;
    float sum = 0;
    for (int i = t; i < cols; i += 256)
        sum += x[base + i] + residual[base + i];
    s[t] = sum;
    __syncthreads();
    for (int d = 128; d > 0; d /= 2) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    float mean = s[0] / cols, square = 0;
    __syncthreads();
    for (int i = t; i < cols; i += 256) {
        float d = x[base + i] + residual[base + i] - mean;
        square += d * d;
    }
    s[t] = square;
    __syncthreads();
    for (int d = 128; d > 0; d /= 2) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    float scale = rsqrtf(s[0] / cols + 1e-5f);
    for (int i = t; i < cols; i += 256)
        y[base + i] = (x[base + i] + residual[base + i] - mean) * scale * gain[i] + shift[i];
}

// A warp per row, sum and sum of squares in one pass.
extern "C" __global__ void norm_warp(float *y, const float *x, const float *residual, const float *gain, const float *shift, int rows, int cols)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    size_t base = (size_t)row * cols;
    float sum = 0, square = 0;
    for (int i = lane; i < cols; i += 32) {
        float v = x[base + i] + residual[base + i];
        sum += v;
        square += v * v;
    }
    float mean = warp_sum(sum) / cols, scale = rsqrtf(warp_sum(square) / cols - mean * mean + 1e-5f);
    for (int i = lane; i < cols; i += 32)
        y[base + i] = (x[base + i] + residual[base + i] - mean) * scale * gain[i] + shift[i];
}

// A warp per row of 640, which stays in its registers.
extern "C" __global__ void norm_kept(float *y, const float *x, const float *residual, const float *gain, const float *shift, int rows)
{
    constexpr int COLS = 640, EACH = COLS / 32;
    int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
    if (row >= rows)
        return;
    size_t base = (size_t)row * COLS;
    float v[EACH], sum = 0, square = 0;
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        v[e] = x[base + e * 32 + lane] + residual[base + e * 32 + lane];
        sum += v[e];
    }
    float mean = warp_sum(sum) / COLS;
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        v[e] -= mean;
        square += v[e] * v[e];
    }
    float scale = rsqrtf(warp_sum(square) / COLS + 1e-5f);
#pragma unroll
    for (int e = 0; e < EACH; e++)
        y[base + e * 32 + lane] = v[e] * scale * gain[e * 32 + lane] + shift[e * 32 + lane];
}

// Welford's mean and variance, merged.
__device__ void merge(float &mean, float &square, float &count, float mean2, float square2, float count2)
{
    float all = count + count2, d = mean2 - mean, share = all > 0 ? count2 / all : 0;
    mean += d * share;
    square += square2 + d * d * count * share;
    count = all;
}

// A block of 160 per row, a float4 a thread, by Welford's method through shuffles and shared memory.
extern "C" __global__ void norm_welford(float4 *y, const float4 *x, const float4 *residual, const float4 *gain, const float4 *shift, int rows)
{
    __shared__ float means[5], squares[5];
    int t = threadIdx.x, warp = t / 32, lane = t % 32;
    size_t at = (size_t)blockIdx.x * 160 + t;
    float4 v = x[at], r = residual[at];
    v.x += r.x;
    v.y += r.y;
    v.z += r.z;
    v.w += r.w;
    float mean = 0, square = 0, count = 0;
#pragma unroll
    for (int e = 0; e < 4; e++) {
        float d = (&v.x)[e] - mean;
        count += 1;
        mean += d / count;
        square += d * ((&v.x)[e] - mean);
    }
    for (int d = 16; d > 0; d /= 2)
        merge(mean, square, count, __shfl_xor_sync(~0u, mean, d), __shfl_xor_sync(~0u, square, d), count);
    if (lane == 0) {
        means[warp] = mean;
        squares[warp] = square;
    }
    __syncthreads();
    mean = 0, square = 0, count = 0;
    for (int w = 0; w < 5; w++)
        merge(mean, square, count, means[w], squares[w], 128);
    float scale = rsqrtf(square / 640 + 1e-5f);
    float4 g = gain[t], s = shift[t];
    y[at] = make_float4((v.x - mean) * scale * g.x + s.x, (v.y - mean) * scale * g.y + s.y, (v.z - mean) * scale * g.z + s.z,
                        (v.w - mean) * scale * g.w + s.w);
}
