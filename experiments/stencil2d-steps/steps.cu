// STEPS steps of out = a * centre + b * (the four neighbours), zeros outside of an M x N grid at each of them.
//   tile_steps    a tile with a halo of STEPS points in shared memory; each step leaves one point less of the halo
//   strip_steps   a warp walks down a strip of columns, four a lane: as a row arrives, each step takes its next row from the
//                 three that it has of the step before, all in registers. A lane on either side is halo. N % 4 must be 0
// SPDX-License-Identifier: Apache-2.0
#ifndef STEPS
#define STEPS 4 // at most 4
#endif
#ifndef ROWS
#define ROWS 64 // of a strip
#endif
#ifndef FLIGHT
#define FLIGHT 4 // rows on their way at once
#endif
#define ALL 0xffffffffu
#define WARP 32
#define TX 64
#define TY 32

extern "C" __global__ void tile_steps(float *out, const float *in, int M, int N, float a, float b)
{
    __shared__ float tile[2][TY + 2 * STEPS][TX + 2 * STEPS];
    int x0 = blockIdx.x * TX - STEPS, y0 = blockIdx.y * TY - STEPS;
    auto inside = [=](int x, int y) { return x0 + x >= 0 && x0 + x < N && y0 + y >= 0 && y0 + y < M; };
    for (int i = threadIdx.x; i < (TY + 2 * STEPS) * (TX + 2 * STEPS); i += blockDim.x) {
        int x = i % (TX + 2 * STEPS), y = i / (TX + 2 * STEPS);
        tile[0][y][x] = inside(x, y) ? in[(size_t)(y0 + y) * N + x0 + x] : 0;
    }
#pragma unroll
    for (int s = 1; s <= STEPS; s++) {
        const auto &from = tile[(s + 1) % 2];
        int width = TX + 2 * (STEPS - s), points = width * (TY + 2 * (STEPS - s));
        __syncthreads();
        for (int i = threadIdx.x; i < points; i += blockDim.x) {
            int x = s + i % width, y = s + i / width;
            float v = a * from[y][x] + b * ((from[y - 1][x] + from[y + 1][x]) + (from[y][x - 1] + from[y][x + 1]));
            if (s < STEPS)
                tile[s % 2][y][x] = inside(x, y) ? v : 0;
            else if (inside(x, y))
                out[(size_t)(y0 + y) * N + x0 + x] = v;
        }
    }
}

// A lane's four columns of a row one step on; what lies to the sides comes from the lanes beside.
static __device__ float4 step_row(float4 u, float4 c, float4 d, float a, float b)
{
    float before = __shfl_up_sync(ALL, c.w, 1), after = __shfl_down_sync(ALL, c.x, 1);
    return make_float4(a * c.x + b * ((u.x + d.x) + (before + c.y)), a * c.y + b * ((u.y + d.y) + (c.x + c.z)),
                       a * c.z + b * ((u.z + d.z) + (c.y + c.w)), a * c.w + b * ((u.w + d.w) + (c.z + after)));
}

extern "C" __global__ void strip_steps(float *out, const float *in, int M, int N, float a, float b)
{
    int lane = threadIdx.x % WARP, strip = (blockIdx.x * blockDim.x + threadIdx.x) / WARP;
    int x = (strip * (WARP - 2) + lane - 1) * 4, y = blockIdx.y * ROWS;
    bool inside = x >= 0 && x < N, mine = inside && lane > 0 && lane < WARP - 1;
    float4 zero = make_float4(0, 0, 0, 0), up[STEPS], centre[STEPS]; // of what each step reads
#pragma unroll
    for (int s = 0; s < STEPS; s++)
        up[s] = centre[s] = zero;
    for (int first = y - STEPS; first < min(y + ROWS, M) + STEPS; first += FLIGHT) {
        float4 rows[FLIGHT];
#pragma unroll
        for (int f = 0; f < FLIGHT; f++) {
            int r = first + f;
            rows[f] = inside && r >= 0 && r < M && r < y + ROWS + STEPS ? *(const float4 *)(in + (size_t)r * N + x) : zero;
        }
#pragma unroll
        for (int f = 0; f < FLIGHT; f++) {
            float4 down = rows[f];
            int r = first + f;
#pragma unroll
            for (int s = 0; s < STEPS; s++) {
                float4 next = step_row(up[s], centre[s], down, a, b);
                up[s] = centre[s];
                centre[s] = down;
                r--;
                down = inside && r >= 0 && r < M ? next : zero;
            }
            if (mine && r >= y && r < min(y + ROWS, M))
                __stcs((float4 *)(out + (size_t)r * N + x), down);
        }
    }
}
