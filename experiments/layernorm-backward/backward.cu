// The gradients of y = (x - mean) / sqrt(variance + eps) * weight + bias over rows, given dy:
//   dx = (g - mean of g - h * mean of g h) / sqrt(variance + eps), with h the normalised x and g = dy * weight
//   dweight = sum of dy * h, dbias = sum of dy, each over all rows
//   atomic_backward    one block per row; dweight and dbias by atomics, one a column and row
//   partial_backward   blocks that stay; a thread keeps the sums of its columns in registers over all of its
//                      block's rows, then stores them as a row of partial sums: VECS columns a thread
//   columns_sum        adds the partial sums
//   wide_backward      partial_backward with 16 bytes per lane and the row in registers: VECS quads per thread;
//                      columns must be a multiple of 4
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

struct row {
    float mean, scale; // of x
};

static __device__ struct row row_moments(const float *x, int cols)
{
    float sum = 0, squares = 0;
    for (int i = threadIdx.x; i < cols; i += BLOCK)
        sum += x[i];
    struct row r = {block_sums<WARPS>(sum, 0).x / cols, 0};
    for (int i = threadIdx.x; i < cols; i += BLOCK)
        squares += (x[i] - r.mean) * (x[i] - r.mean);
    r.scale = rsqrtf(block_sums<WARPS>(squares, 0).x / cols + EPSILON);
    return r;
}

// The means of g and of g h.
static __device__ float2 row_means(const float *dy, const float *x, const float *weight, struct row r,
                                   int cols)
{
    float g = 0, gh = 0;
    for (int i = threadIdx.x; i < cols; i += BLOCK) {
        g += dy[i] * weight[i];
        gh += dy[i] * weight[i] * ((x[i] - r.mean) * r.scale);
    }
    float2 s = block_sums<WARPS>(g, gh);
    return make_float2(s.x / cols, s.y / cols);
}

extern "C" __global__ void atomic_backward(float *dx, float *dweight, float *dbias, const float *dy,
                                           const float *x, const float *weight, int rows, int cols)
{
    size_t at = blockIdx.x * (size_t)cols;
    struct row r = row_moments(x + at, cols);
    float2 mean = row_means(dy + at, x + at, weight, r, cols);
    for (int i = threadIdx.x; i < cols; i += BLOCK) {
        float h = (x[at + i] - r.mean) * r.scale, d = dy[at + i];
        dx[at + i] = (d * weight[i] - mean.x - h * mean.y) * r.scale;
        atomicAdd(&dweight[i], d * h);
        atomicAdd(&dbias[i], d);
    }
}

// partial: gridDim.x rows of cols sums for dweight, then as many for dbias.
extern "C" __global__ void __launch_bounds__(BLOCK)
    partial_backward(float *dx, float *partial, const float *dy, const float *x, const float *weight,
                     int rows, int cols)
{
    float sum_weight[VECS], sum_bias[VECS];
#pragma unroll
    for (int v = 0; v < VECS; v++)
        sum_weight[v] = sum_bias[v] = 0;
    for (int n = blockIdx.x; n < rows; n += gridDim.x) {
        size_t at = n * (size_t)cols;
        struct row r = row_moments(x + at, cols);
        float2 mean = row_means(dy + at, x + at, weight, r, cols);
#pragma unroll
        for (int v = 0; v < VECS; v++) {
            int i = v * BLOCK + threadIdx.x;
            if (i < cols) {
                float h = (x[at + i] - r.mean) * r.scale, d = dy[at + i];
                dx[at + i] = (d * weight[i] - mean.x - h * mean.y) * r.scale;
                sum_weight[v] += d * h;
                sum_bias[v] += d;
            }
        }
    }
    float *mine = partial + blockIdx.x * (size_t)cols, *bias = mine + gridDim.x * (size_t)cols;
#pragma unroll
    for (int v = 0; v < VECS; v++) {
        int i = v * BLOCK + threadIdx.x;
        if (i < cols) {
            mine[i] = sum_weight[v];
            bias[i] = sum_bias[v];
        }
    }
}

// One warp per column each: 32 columns a block, its warps take the rows in turn.
extern "C" __global__ void columns_sum(float *dweight, float *dbias, const float *partial, int parts,
                                       int cols)
{
    __shared__ float sums[WARPS][WARP];
    int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, c = blockIdx.x * WARP + lane;
    const float *from = partial + blockIdx.y * (size_t)parts * cols;
    float sum = 0;
    for (int p = warp; c < cols && p < parts; p += WARPS)
        sum += from[p * (size_t)cols + c];
    sums[warp][lane] = sum;
    __syncthreads();
    if (warp > 0 || c >= cols)
        return;
    for (int w = 1; w < WARPS; w++)
        sum += sums[w][lane];
    (blockIdx.y == 0 ? dweight : dbias)[c] = sum;
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    wide_backward(float *dx, float *partial, const float *dy, const float *x, const float *weight,
                  int rows, int cols)
{
    float sum_weight[VECS][4], sum_bias[VECS][4];
#pragma unroll
    for (int v = 0; v < VECS; v++)
#pragma unroll
        for (int c = 0; c < 4; c++)
            sum_weight[v][c] = sum_bias[v][c] = 0;
    for (int n = blockIdx.x; n < rows; n += gridDim.x) {
        size_t at = n * (size_t)cols;
        float h[VECS][4], d[VECS][4], w[4], sum = 0, squares = 0, g = 0, gh = 0;
#pragma unroll
        for (int v = 0; v < VECS; v++) {
            int i = (v * BLOCK + threadIdx.x) * 4;
            vector_unpack(h[v], row_load(x + at, i, cols));
            vector_unpack(d[v], row_load(dy + at, i, cols));
            sum += (h[v][0] + h[v][1]) + (h[v][2] + h[v][3]);
        }
        float mean = block_sums<WARPS>(sum, 0).x / cols;
#pragma unroll
        for (int v = 0; v < VECS; v++)
            if ((v * BLOCK + threadIdx.x) * 4 < cols)
#pragma unroll
                for (int c = 0; c < 4; c++) {
                    h[v][c] -= mean;
                    squares += h[v][c] * h[v][c];
                }
        float scale = rsqrtf(block_sums<WARPS>(squares, 0).x / cols + EPSILON);
#pragma unroll
        for (int v = 0; v < VECS; v++) {
            vector_unpack(w, row_keep(weight, (v * BLOCK + threadIdx.x) * 4, cols));
#pragma unroll
            for (int c = 0; c < 4; c++) { // beyond the end all are 0
                h[v][c] *= scale;
                sum_weight[v][c] += d[v][c] * h[v][c];
                sum_bias[v][c] += d[v][c];
                d[v][c] *= w[c];
                g += d[v][c];
                gh += d[v][c] * h[v][c];
            }
        }
        float2 means = block_sums<WARPS>(g, gh);
        means.x /= cols;
        means.y /= cols;
#pragma unroll
        for (int v = 0; v < VECS; v++) {
#pragma unroll
            for (int c = 0; c < 4; c++)
                d[v][c] = (d[v][c] - means.x - h[v][c] * means.y) * scale;
            row_store(dx + at, (v * BLOCK + threadIdx.x) * 4, cols, d[v]);
        }
    }
    float *mine = partial + blockIdx.x * (size_t)cols, *bias = mine + gridDim.x * (size_t)cols;
#pragma unroll
    for (int v = 0; v < VECS; v++) {
        row_store(mine, (v * BLOCK + threadIdx.x) * 4, cols, sum_weight[v]);
        row_store(bias, (v * BLOCK + threadIdx.x) * 4, cols, sum_bias[v]);
    }
}
