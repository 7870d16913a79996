// y = A x as flight_spmv of spmv.cu has it, by blocks that stay; the blocks of a cluster have x of the first columns in shared
// memory. In a file of its own, as its instructions are NVIDIA's.
// SPDX-License-Identifier: Apache-2.0
#define WARP 32
#define ALL 0xffffffffu
#ifndef LANES
#define LANES 32
#endif
#ifndef BLOCK
#define BLOCK 1024
#endif
#ifndef FLIGHT
#define FLIGHT 4
#endif
#ifndef CLUSTER
#define CLUSTER 1
#endif
#ifndef NEAR // columns whose x a block has
#define NEAR 1024
#endif

// A float of the shared memory of block `rank` of the cluster, `at` bytes behind the address `base`.
static __device__ float cluster_load(unsigned base, unsigned at, int rank)
{
    unsigned there;
    float v;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(base + at), "r"(rank));
    asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(v) : "r"(there) : "memory");
    return v;
}

static __device__ void cluster_sync(void)
{
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// Block r of a cluster has x of the columns r, r + CLUSTER …, NEAR of them; a neighbour of a column is in another block.
extern "C" __global__ void __launch_bounds__(BLOCK)
    near_spmv(float *y, const int *starts, const int *columns, const float *values, const float *x, int rows)
{
    extern __shared__ float near[];
    int lane = threadIdx.x % LANES, rank = blockIdx.x % CLUSTER, near_columns = min(rows, CLUSTER * NEAR);
    unsigned base = (unsigned)__cvta_generic_to_shared(near);
    for (int i = threadIdx.x; i * CLUSTER + rank < near_columns; i += BLOCK)
        near[i] = x[i * CLUSTER + rank];
    cluster_sync();
    int groups = gridDim.x * (BLOCK / LANES), group = (blockIdx.x * BLOCK + threadIdx.x) / LANES;
    for (int first = 0; first < rows; first += groups) {
        int r = first + group, from = r < rows ? starts[r] : 0, to = r < rows ? starts[r + 1] : 0;
        float sum = 0;
        for (int i = from + lane; i < to; i += LANES * FLIGHT) {
            int column[FLIGHT];
            float value[FLIGHT], factor[FLIGHT];
#pragma unroll
            for (int f = 0; f < FLIGHT; f++) {
                bool any = i + f * LANES < to;
                column[f] = any ? __ldcs(columns + i + f * LANES) : 0;
                value[f] = any ? __ldcs(values + i + f * LANES) : 0;
            }
#pragma unroll
            for (int f = 0; f < FLIGHT; f++)
                if (i + f * LANES < to) {
                    int c = column[f];
                    if (c < near_columns)
                        factor[f] = cluster_load(base, 4u * (unsigned)(c / CLUSTER), c % CLUSTER);
                    else
                        factor[f] = __ldg(x + c);
                }
#pragma unroll
            for (int f = 0; f < FLIGHT; f++)
                if (i + f * LANES < to)
                    sum += value[f] * factor[f];
        }
#pragma unroll
        for (int step = LANES / 2; step > 0; step /= 2)
            sum += __shfl_xor_sync(ALL, sum, step);
        if (r < rows && lane == 0)
            y[r] = sum;
    }
    cluster_sync(); // the others may still read this block's part
}
