// A convolution of 3 x 3, for the fifth validation list.
// SPDX-License-Identifier: Apache-2.0
void wino_ref(float *out, const float *in, const float *f, int size)
{
    for (int o = 0; o < 16; o++)
        for (int y = 0; y < size - 2; y++)
            for (int x = 0; x < size - 2; x++) {
                double sum = 0;
                for (int c = 0; c < 16; c++)
                    for (int t = 0; t < 9; t++)
                        sum += (double)f[(o * 16 + c) * 9 + t] *
                               in[(c * size + y + t / 3) * size + x + t % 3];
                out[(o * (size - 2) + y) * (size - 2) + x] = (float)sum;
            }
}
