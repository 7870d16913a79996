// The two best experts of each token, for the fifth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void moe_ref(int *which, float *weight, int *loads, const float *logits, int tokens)
{
    for (int e = 0; e < 8; e++)
        loads[e] = 0;
    for (long t = 0; t < tokens; t++) {
        const float *v = logits + 8 * t;
        int first = 0, second = -1;
        for (int e = 1; e < 8; e++)
            if (v[e] > v[first])
                first = e;
        for (int e = 0; e < 8; e++)
            if (e != first && (second < 0 || v[e] > v[second]))
                second = e;
        double less = exp((double)v[second] - v[first]);
        which[2 * t] = first;
        which[2 * t + 1] = second;
        weight[2 * t] = (float)(1 / (1 + less));
        weight[2 * t + 1] = (float)(less / (1 + less));
        loads[first]++;
        loads[second]++;
    }
}
