// Kernels whose warps have unequal work, stores that leave sectors in part, votes by value, conversions of f64: for tuning the
// model of time.
// SPDX-License-Identifier: Apache-2.0
__device__ unsigned mix(unsigned h)
{
    h = (h ^ h >> 16) * 0x7feb352du;
    h = (h ^ h >> 15) * 0x846ca68bu;
    return h ^ h >> 16;
}

__device__ float turn(float x, int turns)
{
#pragma unroll 1
    for (int i = 0; i < turns; i++)
        x = x * 0.999f + 1.0f;
    return x;
}

// One warp of the grid has sixty-four times the work of the others.
extern "C" __global__ void one_long(float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = turn(i, i / 32 == gridDim.x * 3 ? 4096 : 64);
}

// Turns of a warp: 16 for one of two, 32 for one of four, and so on up to 16384.
extern "C" __global__ void geometric(float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = turn(i, 16 << min(__clz(mix(i / 32)), 10));
}

// The same, each lane by itself: a warp turns as often as its longest lane.
extern "C" __global__ void geometric_lanes(float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = turn(i, 4 << min(__clz(mix(i)), 12));
}

// Block after block a little more.
extern "C" __global__ void triangle(float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = turn(i, (int)(512ull * blockIdx.x / gridDim.x));
}

// Every eighth block works.
extern "C" __global__ void every_eighth(float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (blockIdx.x % 8 == 0)
        out[i] = turn(i, 512);
}

// Random places one after the other, one of two lanes ends each time.
extern "C" __global__ void chains_uneven(unsigned *out, const unsigned *next, unsigned places)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, at = mix(i) & (places - 1);
    for (unsigned left = 1 + __clz(mix(i + 77) | 1) * 2; left > 0; left--)
        at = next[at];
    out[i] = at;
}

// The same with atomics.
extern "C" __global__ void probes_uneven(unsigned *table, unsigned places)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, at = mix(i) & (places - 1);
    for (unsigned left = 1 + __clz(mix(i + 77) | 1) * 2; left > 0; left--)
        at = (at + 1 + (atomicCAS(&table[at], 0u, i) == ~0u)) & (places - 1);
}

extern "C" __global__ void scatter_words(unsigned *out, unsigned places)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    for (int k = 0; k < 4; k++, i += all)
        out[mix(i) & (places - 1)] = i;
}

// Every other word of whole lines.
extern "C" __global__ void even_words(unsigned *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    for (int k = 0; k < 4; k++, i += all)
        out[2 * i] = i;
}

// One of two words, by chance.
extern "C" __global__ void some_words(unsigned *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    for (int k = 0; k < 8; k++, i += all)
        if (mix(i) & 1)
            out[i] = i;
}

// The same where the line was read before.
extern "C" __global__ void some_read_words(unsigned *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    for (int k = 0; k < 8; k++, i += all) {
        unsigned v = out[i];
        if (mix(i) & 1)
            out[i] = v + 1;
    }
}

__device__ unsigned matches(unsigned distinct)
{
    unsigned key = threadIdx.x & (distinct - 1), sum = 0;
#pragma unroll 1
    for (int i = 0; i < 64; i++) {
        unsigned same = __match_any_sync(~0u, key);
        key ^= same >> 31 << 8, sum += same;
    }
    return sum;
}

extern "C" __global__ void match_any(unsigned *out, unsigned distinct)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = matches(distinct);
}

extern "C" __global__ void ballots(unsigned *out)
{
    unsigned v = threadIdx.x, sum = 0;
#pragma unroll 1
    for (int i = 0; i < 64; i++) {
        v ^= __ballot_sync(~0u, v & 1);
        sum += v;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Loads of a loop without an end that is known late, each followed by an atomic of shared memory: of all lanes, or of some.
extern "C" __global__ void counts_all(unsigned *counts, const unsigned *in)
{
    __shared__ unsigned bins[64];
    unsigned t = threadIdx.x;
    if (t < 64)
        bins[t] = 0;
    __syncthreads();
    for (int i = 0; i < 16; i++)
        atomicAdd(&bins[in[(blockIdx.x * 16 + i) * 256 + t] & 63], 1u);
    __syncthreads();
    if (t < 64)
        counts[blockIdx.x * 64 + t] = bins[t];
}

extern "C" __global__ void counts_some(unsigned *counts, const unsigned *in)
{
    __shared__ unsigned bins[64];
    unsigned t = threadIdx.x;
    if (t < 64)
        bins[t] = 0;
    __syncthreads();
    for (int i = 0; i < 16; i++) {
        unsigned v = in[(blockIdx.x * 16 + i) * 256 + t];
        if (v & 64)
            atomicAdd(&bins[v & 63], 1u);
    }
    __syncthreads();
    if (t < 64)
        counts[blockIdx.x * 64 + t] = bins[t];
}

extern "C" __global__ void counts_match(unsigned *counts, const unsigned *in)
{
    __shared__ unsigned bins[64];
    unsigned t = threadIdx.x;
    if (t < 64)
        bins[t] = 0;
    __syncthreads();
    for (int i = 0; i < 16; i++) {
        unsigned v = in[(blockIdx.x * 16 + i) * 256 + t] & 7, same = __match_any_sync(~0u, v);
        if (t % 32 == 31 - __clz(same))
            atomicAdd(&bins[v], __popc(same));
    }
    __syncthreads();
    if (t < 64)
        counts[blockIdx.x * 64 + t] = bins[t];
}

// All warps read the same rows of a table, four rows at a time, in loops of their own.
extern "C" __global__ void rows_together(float *out, const float *in)
{
    float sum = 0;
    unsigned x = threadIdx.x % 16 + blockIdx.x % 16 * 16;
#pragma unroll 4
    for (int k = 0; k < 256; k++)
        sum += in[k * 256 + x];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

extern "C" __global__ void to_f64(double *out)
{
    float v[4] = {threadIdx.x + 0.5f, threadIdx.x + 1.5f, threadIdx.x + 2.5f, threadIdx.x + 3.5f};
#pragma unroll 1
    for (int i = 0; i < 64; i++)
        for (int k = 0; k < 4; k++)
            v[k] = (float)((double)v[k] * 1.0625);
    out[blockIdx.x * blockDim.x + threadIdx.x] = v[0] + v[1] + v[2] + v[3];
}

extern "C" __global__ void exp_f64(double *out, const float *in)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    double sum = 0;
    for (int k = 0; k < 8; k++)
        sum += exp((double)in[i + k * 32] - sum);
    out[i] = sum;
}

extern "C" __global__ void exp_sum_f64(double *out, const double *in)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    double sum = 0;
    for (int k = 0; k < 8; k++)
        sum += exp(in[i + k * 32]);
    out[i] = sum;
}
