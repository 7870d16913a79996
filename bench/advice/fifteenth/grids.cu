// Grids and pictures: filt9_*, taps25_*, cube27_*, heatfew_*, med5loc_*, sumrows_*, pool8_*, lanczos3_*, wave64_*, cellcol_*, erodevain_*,
// yuvbytes_*, rowsahead_*. Each pair's YAML says what differs.
// SPDX-License-Identifier: Apache-2.0

/* ---- A filter of 9 x 9 weights, by global memory and by a tile ---- */

__constant__ float nine[81];

extern "C" __global__ void filt9_direct(const float *in, float *out, int w, int h)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    float sum = 0.0f;
#pragma unroll 1
    for (int j = 0; j < 9; j++)
#pragma unroll
        for (int i = 0; i < 9; i++)
            sum += nine[j * 9 + i] * in[min(max(y + j - 4, 0), h - 1) * w + min(max(x + i - 4, 0), w - 1)];
    out[y * w + x] = sum;
}

extern "C" __global__ void filt9_tile(const float *in, float *out, int w, int h)
{
    __shared__ float tile[16][41];
    int tx = threadIdx.x, ty = threadIdx.y, x0 = blockIdx.x * 32 - 4, y0 = blockIdx.y * 8 - 4;
    for (int i = ty * 32 + tx; i < 640; i += 256)
        tile[i / 40][i % 40] = in[min(max(y0 + i / 40, 0), h - 1) * w + min(max(x0 + i % 40, 0), w - 1)];
    __syncthreads();
    float sum = 0.0f;
#pragma unroll 1
    for (int j = 0; j < 9; j++)
#pragma unroll
        for (int i = 0; i < 9; i++)
            sum += nine[j * 9 + i] * tile[ty + j][tx + i];
    out[(y0 + 4 + ty) * w + x0 + 4 + tx] = sum;
}

/* ---- A filter of 25 weights along rows, weights by load and as constants ---- */

__constant__ float weight25[25];

template <bool CONSTANT> static __device__ __forceinline__ void along(const float *in, const float *weight, float *out, int w)
{
    __shared__ float row[280];
    int t = threadIdx.x;
    const float *from = in + (size_t)blockIdx.y * w;
    for (int i = t; i < 280; i += 256)
        row[i] = from[min(max((int)blockIdx.x * 256 + i - 12, 0), w - 1)];
    __syncthreads();
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 25; k++)
        sum += (CONSTANT ? weight25[k] : weight[k]) * row[t + k];
    out[(size_t)blockIdx.y * w + blockIdx.x * 256 + t] = sum;
}

extern "C" __global__ void taps25_global(const float *in, const float *weight, float *out, int w)
{
    along<false>(in, weight, out, w);
}

extern "C" __global__ void taps25_constant(const float *in, float *out, int w)
{
    along<true>(in, nullptr, out, w);
}

/* ---- A mean of 27 points of large planes, with all loads and with sums of planes kept ---- */

static __device__ __forceinline__ float plane9(const float *p, int w)
{
    return (p[-w - 1] + p[-w] + p[-w + 1]) + (p[-1] + p[0] + p[1]) + (p[w - 1] + p[w] + p[w + 1]);
}

extern "C" __global__ void cube27_loads(const float *in, float *out, int w, int h, int d)
{
    int x = blockIdx.x * 32 + threadIdx.x + 1, y = blockIdx.y * 8 + threadIdx.y + 1, z = blockIdx.z + 1;
    if (x >= w - 1 || y >= h - 1)
        return;
    size_t i = ((size_t)z * h + y) * w + x, plane = (size_t)w * h;
    out[i] = (plane9(in + i - plane, w) + plane9(in + i, w) + plane9(in + i + plane, w)) / 27.0f;
}

extern "C" __global__ void cube27_kept(const float *in, float *out, int w, int h, int d)
{
    int x = blockIdx.x * 32 + threadIdx.x + 1, y = blockIdx.y * 8 + threadIdx.y + 1;
    if (x >= w - 1 || y >= h - 1)
        return;
    size_t i = (size_t)y * w + x, plane = (size_t)w * h;
    float below = plane9(in + i, w), here = plane9(in + i + plane, w);
    for (int z = 1; z < d - 1; z++) {
        i += plane;
        float above = plane9(in + i + plane, w);
        out[i] = (below + here + above) / 27.0f;
        below = here;
        here = above;
    }
}

/* ---- Heat along a rod, a launch a step and 32 steps in a tile ---- */

extern "C" __global__ void heatfew_copy(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];
}

extern "C" __global__ void heatfew_step(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float left = in[max(i - 1, 0)], right = in[min(i + 1, n - 1)], v = in[i];
    out[i] = v + 0.25f * (left - 2.0f * v + right);
}

// A block of 256 has 192 points, and 32 at each side that spoil step by step.
extern "C" __global__ void heatfew_tile(float *out, const float *in, int n)
{
    __shared__ float v[2][256];
    int t = threadIdx.x, i = (int)blockIdx.x * 192 + t - 32;
    v[0][t] = in[min(max(i, 0), n - 1)];
    __syncthreads();
    for (int s = 0; s < 32; s++) {
        const float *from = v[s % 2];
        float here = from[t], left = i <= 0 ? here : from[max(t - 1, 0)], right = i >= n - 1 ? here : from[min(t + 1, 255)];
        v[1 - s % 2][t] = here + 0.25f * (left - 2.0f * here + right);
        __syncthreads();
    }
    if (t >= 32 && t < 224 && i < n)
        out[i] = v[0][t];
}

/* ---- A median of five along rows, by a sort of an array and by a network ---- */

extern "C" __global__ void med5loc_array(const float *in, float *out, int n, int size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v[9];
    for (int k = 0; k < size; k++) {
        float a = in[min(max(i + k - size / 2, 0), n - 1)];
        int j = k;
        for (; j > 0 && v[j - 1] > a; j--)
            v[j] = v[j - 1];
        v[j] = a;
    }
    out[i] = v[size / 2];
}

static __device__ __forceinline__ void order(float &a, float &b)
{
    float low = fminf(a, b);
    b = fmaxf(a, b);
    a = low;
}

extern "C" __global__ void med5loc_network(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v[5];
#pragma unroll
    for (int k = 0; k < 5; k++)
        v[k] = in[min(max(i + k - 2, 0), n - 1)];
    order(v[0], v[1]);
    order(v[3], v[4]);
    order(v[0], v[3]);
    order(v[1], v[4]);
    order(v[1], v[2]);
    order(v[2], v[3]);
    order(v[1], v[2]);
    out[i] = v[2];
}

/* ---- Sums along rows up to each pixel, by thread and by warp ---- */

extern "C" __global__ void sumrows_thread(const float *in, float *out, int w)
{
    const float *from = in + (size_t)(blockIdx.x * 128 + threadIdx.x) * w;
    float *to = out + (size_t)(blockIdx.x * 128 + threadIdx.x) * w, sum = 0.0f;
    for (int x = 0; x < w; x++)
        to[x] = sum += from[x];
}

extern "C" __global__ void sumrows_warp(const float *in, float *out, int w)
{
    int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    float before = 0.0f;
    for (int x = lane; x < w; x += 32) {
        float v = in[(size_t)row * w + x];
#pragma unroll
        for (int d = 1; d < 32; d <<= 1) {
            float left = __shfl_up_sync(0xffffffff, v, d);
            v += lane >= d ? left : 0.0f;
        }
        out[(size_t)row * w + x] = v += before;
        before = __shfl_sync(0xffffffff, v, 31);
    }
}

/* ---- The mean of 2 x 2 bytes, by byte and by eight bytes ---- */

extern "C" __global__ void pool8_byte(const unsigned char *in, unsigned char *out, int w)
{
    int x = blockIdx.x * 256 + threadIdx.x, y = blockIdx.y;
    const unsigned char *p = in + (size_t)2 * y * (2 * w) + 2 * x;
    out[(size_t)y * w + x] = (p[0] + p[1] + p[2 * w] + p[2 * w + 1] + 2) / 4;
}

// Four pixels of eight times two.
extern "C" __global__ void pool8_words(const unsigned char *in, unsigned char *out, int w)
{
    int x = blockIdx.x * 256 + threadIdx.x, y = blockIdx.y;
    uint2 a = *(const uint2 *)(in + (size_t)2 * y * (2 * w) + 8 * x), b = *(const uint2 *)(in + (size_t)(2 * y + 1) * (2 * w) + 8 * x);
    unsigned low = (a.x & 0xff00ff) + (a.x >> 8 & 0xff00ff) + (b.x & 0xff00ff) + (b.x >> 8 & 0xff00ff) + 0x20002;
    unsigned high = (a.y & 0xff00ff) + (a.y >> 8 & 0xff00ff) + (b.y & 0xff00ff) + (b.y >> 8 & 0xff00ff) + 0x20002;
    low = low >> 2 & 0xff00ff;
    high = high >> 2 & 0xff00ff;
    *(unsigned *)(out + (size_t)y * w + 4 * x) = __byte_perm(low, high, 0x6420);
}

/* ---- Rows at 4/3 of their size by six weights of Lanczos, computed and out of a table ---- */

static __device__ __forceinline__ float lanczos(float x)
{
    const float pi = 3.14159265f;
    return fabsf(x) < 1e-3f ? 1.0f : sinf(pi * x) * sinf(pi * x / 3.0f) * 3.0f / (pi * pi * x * x);
}

extern "C" __global__ void lanczos3_computed(const float *in, float *out, int w, int wide)
{
    int x = blockIdx.x * 256 + threadIdx.x, i0 = x * 3 / 4;
    const float *from = in + (size_t)blockIdx.y * w;
    float part = (x * 3 % 4) * 0.25f, sum = 0.0f;
    for (int k = -2; k <= 3; k++)
        sum += lanczos(part - k) * from[min(max(i0 + k, 0), w - 1)];
    out[(size_t)blockIdx.y * wide + x] = sum;
}

extern "C" __global__ void lanczos3_table(const float *in, float *out, int w, int wide)
{
    __shared__ float weight[24];
    if (threadIdx.x < 24)
        weight[threadIdx.x] = lanczos(threadIdx.x % 4 * 0.25f - (int)(threadIdx.x / 4) + 2.0f);
    __syncthreads();
    int x = blockIdx.x * 256 + threadIdx.x, i0 = x * 3 / 4, part = x * 3 % 4;
    const float *from = in + (size_t)blockIdx.y * w;
    float sum = 0.0f;
#pragma unroll
    for (int k = -2; k <= 3; k++)
        sum += weight[(k + 2) * 4 + part] * from[min(max(i0 + k, 0), w - 1)];
    out[(size_t)blockIdx.y * wide + x] = sum;
}

/* ---- A wave with damping and a cubic term, by double and by float literals ---- */

extern "C" __global__ void wave64_double(float *next, const float *now, const float *before, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = now[i], left = now[max(i - 1, 0)], right = now[min(i + 1, n - 1)];
    next[i] = 1.98 * v - 0.98 * before[i] + 0.2 * (left - 2.0 * v + right) - 0.01 * v * v * v + 0.002 * v;
}

extern "C" __global__ void wave64_float(float *next, const float *now, const float *before, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = now[i], left = now[max(i - 1, 0)], right = now[min(i + 1, n - 1)];
    next[i] = 1.98f * v - 0.98f * before[i] + 0.2f * (left - 2.0f * v + right) - 0.01f * v * v * v + 0.002f * v;
}

/* ---- A star of five points, with lanes down a column and along a row ---- */

static __device__ __forceinline__ void star(const float *in, float *out, int x, int y, int w, int h)
{
    if (x > 0 && y > 0 && x < w - 1 && y < h - 1)
        out[y * w + x] = 0.5f * in[y * w + x] + 0.125f * (in[y * w + x - 1] + in[y * w + x + 1] + in[y * w + x - w] + in[y * w + x + w]);
    else if (x < w && y < h)
        out[y * w + x] = in[y * w + x];
}

extern "C" __global__ void cellcol_column(const float *in, float *out, int w, int h)
{
    star(in, out, blockIdx.y * blockDim.y + threadIdx.y, blockIdx.x * blockDim.x + threadIdx.x, w, h);
}

extern "C" __global__ void cellcol_row(const float *in, float *out, int w, int h)
{
    star(in, out, blockIdx.x * blockDim.x + threadIdx.x, blockIdx.y * blockDim.y + threadIdx.y, w, h);
}

/* ---- The least of three points along rows of floats, by loads and by a tile ---- */

extern "C" __global__ void erodevain_loads(const float *in, float *out, int w)
{
    int x = blockIdx.x * 256 + threadIdx.x;
    const float *row = in + (size_t)blockIdx.y * w;
    out[(size_t)blockIdx.y * w + x] = fminf(fminf(row[max(x - 1, 0)], row[x]), row[min(x + 1, w - 1)]);
}

extern "C" __global__ void erodevain_tile(const float *in, float *out, int w)
{
    __shared__ float part[258];
    int t = threadIdx.x, x = blockIdx.x * 256 + t;
    const float *row = in + (size_t)blockIdx.y * w;
    part[t + 1] = row[x];
    if (t == 0)
        part[0] = row[max(x - 1, 0)];
    if (t == 255)
        part[257] = row[min(x + 1, w - 1)];
    __syncthreads();
    out[(size_t)blockIdx.y * w + x] = fminf(fminf(part[t], part[t + 1]), part[t + 2]);
}

/* ---- Luma of pixels of four bytes, by byte and by pixel of a word ---- */

extern "C" __global__ void yuvbytes_bytes(const unsigned char *rgba, unsigned char *luma, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        luma[i] = (77 * rgba[4 * i] + 150 * rgba[4 * i + 1] + 29 * rgba[4 * i + 2] + 128) >> 8;
}

extern "C" __global__ void yuvbytes_four(const uint4 *rgba, unsigned *luma, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    uint4 p = rgba[i];
    unsigned v[4] = {p.x, p.y, p.z, p.w}, out = 0;
#pragma unroll
    for (int k = 0; k < 4; k++)
        out |= (77 * (v[k] & 255) + 150 * (v[k] >> 8 & 255) + 29 * (v[k] >> 16 & 255) + 128) >> 8 << 8 * k;
    luma[i] = out;
}

/* ---- A recursion across segments of rows, a segment waited for and on its way ---- */

static __device__ __forceinline__ float heavy(const float *part, int t)
{
    float v = part[t];
#pragma unroll 8
    for (int k = 1; k < 64; k++)
        v = v * 0.9f + part[(t + k) % 256];
    return v;
}

extern "C" __global__ void rowsahead_wait(const float *in, float *out, int parts)
{
    __shared__ float part[256];
    int t = threadIdx.x;
    const float *from = in + (size_t)blockIdx.x * parts * 256;
    float sum = 0.0f;
    for (int p = 0; p < parts; p++) {
        part[t] = from[p * 256 + t];
        __syncthreads();
        sum = sum * 0.5f + heavy(part, t);
        __syncthreads();
    }
    out[blockIdx.x * 256 + t] = sum;
}

extern "C" __global__ void rowsahead_ahead(const float *in, float *out, int parts)
{
    __shared__ float part[2][256];
    int t = threadIdx.x;
    const float *from = in + (size_t)blockIdx.x * parts * 256;
    float sum = 0.0f, next = from[t];
    for (int p = 0; p < parts; p++) {
        part[p % 2][t] = next;
        __syncthreads();
        if (p + 1 < parts)
            next = from[(p + 1) * 256 + t];
        sum = sum * 0.5f + heavy(part[p % 2], t);
    }
    out[blockIdx.x * 256 + t] = sum;
}
