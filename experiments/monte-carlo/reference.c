// The same paths in double.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdint.h>

static void random_four(uint32_t counter, uint32_t seed, uint32_t x[4])
{
    uint32_t c[4] = {counter, 0, 0, 0}, key[2] = {seed, 0x5eedu};
    for (int round = 0; round < 10; round++) {
        uint64_t even = (uint64_t)0xd2511f53u * c[0], odd = (uint64_t)0xcd9e8d57u * c[2];
        uint32_t next[4] = {(uint32_t)(odd >> 32) ^ c[1] ^ key[0], (uint32_t)odd,
                            (uint32_t)(even >> 32) ^ c[3] ^ key[1], (uint32_t)even};
        for (int i = 0; i < 4; i++)
            c[i] = next[i];
        key[0] += 0x9e3779b9u;
        key[1] += 0xbb67ae85u;
    }
    for (int i = 0; i < 4; i++)
        x[i] = c[i];
}

static double uniform(uint32_t x)
{
    return ((double)(x >> 9) + 0.5) * 0x1p-23;
}

void price_ref(double *price, int n, int seed)
{
    const double pi = 3.14159265358979323846;
    double sum = 0;
    for (int i = 0; i < n; i++) {
        uint32_t x[4];
        random_four((uint32_t)i / 4, (uint32_t)seed, x);
        const uint32_t *two = x + i % 4 / 2 * 2;
        double size = sqrt(-2 * log(uniform(two[0]))), angle = 2 * pi * uniform(two[1]);
        double z = size * (i % 2 ? sin(angle) : cos(angle));
        sum += fmax(100 * exp((double)0.015f + (double)0.2f * z) - 105, 0);
    }
    *price = sum / n * (double)0.96560544f;
}
