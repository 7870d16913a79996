// An image turned by a quarter, for the seventh validation list.
// SPDX-License-Identifier: Apache-2.0
void rot90_ref(unsigned char *out, const unsigned char *in, int width, int height)
{
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            out[x * height + height - 1 - y] = in[y * width + x];
}
