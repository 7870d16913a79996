// Element by element: gelu_*, swiglu_*, blend_*, quantised_*, heads_*, upsample_*, chain4_*, sigmoid_*, tenth_*, gain_*, estrin_*,
// odd_*, axpby_*, palette. Each pair's YAML says what differs.
// SPDX-License-Identifier: Apache-2.0

/* ---- GELU, by the formula of the paper ------------------------------------------------------------------------------------ */

extern "C" __global__ void gelu_literals(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float x = in[i];
        out[i] = 0.5 * x * (1.0 + tanh(0.7978845608 * (x + 0.044715 * x * x * x)));
    }
}

extern "C" __global__ void gelu_floats(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float x = in[i];
        out[i] = 0.5f * x * (1.0f + tanhf(0.7978845608f * (x + 0.044715f * x * x * x)));
    }
}

/* ---- SwiGLU of bf16 --------------------------------------------------------------------------------------------------------- */

static __device__ __forceinline__ float low_half(unsigned v)
{
    return __uint_as_float(v << 16);
}

static __device__ __forceinline__ float high_half(unsigned v)
{
    return __uint_as_float(v & 0xffff0000u);
}

static __device__ __forceinline__ unsigned short rounded(float v)
{
    unsigned short out;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(out) : "f"(v));
    return out;
}

static __device__ __forceinline__ float gated(float gate, float up)
{
    return __fdividef(gate, 1.0f + __expf(-gate)) * up;
}

extern "C" __global__ void swiglu_scalar(unsigned short *out, const unsigned short *gate, const unsigned short *up, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = rounded(gated(low_half(gate[i]), low_half(up[i])));
}

static __device__ __forceinline__ unsigned gated_pair(unsigned gate, unsigned up)
{
    unsigned low = rounded(gated(low_half(gate), low_half(up))), high = rounded(gated(high_half(gate), high_half(up)));
    return low | high << 16;
}

// Eight numbers a thread; n counts eights.
extern "C" __global__ void swiglu_eight(uint4 *out, const uint4 *gate, const uint4 *up, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        uint4 g = gate[i], u = up[i];
        out[i] = make_uint4(gated_pair(g.x, u.x), gated_pair(g.y, u.y), gated_pair(g.z, u.z), gated_pair(g.w, u.w));
    }
}

/* ---- Pictures of four bytes a pixel, one over the other ------------------------------------------------------------------------ */

static __device__ __forceinline__ unsigned char over(int top, int below, int alpha)
{
    return (top * alpha + below * (255 - alpha) + 127) / 255;
}

extern "C" __global__ void blend_channel(unsigned char *out, const unsigned char *top, const unsigned char *below, int bytes)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < bytes)
        out[i] = over(top[i], below[i], top[i | 3]);
}

extern "C" __global__ void blend_pixel(uchar4 *out, const uchar4 *top, const uchar4 *below, int pixels)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < pixels) {
        uchar4 t = top[i], b = below[i];
        out[i] = make_uchar4(over(t.x, b.x, t.w), over(t.y, b.y, t.w), over(t.z, b.z, t.w), over(t.w, b.w, t.w));
    }
}

/* ---- f32 to bytes -------------------------------------------------------------------------------------------------------------------- */

static __device__ __forceinline__ signed char byte_of(float v, float per)
{
    return (signed char)__float2int_rn(fminf(fmaxf(v * per, -127.0f), 127.0f));
}

extern "C" __global__ void quantised_one(signed char *out, const float *in, float per, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = byte_of(in[i], per);
}

extern "C" __global__ void quantised_four(char4 *out, const float4 *in, float per, int fours)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < fours) {
        float4 v = in[i];
        out[i] = make_char4(byte_of(v.x, per), byte_of(v.y, per), byte_of(v.z, per), byte_of(v.w, per));
    }
}

/* ---- (batch, token, head, d) to (batch, head, token, d) ----------------------------------------------------------------------------------- */

extern "C" __global__ void heads_flat(float *out, const float *in, int B, int T, int H, int D)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= B * T * H * D)
        return;
    int b = i / (H * T * D), rest = i % (H * T * D);
    int h = rest / (T * D);
    rest = rest % (T * D);
    int t = rest / D, d = rest % D;
    out[i] = in[((b * T + t) * H + h) * D + d];
}

// A block four tokens of a head; D threads each.
extern "C" __global__ void heads_grid(float *out, const float *in, int B, int T, int H, int D)
{
    int d = threadIdx.x, t = blockIdx.x * blockDim.y + threadIdx.y, h = blockIdx.y, b = blockIdx.z;
    if (t < T)
        out[((b * H + h) * T + t) * D + d] = in[((b * T + t) * H + h) * D + d];
}

/* ---- The nearest neighbour in a picture that becomes larger ---------------------------------------------------------------------------------- */

extern "C" __global__ void upsample_flat(float *out, const float *in, size_t channels, size_t h, size_t w, size_t scale)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t wide = w * scale, high = h * scale;
    if (i >= channels * high * wide)
        return;
    size_t x = i % wide, y = i / wide % high, c = i / (wide * high);
    out[i] = in[(c * h + y / scale) * w + x / scale];
}

extern "C" __global__ void upsample_grid(float *out, const float *in, unsigned h, unsigned w, unsigned scale)
{
    unsigned wide = w * scale, high = h * scale;
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, c = blockIdx.z;
    if (x < wide)
        out[((size_t)c * high + y) * wide + x] = in[((size_t)c * h + y / scale) * w + x / scale];
}

/* ---- max(x + bias, 0) scale + residual --------------------------------------------------------------------------------------------------------------- */

extern "C" __global__ void chain4_bias(float *out, const float *x, const float *bias, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c < cols)
        out[(size_t)blockIdx.y * cols + c] = x[(size_t)blockIdx.y * cols + c] + bias[c];
}

extern "C" __global__ void chain4_relu(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = fmaxf(x[i], 0.0f);
}

extern "C" __global__ void chain4_scale(float *x, float scale, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = x[i] * scale;
}

extern "C" __global__ void chain4_add(float *x, const float *residual, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = x[i] + residual[i];
}

extern "C" __global__ void chain4_fused(float *out, const float *x, const float *bias, const float *residual, float scale, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    size_t i = (size_t)blockIdx.y * cols + c;
    if (c < cols)
        out[i] = fmaxf(x[i] + bias[c], 0.0f) * scale + residual[i];
}

/* ---- In vain: a sigmoid, a tenth, a gain and a polynomial, four numbers a thread; and rows of odd length. Memory sets the time ---------------------------- */

static __device__ __forceinline__ float exact(float v)
{
    return 1.0f / (1.0f + expf(-v));
}

static __device__ __forceinline__ float fast(float v)
{
    return __fdividef(1.0f, 1.0f + __expf(-v));
}

extern "C" __global__ void sigmoid_exact(float4 *out, const float4 *in, int fours)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < fours) {
        float4 v = in[i];
        out[i] = make_float4(exact(v.x), exact(v.y), exact(v.z), exact(v.w));
    }
}

extern "C" __global__ void sigmoid_fast(float4 *out, const float4 *in, int fours)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < fours) {
        float4 v = in[i];
        out[i] = make_float4(fast(v.x), fast(v.y), fast(v.z), fast(v.w));
    }
}

extern "C" __global__ void tenth_literal(float4 *out, const float4 *in, int fours)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < fours) {
        float4 v = in[i];
        out[i] = make_float4(v.x * 0.1, v.y * 0.1, v.z * 0.1, v.w * 0.1);
    }
}

extern "C" __global__ void tenth_float(float4 *out, const float4 *in, int fours)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < fours) {
        float4 v = in[i];
        out[i] = make_float4(v.x * 0.1f, v.y * 0.1f, v.z * 0.1f, v.w * 0.1f);
    }
}

static __device__ __forceinline__ float4 raised(float gain, float4 x, float4 y)
{
    return make_float4(gain * x.x + y.x, gain * x.y + y.y, gain * x.z + y.z, gain * x.w + y.w);
}

extern "C" __global__ void gain_loaded(float4 *out, const float *gain, const float4 *x, const float4 *y, int fours)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < fours)
        out[i] = raised(gain[0], x[i], y[i]);
}

extern "C" __global__ void gain_passed(float4 *out, float gain, const float4 *x, const float4 *y, int fours)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < fours)
        out[i] = raised(gain, x[i], y[i]);
}

static __device__ __forceinline__ float horner(float x)
{
    float v = 0.0123f;
    v = v * x - 0.0456f;
    v = v * x + 0.0789f;
    v = v * x - 0.1234f;
    v = v * x + 0.2345f;
    v = v * x - 0.3456f;
    v = v * x + 0.4567f;
    v = v * x - 0.5678f;
    return v * x + 1.0f;
}

static __device__ __forceinline__ float in_pairs(float x)
{
    float x2 = x * x, x4 = x2 * x2;
    float a = -0.5678f * x + 1.0f, b = -0.3456f * x + 0.4567f, c = -0.1234f * x + 0.2345f, d = -0.0456f * x + 0.0789f;
    return (b * x2 + a) + (d * x2 + c) * x4 + 0.0123f * x4 * x4;
}

extern "C" __global__ void estrin_horner(float4 *out, const float4 *in, int fours)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < fours) {
        float4 v = in[i];
        out[i] = make_float4(horner(v.x), horner(v.y), horner(v.z), horner(v.w));
    }
}

extern "C" __global__ void estrin_pairs(float4 *out, const float4 *in, int fours)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < fours) {
        float4 v = in[i];
        out[i] = make_float4(in_pairs(v.x), in_pairs(v.y), in_pairs(v.z), in_pairs(v.w));
    }
}

// A block a row; neither rows nor warps begin on a line of memory.
extern "C" __global__ void odd_rows(float *out, const float *in, int width)
{
    for (int c = threadIdx.x; c < width; c += blockDim.x) {
        size_t i = (size_t)blockIdx.x * width + c;
        out[i] = 2.0f * in[i] + 1.0f;
    }
}

extern "C" __global__ void odd_flat(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 2.0f * in[i] + 1.0f;
}

/* ---- z = a x + b y, by two blocks an SM that stay ------------------------------------------------------------------------------------------------------------------- */

extern "C" __global__ void axpby_one(float *z, float a, const float *x, float b, const float *y, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        z[i] = a * x[i] + b * y[i];
}

extern "C" __global__ void axpby_four(float *z, float a, const float *x, float b, const float *y, int n)
{
    int all = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    for (; i + 3 * all < n; i += 4 * all) {
        float u[4], v[4];
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            u[k] = x[i + k * all];
            v[k] = y[i + k * all];
        }
#pragma unroll
        for (int k = 0; k < 4; ++k)
            z[i + k * all] = a * u[k] + b * v[k];
    }
    for (; i < n; i += all)
        z[i] = a * x[i] + b * y[i];
}

/* ---- Colours of pixels by a palette of 256, which the block copies; how much shared memory it has is the host's choice ----------------------------------------------- */

extern "C" __global__ void palette(float *out, const int *index, const float *colours, int n)
{
    extern __shared__ float own[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    own[threadIdx.x] = colours[threadIdx.x];
    __syncthreads();
    if (i < n)
        out[i] = own[index[i] & 255];
}
