// Sums: norminf_*, minplace_*, hist200_*, hist5k_*, hist16b_*, flagsum_*, var2p_*, prefprod_*, longpart_*, rootprod_*, nrmdbl_*, rowpair_*,
// strideadd_*, grpmean_*. Each pair's YAML says what differs.
// SPDX-License-Identifier: Apache-2.0

static __device__ __forceinline__ float warp_sum(float v)
{
#pragma unroll
    for (int mask = 16; mask > 0; mask >>= 1)
        v += __shfl_xor_sync(0xffffffff, v, mask);
    return v;
}

// The sum of a block of 256, in its thread 0.
static __device__ __forceinline__ float block_sum(float v)
{
    __shared__ float part[8];
    v = warp_sum(v);
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x == 0)
        for (int w = 1; w < 8; w++)
            v += part[w];
    return v;
}

/* ---- The norm of infinity, as the bits of a positive number ---- */

extern "C" __global__ void norminf_each(const float *x, int *norm, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicMax(norm, __float_as_int(fabsf(x[i])));
}

extern "C" __global__ void norminf_block(const float *x, int *norm, int n)
{
    __shared__ float part[8];
    float m = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        m = fmaxf(m, fabsf(x[i]));
#pragma unroll
    for (int mask = 16; mask > 0; mask >>= 1)
        m = fmaxf(m, __shfl_xor_sync(0xffffffff, m, mask));
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = m;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; w++)
            m = fmaxf(m, part[w]);
        atomicMax(norm, __float_as_int(m));
    }
}

/* ---- The least of each row of 256, and its place ---- */

extern "C" __global__ void minplace_tree(const float *x, int *place)
{
    __shared__ float value[256];
    __shared__ int at[256];
    int t = threadIdx.x;
    value[t] = x[blockIdx.x * 256 + t];
    at[t] = t;
    __syncthreads();
    for (int s = 128; s > 0; s >>= 1) {
        if (t < s && (value[t + s] < value[t] || (value[t + s] == value[t] && at[t + s] < at[t]))) {
            value[t] = value[t + s];
            at[t] = at[t + s];
        }
        __syncthreads();
    }
    if (t == 0)
        place[blockIdx.x] = at[0];
}

extern "C" __global__ void minplace_warp(const float *x, int *place)
{
    int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32, at = lane;
    float v[8], least;
#pragma unroll
    for (int k = 0; k < 8; k++)
        v[k] = x[row * 256 + k * 32 + lane];
    least = v[0];
#pragma unroll
    for (int k = 1; k < 8; k++)
        if (v[k] < least) {
            least = v[k];
            at = k * 32 + lane;
        }
#pragma unroll
    for (int mask = 16; mask > 0; mask >>= 1) {
        float other = __shfl_xor_sync(0xffffffff, least, mask);
        int there = __shfl_xor_sync(0xffffffff, at, mask);
        if (other < least || (other == least && there < at)) {
            least = other;
            at = there;
        }
    }
    if (lane == 0)
        place[row] = at;
}

/* ---- Counts of 200 values, a few of them common ---- */

extern "C" __global__ void hist200_global(const int *key, int *count, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&count[key[i]], 1);
}

extern "C" __global__ void hist200_shared(const int *key, int *count, int n)
{
    __shared__ int own[200];
    if (threadIdx.x < 200)
        own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&own[key[i]], 1);
    __syncthreads();
    if (threadIdx.x < 200)
        atomicAdd(&count[threadIdx.x], own[threadIdx.x]);
}

// Sixteen copies, side by side: lanes i and i + 16 share one.
extern "C" __global__ void hist200_copies(const int *key, int *count, int n)
{
    __shared__ int own[200 * 16];
    for (int i = threadIdx.x; i < 3200; i += 256)
        own[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&own[key[i] * 16 + threadIdx.x % 16], 1);
    __syncthreads();
    if (threadIdx.x < 200) {
        int sum = 0;
        for (int k = 0; k < 16; k++)
            sum += own[threadIdx.x * 16 + (k + threadIdx.x) % 16];
        atomicAdd(&count[threadIdx.x], sum);
    }
}

/* ---- Counts of 5000 values, all alike ---- */

extern "C" __global__ void hist5k_global(const unsigned short *key, int *count, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&count[key[i]], 1);
}

extern "C" __global__ void hist5k_shared(const unsigned short *key, int *count, int n)
{
    __shared__ int own[5000];
    for (int i = threadIdx.x; i < 5000; i += blockDim.x)
        own[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&own[key[i]], 1);
    __syncthreads();
    for (int i = threadIdx.x; i < 5000; i += blockDim.x)
        if (own[i])
            atomicAdd(&count[i], own[i]);
}

/* ---- Counts of the upper four bits of bytes ---- */

extern "C" __global__ void hist16b_shared(const unsigned *word, int *count, int n)
{
    __shared__ int own[16];
    if (threadIdx.x < 16)
        own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned w = word[i];
#pragma unroll
        for (int k = 4; k < 32; k += 8)
            atomicAdd(&own[w >> k & 15], 1);
    }
    __syncthreads();
    if (threadIdx.x < 16)
        atomicAdd(&count[threadIdx.x], own[threadIdx.x]);
}

// A column of 16 counts for each thread.
extern "C" __global__ void hist16b_threads(const unsigned *word, int *count, int n)
{
    __shared__ int own[16][256];
    int t = threadIdx.x;
#pragma unroll
    for (int k = 0; k < 16; k++)
        own[k][t] = 0;
    for (int i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256) {
        unsigned w = word[i];
#pragma unroll
        for (int k = 4; k < 32; k += 8)
            own[w >> k & 15][t]++;
    }
    __syncthreads();
    int sum = 0;
    for (int k = 0; k < 16; k++)
        sum += own[t / 16][t % 16 * 16 + (k + t) % 16];
    atomicAdd(&count[t / 16], sum);
}

/* ---- How many of each row of 4096 are flagged ---- */

extern "C" __global__ void flagsum_shared(const unsigned char *flag, int *count)
{
    __shared__ int all;
    if (threadIdx.x == 0)
        all = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < 4096; i += 256) {
        int v = flag[(size_t)blockIdx.x * 4096 + i];
        if (v > 100)
            atomicAdd(&all, v & 3);
    }
    __syncthreads();
    if (threadIdx.x == 0)
        count[blockIdx.x] = all;
}

extern "C" __global__ void flagsum_own(const unsigned char *flag, int *count)
{
    __shared__ int all;
    if (threadIdx.x == 0)
        all = 0;
    __syncthreads();
    int sum = 0;
    for (int i = threadIdx.x; i < 4096; i += 256) {
        int v = flag[(size_t)blockIdx.x * 4096 + i];
        sum += v > 100 ? v & 3 : 0;
    }
    atomicAdd(&all, sum);
    __syncthreads();
    if (threadIdx.x == 0)
        count[blockIdx.x] = all;
}

/* ---- Mean and variance of rows of 65536, in two passes and in one ---- */

extern "C" __global__ void var2p_twice(const float *x, float *out)
{
    __shared__ float mean;
    const float4 *row = (const float4 *)(x + (size_t)blockIdx.x * 65536);
    float sum = 0.0f;
    for (int i = threadIdx.x; i < 16384; i += 256) {
        float4 v = row[i];
        sum += (v.x + v.y) + (v.z + v.w);
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        mean = sum / 65536.0f;
    __syncthreads();
    float m = mean, squares = 0.0f;
    for (int i = threadIdx.x; i < 16384; i += 256) {
        float4 v = row[i];
        squares += ((v.x - m) * (v.x - m) + (v.y - m) * (v.y - m)) + ((v.z - m) * (v.z - m) + (v.w - m) * (v.w - m));
    }
    squares = block_sum(squares);
    if (threadIdx.x == 0) {
        out[2 * blockIdx.x] = m;
        out[2 * blockIdx.x + 1] = squares / 65536.0f;
    }
}

extern "C" __global__ void var2p_once(const float *x, float *out)
{
    const float4 *row = (const float4 *)(x + (size_t)blockIdx.x * 65536);
    float sum = 0.0f, squares = 0.0f;
    for (int i = threadIdx.x; i < 16384; i += 256) {
        float4 v = row[i];
        sum += (v.x + v.y) + (v.z + v.w);
        squares += (v.x * v.x + v.y * v.y) + (v.z * v.z + v.w * v.w);
    }
    sum = block_sum(sum);
    squares = block_sum(squares);
    if (threadIdx.x == 0) {
        float m = sum / 65536.0f;
        out[2 * blockIdx.x] = m;
        out[2 * blockIdx.x + 1] = squares / 65536.0f - m * m;
    }
}

/* ---- Prefix products of blocks of 512 odd numbers, modulo 2^32 ---- */

extern "C" __global__ void prefprod_steps(const unsigned *in, unsigned *out)
{
    __shared__ unsigned v[512];
    int t = threadIdx.x;
    v[t] = in[blockIdx.x * 512 + t] | 1;
    __syncthreads();
    for (int d = 1; d < 512; d <<= 1) {
        unsigned left = t >= d ? v[t - d] : 1;
        __syncthreads();
        v[t] *= left;
        __syncthreads();
    }
    out[blockIdx.x * 512 + t] = v[t];
}

extern "C" __global__ void prefprod_warps(const unsigned *in, unsigned *out)
{
    __shared__ unsigned whole[16];
    int t = threadIdx.x, lane = t % 32;
    unsigned v = in[blockIdx.x * 512 + t] | 1;
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
        unsigned left = __shfl_up_sync(0xffffffff, v, d);
        v *= lane >= d ? left : 1;
    }
    if (lane == 31)
        whole[t / 32] = v;
    __syncthreads();
    unsigned before = lane < t / 32 ? whole[lane] : 1;
#pragma unroll
    for (int mask = 16; mask > 0; mask >>= 1)
        before *= __shfl_xor_sync(0xffffffff, before, mask);
    out[blockIdx.x * 512 + t] = v * before;
}

/* ---- The sums of 16 long rows ---- */

extern "C" __global__ void longpart_rows(const float *x, float *sum, int n)
{
    const float4 *row = (const float4 *)x + (size_t)blockIdx.x * (n / 4);
    float s = 0.0f;
    for (int i = threadIdx.x; i < n / 4; i += 256) {
        float4 v = row[i];
        s += (v.x + v.y) + (v.z + v.w);
    }
    s = block_sum(s);
    if (threadIdx.x == 0)
        sum[blockIdx.x] = s;
}

extern "C" __global__ void longpart_parts(const float *x, float *sum, int n)
{
    const float4 *row = (const float4 *)x + (size_t)blockIdx.y * (n / 4);
    float s = 0.0f;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n / 4; i += gridDim.x * 256) {
        float4 v = row[i];
        s += (v.x + v.y) + (v.z + v.w);
    }
    s = block_sum(s);
    if (threadIdx.x == 0)
        atomicAdd(&sum[blockIdx.y], s);
}

/* ---- Products of 1 + c x over 4096 coefficients, by a block of 128 an SM ---- */

extern "C" __global__ void rootprod_one(const float *x, const float *c, float *out)
{
    __shared__ __align__(16) float coefficient[4096];
    for (int k = threadIdx.x; k < 4096; k += 128)
        coefficient[k] = c[k];
    __syncthreads();
    int i = blockIdx.x * 128 + threadIdx.x;
    float v = x[i], p = 1.0f;
#pragma unroll 16
    for (int k = 0; k < 4096; k++)
        p *= 1.0f + coefficient[k] * v;
    out[i] = p;
}

extern "C" __global__ void rootprod_four(const float *x, const float *c, float *out)
{
    __shared__ __align__(16) float coefficient[4096];
    for (int k = threadIdx.x; k < 4096; k += 128)
        coefficient[k] = c[k];
    __syncthreads();
    int i = blockIdx.x * 128 + threadIdx.x;
    float v = x[i], p[4] = {1.0f, 1.0f, 1.0f, 1.0f};
#pragma unroll 4
    for (int k = 0; k < 4096; k += 4)
#pragma unroll
        for (int j = 0; j < 4; j++)
            p[j] *= 1.0f + coefficient[k + j] * v;
    out[i] = (p[0] * p[1]) * (p[2] * p[3]);
}

/* ---- The Euclidean norm of parts of 4096, in doubles and in floats ---- */

extern "C" __global__ void nrmdbl_double(const float *x, float *norm)
{
    __shared__ double part[256];
    int t = threadIdx.x;
    double sum = 0.0;
#pragma unroll 4
    for (int i = t; i < 4096; i += 256) {
        double v = x[(size_t)blockIdx.x * 4096 + i];
        sum += v * v;
    }
    part[t] = sum;
    __syncthreads();
    for (int s = 128; s > 0; s >>= 1) {
        if (t < s)
            part[t] += part[t + s];
        __syncthreads();
    }
    if (t == 0)
        norm[blockIdx.x] = (float)sqrt(part[0]);
}

extern "C" __global__ void nrmdbl_float(const float *x, float *norm)
{
    __shared__ float part[256];
    int t = threadIdx.x;
    float sum = 0.0f;
#pragma unroll 4
    for (int i = t; i < 4096; i += 256) {
        float v = x[(size_t)blockIdx.x * 4096 + i];
        sum += v * v;
    }
    part[t] = sum;
    __syncthreads();
    for (int s = 128; s > 0; s >>= 1) {
        if (t < s)
            part[t] += part[t + s];
        __syncthreads();
    }
    if (t == 0)
        norm[blockIdx.x] = sqrtf(part[0]);
}

/* ---- Dot products of many pairs of 64 ---- */

extern "C" __global__ void rowpair_thread(const float *a, const float *b, float *dot, int pairs)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pairs)
        return;
    float sum = 0.0f;
    for (int k = 0; k < 64; k++)
        sum += a[(size_t)i * 64 + k] * b[(size_t)i * 64 + k];
    dot[i] = sum;
}

extern "C" __global__ void rowpair_warp(const float *a, const float *b, float *dot, int pairs)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (i >= pairs)
        return;
    float2 u = ((const float2 *)a)[(size_t)i * 32 + lane], v = ((const float2 *)b)[(size_t)i * 32 + lane];
    float sum = warp_sum(u.x * v.x + u.y * v.y);
    if (lane == 0)
        dot[i] = sum;
}

/* ---- Sums of blocks of 1024 in shared memory, by interleaved and by sequential places ---- */

extern "C" __global__ void strideadd_apart(const float *x, float *sum)
{
    __shared__ float v[1024];
    int t = threadIdx.x;
#pragma unroll
    for (int k = 0; k < 1024; k += 256)
        v[t + k] = x[(size_t)blockIdx.x * 1024 + t + k];
    __syncthreads();
    for (int d = 1, many = 512; many > 0; d *= 2, many /= 2) {
        for (int i = t; i < many; i += 256)
            v[2 * d * i] += v[2 * d * i + d];
        __syncthreads();
    }
    if (t == 0)
        sum[blockIdx.x] = v[0];
}

extern "C" __global__ void strideadd_beside(const float *x, float *sum)
{
    __shared__ float v[1024];
    int t = threadIdx.x;
#pragma unroll
    for (int k = 0; k < 1024; k += 256)
        v[t + k] = x[(size_t)blockIdx.x * 1024 + t + k];
    __syncthreads();
    for (int d = 512; d > 0; d /= 2) {
        for (int i = t; i < d; i += 256)
            v[i] += v[i + d];
        __syncthreads();
    }
    if (t == 0)
        sum[blockIdx.x] = v[0];
}

/* ---- Weighted sums by group, 48 groups ---- */

extern "C" __global__ void grpmean_each(const int *group, const float *weight, const float *value, float *total, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float w = weight[i];
    atomicAdd(&total[2 * group[i]], w * value[i]);
    atomicAdd(&total[2 * group[i] + 1], w);
}

extern "C" __global__ void grpmean_block(const int *group, const float *weight, const float *value, float *total, int n)
{
    __shared__ float own[96];
    if (threadIdx.x < 96)
        own[threadIdx.x] = 0.0f;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float w = weight[i];
        atomicAdd(&own[2 * group[i]], w * value[i]);
        atomicAdd(&own[2 * group[i] + 1], w);
    }
    __syncthreads();
    if (threadIdx.x < 96)
        atomicAdd(&total[threadIdx.x], own[threadIdx.x]);
}
