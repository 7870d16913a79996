// Candidates for experiments/transpose: shape of the tile, stripes, cache hints, any size with 4-byte
// accesses; beside a copy kernel.
// SPDX-License-Identifier: Apache-2.0
#include "tune.h"

static float *in, *out;

// Columns x rows of the input a tile; rows of the output (columns of the input) side by side in stripes.
template <int W, int H, int THREADS, int STRIPE, int HINT, bool ALONG, int SY = 0>
static __global__ void __launch_bounds__(THREADS) wide(float *out, const float *in, int M, int N)
{
    extern __shared__ __align__(16) float tile[];
    int across = N / W, down = M / H, linear = blockIdx.x, bx, by;
    if (ALONG) { // stripes of STRIPE tile columns, row of tiles after row
        int per = STRIPE * down, s = linear / per, r = linear % per;
        bx = s * STRIPE + r % STRIPE, by = r / STRIPE;
    } else { // stripes of STRIPE tile rows
        int per = STRIPE * across, s = linear / per, r = linear % per;
        by = s * STRIPE + r % STRIPE, bx = r / STRIPE;
    }
    if (SY > 0) { // super-tiles of STRIPE x SY
        int per = STRIPE * SY, s = linear / per, r = linear % per, wide = across / STRIPE;
        bx = (ALONG ? s % wide : s / (down / SY)) * STRIPE + r % STRIPE;
        by = (ALONG ? s / wide : s % (down / SY)) * SY + r / STRIPE;
    } else if (SY < 0) // diagonals
        bx = linear / down, by = (linear + bx * -SY) % down;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, group = lane % 8;
    const int OPS = W / 32 * (H / 4), EACH = OPS / (THREADS / 32);
    float4 v[EACH];
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        int op = warp + i * (THREADS / 32), c = op % (W / 32) * 32 + group * 4, r = op / (W / 32) * 4 + lane / 8;
        const float4 *p = (const float4 *)(in + (size_t)(by * H + r) * N + bx * W + c);
        v[i] = HINT & 1 ? __ldcs(p) : *p;
    }
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        int op = warp + i * (THREADS / 32), c = op % (W / 32) * 32 + group * 4, r = op / (W / 32) * 4 + lane / 8;
        float *to = tile + c * H + (r ^ group * 4);
        to[0] = v[i].x, to[H] = v[i].y, to[2 * H] = v[i].z, to[3 * H] = v[i].w;
    }
    __syncthreads();
#pragma unroll
    for (int i = threadIdx.x; i < W * H / 4; i += THREADS) {
        int y = i / (H / 4), q = i % (H / 4) * 4;
        float4 o = *(float4 *)(tile + y * H + (q ^ y / 4 % 8 * 4));
        float4 *p = (float4 *)(out + (size_t)(bx * W + y) * M + by * H + q);
        if (HINT & 2)
            __stcs(p, o);
        else
            *p = o;
    }
}
// Any M and N: a lane an element, a tile of W x H with padded rows.
template <int W, int H, int THREADS, int STRIPE>
static __global__ void __launch_bounds__(THREADS) any(float *out, const float *in, int M, int N)
{
    __shared__ float tile[H][W + 1];
    int across = (N + W - 1) / W, down = (M + H - 1) / H;
    int linear = blockIdx.x, s = linear / (STRIPE * down), wide = min(STRIPE, across - s * STRIPE), r = linear - s * STRIPE * down;
    int x0 = (s * STRIPE + r % wide) * W, y0 = r / wide * H;
    const int E = W * H / THREADS;
    float v[E];
#pragma unroll
    for (int i = 0; i < E; i++) {
        int c = threadIdx.x % W, r = threadIdx.x / W + i * (THREADS / W);
        v[i] = x0 + c < N && y0 + r < M ? in[(size_t)(y0 + r) * N + x0 + c] : 0;
    }
#pragma unroll
    for (int i = 0; i < E; i++)
        tile[threadIdx.x / W + i * (THREADS / W)][threadIdx.x % W] = v[i];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < E; i++) {
        int c = threadIdx.x % H, r = threadIdx.x / H + i * (THREADS / H);
        if (y0 + c < M && x0 + r < N)
            out[(size_t)(x0 + r) * M + y0 + c] = tile[c][r];
    }
}
static __global__ void compare(unsigned *bad, const float *out, const float *in, int M, int N)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < (size_t)M * N; i += (size_t)gridDim.x * blockDim.x)
        if (out[i] != in[i % M * N + i / M])
            atomicAdd(bad, 1);
}
static bool right(int M, int N)
{
    static unsigned *bad;
    unsigned count;
    if (!bad)
        bad = tune_buffer<unsigned>(1);
    CHECK(cudaMemset(bad, 0, 4));
    compare<<<2048, 256>>>(bad, out, in, M, N);
    CHECK(cudaMemcpy(&count, bad, 4, cudaMemcpyDeviceToHost));
    return count == 0;
}
static size_t copies(size_t n) { return std::max((size_t)1, std::min((size_t)16, ((size_t)1 << 27) / (n * 4))); }
template <int W, int H, int THREADS, int STRIPE, int HINT, bool ALONG, int SY = 0> static void try_wide(int M, int N)
{
    char what[80];
    snprintf(what, sizeof what, "%dx%d tile %dx%d t%d stripe %d%s hint %d sy %d", M, N, W, H, THREADS, STRIPE, ALONG ? "c" : "r", HINT, SY);
    auto k = wide<W, H, THREADS, STRIPE, HINT, ALONG, SY>;
    cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, W * H * 4);
    size_t n = (size_t)M * N, c = copies(n);
    CHECK(cudaMemset(out, 0, n * 4));
    double us = tune_time_us([&](int i) { k<<<(M / H) * (N / W), THREADS, W * H * 4>>>(out + i % c * n, in + i % c * n, M, N); }, 20);
    k<<<(M / H) * (N / W), THREADS, W * H * 4>>>(out, in, M, N);
    tune_row(what, us, n * 8.0, right(M, N));
}
template <int W, int H, int THREADS, int STRIPE> static void try_any(int M, int N)
{
    char what[80];
    snprintf(what, sizeof what, "%dx%d any %dx%d t%d stripe %d", M, N, W, H, THREADS, STRIPE);
    auto k = any<W, H, THREADS, STRIPE>;
    size_t n = (size_t)M * N, c = copies(n);
    unsigned grid = ((M + H - 1) / H) * ((N + W - 1) / W);
    CHECK(cudaMemset(out, 0, n * 4));
    double us = tune_time_us([&](int i) { k<<<grid, THREADS>>>(out + i % c * n, in + i % c * n, M, N); }, 20);
    k<<<grid, THREADS>>>(out, in, M, N);
    tune_row(what, us, n * 8.0, right(M, N));
}
static __global__ void copy(float4 *o, const float4 *i, size_t n)
{
    size_t k = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (k < n)
        __stcs(o + k, __ldcs(i + k));
}
int main(void)
{
    size_t big = (size_t)1 << 28;
    in = tune_buffer<float>(big + 65536);
    out = tune_buffer<float>(big + 65536);
    tune_uniform(in, big, 0, 1);
    for (int N : {16384, 8192, 4096, 1024, 512}) {
        size_t n = (size_t)N * N / 4, c = copies(n * 4);
        char what[40];
        snprintf(what, sizeof what, "%d copy", N);
        tune_row(what, tune_time_us([&](int i) { copy<<<(unsigned)(n / 512), 512>>>((float4 *)out + i % c * n, (float4 *)in + i % c * n, n); }, 20), n * 32.0, true);
        try_wide<64, 64, 512, 1, 0, true, 0>(N, N);
        try_wide<64, 64, 512, 1, 3, true, 0>(N, N);
        try_wide<64, 64, 512, 2, 3, true, 0>(N, N);
        try_wide<64, 64, 512, 1, 2, true, 0>(N, N);
        try_wide<64, 64, 512, 1, 1, true, 0>(N, N);
        try_wide<64, 64, 512, 1, 0, true, -1>(N, N);
        try_wide<64, 64, 512, 1, 0, true, -8>(N, N);
        try_wide<64, 64, 512, 1, 3, true, -16>(N, N);
        try_wide<64, 64, 512, 2, 0, true, 2>(N, N);
        try_wide<64, 64, 512, 2, 3, true, 2>(N, N);
        try_wide<64, 64, 512, 2, 0, false, 2>(N, N);
        try_wide<64, 64, 512, 4, 0, true, 4>(N, N);
        try_wide<64, 64, 512, 4, 3, true, 4>(N, N);
        try_wide<64, 64, 512, 4, 0, false, 4>(N, N);
        try_wide<64, 64, 512, 4, 3, false, 4>(N, N);
        try_wide<64, 64, 512, 8, 0, true, 8>(N, N);
        try_wide<64, 64, 512, 8, 3, true, 8>(N, N);
        try_wide<64, 64, 512, 8, 3, false, 8>(N, N);
        try_wide<64, 64, 512, 4, 3, true, 8>(N, N);
        try_wide<64, 64, 512, 8, 3, true, 4>(N, N);
        try_wide<64, 64, 512, 2, 3, false, 8>(N, N);
        try_wide<32, 32, 128, 4, 3, true>(N, N);
        try_wide<32, 32, 64, 4, 3, true>(N, N);
        try_wide<32, 64, 128, 4, 3, true>(N, N);
        try_any<32, 32, 256, 1>(N, N);
        try_any<64, 64, 512, 2>(N, N);
    }
    for (int N : {4097, 1023, 8191}) {
        try_any<32, 32, 256, 1>(N, N);
        try_any<32, 32, 256, 2>(N, N);
        try_any<32, 32, 256, 4>(N, N);
        try_any<64, 32, 256, 2>(N, N);
        try_any<32, 64, 256, 2>(N, N);
        try_any<64, 64, 256, 1>(N, N);
        try_any<64, 64, 256, 2>(N, N);
        try_any<64, 64, 512, 2>(N, N);
        try_any<64, 64, 512, 8>(N, N);
        try_any<64, 64, 1024, 2>(N, N);
    }
    return 0;
}
