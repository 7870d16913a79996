// A broad sample of CUDA C for the compilers: every kernel must compile with clang and cuda_min.h
// and with NVRTC, and parse. compile_test.c reads it.
// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>
#include <math.h>
#include <cuda_runtime.h>
#ifndef TILE
#define TILE 32
#endif

__device__ int helper(int x)
{
    return x * 3 + 1;
}
constexpr int twice(int x) { return 2 * x; }
__constant__ float weights[16] = {1, 2, 3};
__device__ unsigned ticket;
struct Pair {
    float value;
    int index;
};
template <typename T, int N> struct Stack {
    T items[N];
    __device__ T sum() const
    {
        T s = 0;
#pragma unroll
        for (int i = 0; i < N; i++)
            s += items[i];
        return s;
    }
};

extern "C" __global__ void __launch_bounds__(256, 2) vectors(float4 *out, const float4 *__restrict__ in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float4 v = __ldg(in + i);
    float2 lo = make_float2(v.x, v.y);
    dim3 where = blockIdx;
    uint3 t = threadIdx;
    out[i] = make_float4(lo.x + where.x, lo.y + t.y, fmaf(v.z, 2.0f, 1.0f), max(v.w, 0.0f));
}

extern "C" __global__ void tiled(float *out, const float *in, int n)
{
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    if (x < n && y < n)
        tile[threadIdx.y][threadIdx.x] = in[y * n + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    if (x < n && y < n)
        out[y * n + x] = tile[threadIdx.x][threadIdx.y];
}

extern "C" __global__ void reduce(float *out, const float *in, int n)
{
    extern __shared__ float partial[];
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += in[i];
    for (int d = warpSize / 2; d > 0; d /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, d);
    if (threadIdx.x % 32 == 0)
        partial[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (unsigned w = 1; w < blockDim.x / 32; w++)
            sum += partial[w];
        atomicAdd(out, sum);
        __threadfence();
        atomicInc(&ticket, gridDim.x - 1);
    }
}

extern "C" __global__ void warp(unsigned *out, const int *in)
{
    int v = in[threadIdx.x];
    unsigned mask = __activemask();
    unsigned r = __ballot_sync(mask, v > 0) ^ __match_any_sync(mask, v);
    r += __reduce_add_sync(mask, (unsigned)v) + (__any_sync(mask, v) ? 1 : 0) + __all_sync(mask, v);
    r += __shfl_xor_sync(mask, v, 1) + __shfl_up_sync(mask, v, 1) + __shfl_sync(mask, v, 3, 8);
    long long wide = __shfl_down_sync(mask, (long long)v << 20, 4);
    r += __popc(v) + __clz(v) + __ffs(v) + __brev(v) + __byte_perm(v, r, 0x3210) + (unsigned)wide;
    r += __syncthreads_count(v > 2) + __syncthreads_or(v) + __syncthreads_and(v);
    r += __funnelshift_l(v, r, 7) + __umulhi(v, r) + __popcll(wide) + __dp4a(v, v, 1);
    out[threadIdx.x] = r;
}

extern "C" __global__ void atomics(int *i, unsigned *u, unsigned long long *l, float *f, double *d)
{
    atomicAdd(i, 1);
    atomicSub(u, 1u);
    atomicAdd(l, 2ull);
    atomicAdd(f, 1.5f);
    atomicAdd(d, 1.5);
    atomicMax(i + 1, (int)threadIdx.x);
    atomicMin(u + 1, threadIdx.x);
    atomicExch(f + 1, 2.0f);
    atomicOr(u + 2, 1u << threadIdx.x % 32);
    unsigned seen = atomicCAS(u + 3, 0u, threadIdx.x + 1);
    if (seen == 0)
        atomicCAS(l + 1, 0ull, 7ull);
    __shared__ int count;
    if (threadIdx.x == 0)
        count = 0;
    __syncthreads();
    atomicAdd(&count, 1);
    __syncthreads();
    if (threadIdx.x == 0)
        i[2] = count;
}

extern "C" __global__ void math(float *f, double *d, int n)
{
    int i = threadIdx.x;
    float x = f[i];
    double y = d[i];
    f[i] = sinf(x) + cosf(x) * expf(x) - logf(fabsf(x) + 1.0f) + sqrtf(x * x) + rsqrtf(x * x + 1.0f) + powf(x, 2.0f) +
           tanhf(x) + __expf(x) + __fdividef(x, 3.0f) + fminf(x, 1.0f) + floorf(x) + roundf(x) + exp(x) + abs(x) +
           weights[i % 16] + fmodf(x, 0.5f) + (isnan(x) ? 1.0f : 0.0f) + INFINITY * 0.0f;
    d[i] = sin(y) + sqrt(y * y) + pow(y, 3.0) + fma(y, y, 1.0) + max(1.0, y) + min(i, n) + M_PI + M_SQRT2 * M_2_SQRTPI + M_LN2;
}

template <typename T, int K> __global__ void templated(T *out)
{
    Stack<T, K> s;
    for (int k = 0; k < K; k++)
        s.items[k] = out[threadIdx.x + k];
    auto scale = [&](T v) { return v * (T)K; };
    out[threadIdx.x] = scale(s.sum()) + (T)helper(twice(K));
}
template __global__ void templated<float, 4>(float *);
template __global__ void templated<int, 3>(int *);

extern "C" __global__ void talk(const Pair *p, uint64_t *out, size_t n)
{
    assert(n > 0);
    if (threadIdx.x == 0)
        printf("pair %d %f %s\n", p->index, p->value, "end");
    uint8_t small = (uint8_t)p[threadIdx.x].index;
    out[threadIdx.x] = small + (uint64_t)clock64() * 0 + __float_as_uint(p->value);
}

extern "C" __global__ void grid(int *out, Pair by_value, dim3 size)
{
    switch (threadIdx.x & 7) {
    case 0: out[threadIdx.x] = 5; break;
    case 1: out[threadIdx.x] = 9; break;
    case 2: out[threadIdx.x] = helper(by_value.index); break;
    case 3: out[threadIdx.x] = size.x; break;
    case 4: out[threadIdx.x] = (int)by_value.value; break;
    default: out[threadIdx.x] = -1;
    }
    __syncwarp();
}
