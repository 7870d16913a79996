// Bonds and angles of chains, for the tenth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

void verlet_ref(float *x1, float *v1, const float *x, const float *v, int chains)
{
    for (int chain = 0; chain < chains; chain++, x += 144, v += 144, x1 += 144, v1 += 144) {
        double force[144];
        memset(force, 0, sizeof force);
        for (int i = 0; i < 47; i++) {
            double r[3], length = 0;
            for (int k = 0; k < 3; k++) {
                r[k] = (double)x[3 * i + 3 + k] - x[3 * i + k];
                length += r[k] * r[k];
            }
            length = sqrt(length);
            for (int k = 0; k < 3; k++) {
                double f = 2 * (length - 5) / length * r[k];
                force[3 * i + k] += f;
                force[3 * i + 3 + k] -= f;
            }
        }
        for (int i = 0; i < 46; i++) {
            double a[3], b[3], aa = 0, bb = 0, ab = 0;
            for (int k = 0; k < 3; k++) {
                a[k] = (double)x[3 * i + k] - x[3 * i + 3 + k];
                b[k] = (double)x[3 * i + 6 + k] - x[3 * i + 3 + k];
                aa += a[k] * a[k];
                bb += b[k] * b[k];
                ab += a[k] * b[k];
            }
            double length = sqrt(aa * bb), c = ab / length;
            for (int k = 0; k < 3; k++) {
                double first = -6 * (c + 0.5) * (b[k] / length - c * a[k] / aa);
                double last = -6 * (c + 0.5) * (a[k] / length - c * b[k] / bb);
                force[3 * i + k] += first;
                force[3 * i + 6 + k] += last;
                force[3 * i + 3 + k] -= first + last;
            }
        }
        for (int i = 0; i < 144; i++) {
            double speed = v[i] + 0.01 * force[i];
            v1[i] = (float)speed;
            x1[i] = (float)(x[i] + 0.01 * speed);
        }
    }
}
