// The CUDA C surface for clang without a CUDA toolkit: included before the user's source when NVRTC
// is not there. Written for `clang -x cuda --cuda-device-only -nocudainc -nocudalib`, clang 14 on.
// Library math (sinf, expf, …) is declared only: the simulated GPU supplies it. Intrinsics map to
// PTX through clang's builtins or inline assembly.
// SPDX-License-Identifier: Apache-2.0
// A function a line:
// clang-format off
#ifndef RIDGE_CUDA_MIN_H
#define RIDGE_CUDA_MIN_H

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __grid_constant__
#define __align__(n) __attribute__((aligned(n)))
#define __CUDACC__ 1
// nodebug: what they do is charged to the line of the kernel that calls them.
#define RIDGE_INLINE static __device__ __forceinline__ __attribute__((nodebug))
#define RIDGE_INLINE_ANY static __host__ __device__ __forceinline__ __attribute__((nodebug))

typedef __SIZE_TYPE__ size_t;
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;
typedef __UINTPTR_TYPE__ uintptr_t;
typedef __INTPTR_TYPE__ intptr_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
#define INFINITY (__builtin_inff())
#define NAN (__builtin_nanf(""))
#define FLT_MAX 3.402823466e+38f
#define FLT_MIN 1.175494351e-38f
#define FLT_EPSILON 1.192092896e-07f
#define DBL_MAX 1.7976931348623157e+308
#define INT_MAX 2147483647
#define INT_MIN (-INT_MAX - 1)
#define UINT_MAX 4294967295u
#define DBL_MIN 2.2250738585072014e-308
#define DBL_EPSILON 2.2204460492503131e-16
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#define CUDART_INF_F INFINITY
#define CUDART_NAN_F NAN
#define CUDART_PI_F 3.141592654f
#define INT8_MAX 127
#define INT16_MAX 32767
#define INT32_MAX 2147483647
#define INT32_MIN (-INT32_MAX - 1)
#define INT64_MAX 9223372036854775807LL
#define INT64_MIN (-INT64_MAX - 1)
#define UINT8_MAX 255
#define UINT16_MAX 65535
#define UINT32_MAX 4294967295u
#define UINT64_MAX 18446744073709551615ULL
#define NULL nullptr
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned uint;
typedef unsigned long ulong;
typedef void *cudaStream_t;
typedef void *cudaEvent_t;
typedef int cudaError_t;

/* ---- vector types --------------------------------------------------------------------------- */

#define RIDGE_VECTOR(T, name, a2, a4)                                                               \
    struct name##1 { T x; };                                                                       \
    struct __attribute__((aligned(a2))) name##2 { T x, y; };                                       \
    struct name##3 { T x, y, z; };                                                                 \
    struct __attribute__((aligned(a4))) name##4 { T x, y, z, w; };                                 \
    RIDGE_INLINE_ANY name##1 make_##name##1(T x) { return {x}; }         \
    RIDGE_INLINE_ANY name##2 make_##name##2(T x, T y) { return {x, y}; } \
    RIDGE_INLINE_ANY name##3 make_##name##3(T x, T y, T z)               \
    {                                                                                              \
        return {x, y, z};                                                                          \
    }                                                                                              \
    RIDGE_INLINE_ANY name##4 make_##name##4(T x, T y, T z, T w)          \
    {                                                                                              \
        return {x, y, z, w};                                                                       \
    }
RIDGE_VECTOR(signed char, char, 2, 4)
RIDGE_VECTOR(unsigned char, uchar, 2, 4)
RIDGE_VECTOR(short, short, 4, 8)
RIDGE_VECTOR(unsigned short, ushort, 4, 8)
RIDGE_VECTOR(int, int, 8, 16)
RIDGE_VECTOR(unsigned, uint, 8, 16)
RIDGE_VECTOR(long long, longlong, 16, 16)
RIDGE_VECTOR(unsigned long long, ulonglong, 16, 16)
RIDGE_VECTOR(float, float, 8, 16)
RIDGE_VECTOR(double, double, 16, 16)

struct dim3 {
    unsigned x, y, z;
    __host__ __device__ __attribute__((nodebug)) constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    __host__ __device__ __attribute__((nodebug)) constexpr operator uint3() const { return {x, y, z}; }
    __host__ __device__ __attribute__((nodebug)) constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1)
        : x(a), y(b), z(c)
    {
    }
};

/* ---- built-in variables ------------------------------------------------------------------------ */

#define RIDGE_SREG(field, builtin)                                                                  \
    __declspec(property(get = get_##field)) unsigned field;                                        \
    RIDGE_INLINE unsigned get_##field(void) { return builtin; }
struct ridge_thread_index {
    RIDGE_SREG(x, __nvvm_read_ptx_sreg_tid_x())
    RIDGE_SREG(y, __nvvm_read_ptx_sreg_tid_y())
    RIDGE_SREG(z, __nvvm_read_ptx_sreg_tid_z())
    __device__ __attribute__((nodebug)) operator uint3() const { return {x, y, z}; }
    __device__ __attribute__((nodebug)) operator dim3() const { return dim3(x, y, z); }
};
struct ridge_block_index {
    RIDGE_SREG(x, __nvvm_read_ptx_sreg_ctaid_x())
    RIDGE_SREG(y, __nvvm_read_ptx_sreg_ctaid_y())
    RIDGE_SREG(z, __nvvm_read_ptx_sreg_ctaid_z())
    __device__ __attribute__((nodebug)) operator uint3() const { return {x, y, z}; }
    __device__ __attribute__((nodebug)) operator dim3() const { return dim3(x, y, z); }
};
struct ridge_block_dim {
    RIDGE_SREG(x, __nvvm_read_ptx_sreg_ntid_x())
    RIDGE_SREG(y, __nvvm_read_ptx_sreg_ntid_y())
    RIDGE_SREG(z, __nvvm_read_ptx_sreg_ntid_z())
    __device__ __attribute__((nodebug)) operator dim3() const { return dim3(x, y, z); }
};
struct ridge_grid_dim {
    RIDGE_SREG(x, __nvvm_read_ptx_sreg_nctaid_x())
    RIDGE_SREG(y, __nvvm_read_ptx_sreg_nctaid_y())
    RIDGE_SREG(z, __nvvm_read_ptx_sreg_nctaid_z())
    __device__ __attribute__((nodebug)) operator dim3() const { return dim3(x, y, z); }
};
extern const __device__ __attribute__((weak)) ridge_thread_index threadIdx;
extern const __device__ __attribute__((weak)) ridge_block_index blockIdx;
extern const __device__ __attribute__((weak)) ridge_block_dim blockDim;
extern const __device__ __attribute__((weak)) ridge_grid_dim gridDim;
#define warpSize 32

/* ---- barriers, fences, time ----------------------------------------------------------------------- */

RIDGE_INLINE void __syncwarp(unsigned mask = 0xffffffffu)
{
    asm volatile("bar.warp.sync %0;" ::"r"(mask) : "memory");
}
// Inline assembly: the builtins of these barriers and fences went away in later clangs, and clang
// before 15 moves accesses of a __shared__ variable across them (it thinks that what has no
// address taken and isn't written by this thread does not change).
RIDGE_INLINE void ridge_syncthreads(void) { asm volatile("bar.sync 0;" ::: "memory"); }
#define __syncthreads ridge_syncthreads
RIDGE_INLINE int __syncthreads_count(int p)
{
    int r;
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; bar.red.popc.u32 %0, 0, p; }"
                 : "=r"(r) : "r"(p) : "memory");
    return r;
}
#define RIDGE_BAR_RED(name, op)                                                                    \
    RIDGE_INLINE int name(int p)                                                                   \
    {                                                                                              \
        int r;                                                                                     \
        asm volatile("{ .reg .pred p, q; setp.ne.s32 p, %1, 0; bar.red." op ".pred q, 0, p; "      \
                     "selp.s32 %0, 1, 0, q; }" : "=r"(r) : "r"(p) : "memory");                     \
        return r;                                                                                  \
    }
RIDGE_BAR_RED(__syncthreads_and, "and")
RIDGE_BAR_RED(__syncthreads_or, "or")
RIDGE_INLINE void __threadfence(void) { asm volatile("membar.gl;" ::: "memory"); }
RIDGE_INLINE void __threadfence_block(void) { asm volatile("membar.cta;" ::: "memory"); }
RIDGE_INLINE void __threadfence_system(void) { asm volatile("membar.sys;" ::: "memory"); }
RIDGE_INLINE long long clock64(void) { return __nvvm_read_ptx_sreg_clock64(); }
RIDGE_INLINE int clock(void) { return __nvvm_read_ptx_sreg_clock(); }
RIDGE_INLINE void __nanosleep(unsigned ns) { asm volatile("nanosleep.u32 %0;" ::"r"(ns)); }
RIDGE_INLINE void __trap(void) { asm volatile("trap;"); }
RIDGE_INLINE void __brkpt(void) { asm volatile("brkpt;"); }

/* ---- warp: shuffles, votes, match, reductions -------------------------------------------------------- */

RIDGE_INLINE unsigned ridge_laneid(void)
{
    unsigned lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}
RIDGE_INLINE unsigned __activemask(void)
{
    unsigned mask;
    asm volatile("activemask.b32 %0;" : "=r"(mask));
    return mask;
}
RIDGE_INLINE int __any_sync(unsigned mask, int p) { return __nvvm_vote_any_sync(mask, p != 0); }
RIDGE_INLINE int __all_sync(unsigned mask, int p) { return __nvvm_vote_all_sync(mask, p != 0); }
RIDGE_INLINE unsigned __ballot_sync(unsigned mask, int p) { return __nvvm_vote_ballot_sync(mask, p != 0); }

#define RIDGE_SHUFFLE(mode, name, clamp)                                                            \
    RIDGE_INLINE unsigned ridge_shfl_##mode(unsigned mask, unsigned v, unsigned lane, int width)   \
    {                                                                                              \
        unsigned r, c = ((32u - (unsigned)width) << 8) | clamp;                                    \
        asm volatile("shfl.sync." #mode ".b32 %0, %1, %2, %3, %4;"                                 \
                     : "=r"(r) : "r"(v), "r"(lane), "r"(c), "r"(mask));                            \
        return r;                                                                                  \
    }                                                                                              \
    template <typename T>                                                                          \
    RIDGE_INLINE T name(unsigned mask, T v, unsigned lane, int width = 32)                         \
    {                                                                                              \
        static_assert(sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 2, "shuffle of this type"); \
        union { T t; unsigned w[(sizeof(T) + 3) / 4]; } u;                                         \
        u.w[0] = 0;                                                                                \
        u.t = v;                                                                                   \
        for (unsigned i = 0; i < (sizeof(T) + 3) / 4; i++)                                         \
            u.w[i] = ridge_shfl_##mode(mask, u.w[i], lane, width);                                 \
        return u.t;                                                                                \
    }
RIDGE_SHUFFLE(idx, __shfl_sync, 31u)
RIDGE_SHUFFLE(up, __shfl_up_sync, 0u)
RIDGE_SHUFFLE(down, __shfl_down_sync, 31u)
RIDGE_SHUFFLE(bfly, __shfl_xor_sync, 31u)

RIDGE_INLINE unsigned __match_any_sync(unsigned mask, unsigned v)
{
    unsigned r;
    asm volatile("match.any.sync.b32 %0, %1, %2;" : "=r"(r) : "r"(v), "r"(mask));
    return r;
}
RIDGE_INLINE unsigned __match_any_sync(unsigned mask, int v) { return __match_any_sync(mask, (unsigned)v); }
RIDGE_INLINE unsigned __match_any_sync(unsigned mask, unsigned long long v)
{
    unsigned r;
    asm volatile("match.any.sync.b64 %0, %1, %2;" : "=r"(r) : "l"(v), "r"(mask));
    return r;
}
RIDGE_INLINE unsigned __match_all_sync(unsigned mask, unsigned v, int *all)
{
    unsigned r;
    int p;
    asm volatile("{ .reg .pred p; match.all.sync.b32 %0|p, %2, %3; selp.s32 %1, 1, 0, p; }"
                 : "=r"(r), "=r"(p) : "r"(v), "r"(mask));
    *all = p;
    return r;
}
#define RIDGE_REDUX(T, name, op)                                                                    \
    RIDGE_INLINE T name(unsigned mask, T v)                                                        \
    {                                                                                              \
        T r;                                                                                       \
        asm volatile("redux.sync." op " %0, %1, %2;" : "=r"(r) : "r"(v), "r"(mask));               \
        return r;                                                                                  \
    }
RIDGE_REDUX(unsigned, __reduce_add_sync, "add.u32")
RIDGE_REDUX(unsigned, __reduce_min_sync, "min.u32")
RIDGE_REDUX(unsigned, __reduce_max_sync, "max.u32")
RIDGE_REDUX(int, __reduce_add_sync, "add.s32")
RIDGE_REDUX(int, __reduce_min_sync, "min.s32")
RIDGE_REDUX(int, __reduce_max_sync, "max.s32")
RIDGE_REDUX(unsigned, __reduce_and_sync, "and.b32")
RIDGE_REDUX(unsigned, __reduce_or_sync, "or.b32")
RIDGE_REDUX(unsigned, __reduce_xor_sync, "xor.b32")

/* ---- bits ------------------------------------------------------------------------------------------ */

RIDGE_INLINE int __popc(unsigned v) { return __builtin_popcount(v); }
RIDGE_INLINE int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
RIDGE_INLINE int __clz(int v) { return v ? __builtin_clz((unsigned)v) : 32; }
RIDGE_INLINE int __clzll(long long v) { return v ? __builtin_clzll((unsigned long long)v) : 64; }
RIDGE_INLINE int __ffs(int v) { return __builtin_ffs(v); }
RIDGE_INLINE int __ffsll(long long v) { return __builtin_ffsll(v); }
RIDGE_INLINE unsigned __brev(unsigned v) { return __builtin_bitreverse32(v); }
RIDGE_INLINE unsigned long long __brevll(unsigned long long v) { return __builtin_bitreverse64(v); }
RIDGE_INLINE unsigned __byte_perm(unsigned a, unsigned b, unsigned s) { return __nvvm_prmt(a, b, s); }
RIDGE_INLINE unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned s)
{
    unsigned r;
    asm("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(lo), "r"(hi), "r"(s));
    return r;
}
RIDGE_INLINE unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned s)
{
    unsigned r;
    asm("shf.r.wrap.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(lo), "r"(hi), "r"(s));
    return r;
}
RIDGE_INLINE int __mulhi(int a, int b) { return (int)(((long long)a * b) >> 32); }
RIDGE_INLINE unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a * b) >> 32); }
RIDGE_INLINE long long __mul64hi(long long a, long long b)
{
    long long r;
    asm("mul.hi.s64 %0, %1, %2;" : "=l"(r) : "l"(a), "l"(b));
    return r;
}
RIDGE_INLINE unsigned long long __umul64hi(unsigned long long a, unsigned long long b)
{
    unsigned long long r;
    asm("mul.hi.u64 %0, %1, %2;" : "=l"(r) : "l"(a), "l"(b));
    return r;
}
RIDGE_INLINE unsigned __umul24(unsigned a, unsigned b)
{
    unsigned r;
    asm("mul24.lo.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
    return r;
}
RIDGE_INLINE unsigned __usad(unsigned a, unsigned b, unsigned c)
{
    unsigned r;
    asm("sad.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    return r;
}
RIDGE_INLINE int __sad(int a, int b, unsigned c)
{
    int r;
    asm("sad.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    return r;
}
RIDGE_INLINE int __mul24(int a, int b)
{
    int r;
    asm("mul24.lo.s32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
    return r;
}
RIDGE_INLINE int __dp4a(int a, int b, int c)
{
    int r;
    asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    return r;
}
RIDGE_INLINE unsigned __dp4a(unsigned a, unsigned b, unsigned c)
{
    unsigned r;
    asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    return r;
}
template <typename To, typename From>
RIDGE_INLINE To ridge_bits(From v)
{
    union { From from; To to; } u;
    u.from = v;
    return u.to;
}
RIDGE_INLINE int __float_as_int(float v) { return ridge_bits<int>(v); }
RIDGE_INLINE unsigned __float_as_uint(float v) { return ridge_bits<unsigned>(v); }
RIDGE_INLINE float __int_as_float(int v) { return ridge_bits<float>(v); }
RIDGE_INLINE float __uint_as_float(unsigned v) { return ridge_bits<float>(v); }
RIDGE_INLINE long long __double_as_longlong(double v) { return ridge_bits<long long>(v); }
RIDGE_INLINE double __longlong_as_double(long long v) { return ridge_bits<double>(v); }

/* ---- atomics --------------------------------------------------------------------------------------- */

RIDGE_INLINE int atomicAdd(int *p, int v) { return __nvvm_atom_add_gen_i(p, v); }
RIDGE_INLINE unsigned atomicAdd(unsigned *p, unsigned v) { return (unsigned)__nvvm_atom_add_gen_i((int *)p, (int)v); }
RIDGE_INLINE unsigned long long atomicAdd(unsigned long long *p, unsigned long long v)
{
    return (unsigned long long)__nvvm_atom_add_gen_ll((long long *)p, (long long)v);
}
RIDGE_INLINE float atomicAdd(float *p, float v) { return __nvvm_atom_add_gen_f(p, v); }
RIDGE_INLINE double atomicAdd(double *p, double v) { return __nvvm_atom_add_gen_d(p, v); }
RIDGE_INLINE int atomicSub(int *p, int v) { return atomicAdd(p, -v); }
RIDGE_INLINE unsigned atomicSub(unsigned *p, unsigned v) { return atomicAdd(p, 0u - v); }
RIDGE_INLINE int atomicExch(int *p, int v) { return __nvvm_atom_xchg_gen_i(p, v); }
RIDGE_INLINE unsigned atomicExch(unsigned *p, unsigned v) { return (unsigned)__nvvm_atom_xchg_gen_i((int *)p, (int)v); }
RIDGE_INLINE unsigned long long atomicExch(unsigned long long *p, unsigned long long v)
{
    return (unsigned long long)__nvvm_atom_xchg_gen_ll((long long *)p, (long long)v);
}
RIDGE_INLINE float atomicExch(float *p, float v) { return __int_as_float(atomicExch((int *)p, __float_as_int(v))); }
RIDGE_INLINE int atomicMin(int *p, int v) { return __nvvm_atom_min_gen_i(p, v); }
RIDGE_INLINE unsigned atomicMin(unsigned *p, unsigned v) { return __nvvm_atom_min_gen_ui(p, v); }
RIDGE_INLINE int atomicMax(int *p, int v) { return __nvvm_atom_max_gen_i(p, v); }
RIDGE_INLINE unsigned atomicMax(unsigned *p, unsigned v) { return __nvvm_atom_max_gen_ui(p, v); }
RIDGE_INLINE unsigned long long atomicMin(unsigned long long *p, unsigned long long v) { return __nvvm_atom_min_gen_ull(p, v); }
RIDGE_INLINE unsigned long long atomicMax(unsigned long long *p, unsigned long long v) { return __nvvm_atom_max_gen_ull(p, v); }
RIDGE_INLINE unsigned atomicInc(unsigned *p, unsigned v) { return __nvvm_atom_inc_gen_ui(p, v); }
RIDGE_INLINE unsigned atomicDec(unsigned *p, unsigned v) { return __nvvm_atom_dec_gen_ui(p, v); }
RIDGE_INLINE int atomicAnd(int *p, int v) { return __nvvm_atom_and_gen_i(p, v); }
RIDGE_INLINE unsigned atomicAnd(unsigned *p, unsigned v) { return (unsigned)__nvvm_atom_and_gen_i((int *)p, (int)v); }
RIDGE_INLINE int atomicOr(int *p, int v) { return __nvvm_atom_or_gen_i(p, v); }
RIDGE_INLINE unsigned atomicOr(unsigned *p, unsigned v) { return (unsigned)__nvvm_atom_or_gen_i((int *)p, (int)v); }
RIDGE_INLINE int atomicXor(int *p, int v) { return __nvvm_atom_xor_gen_i(p, v); }
RIDGE_INLINE unsigned atomicXor(unsigned *p, unsigned v) { return (unsigned)__nvvm_atom_xor_gen_i((int *)p, (int)v); }
RIDGE_INLINE int atomicCAS(int *p, int c, int v) { return __nvvm_atom_cas_gen_i(p, c, v); }
RIDGE_INLINE unsigned atomicCAS(unsigned *p, unsigned c, unsigned v)
{
    return (unsigned)__nvvm_atom_cas_gen_i((int *)p, (int)c, (int)v);
}
RIDGE_INLINE unsigned long long atomicCAS(unsigned long long *p, unsigned long long c, unsigned long long v)
{
    return (unsigned long long)__nvvm_atom_cas_gen_ll((long long *)p, (long long)c, (long long)v);
}

/* ---- memory ---------------------------------------------------------------------------------------- */

template <typename T> RIDGE_INLINE T __ldg(const T *p) { return *p; }
template <typename T> RIDGE_INLINE T __ldcg(const T *p) { return *p; }
template <typename T> RIDGE_INLINE T __ldcs(const T *p) { return *p; }
template <typename T> RIDGE_INLINE void __stcs(T *p, T v) { *p = v; }
template <typename T> RIDGE_INLINE void __stcg(T *p, T v) { *p = v; }
template <typename T> RIDGE_INLINE void __stwb(T *p, T v) { *p = v; }
RIDGE_INLINE size_t __cvta_generic_to_shared(const void *p)
{
    return (size_t)(__attribute__((address_space(3))) const void *)p;
}

/* ---- math: declared here, supplied by the simulated GPU --------------------------------------------- */

// Each in float (sinf), in double (sin), and C++'s overload of the second for floats.
#define RIDGE_MATH1(name)                                                                           \
    extern "C" __device__ float name##f(float);                                                    \
    extern "C" __device__ double name(double);                                                     \
    RIDGE_INLINE float name(float x) { return name##f(x); }
#define RIDGE_MATH2(name)                                                                           \
    extern "C" __device__ float name##f(float, float);                                             \
    extern "C" __device__ double name(double, double);                                             \
    RIDGE_INLINE float name(float x, float y) { return name##f(x, y); }
// --use_fast_math: these are the approximations, defined below.
#ifdef __USE_FAST_MATH__
#define RIDGE_MATH1_FAST(name)                                                                      \
    extern "C" __device__ double name(double);                                                     \
    RIDGE_INLINE float name##f(float);                                                             \
    RIDGE_INLINE float name(float x) { return name##f(x); }
#else
#define RIDGE_MATH1_FAST(name) RIDGE_MATH1(name)
#endif
RIDGE_MATH1_FAST(sin) RIDGE_MATH1_FAST(cos) RIDGE_MATH1_FAST(exp) RIDGE_MATH1_FAST(log) RIDGE_MATH1_FAST(log2)
RIDGE_MATH1(tan) RIDGE_MATH1(asin) RIDGE_MATH1(acos) RIDGE_MATH1(atan)
RIDGE_MATH1(sinh) RIDGE_MATH1(cosh) RIDGE_MATH1(tanh) RIDGE_MATH1(exp2) RIDGE_MATH1(expm1)
RIDGE_MATH1(log10) RIDGE_MATH1(log1p) RIDGE_MATH1(cbrt)
RIDGE_MATH1(erf) RIDGE_MATH1(erfc) RIDGE_MATH1(lgamma) RIDGE_MATH1(tgamma)
RIDGE_MATH2(pow) RIDGE_MATH2(atan2) RIDGE_MATH2(hypot) RIDGE_MATH2(fmod)
RIDGE_INLINE double pow(double x, int n) { return pow(x, (double)n); }
RIDGE_INLINE float pow(float x, int n) { return powf(x, (float)n); }
RIDGE_INLINE void sincosf(float x, float *s, float *c) { *s = sinf(x); *c = cosf(x); }
RIDGE_INLINE void sincos(double x, double *s, double *c) { *s = sin(x); *c = cos(x); }
extern "C" {
__device__ int printf(const char *, ...);
__device__ void *malloc(size_t);
__device__ void free(void *);
__device__ void __assertfail(const char *, const char *, unsigned, const char *, size_t) __attribute__((noreturn));
}
#ifdef NDEBUG
#define assert(e) ((void)0)
#else
#define assert(e) ((e) ? (void)0 : __assertfail(#e, __FILE__, __LINE__, __PRETTY_FUNCTION__, 1))
#endif

// One instruction each: name, PTX, constraint of the type.
#define RIDGE_ASM1(T, name, ptx, k)                                                                 \
    RIDGE_INLINE T name(T a) { T r; asm(ptx " %0, %1;" : "=" k(r) : k(a)); return r; }
#define RIDGE_ASM2(T, name, ptx, k)                                                                 \
    RIDGE_INLINE T name(T a, T b) { T r; asm(ptx " %0, %1, %2;" : "=" k(r) : k(a), k(b)); return r; }
#define RIDGE_ASM3(T, name, ptx, k)                                                                 \
    RIDGE_INLINE T name(T a, T b, T c)                                                             \
    {                                                                                              \
        T r;                                                                                       \
        asm(ptx " %0, %1, %2, %3;" : "=" k(r) : k(a), k(b), k(c));                                 \
        return r;                                                                                  \
    }
#ifdef RIDGE_APPROXIMATE_ROOT // --prec-sqrt=false
RIDGE_ASM1(float, sqrtf, "sqrt.approx.f32", "f")
#else
RIDGE_ASM1(float, sqrtf, "sqrt.rn.f32", "f")
#endif
RIDGE_ASM1(float, rsqrtf, "rsqrt.approx.f32", "f")
RIDGE_ASM1(float, __frcp_rn, "rcp.rn.f32", "f")
RIDGE_ASM1(float, __fsqrt_rn, "sqrt.rn.f32", "f")
RIDGE_ASM1(float, __sinf, "sin.approx.f32", "f")
RIDGE_ASM1(float, __cosf, "cos.approx.f32", "f")
RIDGE_ASM1(float, __log2f, "lg2.approx.f32", "f")
RIDGE_ASM1(float, ridge_ex2f, "ex2.approx.f32", "f")
RIDGE_ASM1(float, fabsf, "abs.f32", "f")
RIDGE_ASM1(float, floorf, "cvt.rmi.f32.f32", "f")
RIDGE_ASM1(float, ceilf, "cvt.rpi.f32.f32", "f")
RIDGE_ASM1(float, truncf, "cvt.rzi.f32.f32", "f")
RIDGE_ASM1(float, rintf, "cvt.rni.f32.f32", "f")
RIDGE_ASM1(float, __saturatef, "cvt.sat.f32.f32", "f")
RIDGE_ASM1(double, sqrt, "sqrt.rn.f64", "d")
RIDGE_ASM1(double, rsqrt, "rsqrt.approx.f64", "d")
RIDGE_ASM1(double, fabs, "abs.f64", "d")
RIDGE_ASM1(double, floor, "cvt.rmi.f64.f64", "d")
RIDGE_ASM1(double, ceil, "cvt.rpi.f64.f64", "d")
RIDGE_ASM1(double, trunc, "cvt.rzi.f64.f64", "d")
RIDGE_ASM1(double, rint, "cvt.rni.f64.f64", "d")
RIDGE_ASM2(float, fminf, "min.f32", "f")
RIDGE_ASM2(float, fmaxf, "max.f32", "f")
RIDGE_ASM2(double, fmin, "min.f64", "d")
RIDGE_ASM2(double, fmax, "max.f64", "d")
RIDGE_ASM2(float, __fadd_rn, "add.rn.f32", "f")
RIDGE_ASM2(float, __fsub_rn, "sub.rn.f32", "f")
RIDGE_ASM2(float, __fmul_rn, "mul.rn.f32", "f")
RIDGE_ASM2(float, __fdiv_rn, "div.rn.f32", "f")
RIDGE_ASM2(float, __fdividef, "div.approx.f32", "f")
RIDGE_ASM2(double, __dadd_rn, "add.rn.f64", "d")
RIDGE_ASM2(double, __dmul_rn, "mul.rn.f64", "d")
RIDGE_ASM3(float, fmaf, "fma.rn.f32", "f")
RIDGE_ASM3(float, __fmaf_rn, "fma.rn.f32", "f")
RIDGE_ASM3(double, fma, "fma.rn.f64", "d")
RIDGE_INLINE float __expf(float x) { return ridge_ex2f(x * 1.4426950408889634f); }
RIDGE_INLINE float __logf(float x) { return __log2f(x) * 0.6931471805599453f; }
RIDGE_INLINE float __powf(float x, float y) { return ridge_ex2f(y * __log2f(x)); }
#ifdef __USE_FAST_MATH__
RIDGE_INLINE float sinf(float x) { return __sinf(x); }
RIDGE_INLINE float cosf(float x) { return __cosf(x); }
RIDGE_INLINE float expf(float x) { return __expf(x); }
RIDGE_INLINE float logf(float x) { return __logf(x); }
RIDGE_INLINE float log2f(float x) { return __log2f(x); }
#define powf __powf
#endif
RIDGE_INLINE float copysignf(float a, float b) { return __builtin_copysignf(a, b); }
RIDGE_INLINE double copysign(double a, double b) { return __builtin_copysign(a, b); }
RIDGE_INLINE float roundf(float x) { return truncf(x + copysignf(0.49999997f, x)); }
RIDGE_INLINE double round(double x) { return trunc(x + copysign(0.49999999999999994, x)); }
RIDGE_INLINE float round(float x) { return roundf(x); }
RIDGE_INLINE int lroundf(float x) { return (int)roundf(x); }
RIDGE_INLINE bool isnan(float x) { return __builtin_isnan(x); }
RIDGE_INLINE bool isnan(double x) { return __builtin_isnan(x); }
RIDGE_INLINE bool isinf(float x) { return __builtin_isinf(x); }
RIDGE_INLINE bool isinf(double x) { return __builtin_isinf(x); }
RIDGE_INLINE bool isfinite(float x) { return __builtin_isfinite(x); }
RIDGE_INLINE bool isfinite(double x) { return __builtin_isfinite(x); }
RIDGE_INLINE int __float2int_rn(float x) { int r; asm("cvt.rni.s32.f32 %0, %1;" : "=r"(r) : "f"(x)); return r; }
RIDGE_INLINE int __float2int_rz(float x) { int r; asm("cvt.rzi.s32.f32 %0, %1;" : "=r"(r) : "f"(x)); return r; }
RIDGE_INLINE int __float2int_rd(float x) { int r; asm("cvt.rmi.s32.f32 %0, %1;" : "=r"(r) : "f"(x)); return r; }
RIDGE_INLINE int __float2int_ru(float x) { int r; asm("cvt.rpi.s32.f32 %0, %1;" : "=r"(r) : "f"(x)); return r; }
RIDGE_INLINE unsigned __float2uint_rn(float x) { unsigned r; asm("cvt.rni.u32.f32 %0, %1;" : "=r"(r) : "f"(x)); return r; }
RIDGE_INLINE unsigned __float2uint_rz(float x) { unsigned r; asm("cvt.rzi.u32.f32 %0, %1;" : "=r"(r) : "f"(x)); return r; }
RIDGE_INLINE unsigned __float2uint_rd(float x) { unsigned r; asm("cvt.rmi.u32.f32 %0, %1;" : "=r"(r) : "f"(x)); return r; }
RIDGE_INLINE float __int2float_rn(int x) { return (float)x; }
RIDGE_INLINE float __uint2float_rn(unsigned x) { return (float)x; }
RIDGE_INLINE float __double2float_rn(double x) { return (float)x; }
RIDGE_INLINE void __sincosf(float x, float *s, float *c) { *s = __sinf(x); *c = __cosf(x); }
RIDGE_INLINE float sqrt(float x) { return sqrtf(x); }
RIDGE_INLINE float rsqrt(float x) { return rsqrtf(x); }
RIDGE_INLINE float fabs(float x) { return fabsf(x); }
RIDGE_INLINE float floor(float x) { return floorf(x); }
RIDGE_INLINE float ceil(float x) { return ceilf(x); }
RIDGE_INLINE float trunc(float x) { return truncf(x); }
RIDGE_INLINE float rint(float x) { return rintf(x); }
RIDGE_INLINE float nearbyintf(float x) { return rintf(x); }
RIDGE_INLINE float fma(float x, float y, float z) { return fmaf(x, y, z); }
RIDGE_INLINE float fmin(float x, float y) { return fminf(x, y); }
RIDGE_INLINE float fmax(float x, float y) { return fmaxf(x, y); }
RIDGE_INLINE float fdividef(float x, float y) { return __fdividef(x, y); }

#define RIDGE_MINMAX(T)                                                                             \
    RIDGE_INLINE_ANY T min(T a, T b) { return a < b ? a : b; }           \
    RIDGE_INLINE_ANY T max(T a, T b) { return a < b ? b : a; }
RIDGE_MINMAX(int) RIDGE_MINMAX(unsigned) RIDGE_MINMAX(long) RIDGE_MINMAX(unsigned long)
RIDGE_MINMAX(long long) RIDGE_MINMAX(unsigned long long)
RIDGE_INLINE float min(float a, float b) { return fminf(a, b); }
RIDGE_INLINE float max(float a, float b) { return fmaxf(a, b); }
RIDGE_INLINE double min(double a, double b) { return fmin(a, b); }
RIDGE_INLINE double max(double a, double b) { return fmax(a, b); }
// CUDA's mixed forms: unsigned wins over int, double over float.
RIDGE_INLINE_ANY unsigned min(int a, unsigned b) { return min((unsigned)a, b); }
RIDGE_INLINE_ANY unsigned min(unsigned a, int b) { return min(a, (unsigned)b); }
RIDGE_INLINE_ANY unsigned max(int a, unsigned b) { return max((unsigned)a, b); }
RIDGE_INLINE_ANY unsigned max(unsigned a, int b) { return max(a, (unsigned)b); }
RIDGE_INLINE double min(float a, double b) { return fmin((double)a, b); }
RIDGE_INLINE double min(double a, float b) { return fmin(a, (double)b); }
RIDGE_INLINE double max(float a, double b) { return fmax((double)a, b); }
RIDGE_INLINE double max(double a, float b) { return fmax(a, (double)b); }
RIDGE_INLINE_ANY int abs(int a) { return a < 0 ? -a : a; }
RIDGE_INLINE_ANY long abs(long a) { return a < 0 ? -a : a; }
RIDGE_INLINE_ANY long long abs(long long a) { return a < 0 ? -a : a; }
RIDGE_INLINE_ANY long long llabs(long long a) { return a < 0 ? -a : a; }
RIDGE_INLINE float abs(float a) { return fabsf(a); }
RIDGE_INLINE double abs(double a) { return fabs(a); }

/* ---- textures and surfaces, of one and two dimensions -------------------------------------------- */

typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;
enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero, cudaBoundaryModeClamp, cudaBoundaryModeTrap };
enum cudaTextureReadMode { cudaReadModeElementType, cudaReadModeNormalizedFloat };

// A texel's words as the type that the kernel names.
template <class T> struct ridge_texel;
#define RIDGE_TEXEL(E, W)                                                                     \
    template <> struct ridge_texel<E> {                                                            \
        typedef W word;                                                                            \
        static __device__ __attribute__((nodebug)) E of(const W *v) { return (E)v[0]; }            \
    };
#define RIDGE_TEXELS(name, E, W)                                                                    \
    template <> struct ridge_texel<name##1> {                                                      \
        typedef W word;                                                                            \
        static __device__ __attribute__((nodebug)) name##1 of(const W *v) { return {(E)v[0]}; }    \
    };                                                                                             \
    template <> struct ridge_texel<name##2> {                                                      \
        typedef W word;                                                                            \
        static __device__ __attribute__((nodebug)) name##2 of(const W *v)                          \
        {                                                                                          \
            return {(E)v[0], (E)v[1]};                                                             \
        }                                                                                          \
    };                                                                                             \
    template <> struct ridge_texel<name##4> {                                                      \
        typedef W word;                                                                            \
        static __device__ __attribute__((nodebug)) name##4 of(const W *v)                          \
        {                                                                                          \
            return {(E)v[0], (E)v[1], (E)v[2], (E)v[3]};                                           \
        }                                                                                          \
    };
RIDGE_TEXEL(float, float) RIDGE_TEXEL(int, int) RIDGE_TEXEL(unsigned, unsigned)
RIDGE_TEXEL(signed char, int) RIDGE_TEXEL(char, int) RIDGE_TEXEL(unsigned char, unsigned)
RIDGE_TEXEL(short, int) RIDGE_TEXEL(unsigned short, unsigned)
RIDGE_TEXELS(float, float, float) RIDGE_TEXELS(int, int, int) RIDGE_TEXELS(uint, unsigned, unsigned)
RIDGE_TEXELS(char, signed char, int) RIDGE_TEXELS(uchar, unsigned char, unsigned)
RIDGE_TEXELS(short, short, int) RIDGE_TEXELS(ushort, unsigned short, unsigned)

#define RIDGE_FETCH(W, type, letter)                                                                \
    RIDGE_INLINE void ridge_fetch(W *v, cudaTextureObject_t t, int x)                              \
    {                                                                                              \
        asm("tex.1d.v4." type ".s32 {%0, %1, %2, %3}, [%4, {%5}];"                                 \
            : "=" letter(v[0]), "=" letter(v[1]), "=" letter(v[2]), "=" letter(v[3])               \
            : "l"(t), "r"(x));                                                                     \
    }                                                                                              \
    RIDGE_INLINE void ridge_fetch(W *v, cudaTextureObject_t t, float x)                            \
    {                                                                                              \
        asm("tex.1d.v4." type ".f32 {%0, %1, %2, %3}, [%4, {%5}];"                                 \
            : "=" letter(v[0]), "=" letter(v[1]), "=" letter(v[2]), "=" letter(v[3])               \
            : "l"(t), "f"(x));                                                                     \
    }                                                                                              \
    RIDGE_INLINE void ridge_fetch(W *v, cudaTextureObject_t t, float x, float y)                   \
    {                                                                                              \
        asm("tex.2d.v4." type ".f32 {%0, %1, %2, %3}, [%4, {%5, %6}];"                             \
            : "=" letter(v[0]), "=" letter(v[1]), "=" letter(v[2]), "=" letter(v[3])               \
            : "l"(t), "f"(x), "f"(y));                                                             \
    }
RIDGE_FETCH(float, "f32", "f") RIDGE_FETCH(int, "s32", "r") RIDGE_FETCH(unsigned, "u32", "r")

template <class T, class... At>
RIDGE_INLINE T ridge_texture(cudaTextureObject_t t, At... at)
{
    typename ridge_texel<T>::word v[4];
    ridge_fetch(v, t, at...);
    return ridge_texel<T>::of(v);
}
template <class T> RIDGE_INLINE T tex1Dfetch(cudaTextureObject_t t, int x) { return ridge_texture<T>(t, x); }
template <class T> RIDGE_INLINE T tex1D(cudaTextureObject_t t, float x) { return ridge_texture<T>(t, x); }
template <class T> RIDGE_INLINE T tex2D(cudaTextureObject_t t, float x, float y)
{
    return ridge_texture<T>(t, x, y);
}
template <class T> RIDGE_INLINE void tex1Dfetch(T *to, cudaTextureObject_t t, int x) { *to = ridge_texture<T>(t, x); }
template <class T> RIDGE_INLINE void tex1D(T *to, cudaTextureObject_t t, float x) { *to = ridge_texture<T>(t, x); }
template <class T> RIDGE_INLINE void tex2D(T *to, cudaTextureObject_t t, float x, float y)
{
    *to = ridge_texture<T>(t, x, y);
}

// Surfaces move bytes: as many as the type has, x in bytes.
#define RIDGE_SURFACE(N, W, kind, value, results, sources, ...)                                     \
    template <> struct ridge_surface<N> {                                                          \
        static __device__ W word();                                                                \
        RIDGE_SURFACE_MODE(W, kind, value, results, sources, trap, __VA_ARGS__)                    \
        RIDGE_SURFACE_MODE(W, kind, value, results, sources, clamp, __VA_ARGS__)                   \
        RIDGE_SURFACE_MODE(W, kind, value, results, sources, zero, __VA_ARGS__)                    \
    };
#define RIDGE_LIST(...) __VA_ARGS__
#define RIDGE_SURFACE_MODE(W, kind, value, results, sources, mode, at1, at2)                        \
    static __device__ __attribute__((nodebug)) void load_##mode(W *v, cudaSurfaceObject_t s, int x) \
    {                                                                                              \
        asm volatile("suld.b.1d." kind "." #mode " " value ", [" at1 "];"                          \
                     : RIDGE_LIST results                                                          \
                     : "l"(s), "r"(x)                                                              \
                     : "memory");                                                                  \
    }                                                                                              \
    static __device__ __attribute__((nodebug)) void load_##mode(W *v, cudaSurfaceObject_t s, int x, \
                                                               int y)                              \
    {                                                                                              \
        asm volatile("suld.b.2d." kind "." #mode " " value ", [" at2 "];"                          \
                     : RIDGE_LIST results                                                          \
                     : "l"(s), "r"(x), "r"(y)                                                      \
                     : "memory");                                                                  \
    }                                                                                              \
    static __device__ __attribute__((nodebug)) void store_##mode(const W *v, cudaSurfaceObject_t s, \
                                                                int x)                             \
    {                                                                                              \
        asm volatile("sust.b.1d." kind "." #mode " [" at1 "], " value ";" ::RIDGE_LIST sources,    \
                     "l"(s), "r"(x)                                                                \
                     : "memory");                                                                  \
    }                                                                                              \
    static __device__ __attribute__((nodebug)) void store_##mode(const W *v, cudaSurfaceObject_t s, \
                                                                int x, int y)                      \
    {                                                                                              \
        asm volatile("sust.b.2d." kind "." #mode " [" at2 "], " value ";" ::RIDGE_LIST sources,    \
                     "l"(s), "r"(x), "r"(y)                                                        \
                     : "memory");                                                                  \
    }
template <int bytes> struct ridge_surface;
RIDGE_SURFACE(1, unsigned short, "b8", "{%0}", ("=h"(v[0])), ("h"(v[0])), "%1, {%2}", "%1, {%2, %3}")
RIDGE_SURFACE(2, unsigned short, "b16", "{%0}", ("=h"(v[0])), ("h"(v[0])), "%1, {%2}", "%1, {%2, %3}")
RIDGE_SURFACE(4, unsigned, "b32", "{%0}", ("=r"(v[0])), ("r"(v[0])), "%1, {%2}", "%1, {%2, %3}")
RIDGE_SURFACE(8, unsigned, "v2.b32", "{%0, %1}", ("=r"(v[0]), "=r"(v[1])), ("r"(v[0]), "r"(v[1])),
              "%2, {%3}", "%2, {%3, %4}")
RIDGE_SURFACE(16, unsigned, "v4.b32", "{%0, %1, %2, %3}",
              ("=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])),
              ("r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3])), "%4, {%5}", "%4, {%5, %6}")

template <class T, class... At>
RIDGE_INLINE T ridge_surface_read(cudaSurfaceBoundaryMode mode, cudaSurfaceObject_t s, At... at)
{
    unsigned v[4] = {0, 0, 0, 0};
    typedef ridge_surface<sizeof(T)> of;
    T value;
    if (mode == cudaBoundaryModeTrap)
        of::load_trap((decltype(of::word()) *)v, s, at...);
    else if (mode == cudaBoundaryModeClamp)
        of::load_clamp((decltype(of::word()) *)v, s, at...);
    else
        of::load_zero((decltype(of::word()) *)v, s, at...);
    __builtin_memcpy(&value, v, sizeof value);
    return value;
}
template <class T, class... At>
RIDGE_INLINE void ridge_surface_write(cudaSurfaceBoundaryMode mode, T value, cudaSurfaceObject_t s, At... at)
{
    unsigned v[4] = {0, 0, 0, 0};
    typedef ridge_surface<sizeof(T)> of;
    __builtin_memcpy(v, &value, sizeof value);
    if (mode == cudaBoundaryModeTrap)
        of::store_trap((decltype(of::word()) *)v, s, at...);
    else if (mode == cudaBoundaryModeClamp)
        of::store_clamp((decltype(of::word()) *)v, s, at...);
    else
        of::store_zero((decltype(of::word()) *)v, s, at...);
}
#define RIDGE_MODE cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap
template <class T> RIDGE_INLINE T surf1Dread(cudaSurfaceObject_t s, int x, RIDGE_MODE)
{
    return ridge_surface_read<T>(mode, s, x);
}
template <class T> RIDGE_INLINE T surf2Dread(cudaSurfaceObject_t s, int x, int y, RIDGE_MODE)
{
    return ridge_surface_read<T>(mode, s, x, y);
}
template <class T> RIDGE_INLINE void surf1Dread(T *to, cudaSurfaceObject_t s, int x, RIDGE_MODE)
{
    *to = ridge_surface_read<T>(mode, s, x);
}
template <class T> RIDGE_INLINE void surf2Dread(T *to, cudaSurfaceObject_t s, int x, int y, RIDGE_MODE)
{
    *to = ridge_surface_read<T>(mode, s, x, y);
}
template <class T> RIDGE_INLINE void surf1Dwrite(T value, cudaSurfaceObject_t s, int x, RIDGE_MODE)
{
    ridge_surface_write(mode, value, s, x);
}
template <class T> RIDGE_INLINE void surf2Dwrite(T value, cudaSurfaceObject_t s, int x, int y, RIDGE_MODE)
{
    ridge_surface_write(mode, value, s, x, y);
}

// Functions without an attribute are device functions, as with NVRTC's -default-device. Not ended:
// it holds for the user's source. (clang.c compiles without it where it gets in the way: it makes
// clang refuse explicit instantiations of kernel templates.)
#ifdef RIDGE_DEFAULT_DEVICE
#pragma clang force_cuda_host_device begin
#endif

#endif
