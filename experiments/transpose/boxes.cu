// out = in transposed, N x N, f32, tiles by tensor maps: one copy of the copy engine brings or takes 32 columns of a tile.
// Blocks stay; STAGES tiles of DOWN x ACROSS are here or on their way in, LEAVING on their way out. Rows of boxes are
// 128 bytes, swizzled: 16 bytes number c of row r lie at c ^ r % 8. A thread turns squares of four by four in registers;
// eight lanes take squares along a diagonal, so that neither way two of them meet in a bank.
// N is a multiple of 4; what a tile has beyond the matrix is neither read nor written.
// SPDX-License-Identifier: Apache-2.0
#include "../common/bulk.h"
#include "../common/tensor_map.h"

#ifndef DOWN
#define DOWN 64
#endif
#ifndef ACROSS
#define ACROSS 64
#endif
#ifndef STAGES
#define STAGES 2
#endif
#ifndef LEAVING
#define LEAVING 1
#endif
#ifndef STRIPE // columns of tiles that are worked on together
#define STRIPE 2
#endif
#ifndef BLOCK
#define BLOCK 256
#endif
enum { TILE = DOWN * ACROSS, SQUARES = TILE / 16 };

// Where the block's i-th tile begins.
static __device__ void tile_place(int i, int N, int *row, int *col)
{
    int down = (N + DOWN - 1) / DOWN, across = (N + ACROSS - 1) / ACROSS, linear = blockIdx.x + i * gridDim.x;
    int first = linear / (STRIPE * down) * STRIPE, rest = linear % (STRIPE * down), wide = min(STRIPE, across - first);
    *row = rest / wide * DOWN;
    *col = (first + rest % wide) * ACROSS;
}

static __device__ void tile_fetch(float *room, const tensor_map *map, int i, int N, unsigned long long *full)
{
    int row, col;
    tile_place(i, N, &row, &col);
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(full)), "r"(TILE * 4)
                 : "memory");
#pragma unroll
    for (int b = 0; b < ACROSS / 32; b++)
        load_box(shared_address(room + b * 32 * DOWN), map, shared_address(full), col + b * 32, row);
}

static __device__ void tile_leave(const float *room, const tensor_map *map, int i, int N)
{
    int row, col;
    tile_place(i, N, &row, &col);
#pragma unroll
    for (int b = 0; b < DOWN / 32; b++)
        store_box(map, shared_address(room + b * 32 * ACROSS), row + b * 32, col);
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

static __device__ float4 *sixteen(float *box, int row, int c)
{
    return (float4 *)(box + row * 32 + (c ^ row % 8) * 4);
}

static __device__ void tile_turn(float *to, float *from)
{
#pragma unroll
    for (int s = threadIdx.x; s < SQUARES; s += BLOCK) {
        int part = s / 64, down = part % (DOWN / 32), across = part / (DOWN / 32);
        int a = s % 8, c = a ^ s / 8 % 8; // four rows, four columns, of 32 by 32
        float4 v[4];
#pragma unroll
        for (int i = 0; i < 4; i++)
            v[i] = *sixteen(from + across * 32 * DOWN, down * 32 + 4 * a + i, c);
        float *box = to + down * 32 * ACROSS;
        int row = across * 32 + 4 * c;
        *sixteen(box, row, a) = make_float4(v[0].x, v[1].x, v[2].x, v[3].x);
        *sixteen(box, row + 1, a) = make_float4(v[0].y, v[1].y, v[2].y, v[3].y);
        *sixteen(box, row + 2, a) = make_float4(v[0].z, v[1].z, v[2].z, v[3].z);
        *sixteen(box, row + 3, a) = make_float4(v[0].w, v[1].w, v[2].w, v[3].w);
    }
}

// Dynamic shared memory: STAGES + LEAVING tiles, and 1 KiB to begin at a multiple of it.
extern "C" __global__ void __launch_bounds__(BLOCK) boxes_transpose(MAP out, MAP in, int N)
{
    extern __shared__ unsigned char memory[];
    __shared__ unsigned long long full[STAGES];
    float *rooms = (float *)(memory + (1024 - shared_address(memory) % 1024) % 1024), *leaving = rooms + STAGES * TILE;
    int tiles = (N + DOWN - 1) / DOWN * ((N + ACROSS - 1) / ACROSS), mine = (tiles - (int)blockIdx.x + (int)gridDim.x - 1) / (int)gridDim.x;
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++)
            mbarrier_init(&full[s], 1);
        mbarrier_init_fence();
        for (int s = 0; s < STAGES && s < mine; s++)
            tile_fetch(rooms + s * TILE, &in, s, N, &full[s]);
    }
    __syncthreads();
    for (int i = 0; i < mine; i++) {
        float *room = rooms + i % STAGES * TILE, *to = leaving + i % LEAVING * TILE;
        mbarrier_wait(&full[i % STAGES], i / STAGES & 1);
        if (threadIdx.x == 0)
            asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(LEAVING - 1) : "memory"); // `to` has left
        __syncthreads();
        tile_turn(to, room);
        bulk_store_fence();
        __syncthreads();
        if (threadIdx.x == 0) {
            tile_leave(to, &out, i, N);
            if (i + STAGES < mine)
                tile_fetch(room, &in, i + STAGES, N, &full[i % STAGES]);
        }
    }
    if (threadIdx.x == 0)
        bulk_store_wait();
}
