// Motion of blocks, for the fifth validation list.
// SPDX-License-Identifier: Apache-2.0
static unsigned difference(const unsigned char *a, const unsigned char *b, int width)
{
    unsigned sum = 0;
    for (int i = 0; i < 64; i++) {
        int d = a[i / 8 * width + i % 8] - b[i / 8 * (width + 16) + i % 8];
        sum += (unsigned)(d < 0 ? -d : d);
    }
    return sum;
}

void sad_ref(unsigned *best, const unsigned char *frame, const unsigned char *before, int width,
             int height)
{
    for (int y = 0; y < height / 8; y++)
        for (int x = 0; x < width / 8; x++) {
            unsigned least = ~0u;
            for (int k = 0; k < 289; k++) {
                int from = (8 * y + k / 17) * (width + 16) + 8 * x + k % 17;
                unsigned d = difference(frame + 8 * y * width + 8 * x, before + from, width);
                least = (d << 16 | (unsigned)k) < least ? d << 16 | (unsigned)k : least;
            }
            best[y * (width / 8) + x] = least;
        }
}
