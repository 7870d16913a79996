// An independent set, for the twelfth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

static unsigned priority(unsigned node, unsigned turn)
{
    unsigned x = node * 0x9e3779b1u + turn * 0x85ebca6bu;
    x = (x ^ x >> 15) * 0x2c1b3c6du;
    x = (x ^ x >> 12) * 0x297a2d39u;
    return x ^ x >> 15;
}

void mis_ref(unsigned char *state, const int *far, int n)
{
    unsigned char *joins = calloc((size_t)n, 1);
    for (int i = 0; i < n; i++)
        state[i] = 0;
    for (unsigned turn = 0; turn < 4; turn++) {
        for (int i = 0; i < n; i++) {
            unsigned own = priority((unsigned)i, turn);
            joins[i] = state[i] == 0;
            for (int k = 0; k < 16 && joins[i]; k++) {
                int step = 97 * far[k % 8] % n, j = (i + (k < 8 ? step : n - step)) % n;
                unsigned other = priority((unsigned)j, turn);
                if (state[j] == 0 && (other > own || (other == own && j > i)))
                    joins[i] = 0;
            }
        }
        for (int i = 0; i < n; i++)
            if (joins[i]) {
                state[i] = 1;
                for (int k = 0; k < 16; k++) {
                    int step = 97 * far[k % 8] % n, j = (i + (k < 8 ? step : n - step)) % n;
                    state[j] = 2;
                }
            }
    }
    free(joins);
}
