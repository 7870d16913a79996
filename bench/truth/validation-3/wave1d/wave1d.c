// A step of the wave equation, for the third validation list.
// SPDX-License-Identifier: Apache-2.0
void wave1d_ref(float *next, const float *now, const float *before, float c2, int n)
{
    static const double weight[5] = {-205.0 / 72, 8.0 / 5, -1.0 / 5, 8.0 / 315, -1.0 / 560};
    for (int i = 4; i < n - 4; i++) {
        double second = weight[0] * now[i];
        for (int r = 1; r <= 4; r++)
            second += weight[r] * ((double)now[i - r] + now[i + r]);
        next[i] = (float)(2.0 * now[i] - before[i] + c2 * second);
    }
}
