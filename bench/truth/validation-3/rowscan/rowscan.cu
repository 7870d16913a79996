// Exclusive scan of each row, a block per row. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

// Hillis and Steele: every thread adds at each step, between two buffers.
extern "C" __global__ void rowscan_hillis(float *out, const float *in, int n)
{
    extern __shared__ float temp[];
    int t = threadIdx.x, to = 0, from = 1;
    in += (size_t)blockIdx.x * n;
    out += (size_t)blockIdx.x * n;
    temp[t] = t > 0 ? in[t - 1] : 0.0f;
    __syncthreads();
    for (int d = 1; d < n; d *= 2) {
        to = 1 - to;
        from = 1 - to;
        if (t >= d)
            temp[to * n + t] = temp[from * n + t] + temp[from * n + t - d];
        else
            temp[to * n + t] = temp[from * n + t];
        __syncthreads();
    }
    out[t] = temp[to * n + t];
}

// Blelloch: sums up a tree and down again, two numbers a thread.
extern "C" __global__ void rowscan_blelloch(float *out, const float *in, int n)
{
    extern __shared__ float tree[];
    int t = threadIdx.x, offset = 1;
    size_t base = (size_t)blockIdx.x * n;
    tree[2 * t] = in[base + 2 * t];
    tree[2 * t + 1] = in[base + 2 * t + 1];
    for (int d = n >> 1; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d) {
            int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1;
            tree[b] += tree[a];
        }
        offset *= 2;
    }
    if (t == 0)
        tree[n - 1] = 0.0f;
    for (int d = 1; d < n; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (t < d) {
            int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1;
            float v = tree[a];
            tree[a] = tree[b];
            tree[b] += v;
        }
    }
    __syncthreads();
    out[base + 2 * t] = tree[2 * t];
    out[base + 2 * t + 1] = tree[2 * t + 1];
}

// Four numbers a thread, scans of warps by shuffles, the warps' sums by the first warp.
extern "C" __global__ void rowscan_shuffle(float4 *out, const float4 *in, int quads)
{
    __shared__ float sums[32];
    int t = threadIdx.x, lane = t & 31, warp = t >> 5;
    float4 v = t < quads ? in[(size_t)blockIdx.x * quads + t] : make_float4(0, 0, 0, 0);
    float own = v.x + v.y + v.z + v.w, sum = own;
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
        float left = __shfl_up_sync(0xffffffff, sum, d);
        if (lane >= d)
            sum += left;
    }
    if (lane == 31)
        sums[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        float s = lane < blockDim.x / 32 ? sums[lane] : 0.0f;
#pragma unroll
        for (int d = 1; d < 32; d <<= 1) {
            float left = __shfl_up_sync(0xffffffff, s, d);
            if (lane >= d)
                s += left;
        }
        sums[lane] = s;
    }
    __syncthreads();
    float before = sum - own + (warp > 0 ? sums[warp - 1] : 0.0f);
    if (t < quads)
        out[(size_t)blockIdx.x * quads + t] = make_float4(before, before + v.x, before + v.x + v.y, before + v.x + v.y + v.z);
}
