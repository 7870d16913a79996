// What warps wait for where several reasons meet, for tuning the model's stalls: places known from memory only, shared trees and
// bins, coefficients from constants and from loops, f64 in tiles, uneven integer loops. Written for this list.
// SPDX-License-Identifier: Apache-2.0
#define ME (blockIdx.x * blockDim.x + threadIdx.x)
#define KERNEL extern "C" __global__ void
typedef unsigned u32;

// Places read from memory: a word sent to each, an addition to each.
KERNEL send(float *out, const float *in, const u32 *at)
{
    out[at[ME]] = in[ME];
}

KERNEL tally(u32 *out, const u32 *at)
{
    atomicAdd(&out[at[ME]], 1u);
}

KERNEL tally_f32(float *out, const float *in, const u32 *at)
{
    atomicAdd(&out[at[ME]], in[ME]);
}

// Four of them per thread.
KERNEL tally_four(u32 *out, const u32 *at)
{
    uint4 a = reinterpret_cast<const uint4 *>(at)[ME];
    atomicAdd(&out[a.x], 1u);
    atomicAdd(&out[a.y], 1u);
    atomicAdd(&out[a.z], 1u);
    atomicAdd(&out[a.w], 1u);
}

// Rows read, columns written.
KERNEL turn(float *out, const float *in, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    out[x * h + (h - 1 - y)] = in[y * w + x];
}

// Sums by a tree whose partners are 1, 2, 4 ... words apart: conflicts; of the twin they are far apart: none.
KERNEL tree_near(float *out, const float *in)
{
    __shared__ float s[512];
    int t = threadIdx.x;
    s[t] = in[ME * 2];
    s[t + 256] = in[ME * 2 + 1];
    for (int apart = 1; apart < 512; apart *= 2) {
        __syncthreads();
        int i = 2 * apart * (t + 1) - 1;
        if (i < 512)
            s[i] += s[i - apart];
    }
    for (int apart = 128; apart > 0; apart /= 2) {
        __syncthreads();
        int i = 2 * apart * (t + 1) - 1;
        if (i + apart < 512)
            s[i + apart] += s[i];
    }
    __syncthreads();
    out[ME * 2] = s[t];
    out[ME * 2 + 1] = s[t + 256];
}

KERNEL tree_far(float *out, const float *in)
{
    __shared__ float s[512];
    int t = threadIdx.x;
    s[t] = in[ME];
    s[t + 256] = in[ME + 256];
    for (int turn = 0; turn < 2; turn++)
        for (int apart = 256; apart > 0; apart /= 2) {
            __syncthreads();
            if (t < apart)
                s[t] += s[t + apart];
        }
    __syncthreads();
    out[ME] = s[t];
}

// Bins in shared memory: many, and few.
template <int N> __device__ void bins(u32 *out, const u32 *in, int each)
{
    __shared__ u32 s[N];
    for (int i = threadIdx.x; i < N; i += blockDim.x)
        s[i] = 0;
    __syncthreads();
    for (int i = 0; i < each; i++)
        atomicAdd(&s[in[(blockIdx.x * each + i) * blockDim.x + threadIdx.x] % N], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < N; i += blockDim.x)
        out[blockIdx.x * N + i] = s[i];
}

KERNEL bins_1024(u32 *out, const u32 *in, int each) { bins<1024>(out, in, each); }
KERNEL bins_16(u32 *out, const u32 *in, int each) { bins<16>(out, in, each); }

// Weighted neighbours: weights from constants, from memory in a loop whose length is known at run time.
__constant__ float WEIGHTS[49];

KERNEL weights_constant(float *out, const float *in, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
#pragma unroll
    for (int j = -2; j <= 2; j++)
#pragma unroll
        for (int i = -2; i <= 2; i++) {
            int u = min(max(x + i, 0), w - 1), v = min(max(y + j, 0), h - 1);
            sum += WEIGHTS[(j + 2) * 5 + i + 2] * in[v * w + u];
        }
    out[y * w + x] = sum;
}

KERNEL weights_loop(float *out, const float *in, const float *weights, int w, int h, int r)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int j = -r; j <= r; j++)
        for (int i = -r; i <= r; i++)
            if (x + i >= 0 && x + i < w && y + j >= 0 && y + j < h)
                sum += weights[(j + r) * (2 * r + 1) + i + r] * in[(y + j) * w + x + i];
    out[y * w + x] = sum;
}

// f64 from shared memory: each thread a sum of 32 products of a word for all and a word of its own, between loads.
KERNEL rows_f64(double *out, const double *a, const double *b, int n)
{
    __shared__ double s[8][32], t[32][32];
    int x = threadIdx.x, y = threadIdx.y;
    double sum = 0;
    for (int k = 0; k < n; k += 32) {
        s[y][x] = a[(blockIdx.y * 8 + y) * n + k + x];
        for (int j = y; j < 32; j += 8)
            t[j][x] = b[(k + j) * n + blockIdx.x * 32 + x];
        __syncthreads();
#pragma unroll
        for (int j = 0; j < 32; j++)
            sum += s[y][j] * t[j][x];
        __syncthreads();
    }
    out[(blockIdx.y * 8 + y) * n + blockIdx.x * 32 + x] = sum;
}

KERNEL rows_f32(float *out, const float *a, const float *b, int n)
{
    __shared__ float s[8][32], t[32][32];
    int x = threadIdx.x, y = threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k += 32) {
        s[y][x] = a[(blockIdx.y * 8 + y) * n + k + x];
        for (int j = y; j < 32; j += 8)
            t[j][x] = b[(k + j) * n + blockIdx.x * 32 + x];
        __syncthreads();
#pragma unroll
        for (int j = 0; j < 32; j++)
            sum += s[y][j] * t[j][x];
        __syncthreads();
    }
    out[(blockIdx.y * 8 + y) * n + blockIdx.x * 32 + x] = sum;
}

// Angles.
KERNEL waves(float *out, const float *in)
{
    float x = in[ME] * 6.0f;
    out[ME] = sinf(x) * cosf(x * 0.5f);
}

// Loops of as many turns as the numbers need.
KERNEL divisors(u32 *out, const u32 *in)
{
    u32 a = in[ME] | 1, b = ME | 1, turns = 0;
    while (a != b) {
        if (a > b)
            a -= b;
        else
            b -= a;
        a >>= __ffs(a) - 1;
        b >>= __ffs(b) - 1;
        turns++;
    }
    out[ME] = turns;
}

// Random numbers, and one addition per block.
KERNEL dice(u32 *out, int steps)
{
    u32 s = ME * 2654435761u + 1, hits = 0;
    for (int i = 0; i < steps; i++) {
        s ^= s << 13;
        s ^= s >> 17;
        s ^= s << 5;
        float f = (s >> 8) * (1.0f / 16777216);
        hits += f * f < 0.3f;
    }
    for (int k = 16; k > 0; k /= 2)
        hits += __shfl_down_sync(~0u, hits, k);
    if (threadIdx.x % 32 == 0)
        atomicAdd(out, hits);
}

// A product of two vectors added to a matrix.
KERNEL update(float *a, const float *x, const float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    a[j * n + i] += x[i] * y[j];
}

// Products without waiting, between a load and a store.
KERNEL four_products(float *out, const float *in, int steps)
{
    float a = in[ME], b = a + 1, c = a + 2, d = a + 3, f = a * 0.5f;
#pragma unroll 16
    for (int i = 0; i < steps; i++) {
        a = a * f + f;
        b = b * f + f;
        c = c * f + f;
        d = d * f + f;
    }
    out[ME] = a + b + c + d;
}

// Two lists in turn, the smaller number first: eight from each thread's own places.
KERNEL zip(u32 *out, const u32 *in, int half)
{
    int i = ME * 4, j = i + half;
    u32 a = in[i], b = in[j];
    for (int k = 0; k < 8; k++) {
        bool first = a <= b;
        out[ME * 8 + k] = first ? a : b;
        if (first)
            a = in[++i];
        else
            b = in[++j];
    }
}
