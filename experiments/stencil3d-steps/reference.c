// Two steps in double; of planes first … end - 1, with what they need of the others.
// SPDX-License-Identifier: Apache-2.0
#include <stdbool.h>
#include <stdlib.h>

static double around(const double *const plane[3], int x, int y, int N)
{
    size_t i = (size_t)y * (size_t)N + (size_t)x;
    return plane[0][i] + plane[2][i] + (y > 0 ? plane[1][i - (size_t)N] : 0) +
           (y < N - 1 ? plane[1][i + (size_t)N] : 0) + (x > 0 ? plane[1][i - 1] : 0) +
           (x < N - 1 ? plane[1][i + 1] : 0);
}

static void step_plane(double *out, const double *const plane[3], int N, double a, double b)
{
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++) {
            size_t i = (size_t)y * (size_t)N + (size_t)x;
            out[i] = a * plane[1][i] + b * around(plane, x, y, N);
        }
}

// Plane z of `in` in double; 0 where it is outside of the cube.
static void read_plane(double *to, const float *in, int z, int N)
{
    size_t points = (size_t)N * (size_t)N;
    for (size_t i = 0; i < points; i++)
        to[i] = z >= 0 && z < N ? (double)in[(size_t)z * points + i] : 0;
}

void steps_ref(float *out, const float *in, int N, float a, float b, int first, int end)
{
    size_t points = (size_t)N * (size_t)N;
    double *room = calloc(points * 9 + 1, sizeof *room), *read[5], *once[3], *twice = room + 8 * points;
    if (!room)
        abort();
    for (int i = 0; i < 8; i++)
        *(i < 5 ? &read[i] : &once[i - 5]) = room + (size_t)i * points;
    for (int z = first; z < end; z++) {
        for (int i = 0; i < 5; i++)
            read_plane(read[i], in, z - 2 + i, N);
        for (int i = 0; i < 3; i++) {
            const double *const about[3] = {read[i], read[i + 1], read[i + 2]};
            bool outside = z - 1 + i < 0 || z - 1 + i >= N;
            step_plane(once[i], about, N, outside ? 0 : (double)a, outside ? 0 : (double)b);
        }
        step_plane(twice, (const double *const *)once, N, (double)a, (double)b);
        for (size_t i = 0; i < points; i++)
            out[(size_t)z * points + i] = (float)twice[i];
    }
    free(room);
}
