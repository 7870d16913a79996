// The numbers above a bound, kept together at the front; their count beside them. Nothing is tuned on these kernels
// (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

// In order, by three launches: how many each block of 256 keeps, where each block begins, and the numbers to their places.
extern "C" __global__ void keep_count(unsigned *counts, const float *in, float bound, int n)
{
    __shared__ unsigned s[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[t] = i < n && in[i] > bound;
    __syncthreads();
    for (int d = 128; d > 0; d /= 2) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0)
        counts[blockIdx.x] = s[0];
}

// counts[0 .. blocks-1] become sums of those before, by one block of 1024; the total goes to kept.
extern "C" __global__ void keep_starts(unsigned *counts, unsigned *kept, int blocks)
{
    __shared__ unsigned s[1024];
    int t = threadIdx.x, each = (blocks + 1023) / 1024;
    unsigned sum = 0;
    for (int i = t * each; i < min((t + 1) * each, blocks); i++)
        sum += counts[i];
    s[t] = sum;
    __syncthreads();
    for (int d = 1; d < 1024; d *= 2) {
        unsigned v = t >= d ? s[t - d] : 0;
        __syncthreads();
        s[t] += v;
        __syncthreads();
    }
    unsigned at = s[t] - sum;
    for (int i = t * each; i < min((t + 1) * each, blocks); i++) {
        unsigned v = counts[i];
        counts[i] = at;
        at += v;
    }
    if (t == 1023)
        *kept = s[t];
}

extern "C" __global__ void keep_write(float *out, const unsigned *starts, const float *in, float bound, int n)
{
    __shared__ unsigned s[2][256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t, from = 0;
    float v = i < n ? in[i] : bound;
    unsigned keep = v > bound;
    s[0][t] = keep;
    __syncthreads();
    for (int d = 1; d < 256; d *= 2, from ^= 1) {
        s[from ^ 1][t] = s[from][t] + (t >= d ? s[from][t - d] : 0);
        __syncthreads();
    }
    if (keep)
        out[starts[blockIdx.x] + s[from][t] - 1] = v;
}

// The same by votes: a block counts and places by ballots and the warps' counts.
extern "C" __global__ void vote_count(unsigned *counts, const float *in, float bound, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x, sum = __syncthreads_count(i < n && in[i] > bound);
    if (threadIdx.x == 0)
        counts[blockIdx.x] = sum;
}

extern "C" __global__ void vote_write(float *out, const unsigned *starts, const float *in, float bound, int n)
{
    __shared__ unsigned warps[8];
    int t = threadIdx.x, i = blockIdx.x * 256 + t, lane = t % 32;
    float v = i < n ? in[i] : bound;
    unsigned mask = __ballot_sync(~0u, v > bound);
    if (lane == 0)
        warps[t / 32] = __popc(mask);
    __syncthreads();
    unsigned at = starts[blockIdx.x];
    for (int w = 0; w < t / 32; w++)
        at += warps[w];
    if (v > bound)
        out[at + __popc(mask & ((1u << lane) - 1))] = v;
}

// Four numbers a thread, 1024 a block; places by a scan within the warp, and of the warps by the first of them.
extern "C" __global__ void wide_count(unsigned *counts, const float4 *in, float bound, int n)
{
    __shared__ unsigned total;
    int i = blockIdx.x * 256 + threadIdx.x;
    if (threadIdx.x == 0)
        total = 0;
    __syncthreads();
    unsigned mine = 0;
    if (i * 4 < n) {
        float4 v = in[i];
        mine = (v.x > bound) + (v.y > bound) + (v.z > bound) + (v.w > bound);
    }
    mine = __reduce_add_sync(~0u, mine);
    if (threadIdx.x % 32 == 0)
        atomicAdd(&total, mine);
    __syncthreads();
    if (threadIdx.x == 0)
        counts[blockIdx.x] = total;
}

extern "C" __global__ void wide_write(float *out, const unsigned *starts, const float4 *in, float bound, int n)
{
    __shared__ unsigned warps[8];
    int t = threadIdx.x, i = blockIdx.x * 256 + t, lane = t % 32;
    float4 v = i * 4 < n ? in[i] : make_float4(bound, bound, bound, bound);
    unsigned mine = (v.x > bound) + (v.y > bound) + (v.z > bound) + (v.w > bound), sum = mine;
    for (int d = 1; d < 32; d *= 2) {
        unsigned left = __shfl_up_sync(~0u, sum, d);
        sum += lane >= d ? left : 0;
    }
    if (lane == 31)
        warps[t / 32] = sum;
    __syncthreads();
    if (t < 8) {
        unsigned all = warps[t];
        for (int d = 1; d < 8; d *= 2) {
            unsigned left = __shfl_up_sync(255, all, d, 8);
            all += t >= d ? left : 0;
        }
        warps[t] = all;
    }
    __syncthreads();
    unsigned at = starts[blockIdx.x] + (t >= 32 ? warps[t / 32 - 1] : 0) + sum - mine;
    for (int e = 0; e < 4; e++)
        if ((&v.x)[e] > bound)
            out[at++] = (&v.x)[e];
}
