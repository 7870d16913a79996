// Curved patches, for the fourteenth validation list.
// SPDX-License-Identifier: Apache-2.0
void bezier_ref(float *out, const float *control, int count)
{
    double w[16][4];
    for (int i = 0; i < 16; i++) {
        double t = i / 15.0, s = 1 - t;
        w[i][0] = s * s * s;
        w[i][1] = 3 * s * s * t;
        w[i][2] = 3 * s * t * t;
        w[i][3] = t * t * t;
    }
    for (int p = 0; p < count; p++)
        for (int i = 0; i < 256; i++)
            for (int k = 0; k < 3; k++) {
                double sum = 0;
                for (int c = 0; c < 16; c++)
                    sum +=
                        w[i / 16][c / 4] * w[i % 16][c % 4] * (double)control[48 * p + 3 * c + k];
                out[(256 * p + i) * 3 + k] = (float)sum;
            }
}
