// Layers of networks: rope_*, groupnorm_*, entropy_*, dequant_*, embed_*, scatter_*, concat_*, adam_*, rowscale_*, bag_*. Each
// pair's YAML says what differs.
// SPDX-License-Identifier: Apache-2.0

/* ---- Rotary positions: 16 heads of 32 pairs ------------------------------------------------------------------ */

enum { HEADS = 16, PAIRS = 32 };

static __device__ __forceinline__ float2 rotation(int token, int pair)
{
    float angle = (float)token * powf(10000.0f, -(float)pair / PAIRS);
    float2 turn;
    sincosf(angle, &turn.y, &turn.x);
    return turn;
}

static __device__ __forceinline__ float2 turned(float2 v, float2 by)
{
    return {v.x * by.x - v.y * by.y, v.x * by.y + v.y * by.x};
}

extern "C" __global__ void rope_direct(float2 *out, const float2 *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = turned(x[i], rotation(i / (HEADS * PAIRS), i % PAIRS));
}

extern "C" __global__ void rope_angles(float2 *table)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    table[i] = rotation(i / PAIRS, i % PAIRS);
}

extern "C" __global__ void rope_table(float2 *out, const float2 *x, const float2 *table)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = turned(x[i], table[i / (HEADS * PAIRS) * PAIRS + i % PAIRS]);
}

/* ---- Group normalisation: groups of 1024 numbers, 256 threads each ------------------------------------------- */

enum { GROUP = 1024, EACH = 4 };

static __device__ float sum_tree(float v, float *part)
{
    int t = threadIdx.x;
    part[t] = v;
    __syncthreads();
    for (int d = 128; d > 0; d /= 2) {
        if (t < d)
            part[t] += part[t + d];
        __syncthreads();
    }
    float sum = part[0];
    __syncthreads();
    return sum;
}

static __device__ float sum_warps(float v, float *part)
{
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_xor_sync(0xffffffffu, v, d);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = v;
    __syncthreads();
    v = part[threadIdx.x % 8];
    for (int d = 4; d > 0; d /= 2)
        v += __shfl_xor_sync(0xffffffffu, v, d);
    __syncthreads();
    return v;
}

#define NORMALISE(SUM)                                               \
    __shared__ float part[256];                                      \
    float v[EACH], sum = 0, squares = 0;                             \
    for (int k = 0; k < EACH; k++)                                   \
        sum += v[k] = x[blockIdx.x * GROUP + k * 256 + threadIdx.x]; \
    float mean = SUM(sum, part) / GROUP;                             \
    for (int k = 0; k < EACH; k++)                                   \
        squares += (v[k] - mean) * (v[k] - mean);                    \
    float scale = rsqrtf(SUM(squares, part) / GROUP + 1e-5f);        \
    for (int k = 0; k < EACH; k++)                                   \
    out[blockIdx.x * GROUP + k * 256 + threadIdx.x] = (v[k] - mean) * scale

extern "C" __global__ void groupnorm_tree(float *out, const float *x)
{
    NORMALISE(sum_tree);
}

extern "C" __global__ void groupnorm_shuffle(float *out, const float *x)
{
    NORMALISE(sum_warps);
}

/* ---- Gradient of the cross-entropy --------------------------------------------------------------------------- */

static __device__ __forceinline__ float slope(float x, float log_sum, bool wanted)
{
    return __expf(x - log_sum) - (wanted ? 1.0f : 0.0f);
}

extern "C" __global__ void entropy_flat(float *grad, const float *x, const float *log_sums,
                                        const int *labels, long long columns)
{
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x, row = i / columns,
              c = i % columns;
    grad[i] = slope(x[i], log_sums[row], c == labels[row]);
}

extern "C" __global__ void entropy_rows(float *grad, const float *x, const float *log_sums,
                                        const int *labels, long long columns)
{
    int row = blockIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
    long long i = row * columns + c;
    grad[i] = slope(x[i], log_sums[row], c == labels[row]);
}

/* ---- 4-bit weights with a scale per 64 ----------------------------------------------------------------------- */

extern "C" __global__ void dequant_each(float *out, const unsigned char *packed,
                                        const float *scales)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = (float)((packed[i / 2] >> 4 * (i % 2) & 15) - 8) * scales[i / 64];
}

extern "C" __global__ void dequant_four(float4 *out, const unsigned short *packed,
                                        const float *scales)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, bits = packed[i];
    float scale = scales[i / 16];
    out[i] = {(float)((bits & 15) - 8) * scale, (float)((bits >> 4 & 15) - 8) * scale,
              (float)((bits >> 8 & 15) - 8) * scale, (float)((bits >> 12) - 8) * scale};
}

/* ---- Embeddings of 64 numbers: gather, and add the gradients ------------------------------------------------- */

enum { WIDTH = 64 };

extern "C" __global__ void embed_thread(float *out, const float *table, const int *ids)
{
    int token = blockIdx.x * blockDim.x + threadIdx.x;
    for (int e = 0; e < WIDTH; e++)
        out[token * WIDTH + e] = table[ids[token] * WIDTH + e];
}

extern "C" __global__ void embed_lanes(float4 *out, const float4 *table, const int *ids)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = table[ids[i / 16] * 16 + i % 16];
}

extern "C" __global__ void scatter_each(float *table, const float *grad, const int *ids)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&table[ids[i / WIDTH] * WIDTH + i % WIDTH], grad[i]);
}

enum { HOT = 32, TOKENS = 512 };

extern "C" __global__ void scatter_hot(float *table, const float *grad, const int *ids)
{
    __shared__ float hot[HOT * WIDTH];
    for (int t = threadIdx.x; t < HOT * WIDTH; t += 256)
        hot[t] = 0;
    __syncthreads();
    int e = threadIdx.x % WIDTH, first = blockIdx.x * TOKENS;
    for (int token = first + threadIdx.x / WIDTH; token < first + TOKENS; token += 256 / WIDTH) {
        int id = ids[token];
        atomicAdd(id < HOT ? &hot[id * WIDTH + e] : &table[id * WIDTH + e],
                  grad[token * WIDTH + e]);
    }
    __syncthreads();
    for (int t = threadIdx.x; t < HOT * WIDTH; t += 256)
        atomicAdd(&table[t], hot[t]);
}

/* ---- Tensors of 64 columns side by side ---------------------------------------------------------------------- */

extern "C" __global__ void concat(float *out, const float *in, int rows, int parts, int first)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, part = first + blockIdx.y, row = i / 64,
        c = i % 64;
    out[(row * parts + part) * 64 + c] = in[(part * rows + row) * 64 + c];
}

/* ---- Adam ---------------------------------------------------------------------------------------------------- */

static __device__ __forceinline__ void adam(float *p, float *m, float *v, float g, float per_m,
                                            float per_v)
{
    *m = 0.9f * *m + 0.1f * g;
    *v = 0.999f * *v + 0.001f * g * g;
    *p -= 0.01f * (*m * per_m) / (sqrtf(*v * per_v) + 1e-6f);
}

extern "C" __global__ void adam_powers(float *p, float *m, float *v, const float *g, float step)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    adam(&p[i], &m[i], &v[i], g[i], 1 / (1 - powf(0.9f, step)), 1 / (1 - powf(0.999f, step)));
}

extern "C" __global__ void adam_hoisted(float *p, float *m, float *v, const float *g, float per_m,
                                        float per_v)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    adam(&p[i], &m[i], &v[i], g[i], per_m, per_v);
}

/* ---- Rows of 16384 to 8 bits by their largest number; 512 threads a row -------------------------------------- */

enum { QUADS = 16384 / 4, ROUNDS = QUADS / 512 };

static __device__ __forceinline__ float largest(float4 v)
{
    return fmaxf(fmaxf(fabsf(v.x), fabsf(v.y)), fmaxf(fabsf(v.z), fabsf(v.w)));
}

static __device__ float block_max(float v)
{
    __shared__ float part[16];
    for (int d = 16; d > 0; d /= 2)
        v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, d));
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = v;
    __syncthreads();
    v = part[threadIdx.x % 16];
    for (int d = 8; d > 0; d /= 2)
        v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, d));
    return v;
}

static __device__ __forceinline__ char4 rounded(float4 v, float scale)
{
    return {(signed char)__float2int_rn(v.x * scale), (signed char)__float2int_rn(v.y * scale),
            (signed char)__float2int_rn(v.z * scale), (signed char)__float2int_rn(v.w * scale)};
}

extern "C" __global__ void rowscale_twice(char4 *out, const float4 *x)
{
    const float4 *row = x + blockIdx.x * QUADS;
    float most = 0;
    for (int k = 0; k < ROUNDS; k++)
        most = fmaxf(most, largest(row[k * 512 + threadIdx.x]));
    float scale = 127 / block_max(most);
    for (int k = 0; k < ROUNDS; k++)
        out[blockIdx.x * QUADS + k * 512 + threadIdx.x] =
            rounded(row[k * 512 + threadIdx.x], scale);
}

extern "C" __global__ void rowscale_kept(char4 *out, const float4 *x)
{
    const float4 *row = x + blockIdx.x * QUADS;
    float4 kept[ROUNDS];
    float most = 0;
#pragma unroll
    for (int k = 0; k < ROUNDS; k++) {
        kept[k] = row[k * 512 + threadIdx.x];
        most = fmaxf(most, largest(kept[k]));
    }
    float scale = 127 / block_max(most);
#pragma unroll
    for (int k = 0; k < ROUNDS; k++)
        out[blockIdx.x * QUADS + k * 512 + threadIdx.x] = rounded(kept[k], scale);
}

/* ---- Sums of 32 rows out of a table: 64 threads a bag, its numbers in shared memory -------------------------- */

extern "C" __global__ void bag(float *out, const float *table, const int *ids)
{
    extern __shared__ int mine[];
    if (threadIdx.x < 32)
        mine[threadIdx.x] = ids[blockIdx.x * 32 + threadIdx.x];
    __syncthreads();
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < 32; k++)
        sum += table[mine[k] * WIDTH + threadIdx.x];
    out[blockIdx.x * WIDTH + threadIdx.x] = sum;
}

/* ---- Rows of 16 numbers through a table of pages, by two blocks an SM that stay ------------------------------ */

#define PAGED(UNROLL)                                    \
    int first = blockIdx.x * rounds * 256 + threadIdx.x; \
    _Pragma(UNROLL) for (int r = 0; r < rounds; r++)     \
    {                                                    \
        int i = first + r * 256;                         \
        out[i] = cache[pages[i / 16] * 16 + i % 16];     \
    }

extern "C" __global__ void paged_one(float *__restrict__ out, const float *__restrict__ cache,
                                     const int *__restrict__ pages, int rounds)
{
    PAGED("unroll 1");
}

extern "C" __global__ void paged_four(float *__restrict__ out, const float *__restrict__ cache,
                                      const int *__restrict__ pages, int rounds)
{
    PAGED("unroll 4");
}
