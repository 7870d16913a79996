// Science: nbpow_*, bscholes_*, mcboth_*, pendulum_*, fft16loc_*, dctcos_*, chebglobal_*, longhorner_*, hash31_*, inv4rows_*,
// quatspin_*, mandband_*, tilepoly_*, fir32_*, fourcurves_*, lagsums_*. Each pair's YAML says what differs.
// SPDX-License-Identifier: Apache-2.0

/* ---- Forces with softening, of the first m bodies ---- */

template <bool ROOT> static __device__ __forceinline__ void forces(float4 *force, const float4 *body, int m)
{
    __shared__ float4 tile[128];
    int i = blockIdx.x * 128 + threadIdx.x;
    float4 p = body[i];
    float x = 0.0f, y = 0.0f, z = 0.0f;
    for (int first = 0; first < m; first += 128) {
        tile[threadIdx.x] = body[first + threadIdx.x];
        __syncthreads();
#pragma unroll 4
        for (int j = 0; j < 128; j++) {
            float4 q = tile[j];
            float dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z, d = dx * dx + dy * dy + dz * dz + 0.01f, s;
            if (ROOT) {
                float r = rsqrtf(d);
                s = q.w * r * r * r;
            } else {
                s = q.w / powf(d, 1.5f);
            }
            x += dx * s;
            y += dy * s;
            z += dz * s;
        }
        __syncthreads();
    }
    force[i] = make_float4(x, y, z, 0.0f);
}

extern "C" __global__ void nbpow_power(float4 *force, const float4 *body, int m)
{
    forces<false>(force, body, m);
}

extern "C" __global__ void nbpow_root(float4 *force, const float4 *body, int m)
{
    forces<true>(force, body, m);
}

/* ---- Black-Scholes: calls and puts, rate 0.02, volatility 0.3 ---- */

extern "C" __global__ void bscholes_double(float *call, float *put, const float *price, const float *strike, const float *years,
                                           int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double s = price[i], k = strike[i], t = years[i], root = sqrt(t);
    double d1 = (log(s / k) + (0.02 + 0.5 * 0.3 * 0.3) * t) / (0.3 * root), d2 = d1 - 0.3 * root, paid = k * exp(-0.02 * t);
    double a = 0.5 * erfc(-0.70710678118654752 * d1), b = 0.5 * erfc(-0.70710678118654752 * d2);
    call[i] = s * a - paid * b;
    put[i] = paid * (1.0 - b) - s * (1.0 - a);
}

extern "C" __global__ void bscholes_float(float *call, float *put, const float *price, const float *strike, const float *years,
                                           int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float s = price[i], k = strike[i], t = years[i], root = sqrtf(t);
    float d1 = (logf(s / k) + (0.02f + 0.5f * 0.3f * 0.3f) * t) / (0.3f * root), d2 = d1 - 0.3f * root, paid = k * expf(-0.02f * t);
    float a = 0.5f * erfcf(-0.70710678f * d1), b = 0.5f * erfcf(-0.70710678f * d2);
    call[i] = s * a - paid * b;
    put[i] = paid * (1.0f - b) - s * (1.0f - a);
}

// The normal distribution by five terms (Abramowitz and Stegun 26.2.17), to 1e-7.
static __device__ __forceinline__ float below(float d)
{
    float k = __fdividef(1.0f, 1.0f + 0.2316419f * fabsf(d));
    float p = k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    p *= 0.39894228f * __expf(-0.5f * d * d);
    return d > 0.0f ? 1.0f - p : p;
}

extern "C" __global__ void bscholes_fast(float *call, float *put, const float *price, const float *strike, const float *years,
                                           int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float s = price[i], k = strike[i], t = years[i], over = rsqrtf(t), root = t * over;
    float d1 = (__logf(__fdividef(s, k)) + 0.065f * t) * (over * (1.0f / 0.3f)), d2 = d1 - 0.3f * root, paid = k * __expf(-0.02f * t);
    float a = below(d1), b = below(d2);
    call[i] = s * a - paid * b;
    put[i] = paid * (1.0f - b) - s * (1.0f - a);
}

/* ---- Paths of normal steps, and how far they go in the mean ---- */

static __device__ __forceinline__ unsigned drawn(unsigned *s)
{
    *s = *s * 1664525u + 1013904223u;
    return *s >> 8;
}

static __device__ __forceinline__ float2 ring(unsigned *s)
{
    float u = (drawn(s) + 1) * 0x1p-24f, v = drawn(s) * 0x1p-24f;
    return make_float2(sqrtf(-2.0f * logf(u)), 6.2831853f * v);
}

static __device__ __forceinline__ void add_mean(float *mean, float v)
{
#pragma unroll
    for (int m = 16; m > 0; m /= 2)
        v += __shfl_xor_sync(0xffffffff, v, m);
    if (threadIdx.x % 32 == 0)
        atomicAdd(mean, v / (gridDim.x * blockDim.x));
}

extern "C" __global__ void mcboth_cosine(float *mean, int steps)
{
    unsigned s = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + 1;
    float x = 0.0f, most = 0.0f;
    for (int k = 0; k < steps; k++) {
        float2 r = ring(&s);
        x += 0.1f * r.x * cosf(r.y);
        most = fmaxf(most, x);
    }
    add_mean(mean, most);
}

extern "C" __global__ void mcboth_both(float *mean, int steps)
{
    unsigned s = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + 1;
    float x = 0.0f, most = 0.0f;
    for (int k = 0; k < steps; k += 2) {
        float2 r = ring(&s);
        float c, d;
        sincosf(r.y, &d, &c);
        x += 0.1f * r.x * c;
        most = fmaxf(most, x);
        x += 0.1f * r.x * d;
        most = fmaxf(most, x);
    }
    add_mean(mean, most);
}

/* ---- Pendulums, by Runge and Kutta ---- */

static __device__ __forceinline__ float pull(float a)
{
    return -a * (1.0f - a * a * (1.0f / 6.0f - a * a * (1.0f / 120.0f)));
}

static __device__ __forceinline__ float2 rk4(float2 s, float h)
{
    float2 k1 = {s.y, pull(s.x)}, k2 = {s.y + 0.5f * h * k1.y, pull(s.x + 0.5f * h * k1.x)};
    float2 k3 = {s.y + 0.5f * h * k2.y, pull(s.x + 0.5f * h * k2.x)}, k4 = {s.y + h * k3.y, pull(s.x + h * k3.x)};
    return make_float2(s.x + h / 6.0f * (k1.x + 2.0f * (k2.x + k3.x) + k4.x),
                       s.y + h / 6.0f * (k1.y + 2.0f * (k2.y + k3.y) + k4.y));
}

extern "C" __global__ void pendulum_copy(float2 *state, const float2 *start, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        state[i] = start[i];
}

extern "C" __global__ void pendulum_step(float2 *state, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        state[i] = rk4(state[i], 0.01f);
}

extern "C" __global__ void pendulum_steps(float2 *state, const float2 *start, int steps, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float2 s = start[i];
    for (int k = 0; k < steps; k++)
        s = rk4(s, 0.01f);
    state[i] = s;
}

/* ---- Fourier transforms of 16 numbers, one a thread ---- */

static __device__ __forceinline__ void turn(float2 *a, float2 *b, float c, float s)
{
    float x = b->x * c - b->y * s, y = b->x * s + b->y * c;
    *b = make_float2(a->x - x, a->y - y);
    *a = make_float2(a->x + x, a->y + y);
}

static __constant__ float cosine8[8] = {1.0f, 0.92387953f, 0.70710678f, 0.38268343f, 0.0f, -0.38268343f, -0.70710678f, -0.92387953f};
static __constant__ float sine8[8] = {0.0f, -0.38268343f, -0.70710678f, -0.92387953f, -1.0f, -0.92387953f, -0.70710678f, -0.38268343f};

extern "C" __global__ void fft16loc_loops(float2 *out, const float2 *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float2 v[16];
    for (int k = 0; k < 16; k++)
        v[__brev(k) >> 28] = in[k * n + i];
#pragma unroll 1
    for (int half = 1; half < 16; half *= 2)
#pragma unroll 1
        for (int t = 0; t < 8; t++) {
            int a = 2 * t - (t & (half - 1)), w = (t & (half - 1)) * (8 / half);
            turn(&v[a], &v[a + half], cosine8[w], sine8[w]);
        }
    for (int k = 0; k < 16; k++)
        out[k * n + i] = v[k];
}

template <int HALF> static __device__ __forceinline__ void stage(float2 v[16])
{
    const float c[8] = {1.0f, 0.92387953f, 0.70710678f, 0.38268343f, 0.0f, -0.38268343f, -0.70710678f, -0.92387953f};
    const float s[8] = {0.0f, -0.38268343f, -0.70710678f, -0.92387953f, -1.0f, -0.92387953f, -0.70710678f, -0.38268343f};
#pragma unroll
    for (int t = 0; t < 8; t++) {
        const int a = 2 * t - (t & (HALF - 1)), w = (t & (HALF - 1)) * (8 / HALF);
        turn(&v[a], &v[a + HALF], c[w], s[w]);
    }
}

extern "C" __global__ void fft16loc_fixed(float2 *out, const float2 *in, int n)
{
    const int place[16] = {0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15};
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float2 v[16];
#pragma unroll
    for (int k = 0; k < 16; k++)
        v[place[k]] = in[k * n + i];
    stage<1>(v);
    stage<2>(v);
    stage<4>(v);
    stage<8>(v);
#pragma unroll
    for (int k = 0; k < 16; k++)
        out[k * n + i] = v[k];
}

/* ---- Discrete cosine transforms of 16 numbers, a thread for each result ---- */

extern "C" __global__ void dctcos_exact(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = i % 16;
    const float *x = in + i / 16 * 16;
    float sum = 0.0f;
    for (int j = 0; j < 16; j++)
        sum += x[j] * cosf((2 * j + 1) * k * 0.09817477f);
    out[i] = sum;
}

extern "C" __global__ void dctcos_table(float *out, const float *in, const float *table)
{
    __shared__ float own[16][16];
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = i % 16;
    own[threadIdx.x / 16][threadIdx.x % 16] = table[threadIdx.x];
    __syncthreads();
    const float *x = in + i / 16 * 16;
    float sum = 0.0f;
#pragma unroll
    for (int j = 0; j < 16; j++)
        sum += x[j] * own[j][k];
    out[i] = sum;
}

extern "C" __global__ void dctcos_make(float *table)
{
    table[threadIdx.x] = cosf((2 * (threadIdx.x / 16) + 1) * (threadIdx.x % 16) * 0.09817477f);
}

/* ---- Chebyshev series of 64 terms ---- */

static __constant__ float terms[64];

static __device__ __forceinline__ float series(const float *c, float x)
{
    float b1 = 0.0f, b2 = 0.0f;
#pragma unroll
    for (int k = 63; k > 0; k--) {
        float b = 2.0f * x * b1 - b2 + c[k];
        b2 = b1;
        b1 = b;
    }
    return x * b1 - b2 + c[0];
}

extern "C" __global__ void chebglobal_global(float *y, const float *x, const float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = series(c, x[i]);
}

extern "C" __global__ void chebglobal_constant(float *y, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = series(terms, x[i]);
}

/* ---- Long polynomials, a block of 128 an SM; coefficients alternate ---- */

extern "C" __global__ void longhorner_one(float *y, const float *x, float even, float odd, int degree)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = x[i], p = 0.0f;
#pragma unroll 4
    for (int k = 0; k < degree; k += 2) {
        p = p * v + odd;
        p = p * v + even;
    }
    y[i] = p;
}

// Four polynomials of the fourth power.
extern "C" __global__ void longhorner_four(float *y, const float *x, float even, float odd, int degree)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = x[i], w = v * v * v * v, a = 0.0f, b = 0.0f, c = 0.0f, d = 0.0f;
#pragma unroll 4
    for (int k = 0; k < degree; k += 4) {
        a = a * w + even;
        b = b * w + odd;
        c = c * w + even;
        d = d * w + odd;
    }
    y[i] = a + v * (b + v * (c + v * d));
}

/* ---- Hashes h = 31 h + word of words made by a counter, a block of 128 an SM ---- */

extern "C" __global__ void hash31_one(unsigned *out, unsigned seed, int words)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, h = 7;
#pragma unroll 8
    for (int k = 0; k < words; k++)
        h = h * 31 + (seed ^ (i + k));
    out[i] = h;
}

// Every fourth word in a chain of its own.
extern "C" __global__ void hash31_four(unsigned *out, unsigned seed, int words)
{
    const unsigned STEP = 31u * 31 * 31 * 31;
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, a = 0, b = 0, c = 0, d = 0, power = 7;
#pragma unroll 2
    for (int k = 0; k < words; k += 4) {
        a = a * STEP + (seed ^ (i + k));
        b = b * STEP + (seed ^ (i + k + 1));
        c = c * STEP + (seed ^ (i + k + 2));
        d = d * STEP + (seed ^ (i + k + 3));
        power *= STEP;
    }
    out[i] = power + a * 29791 + b * 961 + c * 31 + d;
}

/* ---- Inverses of symmetric 4 x 4 matrices by blocks of 2 x 2, matrix after matrix ---- */

static __device__ __forceinline__ void inverse(float *r, const float *m)
{
    float s0 = m[0] * m[5] - m[4] * m[1], s1 = m[0] * m[6] - m[4] * m[2], s2 = m[0] * m[7] - m[4] * m[3];
    float s3 = m[1] * m[6] - m[5] * m[2], s4 = m[1] * m[7] - m[5] * m[3], s5 = m[2] * m[7] - m[6] * m[3];
    float c5 = m[10] * m[15] - m[14] * m[11], c4 = m[9] * m[15] - m[13] * m[11], c3 = m[9] * m[14] - m[13] * m[10];
    float c2 = m[8] * m[15] - m[12] * m[11], c1 = m[8] * m[14] - m[12] * m[10], c0 = m[8] * m[13] - m[12] * m[9];
    float d = __fdividef(1.0f, s0 * c5 - s1 * c4 + s2 * c3 + s3 * c2 - s4 * c1 + s5 * c0);
    r[0] = (m[5] * c5 - m[6] * c4 + m[7] * c3) * d;
    r[1] = (-m[1] * c5 + m[2] * c4 - m[3] * c3) * d;
    r[2] = (m[13] * s5 - m[14] * s4 + m[15] * s3) * d;
    r[3] = (-m[9] * s5 + m[10] * s4 - m[11] * s3) * d;
    r[4] = (-m[4] * c5 + m[6] * c2 - m[7] * c1) * d;
    r[5] = (m[0] * c5 - m[2] * c2 + m[3] * c1) * d;
    r[6] = (-m[12] * s5 + m[14] * s2 - m[15] * s1) * d;
    r[7] = (m[8] * s5 - m[10] * s2 + m[11] * s1) * d;
    r[8] = (m[4] * c4 - m[5] * c2 + m[7] * c0) * d;
    r[9] = (-m[0] * c4 + m[1] * c2 - m[3] * c0) * d;
    r[10] = (m[12] * s4 - m[13] * s2 + m[15] * s0) * d;
    r[11] = (-m[8] * s4 + m[9] * s2 - m[11] * s0) * d;
    r[12] = (-m[4] * c3 + m[5] * c1 - m[6] * c0) * d;
    r[13] = (m[0] * c3 - m[1] * c1 + m[2] * c0) * d;
    r[14] = (-m[12] * s3 + m[13] * s1 - m[14] * s0) * d;
    r[15] = (m[8] * s3 - m[9] * s1 + m[10] * s0) * d;
}

// The diagonal is made large, so that there is an inverse.
extern "C" __global__ void inv4rows_numbers(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float m[16], r[16];
#pragma unroll
    for (int k = 0; k < 16; k++)
        m[k] = in[i * 16 + k] + (k % 5 == 0 ? 8.0f : 0.0f);
    inverse(r, m);
#pragma unroll
    for (int k = 0; k < 16; k++)
        out[i * 16 + k] = r[k];
}

extern "C" __global__ void inv4rows_rows(float4 *out, const float4 *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float m[16], r[16];
#pragma unroll
    for (int k = 0; k < 4; k++) {
        float4 v = in[i * 4 + k];
        m[4 * k] = v.x + (k == 0 ? 8.0f : 0.0f);
        m[4 * k + 1] = v.y + (k == 1 ? 8.0f : 0.0f);
        m[4 * k + 2] = v.z + (k == 2 ? 8.0f : 0.0f);
        m[4 * k + 3] = v.w + (k == 3 ? 8.0f : 0.0f);
    }
    inverse(r, m);
#pragma unroll
    for (int k = 0; k < 4; k++)
        out[i * 4 + k] = make_float4(r[4 * k], r[4 * k + 1], r[4 * k + 2], r[4 * k + 3]);
}

/* ---- Points turned by quaternions (w last) ---- */

static __device__ __forceinline__ float4 spun(float4 q, float4 v)
{
    float x = 2.0f * (q.y * v.z - q.z * v.y), y = 2.0f * (q.z * v.x - q.x * v.z), z = 2.0f * (q.x * v.y - q.y * v.x);
    return make_float4(v.x + q.w * x + q.y * z - q.z * y, v.y + q.w * y + q.z * x - q.x * z, v.z + q.w * z + q.x * y - q.y * x, v.w);
}

extern "C" __global__ void quatspin_numbers(float4 *out, const float *q, const float *v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = spun(make_float4(q[4 * i], q[4 * i + 1], q[4 * i + 2], q[4 * i + 3]), make_float4(v[4 * i], v[4 * i + 1], v[4 * i + 2], v[4 * i + 3]));
}

extern "C" __global__ void quatspin_vectors(float4 *out, const float4 *q, const float4 *v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = spun(q[i], v[i]);
}

/* ---- The Mandelbrot set by one block an SM: bands of rows, or what comes next from a queue ---- */

// Without fused products, so that the reference counts alike.
static __device__ __forceinline__ int escape(float cx, float cy, int most)
{
    float x = 0.0f, y = 0.0f;
    int k = 0;
    for (; k < most && __fadd_rn(__fmul_rn(x, x), __fmul_rn(y, y)) < 4.0f; k++) {
        float t = __fadd_rn(__fsub_rn(__fmul_rn(x, x), __fmul_rn(y, y)), cx);
        y = __fadd_rn(__fmul_rn(__fmul_rn(2.0f, x), y), cy);
        x = t;
    }
    return k;
}

extern "C" __global__ void mandband_bands(int *out, int w, int h, int most)
{
    int pixels = w * (h / gridDim.x), first = blockIdx.x * pixels;
    for (int i = first + threadIdx.x; i < first + pixels; i += blockDim.x)
        out[i] = escape(-2.0f + 2.5f * (i % w) / w, -1.25f + 2.5f * (i / w) / h, most);
}

extern "C" __global__ void mandband_queue(int *out, int *next, int w, int h, int most)
{
    int lane = threadIdx.x % 32;
    for (;;) {
        int first = lane == 0 ? atomicAdd(next, 32) : 0;
        first = __shfl_sync(0xffffffff, first, 0);
        if (first >= w * h)
            return;
        int i = first + lane;
        out[i] = escape(-2.0f + 2.5f * (i % w) / w, -1.25f + 2.5f * (i / w) / h, most);
    }
}

/* ---- Tiles of 4096 numbers and a polynomial of each and its neighbour; one block of 512 an SM ---- */

static __device__ __forceinline__ void poly_tile(float *out, const float *tile)
{
#pragma unroll
    for (int j = 0; j < 8; j++) {
        int at = j * 512 + threadIdx.x;
        float v = tile[at], u = tile[at ^ 1], p = 0.5f;
#pragma unroll
        for (int k = 0; k < 40; k++)
            p = p * v + u * (0.01f * (k + 1));
        out[at] = p;
    }
}

extern "C" __global__ void tilepoly_wait(float *out, const float *in, int tiles)
{
    __shared__ float tile[4096];
    for (int b = blockIdx.x; b < tiles; b += gridDim.x) {
        __syncthreads();
#pragma unroll
        for (int j = 0; j < 8; j++)
            tile[j * 512 + threadIdx.x] = in[(size_t)b * 4096 + j * 512 + threadIdx.x];
        __syncthreads();
        poly_tile(out + (size_t)b * 4096, tile);
    }
}

extern "C" __global__ void tilepoly_ahead(float *out, const float *in, int tiles)
{
    __shared__ float tile[4096];
    float next[8];
#pragma unroll
    for (int j = 0; j < 8; j++)
        next[j] = in[(size_t)blockIdx.x * 4096 + j * 512 + threadIdx.x];
    for (int b = blockIdx.x; b < tiles; b += gridDim.x) {
        __syncthreads();
#pragma unroll
        for (int j = 0; j < 8; j++)
            tile[j * 512 + threadIdx.x] = next[j];
        __syncthreads();
        if (b + gridDim.x < tiles) {
#pragma unroll
            for (int j = 0; j < 8; j++)
                next[j] = in[(size_t)(b + gridDim.x) * 4096 + j * 512 + threadIdx.x];
        }
        poly_tile(out + (size_t)b * 4096, tile);
    }
}

/* ---- A filter of 32 taps out of shared memory ---- */

static __constant__ float tap32[32];

extern "C" __global__ void fir32_one(float *out, const float *in)
{
    __shared__ float tile[1024 + 32];
    int first = blockIdx.x * 1024, t = threadIdx.x;
    for (int i = t; i < 1056; i += 256)
        tile[i] = in[first + i];
    __syncthreads();
    for (int j = 0; j < 1024; j += 256) {
        float sum = 0.0f;
#pragma unroll
        for (int k = 0; k < 32; k++)
            sum += tile[j + t + k] * tap32[k];
        out[first + j + t] = sum;
    }
}

extern "C" __global__ void fir32_four(float4 *out, const float *in)
{
    __shared__ __align__(16) float tile[1024 + 32];
    int first = blockIdx.x * 1024, t = threadIdx.x;
    for (int i = t; i < 1056; i += 256)
        tile[i] = in[first + i];
    __syncthreads();
    float v[36];
#pragma unroll
    for (int k = 0; k < 9; k++) {
        float4 u = *(const float4 *)&tile[4 * t + 4 * k];
        v[4 * k] = u.x, v[4 * k + 1] = u.y, v[4 * k + 2] = u.z, v[4 * k + 3] = u.w;
    }
    float sum[4] = {};
#pragma unroll
    for (int k = 0; k < 32; k++)
#pragma unroll
        for (int j = 0; j < 4; j++)
            sum[j] += v[k + j] * tap32[k];
    out[first / 4 + t] = make_float4(sum[0], sum[1], sum[2], sum[3]);
}

/* ---- Four curves of 96 terms, by the kind of each number ---- */

template <int KIND> static __device__ __forceinline__ float curve(float x)
{
    float p = 0.0f;
#pragma unroll
    for (int k = 0; k < 96; k++)
        p = p * x + (0.01f * (k * (KIND + 3) % 17) - 0.05f);
    return p;
}

static __device__ __forceinline__ float curve_of(int kind, float x)
{
    switch (kind) {
    case 0:
        return curve<0>(x);
    case 1:
        return curve<1>(x);
    case 2:
        return curve<2>(x);
    default:
        return curve<3>(x);
    }
}

extern "C" __global__ void fourcurves_mixed(float *y, const float *x, const unsigned char *kind)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    y[i] = curve_of(kind[i], x[i]);
}

// The block's numbers in the order of their kinds.
extern "C" __global__ void fourcurves_sorted(float *y, const float *x, const unsigned char *kind)
{
    __shared__ int count[4], order[256];
    int t = threadIdx.x, first = blockIdx.x * 256, k = kind[first + t];
    if (t < 4)
        count[t] = 0;
    __syncthreads();
    int rank = atomicAdd(&count[k], 1);
    __syncthreads();
    for (int j = 0; j < 3; j++)
        rank += j < k ? count[j] : 0;
    order[rank] = t << 2 | k;
    __syncthreads();
    int i = first + (order[t] >> 2);
    y[i] = curve_of(order[t] & 3, x[i]);
}

/* ---- Products of a series with itself, 32 lags; a block for each, or for a part of each ---- */

extern "C" __global__ void lagsums_lags(float *sum, const float *x, int n)
{
    __shared__ float part[8];
    float s = 0.0f;
    int lag = blockIdx.x, step = gridDim.y * 256, t = threadIdx.x;
#pragma unroll 4
    for (int i = blockIdx.y * 256 + t; i < n; i += step)
        s += x[i] * x[i + lag];
#pragma unroll
    for (int m = 16; m > 0; m /= 2)
        s += __shfl_xor_sync(0xffffffff, s, m);
    if (t % 32 == 0)
        part[t / 32] = s;
    __syncthreads();
    if (t == 0) {
        for (int w = 1; w < 8; w++)
            s += part[w];
        atomicAdd(&sum[lag], s);
    }
}
