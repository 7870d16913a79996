// Non-local means, for the eleventh validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

static int clamp(int i, int side)
{
    return i < 0 ? 0 : i >= side ? side - 1 : i;
}

void nlm_ref(float *out, const float *image, int side)
{
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++) {
            double sum = 0, weights = 0;
            for (int dy = -5; dy <= 5; dy++)
                for (int dx = -5; dx <= 5; dx++) {
                    float far = 0;
                    for (int j = -2; j <= 2; j++)
                        for (int i = -2; i <= 2; i++) {
                            float diff =
                                image[clamp(y + j, side) * side + clamp(x + i, side)] -
                                image[clamp(y + dy + j, side) * side + clamp(x + dx + i, side)];
                            far += diff * diff;
                        }
                    double weight = expf(-far / 2);
                    sum += weight * image[clamp(y + dy, side) * side + clamp(x + dx, side)];
                    weights += weight;
                }
            *out++ = (float)(sum / weights);
        }
}
