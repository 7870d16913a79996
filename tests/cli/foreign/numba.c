// What Numba's kernels should give, in double. An array is what its launch passes: see numba_saxpy.yaml.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#define ARRAY(type, name)                                                                        \
    long name##_info, long name##_parent, long name##_items, long name##_item_bytes, type *name, \
        long name##_shape, long name##_stride
#define UNUSED(name) \
    (void)(name##_info + name##_parent + name##_item_bytes + name##_shape + name##_stride)

void saxpy_ref(ARRAY(float, out), ARRAY(const float, x), ARRAY(const float, y), float a)
{
    UNUSED(out), UNUSED(x), UNUSED(y);
    (void)x_items, (void)y_items;
    for (long i = 0; i < out_items; i++)
        out[i] = (float)((double)a * x[i] + y[i]);
}

void block_sum_ref(ARRAY(float, out), ARRAY(const float, x))
{
    UNUSED(out), UNUSED(x);
    for (long b = 0; b < out_items; b++) {
        double sum = 0;
        for (long i = b * 256; i < b * 256 + 256 && i < x_items; i++)
            sum += x[i];
        out[b] = (float)sum;
    }
}

void histogram_ref(ARRAY(int, bins), ARRAY(const unsigned char, x))
{
    UNUSED(bins), UNUSED(x);
    for (long i = 0; i < bins_items; i++)
        bins[i] = 0;
    for (long i = 0; i < x_items; i++)
        bins[x[i]]++;
}

void escape_ref(ARRAY(int, out), int width)
{
    UNUSED(out);
    for (long i = 0; i < out_items; i++) {
        double cr = -2.0 + 3.0 * (double)(i % width) / width,
               ci = -1.5 + 3.0 * (double)(i / width) / width;
        double zr = 0, zi = 0;
        int n = 0;
        while (zr * zr + zi * zi < 4 && n < 64) {
            double next = zr * zr - zi * zi + cr;
            zi = 2 * zr * zi + ci;
            zr = next;
            n++;
        }
        out[i] = n;
    }
}

void wave_ref(ARRAY(double, out), ARRAY(const double, x))
{
    UNUSED(out), UNUSED(x);
    (void)x_items;
    for (long i = 0; i < out_items; i++)
        out[i] = exp(-x[i] * x[i]) * sin(3 * x[i]);
}
