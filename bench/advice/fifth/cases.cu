// Cases to tune by, several unlike ones of a cause: work shared out badly, chains, loads, reuse, lanes, functions, barriers, atomics.
// Each pair's YAML says what differs; the rest are in more.cu.
// SPDX-License-Identifier: Apache-2.0

/* ---- Rows of a lower triangle times a vector ---- */

static __device__ __forceinline__ void trapezoid_row(float *out, const float *in, const float *x, int n, int r)
{
    int lane = threadIdx.x % 32;
    float sum = 0;
    for (int c = lane; c <= r; c += 32)
        sum += in[(size_t)r * n + c] * x[c];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (lane == 0)
        out[r] = sum;
}

extern "C" __global__ void trapezoid_bands(float *out, const float *in, const float *x, int n)
{
    int rows = n / gridDim.x;
    for (int k = threadIdx.x / 32; k < rows; k += blockDim.x / 32)
        trapezoid_row(out, in, x, n, blockIdx.x * rows + k);
}

extern "C" __global__ void trapezoid_turns(float *out, const float *in, const float *x, int n)
{
    for (int k = threadIdx.x / 32; k < n / gridDim.x; k += blockDim.x / 32)
        trapezoid_row(out, in, x, n, k * gridDim.x + blockIdx.x);
}

/* ---- The largest sum of the eight lists of a group; lists are of very different length ---- */

extern "C" __global__ void lists_warp(float *out, const int *starts, const float *value)
{
    __shared__ float sums[8];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, list = blockIdx.x * 8 + warp;
    float sum = 0;
    for (int k = starts[list] + lane; k < starts[list + 1]; k += 32)
        sum += value[k];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (lane == 0)
        sums[warp] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        float most = sums[0];
        for (int k = 1; k < 8; k++)
            most = fmaxf(most, sums[k]);
        out[blockIdx.x] = most;
    }
}

extern "C" __global__ void lists_block(float *out, const int *starts, const float *value)
{
    __shared__ float parts[8][8];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int l = 0; l < 8; l++) {
        int list = blockIdx.x * 8 + l;
        float sum = 0;
        for (int k = starts[list] + (int)threadIdx.x; k < starts[list + 1]; k += 256)
            sum += value[k];
        for (int d = 16; d > 0; d /= 2)
            sum += __shfl_xor_sync(0xffffffff, sum, d);
        if (lane == 0)
            parts[l][warp] = sum;
    }
    __syncthreads();
    if (threadIdx.x < 8) {
        float sum = 0;
        for (int k = 0; k < 8; k++)
            sum += parts[threadIdx.x][k];
        for (int d = 4; d > 0; d /= 2)
            sum = fmaxf(sum, __shfl_xor_sync(0xff, sum, d));
        if (threadIdx.x == 0)
            out[blockIdx.x] = sum;
    }
}

/* ---- Populations after 256 years ---- */

enum { YEARS = 256 };

extern "C" __global__ void logistic_one(float *out, const float *in, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float x = in[i];
        for (int k = 0; k < YEARS; k++)
            x = 2.8f * x * (1 - x);
        out[i] = x;
    }
}

extern "C" __global__ void logistic_four(float *out, const float *in, int n)
{
    int all = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += 4 * all) {
        float x[4];
        for (int j = 0; j < 4; j++)
            x[j] = in[i + j * all];
        for (int k = 0; k < YEARS; k++)
            for (int j = 0; j < 4; j++)
                x[j] = 2.8f * x[j] * (1 - x[j]);
        for (int j = 0; j < 4; j++)
            out[i + j * all] = x[j];
    }
}

/* ---- Series of Chebyshev polynomials ---- */

enum { TERMS = 48 };

extern "C" __global__ void chebyshev_global(float *out, const float *in, const float *c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i], b1 = 0, b2 = 0;
#pragma unroll 1
    for (int k = TERMS - 1; k > 0; k--) {
        float b = 2 * x * b1 - b2 + c[k];
        b2 = b1;
        b1 = b;
    }
    out[i] = x * b1 - b2 + c[0];
}

extern "C" __global__ void chebyshev_shared(float *out, const float *in, const float *c)
{
    __shared__ float own[TERMS];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x < TERMS)
        own[threadIdx.x] = c[threadIdx.x];
    __syncthreads();
    float x = in[i], b1 = 0, b2 = 0;
#pragma unroll 16
    for (int k = TERMS - 1; k > 0; k--) {
        float b = 2 * x * b1 - b2 + own[k];
        b2 = b1;
        b1 = b;
    }
    out[i] = x * b1 - b2 + own[0];
}

/* ---- Words by an index ---- */

extern "C" __global__ void twolevel_one(float *out, const float *table, const int *index, int n)
{
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = table[index[i]];
}

extern "C" __global__ void twolevel_four(float *out, const float *table, const int *index, int n)
{
    int all = gridDim.x * blockDim.x;
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += 4 * all) {
        int at[4];
        float v[4];
        for (int j = 0; j < 4; j++)
            at[j] = index[i + j * all];
        for (int j = 0; j < 4; j++)
            v[j] = table[at[j]];
        for (int j = 0; j < 4; j++)
            out[i + j * all] = v[j];
    }
}

/* ---- Largest of each column ---- */

extern "C" __global__ void crests_one(float *out, const float *in, int rows, int columns)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    float most = in[c];
#pragma unroll 1
    for (int r = 1; r < rows; r++)
        most = fmaxf(most, in[(size_t)r * columns + c]);
    out[c] = most;
}

extern "C" __global__ void crests_eight(float *out, const float *in, int rows, int columns)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    float most[8];
    for (int k = 0; k < 8; k++)
        most[k] = in[(size_t)k * columns + c];
#pragma unroll 1
    for (int r = 8; r < rows; r += 8)
        for (int k = 0; k < 8; k++)
            most[k] = fmaxf(most[k], in[(size_t)(r + k) * columns + c]);
    for (int k = 1; k < 8; k++)
        most[0] = fmaxf(most[0], most[k]);
    out[c] = most[0];
}

/* ---- Squared distances of all pairs of points ---- */

extern "C" __global__ void pairdot_tile(float *out, const float *a, const float *b, int n, int k)
{
    __shared__ float ta[16][17], tb[16][17];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
    float sum = 0;
    for (int k0 = 0; k0 < k; k0 += 16) {
        ta[y][x] = a[row * k + k0 + x];
        tb[y][x] = b[(blockIdx.x * 16 + y) * k + k0 + x];
        __syncthreads();
        for (int j = 0; j < 16; j++) {
            float d = ta[y][j] - tb[x][j];
            sum += d * d;
        }
        __syncthreads();
    }
    out[row * n + column] = sum;
}

extern "C" __global__ void pairdot_registers(float *out, const float *a, const float *b, int n, int k)
{
    __shared__ float ta[16][65], tb[16][65];
    int x = threadIdx.x, y = threadIdx.y;
    float sum[4][4] = {{0}};
    for (int k0 = 0; k0 < k; k0 += 16) {
        for (int j = 0; j < 4; j++) {
            ta[x][y + 16 * j] = a[(blockIdx.y * 64 + y + 16 * j) * k + k0 + x];
            tb[x][y + 16 * j] = b[(blockIdx.x * 64 + y + 16 * j) * k + k0 + x];
        }
        __syncthreads();
        for (int j = 0; j < 16; j++)
            for (int r = 0; r < 4; r++)
                for (int c = 0; c < 4; c++) {
                    float d = ta[j][y + 16 * r] - tb[j][x + 16 * c];
                    sum[r][c] += d * d;
                }
        __syncthreads();
    }
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 4; c++)
            out[(blockIdx.y * 64 + y + 16 * r) * n + blockIdx.x * 64 + x + 16 * c] = sum[r][c];
}

/* ---- A filter of 64 taps ---- */

enum { TAPS = 64 };

extern "C" __global__ void taps_one(float *out, const float *in, const float *tap)
{
    __shared__ float x[256 + TAPS], w[TAPS];
    int t = threadIdx.x, base = blockIdx.x * 256;
    x[t] = in[base + t];
    if (t < TAPS) {
        x[256 + t] = in[base + 256 + t];
        w[t] = tap[t];
    }
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int k = 0; k < TAPS; k++)
        sum += w[k] * x[t + k];
    out[base + t] = sum;
}

extern "C" __global__ void taps_four(float *out, const float *in, const float *tap)
{
    __shared__ float4 x[256 + TAPS / 4], w[TAPS / 4];
    int t = threadIdx.x, base = blockIdx.x * 1024;
    x[t] = ((const float4 *)(in + base))[t];
    if (t < TAPS / 4) {
        x[256 + t] = ((const float4 *)(in + base))[256 + t];
        w[t] = ((const float4 *)tap)[t];
    }
    __syncthreads();
    float sum[4] = {0};
    float4 now = x[t];
#pragma unroll
    for (int k = 0; k < TAPS / 4; k++) {
        float4 next = x[t + k + 1], by = w[k];
        float v[8] = {now.x, now.y, now.z, now.w, next.x, next.y, next.z, next.w}, f[4] = {by.x, by.y, by.z, by.w};
#pragma unroll
        for (int j = 0; j < 4; j++)
#pragma unroll
            for (int e = 0; e < 4; e++)
                sum[e] += f[j] * v[j + e];
        now = next;
    }
    ((float4 *)(out + base))[t] = make_float4(sum[0], sum[1], sum[2], sum[3]);
}

/* ---- The longest step of each walk ---- */

extern "C" __global__ void strides_thread(float *out, const float *in, int length)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    float most = 0;
    for (int k = 0; k < length; k++)
        most = fmaxf(most, fabsf(in[(size_t)r * length + k]));
    out[r] = most;
}

extern "C" __global__ void strides_warp(float *out, const float *in, int length)
{
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float most = 0;
    for (int k = lane; k < length; k += 32)
        most = fmaxf(most, fabsf(in[(size_t)r * length + k]));
    for (int d = 16; d > 0; d /= 2)
        most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, d));
    if (lane == 0)
        out[r] = most;
}

/* ---- Energies of particles ---- */

struct particle {
    float x, y, z, mass, u, v, w, charge;
};

extern "C" __global__ void particles_records(float *out, const struct particle *p)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 0.5f * p[i].mass * p[i].charge;
}

extern "C" __global__ void particles_fields(float *out, const float *mass, const float *charge)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 0.5f * mass[i] * charge[i];
}

/* ---- The nearest of 64 centres ---- */

enum { NEAR = 64 };

extern "C" __global__ void nearest_global(int *out, const float4 *at, const float *centre)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, best = 0;
    float4 p = at[i];
    float least = 1e30f;
#pragma unroll 1
    for (int k = 0; k < NEAR; k++) {
        float x = p.x - centre[4 * k], y = p.y - centre[4 * k + 1], z = p.z - centre[4 * k + 2], w = p.w - centre[4 * k + 3];
        float d = x * x + y * y + z * z + w * w;
        if (d < least) {
            least = d;
            best = k;
        }
    }
    out[i] = best;
}

extern "C" __global__ void nearest_shared(int *out, const float4 *at, const float *centre)
{
    __shared__ float4 own[NEAR];
    int i = blockIdx.x * blockDim.x + threadIdx.x, best = 0;
    if (threadIdx.x < NEAR)
        own[threadIdx.x] = ((const float4 *)centre)[threadIdx.x];
    __syncthreads();
    float4 p = at[i];
    float least = 1e30f;
#pragma unroll 8
    for (int k = 0; k < NEAR; k++) {
        float4 c = own[k];
        float x = p.x - c.x, y = p.y - c.y, z = p.z - c.z, w = p.w - c.w;
        float d = x * x + y * y + z * z + w * w;
        if (d < least) {
            least = d;
            best = k;
        }
    }
    out[i] = best;
}

/* ---- Four kinds of material, by turns ---- */

static __device__ __forceinline__ float materials_of(int kind, float x)
{
    if (kind == 0)
        for (int k = 0; k < 64; k++)
            x = x * 0.9f + 0.1f;
    else if (kind == 1)
        for (int k = 0; k < 64; k++)
            x = x * (1.5f - x);
    else if (kind == 2)
        for (int k = 0; k < 64; k++)
            x = 0.7f - x * x * 0.5f;
    else
        for (int k = 0; k < 64; k++)
            x = fabsf(x - 0.3f) + 0.01f;
    return x;
}

extern "C" __global__ void materials_turns(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = materials_of(i % 4, in[i]);
}

// Each warp of four takes one kind of the 128 elements.
extern "C" __global__ void materials_kinds(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, kind = i / 32 % 4;
    int own = i / 128 * 128 + i % 32 * 4 + kind;
    out[own] = materials_of(kind, in[own]);
}

/* ---- One of eight neighbours is renewed ---- */

static __device__ __forceinline__ float renewed(float x)
{
    for (int k = 0; k < 96; k++)
        x = 0.5f * (x + __fdividef(2.0f, x));
    return x;
}

extern "C" __global__ void renew_eighth(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];
    if (i % 8 == 0)
        x = renewed(x);
    out[i] = x;
}

extern "C" __global__ void renew_packed(float *out, const float *in)
{
    __shared__ float own[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    own[t] = in[i];
    __syncthreads();
    if (t < 32)
        own[8 * t] = renewed(own[8 * t]);
    __syncthreads();
    out[i] = own[t];
}
