// Science: screenf_*, mcgauss_*, isinghalf_*, ruleca_*, fft8loc_*, simpsond_*, orbitlit_*, powsum_*, fit20_*, anydeg_*, tritask_*, expcheap_*,
// halflerp_*. Each pair's YAML says what differs.
// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>

/* ---- Screened forces of the first m charges, by exact and by fast functions ---- */

template <bool FAST> static __device__ __forceinline__ void screened(float4 *force, const float4 *charge, int m)
{
    __shared__ float4 tile[128];
    int i = blockIdx.x * 128 + threadIdx.x;
    float4 p = charge[i];
    float x = 0.0f, y = 0.0f, z = 0.0f;
    for (int first = 0; first < m; first += 128) {
        tile[threadIdx.x] = charge[first + threadIdx.x];
        __syncthreads();
#pragma unroll 4
        for (int k = 0; k < 128; k++) {
            float4 q = tile[k];
            float dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z, rr = dx * dx + dy * dy + dz * dz + 0.01f, f;
            if (FAST) {
                float inverse = rsqrtf(rr), r = rr * inverse;
                f = q.w * __expf(-r) * (1.0f + r) * inverse * inverse * inverse;
            } else {
                float r = sqrtf(rr);
                f = q.w * expf(-r) * (1.0f + r) / (r * r * r);
            }
            x += f * dx;
            y += f * dy;
            z += f * dz;
        }
        __syncthreads();
    }
    force[i] = make_float4(x, y, z, 0.0f);
}

extern "C" __global__ void screenf_exact(float4 *force, const float4 *charge, int m)
{
    screened<false>(force, charge, m);
}

extern "C" __global__ void screenf_fast(float4 *force, const float4 *charge, int m)
{
    screened<true>(force, charge, m);
}

/* ---- Paths of a price by normal numbers out of a hash ---- */

static __device__ __forceinline__ unsigned next_number(unsigned &state)
{
    state = state * 747796405u + 2891336453u;
    unsigned v = (state >> ((state >> 28) + 4) ^ state) * 277803737u;
    return v >> 22 ^ v;
}

template <bool FAST> static __device__ __forceinline__ void path(float *price, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned state = i * 9781u + 12345u;
    float s = 1.0f;
    for (int k = 0; k < steps; k++) {
        float u = ((next_number(state) >> 8) + 1) * (1.0f / 16777216.0f), a = (next_number(state) >> 8) * (6.2831853f / 16777216.0f), g;
        if (FAST)
            g = sqrtf(-2.0f * __logf(u)) * __cosf(a);
        else
            g = sqrtf(-2.0f * logf(u)) * cosf(a);
        s *= FAST ? __expf(0.02f * g - 0.0002f) : expf(0.02f * g - 0.0002f);
    }
    price[i] = s;
}

extern "C" __global__ void mcgauss_exact(float *price, int steps)
{
    path<false>(price, steps);
}

extern "C" __global__ void mcgauss_fast(float *price, int steps)
{
    path<true>(price, steps);
}

/* ---- Half a sweep of a spin model: a thread each spin, and a thread each that may turn ---- */

static __device__ __forceinline__ int turned(const signed char *in, int x, int y, int w, int h)
{
    int right = x + 1 < w ? x + 1 : 0, left = x > 0 ? x - 1 : w - 1, below = y + 1 < h ? y + 1 : 0, above = y > 0 ? y - 1 : h - 1;
    int sum = in[y * w + right] + in[y * w + left] + in[below * w + x] + in[above * w + x], s = in[y * w + x];
    unsigned v = (y * w + x) * 2654435761u;
    float p = 0.0f;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        v = v * 1664525u + 1013904223u;
        v ^= v >> 13;
    }
    p = (v >> 8) * (1.0f / 16777216.0f);
    return p < __expf(-0.8f * s * sum) ? -s : s;
}

extern "C" __global__ void isinghalf_each(const signed char *in, signed char *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if ((x + y) % 2 == 0)
        out[y * w + x] = turned(in, x, y, w, h);
    else
        out[y * w + x] = in[y * w + x];
}

extern "C" __global__ void isinghalf_pair(const signed char *in, signed char *out, int w, int h)
{
    int pair = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, x = 2 * pair + y % 2;
    char2 v = ((const char2 *)in)[(y * w) / 2 + pair];
    signed char s = turned(in, x, y, w, h);
    if (y % 2)
        v.y = s;
    else
        v.x = s;
    ((char2 *)out)[(y * w) / 2 + pair] = v;
}

/* ---- A cellular automaton of a rule, on rings of 8192 cells in words ---- */

static __device__ __forceinline__ unsigned rule110(unsigned left, unsigned here, unsigned right)
{
    unsigned l = here << 1 | left >> 31, r = here >> 1 | right << 31;
    return (here | r) & ~(l & here & r);
}

extern "C" __global__ void ruleca_step(const unsigned *in, unsigned *out)
{
    int t = threadIdx.x;
    const unsigned *ring = in + blockIdx.x * 256;
    out[blockIdx.x * 256 + t] = rule110(ring[(t + 255) % 256], ring[t], ring[(t + 1) % 256]);
}

extern "C" __global__ void ruleca_steps(const unsigned *in, unsigned *out, int steps)
{
    __shared__ unsigned ring[2][256];
    int t = threadIdx.x;
    unsigned v = in[blockIdx.x * 256 + t];
    for (int s = 0; s < steps; s++) {
        ring[s % 2][t] = v;
        __syncthreads();
        v = rule110(ring[s % 2][(t + 255) % 256], v, ring[s % 2][(t + 1) % 256]);
    }
    out[blockIdx.x * 256 + t] = v;
}

/* ---- Transforms of eight complex numbers, by loops over an array and unrolled ---- */

static __device__ __forceinline__ float2 times(float2 a, float2 b)
{
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

extern "C" __global__ void fft8loc_loops(const float2 *in, float2 *out, int n, int size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float2 v[16];
    for (int k = 0; k < size; k++)
        v[(k & 1) << 2 | (k & 2) | k >> 2] = in[k * n + i];
    for (int d = 1; d < size; d *= 2)
        for (int k = 0; k < size / 2; k++) {
            int j = k % d, a = (k - j) * 2 + j;
            float s, c;
            __sincosf(-3.14159265f * j / d, &s, &c);
            float2 w = times(v[a + d], make_float2(c, s)), u = v[a];
            v[a] = make_float2(u.x + w.x, u.y + w.y);
            v[a + d] = make_float2(u.x - w.x, u.y - w.y);
        }
    for (int k = 0; k < size; k++)
        out[k * n + i] = v[k];
}

extern "C" __global__ void fft8loc_unrolled(const float2 *in, float2 *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    constexpr float H = 0.70710678f;
    float2 v[8];
#pragma unroll
    for (int k = 0; k < 8; k++)
        v[(k & 1) << 2 | (k & 2) | k >> 2] = in[k * n + i];
#pragma unroll
    for (int d = 1; d < 8; d *= 2)
#pragma unroll
        for (int k = 0; k < 4; k++) {
            int j = k % d, a = (k - j) * 2 + j, eighth = j * 4 / d;
            float2 w = v[a + d], u = v[a];
            if (eighth == 1)
                w = make_float2(H * (w.x + w.y), H * (w.y - w.x));
            else if (eighth == 2)
                w = make_float2(w.y, -w.x);
            else if (eighth == 3)
                w = make_float2(H * (w.y - w.x), -H * (w.x + w.y));
            v[a] = make_float2(u.x + w.x, u.y + w.y);
            v[a + d] = make_float2(u.x - w.x, u.y - w.y);
        }
#pragma unroll
    for (int k = 0; k < 8; k++)
        out[k * n + i] = v[k];
}

/* ---- Integrals of a rational function by Simpson's rule, by literals of doubles and of floats ---- */

extern "C" __global__ void simpsond_double(const float *end, float *integral)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float step = end[i] / 64.0, sum = 0.0;
    for (int k = 0; k <= 64; k++) {
        float x = k * step;
        sum += (k == 0 || k == 64 ? 1.0 : k % 2 ? 4.0 : 2.0) * (1.0 + 0.5 * x - 0.25 * x * x + 0.125 * x * x * x);
    }
    integral[i] = sum * step / 3.0;
}

extern "C" __global__ void simpsond_float(const float *end, float *integral)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float step = end[i] / 64.0f, sum = 0.0f;
    for (int k = 0; k <= 64; k++) {
        float x = k * step;
        sum += (k == 0 || k == 64 ? 1.0f : k % 2 ? 4.0f : 2.0f) * (1.0f + 0.5f * x - 0.25f * x * x + 0.125f * x * x * x);
    }
    integral[i] = sum * step / 3.0f;
}

/* ---- Steps of bodies around one that stands still ---- */

extern "C" __global__ void orbitlit_double(const float4 *start, float4 *end, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 b = start[i];
    for (int k = 0; k < steps; k++) {
        float r = rsqrtf(b.x * b.x + b.y * b.y + 1.0), pull = r * r * r * 0.01;
        b.z -= 0.999 * pull * b.x;
        b.w -= 0.999 * pull * b.y;
        b.x += b.z * 0.01;
        b.y += b.w * 0.01;
    }
    end[i] = b;
}

extern "C" __global__ void orbitlit_float(const float4 *start, float4 *end, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 b = start[i];
    for (int k = 0; k < steps; k++) {
        float r = rsqrtf(b.x * b.x + b.y * b.y + 1.0f), pull = r * r * r * 0.01f;
        b.z -= 0.999f * pull * b.x;
        b.w -= 0.999f * pull * b.y;
        b.x += b.z * 0.01f;
        b.y += b.w * 0.01f;
    }
    end[i] = b;
}

/* ---- Power series of 2048 terms, by a block of 128 an SM ---- */

extern "C" __global__ void powsum_one(const float *x, const float *c, float *out)
{
    __shared__ __align__(16) float term[2048];
    for (int k = threadIdx.x; k < 2048; k += 128)
        term[k] = c[k];
    __syncthreads();
    float v = x[blockIdx.x * 128 + threadIdx.x], sum = 0.0f;
#pragma unroll 16
    for (int k = 2047; k >= 0; k--)
        sum = sum * v + term[k];
    out[blockIdx.x * 128 + threadIdx.x] = sum;
}

extern "C" __global__ void powsum_four(const float *x, const float *c, float *out)
{
    __shared__ __align__(16) float term[2048];
    for (int k = threadIdx.x; k < 2048; k += 128)
        term[k] = c[k];
    __syncthreads();
    float v = x[blockIdx.x * 128 + threadIdx.x], v2 = v * v, v4 = v2 * v2, sum[4] = {};
#pragma unroll 8
    for (int k = 2044; k >= 0; k -= 4)
#pragma unroll
        for (int j = 0; j < 4; j++)
            sum[j] = sum[j] * v4 + term[k + j];
    out[blockIdx.x * 128 + threadIdx.x] = (sum[0] + sum[1] * v) + (sum[2] + sum[3] * v) * v2;
}

/* ---- A rational function of degrees 19 and 19, coefficients by load and as constants ---- */

static __constant__ float above[20], below[20];

extern "C" __global__ void fit20_global(const float *x, const float *p, const float *q, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = x[i], a = 0.0f, b = 0.0f;
#pragma unroll
    for (int k = 0; k < 20; k++) {
        a = a * v + p[k];
        b = b * v + q[k];
    }
    y[i] = __fdividef(a, 4.0f + b);
}

extern "C" __global__ void fit20_constant(const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = x[i], a = 0.0f, b = 0.0f;
#pragma unroll
    for (int k = 0; k < 20; k++) {
        a = a * v + above[k];
        b = b * v + below[k];
    }
    y[i] = __fdividef(a, 4.0f + b);
}

/* ---- Sums over windows of a radius that is a parameter, and of 6 ---- */

static __device__ __forceinline__ float around(const float *in, int i, int n, int radius)
{
    float sum = 0.0f;
    for (int k = -radius; k <= radius; k++) {
        int j = i + k;
        if (j < 0)
            j = -j;
        if (j >= n)
            j = 2 * n - 2 - j;
        sum += in[j];
    }
    return sum;
}

extern "C" __global__ void anydeg_checked(const float *in, float *out, int n, int radius)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = around(in, i, n, radius);
}

extern "C" __global__ void anydeg_inner(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    if (i >= 6 && i < n - 6) {
#pragma unroll
        for (int k = -6; k <= 6; k++)
            sum += in[i + k];
    } else
        sum = around(in, i, n, 6);
    out[i] = sum;
}

/* ---- Sums of a triangle's rows after a function, rows in bands and in turns ---- */

static __device__ __forceinline__ float triangle_row(const float *x, int row)
{
    float sum = 0.0f;
    for (int k = threadIdx.x % 32; k <= row; k += 32)
        sum += __expf(-fabsf(x[k] - x[row]));
#pragma unroll
    for (int mask = 16; mask > 0; mask >>= 1)
        sum += __shfl_xor_sync(0xffffffff, sum, mask);
    return sum;
}

// A block has a band of rows, beside each other.
extern "C" __global__ void tritask_bands(const float *x, float *sum, int n)
{
    int band = n / gridDim.x;
    for (int r = blockIdx.x * band + threadIdx.x / 32; r < (blockIdx.x + 1) * band; r += 8) {
        float s = triangle_row(x, r);
        if (threadIdx.x % 32 == 0)
            sum[r] = s;
    }
}

// Rows by turns, there and back.
extern "C" __global__ void tritask_turns(const float *x, float *sum, int n)
{
    int warps = gridDim.x * 8, warp = blockIdx.x * 8 + threadIdx.x / 32;
    for (int k = 0; k < n / warps; k++) {
        int r = k * warps + (k % 2 ? warps - 1 - warp : warp);
        float s = triangle_row(x, r);
        if (threadIdx.x % 32 == 0)
            sum[r] = s;
    }
}

/* ---- Exponentials of a stream, exact and fast ---- */

extern "C" __global__ void expcheap_exact(const float4 *x, float4 *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = x[i];
    y[i] = make_float4(expf(v.x), expf(v.y), expf(v.z), expf(v.w));
}

extern "C" __global__ void expcheap_fast(const float4 *x, float4 *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = x[i];
    y[i] = make_float4(__expf(v.x), __expf(v.y), __expf(v.z), __expf(v.w));
}

/* ---- A logistic map of halves, 48 steps of it ---- */

extern "C" __global__ void halflerp_scalar(const __half *x, __half *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __half v = x[i], one = __float2half(1.0f), rate = __float2half(2.5f);
#pragma unroll 8
    for (int k = 0; k < 48; k++)
        v = __hmul(__hmul(rate, v), __hsub(one, v));
    y[i] = __hadd(v, x[i]);
}

extern "C" __global__ void halflerp_pairs(const __half2 *x, __half2 *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __half2 v = x[i], one = __float2half2_rn(1.0f), rate = __float2half2_rn(2.5f);
#pragma unroll 8
    for (int k = 0; k < 48; k++)
        v = __hmul2(__hmul2(rate, v), __hsub2(one, v));
    y[i] = __hadd2(v, x[i]);
}
