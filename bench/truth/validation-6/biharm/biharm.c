// The biharmonic operator, for the sixth validation list.
// SPDX-License-Identifier: Apache-2.0
void biharm_ref(float *out, const float *in, int n)
{
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            const float *p = in + (long)y * n + x;
            if (x < 2 || y < 2 || x >= n - 2 || y >= n - 2) {
                out[(long)y * n + x] = 0;
                continue;
            }
            double near = (double)p[-1] + p[1] + p[-n] + p[n];
            double diagonal = (double)p[-n - 1] + p[-n + 1] + p[n - 1] + p[n + 1];
            double far = (double)p[-2] + p[2] + p[-2 * n] + p[2 * n];
            out[(long)y * n + x] = (float)(20.0 * *p - 8 * near + 2 * diagonal + far);
        }
}
