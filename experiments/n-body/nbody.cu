// Accelerations of N bodies (x, y, z, mass), each pulled by all:
//   simple_forces   one thread per body, the others from memory
//   tiled_forces    256 bodies at a time in shared memory
//   wide_forces     the same, BODIES bodies a thread: each body loaded pulls all of them
//   mutual_forces   each pair once: a block has SPAN bodies in registers and SPAN others in shared memory, which go round the
//                   lanes with what pulls them; TWICE: they stand twice there, so that going round costs no instruction
// SPDX-License-Identifier: Apache-2.0
#ifndef BODIES
#define BODIES 2
#endif
#ifndef APPROXIMATE
#define APPROXIMATE 0
#endif
#ifndef FUSED // the softening is the first addend of the square, no addition of its own
#define FUSED 0
#endif
#ifndef THREADS // of mutual_forces, and loaded bodies in a row in its loop
#define THREADS 128
#endif
#ifndef UNROLL
#define UNROLL 2
#endif
#ifndef TWICE
#define TWICE 0
#endif
#define SOFTENING 1.0e-4f
enum { TILE = 256 };

static __device__ __forceinline__ float inverse_root(float x)
{
#if APPROXIMATE && defined(__AMDGCN__)
    return __builtin_amdgcn_rsqf(x);
#elif APPROXIMATE
    float r;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
    return r;
#else
    return 1.0f / sqrtf(x);
#endif
}

static __device__ __forceinline__ void pull(float4 *sum, float4 at, float4 by)
{
    float x = by.x - at.x, y = by.y - at.y, z = by.z - at.z;
    float square = FUSED ? fmaf(z, z, fmaf(y, y, fmaf(x, x, SOFTENING))) : x * x + y * y + z * z + SOFTENING;
    float r = inverse_root(square), s = by.w * r * r * r;
    sum->x += x * s;
    sum->y += y * s;
    sum->z += z * s;
}

extern "C" __global__ void simple_forces(float4 *out, const float4 *bodies, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N)
        return;
    float4 at = bodies[i], sum = make_float4(0, 0, 0, 0);
    for (int k = 0; k < N; k++)
        pull(&sum, at, bodies[k]);
    out[i] = sum;
}

extern "C" __global__ void __launch_bounds__(TILE) tiled_forces(float4 *out, const float4 *bodies, int N)
{
    __shared__ float4 tile[TILE];
    int i = blockIdx.x * TILE + threadIdx.x;
    float4 at = bodies[min(i, N - 1)], sum = make_float4(0, 0, 0, 0);
    for (int k = 0; k < N; k += TILE) {
        int from = k + threadIdx.x;
        tile[threadIdx.x] = from < N ? bodies[from] : make_float4(0, 0, 0, 0); // no mass pulls nothing
        __syncthreads();
#pragma unroll 8
        for (int j = 0; j < TILE; j++)
            pull(&sum, at, tile[j]);
        __syncthreads();
    }
    if (i < N)
        out[i] = sum;
}

extern "C" __global__ void __launch_bounds__(TILE) wide_forces(float4 *out, const float4 *bodies, int N)
{
    __shared__ float4 tile[TILE];
    int first = blockIdx.x * TILE * BODIES + threadIdx.x;
    float4 at[BODIES], sum[BODIES];
#pragma unroll
    for (int b = 0; b < BODIES; b++) {
        at[b] = bodies[min(first + b * TILE, N - 1)];
        sum[b] = make_float4(0, 0, 0, 0);
    }
    for (int k = 0; k < N; k += TILE) {
        int from = k + threadIdx.x;
        tile[threadIdx.x] = from < N ? bodies[from] : make_float4(0, 0, 0, 0);
        __syncthreads();
#pragma unroll 4
        for (int j = 0; j < TILE; j++) {
            float4 by = tile[j];
#pragma unroll
            for (int b = 0; b < BODIES; b++)
                pull(&sum[b], at[b], by);
        }
        __syncthreads();
    }
#pragma unroll
    for (int b = 0; b < BODIES; b++)
        if (first + b * TILE < N)
            out[first + b * TILE] = sum[b];
}

// As pull, and what pulls back, which is the same force the other way: back's sign is turned at the end.
static __device__ __forceinline__ void pull_both(float4 *sum, float4 *back, float4 at, float4 by)
{
    float x = by.x - at.x, y = by.y - at.y, z = by.z - at.z;
    float r = inverse_root(fmaf(z, z, fmaf(y, y, fmaf(x, x, SOFTENING))));
    float cube = r * r * r, s = by.w * cube, t = at.w * cube;
    sum->x += x * s;
    sum->y += y * s;
    sum->z += z * s;
    back->x += x * t;
    back->y += y * t;
    back->z += z * t;
}

static __device__ __forceinline__ void add_to(float4 *out, float4 sum)
{
    atomicAdd(&out->x, sum.x);
    atomicAdd(&out->y, sum.y);
    atomicAdd(&out->z, sum.z);
}

// Row y of the grid has the spans that are y apart, as on a ring; where their count is even, half of the last row would have
// the others' pairs again. Row 0 is each span with itself, all pairs of it both ways. `out` is 0 before.
enum { SPAN = THREADS * BODIES, LANES = 32, ROOM = LANES * (1 + TWICE), TURNS = UNROLL };
enum { BLOCKS = 640 / THREADS }; // of an SM: 96 registers a thread

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) mutual_forces(float4 *out, const float4 *bodies, int N)
{
    __shared__ float4 others[SPAN / LANES][ROOM];
    int spans = gridDim.x, apart = blockIdx.y, mine = blockIdx.x * SPAN;
    int theirs = (blockIdx.x + apart) % spans * SPAN, lane = threadIdx.x % LANES;
    if (2 * apart == spans && mine > theirs)
        return;
    float4 at[BODIES], sum[BODIES];
#pragma unroll
    for (int b = 0; b < BODIES; b++) {
        int i = b * THREADS + threadIdx.x;
        float4 by = theirs + i < N ? bodies[theirs + i] : make_float4(0, 0, 0, 0);
        at[b] = mine + i < N ? bodies[mine + i] : make_float4(0, 0, 0, 0); // no mass pulls nothing
        sum[b] = make_float4(0, 0, 0, 0);
#pragma unroll
        for (int again = lane; again < ROOM; again += LANES)
            others[i / LANES][again] = by;
    }
    __syncthreads();
    if (apart == 0) {
        for (int from = 0; from < SPAN; from += LANES)
#pragma unroll TURNS
            for (int j = 0; j < LANES; j++) {
                float4 by = others[from / LANES][j];
#pragma unroll
                for (int b = 0; b < BODIES; b++)
                    pull(&sum[b], at[b], by);
            }
    }
    for (int from = 0; from < SPAN && apart > 0; from += LANES) {
        float4 back = make_float4(0, 0, 0, 0);
#pragma unroll TURNS
        for (int step = 0; step < LANES; step++) {
            float4 by = others[from / LANES][TWICE ? lane + step : (lane + step) % LANES];
#pragma unroll
            for (int b = 0; b < BODIES; b++)
                pull_both(&sum[b], &back, at[b], by);
            back.x = __shfl_sync(~0u, back.x, (lane + 1) % LANES, LANES);
            back.y = __shfl_sync(~0u, back.y, (lane + 1) % LANES, LANES);
            back.z = __shfl_sync(~0u, back.z, (lane + 1) % LANES, LANES);
        }
        if (theirs + from + lane < N)
            add_to(&out[theirs + from + lane], make_float4(-back.x, -back.y, -back.z, 0));
    }
#pragma unroll
    for (int b = 0; b < BODIES; b++)
        if (mine + b * THREADS + threadIdx.x < N)
            add_to(&out[mine + b * THREADS + threadIdx.x], sum[b]);
}
