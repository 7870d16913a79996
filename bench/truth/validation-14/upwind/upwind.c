// Upwind advection, for the fourteenth validation list.
// SPDX-License-Identifier: Apache-2.0
static double part(double flow, double before, double own, double after)
{
    return flow > 0 ? flow * (own - before) : flow * (after - own);
}

void upwind_ref(float *out, const float *c, const float *u, const float *v, const float *w, int n)
{
    for (int z = 0; z < n; z++)
        for (int y = 0; y < n; y++)
            for (int x = 0; x < n; x++) {
                int i = (z * n + y) * n + x;
                double own = (double)c[i];
                out[i] = (float)(own - 0.2 * (part((double)u[i], (double)c[x > 0 ? i - 1 : i], own,
                                                   (double)c[x < n - 1 ? i + 1 : i]) +
                                              part((double)v[i], (double)c[y > 0 ? i - n : i], own,
                                                   (double)c[y < n - 1 ? i + n : i]) +
                                              part((double)w[i], (double)c[z > 0 ? i - n * n : i],
                                                   own, (double)c[z < n - 1 ? i + n * n : i])));
            }
}
