// Layout, blocks and launches: tr64_*, blk32_*, stash120_*, spill40_*, roomvain_*, streams3_*, anymat_*, rec12_*, shortrow_*.
// Each pair's YAML says what differs.
// SPDX-License-Identifier: Apache-2.0

/* ---- Matrices of f64 transposed ---- */

extern "C" __global__ void tr64_direct(double *out, const double *in, int w, int h)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
#pragma unroll
    for (int i = 0; i < 32; i += 8)
        out[(size_t)x * h + y + i] = in[(size_t)(y + i) * w + x];
}

template <int WIDTH> static __device__ __forceinline__ void by_tile(double *out, const double *in, int w, int h)
{
    __shared__ double tile[32][WIDTH];
    int x0 = blockIdx.x * 32, y0 = blockIdx.y * 32, tx = threadIdx.x, ty = threadIdx.y;
#pragma unroll
    for (int i = 0; i < 32; i += 8)
        tile[ty + i][tx] = in[(size_t)(y0 + ty + i) * w + x0 + tx];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 32; i += 8)
        out[(size_t)(x0 + ty + i) * h + y0 + tx] = tile[tx][ty + i];
}

extern "C" __global__ void tr64_tile(double *out, const double *in, int w, int h)
{
    by_tile<32>(out, in, w, h);
}

extern "C" __global__ void tr64_padded(double *out, const double *in, int w, int h)
{
    by_tile<33>(out, in, w, h);
}

/* ---- Numbers bent, one a thread, in blocks of 32 or of 256 ---- */

extern "C" __global__ void blk32_bend(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float v = in[i], p = 0.5f;
#pragma unroll
    for (int k = 0; k < 12; k++)
        p = p * v + 0.1f;
    out[i] = p;
}

/* ---- Rows of 1024, divided by their sums, with room in shared memory as a launch gives it ---- */

extern "C" __global__ void stash120_rows(float *out, const float *in)
{
    extern __shared__ float row[];
    __shared__ float part[4];
    int t = threadIdx.x;
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < 1024; i += 128) {
        float v = in[(size_t)blockIdx.x * 1024 + i + t];
        row[i + t] = v;
        sum += v;
    }
#pragma unroll
    for (int m = 16; m > 0; m /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, m);
    if (t % 32 == 0)
        part[t / 32] = sum;
    __syncthreads();
    float scale = __fdividef(1.0f, part[0] + part[1] + part[2] + part[3]);
#pragma unroll
    for (int i = 0; i < 1024; i += 128)
        out[(size_t)blockIdx.x * 1024 + i + t] = row[i + t] * scale;
}

/* ---- 40 sums of each column ---- */

static __device__ __forceinline__ void forty(float *out, const float *in, int rows, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum[40];
#pragma unroll
    for (int k = 0; k < 40; k++)
        sum[k] = 0.0f;
#pragma unroll 2
    for (int r = 0; r < rows; r++) {
        float v = in[(size_t)r * n + i];
#pragma unroll
        for (int k = 0; k < 40; k++)
            sum[k] = sum[k] * (0.5f + 0.01f * k) + v;
    }
    float total = 0.0f, most = 0.0f;
#pragma unroll
    for (int k = 0; k < 40; k++) {
        total += sum[k];
        most = fmaxf(most, fabsf(sum[k]));
    }
    out[i] = total / (most + 1.0f);
}

extern "C" __launch_bounds__(1024, 2) __global__ void spill40_bound(float *out, const float *in, int rows, int n)
{
    forty(out, in, rows, n);
}

extern "C" __launch_bounds__(256) __global__ void spill40_free(float *out, const float *in, int rows, int n)
{
    forty(out, in, rows, n);
}

/* ---- A stream, 64 bytes a thread, with and without room in shared memory that nothing uses ---- */

extern "C" __global__ void roomvain_stream(float4 *out, const float4 *in, float scale)
{
    extern __shared__ float4 unused[];
    size_t i = (size_t)blockIdx.x * 1024 + threadIdx.x;
    float4 v[4];
#pragma unroll
    for (int k = 0; k < 4; k++)
        v[k] = in[i + k * 256];
    if (scale == 0.0f)
        unused[threadIdx.x] = v[0];
#pragma unroll
    for (int k = 0; k < 4; k++)
        out[i + k * 256] = make_float4(v[k].x * scale, v[k].y * scale, v[k].z * scale, v[k].w * scale);
}

/* ---- a x + b y, clamped, step by step ---- */

extern "C" __global__ void streams3_scale(float4 *out, const float4 *x, float a)
{
    size_t i = (size_t)blockIdx.x * 256 + threadIdx.x;
    float4 v = x[i];
    out[i] = make_float4(a * v.x, a * v.y, a * v.z, a * v.w);
}

extern "C" __global__ void streams3_add(float4 *out, const float4 *y, float b)
{
    size_t i = (size_t)blockIdx.x * 256 + threadIdx.x;
    float4 v = out[i], u = y[i];
    out[i] = make_float4(v.x + b * u.x, v.y + b * u.y, v.z + b * u.z, v.w + b * u.w);
}

static __device__ __forceinline__ float clamped(float v)
{
    return fminf(fmaxf(v, -1.0f), 1.0f);
}

extern "C" __global__ void streams3_clamp(float4 *out)
{
    size_t i = (size_t)blockIdx.x * 256 + threadIdx.x;
    float4 v = out[i];
    out[i] = make_float4(clamped(v.x), clamped(v.y), clamped(v.z), clamped(v.w));
}

extern "C" __global__ void streams3_fused(float4 *out, const float4 *x, const float4 *y, float a, float b)
{
    size_t i = (size_t)blockIdx.x * 256 + threadIdx.x;
    float4 v = x[i], u = y[i];
    out[i] = make_float4(clamped(a * v.x + b * u.x), clamped(a * v.y + b * u.y), clamped(a * v.z + b * u.z), clamped(a * v.w + b * u.w));
}

/* ---- A small matrix times columns; of any size, or 12 x 12 ---- */

extern "C" __global__ void anymat_any(float *y, const float *x, const float *m, int rows, int cols, int n)
{
    __shared__ float own[256];
    if (threadIdx.x < rows * cols)
        own[threadIdx.x] = m[threadIdx.x];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    for (int r = 0; r < rows; r++) {
        float sum = 0.0f;
        for (int c = 0; c < cols; c++)
            sum += own[r * cols + c] * x[(size_t)c * n + i];
        y[(size_t)r * n + i] = sum;
    }
}

extern "C" __global__ void anymat_twelve(float *y, const float *x, const float *m, int n)
{
    __shared__ __align__(16) float own[144];
    if (threadIdx.x < 144)
        own[threadIdx.x] = m[threadIdx.x];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float v[12];
#pragma unroll
    for (int c = 0; c < 12; c++)
        v[c] = x[(size_t)c * n + i];
#pragma unroll
    for (int r = 0; r < 12; r++) {
        float sum = 0.0f;
#pragma unroll
        for (int c = 0; c < 12; c++)
            sum += own[r * 12 + c] * v[c];
        y[(size_t)r * n + i] = sum;
    }
}

/* ---- Records of twelve numbers: the last three are the products of the others ---- */

extern "C" __global__ void rec12_direct(float *out, const float *in)
{
    size_t i = ((size_t)blockIdx.x * 128 + threadIdx.x) * 12;
    float v[12];
#pragma unroll
    for (int k = 0; k < 12; k++)
        v[k] = in[i + k];
#pragma unroll
    for (int k = 0; k < 12; k++)
        out[i + k] = k < 9 ? v[k] : v[k] + v[k - 9] * v[k - 6] * v[k - 3];
}

extern "C" __global__ void rec12_staged(float *out, const float *in)
{
    __shared__ float tile[128 * 13];
    int t = threadIdx.x;
    size_t first = (size_t)blockIdx.x * 1536;
#pragma unroll
    for (int i = t; i < 1536; i += 128)
        tile[i / 12 * 13 + i % 12] = in[first + i];
    __syncthreads();
    float *v = tile + t * 13;
#pragma unroll
    for (int k = 9; k < 12; k++)
        v[k] += v[k - 9] * v[k - 6] * v[k - 3];
    __syncthreads();
#pragma unroll
    for (int i = t; i < 1536; i += 128)
        out[first + i] = tile[i / 12 * 13 + i % 12];
}

/* ---- Twelve launches in a row on a few numbers ---- */

static __device__ __forceinline__ float bent(float v, int k)
{
    return v * (1.0f - 0.125f * v) + 0.01f * k;
}

extern "C" __global__ void shortrow_copy(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i];
}

extern "C" __global__ void shortrow_one(float *out, int k, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = bent(out[i], k);
}

extern "C" __global__ void shortrow_all(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float v = in[i];
#pragma unroll
    for (int k = 0; k < 12; k++)
        v = bent(v, k);
    out[i] = v;
}
