// SPDX-License-Identifier: Apache-2.0
// What instructions cost each other: mixes of machine instructions on one SM, the turns of loops whose warps read side by
// side, and accesses to random words of footprints around the L2's. CSV on stdout. Built and run by mixes.sh.
// Usage: mixes [section digits, default 123]
#include "check.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

typedef unsigned u32;
typedef unsigned long long u64;
static int g_sms;
static char *g_buf, *g_aux; // 512 MiB each
static u32 *g_out;
static const size_t MiB = 1 << 20;

template <class T> static T at_share(std::vector<T> v, double p)
{
    if (v.empty()) return 0;
    std::sort(v.begin(), v.end());
    return v[std::min(v.size() - 1, (size_t)(p * v.size()))];
}

// ---------------------------------------------------------------- section 1: mixes on one SM
// A group holds so many of each instruction; a turn has four groups. Chains are two per kind, so 16 warps a scheduler hide them.

struct Mix { int wide, lop, lopi, add3, fadd, ffma, imad, lea, setp, hit4, hit16, lds, madi; };

__device__ __forceinline__ u32 load4(const char *p) { u32 v; asm volatile("ld.global.u32 %0,[%1];" : "=r"(v) : "l"(p)); return v; }
__device__ __forceinline__ u32 load16(const char *p)
{
    [[maybe_unused]] u32 a, b, c, d;
    asm volatile("ld.global.v4.u32 {%0,%1,%2,%3},[%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(p));
    return a ^ d;
}
__device__ __forceinline__ u32 loads(u32 p) { u32 v; asm volatile("ld.shared.u32 %0,[%1];" : "=r"(v) : "r"(p)); return v; }

template <int WIDE, int LOP, int LOPI, int ADD3, int FADD, int FFMA, int IMAD, int LEA, int SETP, int HIT4, int HIT16, int LDS, int MADI>
__global__ void __launch_bounds__(1024, 2) mix(u32 c, int iters, const char *in, u32 *out, u64 *cycles)
{
    extern __shared__ u32 s[];
    u32 l[2], k[2], a[2], m[2], n[2], e[2], sum[4] = {};
    float f[2], g[2];
    u64 w[2];
    for (int i = 0; i < 2; i++) {
        l[i] = threadIdx.x + c + i, k[i] = l[i] * 3, a[i] = l[i] * 5, m[i] = l[i] * 7, e[i] = l[i] * 11, n[i] = l[i] * 13;
        f[i] = c + i, g[i] = c * 2 + i, w[i] = l[i];
    }
    u32 p = 0, v = out[threadIdx.x];
    for (int i = 0; i < 2; i++)
        l[i] ^= v, k[i] ^= v, a[i] ^= v, m[i] ^= v, n[i] ^= v, e[i] ^= v, w[i] ^= v, f[i] += v, g[i] += v;
    const char *q4 = in + (threadIdx.x & 31) * 4 + threadIdx.x / 32 * 2048, *q16 = in + (threadIdx.x & 31) * 16;
    u32 qs = (u32)__cvta_generic_to_shared(s) + threadIdx.x * 4;
    __syncthreads();
    long long t0 = clock64();
#pragma unroll 1
    for (int it = 0; it < iters; it++) {
        const char *r4 = q4 + (it & 1) * 65536, *r16 = q16 + (it & 1) * 65536;
        u32 rs = qs + (it & 1) * 8192;
#pragma unroll
        for (int u = 0; u < 4; u++) {
#pragma unroll
            for (int x = 0; x < 8; x++) {
                int i = (x + u) & 1;
                if (x < HIT4) sum[u] ^= load4(r4 + (u * 4 + x) * 128);
                if (x < HIT16) sum[u] ^= load16(r16 + (u * 4 + x) * 512);
                if (x < LDS) sum[u] ^= loads(rs + (u * 4 + x) * 128);
                int j = i ^ 1; // each chain takes in the other: nothing is constant, nothing folds
                if (x < WIDE) asm volatile("{.reg .u64 q; mul.wide.u32 q,%1,12; add.s64 %0,q,%0;}" : "+l"(w[i]) : "r"((u32)w[j]));
                if (x < LOP) asm volatile("lop3.b32 %0,%0,%1,%2,0xe8;" : "+r"(l[i]) : "r"(l[j]), "r"(v));
                if (x < ADD3) asm volatile("{.reg .u32 t; add.s32 t,%0,%1; add.s32 %0,t,%2;}" : "+r"(a[i]) : "r"(a[j]), "r"(v));
                if (x < FADD) asm volatile("add.f32 %0,%0,%1;" : "+f"(f[i]) : "f"(f[j]));
                if (x < FFMA) asm volatile("fma.rn.f32 %0,%0,%1,%0;" : "+f"(g[i]) : "f"(g[j]));
                if (x < LOPI) asm volatile("lop3.b32 %0,%0,%1,4095,0xe8;" : "+r"(k[i]) : "r"(k[j]));
                if (x < IMAD) asm volatile("mad.lo.s32 %0,%0,%1,%0;" : "+r"(m[i]) : "r"(m[j]));
                if (x < MADI) asm volatile("mad.lo.s32 %0,%0,77,%1;" : "+r"(n[i]) : "r"(n[j]));
                if (x < LEA) asm volatile("{.reg .u32 t; shl.b32 t,%1,12; add.s32 %0,%0,t;}" : "+r"(e[i]) : "r"(e[j]));
                if (x < SETP) asm volatile("{.reg .pred p; setp.lt.s32 p,%0,%1; selp.b32 %0,%1,%2,p;}" : "+r"(p) : "r"(l[i]), "r"(v));
            }
        }
    }
    __syncthreads();
    long long t1 = clock64();
    u32 x = p ^ sum[0] ^ sum[1] ^ sum[2] ^ sum[3];
    for (int i = 0; i < 2; i++) x ^= l[i] ^ k[i] ^ a[i] ^ m[i] ^ n[i] ^ e[i] ^ __float_as_uint(f[i] + g[i]) ^ (u32)w[i] ^ (u32)(w[i] >> 32);
    if (x == 0x12345) *out = x;
    if (threadIdx.x == 0) cycles[blockIdx.x] = (u64)(t1 - t0);
}

template <int WIDE, int LOP, int LOPI, int ADD3, int FADD, int FFMA, int IMAD, int LEA, int SETP, int HIT4, int HIT16, int LDS, int MADI>
static void mix_row(const char *name)
{
    auto kernel = mix<WIDE, LOP, LOPI, ADD3, FADD, FFMA, IMAD, LEA, SETP, HIT4, HIT16, LDS, MADI>;
    static u64 *d;
    if (!d) CHECK(cudaMalloc(&d, 1024 * 8));
    printf("mix,%s", name);
    for (int warps : {64, 32, 16, 8, 4}) {
        int per_sm = warps == 64 ? 2 : 1, threads = warps * 32 / per_sm, iters = 512;
        std::vector<double> took;
        for (int r = 0; r < 3; r++) {
            std::vector<u64> h(g_sms * per_sm);
            kernel<<<g_sms * per_sm, threads, 16384>>>(3, iters, g_buf, g_out, d);
            CHECK(cudaMemcpy(h.data(), d, h.size() * 8, cudaMemcpyDeviceToHost));
            took.push_back(double(at_share(h, 0.5)));
        }
        printf(",%.2f", at_share(took, 0.5) * 4 / (iters * 4.0 * warps)); // cycles of a scheduler per group of one warp
    }
    printf("\n");
}

static void section1()
{
    printf("# mix: cycles of a scheduler per group of a warp, with 64, 32, 16, 8, 4 warps of an SM\n");
    //       wide lop lopi add3 fadd ffma imad lea setp hit4 hit16 lds madi
    mix_row<4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>("4 wide");
    mix_row<0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>("4 lop");
    mix_row<0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>("4 lopi");
    mix_row<0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0>("4 add3");
    mix_row<0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0>("4 fadd");
    mix_row<0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0>("4 ffma");
    mix_row<0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0>("4 imad");
    mix_row<0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4>("4 madi");
    mix_row<0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0>("4 lea");
    mix_row<0, 4, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0>("4 lop 4 setp+mov");
    mix_row<4, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>("4 wide 1 lop");
    mix_row<4, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>("4 wide 2 lop");
    mix_row<4, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>("4 wide 4 lop");
    mix_row<4, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>("4 wide 8 lop");
    mix_row<2, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>("2 wide 8 lop");
    mix_row<4, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>("4 wide 4 lopi");
    mix_row<4, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0>("4 wide 4 add3");
    mix_row<4, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0>("4 wide 1 fadd");
    mix_row<4, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0>("4 wide 2 fadd");
    mix_row<4, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0>("4 wide 4 fadd");
    mix_row<4, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0>("4 wide 8 fadd");
    mix_row<4, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0>("4 wide 4 ffma");
    mix_row<4, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0>("4 wide 4 imad");
    mix_row<4, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0>("4 wide 4 lea");
    mix_row<0, 4, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0>("4 lop 4 fadd");
    mix_row<0, 4, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0>("4 lop 8 fadd");
    mix_row<0, 4, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0>("4 lop 4 imad");
    mix_row<0, 0, 0, 0, 4, 0, 4, 0, 0, 0, 0, 0, 0>("4 fadd 4 imad");
    mix_row<0, 0, 0, 0, 8, 0, 4, 0, 0, 0, 0, 0, 0>("8 fadd 4 imad");
    mix_row<0, 4, 0, 0, 4, 0, 4, 0, 0, 0, 0, 0, 0>("4 lop 4 fadd 4 imad");
    mix_row<0, 0, 4, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0>("4 lopi 4 fadd");
    mix_row<0, 4, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0>("4 lop 4 ffma");
    mix_row<4, 4, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0>("4 wide 4 lop 4 fadd");
    mix_row<4, 4, 4, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0>("4 wide 4 lop 4 lopi 4 fadd");
    mix_row<0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0>("4 hit4");
    mix_row<0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0>("4 hit16");
    mix_row<0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0>("4 lds");
    mix_row<0, 4, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0>("4 lop 4 hit4");
    mix_row<0, 8, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0>("8 lop 4 hit4");
    mix_row<4, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0>("4 wide 4 hit4");
    mix_row<4, 4, 4, 0, 4, 0, 0, 0, 0, 4, 0, 0, 0>("4 wide 4 lop 4 lopi 4 fadd 4 hit4");
    mix_row<0, 4, 4, 0, 4, 0, 0, 0, 0, 4, 0, 0, 0>("4 lop 4 lopi 4 fadd 4 hit4");
    mix_row<0, 8, 0, 0, 8, 0, 0, 0, 0, 0, 4, 0, 0>("8 lop 8 fadd 4 hit16");
    mix_row<0, 8, 0, 0, 8, 0, 0, 0, 0, 0, 0, 4, 0>("8 lop 8 fadd 4 lds");
    mix_row<4, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0>("4 wide 4 lop 4 lds");
}

// ---------------------------------------------------------------- section 2: turns of loops that read side by side
// Every warp reads 32 * BYTES of a window that all warps of the grid share, waits, adds to shared memory if so told, goes on
// to the next window. Each turn's wait is kept.

enum { TURNS = 64 };

template <int BYTES, int ATOMIC> __global__ void __launch_bounds__(256) turns(const char *in, u32 *out, u64 page, int turns_run, u32 never)
{
    __shared__ u32 bins[256];
    __shared__ unsigned short kept[8][TURNS];
    bins[threadIdx.x] = 0;
    __syncthreads();
    u32 warp = threadIdx.x / 32, lane = threadIdx.x & 31;
    u64 at = ((u64)blockIdx.x * 256 + threadIdx.x) * BYTES;
    u32 sum = 0;
#pragma unroll 1
    for (int t = 0; t < turns_run; t++) {
        u32 v;
        long long t0 = clock64();
        if (BYTES == 1) asm volatile("{.reg .u16 h; ld.global.u8 h,[%1]; cvt.u32.u16 %0,h;}" : "=r"(v) : "l"(in + at));
        if (BYTES == 4) v = load4(in + at);
        if (BYTES == 16) v = load16(in + at);
        asm volatile("and.b32 %0,%0,255;" : "+r"(v));
        if (v == never) __trap(); // the clock is read after the branch, which waits for the load
        u32 took = (u32)(clock64() - t0);
        if (ATOMIC) atomicAdd(&bins[v], 1u);
        else sum += v;
        if (lane == 0) kept[warp][t] = (unsigned short)min(took, 65535u);
        at += page;
    }
    __syncthreads();
    for (int t = (int)lane; t < turns_run; t += 32)
        out[((u64)blockIdx.x * 8 + warp) * TURNS + t] = kept[warp][t];
    if (sum + bins[threadIdx.x] == 0x12345) out[0] = sum;
}

// How the caches are before: with clean lines of another buffer, with dirty ones, or with the data.
static void caches(int how, size_t bytes)
{
    if (how == 0) { CHECK(cudaMemset(g_aux, 1, 256 * MiB)); CHECK(cudaMemcpy(g_aux, g_aux + 256 * MiB, 256 * MiB, cudaMemcpyDeviceToDevice)); }
    if (how == 1) CHECK(cudaMemset(g_aux, 2, 256 * MiB));
    if (how == 2) CHECK(cudaMemcpy(g_aux, g_buf, bytes, cudaMemcpyDeviceToDevice));
    CHECK(cudaDeviceSynchronize());
}

template <int BYTES, int ATOMIC> static void turn_row(int blocks, int how)
{
    u64 page = (u64)blocks * 256 * BYTES;
    int run = (int)std::min<u64>(TURNS, 256 * MiB / page);
    std::vector<u32> h((size_t)blocks * 8 * TURNS);
    cudaEvent_t e0, e1;
    CHECK(cudaEventCreate(&e0));
    CHECK(cudaEventCreate(&e1));
    std::vector<double> all;
    float ms = 0;
    for (int r = 0; r < 3; r++) {
        caches(how, std::min<u64>(page * run, 256 * MiB));
        CHECK(cudaEventRecord(e0));
        turns<BYTES, ATOMIC><<<blocks, 256>>>(g_buf, g_out, page, run, 256);
        CHECK(cudaEventRecord(e1));
        CHECK(cudaMemcpy(h.data(), g_out, h.size() * 4, cudaMemcpyDeviceToHost));
        CHECK(cudaEventElapsedTime(&ms, e0, e1));
    }
    double first = 0, rest = 0, crossed = 0;
    long long firsts = 0, rests = 0, crosses = 0;
    for (size_t w = 0; w < (size_t)blocks * 8; w++)
        for (int t = 0; t < run; t++) {
            double x = h[w * TURNS + t];
            u64 from = page * t, before = t ? page * (t - 1) : 0;
            all.push_back(x);
            if (t == 0) first += x, firsts++;
            else if ((from + page) / (2 * MiB) != (before + page) / (2 * MiB)) crossed += x, crosses++;
            else rest += x, rests++;
        }
    printf("turns,%d,%d,%d,%s,%d,%.1f,%.0f,%.0f,%.0f,%.0f,%.0f,%.0f,%.0f\n", BYTES, ATOMIC, blocks, how == 0 ? "clean" : how == 1 ? "dirty" : "warm", run, ms * 1000,
        at_share(all, 0.1), at_share(all, 0.5), at_share(all, 0.9), at_share(all, 0.99), first / std::max(1ll, firsts),
        crossed / std::max(1ll, crosses), rest / std::max(1ll, rests));
}

static void section2()
{
    printf("# turns: bytes per lane, atomic, blocks of 256, caches, turns, us; cycles of a turn's load: 10 %%, median, 90 %%, 99 %%, mean of the "
           "first, of those into another 2 MiB, of the others\n");
    for (int how : {0, 1, 2})
        for (int per : {1, 2, 4, 8}) {
            turn_row<1, 0>(g_sms * per, how);
            turn_row<1, 1>(g_sms * per, how);
            turn_row<4, 0>(g_sms * per, how);
            turn_row<4, 1>(g_sms * per, how);
            if (per == 8) turn_row<16, 0>(g_sms * per, how);
        }
    for (int blocks : {1, 8, 33, 66}) turn_row<1, 1>(blocks, 0);
    for (int blocks : {1, 8, 33, 66}) turn_row<4, 0>(blocks, 0);
}

// ---------------------------------------------------------------- section 3: random words
enum { LOAD, STORE, RED, ATOM, STORE_SECTOR };

template <int OP> __global__ void random_words(u32 *p, u32 mask, u32 *out)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x, h = i;
    h = (h ^ h >> 16) * 0x7feb352du;
    h = (h ^ h >> 15) * 0x846ca68bu;
    h = (h ^ h >> 16) & mask;
    if (OP == LOAD && p[h] == 0x12345) *out = i;
    if (OP == STORE) p[h] = i;
    if (OP == RED) atomicAdd(&p[h], 2u);
    if (OP == ATOM && atomicExch(&p[h], i) == ~0u) *out = i;
    if (OP == STORE_SECTOR) { // a whole sector by eight neighbours
        u32 k = (i / 8) * 0x9e3779b1u;
        k = (k ^ k >> 16) * 0x7feb352du;
        p[((k ^ k >> 15) * 8 & mask) + i % 8] = i;
    }
}

template <int OP> static void random_row(const char *name, size_t words, int how)
{
    cudaEvent_t e0, e1;
    CHECK(cudaEventCreate(&e0));
    CHECK(cudaEventCreate(&e1));
    std::vector<float> us;
    for (int r = 0; r < 5; r++) {
        float ms;
        caches(how, words * 4);
        CHECK(cudaEventRecord(e0));
        random_words<OP><<<16384, 256>>>((u32 *)g_buf, (u32)words - 1, g_out);
        CHECK(cudaEventRecord(e1));
        CHECK(cudaEventSynchronize(e1));
        CHECK(cudaEventElapsedTime(&ms, e0, e1));
        us.push_back(ms * 1000);
    }
    printf("random,%s,%zu,%s,%.1f\n", name, words * 4 / MiB, how == 0 ? "clean" : how == 1 ? "dirty" : "warm", at_share(us, 0.5));
}

static void section3()
{
    printf("# random: operation on 4 Mi random words (store-sector: 8 neighbours each), MiB of footprint, caches before, us\n");
    for (size_t words = 1 << 20; words <= (64u << 20); words *= 2)
        for (int how : {0, 1, 2}) {
            random_row<LOAD>("load", words, how);
            random_row<STORE>("store", words, how);
            random_row<RED>("red", words, how);
            random_row<ATOM>("exch", words, how);
            random_row<STORE_SECTOR>("store-sector", words, how);
        }
    for (size_t words : {1 << 8, 1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18}) {
        random_row<RED>("red-small", words, 2);
        random_row<ATOM>("exch-small", words, 2);
        random_row<STORE>("store-small", words, 2);
    }
}

__global__ void scatter(u32 *p, size_t n)
{
    for (size_t i = blockIdx.x * 256 + threadIdx.x; i < n; i += (size_t)gridDim.x * 256) {
        u32 h = (u32)i;
        h = (h ^ h >> 16) * 0x7feb352du;
        p[i] = (h ^ h >> 15) * 0x846ca68bu;
    }
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "123";
    CHECK(cudaDeviceGetAttribute(&g_sms, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaMalloc(&g_buf, 512 * MiB));
    CHECK(cudaMalloc(&g_aux, 512 * MiB));
    CHECK(cudaMalloc(&g_out, 64 * MiB));
    scatter<<<4096, 256>>>((u32 *)g_buf, 512 * MiB / 4);
    CHECK(cudaMemset(g_out, 1, 64 * MiB));
    if (strchr(what, '1')) section1();
    if (strchr(what, '2')) section2();
    if (strchr(what, '3')) section3();
    return 0;
}
