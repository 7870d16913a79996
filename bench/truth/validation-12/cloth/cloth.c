// Masses and springs, for the twelfth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>
#include <string.h>

void cloth_ref(float *out, const float *p, const float *v, int n)
{
    size_t size = 4 * (size_t)(n * n) * sizeof(float);
    float *speed = malloc(size), *old = malloc(size);
    memcpy(speed, v, size);
    memcpy(out, p, size);
    for (int step = 0; step < 4; step++) {
        memcpy(old, out, size);
        for (int i = 0; i < n * n; i++) {
            float f[3] = {0, 0, -1};
            for (int k = 0; k < 25; k++) {
                int dx = k % 5 - 2, dy = k / 5 - 2, far = dx * dx + dy * dy, x = i % n + dx,
                    y = i / n + dy;
                if (far == 0 || far > 4 || x < 0 || x >= n || y < 0 || y >= n)
                    continue;
                float d[3] = {(float)dx, (float)dy, 0}, squares = 0;
                for (int a = 0; a < 3; a++) {
                    d[a] += old[4 * (y * n + x) + a] - old[4 * i + a];
                    squares += d[a] * d[a];
                }
                for (int a = 0; a < 3; a++)
                    f[a] += 8 * (1 - sqrtf((float)far / squares)) * d[a];
            }
            for (int a = 0; a < 3; a++) {
                speed[4 * i + a] = 0.99f * speed[4 * i + a] + 0.05f * f[a];
                out[4 * i + a] = old[4 * i + a] + 0.05f * speed[4 * i + a];
            }
            out[4 * i + 3] = 0;
        }
    }
    free(speed);
    free(old);
}
