// A matrix of rows of 1000 updated by the means of its gradient's squares over rows and columns. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void adafactor_rows(float *r, const float *g, int cols)
{
    __shared__ float s[128];
    int t = threadIdx.x;
    float sum = 0.0f;
    for (int j = t; j < cols; j += 128)
        sum += g[blockIdx.x * cols + j] * g[blockIdx.x * cols + j];
    s[t] = sum;
    __syncthreads();
    for (int d = 64; d > 0; d /= 2) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0)
        r[blockIdx.x] = s[0] / cols;
}

extern "C" __global__ void adafactor_columns(float *c, const float *g, int rows, int cols)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= cols)
        return;
    float sum = 0.0f;
    for (int i = 0; i < rows; i++)
        sum += g[i * cols + j] * g[i * cols + j];
    c[j] = sum / rows;
}

extern "C" __global__ void adafactor_total(float *total, const float *r, int rows)
{
    __shared__ float s[512];
    int t = threadIdx.x;
    float sum = 0.0f;
    for (int i = t; i < rows; i += 512)
        sum += r[i];
    s[t] = sum;
    __syncthreads();
    for (int d = 256; d > 0; d /= 2) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0)
        *total = s[0] / rows;
}

extern "C" __global__ void adafactor_update(float *out, const float *p, const float *g, const float *r, const float *c, const float *total,
                                            float rate, int cols)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y;
    if (j < cols)
        out[i * cols + j] = p[i * cols + j] - rate * g[i * cols + j] / sqrtf(r[i] * c[j] / *total + 1e-30f);
}

extern "C" __global__ void adafactor_clear(float *sums, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        sums[i] = 0.0f;
}

// Sixteen rows a block: sums of 1000 columns, of the rows, and of all.
extern "C" __global__ void __launch_bounds__(1024) adafactor_squares(float *__restrict__ r, float *__restrict__ c, float *__restrict__ total,
                                                                     const float *__restrict__ g, int rows)
{
    __shared__ float s[16];
    int t = threadIdx.x, first = blockIdx.x * 16;
    if (t < 16)
        s[t] = 0.0f;
    __syncthreads();
    float column = 0.0f;
#pragma unroll 4
    for (int i = 0; i < 16; i++) {
        float v = t < 1000 && first + i < rows ? g[(first + i) * 1000 + t] : 0.0f, square = v * v;
        column += square;
#pragma unroll
        for (int d = 16; d > 0; d /= 2)
            square += __shfl_xor_sync(0xffffffff, square, d);
        if (t % 32 == 0)
            atomicAdd(&s[i], square);
    }
    if (t < 1000)
        atomicAdd(&c[t], column);
    __syncthreads();
    if (t < 16 && first + t < rows) {
        r[first + t] = s[t];
        atomicAdd(total, s[t]);
    }
}

extern "C" __global__ void __launch_bounds__(250) adafactor_apply(float4 *__restrict__ out, const float4 *__restrict__ p, const float4 *__restrict__ g,
                                                                  const float *__restrict__ r, const float4 *__restrict__ c,
                                                                  const float *__restrict__ total, float rate)
{
    int j = threadIdx.x, i = blockIdx.x;
    float scale = *total / r[i];
    float4 a = p[i * 250 + j], b = g[i * 250 + j], s = c[j];
    out[i * 250 + j] = make_float4(a.x - rate * b.x * rsqrtf(s.x / scale), a.y - rate * b.y * rsqrtf(s.y / scale),
                                   a.z - rate * b.z * rsqrtf(s.z / scale), a.w - rate * b.w * rsqrtf(s.w / scale));
}
