// A node takes the smallest label of its own and its neighbours'. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

// Edges learn where they begin; labels are copied.
extern "C" __global__ void labels_sources(int *sources, int *next, const int *label, const int *starts, int nodes)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= nodes)
        return;
    next[v] = label[v];
    for (int e = starts[v]; e < starts[v + 1]; e++)
        sources[e] = v;
}

extern "C" __global__ void labels_edge(int *next, const int *label, const int *sources, const int *targets, int edges)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= edges)
        return;
    int v = sources[e], u = label[targets[e]];
    if (u < label[v])
        atomicMin(&next[v], u);
}

extern "C" __global__ void labels_node(int *next, const int *label, const int *starts, const int *targets, int nodes)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= nodes)
        return;
    int least = label[v];
    for (int e = starts[v]; e < starts[v + 1]; e++)
        least = min(least, label[targets[e]]);
    next[v] = least;
}

extern "C" __global__ void labels_warp(int *__restrict__ next, const int *__restrict__ label, const int *__restrict__ starts,
                                       const int *__restrict__ targets, int nodes)
{
    int v = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (v >= nodes)
        return;
    int end = starts[v + 1], least = label[v];
    for (int e = starts[v] + lane; e < end; e += 32)
        least = min(least, label[targets[e]]);
    least = __reduce_min_sync(0xffffffff, least);
    if (lane == 0)
        next[v] = least;
}
