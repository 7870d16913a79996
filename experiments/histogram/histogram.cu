// How often each of the 256 values is among n bytes. All add to zeroed bins:
//   global_histogram   an atomic in global memory per element
//   shared_histogram   bins of the block in shared memory, added to the global ones at the end
//   private_histogram  bins of each warp: warps no longer meet
//   wide_histogram     the same, 16 bytes per load
//   runs_histogram     the same; equal neighbours are counted together
//   columns_histogram  a column of bins for each lane: lane i only ever touches bank i; FLIGHT loads
//                      in flight
// SPDX-License-Identifier: Apache-2.0
#define BINS 256
#ifndef BLOCK
#define BLOCK 256
#endif
#ifndef FLIGHT // loads in flight per thread
#define FLIGHT 4
#endif
#define WARP 32
#define WARPS (BLOCK / WARP)

extern "C" __global__ void global_histogram(unsigned *bins, const unsigned char *in, int n)
{
    int stride = gridDim.x * BLOCK;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += stride)
        atomicAdd(&bins[in[i]], 1u);
}

extern "C" __global__ void shared_histogram(unsigned *bins, const unsigned char *in, int n)
{
    __shared__ unsigned own[BINS];
    int stride = gridDim.x * BLOCK;
    own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += stride)
        atomicAdd(&own[in[i]], 1u);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

static __device__ void clear(unsigned (*own)[BINS])
{
    for (int w = 0; w < WARPS; w++)
        own[w][threadIdx.x] = 0;
    __syncthreads();
}

static __device__ void gather(unsigned *bins, const unsigned (*own)[BINS])
{
    unsigned sum = 0;
    __syncthreads();
    for (int w = 0; w < WARPS; w++)
        sum += own[w][threadIdx.x];
    if (sum > 0)
        atomicAdd(&bins[threadIdx.x], sum);
}

extern "C" __global__ void private_histogram(unsigned *bins, const unsigned char *in, int n)
{
    __shared__ unsigned own[WARPS][BINS];
    int stride = gridDim.x * BLOCK, warp = threadIdx.x / WARP;
    clear(own);
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += stride)
        atomicAdd(&own[warp][in[i]], 1u);
    gather(bins, own);
}

static __device__ void count_word(unsigned *own, unsigned word)
{
    atomicAdd(&own[word & 255], 1u);
    atomicAdd(&own[word >> 8 & 255], 1u);
    atomicAdd(&own[word >> 16 & 255], 1u);
    atomicAdd(&own[word >> 24], 1u);
}

// The bytes beyond the last 16 together.
static __device__ void count_rest(unsigned *own, const unsigned char *in, int n)
{
    if (blockIdx.x == 0 && threadIdx.x < n % 16)
        atomicAdd(&own[in[n / 16 * 16 + threadIdx.x]], 1u);
}

extern "C" __global__ void wide_histogram(unsigned *bins, const unsigned char *in, int n)
{
    __shared__ unsigned own[WARPS][BINS];
    int stride = gridDim.x * BLOCK, warp = threadIdx.x / WARP;
    clear(own);
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n / 16; i += stride) {
        uint4 words = ((const uint4 *)in)[i];
        count_word(own[warp], words.x);
        count_word(own[warp], words.y);
        count_word(own[warp], words.z);
        count_word(own[warp], words.w);
    }
    count_rest(own[warp], in, n);
    gather(bins, own);
}

struct run { // so many of a value, not yet in the bins
    unsigned value, length;
};

static __device__ struct run count_run(unsigned *own, struct run r, unsigned value)
{
    if (value == r.value) {
        r.length++;
        return r;
    }
    atomicAdd(&own[r.value], r.length);
    r.value = value;
    r.length = 1;
    return r;
}

static __device__ struct run count_runs(unsigned *own, struct run r, unsigned word)
{
    r = count_run(own, r, word & 255);
    r = count_run(own, r, word >> 8 & 255);
    r = count_run(own, r, word >> 16 & 255);
    return count_run(own, r, word >> 24);
}

extern "C" __global__ void runs_histogram(unsigned *bins, const unsigned char *in, int n)
{
    __shared__ unsigned own[WARPS][BINS];
    int stride = gridDim.x * BLOCK, warp = threadIdx.x / WARP;
    struct run r = {0, 0};
    clear(own);
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n / 16; i += stride) {
        uint4 words = ((const uint4 *)in)[i];
        r = count_runs(own[warp], r, words.x);
        r = count_runs(own[warp], r, words.y);
        r = count_runs(own[warp], r, words.z);
        r = count_runs(own[warp], r, words.w);
    }
    if (r.length > 0)
        atomicAdd(&own[warp][r.value], r.length);
    count_rest(own[warp], in, n);
    gather(bins, own);
}

static __device__ void count_column(unsigned *column, unsigned word)
{
#pragma unroll
    for (int byte = 0; byte < 4; byte++)
        atomicAdd(&column[(word >> 8 * byte & 255) * WARP], 1u);
}

static __device__ void count_quad(unsigned *column, uint4 quad)
{
    count_column(column, quad.x);
    count_column(column, quad.y);
    count_column(column, quad.z);
    count_column(column, quad.w);
}

extern "C" __global__ void __launch_bounds__(BLOCK) columns_histogram(unsigned *bins, const unsigned char *in, int n)
{
    __shared__ unsigned own[BINS * WARP];
    const uint4 *quads = (const uint4 *)in;
    unsigned *column = own + threadIdx.x % WARP;
    int stride = gridDim.x * BLOCK, all = n / 16, i = blockIdx.x * BLOCK + threadIdx.x;
    for (int w = threadIdx.x; w < BINS * WARP; w += BLOCK)
        own[w] = 0;
    __syncthreads();
    // 32 bits are enough: n / 16 is below 2^27
    for (; i < all - (FLIGHT - 1) * stride; i += FLIGHT * stride) {
        uint4 v[FLIGHT];
#pragma unroll
        for (int f = 0; f < FLIGHT; f++)
            v[f] = __ldcs(&quads[i + f * stride]);
#pragma unroll
        for (int f = 0; f < FLIGHT; f++)
            count_quad(column, v[f]);
    }
    for (; i < all; i += stride)
        count_quad(column, quads[i]);
    if (blockIdx.x == 0 && threadIdx.x < n % 16)
        atomicAdd(&column[in[n / 16 * 16 + threadIdx.x] * WARP], 1u);
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += BLOCK) {
        unsigned sum = 0;
        for (int lane = 0; lane < WARP; lane++) // each thread begins in another bank
            sum += own[b * WARP + (lane + threadIdx.x) % WARP];
        if (sum > 0)
            atomicAdd(&bins[b], sum);
    }
}
