// A step of shortest paths, for the third validation list.
// SPDX-License-Identifier: Apache-2.0
void relax_ref(int *next, const int *distance, const int *starts, const int *edges,
               const int *weights, int nodes)
{
    for (int i = 0; i < nodes; i++)
        next[i] = distance[i];
    for (int i = 0; i < nodes; i++)
        for (int e = starts[i]; distance[i] >= 0 && e < starts[i + 1]; e++) {
            int way = distance[i] + weights[e];
            if (next[edges[e]] < 0 || way < next[edges[e]])
                next[edges[e]] = way;
        }
}
