// Walsh-Hadamard transform of rows, for the fourth validation list.
// SPDX-License-Identifier: Apache-2.0
void hadamard_ref(float *out, const float *in, int rows)
{
    for (int r = 0; r < rows; r++, in += 1024, out += 1024) {
        double v[1024];
        for (int i = 0; i < 1024; i++)
            v[i] = in[i];
        for (int h = 1; h < 1024; h *= 2)
            for (int i = 0; i < 1024; i++)
                if (!(i & h)) {
                    double a = v[i], b = v[i + h];
                    v[i] = a + b;
                    v[i + h] = a - b;
                }
        for (int i = 0; i < 1024; i++)
            out[i] = (float)(v[i] / 32);
    }
}
