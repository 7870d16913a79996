// Short kernels of many kinds, for tuning what PTX becomes in machine code: loops with odd numbers of turns and turns that differ
// by warp, side steps that get predicates, words of shared memory side by side, pointers that walk, functions of libm.
// SPDX-License-Identifier: Apache-2.0
__device__ unsigned mix(unsigned h)
{
    h = (h ^ h >> 16) * 0x7feb352du;
    h = (h ^ h >> 15) * 0x846ca68bu;
    return h ^ h >> 16;
}

/* ---- shared memory ---- */

// A tree over shared memory, halves first.
extern "C" __global__ void tree_max(float *out, const float *in)
{
    __shared__ float s[256];
    unsigned t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (unsigned d = 128; d > 0; d /= 2) {
        if (t < d)
            s[t] = fmaxf(s[t], s[t + d]);
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

// The same with places that the step multiplies.
extern "C" __global__ void tree_up(float *out, const float *in)
{
    __shared__ float s[512];
    unsigned t = threadIdx.x;
    s[t] = in[blockIdx.x * 512 + t];
    s[t + 256] = in[blockIdx.x * 512 + 256 + t];
    for (unsigned step = 1, left = 256; left > 0; left /= 2, step *= 2) {
        __syncthreads();
        if (t < left) {
            unsigned a = step * (2 * t + 1) - 1, b = step * (2 * t + 2) - 1;
            s[b] += s[a];
        }
    }
    __syncthreads();
    out[blockIdx.x * 256 + t] = s[2 * t + 1];
}

// Prefix sums, each place from one further off.
extern "C" __global__ void prefix_steps(float *out, const float *in)
{
    __shared__ float s[2][256];
    int t = threadIdx.x, now = 0;
    s[0][t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int d = 1; d < 256; d *= 2) {
        now ^= 1;
        s[now][t] = t >= d ? s[now ^ 1][t] + s[now ^ 1][t - d] : s[now ^ 1][t];
        __syncthreads();
    }
    out[blockIdx.x * 256 + t] = s[now][t];
}

// Neighbours change places, even pairs and odd pairs by turns.
extern "C" __global__ void odd_even(float *out, const float *in)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int turn = 0; turn < 32; turn++) {
        int at = 2 * t + (turn & 1);
        if (at + 1 < 256) {
            float a = s[at], b = s[at + 1];
            if (a > b) {
                s[at] = b;
                s[at + 1] = a;
            }
        }
        __syncthreads();
    }
    out[blockIdx.x * 256 + t] = s[t];
}

// 4 by 4 of a product in registers; pointers walk through the tiles.
extern "C" __global__ void walk_product(float *c, const float *a, const float *b, int n)
{
    __shared__ float left[16 * 64], right[16 * 64];
    int x = threadIdx.x % 16 * 4, y = threadIdx.x / 16 * 4;
    float sum[4][4] = {};
    for (int from = 0; from < n; from += 16) {
        for (int i = threadIdx.x; i < 1024; i += 256) {
            left[i % 16 * 64 + i / 16] = a[(blockIdx.y * 64 + i / 16) * n + from + i % 16];
            right[i] = b[(from + i / 64) * n + blockIdx.x * 64 + i % 64];
        }
        __syncthreads();
        const float *p = left + y, *q = right + x;
#pragma unroll 1
        for (int k = 0; k < 16; k++, p += 64, q += 64)
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++)
                    sum[i][j] += p[i] * q[j];
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            c[(blockIdx.y * 64 + y + i) * n + blockIdx.x * 64 + x + j] = sum[i][j];
}

// The tile's rows 16 apart.
extern "C" __global__ void apart_product(float *c, const float *a, const float *b, int n)
{
    __shared__ float left[64][16], right[16][64];
    int x = threadIdx.x % 16, y = threadIdx.x / 16;
    float sum[4][4] = {};
    for (int from = 0; from < n; from += 16) {
        for (int l = 0; l < 4; l++) {
            int i = threadIdx.x + l * 256;
            left[i / 16][i % 16] = a[(blockIdx.y * 64 + i / 16) * n + from + i % 16];
            right[i / 64][i % 64] = b[(from + i / 64) * n + blockIdx.x * 64 + i % 64];
        }
        __syncthreads();
#pragma unroll 4
        for (int k = 0; k < 16; k++) {
            float u[4], v[4];
            for (int i = 0; i < 4; i++)
                u[i] = left[y + 16 * i][k], v[i] = right[k][x + 16 * i];
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++)
                    sum[i][j] += u[i] * v[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            c[(blockIdx.y * 64 + y + 16 * i) * n + blockIdx.x * 64 + x + 16 * j] = sum[i][j];
}

// A row's neighbours with its ends at hand.
extern "C" __global__ void halo_mean(float *out, const float *in, int n)
{
    __shared__ float s[256 + 10];
    int t = threadIdx.x, at = blockIdx.x * 256 + t;
    s[t + 5] = at < n ? in[at] : 0.0f;
    if (t < 5) {
        s[t] = at >= 5 ? in[at - 5] : 0.0f;
        s[t + 261] = at + 256 < n ? in[at + 256] : 0.0f;
    }
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 11; k++)
        sum += s[t + k];
    if (at < n)
        out[at] = sum / 11;
}

/* ---- loops ---- */

// A row of as many words as its number says, a thread each.
extern "C" __global__ void ragged_sum(float *out, const float *in)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned turns = mix(i) & 31;
    float sum = 0;
    for (unsigned k = 0; k < turns; k++)
        sum += in[i * 8 + k];
    out[i] = sum;
}

// The same for a warp.
extern "C" __global__ void ragged_rows(float *out, const float *in)
{
    unsigned row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    unsigned length = 16 + (mix(row) & 511);
    float sum = 0;
    for (unsigned k = lane; k < length; k += 32)
        sum += in[row * 64 + k];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    if (lane == 0)
        out[row] = sum;
}

// Gathered, weighted: begin and end from memory.
extern "C" __global__ void ragged_gather(float *out, const float *in, const unsigned *index)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned begin = i * 8, end = begin + (index[i] & 15);
    float sum = 0;
    for (unsigned k = begin; k < end; k++)
        sum += in[index[k] & 1048575] * 0.5f;
    out[i] = sum;
}

extern "C" __global__ void walk_list(unsigned *out, const unsigned *next)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, at = i;
    int n = 0;
    while ((at & 7) != 3 && n < 100) {
        at = next[at & 1048575];
        n++;
    }
    out[i] = n;
}

extern "C" __global__ void collatz(unsigned *out, unsigned from)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, n = 0;
    unsigned long long v = from + i;
    while (v != 1 && n < 200) {
        v = v & 1 ? 3 * v + 1 : v / 2;
        n++;
    }
    out[i] = n;
}

extern "C" __global__ void divisors(unsigned *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned a = mix(i) | 1, b = mix(i + 1) & 0xffff | 1;
    while (b != 0) {
        unsigned r = a % b;
        a = b;
        b = r;
    }
    out[i] = a;
}

extern "C" __global__ void search(unsigned *out, const float *sorted, int n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float key = (mix(i) & 1023) / 1024.0f;
    int low = 0, high = n;
    while (low < high) {
        int middle = (low + high) / 2;
        if (sorted[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    out[i] = low;
}

extern "C" __global__ void horner(float *out, const float *in, const float *factors, int degree)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i], v = factors[degree];
    for (int k = degree - 1; k >= 0; k--)
        v = v * x + factors[k];
    out[i] = v;
}

extern "C" __global__ void taps(float *out, const float *in, const float *weights, int n, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < count; k++)
        if (i + k - count / 2 >= 0 && i + k - count / 2 < n)
            sum += weights[k] * in[i + k - count / 2];
    out[i] = sum;
}

extern "C" __global__ void columns(float *out, const float *in, int rows, int width)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    float most = in[x];
    for (int y = 1; y < rows; y++)
        most = fmaxf(most, in[y * width + x]);
    out[x] = most;
}

extern "C" __global__ void row_shares(float *out, const float *in, int width)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    const float *from = in + row * width;
    float most = -1e30f, sum = 0;
    for (int k = lane; k < width; k += 32)
        most = fmaxf(most, from[k]);
    for (int d = 16; d > 0; d /= 2)
        most = fmaxf(most, __shfl_xor_sync(~0u, most, d));
    for (int k = lane; k < width; k += 32)
        sum += expf(from[k] - most);
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    for (int k = lane; k < width; k += 32)
        out[row * width + k] = expf(from[k] - most) / sum;
}

extern "C" __global__ void stride_sum(float *out, const float *in, int n)
{
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += in[i] * in[i];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* ---- side steps ---- */

extern "C" __global__ void clamp_blur(float *out, const float *in, int width, int height)
{
    int x = blockIdx.x * 32 + threadIdx.x % 32, y = blockIdx.y * 8 + threadIdx.x / 32;
    if (x >= width || y >= height)
        return;
    float sum = 0;
    for (int v = -1; v <= 1; v++)
        for (int u = -1; u <= 1; u++)
            sum += in[min(max(y + v, 0), height - 1) * width + min(max(x + u, 0), width - 1)];
    out[y * width + x] = sum / 9;
}

extern "C" __global__ void inside_cross(float *out, const float *in, int width, int height)
{
    int x = blockIdx.x * 32 + threadIdx.x % 32, y = blockIdx.y * 8 + threadIdx.x / 32;
    float v = in[y * width + x], sum = -4 * v;
    if (x > 0)
        sum += in[y * width + x - 1];
    if (x < width - 1)
        sum += in[y * width + x + 1];
    if (y > 0)
        sum += in[(y - 1) * width + x];
    if (y < height - 1)
        sum += in[(y + 1) * width + x];
    out[y * width + x] = v + 0.1f * sum;
}

extern "C" __global__ void life(unsigned char *out, const unsigned char *in, int width, int height)
{
    int x = blockIdx.x * 32 + threadIdx.x % 32, y = blockIdx.y * 8 + threadIdx.x / 32, n = 0;
    for (int v = -1; v <= 1; v++)
        for (int u = -1; u <= 1; u++)
            if (u != 0 || v != 0)
                n += in[((y + v + height) % height) * width + (x + u + width) % width] & 1;
    out[y * width + x] = n == 3 || (n == 2 && in[y * width + x] & 1);
}

extern "C" __global__ void middle_of_nine(float *out, const float *in, int width)
{
    int x = 1 + blockIdx.x * 32 + threadIdx.x % 32, y = 1 + blockIdx.y * 8 + threadIdx.x / 32;
    float v[9];
    for (int i = 0; i < 9; i++)
        v[i] = in[(y + i / 3 - 1) * width + x + i % 3 - 1];
    for (int i = 0; i < 5; i++)
        for (int j = i + 1; j < 9; j++)
            if (v[j] < v[i]) {
                float w = v[i];
                v[i] = v[j];
                v[j] = w;
            }
    out[y * width + x] = v[4];
}

extern "C" __global__ void choose(float *out, const float *in)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, kind = mix(i) & 3;
    float x = in[i];
    if (kind == 0)
        x = x * x + 1;
    else if (kind == 1)
        x = sqrtf(x) * 2;
    else if (kind == 2)
        x = 1 / (x + 1);
    else
        x = __expf(x) - x;
    out[i] = x;
}

extern "C" __global__ void bins_shared(unsigned *out, const unsigned *in, int n)
{
    __shared__ unsigned bins[256];
    bins[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[in[i] >> 12 & 255], 1);
    __syncthreads();
    if (bins[threadIdx.x] != 0)
        atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}

extern "C" __global__ void keep_some(unsigned *out, unsigned *count, const unsigned *in)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    bool keep = (in[i] & 3) == 0;
    unsigned all = __ballot_sync(~0u, keep), base = 0;
    if (lane == 0)
        base = atomicAdd(count, __popc(all));
    base = __shfl_sync(~0u, base, 0);
    if (keep)
        out[(base + __popc(all & ((1u << lane) - 1))) & 1048575] = in[i];
}

extern "C" __global__ void insert_keys(unsigned *table, const unsigned *in)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, key = in[i] | 1, at = mix(key) & 16777215;
    for (int tries = 0; tries < 64; tries++) {
        unsigned was = atomicCAS(&table[at], 0u, key);
        if (was == 0 || was == key)
            break;
        at = (at + 1) & 16777215;
    }
}

/* ---- functions ---- */

extern "C" __global__ void waves_f32(float *out, const float *in)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i] * 10;
    out[i] = sinf(x) * cosf(2 * x) + tanf(x * 0.1f);
}

extern "C" __global__ void powers_f32(float *out, const float *in)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];
    out[i] = powf(x + 0.1f, 1.7f) + logf(x + 1) + log1pf(x) + expm1f(x) + cbrtf(x);
}

extern "C" __global__ void bells_f32(float *out, const float *in)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];
    out[i] = erff(x) + 0.5f * x * (1 + tanhf(0.79788f * (x + 0.044715f * x * x * x))) + atan2f(x, 0.5f) + hypotf(x, 2);
}

extern "C" __global__ void prices(float *out, const float *in)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 50 + in[i] * 100, t = 1 + in[i], v = 0.3f, r = 0.02f;
    float root = sqrtf(t), d = (logf(s / 100) + (r + 0.5f * v * v) * t) / (v * root), e = d - v * root;
    float k = 1 / (1 + 0.2316419f * fabsf(d)), l = 1 / (1 + 0.2316419f * fabsf(e));
    float a = 0.39894228f * expf(-0.5f * d * d) * (k * (0.31938153f + k * (-0.356563782f + k * 1.781477937f)));
    float b = 0.39894228f * expf(-0.5f * e * e) * (l * (0.31938153f + l * (-0.356563782f + l * 1.781477937f)));
    out[i] = s * (d > 0 ? 1 - a : a) - 100 * expf(-r * t) * (e > 0 ? 1 - b : b);
}

extern "C" __global__ void roots_f64(double *out, const float *in)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    double x = in[i] + 1.0;
    out[i] = sqrt(x) + log(x) * sin(x);
}

extern "C" __global__ void dot_f64(double *out, const double *a, const double *b, int n)
{
    double sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += a[i] * b[i];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(~0u, sum, d);
    if (threadIdx.x % 32 == 0)
        atomicAdd(out, sum);
}

extern "C" __global__ void newton_roots(float *out, const float *in)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float a = in[i] + 0.5f, x = a;
    for (int k = 0; k < 50; k++) {
        float y = 0.5f * (x + a / x);
        if (fabsf(y - x) < 1e-6f)
            break;
        x = y;
    }
    out[i] = x;
}

extern "C" __global__ void long_divide(unsigned long long *out, const unsigned *in)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long v = (unsigned long long)in[i] << 32 | mix(i);
    out[i] = v / (in[i + 1] | 1) + v % 1000003;
}

extern "C" __global__ void calendar(unsigned *out, const unsigned *in)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, days = in[i];
    unsigned era = days / 146097, day = days % 146097, year = (day - day / 1460 + day / 36524) / 365;
    unsigned month = (5 * (day % 365) + 2) / 153;
    out[i] = (era * 400 + year) * 16 + month % 12;
}

extern "C" __global__ void lottery(float *out, int turns)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, state = mix(i), hits = 0;
    for (int k = 0; k < turns; k++) {
        state = state * 1664525 + 1013904223;
        float x = (state >> 8) * 5.9604645e-8f;
        state = state * 1664525 + 1013904223;
        float y = (state >> 8) * 5.9604645e-8f;
        if (x * x + y * y < 1)
            hits++;
    }
    out[i] = 4.0f * hits / turns;
}

extern "C" __global__ void fractal(unsigned *out, int width, int most)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = (i % width) * 3.0f / width - 1.5f, y = (i / width % 512) * 3.0f / 512 - 1.5f;
    int n = 0;
    for (; n < most && x * x + y * y < 4; n++) {
        float u = x * x - y * y - 0.7f;
        y = 2 * x * y + 0.27f;
        x = u;
    }
    out[i] = n;
}

extern "C" __global__ void letters(unsigned *out, const unsigned char *text, int length)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, hash = 2166136261u;
    for (int k = 0; k < length; k++)
        hash = (hash ^ text[i * 4 + k]) * 16777619u;
    out[i] = hash;
}

extern "C" __global__ void turn_over(float *out, const float *in, int rows, int width)
{
    __shared__ float s[32][33];
    int x = blockIdx.x * 32 + threadIdx.x % 32, y = blockIdx.y * 32 + threadIdx.x / 32;
    for (int k = 0; k < 32; k += 8)
        if (x < width && y + k < rows)
            s[threadIdx.x / 32 + k][threadIdx.x % 32] = in[(y + k) * width + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x % 32, y = blockIdx.x * 32 + threadIdx.x / 32;
    for (int k = 0; k < 32; k += 8)
        if (x < rows && y + k < width)
            out[(y + k) * rows + x] = s[threadIdx.x % 32][threadIdx.x / 32 + k];
}
