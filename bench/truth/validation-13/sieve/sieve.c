// Primes, for the thirteenth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

void sieve_ref(int *counts, int n)
{
    unsigned char *marks = calloc((size_t)n, 1);
    for (int i = 0; i < n / 16384; i++)
        counts[i] = 0;
    for (int i = 2; i < n; i++) {
        if (marks[i])
            continue;
        counts[i / 16384]++;
        for (long long k = (long long)i * i; k < n; k += i)
            marks[k] = 1;
    }
    free(marks);
}
