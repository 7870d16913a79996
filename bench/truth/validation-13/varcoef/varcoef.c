// Heat through cells of unlike conductance, for the thirteenth validation list.
// SPDX-License-Identifier: Apache-2.0

static double flow(const float *u, const float *k, int i, int j)
{
    double a = (double)k[i], b = (double)k[j];
    return 2 * a * b / (a + b) * ((double)u[j] - (double)u[i]);
}

void varcoef_ref(float *out, const float *u, const float *k, int n)
{
    int step[3] = {1, n, n * n};
    for (int i = 0; i < n * n * n; i++) {
        double sum = 0;
        for (int d = 0; d < 3; d++) {
            int at = i / step[d] % n;
            if (at > 0)
                sum += flow(u, k, i, i - step[d]);
            if (at < n - 1)
                sum += flow(u, k, i, i + step[d]);
        }
        out[i] = (float)((double)u[i] + 0.05 * sum);
    }
}
