// Copies to shared memory of one sector of each row, the next sector in the next turn: without a hint, with the hint to fetch whole
// lines to L2, and by loads. For tuning the model of time, and what the counters have.
// SPDX-License-Identifier: Apache-2.0
#define COPIES(name, hint)                                                                         \
    extern "C" __global__ void name(unsigned *out, const unsigned *from, int pitch, int count)     \
    {                                                                                              \
        __shared__ __align__(16) unsigned tile[128 * 8];                                           \
        unsigned row = blockIdx.x * 128 + threadIdx.x / 2, half = threadIdx.x % 2, sum = 0;        \
        unsigned to = (unsigned)__cvta_generic_to_shared(tile) + threadIdx.x * 16;                 \
        const unsigned *at = from + (size_t)row * pitch + half * 4;                                \
        _Pragma("unroll 1") for (int i = 0; i < count; i++)                                        \
        {                                                                                          \
            asm volatile("cp.async.cg.shared.global" hint " [%0], [%1], 16;" ::"r"(to), "l"(at));  \
            asm volatile("cp.async.commit_group;\n cp.async.wait_group 0;");                       \
            __syncthreads();                                                                       \
            sum += tile[(threadIdx.x * 5) % 1024];                                                 \
            __syncthreads();                                                                       \
            at += 8;                                                                               \
        }                                                                                          \
        out[blockIdx.x * blockDim.x + threadIdx.x] = sum;                                          \
    }

COPIES(copy_plain, "")
COPIES(copy_128, ".L2::128B")
COPIES(copy_64, ".L2::64B")

extern "C" __global__ void copy_loads(unsigned *out, const unsigned *from, int pitch, int count)
{
    __shared__ __align__(16) uint4 tile[256];
    unsigned row = blockIdx.x * 128 + threadIdx.x / 2, half = threadIdx.x % 2, sum = 0;
    const unsigned *at = from + (size_t)row * pitch + half * 4;
#pragma unroll 1
    for (int i = 0; i < count; i++) {
        tile[threadIdx.x] = *(const uint4 *)at;
        __syncthreads();
        sum += ((const unsigned *)tile)[(threadIdx.x * 5) % 1024];
        __syncthreads();
        at += 8;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
