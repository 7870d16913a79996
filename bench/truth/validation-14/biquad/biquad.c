// Recursive filters, for the fourteenth validation list.
// SPDX-License-Identifier: Apache-2.0
void biquad_ref(float *out, const float *x, const float *b, const float *a, int channels)
{
    for (int c = 0; c < channels; c++) {
        double state[4][2] = {{0}};
        for (int i = 512 * c; i < 512 * c + 512; i++) {
            double v = (double)x[i];
            for (int f = 0; f < 4; f++) {
                const float *up = b + 12 * c + 3 * f, *back = a + 8 * c + 2 * f;
                double y = (double)up[0] * v + state[f][0];
                state[f][0] = (double)up[1] * v - (double)back[0] * y + state[f][1];
                state[f][1] = (double)up[2] * v - (double)back[1] * y;
                v = y;
            }
            out[i] = (float)v;
        }
    }
}
