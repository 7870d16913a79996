// Out-of-place transpose of an N x N matrix of f32, the textbook's steps and one better:
//   naive_transpose      one thread per element; reads go down columns, writes along rows
//   coalesced_transpose  the same with reads along rows, writes down columns
//   tiled_transpose      a 32x32 tile in shared memory: both along rows
//   padded_transpose     the tile's rows are 33 words apart: no two rows share a bank
//   rows_transpose       a quarter of the threads, four elements each: four loads in flight
//   wide_transpose       64x64 tiles, 16 bytes per lane on both sides, columns swizzled in place of padding
//   striped_transpose    the same, tiles in stripes: rows of the output stay open in device memory
//   runs_transpose       tiles of DOWN x ACROSS, several loads of a thread on their way, any N that is a multiple of 4
// SPDX-License-Identifier: Apache-2.0
#define TILE 32
#define ROWS 8

extern "C" __global__ void naive_transpose(float *out, const float *in, int N)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < N && y < N)
        out[y * N + x] = in[x * N + y];
}

extern "C" __global__ void coalesced_transpose(float *out, const float *in, int N)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < N && y < N)
        out[x * N + y] = in[y * N + x];
}

extern "C" __global__ void tiled_transpose(float *out, const float *in, int N)
{
    __shared__ float tile[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    if (x < N && y < N)
        tile[threadIdx.y][threadIdx.x] = in[y * N + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    if (x < N && y < N)
        out[y * N + x] = tile[threadIdx.x][threadIdx.y];
}

extern "C" __global__ void padded_transpose(float *out, const float *in, int N)
{
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    if (x < N && y < N)
        tile[threadIdx.y][threadIdx.x] = in[y * N + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    if (x < N && y < N)
        out[y * N + x] = tile[threadIdx.x][threadIdx.y];
}

extern "C" __global__ void rows_transpose(float *out, const float *in, int N)
{
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
#pragma unroll
    for (int i = 0; i < TILE; i += ROWS)
        if (x < N && y + i < N)
            tile[threadIdx.y + i][threadIdx.x] = in[(y + i) * N + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
#pragma unroll
    for (int i = 0; i < TILE; i += ROWS)
        if (x < N && y + i < N)
            out[(y + i) * N + x] = tile[threadIdx.x][threadIdx.y + i];
}

#define WIDE 64
#define WARPS 16

// By parts, which compilers put together again: clang 14 copies a whole float4 in two halves.
static __device__ void copy_quad(float4 *to, const float4 *from)
{
    float x = from->x, y = from->y, z = from->z, w = from->w;
    to->x = x;
    to->y = y;
    to->z = z;
    to->w = w;
}

// N must be a multiple of WIDE. A warp reads four rows of eight lanes, 16 bytes each, and stores the
// words transposed; the rows of each group of four columns are swizzled by the group, so that neither
// the stores of words nor the loads of quads have a bank conflict.
static __device__ void wide_tile(float *out, const float *in, int N, int bx, int by)
{
    __shared__ __align__(16) float tile[WIDE * WIDE];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, group = lane % 8;
    int c = warp % 2 * 32 + group * 4, r = warp / 2 * 4 + lane / 8;
    const float *from = in + (size_t)(by * WIDE + r) * N + bx * WIDE + c;
    float4 upper = *(const float4 *)from;
    float4 lower = *(const float4 *)(from + (size_t)(WIDE / 2) * N);
    float *to = tile + c * WIDE + (r ^ group * 4);
    to[0 * WIDE] = upper.x;
    to[1 * WIDE] = upper.y;
    to[2 * WIDE] = upper.z;
    to[3 * WIDE] = upper.w;
    to[0 * WIDE + WIDE / 2] = lower.x;
    to[1 * WIDE + WIDE / 2] = lower.y;
    to[2 * WIDE + WIDE / 2] = lower.z;
    to[3 * WIDE + WIDE / 2] = lower.w;
    __syncthreads();
    int q = threadIdx.x % 16 * 4;
#pragma unroll
    for (int y = threadIdx.x / 16; y < WIDE; y += 2 * WARPS)
        copy_quad((float4 *)(out + (size_t)(bx * WIDE + y) * N + by * WIDE + q),
                  (const float4 *)(tile + y * WIDE + (q ^ y / 4 % 8 * 4)));
}

extern "C" __global__ void wide_transpose(float *out, const float *in, int N)
{
    wide_tile(out, in, N, blockIdx.x, blockIdx.y);
}

#ifndef STRIPE // tiles side by side
#define STRIPE 2
#endif

// The number of tiles across must be a multiple of STRIPE.
extern "C" __global__ void striped_transpose(float *out, const float *in, int N)
{
    int linear = blockIdx.y * gridDim.x + blockIdx.x, tiles = STRIPE * gridDim.y;
    wide_tile(out, in, N, linear / tiles * STRIPE + linear % STRIPE, linear % tiles / STRIPE);
}

#ifdef ACROSS
// A tile of DOWN rows and ACROSS columns (multiples of 32), by BLOCK threads as in wide_tile: runs of 4 * ACROSS bytes are
// read, runs of 4 * DOWN written, all loads of a thread are on their way at once. STREAM marks what leaves the caches
// first: 1 loads, 2 stores, 3 both. For N a multiple of 4; dynamic shared memory: a tile.
#ifndef STREAM
#define STREAM 0
#endif
#ifndef BLOCKS
#define BLOCKS 1
#endif
enum { UNITS = ACROSS / 32 * (DOWN / 4), EACH = UNITS / (BLOCK / 32) }; // of 4 rows and 32 columns; of a warp

extern "C" __global__ void __launch_bounds__(BLOCK, BLOCKS) runs_transpose(float *out, const float *in, int N)
{
    extern __shared__ __align__(16) float tile[]; // turned: ACROSS rows of DOWN words
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, group = lane % 8;
    int down = (N + DOWN - 1) / DOWN, across = (N + ACROSS - 1) / ACROSS;
    int stripe = blockIdx.x / (STRIPE * down), rest = blockIdx.x % (STRIPE * down);
    int wide = min(STRIPE, across - stripe * STRIPE); // the last stripe may be narrower
    int row = rest / wide * DOWN, column = (stripe * STRIPE + rest % wide) * ACROSS;
    float4 v[EACH];
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        int unit = e * (BLOCK / 32) + warp, r = unit / (ACROSS / 32) * 4 + lane / 8, c = unit % (ACROSS / 32) * 32 + group * 4;
        const float4 *from = (const float4 *)(in + (size_t)(row + r) * N + column + c);
        if (row + r < N && column + c < N)
            v[e] = STREAM & 1 ? __ldcs(from) : *from;
    }
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        int unit = e * (BLOCK / 32) + warp, r = unit / (ACROSS / 32) * 4 + lane / 8, c = unit % (ACROSS / 32) * 32 + group * 4;
        float *to = tile + c * DOWN + (r ^ group * 4);
        to[0] = v[e].x;
        to[DOWN] = v[e].y;
        to[2 * DOWN] = v[e].z;
        to[3 * DOWN] = v[e].w;
    }
    __syncthreads();
    int q = threadIdx.x % (DOWN / 4) * 4;
#pragma unroll
    for (int y = threadIdx.x / (DOWN / 4); y < ACROSS; y += BLOCK / (DOWN / 4)) {
        float4 turned = *(const float4 *)(tile + y * DOWN + (q ^ y / 4 % 8 * 4));
        float4 *to = (float4 *)(out + (size_t)(column + y) * N + row + q);
        if (column + y < N && row + q < N) {
            if (STREAM & 2)
                __stcs(to, turned);
            else
                *to = turned;
        }
    }
}
#endif

#ifdef SIDE
#include "../common/bulk.h"

// Rows in shared memory begin four words further on in the banks each: 16 bytes of eight rows side by
// side, and 32 words of a row, have no conflict.
#define PITCH (SIDE + 4)

// The block's i-th tile, in stripes of STRIPE columns of tiles.
static __device__ void bulk_place(int i, int N, int *bx, int *by)
{
    int side = N / SIDE, linear = blockIdx.x + i * gridDim.x, tiles = STRIPE * side;
    *bx = linear / tiles * STRIPE + linear % STRIPE;
    *by = linear % tiles / STRIPE;
}

// By one warp, row by row.
static __device__ void bulk_fetch(float *room, const float *in, int i, int N, unsigned long long *full)
{
    int bx, by;
    bulk_place(i, N, &bx, &by);
    for (int row = threadIdx.x; row < SIDE; row += 32)
        bulk_load(room + row * PITCH, in + (size_t)(by * SIDE + row) * N + bx * SIDE, SIDE * 4,
                  full);
}

static __device__ void bulk_leave(float *out, const float *room, int i, int N)
{
    int bx, by;
    bulk_place(i, N, &bx, &by);
    for (int row = threadIdx.x; row < SIDE; row += 32)
        bulk_store(out + (size_t)(bx * SIDE + row) * N + by * SIDE, room + row * PITCH, SIDE * 4);
}

// N must be a multiple of 2 * SIDE. Blocks stay: STAGES tiles are here or on their way in, and one is on
// its way out, by the copy engine. Dynamic shared memory: STAGES + 1 tiles of SIDE * PITCH words.
extern "C" __global__ void bulk_transpose(float *out, const float *in, int N)
{
    extern __shared__ __align__(128) float rooms[];
    __shared__ unsigned long long full[STAGES];
    float *leaving = rooms + STAGES * SIDE * PITCH;
    int tiles = (N / SIDE) * (N / SIDE), t = threadIdx.x, lane = t % 32, warp = t / 32;
    int mine = (tiles - (int)blockIdx.x + (int)gridDim.x - 1) / (int)gridDim.x;
    if (t == 0) {
        for (int s = 0; s < STAGES; s++)
            mbarrier_init(&full[s], SIDE);
        mbarrier_init_fence();
    }
    __syncthreads();
    for (int s = 0; s < STAGES && s < mine && warp == 0; s++)
        bulk_fetch(rooms + s * SIDE * PITCH, in, s, N, &full[s]);
    for (int i = 0; i < mine; i++) {
        float *room = rooms + i % STAGES * SIDE * PITCH;
        mbarrier_wait(&full[i % STAGES], i / STAGES & 1);
        if (warp == 0)
            bulk_store_wait_read(); // the tile before has left
        __syncthreads();
        for (int op = warp; op < SIDE / 32 * (SIDE / 4); op += blockDim.x / 32) {
            int column = op % (SIDE / 32) * 32 + lane, row = op / (SIDE / 32) * 4;
            const float *from = room + row * PITCH + column;
            float4 v = {from[0], from[PITCH], from[2 * PITCH], from[3 * PITCH]};
            copy_quad((float4 *)(leaving + column * PITCH + row), &v);
        }
        bulk_store_fence();
        __syncthreads();
        if (warp == 0) {
            bulk_leave(out, leaving, i, N);
            if (i + STAGES < mine)
                bulk_fetch(room, in, i + STAGES, N, &full[i % STAGES]);
        }
    }
    if (warp == 0)
        bulk_store_wait();
}
#endif
