// Candidates for experiments/stencil and fusion: rows per thread, threads per block, cache hints; and an
// elementwise chain with three streams.
// SPDX-License-Identifier: Apache-2.0
#include "tune.h"

static float *in, *out, *res;

static __device__ float pick(const float4 &v, int c) { return c == 0 ? v.x : c == 1 ? v.y : c == 2 ? v.z : v.w; }

// out = a * centre + b * (four neighbours), zeros outside. A thread has four columns of ROWS rows, all loads
// at once; the neighbours to the sides come from the lanes beside.
template <int ROWS, int THREADS, int HINT>
static __global__ void __launch_bounds__(THREADS) five(float *out, const float *in, int M, int N, float a, float b)
{
    int x = (blockIdx.x * THREADS + threadIdx.x) * 4, y = blockIdx.y * ROWS, lane = threadIdx.x % 32;
    bool inside = x < N;
    float4 v[ROWS + 2];
    float left[ROWS], right[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS + 2; r++) {
        int row = y + r - 1;
        const float4 *p = (const float4 *)(in + (size_t)row * N + x);
        v[r] = inside && row >= 0 && row < M ? *p : make_float4(0, 0, 0, 0);
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        const float *p = in + (size_t)(y + r) * N + x;
        left[r] = lane == 0 && inside && x > 0 && y + r < M ? p[-1] : 0;
        right[r] = lane == 31 && x + 4 < N && y + r < M ? p[4] : 0;
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        float4 c = v[r + 1], u = v[r], d = v[r + 2], o;
        float l = __shfl_up_sync(~0u, c.w, 1), g = __shfl_down_sync(~0u, c.x, 1);
        l = lane == 0 ? left[r] : l, g = lane == 31 ? right[r] : g;
        o.x = a * c.x + b * ((u.x + d.x) + (l + c.y));
        o.y = a * c.y + b * ((u.y + d.y) + (c.x + c.z));
        o.z = a * c.z + b * ((u.z + d.z) + (c.y + c.w));
        o.w = a * c.w + b * ((u.w + d.w) + (c.z + g));
        if (inside && y + r < M) {
            float4 *q = (float4 *)(out + (size_t)(y + r) * N + x);
            if (HINT)
                __stcs(q, o);
            else
                *q = o;
        }
    }
}
// seven points in 3D: a thread has four x of ROWS y and walks DEPTH planes z with the planes in registers
template <int ROWS, int TX, int TY, int DEPTH>
static __global__ void __launch_bounds__(TX *TY) seven(float *out, const float *in, int D, int M, int N, float a, float b)
{
    int x = (blockIdx.x * TX + threadIdx.x) * 4, y = (blockIdx.y * TY + threadIdx.y) * ROWS, z = blockIdx.z * DEPTH;
    if (x >= N || y >= M)
        return;
    size_t plane = (size_t)M * N;
    auto load = [&](int zz, int yy) { return zz >= 0 && zz < D && yy >= 0 && yy < M ? *(const float4 *)(in + zz * plane + (size_t)yy * N + x) : make_float4(0, 0, 0, 0); };
    float4 below[ROWS], here[ROWS + 2], above[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; r++)
        below[r] = load(z - 1, y + r), here[r + 1] = load(z, y + r);
    for (int k = z; k < z + DEPTH && k < D; k++) {
        here[0] = load(k, y - 1), here[ROWS + 1] = load(k, y + ROWS);
        float l[ROWS], g[ROWS];
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            above[r] = load(k + 1, y + r);
            const float *p = in + k * plane + (size_t)(y + r) * N + x;
            l[r] = x > 0 && y + r < M ? p[-1] : 0;
            g[r] = x + 4 < N && y + r < M ? p[4] : 0;
        }
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            float4 c = here[r + 1], u = here[r], d = here[r + 2], f = below[r], e = above[r], o;
            o.x = a * c.x + b * (((u.x + d.x) + (l[r] + c.y)) + (f.x + e.x));
            o.y = a * c.y + b * (((u.y + d.y) + (c.x + c.z)) + (f.y + e.y));
            o.z = a * c.z + b * (((u.z + d.z) + (c.y + c.w)) + (f.z + e.z));
            o.w = a * c.w + b * (((u.w + d.w) + (c.z + g[r])) + (f.w + e.w));
            if (y + r < M)
                __stcs((float4 *)(out + k * plane + (size_t)(y + r) * N + x), o);
        }
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            below[r] = here[r + 1], here[r + 1] = above[r];
    }
}
// y = gelu(x * scale + bias[col]) + residual: U vectors per thread
static __device__ float gelu(float v)
{
    float u = 0.7978845608f * (v + 0.044715f * v * v * v), t;
    asm("tanh.approx.f32 %0, %1;" : "=f"(t) : "f"(u));
    return 0.5f * v * (1 + t);
}
template <int U, int THREADS, int HINT>
static __global__ void __launch_bounds__(THREADS) fused(float4 *y, const float4 *x, const float4 *res, const float4 *bias, float scale, long long n, int cols)
{
    long long i = blockIdx.x * (long long)(THREADS * U) + threadIdx.x;
    float4 a[U], r[U];
#pragma unroll
    for (int u = 0; u < U; u++)
        if (i + u * THREADS < n) {
            a[u] = HINT ? __ldcs(x + i + u * THREADS) : x[i + u * THREADS];
            r[u] = HINT ? __ldcs(res + i + u * THREADS) : res[i + u * THREADS];
        }
#pragma unroll
    for (int u = 0; u < U; u++)
        if (i + u * THREADS < n) {
            float4 b = bias[(i + u * THREADS) % cols], o;
            o.x = gelu(fmaf(a[u].x, scale, b.x)) + r[u].x;
            o.y = gelu(fmaf(a[u].y, scale, b.y)) + r[u].y;
            o.z = gelu(fmaf(a[u].z, scale, b.z)) + r[u].z;
            o.w = gelu(fmaf(a[u].w, scale, b.w)) + r[u].w;
            if (HINT)
                __stcs(y + i + u * THREADS, o);
            else
                y[i + u * THREADS] = o;
        }
}
static __global__ void plain(unsigned *bad, const float *out, const float *in, int M, int N, float a, float b)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < (size_t)M * N; i += (size_t)gridDim.x * blockDim.x) {
        int x = (int)(i % N), y = (int)(i / N);
        float s = (y > 0 ? in[i - N] : 0) + (y < M - 1 ? in[i + N] : 0) + (x > 0 ? in[i - 1] : 0) + (x < N - 1 ? in[i + 1] : 0);
        if (fabsf(out[i] - (a * in[i] + b * s)) > 1e-5f)
            atomicAdd(bad, 1);
    }
}
template <int ROWS, int THREADS, int HINT> static void try_five(int N)
{
    static unsigned *bad;
    unsigned count;
    char what[80];
    if (!bad)
        bad = tune_buffer<unsigned>(1);
    CHECK(cudaMemset(bad, 0, 4));
    dim3 grid((N / 4 + THREADS - 1) / THREADS, (N + ROWS - 1) / ROWS);
    snprintf(what, sizeof what, "5-point %d rows %d t%d hint %d", N, ROWS, THREADS, HINT);
    double us = tune_time_us([&](int) { five<ROWS, THREADS, HINT><<<grid, THREADS>>>(out, in, N, N, 0.5f, 0.125f); }, 20);
    plain<<<2048, 256>>>(bad, out, in, N, N, 0.5f, 0.125f);
    CHECK(cudaMemcpy(&count, bad, 4, cudaMemcpyDeviceToHost));
    tune_row(what, us, 8.0 * N * N, count == 0);
}
template <int ROWS, int TX, int TY, int DEPTH> static void try_seven(int N)
{
    char what[80];
    snprintf(what, sizeof what, "7-point %d rows %d block %dx%d depth %d (not compared)", N, ROWS, TX, TY, DEPTH);
    dim3 grid((N / 4 + TX - 1) / TX, (N + TY * ROWS - 1) / (TY * ROWS), (N + DEPTH - 1) / DEPTH);
    double us = tune_time_us([&](int) { seven<ROWS, TX, TY, DEPTH><<<grid, dim3(TX, TY)>>>(out, in, N, N, N, 0.5f, 0.1f); }, 20);
    tune_row(what, us, 8.0 * N * N * N, true);
}
template <int U, int THREADS, int HINT> static void try_fused(void)
{
    char what[80];
    long long n = (long long)1 << 26;
    snprintf(what, sizeof what, "fused 2^28 U%d t%d hint %d (not compared)", U, THREADS, HINT);
    double us = tune_time_us([&](int) { fused<U, THREADS, HINT><<<(unsigned)((n + THREADS * U - 1) / (THREADS * U)), THREADS>>>((float4 *)out, (float4 *)in, (float4 *)res, (float4 *)res, 0.7f, n, 1024); }, 20);
    tune_row(what, us, 48.0 * n, true);
}
int main(void)
{
    size_t big = (size_t)1 << 28;
    in = tune_buffer<float>(big);
    out = tune_buffer<float>(big);
    res = tune_buffer<float>(big);
    tune_uniform(in, big, -1, 1);
    tune_uniform(res, big, -1, 1);
    for (int N : {16384, 8192, 4096}) {
        try_five<1, 256, 1>(N);
        try_five<2, 128, 1>(N);
        try_five<2, 256, 0>(N);
        try_five<4, 128, 0>(N);
        try_five<4, 128, 1>(N);
        try_five<4, 256, 1>(N);
        try_five<4, 64, 1>(N);
        try_five<8, 128, 1>(N);
        try_five<8, 256, 1>(N);
        try_five<8, 64, 1>(N);
        try_five<16, 128, 1>(N);
    }
    for (int N : {512, 640}) {
        try_seven<1, 32, 4, 8>(N);
        try_seven<1, 32, 8, 16>(N);
        try_seven<2, 32, 4, 8>(N);
        try_seven<2, 32, 4, 16>(N);
        try_seven<2, 32, 8, 16>(N);
        try_seven<2, 32, 8, 64>(N);
        try_seven<4, 32, 4, 16>(N);
        try_seven<4, 32, 8, 32>(N);
    }
    try_fused<1, 256, 0>();
    try_fused<1, 256, 1>();
    try_fused<1, 512, 1>();
    try_fused<1, 1024, 1>();
    try_fused<2, 256, 1>();
    try_fused<2, 512, 1>();
    try_fused<4, 256, 1>();
    try_fused<4, 128, 0>();
    return 0;
}
