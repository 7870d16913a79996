// Edges by Sobel's filters, for the third validation list.
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

void sobel_ref(unsigned char *out, const unsigned char *in, int width, int height)
{
    static const int weight[3] = {1, 2, 1};
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            int gx = 0, gy = 0;
            out[y * width + x] = 0;
            if (x == 0 || y == 0 || x == width - 1 || y == height - 1)
                continue;
            for (int k = 0; k < 3; k++) {
                gx +=
                    weight[k] * (in[(y + k - 1) * width + x + 1] - in[(y + k - 1) * width + x - 1]);
                gy +=
                    weight[k] * (in[(y + 1) * width + x + k - 1] - in[(y - 1) * width + x + k - 1]);
            }
            int sum = abs(gx) + abs(gy);
            out[y * width + x] = (unsigned char)(sum > 255 ? 255 : sum);
        }
}
