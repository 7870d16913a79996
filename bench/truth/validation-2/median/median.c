// The median of 3 x 3, for the second validation list.
// SPDX-License-Identifier: Apache-2.0
static int within(int v, int n)
{
    return v < 0 ? 0 : v >= n ? n - 1 : v;
}

void median_ref(unsigned char *out, const unsigned char *in, int w, int h)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            unsigned char v[9], chosen = 0;
            for (int i = 0; i < 9; i++)
                v[i] = in[within(y + i / 3 - 1, h) * w + within(x + i % 3 - 1, w)];
            for (int i = 0; i < 9; i++) {
                int below = 0, equal = 0;
                for (int j = 0; j < 9; j++) {
                    below += v[j] < v[i];
                    equal += v[j] == v[i];
                }
                if (below <= 4 && below + equal > 4)
                    chosen = v[i];
            }
            out[y * w + x] = chosen;
        }
}
