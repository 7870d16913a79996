// Toppling sand, for the fourteenth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

void sandpile_ref(int *out, const int *in, int n)
{
    int *from = malloc(sizeof(int) * (unsigned)(n * n));
    if (!from)
        abort();
    for (int i = 0; i < n * n; i++)
        out[i] = in[i];
    for (int step = 0; step < 8; step++) {
        for (int i = 0; i < n * n; i++)
            from[i] = out[i];
        for (int i = 0; i < n * n; i++)
            out[i] = from[i] % 4 + (i % n > 0 ? from[i - 1] / 4 : 0) +
                     (i % n < n - 1 ? from[i + 1] / 4 : 0) + (i >= n ? from[i - n] / 4 : 0) +
                     (i < n * n - n ? from[i + n] / 4 : 0);
    }
    free(from);
}
