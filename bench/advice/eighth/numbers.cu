// Arithmetic: haversine_*, lotka_*, asian_*, cenergy_*, alternate_*, xorshift_*, goertzel_*, xtea_*, kinetics_*, minors_*,
// nibbles_*, hamming_*, morton_*, binning_*, hdist_*. Each pair's YAML says what differs.
// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>

/* ---- Kilometres to the nearest of four airports; all in degrees ------------------------------------------------------------- */

__constant__ float2 airports[4]; // latitude, longitude

extern "C" __global__ void haversine_literals(float *km, const float *lat, const float *lon, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float y = lat[i], x = lon[i], least = 1e9f;
    for (int k = 0; k < 4; ++k) {
        float2 to = airports[k];
        float a = sin((y - to.x) * 3.14159265358979 / 360.0), b = sin((x - to.y) * 3.14159265358979 / 360.0);
        float c = cos(to.x * 3.14159265358979 / 180.0) * cos(y * 3.14159265358979 / 180.0);
        least = fminf(least, 2.0 * 6371.0 * asin(sqrt(a * a + c * b * b)));
    }
    km[i] = least;
}

extern "C" __global__ void haversine_floats(float *km, const float *lat, const float *lon, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float y = lat[i], x = lon[i], least = 1e9f;
    for (int k = 0; k < 4; ++k) {
        float2 to = airports[k];
        float a = sinf((y - to.x) * 8.72664626e-3f), b = sinf((x - to.y) * 8.72664626e-3f);
        float c = cosf(to.x * 1.74532925e-2f) * cosf(y * 1.74532925e-2f);
        least = fminf(least, 12742.0f * asinf(sqrtf(a * a + c * b * b)));
    }
    km[i] = least;
}

extern "C" __global__ void haversine_fast(float *km, const float *lat, const float *lon, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float y = lat[i], x = lon[i], least = 1e9f;
    for (int k = 0; k < 4; ++k) {
        float2 to = airports[k];
        float a = __sinf((y - to.x) * 8.72664626e-3f), b = __sinf((x - to.y) * 8.72664626e-3f);
        float c = __cosf(to.x * 1.74532925e-2f) * __cosf(y * 1.74532925e-2f);
        least = fminf(least, 12742.0f * asinf(sqrtf(a * a + c * b * b)));
    }
    km[i] = least;
}

/* ---- Hares and foxes: 32 steps of Runge and Kutta for many starts -------------------------------------------------------------- */

static __device__ __forceinline__ void rates_by_literals(float x, float y, float *dx, float *dy)
{
    *dx = 1.1 * x - 0.4 * x * y;
    *dy = 0.1 * x * y - 0.4 * y;
}

extern "C" __global__ void lotka_literals(float *hares, float *foxes, const float *x0, const float *y0, float h, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float x = x0[i], y = y0[i];
    for (int s = 0; s < 32; ++s) {
        float kx[4], ky[4];
        rates_by_literals(x, y, &kx[0], &ky[0]);
        rates_by_literals(x + 0.5 * h * kx[0], y + 0.5 * h * ky[0], &kx[1], &ky[1]);
        rates_by_literals(x + 0.5 * h * kx[1], y + 0.5 * h * ky[1], &kx[2], &ky[2]);
        rates_by_literals(x + h * kx[2], y + h * ky[2], &kx[3], &ky[3]);
        x += h / 6.0 * (kx[0] + 2.0 * kx[1] + 2.0 * kx[2] + kx[3]);
        y += h / 6.0 * (ky[0] + 2.0 * ky[1] + 2.0 * ky[2] + ky[3]);
    }
    hares[i] = x;
    foxes[i] = y;
}

static __device__ __forceinline__ void rates(float x, float y, float *dx, float *dy)
{
    *dx = 1.1f * x - 0.4f * x * y;
    *dy = 0.1f * x * y - 0.4f * y;
}

extern "C" __global__ void lotka_floats(float *hares, float *foxes, const float *x0, const float *y0, float h, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float x = x0[i], y = y0[i];
    for (int s = 0; s < 32; ++s) {
        float kx[4], ky[4];
        rates(x, y, &kx[0], &ky[0]);
        rates(x + 0.5f * h * kx[0], y + 0.5f * h * ky[0], &kx[1], &ky[1]);
        rates(x + 0.5f * h * kx[1], y + 0.5f * h * ky[1], &kx[2], &ky[2]);
        rates(x + h * kx[2], y + h * ky[2], &kx[3], &ky[3]);
        x += h / 6.0f * (kx[0] + 2.0f * kx[1] + 2.0f * kx[2] + kx[3]);
        y += h / 6.0f * (ky[0] + 2.0f * ky[1] + 2.0f * ky[2] + ky[3]);
    }
    hares[i] = x;
    foxes[i] = y;
}

/* ---- Asian options: paths of 32 steps, random numbers by a generator and two logarithms' art (Box and Muller) ------------------------- */

static __device__ __forceinline__ unsigned next_random(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state;
}

static __device__ __forceinline__ float unit(unsigned v)
{
    return ((v >> 8) + 0.5f) * 5.9604645e-8f;
}

extern "C" __global__ void asian_exact(float *mean, float drift, float sigma, int paths)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= paths)
        return;
    unsigned state = i * 2654435761u + 12345u;
    float price = 100.0f, sum = 0.0f;
    for (int s = 0; s < 32; ++s) {
        float u = unit(next_random(&state)), v = unit(next_random(&state));
        price *= expf(drift + sigma * sqrtf(-2.0f * logf(u)) * cosf(6.2831853f * v));
        sum += price;
    }
    mean[i] = sum / 32.0f;
}

extern "C" __global__ void asian_fast(float *mean, float drift, float sigma, int paths)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= paths)
        return;
    unsigned state = i * 2654435761u + 12345u;
    float price = 100.0f, sum = 0.0f;
    for (int s = 0; s < 32; ++s) {
        float u = unit(next_random(&state)), v = unit(next_random(&state)), a = fmaxf(-2.0f * __logf(u), 1e-12f);
        price *= __expf(drift + sigma * a * rsqrtf(a) * __cosf(6.2831853f * v));
        sum += price;
    }
    mean[i] = sum * 0.03125f;
}

/* ---- The potential of atoms on a plane ------------------------------------------------------------------------------------------------------- */

extern "C" __global__ void cenergy_global(float *out, const float *atom, int atoms, float spacing, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    float px = spacing * x, py = spacing * y, sum = 0.0f;
    for (int j = 0; j < atoms; ++j) {
        float dx = px - atom[4 * j], dy = py - atom[4 * j + 1], dz = atom[4 * j + 2];
        sum += atom[4 * j + 3] * rsqrtf(dx * dx + dy * dy + dz * dz);
    }
    out[y * w + x] = sum;
}

__constant__ float4 charges[1024];

extern "C" __global__ void cenergy_constant(float *out, int atoms, float spacing, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    float px = spacing * x, py = spacing * y, sum = 0.0f;
    for (int j = 0; j < atoms; ++j) {
        float dx = px - charges[j].x, dy = py - charges[j].y, dz = charges[j].z;
        sum += charges[j].w * rsqrtf(dx * dx + dy * dy + dz * dz);
    }
    out[y * w + x] = sum;
}

/* ---- Of each number x a fraction and a limit, side by side --------------------------------------------------------------------------------------- */

static __device__ __forceinline__ float fraction(float x)
{
    float v = 1.0f;
    for (int k = 0; k < 12; ++k)
        v = __fdividef(x, 1.0f + v) + 0.5f;
    return v;
}

static __device__ __forceinline__ float limit(float x)
{
    float v = 0.1f;
    for (int k = 0; k < 40; ++k)
        v = (v * 0.21f + 0.33f) * v + 0.4f * x;
    return v;
}

extern "C" __global__ void alternate_lanes(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 2 * n)
        return;
    if (i % 2 == 0)
        out[i] = fraction(in[i / 2]);
    else
        out[i] = limit(in[i / 2]);
}

// A warp computes 32 fractions, the next one the same numbers' limits.
extern "C" __global__ void alternate_warps(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, at = i / 64 * 32 + i % 32;
    if (at >= n)
        return;
    if (i / 32 % 2 == 0)
        out[2 * at] = fraction(in[at]);
    else
        out[2 * at + 1] = limit(in[at]);
}

/* ---- Points in a quarter of a circle: four sequences a thread, one warp a scheduler ------------------------------------------------------------------ */

static __device__ __forceinline__ unsigned shifted(unsigned v)
{
    v ^= v << 13;
    v ^= v >> 17;
    return v ^ v << 5;
}

static __device__ __forceinline__ unsigned inside(unsigned v)
{
    unsigned x = v & 32767, y = v >> 17;
    return x * x + y * y < 1073741824u;
}

extern "C" __global__ void xorshift_one(unsigned *out, int tries)
{
    unsigned first = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x, count = 0;
    for (int j = 0; j < 4; ++j) {
        unsigned v = (first + j * all) * 2654435761u + 1;
        for (int k = 0; k < tries; ++k) {
            v = shifted(v);
            count += inside(v);
        }
    }
    out[first] = count;
}

extern "C" __global__ void xorshift_four(unsigned *out, int tries)
{
    unsigned first = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x, count = 0, v[4];
#pragma unroll
    for (int j = 0; j < 4; ++j)
        v[j] = (first + j * all) * 2654435761u + 1;
    for (int k = 0; k < tries; ++k)
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            v[j] = shifted(v[j]);
            count += inside(v[j]);
        }
    out[first] = count;
}

/* ---- Power at 128 frequencies of frames of 512 samples (Goertzel): four frames a block, one block an SM -------------------------------------------------- */

enum { FRAME = 512 };

extern "C" __global__ void goertzel_one(float *power, const float *in, int rounds)
{
    __shared__ __align__(16) float s[4 * FRAME];
    float factor = 2.0f * cosf(6.2831853f / FRAME * (threadIdx.x + 32));
    for (int r = 0; r < rounds; ++r) {
        size_t first = (size_t)(r * gridDim.x + blockIdx.x) * 4;
        for (int i = threadIdx.x; i < 4 * FRAME; i += blockDim.x)
            s[i] = in[first * FRAME + i];
        __syncthreads();
        for (int f = 0; f < 4; ++f) {
            float a = 0.0f, b = 0.0f;
#pragma unroll 8
            for (int k = 0; k < FRAME; ++k) {
                float c = s[f * FRAME + k] - b + factor * a;
                b = a;
                a = c;
            }
            power[(first + f) * 128 + threadIdx.x] = a * a + b * b - factor * a * b;
        }
        __syncthreads();
    }
}

extern "C" __global__ void goertzel_four(float *power, const float *in, int rounds)
{
    __shared__ __align__(16) float s[4 * FRAME];
    float factor = 2.0f * cosf(6.2831853f / FRAME * (threadIdx.x + 32));
    for (int r = 0; r < rounds; ++r) {
        size_t first = (size_t)(r * gridDim.x + blockIdx.x) * 4;
        for (int i = threadIdx.x; i < 4 * FRAME; i += blockDim.x)
            s[i] = in[first * FRAME + i];
        __syncthreads();
        float a[4] = {0.0f}, b[4] = {0.0f};
#pragma unroll 8
        for (int k = 0; k < FRAME; ++k)
#pragma unroll
            for (int f = 0; f < 4; ++f) {
                float c = s[f * FRAME + k] - b[f] + factor * a[f];
                b[f] = a[f];
                a[f] = c;
            }
#pragma unroll
        for (int f = 0; f < 4; ++f)
            power[(first + f) * 128 + threadIdx.x] = a[f] * a[f] + b[f] * b[f] - factor * a[f] * b[f];
        __syncthreads();
    }
}

/* ---- XTEA of a counter, over the data: one warp a scheduler ---------------------------------------------------------------------------------------------------- */

static __device__ __forceinline__ void xtea_round(unsigned *a, unsigned *b, unsigned sum, const unsigned *key)
{
    *a += ((*b << 4 ^ *b >> 5) + *b) ^ (sum + key[sum & 3]);
    sum += 0x9e3779b9u;
    *b += ((*a << 4 ^ *a >> 5) + *a) ^ (sum + key[sum >> 11 & 3]);
}

extern "C" __global__ void xtea_one(uint2 *out, const uint2 *in, uint4 k, int rounds)
{
    const unsigned key[4] = {k.x, k.y, k.z, k.w};
    int all = gridDim.x * blockDim.x;
    for (int r = 0; r < 4 * rounds; ++r) {
        int i = r * all + blockIdx.x * blockDim.x + threadIdx.x;
        uint2 v = in[i];
        unsigned a = i, b = 7, sum = 0;
#pragma unroll
        for (int s = 0; s < 32; ++s, sum += 0x9e3779b9u)
            xtea_round(&a, &b, sum, key);
        out[i] = make_uint2(v.x ^ a, v.y ^ b);
    }
}

extern "C" __global__ void xtea_four(uint2 *out, const uint2 *in, uint4 k, int rounds)
{
    const unsigned key[4] = {k.x, k.y, k.z, k.w};
    int all = gridDim.x * blockDim.x;
    for (int r = 0; r < 4 * rounds; r += 4) {
        int i = r * all + blockIdx.x * blockDim.x + threadIdx.x;
        unsigned a[4], b[4], sum = 0;
        uint2 v[4];
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            v[j] = in[i + j * all];
            a[j] = i + j * all;
            b[j] = 7;
        }
#pragma unroll
        for (int s = 0; s < 32; ++s, sum += 0x9e3779b9u)
#pragma unroll
            for (int j = 0; j < 4; ++j)
                xtea_round(&a[j], &b[j], sum, key);
#pragma unroll
        for (int j = 0; j < 4; ++j)
            out[i + j * all] = make_uint2(v[j].x ^ a[j], v[j].y ^ b[j]);
    }
}

/* ---- 32 substances in a ring that mix and react: Runge and Kutta in registers, or what the bounds leave of them ---------------------------------------------------- */

enum { KINDS = 32 };

static __device__ __forceinline__ void react(float *k, const float *y)
{
#pragma unroll
    for (int j = 0; j < KINDS; ++j)
        k[j] = 0.1f * (y[(j + KINDS - 1) % KINDS] - 2.0f * y[j] + y[(j + 1) % KINDS]) + 0.5f * y[j] * (1.0f - y[j]);
}

static __device__ __forceinline__ void kinetics(float *out, const float *in, float h, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float y[KINDS], sum[KINDS], k[KINDS], at[KINDS];
#pragma unroll
    for (int j = 0; j < KINDS; ++j)
        y[j] = in[(size_t)j * n + i];
#pragma unroll 1
    for (int s = 0; s < 16; ++s) {
        react(k, y);
#pragma unroll
        for (int j = 0; j < KINDS; ++j) {
            sum[j] = k[j];
            at[j] = y[j] + 0.5f * h * k[j];
        }
        react(k, at);
#pragma unroll
        for (int j = 0; j < KINDS; ++j) {
            sum[j] += 2.0f * k[j];
            at[j] = y[j] + 0.5f * h * k[j];
        }
        react(k, at);
#pragma unroll
        for (int j = 0; j < KINDS; ++j) {
            sum[j] += 2.0f * k[j];
            at[j] = y[j] + h * k[j];
        }
        react(k, at);
#pragma unroll
        for (int j = 0; j < KINDS; ++j)
            y[j] += h / 6.0f * (sum[j] + k[j]);
    }
#pragma unroll
    for (int j = 0; j < KINDS; ++j)
        out[(size_t)j * n + i] = y[j];
}

extern "C" __launch_bounds__(1024) __global__ void kinetics_1024(float *out, const float *in, float h, int n)
{
    kinetics(out, in, h, n);
}

extern "C" __launch_bounds__(256) __global__ void kinetics_256(float *out, const float *in, float h, int n)
{
    kinetics(out, in, h, n);
}

/* ---- Determinants of small matrices by elimination; element e of matrix i at e * count + i; 4 is added to the diagonal ---------------------------------------------------- */

extern "C" __global__ void minors_indexed(float *det, const float *in, int n, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    float a[64], d = 1.0f;
    for (int e = 0; e < n * n; ++e)
        a[e] = in[(size_t)e * count + i] + (e % (n + 1) == 0 ? 4.0f : 0.0f);
    for (int k = 0; k < n; ++k) {
        d *= a[k * n + k];
        for (int r = k + 1; r < n; ++r) {
            float factor = a[r * n + k] / a[k * n + k];
            for (int c = k + 1; c < n; ++c)
                a[r * n + c] -= factor * a[k * n + c];
        }
    }
    det[i] = d;
}

extern "C" __global__ void minors_unrolled(float *det, const float *in, int count)
{
    const int n = 8;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    float a[64], d = 1.0f;
#pragma unroll
    for (int e = 0; e < n * n; ++e)
        a[e] = in[(size_t)e * count + i] + (e % (n + 1) == 0 ? 4.0f : 0.0f);
#pragma unroll
    for (int k = 0; k < n; ++k) {
        d *= a[k * n + k];
#pragma unroll
        for (int r = k + 1; r < n; ++r) {
            float factor = a[r * n + k] / a[k * n + k];
#pragma unroll
            for (int c = k + 1; c < n; ++c)
                a[r * n + c] -= factor * a[k * n + c];
        }
    }
    det[i] = d;
}

/* ---- The most frequent of 16 letters in records of 128; word k of record i at k * n + i -------------------------------------------------------------------------------------- */

extern "C" __global__ void nibbles_local(int *out, const unsigned *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int count[16] = {0}, best = 0;
    for (int k = 0; k < 16; ++k) {
        unsigned v = in[(size_t)k * n + i];
        for (int b = 0; b < 8; ++b, v >>= 4)
            ++count[v & 15];
    }
    for (int c = 1; c < 16; ++c)
        if (count[c] > count[best])
            best = c;
    out[i] = best;
}

extern "C" __global__ void nibbles_shared(int *out, const unsigned *in, int n)
{
    __shared__ int count[16][128];
    int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x, best = 0;
    if (i >= n)
        return;
    for (int c = 0; c < 16; ++c)
        count[c][t] = 0;
    for (int k = 0; k < 16; ++k) {
        unsigned v = in[(size_t)k * n + i];
        for (int b = 0; b < 8; ++b, v >>= 4)
            ++count[v & 15][t];
    }
    for (int c = 1; c < 16; ++c)
        if (count[c][t] > count[best][t])
            best = c;
    out[i] = best;
}

/* ---- Bits in which codes of 256 differ from one; word k of code i at k * n + i -------------------------------------------------------------------------------------------------- */

extern "C" __global__ void hamming_bits(int *out, const unsigned *code, const unsigned *one, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int count = 0;
    for (int k = 0; k < 8; ++k) {
        unsigned v = code[(size_t)k * n + i] ^ one[k];
        for (int b = 0; b < 32; ++b)
            if (v >> b & 1)
                ++count;
    }
    out[i] = count;
}

extern "C" __global__ void hamming_counted(int *out, const unsigned *code, const unsigned *one, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int count = 0;
    for (int k = 0; k < 8; ++k)
        count += __popc(code[(size_t)k * n + i] ^ one[k]);
    out[i] = count;
}

/* ---- Places on the Z-curve of points of two 16-bit coordinates, two points a thread --------------------------------------------------------------------------------------------------- */

static __device__ __forceinline__ unsigned woven_by_bits(unsigned v)
{
    unsigned out = 0;
    for (int b = 0; b < 16; ++b) {
        out |= (v >> b & 1) << (2 * b);
        out |= (v >> (16 + b) & 1) << (2 * b + 1);
    }
    return out;
}

extern "C" __global__ void morton_bits(uint2 *out, const uint2 *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = make_uint2(woven_by_bits(in[i].x), woven_by_bits(in[i].y));
}

static __device__ __forceinline__ unsigned spread(unsigned v)
{
    v = (v | v << 8) & 0x00ff00ffu;
    v = (v | v << 4) & 0x0f0f0f0fu;
    v = (v | v << 2) & 0x33333333u;
    return (v | v << 1) & 0x55555555u;
}

extern "C" __global__ void morton_masks(uint2 *out, const uint2 *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        uint2 v = in[i];
        out[i] = make_uint2(spread(v.x & 65535) | spread(v.x >> 16) << 1, spread(v.y & 65535) | spread(v.y >> 16) << 1);
    }
}

/* ---- Which of 64 even bins a number is in ------------------------------------------------------------------------------------------------------------------------------------------------ */

__constant__ float edges[64];

extern "C" __global__ void binning_scan(int *bin, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float v = in[i];
    int b = 0;
    for (int k = 1; k < 64; ++k)
        if (v >= edges[k])
            b = k;
    bin[i] = b;
}

extern "C" __global__ void binning_computed(int *bin, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        bin[i] = min((int)in[i], 63);
}

/* ---- The least squared distance to 64 codes of 16 halves; halves 2 d and 2 d + 1 of point i at d * n + i ------------------------------------------------------------------------------------- */

extern "C" __global__ void hdist_scalar(__half *out, const __half2 *x, const __half *codes, int n)
{
    __shared__ __align__(16) __half own[64 * 16];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int e = threadIdx.x; e < 64 * 16; e += blockDim.x)
        own[e] = codes[e];
    __syncthreads();
    if (i >= n)
        return;
    __half p[16], least = __float2half(60000.0f);
#pragma unroll
    for (int d = 0; d < 8; ++d) {
        __half2 v = x[(size_t)d * n + i];
        p[2 * d] = __low2half(v);
        p[2 * d + 1] = __high2half(v);
    }
    for (int c = 0; c < 64; ++c) {
        __half sum = __float2half(0.0f);
#pragma unroll
        for (int d = 0; d < 16; ++d) {
            __half diff = __hsub(p[d], own[c * 16 + d]);
            sum = __hfma(diff, diff, sum);
        }
        least = __hlt(sum, least) ? sum : least;
    }
    out[i] = least;
}

extern "C" __global__ void hdist_pairs(__half *out, const __half2 *x, const __half2 *codes, int n)
{
    __shared__ __align__(16) __half2 own[64 * 8];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int e = threadIdx.x; e < 64 * 8; e += blockDim.x)
        own[e] = codes[e];
    __syncthreads();
    if (i >= n)
        return;
    __half2 p[8];
    __half least = __float2half(60000.0f);
#pragma unroll
    for (int d = 0; d < 8; ++d)
        p[d] = x[(size_t)d * n + i];
    for (int c = 0; c < 64; ++c) {
        __half2 sum = __float2half2_rn(0.0f);
#pragma unroll
        for (int d = 0; d < 8; ++d) {
            __half2 diff = __hsub2(p[d], own[c * 8 + d]);
            sum = __hfma2(diff, diff, sum);
        }
        __half both = __hadd(__low2half(sum), __high2half(sum));
        least = __hlt(both, least) ? both : least;
    }
    out[i] = least;
}
