// Means of 31 x 31 pixels, for the eighth validation list.
// SPDX-License-Identifier: Apache-2.0
static int within(int i, int n)
{
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

void box31_ref(unsigned char *out, const unsigned char *in, int n)
{
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            int sum = 0;
            for (int dy = -15; dy <= 15; dy++)
                for (int dx = -15; dx <= 15; dx++)
                    sum += in[within(y + dy, n) * n + within(x + dx, n)];
            out[y * n + x] = (unsigned char)((sum + 480) / 961);
        }
}
