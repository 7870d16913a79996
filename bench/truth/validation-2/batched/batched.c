// Products of 16 x 16 matrices, for the second validation list.
// SPDX-License-Identifier: Apache-2.0
void batched_ref(float *c, const float *a, const float *b, int batches)
{
    for (long m = 0; m < batches; m++)
        for (int y = 0; y < 16; y++)
            for (int x = 0; x < 16; x++) {
                float sum = 0;
                for (int k = 0; k < 16; k++)
                    sum += a[m * 256 + y * 16 + k] * b[m * 256 + k * 16 + x];
                c[m * 256 + y * 16 + x] = sum;
            }
}
