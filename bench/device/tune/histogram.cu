// Candidates for experiments/histogram: where the bins are (one copy, some, a column per lane, 16 bits
// packed), how many loads are in flight, how many blocks share an SM; beside CUB.
// SPDX-License-Identifier: Apache-2.0
#include <cub/cub.cuh>

#include "tune.h"

static int sms;
static const size_t MAX_BINS = 65536;
static unsigned *bins, *want;

enum input { UNIFORM, SKEWED, ONE, EIGHT };
static const char *input_name[] = {"uniform", "skewed", "one", "eight"};

static __global__ void fill_f32(float *p, size_t n, int kind)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        float u = (float)(tune_hash(i) >> 8) * 0x1p-24f;
        p[i] = kind == ONE ? 0.5f : kind == EIGHT ? floorf(u * 8) / 8 : kind == SKEWED ? u * u * u * u * u * u * u * u : u;
    }
}
static __global__ void fill_u8(unsigned char *p, size_t n, int kind)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        float u = (float)(tune_hash(i) >> 8) * 0x1p-24f;
        p[i] = (unsigned char)(256 * (kind == ONE ? 0.5f : kind == SKEWED ? u * u * u * u * u * u * u * u : u));
    }
}
static __global__ void plain_f32(unsigned *b, const float *in, size_t n, float scale)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        atomicAdd(&b[(unsigned)(in[i] * scale)], 1u);
}
static __global__ void plain_u8(unsigned *b, const unsigned char *in, size_t n)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        atomicAdd(&b[in[i]], 1u);
}

static bool same(int nbins)
{
    static std::vector<unsigned> a(MAX_BINS), b(MAX_BINS);
    CHECK(cudaMemcpy(a.data(), bins, nbins * 4, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(b.data(), want, nbins * 4, cudaMemcpyDeviceToHost));
    return memcmp(a.data(), b.data(), nbins * 4) == 0;
}

// ---- bins in shared memory: `copies` of them, or a column per lane ----

enum layout { COPIES, COLUMNS };

template <int BINS, int LAYOUT, int NCOPIES> struct table {
    static const int words = LAYOUT == COLUMNS ? BINS * 32 : BINS * NCOPIES;
    static __device__ unsigned *mine(unsigned *s)
    {
        return LAYOUT == COLUMNS ? s + threadIdx.x % 32 : s + (threadIdx.x / 32 % NCOPIES) * BINS;
    }
    static __device__ void add(unsigned *own, unsigned bin)
    {
        atomicAdd(LAYOUT == COLUMNS ? &own[bin * 32] : &own[bin], 1u);
    }
    static __device__ void gather(unsigned *out, unsigned *s)
    {
        if (LAYOUT == COLUMNS) {
            for (int b = threadIdx.x; b < BINS; b += blockDim.x) {
                unsigned sum = 0;
                for (int l = 0; l < 32; l++)
                    sum += s[b * 32 + (l + threadIdx.x) % 32];
                if (sum)
                    atomicAdd(&out[b], sum);
            }
        } else {
            for (int b = threadIdx.x; b < BINS; b += blockDim.x) {
                unsigned sum = 0;
                for (int c = 0; c < NCOPIES; c++)
                    sum += s[c * BINS + b];
                if (sum)
                    atomicAdd(&out[b], sum);
            }
        }
    }
};

template <int BINS> static __device__ unsigned bin_of(float x, float low, float scale)
{
    return (unsigned)(int)((x - low) * scale);
}

template <int BINS, class T, int U, bool NEXT>
static __global__ void hist_f32(unsigned *out, const float4 *in, size_t quads, float low, float high, float scale)
{
    extern __shared__ unsigned s[];
    for (int i = threadIdx.x; i < T::words; i += blockDim.x)
        s[i] = 0;
    __syncthreads();
    unsigned *own = T::mine(s);
    size_t stride = (size_t)gridDim.x * blockDim.x, i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    auto count = [&](float x) {
        if (x >= low && x < high)
            T::add(own, bin_of<BINS>(x, low, scale));
    };
    float4 v[U];
    if (NEXT) {
        if (i + (U - 1) * stride < quads)
            for (int u = 0; u < U; u++)
                v[u] = __ldcs(&in[i + u * stride]);
        for (; i + (U - 1) * stride < quads; i += U * stride) {
            float4 w[U];
            if (i + (2 * U - 1) * stride < quads) {
#pragma unroll
                for (int u = 0; u < U; u++)
                    w[u] = __ldcs(&in[i + (U + u) * stride]);
            }
#pragma unroll
            for (int u = 0; u < U; u++) {
                count(v[u].x), count(v[u].y), count(v[u].z), count(v[u].w);
                v[u] = w[u];
            }
        }
    } else {
        for (; i + (U - 1) * stride < quads; i += U * stride) {
#pragma unroll
            for (int u = 0; u < U; u++)
                v[u] = __ldcs(&in[i + u * stride]);
#pragma unroll
            for (int u = 0; u < U; u++)
                count(v[u].x), count(v[u].y), count(v[u].z), count(v[u].w);
        }
    }
    for (; i < quads; i += stride) {
        float4 w = in[i];
        count(w.x), count(w.y), count(w.z), count(w.w);
    }
    __syncthreads();
    T::gather(out, s);
}

template <class T> static __device__ void count_word(unsigned *own, unsigned w)
{
    T::add(own, w & 255);
    T::add(own, w >> 8 & 255);
    T::add(own, w >> 16 & 255);
    T::add(own, w >> 24);
}

template <class T, int U>
static __global__ void hist_u8(unsigned *out, const uint4 *in, size_t quads)
{
    extern __shared__ unsigned s[];
    for (int i = threadIdx.x; i < T::words; i += blockDim.x)
        s[i] = 0;
    __syncthreads();
    unsigned *own = T::mine(s);
    size_t stride = (size_t)gridDim.x * blockDim.x, i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    for (; i + (U - 1) * stride < quads; i += U * stride) {
        uint4 v[U];
#pragma unroll
        for (int u = 0; u < U; u++)
            v[u] = __ldcs(&in[i + u * stride]);
#pragma unroll
        for (int u = 0; u < U; u++) {
            count_word<T>(own, v[u].x), count_word<T>(own, v[u].y);
            count_word<T>(own, v[u].z), count_word<T>(own, v[u].w);
        }
    }
    for (; i < quads; i += stride) {
        uint4 v = in[i];
        count_word<T>(own, v.x), count_word<T>(own, v.y), count_word<T>(own, v.z), count_word<T>(own, v.w);
    }
    __syncthreads();
    T::gather(out, s);
}

// 65536 bins of 16 bits in 128 KiB. The lanes of a warp that meet in lane 0's bin add once, together,
// as long as at least MERGE do. A bin that reaches 32768 is emptied into the result; the barrier each
// round bounds how far it can go before.
template <int U, int MERGE>
static __global__ void __launch_bounds__(1024) hist_packed(unsigned *out, const float4 *in, size_t quads, float low, float high, float scale)
{
    extern __shared__ unsigned s[];
    const int WORDS = 32768;
    for (int i = threadIdx.x; i < WORDS; i += 1024)
        s[i] = 0;
    __syncthreads();
    int lane = threadIdx.x % 32;
    auto add = [&](unsigned bin, unsigned count) {
        unsigned shift = bin % 2 * 16;
        unsigned old = atomicAdd(&s[bin / 2], count << shift) >> shift & 0xffff;
        if (old < 32768 && old + count >= 32768) {
            atomicSub(&s[bin / 2], 32768u << shift);
            atomicAdd(&out[bin], 32768u);
        }
    };
    auto count = [&](float x) {
        bool todo = x >= low && x < high;
        unsigned bin = bin_of<65536>(x, low, scale);
        if (MERGE) {
            for (;;) {
                unsigned left = __ballot_sync(~0u, todo);
                if (!left)
                    return;
                int leader = __ffs(left) - 1;
                unsigned b = __shfl_sync(~0u, bin, leader);
                unsigned together = __ballot_sync(~0u, todo && bin == b);
                int m = __popc(together);
                if (m < MERGE)
                    break;
                if (lane == leader)
                    add(b, m);
                if (bin == b)
                    todo = false;
            }
        }
        if (todo)
            add(bin, 1);
    };
    size_t stride = (size_t)gridDim.x * 1024;
    for (size_t first = blockIdx.x * (size_t)1024; first < quads; first += U * stride) {
        float4 v[U];
#pragma unroll
        for (int u = 0; u < U; u++) {
            size_t i = first + threadIdx.x + u * stride;
            float nan = __int_as_float(0x7fffffff);
            v[u] = i < quads ? __ldcs(&in[i]) : make_float4(nan, nan, nan, nan);
        }
#pragma unroll
        for (int u = 0; u < U; u++)
            count(v[u].x), count(v[u].y), count(v[u].z), count(v[u].w);
        __syncthreads();
    }
    for (int i = threadIdx.x; i < WORDS; i += 1024) {
        unsigned w = s[i];
        if (w & 0xffff)
            atomicAdd(&out[2 * i], w & 0xffff);
        if (w >> 16)
            atomicAdd(&out[2 * i + 1], w >> 16);
    }
}

// The same; the next quads are loaded before these are counted, and only where one lane's bin is common do the
// lanes in it add together, over the four elements at once.
template <int U, int MERGE, int ROUNDS>
static __global__ void __launch_bounds__(1024) hist_packed2(unsigned *out, const float4 *in, size_t quads, float low, float high, float scale)
{
    extern __shared__ unsigned s[];
    const int WORDS = 32768;
    for (int i = threadIdx.x; i < WORDS; i += 1024)
        s[i] = 0;
    __syncthreads();
    int lane = threadIdx.x % 32;
    auto add = [&](unsigned bin, unsigned count) {
        unsigned shift = bin % 2 * 16;
        unsigned old = atomicAdd(&s[bin / 2], count << shift) >> shift & 0xffff;
        if (old < 32768 && old + count >= 32768) {
            atomicSub(&s[bin / 2], 32768u << shift);
            atomicAdd(&out[bin], 32768u);
        }
    };
    auto bin_at = [&](float x) { return x >= low && x < high ? bin_of<65536>(x, low, scale) : 65536u; };
    size_t stride = (size_t)gridDim.x * 1024;
    float nan = __int_as_float(0x7fffffff);
    float4 v[U];
    auto load = [&](size_t first) {
#pragma unroll
        for (int u = 0; u < U; u++) {
            size_t i = first + threadIdx.x + u * stride;
            v[u] = i < quads ? __ldcs(&in[i]) : make_float4(nan, nan, nan, nan);
        }
    };
    size_t first = blockIdx.x * (size_t)1024;
    load(first);
    for (; first < quads; first += U * stride) {
        unsigned b[U][4];
#pragma unroll
        for (int u = 0; u < U; u++)
            b[u][0] = bin_at(v[u].x), b[u][1] = bin_at(v[u].y), b[u][2] = bin_at(v[u].z), b[u][3] = bin_at(v[u].w);
        load(first + U * stride);
#pragma unroll
        for (int u = 0; u < U; u++) {
#pragma unroll
            for (int r = 0; r < ROUNDS; r++) {
                unsigned candidate = __shfl_sync(~0u, b[u][r % 4], r * 5 % 32);
                unsigned together = __ballot_sync(~0u, b[u][0] == candidate);
                if (candidate >= 65536 || __popc(together) < MERGE)
                    break;
                unsigned count = __popc(together);
#pragma unroll
                for (int c = 1; c < 4; c++)
                    count += __popc(__ballot_sync(~0u, b[u][c] == candidate));
                if (lane == 0)
                    add(candidate, count);
#pragma unroll
                for (int c = 0; c < 4; c++)
                    if (b[u][c] == candidate)
                        b[u][c] = 65536;
            }
#pragma unroll
            for (int c = 0; c < 4; c++)
                if (b[u][c] < 65536)
                    add(b[u][c], 1);
        }
        __syncthreads();
    }
    for (int i = threadIdx.x; i < WORDS; i += 1024) {
        unsigned w = s[i];
        if (w & 0xffff)
            atomicAdd(&out[2 * i], w & 0xffff);
        if (w >> 16)
            atomicAdd(&out[2 * i + 1], w >> 16);
    }
}

// ---- trying them ----

static float *f;
static unsigned char *u;
static size_t nf = (size_t)1 << 28, nu = (size_t)1 << 30;

static void try_f32(const char *name, int nbins, int kind, const void *kernel, int threads, size_t words, int perSM)
{
    char what[100];
    int fit = 0;
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)words * 4);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, kernel, threads, words * 4);
    if (fit < perSM)
        return;
    snprintf(what, sizeof what, "f32 %d %s %s t%d x%d", nbins, input_name[kind], name, threads, perSM);
    size_t quads = nf / 4;
    float low = 0, high = 1, scale = (float)nbins;
    void *args[] = {&bins, &f, &quads, &low, &high, &scale};
    auto launch = [&](int) {
        cudaMemsetAsync(bins, 0, nbins * 4);
        cudaLaunchKernel(kernel, dim3(sms * perSM), dim3(threads), args, words * 4, 0);
    };
    double us = tune_time_us(launch, 20);
    tune_row(what, us, nf * 4.0, same(nbins));
}

static void try_u8(const char *name, int kind, const void *kernel, int threads, size_t words, int perSM)
{
    char what[100];
    int fit = 0;
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)words * 4);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, kernel, threads, words * 4);
    if (fit < perSM)
        return;
    snprintf(what, sizeof what, "u8 %s %s t%d x%d", input_name[kind], name, threads, perSM);
    size_t quads = nu / 16;
    void *args[] = {&bins, &u, &quads};
    auto launch = [&](int) {
        cudaMemsetAsync(bins, 0, 1024);
        cudaLaunchKernel(kernel, dim3(sms * perSM), dim3(threads), args, words * 4, 0);
    };
    double us = tune_time_us(launch, 20);
    tune_row(what, us, (double)nu, same(256));
}

template <int BINS, int LAYOUT, int NCOPIES, int U, bool NEXT> static void f32_case(int kind)
{
    typedef table<BINS, LAYOUT, NCOPIES> T;
    char name[60];
    snprintf(name, sizeof name, "%s%d U%d%s", LAYOUT == COLUMNS ? "columns" : "copies", NCOPIES, U, NEXT ? " next" : "");
    const void *k = (const void *)hist_f32<BINS, T, U, NEXT>;
    for (int threads : {256, 512, 1024})
        for (int per : {1, 2, 3, 4, 6, 7, 8})
            if (threads * per >= 1024 && threads * per <= 2048)
                try_f32(name, BINS, kind, k, threads, T::words, per);
}

template <int LAYOUT, int NCOPIES, int U> static void u8_case(int kind)
{
    typedef table<256, LAYOUT, NCOPIES> T;
    char name[60];
    snprintf(name, sizeof name, "%s%d U%d", LAYOUT == COLUMNS ? "columns" : "copies", NCOPIES, U);
    const void *k = (const void *)hist_u8<T, U>;
    for (int threads : {256, 512, 1024})
        for (int per : {1, 2, 3, 4, 6, 7, 8})
            if (threads * per >= 1024 && threads * per <= 2048)
                try_u8(name, kind, k, threads, T::words, per);
}

template <int BINS> static void cub_f32(int kind)
{
    char what[60];
    void *work = NULL;
    size_t bytes = 0;
    snprintf(what, sizeof what, "f32 %d %s CUB", BINS, input_name[kind]);
    cub::DeviceHistogram::HistogramEven(work, bytes, f, (int *)bins, BINS + 1, 0.0f, 1.0f, (int)nf);
    CHECK(cudaMalloc(&work, bytes));
    double us = tune_time_us([&](int) {
        cub::DeviceHistogram::HistogramEven(work, bytes, f, (int *)bins, BINS + 1, 0.0f, 1.0f, (int)nf);
    }, 20);
    tune_row(what, us, nf * 4.0, same(BINS));
    cudaFree(work);
}

static void reference_f32(int nbins)
{
    cudaMemset(want, 0, MAX_BINS * 4);
    plain_f32<<<2048, 256>>>(want, f, nf, (float)nbins);
    CHECK(cudaDeviceSynchronize());
}

int main(void)
{
    sms = tune_sms();
    bins = tune_buffer<unsigned>(MAX_BINS);
    want = tune_buffer<unsigned>(MAX_BINS);
    f = tune_buffer<float>(nf);
    u = tune_buffer<unsigned char>(nu);
    for (int kind : {UNIFORM, SKEWED, ONE, EIGHT}) {
        fill_f32<<<2048, 256>>>(f, nf, kind);
        reference_f32(65536);
        cub_f32<65536>(kind);
        try_f32("packed U4", 65536, kind, (const void *)hist_packed<4, 0>, 1024, 32768, 1);
        try_f32("packed2 U2 merge33 rounds0", 65536, kind, (const void *)hist_packed2<2, 33, 0>, 1024, 32768, 1);
        try_f32("packed2 U2 merge4 rounds1", 65536, kind, (const void *)hist_packed2<2, 4, 1>, 1024, 32768, 1);
        try_f32("packed2 U2 merge8 rounds1", 65536, kind, (const void *)hist_packed2<2, 8, 1>, 1024, 32768, 1);
        try_f32("packed2 U2 merge8 rounds4", 65536, kind, (const void *)hist_packed2<2, 8, 4>, 1024, 32768, 1);
        try_f32("packed2 U2 merge16 rounds4", 65536, kind, (const void *)hist_packed2<2, 16, 4>, 1024, 32768, 1);
        try_f32("packed2 U4 merge33 rounds0", 65536, kind, (const void *)hist_packed2<4, 33, 0>, 1024, 32768, 1);
        try_f32("packed2 U4 merge4 rounds1", 65536, kind, (const void *)hist_packed2<4, 4, 1>, 1024, 32768, 1);
        try_f32("packed2 U4 merge8 rounds1", 65536, kind, (const void *)hist_packed2<4, 8, 1>, 1024, 32768, 1);
        try_f32("packed2 U4 merge8 rounds4", 65536, kind, (const void *)hist_packed2<4, 8, 4>, 1024, 32768, 1);
        try_f32("packed2 U4 merge16 rounds4", 65536, kind, (const void *)hist_packed2<4, 16, 4>, 1024, 32768, 1);
    }
    return 0;
}
