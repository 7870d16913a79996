// The transpose as the book says it.
// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>

void transpose_ref(float *out, const float *in, int N)
{
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++)
            out[(size_t)y * (size_t)N + (size_t)x] = in[(size_t)x * (size_t)N + (size_t)y];
}
