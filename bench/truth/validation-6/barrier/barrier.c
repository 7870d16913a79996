// An option that ends above a barrier, for the sixth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdint.h>

static uint32_t seed(uint32_t i)
{
    uint32_t h = i * 0x9e3779b9 + 0x7f4a7c15;
    h = (h ^ h >> 16) * 0x85ebca6b;
    h = (h ^ h >> 13) * 0xc2b2ae35;
    return (h ^ h >> 16) | 1;
}

static double uniform(uint32_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 17;
    *s ^= *s << 5;
    return ((*s >> 8) + 0.5) / 16777216;
}

static double path(int i)
{
    uint32_t s = seed((uint32_t)i / 2);
    double x = 0, sign = i % 2 ? -1 : 1;
    for (int t = 0; t < 32; t++) {
        double u = uniform(&s), angle = 6.283185307179586 * uniform(&s);
        double r = sign * sqrt(-2 * log(u));
        x += 0.0003 + 0.025 * r * cos(angle);
        if (x >= 0.3)
            return 0;
        x += 0.0003 + 0.025 * r * sin(angle);
        if (x >= 0.3)
            return 0;
    }
    return fmax(100 * exp(x) - 100, 0);
}

void barrier_ref(float *price, int paths)
{
    double sum = 0;
    for (int i = 0; i < paths; i++)
        sum += path(i);
    *price = (float)(sum / paths);
}
