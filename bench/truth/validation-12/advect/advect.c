// Fields carried along, for the twelfth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void advect_ref(float *out, const float *fields, const float *flow, int n)
{
    for (int i = 0; i < n * n; i++) {
        float px = (float)(i % n) - 0.7f * flow[2 * i],
              py = (float)(i / n) - 0.7f * flow[2 * i + 1];
        px = fminf(fmaxf(px, 0), (float)(n - 1));
        py = fminf(fmaxf(py, 0), (float)(n - 1));
        int x = (int)px, y = (int)py, right = x < n - 1, below = y < n - 1 ? n : 0;
        for (int k = 0; k < 4; k++) {
            const float *f = fields + k * n * n + y * n + x;
            float fx = px - (float)x, fy = py - (float)y;
            out[k * n * n + i] = (1 - fy) * ((1 - fx) * f[0] + fx * f[right]) +
                                 fy * ((1 - fx) * f[below] + fx * f[below + right]);
        }
    }
}
