// Sums, counts and scans: chunknorm_*, l1norm_*, argmaxrow_*, dotdouble_*, bins64_*, bins16_*, blelloch_*, segsum_*, rowtopk_*,
// standard_*, kahan_*, lpnorm_*, bytesum_*, longrow_*, cosine_*, classloss_*, skewsum_*. Each pair's YAML says what differs.
// SPDX-License-Identifier: Apache-2.0

static __device__ __forceinline__ float warp_total(float v)
{
    for (int offset = 16; offset > 0; offset /= 2)
        v += __shfl_down_sync(0xffffffff, v, offset);
    return v;
}

// The sum is thread 0's; for blocks of whole warps.
static __device__ float block_total(float v)
{
    __shared__ float warps[32];
    int lane = threadIdx.x & 31, wid = threadIdx.x >> 5;
    v = warp_total(v);
    if (lane == 0)
        warps[wid] = v;
    __syncthreads();
    v = threadIdx.x < blockDim.x / 32 ? warps[lane] : 0.0f;
    return wid == 0 ? warp_total(v) : 0.0f;
}

/* ---- The sum of magnitudes of each 256 numbers ----------------------------------------------------------------------- */

extern "C" __global__ void chunknorm_modulo(const float *in, float *out, int n)
{
    __shared__ float sdata[256];
    int tid = threadIdx.x;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    sdata[tid] = i < n ? fabsf(in[i]) : 0.0f;
    __syncthreads();
    for (int s = 1; s < blockDim.x; s *= 2) {
        if (tid % (2 * s) == 0)
            sdata[tid] += sdata[tid + s];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = sdata[0];
}

extern "C" __global__ void chunknorm_halves(const float *in, float *out, int n)
{
    __shared__ float sdata[256];
    int tid = threadIdx.x;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    sdata[tid] = i < n ? fabsf(in[i]) : 0.0f;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s)
            sdata[tid] += sdata[tid + s];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = sdata[0];
}

extern "C" __global__ void chunknorm_warps(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = block_total(i < n ? fabsf(in[i]) : 0.0f);
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum;
}

// A warp a chunk, eight numbers a lane.
extern "C" __global__ void chunknorm_vectors(const float4 *in, float *out, int chunks)
{
    int chunk = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
    if (chunk >= chunks)
        return;
    float4 a = in[chunk * 64 + lane], b = in[chunk * 64 + 32 + lane];
    float sum = warp_total(fabsf(a.x) + fabsf(a.y) + fabsf(a.z) + fabsf(a.w) + fabsf(b.x) + fabsf(b.y) + fabsf(b.z) + fabsf(b.w));
    if (lane == 0)
        out[chunk] = sum;
}

/* ---- The sum of all magnitudes --------------------------------------------------------------------------------------- */

extern "C" __global__ void l1norm_each(const float *x, float *result, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(result, fabsf(x[i]));
}

extern "C" __global__ void l1norm_blocks(const float *x, float *result, int n)
{
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += fabsf(x[i]);
    sum = block_total(sum);
    if (threadIdx.x == 0)
        atomicAdd(result, sum);
}

/* ---- Where each row's largest logit is: the first of equal ones ------------------------------------------------------ */

// Larger for larger numbers, then for smaller places.
static __device__ __forceinline__ unsigned long long ordered(float v, unsigned at)
{
    unsigned bits = __float_as_uint(v);
    bits = bits & 0x80000000 ? ~bits : bits | 0x80000000;
    return (unsigned long long)bits << 32 | (0xffffffff - at);
}

static __device__ unsigned long long largest(const float *x, int first, int end)
{
    __shared__ unsigned long long best[256];
    unsigned long long mine = 0;
    for (int i = first + threadIdx.x; i < end; i += blockDim.x)
        mine = max(mine, ordered(x[i], i));
    best[threadIdx.x] = mine;
    __syncthreads();
    for (int s = 128; s > 0; s >>= 1) {
        if (threadIdx.x < s)
            best[threadIdx.x] = max(best[threadIdx.x], best[threadIdx.x + s]);
        __syncthreads();
    }
    return best[0];
}

extern "C" __global__ void argmaxrow_one(const float *logits, int *token, int vocab)
{
    unsigned long long best = largest(logits + (size_t)blockIdx.x * vocab, 0, vocab);
    if (threadIdx.x == 0)
        token[blockIdx.x] = 0xffffffff - (unsigned)best;
}

extern "C" __global__ void argmaxrow_parts(const float *logits, unsigned long long *key, int vocab)
{
    int part = (vocab + gridDim.x - 1) / gridDim.x, first = blockIdx.x * part;
    unsigned long long best = largest(logits + (size_t)blockIdx.y * vocab, first, min(first + part, vocab));
    if (threadIdx.x == 0)
        atomicMax(&key[blockIdx.y], best);
}

extern "C" __global__ void argmaxrow_tokens(const unsigned long long *key, int *token, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows)
        token[row] = 0xffffffff - (unsigned)key[row];
}

/* ---- A dot product, added up in double or not ------------------------------------------------------------------------ */

extern "C" __global__ void dotdouble_exact(const float4 *x, const float4 *y, float *out, int n)
{
    double sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float4 a = x[i], b = y[i];
        sum += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    }
    float total = block_total((float)sum);
    if (threadIdx.x == 0)
        atomicAdd(out, total);
}

extern "C" __global__ void dotdouble_float(const float4 *x, const float4 *y, float *out, int n)
{
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float4 a = x[i], b = y[i];
        sum += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    }
    float total = block_total(sum);
    if (threadIdx.x == 0)
        atomicAdd(out, total);
}

/* ---- How often each of 64 values is among bytes: few are frequent ---------------------------------------------------- */

extern "C" __global__ void bins64_global(const unsigned char *data, unsigned *bins, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[data[i]], 1);
}

extern "C" __global__ void bins64_shared(const unsigned char *data, unsigned *bins, int n)
{
    __shared__ unsigned local[64];
    if (threadIdx.x < 64)
        local[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&local[data[i]], 1);
    __syncthreads();
    if (threadIdx.x < 64)
        atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

extern "C" __global__ void bins64_lanes(const unsigned char *data, unsigned *bins, int n)
{
    __shared__ unsigned local[64 * 32];
    for (int i = threadIdx.x; i < 64 * 32; i += blockDim.x)
        local[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&local[data[i] * 32 + threadIdx.x % 32], 1);
    __syncthreads();
    if (threadIdx.x < 64) {
        unsigned sum = 0;
        for (int lane = 0; lane < 32; ++lane)
            sum += local[threadIdx.x * 32 + (lane + threadIdx.x) % 32];
        atomicAdd(&bins[threadIdx.x], sum);
    }
}

/* ---- How often each digit of 4 bits is in each block's words: counters of each thread's own -------------------------- */

enum { WORDS_EACH = 32 };

extern "C" __global__ void bins16_rows(const unsigned *keys, unsigned *counts)
{
    __shared__ unsigned counter[128 * 16];
    int t = threadIdx.x;
    for (int b = 0; b < 16; ++b)
        counter[t * 16 + b] = 0;
    for (int i = 0; i < WORDS_EACH; ++i) {
        unsigned key = keys[(blockIdx.x * WORDS_EACH + i) * 128 + t];
        for (int d = 0; d < 32; d += 4)
            counter[t * 16 + (key >> d & 15)]++;
    }
    __syncthreads();
    if (t < 16) {
        unsigned sum = 0;
        for (int i = 0; i < 128; ++i)
            sum += counter[i * 16 + t];
        counts[blockIdx.x * 16 + t] = sum;
    }
}

extern "C" __global__ void bins16_columns(const unsigned *keys, unsigned *counts)
{
    __shared__ unsigned counter[16 * 128];
    int t = threadIdx.x;
    for (int b = 0; b < 16; ++b)
        counter[b * 128 + t] = 0;
    for (int i = 0; i < WORDS_EACH; ++i) {
        unsigned key = keys[(blockIdx.x * WORDS_EACH + i) * 128 + t];
        for (int d = 0; d < 32; d += 4)
            counter[(key >> d & 15) * 128 + t]++;
    }
    __syncthreads();
    if (t < 16) {
        unsigned sum = 0;
        for (int i = 0; i < 128; ++i)
            sum += counter[t * 128 + (i + t) % 128];
        counts[blockIdx.x * 16 + t] = sum;
    }
}

/* ---- Running sums before each number within 512, up a tree and down again -------------------------------------------- */

#define PADDED(i) ((i) + ((i) >> 5))

extern "C" __global__ void blelloch_plain(const int *in, int *out)
{
    __shared__ int temp[512];
    int thid = threadIdx.x, offset = 1, n = 512, first = blockIdx.x * 512;
    temp[2 * thid] = in[first + 2 * thid];
    temp[2 * thid + 1] = in[first + 2 * thid + 1];
    for (int d = n >> 1; d > 0; d >>= 1) {
        __syncthreads();
        if (thid < d) {
            int ai = offset * (2 * thid + 1) - 1, bi = offset * (2 * thid + 2) - 1;
            temp[bi] += temp[ai];
        }
        offset *= 2;
    }
    if (thid == 0)
        temp[n - 1] = 0;
    for (int d = 1; d < n; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (thid < d) {
            int ai = offset * (2 * thid + 1) - 1, bi = offset * (2 * thid + 2) - 1;
            int t = temp[ai];
            temp[ai] = temp[bi];
            temp[bi] += t;
        }
    }
    __syncthreads();
    out[first + 2 * thid] = temp[2 * thid];
    out[first + 2 * thid + 1] = temp[2 * thid + 1];
}

extern "C" __global__ void blelloch_padded(const int *in, int *out)
{
    __shared__ int temp[512 + 16];
    int thid = threadIdx.x, offset = 1, n = 512, first = blockIdx.x * 512;
    temp[PADDED(thid)] = in[first + thid];
    temp[PADDED(thid + 256)] = in[first + thid + 256];
    for (int d = n >> 1; d > 0; d >>= 1) {
        __syncthreads();
        if (thid < d) {
            int ai = PADDED(offset * (2 * thid + 1) - 1), bi = PADDED(offset * (2 * thid + 2) - 1);
            temp[bi] += temp[ai];
        }
        offset *= 2;
    }
    if (thid == 0)
        temp[PADDED(n - 1)] = 0;
    for (int d = 1; d < n; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (thid < d) {
            int ai = PADDED(offset * (2 * thid + 1) - 1), bi = PADDED(offset * (2 * thid + 2) - 1);
            int t = temp[ai];
            temp[ai] = temp[bi];
            temp[bi] += t;
        }
    }
    __syncthreads();
    out[first + thid] = temp[PADDED(thid)];
    out[first + thid + 256] = temp[PADDED(thid + 256)];
}

/* ---- The sum of each segment ----------------------------------------------------------------------------------------- */

extern "C" __global__ void segsum_thread(const float *values, const int *offsets, float *sums, int segments)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= segments)
        return;
    float sum = 0.0f;
    for (int i = offsets[s]; i < offsets[s + 1]; ++i)
        sum += values[i];
    sums[s] = sum;
}

extern "C" __global__ void segsum_warp(const float *values, const int *offsets, float *sums, int segments)
{
    int s = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (s >= segments)
        return;
    int end = offsets[s + 1];
    float sum = 0.0f;
    for (int i = offsets[s] + lane; i < end; i += 32)
        sum += values[i];
    sum = warp_total(sum);
    if (lane == 0)
        sums[s] = sum;
}

/* ---- The eight largest of each column, in descending order ----------------------------------------------------------- */

extern "C" __global__ void rowtopk_list(const float *scores, float *top, int candidates, int n, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float best[8];
    for (int j = 0; j < k; ++j)
        best[j] = -1e30f;
    for (int c = 0; c < candidates; ++c) {
        float v = scores[(size_t)c * n + i];
        int j = k - 1;
        if (v <= best[j])
            continue;
        while (j > 0 && best[j - 1] < v) {
            best[j] = best[j - 1];
            --j;
        }
        best[j] = v;
    }
    for (int j = 0; j < k; ++j)
        top[(size_t)j * n + i] = best[j];
}

extern "C" __global__ void rowtopk_registers(const float *scores, float *top, int candidates, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float best[8];
#pragma unroll
    for (int j = 0; j < 8; ++j)
        best[j] = -1e30f;
    for (int c = 0; c < candidates; ++c) {
        float v = scores[(size_t)c * n + i];
        if (v <= best[7])
            continue;
#pragma unroll
        for (int j = 0; j < 8; ++j) {
            float more = fmaxf(best[j], v);
            v = fminf(best[j], v);
            best[j] = more;
        }
    }
#pragma unroll
    for (int j = 0; j < 8; ++j)
        top[(size_t)j * n + i] = best[j];
}

/* ---- Rows of 1024 to mean 0 and deviation 1 -------------------------------------------------------------------------- */

extern "C" __global__ void standard_mean(const float *x, float *mean, int cols)
{
    float sum = 0.0f;
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        sum += x[(size_t)blockIdx.x * cols + c];
    sum = block_total(sum);
    if (threadIdx.x == 0)
        mean[blockIdx.x] = sum / cols;
}

extern "C" __global__ void standard_deviation(const float *x, const float *mean, float *deviation, int cols)
{
    float sum = 0.0f, m = mean[blockIdx.x];
    for (int c = threadIdx.x; c < cols; c += blockDim.x) {
        float d = x[(size_t)blockIdx.x * cols + c] - m;
        sum += d * d;
    }
    sum = block_total(sum);
    if (threadIdx.x == 0)
        deviation[blockIdx.x] = sqrtf(sum / cols);
}

extern "C" __global__ void standard_scale(const float *x, const float *mean, const float *deviation, float *out, int cols)
{
    float m = mean[blockIdx.x], factor = 1.0f / deviation[blockIdx.x];
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        out[(size_t)blockIdx.x * cols + c] = (x[(size_t)blockIdx.x * cols + c] - m) * factor;
}

extern "C" __global__ void standard_fused(const float *x, float *out)
{
    __shared__ float shared_sum;
    const float *row = x + (size_t)blockIdx.x * 1024;
    float v[4], sum = 0.0f;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        v[i] = row[i * 256 + threadIdx.x];
        sum += v[i];
    }
    sum = block_total(sum);
    if (threadIdx.x == 0)
        shared_sum = sum;
    __syncthreads();
    float mean = shared_sum / 1024;
    sum = 0.0f;
#pragma unroll
    for (int i = 0; i < 4; ++i)
        sum += (v[i] - mean) * (v[i] - mean);
    sum = block_total(sum);
    if (threadIdx.x == 0)
        shared_sum = sum;
    __syncthreads();
    float factor = rsqrtf(shared_sum / 1024);
#pragma unroll
    for (int i = 0; i < 4; ++i)
        out[(size_t)blockIdx.x * 1024 + i * 256 + threadIdx.x] = (v[i] - mean) * factor;
}

/* ---- Squared distances of all samples to each candidate, added up with compensation ---------------------------------- */

static __device__ __forceinline__ void add_exactly(float *sum, float *lost, float term)
{
    float y = term - *lost, t = *sum + y;
    *lost = (t - *sum) - y;
    *sum = t;
}

extern "C" __global__ void kahan_one(const float *samples, const float *centre, float *out, int n)
{
    __shared__ float tile[1024];
    float z = centre[blockIdx.x * blockDim.x + threadIdx.x], sum = 0.0f, lost = 0.0f;
    for (int first = 0; first < n; first += 1024) {
        for (int i = threadIdx.x; i < 1024; i += blockDim.x)
            tile[i] = samples[first + i];
        __syncthreads();
        for (int i = 0; i < 1024; ++i) {
            float d = tile[i] - z;
            add_exactly(&sum, &lost, d * d);
        }
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

extern "C" __global__ void kahan_four(const float *samples, const float *centre, float *out, int n)
{
    __shared__ float tile[1024];
    float z = centre[blockIdx.x * blockDim.x + threadIdx.x], sum[4] = {0.0f}, lost[4] = {0.0f};
    for (int first = 0; first < n; first += 1024) {
        for (int i = threadIdx.x; i < 1024; i += blockDim.x)
            tile[i] = samples[first + i];
        __syncthreads();
        for (int i = 0; i < 1024; i += 4) {
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                float d = tile[i + j] - z;
                add_exactly(&sum[j], &lost[j], d * d);
            }
        }
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = (sum[0] - lost[0]) + (sum[1] - lost[1]) + (sum[2] - lost[2]) + (sum[3] - lost[3]);
}

/* ---- The sum of |x| to the power p in each row ----------------------------------------------------------------------- */

extern "C" __global__ void lpnorm_double(const float *x, float *out, double p, int cols)
{
    float sum = 0.0f;
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        sum += pow((double)fabsf(x[(size_t)blockIdx.x * cols + c]), p);
    sum = block_total(sum);
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum;
}

extern "C" __global__ void lpnorm_float(const float *x, float *out, float p, int cols)
{
    float sum = 0.0f;
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        sum += powf(fabsf(x[(size_t)blockIdx.x * cols + c]), p);
    sum = block_total(sum);
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum;
}

/* ---- How bright each row of a gray picture is ------------------------------------------------------------------------ */

extern "C" __global__ void bytesum_bytes(const unsigned char *image, unsigned *brightness, int width)
{
    __shared__ unsigned total;
    unsigned sum = 0;
    if (threadIdx.x == 0)
        total = 0;
    __syncthreads();
    for (int x = threadIdx.x; x < width; x += blockDim.x)
        sum += image[(size_t)blockIdx.x * width + x];
    sum = __reduce_add_sync(0xffffffff, sum);
    if (threadIdx.x % 32 == 0)
        atomicAdd(&total, sum);
    __syncthreads();
    if (threadIdx.x == 0)
        brightness[blockIdx.x] = total;
}

extern "C" __global__ void bytesum_vectors(const uint4 *image, unsigned *brightness, int width)
{
    __shared__ unsigned total;
    unsigned sum = 0;
    if (threadIdx.x == 0)
        total = 0;
    __syncthreads();
    for (int x = threadIdx.x; x < width / 16; x += blockDim.x) {
        uint4 v = image[(size_t)blockIdx.x * (width / 16) + x];
        sum = __dp4a(v.x, 0x01010101u, sum);
        sum = __dp4a(v.y, 0x01010101u, sum);
        sum = __dp4a(v.z, 0x01010101u, sum);
        sum = __dp4a(v.w, 0x01010101u, sum);
    }
    sum = __reduce_add_sync(0xffffffff, sum);
    if (threadIdx.x % 32 == 0)
        atomicAdd(&total, sum);
    __syncthreads();
    if (threadIdx.x == 0)
        brightness[blockIdx.x] = total;
}

/* ---- The sum of each row of 65536 ------------------------------------------------------------------------------------ */

static __device__ __forceinline__ float own_part(const float4 *row, int quads)
{
    float sum = 0.0f;
#pragma unroll 4
    for (int i = threadIdx.x; i < quads; i += blockDim.x) {
        float4 v = row[i];
        sum += (v.x + v.y) + (v.z + v.w);
    }
    return sum;
}

extern "C" __global__ void longrow_tree(const float4 *in, float *out, int quads)
{
    __shared__ float part[512];
    int t = threadIdx.x;
    part[t] = own_part(in + (size_t)blockIdx.x * quads, quads);
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (t < s)
            part[t] += part[t + s];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = part[0];
}

extern "C" __global__ void longrow_shuffles(const float4 *in, float *out, int quads)
{
    float sum = block_total(own_part(in + (size_t)blockIdx.x * quads, quads));
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum;
}

/* ---- The cosine between rows of two matrices, a warp a pair ---------------------------------------------------------- */

extern "C" __global__ void cosine_loops(const float *a, const float *b, float *out, int rows, int dim)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    const float *x = a + (size_t)row * dim, *y = b + (size_t)row * dim;
    float dot = 0.0f, xx = 0.0f, yy = 0.0f;
    for (int i = lane; i < dim; i += 32)
        dot += x[i] * y[i];
    dot = warp_total(dot);
    for (int i = lane; i < dim; i += 32)
        xx += x[i] * x[i];
    xx = warp_total(xx);
    for (int i = lane; i < dim; i += 32)
        yy += y[i] * y[i];
    yy = warp_total(yy);
    if (lane == 0)
        out[row] = dot / sqrtf(xx * yy);
}

extern "C" __global__ void cosine_loop(const float *a, const float *b, float *out, int rows, int dim)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    const float *x = a + (size_t)row * dim, *y = b + (size_t)row * dim;
    float dot = 0.0f, xx = 0.0f, yy = 0.0f;
    for (int i = lane; i < dim; i += 32) {
        float u = x[i], v = y[i];
        dot += u * v;
        xx += u * u;
        yy += v * v;
    }
    dot = warp_total(dot);
    xx = warp_total(xx);
    yy = warp_total(yy);
    if (lane == 0)
        out[row] = dot / sqrtf(xx * yy);
}

/* ---- The sum of losses of each of eight classes ----------------------------------------------------------------------- */

extern "C" __global__ void classloss_atomics(const float *loss, const int *label, float *total, int n)
{
    __shared__ float sums[8];
    if (threadIdx.x < 8)
        sums[threadIdx.x] = 0.0f;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&sums[label[i]], loss[i]);
    __syncthreads();
    if (threadIdx.x < 8)
        atomicAdd(&total[threadIdx.x], sums[threadIdx.x]);
}

extern "C" __global__ void classloss_own(const float *loss, const int *label, float *total, int n)
{
    float own[8] = {0.0f};
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float v = loss[i];
        int c = label[i];
#pragma unroll
        for (int k = 0; k < 8; ++k)
            own[k] += c == k ? v : 0.0f;
    }
    for (int k = 0; k < 8; ++k) {
        float sum = block_total(own[k]);
        if (threadIdx.x == 0)
            atomicAdd(&total[k], sum);
        __syncthreads();
    }
}

/* ---- Sums of segments of very unlike length --------------------------------------------------------------------------- */

extern "C" __global__ void skewsum_segments(const float *values, const int *offsets, float *sums, int segments)
{
    int s = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (s >= segments)
        return;
    int end = offsets[s + 1];
    float sum = 0.0f;
    for (int i = offsets[s] + lane; i < end; i += 32)
        sum += values[i];
    sum = warp_total(sum);
    if (lane == 0)
        sums[s] = sum;
}

// A warp takes 512 numbers, of however many segments.
extern "C" __global__ void skewsum_pieces(const float *values, const int *offsets, float *sums, int segments, int n)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    int first = warp * 512, last = min(first + 512, n);
    if (first >= n)
        return;
    int low = 0, high = segments;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (offsets[middle] <= first)
            low = middle;
        else
            high = middle;
    }
    for (int s = low; first < last; ++s) {
        int end = min(offsets[s + 1], last);
        float sum = 0.0f;
        for (int i = first + lane; i < end; i += 32)
            sum += values[i];
        sum = warp_total(sum);
        if (lane == 0 && end > first)
            atomicAdd(&sums[s], sum);
        first = max(first, end);
    }
}
