// Volume times weights, for the tenth validation list.
// SPDX-License-Identifier: Apache-2.0
void convt3_ref(float *out, const float *x, const float *w, int side)
{
    for (int o = 0; o < 8; o++)
        for (int z = 0; z < side; z++)
            for (int y = 0; y < side; y++)
                for (int i = 0; i < side; i++) {
                    double sum = 0;
                    for (int k = 0; k < 216; k++) {
                        int sx = i + k % 3 - 1, sy = y + k / 3 % 3 - 1, sz = z + k / 9 % 3 - 1;
                        if (sx >= 0 && sx < side && sy >= 0 && sy < side && sz >= 0 && sz < side)
                            sum += (double)x[((k / 27 * side + sz) * side + sy) * side + sx] *
                                   w[216 * o + k];
                    }
                    *out++ = (float)sum;
                }
}
