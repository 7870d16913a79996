// Images: blur_*, bilateral_*, gray_*, resize_*, pool_*, im2col_*, integral_*. Sizes are multiples of the blocks; images that a
// window slides over come with a border, so that no kernel tests for it. Each pair's YAML says what differs.
// SPDX-License-Identifier: Apache-2.0
enum { TX = 32, TY = 8 };

/* ---- A Gaussian of 13 x 13 taps ------------------------------------------------------------------------------ */

enum { R = 6, TAPS = 2 * R + 1, WIDE = TX + 2 * R, HIGH = TY + 2 * R };
__constant__ float gauss[TAPS];

extern "C" __global__ void blur_direct(float *out, const float *in, int w)
{
    int x = blockIdx.x * TX + threadIdx.x, y = blockIdx.y * TY + threadIdx.y, pitch = w + 2 * R;
    float sum = 0;
    for (int j = 0; j < TAPS; j++) {
        float row = 0;
        for (int i = 0; i < TAPS; i++)
            row += gauss[i] * in[(y + j) * pitch + x + i];
        sum += gauss[j] * row;
    }
    out[y * w + x] = sum;
}

static __device__ __forceinline__ void load_tile(float tile[HIGH][WIDE], const float *in, int pitch)
{
    for (int j = threadIdx.y; j < HIGH; j += TY)
        for (int i = threadIdx.x; i < WIDE; i += TX)
            tile[j][i] = in[(blockIdx.y * TY + j) * pitch + blockIdx.x * TX + i];
    __syncthreads();
}

extern "C" __global__ void blur_tile(float *out, const float *in, int w)
{
    __shared__ float tile[HIGH][WIDE];
    int x = blockIdx.x * TX + threadIdx.x, y = blockIdx.y * TY + threadIdx.y;
    load_tile(tile, in, w + 2 * R);
    float sum = 0;
    for (int j = 0; j < TAPS; j++) {
        float row = 0;
        for (int i = 0; i < TAPS; i++)
            row += gauss[i] * tile[threadIdx.y + j][threadIdx.x + i];
        sum += gauss[j] * row;
    }
    out[y * w + x] = sum;
}

extern "C" __global__ void blur_separable(float *out, const float *in, int w)
{
    __shared__ float tile[HIGH][WIDE], rows[HIGH][TX];
    int x = blockIdx.x * TX + threadIdx.x, y = blockIdx.y * TY + threadIdx.y;
    load_tile(tile, in, w + 2 * R);
    for (int j = threadIdx.y; j < HIGH; j += TY) {
        float row = 0;
        for (int i = 0; i < TAPS; i++)
            row += gauss[i] * tile[j][threadIdx.x + i];
        rows[j][threadIdx.x] = row;
    }
    __syncthreads();
    float sum = 0;
    for (int j = 0; j < TAPS; j++)
        sum += gauss[j] * rows[threadIdx.y + j][threadIdx.x];
    out[y * w + x] = sum;
}

/* ---- A bilateral filter of 7 x 7 taps ------------------------------------------------------------------------ */

enum { B = 3 };

extern "C" __global__ void bilateral_exact(float *out, const float *in, int w, float near,
                                           float like)
{
    int x = blockIdx.x * TX + threadIdx.x, y = blockIdx.y * TY + threadIdx.y, pitch = w + 2 * B;
    float centre = in[(y + B) * pitch + x + B], sum = 0, weights = 0;
    for (int j = -B; j <= B; j++)
        for (int i = -B; i <= B; i++) {
            float v = in[(y + B + j) * pitch + x + B + i], d = v - centre;
            float weight = expf(-(float)(i * i + j * j) / near) * expf(-d * d / like);
            sum += weight * v;
            weights += weight;
        }
    out[y * w + x] = sum / weights;
}

extern "C" __global__ void bilateral_fast(float *out, const float *in, int w, float near,
                                          float like)
{
    int x = blockIdx.x * TX + threadIdx.x, y = blockIdx.y * TY + threadIdx.y, pitch = w + 2 * B;
    float centre = in[(y + B) * pitch + x + B], sum = 0, weights = 0;
    float per_near = 1.0f / near, per_like = 1.0f / like;
    for (int j = -B; j <= B; j++)
        for (int i = -B; i <= B; i++) {
            float v = in[(y + B + j) * pitch + x + B + i], d = v - centre;
            float weight = __expf(-(float)(i * i + j * j) * per_near - d * d * per_like);
            sum += weight * v;
            weights += weight;
        }
    out[y * w + x] = __fdividef(sum, weights);
}

/* ---- Colours to grey, 3 bytes to 1 --------------------------------------------------------------------------- */

static __device__ __forceinline__ unsigned luma(unsigned r, unsigned g, unsigned b)
{
    return (77 * r + 150 * g + 29 * b) >> 8;
}

extern "C" __global__ void gray_bytes(unsigned char *out, const unsigned char *rgb)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = (unsigned char)luma(rgb[3 * i], rgb[3 * i + 1], rgb[3 * i + 2]);
}

extern "C" __global__ void gray_words(unsigned *out, const unsigned *rgb)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned a = rgb[3 * i], b = rgb[3 * i + 1], c = rgb[3 * i + 2];
    unsigned p0 = luma(a & 255, a >> 8 & 255, a >> 16 & 255),
             p1 = luma(a >> 24, b & 255, b >> 8 & 255);
    unsigned p2 = luma(b >> 16 & 255, b >> 24, c & 255),
             p3 = luma(c >> 8 & 255, c >> 16 & 255, c >> 24);
    out[i] = p0 | p1 << 8 | p2 << 16 | p3 << 24;
}

/* ---- Twice as large, bilinear -------------------------------------------------------------------------------- */

extern "C" __global__ void resize_literals(float *out, const float *in, int w, int h, float ratio)
{
    int x = blockIdx.x * TX + threadIdx.x, y = blockIdx.y * TY + threadIdx.y;
    double sx = (x + 0.5) * ratio - 0.5, sy = (y + 0.5) * ratio - 0.5;
    int x0 = (int)floor(sx), y0 = (int)floor(sy);
    float fx = (float)(sx - x0), fy = (float)(sy - y0);
    const float *above = in + max(y0, 0) * w, *below = in + min(y0 + 1, h - 1) * w;
    int left = max(x0, 0), right = min(x0 + 1, w - 1);
    out[(y * (int)gridDim.x) * TX + x] =
        (float)((1.0 - fy) * ((1.0 - fx) * above[left] + fx * above[right]) +
                fy * ((1.0 - fx) * below[left] + fx * below[right]));
}

extern "C" __global__ void resize_floats(float *out, const float *in, int w, int h, float ratio)
{
    int x = blockIdx.x * TX + threadIdx.x, y = blockIdx.y * TY + threadIdx.y;
    float sx = (x + 0.5f) * ratio - 0.5f, sy = (y + 0.5f) * ratio - 0.5f;
    int x0 = (int)floorf(sx), y0 = (int)floorf(sy);
    float fx = sx - x0, fy = sy - y0;
    const float *above = in + max(y0, 0) * w, *below = in + min(y0 + 1, h - 1) * w;
    int left = max(x0, 0), right = min(x0 + 1, w - 1);
    out[(y * (int)gridDim.x) * TX + x] =
        (1.0f - fy) * ((1.0f - fx) * above[left] + fx * above[right]) +
        fy * ((1.0f - fx) * below[left] + fx * below[right]);
}

/* ---- The mean of each plane of 64 pixels --------------------------------------------------------------------- */

extern "C" __global__ void pool_thread(float *out, const float *in)
{
    int plane = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int i = 0; i < 64; i++)
        sum += in[plane * 64 + i];
    out[plane] = sum / 64;
}

extern "C" __global__ void pool_warp(float *out, const float *in)
{
    int plane = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float sum = in[plane * 64 + lane] + in[plane * 64 + 32 + lane];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
    if (lane == 0)
        out[plane] = sum / 64;
}

/* ---- im2col of 3 x 3 windows --------------------------------------------------------------------------------- */

extern "C" __global__ void im2col_flat(float *out, const float *in, int w, int h)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int x = i % w, y = i / w % h, k = i / (w * h) % 9, c = i / (w * h * 9);
    out[i] = in[(c * (h + 2) + y + k / 3) * (w + 2) + x + k % 3];
}

extern "C" __global__ void im2col_grid(float *out, const float *in, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, plane = blockIdx.z;
    int k = plane % 9, c = plane / 9;
    out[(plane * h + y) * w + x] = in[(c * (h + 2) + y + k / 3) * (w + 2) + x + k % 3];
}

/* ---- Sums down the columns ----------------------------------------------------------------------------------- */

enum { STRIP = 32 };

extern "C" __global__ void integral_columns(unsigned *out, const unsigned *in, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sum = 0;
    for (int y = 0; y < h; y++) {
        sum += in[y * w + x];
        out[y * w + x] = sum;
    }
}

extern "C" __global__ void integral_strips(unsigned *sums, const unsigned *in, int w)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, strip = blockIdx.y;
    unsigned sum = 0;
    for (int y = 0; y < STRIP; y++)
        sum += in[(strip * STRIP + y) * w + x];
    sums[strip * w + x] = sum;
}

extern "C" __global__ void integral_within(unsigned *out, const unsigned *sums, const unsigned *in,
                                           int w)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, strip = blockIdx.y;
    unsigned sum = 0;
    for (int s = 0; s < strip; s++)
        sum += sums[s * w + x];
    for (int y = 0; y < STRIP; y++) {
        sum += in[(strip * STRIP + y) * w + x];
        out[(strip * STRIP + y) * w + x] = sum;
    }
}

/* ---- The nearest of 8 disparities, by windows of 9 x 9 ------------------------------------------------------- */

enum { WINDOW = 9, SHIFTS = 8 };

// Both images have a border of 8 on the right and below.
extern "C" __global__ void match_direct(unsigned char *out, const float *left, const float *right,
                                        int w)
{
    int x = blockIdx.x * TX + threadIdx.x, y = blockIdx.y * TY + threadIdx.y, pitch = w + 16,
        best = 0;
    float least = 3.0e38f;
    for (int s = 0; s < SHIFTS; s++) {
        float sum = 0;
        for (int j = 0; j < WINDOW; j++)
            for (int i = 0; i < WINDOW; i++)
                sum += fabsf(left[(y + j) * pitch + x + i] - right[(y + j) * pitch + x + i + s]);
        best = sum < least ? s : best;
        least = fminf(least, sum);
    }
    out[y * w + x] = (unsigned char)best;
}

extern "C" __global__ void match_tile(unsigned char *out, const float *left, const float *right,
                                      int w)
{
    __shared__ float a[TY + 8][TX + 8], b[TY + 8][TX + 16];
    int x0 = blockIdx.x * TX, y0 = blockIdx.y * TY, pitch = w + 16, best = 0;
    for (int j = threadIdx.y; j < TY + 8; j += TY)
        for (int i = threadIdx.x; i < TX + 16; i += TX) {
            if (i < TX + 8)
                a[j][i] = left[(y0 + j) * pitch + x0 + i];
            b[j][i] = right[(y0 + j) * pitch + x0 + i];
        }
    __syncthreads();
    float least = 3.0e38f;
    for (int s = 0; s < SHIFTS; s++) {
        float sum = 0;
        for (int j = 0; j < WINDOW; j++)
            for (int i = 0; i < WINDOW; i++)
                sum += fabsf(a[threadIdx.y + j][threadIdx.x + i] -
                             b[threadIdx.y + j][threadIdx.x + i + s]);
        best = sum < least ? s : best;
        least = fminf(least, sum);
    }
    out[(y0 + threadIdx.y) * w + x0 + threadIdx.x] = (unsigned char)best;
}

/* ---- Pixels above a threshold -------------------------------------------------------------------------------- */

extern "C" __global__ void threshold_bytes(unsigned char *out, const unsigned char *in, int level)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] > level ? 255 : 0;
}

static __device__ __forceinline__ unsigned above(unsigned four, unsigned level)
{
    unsigned v = 0;
#pragma unroll
    for (int b = 0; b < 32; b += 8)
        v |= (four >> b & 255) > level ? 255u << b : 0;
    return v;
}

extern "C" __global__ void threshold_vectors(uint4 *out, const uint4 *in, int level)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    uint4 v = in[i];
    unsigned l = (unsigned)level;
    out[i] = {above(v.x, l), above(v.y, l), above(v.z, l), above(v.w, l)};
}

/* ---- Frames that come from the host and go back -------------------------------------------------------------- */

extern "C" __global__ void frames(float *out, const float *in, int first)
{
    int i = first + blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = sqrtf(in[i]);
}
