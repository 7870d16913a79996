// Polar codes, for the twelfth validation list.
// SPDX-License-Identifier: Apache-2.0

void polar_ref(unsigned char *out, const unsigned char *in, int n)
{
    for (int i = 0; i < 1024 * n; i++)
        out[i] = in[i];
    for (int d = 1; d < 1024; d *= 2)
        for (int i = 0; i < 1024 * n; i++)
            if (!(i & d))
                out[i] ^= out[i + d];
}
