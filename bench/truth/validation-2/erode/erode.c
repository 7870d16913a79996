// Erosion, for the second validation list.
// SPDX-License-Identifier: Apache-2.0
void erode_ref(unsigned char *out, const unsigned char *in, int w, int h)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            unsigned char least = 255;
            for (int v = y - 2; v <= y + 2; v++)
                for (int u = x - 4; u <= x + 4; u++)
                    if (v >= 0 && v < h && u >= 0 && u < w && in[v * w + u] < least)
                        least = in[v * w + u];
            out[y * w + x] = least;
        }
}
