// out = a * centre + b * (the four neighbours), zeros outside of an M x N grid.
//   naive_stencil   a thread a point, all from global memory
//   shared_stencil  a tile of 32 x 8 with its halo in shared memory
//   column_stencil  a thread walks down ROWS rows with three of them in registers
//   wide_stencil    four columns of ROWS rows a thread, all loads at once; what lies to the sides comes from
//                   the lanes beside. N must be a multiple of 4
// SPDX-License-Identifier: Apache-2.0
#ifndef ROWS
#define ROWS 4
#endif
#define ALL 0xffffffffu
#define WARP 32
#define TX 32
#define TY 8

static __device__ float point(const float *in, int x, int y, int M, int N)
{
    return x >= 0 && x < N && y >= 0 && y < M ? in[(size_t)y * N + x] : 0;
}

extern "C" __global__ void naive_stencil(float *out, const float *in, int M, int N, float a, float b)
{
    int x = blockIdx.x * TX + threadIdx.x, y = blockIdx.y * TY + threadIdx.y;
    if (x < N && y < M)
        out[(size_t)y * N + x] =
            a * point(in, x, y, M, N) + b * ((point(in, x, y - 1, M, N) + point(in, x, y + 1, M, N)) +
                                             (point(in, x - 1, y, M, N) + point(in, x + 1, y, M, N)));
}

extern "C" __global__ void shared_stencil(float *out, const float *in, int M, int N, float a, float b)
{
    __shared__ float tile[TY + 2][TX + 2];
    int x0 = blockIdx.x * TX - 1, y0 = blockIdx.y * TY - 1;
    for (int i = threadIdx.y * TX + threadIdx.x; i < (TY + 2) * (TX + 2); i += TX * TY)
        tile[i / (TX + 2)][i % (TX + 2)] = point(in, x0 + i % (TX + 2), y0 + i / (TX + 2), M, N);
    __syncthreads();
    int x = threadIdx.x + 1, y = threadIdx.y + 1;
    if (x0 + x < N && y0 + y < M)
        out[(size_t)(y0 + y) * N + x0 + x] =
            a * tile[y][x] +
            b * ((tile[y - 1][x] + tile[y + 1][x]) + (tile[y][x - 1] + tile[y][x + 1]));
}

extern "C" __global__ void column_stencil(float *out, const float *in, int M, int N, float a, float b)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * ROWS;
    if (x >= N)
        return;
    float up = point(in, x, y - 1, M, N), centre = point(in, x, y, M, N);
    for (int r = y; r < y + ROWS && r < M; r++) {
        float down = point(in, x, r + 1, M, N);
        out[(size_t)r * N + x] =
            a * centre + b * ((up + down) + (point(in, x - 1, r, M, N) + point(in, x + 1, r, M, N)));
        up = centre;
        centre = down;
    }
}

extern "C" __global__ void wide_stencil(float *out, const float *in, int M, int N, float a, float b)
{
    int x = (blockIdx.x * blockDim.x + threadIdx.x) * 4, y = blockIdx.y * ROWS;
    int lane = threadIdx.x % WARP;
    bool inside = x < N;
    float4 row[ROWS + 2];
    float left[ROWS], right[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS + 2; r++) {
        int at = y + r - 1;
        row[r] = inside && at >= 0 && at < M ? *(const float4 *)(in + (size_t)at * N + x)
                                             : make_float4(0, 0, 0, 0);
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++) { // beside the warp's columns
        left[r] = lane == 0 && inside ? point(in, x - 1, y + r, M, N) : 0;
        right[r] = lane == WARP - 1 && inside ? point(in, x + 4, y + r, M, N) : 0;
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        float4 u = row[r], c = row[r + 1], d = row[r + 2], o;
        float before = __shfl_up_sync(ALL, c.w, 1), after = __shfl_down_sync(ALL, c.x, 1);
        if (lane == 0)
            before = left[r];
        if (lane == WARP - 1)
            after = right[r];
        o.x = a * c.x + b * ((u.x + d.x) + (before + c.y));
        o.y = a * c.y + b * ((u.y + d.y) + (c.x + c.z));
        o.z = a * c.z + b * ((u.z + d.z) + (c.y + c.w));
        o.w = a * c.w + b * ((u.w + d.w) + (c.z + after));
        if (inside && y + r < M)
            *(float4 *)(out + (size_t)(y + r) * N + x) = o;
    }
}
