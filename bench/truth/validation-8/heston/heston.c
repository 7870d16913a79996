// Paths of a Heston model, for the eighth validation list.
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

void heston_ref(float *price, int paths)
{
    for (int i = 0; i < paths; i++) {
        uint32_t s = seed((uint32_t)i);
        double x = log(100), v = 0.04, dt = 1.0 / 32;
        for (int t = 0; t < 32; t++) {
            double r = sqrt(-2 * log(uniform(&s))), angle = 2 * M_PI * uniform(&s);
            double a = r * cos(angle), b = -0.7 * a + sqrt(0.51) * r * sin(angle);
            double plus = fmax(v, 0), root = sqrt(plus * dt);
            x += (0.03 - 0.5 * plus) * dt + root * b;
            v += 2 * (0.04 - plus) * dt + 0.3 * root * a;
        }
        price[i] = (float)exp(x);
    }
}
