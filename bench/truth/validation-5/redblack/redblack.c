// A sweep of Gauss-Seidel in two colours, for the fifth validation list.
// SPDX-License-Identifier: Apache-2.0
void redblack_ref(double *out, const double *u, const double *f, int n)
{
    for (int i = 0; i < n * n; i++)
        out[i] = u[i];
    for (int colour = 0; colour < 2; colour++)
        for (int y = 1; y < n - 1; y++)
            for (int x = 1; x < n - 1; x++) {
                int i = y * n + x;
                if ((x + y) % 2 == colour)
                    out[i] = 0.25 * (out[i - 1] + out[i + 1] + out[i - n] + out[i + n] + f[i]);
            }
}
