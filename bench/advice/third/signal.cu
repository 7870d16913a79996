// Signals and images: edges_*, decimate_*, gamma_*, digits10_*, medians_*, polynomial_*. Each
// pair's YAML says what differs.
// SPDX-License-Identifier: Apache-2.0

/* ---- Edges: Sobel's gradient ----------------------------------------------------------------------------------- */

static __device__ __forceinline__ int clamped(int i, int n)
{
    return min(max(i, 0), n - 1);
}

extern "C" __global__ void edges_literals(float *out, const float *in, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const float *up = in + clamped(y - 1, h) * w, *at = in + y * w, *down = in + clamped(y + 1, h) * w;
    int l = clamped(x - 1, w), r = clamped(x + 1, w);
    float gx = 0.25 * (up[r] - up[l]) + 0.5 * (at[r] - at[l]) + 0.25 * (down[r] - down[l]);
    float gy = 0.25 * (down[l] - up[l]) + 0.5 * (down[x] - up[x]) + 0.25 * (down[r] - up[r]);
    out[y * w + x] = sqrt(gx * gx + gy * gy + 1e-12);
}

extern "C" __global__ void edges_floats(float *out, const float *in, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const float *up = in + clamped(y - 1, h) * w, *at = in + y * w, *down = in + clamped(y + 1, h) * w;
    int l = clamped(x - 1, w), r = clamped(x + 1, w);
    float gx = 0.25f * (up[r] - up[l]) + 0.5f * (at[r] - at[l]) + 0.25f * (down[r] - down[l]);
    float gy = 0.25f * (down[l] - up[l]) + 0.5f * (down[x] - up[x]) + 0.25f * (down[r] - up[r]);
    out[y * w + x] = sqrtf(gx * gx + gy * gy + 1e-12f);
}

/* ---- Decimation: every fourth output of a filter of 64 taps ------------------------------------------------------- */

enum { TAPS = 64, EVERY = 4, DECIMATE_BLOCK = 256 };

extern "C" __global__ void decimate_direct(float *out, const float *in, const float *taps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < TAPS; k++)
        sum += taps[k] * in[EVERY * i + k];
    out[i] = sum;
}

extern "C" __global__ void decimate_tile(float *out, const float *in, const float *taps)
{
    enum { COUNT = EVERY * DECIMATE_BLOCK + TAPS, STRIDE = COUNT / EVERY };
    __shared__ float tile[EVERY][STRIDE + 1], weights[TAPS];
    int first = blockIdx.x * DECIMATE_BLOCK;
    for (int k = threadIdx.x; k < COUNT; k += DECIMATE_BLOCK)
        tile[k % EVERY][k / EVERY] = in[EVERY * first + k];
    if (threadIdx.x < TAPS)
        weights[threadIdx.x] = taps[threadIdx.x];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < TAPS; k++)
        sum += weights[k] * tile[k % EVERY][threadIdx.x + k / EVERY];
    out[first + threadIdx.x] = sum;
}

/* ---- Gamma of 8-bit brightness, four pixels a thread -------------------------------------------------------------------- */

static __device__ __forceinline__ unsigned brightened(unsigned v, float power)
{
    return (unsigned)(powf(v / 255.0f, power) * 255.0f + 0.5f);
}

extern "C" __global__ void gamma_powers(unsigned *out, const unsigned *in, float power)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned four = in[i], made = 0;
    for (int k = 0; k < 4; k++)
        made |= brightened(four >> (8 * k) & 255, power) << (8 * k);
    out[i] = made;
}

extern "C" __global__ void gamma_table(unsigned *out, const unsigned *in, float power, int rounds)
{
    __shared__ unsigned table[256];
    table[threadIdx.x] = brightened(threadIdx.x, power);
    __syncthreads();
    int first = blockIdx.x * blockDim.x * rounds + threadIdx.x;
    for (int r = 0; r < rounds; r++) {
        unsigned four = in[first + r * blockDim.x], made = 0;
        for (int k = 0; k < 4; k++)
            made |= table[four >> (8 * k) & 255] << (8 * k);
        out[first + r * blockDim.x] = made;
    }
}

/* ---- Sums of the digits in a base that is known at run time -------------------------------------------------------------- */

extern "C" __global__ void digits10_divide(unsigned *out, const unsigned *in, unsigned base)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned v = in[i], sum = 0;
    for (int k = 0; k < 10; k++) {
        sum += v % base;
        v /= base;
    }
    out[i] = sum;
}

// inverse: 2^40 / base rounded up, exact for numbers below 2^24.
extern "C" __global__ void digits10_multiply(unsigned *out, const unsigned *in, unsigned base,
                                             unsigned long long inverse)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned v = in[i], sum = 0;
    for (int k = 0; k < 10; k++) {
        unsigned rest = (unsigned)(v * inverse >> 40);
        sum += v - rest * base;
        v = rest;
    }
    out[i] = sum;
}

/* ---- Medians of nine neighbours -------------------------------------------------------------------------------------------- */

extern "C" __global__ void medians_sorted(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float kept[9];
    for (int k = 0; k < 9; k++) {
        float v = in[clamped(i + k - 4, n)];
        int at = k;
        while (at > 0 && kept[at - 1] > v) {
            kept[at] = kept[at - 1];
            at--;
        }
        kept[at] = v;
    }
    out[i] = kept[4];
}

static __device__ __forceinline__ void ordered(float &a, float &b)
{
    float low = fminf(a, b);
    b = fmaxf(a, b);
    a = low;
}

extern "C" __global__ void medians_network(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v[9];
#pragma unroll
    for (int k = 0; k < 9; k++)
        v[k] = in[clamped(i + k - 4, n)];
#pragma unroll
    for (int round = 0; round < 9; round++)
#pragma unroll
        for (int k = round % 2; k + 1 < 9; k += 2)
            ordered(v[k], v[k + 1]);
    out[i] = v[4];
}

/* ---- A polynomial of degree 63, few warps ------------------------------------------------------------------------------------ */

enum { DEGREE = 64 };

extern "C" __global__ void polynomial_horner(float *out, const float *x, const float *factors, int rounds)
{
    __shared__ float f[DEGREE];
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x < DEGREE)
        f[threadIdx.x] = factors[threadIdx.x];
    __syncthreads();
    for (int r = 0; r < rounds; r++) {
        int i = first + r * gridDim.x * blockDim.x;
        float v = x[i], sum = 0;
        for (int k = DEGREE - 1; k >= 0; k--)
            sum = sum * v + f[k];
        out[i] = sum;
    }
}

extern "C" __global__ void polynomial_split(float *out, const float *x, const float *factors, int rounds)
{
    __shared__ float f[DEGREE];
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x < DEGREE)
        f[threadIdx.x] = factors[threadIdx.x];
    __syncthreads();
    for (int r = 0; r < rounds; r++) {
        int i = first + r * gridDim.x * blockDim.x;
        float v = x[i], v2 = v * v, v4 = v2 * v2, s0 = 0, s1 = 0, s2 = 0, s3 = 0;
        for (int k = DEGREE - 4; k >= 0; k -= 4) {
            s0 = s0 * v4 + f[k];
            s1 = s1 * v4 + f[k + 1];
            s2 = s2 * v4 + f[k + 2];
            s3 = s3 * v4 + f[k + 3];
        }
        out[i] = s0 + s1 * v + (s2 + s3 * v) * v2;
    }
}
