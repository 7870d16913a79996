// A convolution with channels last, for the third validation list.
// SPDX-License-Identifier: Apache-2.0
void convhwc_ref(float *out, const float *in, const float *filter, const float *bias, int height,
                 int width)
{
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            double sum[32];
            for (int k = 0; k < 32; k++)
                sum[k] = bias[k];
            for (int tap = 0; tap < 9; tap++) {
                int py = y + tap / 3 - 1, px = x + tap % 3 - 1;
                if (py < 0 || py >= height || px < 0 || px >= width)
                    continue;
                for (int c = 0; c < 16; c++)
                    for (int k = 0; k < 32; k++)
                        sum[k] += (double)in[(py * width + px) * 16 + c] *
                                  filter[(tap * 16 + c) * 32 + k];
            }
            for (int k = 0; k < 32; k++)
                out[(y * width + x) * 32 + k] = sum[k] > 0 ? (float)sum[k] : 0;
        }
}
