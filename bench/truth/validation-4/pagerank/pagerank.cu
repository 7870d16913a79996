// A step of page ranks: a node gets what the nodes with edges to it give, shared by how many edges these have. Nothing is tuned
// on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
#define DAMPING 0.85f

extern "C" __global__ void pagerank_begin(float *next, int nodes)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < nodes)
        next[v] = (1.0f - DAMPING) / nodes;
}

// A thread an edge, which finds its node by bisection.
extern "C" __global__ void pagerank_edge(float *next, const float *rank, const int *degree, const int *starts, const int *sources, int nodes,
                                         int edges)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= edges)
        return;
    int low = 0, high = nodes;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (starts[middle] <= e)
            low = middle;
        else
            high = middle;
    }
    int u = sources[e];
    atomicAdd(&next[low], DAMPING * rank[u] / degree[u]);
}

extern "C" __global__ void pagerank_node(float *next, const float *rank, const int *degree, const int *starts, const int *sources, int nodes)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= nodes)
        return;
    float sum = 0.0f;
    for (int e = starts[v]; e < starts[v + 1]; e++) {
        int u = sources[e];
        sum += rank[u] / degree[u];
    }
    next[v] = (1.0f - DAMPING) / nodes + DAMPING * sum;
}

extern "C" __global__ void pagerank_share(float *share, const float *rank, const int *degree, int nodes)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < nodes)
        share[v] = rank[v] / degree[v];
}

extern "C" __global__ void pagerank_warp(float *next, const float *__restrict__ share, const int *__restrict__ starts,
                                         const int *__restrict__ sources, int nodes)
{
    int v = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
    if (v >= nodes)
        return;
    int end = starts[v + 1];
    float sum = 0.0f;
    for (int e = starts[v] + lane; e < end; e += 32)
        sum += share[sources[e]];
    for (int d = 16; d; d >>= 1)
        sum += __shfl_down_sync(0xffffffffu, sum, d);
    if (lane == 0)
        next[v] = (1.0f - DAMPING) / nodes + DAMPING * sum;
}
