// By tiles: read row by row, a large matrix would be written a cache line and a page per element.
// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>

enum { TILE = 32 };

static void tile(float *out, const float *in, int M, int N, int first, int end, int column)
{
    int last = column + TILE < N ? column + TILE : N;
    for (int x = column; x < last; x++)
        for (int y = first; y < end; y++)
            out[(size_t)x * (size_t)M + (size_t)y] = in[(size_t)y * (size_t)N + (size_t)x];
}

void transpose_ref(float *out, const float *in, int M, int N, int first, int end)
{
    for (int y = first; y < end; y += TILE)
        for (int x = 0; x < N; x += TILE)
            tile(out, in, M, N, y, y + TILE < end ? y + TILE : end, x);
}
