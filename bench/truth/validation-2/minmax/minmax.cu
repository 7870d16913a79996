// The smallest and the largest of n numbers of i32, in the steps of a reduction: each block leaves its pair, a second launch
// of one block takes the pairs. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

__device__ int2 both(int2 a, int2 b)
{
    return make_int2(min(a.x, b.x), max(a.y, b.y));
}

__device__ int2 take(const int *in, int i, int n)
{
    return i < n ? make_int2(in[i], in[i]) : make_int2(0x7fffffff, -0x80000000);
}

// Threads whose number divides by the step go on: all warps stay.
extern "C" __global__ void minmax_modulo(int2 *out, const int *in, int n)
{
    __shared__ int2 s[256];
    int t = threadIdx.x;
    s[t] = take(in, blockIdx.x * 256 + t, n);
    __syncthreads();
    for (int d = 1; d < 256; d *= 2) {
        if (t % (2 * d) == 0)
            s[t] = both(s[t], s[t + d]);
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

// The first threads go on, with strides that conflict in the banks.
extern "C" __global__ void minmax_strided(int2 *out, const int *in, int n)
{
    __shared__ int2 s[256];
    int t = threadIdx.x;
    s[t] = take(in, blockIdx.x * 256 + t, n);
    __syncthreads();
    for (int d = 1; d < 256; d *= 2) {
        int i = 2 * d * t;
        if (i < 256)
            s[i] = both(s[i], s[i + d]);
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

// Halves that lie together, and two loads a thread.
extern "C" __global__ void minmax_halves(int2 *out, const int *in, int n)
{
    __shared__ int2 s[256];
    int t = threadIdx.x, i = blockIdx.x * 512 + t;
    s[t] = both(take(in, i, n), take(in, i + 256, n));
    __syncthreads();
    for (int d = 128; d > 0; d /= 2) {
        if (t < d)
            s[t] = both(s[t], s[t + d]);
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

// The last 64 by one warp that needs no barriers of the block, unrolled.
extern "C" __global__ void minmax_unrolled(int2 *out, const int *in, int n)
{
    __shared__ int2 s[512];
    int t = threadIdx.x, i = blockIdx.x * 1024 + t;
    s[t] = both(take(in, i, n), take(in, i + 512, n));
    __syncthreads();
    if (t < 256)
        s[t] = both(s[t], s[t + 256]);
    __syncthreads();
    if (t < 128)
        s[t] = both(s[t], s[t + 128]);
    __syncthreads();
    if (t < 64)
        s[t] = both(s[t], s[t + 64]);
    __syncthreads();
    if (t >= 32)
        return;
    int2 v = both(s[t], s[t + 32]);
#pragma unroll
    for (int d = 16; d > 0; d /= 2) {
        s[t] = v;
        __syncwarp();
        v = both(v, s[t + d]);
        __syncwarp();
    }
    if (t == 0)
        out[blockIdx.x] = v;
}

// Blocks that stay and walk over the numbers, then shuffles.
extern "C" __global__ void minmax_shuffle(int2 *out, const int *in, int n)
{
    __shared__ int2 s[32];
    int t = threadIdx.x;
    int2 v = make_int2(0x7fffffff, -0x80000000);
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x)
        v = both(v, take(in, i, n));
    for (int d = 16; d > 0; d /= 2)
        v = both(v, make_int2(__shfl_down_sync(~0u, v.x, d), __shfl_down_sync(~0u, v.y, d)));
    if (t % 32 == 0)
        s[t / 32] = v;
    __syncthreads();
    if (t >= 32)
        return;
    v = t < blockDim.x / 32 ? s[t] : make_int2(0x7fffffff, -0x80000000);
    for (int d = 16; d > 0; d /= 2)
        v = both(v, make_int2(__shfl_down_sync(~0u, v.x, d), __shfl_down_sync(~0u, v.y, d)));
    if (t == 0)
        out[blockIdx.x] = v;
}

// Four numbers a load, two loads in flight, and the warp's instruction for minima and maxima.
extern "C" __global__ void minmax_redux(int2 *out, const int4 *in, int quads)
{
    __shared__ int2 s[32];
    int t = threadIdx.x, step = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + t;
    int2 v = make_int2(0x7fffffff, -0x80000000);
    for (; i + step < quads; i += 2 * step) {
        int4 a = in[i], b = in[i + step];
        v.x = min(v.x, min(min(min(a.x, a.y), min(a.z, a.w)), min(min(b.x, b.y), min(b.z, b.w))));
        v.y = max(v.y, max(max(max(a.x, a.y), max(a.z, a.w)), max(max(b.x, b.y), max(b.z, b.w))));
    }
    if (i < quads) {
        int4 a = in[i];
        v = both(v, make_int2(min(min(a.x, a.y), min(a.z, a.w)), max(max(a.x, a.y), max(a.z, a.w))));
    }
    v = make_int2(__reduce_min_sync(~0u, v.x), __reduce_max_sync(~0u, v.y));
    if (t % 32 == 0)
        s[t / 32] = v;
    __syncthreads();
    if (t >= 32)
        return;
    v = t < blockDim.x / 32 ? s[t] : make_int2(0x7fffffff, -0x80000000);
    v = make_int2(__reduce_min_sync(~0u, v.x), __reduce_max_sync(~0u, v.y));
    if (t == 0)
        out[blockIdx.x] = v;
}

// The pairs of all blocks, by one block.
extern "C" __global__ void minmax_last(int2 *out, const int2 *part, int parts)
{
    __shared__ int2 s[1024];
    int t = threadIdx.x;
    int2 v = make_int2(0x7fffffff, -0x80000000);
    for (int i = t; i < parts; i += 1024)
        v = both(v, part[i]);
    s[t] = v;
    __syncthreads();
    for (int d = 512; d > 0; d /= 2) {
        if (t < d)
            s[t] = both(s[t], s[t + d]);
        __syncthreads();
    }
    if (t == 0)
        *out = s[0];
}
