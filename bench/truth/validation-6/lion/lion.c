// Lion's update, for the sixth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

void lion_ref(float *next, float *later, const float *weight, const float *mean,
              const unsigned short *grad, int n)
{
    for (int i = 0; i < n; i++) {
        unsigned wide = (unsigned)grad[i] << 16;
        float g;
        memcpy(&g, &wide, 4);
        float way = fmaf(0.9f, mean[i], 0.1f * g), sign = (float)((way > 0) - (way < 0));
        next[i] = weight[i] - 1e-3f * (sign + 0.1f * weight[i]);
        later[i] = 0.99f * mean[i] + 0.01f * g;
    }
}
