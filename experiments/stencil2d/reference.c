// In double.
// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>

static double point(const float *in, int x, int y, int M, int N)
{
    return x >= 0 && x < N && y >= 0 && y < M ? (double)in[(size_t)y * (size_t)N + (size_t)x] : 0;
}

void stencil_ref(float *out, const float *in, int M, int N, float a, float b, int first,
                 int end)
{
    for (int y = first; y < end; y++)
        for (int x = 0; x < N; x++)
            out[(size_t)y * (size_t)N + (size_t)x] =
                (float)((double)a * point(in, x, y, M, N) +
                        (double)b * (point(in, x, y - 1, M, N) + point(in, x, y + 1, M, N) +
                                     point(in, x - 1, y, M, N) + point(in, x + 1, y, M, N)));
}
