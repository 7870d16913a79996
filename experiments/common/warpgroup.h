// What kernels for the tensor cores of compute capability 9.0 share: boxes by tensor map, the mbarriers that they
// complete, descriptors of matrices in shared memory, registers that wgmma works on. Addresses are of shared memory.
// PTX ISA, "Asynchronous warpgroup-level matrix instructions" and "cp.async.bulk.tensor".
// SPDX-License-Identifier: Apache-2.0
#ifndef EXPERIMENTS_COMMON_WARPGROUP_H
#define EXPERIMENTS_COMMON_WARPGROUP_H

#include "bf16.h"
#include "tensor_map.h"

typedef unsigned short bf16; // its bits

static __device__ __forceinline__ unsigned shared_address(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

/* ---- boxes and barriers ------------------------------------------------------------------------------------ */

static __device__ __forceinline__ void barrier_init(unsigned bar, int arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(bar), "r"(arrivals));
}

static __device__ __forceinline__ void barrier_expect(unsigned bar, int bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(bytes) : "memory");
}

#ifndef PATIENCE_NS // how long a warp may sleep before it looks at a barrier again; 0: as long as the chip likes
#define PATIENCE_NS 0
#endif

static __device__ __forceinline__ void barrier_wait(unsigned bar, unsigned parity)
{
    if (PATIENCE_NS > 0)
        asm volatile("{\n.reg .pred done;\nAGAIN:\n"
                     "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1, %2;\n@!done bra AGAIN;\n}" ::"r"(bar),
                     "r"(parity), "r"(PATIENCE_NS)
                     : "memory");
    else
        asm volatile("{\n.reg .pred done;\nAGAIN:\n"
                     "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n@!done bra AGAIN;\n}" ::"r"(bar),
                     "r"(parity)
                     : "memory");
}

static __device__ __forceinline__ void barrier_arrive(unsigned bar)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(bar) : "memory");
}

// In the block of that rank of the cluster. Not .release.cluster, which waits for this thread's accesses.
static __device__ __forceinline__ void barrier_arrive_at(unsigned bar, int rank)
{
    asm volatile("{\n.reg .b32 there;\nmapa.shared::cluster.u32 there, %0, %1;\n"
                 "mbarrier.arrive.shared::cluster.b64 _, [there];\n}" ::"r"(bar), "r"(rank)
                 : "memory");
}

// To the same place in each block of `blocks`.
static __device__ __forceinline__ void load_box_for(unsigned to, const tensor_map *map, unsigned bar, int x,
                                                    int y, unsigned short blocks)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                 ".multicast::cluster [%0], [%1, {%3, %4}], [%2], %5;" ::"r"(to), "l"(map), "r"(bar), "r"(x),
                 "r"(y), "h"(blocks)
                 : "memory");
}

// Where a matrix lies for wgmma, rows of 128 bytes swizzled. Rows along n: `leading` bytes between blocks of 64
// columns; rows along k: it has no meaning.
static __device__ __forceinline__ unsigned long long matrix_at(unsigned address, unsigned leading)
{
    return (unsigned long long)(address >> 4 & 0x3fff) | (unsigned long long)(leading >> 4) << 16 |
           (unsigned long long)(1024 >> 4) << 32 | 1ull << 62;
}

/* ---- products ------------------------------------------------------------------------------------------------ */

#define SUM(i) "+f"(d[i])
#define SUMS(i) SUM(i), SUM(i + 1), SUM(i + 2), SUM(i + 3), SUM(i + 4), SUM(i + 5), SUM(i + 6), SUM(i + 7)
#define SUMS_32(i) SUMS(i), SUMS(i + 8), SUMS(i + 16), SUMS(i + 24)
#define SUMS_64 SUMS_32(0), SUMS_32(32)
#define SUMS_128 SUMS_64, SUMS_32(64), SUMS_32(96)
// Their places among an instruction's operands.
// clang-format off
#define PLACES_64 \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
    "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, " \
    "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
    "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define PLACES_88 PLACES_64 ", " \
    "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, " \
    "%80, %81, %82, %83, %84, %85, %86, %87"
#define PLACES_128 PLACES_64 ", " \
    "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, " \
    "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, " \
    "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, " \
    "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
// clang-format on

// The compiler must not move uses across what runs on its own.
template <int COUNT> static __device__ __forceinline__ void hold(float (&d)[COUNT])
{
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        asm volatile("" : SUM(i)::"memory");
}
template <int COUNT> static __device__ __forceinline__ void hold(unsigned (&d)[COUNT])
{
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        asm volatile("" : "+r"(d[i])::"memory");
}

static __device__ __forceinline__ void products_fence()
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

static __device__ __forceinline__ void products_commit()
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

// Until all but the last LEFT groups are done.
template <int LEFT> static __device__ __forceinline__ void products_wait()
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(LEFT) : "memory");
}

/* ---- sums on their way out ----------------------------------------------------------------------------------- */

// A warp's 16 rows of 64 columns of sums, as bf16 into a box of rows of 128 bytes, swizzled.
static __device__ __forceinline__ void put_box(const float *d, unsigned to)
{
    int lane = threadIdx.x % 32, in = lane % 16; // the row whose address this lane gives
#pragma unroll
    for (int j = 0; j < 4; j++) {
        const float *f = d + j * 8;
        asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                         to + in * 128 + (((j * 2 + lane / 16) ^ (in & 7)) << 4)),
                     "r"(two_bf16(f[0], f[1])), "r"(two_bf16(f[2], f[3])), "r"(two_bf16(f[4], f[5])), "r"(two_bf16(f[6], f[7]))
                     : "memory");
    }
}

// d of 64 rows (4 warps, 16 each), to c; row, col: of the first.
template <int COUNT>
static __device__ __forceinline__ void store_sums(const float (&d)[COUNT], bf16 *c, int row, int col, int M, int N)
{
    int lane = threadIdx.x % 32, r = row + threadIdx.x % 128 / 32 * 16 + lane / 4;
#pragma unroll
    for (int j = 0; j < COUNT / 4; j++) {
        int x = col + j * 8 + lane % 4 * 2;
        if (r < M && x < N)
            *(unsigned *)&c[(size_t)r * N + x] = two_bf16(d[4 * j], d[4 * j + 1]);
        if (r + 8 < M && x < N)
            *(unsigned *)&c[(size_t)(r + 8) * N + x] = two_bf16(d[4 * j + 2], d[4 * j + 3]);
    }
}

// A warp's 64 x 32 sums, as mma.sync m16n8 leaves them in 4 x 4 fragments, to c; row, col: of the first.
static __device__ __forceinline__ void store_fragments(const float (&d)[4][4][4], bf16 *c, int row, int col, int M,
                                                       int N)
{
    int lane = threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) {
            int r = row + i * 16 + lane / 4, x = col + j * 8 + lane % 4 * 2;
            if (r < M && x < N)
                *(unsigned *)&c[(size_t)r * N + x] = two_bf16(d[i][j][0], d[i][j][1]);
            if (r + 8 < M && x < N)
                *(unsigned *)&c[(size_t)(r + 8) * N + x] = two_bf16(d[i][j][2], d[i][j][3]);
        }
}

// What this thread wrote to shared memory is seen by the bulk copies that follow a barrier.
static __device__ __forceinline__ void bulk_fence()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

static __device__ __forceinline__ void bulk_commit()
{
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

// Until all but the last LEFT groups of this thread's bulk stores have read shared memory, or are done.
template <int LEFT> static __device__ __forceinline__ void bulk_wait_read()
{
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(LEFT) : "memory");
}
static __device__ __forceinline__ void bulk_wait()
{
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

#endif
