// Fourier transforms of rows of 256, for the second validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

enum { N = 256 };

// Of n points, step apart, to out[0 .. n-1].
static void transform(double (*out)[2], const float *in, int n, int step, double (*turn)[2])
{
    if (n == 1) {
        out[0][0] = in[0];
        out[0][1] = in[1];
        return;
    }
    double half[N][2];
    transform(half, in, n / 2, 2 * step, turn);
    transform(half + n / 2, in + 2 * step, n / 2, 2 * step, turn);
    for (int k = 0; k < n / 2; k++) {
        const double *w = turn[k * step], *a = half[k], *b = half[k + n / 2];
        double x = b[0] * w[0] - b[1] * w[1], y = b[0] * w[1] + b[1] * w[0];
        out[k][0] = a[0] + x;
        out[k][1] = a[1] + y;
        out[k + n / 2][0] = a[0] - x;
        out[k + n / 2][1] = a[1] - y;
    }
}

void fft_ref(float *out, const float *in, int rows)
{
    double turn[N][2], row[N][2];
    for (int k = 0; k < N; k++) {
        turn[k][0] = cos(2 * 3.14159265358979324 * k / N);
        turn[k][1] = -sin(2 * 3.14159265358979324 * k / N);
    }
    for (int r = 0; r < rows; r++) {
        transform(row, in + 2 * N * r, N, 1, turn);
        for (int k = 0; k < 2 * N; k++)
            out[2 * N * r + k] = (float)row[k / 2][k % 2];
    }
}
