// In double.
// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>

static double point(const float *in, int x, int y, int z, int N)
{
    size_t n = (size_t)N;
    if (x < 0 || x >= N || y < 0 || y >= N || z < 0 || z >= N)
        return 0;
    return (double)in[((size_t)z * n + (size_t)y) * n + (size_t)x];
}

void stencil_ref(float *out, const float *in, int N, float a, float b, int first, int end)
{
    out += (size_t)first * (size_t)N * (size_t)N;
    for (int z = first; z < end; z++)
        for (int y = 0; y < N; y++)
            for (int x = 0; x < N; x++)
                *out++ = (float)((double)a * point(in, x, y, z, N) +
                                 (double)b * (point(in, x, y, z - 1, N) + point(in, x, y, z + 1, N) +
                                              point(in, x, y - 1, z, N) + point(in, x, y + 1, z, N) +
                                              point(in, x - 1, y, z, N) + point(in, x + 1, y, z, N)));
}
