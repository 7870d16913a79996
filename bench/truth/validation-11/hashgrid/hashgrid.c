// Points encoded by hashed grids, for the eleventh validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

static float number(unsigned short h)
{
    int exponent = h >> 10 & 31, fraction = h & 1023;
    double v = exponent == 0 ? ldexp(fraction, -24) : ldexp(fraction + 1024, exponent - 25);
    return (float)(h >> 15 ? -v : v);
}

void hashgrid_ref(float *out, const float *p, const unsigned short *table, int n)
{
    static const float scales[8] = {8, 12, 18, 27, 40, 60, 91, 136};
    for (int i = 0; i < n; i++)
        for (int level = 0; level < 8; level++) {
            float part[3];
            unsigned cell[3];
            for (int d = 0; d < 3; d++) {
                float x = p[3 * i + d] * scales[level];
                cell[d] = (unsigned)x;
                part[d] = x - (float)cell[d];
            }
            double a = 0, b = 0;
            for (unsigned k = 0; k < 8; k++) {
                unsigned x = cell[0] + k % 2, y = cell[1] + k / 2 % 2, z = cell[2] + k / 4;
                unsigned at = (x ^ y * 2654435761u ^ z * 805459861u) % 16384;
                double w = (k % 2 ? part[0] : 1 - part[0]) * (k / 2 % 2 ? part[1] : 1 - part[1]) *
                           (k / 4 ? part[2] : 1 - part[2]);
                a += w * number(table[2 * (level * 16384 + (int)at)]);
                b += w * number(table[2 * (level * 16384 + (int)at) + 1]);
            }
            *out++ = (float)a;
            *out++ = (float)b;
        }
}
