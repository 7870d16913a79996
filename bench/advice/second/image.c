// References of image.cu, each as its formula is written.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void blur_ref(float *out, const float *in, const float *gauss, int w, int h)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            double sum = 0;
            for (int j = 0; j < 13; j++)
                for (int i = 0; i < 13; i++)
                    sum += (double)gauss[j] * gauss[i] * in[(y + j) * (w + 12) + x + i];
            out[y * w + x] = (float)sum;
        }
}

void bilateral_ref(float *out, const float *in, int w, int h, float near, float like)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            const float *at = in + (y + 3) * (w + 6) + x + 3;
            double sum = 0, weights = 0;
            for (int j = -3; j <= 3; j++)
                for (int i = -3; i <= 3; i++) {
                    double v = at[j * (w + 6) + i], d = v - *at;
                    double weight = exp(-(i * i + j * j) / near - d * d / like);
                    sum += weight * v;
                    weights += weight;
                }
            out[y * w + x] = (float)(sum / weights);
        }
}

void gray_ref(unsigned char *out, const unsigned char *rgb, int n)
{
    for (int i = 0; i < n; i++)
        out[i] =
            (unsigned char)((77 * rgb[3 * i] + 150 * rgb[3 * i + 1] + 29 * rgb[3 * i + 2]) >> 8);
}

static int inside(int i, int n)
{
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

void resize_ref(float *out, const float *in, int w, int h)
{
    for (int y = 0; y < 2 * h; y++)
        for (int x = 0; x < 2 * w; x++) {
            double sx = (x + 0.5) / 2 - 0.5, sy = (y + 0.5) / 2 - 0.5;
            double x0 = floor(sx), y0 = floor(sy), fx = sx - x0, fy = sy - y0;
            const float *above = in + inside((int)y0, h) * w,
                        *below = in + inside((int)y0 + 1, h) * w;
            int left = inside((int)x0, w), right = inside((int)x0 + 1, w);
            out[y * 2 * w + x] = (float)((1 - fy) * ((1 - fx) * above[left] + fx * above[right]) +
                                         fy * ((1 - fx) * below[left] + fx * below[right]));
        }
}

void pool_ref(float *out, const float *in, int planes)
{
    for (int p = 0; p < planes; p++) {
        double sum = 0;
        for (int i = 0; i < 64; i++)
            sum += in[p * 64 + i];
        out[p] = (float)(sum / 64);
    }
}

void im2col_ref(float *out, const float *in, int w, int h, int channels)
{
    for (int c = 0; c < channels; c++)
        for (int k = 0; k < 9; k++)
            for (int y = 0; y < h; y++)
                for (int x = 0; x < w; x++)
                    *out++ = in[(c * (h + 2) + y + k / 3) * (w + 2) + x + k % 3];
}

void integral_ref(unsigned *out, const unsigned *in, int w, int h)
{
    for (int i = 0; i < w * h; i++)
        out[i] = in[i] + (i >= w ? out[i - w] : 0);
}

void match_ref(unsigned char *out, const float *left, const float *right, int w, int h)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            double least = INFINITY;
            for (int s = 0; s < 8; s++) {
                double sum = 0;
                for (int j = y; j < y + 9; j++)
                    for (int i = x; i < x + 9; i++)
                        sum += fabs((double)left[j * (w + 16) + i] - right[j * (w + 16) + i + s]);
                out[y * w + x] = sum < least ? (unsigned char)s : out[y * w + x];
                least = fmin(least, sum);
            }
        }
}

void threshold_ref(unsigned char *out, const unsigned char *in, int level, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = in[i] > level ? 255 : 0;
}

void frames_ref(float *out, const float *in, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = sqrtf(in[i]);
}
