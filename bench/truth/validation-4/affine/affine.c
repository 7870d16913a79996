// An image of RGBA bytes under an affine map, for the fourth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void affine_ref(unsigned char *out, const unsigned char *in, int width, int height)
{
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            float u = 0.96f * (float)x - 0.11f * (float)y + 10.3f;
            float v = 0.07f * (float)x + 0.93f * (float)y - 4.6f;
            int left = (int)floorf(u), top = (int)floorf(v);
            float fx = u - (float)left, fy = v - (float)top;
            for (int c = 0; c < 4; c++) {
                float sum = 0;
                for (int j = 0; j < 2; j++)
                    for (int i = 0; i < 2; i++) {
                        int px = left + i, py = top + j;
                        if (px >= 0 && px < width && py >= 0 && py < height)
                            sum += (i ? fx : 1 - fx) * (j ? fy : 1 - fy) *
                                   (float)in[4 * (py * width + px) + c];
                    }
                out[4 * (y * width + x) + c] = (unsigned char)(sum + 0.5f);
            }
        }
}
