// Charged particles, for the twelfth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void boris_ref(float *out, const float *in, const float *fields, int n)
{
    for (int i = 0; i < n; i++) {
        double x[2] = {in[i], in[n + i]}, v[3] = {in[2 * n + i], in[3 * n + i], in[4 * n + i]};
        for (int step = 0; step < 4; step++) {
            double lx = floor(x[0]), ly = floor(x[1]), f[6] = {0}, t[3], w[3], squares = 1;
            for (int corner = 0; corner < 4; corner++) {
                int cx = ((int)lx + corner % 2) & 127, cy = ((int)ly + corner / 2) & 127;
                double weight =
                    fabs(x[0] - lx - (corner % 2 ? 0 : 1)) * fabs(x[1] - ly - (corner / 2 ? 0 : 1));
                for (int k = 0; k < 6; k++)
                    f[k] += weight * (double)fields[6 * (128 * cy + cx) + k];
            }
            for (int k = 0; k < 3; k++) {
                v[k] += 0.05 * f[k];
                t[k] = 0.05 * f[k + 3];
                squares += t[k] * t[k];
            }
            for (int k = 0; k < 3; k++) {
                int a = (k + 1) % 3, b = (k + 2) % 3;
                w[k] = v[k] + v[a] * t[b] - v[b] * t[a];
            }
            for (int k = 0; k < 3; k++) {
                int a = (k + 1) % 3, b = (k + 2) % 3;
                v[k] += 2 / squares * (w[a] * t[b] - w[b] * t[a]) + 0.05 * f[k];
            }
            x[0] += 0.01 * v[0];
            x[1] += 0.01 * v[1];
        }
        for (int k = 0; k < 2; k++)
            out[k * n + i] = (float)x[k];
        for (int k = 0; k < 3; k++)
            out[(k + 2) * n + i] = (float)v[k];
    }
}
