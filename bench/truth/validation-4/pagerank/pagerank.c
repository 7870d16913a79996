// A step of page ranks, for the fourth validation list.
// SPDX-License-Identifier: Apache-2.0
void pagerank_ref(float *next, const float *rank, const int *degree, const int *starts,
                  const int *sources, int nodes)
{
    for (int v = 0; v < nodes; v++) {
        double sum = 0;
        for (int e = starts[v]; e < starts[v + 1]; e++)
            sum += rank[sources[e]] / degree[sources[e]];
        next[v] = (float)(0.15 / nodes + 0.85 * sum);
    }
}
