// Rounds of a graph's colouring, for the ninth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

static unsigned priority(unsigned i)
{
    i = (i ^ i >> 16) * 0x7feb352d;
    i = (i ^ i >> 15) * 0x846ca68b;
    return i ^ i >> 16;
}

void colour_ref(int *colour, const int *starts, const int *to, int nodes)
{
    int *old = malloc((size_t)nodes * sizeof *old);
    for (int i = 0; i < nodes; i++)
        colour[i] = -1;
    for (int round = 0; round < 6; round++) {
        memcpy(old, colour, (size_t)nodes * sizeof *old);
        for (int i = 0; i < nodes; i++) {
            int largest = old[i] < 0;
            for (int k = starts[i]; k < starts[i + 1] && largest; k++)
                largest = old[to[k]] >= 0 || priority((unsigned)to[k]) <= priority((unsigned)i);
            if (largest)
                colour[i] = round;
        }
    }
    free(old);
}
