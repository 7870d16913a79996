// References of grids.cu.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void heat3d_ref(const float *in, float *out, int nx, int ny, int nz)
{
    size_t row = (size_t)nx + 2, plane = row * ((size_t)ny + 2);
    for (size_t z = 0; z < (size_t)nz; z++)
        for (size_t y = 0; y < (size_t)ny; y++)
            for (size_t x = 0; x < (size_t)nx; x++) {
                const float *at = in + (z + 1) * plane + (y + 1) * row + x + 1;
                float around =
                    *(at - 1) + at[1] + *(at - row) + at[row] + *(at - plane) + at[plane];
                float reaction = 0.01f * at[0] * (1 - at[0]) * (at[0] + 0.5f);
                out[(z * (size_t)ny + y) * (size_t)nx + x] =
                    0.4f * at[0] + 0.1f * around + reaction;
            }
}

// Sixteen steps; there are 32 numbers more than n.
void burgers_ref(const float *in, float *out, int n)
{
    size_t count = (size_t)n + 32;
    float *old = malloc(count * sizeof *old);
    memcpy(out, in, count * sizeof *out);
    for (int s = 0; s < 16; s++) {
        memcpy(old, out, count * sizeof *old);
        for (size_t i = 1; i + 1 < count; i++)
            out[i] = old[i] - 0.1f * old[i] * (old[i + 1] - old[i - 1]) +
                     0.2f * (old[i + 1] - 2 * old[i] + old[i - 1]);
    }
    free(old);
}

void sandpile_ref(const int *in, int *out, int rounds)
{
    int old[66 * 66];
    memcpy(out, in, 4096 * sizeof *out);
    for (int r = 0; r < rounds; r++) {
        memset(old, 0, sizeof old);
        for (int i = 0; i < 4096; i++)
            old[(i / 64 + 1) * 66 + i % 64 + 1] = out[i];
        for (int i = 0; i < 4096; i++) {
            const int *at = old + (i / 64 + 1) * 66 + i % 64 + 1;
            out[i] = at[0] - (at[0] >= 4 ? 4 : 0) + (at[-1] >= 4) + (at[1] >= 4) + (at[-66] >= 4) +
                     (at[66] >= 4);
        }
    }
}

void swe_ref(const float *height, const float *speed, float *flux, int n)
{
    for (int i = 0; i < n; i++) {
        float hl = height[i], hr = height[i + 1], ul = speed[i], ur = speed[i + 1], rl = sqrtf(hl),
              rr = sqrtf(hr);
        float fastest = fabsf((rl * ul + rr * ur) / (rl + rr)) + sqrtf(4.905f * (hl + hr)),
              ml = hl * ul, mr = hr * ur;
        flux[i] = 0.5f * (ml + mr - fastest * (hr - hl));
        flux[n + i] =
            0.5f * (ml * ul + mr * ur + 4.905f * (hl * hl + hr * hr) - fastest * (mr - ml));
    }
}

void sepgauss_ref(const float *image, const float *weight, float *out, int w, int h)
{
    size_t count = (size_t)w * (size_t)h;
    memset(out, 0, count * sizeof *out);
    for (size_t k = 0; k < 17; k++)
        for (size_t i = 0; i < count; i++)
            out[i] += weight[k] * image[i + k * (size_t)w];
}

void bilat5_ref(const float *image, float *out, int w, int h)
{
    size_t row = (size_t)w + 4;
    for (size_t y = 0; y < (size_t)h; y++)
        for (size_t x = 0; x < (size_t)w; x++) {
            float centre = image[(y + 2) * row + x + 2], sum = 0, total = 0;
            for (int i = 0; i < 25; i++) {
                float v = image[(y + (size_t)(i / 5)) * row + x + (size_t)(i % 5)],
                      off = v - centre;
                int dx = i % 5 - 2, dy = i / 5 - 2;
                float weight = expf(-(float)(dx * dx + dy * dy) / 8 - off * off * 8);
                sum += weight * v;
                total += weight;
            }
            out[y * (size_t)w + x] = sum / total;
        }
}

void census_ref(const uint8_t *image, uint32_t *out, int w, int h)
{
    size_t row = (size_t)w + 8;
    for (size_t y = 0; y < (size_t)h; y++)
        for (size_t x = 0; x < (size_t)w; x++) {
            uint32_t bits = 0;
            for (size_t i = 0; i < 25; i++)
                bits |=
                    (uint32_t)(image[(y + i / 5) * row + x + i % 5] < image[(y + 2) * row + x + 2])
                    << i;
            out[y * (size_t)w + x] = bits;
        }
}

void stereo_ref(const float *left, const float *right, float *cost, int w, int h)
{
    size_t width = (size_t)w;
    for (size_t s = 0; s < 32; s++)
        for (size_t y = 0; y < (size_t)h; y++)
            for (size_t x = 0; x < width; x++) {
                float sum = 0;
                for (size_t i = 0; i < 9; i++)
                    sum +=
                        fabsf(left[y * (width + 8) + x + i] - right[y * (width + 40) + x + i + s]);
                cost[(s * (size_t)h + y) * width + x] = sum;
            }
}

void boxrun_ref(const float *image, float *out, int w, int h)
{
    size_t count = (size_t)w * (size_t)h;
    memset(out, 0, count * sizeof *out);
    for (size_t k = 0; k < 32; k++)
        for (size_t i = 0; i < count; i++)
            out[i] += image[i + k * (size_t)w] / 32;
}

static float green_of(const float *at, ptrdiff_t row)
{
    float across = fabsf(at[-1] - at[1]) + fabsf(2 * at[0] - at[-2] - at[2]);
    float down = fabsf(at[-row] - at[row]) + fabsf(2 * at[0] - at[-2 * row] - at[2 * row]);
    float flat = (at[-1] + at[1]) / 2 + (2 * at[0] - at[-2] - at[2]) / 4;
    float steep = (at[-row] + at[row]) / 2 + (2 * at[0] - at[-2 * row] - at[2 * row]) / 4;
    return across < down ? flat : down < across ? steep : (flat + steep) / 2;
}

static float smoothed(const float *at, ptrdiff_t row)
{
    float a = at[-row - 1], b = at[-row + 1], c = at[row - 1], d = at[row + 1];
    return fminf(fmaxf(0.75f * at[0] + 0.0625f * (a + b + c + d), fminf(fminf(a, b), fminf(c, d))),
                 fmaxf(fmaxf(a, b), fmaxf(c, d)));
}

void bayer_ref(const float *mosaic, float *green, int w, int h)
{
    ptrdiff_t row = w + 4;
    for (ptrdiff_t y = 0; y < h; y++)
        for (ptrdiff_t x = 0; x < w; x++) {
            const float *at = mosaic + (y + 2) * row + x + 2;
            green[y * w + x] = (x + y) % 2 ? green_of(at, row) : smoothed(at, row);
        }
}

void hsv_ref(const float *r, const float *g, const float *b, float *out, int n)
{
    for (int i = 0; i < n; i++) {
        float most = fmaxf(r[i], fmaxf(g[i], b[i])), range = most - fminf(r[i], fminf(g[i], b[i])),
              hue = 0;
        if (range > 0)
            hue = most == r[i]   ? (g[i] - b[i]) / range + (g[i] < b[i] ? 6 : 0)
                  : most == g[i] ? (b[i] - r[i]) / range + 2
                                 : (r[i] - g[i]) / range + 4;
        out[i] = hue / 6;
        out[n + i] = most > 0 ? range / most : 0;
        out[2 * n + i] = most;
    }
}

void tones_ref(const uint8_t *in, const uint8_t *curve, uint8_t *out, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = curve[in[i]];
}

void gradmag_ref(const float *gx, const float *gy, float *out, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = sqrtf(gx[i] * gx[i] + gy[i] * gy[i]);
}

void anyradius_ref(const float *image, const float *weight, float *out, int w, int h, int radius)
{
    for (ptrdiff_t y = 0; y < h; y++)
        for (ptrdiff_t x = 0; x < w; x++) {
            float sum = 0;
            for (ptrdiff_t k = -radius; k <= radius; k++) {
                ptrdiff_t at = x + k < 0 ? 0 : x + k > w - 1 ? w - 1 : x + k;
                sum += weight[k + radius] * image[y * w + at];
            }
            out[y * w + x] = sum;
        }
}

void wrapsum_ref(const float *in, float *out, int w, int h)
{
    for (ptrdiff_t y = 0; y < h; y++)
        for (ptrdiff_t x = 0; x < w; x++)
            out[y * w + x] = in[y * w + x] + in[y * w + (x + 1) % w] + in[y * w + (x + w - 1) % w] +
                             in[(y + 1) % h * w + x] + in[(y + h - 1) % h * w + x];
}
