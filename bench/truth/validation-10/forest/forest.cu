// The mean of 64 trees of depth 8 over rows of 24 numbers. Inner nodes lie in the order of a heap. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
// Node 0 of a tree is none, node 1 its root.
extern "C" __global__ void forest_global(float *out, const float *x, const unsigned char *feature, const float *limit, const float *leaf, int n, int features,
                                         int trees, int depth)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, nodes = 1 << depth;
    if (i >= n)
        return;
    float sum = 0.0f;
    for (int t = 0; t < trees; t++) {
        int node = 1;
        while (node < nodes)
            node = 2 * node + (x[i * features + feature[t * nodes + node]] > limit[t * nodes + node]);
        sum += leaf[t * nodes + node - nodes];
    }
    out[i] = sum / trees;
}

// The nodes of one tree at a time, and the rows of the block with their features apart.
extern "C" __global__ void __launch_bounds__(256) forest_shared(float *__restrict__ out, const float *__restrict__ x, const unsigned char *__restrict__ feature,
                                                                const float *__restrict__ limit, const float *__restrict__ leaf, int n)
{
    __shared__ float rows[24][256];
    __shared__ float2 nodes[256];
    __shared__ float leaves[256];
    int t = threadIdx.x, first = blockIdx.x * 256, few = min(256, n - first);
    for (int i = t; i < 24 * few; i += 256)
        rows[i % 24][i / 24] = x[first * 24 + i];
    float sum = 0.0f;
    for (int tree = 0; tree < 64; tree++) {
        __syncthreads();
        nodes[t] = make_float2(limit[tree * 256 + t], __int_as_float(feature[tree * 256 + t]));
        leaves[t] = leaf[tree * 256 + t];
        __syncthreads();
        if (t < few) {
            int node = 1;
#pragma unroll
            for (int level = 0; level < 8; level++) {
                float2 own = nodes[node];
                node = 2 * node + (rows[__float_as_int(own.y)][t] > own.x);
            }
            sum += leaves[node - 256];
        }
    }
    if (t < few)
        out[first + t] = sum * (1.0f / 64);
}

// A warp a row: all comparisons of a tree as 256 bits, and a walk through these.
extern "C" __global__ void __launch_bounds__(256) forest_bits(float *__restrict__ out, const float *__restrict__ x, const unsigned char *__restrict__ feature,
                                                              const float *__restrict__ limit, const float *__restrict__ leaf, int n)
{
    __shared__ float rows[8][24];
    __shared__ unsigned bits[8][32][9];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, row = blockIdx.x * 8 + warp;
    if (row >= n)
        return;
    if (lane < 24)
        rows[warp][lane] = x[row * 24 + lane];
    __syncwarp();
    float sum = 0.0f;
    for (int half = 0; half < 64; half += 32) {
        for (int tree = 0; tree < 32; tree++) {
            int from = (half + tree) * 256 + lane;
            unsigned own = 0;
#pragma unroll
            for (int k = 0; k < 8; k++) {
                unsigned word = __ballot_sync(0xffffffff, rows[warp][feature[from + 32 * k]] > limit[from + 32 * k]);
                own = lane == k ? word : own;
            }
            if (lane < 8)
                bits[warp][tree][lane] = own;
        }
        __syncwarp();
        int node = 1;
#pragma unroll
        for (int level = 0; level < 8; level++)
            node = 2 * node + (bits[warp][lane][node / 32] >> (node % 32) & 1);
        sum += leaf[(half + lane) * 256 + node - 256];
        __syncwarp();
    }
#pragma unroll
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (lane == 0)
        out[row] = sum / 64;
}
