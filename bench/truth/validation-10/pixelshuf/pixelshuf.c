// Pixel shuffle with a bias and a leaky rectifier, for the tenth validation list.
// SPDX-License-Identifier: Apache-2.0
void pixelshuf_ref(float *out, const float *x, const float *bias, int height, int width)
{
    for (int c = 0; c < 64; c++)
        for (int y = 0; y < height; y++)
            for (int i = 0; i < width; i++) {
                float v = *x++ + bias[c];
                int oy = 2 * y + c % 4 / 2, ox = 2 * i + c % 2;
                out[(c / 4 * 2 * height + oy) * 2 * width + ox] = v > 0 ? v : 0.1f * v;
            }
}
