// A transpose of three dimensions, for the fourteenth validation list.
// SPDX-License-Identifier: Apache-2.0
void swap13_ref(double *out, const double *x, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 20; j++)
            for (int k = 0; k < n + 8; k++)
                out[(k * 20 + j) * n + i] = x[(i * 20 + j) * (n + 8) + k];
}
