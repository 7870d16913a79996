// A stencil of nine points, for the second validation list.
// SPDX-License-Identifier: Apache-2.0
void nine_ref(float *out, const float *in, int w, int h)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            const float *p = in + y * w + x;
            if (x == 0 || y == 0 || x == w - 1 || y == h - 1)
                out[y * w + x] = *p;
            else
                out[y * w + x] = 0.25f * *p + 0.125f * (p[-1] + p[1] + p[-w] + p[w]) +
                                 0.0625f * (p[-w - 1] + p[-w + 1] + p[w - 1] + p[w + 1]);
        }
}
