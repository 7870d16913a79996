// Convolution of each channel, for the fourth validation list.
// SPDX-License-Identifier: Apache-2.0
void depthwise_ref(float *out, const float *in, const float *filter, int planes, int channels,
                   int width, int height)
{
    for (int p = 0; p < planes; p++, in += width * height, out += width * height) {
        const float *f = filter + p % channels * 9;
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++) {
                double sum = 0;
                for (int j = 0; j < 3; j++)
                    for (int i = 0; i < 3; i++) {
                        int u = x + i - 1, v = y + j - 1;
                        if (u >= 0 && u < width && v >= 0 && v < height)
                            sum += (double)f[3 * j + i] * in[v * width + u];
                    }
                out[y * width + x] = (float)sum;
            }
    }
}
