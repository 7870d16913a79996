// Bands of the power of audio frames, for the ninth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void mel_ref(float *out, const float *x, const float *window, const float *weights, int frames)
{
    for (int f = 0; f < frames; f++) {
        double power[129];
        for (int k = 0; k < 129; k++) {
            double re = 0, im = 0;
            for (int i = 0; i < 256; i++) {
                double v = (double)x[100 * f + i] * window[i],
                       angle = 2 * M_PI * (k * i % 256) / 256;
                re += v * cos(angle);
                im -= v * sin(angle);
            }
            power[k] = re * re + im * im;
        }
        for (int band = 0; band < 32; band++) {
            double sum = 0;
            for (int k = 0; k < 129; k++)
                sum += power[k] * weights[129 * band + k];
            out[32 * f + band] = (float)log(sum + 1e-6);
        }
    }
}
