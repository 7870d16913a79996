// A step of breadth-first search: a bit for each node that has no level yet and that a node of this level points to. Nothing
// is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

extern "C" __global__ void step_clear(unsigned *next, int *taken, int words)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < words)
        next[i] = 0;
    if (i == 0)
        *taken = 0;
}

__device__ void visit(unsigned *next, const int *level, int node)
{
    if (level[node] < 0)
        atomicOr(&next[node / 32], 1u << node % 32);
}

// A thread per node walks over its edges.
extern "C" __global__ void step_thread(unsigned *next, const int *level, const int *starts, const int *edges, int now, int nodes)
{
    int node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node >= nodes || level[node] != now)
        return;
    for (int i = starts[node]; i < starts[node + 1]; i++)
        visit(next, level, edges[i]);
}

// A warp per node.
extern "C" __global__ void step_warp(unsigned *next, const int *level, const int *starts, const int *edges, int now, int nodes)
{
    int node = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (node >= nodes || level[node] != now)
        return;
    for (int i = starts[node] + threadIdx.x % 32; i < starts[node + 1]; i += 32)
        visit(next, level, edges[i]);
}

// The nodes of this level first in a queue, then eight lanes for each of them.
extern "C" __global__ void step_queue(int *queue, int *taken, const int *level, int now, int nodes)
{
    int node = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, at = 0;
    bool mine = node < nodes && level[node] == now;
    unsigned mask = __ballot_sync(~0u, mine);
    if (lane == 0 && mask != 0)
        at = atomicAdd(taken, __popc(mask));
    at = __shfl_sync(~0u, at, 0);
    if (mine)
        queue[at + __popc(mask & ((1u << lane) - 1))] = node;
}

extern "C" __global__ void step_eight(unsigned *next, const int *queue, const int *taken, const int *level, const int *starts, const int *edges)
{
    int all = *taken;
    for (int q = (blockIdx.x * blockDim.x + threadIdx.x) / 8; q < all; q += gridDim.x * blockDim.x / 8) {
        int node = queue[q];
        for (int i = starts[node] + threadIdx.x % 8; i < starts[node + 1]; i += 8)
            visit(next, level, edges[i]);
    }
}
