// Pairs of kernels: NAME has the cause of that name (src/diagnose/causes.def, - as _), NAME_not does as much without.
// SPDX-License-Identifier: Apache-2.0
#define ARGS float *y, const float *x, int N
#define I (int)(blockIdx.x * blockDim.x + threadIdx.x)
#define THREADS (int)(gridDim.x * blockDim.x)
extern "C" {

// launch: N/256 256
__global__ void uncoalesced(ARGS)
{
    int i = I;
    y[i] = 2 * x[(i % 32) * (N / 32) + i / 32];
}
// launch: N/256 256
__global__ void uncoalesced_not(ARGS)
{
    y[I] = 2 * x[I];
}

// launch: N/1024 256
__global__ void conflicts(ARGS)
{
    __shared__ float tile[32 * 32];
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    for (int k = 0; k < 4; k++)
        tile[(warp + 8 * k) * 32 + lane] = x[blockIdx.x * 1024 + k * 256 + t];
    __syncthreads();
    for (int k = 0; k < 4; k++)
        y[blockIdx.x * 1024 + k * 256 + t] = tile[lane * 32 + warp + 8 * k];
}
// launch: N/1024 256
__global__ void conflicts_not(ARGS)
{
    __shared__ float tile[32 * 33];
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    for (int k = 0; k < 4; k++)
        tile[(warp + 8 * k) * 33 + lane] = x[blockIdx.x * 1024 + k * 256 + t];
    __syncthreads();
    for (int k = 0; k < 4; k++)
        y[blockIdx.x * 1024 + k * 256 + t] = tile[lane * 33 + warp + 8 * k];
}

// launch: N/256 256
__global__ void divergence(ARGS)
{
    int i = I;
    float v = x[i];
    if (i % 4 == 0)
        for (int k = 0; k < 512; k++)
            v = v * 0.5f + 0.25f;
    y[i] = v;
}
// launch: N/256 256
__global__ void divergence_not(ARGS)
{
    int i = I;
    float v = x[i];
    if (i / 256 % 4 == 0)
        for (int k = 0; k < 512; k++)
            v = v * 0.5f + 0.25f;
    y[i] = v;
}

// launch: N/256 256
__global__ void f64(ARGS)
{
    float v = x[I];
    for (int k = 0; k < 16; k++)
        v = v * 0.5 + v * v * 0.25;
    y[I] = v;
}
// launch: N/256 256
__global__ void f64_not(ARGS)
{
    float v = x[I];
    for (int k = 0; k < 16; k++)
        v = v * 0.5f + v * v * 0.25f;
    y[I] = v;
}

// launch: N/256 256 100000
__global__ void occupancy(ARGS)
{
    extern __shared__ float room[];
    room[threadIdx.x] = x[I];
    y[I] = room[threadIdx.x];
}
// launch: N/256 256 1024
__global__ void occupancy_not(ARGS)
{
    extern __shared__ float room[];
    room[threadIdx.x] = x[I];
    y[I] = room[threadIdx.x];
}

// launch: N/1024 1024
__global__ void barrier(ARGS)
{
    __shared__ float sum[1024];
    int t = threadIdx.x;
    sum[t] = x[I];
    for (int d = 512; d > 0; d /= 2) {
        __syncthreads();
        if (t < d)
            sum[t] += sum[t + d];
    }
    if (t == 0)
        y[blockIdx.x] = sum[0];
}
// launch: N/1024 1024
__global__ void barrier_not(ARGS)
{
    float v = x[I];
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_xor_sync(0xffffffff, v, d);
    if (threadIdx.x % 32 == 0)
        y[I / 32] = v;
}

// launch: 132 128
__global__ void chain(ARGS)
{
    float v = x[I];
#pragma unroll 16
    for (int k = 0; k < 4096; k++)
        v = v * 0.5f + 0.25f;
    y[I] = v;
}
// launch: 132 128
__global__ void chain_not(ARGS)
{
    float v[8];
    for (int j = 0; j < 8; j++)
        v[j] = x[I] + j;
#pragma unroll 4
    for (int k = 0; k < 512; k++)
        for (int j = 0; j < 8; j++)
            v[j] = v[j] * 0.5f + 0.25f;
    y[I] = v[0] + v[1] + v[2] + v[3] + v[4] + v[5] + v[6] + v[7];
}

// launch: 264 256
__global__ void few_loads(ARGS)
{
    float sum = 0;
#pragma unroll 1
    for (int i = I; i < N; i += THREADS)
        sum += x[i];
    y[I] = sum;
}
// launch: 264 256
__global__ void few_loads_not(ARGS)
{
    float sum = 0;
    for (int i = I; i + 7 * THREADS < N; i += 8 * THREADS)
#pragma unroll
        for (int k = 0; k < 8; k++)
            sum += x[i + k * THREADS];
    y[I] = sum;
}

// A tile of 4 KiB by bulk copy after the other, STAGES of them in shared memory.
#define SHARED(p) (unsigned)__cvta_generic_to_shared(p)
#define BULK(STAGES)                                                                              \
    alignas(128) __shared__ float tile[STAGES][1024];                                             \
    alignas(8) __shared__ unsigned long long full[STAGES];                                        \
    enum { TILES = 16 };                                                                          \
    int t = threadIdx.x;                                                                          \
    float sum = 0;                                                                                \
    if (t == 0)                                                                                   \
        for (int s = 0; s < STAGES; s++)                                                          \
            asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(SHARED(&full[s])) : "memory"); \
    __syncthreads();                                                                              \
    for (int k = 1 - STAGES; k < TILES; k++) {                                                    \
        int next = k + STAGES - 1, s = next % STAGES;                                             \
        if (t == 0 && next < TILES) {                                                             \
            asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 4096;" ::"r"(             \
                             SHARED(&full[s]))                                                    \
                         : "memory");                                                             \
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "     \
                         "[%0], [%1], 4096, [%2];" ::"r"(SHARED(tile[s])),                        \
                         "l"(x + (blockIdx.x * TILES + next) * 1024 % N), "r"(SHARED(&full[s]))   \
                         : "memory");                                                             \
        }                                                                                         \
        if (k < 0)                                                                                \
            continue;                                                                             \
        unsigned done = 0;                                                                        \
        while (!done)                                                                             \
            asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; "      \
                         "selp.b32 %0, 1, 0, p; }"                                                \
                         : "=r"(done)                                                             \
                         : "r"(SHARED(&full[k % STAGES])), "r"(k / STAGES % 2)                    \
                         : "memory");                                                             \
        for (int e = t; e < 1024; e += 256)                                                       \
            sum += tile[k % STAGES][e];                                                           \
        __syncthreads();                                                                          \
    }                                                                                             \
    y[I] = sum

// launch: 264 256
__global__ void no_overlap(ARGS)
{
    BULK(1);
}
// launch: 264 256
__global__ void no_overlap_not(ARGS)
{
    BULK(8);
}

// Arithmetic that takes longer than a load of device memory.
#define GROWN()                                                                                  \
    float v = tile[(threadIdx.x + 1) % 512], a = v, b = v + 1, c = v + 2, d = v + 3;              \
    _Pragma("unroll") for (int r = 0; r < 48; r++)                                               \
    {                                                                                            \
        a = a * v + 0.1f;                                                                         \
        b = b * v + 0.1f;                                                                         \
        c = c * v + 0.1f;                                                                         \
        d = d * v + 0.1f;                                                                         \
    }                                                                                             \
    sum += a + b + c + d
// launch: 132 512
__global__ void no_overlap__loads(ARGS)
{
    __shared__ float tile[512];
    float sum = 0;
    for (int k = 0; k < 12; k++) {
        tile[threadIdx.x] = x[(k * 132 + blockIdx.x) * 512 % N + threadIdx.x];
        __syncthreads();
        GROWN();
        __syncthreads();
    }
    y[I] = sum;
}
// launch: 132 512
__global__ void no_overlap__loads_not(ARGS)
{
    __shared__ float tile[512];
    float sum = 0, next = x[blockIdx.x * 512 + threadIdx.x];
    for (int k = 0; k < 12; k++) {
        tile[threadIdx.x] = next;
        __syncthreads();
        if (k < 11)
            next = x[((k + 1) * 132 + blockIdx.x) * 512 % N + threadIdx.x];
        GROWN();
        __syncthreads();
    }
    y[I] = sum;
}

// launch: N/64 256
__global__ void narrow(ARGS)
{
    ((char *)y)[I] = ((const char *)x)[I];
}
// launch: N/1024 256
__global__ void narrow_not(ARGS)
{
    ((float4 *)y)[I] = ((const float4 *)x)[I];
}

// launch: N/2048 256
__global__ void read_again(ARGS)
{
    volatile const float *row = x + blockIdx.x * 2048;
    float sum = 0;
#pragma unroll 1
    for (int pass = 0; pass < 4; pass++)
#pragma unroll
        for (int k = 0; k < 8; k++)
            sum += row[k * 256 + threadIdx.x] * sum;
    y[I] = sum;
}
// launch: N/2048 256
__global__ void read_again_not(ARGS)
{
    const float *row = x + blockIdx.x * 2048;
    float sum = 0, v[8];
#pragma unroll
    for (int k = 0; k < 8; k++)
        v[k] = row[k * 256 + threadIdx.x];
#pragma unroll 1
    for (int pass = 0; pass < 4; pass++)
#pragma unroll
        for (int k = 0; k < 8; k++)
            sum += v[k] * sum;
    y[I] = sum;
}

// launch: N/256 256
__global__ void block_reuse(ARGS) // the rows of the blocks on an SM are more than its L1 holds
{
    const float *from = x + blockIdx.x % 32 * 8192 + threadIdx.x % 32;
    float sum = 0;
#pragma unroll 8
    for (int k = 0; k < 8192; k += 32)
        sum += from[(k + threadIdx.x / 32 * 1024) % 8192] * k;
    y[I] = sum;
}
// launch: N/256 256
__global__ void block_reuse_not(ARGS)
{
    __shared__ float tile[8192];
    for (int k = 0; k < 8192; k += 256)
        tile[threadIdx.x + k] = x[blockIdx.x % 32 * 8192 + threadIdx.x + k];
    __syncthreads();
    float sum = 0;
#pragma unroll 8
    for (int k = 0; k < 8192; k += 32)
        sum += tile[threadIdx.x % 32 + (k + threadIdx.x / 32 * 1024) % 8192] * k;
    y[I] = sum;
}

// launch: N/256 256
__global__ void register_reuse(ARGS)
{
    __shared__ float tile[512];
    tile[threadIdx.x] = tile[threadIdx.x + 256] = x[I];
    __syncthreads();
    const float *mine = tile + threadIdx.x; // one address: with one each, integers set the pace
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 128; k++)
        sum += mine[k] * mine[128 + k];
    y[I] = sum;
}
// launch: N/256 256
__global__ void register_reuse_not(ARGS)
{
    __shared__ float tile[512];
    tile[threadIdx.x] = tile[threadIdx.x + 256] = x[I];
    __syncthreads();
    const float *mine = tile + threadIdx.x; // one address: with one each, integers set the pace
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 8; k++) {
        float a = mine[k], b = mine[128 + k];
#pragma unroll
        for (int j = 0; j < 16; j++)
            sum += a * (b + j);
    }
    y[I] = sum;
}

// launch: N/256 256
__global__ void global_atomics(ARGS)
{
    atomicAdd(&y[I % 4], x[I]);
}
// launch: N/256 256
__global__ void global_atomics_not(ARGS)
{
    y[I] = x[I];
}

// launch: 528 256
__global__ void shared_atomics(ARGS)
{
    __shared__ float count[256];
    float v = x[I];
    count[threadIdx.x] = 0;
    __syncthreads();
    for (int k = 0; k < 64; k++)
        atomicAdd(&count[k], v);
    __syncthreads();
    y[I] = count[threadIdx.x];
}
// launch: 528 256
__global__ void shared_atomics_not(ARGS)
{
    __shared__ float count[256];
    float v = x[I];
    count[threadIdx.x] = 0;
    __syncthreads();
    for (int k = 0; k < 64; k++)
        atomicAdd(&count[(threadIdx.x + k) % 256], v);
    __syncthreads();
    y[I] = count[threadIdx.x];
}

// launch: N/256 256
__global__ void special(ARGS)
{
    float v = x[I];
    for (int k = 1; k < 32; k++)
        v = __fdiv_rn(v, __fsqrt_rn(v + k));
    y[I] = v;
}
// launch: N/256 256
__global__ void special_not(ARGS)
{
    float v = x[I];
    for (int k = 1; k < 32; k++)
        v = v * (v + k);
    y[I] = v;
}

// launch: N/256 256
__global__ void division(ARGS)
{
    int v = I, d = N / 1000;
    for (int k = 0; k < 16; k++)
        v = v / (d - k) + v;
    y[I] = v;
}
// launch: N/256 256
__global__ void division_not(ARGS)
{
    int v = I;
    for (int k = 0; k < 16; k++)
        v = v / 4 + v;
    y[I] = v;
}

// launch: N/256 256
__global__ void overhead(ARGS)
{
    float v = x[I];
#pragma unroll 1
    for (int k = 0; k < 512; k++)
        v = v * 0.5f + 0.25f;
    y[I] = v;
}
// launch: N/256 256
__global__ void overhead_not(ARGS)
{
    float v = x[I];
#pragma unroll 64
    for (int k = 0; k < 512; k++)
        v = v * 0.5f + 0.25f;
    y[I] = v;
}

// launch: N/256 256
__global__ void uniform(ARGS)
{
    float v = x[I];
#pragma unroll 8
    for (int k = 0; k < 128; k++)
        v += x[k] * v;
    y[I] = v;
}
// launch: N/256 256
__global__ void uniform_not(ARGS)
{
    float v = x[I];
#pragma unroll 8
    for (int k = 0; k < 128; k++)
        v += 0.5f * v;
    y[I] = v;
}

// launch: 16 256
__global__ void small_grid(ARGS)
{
    float sum = 0;
    for (int i = I; i < N; i += THREADS)
        sum += x[i] * x[i];
    y[I] = sum;
}
// launch: N/256 256
__global__ void small_grid_not(ARGS)
{
    float sum = 0;
    for (int i = I; i < N; i += THREADS)
        sum += x[i] * x[i];
    y[I] = sum;
}

// launch: N/256 256
__global__ void unequal_work(ARGS)
{
    float v = x[I];
    int steps = threadIdx.x / 32 == 0 ? 1024 : 16;
    for (int k = 0; k < steps; k++)
        v = v * 0.5f + 0.25f;
    y[I] = v;
}
// launch: N/256 256
__global__ void unequal_work_not(ARGS)
{
    float v = x[I];
    for (int k = 0; k < 142; k++)
        v = v * 0.5f + 0.25f;
    y[I] = v;
}

// launch: N/256 256
__global__ void local_memory(ARGS)
{
    float keep[16];
    int i = I;
    for (int k = 0; k < 16; k++)
        keep[(i + k) % 16] = x[(i + k * 256) % N];
    float sum = 0;
    for (int k = 0; k < 16; k++)
        sum += keep[(i * k) % 16];
    y[i] = sum;
}
// launch: N/256 256
__global__ void local_memory_not(ARGS)
{
    int i = I;
    float sum = 0;
    for (int k = 0; k < 16; k++)
        sum += x[(i + k * 256) % N];
    y[i] = sum;
}

// A tree of one element per thread ends in one atomic per block: there is nothing to combine, there are few loads.
// launch: N/256 256
__global__ void few_loads__tree(ARGS)
{
    __shared__ float sum[256];
    int t = threadIdx.x;
    sum[t] = x[I];
    for (int d = 128; d > 0; d /= 2) {
        __syncthreads();
        if (t < d)
            sum[t] += sum[t + d];
    }
    if (t == 0)
        atomicAdd(y, sum[0]);
}
// launch: N/2048 256
__global__ void few_loads__tree_not(ARGS)
{
    __shared__ float sum[256];
    int t = threadIdx.x;
    const float *from = x + blockIdx.x * 2048 + t;
    float v = 0;
#pragma unroll
    for (int k = 0; k < 8; k++)
        v += from[k * 256];
    sum[t] = v;
    for (int d = 128; d > 0; d /= 2) {
        __syncthreads();
        if (t < d)
            sum[t] += sum[t + d];
    }
    if (t == 0)
        atomicAdd(y, sum[0]);
}

// The same loads, read again by the block: what goes away is not waited for, so that reuse comes first.
// launch: 264 256
__global__ void block_reuse__few(ARGS)
{
    const volatile float *from = x + blockIdx.x % 64 * 1024 + threadIdx.x % 32;
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < 1024; k += 32)
        sum += from[k] * k;
    y[I] = sum;
}
// launch: 264 256
__global__ void block_reuse__few_not(ARGS)
{
    __shared__ float tile[1024];
    for (int k = 0; k < 1024; k += 256)
        tile[threadIdx.x + k] = x[blockIdx.x % 64 * 1024 + threadIdx.x + k];
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 1024; k += 32)
        sum += tile[threadIdx.x % 32 + k] * k;
    y[I] = sum;
}

// launch: N/256 256
__global__ void half_scalar(ARGS)
{
    unsigned short v[4];
    for (int j = 0; j < 4; j++)
        v[j] = (unsigned short)(threadIdx.x + j);
#pragma unroll 8
    for (int k = 0; k < 256; k++)
        for (int j = 0; j < 4; j++)
            asm("fma.rn.f16 %0, %0, %0, %0;" : "+h"(v[j]));
    y[I] = x[I] + v[0] + v[1] + v[2] + v[3];
}
// launch: N/256 256
__global__ void half_scalar_not(ARGS)
{
    unsigned v[2];
    for (int j = 0; j < 2; j++)
        v[j] = threadIdx.x + j;
#pragma unroll 8
    for (int k = 0; k < 256; k++)
        for (int j = 0; j < 2; j++)
            asm("fma.rn.f16x2 %0, %0, %0, %0;" : "+r"(v[j]));
    y[I] = x[I] + v[0] + v[1];
}

// A tile that all of the block load, and sums of it: blocks may share the sums out.
// launch: 16 128
__global__ void small_grid__split(ARGS)
{
    __shared__ float tile[128];
    float sum = 0;
    for (int k = 0; k < 64; k++) {
        tile[threadIdx.x] = x[k * 128 + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < 128; j++)
            sum += tile[j] * (threadIdx.x + j);
        __syncthreads();
    }
    y[I] = sum;
}
// launch: 528 128
__global__ void small_grid__split_not(ARGS)
{
    __shared__ float tile[128];
    float sum = 0;
    for (int k = 0; k < 2; k++) {
        tile[threadIdx.x] = x[k * 128 + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < 128; j++)
            sum += tile[j] * (threadIdx.x + j);
        __syncthreads();
    }
    y[I] = sum;
}

// A row for each thread, and a column that all lanes read a word of: the indices are the wrong way round.
// launch: 8 256
__global__ void uncoalesced__swapped(ARGS)
{
    int row = threadIdx.x, column = blockIdx.x;
    float sum = 0;
    for (int k = 0; k < 128; k++)
        sum += x[row * 128 + k] * x[k * 256 + column];
    y[row * 256 + column] = sum;
}
// launch: 8 256
__global__ void uncoalesced__swapped_not(ARGS)
{
    int row = blockIdx.x, column = threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 128; k++)
        sum += x[row * 128 + k] * x[k * 256 + column];
    y[row * 256 + column] = sum;
}

// It looks at what others write: to keep that in a register would be wrong.
// launch: N/256 256
__global__ void read_again__polled(ARGS)
{
    float sum = 0, v;
#pragma unroll 1
    for (int k = 0; k < 64; k++) {
        asm volatile("ld.relaxed.gpu.global.f32 %0, [%1];" : "=f"(v) : "l"(x + I) : "memory");
        sum += v;
    }
    y[I] = sum;
}
}

// Each place comes of the load before, and all threads are on the chip at once: threads of several chains would be fewer.
// launch: 132 64
__global__ void few_loads__followed(ARGS)
{
    unsigned at = I;
#pragma unroll 4
    for (int k = 0; k < 24; k++)
        at = __float_as_uint(x[at]) & 0x3ffff;
    y[I] = (float)at;
}

// Quotients of f32 keep loads apart as those of f64 do: both have a way to a routine.
// launch: 264 128
__global__ void f64__quotients(ARGS)
{
    double sum = 0;
#pragma unroll 8
    for (int k = 0; k < 48; k++)
        sum += 1.0 / (x[(I + k * 33792) & 0x3ffff] + 1.0);
    y[I] = (float)(48.0 / sum);
}

// An index is loaded, and what it points at: one look-up of a thread under way, or eight.
// launch: 132 256
__global__ void few_loads__gather(ARGS)
{
    float sum = 0;
#pragma unroll 1
    for (int i = I; i < N; i += THREADS)
        sum += x[(int)(x[i] * (N - 1))];
    y[I] = sum;
}
// launch: 132 256
__global__ void few_loads__gather_not(ARGS)
{
    float sum = 0;
    for (int i = I; i + 3 * THREADS < N; i += 4 * THREADS) {
        float at[4];
#pragma unroll
        for (int k = 0; k < 4; k++)
            at[k] = x[i + k * THREADS];
#pragma unroll
        for (int k = 0; k < 4; k++)
            sum += x[(int)(at[k] * (N - 1))];
    }
    y[I] = sum;
}

// Blocks of one warp: an SM takes 32 of them, and has to start each.
// launch: N/32 32
__global__ void occupancy__small_blocks(ARGS)
{
    y[I] = 2 * x[I];
}
// launch: N/256 256
__global__ void occupancy__small_blocks_not(ARGS)
{
    y[I] = 2 * x[I];
}

// Halves from shared memory, whose accesses set the pace: two come by one load.
// launch: N/256 256
__global__ void half_scalar__shared(ARGS)
{
    __shared__ unsigned short tile[512];
    tile[threadIdx.x] = tile[threadIdx.x + 256] = (unsigned short)threadIdx.x;
    __syncthreads();
    unsigned short v = 0;
#pragma unroll 8
    for (int k = 0; k < 256; k++)
        asm("fma.rn.f16 %0, %1, %1, %0;" : "+h"(v) : "h"(*(volatile unsigned short *)&tile[k + threadIdx.x]));
    y[I] = x[I] + v;
}
// launch: N/256 256
__global__ void half_scalar__shared_not(ARGS)
{
    __shared__ unsigned tile[512];
    tile[threadIdx.x] = tile[threadIdx.x + 256] = threadIdx.x;
    __syncthreads();
    unsigned v = 0;
#pragma unroll 8
    for (int k = 0; k < 128; k++)
        asm("fma.rn.f16x2 %0, %1, %1, %0;" : "+r"(v) : "r"(*(volatile unsigned *)&tile[k + threadIdx.x]));
    y[I] = x[I] + v;
}

// Rows at looked-up places, unrolled: only their starts are where they are; a lane walks along each.
// launch: N/256 256
__global__ void uncoalesced__looked_up_rows(ARGS)
{
    const float *row = x + (size_t)((__float_as_uint(x[I]) * 2654435761u >> 8) % (N / 64)) * 64;
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 64; k++)
        sum += row[k] * k;
    y[I] = sum;
}
// launch: N/256 256
__global__ void uncoalesced__looked_up_rows_not(ARGS)
{
    int lane = threadIdx.x % 32, which = __shfl_sync(~0u, (__float_as_uint(x[I]) * 2654435761u >> 8) % (N / 64), 0);
    const float *row = x + (size_t)which * 64;
    y[I] = row[lane] + row[lane + 32];
}

// Sums that are brought to each new maximum, as online softmax has them: parts of them are combined, so that blocks may share.
// launch: 16 128
__global__ void small_grid__rescaled(ARGS)
{
    float most = -1e30f, sum = 0, weighted = 0;
    for (int k = threadIdx.x; k < N / 16; k += blockDim.x) {
        float v = x[blockIdx.x * (N / 16) + k], larger = fmaxf(most, v);
        float before = __expf(most - larger), now = __expf(v - larger);
        sum = sum * before + now;
        weighted = weighted * before + now * v;
        most = larger;
    }
    y[I] = weighted / sum;
}
// launch: 1056 128
__global__ void small_grid__rescaled_not(ARGS)
{
    float most = -1e30f, sum = 0, weighted = 0;
    for (int k = threadIdx.x; k < N / 128; k += blockDim.x) {
        float v = x[blockIdx.x % 128 * (N / 128) + k], larger = fmaxf(most, v);
        float before = __expf(most - larger), now = __expf(v - larger);
        sum = sum * before + now;
        weighted = weighted * before + now * v;
        most = larger;
    }
    y[I] = weighted / sum;
}

// Steps of a scan: what a thread stores the next reads. Shuffles hand it on without barriers.
// launch: N/256 256
__global__ void barrier__scan(ARGS)
{
    __shared__ float sums[2][256];
    int t = threadIdx.x, at = 0;
    sums[0][t] = x[I];
    __syncthreads();
    for (int d = 1; d < 256; d *= 2, at = !at) {
        sums[!at][t] = t >= d ? sums[at][t] + sums[at][t - d] : sums[at][t];
        __syncthreads();
    }
    y[I] = sums[at][t];
}
// launch: N/256 256
__global__ void barrier__scan_not(ARGS)
{
    float v = x[I];
    for (int d = 1; d < 32; d *= 2) {
        float before = __shfl_up_sync(0xffffffff, v, d);
        v += threadIdx.x % 32 >= d ? before : 0;
    }
    y[I] = v;
}

// A value of each lane beside constants that are looked up, in half: those are read once for two values.
__constant__ unsigned short codebook[128];
// launch: N/256 256
__global__ void half_scalar__constants(ARGS)
{
    unsigned short v = (unsigned short)threadIdx.x, sum = 0;
#pragma unroll 4
    for (int c = 0; c < 128; c++)
        asm("{ .reg .f16 d; sub.f16 d, %1, %2; fma.rn.f16 %0, d, d, %0; }" : "+h"(sum) : "h"(v), "h"(codebook[c]));
    y[I] = x[I] + sum;
}
// launch: N/256 256
__global__ void half_scalar__constants_not(ARGS)
{
    unsigned v = threadIdx.x, sum = 0;
#pragma unroll 4
    for (int c = 0; c < 64; c++)
        asm("{ .reg .f16x2 d; sub.f16x2 d, %1, %2; fma.rn.f16x2 %0, d, d, %0; }" : "+r"(sum) : "r"(v), "r"(codebook[c] * 65537u));
    y[I] = x[I] + sum;
}

// An array that is indexed, and letters of a byte that are loaded for each of its elements: wider loads leave as many accesses to it.
// launch: N/1024 128
__global__ void local_memory__letters(ARGS)
{
    const unsigned char *letter = (const unsigned char *)x + I;
    int row[33], n = N / 8192;
    for (int j = 0; j <= n; j++)
        row[j] = 0;
    for (int k = 0; k < n; k++) {
        int diagonal = 0, own = letter[k * 1024];
        for (int j = 1; j <= n; j++) {
            int above = row[j];
            row[j] = own == letter[j * 4096] ? diagonal + 1 : max(above, row[j - 1]);
            diagonal = above;
        }
    }
    y[I] = row[n];
}
// launch: N/1024 128
__global__ void local_memory__letters_not(ARGS)
{
    const unsigned char *letter = (const unsigned char *)x + I;
    int row[33], other[32];
#pragma unroll
    for (int j = 0; j < 33; j++)
        row[j] = 0;
#pragma unroll
    for (int j = 0; j < 32; j++)
        other[j] = letter[(j + 1) * 4096];
    for (int k = 0; k < 32; k++) {
        int diagonal = 0, own = letter[k * 1024];
#pragma unroll
        for (int j = 1; j < 33; j++) {
            int above = row[j];
            row[j] = own == other[j - 1] ? diagonal + 1 : max(above, row[j - 1]);
            diagonal = above;
        }
    }
    y[I] = row[32];
}
