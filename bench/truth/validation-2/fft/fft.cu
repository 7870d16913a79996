// Fourier transforms of many rows of 256 complex numbers in f32. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
constexpr int N = 256;

__device__ float2 times(float2 a, float2 b)
{
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

__device__ float2 plus(float2 a, float2 b)
{
    return make_float2(a.x + b.x, a.y + b.y);
}

__device__ float2 minus(float2 a, float2 b)
{
    return make_float2(a.x - b.x, a.y - b.y);
}

// exp(-i pi turns)
__device__ float2 turned(float turns)
{
    float2 w;
    sincospif(-turns, &w.y, &w.x);
    return w;
}

// Radix 2, a launch for each of the eight steps (Stockham): no bits are reversed.
extern "C" __global__ void fft_step(float2 *out, const float2 *in, int span, int rows)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, row = i / (N / 2), j = i % (N / 2), k = j % span;
    if (row >= rows)
        return;
    float2 a = in[row * N + j], b = times(in[row * N + j + N / 2], turned((float)k / span));
    int to = row * N + (j - k) * 2 + k;
    out[to] = plus(a, b);
    out[to + span] = minus(a, b);
}

// Radix 2 in shared memory: 128 threads a row, bits reversed as it is loaded.
extern "C" __global__ void fft_shared(float2 *out, const float2 *in)
{
    __shared__ float2 s[N];
    int t = threadIdx.x, base = blockIdx.x * N;
    s[__brev(t) >> 24] = in[base + t];
    s[__brev(t + N / 2) >> 24] = in[base + t + N / 2];
    for (int span = 1; span < N; span *= 2) {
        __syncthreads();
        int k = t % span, i = 2 * t - k;
        float2 a = s[i], b = times(s[i + span], turned((float)k / span));
        s[i] = plus(a, b);
        s[i + span] = minus(a, b);
    }
    __syncthreads();
    out[base + t] = s[t];
    out[base + t + N / 2] = s[t + N / 2];
}

// Four points in registers, in place.
__device__ void four(float2 *v)
{
    float2 a = plus(v[0], v[2]), b = minus(v[0], v[2]), c = plus(v[1], v[3]), d = minus(v[1], v[3]);
    v[0] = plus(a, c);
    v[1] = make_float2(b.x + d.y, b.y - d.x);
    v[2] = minus(a, c);
    v[3] = make_float2(b.x - d.y, b.y + d.x);
}

// Radix 4 (Stockham): 64 threads a row, four rows a block, two buffers in shared memory.
extern "C" __global__ void fft_radix4(float2 *out, const float2 *in, int rows)
{
    __shared__ float2 s[2][4][N];
    int t = threadIdx.x, y = threadIdx.y, row = blockIdx.x * 4 + y, from = 0;
    if (row < rows)
        for (int e = 0; e < 4; e++)
            s[0][y][t + 64 * e] = in[row * N + t + 64 * e];
#pragma unroll
    for (int span = 1; span < N; span *= 4, from ^= 1) {
        __syncthreads();
        float2 v[4];
        int k = t % span;
#pragma unroll
        for (int e = 0; e < 4; e++)
            v[e] = times(s[from][y][t + 64 * e], turned((float)(e * k) / (2 * span)));
        four(v);
#pragma unroll
        for (int e = 0; e < 4; e++)
            s[from ^ 1][y][(t - k) * 4 + k + span * e] = v[e];
    }
    __syncthreads();
    if (row < rows)
        for (int e = 0; e < 4; e++)
            out[row * N + t + 64 * e] = s[from][y][t + 64 * e];
}

// Sixteen points in registers, by four times four; v[4a + b] becomes the result of number 4b + a.
__device__ void sixteen(float2 *v)
{
#pragma unroll
    for (int b = 0; b < 4; b++) {
        float2 u[4] = {v[b], v[4 + b], v[8 + b], v[12 + b]};
        four(u);
#pragma unroll
        for (int a = 0; a < 4; a++)
            v[4 * a + b] = times(u[a], turned(a * b / 8.0f));
    }
#pragma unroll
    for (int a = 0; a < 4; a++)
        four(v + 4 * a);
}

// Sixteen threads a row with sixteen points each, exchanged once through shared memory.
extern "C" __global__ void __launch_bounds__(128) fft_sixteen(float2 *out, const float2 *in, int rows)
{
    __shared__ float2 s[8][16 * 17];
    int t = threadIdx.x, y = threadIdx.y, row = blockIdx.x * 8 + y;
    if (row >= rows)
        return;
    unsigned half = threadIdx.y % 2 ? 0xffff0000u : 0xffffu;
    float2 v[16];
#pragma unroll
    for (int e = 0; e < 16; e++)
        v[e] = in[row * N + e * 16 + t];
    sixteen(v);
#pragma unroll
    for (int e = 0; e < 16; e++) {
        int k = e % 4 * 4 + e / 4;
        s[y][k * 17 + t] = times(v[e], turned(k * t / 128.0f));
    }
    __syncwarp(half);
#pragma unroll
    for (int e = 0; e < 16; e++)
        v[e] = s[y][t * 17 + e];
    sixteen(v);
#pragma unroll
    for (int e = 0; e < 16; e++)
        out[row * N + (e % 4 * 4 + e / 4) * 16 + t] = v[e];
}
