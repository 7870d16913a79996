// Adam with moments of 8 bits, for the eleventh validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void adam8_ref(float *out, signed char *m1, unsigned char *v1, float *mtop1, float *vtop1,
               const float *p, const float *g, const signed char *m, const unsigned char *v,
               const float *mtop, const float *vtop, int blocks)
{
    for (int b = 0; b < blocks; b++) {
        double ms[256], vs[256], mmax = 0, vmax = 0;
        for (int j = 0; j < 256; j++) {
            int i = 256 * b + j;
            double root = v[i] / 255.0;
            ms[j] = 0.9 * (m[i] / 127.0 * mtop[b]) + 0.1 * g[i];
            vs[j] = 0.99 * root * root * vtop[b] + 0.01 * g[i] * g[i];
            out[i] = (float)(p[i] - 0.001 * ms[j] / (sqrt(vs[j]) + 1e-8));
            mmax = fmax(mmax, fabs(ms[j]));
            vmax = fmax(vmax, vs[j]);
        }
        for (int j = 0; j < 256; j++) {
            m1[256 * b + j] = (signed char)rint(ms[j] / mmax * 127);
            v1[256 * b + j] = (unsigned char)rint(sqrt(vs[j] / vmax) * 255);
        }
        mtop1[b] = (float)mmax;
        vtop1[b] = (float)vmax;
    }
}
