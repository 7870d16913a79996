// Grouped convolution as a product of matrices, for the tenth validation list.
// SPDX-License-Identifier: Apache-2.0
void gconv_ref(float *out, const float *x, const float *w, int images)
{
    for (int o = 0; o < 64 * images; o++)
        for (int at = 0; at < 576; at++) {
            int group = o / 16; // of all images
            double sum = 0;
            for (int k = 0; k < 72; k++) {
                int sx = at % 24 + k % 3 - 1, sy = at / 24 + k / 3 % 3 - 1;
                if (sx >= 0 && sx < 24 && sy >= 0 && sy < 24)
                    sum += (double)x[(group * 8 + k / 9) * 576 + sy * 24 + sx] * w[o % 64 * 72 + k];
            }
            *out++ = (float)sum;
        }
}
