// A low pass of 64 taps over a signal of f32; the signal is 63 longer than the result. Nothing is tuned on these kernels
// (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
constexpr int TAPS = 64;

__constant__ float taps[TAPS] = {
    -0.00031f, -0.00079f, -0.00089f, -0.00043f, 0.00051f, 0.00151f, 0.00184f, 0.00093f,
    -0.00113f, -0.00331f, -0.00397f, -0.00196f, 0.00232f, 0.0066f, 0.00773f, 0.00373f,
    -0.00433f, -0.01211f, -0.01399f, -0.00669f, 0.00772f, 0.02157f, 0.02503f, 0.0121f,
    -0.01425f, -0.04102f, -0.04986f, -0.02584f, 0.03384f, 0.11596f, 0.19505f, 0.24348f,
    0.24348f, 0.19505f, 0.11596f, 0.03384f, -0.02584f, -0.04986f, -0.04102f, -0.01425f,
    0.0121f, 0.02503f, 0.02157f, 0.00772f, -0.00669f, -0.01399f, -0.01211f, -0.00433f,
    0.00373f, 0.00773f, 0.0066f, 0.00232f, -0.00196f, -0.00397f, -0.00331f, -0.00113f,
    0.00093f, 0.00184f, 0.00151f, 0.00051f, -0.00043f, -0.00089f, -0.00079f, -0.00031f,
};

// Taps from constant memory, the signal from global memory.
extern "C" __global__ void fir_constants(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0;
    for (int k = 0; k < TAPS; k++)
        sum += taps[k] * in[i + k];
    out[i] = sum;
}

// A block's piece of the signal, and the taps, in shared memory.
extern "C" __global__ void fir_shared(float *out, const float *in, int n)
{
    __shared__ float s[256 + TAPS - 1], weight[TAPS];
    int t = threadIdx.x, first = blockIdx.x * 256;
    if (t < TAPS)
        weight[t] = taps[t];
    for (int i = t; i < 256 + TAPS - 1; i += 256)
        if (first + i < n + TAPS - 1)
            s[i] = in[first + i];
    __syncthreads();
    if (first + t >= n)
        return;
    float sum = 0;
#pragma unroll 8
    for (int k = 0; k < TAPS; k++)
        sum += weight[k] * s[t + k];
    out[first + t] = sum;
}

// Eight outputs a thread: what it needs of the signal goes through registers, eight more for eight taps. A word of room
// after every eight keeps the threads of a warp in banks of their own.
extern "C" __global__ void fir_registers(float *out, const float *in, int n)
{
    constexpr int PIECE = 1024;
    __shared__ float s[(PIECE + TAPS) / 8 * 9];
    int t = threadIdx.x, first = blockIdx.x * PIECE;
    for (int i = t; i < PIECE + TAPS; i += 128)
        s[i + i / 8] = first + i < n + TAPS - 1 ? in[first + i] : 0.0f;
    __syncthreads();
    float sum[8] = {}, v[16];
#pragma unroll
    for (int e = 0; e < 8; e++)
        v[e] = s[9 * t + e];
#pragma unroll
    for (int part = 0; part < TAPS / 8; part++) {
#pragma unroll
        for (int e = 0; e < 8; e++)
            v[8 + e] = s[9 * (t + part + 1) + e];
#pragma unroll
        for (int k = 0; k < 8; k++) {
            float w = taps[part * 8 + k];
#pragma unroll
            for (int e = 0; e < 8; e++)
                sum[e] += w * v[k + e];
        }
#pragma unroll
        for (int e = 0; e < 8; e++)
            v[e] = v[8 + e];
    }
    __syncthreads();
#pragma unroll
    for (int e = 0; e < 8; e++)
        s[9 * t + e] = sum[e];
    __syncthreads();
    for (int i = t; i < PIECE && first + i < n; i += 128)
        out[first + i] = s[i + i / 8];
}
