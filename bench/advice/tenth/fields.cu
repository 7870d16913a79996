// Grids and pictures: sobel4_*, median9_*, bilat7_*, iirrows_*, wave1d_*, seven_*, lbcollide_*, lifebits_*, fir17_*, edgeif_*,
// rotate90_*, syncs_*, flatcopy_*, fade16_*. Each pair's YAML says what differs.
// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>

/* ---- Edges (Sobel) of a picture of bytes; rows of the input are 4 bytes wider, and there are two more of them ---------------- */

static __device__ __forceinline__ int edge(int a, int b, int c, int d, int f, int g, int h, int i)
{
    int x = c + 2 * f + i - a - 2 * d - g, y = g + 2 * h + i - a - 2 * b - c;
    return min(abs(x) + abs(y), 255);
}

extern "C" __global__ void sobel4_one(unsigned char *out, const unsigned char *in, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, p = w + 4;
    if (x >= w || y >= h)
        return;
    const unsigned char *at = in + y * p + x;
    out[y * w + x] = edge(at[0], at[1], at[2], at[p], at[p + 2], at[2 * p], at[2 * p + 1], at[2 * p + 2]);
}

extern "C" __global__ void sobel4_four(uchar4 *out, const uchar4 *in, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, p = w / 4 + 1;
    if (x >= w / 4 || y >= h)
        return;
    int v[3][6];
#pragma unroll
    for (int r = 0; r < 3; r++) {
        uchar4 a = in[(y + r) * p + x], b = in[(y + r) * p + x + 1];
        v[r][0] = a.x, v[r][1] = a.y, v[r][2] = a.z, v[r][3] = a.w, v[r][4] = b.x, v[r][5] = b.y;
    }
    int e[4];
#pragma unroll
    for (int k = 0; k < 4; k++)
        e[k] = edge(v[0][k], v[0][k + 1], v[0][k + 2], v[1][k], v[1][k + 2], v[2][k], v[2][k + 1], v[2][k + 2]);
    out[y * (w / 4) + x] = make_uchar4(e[0], e[1], e[2], e[3]);
}

/* ---- The median of a window, 5 x 5 at most; the input has a border of r ------------------------------------------------------ */

extern "C" __global__ void median9_sort(float *out, const float *in, int w, int h, int r)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    float window[25];
    int count = 0;
    for (int dy = 0; dy <= 2 * r; dy++)
        for (int dx = 0; dx <= 2 * r; dx++) {
            float v = in[(y + dy) * (w + 2 * r) + x + dx];
            int i = count++;
            for (; i > 0 && window[i - 1] > v; i--)
                window[i] = window[i - 1];
            window[i] = v;
        }
    out[y * w + x] = window[count / 2];
}

static __device__ __forceinline__ void order(float *a, float *b)
{
    float low = fminf(*a, *b);
    *b = fmaxf(*a, *b);
    *a = low;
}

extern "C" __global__ void median9_network(float *out, const float *in, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    float v[3][3];
#pragma unroll
    for (int r = 0; r < 3; r++) {
#pragma unroll
        for (int c = 0; c < 3; c++)
            v[r][c] = in[(y + r) * (w + 2) + x + c];
        order(&v[r][0], &v[r][1]);
        order(&v[r][1], &v[r][2]);
        order(&v[r][0], &v[r][1]);
    }
    float low = fmaxf(fmaxf(v[0][0], v[1][0]), v[2][0]), high = fminf(fminf(v[0][2], v[1][2]), v[2][2]);
    order(&v[0][1], &v[1][1]);
    order(&v[1][1], &v[2][1]);
    order(&v[0][1], &v[1][1]);
    float mid = v[1][1];
    order(&low, &mid);
    order(&mid, &high);
    order(&low, &mid);
    out[y * w + x] = mid;
}

/* ---- A filter of 7 x 7 that keeps edges (bilateral); the input has a border of three ----------------------------------------- */

#define SPACE 2.5f
#define RANGE 0.2f

extern "C" __global__ void bilat7_double(float *out, const float *in, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    float centre = in[(y + 3) * (w + 6) + x + 3], sum = 0.0f, weights = 0.0f;
#pragma unroll 1
    for (int dy = -3; dy <= 3; dy++)
        for (int dx = -3; dx <= 3; dx++) {
            float v = in[(y + 3 + dy) * (w + 6) + x + 3 + dx];
            float weight = exp(-(dx * dx + dy * dy) / (2.0 * SPACE * SPACE) - (v - centre) * (v - centre) / (2.0 * RANGE * RANGE));
            sum += weight * v;
            weights += weight;
        }
    out[y * w + x] = sum / weights;
}

extern "C" __global__ void bilat7_exact(float *out, const float *in, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    float centre = in[(y + 3) * (w + 6) + x + 3], sum = 0.0f, weights = 0.0f;
#pragma unroll 1
    for (int dy = -3; dy <= 3; dy++)
#pragma unroll
        for (int dx = -3; dx <= 3; dx++) {
            float v = in[(y + 3 + dy) * (w + 6) + x + 3 + dx];
            float weight = expf(-(dx * dx + dy * dy) / (2.0f * SPACE * SPACE)) * expf(-(v - centre) * (v - centre) / (2.0f * RANGE * RANGE));
            sum += weight * v;
            weights += weight;
        }
    out[y * w + x] = sum / weights;
}

extern "C" __global__ void bilat7_fast(float *out, const float *in, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    float centre = in[(y + 3) * (w + 6) + x + 3], sum = 0.0f, weights = 0.0f;
#pragma unroll 1
    for (int dy = -3; dy <= 3; dy++)
#pragma unroll
        for (int dx = -3; dx <= 3; dx++) {
            float v = in[(y + 3 + dy) * (w + 6) + x + 3 + dx], d = v - centre;
            float weight = __expf((dx * dx + dy * dy) * (-0.5f / (SPACE * SPACE)) + d * d * (-0.5f / (RANGE * RANGE)));
            sum += weight * v;
            weights += weight;
        }
    out[y * w + x] = __fdividef(sum, weights);
}

/* ---- A recursive filter along each row --------------------------------------------------------------------------------------- */

extern "C" __global__ void iirrows_direct(float *out, const float *in, float a, int w, int h)
{
    int y = blockIdx.x * blockDim.x + threadIdx.x;
    if (y >= h)
        return;
    float state = 0.0f;
    for (int x = 0; x < w; x++) {
        state = a * state + (1.0f - a) * in[y * w + x];
        out[y * w + x] = state;
    }
}

// A warp for 32 rows, 32 columns of them at a time by way of shared memory.
extern "C" __global__ void iirrows_tile(float *out, const float *in, float a, int w, int h)
{
    __shared__ float tile[32][33];
    int y = blockIdx.x * 32, lane = threadIdx.x;
    float state = 0.0f;
    for (int x = 0; x < w; x += 32) {
#pragma unroll 8
        for (int r = 0; r < 32; r++)
            tile[r][lane] = in[(y + r) * w + x + lane];
        __syncwarp();
#pragma unroll 8
        for (int c = 0; c < 32; c++) {
            state = a * state + (1.0f - a) * tile[lane][c];
            tile[lane][c] = state;
        }
        __syncwarp();
#pragma unroll 8
        for (int r = 0; r < 32; r++)
            out[(y + r) * w + x + lane] = tile[r][lane];
        __syncwarp();
    }
}

/* ---- Waves on a string with fixed ends --------------------------------------------------------------------------------------- */

extern "C" __global__ void wave1d_start(float *now, float *before, const float *given, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        now[i] = before[i] = given[i];
}

extern "C" __global__ void wave1d_step(float *before, const float *now, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1)
        before[i] = 2.0f * now[i] - before[i] + 0.25f * (now[i - 1] - 2.0f * now[i] + now[i + 1]);
}

// Sixteen steps at once: a block of 256 has 224 places and a rim of 16 on each side.
extern "C" __global__ void wave1d_steps(float *now, float *before, const float *now_in, const float *before_in, int n)
{
    __shared__ float s[2][256];
    int t = threadIdx.x, i = blockIdx.x * 224 + t - 16;
    bool in = i >= 0 && i < n;
    s[0][t] = in ? now_in[i] : 0.0f;
    s[1][t] = in ? before_in[i] : 0.0f;
    __syncthreads();
    for (int k = 0; k < 16; k++) {
        const float *u = s[k & 1];
        float *v = s[~k & 1];
        if (t > 0 && t < 255 && i > 0 && i < n - 1)
            v[t] = 2.0f * u[t] - v[t] + 0.25f * (u[t - 1] - 2.0f * u[t] + u[t + 1]);
        __syncthreads();
    }
    if (t >= 16 && t < 240 && i < n) {
        now[i] = s[0][t];
        before[i] = s[1][t];
    }
}

/* ---- Seven points in three dimensions; the faces are left as they are -------------------------------------------------------- */

extern "C" __global__ void seven_flat(float *out, const float *in, int nx, int ny, int nz)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= nx * ny * nz)
        return;
    int x = i % nx, y = i / nx % ny, z = i / (nx * ny);
    if (x == 0 || x == nx - 1 || y == 0 || y == ny - 1 || z == 0 || z == nz - 1) {
        out[i] = in[i];
        return;
    }
    out[i] = 0.4f * in[i] + 0.1f * (in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + in[i - nx * ny] + in[i + nx * ny]);
}

extern "C" __global__ void seven_grid(float *out, const float *in, int nx, int ny, int nz)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
    if (x >= nx || y >= ny)
        return;
    int i = (z * ny + y) * nx + x;
    if (x == 0 || x == nx - 1 || y == 0 || y == ny - 1 || z == 0 || z == nz - 1) {
        out[i] = in[i];
        return;
    }
    out[i] = 0.4f * in[i] + 0.1f * (in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + in[i - nx * ny] + in[i + nx * ny]);
}

/* ---- Collisions of lattice Boltzmann with nine directions, cell after cell --------------------------------------------------- */

static __device__ __forceinline__ void collide(float *f, float omega)
{
    const float cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
    float rho = 0.0f, ux = 0.0f, uy = 0.0f;
#pragma unroll
    for (int q = 0; q < 9; q++) {
        rho += f[q];
        ux += cx[q] * f[q];
        uy += cy[q] * f[q];
    }
    ux /= rho;
    uy /= rho;
#pragma unroll
    for (int q = 0; q < 9; q++) {
        float weight = q == 0 ? 4.0f / 9.0f : q < 5 ? 1.0f / 9.0f : 1.0f / 36.0f, cu = 3.0f * (cx[q] * ux + cy[q] * uy);
        f[q] += omega * (weight * rho * (1.0f + cu + 0.5f * cu * cu - 1.5f * (ux * ux + uy * uy)) - f[q]);
    }
}

extern "C" __global__ void lbcollide_cells(float *out, const float *in, float omega, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float f[9];
#pragma unroll
    for (int q = 0; q < 9; q++)
        f[q] = in[i * 9 + q];
    collide(f, omega);
#pragma unroll
    for (int q = 0; q < 9; q++)
        out[i * 9 + q] = f[q];
}

// n is a multiple of the block; nine words from lane to lane do not meet in a bank.
extern "C" __global__ void lbcollide_staged(float *out, const float *in, float omega)
{
    __shared__ float stage[9 * 128];
    int t = threadIdx.x, base = blockIdx.x * 9 * 128;
    float f[9];
#pragma unroll
    for (int q = 0; q < 9; q++)
        stage[q * 128 + t] = in[base + q * 128 + t];
    __syncthreads();
#pragma unroll
    for (int q = 0; q < 9; q++)
        f[q] = stage[t * 9 + q];
    collide(f, omega);
#pragma unroll
    for (int q = 0; q < 9; q++)
        stage[t * 9 + q] = f[q];
    __syncthreads();
#pragma unroll
    for (int q = 0; q < 9; q++)
        out[base + q * 128 + t] = stage[q * 128 + t];
}

/* ---- Life, 32 cells to a word, on a strip without ends at the sides; the input has a row more above and below ---------------- */

extern "C" __global__ void lifebits_cells(unsigned *out, const unsigned *in, int words, int h)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (i >= words)
        return;
    unsigned long long row[3];
    for (int r = 0; r < 3; r++) {
        const unsigned *at = in + (y + r) * words;
        row[r] = (unsigned long long)at[i == words - 1 ? 0 : i + 1] << 33 | (unsigned long long)at[i] << 1 | at[i == 0 ? words - 1 : i - 1] >> 31;
    }
    unsigned next = 0;
    for (int b = 0; b < 32; b++) {
        int alive = row[1] >> (b + 1) & 1;
        int count = __popc((unsigned)(row[0] >> b) & 7) + __popc((unsigned)(row[1] >> b) & 5) + __popc((unsigned)(row[2] >> b) & 7);
        next |= (unsigned)(count == 3 || (count == 2 && alive)) << b;
    }
    out[y * words + i] = next;
}

// All 32 cells at once: sums of bits by exclusive or and majority.
extern "C" __global__ void lifebits_words(unsigned *out, const unsigned *in, int words, int h)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (i >= words)
        return;
    unsigned ones[3], twos[3], centre = 0;
#pragma unroll
    for (int r = 0; r < 3; r++) {
        const unsigned *at = in + (y + r) * words;
        unsigned c = at[i], a = __funnelshift_l(at[i == 0 ? words - 1 : i - 1], c, 1), b = __funnelshift_r(c, at[i == words - 1 ? 0 : i + 1], 1);
        if (r == 1) {
            centre = c;
            ones[r] = a ^ b;
            twos[r] = a & b;
        } else {
            ones[r] = a ^ b ^ c;
            twos[r] = (a & b) | (a & c) | (b & c);
        }
    }
    unsigned one = ones[0] ^ ones[1] ^ ones[2], carry = (ones[0] & ones[1]) | (ones[0] & ones[2]) | (ones[1] & ones[2]);
    // exactly one of the four words of weight two: two or three neighbours
    unsigned odd = twos[0] ^ twos[1] ^ twos[2] ^ carry, pair = (twos[0] & twos[1]) | (twos[2] & carry) | ((twos[0] | twos[1]) & (twos[2] | carry));
    out[y * words + i] = odd & ~pair & (one | centre);
}

/* ---- 17 even taps; the input is 16 longer ------------------------------------------------------------------------------------ */

extern "C" __global__ void fir17_one(float *out, const float *in, float scale, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0.0f;
    for (int k = 0; k < 17; k++)
        sum += in[i + k] * (scale + k);
    out[i] = sum;
}

// n is a multiple of four.
extern "C" __global__ void fir17_four(float4 *out, const float4 *in, float scale, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (4 * i >= n)
        return;
    float v[20], sum[4] = {0.0f, 0.0f, 0.0f, 0.0f};
#pragma unroll
    for (int k = 0; k < 5; k++) {
        float4 q = in[i + k];
        v[4 * k] = q.x, v[4 * k + 1] = q.y, v[4 * k + 2] = q.z, v[4 * k + 3] = q.w;
    }
#pragma unroll
    for (int k = 0; k < 17; k++)
#pragma unroll
        for (int j = 0; j < 4; j++)
            sum[j] += v[j + k] * (scale + k);
    out[i] = make_float4(sum[0], sum[1], sum[2], sum[3]);
}

/* ---- A step of heat with insulated borders ----------------------------------------------------------------------------------- */

extern "C" __global__ void edgeif_branch(float *out, const float *in, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    float c = in[y * w + x], sum = 0.0f;
    if (x > 0)
        sum += in[y * w + x - 1] - c;
    if (x < w - 1)
        sum += in[y * w + x + 1] - c;
    if (y > 0)
        sum += in[(y - 1) * w + x] - c;
    if (y < h - 1)
        sum += in[(y + 1) * w + x] - c;
    out[y * w + x] = c + 0.2f * sum;
}

extern "C" __global__ void edgeif_clamp(float *out, const float *in, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    int left = max(x - 1, 0), right = min(x + 1, w - 1), above = max(y - 1, 0), below = min(y + 1, h - 1);
    float c = in[y * w + x];
    float sum = in[y * w + left] - c + (in[y * w + right] - c) + (in[above * w + x] - c) + (in[below * w + x] - c);
    out[y * w + x] = c + 0.2f * sum;
}

/* ---- A picture turned by a right angle; sides are multiples of 32 ------------------------------------------------------------ */

extern "C" __global__ void rotate90_direct(float *out, const float *in, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h)
        out[x * h + h - 1 - y] = in[y * w + x];
}

template <int PITCH>
static __device__ __forceinline__ void turn(float *out, const float *in, int w, int h)
{
    __shared__ float tile[32][PITCH];
    int x = blockIdx.x * 32, y = blockIdx.y * 32, tx = threadIdx.x;
#pragma unroll
    for (int r = threadIdx.y; r < 32; r += 8)
        tile[r][tx] = in[(y + r) * w + x + tx];
    __syncthreads();
#pragma unroll
    for (int r = threadIdx.y; r < 32; r += 8)
        out[(x + r) * h + h - 32 - y + tx] = tile[31 - tx][r];
}

extern "C" __global__ void rotate90_tile(float *out, const float *in, int w, int h)
{
    turn<32>(out, in, w, h);
}

extern "C" __global__ void rotate90_padded(float *out, const float *in, int w, int h)
{
    turn<33>(out, in, w, h);
}

/* ---- How a picture changes along its rows; the input is one longer ----------------------------------------------------------- */

extern "C" __global__ void syncs_three(float *out, const float *in, int n)
{
    __shared__ float s[257];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    if (i < n)
        s[t] = in[i];
    __syncthreads();
    if (t == 0)
        s[256] = in[min(i + 256, n)];
    __syncthreads();
    float d = 0.0f;
    if (i < n)
        d = (i == n - 1 ? in[n] : s[t + 1]) - s[t];
    __syncthreads();
    if (i < n)
        out[i] = d;
}

extern "C" __global__ void syncs_none(float *out, const float *in, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n)
        out[i] = in[i + 1] - in[i];
}

/* ---- A picture into one of another pitch ------------------------------------------------------------------------------------- */

extern "C" __global__ void flatcopy_divide(float *out, const float *in, int w, int pitch, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i / w * pitch + i % w] = in[i];
}

extern "C" __global__ void flatcopy_rows(float *out, const float *in, int w, int pitch)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < w)
        out[y * pitch + x] = in[y * w + x];
}

/* ---- Points of a picture that fade in 64 steps, in half ---------------------------------------------------------------------- */

extern "C" __global__ void fade16_scalar(__half *out, const __half *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const __half rate = __float2half(-0.125f), light = __float2half(-0.03125f);
    __half v = in[i];
    for (int k = 0; k < 64; k++)
        v = __hfma(__hmul(rate, v), v, __hfma(rate, light, v));
    out[i] = v;
}

extern "C" __global__ void fade16_pairs(__half2 *out, const __half2 *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (2 * i >= n)
        return;
    const __half2 rate = __float2half2_rn(-0.125f), light = __float2half2_rn(-0.03125f);
    __half2 v = in[i];
    for (int k = 0; k < 64; k++)
        v = __hfma2(__hmul2(rate, v), v, __hfma2(rate, light, v));
    out[i] = v;
}
