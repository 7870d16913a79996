// How many neighbours the two ends of each edge have in common; neighbours are in rising order. Nothing is tuned on these
// kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

// The node that each edge begins at.
extern "C" __global__ void edge_rows(int *rows, const int *starts, int nodes)
{
    int u = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (u < nodes)
        for (int e = starts[u] + threadIdx.x % 32; e < starts[u + 1]; e += 32)
            rows[e] = u;
}

extern "C" __global__ void triangles_merge(int *out, const int *rows, const int *starts, const int *columns, int edges)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= edges)
        return;
    int u = rows[e], v = columns[e], count = 0;
    int i = starts[u], i_end = starts[u + 1], j = starts[v], j_end = starts[v + 1];
    while (i < i_end && j < j_end) {
        int a = columns[i], b = columns[j];
        if (a == b) {
            count++;
            i++;
            j++;
        } else if (a < b) {
            i++;
        } else {
            j++;
        }
    }
    out[e] = count;
}

__device__ bool found(const int *list, int low, int high, int key)
{
    while (low < high) {
        int middle = (low + high) / 2, v = list[middle];
        if (v == key)
            return true;
        if (v < key)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

// The neighbours of the shorter list are sought in the longer one.
extern "C" __global__ void triangles_search(int *out, const int *rows, const int *starts, const int *columns, int edges)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= edges)
        return;
    int u = rows[e], v = columns[e], count = 0;
    if (starts[u + 1] - starts[u] > starts[v + 1] - starts[v]) {
        int swap = u;
        u = v;
        v = swap;
    }
    int low = starts[v], high = starts[v + 1];
    for (int i = starts[u]; i < starts[u + 1]; i++)
        count += found(columns, low, high, columns[i]);
    out[e] = count;
}

// A lane seeks a neighbour.
extern "C" __global__ void triangles_warp(int *out, const int *__restrict__ rows, const int *__restrict__ starts,
                                          const int *__restrict__ columns, int edges)
{
    int e = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (e >= edges)
        return;
    int u = rows[e], v = columns[e], count = 0;
    int end = starts[u + 1], low = starts[v], high = starts[v + 1];
    for (int i = starts[u] + lane; i < end; i += 32)
        if (found(columns, low, high, columns[i]))
            count++;
    count = __reduce_add_sync(0xffffffff, count);
    if (lane == 0)
        out[e] = count;
}
