// In double. A bf16 is the upper half of a float.
// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static double from_bf16(uint16_t h)
{
    uint32_t u = (uint32_t)h << 16;
    float x;
    memcpy(&x, &u, sizeof x);
    return (double)x;
}

// To nearest, ties to even; not for NaN.
static uint16_t to_bf16(double d)
{
    float x = (float)d;
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    return (uint16_t)((u + 0x7fff + (u >> 16 & 1)) >> 16);
}

void depthwise_ref(uint16_t *y, const uint16_t *x, const float *w, int length, int channels,
                   int first, int end)
{
    for (int l = first; l < end; l++)
        for (int c = 0; c < channels; c++) {
            double sum = 0;
            for (int k = l < 3 ? 3 - l : 0; k < 4; k++)
                sum += (double)w[c * 4 + k] *
                       from_bf16(x[(size_t)(l - 3 + k) * (size_t)channels + (size_t)c]);
            y[(size_t)l * (size_t)channels + (size_t)c] = to_bf16(sum);
        }
}
