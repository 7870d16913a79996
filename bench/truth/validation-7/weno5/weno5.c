// Fluxes of fifth order, for the seventh validation list.
// SPDX-License-Identifier: Apache-2.0
static double flux(const double *u, int i, int n)
{
    double v[5];
    for (int k = 0; k < 5; k++)
        v[k] = u[(i + k - 2 + n) % n];
    double p = v[0] - 2 * v[1] + v[2], q = v[0] - 4 * v[1] + 3 * v[2];
    double b0 = 13.0 / 12 * p * p + 0.25 * q * q;
    p = v[1] - 2 * v[2] + v[3], q = v[1] - v[3];
    double b1 = 13.0 / 12 * p * p + 0.25 * q * q;
    p = v[2] - 2 * v[3] + v[4], q = 3 * v[2] - 4 * v[3] + v[4];
    double b2 = 13.0 / 12 * p * p + 0.25 * q * q;
    double a0 = 0.1 / ((1e-6 + b0) * (1e-6 + b0));
    double a1 = 0.6 / ((1e-6 + b1) * (1e-6 + b1));
    double a2 = 0.3 / ((1e-6 + b2) * (1e-6 + b2));
    double f0 = (2 * v[0] - 7 * v[1] + 11 * v[2]) / 6;
    double f1 = (-v[1] + 5 * v[2] + 2 * v[3]) / 6;
    double f2 = (2 * v[2] + 5 * v[3] - v[4]) / 6;
    return (a0 * f0 + a1 * f1 + a2 * f2) / (a0 + a1 + a2);
}

void weno5_ref(double *out, const double *u, float c, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = u[i] - (double)c * (flux(u, i, n) - flux(u, (i + n - 1) % n, n));
}
