// Layout, launches and room: ctrans_*, recs6_*, corrwait_*, polywait_*, bounded_*, roomy, hops5, scratch8_*, manysmall_*, halve64_*,
// oddstride_*, biasrow_*, wideload, raggedmean_*. Each pair's YAML says what differs.
// SPDX-License-Identifier: Apache-2.0

/* ---- Complex numbers, w by h ------------------------------------------------------------------------------------------------- */

extern "C" __global__ void ctrans_direct(const float2 *in, float2 *out, int w, int h)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    out[x * h + y] = in[y * w + x];
}

template <int ROW> static __device__ __forceinline__ void turned(const float2 *in, float2 *out, int w, int h)
{
    __shared__ float2 tile[32][ROW];
    int tx = threadIdx.x, x0 = blockIdx.x * 32, y0 = blockIdx.y * 32;
#pragma unroll
    for (int i = threadIdx.y; i < 32; i += 8)
        tile[i][tx] = in[(y0 + i) * w + x0 + tx];
    __syncthreads();
#pragma unroll
    for (int i = threadIdx.y; i < 32; i += 8)
        out[(x0 + i) * h + y0 + tx] = tile[tx][i];
}

extern "C" __global__ void ctrans_tile(const float2 *in, float2 *out, int w, int h)
{
    turned<32>(in, out, w, h);
}

extern "C" __global__ void ctrans_padded(const float2 *in, float2 *out, int w, int h)
{
    turned<33>(in, out, w, h);
}

/* ---- Records of a place and a speed ---------------------------------------------------------------------------------------------- */

extern "C" __global__ void recs6_direct(const float *in, float *out)
{
    int i = 6 * (blockIdx.x * blockDim.x + threadIdx.x);
    for (int k = 0; k < 3; ++k) {
        float v = in[i + 3 + k] * 0.99f;
        out[i + k] = in[i + k] + 0.01f * v;
        out[i + 3 + k] = v;
    }
}

extern "C" __global__ void recs6_staged(const float *in, float *out)
{
    __shared__ float s[1536];
    int t = threadIdx.x, first = blockIdx.x * 1536;
#pragma unroll
    for (int i = t; i < 1536; i += 256)
        s[i] = in[first + i];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 3; ++k) {
        float v = s[6 * t + 3 + k] * 0.99f;
        s[6 * t + k] += 0.01f * v;
        s[6 * t + 3 + k] = v;
    }
    __syncthreads();
#pragma unroll
    for (int i = t; i < 1536; i += 256)
        out[first + i] = s[i];
}

/* ---- The best match of a pattern of 64; a block has a signal, a thread each 256th place ------------------------------------------------ */

static __device__ __forceinline__ float match(const float *tile, const float4 *pattern)
{
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 16; ++k) {
        float4 p = pattern[k];
        const float *at = tile + threadIdx.x + 4 * k;
        sum += p.x * at[0] + p.y * at[1] + p.z * at[2] + p.w * at[3];
    }
    return sum;
}

extern "C" __global__ void corrwait_wait(const float *signal, const float *pattern, float *best, int tiles)
{
    __shared__ __align__(16) float own[64];
    __shared__ float tile[320];
    int t = threadIdx.x;
    const float *from = signal + blockIdx.x * (256 * tiles + 64);
    float most = -1.0e30f;
    if (t < 64)
        own[t] = pattern[t];
    for (int k = 0; k < tiles; ++k) {
        tile[t] = from[k * 256 + t];
        if (t < 64)
            tile[256 + t] = from[k * 256 + 256 + t];
        __syncthreads();
        most = fmaxf(most, match(tile, (const float4 *)own));
        __syncthreads();
    }
    best[blockIdx.x * 256 + t] = most;
}

extern "C" __global__ void corrwait_ahead(const float *signal, const float *pattern, float *best, int tiles)
{
    __shared__ __align__(16) float own[64];
    __shared__ float tile[2][320];
    int t = threadIdx.x;
    const float *from = signal + blockIdx.x * (256 * tiles + 64);
    float most = -1.0e30f, next = from[t], end = t < 64 ? from[256 + t] : 0.0f;
    if (t < 64)
        own[t] = pattern[t];
    for (int k = 0; k < tiles; ++k) {
        float *now = tile[k % 2];
        now[t] = next;
        if (t < 64)
            now[256 + t] = end;
        __syncthreads();
        if (k + 1 < tiles) {
            next = from[(k + 1) * 256 + t];
            end = t < 64 ? from[(k + 1) * 256 + 256 + t] : 0.0f;
        }
        most = fmaxf(most, match(now, (const float4 *)own));
    }
    best[blockIdx.x * 256 + t] = most;
}

/* ---- y = x W: a tile is 16 rows of 32 numbers; a block has 32 columns and 128 threads, 256 tiles at most ---------------------------------- */

static __device__ __forceinline__ void add_parts(float sum, float *y)
{
    __shared__ float part[128];
    int t = threadIdx.x;
    part[t] = sum;
    __syncthreads();
    if (t < 32)
        y[blockIdx.x * 32 + t] = part[t] + part[t + 32] + part[t + 64] + part[t + 96];
}

static __device__ __forceinline__ float four_rows(const float *tile, const float *x)
{
    int row = threadIdx.x / 32 * 4, c = threadIdx.x % 32;
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 4; ++k)
        sum += x[row + k] * tile[(row + k) * 32 + c];
    return sum;
}

extern "C" __global__ void polywait_wait(const float4 *weight, const float *x, float *y, int tiles)
{
    __shared__ __align__(16) float tile[512];
    __shared__ float xs[4096];
    int t = threadIdx.x;
    float sum = 0.0f;
    for (int i = t; i < 16 * tiles; i += 128)
        xs[i] = x[i];
    for (int k = 0; k < tiles; ++k) {
        ((float4 *)tile)[t] = weight[(blockIdx.x * tiles + k) * 128 + t];
        __syncthreads();
        sum += four_rows(tile, xs + 16 * k);
        __syncthreads();
    }
    add_parts(sum, y);
}

static __device__ __forceinline__ void ask(float *tile, const float4 *from)
{
    unsigned to = (unsigned)__cvta_generic_to_shared(tile + threadIdx.x * 4);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" : : "r"(to), "l"(from + threadIdx.x) : "memory");
}

extern "C" __global__ void polywait_three(const float4 *weight, const float *x, float *y, int tiles)
{
    __shared__ __align__(16) float tile[4][512];
    __shared__ float xs[4096];
    const float4 *from = weight + blockIdx.x * tiles * 128;
    float sum = 0.0f;
    for (int k = 0; k < 3; ++k) {
        if (k < tiles)
            ask(tile[k], from + k * 128);
        asm volatile("cp.async.commit_group;" : : : "memory");
    }
    for (int i = threadIdx.x; i < 16 * tiles; i += 128)
        xs[i] = x[i];
    for (int k = 0; k < tiles; ++k) {
        asm volatile("cp.async.wait_group 2;" : : : "memory");
        __syncthreads();
        if (k + 3 < tiles)
            ask(tile[(k + 3) % 4], from + (k + 3) * 128);
        asm volatile("cp.async.commit_group;" : : : "memory");
        sum += four_rows(tile[k % 4], xs + 16 * k);
    }
    add_parts(sum, y);
}

/* ---- Forty sums that forget -------------------------------------------------------------------------------------------------------------------- */

static __device__ __forceinline__ float forty(float v, int m)
{
    float s[40], all = 0.0f;
#pragma unroll
    for (int k = 0; k < 40; ++k)
        s[k] = 0.0f;
    for (int i = 0; i < m; ++i) {
        v = v * 0.9375f + 0.03125f;
#pragma unroll
        for (int k = 0; k < 40; ++k)
            s[k] = s[k] * 0.75f + v * (k + 1.0f);
    }
#pragma unroll
    for (int k = 0; k < 40; ++k)
        all += s[k] * (0.25f / (k + 1.0f));
    return all;
}

extern "C" __launch_bounds__(1024, 2) __global__ void bounded_tight(const float *x, float *y, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = forty(x[i], m);
}

extern "C" __launch_bounds__(256) __global__ void bounded_free(const float *x, float *y, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = forty(x[i], m);
}

/* ---- Room ----------------------------------------------------------------------------------------------------------------------------------------- */

extern __shared__ __align__(16) unsigned char room[];

extern "C" __global__ void roomy(const float *in, float *out)
{
    float *tile = (float *)room;
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    tile[t] = in[i];
    if (t < 64)
        tile[128 + t] = in[i + 128];
    __syncthreads();
    out[i] = tile[t] + tile[t + 16] + tile[t + 32] + tile[t + 48];
}

extern "C" __global__ void hops5(const int *next, int *end)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, at = i;
    for (int k = 0; k < 5; ++k)
        at = next[at];
    end[i] = at;
}

// Word k of all threads is at k n.
template <class T> static __device__ __forceinline__ void count_kinds(const unsigned *in, int *most, int n)
{
    T *count = (T *)room + threadIdx.x;
    int i = blockIdx.x * 128 + threadIdx.x, top = 0;
    for (int k = 0; k < 64; ++k)
        count[k * 128] = 0;
    for (int w = 0; w < 32; ++w) {
        unsigned v = in[w * n + i];
#pragma unroll
        for (int e = 0; e < 32; e += 8)
            count[(v >> e & 63) * 128]++;
    }
    for (int k = 0; k < 64; ++k)
        top = max(top, (int)count[k * 128]);
    most[i] = top;
}

extern "C" __global__ void scratch8_words(const unsigned *in, int *most, int n)
{
    count_kinds<unsigned>(in, most, n);
}

extern "C" __global__ void scratch8_bytes(const unsigned *in, int *most, int n)
{
    count_kinds<unsigned char>(in, most, n);
}

// 4096 numbers a block of 256 threads; the tile takes 16 KB.
extern "C" __global__ void wideload(const float4 *in, float4 *out)
{
    __shared__ float warps[8];
    float4 *tile = (float4 *)room;
    int t = threadIdx.x;
    size_t first = (size_t)blockIdx.x * 1024 + t;
    float m = 0.0f;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        float4 v = in[first + i * 256];
        tile[i * 256 + t] = v;
        m = fmaxf(m, fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)));
    }
    for (int offset = 16; offset > 0; offset /= 2)
        m = fmaxf(m, __shfl_xor_sync(0xffffffff, m, offset));
    if (t % 32 == 0)
        warps[t / 32] = m;
    __syncthreads();
#pragma unroll
    for (int w = 0; w < 8; ++w)
        m = fmaxf(m, warps[w]);
    m = 1.0f / m;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        float4 v = tile[i * 256 + t];
        out[first + i * 256] = make_float4(v.x * m, v.y * m, v.z * m, v.w * m);
    }
}

/* ---- Streams ------------------------------------------------------------------------------------------------------------------------------------------- */

extern "C" __global__ void manysmall_first(const float *in, float *sum, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        sum[i] = in[i];
}

extern "C" __global__ void manysmall_next(const float *in, float *sum, int n, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        sum[i] += in[k * n + i];
}

extern "C" __global__ void manysmall_all(const float *in, float *sum, int n, int vectors)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float all = 0.0f;
    for (int k = 0; k < vectors; ++k)
        all += in[k * n + i];
    sum[i] = all;
}

extern "C" __global__ void halve64_literal(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i] * 0.7 + 1.0;
}

extern "C" __global__ void halve64_float(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i] * 0.7f + 1.0f;
}

template <int PAD> static __device__ __forceinline__ void swapped(const float2 *in, float *out)
{
    __shared__ float s[528];
    int t = threadIdx.x;
    float2 v = in[blockIdx.x * 256 + t];
    s[2 * t + t / 16 * PAD] = v.y;
    s[2 * t + 1 + t / 16 * PAD] = v.x;
    __syncthreads();
    out[blockIdx.x * 512 + t] = s[t + t / 32 * PAD];
    out[blockIdx.x * 512 + t + 256] = s[t + 256 + (t + 256) / 32 * PAD];
}

extern "C" __global__ void oddstride_plain(const float2 *in, float *out)
{
    swapped<0>(in, out);
}

extern "C" __global__ void oddstride_apart(const float2 *in, float *out)
{
    swapped<1>(in, out);
}

static __device__ __forceinline__ float4 added(float4 v, float4 b)
{
    return make_float4(v.x + b.x, v.y + b.y, v.z + b.z, v.w + b.w);
}

extern "C" __global__ void biasrow_flat(const float4 *x, const float4 *bias, float4 *y, int cols, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = added(x[i], bias[i % cols]);
}

extern "C" __global__ void biasrow_grid(const float4 *x, const float4 *bias, float4 *y, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    y[blockIdx.y * cols + c] = added(x[blockIdx.y * cols + c], bias[c]);
}

/* ---- Segments, a warp each ------------------------------------------------------------------------------------------------------------------------------- */

static __device__ __forceinline__ void mean_of(const int *starts, const float *x, float *mean, int s)
{
    int lane = threadIdx.x % 32, first = starts[s], end = starts[s + 1];
    float sum = 0.0f;
    for (int i = first + lane; i < end; i += 32)
        sum += x[i];
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, offset);
    if (lane == 0)
        mean[s] = end > first ? sum / (end - first) : 0.0f;
}

extern "C" __global__ void raggedmean_bands(const int *starts, const float *x, float *mean, int segments)
{
    int each = (segments + gridDim.x - 1) / gridDim.x, first = blockIdx.x * each, end = min(first + each, segments);
    for (int s = first + threadIdx.x / 32; s < end; s += 4)
        mean_of(starts, x, mean, s);
}

extern "C" __global__ void raggedmean_turns(const int *starts, const float *x, float *mean, int segments)
{
    for (int s = blockIdx.x * 4 + threadIdx.x / 32; s < segments; s += gridDim.x * 4)
        mean_of(starts, x, mean, s);
}
