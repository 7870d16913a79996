// The gradients of y = x / sqrt(mean of squares + eps) * weight over rows, given dy:
//   dx = (g - h * mean of g h) * scale, with scale = 1 / sqrt(mean of squares + eps), h = x * scale, g = dy * weight
//   dweight = sum of dy * h over all rows
// Elements are f32, or bf16 with -DBF16 (../common/rows.h); dweight and sums are f32.
//   atomic_backward    a block a row; dweight by atomics, one a column and row
//   partial_backward   blocks that stay; a thread keeps the sums of its columns in registers over all of its
//                      block's rows, then stores them as a row of partial sums: VECS columns a thread
//   columns_sum        adds the partial sums
//   wide_backward      partial_backward with 16 bytes per lane and the row in registers: VECS vectors per thread
//   ahead_backward     the same, with the next row's loads issued before this one's sums are waited for
// SPDX-License-Identifier: Apache-2.0
#include "../common/rows.h"

#ifndef BLOCK
#define BLOCK 256
#endif
#ifndef VECS
#define VECS 1
#endif
#define WARPS (BLOCK / WARP)
#define EPSILON 1.0e-5f

// The sums of x^2 and of dy * weight * x over the row: one pass gives both, as h is x times a number.
static __device__ float2 row_sums(const element *dy, const element *x, const element *weight, int cols)
{
    float squares = 0, products = 0;
    for (int i = threadIdx.x; i < cols; i += BLOCK) {
        float v = element_get(x + i);
        squares += v * v;
        products += element_get(dy + i) * element_get(weight + i) * v;
    }
    return block_sums<WARPS>(squares, products);
}

struct row {
    float scale, slope; // dx = g * scale - x * slope
};

static __device__ struct row row_of(float2 sums, int cols)
{
    struct row r;
    r.scale = rsqrtf(sums.x / cols + EPSILON);
    r.slope = r.scale * r.scale * r.scale * (sums.y / cols);
    return r;
}

extern "C" __global__ void atomic_backward(element *dx, float *dweight, const element *dy,
                                           const element *x, const element *weight, int rows, int cols)
{
    size_t at = blockIdx.x * (size_t)cols;
    struct row r = row_of(row_sums(dy + at, x + at, weight, cols), cols);
    for (int i = threadIdx.x; i < cols; i += BLOCK) {
        float d = element_get(dy + at + i), v = element_get(x + at + i);
        element_put(dx + at + i, d * element_get(weight + i) * r.scale - v * r.slope);
        atomicAdd(&dweight[i], d * v * r.scale);
    }
}

// partial: gridDim.x rows of cols sums.
extern "C" __global__ void __launch_bounds__(BLOCK)
    partial_backward(element *dx, float *partial, const element *dy, const element *x,
                     const element *weight, int rows, int cols)
{
    float sum[VECS];
#pragma unroll
    for (int v = 0; v < VECS; v++)
        sum[v] = 0;
    for (int n = blockIdx.x; n < rows; n += gridDim.x) {
        size_t at = n * (size_t)cols;
        struct row r = row_of(row_sums(dy + at, x + at, weight, cols), cols);
#pragma unroll
        for (int v = 0; v < VECS; v++) {
            int i = v * BLOCK + threadIdx.x;
            if (i < cols) {
                float d = element_get(dy + at + i), e = element_get(x + at + i);
                element_put(dx + at + i, d * element_get(weight + i) * r.scale - e * r.slope);
                sum[v] += d * e * r.scale;
            }
        }
    }
#pragma unroll
    for (int v = 0; v < VECS; v++)
        if (v * BLOCK + threadIdx.x < cols)
            partial[blockIdx.x * (size_t)cols + v * BLOCK + threadIdx.x] = sum[v];
}

// 32 columns a block, its warps take the rows in turn.
extern "C" __global__ void columns_sum(float *dweight, const float *partial, int parts, int cols)
{
    __shared__ float sums[WARPS][WARP];
    int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, c = blockIdx.x * WARP + lane;
    float sum = 0;
    for (int p = warp; c < cols && p < parts; p += WARPS)
        sum += partial[p * (size_t)cols + c];
    sums[warp][lane] = sum;
    __syncthreads();
    if (warp > 0 || c >= cols)
        return;
    for (int w = 1; w < WARPS; w++)
        sum += sums[w][lane];
    dweight[c] = sum;
}

// ---- 16 bytes per lane -----------------------------------------------------------------------------------

struct loaded { // a row's vectors of a thread
    uint4 x[VECS], dy[VECS];
};

static __device__ void row_fetch(struct loaded *l, const element *dy, const element *x, int n, int cols)
{
#pragma unroll
    for (int v = 0; v < VECS; v++) {
        int i = (v * BLOCK + threadIdx.x) * VECTOR;
        l->x[v] = row_load(x + n * (size_t)cols, i, cols);
        l->dy[v] = row_load(dy + n * (size_t)cols, i, cols);
    }
}

// A row from registers; beyond its end all are 0.
static __device__ void row_finish(element *dx, float sum[VECS][VECTOR], const struct loaded *l,
                                  const element *weight, int n, int cols)
{
    float h[VECTOR], d[VECTOR], w[VECTOR], squares = 0, products = 0;
#pragma unroll
    for (int v = 0; v < VECS; v++) {
        vector_unpack(h, l->x[v]);
        vector_unpack(d, l->dy[v]);
        vector_unpack(w, row_keep(weight, (v * BLOCK + threadIdx.x) * VECTOR, cols));
#pragma unroll
        for (int c = 0; c < VECTOR; c++) {
            squares += h[c] * h[c];
            products += d[c] * w[c] * h[c];
        }
    }
    struct row r = row_of(block_sums<WARPS>(squares, products), cols);
#pragma unroll
    for (int v = 0; v < VECS; v++) {
        int i = (v * BLOCK + threadIdx.x) * VECTOR;
        vector_unpack(h, l->x[v]);
        vector_unpack(d, l->dy[v]);
        vector_unpack(w, row_keep(weight, i, cols));
#pragma unroll
        for (int c = 0; c < VECTOR; c++) {
            sum[v][c] += d[c] * h[c] * r.scale;
            d[c] = d[c] * w[c] * r.scale - h[c] * r.slope;
        }
        row_store(dx + n * (size_t)cols, i, cols, d);
    }
}

static __device__ void sums_clear(float sum[VECS][VECTOR])
{
#pragma unroll
    for (int v = 0; v < VECS; v++)
#pragma unroll
        for (int c = 0; c < VECTOR; c++)
            sum[v][c] = 0;
}

static __device__ void sums_store(float *partial, float sum[VECS][VECTOR], int cols)
{
#pragma unroll
    for (int v = 0; v < VECS; v++)
#pragma unroll
        for (int c = 0; c < VECTOR; c++) {
            int i = (v * BLOCK + threadIdx.x) * VECTOR + c;
            if (i < cols)
                partial[blockIdx.x * (size_t)cols + i] = sum[v][c];
        }
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    wide_backward(element *dx, float *partial, const element *dy, const element *x,
                  const element *weight, int rows, int cols)
{
    float sum[VECS][VECTOR];
    sums_clear(sum);
    for (int n = blockIdx.x; n < rows; n += gridDim.x) {
        struct loaded l;
        row_fetch(&l, dy, x, n, cols);
        row_finish(dx, sum, &l, weight, n, cols);
    }
    sums_store(partial, sum, cols);
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    ahead_backward(element *dx, float *partial, const element *dy, const element *x,
                   const element *weight, int rows, int cols)
{
    float sum[VECS][VECTOR];
    struct loaded now, next;
    sums_clear(sum);
    if (blockIdx.x < rows)
        row_fetch(&now, dy, x, blockIdx.x, cols);
    for (int n = blockIdx.x; n < rows; n += gridDim.x) {
        if (n + gridDim.x < rows)
            row_fetch(&next, dy, x, n + gridDim.x, cols);
        row_finish(dx, sum, &now, weight, n, cols);
        now = next;
    }
    sums_store(partial, sum, cols);
}
