// Inclusive scan of a whole array: blocks by themselves, their sums by one block, then what came before is added. Nothing is
// tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

// Hillis and Steele's steps in shared memory.
extern "C" __global__ void scan_steps(int *out, int *sums, const int *in, int n)
{
    __shared__ int s[512];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int d = 1; d < blockDim.x; d *= 2) {
        int v = t >= d ? s[t - d] : 0;
        __syncthreads();
        s[t] += v;
        __syncthreads();
    }
    if (i < n)
        out[i] = s[t];
    if (t == blockDim.x - 1)
        sums[blockIdx.x] = s[t];
}

__device__ int warp_scan(int v)
{
    int lane = threadIdx.x & 31;
    for (int d = 1; d < 32; d *= 2) {
        int before = __shfl_up_sync(0xffffffff, v, d);
        if (lane >= d)
            v += before;
    }
    return v;
}

__device__ int block_scan(int v, int *s)
{
    int warp = threadIdx.x / 32, lane = threadIdx.x & 31, warps = blockDim.x / 32;
    v = warp_scan(v);
    if (lane == 31)
        s[warp] = v;
    __syncthreads();
    if (warp == 0) {
        int w = warp_scan(lane < warps ? s[lane] : 0);
        if (lane < warps)
            s[lane] = w;
    }
    __syncthreads();
    return warp > 0 ? v + s[warp - 1] : v;
}

extern "C" __global__ void scan_shuffles(int *out, int *sums, const int *in, int n)
{
    __shared__ int s[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int v = block_scan(i < n ? in[i] : 0, s);
    if (i < n)
        out[i] = v;
    if (threadIdx.x == blockDim.x - 1)
        sums[blockIdx.x] = v;
}

// Sums of blocks, a part of them at a time, in place.
extern "C" __global__ void scan_sums(int *sums, int count)
{
    __shared__ int s[32], carry;
    if (threadIdx.x == 0)
        carry = 0;
    for (int base = 0; base < count; base += blockDim.x) {
        int i = base + threadIdx.x;
        int v = block_scan(i < count ? sums[i] : 0, s) + carry;
        if (i < count)
            sums[i] = v;
        __syncthreads();
        if (threadIdx.x == blockDim.x - 1)
            carry = v;
        __syncthreads();
    }
}

extern "C" __global__ void scan_add(int *out, const int *sums, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (blockIdx.x > 0 && i < n)
        out[i] += sums[blockIdx.x - 1];
}

// Four numbers a thread; n is a multiple of four.
extern "C" __global__ void scan_four(int4 *out, int *sums, const int4 *in, int n)
{
    __shared__ int s[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int4 v = 4 * i < n ? in[i] : make_int4(0, 0, 0, 0);
    v.y += v.x;
    v.z += v.y;
    v.w += v.z;
    int whole = block_scan(v.w, s), before = whole - v.w;
    if (4 * i < n)
        out[i] = make_int4(v.x + before, v.y + before, v.z + before, v.w + before);
    if (threadIdx.x == blockDim.x - 1)
        sums[blockIdx.x] = whole;
}

extern "C" __global__ void scan_add4(int4 *out, const int *sums, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (blockIdx.x == 0 || 4 * i >= n)
        return;
    int before = sums[blockIdx.x - 1];
    int4 v = out[i];
    out[i] = make_int4(v.x + before, v.y + before, v.z + before, v.w + before);
}
