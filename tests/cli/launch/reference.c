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
