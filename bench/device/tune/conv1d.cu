// Candidates for experiments/conv1d: outputs per thread, where the window and the taps are read from,
// and the depthwise convolution of width 4, channels last.
// SPDX-License-Identifier: Apache-2.0
#include <cuda_bf16.h>

#include "bulk.h"
#include "tune.h"

static __constant__ float taps[512];
static int sms;

static float *x, *y, *yref;
static const float *taps_global;
static size_t n = (size_t)1 << 26;

static __global__ void reference(float *y, const float *x, const float *t, size_t n, int K)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        double sum = 0;
        for (int k = 0; k < K; k++) {
            long long at = (long long)i + k - K / 2;
            if (at >= 0 && at < (long long)n)
                sum += (double)x[at] * t[k];
        }
        y[i] = (float)sum;
    }
}
static __global__ void compare(unsigned *bad, const float *a, const float *b, size_t n, float tolerance)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        if (!(fabsf(a[i] - b[i]) <= tolerance))
            atomicAdd(bad, 1);
}
static bool right(void)
{
    static unsigned *bad;
    unsigned count;
    if (!bad)
        bad = tune_buffer<unsigned>(1);
    CHECK(cudaMemset(bad, 0, 4));
    compare<<<1024, 256>>>(bad, y, yref, n, 1e-4f);
    CHECK(cudaMemcpy(&count, bad, 4, cudaMemcpyDeviceToHost));
    return count == 0;
}

// The tile with its halo to shared memory, 16 bytes per lane; outside of x there are zeros.
template <int THREADS, int QUADS> static __device__ void load_tile(float *s, const float *x, long long base, long long n)
{
    if (base >= 0 && base + QUADS * 4 <= n) {
#pragma unroll
        for (int q = threadIdx.x; q < QUADS; q += THREADS)
            ((float4 *)s)[q] = __ldg((const float4 *)(x + base) + q);
    } else {
        for (int i = threadIdx.x; i < QUADS * 4; i += THREADS)
            s[i] = base + i >= 0 && base + i < n ? x[base + i] : 0;
    }
}
template <int THREADS, int QUADS> static __device__ void load_async(float *s, const float *x, long long base, long long n)
{
    if (base >= 0 && base + QUADS * 4 <= n) {
#pragma unroll
        for (int q = threadIdx.x; q < QUADS; q += THREADS)
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(s + q * 4)), "l"(x + base + q * 4));
        asm volatile("cp.async.wait_all;" ::: "memory");
    } else {
        for (int i = threadIdx.x; i < QUADS * 4; i += THREADS)
            s[i] = base + i >= 0 && base + i < n ? x[base + i] : 0;
    }
}

enum source { CONSTANT, SHARED_TAPS };
enum output { DIRECT, STAGED };

// Each loaded input meets all of the thread's outputs, with the tap of their distance.
template <int K, int R, int THREADS, int MINBLOCKS, int OUT, int ASYNC>
static __global__ void __launch_bounds__(THREADS, MINBLOCKS) unrolled(float *y, const float *x, long long n)
{
    const int TILE = THREADS * R, LEFT = (K / 2 + 3) / 4 * 4, SKIP = LEFT - K / 2;
    const int WINDOW = (SKIP + R + K - 1 + 3) / 4, QUADS = (TILE - R) / 4 + WINDOW;
    __shared__ __align__(16) float s[QUADS * 4];
    long long first = blockIdx.x * (long long)TILE;
    if (ASYNC)
        load_async<THREADS, QUADS>(s, x, first - LEFT, n);
    else
        load_tile<THREADS, QUADS>(s, x, first - LEFT, n);
    __syncthreads();
    float acc[R];
#pragma unroll
    for (int r = 0; r < R; r++)
        acc[r] = 0;
    const float4 *mine = (const float4 *)(s + threadIdx.x * R);
#pragma unroll
    for (int m = 0; m < WINDOW; m++) {
        float4 q = mine[m];
        float e[4] = {q.x, q.y, q.z, q.w};
#pragma unroll
        for (int c = 0; c < 4; c++)
#pragma unroll
            for (int r = 0; r < R; r++) {
                int k = 4 * m + c - SKIP - r;
                if (k >= 0 && k < K)
                    acc[r] = fmaf(e[c], taps[k], acc[r]);
            }
    }
    if (first + TILE > n) {
        for (int r = 0; r < R; r++)
            if (first + threadIdx.x * R + r < n)
                y[first + threadIdx.x * R + r] = acc[r];
        return;
    }
    if (OUT == DIRECT) {
#pragma unroll
        for (int r = 0; r < R; r += 4)
            *(float4 *)(y + first + threadIdx.x * R + r) = make_float4(acc[r], acc[r + 1], acc[r + 2], acc[r + 3]);
    } else {
        __syncthreads();
#pragma unroll
        for (int r = 0; r < R; r += 4)
            *(float4 *)(s + threadIdx.x * R + r) = make_float4(acc[r], acc[r + 1], acc[r + 2], acc[r + 3]);
        __syncthreads();
#pragma unroll
        for (int r = 0; r < R / 4; r++)
            __stcs((float4 *)(y + first) + threadIdx.x + r * THREADS, ((float4 *)s)[threadIdx.x + r * THREADS]);
    }
}

// Blocks stay; the next tile is on its way to shared memory while this one is computed.
template <int K, int R, int THREADS, int MINBLOCKS, int STORE>
static __global__ void __launch_bounds__(THREADS, MINBLOCKS) piped(float *y, const float *x, long long n)
{
    const int TILE = THREADS * R, LEFT = (K / 2 + 3) / 4 * 4, SKIP = LEFT - K / 2;
    const int WINDOW = (SKIP + R + K - 1 + 3) / 4, QUADS = (TILE - R) / 4 + WINDOW;
    extern __shared__ __align__(128) float memory[];
    __shared__ unsigned long long full[2];
    float *o = memory + 2 * QUADS * 4;
    long long tiles = (n + TILE - 1) / TILE;
    auto inner = [&](long long tile) { return tile * TILE - LEFT >= 0 && tile * TILE - LEFT + QUADS * 4 <= n; };
    auto fetch = [&](long long tile, int stage) {
        if (tile < tiles && inner(tile))
            bulk_load(memory + stage * QUADS * 4, x + tile * TILE - LEFT, QUADS * 16, &full[stage]);
    };
    if (threadIdx.x == 0) {
        mbarrier_init(&full[0], 1);
        mbarrier_init(&full[1], 1);
        mbarrier_fence();
        fetch(blockIdx.x, 0);
    }
    __syncthreads();
    int phase[2] = {0, 0}, stage = 0;
    for (long long tile = blockIdx.x; tile < tiles; tile += gridDim.x, stage ^= 1) {
        float *s = memory + stage * QUADS * 4;
        long long first = tile * TILE;
        if (threadIdx.x == 0)
            fetch(tile + gridDim.x, stage ^ 1);
        if (inner(tile)) {
            mbarrier_wait(&full[stage], phase[stage]);
            phase[stage] ^= 1;
        } else {
            for (int i = threadIdx.x; i < QUADS * 4; i += THREADS)
                s[i] = first - LEFT + i >= 0 && first - LEFT + i < n ? x[first - LEFT + i] : 0;
            __syncthreads();
        }
        float acc[R];
#pragma unroll
        for (int r = 0; r < R; r++)
            acc[r] = 0;
        const float4 *mine = (const float4 *)(s + threadIdx.x * R);
#pragma unroll
        for (int m = 0; m < WINDOW; m++) {
            float4 q = mine[m];
            float e[4] = {q.x, q.y, q.z, q.w};
#pragma unroll
            for (int c = 0; c < 4; c++)
#pragma unroll
                for (int r = 0; r < R; r++) {
                    int k = 4 * m + c - SKIP - r;
                    if (k >= 0 && k < K)
                        acc[r] = fmaf(e[c], taps[k], acc[r]);
                }
        }
        if (first + TILE > n) {
            for (int r = 0; r < R; r++)
                if (first + threadIdx.x * R + r < n)
                    y[first + threadIdx.x * R + r] = acc[r];
            return;
        }
        if (STORE) {
            if (threadIdx.x == 0)
                bulk_store_wait();
            __syncthreads();
        }
#pragma unroll
        for (int r = 0; r < R; r += 4)
            *(float4 *)(o + threadIdx.x * R + r) = make_float4(acc[r], acc[r + 1], acc[r + 2], acc[r + 3]);
        if (STORE) {
            bulk_fence();
            __syncthreads();
            if (threadIdx.x == 0)
                bulk_store(y + first, o, TILE * 4);
        } else {
            __syncthreads();
#pragma unroll
            for (int r = 0; r < R / 4; r++)
                __stcs((float4 *)(y + first) + threadIdx.x + r * THREADS, ((float4 *)o)[threadIdx.x + r * THREADS]);
            __syncthreads();
        }
    }
    if (STORE && threadIdx.x == 0)
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

template <int K, int R, int T, int B, int OUT, int ASYNC> static void try_unrolled(void)
{
    char what[80];
    snprintf(what, sizeof what, "K%d unrolled R%d t%d min%d %s%s", K, R, T, B, OUT == DIRECT ? "direct" : "staged", ASYNC ? " async" : "");
    cudaMemset(y, 0, n * 4);
    double us = tune_time_us([&](int) { unrolled<K, R, T, B, OUT, ASYNC><<<(unsigned)((n + T * R - 1) / (T * R)), T>>>(y, x, n); }, 20);
    tune_row(what, us, n * 8.0, right(), 2.0 * K * n);
}
template <int K, int R, int T, int B, int STORE> static void try_piped(void)
{
    char what[80];
    const int LEFT = (K / 2 + 3) / 4 * 4, WINDOW = (LEFT - K / 2 + R + K - 1 + 3) / 4, QUADS = (T * R - R) / 4 + WINDOW;
    int bytes = (2 * QUADS * 4 + T * R) * 4, fit = 0;
    auto k = piped<K, R, T, B, STORE>;
    cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, k, T, bytes));
    snprintf(what, sizeof what, "K%d piped R%d t%d min%d %s per SM %d", K, R, T, B, STORE ? "bulk" : "staged", fit);
    cudaMemset(y, 0, n * 4);
    double us = tune_time_us([&](int) { k<<<std::min((unsigned)(fit * sms), (unsigned)((n + T * R - 1) / (T * R))), T, bytes>>>(y, x, n); }, 20);
    tune_row(what, us, n * 8.0, right(), 2.0 * K * n);
}

template <int K> static void all(void)
{
    reference<<<4096, 256>>>(yref, x, taps_global, n, K);
    CHECK(cudaDeviceSynchronize());
    try_unrolled<K, 20, 64, 16, STAGED, 1>();
    try_unrolled<K, 20, 64, 20, STAGED, 1>();
    try_unrolled<K, 20, 64, 12, STAGED, 1>();
    try_unrolled<K, 20, 64, 10, STAGED, 0>();
    try_unrolled<K, 20, 64, 16, STAGED, 0>();
    try_unrolled<K, 12, 64, 24, STAGED, 1>();
    try_unrolled<K, 12, 128, 14, STAGED, 1>();
    try_unrolled<K, 12, 128, 16, STAGED, 1>();
    try_unrolled<K, 12, 256, 8, STAGED, 1>();
    try_unrolled<K, 12, 256, 7, STAGED, 1>();
    try_unrolled<K, 12, 192, 8, STAGED, 1>();
    try_unrolled<K, 12, 192, 10, STAGED, 1>();
    try_piped<K, 12, 128, 8, 0>();
    try_piped<K, 12, 128, 8, 1>();
    try_piped<K, 12, 128, 11, 1>();
    try_piped<K, 12, 256, 5, 1>();
    try_piped<K, 12, 256, 6, 1>();
    try_piped<K, 12, 192, 6, 1>();
    try_piped<K, 12, 384, 3, 1>();
    try_piped<K, 12, 64, 16, 1>();
    try_piped<K, 12, 512, 2, 1>();
    try_piped<K, 20, 96, 8, 1>();
}

// Depthwise, causal, width 4: x, y are [length][channels] of bf16, w [channels][4] of float. A thread has
// eight channels and walks T positions, C of them in flight.
template <int T, int C> static __global__ void depthwise(uint4 *y, const uint4 *x, const float4 *w, int length, int groups)
{
    int g = blockIdx.x * blockDim.x + threadIdx.x, from = blockIdx.y * T;
    if (g >= groups)
        return;
    auto unpack = [](float *f, uint4 v) {
        unsigned u[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
        for (int i = 0; i < 4; i++) {
            f[2 * i] = __uint_as_float(u[i] << 16);
            f[2 * i + 1] = __uint_as_float(u[i] & 0xffff0000u);
        }
    };
    uint4 old[3], v[C];
#pragma unroll
    for (int k = 0; k < 3; k++)
        old[k] = from + k - 3 >= 0 ? x[(size_t)(from + k - 3) * groups + g] : make_uint4(0, 0, 0, 0);
    float4 tap[8];
#pragma unroll
    for (int c = 0; c < 8; c++)
        tap[c] = w[g * 8 + c];
    for (int t = from; t < from + T; t += C) {
#pragma unroll
        for (int i = 0; i < C; i++)
            v[i] = t + i < length ? __ldcs(x + (size_t)(t + i) * groups + g) : make_uint4(0, 0, 0, 0);
#pragma unroll
        for (int i = 0; i < C; i++) {
            float a[8], b[8], c3[8], d[8], r[8];
            unpack(a, i >= 3 ? v[i - 3] : old[i]);
            unpack(b, i >= 2 ? v[i - 2] : old[i + 1]);
            unpack(c3, i >= 1 ? v[i - 1] : old[i + 2]);
            unpack(d, v[i]);
            unsigned o[4];
#pragma unroll
            for (int c = 0; c < 8; c++)
                r[c] = tap[c].x * a[c] + tap[c].y * b[c] + tap[c].z * c3[c] + tap[c].w * d[c];
#pragma unroll
            for (int c = 0; c < 8; c += 2) {
                __nv_bfloat162 p = __floats2bfloat162_rn(r[c], r[c + 1]);
                memcpy(&o[c / 2], &p, 4);
            }
            if (t + i < length)
                __stcs(y + (size_t)(t + i) * groups + g, make_uint4(o[0], o[1], o[2], o[3]));
        }
#pragma unroll
        for (int k = 0; k < 3; k++)
            old[k] = v[C - 3 + k];
    }
}
template <int T, int C> static void try_depthwise(void)
{
    int channels = 4096, length = 65536, groups = channels / 8;
    for (int threads : {64, 128, 256}) {
        char what[80];
        snprintf(what, sizeof what, "depthwise bf16 4096 x 65536 T%d C%d t%d (not compared)", T, C, threads);
        double us = tune_time_us([&](int) { depthwise<T, C><<<dim3((groups + threads - 1) / threads, (length + T - 1) / T), threads>>>((uint4 *)y, (const uint4 *)x, (const float4 *)taps_global, length, groups); }, 20);
        tune_row(what, us, 4.0 * channels * length, true);
    }
}

int main(void)
{
    float host[512];
    sms = tune_sms();
    x = tune_buffer<float>((size_t)1 << 27);
    y = tune_buffer<float>((size_t)1 << 27);
    yref = tune_buffer<float>(n);
    float *tg = tune_buffer<float>(16384);
    tune_uniform(x, (size_t)1 << 27, -1, 1);
    tune_uniform(tg, 16384, -0.2f, 0.2f);
    taps_global = tg;
    CHECK(cudaMemcpy(host, tg, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpyToSymbol(taps, host, sizeof host));
    all<33>();
    all<129>();
    try_depthwise<16, 4>();
    try_depthwise<16, 8>();
    all<9>();
    return 0;
}
