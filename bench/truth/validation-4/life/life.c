// A step of the game of life, for the fourth validation list.
// SPDX-License-Identifier: Apache-2.0
void life_ref(unsigned char *out, const unsigned char *in, int n)
{
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            int sum = 0;
            for (int j = -1; j <= 1; j++)
                for (int i = -1; i <= 1; i++)
                    if (i || j)
                        sum += in[(y + j + n) % n * n + (x + i + n) % n];
            out[y * n + x] = sum == 3 || (sum == 2 && in[y * n + x]);
        }
}
