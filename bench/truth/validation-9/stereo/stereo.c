// Disparities by comparisons with neighbours, for the ninth validation list.
// SPDX-License-Identifier: Apache-2.0
void stereo_ref(unsigned char *out, const unsigned char *left, const unsigned char *right,
                int height)
{
    for (int y = 2; y < height - 2; y++)
        for (int x = 34; x < 638; x++, out++) {
            int least = 25;
            const unsigned char *l = left + 640 * y + x, *r = right + 640 * y + x;
            for (int d = 0; d < 32; d++, r--) {
                int cost = 0;
                for (int j = -2; j <= 2; j++)
                    for (int i = -2; i <= 2; i++)
                        cost += (l[640 * j + i] < *l) != (r[640 * j + i] < *r);
                if (cost < least) {
                    least = cost;
                    *out = (unsigned char)d;
                }
            }
        }
}
