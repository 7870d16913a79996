// How far each node is from the end of its list, by doubling; lists of 1000 nodes. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

// Nodes follow each other in a given order; the last one of a list points at itself.
extern "C" __global__ void listrank_lists(int *next, int *rank, const int *order, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int node = order[i];
    bool last = i % 1000 == 999;
    next[node] = last ? node : order[i + 1];
    rank[node] = last ? 0 : 1;
}

extern "C" __global__ void listrank_double(int *next2, int *rank2, const int *next, const int *rank, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int j = next[i];
    rank2[i] = rank[i] + rank[j];
    next2[i] = next[j];
}

extern "C" __global__ void listrank_pairs(int2 *__restrict__ pair, const int *__restrict__ order, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int node = order[i];
    pair[node] = i % 1000 == 999 ? make_int2(node, 0) : make_int2(order[i + 1], 1);
}

extern "C" __global__ void listrank_double2(int2 *__restrict__ to, const int2 *__restrict__ from, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int2 own = from[i], other = from[own.x];
    to[i] = make_int2(other.x, own.y + other.y);
}

extern "C" __global__ void listrank_ranks(int *__restrict__ rank, const int2 *__restrict__ pair, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        rank[i] = pair[i].y;
}
