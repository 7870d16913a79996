// A step of connected components, for the fifth validation list.
// SPDX-License-Identifier: Apache-2.0
void labels_ref(int *next, const int *label, const int *starts, const int *targets, int nodes)
{
    for (int v = 0; v < nodes; v++) {
        int least = label[v];
        for (int e = starts[v]; e < starts[v + 1]; e++)
            if (label[targets[e]] < least)
                least = label[targets[e]];
        next[v] = least;
    }
}
