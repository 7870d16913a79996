// A node that is undecided (0) joins the set (1) where its priority is above its undecided neighbours', which then are out (2). Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void mis_edges(int *edges, const int *far, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 16 * n)
        return;
    int node = i / 16, step = 97 * far[i % 8] % n;
    edges[i] = i % 16 < 8 ? (node + step) % n : (node - step + n) % n;
}

__device__ unsigned priority(unsigned node, unsigned turn)
{
    unsigned x = node * 0x9e3779b1u + turn * 0x85ebca6bu;
    x = (x ^ x >> 15) * 0x2c1b3c6du;
    x = (x ^ x >> 12) * 0x297a2d39u;
    return x ^ x >> 15;
}

extern "C" __global__ void mis_select(unsigned char *marks, const unsigned char *state, const int *edges, int n, int turn)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || state[i] != 0)
        return;
    unsigned own = priority(i, turn);
    for (int k = 0; k < 16; k++) {
        int j = edges[16 * i + k];
        if (state[j] == 0) {
            unsigned other = priority(j, turn);
            if (other > own || (other == own && j > i))
                return;
        }
    }
    marks[i] = 1;
}

extern "C" __global__ void mis_remove(unsigned char *state, const unsigned char *marks, const int *edges, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || state[i] != 0)
        return;
    if (marks[i]) {
        state[i] = 1;
        return;
    }
    for (int k = 0; k < 16; k++)
        if (marks[edges[16 * i + k]]) {
            state[i] = 2;
            return;
        }
}

// Eight lanes a node, two neighbours each.
extern "C" __global__ void __launch_bounds__(128) mis_select8(unsigned char *__restrict__ marks, const unsigned char *__restrict__ state,
                                                              const int2 *__restrict__ edges, int n, int turn)
{
    int t = blockIdx.x * 128 + threadIdx.x, i = t / 8, lane = threadIdx.x % 32;
    bool open = i < n && state[i] == 0, below = false;
    if (open) {
        int2 j = edges[t];
        unsigned own = priority(i, turn), u = priority(j.x, turn), v = priority(j.y, turn);
        below = (state[j.x] == 0 && (u > own || (u == own && j.x > i))) || (state[j.y] == 0 && (v > own || (v == own && j.y > i)));
    }
    unsigned any = __ballot_sync(0xffffffff, below);
    if (open && t % 8 == 0 && (any >> (lane & 24) & 255) == 0)
        marks[i] = 1;
}

extern "C" __global__ void __launch_bounds__(128) mis_remove8(unsigned char *__restrict__ state, const unsigned char *__restrict__ marks,
                                                              const int2 *__restrict__ edges, int n)
{
    int t = blockIdx.x * 128 + threadIdx.x, i = t / 8, lane = threadIdx.x % 32;
    bool open = i < n && state[i] == 0, marked = false, out = false;
    if (open) {
        marked = marks[i];
        if (!marked) {
            int2 j = edges[t];
            out = marks[j.x] | marks[j.y];
        }
    }
    unsigned any = __ballot_sync(0xffffffff, out);
    __syncwarp();
    if (open && t % 8 == 0) {
        if (marked)
            state[i] = 1;
        else if (any >> (lane & 24) & 255)
            state[i] = 2;
    }
}
