// Units of an SM by themselves: instructions of three registers, f64, shared memory without lanes and by width, constants at
// indices, matrix instructions, lanes that diverge. For tuning the model of time.
// SPDX-License-Identifier: Apache-2.0
#include <mma.h>

#define TURNS 32
#define EACH(body)                                     \
    _Pragma("unroll 1") for (int i = 0; i < TURNS; i++) { \
        _Pragma("unroll") for (int k = 0; k < 16; k++) { body; } \
    }
template <class O, class T> __device__ void keep(O *out, T x)
{
    if (x == (T)0x12345677)
        out[threadIdx.x] = (O)x;
}

#define INTEGERS(name, step)                                                                   \
    extern "C" __global__ void name(unsigned *out, unsigned p, unsigned q)                     \
    {                                                                                          \
        unsigned a = threadIdx.x * p, b = a ^ q, c = b * 3 + p, d = c ^ a, e = blockIdx.x ^ p; \
        EACH(step(a, b, e); step(b, c, e); step(c, d, e); step(d, a, e))                       \
        keep(out, a + b + c + d + e);                                                          \
    }
#define IADD3(x, y, z) asm volatile("{.reg .u32 t; add.u32 t, %0, %1; add.u32 %0, t, %2;}" : "+r"(x) : "r"(y), "r"(z))
#define IADD(x, y, z) asm volatile("add.u32 %0, %0, %1;" : "+r"(x) : "r"(y))
#define LOP(x, y, z) asm volatile("xor.b32 %0, %0, %1;" : "+r"(x) : "r"(y))
#define LOP3(x, y, z) asm volatile("lop3.b32 %0, %0, %1, %2, 0x96;" : "+r"(x) : "r"(y), "r"(z))
#define SHF(x, y, z) asm volatile("shf.l.wrap.b32 %0, %0, %1, 7;" : "+r"(x) : "r"(y))
#define SHF3(x, y, z) asm volatile("shf.l.wrap.b32 %0, %0, %1, %2;" : "+r"(x) : "r"(y), "r"(z))
#define PRMT(x, y, z) asm volatile("prmt.b32 %0, %0, %1, 0x4321;" : "+r"(x) : "r"(y))
#define IMAD(x, y, z) asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(x) : "r"(y), "r"(z))
#define IMIN(x, y, z) asm volatile("min.s32 %0, %0, %1;" : "+r"(x) : "r"(y))
#define SETSEL(x, y, z) asm volatile("{.reg .pred t; setp.lt.s32 t, %0, %1; selp.b32 %0, %0, %2, t;}" : "+r"(x) : "r"(y), "r"(z))
#define POPC(x, y, z) asm volatile("popc.b32 %0, %0;" : "+r"(x))
INTEGERS(int_add3, IADD3)
INTEGERS(int_add, IADD)
INTEGERS(int_xor, LOP)
INTEGERS(int_lop3, LOP3)
INTEGERS(int_shift, SHF)
INTEGERS(int_shift3, SHF3)
INTEGERS(int_permute, PRMT)
INTEGERS(int_mad, IMAD)
INTEGERS(int_min, IMIN)
INTEGERS(int_select, SETSEL)

#define FLOATS(name, step)                                                                     \
    extern "C" __global__ void name(float *out, float p, float q)                            \
    {                                                                                          \
        float a = threadIdx.x * p, b = a + q, c = b * 3 + p, d = c + a, e = blockIdx.x + p;    \
        EACH(step(a, b, e); step(b, c, e); step(c, d, e); step(d, a, e))                       \
        keep(out, a + b + c + d + e);                                                          \
    }
#define FFMA(x, y, z) asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x) : "f"(y), "f"(z))
#define FADD(x, y, z) asm volatile("add.rn.f32 %0, %0, %1;" : "+f"(x) : "f"(y))
#define FMIN(x, y, z) asm volatile("min.f32 %0, %0, %1;" : "+f"(x) : "f"(y))
#define FSETSEL(x, y, z) asm volatile("{.reg .pred t; setp.lt.f32 t, %0, %1; selp.f32 %0, %0, %2, t;}" : "+f"(x) : "f"(y), "f"(z))
#define RSQRT(x, y, z) asm volatile("rsqrt.approx.ftz.f32 %0, %0;" : "+f"(x))
#define RSQRT_FMA(x, y, z) asm volatile("{.reg .f32 t; rsqrt.approx.ftz.f32 t, %0; fma.rn.f32 %0, t, %1, %2;}" : "+f"(x) : "f"(y), "f"(z))
#define TO_INT(x, y, z) asm volatile("{.reg .s32 t; cvt.rzi.s32.f32 t, %0; cvt.rn.f32.s32 %0, t;}" : "+f"(x))
FLOATS(f32_fma, FFMA)
FLOATS(f32_add, FADD)
FLOATS(f32_min, FMIN)
FLOATS(f32_select, FSETSEL)
FLOATS(f32_rsqrt, RSQRT)
FLOATS(f32_rsqrt_fma, RSQRT_FMA)
FLOATS(f32_to_int, TO_INT)

#define DOUBLES(name, step)                                                                     \
    extern "C" __global__ void name(double *out, double p, double q)                            \
    {                                                                                          \
        double a = threadIdx.x * p, b = a + q, c = b * 3 + p, d = c + a, e = blockIdx.x + p;    \
        EACH(step(a, b, e); step(b, c, e); step(c, d, e); step(d, a, e))                       \
        keep(out, a + b + c + d + e);                                                          \
    }
#define DFMA(x, y, z) asm volatile("fma.rn.f64 %0, %0, %1, %2;" : "+d"(x) : "d"(y), "d"(z))
#define DADD(x, y, z) asm volatile("add.rn.f64 %0, %0, %1;" : "+d"(x) : "d"(y))
#define DSETSEL(x, y, z) asm volatile("{.reg .pred t; setp.lt.f64 t, %0, %1; selp.f64 %0, %0, %2, t;}" : "+d"(x) : "d"(y), "d"(z))
#define DCVT(x, y, z) asm volatile("{.reg .f32 t; cvt.rn.f32.f64 t, %0; cvt.f64.f32 %0, t;}" : "+d"(x))
DOUBLES(f64_fma, DFMA)
DOUBLES(f64_add, DADD)
DOUBLES(f64_select, DSETSEL)
DOUBLES(f64_to_f32, DCVT)

// Shared memory, as in a tree: threads from `limit` on take part in nothing of it. `limit` is a multiple of 32, or below.
template <int BARRIER> __device__ void tree_steps(float *out, int limit)
{
    __shared__ float s[1024];
    volatile float *x = s;
    int t = threadIdx.x;
    s[t] = t;
    s[t + 256] = t;
    __syncthreads();
#pragma unroll 1
    for (int i = 0; i < TURNS; i++) {
#pragma unroll
        for (int k = 0; k < 8; k++) {
            if (t < limit)
                x[t] += x[t + 256 - k];
            if (BARRIER)
                __syncthreads();
        }
    }
    keep(out, s[t]);
}
extern "C" __global__ void tree_apart(float *out, int limit) { tree_steps<0>(out, limit); }
extern "C" __global__ void tree_barriers(float *out, int limit) { tree_steps<1>(out, limit); }

template <class T> __device__ float first_of(T v);
template <> __device__ float first_of(float v) { return v; }
template <> __device__ float first_of(float2 v) { return v.x + v.y; }
template <> __device__ float first_of(float4 v) { return v.x + v.y + v.z + v.w; }
template <> __device__ float first_of(double v) { return (float)v; }

// Words of a width, each lane's own or all lanes the same.
template <class T> __device__ void shared_wide(float *out, int step)
{
    __shared__ T s[512];
    int t = threadIdx.x;
    for (int i = t; i < 512; i += blockDim.x)
        s[i] = T();
    __syncthreads();
    float sum = 0;
    int at = t * step & 255;
#pragma unroll 1
    for (int i = 0; i < TURNS; i++) {
#pragma unroll
        for (int k = 0; k < 16; k++)
            sum += first_of(s[at + k * 16]);
        at ^= i & step;
    }
    keep(out, sum);
}
extern "C" __global__ void shared_4(float *out, int step) { shared_wide<float>(out, step); }
extern "C" __global__ void shared_8(float *out, int step) { shared_wide<float2>(out, step); }
extern "C" __global__ void shared_16(float *out, int step) { shared_wide<float4>(out, step); }

// Products whose factors come from shared memory: a tile's row and column.
template <class T> __device__ void tile_product(T *out, T a)
{
    __shared__ T rows[16][17], columns[16][17];
    int x = threadIdx.x % 16, y = threadIdx.x / 16;
    rows[y][x] = columns[y][x] = a * x;
    __syncthreads();
    T sum = 0;
#pragma unroll 1
    for (int i = 0; i < TURNS; i++) {
#pragma unroll
        for (int k = 0; k < 16; k++)
            sum += rows[y][k] * columns[k][x];
        __syncthreads();
    }
    keep(out, sum);
}
extern "C" __global__ void tile_f32(float *out, float a) { tile_product(out, a); }
extern "C" __global__ void tile_f64(double *out, double a) { tile_product(out, a); }

// Sixteen products of eight words of shared memory, as in a matrix product with registers.
extern "C" __global__ void tile_registers(float *out, float a)
{
    __shared__ float4 rows[16][16], columns[16][16];
    int x = threadIdx.x % 16, y = threadIdx.x / 16;
    rows[y][x] = columns[y][x] = make_float4(a, x, y, a);
    __syncthreads();
    float sum[4][4] = {};
#pragma unroll 1
    for (int i = 0; i < TURNS; i++) {
#pragma unroll
        for (int k = 0; k < 16; k++) {
            float4 r = rows[k][y], c = columns[k][x];
            float rr[4] = {r.x, r.y, r.z, r.w}, cc[4] = {c.x, c.y, c.z, c.w};
#pragma unroll
            for (int m = 0; m < 4; m++)
#pragma unroll
                for (int n = 0; n < 4; n++)
                    sum[m][n] += rr[m] * cc[n];
        }
        __syncthreads();
    }
    float all = 0;
    for (int m = 0; m < 4; m++)
        for (int n = 0; n < 4; n++)
            all += sum[m][n];
    keep(out, all);
}

__constant__ float table[1024];

// Constants at an index that all lanes have, and at one that a lane has.
extern "C" __global__ void constants_same(float *out, int mask)
{
    float sum = 0;
    int at = blockIdx.x;
    EACH(sum += table[at & mask]; at += 5)
    keep(out, sum);
}

extern "C" __global__ void constants_by_warp(float *out, int mask)
{
    float sum = 0;
    int at = threadIdx.x / 32;
    EACH(sum += table[at & mask]; at += 5)
    keep(out, sum);
}

extern "C" __global__ void constants_once(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = in[i];
#pragma unroll
    for (int k = 0; k < 64; k++)
        sum = sum * table[k] + 1.0f;
    keep(out, sum);
}

// Matrix instructions, one after the other, and several at once.
__device__ void mma_one(float c[4], unsigned a, unsigned b)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%5,%5}, {%0,%1,%2,%3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a), "r"(b));
}

template <int SEVERAL> __device__ void mma_loop(float *out, unsigned a)
{
    float c[SEVERAL][4] = {};
#pragma unroll 1
    for (int i = 0; i < TURNS; i++) {
#pragma unroll
        for (int k = 0; k < 16; k++)
            mma_one(c[k % SEVERAL], a, a + 1);
    }
    float sum = 0;
    for (int k = 0; k < SEVERAL; k++)
        sum += c[k][0] + c[k][3];
    keep(out, sum);
}
extern "C" __global__ void mma_1(float *out, unsigned a) { mma_loop<1>(out, a); }
extern "C" __global__ void mma_2(float *out, unsigned a) { mma_loop<2>(out, a); }
extern "C" __global__ void mma_8(float *out, unsigned a) { mma_loop<8>(out, a); }

// Lanes diverge and meet again, sixteen times a turn.
extern "C" __global__ void diverging(unsigned *out, unsigned p)
{
    unsigned a = threadIdx.x * p, b = 1;
#pragma unroll 1
    for (int i = 0; i < TURNS * 8; i++) {
        if ((a ^ i) & 1) {
#pragma unroll 1
            for (unsigned k = 0; k < p; k++)
                b = b * 3 + a;
        }
        a = a * 5 + b;
    }
    keep(out, a + b);
}

extern "C" __global__ void barriers(float *out, int turns)
{
#pragma unroll 1
    for (int i = 0; i < turns; i++) {
#pragma unroll
        for (int k = 0; k < 8; k++)
            __syncthreads();
    }
    if (turns < 0)
        out[0] = 1;
}
