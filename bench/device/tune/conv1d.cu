// Candidates for experiments/conv1d: outputs a thread, where the window and the taps are read from,
// and the depthwise convolution of width 4, channels last.
// SPDX-License-Identifier: Apache-2.0
#include <cuda_bf16.h>

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

// The tile with its halo to shared memory, 16 bytes a lane; outside of x there are zeros.
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

// The same by chunks of C inputs in a loop, taps with zeros around them in shared memory.
template <int K, int R, int THREADS, int MINBLOCKS, int C>
static __global__ void __launch_bounds__(THREADS, MINBLOCKS) chunked(float *y, const float *x, const float *tg, long long n)
{
    const int TILE = THREADS * R, LEFT = (K / 2 + 3) / 4 * 4, SKIP = LEFT - K / 2;
    const int STEPS = (SKIP + R + K - 1 + C - 1) / C, QUADS = (TILE - R + STEPS * C) / 4;
    const int RP = (R + 3) / 4 * 4;
    __shared__ __align__(16) float s[QUADS * 4];
    __shared__ __align__(16) float t[RP + STEPS * C + 4]; // t[RP + k] is tap k - SKIP
    for (int i = threadIdx.x; i < RP + STEPS * C + 4; i += THREADS) {
        int k = i - RP - SKIP;
        t[i] = k >= 0 && k < K ? tg[k] : 0;
    }
    long long first = blockIdx.x * (long long)TILE;
    load_tile<THREADS, QUADS>(s, x, first - LEFT, n);
    __syncthreads();
    float acc[R];
#pragma unroll
    for (int r = 0; r < R; r++)
        acc[r] = 0;
    const float *mine = s + threadIdx.x * R;
#pragma unroll 1
    for (int m = 0; m < STEPS; m++) {
        float e[C], w[C + RP];
#pragma unroll
        for (int c = 0; c < C; c += 4) {
            float4 q = *(const float4 *)(mine + m * C + c);
            e[c] = q.x, e[c + 1] = q.y, e[c + 2] = q.z, e[c + 3] = q.w;
        }
#pragma unroll
        for (int c = 0; c < C + RP; c += 4) {
            float4 q = *(const float4 *)(t + m * C + c);
            w[c] = q.x, w[c + 1] = q.y, w[c + 2] = q.z, w[c + 3] = q.w;
        }
#pragma unroll
        for (int c = 0; c < C; c++)
#pragma unroll
            for (int r = 0; r < R; r++)
                acc[r] = fmaf(e[c], w[RP + c - r], acc[r]);
    }
    __syncthreads();
#pragma unroll
    for (int r = 0; r < R; r += 4)
        *(float4 *)(s + threadIdx.x * R + r) = make_float4(acc[r], acc[r + 1], acc[r + 2], acc[r + 3]);
    __syncthreads();
    for (int i = threadIdx.x; i < TILE / 4; i += THREADS)
        if (first + i * 4 + 3 < n)
            __stcs((float4 *)(y + first) + i, ((float4 *)s)[i]);
}

template <int K, int R, int T, int B, int OUT, int ASYNC> static void try_unrolled(void)
{
    char what[80];
    snprintf(what, sizeof what, "K%d unrolled R%d t%d min%d %s%s", K, R, T, B, OUT == DIRECT ? "direct" : "staged", ASYNC ? " async" : "");
    cudaMemset(y, 0, n * 4);
    double us = tune_time_us([&](int) { unrolled<K, R, T, B, OUT, ASYNC><<<(unsigned)((n + T * R - 1) / (T * R)), T>>>(y, x, n); }, 20);
    tune_row(what, us, n * 8.0, right(), 2.0 * K * n);
}
template <int K, int R, int T, int B, int C> static void try_chunked(void)
{
    char what[80];
    snprintf(what, sizeof what, "K%d chunked R%d t%d min%d C%d", K, R, T, B, C);
    cudaMemset(y, 0, n * 4);
    double us = tune_time_us([&](int) { chunked<K, R, T, B, C><<<(unsigned)((n + T * R - 1) / (T * R)), T>>>(y, x, taps_global, n); }, 20);
    tune_row(what, us, n * 8.0, right(), 2.0 * K * n);
}

template <int K> static void all(void)
{
    reference<<<4096, 256>>>(yref, x, taps_global, n, K);
    CHECK(cudaDeviceSynchronize());
    try_unrolled<K, 4, 256, 4, DIRECT, 0>();
    try_unrolled<K, 4, 256, 8, DIRECT, 0>();
    try_unrolled<K, 8, 256, 4, STAGED, 0>();
    try_unrolled<K, 12, 256, 4, DIRECT, 0>();
    try_unrolled<K, 12, 128, 8, STAGED, 0>();
    try_unrolled<K, 12, 128, 12, STAGED, 0>();
    try_unrolled<K, 12, 256, 4, STAGED, 0>();
    try_unrolled<K, 12, 256, 4, STAGED, 1>();
    try_unrolled<K, 12, 256, 6, STAGED, 0>();
    try_unrolled<K, 12, 512, 2, STAGED, 0>();
    try_unrolled<K, 20, 128, 6, STAGED, 0>();
    try_unrolled<K, 20, 128, 8, STAGED, 1>();
    try_unrolled<K, 20, 256, 3, STAGED, 0>();
    try_unrolled<K, 20, 256, 4, STAGED, 0>();
    try_unrolled<K, 28, 128, 6, STAGED, 0>();
    try_unrolled<K, 16, 128, 6, STAGED, 0>();
    try_chunked<K, 12, 128, 6, 8>();
    try_chunked<K, 12, 128, 6, 16>();
    try_chunked<K, 12, 256, 3, 16>();
    try_chunked<K, 20, 128, 4, 8>();
    try_chunked<K, 20, 128, 4, 16>();
    try_chunked<K, 12, 128, 4, 32>();
}

// Depthwise, causal, width 4: x, y are [length][channels] of bf16. A thread has eight channels and walks
// T positions.
template <int T> static __global__ void depthwise(uint4 *y, const uint4 *x, const float *w, int length, int groups)
{
    int g = blockIdx.x * blockDim.x + threadIdx.x, from = blockIdx.y * T;
    if (g >= groups)
        return;
    float win[3][8], tap[4][8];
    auto unpack = [](float *f, uint4 v) {
        unsigned u[4] = {v.x, v.y, v.z, v.w};
        for (int i = 0; i < 4; i++) {
            f[2 * i] = __uint_as_float(u[i] << 16);
            f[2 * i + 1] = __uint_as_float(u[i] & 0xffff0000u);
        }
    };
#pragma unroll
    for (int c = 0; c < 8; c++)
#pragma unroll
        for (int k = 0; k < 4; k++)
            tap[k][c] = w[(g * 8 + c) * 4 + k];
    uint4 v[T];
#pragma unroll
    for (int t = 0; t < T; t++)
        if (from + t < length)
            v[t] = __ldcs(x + (size_t)(from + t) * groups + g);
#pragma unroll
    for (int k = 0; k < 3; k++)
        if (from + k - 3 >= 0)
            unpack(win[k], x[(size_t)(from + k - 3) * groups + g]);
        else
            for (int c = 0; c < 8; c++)
                win[k][c] = 0;
#pragma unroll
    for (int t = 0; t < T; t++) {
        if (from + t >= length)
            return;
        float now[8];
        unsigned o[4];
        unpack(now, v[t]);
#pragma unroll
        for (int c = 0; c < 8; c += 2) {
            float a = tap[0][c] * win[0][c] + tap[1][c] * win[1][c] + tap[2][c] * win[2][c] + tap[3][c] * now[c];
            float b = tap[0][c + 1] * win[0][c + 1] + tap[1][c + 1] * win[1][c + 1] + tap[2][c + 1] * win[2][c + 1] + tap[3][c + 1] * now[c + 1];
            __nv_bfloat162 p = __floats2bfloat162_rn(a, b);
            memcpy(&o[c / 2], &p, 4);
        }
#pragma unroll
        for (int c = 0; c < 8; c++)
            win[0][c] = win[1][c], win[1][c] = win[2][c], win[2][c] = now[c];
        __stcs(y + (size_t)(from + t) * groups + g, make_uint4(o[0], o[1], o[2], o[3]));
    }
}
template <int T> static void try_depthwise(void)
{
    int channels = 4096, length = 65536, groups = channels / 8;
    for (int threads : {64, 128, 256}) {
        char what[80];
        snprintf(what, sizeof what, "depthwise bf16 4096 x 65536 T%d t%d (not compared)", T, threads);
        double us = tune_time_us([&](int) { depthwise<T><<<dim3((groups + threads - 1) / threads, (length + T - 1) / T), threads>>>((uint4 *)y, (const uint4 *)x, taps_global, length, groups); }, 20);
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
    try_depthwise<4>();
    try_depthwise<8>();
    try_depthwise<16>();
    all<9>();
    return 0;
}
