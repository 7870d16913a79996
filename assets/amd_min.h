// The CUDA C surface for clang's AMDGPU back end without ROCm: included before the user's source when the simulated GPU
// is one of AMD's. Written for `clang -x hip --cuda-device-only -nogpuinc -nogpulib`, clang 14 on. Warps are 32 lanes, as
// in hip_min.h: each half of a wave of 64, or a wave of 32; __shfl_down(…, warpSize) and __ballot are whole waves. Math
// functions are those that the back end makes instructions of.
// SPDX-License-Identifier: Apache-2.0
// A function a line:
// clang-format off
#ifndef RIDGE_AMD_MIN_H
#define RIDGE_AMD_MIN_H

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(n, ...) __attribute__((amdgpu_flat_work_group_size(1, n)))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __grid_constant__
#define __align__(n) __attribute__((aligned(n)))
#ifdef __gfx1100__
#define RIDGE_WAVE_SIZE 32
#else
#define RIDGE_WAVE_SIZE 64
#endif
#define warpSize RIDGE_WAVE_SIZE
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
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned uint;
typedef unsigned long ulong;
#define INFINITY (__builtin_inff())
#define NAN (__builtin_nanf(""))
#define FLT_MAX 3.402823466e+38f
#define FLT_MIN 1.175494351e-38f
#define DBL_MAX 1.7976931348623157e+308
#define INT_MAX 2147483647
#define INT_MIN (-INT_MAX - 1)
#define UINT_MAX 4294967295u
#define UINT32_MAX 4294967295u
#define NULL nullptr

/* ---- vector types --------------------------------------------------------------------------- */

#define RIDGE_VECTOR(T, name, a2, a4)                                     \
    struct name##1 { T x; };                                              \
    struct __attribute__((aligned(a2))) name##2 { T x, y; };              \
    struct name##3 { T x, y, z; };                                        \
    struct __attribute__((aligned(a4))) name##4 { T x, y, z, w; };        \
    RIDGE_INLINE_ANY name##1 make_##name##1(T x) { return {x}; }          \
    RIDGE_INLINE_ANY name##2 make_##name##2(T x, T y) { return {x, y}; }  \
    RIDGE_INLINE_ANY name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; } \
    RIDGE_INLINE_ANY name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }
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
    __host__ __device__ constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
};

/* ---- built-in variables --------------------------------------------------------------------- */

#define RIDGE_INDEX(name, px, py, pz)                                        \
    struct ridge_##name {                                                    \
        __declspec(property(get = get_x)) unsigned x;                        \
        __declspec(property(get = get_y)) unsigned y;                        \
        __declspec(property(get = get_z)) unsigned z;                        \
        RIDGE_INLINE unsigned get_x(void) { return px; }                     \
        RIDGE_INLINE unsigned get_y(void) { return py; }                     \
        RIDGE_INLINE unsigned get_z(void) { return pz; }                     \
        __device__ operator dim3() const { return dim3(px, py, pz); }        \
        __device__ operator uint3() const { return {px, py, pz}; }           \
    };                                                                       \
    extern const __device__ __attribute__((weak)) ridge_##name name;
RIDGE_INDEX(threadIdx, __builtin_amdgcn_workitem_id_x(), __builtin_amdgcn_workitem_id_y(), __builtin_amdgcn_workitem_id_z())
RIDGE_INDEX(blockIdx, __builtin_amdgcn_workgroup_id_x(), __builtin_amdgcn_workgroup_id_y(), __builtin_amdgcn_workgroup_id_z())
RIDGE_INDEX(blockDim, __builtin_amdgcn_workgroup_size_x(), __builtin_amdgcn_workgroup_size_y(), __builtin_amdgcn_workgroup_size_z())
RIDGE_INDEX(gridDim, __builtin_amdgcn_grid_size_x() / __builtin_amdgcn_workgroup_size_x(),
            __builtin_amdgcn_grid_size_y() / __builtin_amdgcn_workgroup_size_y(),
            __builtin_amdgcn_grid_size_z() / __builtin_amdgcn_workgroup_size_z())

/* ---- barriers, fences, time ------------------------------------------------------------------- */

RIDGE_INLINE void __syncthreads(void)
{
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
RIDGE_INLINE void __threadfence(void) { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent"); }
RIDGE_INLINE void __threadfence_block(void) { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup"); }
RIDGE_INLINE void __threadfence_system(void) { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, ""); }
RIDGE_INLINE void __syncwarp(unsigned = 0)
{
    __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
    __builtin_amdgcn_wave_barrier();
}
RIDGE_INLINE long long clock64(void) { return (long long)__builtin_readcyclecounter(); }
RIDGE_INLINE void __nanosleep(unsigned) { __builtin_amdgcn_s_sleep(1); }
RIDGE_INLINE void __trap(void) { __builtin_trap(); }
// Stands for a statement of inline PTX. The simulated GPU knows the trap's number (sim/amd).
[[noreturn]] RIDGE_INLINE void ridge_inline_ptx(void)
{
    asm volatile("s_trap 0x50");
    __builtin_unreachable();
}

/* ---- waves: shuffles, votes ------------------------------------------------------------------- */

RIDGE_INLINE unsigned __lane_id(void) { return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u)); }
RIDGE_INLINE unsigned long long __ballot(int p) { return __builtin_amdgcn_uicmp((unsigned)(p != 0), 0u, 33); }
RIDGE_INLINE unsigned ridge_half(unsigned long long lanes) { return (unsigned)(lanes >> (__lane_id() & (RIDGE_WAVE_SIZE - 32))); }
RIDGE_INLINE unsigned __ballot_sync(unsigned, int p) { return ridge_half(__ballot(p)); }
RIDGE_INLINE int __any_sync(unsigned, int p) { return ridge_half(__ballot(p)) != 0; }
RIDGE_INLINE int __all_sync(unsigned, int p) { return ridge_half(__ballot(!p)) == 0; }
RIDGE_INLINE unsigned __activemask(void) { return ridge_half(__ballot(1)); }

template <typename T> RIDGE_INLINE T ridge_from_lane(T value, int lane)
{
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "shuffle of this type");
    union { T t; int w[sizeof(T) / 4]; } u;
    u.t = value;
    for (unsigned i = 0; i < sizeof(T) / 4; i++)
        u.w[i] = __builtin_amdgcn_ds_bpermute(lane << 2, u.w[i]);
    return u.t;
}
template <typename T> RIDGE_INLINE T __shfl(T v, int lane, int width = warpSize)
{
    int self = (int)__lane_id();
    return ridge_from_lane(v, (self & ~(width - 1)) + (lane & (width - 1)));
}
template <typename T> RIDGE_INLINE T __shfl_up(T v, unsigned by, int width = warpSize)
{
    int self = (int)__lane_id(), from = self - (int)by;
    return ridge_from_lane(v, from < (self & ~(width - 1)) ? self : from);
}
template <typename T> RIDGE_INLINE T __shfl_down(T v, unsigned by, int width = warpSize)
{
    int self = (int)__lane_id(), from = (self & (width - 1)) + (int)by;
    return ridge_from_lane(v, from >= width ? self : self + (int)by);
}
template <typename T> RIDGE_INLINE T __shfl_xor(T v, int by, int width = warpSize)
{
    int self = (int)__lane_id(), from = self ^ by;
    return ridge_from_lane(v, from >= ((self + width) & ~(width - 1)) ? self : from);
}
template <typename T> RIDGE_INLINE T __shfl_sync(unsigned, T v, int lane, int width = 32) { return __shfl(v, lane, width); }
template <typename T> RIDGE_INLINE T __shfl_up_sync(unsigned, T v, unsigned by, int width = 32) { return __shfl_up(v, by, width); }
template <typename T> RIDGE_INLINE T __shfl_down_sync(unsigned, T v, unsigned by, int width = 32) { return __shfl_down(v, by, width); }
template <typename T> RIDGE_INLINE T __shfl_xor_sync(unsigned, T v, int by, int width = 32) { return __shfl_xor(v, by, width); }

// Of the 32 lanes: by five exchanges where all are active, else lane after lane.
#define RIDGE_REDUCE(T, name, joined)                                       \
    RIDGE_INLINE T name(unsigned, T v)                                      \
    {                                                                       \
        unsigned left = __activemask();                                     \
        T a = v, b;                                                         \
        if (left == ~0u) {                                                  \
            for (int by = 16; by > 0; by /= 2)                              \
                b = __shfl_xor(a, by, 32), a = joined;                      \
            return a;                                                       \
        }                                                                   \
        a = __shfl(v, __builtin_ctz(left), 32);                             \
        for (left &= left - 1; left != 0; left &= left - 1)                 \
            b = __shfl(v, __builtin_ctz(left), 32), a = joined;             \
        return a;                                                           \
    }
#define RIDGE_REDUCE_NUMBERS(T)                       \
    RIDGE_REDUCE(T, __reduce_add_sync, a + b)         \
    RIDGE_REDUCE(T, __reduce_min_sync, b < a ? b : a) \
    RIDGE_REDUCE(T, __reduce_max_sync, b > a ? b : a)
RIDGE_REDUCE_NUMBERS(int) RIDGE_REDUCE_NUMBERS(unsigned)
RIDGE_REDUCE(unsigned, __reduce_and_sync, a & b)
RIDGE_REDUCE(unsigned, __reduce_or_sync, a | b)
RIDGE_REDUCE(unsigned, __reduce_xor_sync, a ^ b)

/* ---- bits ------------------------------------------------------------------------------------- */


RIDGE_INLINE int __popc(unsigned v) { return __builtin_popcount(v); }
RIDGE_INLINE int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
RIDGE_INLINE int __clz(int v) { return v ? __builtin_clz((unsigned)v) : 32; }
RIDGE_INLINE int __ffs(int v) { return __builtin_ffs(v); }
RIDGE_INLINE unsigned __brev(unsigned v) { return __builtin_bitreverse32(v); }
RIDGE_INLINE unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a * b) >> 32); }
template <typename To, typename From> RIDGE_INLINE To ridge_bits(From v)
{
    union { From from; To to; } u;
    u.from = v;
    return u.to;
}
RIDGE_INLINE int __float_as_int(float v) { return ridge_bits<int>(v); }
RIDGE_INLINE unsigned __float_as_uint(float v) { return ridge_bits<unsigned>(v); }
RIDGE_INLINE float __int_as_float(int v) { return ridge_bits<float>(v); }
RIDGE_INLINE float __uint_as_float(unsigned v) { return ridge_bits<float>(v); }

/* ---- atomics ---------------------------------------------------------------------------------- */

#define RIDGE_ATOMIC(T, name, builtin) \
    RIDGE_INLINE T name(T *p, T v) { return builtin(p, v, __ATOMIC_RELAXED); }
#define RIDGE_ATOMICS(T)                          \
    RIDGE_ATOMIC(T, atomicAdd, __atomic_fetch_add) \
    RIDGE_ATOMIC(T, atomicSub, __atomic_fetch_sub) \
    RIDGE_ATOMIC(T, atomicMin, __atomic_fetch_min) \
    RIDGE_ATOMIC(T, atomicMax, __atomic_fetch_max) \
    RIDGE_ATOMIC(T, atomicAnd, __atomic_fetch_and) \
    RIDGE_ATOMIC(T, atomicOr, __atomic_fetch_or)   \
    RIDGE_ATOMIC(T, atomicXor, __atomic_fetch_xor) \
    RIDGE_ATOMIC(T, atomicExch, __atomic_exchange_n) \
    RIDGE_INLINE T atomicCAS(T *p, T c, T v)      \
    {                                             \
        __atomic_compare_exchange_n(p, &c, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED); \
        return c;                                 \
    }
RIDGE_ATOMICS(int) RIDGE_ATOMICS(unsigned) RIDGE_ATOMICS(unsigned long long)
// A loop of compare and swap, as HIP without unsafe floating-point atomics.
RIDGE_INLINE double atomicAdd(double *p, double v)
{
    unsigned long long old = *(unsigned long long *)p, seen;
    do {
        seen = old;
        old = atomicCAS((unsigned long long *)p, seen, ridge_bits<unsigned long long>(ridge_bits<double>(seen) + v));
    } while (old != seen);
    return ridge_bits<double>(old);
}
RIDGE_INLINE float atomicAdd(float *p, float v)
{
    unsigned old = *(unsigned *)p, seen;
    do {
        seen = old;
        old = atomicCAS((unsigned *)p, seen, __float_as_uint(__uint_as_float(seen) + v));
    } while (old != seen);
    return __uint_as_float(old);
}

/* ---- memory ----------------------------------------------------------------------------------- */

// The place in LDS: the lower half of a generic address.
RIDGE_INLINE size_t __cvta_generic_to_shared(const void *p) { return (size_t)p & 0xffffffff; }
template <typename T> RIDGE_INLINE T __ldg(const T *p) { return *p; }
template <typename T> RIDGE_INLINE T __ldcg(const T *p) { return *p; }
template <typename T> RIDGE_INLINE T __ldcs(const T *p) { return *p; }
template <typename T> RIDGE_INLINE void __stcs(T *p, T v) { *p = v; }
template <typename T> RIDGE_INLINE void __stcg(T *p, T v) { *p = v; }
template <typename T> RIDGE_INLINE void __stwb(T *p, T v) { *p = v; }

/* ---- math: what the back end makes instructions of ------------------------------------------------ */

#define RIDGE_MATH(name)                                                          \
    RIDGE_INLINE float name##f(float x) { return __builtin_##name##f(x); }        \
    RIDGE_INLINE double name(double x) { return __builtin_##name(x); }            \
    RIDGE_INLINE float name(float x) { return __builtin_##name##f(x); }
RIDGE_MATH(sqrt) RIDGE_MATH(fabs) RIDGE_MATH(floor) RIDGE_MATH(ceil) RIDGE_MATH(trunc) RIDGE_MATH(rint)
// Of floats only: the instructions for doubles are not there.
#define RIDGE_MATH_FLOAT(name) RIDGE_INLINE float name##f(float x) { return __builtin_##name##f(x); } \
    RIDGE_INLINE float name(float x) { return __builtin_##name##f(x); }
RIDGE_MATH_FLOAT(exp) RIDGE_MATH_FLOAT(exp2) RIDGE_MATH_FLOAT(log) RIDGE_MATH_FLOAT(log2) RIDGE_MATH_FLOAT(log10)
RIDGE_MATH_FLOAT(sin) RIDGE_MATH_FLOAT(cos)
// Near zero by its series, where the difference of the other form loses bits.
RIDGE_INLINE float tanhf(float x)
{
    float size = __builtin_fabsf(x), s = x * x;
    float series = x + x * s * (-1.0f / 3 + s * (2.0f / 15 + s * (-17.0f / 315 + s * (62.0f / 2835 - s * (1382.0f / 155925)))));
    return size < 0.4f ? series : __builtin_copysignf(1.0f - 2.0f / (__builtin_expf(2.0f * size) + 1.0f), x);
}
/* ---- math of AMD's device libraries (ocml), where ridge found them --------------------------------- */

#ifdef RIDGE_DEVICE_LIBS
#define RIDGE_OCML1_DOUBLE(name)                                  \
    extern "C" __device__ double __ocml_##name##_f64(double);     \
    RIDGE_INLINE double name(double x) { return __ocml_##name##_f64(x); }
#define RIDGE_OCML1(name)                                         \
    RIDGE_OCML1_DOUBLE(name)                                      \
    extern "C" __device__ float __ocml_##name##_f32(float);       \
    RIDGE_INLINE float name##f(float x) { return __ocml_##name##_f32(x); } \
    RIDGE_INLINE float name(float x) { return __ocml_##name##_f32(x); }
#define RIDGE_OCML2(name)                                         \
    extern "C" __device__ double __ocml_##name##_f64(double, double); \
    extern "C" __device__ float __ocml_##name##_f32(float, float);    \
    RIDGE_INLINE double name(double x, double y) { return __ocml_##name##_f64(x, y); } \
    RIDGE_INLINE float name##f(float x, float y) { return __ocml_##name##_f32(x, y); } \
    RIDGE_INLINE float name(float x, float y) { return __ocml_##name##_f32(x, y); }
RIDGE_OCML1(tan) RIDGE_OCML1(asin) RIDGE_OCML1(acos) RIDGE_OCML1(atan) RIDGE_OCML1(sinh) RIDGE_OCML1(cosh)
RIDGE_OCML1(asinh) RIDGE_OCML1(acosh) RIDGE_OCML1(atanh) RIDGE_OCML1(exp10) RIDGE_OCML1(expm1)
RIDGE_OCML1(log1p) RIDGE_OCML1(cbrt) RIDGE_OCML1(erf) RIDGE_OCML1(erfc) RIDGE_OCML1(lgamma)
RIDGE_OCML1(tgamma)
RIDGE_OCML1_DOUBLE(exp) RIDGE_OCML1_DOUBLE(exp2) RIDGE_OCML1_DOUBLE(log) RIDGE_OCML1_DOUBLE(log2)
RIDGE_OCML1_DOUBLE(log10) RIDGE_OCML1_DOUBLE(sin) RIDGE_OCML1_DOUBLE(cos) RIDGE_OCML1_DOUBLE(tanh)
RIDGE_OCML2(pow) RIDGE_OCML2(atan2) RIDGE_OCML2(hypot) RIDGE_OCML2(fmod) RIDGE_OCML2(remainder)
#endif
RIDGE_INLINE float __expf(float x) { return __builtin_expf(x); }
RIDGE_INLINE float __logf(float x) { return __builtin_logf(x); }
RIDGE_INLINE float __sinf(float x) { return __builtin_sinf(x); }
RIDGE_INLINE float __cosf(float x) { return __builtin_cosf(x); }
RIDGE_INLINE float rsqrtf(float x) { return 1.0f / __builtin_sqrtf(x); }
RIDGE_INLINE float __frcp_rn(float x) { return 1.0f / x; }
RIDGE_INLINE float __fdividef(float x, float y) { return x / y; }
RIDGE_INLINE float fmaf(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
RIDGE_INLINE double fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
RIDGE_INLINE float fminf(float x, float y) { return __builtin_fminf(x, y); }
RIDGE_INLINE float fmaxf(float x, float y) { return __builtin_fmaxf(x, y); }
RIDGE_INLINE double fmin(double x, double y) { return __builtin_fmin(x, y); }
RIDGE_INLINE double fmax(double x, double y) { return __builtin_fmax(x, y); }
#define RIDGE_MINMAX(T)                                        \
    RIDGE_INLINE_ANY T min(T a, T b) { return a < b ? a : b; } \
    RIDGE_INLINE_ANY T max(T a, T b) { return a < b ? b : a; }
RIDGE_MINMAX(int) RIDGE_MINMAX(unsigned) RIDGE_MINMAX(long) RIDGE_MINMAX(unsigned long)
RIDGE_MINMAX(long long) RIDGE_MINMAX(unsigned long long)
RIDGE_INLINE float min(float a, float b) { return fminf(a, b); }
RIDGE_INLINE float max(float a, float b) { return fmaxf(a, b); }
RIDGE_INLINE double min(double a, double b) { return fmin(a, b); }
RIDGE_INLINE double max(double a, double b) { return fmax(a, b); }
RIDGE_INLINE_ANY int abs(int a) { return a < 0 ? -a : a; }

// As in cuda_min.h: functions without an attribute are device functions.
#ifdef RIDGE_DEFAULT_DEVICE
#pragma clang force_cuda_host_device begin
#endif

#endif
