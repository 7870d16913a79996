// A Bayer pattern to RGB, for the fifth validation list.
// SPDX-License-Identifier: Apache-2.0
static int mirrored(int i, int n)
{
    return i < 0 ? -i : i >= n ? 2 * n - 2 - i : i;
}

// The mean, rounded, of those of the 3 x 3 pixels around that have the colour: rows begin R G, then G B.
static int mean(const unsigned char *raw, int x, int y, int width, int height, int colour)
{
    int own = (x & 1) + (y & 1), sum = 0, count = 0;
    for (int k = 0; k < 9; k++) {
        int dx = k % 3 - 1, dy = k / 3 - 1;
        if (((x + dx) & 1) + ((y + dy) & 1) != colour || (own == colour && k != 4))
            continue;
        sum += raw[mirrored(y + dy, height) * width + mirrored(x + dx, width)];
        count++;
    }
    return (sum + count / 2) / count;
}

void demosaic_ref(unsigned char *rgb, const unsigned char *raw, int width, int height)
{
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            for (int c = 0; c < 3; c++)
                rgb[3 * (y * width + x) + c] = (unsigned char)mean(raw, x, y, width, height, c);
}
