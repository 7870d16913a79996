// Cases to tune by, where several causes compete: each pair's YAML says what differs.
// SPDX-License-Identifier: Apache-2.0

/* ---- A polynomial of degree 63 ---- */

enum { DEGREE = 64 };

static __device__ __forceinline__ float quartic_weight(int k)
{
    return 1.0f / (float)(k + 1) - 0.25f;
}

extern "C" __global__ void quartic_one(float *out, const float *in, int n)
{
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float x = in[i], sum = 0;
#pragma unroll
        for (int k = DEGREE - 1; k >= 0; k--)
            sum = sum * x + quartic_weight(k);
        out[i] = sum;
    }
}

extern "C" __global__ void quartic_four(float *out, const float *in, int n)
{
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float x = in[i], x2 = x * x, x4 = x2 * x2, part[4] = {0};
#pragma unroll
        for (int k = DEGREE - 4; k >= 0; k -= 4)
#pragma unroll
            for (int j = 0; j < 4; j++)
                part[j] = part[j] * x4 + quartic_weight(k + j);
        out[i] = (part[0] + part[1] * x) + (part[2] + part[3] * x) * x2;
    }
}

/* ---- Rows less their largest ---- */

static __device__ __forceinline__ float largest_of_block(float v, float *part)
{
    for (int d = 16; d > 0; d /= 2)
        v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, d));
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = v;
    __syncthreads();
    for (int k = 0; k < (int)blockDim.x / 32; k++)
        v = fmaxf(v, part[k]);
    return v;
}

extern "C" __global__ void lowered_block(float *out, const float *in, int n)
{
    __shared__ float part[32];
    const float *row = in + (size_t)blockIdx.x * n;
    float most = -1e30f;
    for (int k = threadIdx.x; k < n; k += blockDim.x)
        most = fmaxf(most, row[k]);
    most = largest_of_block(most, part);
    for (int k = threadIdx.x; k < n; k += blockDim.x)
        out[(size_t)blockIdx.x * n + k] = row[k] - most;
}

extern "C" __global__ void lowered_find(float *most, const float *in, int n)
{
    __shared__ float part[32];
    const float *row = in + (size_t)blockIdx.x * n;
    float own = -1e30f;
    for (int k = blockIdx.y * blockDim.x + threadIdx.x; k < n; k += gridDim.y * blockDim.x)
        own = fmaxf(own, row[k]);
    own = largest_of_block(own, part);
    if (threadIdx.x == 0)
        most[blockIdx.x * gridDim.y + blockIdx.y] = own;
}

extern "C" __global__ void lowered_apply(float *out, const float *in, const float *most, int n)
{
    float own = -1e30f;
    for (int k = 0; k < (int)gridDim.y; k++)
        own = fmaxf(own, most[blockIdx.x * gridDim.y + k]);
    for (int k = blockIdx.y * blockDim.x + threadIdx.x; k < n; k += gridDim.y * blockDim.x)
        out[(size_t)blockIdx.x * n + k] = in[(size_t)blockIdx.x * n + k] - own;
}

/* ---- Elements of four kinds, each with a table of its own ---- */

static __device__ __forceinline__ float kinds4_of(int kind, float x, const float *table)
{
    int at = (int)(x * 1023.0f);
    if (kind == 0)
        return table[at] * x;
    if (kind == 1)
        return table[1024 + at] * table[2047 - at] + 1;
    if (kind == 2)
        return sqrtf(table[2048 + at]) - x;
    return table[3072 + at] * 0.5f + table[4095 - at] * x;
}

extern "C" __global__ void kinds4_mixed(float *out, const float *in, const float *table)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = kinds4_of(i % 4, in[i], table);
}

extern "C" __global__ void kinds4_grouped(float *out, const float *in, const float *table)
{
    __shared__ float x[256];
    int t = threadIdx.x, kind = t / 64, at = t % 64 * 4 + kind;
    x[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    x[at] = kinds4_of(kind, x[at], table);
    __syncthreads();
    out[blockIdx.x * 256 + t] = x[t];
}

/* ---- Walks of 16 hops, with more or less scratch space ---- */

template <int WORDS>
static __device__ __forceinline__ void pools_walk(int *out, const int *next)
{
    __shared__ int scratch[WORDS];
    int i = blockIdx.x * blockDim.x + threadIdx.x, at = i;
    for (int k = 0; k < 16; k++)
        at = next[at];
    scratch[threadIdx.x] = at;
    __syncthreads();
    out[i] = scratch[blockDim.x - 1 - threadIdx.x];
}

extern "C" __global__ void pools_large(int *out, const int *next)
{
    pools_walk<11264>(out, next);
}

extern "C" __global__ void pools_small(int *out, const int *next)
{
    pools_walk<128>(out, next);
}

/* ---- How many edges come in ---- */

extern "C" __global__ void indegree_each(int *count, const int *to, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&count[to[i]], 1);
}

enum { NODES = 2048 };

extern "C" __global__ void indegree_block(int *count, const int *to, int n)
{
    __shared__ int own[NODES];
    for (int k = threadIdx.x; k < NODES; k += blockDim.x)
        own[k] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&own[to[i]], 1);
    __syncthreads();
    for (int k = threadIdx.x; k < NODES; k += blockDim.x)
        if (own[k] > 0)
            atomicAdd(&count[k], own[k]);
}

/* ---- Sums of lists, a block each or in pieces ---- */

static __device__ __forceinline__ void queues_sum(float *out, const float *value, int from, int to)
{
    float sum = 0;
    for (int k = from + (int)threadIdx.x; k < to; k += blockDim.x)
        sum += value[k] * value[k];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (threadIdx.x % 32 == 0)
        atomicAdd(out, sum);
}

extern "C" __global__ void queues_list(float *out, const int *starts, const float *value)
{
    queues_sum(&out[blockIdx.x], value, starts[blockIdx.x], starts[blockIdx.x + 1]);
}

// Pieces of 1024 values, whatever lists they are of: each by its own bounds.
extern "C" __global__ void queues_pieces(float *out, const int *starts, const float *value, int lists)
{
    int from = blockIdx.x * 1024, to = from + 1024, low = 0, high = lists;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (starts[middle] <= from)
            low = middle;
        else
            high = middle;
    }
    for (; low < lists && starts[low] < to; low++)
        queues_sum(&out[low], value, max(from, starts[low]), min(to, starts[low + 1]));
}

/* ---- Running parities within 512 ---- */

extern "C" __global__ void parity_sweeps(int *out, const int *in)
{
    __shared__ int part[512];
    int t = threadIdx.x;
    size_t i = (size_t)blockIdx.x * 512 + t;
    int own = in[i];
    part[t] = own;
    for (int d = 1; d < 512; d *= 2) {
        __syncthreads();
        int v = t >= d ? part[t - d] : 0;
        __syncthreads();
        part[t] ^= v;
    }
    out[i] = part[t];
}

extern "C" __global__ void parity_warps(int *out, const int *in)
{
    __shared__ int sums[16];
    int t = threadIdx.x, lane = t % 32;
    size_t i = (size_t)blockIdx.x * 512 + t;
    int v = in[i];
    for (int d = 1; d < 32; d *= 2) {
        int below = __shfl_up_sync(0xffffffff, v, d);
        v ^= lane >= d ? below : 0;
    }
    if (lane == 31)
        sums[t / 32] = v;
    __syncthreads();
    for (int k = 0; k < t / 32; k++)
        v ^= sums[k];
    out[i] = v;
}

/* ---- A Gaussian's weights, made again by every thread ---- */

extern "C" __global__ void bell_again(float *out, const float *in, float width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 17; k++)
        sum += expf(-(float)((k - 8) * (k - 8)) / (width * width)) * in[i + k];
    out[i] = sum;
}

extern "C" __global__ void bell_once(float *out, const float *in, float width)
{
    __shared__ float weight[17];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x < 17) {
        float d = (float)threadIdx.x - 8;
        weight[threadIdx.x] = expf(-d * d / (width * width));
    }
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 17; k++)
        sum += weight[k] * in[i + k];
    out[i] = sum;
}

/* ---- Channels smoothed in time ---- */

extern "C" __global__ void recursive_one(float *out, const float *in, int channels, int samples)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    float y = 0;
#pragma unroll 1
    for (int k = 0; k < samples; k++) {
        y = 0.9f * y + 0.1f * in[(size_t)k * channels + c];
        out[(size_t)k * channels + c] = y;
    }
}

extern "C" __global__ void recursive_ahead(float *out, const float *in, int channels, int samples)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    float y = 0, x[8];
#pragma unroll 1
    for (int k = 0; k < samples; k += 8) {
#pragma unroll
        for (int j = 0; j < 8; j++)
            x[j] = in[(size_t)(k + j) * channels + c];
#pragma unroll
        for (int j = 0; j < 8; j++) {
            y = 0.9f * y + 0.1f * x[j];
            out[(size_t)(k + j) * channels + c] = y;
        }
    }
}

/* ---- A short chain behind a stream of vectors ---- */

extern "C" __global__ void brief_chain(float4 *out, const float4 *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = in[i];
    float s = ((v.x * 0.5f + v.y) * 0.5f + v.z) * 0.5f + v.w;
    out[i] = make_float4(s, s * v.y, s * v.z, s * v.w);
}

extern "C" __global__ void brief_pairs(float4 *out, const float4 *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = in[i];
    float s = (v.x * 0.5f + v.y) * 0.25f + (v.z * 0.5f + v.w);
    out[i] = make_float4(s, s * v.y, s * v.z, s * v.w);
}
