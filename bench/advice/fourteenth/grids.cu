// Stencils and pictures: three1d_*, fdtd2d_*, tracer_*, perona_*, harris_*, pyrdown_*, swapxy_*, fiveside_*, clampbox_*. Each
// pair's YAML says what differs.
// SPDX-License-Identifier: Apache-2.0

/* ---- 24 steps of heat along a line; its ends stay ------------------------------------------------------------------------- */

extern "C" __global__ void three1d_step(float *next, const float *now, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        next[i] = i > 0 && i < n - 1 ? now[i] + 0.25f * (now[i - 1] - 2.0f * now[i] + now[i + 1]) : now[i];
}

// Twelve steps: a block of 512 loads as many numbers and keeps the 488 in the middle.
extern "C" __global__ void three1d_twelve(float *next, const float *now, int n)
{
    __shared__ float line[2][514];
    int t = threadIdx.x, i = (int)blockIdx.x * 488 + t - 12;
    float v = i >= 0 && i < n ? now[i] : 0.0f;
    bool moves = i > 0 && i < n - 1;
    for (int k = 0; k < 12; ++k) {
        line[k % 2][t + 1] = v;
        __syncthreads();
        if (moves)
            v += 0.25f * (line[k % 2][t] - 2.0f * v + line[k % 2][t + 2]);
    }
    if (t >= 12 && t < 500 && i < n)
        next[i] = v;
}

/* ---- A step of a magnetic field from an electric one, in a medium that is not linear ------------------------------------------------------------------------ */

// Fields of w x h; the last row and column stay.
extern "C" __global__ void fdtd2d_double(const float *e, float *hx, float *hy, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, i = y * w + x;
    if (x >= w - 1 || y >= h - 1)
        return;
    hx[i] = hx[i] * 0.995 - 0.4975 * sqrt(1.0 + hx[i] * hx[i]) * (e[i + w] - e[i]) / (1.0 + 0.1 * hx[i] * hx[i]);
    hy[i] = hy[i] * 0.995 + 0.4975 * sqrt(1.0 + hy[i] * hy[i]) * (e[i + 1] - e[i]) / (1.0 + 0.1 * hy[i] * hy[i]);
}

extern "C" __global__ void fdtd2d_float(const float *e, float *hx, float *hy, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, i = y * w + x;
    if (x >= w - 1 || y >= h - 1)
        return;
    hx[i] = hx[i] * 0.995f - 0.4975f * sqrtf(1.0f + hx[i] * hx[i]) * (e[i + w] - e[i]) / (1.0f + 0.1f * hx[i] * hx[i]);
    hy[i] = hy[i] * 0.995f + 0.4975f * sqrtf(1.0f + hy[i] * hy[i]) * (e[i + 1] - e[i]) / (1.0f + 0.1f * hy[i] * hy[i]);
}

/* ---- A tracer carried up and down its column: seven levels for each --------------------------------------------------------------- */

// Levels of n columns, three more below and above than are written.
extern "C" __global__ void tracer_loads(const float *in, float *out, int n, int levels)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    for (int k = 0; k < levels; ++k) {
        const float *at = in + k * n + i;
        float rise = at[4 * n] - at[2 * n], far = at[5 * n] - at[n], bend = at[6 * n] + at[0] - 2.0f * at[3 * n];
        out[k * n + i] = at[3 * n] - 0.3f * rise + 0.05f * far + 0.01f * bend;
    }
}

extern "C" __global__ void tracer_registers(const float *in, float *out, int n, int levels)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float v[7];
#pragma unroll
    for (int j = 0; j < 6; ++j)
        v[j] = in[j * n + i];
#pragma unroll 4
    for (int k = 0; k < levels; ++k) {
        v[6] = in[(k + 6) * n + i];
        out[k * n + i] = v[3] - 0.3f * (v[4] - v[2]) + 0.05f * (v[5] - v[1]) + 0.01f * (v[6] + v[0] - 2.0f * v[3]);
#pragma unroll
        for (int j = 0; j < 6; ++j)
            v[j] = v[j + 1];
    }
}

/* ---- A step of diffusion that stops at edges --------------------------------------------------------------------------------------- */

// Pictures of w x h; the border is copied.
extern "C" __global__ void perona_exact(const float *in, float *out, float edge, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, i = y * w + x;
    if (x >= w || y >= h)
        return;
    float v = in[i], sum = 0.0f;
    if (x > 0 && y > 0 && x < w - 1 && y < h - 1)
#pragma unroll
        for (int k = 0; k < 9; ++k) {
            if (k == 4)
                continue;
            float d = in[i + (k / 3 - 1) * w + k % 3 - 1] - v, r = d / edge;
            sum += d * expf(-r * r) / (1.0f + fabsf(r));
        }
    out[i] = v + 0.1f * sum;
}

extern "C" __global__ void perona_quick(const float *in, float *out, float edge, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, i = y * w + x;
    if (x >= w || y >= h)
        return;
    float v = in[i], sum = 0.0f, scale = __fdividef(1.0f, edge);
    if (x > 0 && y > 0 && x < w - 1 && y < h - 1)
#pragma unroll
        for (int k = 0; k < 9; ++k) {
            if (k == 4)
                continue;
            float d = in[i + (k / 3 - 1) * w + k % 3 - 1] - v, r = d * scale;
            sum += __fdividef(d * __expf(-r * r), 1.0f + fabsf(r));
        }
    out[i] = v + 0.1f * sum;
}

/* ---- Corners: products of gradients over 5 x 5 pixels ---------------------------------------------------------------------------------- */

static __device__ __forceinline__ float corner(float xx, float xy, float yy)
{
    return xx * yy - xy * xy - 0.05f * (xx + yy) * (xx + yy);
}

// The picture has three pixels more on each side than w x h.
extern "C" __global__ void harris_direct(const float *in, float *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, pitch = w + 6;
    if (x >= w || y >= h)
        return;
    float xx = 0.0f, xy = 0.0f, yy = 0.0f;
#pragma unroll
    for (int j = 1; j < 6; ++j)
#pragma unroll
        for (int k = 1; k < 6; ++k) {
            const float *at = in + (y + j) * pitch + x + k;
            float gx = at[1] - at[-1], gy = at[pitch] - at[-pitch];
            xx += gx * gx;
            xy += gx * gy;
            yy += gy * gy;
        }
    out[y * w + x] = corner(xx, xy, yy);
}

// 32 x 8 pixels a block: gradients, then sums of five below each other, then of five beside each other.
extern "C" __global__ void harris_tile(const float *in, float *out, int w, int h)
{
    __shared__ float gradient_x[12][36], gradient_y[12][36], sums[3][8][36];
    int x0 = blockIdx.x * 32, y0 = blockIdx.y * 8, pitch = w + 6, tx = threadIdx.x, ty = threadIdx.y;
    for (int i = ty * 32 + tx; i < 432; i += 256) {
        int y = y0 + i / 36 + 1, x = x0 + i % 36 + 1;
        if (x < w + 5 && y < h + 5) {
            const float *at = in + y * pitch + x;
            gradient_x[i / 36][i % 36] = at[1] - at[-1];
            gradient_y[i / 36][i % 36] = at[pitch] - at[-pitch];
        }
    }
    __syncthreads();
    for (int i = ty * 32 + tx; i < 288; i += 256) {
        float xx = 0.0f, xy = 0.0f, yy = 0.0f;
#pragma unroll
        for (int j = 0; j < 5; ++j) {
            float gx = gradient_x[i / 36 + j][i % 36], gy = gradient_y[i / 36 + j][i % 36];
            xx += gx * gx;
            xy += gx * gy;
            yy += gy * gy;
        }
        sums[0][i / 36][i % 36] = xx;
        sums[1][i / 36][i % 36] = xy;
        sums[2][i / 36][i % 36] = yy;
    }
    __syncthreads();
    if (x0 + tx >= w || y0 + ty >= h)
        return;
    float xx = 0.0f, xy = 0.0f, yy = 0.0f;
#pragma unroll
    for (int k = 0; k < 5; ++k) {
        xx += sums[0][ty][tx + k];
        xy += sums[1][ty][tx + k];
        yy += sums[2][ty][tx + k];
    }
    out[(y0 + ty) * w + x0 + tx] = corner(xx, xy, yy);
}

/* ---- A picture of bytes at half its size ------------------------------------------------------------------------------------------------- */

extern "C" __global__ void pyrdown_one(const unsigned char *in, unsigned char *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= w)
        return;
    const unsigned char *at = in + 4 * y * w + 2 * x;
    out[y * w + x] = (at[0] + at[1] + at[2 * w] + at[2 * w + 1] + 2) / 4;
}

static __device__ __forceinline__ unsigned mean(unsigned upper, unsigned lower, int shift)
{
    return ((upper >> shift & 255) + (upper >> (shift + 8) & 255) + (lower >> shift & 255) + (lower >> (shift + 8) & 255) + 2) / 4;
}

// words: of four bytes, of a row of the smaller picture.
extern "C" __global__ void pyrdown_four(const uint2 *in, unsigned *out, int words, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= words)
        return;
    uint2 a = in[2 * y * words + x], b = in[(2 * y + 1) * words + x];
    out[y * words + x] = mean(a.x, b.x, 0) | mean(a.x, b.x, 16) << 8 | mean(a.y, b.y, 0) << 16 | mean(a.y, b.y, 16) << 24;
}

/* ---- A picture sharpened: threads side by side in columns, and in rows --------------------------------------------------------------------- */

static __device__ __forceinline__ void sharpen(const float *in, float *out, int x, int y, int w, int h)
{
    if (x >= w || y >= h)
        return;
    const float *at = in + y * w + x;
    float left = at[x > 0 ? -1 : 0], right = at[x < w - 1 ? 1 : 0], above = at[y > 0 ? -w : 0], below = at[y < h - 1 ? w : 0];
    out[y * w + x] = 2.0f * at[0] - 0.25f * (left + right + above + below);
}

extern "C" __global__ void swapxy_columns(const float *in, float *out, int w, int h)
{
    sharpen(in, out, blockIdx.x * blockDim.y + threadIdx.y, blockIdx.y * blockDim.x + threadIdx.x, w, h);
}

extern "C" __global__ void swapxy_rows(const float *in, float *out, int w, int h)
{
    sharpen(in, out, blockIdx.x * blockDim.x + threadIdx.x, blockIdx.y * blockDim.y + threadIdx.y, w, h);
}

/* ---- 5 x 5 weights over tiles in shared memory ------------------------------------------------------------------------------------------------- */

static __device__ __forceinline__ float weight(int j, int k)
{
    return 1.0f / (1 + j * j + 2 * k * k);
}

// The picture has two pixels more on each side than w x h; a block has 32 x 32.
static __device__ __forceinline__ void load_tile(float (*tile)[36], const float *in, int w, int h)
{
    int t = threadIdx.y * 32 + threadIdx.x, step = blockDim.y * 32, x0 = blockIdx.x * 32, y0 = blockIdx.y * 32;
    for (int i = t; i < 1296; i += step)
        if (x0 + i % 36 < w + 4 && y0 + i / 36 < h + 4)
            tile[i / 36][i % 36] = in[(y0 + i / 36) * (w + 4) + x0 + i % 36];
    __syncthreads();
}

extern "C" __global__ void fiveside_one(const float *in, float *out, int w, int h)
{
    __shared__ float tile[36][36];
    load_tile(tile, in, w, h);
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 32 + tx, y = blockIdx.y * 32 + ty;
    if (x >= w || y >= h)
        return;
    float sum = 0.0f;
#pragma unroll
    for (int j = 0; j < 5; ++j)
#pragma unroll
        for (int k = 0; k < 5; ++k)
            sum += weight(j - 2, k - 2) * tile[ty + j][tx + k];
    out[y * w + x] = sum;
}

// Eight rows a thread, one below the other.
extern "C" __global__ void fiveside_eight(const float *in, float *out, int w, int h)
{
    __shared__ float tile[36][36];
    load_tile(tile, in, w, h);
    int tx = threadIdx.x, y0 = threadIdx.y * 8, x = blockIdx.x * 32 + tx, y = blockIdx.y * 32 + y0;
    float sum[8] = {};
#pragma unroll
    for (int j = 0; j < 12; ++j)
#pragma unroll
        for (int k = 0; k < 5; ++k) {
            float v = tile[y0 + j][tx + k];
#pragma unroll
            for (int r = 0; r < 8; ++r)
                if (j - r >= 0 && j - r < 5)
                    sum[r] += weight(j - r - 2, k - 2) * v;
        }
#pragma unroll
    for (int r = 0; r < 8; ++r)
        if (x < w && y + r < h)
            out[(y + r) * w + x] = sum[r];
}

/* ---- The mean over 9 x 9 bytes; what is outside counts as the border ---------------------------------------------------------------------------- */

extern "C" __global__ void clampbox_taps(const unsigned char *in, unsigned char *out, int w, int h, int radius)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    int sum = 0;
    for (int j = -radius; j <= radius; ++j)
#pragma unroll 1
        for (int k = -radius; k <= radius; ++k)
            sum += in[min(max(y + j, 0), h - 1) * w + min(max(x + k, 0), w - 1)];
    out[y * w + x] = sum / 81;
}

// Within the picture taps are at fixed distances; near the border as before.
extern "C" __global__ void clampbox_inside(const unsigned char *in, unsigned char *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    int sum = 0;
    if (x >= 4 && y >= 4 && x < w - 4 && y < h - 4) {
#pragma unroll
        for (int j = 0; j < 9; ++j) {
            const unsigned char *at = in + (y + j - 4) * w + x - 4;
#pragma unroll
            for (int k = 0; k < 9; ++k)
                sum += at[k];
        }
    } else {
        for (int j = -4; j <= 4; ++j)
            for (int k = -4; k <= 4; ++k)
                sum += in[min(max(y + j, 0), h - 1) * w + min(max(x + k, 0), w - 1)];
    }
    out[y * w + x] = sum / 81;
}
