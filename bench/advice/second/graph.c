// References of graph.cu.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

void kmeans_ref(int *nearest, const float *points, const float *centres, int n)
{
    for (int i = 0; i < n; i++) {
        double least = INFINITY;
        for (int c = 0; c < 64; c++) {
            double far = 0;
            for (int k = 0; k < 4; k++)
                far += pow((double)points[4 * i + k] - centres[4 * c + k], 2);
            nearest[i] = far < least ? c : nearest[i];
            least = fmin(least, far);
        }
    }
}

void centres_ref(float *sums, const float *points, const int *nearest, int n)
{
    double exact[64 * 5] = {0};
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 5; k++)
            exact[5 * nearest[i] + k] += k < 4 ? points[4 * i + k] : 1;
    for (int k = 0; k < 64 * 5; k++)
        sums[k] = (float)exact[k];
}

void expand_ref(int *level, const int *starts, const int *edges, int n)
{
    for (int v = 0; v < n; v++)
        for (int e = starts[v]; level[v] == 1 && e < starts[v + 1]; e++)
            if (level[edges[e]] == 3)
                level[edges[e]] = 2;
}

void raybox_ref(int *met, const float *rays, const float *boxes, int n)
{
    for (int i = 0; i < n; i++) {
        met[i] = 0;
        for (int b = 0; b < 64; b++) {
            double in = 0, out = INFINITY;
            for (int k = 0; k < 3; k++) {
                double o = rays[k * n + i], d = rays[(3 + k) * n + i];
                double near = (boxes[6 * b + k] - o) / d, far = (boxes[6 * b + 3 + k] - o) / d;
                in = fmax(in, fmin(near, far));
                out = fmin(out, fmax(near, far));
            }
            met[i] += out >= in;
        }
    }
}
