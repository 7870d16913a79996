// Sums of four groups of rows, for the eleventh validation list.
// SPDX-License-Identifier: Apache-2.0
#include <string.h>

void q1_ref(unsigned long long *out, const int *quantity, const int *price,
            const unsigned char *discount, const unsigned char *tax, const unsigned char *flag,
            const int *day, int n)
{
    memset(out, 0, 24 * sizeof *out);
    for (int i = 0; i < n; i++) {
        if (day[i] > 2400)
            continue;
        unsigned long long *to = out + 6 * flag[i];
        unsigned long long less = (unsigned long long)price[i] * (100u - discount[i]);
        to[0] += (unsigned)quantity[i];
        to[1] += (unsigned)price[i];
        to[2] += less;
        to[3] += less * (100u + tax[i]);
        to[4] += discount[i];
        to[5]++;
    }
}
