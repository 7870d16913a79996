// Stiffness of spectral elements, for the eleventh validation list.
// SPDX-License-Identifier: Apache-2.0
void nekax_ref(double *w, const double *u, const double *g, const double *d, int elements)
{
    for (int e = 0; e < elements; e++, u += 512, w += 512) {
        double r[512], s[512], t[512];
        for (int at = 0; at < 512; at++, g += 6) {
            int i = at % 8, j = at / 8 % 8, k = at / 64;
            double a = 0, b = 0, c = 0;
            for (int l = 0; l < 8; l++) {
                a += d[8 * i + l] * u[64 * k + 8 * j + l];
                b += d[8 * j + l] * u[64 * k + 8 * l + i];
                c += d[8 * k + l] * u[64 * l + 8 * j + i];
            }
            r[at] = g[0] * a + g[1] * b + g[2] * c;
            s[at] = g[1] * a + g[3] * b + g[4] * c;
            t[at] = g[2] * a + g[4] * b + g[5] * c;
        }
        for (int at = 0; at < 512; at++) {
            int i = at % 8, j = at / 8 % 8, k = at / 64;
            double sum = 0;
            for (int l = 0; l < 8; l++)
                sum += d[8 * l + i] * r[64 * k + 8 * j + l] + d[8 * l + j] * s[64 * k + 8 * l + i] +
                       d[8 * l + k] * t[64 * l + 8 * j + i];
            w[at] = sum;
        }
    }
}
