// Matrices, sums, sparse rows, grids: gemmsteps_*, gemmfew_*, sumsteps_*, total_*, csrrows_*, csrshort_*, fivepoint_*,
// boxes_*, attend_*, filters_*, permute_*, onechain_*. Each pair's YAML says what differs.
// SPDX-License-Identifier: Apache-2.0

/* ---- Matrix product, step by step ---------------------------------------------------------------------------------------- */

// Neighbouring lanes take neighbouring rows.
extern "C" __global__ void gemmsteps_rows(float *c, const float *a, const float *b, int n)
{
    int row = blockIdx.x * 32 + threadIdx.x % 32, column = blockIdx.y * 8 + threadIdx.x / 32;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

extern "C" __global__ void gemmsteps_columns(float *c, const float *a, const float *b, int n)
{
    int column = blockIdx.x * 32 + threadIdx.x % 32, row = blockIdx.y * 8 + threadIdx.x / 32;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

extern "C" __global__ void gemmsteps_tile(float *c, const float *a, const float *b, int n)
{
    __shared__ float as[32][32], bs[32][32];
    int x = threadIdx.x % 32, y = threadIdx.x / 32;
    int column = blockIdx.x * 32 + x, row = blockIdx.y * 32 + y;
    float sum = 0;
    for (int k0 = 0; k0 < n; k0 += 32) {
        as[y][x] = a[row * n + k0 + x];
        bs[y][x] = b[(k0 + y) * n + column];
        __syncthreads();
        for (int k = 0; k < 32; k++)
            sum += as[y][k] * bs[k][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

// 64 x 64 results of a block, eight in a column of each thread.
extern "C" __global__ void gemmsteps_strip(float *c, const float *a, const float *b, int n)
{
    __shared__ float as[64][8], bs[8][64];
    int t = threadIdx.x, x = t % 64, y = t / 64;
    float sum[8] = {0};
    for (int k0 = 0; k0 < n; k0 += 8) {
        as[t / 8][t % 8] = a[(blockIdx.y * 64 + t / 8) * n + k0 + t % 8];
        bs[t / 64][x] = b[(k0 + t / 64) * n + blockIdx.x * 64 + x];
        __syncthreads();
        for (int k = 0; k < 8; k++) {
            float of_b = bs[k][x];
            for (int i = 0; i < 8; i++)
                sum[i] += as[y * 8 + i][k] * of_b;
        }
        __syncthreads();
    }
    for (int i = 0; i < 8; i++)
        c[(blockIdx.y * 64 + y * 8 + i) * n + blockIdx.x * 64 + x] = sum[i];
}

// 128 x 128 results of a block, 8 x 8 of each thread.
template <int M, int R> static __device__ __forceinline__ void square(float *c, const float *a, const float *b, int n, int depth)
{
    enum { K = 8, THREADS = (M / R) * (M / R) };
    __shared__ float as[K][M], bs[K][M];
    int t = threadIdx.x, x = t % (M / R), y = t / (M / R);
    float sum[R][R] = {0};
    for (int k0 = 0; k0 < depth; k0 += K) {
        for (int i = t; i < M * K; i += THREADS) {
            as[i % K][i / K] = a[(blockIdx.y * M + i / K) * depth + k0 + i % K];
            bs[i / M][i % M] = b[(k0 + i / M) * n + blockIdx.x * M + i % M];
        }
        __syncthreads();
        for (int k = 0; k < K; k++) {
            float of_a[R], of_b[R];
            for (int i = 0; i < R; i++) {
                of_a[i] = as[k][y * R + i];
                of_b[i] = bs[k][x + i * (M / R)];
            }
            for (int i = 0; i < R; i++)
                for (int j = 0; j < R; j++)
                    sum[i][j] += of_a[i] * of_b[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < R; i++)
        for (int j = 0; j < R; j++)
            c[(blockIdx.y * M + y * R + i) * n + blockIdx.x * M + x + j * (M / R)] = sum[i][j];
}

extern "C" __global__ void gemmsteps_square(float *c, const float *a, const float *b, int n)
{
    square<128, 8>(c, a, b, n, n);
}

// 1024 x 1024 results: 64 blocks of 128 x 128, and 256 of 64 x 64.
extern "C" __global__ void gemmfew_large(float *c, const float *a, const float *b, int n, int depth)
{
    square<128, 8>(c, a, b, n, depth);
}

extern "C" __global__ void gemmfew_small(float *c, const float *a, const float *b, int n, int depth)
{
    square<64, 4>(c, a, b, n, depth);
}

/* ---- Sums of blocks, step by step ------------------------------------------------------------------------------------------ */

extern "C" __global__ void sumsteps_modulo(float *out, const float *in)
{
    __shared__ float part[256];
    int t = threadIdx.x;
    part[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int d = 1; d < 256; d *= 2) {
        if (t % (2 * d) == 0)
            part[t] += part[t + d];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = part[0];
}

extern "C" __global__ void sumsteps_strided(float *out, const float *in)
{
    __shared__ float part[256];
    int t = threadIdx.x;
    part[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int d = 1; d < 256; d *= 2) {
        int i = 2 * d * t;
        if (i < 256)
            part[i] += part[i + d];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = part[0];
}

extern "C" __global__ void sumsteps_halves(float *out, const float *in)
{
    __shared__ float part[256];
    int t = threadIdx.x;
    part[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int d = 128; d > 0; d /= 2) {
        if (t < d)
            part[t] += part[t + d];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = part[0];
}

static __device__ __forceinline__ float block_sum(float v, float *part)
{
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_xor_sync(0xffffffff, v, d);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = v;
    __syncthreads();
    v = 0;
    for (int k = 0; k < 8; k++)
        v += part[k];
    return v;
}

extern "C" __global__ void sumsteps_shuffle(float *out, const float *in)
{
    __shared__ float part[8];
    float sum = block_sum(in[blockIdx.x * 256 + threadIdx.x], part);
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum;
}

/* ---- One sum of all ---------------------------------------------------------------------------------------------------------- */

extern "C" __global__ void total_each(float *out, const float *in)
{
    atomicAdd(out, in[blockIdx.x * 256 + threadIdx.x]);
}

extern "C" __global__ void total_block(float *out, const float *in)
{
    __shared__ float part[8];
    float sum = block_sum(in[blockIdx.x * 256 + threadIdx.x], part);
    if (threadIdx.x == 0)
        atomicAdd(out, sum);
}

// As many blocks as the chip holds; four elements to a load, four loads on their way.
extern "C" __global__ void total_grid(float *out, const float4 *in, int n)
{
    __shared__ float part[8];
    float sum = 0;
    int step = gridDim.x * 256;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += 4 * step) {
        float4 v[4];
        for (int k = 0; k < 4; k++)
            v[k] = i + k * step < n ? in[i + k * step] : make_float4(0, 0, 0, 0);
        for (int k = 0; k < 4; k++)
            sum += v[k].x + v[k].y + v[k].z + v[k].w;
    }
    sum = block_sum(sum, part);
    if (threadIdx.x == 0)
        atomicAdd(out, sum);
}

/* ---- Sparse rows: a thread on each, a warp on each, four lanes on each ---------------------------------------------------------- */

static __device__ __forceinline__ float row_sum(const int *column, const float *value, const float *x, int from, int end, int step)
{
    float sum = 0;
    for (int k = from; k < end; k += step)
        sum += value[k] * x[column[k]];
    return sum;
}

extern "C" __global__ void csrrows_thread(float *out, const int *starts, const int *column, const float *value, const float *x, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows)
        out[row] = row_sum(column, value, x, starts[row], starts[row + 1], 1);
}

extern "C" __global__ void csrrows_warp(float *out, const int *starts, const int *column, const float *value, const float *x, int rows)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float sum = row_sum(column, value, x, starts[row] + lane, starts[row + 1], 32);
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (lane == 0)
        out[row] = sum;
}

extern "C" __global__ void csrshort_four(float *out, const int *starts, const int *column, const float *value, const float *x, int rows)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 4, lane = threadIdx.x % 4;
    if (row >= rows)
        return;
    float sum = row_sum(column, value, x, starts[row] + lane, starts[row + 1], 4);
    for (int d = 2; d > 0; d /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (lane == 0)
        out[row] = sum;
}

/* ---- A step of heat: five points ------------------------------------------------------------------------------------------------- */

static __device__ __forceinline__ float five(const float *in, int x, int y, int w, int h)
{
    int at = y * w + x;
    float here = in[at];
    float left = x > 0 ? in[at - 1] : here, right = x < w - 1 ? in[at + 1] : here;
    float up = y > 0 ? in[at - w] : here, down = y < h - 1 ? in[at + w] : here;
    return here + 0.2f * (left + right + up + down - 4 * here);
}

// Lanes go down a column.
extern "C" __global__ void fivepoint_down(float *out, const float *in, int w, int h)
{
    int y = blockIdx.x * 32 + threadIdx.x % 32, x = blockIdx.y * 8 + threadIdx.x / 32;
    out[y * w + x] = five(in, x, y, w, h);
}

extern "C" __global__ void fivepoint_along(float *out, const float *in, int w, int h)
{
    int x = blockIdx.x * 32 + threadIdx.x % 32, y = blockIdx.y * 8 + threadIdx.x / 32;
    out[y * w + x] = five(in, x, y, w, h);
}

/* ---- Sums of 9 x 9 boxes with weights ---------------------------------------------------------------------------------------------- */

extern "C" __global__ void boxes_direct(float *out, const float *in, const float *weight, int w)
{
    int x = blockIdx.x * 32 + threadIdx.x % 32, y = blockIdx.y * 8 + threadIdx.x / 32;
    float sum = 0;
    for (int j = 0; j < 9; j++)
        for (int i = 0; i < 9; i++)
            sum += weight[9 * j + i] * in[(y + j) * w + x + i];
    out[y * (w - 8) + x] = sum;
}

// A thread makes eight results of a column: each row of the picture is loaded once for all of them.
extern "C" __global__ void boxes_column(float *out, const float *in, const float *weight, int w)
{
    __shared__ float ws[81];
    int x = blockIdx.x * 32 + threadIdx.x % 32, y = (blockIdx.y * 8 + threadIdx.x / 32) * 8;
    if (threadIdx.x < 81)
        ws[threadIdx.x] = weight[threadIdx.x];
    __syncthreads();
    float sum[8] = {0};
    for (int j = 0; j < 16; j++) {
        float row[9];
        for (int i = 0; i < 9; i++)
            row[i] = in[(y + j) * w + x + i];
#pragma unroll
        for (int r = 0; r < 8; r++)
            if (j - r >= 0 && j - r < 9)
                for (int i = 0; i < 9; i++)
                    sum[r] += ws[9 * (j - r) + i] * row[i];
    }
    for (int r = 0; r < 8; r++)
        out[(y + r) * (w - 8) + x] = sum[r];
}

/* ---- Attention, a query to each thread ------------------------------------------------------------------------------------------------ */

enum { HEAD = 32, KEYS = 64 };

extern "C" __global__ void attend_global(float *out, const float *q, const float *k, const float *v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float own[HEAD], sum[HEAD] = {0}, most = -1e30f, all = 0;
    for (int d = 0; d < HEAD; d++)
        own[d] = q[d * n + i];
    for (int j = 0; j < n; j++) {
        float dot = 0;
        for (int d = 0; d < HEAD; d++)
            dot += own[d] * k[j * HEAD + d];
        float now = fmaxf(most, dot), scale = __expf(most - now), e = __expf(dot - now);
        all = all * scale + e;
        for (int d = 0; d < HEAD; d++)
            sum[d] = sum[d] * scale + e * v[j * HEAD + d];
        most = now;
    }
    for (int d = 0; d < HEAD; d++)
        out[d * n + i] = sum[d] / all;
}

extern "C" __global__ void attend_tile(float *out, const float *q, const float *k, const float *v, int n)
{
    __shared__ float4 ks[KEYS * HEAD / 4], vs[KEYS * HEAD / 4];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float own[HEAD], sum[HEAD] = {0}, most = -1e30f, all = 0;
    for (int d = 0; d < HEAD; d++)
        own[d] = q[d * n + i];
    for (int j0 = 0; j0 < n; j0 += KEYS) {
        for (int t = threadIdx.x; t < KEYS * HEAD / 4; t += blockDim.x) {
            ks[t] = ((const float4 *)k)[j0 * HEAD / 4 + t];
            vs[t] = ((const float4 *)v)[j0 * HEAD / 4 + t];
        }
        __syncthreads();
        for (int j = 0; j < KEYS; j++) {
            float dot = 0;
            for (int d = 0; d < HEAD; d += 4) {
                float4 of = ks[j * HEAD / 4 + d / 4];
                dot += own[d] * of.x + own[d + 1] * of.y + own[d + 2] * of.z + own[d + 3] * of.w;
            }
            float now = fmaxf(most, dot), scale = __expf(most - now), e = __expf(dot - now);
            all = all * scale + e;
            for (int d = 0; d < HEAD; d += 4) {
                float4 of = vs[j * HEAD / 4 + d / 4];
                sum[d] = sum[d] * scale + e * of.x;
                sum[d + 1] = sum[d + 1] * scale + e * of.y;
                sum[d + 2] = sum[d + 2] * scale + e * of.z;
                sum[d + 3] = sum[d + 3] * scale + e * of.w;
            }
            most = now;
        }
        __syncthreads();
    }
    for (int d = 0; d < HEAD; d++)
        out[d * n + i] = sum[d] / all;
}

/* ---- A filter bank on a line: coefficients from global memory, and as constants -------------------------------------------------------- */

__constant__ float bank[64];

static __device__ __forceinline__ float polynomial(const float *c, float x)
{
    float all = 0;
#pragma unroll
    for (int f = 0; f < 8; f++) {
        float y = 0;
#pragma unroll
        for (int k = 0; k < 8; k++)
            y = y * x + c[8 * f + k];
        all += y * y;
    }
    return all;
}

extern "C" __global__ void filters_global(float *out, const float *in, const float *c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = polynomial(c, in[i]);
}

extern "C" __global__ void filters_constant(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = polynomial(bank, in[i]);
}

/* ---- Channels from the last place to the first ----------------------------------------------------------------------------------------- */

extern "C" __global__ void permute_divide(float *out, const float *in, int h, int w, int pad)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int x = i % w, y = i / w % h, image = i / (w * h);
    out[(image * (h + pad) + y) * (w + pad) + x] = in[i];
}

extern "C" __global__ void permute_grid(float *out, const float *in, int h, int w, int pad)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, image = blockIdx.z;
    out[(image * (h + pad) + y) * (w + pad) + x] = in[(image * h + y) * w + x];
}

/* ---- A long recurrence in registers: one, and four side by side --------------------------------------------------------------------------- */

extern "C" __global__ void onechain_one(float *out, const float *in, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float x = in[i], y = 0;
        for (int k = 0; k < 2048; k++)
            y = y * x + 0.25f;
        out[i] = y;
    }
}

extern "C" __global__ void onechain_four(float *out, const float *in, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += 4 * gridDim.x * blockDim.x) {
        int step = gridDim.x * blockDim.x;
        float x[4], y[4] = {0};
        for (int e = 0; e < 4; e++)
            x[e] = in[i + e * step];
        for (int k = 0; k < 2048; k++)
            for (int e = 0; e < 4; e++)
                y[e] = y[e] * x[e] + 0.25f;
        for (int e = 0; e < 4; e++)
            out[i + e * step] = y[e];
    }
}
