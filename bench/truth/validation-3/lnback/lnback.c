// Layer norm, the gradient of x, for the third validation list.
// SPDX-License-Identifier: Apache-2.0
void lnback_ref(float *dx, const float *dy, const float *x, const float *weight, const float *mean,
                const float *rstd, int rows, int cols)
{
    for (int r = 0; r < rows; r++, dx += cols, dy += cols, x += cols) {
        double first = 0, second = 0;
        for (int i = 0; i < cols; i++) {
            double d = (double)weight[i] * dy[i];
            first += d / cols;
            second += d * ((double)x[i] - mean[r]) * rstd[r] / cols;
        }
        for (int i = 0; i < cols; i++) {
            double norm = ((double)x[i] - mean[r]) * rstd[r];
            dx[i] = (float)(((double)weight[i] * dy[i] - first - norm * second) * rstd[r]);
        }
    }
}
