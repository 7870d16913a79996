// A step of Bellman and Ford's shortest paths: every edge may shorten the way to where it leads. What is not reached yet is
// negative, which as an unsigned number is far. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

extern "C" __global__ void relax_copy(int *next, const int *distance, int nodes)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < nodes)
        next[i] = distance[i];
}

// A thread per edge, which looks for its node between the starts of the rows.
extern "C" __global__ void relax_edge(unsigned *next, const int *distance, const int *starts, const int *edges, const int *weights, int nodes, int count)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= count)
        return;
    int low = 0, high = nodes;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (starts[middle] <= e)
            low = middle;
        else
            high = middle;
    }
    int mine = distance[low];
    if (mine >= 0)
        atomicMin(&next[edges[e]], (unsigned)(mine + weights[e]));
}

// A warp per node: its lanes take its edges, and ask before they write.
extern "C" __global__ void relax_warp(unsigned *next, const int *distance, const int *starts, const int *edges, const int *weights, int nodes)
{
    int node = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (node >= nodes)
        return;
    int mine = distance[node];
    if (mine < 0)
        return;
    for (int e = starts[node] + lane, end = starts[node + 1]; e < end; e += 32) {
        int to = edges[e];
        unsigned way = mine + weights[e];
        if (way < (unsigned)distance[to])
            atomicMin(&next[to], way);
    }
}
