// Science: radial64_*, reactions_*, lookback_*, lloyd_*, ewald_*, clenshaw_*, vdpol_*, inv3_*, lu6_*, kdewait_*, tripairs_*, tabled.
// Each pair's YAML says what differs.
// SPDX-License-Identifier: Apache-2.0

/* ---- A field of 64 bumps: x, y, one over the radius, height -------------------------------------------------------------- */

__constant__ float bumps[256];

static __device__ __forceinline__ float field(const float *bump, float2 p)
{
    float sum = 0.0f;
#pragma unroll 8
    for (int c = 0; c < 64; ++c) {
        float dx = (p.x - bump[4 * c]) * bump[4 * c + 2], dy = (p.y - bump[4 * c + 1]) * bump[4 * c + 2];
        sum += bump[4 * c + 3] * fmaxf(1.0f - dx * dx - dy * dy, 0.0f);
    }
    return sum;
}

extern "C" __global__ void radial64_global(const float2 *points, const float *bump, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = field(bump, points[i]);
}

extern "C" __global__ void radial64_constant(const float2 *points, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = field(bumps, points[i]);
}

/* ---- 24 steps of reactions of four kinds ------------------------------------------------------------------------------------ */

#define STEP 0.05f

extern "C" __global__ void reactions_switch(const int *kind, const float *start, float *end, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float x = start[i];
    switch (kind[i]) {
    case 0:
#pragma unroll 1
        for (int s = 0; s < 24; ++s)
            x += STEP * (1.0f - x);
        break;
    case 1:
#pragma unroll 1
        for (int s = 0; s < 24; ++s)
            x += STEP * (x - x * x);
        break;
    case 2:
#pragma unroll 1
        for (int s = 0; s < 24; ++s)
            x += STEP * (x - x * x * x);
        break;
    default:
#pragma unroll 1
        for (int s = 0; s < 24; ++s)
            x += STEP * (0.5f - x * x);
    }
    end[i] = x;
}

// All kinds are polynomials: their factors differ.
extern "C" __global__ void reactions_factors(const int *kind, const float *start, float *end, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float x = start[i];
    int k = kind[i];
    float c0 = k == 0 ? 1.0f : k == 3 ? 0.5f : 0.0f, c1 = k == 0 ? -1.0f : k == 3 ? 0.0f : 1.0f;
    float c2 = k == 1 || k == 3 ? -1.0f : 0.0f, c3 = k == 2 ? -1.0f : 0.0f;
#pragma unroll 1
    for (int s = 0; s < 24; ++s)
        x += STEP * (c0 + x * (c1 + x * (c2 + x * c3)));
    end[i] = x;
}

/* ---- The highest price on each path of 64 steps ------------------------------------------------------------------------------- */

// Four bytes of a random word, about normal, of mean 0.
static __device__ __forceinline__ float shock(unsigned *state)
{
    unsigned s = *state;
    s ^= s << 13;
    s ^= s >> 17;
    s ^= s << 5;
    *state = s;
    return ((int)((s & 255) + (s >> 8 & 255) + (s >> 16 & 255) + (s >> 24)) - 510) * 0.0000625f;
}

extern "C" __global__ void lookback_prices(const unsigned *seed, float *highest, float drift, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned state = seed[i];
    float price = 100.0f, most = price;
    for (int s = 0; s < 64; ++s) {
        price *= expf(drift + shock(&state));
        most = fmaxf(most, price);
    }
    highest[i] = most;
}

extern "C" __global__ void lookback_logs(const unsigned *seed, float *highest, float drift, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned state = seed[i];
    float log = 0.0f, most = 0.0f;
    for (int s = 0; s < 64; ++s) {
        log += drift + shock(&state);
        most = fmaxf(most, log);
    }
    highest[i] = 100.0f * expf(most);
}

/* ---- How far points of 16 numbers are from the nearest of 64 centres ------------------------------------------------------------ */

static __device__ __forceinline__ void lloyd_load(float *centres, const float *centre)
{
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        centres[i] = centre[i];
    __syncthreads();
}

extern "C" __global__ void lloyd_one(const float *x, const float *centre, float *nearest, int n)
{
    __shared__ float centres[1024];
    lloyd_load(centres, centre);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float p[16], best = 1e30f;
#pragma unroll
    for (int d = 0; d < 16; ++d)
        p[d] = x[d * n + i];
    for (int c = 0; c < 64; ++c) {
        float sum = 0.0f;
#pragma unroll
        for (int d = 0; d < 16; ++d) {
            float off = p[d] - centres[d * 64 + c];
            sum += off * off;
        }
        best = fminf(best, sum);
    }
    nearest[i] = best;
}

// Four points a thread; a multiple of 1024.
extern "C" __global__ void lloyd_four(const float *x, const float *centre, float *nearest, int n)
{
    __shared__ float centres[1024];
    lloyd_load(centres, centre);
    int i = blockIdx.x * 1024 + threadIdx.x;
    float p[4][16], best[4] = {1e30f, 1e30f, 1e30f, 1e30f};
#pragma unroll
    for (int d = 0; d < 16; ++d)
#pragma unroll
        for (int k = 0; k < 4; ++k)
            p[k][d] = x[d * n + i + 256 * k];
    for (int c = 0; c < 64; ++c) {
        float sum[4] = {0.0f, 0.0f, 0.0f, 0.0f};
#pragma unroll
        for (int d = 0; d < 16; ++d) {
            float at = centres[d * 64 + c];
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                float off = p[k][d] - at;
                sum[k] += off * off;
            }
        }
#pragma unroll
        for (int k = 0; k < 4; ++k)
            best[k] = fminf(best[k], sum[k]);
    }
#pragma unroll
    for (int k = 0; k < 4; ++k)
        nearest[i + 256 * k] = best[k];
}

/* ---- The real part of Ewald's sum over 256 charges: x, y, z, charge --------------------------------------------------------------- */

extern "C" __global__ void ewald_exact(const float4 *point, const float4 *charge, float *energy, int n)
{
    __shared__ float4 others[256];
    others[threadIdx.x] = charge[threadIdx.x];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float4 p = point[i];
    float sum = 0.0f;
    for (int j = 0; j < 256; ++j) {
        float4 q = others[j];
        float dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z, r = sqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
        sum += q.w * erfcf(1.5f * r) / r;
    }
    energy[i] = sum;
}

// erfc by the five terms of Abramowitz and Stegun, 7.1.26.
extern "C" __global__ void ewald_terms(const float4 *point, const float4 *charge, float *energy, int n)
{
    __shared__ float4 others[256];
    others[threadIdx.x] = charge[threadIdx.x];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float4 p = point[i];
    float sum = 0.0f;
    for (int j = 0; j < 256; ++j) {
        float4 q = others[j];
        float dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z, square = dx * dx + dy * dy + dz * dz + 0.01f;
        float inverse = rsqrtf(square), z = 1.5f * square * inverse, t = __fdividef(1.0f, 1.0f + 0.3275911f * z);
        float terms = t * (0.254829592f + t * (-0.284496736f + t * (1.421413741f + t * (-1.453152027f + t * 1.061405429f))));
        sum += q.w * terms * __expf(-z * z) * inverse;
    }
    energy[i] = sum;
}

/* ---- Series of 1024 sines, by one block of four warps an SM -------------------------------------------------- */

__constant__ float amplitude[1024];

extern "C" __global__ void clenshaw_one(const float *place, float *sum, int stride, int places)
{
    int first = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
    for (int i = 0; i < places; ++i) {
        float at = place[first + i * stride], twice = 2.0f * cosf(at), b1 = 0.0f, b2 = 0.0f;
        for (int k = 1023; k >= 0; --k) {
            float b = amplitude[k] + twice * b1 - b2;
            b2 = b1;
            b1 = b;
        }
        sum[first + i * stride] = b1 * sinf(at);
    }
}

extern "C" __global__ void clenshaw_four(const float *place, float *sum, int stride, int places)
{
    int first = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
    for (int i = 0; i < places; i += 4) {
        float twice[4], b1[4], b2[4];
#pragma unroll
        for (int m = 0; m < 4; ++m) {
            twice[m] = 2.0f * cosf(place[first + (i + m) * stride]);
            b1[m] = b2[m] = 0.0f;
        }
        for (int k = 1023; k >= 0; --k)
#pragma unroll
            for (int m = 0; m < 4; ++m) {
                float b = amplitude[k] + twice[m] * b1[m] - b2[m];
                b2[m] = b1[m];
                b1[m] = b;
            }
#pragma unroll
        for (int m = 0; m < 4; ++m)
            sum[first + (i + m) * stride] = b1[m] * sinf(place[first + (i + m) * stride]);
    }
}

/* ---- Van der Pol's oscillators --------------------------------------------------------------------------------------------------------- */

extern "C" __global__ void vdpol_step(const float2 *now, float2 *next, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float2 s = now[i];
    next[i] = make_float2(s.x + 0.01f * s.y, s.y + 0.01f * ((1.0f - s.x * s.x) * s.y - s.x));
}

extern "C" __global__ void vdpol_steps(const float2 *start, float2 *end, int n, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float2 s = start[i];
    for (int k = 0; k < steps; ++k)
        s = make_float2(s.x + 0.01f * s.y, s.y + 0.01f * ((1.0f - s.x * s.x) * s.y - s.x));
    end[i] = s;
}

/* ---- The inverses of 1 plus many 3 x 3 matrices in f64 -------------------------------------------------------------------------------------------- */

static __device__ __forceinline__ void invert3(const double *from, double *out)
{
    double m[9];
#pragma unroll
    for (int k = 0; k < 9; ++k)
        m[k] = from[k] + (k % 4 == 0 ? 1.0 : 0.0);
    double a = m[4] * m[8] - m[5] * m[7], b = m[5] * m[6] - m[3] * m[8], c = m[3] * m[7] - m[4] * m[6];
    double factor = 1.0 / (m[0] * a + m[1] * b + m[2] * c);
    double r[9] = {a, m[2] * m[7] - m[1] * m[8], m[1] * m[5] - m[2] * m[4], b, m[0] * m[8] - m[2] * m[6], m[2] * m[3] - m[0] * m[5],
                   c, m[1] * m[6] - m[0] * m[7], m[0] * m[4] - m[1] * m[3]};
#pragma unroll
    for (int k = 0; k < 9; ++k)
        out[k] = r[k] * factor;
}

extern "C" __global__ void inv3_own(const double *in, double *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        invert3(in + (size_t)i * 9, out + (size_t)i * 9);
}

// A multiple of 128.
extern "C" __global__ void inv3_staged(const double *in, double *out)
{
    __shared__ double tile[128 * 9];
    size_t first = (size_t)blockIdx.x * 1152;
#pragma unroll
    for (int k = 0; k < 9; ++k)
        tile[k * 128 + threadIdx.x] = in[first + k * 128 + threadIdx.x];
    __syncthreads();
    invert3(&tile[threadIdx.x * 9], &tile[threadIdx.x * 9]);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 9; ++k)
        out[first + k * 128 + threadIdx.x] = tile[k * 128 + threadIdx.x];
}

/* ---- Many systems of six equations: element k of all of them side by side ---------------------------------------------------------------------- */

extern "C" __global__ void lu6_any(const float *matrix, const float *right, float *x, int n, int size)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n)
        return;
    float a[36], b[6];
    for (int k = 0; k < size * size; ++k)
        a[k] = matrix[k * n + t] + (k % (size + 1) == 0 ? 8.0f : 0.0f);
    for (int k = 0; k < size; ++k)
        b[k] = right[k * n + t];
    for (int p = 0; p < size; ++p)
        for (int r = p + 1; r < size; ++r) {
            float f = a[r * size + p] / a[p * size + p];
            for (int c = p + 1; c < size; ++c)
                a[r * size + c] -= f * a[p * size + c];
            b[r] -= f * b[p];
        }
    for (int r = size - 1; r >= 0; --r) {
        for (int c = r + 1; c < size; ++c)
            b[r] -= a[r * size + c] * b[c];
        b[r] /= a[r * size + r];
        x[r * n + t] = b[r];
    }
}

extern "C" __global__ void lu6_fixed(const float *matrix, const float *right, float *x, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n)
        return;
    float a[36], b[6];
#pragma unroll
    for (int k = 0; k < 36; ++k)
        a[k] = matrix[k * n + t] + (k % 7 == 0 ? 8.0f : 0.0f);
#pragma unroll
    for (int k = 0; k < 6; ++k)
        b[k] = right[k * n + t];
#pragma unroll
    for (int p = 0; p < 6; ++p)
#pragma unroll
        for (int r = p + 1; r < 6; ++r) {
            float f = a[r * 6 + p] / a[p * 6 + p];
#pragma unroll
            for (int c = p + 1; c < 6; ++c)
                a[r * 6 + c] -= f * a[p * 6 + c];
            b[r] -= f * b[p];
        }
#pragma unroll
    for (int r = 5; r >= 0; --r) {
#pragma unroll
        for (int c = r + 1; c < 6; ++c)
            b[r] -= a[r * 6 + c] * b[c];
        b[r] /= a[r * 6 + r];
        x[r * n + t] = b[r];
    }
}

/* ---- How dense samples are at each place, by one block of eight warps an SM: each place takes 256 samples at a time ------------------------------ */

static __device__ __forceinline__ float near(const float *tile, float at)
{
    float sum = 0.0f;
#pragma unroll 16
    for (int j = 0; j < 256; ++j) {
        float d = at - tile[j];
        sum += fmaxf(1.0f - d * d, 0.0f);
    }
    return sum;
}

extern "C" __global__ void kdewait_wait(const float *sample, const float *place, float *density, int samples)
{
    __shared__ float tile[256];
    int i = blockIdx.x * 256 + threadIdx.x;
    float at = place[i], sum = 0.0f;
    for (int first = 0; first < samples; first += 256) {
        tile[threadIdx.x] = sample[blockIdx.x % 16 * samples + first + threadIdx.x];
        __syncthreads();
        sum += near(tile, at);
        __syncthreads();
    }
    density[i] = sum;
}

extern "C" __global__ void kdewait_ahead(const float *sample, const float *place, float *density, int samples)
{
    __shared__ float tile[2][256];
    int i = blockIdx.x * 256 + threadIdx.x, now = 0;
    const float *own = sample + blockIdx.x % 16 * samples;
    float at = place[i], sum = 0.0f;
    tile[0][threadIdx.x] = own[threadIdx.x];
    __syncthreads();
    for (int first = 256; first <= samples; first += 256) {
        float next = first < samples ? own[first + threadIdx.x] : 0.0f;
        sum += near(tile[now], at);
        now ^= 1;
        tile[now][threadIdx.x] = next;
        __syncthreads();
    }
    density[i] = sum;
}

/* ---- How close each point is to those after it ------------------------------------------------------------------------------------------------------ */

static __device__ __forceinline__ void close_to(const float2 *p, float *close, int i, int n)
{
    __shared__ float warps[8];
    float2 own = p[i];
    float sum = 0.0f;
    for (int j = i + 1 + threadIdx.x; j < n; j += 256) {
        float dx = p[j].x - own.x, dy = p[j].y - own.y;
        sum += fmaxf(1.0f - dx * dx - dy * dy, 0.0f);
    }
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; ++w)
            sum += warps[w];
        close[i] = sum;
    }
}

extern "C" __global__ void tripairs_bands(const float2 *p, float *close, int n)
{
    int band = (n + gridDim.x - 1) / gridDim.x;
    for (int i = blockIdx.x * band; i < min(n, (int)(blockIdx.x + 1) * band); ++i)
        close_to(p, close, i, n);
}

extern "C" __global__ void tripairs_turns(const float2 *p, float *close, int n)
{
    for (int i = blockIdx.x; i < n; i += gridDim.x)
        close_to(p, close, i, n);
}

/* ---- Rows that codes stand for, weighted by a table: room for the largest one, or for this one ------------------------------------------------------------ */

template <int ROOM>
static __device__ __forceinline__ void coded(const int *code, const float *rows, const float *table, float *out, int n, int size)
{
    __shared__ float own[ROOM];
    for (int k = threadIdx.x; k < size; k += blockDim.x)
        own[k] = table[k];
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int c = code[i];
        out[i] = rows[c] * own[c % size];
    }
}

extern "C" __global__ void tabled_largest(const int *code, const float *rows, const float *table, float *out, int n, int size)
{
    coded<8192>(code, rows, table, out, n, size);
}

extern "C" __global__ void tabled_needed(const int *code, const float *rows, const float *table, float *out, int n, int size)
{
    coded<512>(code, rows, table, out, n, size);
}
