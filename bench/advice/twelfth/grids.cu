// Grids and images: heat3d_*, burgers_*, sandpile_*, swe_*, sepgauss_*, bilat5_*, census_*, stereo_*, boxrun_*, bayer_*, hsv_*, tones_*,
// gradmag_*, anyradius_*, wrapsum_*. Each pair's YAML says what differs.
// SPDX-License-Identifier: Apache-2.0

/* ---- Seven points; in has an edge around it ------------------------------------------------------------------------------ */

extern "C" __global__ void heat3d_literals(const float *in, float *out, int nx, int ny)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, z = blockIdx.z, row = nx + 2, plane = row * (ny + 2);
    const float *at = in + (z + 1) * plane + (y + 1) * row + x + 1;
    float u = at[0];
    out[(z * ny + y) * nx + x] = 0.4 * u + 0.1 * at[-1] + 0.1 * at[1] + 0.1 * at[-row] + 0.1 * at[row] + 0.1 * at[-plane] + 0.1 * at[plane] +
                                 0.01 * u * (1.0 - u) * (u + 0.5);
}

extern "C" __global__ void heat3d_floats(const float *in, float *out, int nx, int ny)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, z = blockIdx.z, row = nx + 2, plane = row * (ny + 2);
    const float *at = in + (z + 1) * plane + (y + 1) * row + x + 1;
    float u = at[0];
    out[(z * ny + y) * nx + x] = 0.4f * u + 0.1f * at[-1] + 0.1f * at[1] + 0.1f * at[-row] + 0.1f * at[row] + 0.1f * at[-plane] + 0.1f * at[plane] +
                                 0.01f * u * (1.0f - u) * (u + 0.5f);
}

/* ---- Burgers' equation: the first and the last number stay ------------------------------------------------------------------ */

static __device__ __forceinline__ float next_speed(float left, float u, float right)
{
    return u - 0.1f * u * (right - left) + 0.2f * (right - 2.0f * u + left);
}

extern "C" __global__ void burgers_step(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = i == 0 || i == n - 1 ? in[i] : next_speed(in[i - 1], in[i], in[i + 1]);
}

// Sixteen steps: each spoils one more point at both ends of a block's 256.
extern "C" __global__ void burgers_block(const float *in, float *out, int n)
{
    __shared__ float u[2][258];
    int t = threadIdx.x, i = blockIdx.x * 224 + t - 16;
    bool moves = i > 0 && i < n - 1;
    u[0][t + 1] = i >= 0 && i < n ? in[i] : 0.0f;
    if (t < 2)
        u[0][t * 257] = u[1][t * 257] = 0.0f;
    __syncthreads();
#pragma unroll
    for (int s = 0; s < 16; ++s) {
        const float *now = u[s % 2];
        u[(s + 1) % 2][t + 1] = moves ? next_speed(now[t], now[t + 1], now[t + 2]) : now[t + 1];
        __syncthreads();
    }
    if (t >= 16 && t < 240 && i < n)
        out[i] = u[0][t + 1];
}

/* ---- A cell of four grains and more gives one to each neighbour; 64 x 64 cells ------------------------------------------------- */

static __device__ __forceinline__ int fallen(const int *cell, int i)
{
    int x = i % 64, y = i / 64, own = cell[i];
    own -= own >= 4 ? 4 : 0;
    return own + (x > 0 && cell[i - 1] >= 4) + (x < 63 && cell[i + 1] >= 4) + (y > 0 && cell[i - 64] >= 4) + (y < 63 && cell[i + 64] >= 4);
}

extern "C" __global__ void sandpile_round(const int *in, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = fallen(in, i);
}

extern "C" __global__ void sandpile_block(const int *in, int *out, int rounds)
{
    __shared__ int cell[2][4096];
    int t = threadIdx.x;
    for (int i = t; i < 4096; i += 1024)
        cell[0][i] = in[i];
    __syncthreads();
    for (int r = 0; r < rounds; ++r) {
#pragma unroll
        for (int i = t; i < 4096; i += 1024)
            cell[(r + 1) % 2][i] = fallen(cell[r % 2], i);
        __syncthreads();
    }
    for (int i = t; i < 4096; i += 1024)
        out[i] = cell[rounds % 2][i];
}

/* ---- Rusanov fluxes with the speed of Roe's mean ---------------------------------------------------------------------------------- */

extern "C" __global__ void swe_exact(const float *height, const float *speed, float *flux, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float hl = height[i], hr = height[i + 1], ul = speed[i], ur = speed[i + 1];
    float rl = sqrtf(hl), rr = sqrtf(hr), u = (rl * ul + rr * ur) / (rl + rr), fastest = fabsf(u) + sqrtf(9.81f * 0.5f * (hl + hr));
    float ml = hl * ul, mr = hr * ur;
    flux[i] = 0.5f * (ml + mr - fastest * (hr - hl));
    flux[n + i] = 0.5f * (ml * ml / hl + mr * mr / hr + 4.905f * (hl * hl + hr * hr) - fastest * (mr - ml));
}

static __device__ __forceinline__ float root(float v)
{
    asm("sqrt.approx.f32 %0, %0;" : "+f"(v));
    return v;
}

extern "C" __global__ void swe_approximate(const float *height, const float *speed, float *flux, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float hl = height[i], hr = height[i + 1], ul = speed[i], ur = speed[i + 1];
    float rl = root(hl), rr = root(hr), u = __fdividef(rl * ul + rr * ur, rl + rr), fastest = fabsf(u) + root(9.81f * 0.5f * (hl + hr));
    float ml = hl * ul, mr = hr * ur;
    flux[i] = 0.5f * (ml + mr - fastest * (hr - hl));
    flux[n + i] = 0.5f * (ml * ul + mr * ur + 4.905f * (hl * hl + hr * hr) - fastest * (mr - ml));
}

/* ---- Seventeen weights down a column -------------------------------------------------------------------------------------------------- */

extern "C" __global__ void sepgauss_point(const float *image, const float *weight, float *out, int w)
{
    __shared__ float k[17];
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (threadIdx.x < 17)
        k[threadIdx.x] = weight[threadIdx.x];
    __syncthreads();
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < 17; ++i)
        sum += k[i] * image[(y + i) * w + x];
    out[y * w + x] = sum;
}

extern "C" __global__ void sepgauss_column(const float *image, const float *weight, float *out, int w)
{
    __shared__ float shared[17];
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * 8;
    if (threadIdx.x < 17)
        shared[threadIdx.x] = weight[threadIdx.x];
    __syncthreads();
    float k[17], sum[8] = {};
#pragma unroll
    for (int i = 0; i < 17; ++i)
        k[i] = shared[i];
#pragma unroll
    for (int i = 0; i < 24; ++i) {
        float v = image[(y + i) * w + x];
#pragma unroll
        for (int r = 0; r < 8; ++r)
            if (i - r >= 0 && i - r < 17)
                sum[r] += k[i - r] * v;
    }
#pragma unroll
    for (int r = 0; r < 8; ++r)
        out[(y + r) * w + x] = sum[r];
}

/* ---- A bilateral filter: the image has two points more on each side ---------------------------------------------------------------------- */

extern "C" __global__ void bilat5_exact(const float *image, float *out, int w)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    float centre = image[(y + 2) * (w + 4) + x + 2], sum = 0.0f, total = 0.0f;
#pragma unroll
    for (int i = 0; i < 25; ++i) {
        int dx = i % 5 - 2, dy = i / 5 - 2;
        float v = image[(y + 2 + dy) * (w + 4) + x + 2 + dx], off = v - centre;
        float weight = expf(-(dx * dx + dy * dy) * 0.125f - off * off * 8.0f);
        sum += weight * v;
        total += weight;
    }
    out[y * w + x] = sum / total;
}

extern "C" __global__ void bilat5_fast(const float *image, float *out, int w)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    float centre = image[(y + 2) * (w + 4) + x + 2], sum = 0.0f, total = 0.0f;
#pragma unroll
    for (int i = 0; i < 25; ++i) {
        int dx = i % 5 - 2, dy = i / 5 - 2;
        float v = image[(y + 2 + dy) * (w + 4) + x + 2 + dx], off = v - centre;
        float weight = __expf(-(dx * dx + dy * dy) * 0.125f - off * off * 8.0f);
        sum += weight * v;
        total += weight;
    }
    out[y * w + x] = __fdividef(sum, total);
}

/* ---- Bit k of a point: is neighbour k darker? A row of the image has 8 bytes more, 2 of them on the left ------------------------------------ */

extern "C" __global__ void census_one(const unsigned char *image, unsigned *out, int w)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, row = w + 8;
    unsigned bits = 0, centre = image[(y + 2) * row + x + 2];
#pragma unroll
    for (int i = 0; i < 25; ++i)
        if (i != 12)
            bits |= (unsigned)(image[(y + i / 5) * row + x + i % 5] < centre) << i;
    out[y * w + x] = bits;
}

extern "C" __global__ void census_four(const unsigned char *image, uint4 *out, int w)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, row = (w + 8) / 4;
    const unsigned *words = (const unsigned *)image + y * row + x;
    unsigned centre = __funnelshift_r(words[2 * row], words[2 * row + 1], 16), bits[4] = {};
#pragma unroll
    for (int r = 0; r < 5; ++r) {
        unsigned low = words[r * row], high = words[r * row + 1];
#pragma unroll
        for (int c = 0; c < 5; ++c)
            if (r != 2 || c != 2) {
                unsigned four = c == 4 ? high : __funnelshift_r(low, high, 8 * c);
                unsigned darker = __vcmpltu4(four, centre);
#pragma unroll
                for (int p = 0; p < 4; ++p)
                    bits[p] |= darker >> 8 * p & 1u ? 1u << (r * 5 + c) : 0u;
            }
    }
    out[y * (w / 4) + x] = make_uint4(bits[0], bits[1], bits[2], bits[3]);
}

/* ---- Sums of nine absolute differences at 32 shifts; shift s of all is at s w h ----------------------------------------------------------------- */

static __device__ __forceinline__ void load_rows(float *ls, float *rs, const float *left, const float *right, int w)
{
    int t = threadIdx.x, x = blockIdx.x * 256, y = blockIdx.y;
    for (int i = t; i < 264; i += 256)
        ls[i] = left[y * (w + 8) + x + i];
    for (int i = t; i < 296; i += 256)
        rs[i] = right[y * (w + 40) + x + i];
    __syncthreads();
}

extern "C" __global__ void stereo_one(const float *left, const float *right, float *cost, int w, int h)
{
    __shared__ float ls[264], rs[296];
    int t = threadIdx.x, s = blockIdx.z;
    float sum = 0.0f;
    load_rows(ls, rs, left, right, w);
#pragma unroll
    for (int i = 0; i < 9; ++i)
        sum += fabsf(ls[t + i] - rs[t + i + s]);
    cost[(s * h + blockIdx.y) * w + blockIdx.x * 256 + t] = sum;
}

extern "C" __global__ void stereo_eight(const float *left, const float *right, float *cost, int w, int h)
{
    __shared__ float ls[264], rs[296];
    int t = threadIdx.x, s = blockIdx.z * 8;
    float l[9], sum[8] = {};
    load_rows(ls, rs, left, right, w);
#pragma unroll
    for (int i = 0; i < 9; ++i)
        l[i] = ls[t + i];
#pragma unroll
    for (int j = 0; j < 16; ++j) {
        float r = rs[t + j + s];
#pragma unroll
        for (int e = 0; e < 8; ++e)
            if (j - e >= 0 && j - e < 9)
                sum[e] += fabsf(l[j - e] - r);
    }
#pragma unroll
    for (int e = 0; e < 8; ++e)
        cost[((s + e) * h + blockIdx.y) * w + blockIdx.x * 256 + t] = sum[e];
}

/* ---- Means of 32 points down a column --------------------------------------------------------------------------------------------------------------- */

extern "C" __global__ void boxrun_direct(const float *image, float *out, int w)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < 32; ++i)
        sum += image[(y + i) * w + x];
    out[y * w + x] = sum * 0.03125f;
}

// 33 rows a thread.
extern "C" __global__ void boxrun_running(const float *image, float *out, int w)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * 33;
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < 31; ++i)
        sum += image[(y + i) * w + x];
#pragma unroll 11
    for (int r = y; r < y + 33; ++r) {
        sum += image[(r + 31) * w + x];
        out[r * w + x] = sum * 0.03125f;
        sum -= image[r * w + x];
    }
}

/* ---- Green where a mosaic has red or blue, by the smaller gradient; two points more on each side ------------------------------------------------------- */

static __device__ __forceinline__ float green_of(const float *at, int row)
{
    float across = fabsf(at[-1] - at[1]) + fabsf(2.0f * at[0] - at[-2] - at[2]);
    float down = fabsf(at[-row] - at[row]) + fabsf(2.0f * at[0] - at[-2 * row] - at[2 * row]);
    float flat = 0.5f * (at[-1] + at[1]) + 0.25f * (2.0f * at[0] - at[-2] - at[2]);
    float steep = 0.5f * (at[-row] + at[row]) + 0.25f * (2.0f * at[0] - at[-2 * row] - at[2 * row]);
    return across < down ? flat : down < across ? steep : 0.5f * (flat + steep);
}

// A mean of the five greens.
static __device__ __forceinline__ float smoothed(const float *at, int row)
{
    float a = at[-row - 1], b = at[-row + 1], c = at[row - 1], d = at[row + 1], least = fminf(fminf(a, b), fminf(c, d));
    float most = fmaxf(fmaxf(a, b), fmaxf(c, d)), mean = 0.25f * (a + b + c + d);
    return fminf(fmaxf(0.75f * at[0] + 0.25f * mean, least), most);
}

extern "C" __global__ void bayer_pixel(const float *mosaic, float *green, int w)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, row = w + 4;
    const float *at = mosaic + (y + 2) * row + x + 2;
    if ((x + y) % 2)
        green[y * w + x] = green_of(at, row);
    else
        green[y * w + x] = smoothed(at, row);
}

extern "C" __global__ void bayer_pair(const float *mosaic, float2 *green, int w)
{
    int x = 2 * (blockIdx.x * blockDim.x + threadIdx.x), y = blockIdx.y, row = w + 4;
    const float *at = mosaic + (y + 2) * row + x + 2;
    int odd = y % 2;
    float other = green_of(at + 1 - odd, row), own = smoothed(at + odd, row);
    green[(y * w + x) / 2] = odd ? make_float2(other, own) : make_float2(own, other);
}

/* ---- Colours --------------------------------------------------------------------------------------------------------------------------------------------- */

extern "C" __global__ void hsv_branches(const float *r, const float *g, const float *b, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float red = r[i], green = g[i], blue = b[i], most = fmaxf(red, fmaxf(green, blue)), range = most - fminf(red, fminf(green, blue)), hue = 0.0f;
    if (range > 0.0f) {
        if (most == red) {
            hue = (green - blue) / range;
            if (hue < 0.0f)
                hue += 6.0f;
        } else if (most == green) {
            hue = (blue - red) / range + 2.0f;
        } else {
            hue = (red - green) / range + 4.0f;
        }
    }
    out[i] = hue / 6.0f;
    out[n + i] = most > 0.0f ? range / most : 0.0f;
    out[2 * n + i] = most;
}

extern "C" __global__ void hsv_selects(const float *r, const float *g, const float *b, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float red = r[i], green = g[i], blue = b[i], most = fmaxf(red, fmaxf(green, blue)), range = most - fminf(red, fminf(green, blue));
    bool first = most == red, second = most == green;
    float off = first ? green - blue : second ? blue - red : red - green, turn = first ? (off < 0.0f ? 6.0f : 0.0f) : second ? 2.0f : 4.0f;
    out[i] = range > 0.0f ? (__fdividef(off, range) + turn) * (1.0f / 6.0f) : 0.0f;
    out[n + i] = most > 0.0f ? __fdividef(range, most) : 0.0f;
    out[2 * n + i] = most;
}

extern "C" __global__ void tones_one(const unsigned char *in, const unsigned char *curve, unsigned char *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = curve[in[i]];
}

extern "C" __global__ void tones_eight(const uint2 *in, const unsigned char *curve, uint2 *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (8 * i >= n)
        return;
    uint2 v = in[i], to = {};
#pragma unroll
    for (int e = 0; e < 32; e += 8) {
        to.x |= curve[v.x >> e & 255] << e;
        to.y |= curve[v.y >> e & 255] << e;
    }
    out[i] = to;
}

extern "C" __global__ void gradmag_exact(const float *gx, const float *gy, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = sqrtf(gx[i] * gx[i] + gy[i] * gy[i]);
}

extern "C" __global__ void gradmag_approximate(const float *gx, const float *gy, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = root(gx[i] * gx[i] + gy[i] * gy[i]);
}

/* ---- A row's weighted mean: points beyond an end are the end's --------------------------------------------------------------------------------------------- */

extern "C" __global__ void anyradius_any(const float *image, const float *weight, float *out, int w, int radius)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    float sum = 0.0f;
    for (int k = -radius; k <= radius; ++k) {
        int at = x + k;
        if (at < 0)
            at = 0;
        if (at > w - 1)
            at = w - 1;
        sum += weight[k + radius] * image[y * w + at];
    }
    out[y * w + x] = sum;
}

extern "C" __global__ void anyradius_four(const float *image, const float *weight, float *out, int w)
{
    __shared__ float tile[264], k[9];
    int t = threadIdx.x, x = blockIdx.x * 256, y = blockIdx.y;
    for (int i = t; i < 264; i += 256)
        tile[i] = image[y * w + min(max(x + i - 4, 0), w - 1)];
    if (t < 9)
        k[t] = weight[t];
    __syncthreads();
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < 9; ++i)
        sum += k[i] * tile[t + i];
    out[y * w + x + t] = sum;
}

/* ---- Five points on a torus --------------------------------------------------------------------------------------------------------------------------------- */

extern "C" __global__ void wrapsum_modulo(const float *in, float *out, int w, int h)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= w * h)
        return;
    int x = i % w, y = i / w;
    out[i] = in[i] + in[y * w + (x + 1) % w] + in[y * w + (x + w - 1) % w] + in[(y + 1) % h * w + x] + in[(y + h - 1) % h * w + x];
}

extern "C" __global__ void wrapsum_compares(const float *in, float *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= w)
        return;
    int left = x > 0 ? x - 1 : w - 1, right = x < w - 1 ? x + 1 : 0, above = y > 0 ? y - 1 : h - 1, below = y < h - 1 ? y + 1 : 0;
    out[y * w + x] = in[y * w + x] + in[y * w + right] + in[y * w + left] + in[below * w + x] + in[above * w + x];
}
