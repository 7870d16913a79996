// An image sharpened, for the sixth validation list.
// SPDX-License-Identifier: Apache-2.0
static int inside(int i, int n)
{
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

void unsharp_ref(unsigned char *out, const unsigned char *in, int n)
{
    static const int weight[5] = {1, 4, 6, 4, 1};
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            int sum = 128;
            for (int j = 0; j < 5; j++)
                for (int i = 0; i < 5; i++)
                    sum +=
                        weight[j] * weight[i] * in[inside(y + j - 2, n) * n + inside(x + i - 2, n)];
            int v = 2 * in[y * n + x] - sum / 256;
            out[y * n + x] = (unsigned char)(v < 0 ? 0 : v > 255 ? 255 : v);
        }
}
