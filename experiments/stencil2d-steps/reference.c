// Four steps in double; of rows first … end - 1, with what they need of the others.
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

enum { STEPS = 4 };

static double at(const double *grid, int x, int y, int rows, int N)
{
    return x >= 0 && x < N && y >= 0 && y < rows ? grid[(size_t)y * (size_t)N + (size_t)x] : 0;
}

void steps_ref(float *out, const float *in, int M, int N, float a, float b, int first, int end)
{
    int from = first > STEPS ? first - STEPS : 0, to = end < M - STEPS ? end + STEPS : M,
        rows = to - from;
    size_t points = (size_t)rows * (size_t)N;
    double *now = malloc((points + 1) * sizeof *now), *next = malloc((points + 1) * sizeof *next);
    if (!now || !next)
        abort();
    for (size_t i = 0; i < points; i++)
        now[i] = (double)in[(size_t)from * (size_t)N + i];
    for (int step = 0; step < STEPS;
         step++) { // rows at a cut go wrong by one per step, as far as `first` and `end` are
        for (int y = 0; y < rows; y++)
            for (int x = 0; x < N; x++)
                next[(size_t)y * (size_t)N + (size_t)x] =
                    (double)a * at(now, x, y, rows, N) +
                    (double)b * (at(now, x, y - 1, rows, N) + at(now, x, y + 1, rows, N) +
                                 at(now, x - 1, y, rows, N) + at(now, x + 1, y, rows, N));
        double *swap = now;
        now = next;
        next = swap;
    }
    for (int y = first; y < end; y++)
        for (int x = 0; x < N; x++)
            out[(size_t)y * (size_t)N + (size_t)x] =
                (float)now[(size_t)(y - from) * (size_t)N + (size_t)x];
    free(now);
    free(next);
}
