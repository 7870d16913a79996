// Cholesky factors of small matrices, for the eighth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void chol16_ref(double *out, const double *in, int count)
{
    for (int i = 0; i < count; i++, in += 256, out += 256)
        for (int r = 0; r < 16; r++)
            for (int c = 0; c < 16; c++) {
                double sum = in[16 * r + c] + (r == c ? 10 : 0);
                for (int k = 0; k < c; k++)
                    sum -= out[16 * r + k] * out[16 * c + k];
                out[16 * r + c] = c > r ? 0 : c == r ? sqrt(sum) : sum / out[16 * c + c];
            }
}
