// Asian options by Monte Carlo, for the second validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

static unsigned mixed(unsigned v)
{
    v ^= v >> 16;
    v *= 0x21f0aaadu;
    v ^= v >> 15;
    v *= 0x735a2d97u;
    return v ^ v >> 15;
}

void paths_ref(float *value, const float *price, const float *strike, const float *sigma,
               int options)
{
    enum { PATHS = 64, STEPS = 8 };
    const float pi = 3.14159265f;
    for (int o = 0; o < options; o++) {
        float all = 0;
        for (int p = 0; p < PATHS; p++) {
            float at = logf(price[o]), sum = 0, drift = -0.5f * sigma[o] * sigma[o] / STEPS,
                  spread = sigma[o] * 0.35355339f;
            for (int step = 0; step < STEPS; step += 2) {
                unsigned h = mixed((unsigned)((o * PATHS + p) * STEPS + step)),
                         g = mixed(h + 0x9e3779b9u);
                float radius = sqrtf(-2 * logf((float)(h >> 8) * 0x1p-24f + 0x1p-25f)),
                      angle = pi * (float)(g >> 8) * 0x1p-23f;
                at += drift + spread * radius * cosf(angle);
                sum += expf(at);
                at += drift + spread * radius * sinf(angle);
                sum += expf(at);
            }
            all += fmaxf(sum / STEPS - strike[o], 0);
        }
        value[o] = all / PATHS;
    }
}
