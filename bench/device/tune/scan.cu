// Candidates for experiments/scan: the single pass with decoupled look-back, by threads, items, blocks an
// SM; beside CUB.
// SPDX-License-Identifier: Apache-2.0
#include <cub/cub.cuh>

#include "bulk.h"
#include "tune.h"

struct header { unsigned ticket, done, epoch, pad; };
static int sms;
static void *in, *out, *want;
static unsigned long long *state;
static header *head;

template <typename T> static __device__ unsigned bits(T v) { unsigned u; memcpy(&u, &v, 4); return u; }
template <typename T> static __device__ T value(unsigned u) { T v; memcpy(&v, &u, 4); return v; }
template <typename T> struct vec4 { T x, y, z, w; };

static __device__ void put(unsigned long long *p, unsigned flag, unsigned v)
{
    asm volatile("st.relaxed.gpu.u64 [%0], %1;" ::"l"(p), "l"((unsigned long long)flag << 32 | v) : "memory");
}
static __device__ unsigned long long get(const unsigned long long *p)
{
    unsigned long long v;
    asm volatile("ld.relaxed.gpu.u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");
    return v;
}

// The sum of all tiles before: WINDOWS times 32 words are asked for at once, the nearest first; back to the first one
// that has the sum of all up to it.
template <typename T, int WINDOWS> static __device__ T look_back(unsigned long long *state, unsigned tile, unsigned e, T total, int lane)
{
    if (tile == 0) {
        if (lane == 0)
            put(&state[0], e + 2, bits(total));
        return 0;
    }
    if (lane == 0)
        put(&state[tile], e + 1, bits(total));
    T pre = 0;
    bool more = true;
    for (int at = (int)tile - 1 - lane; more; at -= 32 * WINDOWS) {
        unsigned long long word[WINDOWS];
#pragma unroll
        for (int w = 0; w < WINDOWS; w++)
            word[w] = at - 32 * w >= 0 ? get(&state[at - 32 * w]) : (unsigned long long)(e + 2) << 32;
#pragma unroll
        for (int w = 0; w < WINDOWS; w++)
            if (more) {
                while (__any_sync(~0u, (unsigned)(word[w] >> 32) - e - 1 > 1))
                    if ((unsigned)(word[w] >> 32) - e - 1 > 1)
                        word[w] = get(&state[at - 32 * w]);
                unsigned ends = __ballot_sync(~0u, (unsigned)(word[w] >> 32) - e == 2);
                int last = ends ? __ffs(ends) - 1 : 31;
                pre += lane <= last ? value<T>((unsigned)word[w]) : (T)0;
                more = ends == 0;
            }
    }
#pragma unroll
    for (int s = 16; s > 0; s /= 2)
        pre += __shfl_xor_sync(~0u, pre, s);
    if (lane == 0)
        put(&state[tile], e + 2, bits(pre + total));
    return pre;
}

// A tile's word: epoch * 4 + 1 has the tile's own sum, + 2 that of all up to it.
template <typename T, int THREADS, int QUADS, int MINB, bool SORTED, int WINDOWS>
static __global__ void __launch_bounds__(THREADS, MINB) scan(T *out, const T *in, long long n, unsigned long long *state, header *head)
{
    const int WARPS = THREADS / 32, TILE = THREADS * QUADS * 4;
    __shared__ T sums[WARPS];
    __shared__ T before;
    __shared__ unsigned ticket, epoch;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (threadIdx.x == 0) {
        epoch = *(volatile unsigned *)&head->epoch * 4;
        if (SORTED)
            ticket = atomicAdd(&head->ticket, 1u);
    }
    if (SORTED)
        __syncthreads();
    unsigned tile = SORTED ? ticket : blockIdx.x;
    long long first = tile * (long long)TILE + warp * (32 * QUADS * 4) + lane * 4;
    uint4 v[QUADS];
#pragma unroll
    for (int q = 0; q < QUADS; q++)
        v[q] = first + q * 128 < n ? (__ldcs((const uint4 *)(in + first + q * 128))) : make_uint4(0, 0, 0, 0);
    T a[QUADS][4], sum[QUADS];
#pragma unroll
    for (int q = 0; q < QUADS; q++) {
        a[q][0] = value<T>(v[q].x);
        a[q][1] = a[q][0] + value<T>(v[q].y);
        a[q][2] = a[q][1] + value<T>(v[q].z);
        a[q][3] = a[q][2] + value<T>(v[q].w);
        sum[q] = a[q][3];
    }
#pragma unroll
    for (int s = 1; s < 32; s *= 2)
#pragma unroll
        for (int q = 0; q < QUADS; q++) {
            T t = __shfl_up_sync(~0u, sum[q], s);
            if (lane >= s)
                sum[q] += t;
        }
    T carry = 0;
#pragma unroll
    for (int q = 0; q < QUADS; q++) {
        T all = __shfl_sync(~0u, sum[q], 31);
        sum[q] += carry - a[q][3];
        carry += all;
    }
    if (lane == 31)
        sums[warp] = carry;
    __syncthreads();
    T base = 0, total = 0;
#pragma unroll
    for (int w = 0; w < WARPS; w++) {
        if (w == warp)
            base = total;
        total += sums[w];
    }
    if (warp == 0) {
        T pre = look_back<T, WINDOWS>(state, tile, epoch, total, lane);
        if (lane == 0)
            before = pre;
    }
    __syncthreads();
    base += before;
#pragma unroll
    for (int q = 0; q < QUADS; q++) {
        T b = base + sum[q];
        uint4 o = make_uint4(bits(b + a[q][0]), bits(b + a[q][1]), bits(b + a[q][2]), bits(b + a[q][3]));
        if (first + q * 128 < n) {
            __stcs((uint4 *)(out + first + q * 128), o);
        }
    }
    if (threadIdx.x == 0 && atomicAdd(&head->done, 1u) == gridDim.x - 1) {
        head->ticket = 0;
        head->done = 0;
        head->epoch = epoch / 4 + 1;
    }
}


// A tile's words are as above. Blocks stay and take tile after tile; up to STAGES tiles are on their way to
// shared memory while one is summed and waits for those before.
template <typename T, int QUADS> static __device__ T scan_warp(T (*a)[4], T *sum, int lane)
{
#pragma unroll
    for (int q = 0; q < QUADS; q++) {
        a[q][1] += a[q][0];
        a[q][2] += a[q][1];
        a[q][3] += a[q][2];
        sum[q] = a[q][3];
    }
#pragma unroll
    for (int s = 1; s < 32; s *= 2)
#pragma unroll
        for (int q = 0; q < QUADS; q++) {
            T t = __shfl_up_sync(~0u, sum[q], s);
            if (lane >= s)
                sum[q] += t;
        }
    T carry = 0;
#pragma unroll
    for (int q = 0; q < QUADS; q++) {
        T all = __shfl_sync(~0u, sum[q], 31);
        sum[q] += carry - a[q][3];
        carry += all;
    }
    return carry;
}
template <typename T, int THREADS, int QUADS, int STAGES, int MINB, bool STATIC, int WINDOWS>
static __global__ void __launch_bounds__(THREADS, MINB) piped(T *out, const T *in, long long n, unsigned long long *state, header *head)
{
    const int WARPS = THREADS / 32, TILE = THREADS * QUADS * 4;
    extern __shared__ __align__(128) char memory[];
    T *tiles = (T *)memory;
    __shared__ unsigned long long full[STAGES];
    __shared__ unsigned tickets[STAGES], epoch;
    __shared__ T sums[WARPS];
    __shared__ T before;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned count = (unsigned)((n + TILE - 1) / TILE), mine = blockIdx.x;
    auto fetch = [&](int stage) {
        unsigned t;
        if (STATIC)
            t = mine, mine += gridDim.x;
        else
            t = atomicAdd(&head->ticket, 1u);
        tickets[stage] = t;
        if (t < count && (t + 1ll) * TILE <= n)
            bulk_load(tiles + stage * TILE, in + t * (long long)TILE, TILE * 4, &full[stage]);
    };
    if (threadIdx.x == THREADS - 32) {
        for (int s = 0; s < STAGES; s++)
            mbarrier_init(&full[s], 1);
        mbarrier_fence();
        for (int s = 0; s < STAGES; s++)
            fetch(s);
    }
    if (threadIdx.x == 0)
        epoch = *(volatile unsigned *)&head->epoch * 4;
    __syncthreads();
    unsigned e = epoch;
    for (int it = 0;; it++) {
        int stage = it % STAGES;
        unsigned tile = tickets[stage];
        if (tile >= count)
            break;
        int offset = warp * (32 * QUADS * 4) + lane * 4;
        long long first = tile * (long long)TILE + offset;
        bool whole = (tile + 1ll) * TILE <= n;
        T a[QUADS][4], sum[QUADS];
        if (whole)
            mbarrier_wait(&full[stage], it / STAGES & 1);
#pragma unroll
        for (int q = 0; q < QUADS; q++) {
            uint4 v;
            if (whole)
                v = *(const uint4 *)(tiles + stage * TILE + offset + q * 128);
            else
                v = first + q * 128 < n ? *(const uint4 *)(in + first + q * 128) : make_uint4(0, 0, 0, 0);
            a[q][0] = value<T>(v.x), a[q][1] = value<T>(v.y), a[q][2] = value<T>(v.z), a[q][3] = value<T>(v.w);
        }
        T carry = scan_warp<T, QUADS>(a, sum, lane);
        if (lane == 31)
            sums[warp] = carry;
        __syncthreads();
        if (threadIdx.x == THREADS - 32)
            fetch(stage);
        T base = 0, total = 0;
#pragma unroll
        for (int w = 0; w < WARPS; w++) {
            if (w == warp)
                base = total;
            total += sums[w];
        }
        if (warp == 0) {
            T pre = look_back<T, WINDOWS>(state, tile, e, total, lane);
            if (lane == 0)
                before = pre;
        }
        __syncthreads();
        base += before;
#pragma unroll
        for (int q = 0; q < QUADS; q++) {
            T b = base + sum[q];
            uint4 o = make_uint4(bits(b + a[q][0]), bits(b + a[q][1]), bits(b + a[q][2]), bits(b + a[q][3]));
            if (whole || first + q * 128 < n)
                __stcs((uint4 *)(out + first + q * 128), o);
        }
    }
    if (threadIdx.x == 0 && atomicAdd(&head->done, 1u) == gridDim.x - 1) {
        head->ticket = 0;
        head->done = 0;
        head->epoch = e / 4 + 1;
    }
}

static __global__ void compare_i(unsigned *bad, const int *a, const int *b, size_t n)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        if (a[i] != b[i])
            atomicAdd(bad, 1);
}
static __global__ void compare_f(unsigned *bad, const float *a, const float *b, size_t n)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        if (!(fabsf(a[i] - b[i]) <= 1e-4f * fabsf(b[i]) + 1e-2f))
            atomicAdd(bad, 1);
}
template <typename T> static bool right(size_t n)
{
    static unsigned *bad;
    unsigned count;
    if (!bad)
        bad = tune_buffer<unsigned>(1);
    CHECK(cudaMemset(bad, 0, 4));
    if (std::is_same<T, int>::value)
        compare_i<<<1024, 256>>>(bad, (int *)out, (int *)want, n);
    else
        compare_f<<<1024, 256>>>(bad, (float *)out, (float *)want, n);
    CHECK(cudaMemcpy(&count, bad, 4, cudaMemcpyDeviceToHost));
    return count == 0;
}

static size_t copies(size_t n) { return std::max((size_t)1, std::min((size_t)64, ((size_t)1 << 28) / (n * 4))); }

template <typename T, int THREADS, int QUADS, int MINB, bool SORTED, int WINDOWS> static void one(size_t n)
{
    char what[100];
    snprintf(what, sizeof what, "%s 2^%d look-back t%d x%d min%d%s windows %d", std::is_same<T, int>::value ? "i32" : "f32", (int)log2((double)n), THREADS, QUADS * 4, MINB, SORTED ? " ticket" : "", WINDOWS);
    unsigned grid = (unsigned)((n + THREADS * QUADS * 4 - 1) / (THREADS * QUADS * 4));
    cudaMemset(state, 0, 8 << 20);
    cudaMemset(head, 0, sizeof *head);
    cudaMemset(out, 0, n * 4);
    size_t c = copies(n);
    double us = tune_time_us([&](int k) { scan<T, THREADS, QUADS, MINB, SORTED, WINDOWS><<<grid, THREADS>>>((T *)out + k % c * n, (const T *)in + k % c * n, (long long)n, state, head); }, 20);
    scan<T, THREADS, QUADS, MINB, SORTED, WINDOWS><<<grid, THREADS>>>((T *)out, (const T *)in, (long long)n, state, head);
    tune_row(what, us, n * 8.0, right<T>(n));
}
template <typename T, int THREADS, int QUADS, int STAGES, int MINB, bool STATIC, int WINDOWS> static void pipe(size_t n)
{
    char what[100];
    auto k = piped<T, THREADS, QUADS, STAGES, MINB, STATIC, WINDOWS>;
    int bytes = THREADS * QUADS * 16 * STAGES, fit = 0;
    cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, k, THREADS, bytes));
    snprintf(what, sizeof what, "%s 2^%d piped t%d x%d stages %d per SM %d%s windows %d", std::is_same<T, int>::value ? "i32" : "f32", (int)log2((double)n), THREADS, QUADS * 4, STAGES, fit, STATIC ? " static" : "", WINDOWS);
    unsigned grid = std::min((unsigned)(fit * sms), (unsigned)((n + THREADS * QUADS * 4 - 1) / (THREADS * QUADS * 4)));
    cudaMemset(state, 0, 8 << 20);
    cudaMemset(head, 0, sizeof *head);
    cudaMemset(out, 0, n * 4);
    size_t c = copies(n);
    double us = tune_time_us([&](int i) { k<<<grid, THREADS, bytes>>>((T *)out + i % c * n, (const T *)in + i % c * n, (long long)n, state, head); }, 20);
    k<<<grid, THREADS, bytes>>>((T *)out, (const T *)in, (long long)n, state, head);
    tune_row(what, us, n * 8.0, right<T>(n));
}
template <typename T> static void library(size_t n)
{
    char what[100];
    void *work = NULL;
    size_t bytes = 0, c = copies(n);
    snprintf(what, sizeof what, "%s 2^%d CUB InclusiveSum", std::is_same<T, int>::value ? "i32" : "f32", (int)log2((double)n));
    cub::DeviceScan::InclusiveSum(work, bytes, (const T *)in, (T *)want, (int)n);
    CHECK(cudaMalloc(&work, bytes));
    double us = tune_time_us([&](int k) { cub::DeviceScan::InclusiveSum(work, bytes, (const T *)in + k % c * n, (T *)want + k % c * n, (int)n); }, 20);
    cub::DeviceScan::InclusiveSum(work, bytes, (const T *)in, (T *)want, (int)n);
    tune_row(what, us, n * 8.0, true);
    cudaFree(work);
}
template <typename T> static void all(size_t n)
{
    library<T>(n);
    one<T, 128, 4, 1, true, 1>(n);
    one<T, 128, 8, 1, true, 1>(n);
    one<T, 256, 4, 1, true, 1>(n);
    one<T, 256, 8, 1, true, 1>(n);
    one<T, 512, 4, 1, true, 1>(n);
    one<T, 1024, 4, 1, true, 1>(n);
    one<T, 128, 8, 1, true, 4>(n);
    one<T, 256, 4, 1, true, 4>(n);
    one<T, 256, 8, 1, true, 4>(n);
    one<T, 256, 4, 1, false, 4>(n);
    one<T, 256, 8, 1, false, 4>(n);
    one<T, 128, 4, 1, true, 8>(n);
    one<T, 128, 8, 1, true, 8>(n);
    one<T, 256, 4, 1, true, 8>(n);
    one<T, 256, 8, 1, true, 8>(n);
    one<T, 512, 4, 1, true, 8>(n);
    one<T, 1024, 4, 1, true, 8>(n);
    one<T, 256, 4, 1, false, 8>(n);
    one<T, 256, 8, 1, false, 8>(n);
    one<T, 128, 8, 1, true, 12>(n);
    one<T, 256, 4, 1, true, 12>(n);
    one<T, 256, 8, 1, true, 12>(n);
    one<T, 256, 4, 1, false, 12>(n);
    one<T, 256, 8, 1, false, 12>(n);
    pipe<T, 256, 4, 3, 1, true, 4>(n);
    pipe<T, 256, 8, 2, 1, true, 4>(n);
    pipe<T, 256, 4, 2, 1, true, 4>(n);
    pipe<T, 512, 4, 2, 1, true, 4>(n);
    pipe<T, 512, 4, 3, 1, true, 4>(n);
    pipe<T, 128, 8, 3, 1, true, 4>(n);
    pipe<T, 256, 4, 3, 1, true, 8>(n);
    pipe<T, 256, 8, 2, 1, true, 8>(n);
    pipe<T, 256, 4, 2, 1, true, 8>(n);
    pipe<T, 512, 4, 2, 1, true, 8>(n);
    pipe<T, 512, 4, 3, 1, true, 8>(n);
    pipe<T, 128, 8, 3, 1, true, 8>(n);
    pipe<T, 256, 4, 3, 1, true, 12>(n);
    pipe<T, 256, 8, 2, 1, true, 12>(n);
    pipe<T, 256, 4, 2, 1, true, 12>(n);
    pipe<T, 512, 4, 2, 1, true, 12>(n);
    pipe<T, 512, 4, 3, 1, true, 12>(n);
    pipe<T, 128, 8, 3, 1, true, 12>(n);
    pipe<T, 256, 8, 2, 1, false, 8>(n);
    pipe<T, 256, 4, 3, 1, false, 8>(n);
    pipe<T, 512, 4, 2, 1, false, 8>(n);
}
int main(void)
{
    sms = tune_sms();
    size_t big = (size_t)1 << 28;
    in = tune_buffer<float>(big);
    out = tune_buffer<float>(big);
    want = tune_buffer<float>(big);
    state = tune_buffer<unsigned long long>(1 << 20);
    head = tune_buffer<header>(1);
    tune_uniform((float *)in, big, 0, 1);
    all<float>(big);
    all<float>((size_t)1 << 20);
    all<float>((size_t)1 << 16);
    return 0;
}
