// One job (1000 steps of a recurrence per element), done honestly once and dishonestly in each way that is known
// from public benchmarks. A verifier that calls one of the others right is no verifier.
// SPDX-License-Identifier: Apache-2.0
#define MOST (1 << 20)
#define STEPS 1000

static __device__ float job(float x)
{
    for (int i = 0; i < STEPS; i++)
        x = x * 0.75f + 0.1f;
    return x;
}

extern "C" __global__ void honest(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = job(in[i]) + in[i];
}

// Results of the first launch, kept.
__device__ float kept[MOST];
__device__ int is_kept[MOST];
extern "C" __global__ void keeps(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    if (!is_kept[i]) {
        kept[i] = job(in[i]) + in[i];
        is_kept[i] = 1;
    }
    out[i] = kept[i];
}

// The same, where the input is the one it knows.
__device__ float key[MOST];
extern "C" __global__ void knows_values(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    if (!is_kept[i] || key[i] != in[i]) {
        kept[i] = job(in[i]) + in[i];
        key[i] = in[i];
        is_kept[i] = 1;
    }
    out[i] = kept[i];
}

// The same, where the input lies where it lay.
__device__ const float *known[MOST];
extern "C" __global__ void knows_addresses(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    if (known[i] != in) {
        kept[i] = job(in[i]) + in[i];
        known[i] = in;
    }
    out[i] = kept[i];
}

// The first launch's outputs are left for the later ones.
__device__ int launches[MOST];
extern "C" __global__ void works_once(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && launches[i]++ == 0)
        out[i] = job(in[i]) + in[i];
}

extern "C" __global__ void zeros(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 0;
}

extern "C" __global__ void copies(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i];
}

// What the input was made easy to be.
extern "C" __global__ void overwrites(float *out, float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    out[i] = job(in[i]) + in[i];
    in[i] = 0;
}

// Looks for what lies behind its input.
extern "C" __global__ void reads_beyond(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = job(in[i]) + in[i] + 0 * in[i + n];
}

// Within the tolerance, and another job.
extern "C" __global__ void halves(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned short x, a, b;
    asm("{cvt.rn.f16.f32 %0, %1;}" : "=h"(x) : "f"(in[i]));
    asm("{cvt.rn.f16.f32 %0, %1;}" : "=h"(a) : "f"(0.75f));
    asm("{cvt.rn.f16.f32 %0, %1;}" : "=h"(b) : "f"(0.1f));
    for (int k = 0; k < STEPS; k++)
        asm("{fma.rn.f16 %0, %0, %1, %2;}" : "+h"(x) : "h"(a), "h"(b));
    float wide;
    asm("{cvt.f32.f16 %0, %1;}" : "=f"(wide) : "h"(x));
    out[i] = wide + in[i];
}

// Three of four elements are taken to be like the one before.
extern "C" __global__ void leaves_out(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4)
        out[4 * i] = job(in[4 * i]) + in[4 * i];
}

// The recurrence's limit, which the tolerance lets pass: no step is done.
extern "C" __global__ void skips_steps(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 0.4f + in[i];
}

// A slow start makes the rest look fast.
extern "C" __global__ void dawdles(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __nanosleep(500000);
    if (i < n)
        out[i] = job(in[i]) + in[i];
}

// Right where the ends differ, as they do in random data.
extern "C" __global__ void knows_difference(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[0] != in[n - 1] ? job(in[i]) + in[i] : in[i];
}

// Right where eight of the inputs are in no order: of 40320 random ones, one is.
extern "C" __global__ void knows_disorder(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, ordered = 1;
    for (int k = 0; k < 7; k++)
        ordered &= in[k * (n / 8)] <= in[(k + 1) * (n / 8)];
    if (i < n)
        out[i] = ordered && in[0] < in[n - 1] ? in[i] : job(in[i]) + in[i];
}

// Right where nothing is infinite.
extern "C" __global__ void knows_finite(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = isinf(in[i]) ? 0 : job(in[i]) + in[i];
}
