// An image moved by a flow, for the sixth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

static double at(const float *plane, int x, int y, int n)
{
    return x >= 0 && y >= 0 && x < n && y < n ? plane[y * n + x] : 0;
}

void gridsample_ref(float *out, const float *in, const float *flow, int n)
{
    for (int c = 0; c < 16; c++, in += n * n)
        for (int y = 0; y < n; y++)
            for (int x = 0; x < n; x++) {
                double px = (double)x + flow[y * n + x], py = (double)y + flow[n * n + y * n + x];
                int ix = (int)floor(px), iy = (int)floor(py);
                double dx = px - ix, dy = py - iy;
                double top = (1 - dx) * at(in, ix, iy, n) + dx * at(in, ix + 1, iy, n);
                double low = (1 - dx) * at(in, ix, iy + 1, n) + dx * at(in, ix + 1, iy + 1, n);
                out[c * n * n + y * n + x] = (float)((1 - dy) * top + dy * low);
            }
}
