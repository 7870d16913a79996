// Stiffness of tetrahedra, for the tenth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void fem_ref(double *y, const double *u, const double *move, const double *k, int side)
{
    static const int paths[6][4] = {{0, 1, 3, 7}, {0, 5, 1, 7}, {0, 3, 2, 7},
                                    {0, 2, 6, 7}, {0, 4, 5, 7}, {0, 6, 4, 7}};
    int nodes = side + 1;
    for (int i = 0; i < nodes * nodes * nodes; i++)
        y[i] = 0;
    for (int i = 0; i < 6 * side * side * side; i++) {
        int cube = i / 6, at[4];
        double p[4][3], g[4][3], slope[3] = {0, 0, 0}, det = 0;
        for (int j = 0; j < 4; j++) {
            int c = paths[i % 6][j],
                place[3] = {cube % side + (c & 1), cube / side % side + (c >> 1 & 1),
                            cube / side / side + (c >> 2)};
            at[j] = (place[2] * nodes + place[1]) * nodes + place[0];
            for (int a = 0; a < 3; a++)
                p[j][a] = place[a] + move[3 * at[j] + a];
        }
        for (int j = 3; j >= 0; j--)
            for (int a = 0; a < 3; a++)
                p[j][a] -= p[0][a];
        for (int a = 0; a < 3; a++) {
            int b = (a + 1) % 3, c = (a + 2) % 3;
            g[1][a] = p[2][b] * p[3][c] - p[2][c] * p[3][b];
            g[2][a] = p[3][b] * p[1][c] - p[3][c] * p[1][b];
            g[3][a] = p[1][b] * p[2][c] - p[1][c] * p[2][b];
            g[0][a] = -g[1][a] - g[2][a] - g[3][a];
            det += p[1][a] * g[1][a];
            for (int j = 0; j < 4; j++)
                slope[a] += u[at[j]] * g[j][a];
        }
        for (int j = 0; j < 4; j++)
            for (int a = 0; a < 3; a++)
                y[at[j]] += k[i] / (6 * fabs(det)) * slope[a] * g[j][a];
    }
}
