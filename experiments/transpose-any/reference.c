// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>

void transpose_ref(float *out, const float *in, int M, int N)
{
    for (int y = 0; y < M; y++)
        for (int x = 0; x < N; x++)
            out[(size_t)x * (size_t)M + (size_t)y] = in[(size_t)y * (size_t)N + (size_t)x];
}
