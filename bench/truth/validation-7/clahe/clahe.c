// An image equalized by tiles, for the seventh validation list.
// SPDX-License-Identifier: Apache-2.0
void clahe_ref(unsigned char *out, const unsigned char *in, int n)
{
    for (int y0 = 0; y0 < n; y0 += 64)
        for (int x0 = 0; x0 < n; x0 += 64) {
            int count[256] = {0}, over = 0, sum = 0;
            unsigned char map[256];
            for (int i = 0; i < 4096; i++)
                count[in[(y0 + i / 64) * n + x0 + i % 64]]++;
            for (int i = 0; i < 256; i++)
                if (count[i] > 48) {
                    over += count[i] - 48;
                    count[i] = 48;
                }
            for (int i = 0; i < 256; i++) {
                sum += count[i] + over / 256;
                map[i] = (unsigned char)(sum * 255 / 4096);
            }
            for (int i = 0; i < 4096; i++) {
                int at = (y0 + i / 64) * n + x0 + i % 64;
                out[at] = map[in[at]];
            }
        }
}
