// 64 divisions of f32 per thread beside 64 products, for tuning the model of time: a kernel reads two values and
// writes one; the shapes differ in where the operands come from. All values stay normal numbers: a subnormal divisor or quotient
// takes the slow path of a division (docs/h200-rates.md).
// SPDX-License-Identifier: Apache-2.0

#define SHAPE(name, pragma, start, step)                                                           \
    template <char OP> static __device__ float name(float a, float b, float s, int i)              \
    {                                                                                              \
        float v = start;                                                                           \
        _Pragma(pragma) for (int k = 0; k < 64; k++) v = step;                                     \
        return v;                                                                                  \
    }

template <char OP> static __device__ float op(float x, float y)
{
    return OP == '/' ? x / y : x * y;
}

SHAPE(by_value, "unroll", a, op<OP>(v, b))            // one chain, divided by what was read
SHAPE(of_value, "unroll", a, op<OP>(b, v))            // one chain, what was read divided by it
SHAPE(by_argument, "unroll", a, op<OP>(v, s))         // by the kernel's argument
SHAPE(by_constant, "unroll", a, op<OP>(v, 1.0009765f)) // by a number the compiler knows
SHAPE(sum, "unroll", 0, v + op<OP>(a, b + (float)k))  // independent of each other, summed up
SHAPE(sum_of_index, "unroll", 0, v + op<OP>(a, (float)(i + k + 1))) // and each divisor made of an integer
SHAPE(loop, "unroll 1", a, op<OP>(v, b))              // a chain in a loop that stays one
SHAPE(loop_count, "unroll 1", a, op<OP>(v, b + (float)k * 0.0009765625f)) // whose counter is converted

#define KERNEL(shape)                                                                              \
    extern "C" __global__ void shape##_mul(float *out, const float *in, const float *other, float s) \
    {                                                                                              \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                                             \
        out[i] = shape<'*'>(in[i], other[i], s, i);                                                \
    }                                                                                              \
    extern "C" __global__ void shape##_div(float *out, const float *in, const float *other, float s) \
    {                                                                                              \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                                             \
        out[i] = shape<'/'>(in[i], other[i], s, i);                                                \
    }

KERNEL(by_value)
KERNEL(of_value)
KERNEL(by_argument)
KERNEL(by_constant)
KERNEL(sum)
KERNEL(sum_of_index)
KERNEL(loop)
KERNEL(loop_count)
