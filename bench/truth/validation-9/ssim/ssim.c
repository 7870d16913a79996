// Structural similarity of two images, for the ninth validation list.
// SPDX-License-Identifier: Apache-2.0
void ssim_ref(float *out, const float *a, const float *b, int height)
{
    for (int y = 0; y < height - 7; y++)
        for (int x = 0; x < 493; x++) {
            double s[5] = {0};
            for (int i = 0; i < 64; i++) {
                double u = a[(y + i / 8) * 500 + x + i % 8], v = b[(y + i / 8) * 500 + x + i % 8];
                s[0] += u / 64;
                s[1] += v / 64;
                s[2] += u * u / 64;
                s[3] += v * v / 64;
                s[4] += u * v / 64;
            }
            double means = s[0] * s[0] + s[1] * s[1], product = s[0] * s[1];
            *out++ = (float)((2 * product + 1e-4) * (2 * (s[4] - product) + 9e-4) /
                             ((means + 1e-4) * (s[2] + s[3] - means + 9e-4)));
        }
}
