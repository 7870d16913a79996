// Components of a graph, for the eighth validation list.
// SPDX-License-Identifier: Apache-2.0
static int root(int *labels, int i)
{
    while (labels[i] != i)
        i = labels[i] = labels[labels[i]];
    return i;
}

void connect_ref(int *labels, const int *from, const int *to, int nodes)
{
    for (int i = 0; i < nodes; i++)
        labels[i] = i;
    for (int i = 0; i < 4 * nodes; i++) {
        int a = root(labels, from[i]), b = root(labels, to[i]);
        labels[a > b ? a : b] = a > b ? b : a;
    }
    for (int i = 0; i < nodes; i++)
        labels[i] = root(labels, i);
}
