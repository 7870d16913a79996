// The sum of n floats, the textbook's steps and one more. All but the last add to a zeroed *out:
//   naive_sum        an atomic addition per element, all to one address
//   interleaved_sum  a tree in shared memory: every second thread adds its neighbour, then every fourth …
//   sequential_sum   the same tree, the first half adds the second: whole warps fall idle
//   first_add_sum    two elements per thread, added on loading: no thread is idle from the start
//   shuffle_sum      the tree of a warp in registers
//   vectorised_sum   16 bytes per load, a grid that fills the chip once, each thread strides through;
//                    with BLOCK 1024 a quarter of the blocks
//   one_launch_sum   the same; the last block to finish adds the blocks' sums: nothing to zero before
//   waiting_sum      the same; block 0 waits for the others' sums as they come: no counter, no fence. With -DFLIGHT it adds them
//                    in double; with -DTILED a block's loads in flight lie side by side, and the last block waits
// SPDX-License-Identifier: Apache-2.0
#ifndef BLOCK
#define BLOCK 256
#endif
#define WARP 32
#define ALL 0xffffffffu
#ifdef BLOCKS // of an SM at once, at least
#define BOUNDS BLOCK, BLOCKS
#else
#define BOUNDS BLOCK
#endif
#ifndef TILED
#define TILED 0
#endif

extern "C" __global__ void naive_sum(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(out, in[i]);
}

extern "C" __global__ void interleaved_sum(float *out, const float *in, int n)
{
    __shared__ float sum[BLOCK];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    sum[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int step = 1; step < BLOCK; step *= 2) {
        if (t % (2 * step) == 0)
            sum[t] += sum[t + step];
        __syncthreads();
    }
    if (t == 0)
        atomicAdd(out, sum[0]);
}

// sum[0] of BLOCK partial sums, which are all there after the first barrier.
static __device__ void tree(float *sum)
{
    int t = threadIdx.x;
    for (int step = BLOCK / 2; step > 0; step /= 2) {
        __syncthreads();
        if (t < step)
            sum[t] += sum[t + step];
    }
}

extern "C" __global__ void sequential_sum(float *out, const float *in, int n)
{
    __shared__ float sum[BLOCK];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    sum[threadIdx.x] = i < n ? in[i] : 0;
    tree(sum);
    if (threadIdx.x == 0)
        atomicAdd(out, sum[0]);
}

extern "C" __global__ void first_add_sum(float *out, const float *in, int n)
{
    __shared__ float sum[BLOCK];
    int i = blockIdx.x * (2 * BLOCK) + threadIdx.x;
    sum[threadIdx.x] = (i < n ? in[i] : 0) + (i + BLOCK < n ? in[i + BLOCK] : 0);
    tree(sum);
    if (threadIdx.x == 0)
        atomicAdd(out, sum[0]);
}

template <typename T> static __device__ T warp_sum(T x)
{
#pragma unroll
    for (int step = WARP / 2; step > 0; step /= 2)
        x += __shfl_down_sync(ALL, x, step);
    return x;
}

// Of all threads of the block, in thread 0.
template <typename T> static __device__ T block_sum(T x)
{
    __shared__ T sums[BLOCK / WARP];
    int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    x = warp_sum(x);
    if (lane == 0)
        sums[warp] = x;
    __syncthreads();
    return warp == 0 ? warp_sum(lane < BLOCK / WARP ? sums[lane] : T(0)) : T(0);
}

extern "C" __global__ void shuffle_sum(float *out, const float *in, int n)
{
    int i = blockIdx.x * (2 * BLOCK) + threadIdx.x;
    float sum = block_sum((i < n ? in[i] : 0) + (i + BLOCK < n ? in[i + BLOCK] : 0));
    if (threadIdx.x == 0)
        atomicAdd(out, sum);
}

// Of the blocks' sums.
#ifdef FLIGHT
typedef double total;
#else
typedef float total;
#endif

// What this thread takes of the array: every gridDim * BLOCK'th quad, four of them in flight. The
// quads' parts are added apart, so that no addition waits for the one before. With -DFLIGHT so many are in flight, in the
// last round too; with -DTILED a block's loads in flight are a tile, side by side, and its tiles a grid apart.
static __device__ float strided_sum(const float *in, int n)
{
    const float4 *quads = (const float4 *)in;
    int count = n / 4, stride = gridDim.x * BLOCK, i = blockIdx.x * BLOCK + threadIdx.x;
    float x = 0, y = 0, z = 0, w = 0;
#ifdef FLIGHT
    int round = FLIGHT * stride;
    if (TILED) {
        stride = BLOCK;
        i = blockIdx.x * (FLIGHT * BLOCK) + threadIdx.x;
    }
    float4 q[FLIGHT];
    for (; i + (FLIGHT - 1) * stride < count; i += round) {
#pragma unroll
        for (int f = 0; f < FLIGHT; f++)
            q[f] = __ldcs(&quads[i + f * stride]);
#pragma unroll
        for (int f = 0; f < FLIGHT; f += 2) {
            x += q[f].x + q[f + 1].x;
            y += q[f].y + q[f + 1].y;
            z += q[f].z + q[f + 1].z;
            w += q[f].w + q[f + 1].w;
        }
    }
#pragma unroll
    for (int f = 0; f < FLIGHT - 1; f++)
        q[f] = i + f * stride < count ? __ldcs(&quads[i + f * stride]) : make_float4(0, 0, 0, 0);
#pragma unroll
    for (int f = 0; f < FLIGHT - 1; f++) {
        x += q[f].x;
        y += q[f].y;
        z += q[f].z;
        w += q[f].w;
    }
#else
    for (; i + 3 * stride < count; i += 4 * stride) {
        float4 a = __ldcs(&quads[i]), b = __ldcs(&quads[i + stride]),
               c = __ldcs(&quads[i + 2 * stride]), d = __ldcs(&quads[i + 3 * stride]);
        x += (a.x + b.x) + (c.x + d.x);
        y += (a.y + b.y) + (c.y + d.y);
        z += (a.z + b.z) + (c.z + d.z);
        w += (a.w + b.w) + (c.w + d.w);
    }
    for (; i < count; i += stride) {
        float4 a = quads[i];
        x += a.x;
        y += a.y;
        z += a.z;
        w += a.w;
    }
#endif
    if (blockIdx.x == 0 && threadIdx.x < n % 4)
        x += in[count * 4 + threadIdx.x];
    return (x + y) + (z + w);
}

extern "C" __global__ void vectorised_sum(float *out, const float *in, int n)
{
    float sum = block_sum(strided_sum(in, n));
    if (threadIdx.x == 0)
        atomicAdd(out, sum);
}

// done is 0 before and after; sums has room for a sum a block. The order of the additions is always
// the same, and so is the result.
extern "C" __global__ void one_launch_sum(float *out, const float *in, int n, float *sums,
                                          unsigned *done)
{
    __shared__ bool last;
    float sum = block_sum(strided_sum(in, n));
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = sum;
        __threadfence();
        last = atomicAdd(done, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last)
        return;
    __threadfence();
    sum = 0;
    for (int i = threadIdx.x; i < gridDim.x; i += BLOCK)
        sum += ((volatile float *)sums)[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0) {
        *out = sum;
        *done = 0;
    }
}

static __device__ void word_put(unsigned long long *word, unsigned long long v)
{
    asm volatile("st.relaxed.gpu.u64 [%0], %1;" ::"l"(word), "l"(v) : "memory");
}

static __device__ unsigned long long word_get(const unsigned long long *word)
{
    unsigned long long v;
    asm volatile("ld.relaxed.gpu.u64 %0, [%1];" : "=l"(v) : "l"(word) : "memory");
    return v;
}

// words is 0 before and after. Only one block waits; the others end, so that all of them get to run. With -DTILED it is the
// last one, which begins when the others have, should fewer fit on the chip than thought.
extern "C" __global__ void __launch_bounds__(BOUNDS)
    waiting_sum(float *out, const float *in, int n, unsigned long long *words)
{
    const int first = TILED ? 0 : 1, waiter = TILED ? gridDim.x - 1 : 0; // the others: first, first + 1 …
    float sum = block_sum(strided_sum(in, n));
    if (blockIdx.x != waiter) {
        if (threadIdx.x == 0)
            word_put(&words[blockIdx.x], 1ull << 32 | __float_as_uint(sum));
        return;
    }
    total all = threadIdx.x == 0 ? sum : 0;
    for (int i = first + threadIdx.x; i < gridDim.x - 1 + first; i += BLOCK) {
        unsigned long long word;
        do
            word = word_get(&words[i]);
        while (word >> 32 == 0);
        word_put(&words[i], 0);
        all += __uint_as_float((unsigned)word);
    }
    __syncthreads(); // block_sum's memory is free again
    all = block_sum(all);
    if (threadIdx.x == 0)
        *out = all;
}
