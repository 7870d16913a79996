// A long computation for some elements, a short one for the others, which lie among each other at random:
//   divergent_work   a branch
//   selected_work    both computations and a choice between them
//   voted_work       a warp without a long one skips it
//   ballot_work      a block gathers its long ones, places by ballots, and computes them side by side
//   sorted_work      a block sorts its elements, long ones to the front, short ones to the back, and warps take them in order
//   scan_work        the same as ballot_work, places by a scan of the block
//   gather_all, listed_work   the whole grid's long ones in one list, then a launch that takes them in turn
// SPDX-License-Identifier: Apache-2.0
#ifndef STEPS
#define STEPS 128
#endif
enum { BLOCK = 256, ROUNDS = 8, EACH = BLOCK * ROUNDS };

static __device__ __forceinline__ bool is_long(float x)
{
    return x < 0.4f;
}

static __device__ __forceinline__ float long_work(float x)
{
    float y = x;
#pragma unroll 4
    for (int i = 0; i < STEPS; i++)
        y = y * (1.0f - 0.5f * y) + x * 0.01f;
    return y;
}

extern "C" __global__ void divergent_work(float *out, const float *in, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N)
        return;
    float x = in[i];
    if (is_long(x))
        x = long_work(x);
    out[i] = x;
}

extern "C" __global__ void selected_work(float *out, const float *in, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N)
        return;
    float x = in[i], y = long_work(x);
    out[i] = is_long(x) ? y : x;
}

extern "C" __global__ void voted_work(float *out, const float *in, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = i < N ? in[i] : 1.0f, y = x;
    if (__any_sync(0xffffffffu, is_long(x)))
        y = long_work(x);
    if (i < N)
        out[i] = is_long(x) ? y : x;
}

// The long ones of a block, as offsets from its first element.
static __device__ __forceinline__ void work_off(float *out, const float *in, int first,
                                                const unsigned short *list, int count)
{
    for (int k = threadIdx.x; k < count; k += BLOCK)
        out[first + list[k]] = long_work(in[first + list[k]]);
}

extern "C" __global__ void ballot_work(float *out, const float *in, int N)
{
    __shared__ unsigned short list[EACH];
    __shared__ int count;
    int first = blockIdx.x * EACH, lane = threadIdx.x % 32;
    if (threadIdx.x == 0)
        count = 0;
    __syncthreads();
    for (int r = 0; r < ROUNDS; r++) {
        int at = r * BLOCK + threadIdx.x, i = first + at, place = 0;
        float x = i < N ? in[i] : 1.0f;
        unsigned mask = __ballot_sync(0xffffffffu, is_long(x));
        if (lane == 0 && mask != 0)
            place = atomicAdd(&count, __popc(mask));
        place = __shfl_sync(0xffffffffu, place, 0) + __popc(mask & ((1u << lane) - 1));
        if (is_long(x))
            list[place] = (unsigned short)at;
        else if (i < N)
            out[i] = x;
    }
    __syncthreads();
    work_off(out, in, first, list, count);
}

// The elements of a block in order: long ones from the front, the others from the back.
extern "C" __global__ void sorted_work(float *out, const float *in, int N)
{
    __shared__ unsigned short order[EACH];
    __shared__ float sorted[EACH];
    __shared__ int counts[2]; // of the others, of the long ones
    int first = blockIdx.x * EACH, lane = threadIdx.x % 32, mine = min(EACH, N - first);
    if (threadIdx.x < 2)
        counts[threadIdx.x] = 0;
    __syncthreads();
#pragma unroll
    for (int r = 0; r < ROUNDS; r++) {
        int at = r * BLOCK + threadIdx.x;
        float x = in[first + min(at, mine - 1)];
        bool is = is_long(x);
        unsigned there = __ballot_sync(0xffffffffu, at < mine), mask = __ballot_sync(0xffffffffu, is && at < mine);
        int place = 0;
        if (lane < 2)
            place = atomicAdd(&counts[lane], __popc(lane ? mask : there & ~mask));
        unsigned alike = is ? mask : there & ~mask;
        place = __shfl_sync(0xffffffffu, place, is) + __popc(alike & ((1u << lane) - 1));
        place = is ? place : mine - 1 - place;
        if (at < mine) {
            order[place] = (unsigned short)at;
            sorted[place] = x;
        }
    }
    __syncthreads();
    for (int k = threadIdx.x; k < mine; k += BLOCK) {
        float x = sorted[k];
        if (is_long(x))
            x = long_work(x);
        out[first + order[k]] = x;
    }
}

extern "C" __global__ void scan_work(float *out, const float *in, int N)
{
    __shared__ unsigned short list[EACH];
    __shared__ int sums[BLOCK / 32];
    int first = blockIdx.x * EACH, lane = threadIdx.x % 32, warp = threadIdx.x / 32, count = 0;
    for (int r = 0; r < ROUNDS; r++) {
        int at = r * BLOCK + threadIdx.x, i = first + at;
        float x = i < N ? in[i] : 1.0f;
        int sum = is_long(x);
        for (int d = 1; d < 32; d *= 2) {
            int other = __shfl_up_sync(0xffffffffu, sum, d);
            sum += lane >= d ? other : 0;
        }
        if (lane == 31)
            sums[warp] = sum;
        __syncthreads();
        int before = count, all = 0;
        for (int w = 0; w < BLOCK / 32; w++) {
            before += w < warp ? sums[w] : 0;
            all += sums[w];
        }
        if (is_long(x))
            list[before + sum - 1] = (unsigned short)at;
        else if (i < N)
            out[i] = x;
        count += all;
        __syncthreads();
    }
    work_off(out, in, first, list, count);
}

// list[0] counts, the elements follow.
extern "C" __global__ void gather_all(float *out, const float *in, unsigned *list, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    float x = i < N ? in[i] : 1.0f;
    unsigned mask = __ballot_sync(0xffffffffu, is_long(x)), place = 0;
    if (lane == 0 && mask != 0)
        place = atomicAdd(&list[0], (unsigned)__popc(mask));
    place = __shfl_sync(0xffffffffu, place, 0) + (unsigned)__popc(mask & ((1u << lane) - 1));
    if (is_long(x))
        list[1 + place] = (unsigned)i;
    else if (i < N)
        out[i] = x;
}

extern "C" __global__ void listed_work(float *out, const float *in, const unsigned *list)
{
    unsigned count = list[0];
    for (unsigned k = blockIdx.x * blockDim.x + threadIdx.x; k < count; k += gridDim.x * blockDim.x)
        out[list[1 + k]] = long_work(in[list[1 + k]]);
}
