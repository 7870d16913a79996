// Components of a graph by its edges: each node's label is the least node of its component. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void connect_start(int *labels, int *other, int nodes)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < nodes)
        labels[i] = other[i] = i;
}

// The new labels may be two rounds old: labels only fall.
extern "C" __global__ void connect_minimum(int *now, const int *before, const int *from, const int *to, int edges)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= edges)
        return;
    int a = from[i], b = to[i], least = min(before[a], before[b]);
    atomicMin(&now[a], least);
    atomicMin(&now[b], least);
}

// The larger label's node, too, has the smaller label from here on.
extern "C" __global__ void connect_hook(int *now, const int *__restrict__ before, const int *__restrict__ from,
                                        const int *__restrict__ to, int edges)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= edges)
        return;
    int a = from[i], b = to[i], la = before[a], lb = before[b];
    if (la == lb)
        return;
    if (la < lb) {
        atomicMin(&now[b], la);
        atomicMin(&now[lb], la);
    } else {
        atomicMin(&now[a], lb);
        atomicMin(&now[la], lb);
    }
}

extern "C" __global__ void connect_jump(int *__restrict__ labels, const int *__restrict__ parents, int nodes)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < nodes)
        labels[i] = parents[parents[parents[i]]];
}

extern "C" __global__ void connect_copy(int *__restrict__ to, const int *__restrict__ from, int nodes)
{
    int i = blockIdx.x * 1024 + threadIdx.x;
#pragma unroll
    for (int k = 0; k < 4; k++)
        if (i + 256 * k < nodes)
            to[i + 256 * k] = from[i + 256 * k];
}
