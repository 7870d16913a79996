// Science: gravity_*, pihits_*, clusters_*, knn4_*, julia_*, fft256_*, adler32_*, chacha_*, solve4_*, lj_*, fnv_*, rowwalks_*,
// nn64_*, chunks_*, pairdist_*, walsh_*, plummer_*. Each pair's YAML says what differs.
// SPDX-License-Identifier: Apache-2.0

/* ---- Bodies that the first m attract; w is a mass ----------------------------------------------------------------------------- */

#define TILE 256
#define SOFTENING 1e-3f

static __device__ __forceinline__ void pull(float3 *a, float4 p, float4 q, float inverse)
{
    float s = q.w * inverse;
    a->x += (q.x - p.x) * s;
    a->y += (q.y - p.y) * s;
    a->z += (q.z - p.z) * s;
}

static __device__ __forceinline__ float apart(float4 p, float4 q)
{
    float dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z;
    return dx * dx + dy * dy + dz * dz + SOFTENING;
}

extern "C" __global__ void gravity_root(float4 *force, const float4 *body, int m)
{
    __shared__ float4 tile[TILE];
    int i = blockIdx.x * TILE + threadIdx.x;
    float4 p = body[i];
    float3 a = {0.0f, 0.0f, 0.0f};
    for (int base = 0; base < m; base += TILE) {
        tile[threadIdx.x] = body[base + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < TILE; j++) {
            float d = apart(p, tile[j]);
            pull(&a, p, tile[j], 1.0f / sqrtf(d * d * d));
        }
        __syncthreads();
    }
    force[i] = make_float4(a.x, a.y, a.z, 0.0f);
}

extern "C" __global__ void gravity_inverse(float4 *force, const float4 *body, int m)
{
    __shared__ float4 tile[TILE];
    int i = blockIdx.x * TILE + threadIdx.x;
    float4 p = body[i];
    float3 a = {0.0f, 0.0f, 0.0f};
    for (int base = 0; base < m; base += TILE) {
        tile[threadIdx.x] = body[base + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < TILE; j++) {
            float r = rsqrtf(apart(p, tile[j]));
            pull(&a, p, tile[j], r * r * r);
        }
        __syncthreads();
    }
    force[i] = make_float4(a.x, a.y, a.z, 0.0f);
}

/* ---- Points in a quarter of a circle, by generators whose state is kept from run to run -------------------------------------- */

static __device__ __forceinline__ unsigned draw(unsigned s)
{
    return s * 1664525u + 1013904223u;
}

extern "C" __global__ void pihits_each(unsigned *hits, unsigned *state, int tries)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < tries; k++) {
        state[t] = draw(state[t]);
        float x = (state[t] >> 8) * 0x1p-24f;
        state[t] = draw(state[t]);
        float y = (state[t] >> 8) * 0x1p-24f;
        if (x * x + y * y < 1.0f)
            atomicAdd(&hits[k & 7], 1);
    }
}

extern "C" __global__ void pihits_block(unsigned *hits, unsigned *state, int tries)
{
    __shared__ unsigned inside[8];
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x < 8)
        inside[threadIdx.x] = 0;
    __syncthreads();
    for (int k = 0; k < tries; k++) {
        state[t] = draw(state[t]);
        float x = (state[t] >> 8) * 0x1p-24f;
        state[t] = draw(state[t]);
        float y = (state[t] >> 8) * 0x1p-24f;
        unsigned in = __ballot_sync(0xffffffff, x * x + y * y < 1.0f);
        if (threadIdx.x % 32 == 0)
            atomicAdd(&inside[k & 7], __popc(in));
    }
    __syncthreads();
    if (threadIdx.x < 8)
        atomicAdd(&hits[threadIdx.x], inside[threadIdx.x]);
}

extern "C" __global__ void pihits_warp(unsigned *hits, unsigned *state, int tries)
{
    __shared__ unsigned inside[8];
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x < 8)
        inside[threadIdx.x] = 0;
    __syncthreads();
    unsigned s = state[t];
    unsigned own[8] = {0};
    for (int k = 0; k < tries; k += 8)
#pragma unroll
        for (int j = 0; j < 8; j++) {
            s = draw(s);
            float x = (s >> 8) * 0x1p-24f;
            s = draw(s);
            float y = (s >> 8) * 0x1p-24f;
            own[j] += x * x + y * y < 1.0f;
        }
    state[t] = s;
#pragma unroll
    for (int j = 0; j < 8; j++) {
        unsigned sum = __reduce_add_sync(0xffffffff, own[j]);
        if (threadIdx.x % 32 == 0)
            atomicAdd(&inside[j], sum);
    }
    __syncthreads();
    if (threadIdx.x < 8)
        atomicAdd(&hits[threadIdx.x], inside[threadIdx.x]);
}

/* ---- Sums of the points of eight clusters, in whole numbers ------------------------------------------------------------------ */

extern "C" __global__ void clusters_block(int *sums, const int2 *point, const int *cluster, int n)
{
    __shared__ int own[8 * 3];
    if (threadIdx.x < 24)
        own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int c = cluster[i];
        int2 p = point[i];
        atomicAdd(&own[c * 3], p.x);
        atomicAdd(&own[c * 3 + 1], p.y);
        atomicAdd(&own[c * 3 + 2], 1);
    }
    __syncthreads();
    if (threadIdx.x < 24)
        atomicAdd(&sums[threadIdx.x], own[threadIdx.x]);
}

extern "C" __global__ void clusters_lanes(int *sums, const int2 *point, const int *cluster, int n)
{
    __shared__ int own[8 * 3][32];
    int lane = threadIdx.x % 32;
    for (int i = threadIdx.x; i < 8 * 3 * 32; i += blockDim.x)
        own[i / 32][i % 32] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int c = cluster[i];
        int2 p = point[i];
        atomicAdd(&own[c * 3][lane], p.x);
        atomicAdd(&own[c * 3 + 1][lane], p.y);
        atomicAdd(&own[c * 3 + 2][lane], 1);
    }
    __syncthreads();
    for (int k = threadIdx.x / 32; k < 24; k += blockDim.x / 32) {
        int sum = __reduce_add_sync(0xffffffff, own[k][lane]);
        if (lane == 0)
            atomicAdd(&sums[k], sum);
    }
}

/* ---- The squares of the distances to the four nearest of some points --------------------------------------------------------- */

extern "C" __global__ void knn4_insert(float *near, const float2 *query, const float2 *point, int points, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float best[4] = {1e30f, 1e30f, 1e30f, 1e30f};
    float2 q = query[i];
    for (int j = 0; j < points; j++) {
        float dx = point[j].x - q.x, dy = point[j].y - q.y, d = dx * dx + dy * dy;
        int k = 3;
        if (d >= best[3])
            continue;
        while (k > 0 && best[k - 1] > d) {
            best[k] = best[k - 1];
            k--;
        }
        best[k] = d;
    }
    for (int k = 0; k < 4; k++)
        near[i * 4 + k] = best[k];
}

extern "C" __global__ void knn4_exchange(float *near, const float2 *query, const float2 *point, int points, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float best[4] = {1e30f, 1e30f, 1e30f, 1e30f};
    float2 q = query[i];
    for (int j = 0; j < points; j++) {
        float dx = point[j].x - q.x, dy = point[j].y - q.y, d = dx * dx + dy * dy;
#pragma unroll
        for (int k = 0; k < 4; k++) {
            float more = fmaxf(best[k], d);
            best[k] = fminf(best[k], d);
            d = more;
        }
    }
#pragma unroll
    for (int k = 0; k < 4; k++)
        near[i * 4 + k] = best[k];
}

/* ---- A Julia set: where points are after some steps, as far as they stay near ------------------------------------------------ */

extern "C" __global__ void julia_double(float *size, int w, int h, int steps)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    float zx = 0.5 * (2.0 * x / w - 1.0), zy = 0.5 * (2.0 * y / h - 1.0);
    for (int k = 0; k < steps; k++) {
        float t = zx * zx - zy * zy - 0.1;
        zy = 2.0 * zx * zy + 0.1;
        zx = t;
        if (sqrtf(zx * zx + zy * zy) > 2.0f)
            break;
    }
    size[y * w + x] = sqrtf(zx * zx + zy * zy);
}

extern "C" __global__ void julia_root(float *size, int w, int h, int steps)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    float zx = 0.5f * (2.0f * x / w - 1.0f), zy = 0.5f * (2.0f * y / h - 1.0f);
    for (int k = 0; k < steps; k++) {
        float t = zx * zx - zy * zy - 0.1f;
        zy = 2.0f * zx * zy + 0.1f;
        zx = t;
        if (sqrtf(zx * zx + zy * zy) > 2.0f)
            break;
    }
    size[y * w + x] = sqrtf(zx * zx + zy * zy);
}

extern "C" __global__ void julia_square(float *size, int w, int h, int steps)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    float zx = 0.5f * (2.0f * x / w - 1.0f), zy = 0.5f * (2.0f * y / h - 1.0f);
    for (int k = 0; k < steps; k++) {
        float t = zx * zx - zy * zy - 0.1f;
        zy = 2.0f * zx * zy + 0.1f;
        zx = t;
        if (zx * zx + zy * zy > 4.0f)
            break;
    }
    size[y * w + x] = sqrtf(zx * zx + zy * zy);
}

/* ---- 256 points a block, by radix two ---------------------------------------------------------------------------------------- */

static __device__ __forceinline__ void butterfly(float2 *s, int t, int half, float c, float d)
{
    int a = 2 * t - (t & (half - 1)), b = a + half;
    float2 u = s[a], v = s[b];
    float x = v.x * c - v.y * d, y = v.x * d + v.y * c;
    s[a] = make_float2(u.x + x, u.y + y);
    s[b] = make_float2(u.x - x, u.y - y);
}

extern "C" __global__ void fft256_sine(float2 *out, const float2 *in)
{
    __shared__ float2 s[256];
    int t = threadIdx.x;
    s[__brev(t) >> 24] = in[blockIdx.x * 256 + t];
    s[__brev(t + 128) >> 24] = in[blockIdx.x * 256 + t + 128];
    __syncthreads();
    for (int half = 1; half < 256; half *= 2) {
        float angle = -3.14159265f * (t & (half - 1)) / half;
        butterfly(s, t, half, cosf(angle), sinf(angle));
        __syncthreads();
    }
    out[blockIdx.x * 256 + t] = s[t];
    out[blockIdx.x * 256 + t + 128] = s[t + 128];
}

// table: cosines and sines of 128 parts of half a turn
extern "C" __global__ void fft256_table(float2 *out, const float2 *in, const float *cosine, const float *sine)
{
    __shared__ float2 s[256], w[128];
    int t = threadIdx.x;
    w[t] = make_float2(cosine[t], sine[t]);
    s[__brev(t) >> 24] = in[blockIdx.x * 256 + t];
    s[__brev(t + 128) >> 24] = in[blockIdx.x * 256 + t + 128];
    __syncthreads();
    for (int half = 1, step = 128; half < 256; half *= 2, step /= 2) {
        float2 v = w[(t & (half - 1)) * step];
        butterfly(s, t, half, v.x, v.y);
        __syncthreads();
    }
    out[blockIdx.x * 256 + t] = s[t];
    out[blockIdx.x * 256 + t + 128] = s[t + 128];
}

extern "C" __global__ void fft256_angles(float *cosine, float *sine)
{
    float angle = -3.14159265f * threadIdx.x / 128;
    cosine[threadIdx.x] = cosf(angle);
    sine[threadIdx.x] = sinf(angle);
}

/* ---- Checksums (Adler) of records of 64 bytes -------------------------------------------------------------------------------- */

extern "C" __global__ void adler32_bytes(unsigned *sum, const unsigned char *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned a = 1, b = 0;
    for (int k = 0; k < 64; k++) {
        a = (a + data[i * 64 + k]) % 65521;
        b = (b + a) % 65521;
    }
    sum[i] = b << 16 | a;
}

extern "C" __global__ void adler32_vectors(unsigned *sum, const uint4 *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned a = 1, b = 0;
    for (int k = 0; k < 4; k++) {
        uint4 v = data[i * 4 + k];
        unsigned word[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
        for (int j = 0; j < 16; j++) {
            a = (a + (word[j / 4] >> 8 * (j % 4) & 255)) % 65521;
            b = (b + a) % 65521;
        }
    }
    sum[i] = b << 16 | a;
}

extern "C" __global__ void adler32_once(unsigned *sum, const uint4 *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned a = 1, b = 0;
    for (int k = 0; k < 4; k++) {
        uint4 v = data[i * 4 + k];
        unsigned word[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
        for (int j = 0; j < 16; j++) {
            a += word[j / 4] >> 8 * (j % 4) & 255;
            b += a;
        }
    }
    sum[i] = b % 65521 << 16 | a % 65521;
}

/* ---- Blocks of ChaCha: 16 words by a counter --------------------------------------------------------------------------------- */

static __device__ __forceinline__ void quarter(unsigned *a, unsigned *b, unsigned *c, unsigned *d)
{
    *a += *b, *d = __funnelshift_l(*d ^ *a, *d ^ *a, 16);
    *c += *d, *b = __funnelshift_l(*b ^ *c, *b ^ *c, 12);
    *a += *b, *d = __funnelshift_l(*d ^ *a, *d ^ *a, 8);
    *c += *d, *b = __funnelshift_l(*b ^ *c, *b ^ *c, 7);
}

extern "C" __global__ void chacha_loop(unsigned *out, const unsigned *key, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned x[16];
    for (int k = 0; k < 16; k++)
        x[k] = k == 12 ? i : key[k];
    for (int r = 0; r < 20; r++) {
        int turn = r & 1;
#pragma unroll 1
        for (int q = 0; q < 4; q++)
            quarter(&x[q], &x[4 + (q + turn) % 4], &x[8 + (q + 2 * turn) % 4], &x[12 + (q + 3 * turn) % 4]);
    }
    for (int k = 0; k < 16; k++)
        out[k * n + i] = x[k] + (k == 12 ? i : key[k]);
}

extern "C" __global__ void chacha_unrolled(unsigned *out, const unsigned *key, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned x[16];
#pragma unroll
    for (int k = 0; k < 16; k++)
        x[k] = k == 12 ? i : key[k];
    for (int r = 0; r < 10; r++) {
#pragma unroll
        for (int q = 0; q < 4; q++)
            quarter(&x[q], &x[4 + q], &x[8 + q], &x[12 + q]);
#pragma unroll
        for (int q = 0; q < 4; q++)
            quarter(&x[q], &x[4 + (q + 1) % 4], &x[8 + (q + 2) % 4], &x[12 + (q + 3) % 4]);
    }
#pragma unroll
    for (int k = 0; k < 16; k++)
        out[k * n + i] = x[k] + (k == 12 ? i : key[k]);
}

/* ---- Systems of four equations, made safe by 8 on the diagonal; a row has four factors --------------------------------------- */

static __device__ __forceinline__ float4 solved(float a[4][4], float4 right)
{
    float b[4] = {right.x, right.y, right.z, right.w};
#pragma unroll
    for (int k = 0; k < 4; k++) {
        float inverse = 1.0f / (a[k][k] + 8.0f);
#pragma unroll
        for (int r = k + 1; r < 4; r++) {
            float f = a[r][k] * inverse;
#pragma unroll
            for (int c = k + 1; c < 4; c++)
                a[r][c] -= f * a[k][c];
            b[r] -= f * b[k];
        }
    }
#pragma unroll
    for (int k = 3; k >= 0; k--) {
#pragma unroll
        for (int c = k + 1; c < 4; c++)
            b[k] -= a[k][c] * b[c];
        b[k] /= a[k][k] + 8.0f;
    }
    return make_float4(b[0], b[1], b[2], b[3]);
}

extern "C" __global__ void solve4_scalar(float4 *x, const float *matrix, const float4 *right, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float a[4][4];
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 4; c++)
            a[r][c] = matrix[i * 16 + r * 4 + c];
    x[i] = solved(a, right[i]);
}

extern "C" __global__ void solve4_staged(float4 *x, const float *matrix, const float4 *right, int n)
{
    __shared__ float stage[128 * 17];
    int base = blockIdx.x * 128, i = base + threadIdx.x;
    for (int k = threadIdx.x; k < 128 * 16; k += 128)
        if (base * 16 + k < n * 16)
            stage[k / 16 * 17 + k % 16] = matrix[base * 16 + k];
    __syncthreads();
    if (i >= n)
        return;
    float a[4][4];
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 4; c++)
            a[r][c] = stage[threadIdx.x * 17 + r * 4 + c];
    x[i] = solved(a, right[i]);
}

/* ---- Energies of Lennard and Jones with 32 neighbours on a list -------------------------------------------------------------- */

extern "C" __global__ void lj_power(float *energy, const float4 *atom, const int *neighbour, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float4 p = atom[i];
    float sum = 0.0f;
    for (int k = 0; k < 32; k++) {
        float4 q = atom[neighbour[k * n + i]];
        float dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z;
        float r = sqrtf(dx * dx + dy * dy + dz * dz + 1.0f);
        sum += 4.0f * (powf(1.0f / r, 12.0f) - powf(1.0f / r, 6.0f));
    }
    energy[i] = sum;
}

extern "C" __global__ void lj_product(float *energy, const float4 *atom, const int *neighbour, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float4 p = atom[i];
    float sum = 0.0f;
    for (int k = 0; k < 32; k++) {
        float4 q = atom[neighbour[k * n + i]];
        float dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z;
        float s = __fdividef(1.0f, dx * dx + dy * dy + dz * dz + 1.0f), s6 = s * s * s;
        sum += 4.0f * (s6 * s6 - s6);
    }
    energy[i] = sum;
}

/* ---- Hashes (Fowler, Noll, Vo) of counters, over and over -------------------------------------------------------------------- */

extern "C" __global__ void fnv_one(unsigned *out, int rounds)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
#pragma unroll 1
    for (int j = 0; j < 4; j++) {
        unsigned h = 2166136261u ^ (t + j * all);
        for (int k = 0; k < rounds; k++)
            h = (h ^ (h >> 13)) * 16777619u;
        out[t + j * all] = h;
    }
}

extern "C" __global__ void fnv_four(unsigned *out, int rounds)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    unsigned h[4];
#pragma unroll
    for (int j = 0; j < 4; j++)
        h[j] = 2166136261u ^ (t + j * all);
    for (int k = 0; k < rounds; k++)
#pragma unroll
        for (int j = 0; j < 4; j++)
            h[j] = (h[j] ^ (h[j] >> 13)) * 16777619u;
#pragma unroll
    for (int j = 0; j < 4; j++)
        out[t + j * all] = h[j];
}

/* ---- Rows of a map: how long a walk of a whole number down to one is; the middle rows' ones are long ------------------------- */

static __device__ __forceinline__ int walk(int x, int y, int h, int longest)
{
    int d = y < h / 2 ? h / 2 - y : y - h / 2, rounds = longest / (1 + d / 16);
    unsigned v = y * 4096 + x;
    for (int k = 0; k < rounds; k++)
        v = v & 1 ? 3 * v + 1 : v / 2 + 1;
    return v;
}

extern "C" __global__ void rowwalks_band(int *out, int w, int h, int longest)
{
    int rows = (h + gridDim.x - 1) / gridDim.x;
    for (int y = blockIdx.x * rows; y < min((int)(blockIdx.x + 1) * rows, h); y++)
        for (int x = threadIdx.x; x < w; x += blockDim.x)
            out[y * w + x] = walk(x, y, h, longest);
}

extern "C" __global__ void rowwalks_turns(int *out, int w, int h, int longest)
{
    for (int y = blockIdx.x; y < h; y += gridDim.x)
        for (int x = threadIdx.x; x < w; x += blockDim.x)
            out[y * w + x] = walk(x, y, h, longest);
}

/* ---- The square of the distance from each of 64 queries to the nearest of many points; whole numbers ------------------------- */

static __device__ __forceinline__ void nearest(int *best, int4 q, const int4 *point, int from, int to)
{
    int least = 2147483647;
    for (int j = from + threadIdx.x; j < to; j += blockDim.x) {
        int4 p = point[j];
        int dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z;
        least = min(least, dx * dx + dy * dy + dz * dz);
    }
    least = __reduce_min_sync(0xffffffff, least);
    if (threadIdx.x % 32 == 0)
        atomicMin(best, least);
}

extern "C" __global__ void nn64_far(int *best)
{
    best[threadIdx.x] = 2147483647;
}

extern "C" __global__ void nn64_query(int *best, const int4 *query, const int4 *point, int n)
{
    nearest(&best[blockIdx.x], query[blockIdx.x], point, 0, n);
}

extern "C" __global__ void nn64_parts(int *best, const int4 *query, const int4 *point, int n)
{
    int part = n / gridDim.y;
    nearest(&best[blockIdx.x], query[blockIdx.x], point, blockIdx.y * part, (blockIdx.y + 1) * part);
}

/* ---- Tiles of 4096 numbers, each grown by 32 rounds with its neighbour in the tile ------------------------------------------- */

#define CHUNK 4096
#define EACH 8

static __device__ __forceinline__ void grow(float *out, const float *s, int t)
{
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        float v = s[t + k * 512], w = 0.5f * s[(t + k * 512 + 1) % CHUNK];
#pragma unroll 8
        for (int r = 0; r < 32; r++)
            v = v * w + 0.25f;
        out[t + k * 512] = v;
    }
}

extern "C" __global__ void chunks_wait(float *out, const float *in, int tiles)
{
    __shared__ float s[CHUNK];
    int t = threadIdx.x;
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
#pragma unroll
        for (int k = 0; k < EACH; k++)
            s[t + k * 512] = in[tile * CHUNK + t + k * 512];
        __syncthreads();
        grow(out + tile * CHUNK, s, t);
        __syncthreads();
    }
}

extern "C" __global__ void chunks_ahead(float *out, const float *in, int tiles)
{
    __shared__ float s[CHUNK];
    int t = threadIdx.x;
    float next[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++)
        next[k] = in[blockIdx.x * CHUNK + t + k * 512];
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
#pragma unroll
        for (int k = 0; k < EACH; k++)
            s[t + k * 512] = next[k];
        __syncthreads();
        int then = tile + (int)gridDim.x;
        if (then < tiles)
#pragma unroll
            for (int k = 0; k < EACH; k++)
                next[k] = in[then * CHUNK + t + k * 512];
        grow(out + tile * CHUNK, s, t);
        __syncthreads();
    }
}

/* ---- The squares of the distances between all pairs of points of 32 numbers -------------------------------------------------- */

#define DIMS 32

extern "C" __global__ void pairdist_one(float *out, const float *x, int n)
{
    __shared__ float a[DIMS][17], b[DIMS][17];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16, col = blockIdx.x * 16, t = ty * 16 + tx;
    for (int i = t; i < 16 * DIMS; i += 256) {
        a[i % DIMS][i / DIMS] = x[(row + i / DIMS) * DIMS + i % DIMS];
        b[i % DIMS][i / DIMS] = x[(col + i / DIMS) * DIMS + i % DIMS];
    }
    __syncthreads();
    float sum = 0.0f;
    for (int k = 0; k < DIMS; k++) {
        float d = a[k][ty] - b[k][tx];
        sum += d * d;
    }
    out[(row + ty) * n + col + tx] = sum;
}

extern "C" __global__ void pairdist_square(float *out, const float *x, int n)
{
    __shared__ float a[DIMS][65], b[DIMS][65];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 64, col = blockIdx.x * 64, t = ty * 16 + tx;
    for (int i = t; i < 64 * DIMS; i += 256) {
        a[i % DIMS][i / DIMS] = x[(row + i / DIMS) * DIMS + i % DIMS];
        b[i % DIMS][i / DIMS] = x[(col + i / DIMS) * DIMS + i % DIMS];
    }
    __syncthreads();
    float sum[4][4] = {{0.0f}};
#pragma unroll 4
    for (int k = 0; k < DIMS; k++) {
        float u[4], v[4];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            u[i] = a[k][ty + 16 * i];
            v[i] = b[k][tx + 16 * i];
        }
#pragma unroll
        for (int i = 0; i < 4; i++)
#pragma unroll
            for (int j = 0; j < 4; j++)
                sum[i][j] += (u[i] - v[j]) * (u[i] - v[j]);
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++)
            out[(row + ty + 16 * i) * n + col + tx + 16 * j] = sum[i][j];
}

/* ---- Transforms of 512 numbers (Walsh and Hadamard), eight a thread at a time ------------------------------------------------ */

template <int PAD>
static __device__ __forceinline__ int place(int i)
{
    return PAD ? i + i / 8 : i;
}

template <int PAD>
static __device__ __forceinline__ void walsh(float *out, const float *in)
{
    __shared__ float s[512 + 64 * PAD];
    int t = threadIdx.x;
#pragma unroll
    for (int k = 0; k < 8; k++)
        s[place<PAD>(t + 64 * k)] = in[blockIdx.x * 512 + t + 64 * k];
#pragma unroll
    for (int step = 1; step < 512; step *= 8) {
        int first = t / step * step * 8 + t % step;
        float v[8];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 8; k++)
            v[k] = s[place<PAD>(first + k * step)];
#pragma unroll
        for (int half = 1; half < 8; half *= 2)
#pragma unroll
            for (int k = 0; k < 8; k++)
                if ((k & half) == 0) {
                    float a = v[k], b = v[k + half];
                    v[k] = a + b;
                    v[k + half] = a - b;
                }
#pragma unroll
        for (int k = 0; k < 8; k++)
            s[place<PAD>(first + k * step)] = v[k];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 8; k++)
        out[blockIdx.x * 512 + t + 64 * k] = s[place<PAD>(t + 64 * k)];
}

extern "C" __global__ void walsh_dense(float *out, const float *in)
{
    walsh<0>(out, in);
}

extern "C" __global__ void walsh_padded(float *out, const float *in)
{
    walsh<1>(out, in);
}

/* ---- A few thousand bodies that attract each other, in whole or by parts of the others --------------------------------------- */

static __device__ __forceinline__ float3 drawn(const float4 *body, float4 p, int from, int to)
{
    __shared__ float4 tile[TILE];
    float3 a = {0.0f, 0.0f, 0.0f};
    for (int base = from; base < to; base += TILE) {
        tile[threadIdx.x] = body[base + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < TILE; j++) {
            float r = rsqrtf(apart(p, tile[j]));
            pull(&a, p, tile[j], r * r * r);
        }
        __syncthreads();
    }
    return a;
}

extern "C" __global__ void plummer_whole(float *force, const float4 *body, int n)
{
    int i = blockIdx.x * TILE + threadIdx.x;
    float3 a = drawn(body, body[i], 0, n);
    force[i] = a.x;
    force[n + i] = a.y;
    force[2 * n + i] = a.z;
}

extern "C" __global__ void plummer_parts(float *force, const float4 *body, int n)
{
    int i = blockIdx.x * TILE + threadIdx.x, part = n / gridDim.y;
    float3 a = drawn(body, body[i], blockIdx.y * part, (blockIdx.y + 1) * part);
    atomicAdd(&force[i], a.x);
    atomicAdd(&force[n + i], a.y);
    atomicAdd(&force[2 * n + i], a.z);
}
