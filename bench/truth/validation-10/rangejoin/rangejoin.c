// Points joined with intervals, for the tenth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <string.h>

void rangejoin_ref(unsigned *counts, unsigned *sums, const unsigned *bounds, const unsigned *x,
                   const unsigned *value, int intervals, int n)
{
    memset(counts, 0, (size_t)intervals * sizeof *counts);
    memset(sums, 0, (size_t)intervals * sizeof *sums);
    for (int i = 0; i < n; i++) {
        int low = 0, high = 2 * intervals;
        while (low < high) {
            int middle = (low + high) / 2;
            if (bounds[middle] <= x[i])
                low = middle + 1;
            else
                high = middle;
        }
        if (low % 2 == 1) {
            counts[low / 2]++;
            sums[low / 2] += value[i];
        }
    }
}
