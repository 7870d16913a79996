// y[i] = sum over k of taps[k] * x[i + k - K/2], zeros outside of x: a convolution as networks use it, K
// taps (-DK), kept as long as x.
//   naive_conv     one thread per output; all from global memory
//   constant_conv  the taps in constant memory
//   shared_conv    a tile of x with its halo in shared memory
//   register_conv  OUTPUTS neighbouring outputs a thread, the loop over the taps unrolled: each loaded
//                  input meets all of them, and each tap is part of the instruction that uses it
//   staged_conv    the same; the tile arrives by asynchronous copies, and the outputs leave through shared
//                  memory, 16 bytes per lane side by side
//   rounds_conv    the same in rounds of CHUNK taps, so that the multiply-adds of a round stay in the instruction cache
//   bulk_conv      blocks that stay: the next tile arrives by a bulk copy while this one is computed, and the
//                  outputs leave by one
// Neighbouring threads read shared memory OUTPUTS words apart: an odd multiple of 4 has no bank conflicts.
// SPDX-License-Identifier: Apache-2.0
#include "../common/bulk.h"

#ifndef K
#define K 9
#endif
#ifndef BLOCK
#define BLOCK 256
#endif
#ifndef BLOCKS // of an SM, at least: what registers have to leave room for
#define BLOCKS 1
#endif
#ifndef OUTPUTS
#define OUTPUTS 4
#endif

__constant__ float taps[K];

extern "C" __global__ void naive_conv(float *y, const float *x, const float *weights, long long n,
                                      int count)
{
    long long i = blockIdx.x * (long long)BLOCK + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0;
    for (int k = 0; k < count; k++) {
        long long at = i + k - count / 2;
        if (at >= 0 && at < n)
            sum += weights[k] * x[at];
    }
    y[i] = sum;
}

extern "C" __global__ void constant_conv(float *y, const float *x, long long n)
{
    long long i = blockIdx.x * (long long)BLOCK + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0;
    for (int k = 0; k < K; k++) {
        long long at = i + k - K / 2;
        if (at >= 0 && at < n)
            sum += taps[k] * x[at];
    }
    y[i] = sum;
}

extern "C" __global__ void shared_conv(float *y, const float *x, long long n)
{
    __shared__ float tile[BLOCK + K - 1];
    long long first = blockIdx.x * (long long)BLOCK, i = first + threadIdx.x;
    for (int t = threadIdx.x; t < BLOCK + K - 1; t += BLOCK) {
        long long at = first + t - K / 2;
        tile[t] = at >= 0 && at < n ? x[at] : 0;
    }
    __syncthreads();
    if (i >= n)
        return;
    float sum = 0;
    for (int k = 0; k < K; k++)
        sum += taps[k] * tile[threadIdx.x + k];
    y[i] = sum;
}

// ---- tiles of TILE outputs: OUTPUTS a thread ---------------------------------------------------------
// A tile's inputs begin LEFT before its outputs, a multiple of 16 bytes; the first SKIP of them are not
// needed. A thread reads WINDOW quads, the block QUADS.

#define TILE (BLOCK * OUTPUTS)
#define LEFT ((K / 2 + 3) / 4 * 4)
#define SKIP (LEFT - K / 2)
#define WINDOW ((SKIP + OUTPUTS + K - 1 + 3) / 4)
#define QUADS ((TILE - OUTPUTS) / 4 + WINDOW)

static __device__ bool tile_inside(long long first, long long n)
{
    return first - LEFT >= 0 && first - LEFT + QUADS * 4 <= n;
}

// With zeros where x ends.
static __device__ void tile_load(float *tile, const float *x, long long first, long long n)
{
    for (int t = threadIdx.x; t < QUADS * 4; t += BLOCK) {
        long long at = first - LEFT + t;
        tile[t] = at >= 0 && at < n ? x[at] : 0;
    }
}

static __device__ void tile_convolve(float *sum, const float *tile)
{
    const float4 *mine = (const float4 *)(tile + threadIdx.x * OUTPUTS);
#pragma unroll
    for (int r = 0; r < OUTPUTS; r++)
        sum[r] = 0;
#pragma unroll
    for (int m = 0; m < WINDOW; m++) {
        float4 quad = mine[m];
        float in[4] = {quad.x, quad.y, quad.z, quad.w};
#pragma unroll
        for (int c = 0; c < 4; c++)
#pragma unroll
            for (int r = 0; r < OUTPUTS; r++) {
                int k = 4 * m + c - SKIP - r;
                if (k >= 0 && k < K)
                    sum[r] += in[c] * taps[k];
            }
    }
}

#ifndef CHUNK // taps of a round, a multiple of 4
#define CHUNK 32
#endif

#ifndef JOIN // 1: a rest of a few taps, which would load as many inputs as a round, joins the last one
#define JOIN 0
#endif

// The taps from `k` on, COUNT of them, a constant.
template <int COUNT> static __device__ __forceinline__ void convolve_taps(float *sum, const float *tile, int k)
{
    enum { QUADS_HERE = (SKIP + OUTPUTS + COUNT - 1 + 3) / 4 };
    const float4 *mine = (const float4 *)(tile + threadIdx.x * OUTPUTS + k);
#pragma unroll
    for (int m = 0; m < QUADS_HERE; m++) {
        float4 quad = mine[m];
        float in[4] = {quad.x, quad.y, quad.z, quad.w};
#pragma unroll
        for (int c = 0; c < 4; c++)
#pragma unroll
            for (int r = 0; r < OUTPUTS; r++) {
                int j = 4 * m + c - SKIP - r;
                if (j >= 0 && j < COUNT)
                    sum[r] += in[c] * taps[k + j];
            }
    }
}

static __device__ __forceinline__ void tile_convolve_rounds(float *sum, const float *tile)
{
#pragma unroll
    for (int r = 0; r < OUTPUTS; r++)
        sum[r] = 0;
    enum { JOINED = JOIN && K % CHUNK < CHUNK / 2 && K > CHUNK, ROUNDS = K / CHUNK - JOINED, LAST = K - ROUNDS * CHUNK };
#pragma unroll 1
    for (int k = 0; k < ROUNDS * CHUNK; k += CHUNK)
        convolve_taps<CHUNK>(sum, tile, k);
    if (LAST > 0)
        convolve_taps<LAST>(sum, tile, ROUNDS * CHUNK);
}

// The last tile, element by element.
static __device__ void tile_store_part(float *y, const float *sum, long long first, long long n)
{
#pragma unroll
    for (int r = 0; r < OUTPUTS; r++)
        if (first + threadIdx.x * OUTPUTS + r < n)
            y[first + threadIdx.x * OUTPUTS + r] = sum[r];
}

static __device__ void to_shared(float *out, const float *sum)
{
#pragma unroll
    for (int r = 0; r < OUTPUTS; r += 4)
        *(float4 *)(out + threadIdx.x * OUTPUTS + r) =
            make_float4(sum[r], sum[r + 1], sum[r + 2], sum[r + 3]);
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    register_conv(float *y, const float *x, long long n)
{
    __shared__ __align__(16) float tile[QUADS * 4];
    long long first = blockIdx.x * (long long)TILE;
    float sum[OUTPUTS];
    tile_load(tile, x, first, n);
    __syncthreads();
    tile_convolve(sum, tile);
    tile_store_part(y, sum, first, n);
}

template <bool ROUNDS> static __device__ __forceinline__ void conv_tile(float *y, const float *x, long long n)
{
    __shared__ __align__(16) float tile[QUADS * 4];
    long long first = blockIdx.x * (long long)TILE;
    float sum[OUTPUTS];
    if (tile_inside(first, n)) {
#pragma unroll
        for (int q = threadIdx.x; q < QUADS; q += BLOCK)
            copy_async_16(tile + q * 4, x + first - LEFT + q * 4);
        copy_async_wait();
    } else
        tile_load(tile, x, first, n);
    __syncthreads();
    if (ROUNDS)
        tile_convolve_rounds(sum, tile);
    else
        tile_convolve(sum, tile);
    if (first + TILE > n) {
        tile_store_part(y, sum, first, n);
        return;
    }
    __syncthreads(); // all have read the tile: its place is free
    to_shared(tile, sum);
    __syncthreads();
#pragma unroll
    for (int q = threadIdx.x; q < TILE / 4; q += BLOCK)
        __stcs((float4 *)(y + first) + q, ((const float4 *)tile)[q]);
}

extern "C" __global__ void __launch_bounds__(BLOCK, BLOCKS)
    staged_conv(float *y, const float *x, long long n)
{
    conv_tile<false>(y, x, n);
}

extern "C" __global__ void __launch_bounds__(BLOCK, BLOCKS)
    rounds_conv(float *y, const float *x, long long n)
{
    conv_tile<true>(y, x, n);
}

// Shared memory: two tiles of inputs, one of outputs.
extern "C" __global__ void __launch_bounds__(BLOCK) bulk_conv(float *y, const float *x, long long n)
{
    extern __shared__ __align__(128) float memory[];
    __shared__ unsigned long long full[2];
    float *out = memory + 2 * QUADS * 4, sum[OUTPUTS];
    long long first = blockIdx.x * (long long)TILE, step = gridDim.x * (long long)TILE;
    unsigned parity[2] = {0, 0};
    if (threadIdx.x == 0) {
        mbarrier_init(&full[0], 1);
        mbarrier_init(&full[1], 1);
        mbarrier_init_fence();
        if (tile_inside(first, n))
            bulk_load(memory, x + first - LEFT, QUADS * 16, &full[0]);
    }
    __syncthreads();
    for (int stage = 0; first < n; first += step, stage ^= 1) {
        float *tile = memory + stage * QUADS * 4;
        if (threadIdx.x == 0 && first + step < n && tile_inside(first + step, n))
            bulk_load(memory + (stage ^ 1) * QUADS * 4, x + first + step - LEFT, QUADS * 16,
                      &full[stage ^ 1]);
        if (tile_inside(first, n)) {
            mbarrier_wait(&full[stage], parity[stage]);
            parity[stage] ^= 1;
        } else {
            tile_load(tile, x, first, n);
            __syncthreads();
        }
        tile_convolve(sum, tile);
        if (first + TILE > n) {
            tile_store_part(y, sum, first, n);
            break;
        }
        if (threadIdx.x == 0)
            bulk_store_wait_read();
        __syncthreads(); // all have read the tile; the outputs before have left
        to_shared(out, sum);
        bulk_store_fence();
        __syncthreads();
        if (threadIdx.x == 0)
            bulk_store(y + first, out, TILE * 4);
    }
    if (threadIdx.x == 0)
        bulk_store_wait();
}
