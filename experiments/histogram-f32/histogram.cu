// How many of n floats fall into each of `count` equal intervals of [low, high). What is outside, and
// NaN, is not counted. All add to zeroed bins:
//   global_histogram   an atomic in global memory per element
//   shared_histogram   bins of the block in shared memory, added to the global ones at the end
//   wide_histogram     the same, 16 bytes per load, four loads in flight; COPIES of the bins, shared by
//                      the warps in turn
//   columns_histogram  a column of bins for each lane (up to 256 bins): lane i only ever touches bank i
//   packed_histogram   two bins of 16 bits per word (any even number up to 65536 bins); lanes of a warp
//                      that meet in one bin add together, and a bin that is half full is emptied
//   ahead_histogram    the same; the next elements are on their way while these are counted, and lanes add
//                      together only where MEET of them have the first lane's bin
//   hot_histogram      the same; bins that many of a block's first elements fall into get a column of words,
//                      one for each lane, so that lanes that meet there do not wait for each other
// SPDX-License-Identifier: Apache-2.0
#ifndef COPIES
#define COPIES 1
#endif
#ifndef BLOCK
#define BLOCK 512
#endif
#define WARP 32
#define ALL 0xffffffffu
#ifndef FLIGHT
#define FLIGHT 4 // loads in flight per thread
#endif

struct range {
    float low, scale; // scale: bins per unit
    unsigned count;
};

static __device__ struct range range_of(float low, float high, int count)
{
    struct range r = {low, (float)count / (high - low), (unsigned)count};
    return r;
}

// r.count or more: not counted.
static __device__ unsigned bin_of(float x, struct range r)
{
    return x >= r.low ? (unsigned)(int)((x - r.low) * r.scale) : r.count;
}

extern "C" __global__ void global_histogram(unsigned *bins, const float *in, long long n, float low,
                                            float high, int count)
{
    struct range r = range_of(low, high, count);
    long long stride = (long long)gridDim.x * BLOCK;
    for (long long i = blockIdx.x * (long long)BLOCK + threadIdx.x; i < n; i += stride) {
        unsigned bin = bin_of(in[i], r);
        if (bin < r.count)
            atomicAdd(&bins[bin], 1u);
    }
}

static __device__ void clear(unsigned *words, int size)
{
    for (int i = threadIdx.x; i < size; i += BLOCK)
        words[i] = 0;
    __syncthreads();
}

extern "C" __global__ void shared_histogram(unsigned *bins, const float *in, long long n, float low,
                                            float high, int count)
{
    extern __shared__ unsigned own[];
    struct range r = range_of(low, high, count);
    long long stride = (long long)gridDim.x * BLOCK;
    clear(own, count);
    for (long long i = blockIdx.x * (long long)BLOCK + threadIdx.x; i < n; i += stride) {
        unsigned bin = bin_of(in[i], r);
        if (bin < r.count)
            atomicAdd(&own[bin], 1u);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < count; b += BLOCK)
        if (own[b] > 0)
            atomicAdd(&bins[b], own[b]);
}

// Calls add for each element that is this thread's: FLIGHT quads in flight, then the last ones.
template <typename Count>
static __device__ void each(const float *in, long long n, Count add)
{
    const float4 *quads = (const float4 *)in;
    long long all = n / 4, stride = (long long)gridDim.x * BLOCK;
    long long i = blockIdx.x * (long long)BLOCK + threadIdx.x;
    for (; i + (FLIGHT - 1) * stride < all; i += FLIGHT * stride) {
        float4 v[FLIGHT];
#pragma unroll
        for (int f = 0; f < FLIGHT; f++)
            v[f] = __ldcs(&quads[i + f * stride]);
#pragma unroll
        for (int f = 0; f < FLIGHT; f++) {
            add(v[f].x);
            add(v[f].y);
            add(v[f].z);
            add(v[f].w);
        }
    }
    for (; i < all; i += stride) {
        float4 v = quads[i];
        add(v.x);
        add(v.y);
        add(v.z);
        add(v.w);
    }
    if (blockIdx.x == 0 && threadIdx.x < n % 4)
        add(in[all * 4 + threadIdx.x]);
}

extern "C" __global__ void wide_histogram(unsigned *bins, const float *in, long long n, float low,
                                          float high, int count)
{
    extern __shared__ unsigned own[]; // COPIES times count
    struct range r = range_of(low, high, count);
    clear(own, COPIES * count);
    unsigned *mine = own + threadIdx.x / WARP % COPIES * count;
    each(in, n, [=](float x) {
        unsigned bin = bin_of(x, r);
        if (bin < r.count)
            atomicAdd(&mine[bin], 1u);
    });
    __syncthreads();
    for (int b = threadIdx.x; b < count; b += BLOCK) {
        unsigned sum = 0;
        for (int c = 0; c < COPIES; c++)
            sum += own[c * count + b];
        if (sum > 0)
            atomicAdd(&bins[b], sum);
    }
}

extern "C" __global__ void columns_histogram(unsigned *bins, const float *in, long long n, float low,
                                             float high, int count)
{
    extern __shared__ unsigned own[]; // count rows of a word for each lane
    struct range r = range_of(low, high, count);
    clear(own, count * WARP);
    unsigned *column = own + threadIdx.x % WARP;
    each(in, n, [=](float x) {
        unsigned bin = bin_of(x, r);
        if (bin < r.count)
            atomicAdd(&column[bin * WARP], 1u);
    });
    __syncthreads();
    for (int b = threadIdx.x; b < count; b += BLOCK) {
        unsigned sum = 0;
        for (int lane = 0; lane < WARP; lane++) // each thread begins in another bank
            sum += own[b * WARP + (lane + threadIdx.x) % WARP];
        if (sum > 0)
            atomicAdd(&bins[b], sum);
    }
}

// ---- packed -------------------------------------------------------------------------------------

#define HALF_FULL 32768u
#define TOGETHER 8 // so many lanes in a bin add once; fewer, each for itself

// A bin of 16 bits: the one that lifts it over half full takes that much out, into the result. Between
// two barriers per block adds less than HALF_FULL, so that no bin can overflow before.
static __device__ void add_packed(unsigned *words, unsigned *bins, unsigned bin, unsigned count)
{
    unsigned shift = bin % 2 * 16;
    unsigned old = atomicAdd(&words[bin / 2], count << shift) >> shift & 0xffff;
    if (old < HALF_FULL && old + count >= HALF_FULL) {
        atomicSub(&words[bin / 2], HALF_FULL << shift);
        atomicAdd(&bins[bin], HALF_FULL);
    }
}

// All lanes of the warp call it. The lanes in the first lane's bin add together, and again with the
// lanes that are left, as long as enough meet.
static __device__ void count_packed(unsigned *words, unsigned *bins, unsigned bin, unsigned count)
{
    bool todo = bin < count;
    for (;;) {
        unsigned left = __ballot_sync(ALL, todo);
        if (left == 0)
            return;
        int leader = __ffs((int)left) - 1;
        unsigned theirs = __shfl_sync(ALL, bin, leader);
        unsigned with = __ballot_sync(ALL, todo && bin == theirs);
        if (__popc(with) < TOGETHER)
            break;
        if (threadIdx.x % WARP == leader)
            add_packed(words, bins, bin, __popc(with));
        todo = todo && bin != theirs;
    }
    if (todo)
        add_packed(words, bins, bin, 1);
}

static __device__ void put_packed(unsigned *bins, const unsigned *own, int count)
{
    __syncthreads();
    for (int i = threadIdx.x; i < count / 2; i += BLOCK) {
        unsigned low_bin = own[i] & 0xffff, high_bin = own[i] >> 16;
        if (low_bin > 0)
            atomicAdd(&bins[2 * i], low_bin);
        if (high_bin > 0)
            atomicAdd(&bins[2 * i + 1], high_bin);
    }
}

extern "C" __global__ void packed_histogram(unsigned *bins, const float *in, long long n, float low,
                                            float high, int count)
{
    extern __shared__ unsigned own[]; // count / 2
    const float4 *quads = (const float4 *)in;
    struct range r = range_of(low, high, count);
    long long all = n / 4, stride = (long long)gridDim.x * BLOCK;
    clear(own, count / 2);
    for (long long first = blockIdx.x * (long long)BLOCK; first < all; first += FLIGHT * stride) {
        float4 v[FLIGHT];
        float none = r.low - 1; // not counted
#pragma unroll
        for (int f = 0; f < FLIGHT; f++) {
            long long i = first + threadIdx.x + f * stride;
            v[f] = i < all ? __ldcs(&quads[i]) : make_float4(none, none, none, none);
        }
#pragma unroll
        for (int f = 0; f < FLIGHT; f++) {
            count_packed(own, bins, bin_of(v[f].x, r), count);
            count_packed(own, bins, bin_of(v[f].y, r), count);
            count_packed(own, bins, bin_of(v[f].z, r), count);
            count_packed(own, bins, bin_of(v[f].w, r), count);
        }
        __syncthreads();
    }
    if (blockIdx.x == 0 && threadIdx.x < WARP) // up to three more
        count_packed(own, bins, threadIdx.x < n % 4 ? bin_of(in[all * 4 + threadIdx.x], r) : count, count);
    put_packed(bins, own, count);
}

#ifndef MEET
#define MEET 16
#endif

// A warp's 128 elements. Where MEET lanes or more have lane 0's bin as their first one, all that are in it are added
// at once; whether there were that many.
static __device__ bool count_four(unsigned *words, unsigned *bins, unsigned (&bin)[4], unsigned count)
{
    unsigned common = __shfl_sync(ALL, bin[0], 0);
    unsigned together = __popc(__ballot_sync(ALL, bin[0] == common));
    if (common < count && together >= MEET) {
#pragma unroll
        for (int c = 1; c < 4; c++)
            together += __popc(__ballot_sync(ALL, bin[c] == common));
        if (threadIdx.x % WARP == 0)
            add_packed(words, bins, common, together);
#pragma unroll
        for (int c = 0; c < 4; c++)
            if (bin[c] == common)
                bin[c] = count;
    }
#pragma unroll
    for (int c = 0; c < 4; c++)
        if (bin[c] < count)
            add_packed(words, bins, bin[c], 1);
    return together >= MEET;
}

// FLIGHT quads of this thread; beyond the end, what is not counted.
static __device__ void load_ahead(float4 (&v)[FLIGHT], const float4 *quads, long long first, long long all,
                                  float none)
{
#pragma unroll
    for (int f = 0; f < FLIGHT; f++) {
        long long i = first + threadIdx.x + f * (long long)gridDim.x * BLOCK;
        v[f] = i < all ? __ldcs(&quads[i]) : make_float4(none, none, none, none);
    }
}

static __device__ void bins_of(unsigned (&bin)[FLIGHT][4], const float4 (&v)[FLIGHT], struct range r)
{
#pragma unroll
    for (int f = 0; f < FLIGHT; f++) {
        bin[f][0] = bin_of(v[f].x, r);
        bin[f][1] = bin_of(v[f].y, r);
        bin[f][2] = bin_of(v[f].z, r);
        bin[f][3] = bin_of(v[f].w, r);
    }
}

// Between two barriers a block adds BLOCK * FLIGHT * 4, less than HALF_FULL, to a bin.
extern "C" __global__ void __launch_bounds__(BLOCK)
ahead_histogram(unsigned *bins, const float *in, long long n, float low, float high, int count)
{
    extern __shared__ unsigned own[]; // count / 2
    const float4 *quads = (const float4 *)in;
    struct range r = range_of(low, high, count);
    long long all = n / 4, step = FLIGHT * (long long)gridDim.x * BLOCK, first = blockIdx.x * (long long)BLOCK;
    float4 v[FLIGHT];
    clear(own, count / 2);
    load_ahead(v, quads, first, all, r.low - 1);
    for (; first < all; first += step) {
        unsigned bin[FLIGHT][4];
        bins_of(bin, v, r);
        load_ahead(v, quads, first + step, all, r.low - 1);
#pragma unroll
        for (int f = 0; f < FLIGHT; f++)
            count_four(own, bins, bin[f], count);
        __syncthreads();
    }
    if (blockIdx.x == 0 && threadIdx.x < n % 4) { // up to three more
        unsigned bin = bin_of(in[all * 4 + threadIdx.x], r);
        if (bin < count)
            add_packed(own, bins, bin, 1);
    }
    put_packed(bins, own, count);
}

/* ---- hot bins ------------------------------------------------------------------------------------------- */

#ifndef SLOTS // of hot bins, a power of two
#define SLOTS 128
#endif
#ifndef SHARE // a bin is hot with 1 / SHARE of the elements
#define SHARE 128
#endif

struct hot {
    unsigned bins[SLOTS];             // of each slot; NOBODY where there is none
    unsigned columns[SLOTS * WARP];   // a word of each lane
    unsigned covered;                 // elements of the first round that fell into hot bins
};
#define NOBODY 0xffffffffu

// What the first round counted decides. A bin whose slot is taken stays as it is.
static __device__ void hot_choose(struct hot *hot, const unsigned *words, int count, unsigned least)
{
    for (int i = threadIdx.x; i < count / 2; i += BLOCK)
        for (unsigned half = 0; half < 2; half++) {
            unsigned bin = 2 * i + half, found = words[i] >> 16 * half & 0xffff;
            if (found >= least && atomicCAS(&hot->bins[bin % SLOTS], NOBODY, bin) == NOBODY)
                atomicAdd(&hot->covered, found);
        }
}

static __device__ void hot_count(struct hot *hot, unsigned *words, unsigned *bins, unsigned bin, unsigned count)
{
    if (bin >= count)
        return;
    if (hot->bins[bin % SLOTS] == bin)
        atomicAdd(&hot->columns[bin % SLOTS * WARP + threadIdx.x % WARP], 1u);
    else
        add_packed(words, bins, bin, 1);
}

static __device__ void hot_put(unsigned *bins, const struct hot *hot)
{
    for (int s = threadIdx.x / WARP; s < SLOTS; s += BLOCK / WARP) {
        unsigned sum = __reduce_add_sync(ALL, hot->columns[s * WARP + threadIdx.x % WARP]);
        if (threadIdx.x % WARP == 0 && sum > 0)
            atomicAdd(&bins[hot->bins[s]], sum);
    }
}

// Between two barriers a block adds BLOCK * FLIGHT * 4, less than HALF_FULL, to a bin.
extern "C" __global__ void __launch_bounds__(BLOCK)
hot_histogram(unsigned *bins, const float *in, long long n, float low, float high, int count)
{
    extern __shared__ unsigned own[]; // count / 2
    __shared__ struct hot hot;
    const float4 *quads = (const float4 *)in;
    struct range r = range_of(low, high, count);
    long long all = n / 4, step = FLIGHT * (long long)gridDim.x * BLOCK, first = blockIdx.x * (long long)BLOCK;
    float4 v[FLIGHT];
    bool choose = true, any = false;
    for (int i = threadIdx.x; i < SLOTS; i += BLOCK)
        hot.bins[i] = NOBODY;
    for (int i = threadIdx.x; i < SLOTS * WARP; i += BLOCK)
        hot.columns[i] = 0;
    hot.covered = 0;
    clear(own, count / 2);
    load_ahead(v, quads, first, all, r.low - 1);
    for (; first < all; first += step) {
        unsigned bin[FLIGHT][4];
        bins_of(bin, v, r);
        load_ahead(v, quads, first + step, all, r.low - 1);
        if (any) {
#pragma unroll
            for (int f = 0; f < FLIGHT; f++)
#pragma unroll
                for (int c = 0; c < 4; c++)
                    hot_count(&hot, own, bins, bin[f][c], count);
        } else {
            bool together = count_four(own, bins, bin[0], count);
#pragma unroll
            for (int f = 1; f < FLIGHT; f++)
                if (together)
                    count_four(own, bins, bin[f], count);
                else
#pragma unroll
                    for (int c = 0; c < 4; c++)
                        if (bin[f][c] < count)
                            add_packed(own, bins, bin[f][c], 1);
        }
        __syncthreads();
        if (choose) {
            hot_choose(&hot, own, count, BLOCK * FLIGHT * 4 / SHARE);
            __syncthreads();
            choose = false;
            any = hot.covered >= BLOCK * FLIGHT; // a quarter
        }
    }
    if (blockIdx.x == 0 && threadIdx.x < n % 4) { // up to three more
        unsigned bin = bin_of(in[all * 4 + threadIdx.x], r);
        if (bin < count)
            add_packed(own, bins, bin, 1);
    }
    put_packed(bins, own, count);
    hot_put(bins, &hot);
}
