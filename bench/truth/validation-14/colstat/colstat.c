// Statistics of columns, for the fourteenth validation list.
// SPDX-License-Identifier: Apache-2.0
void colstat_ref(double *mean, double *var, const double *x, int cols)
{
    for (int c = 0; c < cols; c++) {
        double m = 0, s = 0;
        for (int r = 0; r < 1000; r++)
            m += x[r * cols + c];
        m /= 1000;
        for (int r = 0; r < 1000; r++)
            s += (x[r * cols + c] - m) * (x[r * cols + c] - m);
        mean[c] = m;
        var[c] = s / 999;
    }
}
