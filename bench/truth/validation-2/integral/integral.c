// The integral of an image, for the second validation list.
// SPDX-License-Identifier: Apache-2.0
void integral_ref(unsigned *out, const unsigned char *in, int w, int h)
{
    for (int y = 0; y < h; y++) {
        unsigned sum = 0;
        for (int x = 0; x < w; x++) {
            sum += in[y * w + x];
            out[y * w + x] = sum + (y > 0 ? out[(y - 1) * w + x] : 0);
        }
    }
}
