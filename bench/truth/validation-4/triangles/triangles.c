// Common neighbours of each edge, for the fourth validation list.
// SPDX-License-Identifier: Apache-2.0
void triangles_ref(int *out, const int *starts, const int *columns, int nodes)
{
    for (int u = 0; u < nodes; u++)
        for (int e = starts[u]; e < starts[u + 1]; e++) {
            int v = columns[e], count = 0, j = starts[v];
            for (int i = starts[u]; i < starts[u + 1]; i++) {
                while (j < starts[v + 1] && columns[j] < columns[i])
                    j++;
                if (j < starts[v + 1] && columns[j] == columns[i])
                    count++;
            }
            out[e] = count;
        }
}
