// Cases to tune by: room for warps, chains beside loads, look-ups. Each pair's YAML says what differs.
// SPDX-License-Identifier: Apache-2.0

/* ---- A stream that each block turns round, in more or less scratch space ---- */

template <int WORDS>
static __device__ __forceinline__ void slots_turn(float *out, const float *in)
{
    __shared__ float scratch[WORDS];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    scratch[t] = in[i];
    __syncthreads();
    out[i] = scratch[blockDim.x - 1 - t] * 0.5f;
}

extern "C" __global__ void slots_large(float *out, const float *in)
{
    slots_turn<8192>(out, in);
}

extern "C" __global__ void slots_small(float *out, const float *in)
{
    slots_turn<128>(out, in);
}

/* ---- Sums of 96 products ---- */

extern "C" __global__ void dots_one(float *out, const float *in, int n)
{
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float x = in[i], sum = 0;
#pragma unroll
        for (int k = 0; k < 96; k++)
            sum += fabsf(x - 0.01f * (float)k);
        out[i] = sum;
    }
}

extern "C" __global__ void dots_four(float *out, const float *in, int n)
{
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float x = in[i], sum[4] = {0};
#pragma unroll
        for (int k = 0; k < 96; k++)
            sum[k % 4] += fabsf(x - 0.01f * (float)k);
        out[i] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
}

/* ---- Places in a sorted table ---- */

enum { STEPS = 16 };

extern "C" __global__ void ranks_one(int *out, const float *in, const float *table, int n)
{
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float v = in[i];
        int low = 0;
        for (int step = 1 << (STEPS - 1); step > 0; step /= 2)
            low += table[low + step - 1] < v ? step : 0;
        out[i] = low;
    }
}

extern "C" __global__ void ranks_four(int *out, const float *in, const float *table, int n)
{
    int all = gridDim.x * blockDim.x;
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += 4 * all) {
        float v[4];
        int low[4] = {0};
        for (int j = 0; j < 4; j++)
            v[j] = in[i + j * all];
        for (int step = 1 << (STEPS - 1); step > 0; step /= 2)
            for (int j = 0; j < 4; j++)
                low[j] += table[low[j] + step - 1] < v[j] ? step : 0;
        for (int j = 0; j < 4; j++)
            out[i + j * all] = low[j];
    }
}

/* ---- A stream, by blocks of a warp or of eight ---- */

extern "C" __global__ void windows_of(float *out, const float *in, const float *by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] * by[i];
}

/* ---- Orbits: a serial chain in registers, with a start that is loaded ---- */

extern "C" __global__ void orbits_one(float *out, const float *in, int n)
{
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float x = in[i], v = 0;
#pragma unroll 8
        for (int k = 0; k < 64; k++) {
            v -= 0.1f * x;
            x += 0.1f * v;
        }
        out[i] = x;
    }
}

extern "C" __global__ void orbits_two(float *out, const float *in, int n)
{
    int all = gridDim.x * blockDim.x;
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += 2 * all) {
        float x = in[i], v = 0, y = in[i + all], w = 0;
#pragma unroll 8
        for (int k = 0; k < 64; k++) {
            v -= 0.1f * x;
            w -= 0.1f * y;
            x += 0.1f * v;
            y += 0.1f * w;
        }
        out[i] = x;
        out[i + all] = y;
    }
}
