// The kernels of `ridge probe`, one a roof (roofs.def). All take the same arguments: two buffers, a
// count of 16-byte elements and a number of rounds; each uses what it needs. Instructions that a
// compiler could take apart or leave out are written as PTX. Results go to memory only on a value
// that never comes, so that nothing is dead and nothing is stored.
// SPDX-License-Identifier: Apache-2.0
#define PROBE(name)                                                                   \
    extern "C" __global__ void name(uint4 *a, uint4 *b, unsigned long long count,     \
                                    unsigned long long rounds)
#define REPEAT_8(statement) \
    statement(0) statement(1) statement(2) statement(3) statement(4) statement(5) statement(6) \
        statement(7)
#define NEVER 0x9e3779b9u

static __device__ __forceinline__ unsigned fold(uint4 v)
{
    return v.x ^ v.y ^ v.z ^ v.w;
}

static __device__ __forceinline__ unsigned long long thread_index(void)
{
    return (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
}

/* ---- device memory: count is a multiple of any tile ------------------------------------------------- */

// Four elements per thread in flight.

#define TILES(base)                                                                             \
    for (unsigned long long base = (unsigned long long)blockIdx.x * blockDim.x * 4 + threadIdx.x; \
         base < count; base += (unsigned long long)gridDim.x * blockDim.x * 4)

PROBE(probe_dram_read)
{
    unsigned sum = 0;
    TILES(i)
    {
        uint4 v0 = a[i], v1 = a[i + blockDim.x], v2 = a[i + 2 * blockDim.x],
              v3 = a[i + 3 * blockDim.x];
        sum += fold(v0) ^ fold(v1) ^ fold(v2) ^ fold(v3);
    }
    if (sum == NEVER)
        b[0].x = sum;
}

PROBE(probe_dram_write)
{
    uint4 v = make_uint4(threadIdx.x, 0, 0, 0);
    TILES(i)
    {
        b[i] = v;
        b[i + blockDim.x] = v;
        b[i + 2 * blockDim.x] = v;
        b[i + 3 * blockDim.x] = v;
    }
}

// Fastest with one element per thread and a hint that nothing is used again.
PROBE(probe_dram_copy)
{
    unsigned long long stride = (unsigned long long)gridDim.x * blockDim.x;
    for (unsigned long long i = thread_index(); i < count; i += stride) {
        uint4 v;
        asm volatile("ld.global.cs.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                     : "l"(&a[i]));
        asm volatile("st.global.cs.v4.u32 [%0], {%1, %2, %3, %4};"
                     :
                     : "l"(&b[i]), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
                     : "memory");
    }
}

/* ---- caches: a working set of `count` elements (a power of two), past L1 --------------------------- */

static __device__ __forceinline__ uint4 load_l2(const uint4 *p)
{
    uint4 v;
    asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(p));
    return v;
}

PROBE(probe_l2_read)
{
    unsigned long long stride = (unsigned long long)gridDim.x * blockDim.x, i = thread_index();
    unsigned sum = 0;
    for (unsigned long long round = 0; round < rounds; round++, i += 4 * stride) {
        uint4 v0 = load_l2(&a[i & (count - 1)]), v1 = load_l2(&a[(i + stride) & (count - 1)]),
              v2 = load_l2(&a[(i + 2 * stride) & (count - 1)]),
              v3 = load_l2(&a[(i + 3 * stride) & (count - 1)]);
        sum += fold(v0) ^ fold(v1) ^ fold(v2) ^ fold(v3);
    }
    if (sum == NEVER)
        b[0].x = sum;
}

#define SHARED_ELEMENTS 1024

PROBE(probe_shared)
{
    __shared__ uint4 words[SHARED_ELEMENTS];
    for (unsigned k = threadIdx.x; k < SHARED_ELEMENTS; k += blockDim.x)
        words[k] = a[k];
    __syncthreads();
    unsigned at = threadIdx.x & 31u, sum = 0;
    for (unsigned long long round = 0; round < rounds; round++) {
        const uint4 *row = &words[at];
#define READ(k)                                                             \
    {                                                                       \
        uint4 v;                                                            \
        asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"    \
                     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)           \
                     : "l"(__cvta_generic_to_shared(&row[(k) * 32]))); \
        sum ^= fold(v);                                                     \
    }
        REPEAT_8(READ)
#undef READ
        at = (at + 32) & 255u;
    }
    if (sum == NEVER)
        b[0].x = sum;
}

/* ---- arithmetic: eight chains per thread, 32 steps a round, of which the loop costs 2 % ------------- */

#define CHAINS(type, instruction, constraint, start, factor, addend, never)                       \
    type chain[8];                                                                                \
    const type f = (factor), g = (addend);                                                        \
    for (int k = 0; k < 8; k++)                                                                   \
        chain[k] = (start);                                                                       \
    for (unsigned long long round = 0; round < rounds; round++) {                                 \
        _Pragma("unroll") for (int step = 0; step < 32; step++)                                    \
        {                                                                                         \
            _Pragma("unroll") for (int k = 0; k < 8; k++)                                         \
                asm volatile(instruction " %0, %0, %1, %2;"                                       \
                             : "+" constraint(chain[k])                                           \
                             : constraint(f), constraint(g));                                     \
        }                                                                                         \
    }                                                                                             \
    type sum = chain[0];                                                                          \
    for (int k = 1; k < 8; k++)                                                                   \
        sum += chain[k];                                                                          \
    if (sum == (never))                                                                           \
        b[0].x = 1;

PROBE(probe_f64)
{
    CHAINS(double, "fma.rn.f64", "d", (double)(threadIdx.x + k), 1.0 - (double)count * 1e-18, 1e-3,
           -1e300)
}

PROBE(probe_f32)
{
    CHAINS(float, "fma.rn.f32", "f", (float)(threadIdx.x + k), 1.0f - (float)count * 1e-18f, 1e-3f,
           -1e30f)
}

PROBE(probe_int32)
{
    CHAINS(unsigned, "mad.lo.u32", "r", threadIdx.x + k, (unsigned)count * 2 + 3, threadIdx.x,
           NEVER)
}

#if __CUDA_ARCH__ >= 530
PROBE(probe_f16x2)
{
    CHAINS(unsigned, "fma.rn.f16x2", "r", 0x3c003c00u + threadIdx.x + k, 0x3bff3bffu,
           0x10001000u + (unsigned)count, NEVER)
}
#endif

/* ---- tensor cores: mma.sync, four accumulators per warp ------------------------------------------------ */

#if __CUDA_ARCH__ >= 800
#define TENSOR_OF(type, letter, instruction)                                                        \
    type c[4][4];                                                                                  \
    unsigned x = 0x3c003c00u + threadIdx.x, y = 0x3a003a00u + (unsigned)count;                      \
    for (int k = 0; k < 16; k++)                                                                    \
        c[k / 4][k % 4] = (type)threadIdx.x;                                                        \
    for (unsigned long long round = 0; round < rounds; round++) {                                   \
        _Pragma("unroll") for (int step = 0; step < 2; step++)                                      \
        {                                                                                           \
            _Pragma("unroll") for (int k = 0; k < 4; k++)                                           \
                asm volatile(instruction " {%0, %1, %2, %3}, {%4, %5, %4, %5}, {%4, %5}, "          \
                                         "{%0, %1, %2, %3};"                                        \
                             : letter(c[k][0]), letter(c[k][1]), letter(c[k][2]), letter(c[k][3])   \
                             : "r"(x), "r"(y));                                                     \
        }                                                                                           \
    }                                                                                               \
    type sum = 0;                                                                                   \
    for (int k = 0; k < 16; k++)                                                                    \
        sum += c[k / 4][k % 4];                                                                     \
    if (sum == (type)-1000000007)                                                                   \
        b[0].x = 1;
#define TENSOR(instruction) TENSOR_OF(float, "+f", instruction)

PROBE(probe_tensor_bf16)
{
    TENSOR("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32")
}

PROBE(probe_tensor_tf32)
{
    TENSOR("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32")
}

PROBE(probe_tensor_int8)
{
    TENSOR_OF(int, "+r", "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32")
}
#endif

#if __CUDA_ARCH__ >= 890
PROBE(probe_tensor_fp8)
{
    TENSOR("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32")
}
#endif

/* ---- tensor cores: wgmma, a from registers, b from shared memory ------------------------------------- */

#ifdef __CUDA_ARCH_FEAT_SM90_ALL
// Numbers as products have them, of both signs around 1: the power that they draw sets the clock.
static __device__ __forceinline__ unsigned mixed(unsigned i)
{
    i = (i ^ i >> 15) * 0x2c1b3c6du;
    return (i ^ i >> 12) * 0x297a2d39u;
}

#define SUM_8(i) \
    "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), \
        "+f"(d[i + 6]), "+f"(d[i + 7])
#define WGMMA(step, instruction, last)                                                              \
    asm volatile(instruction " {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "  \
                             "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, " \
                             "%30, %31}, {%32, %33, %34, %35}, %36, 1, 1, 1" last ";"              \
                 : SUM_8(0), SUM_8(8), SUM_8(16), SUM_8(24)                                         \
                 : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "l"(matrix + (step) % 4 * 2));
// 64 rows of 128 bytes, swizzled: eight products of 64 x 64 a round, of four pieces of 32 bytes.
#define WGMMA_ROUNDS(keep, set, instruction, last)                                                  \
    __shared__ __align__(1024) unsigned tile[2048];                                                 \
    unsigned x[4];                                                                                  \
    float d[32];                                                                                    \
    for (unsigned i = threadIdx.x; i < 2048; i += blockDim.x)                                       \
        tile[i] = (mixed(i) & (keep)) | (set);                                                      \
    for (unsigned i = 0; i < 4; i++)                                                                \
        x[i] = (mixed(threadIdx.x * 4 + i) & (keep)) | (set);                                       \
    for (unsigned i = 0; i < 32; i++)                                                               \
        d[i] = 0;                                                                                   \
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");                                    \
    __syncthreads();                                                                                \
    unsigned long long matrix = (unsigned)__cvta_generic_to_shared(tile) >> 4 & 0x3fff;            \
    matrix |= 1ull << 16 | 64ull << 32 | 1ull << 62;                                                \
    for (unsigned long long round = 0; round < rounds; round++) {                                   \
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");                                     \
        WGMMA(0, instruction, last) WGMMA(1, instruction, last) WGMMA(2, instruction, last)         \
        WGMMA(3, instruction, last) WGMMA(4, instruction, last) WGMMA(5, instruction, last)         \
        WGMMA(6, instruction, last) WGMMA(7, instruction, last)                                     \
        asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory"); \
    }                                                                                               \
    float sum = 0;                                                                                  \
    for (unsigned i = 0; i < 32; i++)                                                               \
        sum += d[i];                                                                                \
    if (sum == -1000000007.f)                                                                       \
        b[0].x = 1;

PROBE(probe_wgmma_bf16)
{
    WGMMA_ROUNDS(0x80ff80ffu, 0x3f003f00u,
                 "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16", ", 0")
}

PROBE(probe_wgmma_fp8)
{
    WGMMA_ROUNDS(0x8f8f8f8fu, 0x30303030u, "wgmma.mma_async.sync.aligned.m64n64k32.f32.e4m3.e4m3", "")
}
#endif

/* ---- atomics: the lane's word is (index * stride) of `count` elements; a stride of 0 is one address - */

static __device__ __forceinline__ void add_atomics(uint4 *b, unsigned long long count,
                                                   unsigned long long rounds, unsigned stride)
{
    unsigned *words = (unsigned *)b;
    unsigned long long mask = count * 4 - 1, threads = (unsigned long long)gridDim.x * blockDim.x;
    unsigned long long i = thread_index();
    for (unsigned long long round = 0; round < rounds; round++) {
#define ADD(k)                                               \
    asm volatile("red.global.add.u32 [%0], %1;"              \
                 :                                           \
                 : "l"(&words[((i + (k) * threads) * stride) & mask]), "r"(threadIdx.x | 1u) \
                 : "memory");
        REPEAT_8(ADD)
#undef ADD
        i += 8 * threads;
    }
}

// The stride is 0, but the compiler cannot know: it would add up a warp's operands first.
PROBE(probe_atomic_one)
{
    add_atomics(b, count, rounds, (unsigned)(count >> 60));
}

PROBE(probe_atomic_unit)
{
    add_atomics(b, count, rounds, 1);
}

PROBE(probe_atomic_spread)
{
    add_atomics(b, count, rounds, 32);
}

PROBE(probe_empty)
{
}
