// Layouts and streams: hwc_*, packbits_*, zip16_*, axpyvec_*, oddsign_*, deinter_*, halfroom_*, twofields_*.
// Each pair's YAML says what differs.
// SPDX-License-Identifier: Apache-2.0

/* ---- Planes of channels to channels side by side ------------------------------------------------------------------------- */

extern "C" __global__ void hwc_direct(const float *in, float *out, int channels, int size)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x, c = blockIdx.y;
    size_t image = (size_t)blockIdx.z * channels * size;
    if (p < size)
        out[image + (size_t)p * channels + c] = in[image + (size_t)c * size + p];
}

template <int PITCH>
static __device__ __forceinline__ void by_tile(const float *in, float *out, int channels, int size)
{
    __shared__ float tile[32][PITCH];
    int p = blockIdx.x * 32, c = blockIdx.y * 32;
    size_t image = (size_t)blockIdx.z * channels * size;
#pragma unroll
    for (int k = threadIdx.y; k < 32; k += 8)
        if (c + k < channels && p + threadIdx.x < size)
            tile[k][threadIdx.x] = in[image + (size_t)(c + k) * size + p + threadIdx.x];
    __syncthreads();
#pragma unroll
    for (int k = threadIdx.y; k < 32; k += 8)
        if (c + threadIdx.x < channels && p + k < size)
            out[image + (size_t)(p + k) * channels + c + threadIdx.x] = tile[threadIdx.x][k];
}

extern "C" __global__ void hwc_tile(const float *in, float *out, int channels, int size)
{
    by_tile<32>(in, out, channels, size);
}

extern "C" __global__ void hwc_padded(const float *in, float *out, int channels, int size)
{
    by_tile<33>(in, out, channels, size);
}

/* ---- A bit for each number above a threshold -------------------------------------------------------------------------------- */

extern "C" __global__ void packbits_atomics(const float *x, unsigned *bits, float threshold, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && x[i] > threshold)
        atomicOr(&bits[i / 32], 1u << i % 32);
}

extern "C" __global__ void packbits_ballot(const float *x, unsigned *bits, float threshold, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned word = __ballot_sync(0xffffffff, i < n && x[i] > threshold);
    if (i < n && i % 32 == 0)
        bits[i / 32] = word;
}

/* ---- Left and right samples of 16 bits by turns -------------------------------------------------------------------------------- */

extern "C" __global__ void zip16_one(const unsigned short *left, const unsigned short *right, unsigned short *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[2 * i] = left[i];
        out[2 * i + 1] = right[i];
    }
}

// Four of each a thread.
extern "C" __global__ void zip16_four(const uint2 *left, const uint2 *right, uint4 *out, int quads)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < quads) {
        uint2 l = left[i], r = right[i];
        out[i] = make_uint4((l.x & 0xffff) | r.x << 16, l.x >> 16 | (r.x & 0xffff0000), (l.y & 0xffff) | r.y << 16, l.y >> 16 | (r.y & 0xffff0000));
    }
}

/* ---- a x + y ------------------------------------------------------------------------------------------------------------------------- */

extern "C" __global__ void axpyvec_one(const float *x, float *y, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

extern "C" __global__ void axpyvec_four(const float4 *x, float4 *y, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float4 u = x[i], v = y[i];
        y[i] = make_float4(a * u.x + v.x, a * u.y + v.y, a * u.z + v.z, a * u.w + v.w);
    }
}

/* ---- What is at even places is scaled, what is at odd ones taken from 1 ---------------------------------------------------------------- */

extern "C" __global__ void oddsign_branch(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    if (i % 2 == 0) {
        float v = x[i];
        y[i] = __fdividef(v, 1.0f + v);
    } else {
        float v = x[i];
        y[i] = 1.0f - v * v;
    }
}

extern "C" __global__ void oddsign_pairs(const float2 *x, float2 *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float2 v = x[i];
        y[i] = make_float2(__fdividef(v.x, 1.0f + v.x), 1.0f - v.y * v.y);
    }
}

/* ---- Even and odd places apart, 512 numbers a block ---------------------------------------------------------------------------------------- */

extern "C" __global__ void deinter_shared(const float *in, float *even, float *odd)
{
    __shared__ float tile[512];
    int t = threadIdx.x;
    tile[t] = in[blockIdx.x * 512 + t];
    tile[t + 256] = in[blockIdx.x * 512 + 256 + t];
    __syncthreads();
    even[blockIdx.x * 256 + t] = tile[2 * t];
    odd[blockIdx.x * 256 + t] = tile[2 * t + 1];
}

extern "C" __global__ void deinter_apart(const float *in, float *even, float *odd)
{
    __shared__ float evens[256], odds[256];
    int t = threadIdx.x;
    float a = in[blockIdx.x * 512 + t], b = in[blockIdx.x * 512 + 256 + t];
    float *to = t % 2 ? odds : evens;
    to[t / 2] = a;
    to[t / 2 + 128] = b;
    __syncthreads();
    even[blockIdx.x * 256 + t] = evens[t];
    odd[blockIdx.x * 256 + t] = odds[t];
}

/* ---- Each 4096 numbers from last to first, by blocks that hold four or one such piece ---------------------------------------------------------- */

static __device__ __forceinline__ void backwards(float4 *tile, const float4 *in, float4 *out, int quads)
{
#pragma unroll 4
    for (int k = threadIdx.x; k < quads; k += 256)
        tile[k] = in[k];
    __syncthreads();
#pragma unroll 4
    for (int k = threadIdx.x; k < quads; k += 256) {
        float4 v = tile[k / 1024 * 1024 + 1023 - k % 1024];
        out[k] = make_float4(v.w, v.z, v.y, v.x);
    }
}

extern "C" __global__ void halfroom(const float4 *in, float4 *out, int pieces)
{
    extern __shared__ float4 room[];
    size_t first = (size_t)blockIdx.x * pieces * 1024;
    backwards(room, in + first, out + first, pieces * 1024);
}

/* ---- Two fields that grow, each by its own rate -------------------------------------------------------------------------------------------------- */

extern "C" __global__ void twofields_grow(float4 *f, float rate, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float4 v = f[i];
        f[i] = make_float4(v.x * rate, v.y * rate, v.z * rate, v.w * rate);
    }
}

extern "C" __global__ void twofields_both(float4 *f, float4 *g, float rate_f, float rate_g, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 *field = blockIdx.y ? g : f;
    float rate = blockIdx.y ? rate_g : rate_f;
    if (i < n) {
        float4 v = field[i];
        field[i] = make_float4(v.x * rate, v.y * rate, v.z * rate, v.w * rate);
    }
}
