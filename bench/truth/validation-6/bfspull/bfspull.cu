// A step of a breadth-first search from below: nodes not yet seen look for one in the front; sets are maps of bits. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

extern "C" __global__ void bfspull_maps(unsigned *seen, unsigned *front, const int *depth, int step, int nodes)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x, d = v < nodes ? depth[v] : step + 1;
    unsigned s = __ballot_sync(0xffffffff, d <= step), f = __ballot_sync(0xffffffff, d == step);
    if (v < nodes && v % 32 == 0) {
        seen[v / 32] = s;
        front[v / 32] = f;
    }
}

extern "C" __global__ void bfspull_thread(unsigned *next, const unsigned *seen, const unsigned *front, const int *starts,
                                          const int *sources, int nodes)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= nodes || (seen[v / 32] >> v % 32 & 1))
        return;
    for (int e = starts[v]; e < starts[v + 1]; e++) {
        int u = sources[e];
        if (front[u / 32] >> u % 32 & 1) {
            atomicOr(&next[v / 32], 1u << v % 32);
            break;
        }
    }
}

extern "C" __global__ void bfspull_warp(unsigned *__restrict__ next, const unsigned *__restrict__ seen,
                                        const unsigned *__restrict__ front, const int *__restrict__ starts,
                                        const int *__restrict__ sources, int nodes)
{
    int v = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (v >= nodes || (seen[v / 32] >> v % 32 & 1))
        return;
    int end = starts[v + 1];
    for (int first = starts[v]; first < end; first += 32) {
        bool found = false;
        if (first + lane < end) {
            int u = sources[first + lane];
            found = front[u / 32] >> u % 32 & 1;
        }
        if (__any_sync(0xffffffff, found)) {
            if (lane == 0)
                atomicOr(&next[v / 32], 1u << v % 32);
            return;
        }
    }
}
