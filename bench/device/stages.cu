// The load/store unit's stages, branches, constants and lines that all SMs walk in step: cycles per turn of a block, the mean of its
// blocks. CSV: test,parameter,warps,blocks,cycles. For the model of time (docs/h200-rates.md, sections 2 and 3).
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define CK(x)                                                       \
    do {                                                            \
        cudaError_t e = (x);                                        \
        if (e != cudaSuccess) {                                     \
            fprintf(stderr, "%s: %s\n", #x, cudaGetErrorString(e)); \
            exit(1);                                                \
        }                                                           \
    } while (0)
__device__ __forceinline__ long long now()
{
    long long t;
    asm volatile("mov.u64 %0, %clock64;" : "=l"(t));
    return t;
}
__device__ __forceinline__ float ldf(const void *p)
{
    float v;
    asm volatile("ld.global.f32 %0, [%1];" : "=f"(v) : "l"(p));
    return v;
}
__device__ __forceinline__ unsigned ldu(const void *p)
{
    unsigned v;
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(p));
    return v;
}
__device__ __forceinline__ void stf(void *p, float v)
{
    asm volatile("st.global.f32 [%0], %1;" ::"l"(p), "f"(v));
}
struct A {
    char *buf;
    long long *out;
    int turns, p, stride;
};
__device__ float sink;
#define DONE(s)                          \
    do {                                 \
        __syncthreads();                 \
        long long t1 = now();            \
        if (threadIdx.x == 0)            \
            a.out[blockIdx.x] = t1 - t0; \
        if ((s) == 77777776.f)           \
            sink = (float)(s);           \
    } while (0)

// 1: loads of 32 lines that hit (all lanes in one bank), p2 stores to 32 lines each in part. p = loads*16+stores
template <int L, int S> __global__ void mix(A a)
{
    int lane = threadIdx.x % 32, w = threadIdx.x / 32;
    float s = 0;
    const float *in = (const float *)(a.buf + lane * 128 + w * 4096 % 65536);
    float *o = (float *)(a.buf + (64 << 20) + ((size_t)blockIdx.x << 20) + lane * 128 + w * 4096);
    for (int k = 0; k < 4; k++)
        s += ldf(in + k);
    __syncthreads();
    long long t0 = now();
#pragma unroll 1
    for (int i = 0; i < a.turns; i++) {
        float v[L > 0 ? L : 1];
#pragma unroll
        for (int k = 0; k < L; k++)
            v[k] = ldf(in + ((k + i) & 7));
#pragma unroll
        for (int k = 0; k < L; k++)
            s += v[k];
#pragma unroll
        for (int k = 0; k < S; k++)
            stf(o + ((k + i) & 7), s + i);
    }
    DONE(s);
}
// 2: one sector per lane that misses L1 (L2 has it), then p-1 more words of the same sectors, all used at the end of the turn; stride between lanes
template <int P> __global__ void pend(A a)
{
    size_t t = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    const float *in = (const float *)(a.buf + t * a.stride);
    __syncthreads();
    long long t0 = now();
#pragma unroll 1
    for (int i = 0; i < a.turns; i++) {
        float v[P];
#pragma unroll
        for (int k = 0; k < P; k++)
            v[k] = ldf(in + k);
#pragma unroll
        for (int k = 0; k < P; k++)
            s += v[k];
        in += 8;
        if (s == 77.7f)
            in += 1;
    }
    DONE(s);
}
// 3: latency of L1 hits by width; mode 0: all lanes one address, 1: unit stride, 2: a line each (one bank)
template <int B> __global__ void lat(A a)
{
    int lane = threadIdx.x % 32;
    size_t off = a.p == 0 ? 0 : a.p == 1 ? lane * B : lane * 128;
    const char *p = a.buf + off;
    unsigned x = ldu(p), y = 0, z = 0, q = 0;
    __syncthreads();
    long long t0 = now();
#pragma unroll 1
    for (int i = 0; i < a.turns; i++) {
#pragma unroll
        for (int k = 0; k < 4; k++) {
            if (B == 4)
                asm volatile("ld.global.u32 %0, [%1];" : "=r"(x) : "l"(p + x));
            if (B == 8) {
                asm volatile("ld.global.v2.u32 {%0,%1}, [%2];" : "=r"(x), "=r"(y) : "l"(p + x));
                x |= y;
            }
            if (B == 16) {
                asm volatile("ld.global.v4.u32 {%0,%1,%2,%3}, [%4];"
                             : "=r"(x), "=r"(y), "=r"(z), "=r"(q)
                             : "l"(p + x));
                x |= y | z | q;
            }
        }
    }
    DONE((float)(x + y + z + q));
}
// 4: branches: p = 0 no branch, 1 a side way that no lane takes, 2 that all take, 3 that half take (long enough not to be predicated)
template <int M> __global__ void way(A a)
{
    float s = threadIdx.x, c = a.p + 0.5f;
    int lane = threadIdx.x % 32;
    __syncthreads();
    long long t0 = now();
#pragma unroll 1
    for (int i = 0; i < a.turns; i++) {
        bool q = M == 1 ? s < -1e30f : M == 2 ? s > -1e30f : (lane & 1) && s > -1e30f;
        if (M == 0 || q) {
#pragma unroll
            for (int k = 0; k < 16; k++)
                s = s * c + 1.5f;
            if (M > 0)
                asm volatile("" ::: "memory");
        }
        s += 1;
    }
    DONE(s);
}
// 5: a division with its slow way, alone
template <int M> __global__ void quot(A a)
{
    float s = threadIdx.x + 1, c = a.p + 1.5f;
    __syncthreads();
    long long t0 = now();
#pragma unroll 1
    for (int i = 0; i < a.turns; i++)
        s = M == 0 ? __fdividef(s, c) + 1.f : M == 1 ? s / c + 1.f : __frcp_rn(s) + 1.f;
    DONE(s);
}
// 6: constants at an index that lanes share, in memory order; dependent or not
__constant__ float table[4096];
__constant__ int chase_c[4096];
template <int M> __global__ void cst(A a)
{
    float s = 0;
    int j = a.p;
    int base = M == 2 ? threadIdx.x / 32 * 8 : 0;
    __syncthreads();
    long long t0 = now();
#pragma unroll 1
    for (int i = 0; i < a.turns; i++) {
        if (M == 0) {
            j = chase_c[j + (threadIdx.x >> 10)];
            s += j;
        } else {
#pragma unroll
            for (int k = 0; k < 8; k++)
                s += table[(base + (i & 15) * 8 + k + (threadIdx.x >> 10)) & 4095];
        }
    }
    DONE(s);
}
// 7: all SMs walk the same lines in step, each for the first time (device memory): p = loads of a turn
template <int P> __global__ void convoy(A a)
{
    int lane = threadIdx.x % 32, w = threadIdx.x / 32 % 4;
    float s = 0;
    const float *in = (const float *)a.buf + lane + w * 32;
    __syncthreads();
    long long t0 = now();
#pragma unroll 1
    for (int i = 0; i < a.turns; i++) {
        float v[P];
#pragma unroll
        for (int k = 0; k < P; k++)
            v[k] = ldf(in + (size_t)k * a.stride / 4);
#pragma unroll
        for (int k = 0; k < P; k++)
            s += v[k];
        in += (size_t)P * a.stride / 4;
        if (s == 77.7f)
            in += 1;
    }
    DONE(s);
}
// 8: chain of matrix products; p chains
template <int P> __global__ void mm(A a)
{
    float c[P][4] = {};
    unsigned x = a.p, y = a.p + 1;
    __syncthreads();
    long long t0 = now();
#pragma unroll 1
    for (int i = 0; i < a.turns; i++)
#pragma unroll
        for (int k = 0; k < P; k++)
            asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, "
                         "{%4,%4,%4,%4}, {%5,%5}, {%0,%1,%2,%3};"
                         : "+f"(c[k][0]), "+f"(c[k][1]), "+f"(c[k][2]), "+f"(c[k][3])
                         : "r"(x), "r"(y));
    float s = 0;
    for (int k = 0; k < P; k++)
        s += c[k][0];
    DONE(s);
}
// 9: a load that hits L1 at once behind a store to other lines: p = lines of the store
__global__ void behind(A a)
{
    int lane = threadIdx.x % 32;
    const unsigned *p = (const unsigned *)a.buf + lane;
    unsigned x = ldu(p);
    char *o = a.buf + (64 << 20) + ((size_t)blockIdx.x << 20) + threadIdx.x / 32 * 4096 +
              (a.p == 32  ? lane * 128
               : a.p == 8 ? lane % 8 * 128 + lane / 8 * 4
                          : lane * 4);
    __syncthreads();
    long long t0 = now();
#pragma unroll 1
    for (int i = 0; i < a.turns; i++) {
        if (a.p)
            stf(o, __uint_as_float(x));
        x = ldu(p + x);
    }
    DONE((float)x);
}
static char *buf;
static long long *out, host[4096];
template <class K>
static void go(const char *name, K k, int p, int warps, int blocks, int turns, int stride = 0,
               bool cold = false)
{
    A a = {buf, out, turns, p, stride};
    double best = 1e30;
    for (int r = 0; r < 3; r++) {
        if (cold) {
            CK(cudaMemset(buf + ((size_t)256 << 20), r, (size_t)256 << 20));
        }
        k<<<blocks, warps * 32>>>(a);
        CK(cudaDeviceSynchronize());
        CK(cudaMemcpy(host, out, sizeof(long long) * blocks, cudaMemcpyDeviceToHost));
        double s = 0;
        for (int i = 0; i < blocks; i++)
            s += host[i];
        if (s / blocks < best)
            best = s / blocks;
    }
    printf("%s,%d,%d,%d,%.1f\n", name, p, warps, blocks, best / turns);
    fflush(stdout);
}
int main()
{
    CK(cudaMalloc(&buf, (size_t)512 << 20));
    CK(cudaMalloc(&out, sizeof host));
    CK(cudaMemset(buf, 0, (size_t)512 << 20));
    const int W[] = {1, 2, 4, 8, 16};
    printf("test,parameter,warps,blocks,cycles per turn\n");
    for (int b = 1; b <= 132; b += 131)
        for (int w : W) {
            go("mix 4 loads", mix<4, 0>, 40, w, b, 400);
            go("mix 2 stores", mix<0, 2>, 2, w, b, 400);
            go("mix 4 loads 1 store", mix<4, 1>, 41, w, b, 400);
            go("mix 4 loads 2 stores", mix<4, 2>, 42, w, b, 400);
            go("mix 2 loads 1 store", mix<2, 1>, 21, w, b, 400);
        }
    for (int b = 1; b <= 132; b += 131)
        for (int w : W)
            for (int st : {1024, 1056}) {
                int n = 120;
                if (st * w * 32 * (size_t)b > ((size_t)48 << 20))
                    continue;
                go(st == 1024 ? "pend same bank" : "pend", pend<1>, 1, w, b, n / 4, st);
                go(st == 1024 ? "pend same bank" : "pend", pend<4>, 4, w, b, n / 4, st);
                go(st == 1024 ? "pend same bank" : "pend", pend<8>, 8, w, b, n / 4, st);
            }
    for (int m = 0; m < 3; m++)
        for (int w : {1, 8}) {
            go("lat 4", lat<4>, m, w, 1, 400);
            go("lat 8", lat<8>, m, w, 1, 400);
            go("lat 16", lat<16>, m, w, 1, 400);
        }
    for (int w : {1, 4, 8, 32}) {
        go("way none", way<0>, 0, w, 1, 800);
        go("way untaken", way<1>, 1, w, 1, 800);
        go("way taken", way<2>, 2, w, 1, 800);
        go("way parted", way<3>, 3, w, 1, 800);
    }
    for (int w : {1, 4, 8, 32}) {
        go("quotient fast", quot<0>, 0, w, 1, 800);
        go("quotient rn", quot<1>, 1, w, 1, 800);
        go("reciprocal rn", quot<2>, 2, w, 1, 800);
    }
    for (int w : {1, 4, 8, 32}) {
        go("constants chase", cst<0>, 0, w, 1, 400);
        go("constants 8", cst<1>, 0, w, 1, 400);
        go("constants 8 by warp", cst<2>, 0, w, 1, 400);
    }
    for (int b : {1, 2, 16, 66, 132})
        for (int w : {1, 4, 16}) {
            go("convoy", convoy<1>, 1, w, b, 200, 4096, true);
            go("convoy", convoy<2>, 2, w, b, 200, 4096, true);
            go("convoy", convoy<4>, 4, w, b, 200, 4096, true);
        }
    for (int w : {1, 4, 8, 16}) {
        go("mma chains", mm<1>, 1, w, 1, 400);
        go("mma chains", mm<2>, 2, w, 1, 400);
        go("mma chains", mm<4>, 4, w, 1, 400);
    }
    for (int w : {1, 4, 8})
        for (int p : {0, 1, 8, 32})
            go("behind a store", behind, p, w, 1, 400);
    return 0;
}
