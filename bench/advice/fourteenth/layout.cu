// Layout, launches and room: rgb3_*, recs9_*, rowsum64_*, tr16_*, perm4d_*, firrt_*, warpjac_*, revchunk_*, upmix_*, fiveops_*,
// tinyblk, minihist_*, padvain_*, gridvain_*, weekday_*. Each pair's YAML says what differs.
// SPDX-License-Identifier: Apache-2.0

/* ---- Pixels of three bytes to gray ------------------------------------------------------------------------------------- */

static __device__ __forceinline__ unsigned gray(unsigned r, unsigned g, unsigned b)
{
    return (r * 77 + g * 150 + b * 29) >> 8;
}

extern "C" __global__ void rgb3_bytes(const unsigned char *in, unsigned char *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = gray(in[3 * i], in[3 * i + 1], in[3 * i + 2]);
}

extern "C" __global__ void rgb3_words(const unsigned *in, unsigned *out, int words)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= words)
        return;
    unsigned a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];
    unsigned p = gray(a & 255, a >> 8 & 255, a >> 16 & 255), q = gray(a >> 24, b & 255, b >> 8 & 255);
    unsigned r = gray(b >> 16 & 255, b >> 24, c & 255), s = gray(c >> 8 & 255, c >> 16 & 255, c >> 24);
    out[i] = p | q << 8 | r << 16 | s << 24;
}

/* ---- Records of nine words to their norm ---------------------------------------------------------------------------------- */

extern "C" __global__ void recs9_direct(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 9; ++k)
        sum += in[9 * i + k] * in[9 * i + k];
    out[i] = sqrtf(sum);
}

// n is a multiple of 128.
extern "C" __global__ void recs9_staged(const float *in, float *out)
{
    __shared__ float part[1152];
#pragma unroll
    for (int k = 0; k < 9; ++k)
        part[128 * k + threadIdx.x] = in[blockIdx.x * 1152 + 128 * k + threadIdx.x];
    __syncthreads();
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 9; ++k)
        sum += part[9 * threadIdx.x + k] * part[9 * threadIdx.x + k];
    out[blockIdx.x * 128 + threadIdx.x] = sqrtf(sum);
}

/* ---- Tiles of 64 x 64 in shared memory, each row scaled by its own sum ------------------------------------------------------- */

template <int WIDTH> static __device__ __forceinline__ void scale_rows(const float *in, float *out)
{
    __shared__ float tile[64][WIDTH];
    int t = threadIdx.x, c = t;
    in += blockIdx.x * 4096;
    out += blockIdx.x * 4096;
    for (int r = 0; r < 64; ++r)
        tile[r][c] = in[64 * r + c];
    __syncthreads();
    float sum = 0.0f;
#pragma unroll 8
    for (int k = 0; k < 64; ++k)
        sum += tile[t][k];
    sum = 1.0f / (1.0f + sum);
#pragma unroll 8
    for (int k = 0; k < 64; ++k)
        tile[t][k] *= sum;
    __syncthreads();
    for (int r = 0; r < 64; ++r)
        out[64 * r + c] = tile[r][c];
}

extern "C" __global__ void rowsum64_plain(const float *in, float *out)
{
    scale_rows<64>(in, out);
}

extern "C" __global__ void rowsum64_padded(const float *in, float *out)
{
    scale_rows<65>(in, out);
}

/* ---- The transpose of words of 16 bits, as pairs in words in shared memory ----------------------------------------------------- */

extern "C" __global__ void tr16_direct(const unsigned short *in, unsigned short *out, int w, int h)
{
    int x = blockIdx.x * 32 + threadIdx.x, y0 = blockIdx.y * 32 + threadIdx.y;
#pragma unroll
    for (int k = 0; k < 32; k += 8)
        out[x * h + y0 + k] = in[(y0 + k) * w + x];
}

template <int WIDTH> static __device__ __forceinline__ void transpose(const unsigned short *in, unsigned short *out, int w, int h)
{
    __shared__ unsigned tile[32][WIDTH];
    int x = threadIdx.x, y = threadIdx.y, left = blockIdx.x * 32, top = blockIdx.y * 32;
#pragma unroll
    for (int k = y; k < 32; k += 8)
        tile[k][x] = in[(top + k) * w + left + x];
    __syncthreads();
#pragma unroll
    for (int k = y; k < 32; k += 8)
        out[(left + k) * h + top + x] = tile[x][k];
}

extern "C" __global__ void tr16_tile(const unsigned short *in, unsigned short *out, int w, int h)
{
    transpose<32>(in, out, w, h);
}

extern "C" __global__ void tr16_padded(const unsigned short *in, unsigned short *out, int w, int h)
{
    transpose<33>(in, out, w, h);
}

/* ---- Four dimensions [a][b][c][d] to [c][a][b][d] --------------------------------------------------------------------------------- */

extern "C" __global__ void perm4d_flat(const unsigned char *in, unsigned char *out, int na, int nb, int nc, int nd)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= na * nb * nc * nd)
        return;
    int d = i % nd, b = i / nd % nb, a = i / nd / nb % na, c = i / nd / nb / na;
    out[i] = in[((a * nb + b) * nc + c) * nd + d];
}

extern "C" __global__ void perm4d_grid(const unsigned char *in, unsigned char *out, int na, int nb, int nc, int nd)
{
    int d = threadIdx.x, b = blockIdx.x * blockDim.y + threadIdx.y, a = blockIdx.y, c = blockIdx.z;
    if (b < nb)
        out[((c * na + a) * nb + b) * nd + d] = in[((a * nb + b) * nc + c) * nd + d];
}

/* ---- A filter of 21 taps over bytes: a count known at run time, and at compile time -------------------------------------------------- */

extern "C" __global__ void firrt_loop(const unsigned char *in, const int *tap, int *out, int n, int taps)
{
    __shared__ int tile[1024], own[64];
    int t = threadIdx.x, first = blockIdx.x * 256;
    for (int i = t; i < 256 + taps - 1; i += 256)
        tile[i] = first + i < n + taps - 1 ? in[first + i] : 0;
    if (t < taps)
        own[t] = tap[t];
    __syncthreads();
    if (first + t >= n)
        return;
    int sum = 0;
#pragma unroll 1
    for (int k = 0; k < taps; ++k)
        sum += own[k] * tile[t + k];
    out[first + t] = sum;
}

extern "C" __global__ void firrt_fixed(const unsigned char *in, const int *tap, int *out, int n)
{
    __shared__ int tile[276], own[21];
    int t = threadIdx.x, first = blockIdx.x * 256;
    for (int i = t; i < 276; i += 256)
        tile[i] = first + i < n + 20 ? in[first + i] : 0;
    if (t < 21)
        own[t] = tap[t];
    __syncthreads();
    if (first + t >= n)
        return;
    int sum = 0;
#pragma unroll
    for (int k = 0; k < 21; ++k)
        sum += own[k] * tile[t + k];
    out[first + t] = sum;
}

/* ---- 40 sweeps over rings of 32 in shared memory: a barrier of the block, and of the warp ------------------------------------------------ */

template <bool WARP> static __device__ __forceinline__ void sweep(const float *in, float *out)
{
    __shared__ float ring[2][512];
    int t = threadIdx.x, left = t / 32 * 32 + (t + 31) % 32, right = t / 32 * 32 + (t + 1) % 32;
    float v = in[blockIdx.x * 512 + t];
    for (int k = 0; k < 40; ++k) {
        ring[k % 2][t] = v;
        if (WARP)
            __syncwarp();
        else
            __syncthreads();
        v = 0.5f * v + 0.25f * (ring[k % 2][left] + ring[k % 2][right]);
    }
    out[blockIdx.x * 512 + t] = v;
}

extern "C" __global__ void warpjac_block(const float *in, float *out)
{
    sweep<false>(in, out);
}

extern "C" __global__ void warpjac_warp(const float *in, float *out)
{
    sweep<true>(in, out);
}

/* ---- Chunks turned round in shared memory; a block takes one chunk, as long as the launch says ---------------------------------------------- */

extern "C" __global__ void revchunk(const float *in, float *out, int each)
{
    extern __shared__ float chunk[];
    for (int part = 0; part < each; ++part) {
        int base = (blockIdx.x * each + part) * 512;
        for (int i = threadIdx.x; i < 512; i += blockDim.x)
            chunk[512 * part + i] = in[base + i];
    }
    __syncthreads();
    for (int part = 0; part < each; ++part) {
        int base = (blockIdx.x * each + part) * 512;
        for (int i = threadIdx.x; i < 512; i += blockDim.x)
            out[base + i] = chunk[512 * part + 511 - i];
    }
}

/* ---- A filter over long rows, a block an SM: tiles awaited, and loaded ahead ------------------------------------------------------------------ */

static __device__ __forceinline__ float mixed(const float *tile, int t)
{
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 24; ++k)
        sum += tile[t + k] * (0.1f + 0.01f * k);
    return sum;
}

// A row is `tiles` tiles of 512; sums run over 24 numbers within a tile, wrapping round by copies of its first 24.
extern "C" __global__ void upmix_wait(const float *in, float *out, int tiles)
{
    __shared__ float tile[536];
    int t = threadIdx.x;
    in += blockIdx.x * tiles * 512;
    out += blockIdx.x * tiles * 512;
    for (int k = 0; k < tiles; ++k) {
        float v = in[512 * k + t];
        tile[t] = v;
        if (t < 24)
            tile[512 + t] = v;
        __syncthreads();
        out[512 * k + t] = mixed(tile, t);
        __syncthreads();
    }
}

extern "C" __global__ void upmix_ahead(const float *in, float *out, int tiles)
{
    __shared__ float tile[2][536];
    int t = threadIdx.x;
    in += blockIdx.x * tiles * 512;
    out += blockIdx.x * tiles * 512;
    float v[4];
#pragma unroll
    for (int k = 0; k < 4; ++k)
        v[k] = in[512 * min(k, tiles - 1) + t];
    for (int k0 = 0; k0 < tiles; k0 += 4)
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            int k = k0 + j;
            float *now = tile[j % 2];
            if (k >= tiles)
                break;
            now[t] = v[j];
            if (t < 24)
                now[512 + t] = v[j];
            v[j] = in[512 * min(k + 4, tiles - 1) + t];
            __syncthreads();
            out[512 * k + t] = mixed(now, t);
        }
}

/* ---- Five short steps on a short vector ----------------------------------------------------------------------------------------------------------- */

extern "C" __global__ void fiveops_scale(float *v, const float *in, float factor, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        v[i] = in[i] * factor;
}

extern "C" __global__ void fiveops_bias(float *v, const float *bias, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        v[i] += bias[i];
}

extern "C" __global__ void fiveops_clamp(float *v, float low, float high, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        v[i] = fminf(fmaxf(v[i], low), high);
}

extern "C" __global__ void fiveops_root(float *v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        v[i] = sqrtf(fabsf(v[i]));
}

extern "C" __global__ void fiveops_times(float *v, const float *other, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        v[i] *= other[i];
}

extern "C" __global__ void fiveops_all(float *v, const float *in, const float *bias, const float *other, float factor, float low, float high, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        v[i] = sqrtf(fabsf(fminf(fmaxf(in[i] * factor + bias[i], low), high))) * other[i];
}

/* ---- Two streams to their hypotenuse; blocks as the launch has them ----------------------------------------------------------------------------------- */

extern "C" __global__ void tinyblk(const float *a, const float *b, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = sqrtf(a[i] * a[i] + b[i] * b[i]);
}

/* ---- Each thread's own histogram of 16 classes: in an array of its own, and in shared memory -------------------------------------------------------------- */

extern "C" __global__ void minihist_own(const unsigned char *in, unsigned *out, int n, int items)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned count[16] = {};
    for (int k = 0; k < items; ++k)
        ++count[in[k * n + i] & 15];
#pragma unroll
    for (int b = 0; b < 16; ++b)
        out[b * n + i] = count[b];
}

extern "C" __global__ void minihist_shared(const unsigned char *in, unsigned *out, int n, int items)
{
    __shared__ unsigned count[16][128];
    int i = blockIdx.x * 128 + threadIdx.x;
#pragma unroll
    for (int b = 0; b < 16; ++b)
        count[b][threadIdx.x] = 0;
    if (i >= n)
        return;
    for (int k = 0; k < items; ++k)
        ++count[in[k * n + i] & 15][threadIdx.x];
#pragma unroll
    for (int b = 0; b < 16; ++b)
        out[b * n + i] = count[b][threadIdx.x];
}

/* ---- Rows shifted round within tiles of 32 x 32: without and with a word more a row ------------------------------------------------------------------------- */

template <int WIDTH> static __device__ __forceinline__ void shift_rows(const float *in, float *out)
{
    __shared__ float tile[32][WIDTH];
    int x = threadIdx.x, y = threadIdx.y;
    in += blockIdx.x * 1024;
    out += blockIdx.x * 1024;
#pragma unroll
    for (int k = y; k < 32; k += 8)
        tile[k][x] = in[32 * k + x];
    __syncthreads();
#pragma unroll
    for (int k = y; k < 32; k += 8)
        out[32 * k + x] = tile[31 - k][(x + k) % 32];
}

extern "C" __global__ void padvain_plain(const float *in, float *out)
{
    shift_rows<32>(in, out);
}

extern "C" __global__ void padvain_padded(const float *in, float *out)
{
    shift_rows<33>(in, out);
}

/* ---- A stream by blocks that stay: as many as fit at once, and four times as many ------------------------------------------------------------------------------ */

extern "C" __global__ void gridvain(const float4 *in, float4 *out, float factor, int quads)
{
#pragma unroll 2
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < quads; i += gridDim.x * blockDim.x) {
        float4 v = in[i];
        out[i] = make_float4(v.x * factor, v.y * factor, v.z * factor, v.w * factor);
    }
}

/* ---- Days to weekdays: by a division that the compiler multiplies, and by hand ------------------------------------------------------------------------------------ */

extern "C" __global__ void weekday_divide(const unsigned *day, unsigned *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = (day[i] + 4) % 7;
}

extern "C" __global__ void weekday_multiply(const unsigned *day, unsigned *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned d = day[i] + 4;
    out[i] = d - 7 * (unsigned)((d * 613566757ull) >> 32);
}
