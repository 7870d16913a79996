// Loops that some lanes, warps or blocks leave early: for tuning the model of time.
// SPDX-License-Identifier: Apache-2.0
__device__ float four(float x, int turns)
{
    float a = x, b = x + 1, c = x + 2, d = x + 3;
#pragma unroll 1
    for (int i = 0; i < turns; i++) {
#pragma unroll
        for (int k = 0; k < 3; k++)
            a = a * 0.999f + 1.0f, b = b * 0.998f + 1.0f, c = c * 0.997f + 1.0f, d = d * 0.996f + 1.0f;
    }
    return a + b + c + d;
}

// Of each `period` blocks the first `wide` have most of the work.
extern "C" __global__ void islands(float *out, unsigned period, unsigned wide, int turns)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = four(i, blockIdx.x % period < wide ? turns : 2);
}

// Of each `period` warps of a block the first has most of the work.
extern "C" __global__ void some_warps(float *out, unsigned period, int turns)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = four(i, threadIdx.x / 32 % period == 0 ? turns : 2);
}

// Points that turn in a quadratic map until they leave a circle, most of them at once: a picture wider than what is in it.
extern "C" __global__ void julia(unsigned *out, unsigned width, float step, int most)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float re = x * step - 1.6f, im = y * step - 0.8f;
    int n = 0;
    while (n < most && re * re + im * im < 16.0f) {
        float t = re * re - im * im - 0.4f;
        im = 2 * re * im + 0.57f;
        re = t;
        n++;
    }
    out[y * width + x] = n;
}

// A logistic map with a branch in it, until it has come near to a point.
extern "C" __global__ void logistic(unsigned *out, float step, int most)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float r = 2.5f + step * (i & 8191), v = 0.3f, before = 0;
    int n = 0;
    while (n < most && fabsf(v - before) > 1e-5f) {
        before = v;
        v = r * v * (1 - v);
        if (v > 0.9f)
            v *= 0.99f;
        n++;
    }
    out[i] = n;
}
