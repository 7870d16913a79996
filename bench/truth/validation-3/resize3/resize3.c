// A bilinear resize of RGB bytes, for the third validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void resize3_ref(unsigned char *out, const unsigned char *in, int out_width, int out_height,
                 int in_width, int in_height)
{
    for (int y = 0; y < out_height; y++)
        for (int x = 0; x < out_width; x++) {
            double fx = fmin(fmax((x + 0.5) * in_width / out_width - 0.5, 0), in_width - 1),
                   fy = fmin(fmax((y + 0.5) * in_height / out_height - 0.5, 0), in_height - 1);
            int x0 = (int)fx, y0 = (int)fy, x1 = x0 + 1 < in_width ? x0 + 1 : x0,
                y1 = y0 + 1 < in_height ? y0 + 1 : y0;
            for (int c = 0; c < 3; c++) {
                double a = in[(y0 * in_width + x0) * 3 + c], b = in[(y0 * in_width + x1) * 3 + c],
                       d = in[(y1 * in_width + x0) * 3 + c], e = in[(y1 * in_width + x1) * 3 + c];
                double above = a + (b - a) * (fx - x0), below = d + (e - d) * (fx - x0);
                out[(y * out_width + x) * 3 + c] =
                    (unsigned char)(above + (below - above) * (fy - y0) + 0.5);
            }
        }
}
