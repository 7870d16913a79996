// Sums of rows, by groups of threads of every size, each with what that size has to talk by:
//   thread_sums    one thread a row
//   tile_sums      TILE lanes of a warp, by shuffles; TILE may be the warp's own size, whatever that is
//   warps_sums     WARPS warps, by shuffles and a named barrier
//   block_sums     a block, a tree in shared memory
//   cluster_sums   CLUSTER blocks, by each other's shared memory
//   grid_sums      all blocks of a cooperative launch: parts of rows, a barrier of the whole grid, sums of the parts
// SPDX-License-Identifier: Apache-2.0
#ifndef TILE
#define TILE warpSize
#endif
#ifndef WARPS
#define WARPS 4
#endif

extern "C" __global__ void thread_sums(float *out, const float *in, int rows, int columns)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int i = 0; row < rows && i < columns; i++)
        sum += in[(size_t)row * columns + i];
    if (row < rows)
        out[row] = sum;
}

static __device__ __forceinline__ float tile_sum(float sum, int size)
{
    for (int d = size / 2; d > 0; d /= 2)
#ifdef __AMDGCN__
        sum += __shfl_xor(sum, d, RIDGE_WAVE_SIZE);
#else
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
#endif
    return sum;
}

extern "C" __global__ void tile_sums(float *out, const float *in, int rows, int columns)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / TILE, lane = threadIdx.x % TILE;
    float sum = 0;
    for (int i = lane; row < rows && i < columns; i += TILE)
        sum += in[(size_t)row * columns + i];
    sum = tile_sum(sum, TILE);
    if (row < rows && lane == 0)
        out[row] = sum;
}

extern "C" __global__ void warps_sums(float *out, const float *in, int rows, int columns)
{
    __shared__ float sums[8];
    enum { THREADS = WARPS * 32 };
    int group = threadIdx.x / THREADS, row = blockIdx.x * (blockDim.x / THREADS) + group;
    float sum = 0;
    for (int i = threadIdx.x % THREADS; row < rows && i < columns; i += THREADS)
        sum += in[(size_t)row * columns + i];
    sum = tile_sum(sum, 32);
    if (threadIdx.x % 32 == 0)
        sums[threadIdx.x / 32] = sum;
    asm volatile("bar.sync %0, %1;" ::"r"(group + 1), "r"(THREADS) : "memory"); // this group's alone
    if (threadIdx.x % THREADS == 0 && row < rows) {
        for (int w = 1; w < WARPS; w++)
            sum += sums[group * WARPS + w];
        out[row] = sum;
    }
}

static __device__ __forceinline__ void block_sum(float *sums, float sum)
{
    sums[threadIdx.x] = sum;
    __syncthreads();
    for (int d = blockDim.x / 2; d > 0; d /= 2) {
        if (threadIdx.x < d)
            sums[threadIdx.x] += sums[threadIdx.x + d];
        __syncthreads();
    }
}

extern "C" __global__ void block_sums(float *out, const float *in, int rows, int columns)
{
    __shared__ float sums[256];
    int row = blockIdx.x;
    float sum = 0;
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        sum += in[(size_t)row * columns + i];
    block_sum(sums, sum);
    if (threadIdx.x == 0)
        out[row] = sums[0];
}

#ifdef CLUSTER // compute capability 9.0
// A cluster a row: each block its part of the columns, the parts' sums in the shared memory of the first block.
extern "C" __global__ void cluster_sums(float *out, const float *in, int rows, int columns)
{
    __shared__ float sums[256], parts[CLUSTER];
    unsigned rank, there;
    int row = blockIdx.x / CLUSTER;
    float sum = 0;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm volatile("barrier.cluster.arrive.aligned;" ::: "memory"); // this block is here
    for (int i = (int)rank * blockDim.x + threadIdx.x; row < rows && i < columns; i += CLUSTER * blockDim.x)
        sum += in[(size_t)row * columns + i];
    block_sum(sums, sum);
    asm volatile("barrier.cluster.wait.aligned;" ::: "memory"); // and so is the first
    if (threadIdx.x == 0) {
        asm volatile("mapa.shared::cluster.u32 %0, %1, 0;"
                     : "=r"(there)
                     : "r"((unsigned)__cvta_generic_to_shared(&parts[rank])));
        asm volatile("st.shared::cluster.f32 [%0], %1;" ::"r"(there), "f"(sums[0]) : "memory");
    }
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
    if (rank > 0 || threadIdx.x > 0 || row >= rows)
        return;
    sum = 0;
    for (int i = 0; i < CLUSTER; i++)
        sum += parts[i];
    out[row] = sum;
}
#endif

// The barrier of cooperative groups' this_grid().sync(), as it is without their header: the driver hands over a
// workspace, whose second word counts.
static __device__ void grid_barrier()
{
    unsigned low, high;
    asm("mov.u32 %0, %%envreg2;" : "=r"(low));
    asm("mov.u32 %0, %%envreg1;" : "=r"(high));
    volatile unsigned *count = (volatile unsigned *)((unsigned long long)high << 32 | low) + 1;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        unsigned step = blockIdx.x == 0 ? 0x80000000u - (gridDim.x - 1) : 1, before = atomicAdd((unsigned *)count, step);
        while (((before ^ *count) & 0x80000000u) == 0)
            ;
        __threadfence();
    }
    __syncthreads();
}

// A warp a part of a row, PARTS of them, wherever it is in the grid; after the barrier a thread a row.
#ifdef PARTS
extern "C" __global__ void grid_sums(float *out, float *parts, const float *in, int rows, int columns)
{
    int threads = gridDim.x * blockDim.x, thread = blockIdx.x * blockDim.x + threadIdx.x, lane = thread % 32;
    int length = (columns + PARTS - 1) / PARTS;
    for (int part = thread / 32; part < rows * PARTS; part += threads / 32) {
        int first = part % PARTS * length, end = min(first + length, columns);
        float sum = 0;
        for (int i = first + lane; i < end; i += 32)
            sum += in[(size_t)(part / PARTS) * columns + i];
        sum = tile_sum(sum, 32);
        if (lane == 0)
            parts[part] = sum;
    }
    grid_barrier();
    for (int row = thread; row < rows; row += threads) {
        float sum = 0;
        for (int p = 0; p < PARTS; p++)
            sum += __ldcg(&parts[row * PARTS + p]);
        out[row] = sum;
    }
}
#endif
