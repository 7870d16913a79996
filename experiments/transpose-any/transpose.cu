// Out-of-place transpose of M x N floats, any M and N: rows that don't begin at multiples of 16 bytes.
//   naive_transpose  one thread per element; reads go along rows, writes down columns
//   tiled_transpose  a 32 x 32 tile with padded rows; four elements per thread
//   large_transpose  a 64 x 64 tile, eight elements per thread, tiles in stripes of two across
//   wide_transpose   the same, 16 bytes per lane both ways, columns swizzled in place of padding; M and N must
//                    be multiples of 64
// SPDX-License-Identifier: Apache-2.0
#define TILE 32
#define ROWS 8
#define LARGE 64
#define BLOCK 512
#define STRIPE 2

extern "C" __global__ void naive_transpose(float *out, const float *in, int M, int N)
{
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * ROWS + threadIdx.y;
    if (x < N && y < M)
        out[(size_t)x * M + y] = in[(size_t)y * N + x];
}

extern "C" __global__ void tiled_transpose(float *out, const float *in, int M, int N)
{
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
#pragma unroll
    for (int i = 0; i < TILE; i += ROWS)
        if (x < N && y + i < M)
            tile[threadIdx.y + i][threadIdx.x] = in[(size_t)(y + i) * N + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
#pragma unroll
    for (int i = 0; i < TILE; i += ROWS)
        if (x < M && y + i < N)
            out[(size_t)(y + i) * M + x] = tile[threadIdx.x][threadIdx.y + i];
}

// The first column and row of block number b's tile: STRIPE tiles across, then the next row of tiles.
static __device__ void tile_place(int b, int M, int N, int *x, int *y)
{
    int across = (N + LARGE - 1) / LARGE, down = (M + LARGE - 1) / LARGE;
    int stripe = b / (STRIPE * down), rest = b % (STRIPE * down);
    int wide = across - stripe * STRIPE < STRIPE ? across - stripe * STRIPE : STRIPE;
    *x = (stripe * STRIPE + rest % wide) * LARGE;
    *y = rest / wide * LARGE;
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    large_transpose(float *out, const float *in, int M, int N)
{
    __shared__ float tile[LARGE][LARGE + 1];
    int x0, y0, c = threadIdx.x % LARGE, r = threadIdx.x / LARGE;
    float v[LARGE * LARGE / BLOCK];
    tile_place(blockIdx.x, M, N, &x0, &y0);
#pragma unroll
    for (int i = 0; i < LARGE * LARGE / BLOCK; i++, r += BLOCK / LARGE)
        v[i] = x0 + c < N && y0 + r < M ? in[(size_t)(y0 + r) * N + x0 + c] : 0;
    r = threadIdx.x / LARGE;
#pragma unroll
    for (int i = 0; i < LARGE * LARGE / BLOCK; i++, r += BLOCK / LARGE)
        tile[r][c] = v[i];
    __syncthreads();
    r = threadIdx.x / LARGE;
#pragma unroll
    for (int i = 0; i < LARGE * LARGE / BLOCK; i++, r += BLOCK / LARGE)
        if (y0 + c < M && x0 + r < N)
            out[(size_t)(x0 + r) * M + y0 + c] = tile[c][r];
}

// A warp reads four rows of eight lanes; the rows of each group of four columns are swizzled by the group, so that
// neither the stores of words nor the loads of quads have a bank conflict.
extern "C" __global__ void __launch_bounds__(BLOCK)
    wide_transpose(float *out, const float *in, int M, int N)
{
    __shared__ __align__(16) float tile[LARGE * LARGE];
    int x0, y0, lane = threadIdx.x % 32, warp = threadIdx.x / 32, group = lane % 8;
    int c = warp % 2 * 32 + group * 4, r = warp / 2 * 4 + lane / 8;
    tile_place(blockIdx.x, M, N, &x0, &y0);
    const float *from = in + (size_t)(y0 + r) * N + x0 + c;
    float4 upper = __ldcs((const float4 *)from);
    float4 lower = __ldcs((const float4 *)(from + (size_t)(LARGE / 2) * N));
    float *to = tile + c * LARGE + (r ^ group * 4);
    to[0 * LARGE] = upper.x;
    to[1 * LARGE] = upper.y;
    to[2 * LARGE] = upper.z;
    to[3 * LARGE] = upper.w;
    to[0 * LARGE + LARGE / 2] = lower.x;
    to[1 * LARGE + LARGE / 2] = lower.y;
    to[2 * LARGE + LARGE / 2] = lower.z;
    to[3 * LARGE + LARGE / 2] = lower.w;
    __syncthreads();
    int q = threadIdx.x % 16 * 4;
#pragma unroll
    for (int y = threadIdx.x / 16; y < LARGE; y += BLOCK / 16)
        __stcs((float4 *)(out + (size_t)(x0 + y) * M + y0 + q),
               *(const float4 *)(tile + y * LARGE + (q ^ y / 4 % 8 * 4)));
}
