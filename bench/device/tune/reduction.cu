// Candidates for experiments/reduction: one launch in which block 0 waits for the others' sums, one in
// which the last block adds them, one with atomics on a zeroed result; beside CUB, 2^10 to 2^30.
// SPDX-License-Identifier: Apache-2.0
#include <cub/cub.cuh>

#include "tune.h"

static int sms;
static float *in, *out;
static unsigned long long *words;
static unsigned *done;
static float *sums;

enum how { POLL, LAST, ATOMIC, EIGHTH };

static __device__ float warp_sum(float x)
{
#pragma unroll
    for (int s = 16; s > 0; s /= 2)
        x += __shfl_xor_sync(~0u, x, s);
    return x;
}
template <int THREADS> static __device__ float block_sum(float x)
{
    __shared__ float part[THREADS / 32];
    x = warp_sum(x);
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = x;
    __syncthreads();
    return threadIdx.x < 32 ? warp_sum(threadIdx.x < THREADS / 32 ? part[threadIdx.x] : 0) : 0;
}
template <int THREADS, int U, bool STREAM> static __device__ float mine(const float *in, long long n)
{
    const float4 *quads = (const float4 *)in;
    long long count = n / 4, stride = (long long)gridDim.x * THREADS, i = blockIdx.x * (long long)THREADS + threadIdx.x;
    float a[4] = {0, 0, 0, 0};
    for (; i + (U - 1) * stride < count; i += U * stride) {
        float4 v[U];
#pragma unroll
        for (int u = 0; u < U; u++)
            v[u] = STREAM ? __ldcs(quads + i + u * stride) : quads[i + u * stride];
#pragma unroll
        for (int u = 0; u < U; u++)
            a[0] += v[u].x, a[1] += v[u].y, a[2] += v[u].z, a[3] += v[u].w;
    }
    float4 v[U];
#pragma unroll
    for (int u = 0; u < U; u++)
        v[u] = i + u * stride < count ? quads[i + u * stride] : make_float4(0, 0, 0, 0);
#pragma unroll
    for (int u = 0; u < U; u++)
        a[0] += v[u].x, a[1] += v[u].y, a[2] += v[u].z, a[3] += v[u].w;
    if (blockIdx.x == 0 && threadIdx.x < n % 4)
        a[0] += in[count * 4 + threadIdx.x];
    return (a[0] + a[1]) + (a[2] + a[3]);
}
template <int THREADS, int U, int HOW, bool STREAM>
static __global__ void __launch_bounds__(THREADS) reduce(float *out, const float *in, long long n, float *sums, unsigned *done, unsigned long long *words)
{
    float sum = block_sum<THREADS>(mine<THREADS, U, STREAM>(in, n));
    if (HOW == ATOMIC) {
        if (threadIdx.x == 0)
            atomicAdd(out, sum);
    } else if (HOW == POLL) {
        if (blockIdx.x > 0) {
            if (threadIdx.x == 0)
                asm volatile("st.relaxed.gpu.u64 [%0], %1;" ::"l"(words + blockIdx.x), "l"(1ull << 32 | __float_as_uint(sum)) : "memory");
            return;
        }
        if (threadIdx.x > 0)
            sum = 0; // the lanes of warp 0 all have it
        for (int i = 1 + threadIdx.x; i < gridDim.x; i += THREADS) {
            unsigned long long w;
            do
                asm volatile("ld.relaxed.gpu.u64 %0, [%1];" : "=l"(w) : "l"(words + i) : "memory");
            while (!(w >> 32));
            words[i] = 0;
            sum += __uint_as_float((unsigned)w);
        }
        if (gridDim.x > 1)
            sum = block_sum<THREADS>(sum);
        if (threadIdx.x == 0)
            *out = sum;
    } else {
        __shared__ bool last;
        if (threadIdx.x == 0) {
            sums[blockIdx.x] = sum;
            __threadfence();
            last = atomicAdd(done, 1u) == gridDim.x - 1;
        }
        __syncthreads();
        if (!last)
            return;
        sum = 0;
        for (int i = threadIdx.x; i < gridDim.x; i += THREADS)
            sum += __ldcg(sums + i);
        sum = block_sum<THREADS>(sum);
        if (threadIdx.x == 0)
            *out = sum, *done = 0;
    }
}
static double want;
static size_t copies(size_t n) { return std::max((size_t)1, std::min((size_t)1024, ((size_t)1 << 28) / (n * 4))); }
static bool right(void)
{
    float got;
    CHECK(cudaMemcpy(&got, out, 4, cudaMemcpyDeviceToHost));
    return fabs(got - want) <= 1e-4 * fabs(want);
}
template <int THREADS, int U, int HOW, bool STREAM> static void one(size_t n)
{
    for (int per : {1, 2, 3, 4, 8}) {
        if (per * THREADS > 2048 || (per > 1 && (size_t)(per - 1) * THREADS * sms * 4 * U > n) || (HOW != POLL && per == 3))
            continue;
        size_t blocks = std::min((size_t)(per * sms), (n + THREADS * 4 * U - 1) / (THREADS * 4 * U)), c = copies(n);
        static const char *names[] = {"poll", "last", "atomic"};
        char what[100];
        snprintf(what, sizeof what, "2^%d %s t%d U%d x%d blocks %zu%s", (int)log2((double)n), names[HOW], THREADS, U, per, blocks, STREAM ? " stream" : "");
        CHECK(cudaMemset(words, 0, 65536));
        CHECK(cudaMemset(done, 0, 4));
        double us = tune_time_us([&](int k) {
            if (HOW == ATOMIC)
                cudaMemsetAsync(out, 0, 4);
            reduce<THREADS, U, HOW, STREAM><<<(unsigned)blocks, THREADS>>>(out, in + k % c * n, (long long)n, sums, done, words);
        }, 8);
        if (HOW == ATOMIC)
            cudaMemsetAsync(out, 0, 4);
        reduce<THREADS, U, HOW, STREAM><<<(unsigned)blocks, THREADS>>>(out, in, (long long)n, sums, done, words);
        tune_row(what, us, n * 4.0, right());
    }
}
int main(void)
{
    sms = tune_sms();
    size_t big = (size_t)1 << 30;
    in = tune_buffer<float>(big);
    out = tune_buffer<float>(1);
    words = tune_buffer<unsigned long long>(8192);
    sums = tune_buffer<float>(8192);
    done = tune_buffer<unsigned>(1);
    tune_uniform(in, big, 0, 1);
    for (int log : {10, 14, 16, 18, 20, 22, 24, 26, 28, 30}) {
        size_t n = (size_t)1 << log, c = copies(n), bytes = 0;
        void *work = NULL;
        cub::DeviceReduce::Sum(work, bytes, in, out, (int)n);
        CHECK(cudaMalloc(&work, bytes));
        double us = tune_time_us([&](int k) { cub::DeviceReduce::Sum(work, bytes, in + k % c * n, out, (int)n); }, 8);
        cub::DeviceReduce::Sum(work, bytes, in, out, (int)n);
        float got;
        CHECK(cudaMemcpy(&got, out, 4, cudaMemcpyDeviceToHost));
        want = got;
        char what[60];
        snprintf(what, sizeof what, "2^%d CUB", log);
        tune_row(what, us, n * 4.0, true);
        cudaFree(work);
        if (log <= 22) {
            one<256, 1, POLL, false>(n);
            one<256, 2, POLL, false>(n);
            one<512, 1, POLL, false>(n);
            one<512, 2, POLL, false>(n);
            one<1024, 1, POLL, false>(n);
            one<1024, 2, POLL, false>(n);
            one<512, 4, POLL, false>(n);
            one<512, 4, LAST, false>(n);
            one<256, 4, ATOMIC, false>(n);
        } else {
            one<256, 4, POLL, false>(n);
            one<256, 8, POLL, true>(n);
            one<512, 4, POLL, false>(n);
            one<512, 4, POLL, true>(n);
            one<512, 8, POLL, true>(n);
            one<1024, 2, POLL, false>(n);
            one<1024, 4, POLL, true>(n);
            one<1024, 8, POLL, true>(n);
            one<512, 4, LAST, true>(n);
            one<512, 4, ATOMIC, true>(n);
        }
    }
    return 0;
}
