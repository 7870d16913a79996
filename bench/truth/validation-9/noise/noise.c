// Gradient noise of five octaves, for the ninth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

static int permuted(int i)
{
    i &= 255;
    i = (i ^ i >> 4) * 0x9d & 255;
    i = (i ^ i >> 3) * 0x6b & 255;
    return i ^ i >> 5;
}

static double fade(double t)
{
    return t * t * t * (t * (t * 6 - 15) + 10);
}

static double gradient(int hash, double x, double y, double z)
{
    int h = hash & 15;
    double u = h < 8 ? x : y, v = h < 4 ? y : h == 12 || h == 14 ? x : z;
    return (h & 1 ? -u : u) + (h & 2 ? -v : v);
}

void noise_ref(float *out, int rows)
{
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < 600; c++) {
            double sum = 0;
            for (int o = 0; o < 5; o++) {
                double x = ldexp(c, o - 6), y = ldexp(r, o - 6), z = 0.375;
                int i = (int)x, j = (int)y;
                x -= i;
                y -= j;
                for (int n = 0; n < 8; n++) {
                    int di = n & 1, dj = n >> 1 & 1, dk = n >> 2;
                    double share = (di ? fade(x) : 1 - fade(x)) * (dj ? fade(y) : 1 - fade(y)) *
                                   (dk ? fade(z) : 1 - fade(z));
                    int hash = permuted(permuted(permuted(i + di) + j + dj) + o + dk);
                    sum += ldexp(share, -o) * gradient(hash, x - di, y - dj, z - dk);
                }
            }
            *out++ = (float)sum;
        }
}
