// Cases to tune by: march_*, sums_*, emboss_*, decay_*, means_*, degrees_*, spans_*, trimmed_*, hops_*, affine_*. Each pair's YAML
// says what differs.
// SPDX-License-Identifier: Apache-2.0

/* ---- Rays from the plane z = -2 to a sphere in the middle: how many steps ------------------------------------------------------- */

enum { MARCH_STEPS = 96 };

static __device__ __forceinline__ void march_row(unsigned char *out, int w, int h, int y)
{
    for (int x = threadIdx.x; x < w; x += blockDim.x) {
        float px = -2 + 4.0f * (float)x / (float)w, py = -2 + 4.0f * (float)y / (float)h, z = -2;
        int steps = 0;
        while (steps < MARCH_STEPS && z < 2) {
            float d = sqrtf(px * px + py * py + z * z) - 0.75f;
            z += fmaxf(d * 0.125f, 0.001f);
            steps++;
        }
        out[y * w + x] = (unsigned char)steps;
    }
}

extern "C" __global__ void march_bands(unsigned char *out, int w, int h)
{
    int rows = h / gridDim.x;
    for (int y = blockIdx.x * rows; y < (int)(blockIdx.x + 1) * rows; y++)
        march_row(out, w, h, y);
}

extern "C" __global__ void march_turns(unsigned char *out, int w, int h)
{
    for (int y = blockIdx.x; y < h; y += gridDim.x)
        march_row(out, w, h, y);
}

/* ---- Sums of values by keys that are sorted ---------------------------------------------------------------------------------------- */

extern "C" __global__ void sums_each(float *sum, const int *key, const float *value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&sum[key[i]], value[i]);
}

extern "C" __global__ void sums_runs(float *sum, const int4 *key, const float4 *value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int4 k = key[i];
    float4 v = value[i];
    float own = v.x;
    if (k.y != k.x) {
        atomicAdd(&sum[k.x], own);
        own = 0;
    }
    own += v.y;
    if (k.z != k.y) {
        atomicAdd(&sum[k.y], own);
        own = 0;
    }
    own += v.z;
    if (k.w != k.z) {
        atomicAdd(&sum[k.z], own);
        own = 0;
    }
    atomicAdd(&sum[k.w], own + v.w);
}

enum { SUMS_WINDOW = 128 };

extern "C" __global__ void sums_window(float *sum, const int4 *key, const float4 *value)
{
    __shared__ float window[SUMS_WINDOW];
    int i = blockIdx.x * blockDim.x + threadIdx.x, first = key[blockIdx.x * blockDim.x].x;
    if (threadIdx.x < SUMS_WINDOW)
        window[threadIdx.x] = 0;
    __syncthreads();
    int4 k = key[i];
    float4 v = value[i];
    int keys[4] = {k.x, k.y, k.z, k.w};
    float values[4] = {v.x, v.y, v.z, v.w}, own = 0;
    for (int j = 0; j < 4; j++) {
        own += values[j];
        if (j == 3 || keys[j + 1] != keys[j]) {
            float *to = keys[j] - first < SUMS_WINDOW ? &window[keys[j] - first] : &sum[keys[j]];
            atomicAdd(to, own);
            own = 0;
        }
    }
    __syncthreads();
    if (threadIdx.x < SUMS_WINDOW && window[threadIdx.x] != 0)
        atomicAdd(&sum[first + threadIdx.x], window[threadIdx.x]);
}

/* ---- Weighted sums over 7 by 7 neighbours; the picture has a margin ----------------------------------------------------------------- */

enum { REACH = 7 };

static __device__ __forceinline__ float emboss_weight(int dx, int dy)
{
    return (float)(dx * 3 - dy * 2) * 0.0625f + 0.25f;
}

extern "C" __global__ void emboss_direct(float *out, const float *in, int w, int pitch)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
#pragma unroll
    for (int dy = 0; dy < REACH; dy++)
#pragma unroll
        for (int dx = 0; dx < REACH; dx++)
            sum += emboss_weight(dx, dy) * in[(y + dy) * pitch + x + dx];
    out[y * w + x] = sum;
}

extern "C" __global__ void emboss_tile(float *out, const float *in, int w, int pitch)
{
    __shared__ float tile[8 + REACH - 1][32 + REACH - 1];
    int x0 = blockIdx.x * 32, y0 = blockIdx.y * 8, t = threadIdx.y * 32 + threadIdx.x;
    for (int i = t; i < (8 + REACH - 1) * (32 + REACH - 1); i += 256)
        tile[i / (32 + REACH - 1)][i % (32 + REACH - 1)] =
            in[(y0 + i / (32 + REACH - 1)) * pitch + x0 + i % (32 + REACH - 1)];
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int dy = 0; dy < REACH; dy++)
#pragma unroll
        for (int dx = 0; dx < REACH; dx++)
            sum += emboss_weight(dx, dy) * tile[threadIdx.y + dy][threadIdx.x + dx];
    out[(y0 + threadIdx.y) * w + x0 + threadIdx.x] = sum;
}

// Four results below each other per thread: a row of seven serves up to four of them.
extern "C" __global__ void emboss_strip(float *out, const float *in, int w, int pitch)
{
    enum { EACH = 4 };
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = (blockIdx.y * blockDim.y + threadIdx.y) * EACH;
    float sum[EACH] = {0};
#pragma unroll
    for (int r = 0; r < REACH + EACH - 1; r++) {
        float row[REACH];
#pragma unroll
        for (int dx = 0; dx < REACH; dx++)
            row[dx] = in[(y + r) * pitch + x + dx];
#pragma unroll
        for (int e = 0; e < EACH; e++)
            if (r >= e && r - e < REACH)
#pragma unroll
                for (int dx = 0; dx < REACH; dx++)
                    sum[e] += emboss_weight(dx, r - e) * row[dx];
    }
#pragma unroll
    for (int e = 0; e < EACH; e++)
        out[(y + e) * w + x] = sum[e];
}

/* ---- Decay of five fields: exact functions on a stream --------------------------------------------------------------------------------- */

extern "C" __global__ void decay_exact(float *out, const float *a, const float *b, const float *c, const float *t)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float rate = logf(a[i] / b[i]), left = expf(-rate * t[i]);
    out[i] = a[i] * left / (1 + c[i] * (1 - left)) + sqrtf(rate * rate + t[i]) / c[i];
}

extern "C" __global__ void decay_fast(float *out, const float *a, const float *b, const float *c, const float *t)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float rate = __logf(__fdividef(a[i], b[i])), left = __expf(-rate * t[i]), s = rate * rate + t[i];
    out[i] = __fdividef(a[i] * left, 1 + c[i] * (1 - left)) + __fdividef(s * rsqrtf(s), c[i]);
}

/* ---- Mean squares of groups of 512 ------------------------------------------------------------------------------------------------------ */

extern "C" __global__ void means_tree(float *out, const float *in)
{
    __shared__ float part[512];
    int t = threadIdx.x;
    float v = in[(size_t)blockIdx.x * 512 + t];
    part[t] = v * v;
    __syncthreads();
    for (int d = 256; d > 0; d /= 2) {
        if (t < d)
            part[t] += part[t + d];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = part[0] / 512;
}

extern "C" __global__ void means_shuffle(float *out, const float *in)
{
    __shared__ float part[16];
    int t = threadIdx.x;
    float v = in[(size_t)blockIdx.x * 512 + t];
    v *= v;
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_xor_sync(0xffffffff, v, d);
    if (t % 32 == 0)
        part[t / 32] = v;
    __syncthreads();
    if (t >= 32)
        return;
    v = part[t % 16];
    for (int d = 8; d > 0; d /= 2)
        v += __shfl_xor_sync(0xffffffff, v, d);
    if (t == 0)
        out[blockIdx.x] = v / 512;
}

/* ---- Sums over the neighbours of each vertex: lists of very unequal length ---------------------------------------------------------------- */

extern "C" __global__ void degrees_thread(float *out, const int *starts, const int *edges, const float *weight)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = starts[i]; k < starts[i + 1]; k++)
        sum += weight[edges[k]];
    out[i] = sum;
}

extern "C" __global__ void degrees_warp(float *out, const int *starts, const int *edges, const float *weight)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float mine = 0;
    for (int j = 0; j < 32; j++) {
        int i = warp * 32 + j;
        float sum = 0;
        for (int k = starts[i] + lane; k < starts[i + 1]; k += 32)
            sum += weight[edges[k]];
        for (int d = 16; d > 0; d /= 2)
            sum += __shfl_xor_sync(0xffffffff, sum, d);
        mine = lane == j ? sum : mine;
    }
    out[warp * 32 + lane] = mine;
}

/* ---- The largest of each of twelve long rows ------------------------------------------------------------------------------------------------ */

static __device__ __forceinline__ void spans_block_max(int *out, float v)
{
    for (int d = 16; d > 0; d /= 2)
        v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, d));
    if (threadIdx.x % 32 == 0)
        atomicMax(out, __float_as_int(v)); // of numbers from 0 on: their bits have the same order
}

extern "C" __global__ void spans_block(int *out, const float *in, int n)
{
    float most = 0;
    for (int k = threadIdx.x; k < n; k += blockDim.x)
        most = fmaxf(most, in[(size_t)blockIdx.x * n + k]);
    spans_block_max(&out[blockIdx.x], most);
}

extern "C" __global__ void spans_blocks(int *out, const float *in, int n)
{
    float most = 0;
    for (int k = blockIdx.y * blockDim.x + threadIdx.x; k < n; k += gridDim.y * blockDim.x)
        most = fmaxf(most, in[(size_t)blockIdx.x * n + k]);
    spans_block_max(&out[blockIdx.x], most);
}

/* ---- Means of seven neighbours without the least and the largest two ------------------------------------------------------------------------ */

extern "C" __global__ void trimmed_sorted(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float kept[7];
    for (int k = 0; k < 7; k++) {
        float v = in[i + k];
        int at = k;
        while (at > 0 && kept[at - 1] > v) {
            kept[at] = kept[at - 1];
            at--;
        }
        kept[at] = v;
    }
    out[i] = (kept[2] + kept[3] + kept[4]) / 3;
}

extern "C" __global__ void trimmed_network(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v[7];
#pragma unroll
    for (int k = 0; k < 7; k++)
        v[k] = in[i + k];
#pragma unroll
    for (int round = 0; round < 7; round++)
#pragma unroll
        for (int k = round % 2; k + 1 < 7; k += 2) {
            float low = fminf(v[k], v[k + 1]);
            v[k + 1] = fmaxf(v[k], v[k + 1]);
            v[k] = low;
        }
    out[i] = (v[2] + v[3] + v[4]) / 3;
}

/* ---- Walks over a table: 64 hops from each start ---------------------------------------------------------------------------------------------- */

extern "C" __global__ void hops_one(int *out, const int *next, int starts)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < starts; i += gridDim.x * blockDim.x) {
        int at = i;
        for (int k = 0; k < 64; k++)
            at = next[at];
        out[i] = at;
    }
}

extern "C" __global__ void hops_four(int *out, const int *next, int starts)
{
    int all = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < starts; i += 4 * all) {
        int at[4] = {i, i + all, i + 2 * all, i + 3 * all};
        for (int k = 0; k < 64; k++)
#pragma unroll
            for (int j = 0; j < 4; j++)
                at[j] = next[at[j]];
#pragma unroll
        for (int j = 0; j < 4; j++)
            out[i + j * all] = at[j];
    }
}

/* ---- A factor for each row, a number to add for each column ------------------------------------------------------------------------------------ */

extern "C" __global__ void affine_flat(float *out, const float *in, const float *by, const float *plus, int columns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] * by[i / columns] + plus[i % columns];
}

extern "C" __global__ void affine_rows(float *out, const float *in, const float *by, const float *plus, int columns)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * columns + x;
    out[i] = in[i] * by[blockIdx.y] + plus[x];
}

extern "C" __global__ void affine_vectors(float4 *out, const float4 *in, const float *by, const float4 *plus, int columns)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * (columns / 4) + x;
    float4 v = in[i], p = plus[x];
    float f = by[blockIdx.y];
    out[i] = make_float4(v.x * f + p.x, v.y * f + p.y, v.z * f + p.z, v.w * f + p.w);
}
