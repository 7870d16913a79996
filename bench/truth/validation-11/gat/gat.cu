// Rows of a node's neighbours, weighted by the softmax of leaky scores of both. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
__device__ float leaky(float x)
{
    return x > 0.0f ? x : 0.2f * x;
}

extern "C" __global__ void gat_rows(int *row, const int *starts, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        for (int e = starts[i]; e < starts[i + 1]; e++)
            row[e] = i;
}

extern "C" __global__ void gat_scores(float *a, float *b, const float *h, const float *own, const float *other, int n, int size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float x = 0.0f, y = 0.0f;
    for (int f = 0; f < size; f++) {
        x += h[i * size + f] * own[f];
        y += h[i * size + f] * other[f];
    }
    a[i] = x;
    b[i] = y;
}

extern "C" __global__ void gat_clear(float *out, float *sum, int n, int size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n * size)
        out[i] = 0.0f;
    if (i < n)
        sum[i] = 0.0f;
}

extern "C" __global__ void gat_weights(float *weight, float *sum, const float *a, const float *b, const int *row, const int *columns, int edges)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= edges)
        return;
    weight[e] = expf(leaky(a[row[e]] + b[columns[e]]));
    atomicAdd(&sum[row[e]], weight[e]);
}

extern "C" __global__ void gat_add(float *out, const float *h, const float *weight, const float *sum, const int *row, const int *columns, int edges, int size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, e = i / size, f = i % size;
    if (e < edges)
        atomicAdd(&out[row[e] * size + f], weight[e] / sum[row[e]] * h[columns[e] * size + f]);
}

extern "C" __global__ void __launch_bounds__(256) gat_scores_warp(float *__restrict__ a, float *__restrict__ b, const float *__restrict__ h,
                                                                  const float *__restrict__ own, const float *__restrict__ other, int n)
{
    int i = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (i >= n)
        return;
    float v = h[i * 32 + lane], x = v * own[lane], y = v * other[lane];
#pragma unroll
    for (int d = 16; d > 0; d /= 2) {
        x += __shfl_xor_sync(0xffffffff, x, d);
        y += __shfl_xor_sync(0xffffffff, y, d);
    }
    if (lane == 0) {
        a[i] = x;
        b[i] = y;
    }
}

// Weights of 32 neighbours at once, then their rows one after the other.
extern "C" __global__ void __launch_bounds__(128) gat_warp(float *__restrict__ out, const float *__restrict__ h, const float *__restrict__ a,
                                                           const float *__restrict__ b, const int *__restrict__ starts, const int *__restrict__ columns, int n)
{
    int i = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (i >= n)
        return;
    int from = starts[i], to = starts[i + 1];
    float own = a[i], sum = 0.0f, got = 0.0f;
    for (int first = from; first < to; first += 32) {
        int e = first + lane, column = e < to ? columns[e] : 0;
        float weight = e < to ? __expf(leaky(own + b[column])) : 0.0f;
        sum += weight;
        int few = min(32, to - first);
        for (int k = 0; k < few; k++)
            got += __shfl_sync(0xffffffff, weight, k) * h[__shfl_sync(0xffffffff, column, k) * 32 + lane];
    }
#pragma unroll
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, d);
    out[i * 32 + lane] = to > from ? got / sum : 0.0f;
}
