// Programs that are bred, for the fourteenth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void gp_ref(float *error, const unsigned char *code, const float *x, const float *target,
            int programs)
{
    for (int p = 0; p < programs; p++) {
        double sum = 0;
        for (int row = 0; row < 1024; row++) {
            double stack[32];
            int depth = 0;
            for (int i = 0; i < 32; i++) {
                int op = code[32 * p + i] % 8, more = code[32 * p + i] / 8;
                if (op < 3 || (op > 3 && depth < 2)) {
                    stack[depth++] = (double)x[1024 * (more % 8) + row];
                } else if (op == 3) {
                    stack[depth++] = more / 16.0 - 1;
                } else {
                    double b = stack[--depth], a = stack[depth - 1];
                    stack[depth - 1] = op == 4   ? a + b
                                       : op == 5 ? a - b
                                       : op == 6 ? a * b
                                                 : a / sqrt(1 + b * b);
                }
            }
            double d = stack[depth - 1] - (double)target[row];
            sum += d * d;
        }
        error[p] = (float)sum;
    }
}
