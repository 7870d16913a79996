// The gradient of an embedding, for the sixth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

void embgrad_ref(float *out, const float *grad, const long long *token, int tokens, int words)
{
    double *sum = calloc((size_t)words * 128, sizeof *sum);
    for (int t = 0; t < tokens; t++)
        for (int i = 0; i < 128; i++)
            sum[128 * token[t] + i] += grad[128L * t + i];
    for (int i = 0; i < 128 * words; i++)
        out[i] = (float)sum[i];
    free(sum);
}
