// One kernel a reason that warps wait for, for tuning the model's stalls. Made to be known instruction by instruction: few of them,
// in loops that are most of the kernel, or none, so that only its start and end are left.
// SPDX-License-Identifier: Apache-2.0
#define ME (blockIdx.x * blockDim.x + threadIdx.x)
#define KERNEL extern "C" __global__ void

KERNEL nothing()
{
}

KERNEL store_one(float *out, float x)
{
    out[ME] = x;
}

KERNEL copy_one(float *out, const float *in)
{
    out[ME] = in[ME];
}

KERNEL copy_four(float4 *out, const float4 *in)
{
    out[ME] = in[ME];
}

KERNEL copy_byte(unsigned char *out, const unsigned char *in)
{
    out[ME] = in[ME];
}

KERNEL copy_f64(double *out, const double *in)
{
    out[ME] = in[ME] * 2.0;
}

// Every instruction waits for the one before.
KERNEL chain_f32(float *out, float x, int steps)
{
    float v = x + ME;
    for (int i = 0; i < steps; i++)
#pragma unroll
        for (int k = 0; k < 16; k++)
            v = v * x + x;
    out[ME] = v;
}

// One warp of a block works sixteen times as long as the others.
KERNEL chain_one_warp(float *out, float x, int steps)
{
    float v = x + ME;
    if (threadIdx.x < 32)
        steps *= 16;
    for (int i = 0; i < steps; i++)
#pragma unroll
        for (int k = 0; k < 16; k++)
            v = v * x + x;
    out[ME] = v;
}

KERNEL chain_f64(double *out, double x, int steps)
{
    double v = x + ME;
    for (int i = 0; i < steps; i++)
#pragma unroll
        for (int k = 0; k < 8; k++)
            v = v * x + x;
    out[ME] = v;
}

KERNEL four_f64(double *out, double x, int steps)
{
    double a = x + ME, b = a + 1, c = b + 1, d = c + 1;
    for (int i = 0; i < steps; i++)
#pragma unroll
        for (int k = 0; k < 4; k++) {
            a = a * x + x;
            b = b * x + x;
            c = c * x + x;
            d = d * x + x;
        }
    out[ME] = a + b + c + d;
}

KERNEL four_f32(float *out, float x, int steps)
{
    float a = x + ME, b = a + 1, c = b + 1, d = c + 1;
    for (int i = 0; i < steps; i++)
#pragma unroll
        for (int k = 0; k < 4; k++) {
            a = a * x + x;
            b = b * x + x;
            c = c * x + x;
            d = d * x + x;
        }
    out[ME] = a + b + c + d;
}

KERNEL four_integers(unsigned *out, unsigned x, int steps)
{
    unsigned a = x + ME, b = a + 1, c = b + 1, d = c + 1;
    for (int i = 0; i < steps; i++)
#pragma unroll
        for (int k = 0; k < 4; k++) {
            a = (a << 3 | a >> 29) ^ x;
            b = (b << 5 | b >> 27) ^ x;
            c = (c << 7 | c >> 25) ^ x;
            d = (d << 9 | d >> 23) ^ x;
        }
    out[ME] = a + b + c + d;
}

KERNEL four_products(unsigned *out, unsigned x, int steps)
{
    unsigned a = x + ME, b = a + 1, c = b + 1, d = c + 1;
    for (int i = 0; i < steps; i++)
#pragma unroll
        for (int k = 0; k < 4; k++) {
            a = a * x + b;
            b = b * x + c;
            c = c * x + d;
            d = d * x + a;
        }
    out[ME] = a + b + c + d;
}

KERNEL chain_special(float *out, float x, int steps)
{
    float v = x + threadIdx.x * 0.001f;
    for (int i = 0; i < steps; i++)
#pragma unroll
        for (int k = 0; k < 8; k++)
            asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(v));
    out[ME] = v;
}

KERNEL four_special(float *out, float x, int steps)
{
    float a = x + threadIdx.x * 0.001f, b = a + 1, c = b + 1, d = c + 1;
    for (int i = 0; i < steps; i++)
#pragma unroll
        for (int k = 0; k < 4; k++) {
            asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(a));
            asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(b));
            asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(c));
            asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(d));
        }
    out[ME] = a + b + c + d;
}

KERNEL chain_convert(float *out, int x, int steps)
{
    int v = x + threadIdx.x;
    for (int i = 0; i < steps; i++)
#pragma unroll
        for (int k = 0; k < 4; k++)
            v = (int)((float)v * 0.5f) + x;
    out[ME] = v;
}

KERNEL chain_divide_f32(float *out, float x, int steps)
{
    float v = x + threadIdx.x;
    for (int i = 0; i < steps; i++)
        v = x / v + x;
    out[ME] = v;
}

KERNEL chain_divide_int(unsigned *out, unsigned x, int steps)
{
    unsigned v = x + threadIdx.x;
    for (int i = 0; i < steps; i++)
        v = 4000000000u / (v | 1) + x;
    out[ME] = v;
}

KERNEL chain_products64(unsigned long long *out, unsigned long long x, int steps)
{
    unsigned long long v = x + threadIdx.x;
    for (int i = 0; i < steps; i++)
#pragma unroll
        for (int k = 0; k < 4; k++)
            v = (v ^ v >> 29) * x;
    out[ME] = v;
}

KERNEL chain_shared(unsigned *out, unsigned x, int steps)
{
    __shared__ unsigned s[1024];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        s[i] = (i * 5 + 32) & 1023;
    __syncthreads();
    unsigned v = threadIdx.x;
    for (int i = 0; i < steps; i++)
#pragma unroll
        for (int k = 0; k < 8; k++)
            v = s[v];
    out[ME] = v + x;
}

// Eight loads in flight: the queue of shared memory.
KERNEL eight_shared(float *out, float x, int steps)
{
    __shared__ float s[1024];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        s[i] = x;
    __syncthreads();
    float v = 0;
    for (int i = 0; i < steps; i++) {
        const float *at = s + ((threadIdx.x + i) & 255);
#pragma unroll
        for (int k = 0; k < 8; k++)
            v += at[k * 64];
    }
    out[ME] = v;
}

KERNEL eight_shared_conflicts(float *out, float x, int steps)
{
    __shared__ float s[2048];
    for (int i = threadIdx.x; i < 2048; i += blockDim.x)
        s[i] = x;
    __syncthreads();
    float v = 0;
    for (int i = 0; i < steps; i++) {
        const float *at = s + ((threadIdx.x * 8 + i) & 1023);
#pragma unroll
        for (int k = 0; k < 8; k++)
            v += at[k * 33];
    }
    out[ME] = v;
}

KERNEL shared_stores(float *out, float x, int steps)
{
    __shared__ float s[2048];
    for (int i = 0; i < steps; i++) {
        float *at = s + ((threadIdx.x + i) & 1023);
#pragma unroll
        for (int k = 0; k < 8; k++)
            at[k * 64] = x + k;
    }
    __syncthreads();
    out[ME] = s[threadIdx.x];
}

KERNEL barriers(float *out, float x, int steps)
{
    float v = x + ME;
    for (int i = 0; i < steps; i++) {
#pragma unroll
        for (int k = 0; k < 16; k++)
            v = v * x + x;
        __syncthreads();
    }
    out[ME] = v;
}

KERNEL shuffles(unsigned *out, int steps)
{
    unsigned v = ME;
    for (int i = 0; i < steps; i++)
#pragma unroll
        for (int k = 1; k < 32; k *= 2)
            v += __shfl_xor_sync(~0u, v, k);
    out[ME] = v;
}

// Loops whose lanes leave at different times.
KERNEL branches(unsigned *out, unsigned x)
{
    unsigned v = ME * 2654435761u | 1, steps = 0;
    while (v != 1 && steps < 60) {
        if (v & 1)
            v = v * 3 + x;
        else
            v >>= 1;
        steps++;
    }
    out[ME] = steps;
}

// A loop of five instructions.
KERNEL short_loop(unsigned *out, unsigned x, int steps)
{
    unsigned v = ME;
#pragma unroll 1
    for (int i = 0; i < steps; i++)
        v = v * x + i;
    out[ME] = v;
}

__constant__ float table[1024];

KERNEL constant_indexed(float *out, float x, int steps)
{
    float v = x;
    for (int i = 0; i < steps; i++)
#pragma unroll
        for (int k = 0; k < 4; k++)
            v = v * table[(i * 7 + k * 32) & 1023] + x;
    out[ME] = v;
}

KERNEL constant_by_lane(float *out, float x, int steps)
{
    float v = x;
    for (int i = 0; i < steps; i++)
        v = v * table[(threadIdx.x + i) & 1023] + x;
    out[ME] = v;
}

// A line for each lane, of 2 MB: from L2.
KERNEL scattered_load(float *out, const float *in)
{
    out[ME] = in[(ME * 33 * 31) & 524287];
}

KERNEL scattered_loads(float *out, const float *in)
{
    float v = 0;
#pragma unroll
    for (int k = 0; k < 8; k++)
        v += in[(ME * 32 + k * 65537) & 524287];
    out[ME] = v;
}

KERNEL scattered_store(float *out, const float *in)
{
    out[(ME * 32 + (ME >> 14)) & 524287] = in[ME];
}

KERNEL scattered_stores(float *out, float x)
{
#pragma unroll
    for (int k = 0; k < 8; k++)
        out[(ME * 32 + k * 65537) & 524287] = x + k;
}

// Loads that hit L1, side by side.
KERNEL loads_l1(float *out, const float *in, int steps)
{
    float v = 0;
    for (int i = 0; i < steps; i++) {
        const float *at = in + ((threadIdx.x + i) & 1023);
#pragma unroll
        for (int k = 0; k < 8; k++)
            v += at[k * 32];
    }
    out[ME] = v;
}

// A row per thread: uncoalesced loads that hit L1 at times.
KERNEL rows(float *out, const float *in, int columns)
{
    float v = 0;
    for (int i = 0; i < columns; i++)
        v += in[(size_t)ME * columns + i];
    out[ME] = v;
}

KERNEL columns(float *out, const float *in, int rows, int stride)
{
    float v = 0;
    for (int i = 0; i < rows; i++)
        v += in[(size_t)i * stride + ME];
    out[ME] = v;
}

KERNEL reductions(unsigned *out, unsigned x)
{
    atomicAdd(&out[ME & 4095], x);
}

KERNEL atomics(unsigned *out, unsigned x)
{
    unsigned v = x;
    for (int i = 0; i < 4; i++)
        v = atomicAdd(&out[(ME + v + i) & 4095], x);
    out[ME + 8192] = v;
}

// What most small kernels do: an index, a test, a few loads, arithmetic, a store.
KERNEL elementwise(float *out, const float *a, const float *b, float x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = a[i] * x + b[i] / (1.0f + fabsf(a[i]));
}

KERNEL neighbours(float *out, const float *in, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && y > 0 && x < w - 1 && y < h - 1)
        out[y * w + x] = 0.2f * (in[y * w + x] + in[y * w + x - 1] + in[y * w + x + 1] +
                                 in[(y - 1) * w + x] + in[(y + 1) * w + x]);
}

KERNEL exponentials(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = expf(in[i]) * logf(in[i] + 1.0f) + sqrtf(in[i]);
}
