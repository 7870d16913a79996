// Eigenvalues of small matrices, for the fourteenth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

static void turn(double m[3][3], int p, int q)
{
    if (m[p][q] == 0)
        return;
    double theta = (m[q][q] - m[p][p]) / (2 * m[p][q]);
    double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
    double c = 1 / sqrt(t * t + 1), s = t * c;
    int r = 3 - p - q;
    double rp = m[r][p], rq = m[r][q];
    m[p][p] -= t * m[p][q];
    m[q][q] += t * m[p][q];
    m[p][q] = m[q][p] = 0;
    m[r][p] = m[p][r] = c * rp - s * rq;
    m[r][q] = m[q][r] = s * rp + c * rq;
}

void eig3_ref(float *out, const float *m, int n)
{
    for (int i = 0; i < n; i++) {
        double v[6];
        for (int k = 0; k < 6; k++)
            v[k] = (double)m[k * n + i];
        double a[3][3] = {{v[0], v[1], v[2]}, {v[1], v[3], v[4]}, {v[2], v[4], v[5]}};
        for (int sweep = 0; sweep < 10; sweep++) {
            turn(a, 0, 1);
            turn(a, 0, 2);
            turn(a, 1, 2);
        }
        double x = a[0][0], y = a[1][1], z = a[2][2];
        out[i] = (float)fmax(fmax(x, y), z);
        out[n + i] = (float)fmax(fmin(x, y), fmin(fmax(x, y), z));
        out[2 * n + i] = (float)fmin(fmin(x, y), z);
    }
}
