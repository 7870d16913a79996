// A Gaussian of 7 x 7, for the second validation list.
// SPDX-License-Identifier: Apache-2.0
static int within(int v, int n)
{
    return v < 0 ? 0 : v >= n ? n - 1 : v;
}

void blur_ref(unsigned char *out, const unsigned char *in, const float *tap, int w, int h)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            float sum = 0.5f;
            for (int dy = -3; dy <= 3; dy++)
                for (int dx = -3; dx <= 3; dx++)
                    sum +=
                        tap[dy + 3] * tap[dx + 3] * in[within(y + dy, h) * w + within(x + dx, w)];
            out[y * w + x] = (unsigned char)(sum < 255 ? sum : 255);
        }
}
