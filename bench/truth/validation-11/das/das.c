// Delay and sum of channels, for the eleventh validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void das_ref(float *out, const short *signal, int height)
{
    for (int py = 0; py < height; py++)
        for (int px = 0; px < 128; px++) {
            double x = (px - 63.5) / 4, z = 10 + 300.0 * py / height, sum = 0;
            for (int c = 0; c < 64; c++) {
                double away = x - (c - 31.5) / 2, time = (z + sqrt(away * away + z * z)) * 1.6;
                const short *at = signal + c * 1024 + (int)time;
                sum += at[0] + (time - (int)time) * (at[1] - at[0]);
            }
            *out++ = (float)sum;
        }
}
