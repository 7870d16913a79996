// A sum of 16 sines an element, several ways to compute one. The largest error of each stands beside its
// speed in `ridge verify`.
//   library_sine     sinf: right to 1 or 2 ulp for any argument
//   intrinsic_sine   __sinf: the special function unit
//   polynomial_sine  seven terms, right in [-pi, pi] only
//   double_sine      in f64
//   mistake_sine     f32, but a literal without f makes part of it f64
// SPDX-License-Identifier: Apache-2.0
enum { TERMS = 16 };
#define EVERY(sine)                                    \
    int i = blockIdx.x * blockDim.x + threadIdx.x;     \
    if (i >= N)                                        \
        return;                                        \
    float x = in[i], sum = 0;                          \
    _Pragma("unroll 4") for (int k = 0; k < TERMS; k++) \
    {                                                  \
        float y = x + (float)k * 0.125f;               \
        sum += sine;                                   \
    }                                                  \
    out[i] = sum;

extern "C" __global__ void library_sine(float *out, const float *in, int N)
{
    EVERY(sinf(y))
}

extern "C" __global__ void intrinsic_sine(float *out, const float *in, int N)
{
    EVERY(__sinf(y))
}

// Odd terms of Taylor's series up to the 13th.
static __device__ __forceinline__ float series(float y)
{
    float z = y * y;
    float p = 1.6059044e-10f;
    p = p * z - 2.5052108e-8f;
    p = p * z + 2.7557319e-6f;
    p = p * z - 1.9841270e-4f;
    p = p * z + 8.3333333e-3f;
    p = p * z - 1.6666667e-1f;
    return y + y * z * p;
}

extern "C" __global__ void polynomial_sine(float *out, const float *in, int N)
{
    EVERY(series(y))
}

extern "C" __global__ void double_sine(float *out, const float *in, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N)
        return;
    double sum = 0;
    for (int k = 0; k < TERMS; k++)
        sum += sin((double)in[i] + (double)k * 0.125);
    out[i] = (float)sum;
}

extern "C" __global__ void mistake_sine(float *out, const float *in, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N)
        return;
    float x = in[i], sum = 0;
#pragma unroll 4
    for (int k = 0; k < TERMS; k++)
        sum += series(x + k * 0.125); // 0.125 is a double
    out[i] = sum;
}
