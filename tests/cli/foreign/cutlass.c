// What bench/foreign/cutlass.cu should give, in double.
// SPDX-License-Identifier: Apache-2.0
#include "half.h"

void product_ref(float *c, const unsigned short *a, const unsigned short *b, int m, int n, int k)
{
    for (int row = 0; row < m; row++)
        for (int column = 0; column < n; column++) {
            double sum = 0;
            for (int i = 0; i < k; i++)
                sum += (double)half_value(a[row * k + i]) * half_value(b[column * k + i]);
            c[row * n + column] = (float)sum;
        }
}
