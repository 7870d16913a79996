// The rest of the cases to tune by: functions, barriers, atomics, launches, f64, narrow accesses, divisions; and changes in vain.
// SPDX-License-Identifier: Apache-2.0

/* ---- Sums of eight harmonics ---- */

extern "C" __global__ void harmonics_exact(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i], sum = 0;
    for (int k = 1; k <= 8; k++)
        sum += expf(-0.1f * (float)k * x) / (1.0f + (float)k * x);
    out[i] = sum;
}

extern "C" __global__ void harmonics_fast(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i], sum = 0;
    for (int k = 1; k <= 8; k++)
        sum += __fdividef(__expf(-0.1f * (float)k * x), 1.0f + (float)k * x);
    out[i] = sum;
}

/* ---- Lengths of vectors, made one ---- */

extern "C" __global__ void unit_exact(float4 *out, const float4 *in, int turns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = in[i];
    for (int k = 0; k < turns; k++) {
        float length = sqrtf(v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w);
        v = make_float4(v.x / length, v.y / length + 0.1f, v.z / length, v.w / length);
    }
    out[i] = v;
}

extern "C" __global__ void unit_fast(float4 *out, const float4 *in, int turns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = in[i];
    for (int k = 0; k < turns; k++) {
        float by = rsqrtf(v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w);
        v = make_float4(v.x * by, v.y * by + 0.1f, v.z * by, v.w * by);
    }
    out[i] = v;
}

/* ---- Running sums within groups of 1024 ---- */

extern "C" __global__ void ladder_steps(float *out, const float *in)
{
    __shared__ float part[2][1024];
    int t = threadIdx.x, from = 0;
    size_t i = (size_t)blockIdx.x * 1024 + t;
    part[0][t] = in[i];
    __syncthreads();
    for (int d = 1; d < 1024; d *= 2) {
        part[1 - from][t] = part[from][t] + (t >= d ? part[from][t - d] : 0);
        from = 1 - from;
        __syncthreads();
    }
    out[i] = part[from][t];
}

extern "C" __global__ void ladder_warps(float *out, const float *in)
{
    __shared__ float sums[32];
    int t = threadIdx.x, lane = t % 32;
    size_t i = (size_t)blockIdx.x * 1024 + t;
    float v = in[i];
    for (int d = 1; d < 32; d *= 2) {
        float below = __shfl_up_sync(0xffffffff, v, d);
        v += lane >= d ? below : 0;
    }
    if (lane == 31)
        sums[t / 32] = v;
    __syncthreads();
    if (t < 32) {
        float s = sums[t];
        for (int d = 1; d < 32; d *= 2) {
            float below = __shfl_up_sync(0xffffffff, s, d);
            s += t >= d ? below : 0;
        }
        sums[t] = s;
    }
    __syncthreads();
    out[i] = v + (t >= 32 ? sums[t / 32 - 1] : 0);
}

/* ---- Rings of 32 places that even out ---- */

enum { SWEEPS = 64 };

extern "C" __global__ void rings_block(float *out, const float *in)
{
    __shared__ float ring[2][256];
    int t = threadIdx.x, base = t / 32 * 32, left = base + (t + 31) % 32, right = base + (t + 1) % 32, from = 0;
    ring[0][t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int k = 0; k < SWEEPS; k++) {
        ring[1 - from][t] = 0.25f * (ring[from][left] + ring[from][right]) + 0.5f * ring[from][t];
        from = 1 - from;
        __syncthreads();
    }
    out[blockIdx.x * 256 + t] = ring[from][t];
}

extern "C" __global__ void rings_warp(float *out, const float *in)
{
    int t = threadIdx.x, lane = t % 32;
    float own = in[blockIdx.x * 256 + t];
    for (int k = 0; k < SWEEPS; k++) {
        float left = __shfl_sync(0xffffffff, own, lane + 31), right = __shfl_sync(0xffffffff, own, lane + 1);
        own = 0.25f * (left + right) + 0.5f * own;
    }
    out[blockIdx.x * 256 + t] = own;
}

/* ---- How often each of four letters stands in a part of the text ---- */

extern "C" __global__ void letters_shared(int *out, const unsigned *text)
{
    __shared__ int count[4];
    if (threadIdx.x < 4)
        count[threadIdx.x] = 0;
    __syncthreads();
    for (int k = 0; k < 4; k++) {
        unsigned four = text[(blockIdx.x * 4 + k) * 256 + threadIdx.x];
        for (int j = 0; j < 4; j++)
            atomicAdd(&count[four >> 8 * j & 3], 1);
    }
    __syncthreads();
    if (threadIdx.x < 4)
        out[blockIdx.x * 4 + threadIdx.x] = count[threadIdx.x];
}

extern "C" __global__ void letters_registers(int *out, const unsigned *text)
{
    __shared__ int count[4];
    if (threadIdx.x < 4)
        count[threadIdx.x] = 0;
    __syncthreads();
    unsigned own = 0; // a byte each, at most 16
    for (int k = 0; k < 4; k++) {
        unsigned four = text[(blockIdx.x * 4 + k) * 256 + threadIdx.x];
        for (int j = 0; j < 4; j++)
            own += 1u << 8 * (four >> 8 * j & 3);
    }
    for (int c = 0; c < 4; c++) {
        int sum = __reduce_add_sync(0xffffffff, own >> 8 * c & 255);
        if (threadIdx.x % 32 == 0)
            atomicAdd(&count[c], sum);
    }
    __syncthreads();
    if (threadIdx.x < 4)
        out[blockIdx.x * 4 + threadIdx.x] = count[threadIdx.x];
}

/* ---- Sums by kind, a few kinds are frequent ---- */

enum { KINDS = 64 };

extern "C" __global__ void kinds_shared(int *out, const int *kind, int n)
{
    __shared__ int sum[KINDS];
    if (threadIdx.x < KINDS)
        sum[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&sum[kind[i]], 1);
    __syncthreads();
    if (threadIdx.x < KINDS)
        atomicAdd(&out[threadIdx.x], sum[threadIdx.x]);
}

// 32 copies, one a lane.
extern "C" __global__ void kinds_copies(int *out, const int *kind, int n)
{
    __shared__ int sum[KINDS * 32];
    for (int k = threadIdx.x; k < KINDS * 32; k += blockDim.x)
        sum[k] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&sum[kind[i] * 32 + threadIdx.x % 32], 1);
    __syncthreads();
    for (int k = threadIdx.x / 32; k < KINDS; k += blockDim.x / 32) {
        int all = __reduce_add_sync(0xffffffff, sum[k * 32 + threadIdx.x % 32]);
        if (threadIdx.x % 32 == 0)
            atomicAdd(&out[k], all);
    }
}

/* ---- Heat by zone ---- */

extern "C" __global__ void zones_each(float *out, const float *in, const int *zone)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&out[zone[i]], in[i]);
}

extern "C" __global__ void zones_block(float *out, const float *in, const int *zone, int n)
{
    __shared__ float sum[256];
    sum[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
        atomicAdd(&sum[zone[i]], in[i]);
    __syncthreads();
    atomicAdd(&out[threadIdx.x], sum[threadIdx.x]);
}

/* ---- Walks over a table, a few of them in a block or many ---- */

extern "C" __global__ void walkers_step(int *out, const int *next)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, at = i;
    for (int k = 0; k < 8; k++)
        at = next[at];
    out[i] = at;
}

/* ---- A smooth of 16 parts with a wave and a little left over ---- */

static __device__ __forceinline__ float leftover_of(float x)
{
    for (int k = 0; k < 200; k++)
        x = x * 0.99f + 0.01f;
    return x;
}

extern "C" __global__ void leftover_wave(float *out, const float *in, int each)
{
    for (int k = 0; k < each; k++) {
        int i = (blockIdx.x * each + k) * blockDim.x + threadIdx.x;
        out[i] = leftover_of(in[i]);
    }
}

extern "C" __global__ void leftover_even(float *out, const float *in, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = leftover_of(in[i]);
}

/* ---- Sixteen steps of growth ---- */

extern "C" __global__ void growth_step(float *x, const float *rate)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] += rate[i] * x[i] * (1 - x[i]);
}

extern "C" __global__ void growth_all(float *x, const float *rate)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = x[i], r = rate[i];
    for (int k = 0; k < 16; k++)
        v += r * v * (1 - v);
    x[i] = v;
}

/* ---- Sums of squares of eight signals ---- */

extern "C" __global__ void signals_one(float *out, const float *in, int n, int signal)
{
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += in[(size_t)signal * n + i] * in[(size_t)signal * n + i];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (threadIdx.x % 32 == 0)
        atomicAdd(&out[signal], sum);
}

extern "C" __global__ void signals_all(float *out, const float *in, int n)
{
    int signal = blockIdx.y;
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += in[(size_t)signal * n + i] * in[(size_t)signal * n + i];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (threadIdx.x % 32 == 0)
        atomicAdd(&out[signal], sum);
}

/* ---- Refraction: literals ---- */

extern "C" __global__ void lens_literals(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];
    for (int k = 0; k < 8; k++)
        x = 0.25 * x * x + 0.5 * x + 0.125;
    out[i] = x;
}

extern "C" __global__ void lens_floats(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];
    for (int k = 0; k < 8; k++)
        x = 0.25f * x * x + 0.5f * x + 0.125f;
    out[i] = x;
}

/* ---- Two pictures, half and half ---- */

extern "C" __global__ void fade_bytes(unsigned char *out, const unsigned char *a, const unsigned char *b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = (unsigned char)((a[i] + b[i]) / 2);
}

extern "C" __global__ void fade_words(uint4 *out, const uint4 *a, const uint4 *b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    uint4 x = a[i], y = b[i];
    out[i] = make_uint4(__vhaddu4(x.x, y.x), __vhaddu4(x.y, y.y), __vhaddu4(x.z, y.z), __vhaddu4(x.w, y.w));
}

/* ---- Rows of 2048 to mean 0 and variance 1 ---- */

static __device__ __forceinline__ float block_sum(float v, float *part)
{
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_xor_sync(0xffffffff, v, d);
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = v;
    __syncthreads();
    v = 0;
    for (int k = 0; k < 8; k++)
        v += part[k];
    return v;
}

extern "C" __global__ void zscore_passes(float *out, const float *in)
{
    __shared__ float part[8];
    const float *row = in + (size_t)blockIdx.x * 2048;
    float sum = 0, squares = 0;
    for (int k = threadIdx.x; k < 2048; k += 256)
        sum += row[k];
    float mean = block_sum(sum, part) / 2048;
    for (int k = threadIdx.x; k < 2048; k += 256)
        squares += (row[k] - mean) * (row[k] - mean);
    float by = rsqrtf(block_sum(squares, part) / 2048 + 1e-6f);
    for (int k = threadIdx.x; k < 2048; k += 256)
        out[(size_t)blockIdx.x * 2048 + k] = (row[k] - mean) * by;
}

extern "C" __global__ void zscore_kept(float *out, const float *in)
{
    __shared__ float part[8];
    const float *row = in + (size_t)blockIdx.x * 2048;
    float own[8], sum = 0, squares = 0;
    for (int k = 0; k < 8; k++)
        own[k] = row[256 * k + threadIdx.x];
    for (int k = 0; k < 8; k++)
        sum += own[k];
    float mean = block_sum(sum, part) / 2048;
    for (int k = 0; k < 8; k++)
        squares += (own[k] - mean) * (own[k] - mean);
    float by = rsqrtf(block_sum(squares, part) / 2048 + 1e-6f);
    for (int k = 0; k < 8; k++)
        out[(size_t)blockIdx.x * 2048 + 256 * k + threadIdx.x] = (own[k] - mean) * by;
}

/* ---- Places of a box, by number ---- */

extern "C" __global__ void places_divide(float *out, const float *in, int w, int h)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int x = i % w, y = i / w % h, z = i / (w * h);
    out[i] = in[i] * (float)(x + 2 * y + 3 * z);
}

extern "C" __global__ void places_shift(float *out, const float *in, int lw, int lh)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int x = i & ((1 << lw) - 1), y = i >> lw & ((1 << lh) - 1), z = i >> (lw + lh);
    out[i] = in[i] * (float)(x + 2 * y + 3 * z);
}

/* ---- Backwards: already coalesced ---- */

extern "C" __global__ void flipped_direct(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[n - 1 - i];
}

extern "C" __global__ void flipped_staged(float *out, const float *in, int n)
{
    __shared__ float tile[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    tile[255 - t] = in[n - (blockIdx.x + 1) * 256 + t];
    __syncthreads();
    out[i] = tile[t];
}

/* ---- A cheap branch ---- */

extern "C" __global__ void guarded_branch(float4 *out, const float4 *in, const int *mask)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = in[i];
    if (mask[i] > 0) {
        v.x = sqrtf(v.x);
        v.y = sqrtf(v.y);
        v.z = sqrtf(v.z);
        v.w = sqrtf(v.w);
    }
    out[i] = v;
}

extern "C" __global__ void guarded_always(float4 *out, const float4 *in, const int *mask)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = in[i];
    bool on = mask[i] > 0;
    float x = sqrtf(v.x), y = sqrtf(v.y), z = sqrtf(v.z), w = sqrtf(v.w);
    out[i] = make_float4(on ? x : v.x, on ? y : v.y, on ? z : v.z, on ? w : v.w);
}

/* ---- A stream of vectors ---- */

extern "C" __global__ void halved_one(float4 *out, const float4 *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = in[i];
    out[i] = make_float4(v.x / 2, v.y / 2, v.z / 2, v.w / 2);
}

extern "C" __global__ void halved_two(float4 *out, const float4 *in)
{
    int i = blockIdx.x * 2 * blockDim.x + threadIdx.x;
    float4 v = in[i], w = in[i + blockDim.x];
    out[i] = make_float4(v.x / 2, v.y / 2, v.z / 2, v.w / 2);
    out[i + blockDim.x] = make_float4(w.x / 2, w.y / 2, w.z / 2, w.w / 2);
}

/* ---- Columns of small tiles, added up ---- */

extern "C" __global__ void tiles_rows(float *out, const float *in)
{
    __shared__ float tile[32 * 32];
    int t = threadIdx.x;
    for (int k = t; k < 1024; k += 32)
        tile[k] = in[(size_t)blockIdx.x * 1024 + k];
    __syncwarp();
    float sum = 0;
    for (int k = 0; k < 32; k++)
        sum = 0.5f * sum + tile[t * 32 + k];
    out[blockIdx.x * 32 + t] = sum;
}

extern "C" __global__ void tiles_padded(float *out, const float *in)
{
    __shared__ float tile[32 * 33];
    int t = threadIdx.x;
    for (int k = t; k < 1024; k += 32)
        tile[k / 32 * 33 + k % 32] = in[(size_t)blockIdx.x * 1024 + k];
    __syncwarp();
    float sum = 0;
    for (int k = 0; k < 32; k++)
        sum = 0.5f * sum + tile[t * 33 + k];
    out[blockIdx.x * 32 + t] = sum;
}

/* ---- Variances of sixteen channels ---- */

extern "C" __global__ void channels_part(float *out, const float *in, int n)
{
    float sum = 0;
    const float *own = in + (size_t)blockIdx.x * n;
    for (int i = blockIdx.y * blockDim.x + threadIdx.x; i < n; i += gridDim.y * blockDim.x)
        sum += own[i] * own[i];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (threadIdx.x % 32 == 0)
        atomicAdd(&out[blockIdx.x], sum);
}

/* ---- The largest of 3 by 3 ---- */

extern "C" __global__ void swell_direct(float *out, const float *in, int w, int pitch)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    float most = 0;
    for (int dy = 0; dy < 3; dy++)
        for (int dx = 0; dx < 3; dx++)
            most = fmaxf(most, in[(y + dy) * pitch + x + dx]);
    out[y * w + x] = most;
}

extern "C" __global__ void swell_column(float *out, const float *in, int w, int pitch)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = (blockIdx.y * 8 + threadIdx.y) * 4;
    float row[6];
    for (int dy = 0; dy < 6; dy++) {
        const float *p = in + (y + dy) * pitch + x;
        row[dy] = fmaxf(fmaxf(p[0], p[1]), p[2]);
    }
    for (int k = 0; k < 4; k++)
        out[(y + k) * w + x] = fmaxf(fmaxf(fmaxf(row[k], row[k + 1]), row[k + 2]), 0.0f);
}
