// Running maxima, for the fourteenth validation list.
// SPDX-License-Identifier: Apache-2.0
void cummax_ref(float *most, int *place, const float *x, int rows)
{
    for (int r = 0; r < rows; r++) {
        int best = 1000 * r;
        for (int i = 1000 * r; i < 1000 * r + 1000; i++) {
            if (x[i] > x[best])
                best = i;
            most[i] = x[best];
            place[i] = best - 1000 * r;
        }
    }
}
