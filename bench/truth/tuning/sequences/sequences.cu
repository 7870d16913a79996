// Operations that become sequences of machine code, for tuning the model of time: 64 of each per thread, in
// four chains, whose operands the compiler does not know. Integer quotients get an or.b32, so that no
// divisor is zero. mul_* are the products beside them.
// SPDX-License-Identifier: Apache-2.0

static __device__ float div_approx(float a, float b)
{
    float q;
    asm("div.approx.f32 %0, %1, %2;" : "=f"(q) : "f"(a), "f"(b));
    return q;
}

// What the compiler can't fold the products of the four chains into.
template <class T> static __device__ T combine(T a, T b)
{
    return a > b ? a - b : a + b;
}

#define SEQUENCE(name, type, expression)                                                           \
    extern "C" __global__ void name(type *out, const type *in, const type *other)                   \
    {                                                                                               \
        unsigned i = blockIdx.x * blockDim.x + threadIdx.x;                                         \
        type a = in[i], b = other[i], chain[4] = {a, a + b, a + 2 * b, a + 3 * b};                   \
        _Pragma("unroll") for (int k = 0; k < 16; k++)                                               \
            _Pragma("unroll") for (int c = 0; c < 4; c++) {                                          \
                type v = chain[c];                                                                   \
                chain[c] = expression;                                                               \
            }                                                                                        \
        out[i] = combine(chain[0], chain[1]) + combine(chain[2], chain[3]);                                          \
    }

SEQUENCE(mul_f32, float, v * b)
SEQUENCE(div_f32, float, b / v)
SEQUENCE(div_full_f32, float, __fdividef(b, v))
SEQUENCE(div_approx_f32, float, div_approx(b, v))
SEQUENCE(rcp_f32, float, __frcp_rn(v))
SEQUENCE(sqrt_f32, float, __fsqrt_rn(v))
SEQUENCE(mul_f64, double, v * b)
SEQUENCE(div_f64, double, b / v)
SEQUENCE(rcp_f64, double, __drcp_rn(v))
SEQUENCE(sqrt_f64, double, __dsqrt_rn(v))
SEQUENCE(mul_u32, unsigned, v * b)
SEQUENCE(div_u32, unsigned, b / v | 1)
SEQUENCE(div_s32, int, b / v | 1)
SEQUENCE(rem_u32, unsigned, b % v | 1)
SEQUENCE(rem_s32, int, b % v | 1)
SEQUENCE(mul_u64, unsigned long long, v * b)
SEQUENCE(mulhi_u64, unsigned long long, __umul64hi(v, b) + b)
SEQUENCE(div_u64, unsigned long long, b / v | 1)
SEQUENCE(div_s64, long long, b / v | 1)
SEQUENCE(rem_u64, unsigned long long, b % v | 1)
SEQUENCE(rem_s64, long long, b % v | 1)
SEQUENCE(div_u32_by7, unsigned, v / 7 + b)
