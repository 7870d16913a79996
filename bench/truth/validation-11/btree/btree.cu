// The value of the last key that is not above a query, found down a tree of 16 keys a node. Levels of 16, 256 and 4096 keys lie above the sorted ones. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void btree_inner(unsigned *inner, const unsigned *key)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 16)
        inner[i] = key[i * 4096];
    else if (i < 272)
        inner[i] = key[(i - 16) * 256];
    else if (i < 4368)
        inner[i] = key[(i - 272) * 16];
}

extern "C" __global__ void btree_thread(unsigned *out, const unsigned *inner, const unsigned *key, const unsigned *value, const unsigned *query, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int node = 0;
    for (int level = 0; level < 4; level++) {
        const unsigned *keys = level == 0 ? inner : level == 1 ? inner + 16 : level == 2 ? inner + 272 : key;
        int k = 0;
        while (k < 15 && keys[node * 16 + k + 1] <= query[i])
            k++;
        node = node * 16 + k;
    }
    out[i] = value[node];
}

// Sixteen lanes compare a node's keys at once.
extern "C" __global__ void __launch_bounds__(256) btree_lanes(unsigned *__restrict__ out, const unsigned *__restrict__ inner, const unsigned *__restrict__ key,
                                                              const unsigned *__restrict__ value, const unsigned *__restrict__ query, int n)
{
    int t = threadIdx.x, lane = t % 16, i = blockIdx.x * 16 + t / 16, shift = t & 16;
    unsigned wanted = query[min(i, n - 1)];
    int node = 0;
#pragma unroll
    for (int level = 0; level < 4; level++) {
        const unsigned *keys = level == 0 ? inner : level == 1 ? inner + 16 : level == 2 ? inner + 272 : key;
        unsigned below = __ballot_sync(0xffffffff, keys[node * 16 + lane] <= wanted) >> shift & 0xffff;
        node = node * 16 + max(__popc(below) - 1, 0);
    }
    if (lane == 0 && i < n)
        out[i] = value[node];
}
