#include <math.h>
#include <stdint.h>
#include <stdlib.h>

struct scaling {
    const float *x;
    int n;
    float a;
    struct {
        double b;
        char on;
    } offset;
};

void scale_ref(float *y, struct scaling s)
{
    for (int i = 0; i < s.n; i++)
        y[i] = s.a * s.x[i] + (s.offset.on ? (float)s.offset.b : 0);
}

void smooth_ref(float *y, float *other, int n, int rounds)
{
    for (int r = 0; r < rounds; r++) {
        for (int i = 0; i < n; i++)
            other[i] = 0.5f * (y[i] + y[(i + 1) % n]);
        for (int i = 0; i < n; i++)
            y[i] = other[i];
    }
}

static int by_value(const void *a, const void *b)
{
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return x < y ? -1 : x > y;
}

void sort_ref(unsigned *x, int n)
{
    qsort(x, (size_t)n, sizeof *x, by_value);
}

void filter_ref(float *y, const float *x, const float *taps, int n)
{
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int k = 0; k < 4 && i + k < n; k++)
            sum += (double)taps[k] * (double)x[i + k];
        y[i] = (float)sum;
    }
}

void count_ref(int *counts, const unsigned *x, int n)
{
    for (int i = 0; i < 16; i++)
        counts[i] = 0;
    for (int i = 0; i < n; i++)
        counts[x[i] % 16]++;
}

void chain_ref(int *y)
{
    for (int i = 0; i < 64; i++)
        y[i] = i;
}

// What the kernels of textures.cu compute, in double, with CUDA's published rules of filtering.
void neighbours_ref(const float *x, float *y, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = (i > 0 ? x[i - 1] : 0) + (i + 1 < n ? x[i + 1] : 0);
}

static int clamp(int i, int n)
{
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

static int wrap(int i, int n)
{
    return (i % n + n) % n;
}

// Two texels and a weight with 8 bits of fraction.
static double split(double at, int *low)
{
    double x = at - 0.5;
    *low = (int)floor(x);
    return floor((x - floor(x)) * 256 + 0.5) / 256;
}

void shrink_ref(const float *image, float *out, int width, int height, float dx, float dy)
{
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            int i, j;
            double a = split((double)(x * 1.25f + dx), &i), b = split((double)(y * 1.25f + dy), &j);
            const float *up = image + (long)clamp(j, height) * width;
            const float *down = image + (long)clamp(j + 1, height) * width;
            int left = clamp(i, width), right = clamp(i + 1, width);
            out[(long)y * width + x] = (float)((1 - b) * ((1 - a) * up[left] + a * up[right]) +
                                               b * ((1 - a) * down[left] + a * down[right]));
        }
}

void turns_ref(const uint8_t *image, float *out, int width, int height)
{
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            float u = (x - width / 2) * (2.0f / width), v = (y - height / 2) * (2.0f / height);
            int i, j;
            double s = ((double)u - floor((double)u)) * width, even = fmod(floor((double)v), 2);
            double t = (double)v - floor((double)v);
            t = (even != 0 ? 1 - t : t) * height;
            double a = split(s, &i), b = split(t, &j);
            int left = wrap(i, width), right = wrap(i + 1, width);
            int up = clamp(j, height), down = clamp(j + 1, height);
            for (int c = 0; c < 4; c++) {
                double sum = (1 - b) * ((1 - a) * image[(up * width + left) * 4 + c] +
                                        a * image[(up * width + right) * 4 + c]) +
                             b * ((1 - a) * image[(down * width + left) * 4 + c] +
                                  a * image[(down * width + right) * 4 + c]);
                out[((long)y * width + x) * 4 + c] = (float)(sum / 255);
            }
        }
}

void soften_ref(const uint8_t *in, uint8_t *out, int width, int height)
{
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            for (int c = 0; c < 4; c++)
                out[(y * width + x) * 4 + c] =
                    (uint8_t)((in[(y * width + x) * 4 + c] +
                               in[(y * width + clamp(x + 1, width)) * 4 + c]) /
                              2);
}

void reverse_ref(float *y, const float *x, int piece, int pieces)
{
    for (int p = 0; p < pieces; p++)
        for (int i = 0; i < piece; i++)
            y[p * piece + i] = x[p * piece + piece - 1 - i];
}
