// Regions pooled by samples, for the eighth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

static double sample(const float *plane, double x, double y)
{
    int x0 = (int)fmin(x, 62), y0 = (int)fmin(y, 62);
    const float *p = plane + 64 * y0 + x0;
    double dx = x - x0, dy = y - y0;
    return (1 - dy) * ((1 - dx) * p[0] + dx * p[1]) + dy * ((1 - dx) * p[64] + dx * p[65]);
}

void roi_ref(float *out, const float *map, const float *boxes, int regions)
{
    for (int r = 0; r < regions; r++, boxes += 4)
        for (int c = 0; c < 32; c++)
            for (int bin = 0; bin < 49; bin++) {
                double w = (boxes[2] + 1.0) / 7, h = (boxes[3] + 1.0) / 7, sum = 0;
                for (int s = 0; s < 4; s++)
                    sum += sample(map + 4096 * c, boxes[0] + (bin % 7 + 0.25 + 0.5 * (s % 2)) * w,
                                  boxes[1] + (bin / 7 + 0.25 + 0.5 * (s / 2)) * h);
                *out++ = (float)(sum / 4);
            }
}
