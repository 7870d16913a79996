// Random reactions of three species, for the ninth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

static unsigned next(unsigned *s)
{
    *s = *s * 747796405u + 2891336453u;
    unsigned w = ((*s >> ((*s >> 28) + 4)) ^ *s) * 277803737u;
    return w >> 22 ^ w;
}

void gillespie_ref(int *molecules, float *time, int n)
{
    static const int change[4][3] = {{-1, 1, 0}, {0, -1, 1}, {1, 0, -1}, {-1, -1, 2}};
    for (int i = 0; i < n; i++) {
        unsigned s = (unsigned)i * 0x9e3779b9u;
        int m[3] = {70, 40, 10};
        double t = 0;
        for (int step = 0; step < 160 && m[2] < 90; step++) {
            int rate[4] = {3 * m[0], 2 * m[1], m[2], m[0] * m[1] / 16},
                all = rate[0] + rate[1] + rate[2] + rate[3], r = 0;
            t -= log((next(&s) + 0.5) / 4294967296) / all;
            int pick = (int)((unsigned long long)next(&s) * (unsigned)all >> 32);
            while (pick >= rate[r])
                pick -= rate[r++];
            for (int k = 0; k < 3; k++)
                m[k] += change[r][k];
        }
        molecules[i] = m[0] << 16 | m[1] << 8 | m[2];
        time[i] = (float)t;
    }
}
