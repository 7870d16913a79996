// Gaussians blended in tiles, for the eleventh validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void splat_ref(float *out, const int *starts, const int *list, const float *xy, const float *ac,
               const float *b, const float *opacity, const float *colour, int side)
{
    for (int i = 0; i < side * side; i++) {
        int x = i % side, y = i / side, tile = y / 16 * (side / 16) + x / 16;
        double through = 1, sum[3] = {0};
        for (int k = starts[tile]; k < starts[tile + 1]; k++) {
            int g = list[k];
            double dx = x - xy[2 * g], dy = y - xy[2 * g + 1];
            double power = (ac[2 * g] * dx * dx + ac[2 * g + 1] * dy * dy) / 2 + b[g] * dx * dy;
            double alpha = fmin(0.99, opacity[g] * exp(-power));
            if (alpha < 1.0 / 255)
                continue;
            if (through * (1 - alpha) < 0.0001)
                break;
            for (int c = 0; c < 3; c++)
                sum[c] += colour[3 * g + c] * alpha * through;
            through *= 1 - alpha;
        }
        for (int c = 0; c < 3; c++)
            *out++ = (float)sum[c];
    }
}
