// In double.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>

struct sums {
    double weight, bias;
};

static void row_ref(float *dx, struct sums *sums, const float *dy, const float *x, const float *weight,
                    int cols)
{
    double mean = 0, squares = 0, g = 0, gh = 0;
    for (int i = 0; i < cols; i++)
        mean += (double)x[i] / cols;
    for (int i = 0; i < cols; i++)
        squares += ((double)x[i] - mean) * ((double)x[i] - mean);
    double scale = 1 / sqrt(squares / cols + 1e-5);
    for (int i = 0; i < cols; i++) {
        double h = ((double)x[i] - mean) * scale, d = (double)dy[i];
        sums[i].weight += d * h;
        sums[i].bias += d;
        g += d * (double)weight[i] / cols;
        gh += d * (double)weight[i] * h / cols;
    }
    for (int i = 0; i < cols; i++) {
        double h = ((double)x[i] - mean) * scale;
        dx[i] = (float)(((double)dy[i] * (double)weight[i] - g - h * gh) * scale);
    }
}

void backward_ref(float *dx, float *dweight, float *dbias, const float *dy, const float *x,
                  const float *weight, int rows, int cols)
{
    struct sums *sums = calloc((size_t)cols, sizeof *sums);
    for (int r = 0; r < rows; r++, dx += cols, dy += cols, x += cols)
        row_ref(dx, sums, dy, x, weight, cols);
    for (int i = 0; i < cols; i++) {
        dweight[i] = (float)sums[i].weight;
        dbias[i] = (float)sums[i].bias;
    }
    free(sums);
}
