// Vertices moved by weighted bones, for the ninth validation list.
// SPDX-License-Identifier: Apache-2.0
void skin_ref(float *out, const float *pos, const float *weight, const unsigned char *bone,
              const float *bones, int n)
{
    for (int i = 0; i < n; i++, pos += 3, out += 3)
        for (int r = 0; r < 3; r++) {
            double sum = 0;
            for (int k = 0; k < 4; k++) {
                const float *m = bones + 12 * bone[4 * i + k] + 4 * r;
                sum += weight[4 * i + k] * ((double)m[0] * pos[0] + (double)m[1] * pos[1] +
                                            (double)m[2] * pos[2] + m[3]);
            }
            out[r] = (float)sum;
        }
}
