// Where runs of equal numbers begin, in order. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

extern "C" __global__ void rle_flags(int *flags, const int *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        flags[i] = i == 0 || in[i] != in[i - 1] ? 1 : 0;
}

// Inclusive sums within a block of 1024, in place, and the block's sum.
extern "C" __global__ void rle_scan(int *flags, int *sums, int n)
{
    __shared__ int s[1024];
    int t = threadIdx.x, i = blockIdx.x * 1024 + t;
    s[t] = i < n ? flags[i] : 0;
    __syncthreads();
    for (int d = 1; d < 1024; d *= 2) {
        int v = t >= d ? s[t - d] : 0;
        __syncthreads();
        s[t] += v;
        __syncthreads();
    }
    if (i < n)
        flags[i] = s[t];
    if (t == 1023)
        sums[blockIdx.x] = s[t];
}

// What is before each block, by one block; the whole sum.
extern "C" __global__ void rle_scan_sums(int *sums, int *runs, int blocks)
{
    __shared__ int s[1024];
    int t = threadIdx.x, own = t < blocks ? sums[t] : 0;
    s[t] = own;
    __syncthreads();
    for (int d = 1; d < 1024; d *= 2) {
        int v = t >= d ? s[t - d] : 0;
        __syncthreads();
        s[t] += v;
        __syncthreads();
    }
    if (t < blocks)
        sums[t] = s[t] - own;
    if (t == 1023)
        *runs = s[t];
}

extern "C" __global__ void rle_write(int *starts, const int *in, const int *flags, const int *sums, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && (i == 0 || in[i] != in[i - 1]))
        starts[sums[i / 1024] + flags[i] - 1] = i;
}

extern "C" __global__ void rle_count(int *sums, const int *__restrict__ in, int n)
{
    int i = blockIdx.x * 1024 + threadIdx.x;
    int count = __syncthreads_count(i < n && (i == 0 || in[i] != in[i - 1]));
    if (threadIdx.x == 0)
        sums[blockIdx.x] = count;
}

extern "C" __global__ void rle_place(int *__restrict__ starts, const int *__restrict__ in, const int *__restrict__ sums, int n)
{
    __shared__ int counts[32];
    int t = threadIdx.x, lane = t % 32, i = blockIdx.x * 1024 + t;
    bool first = i < n && (i == 0 || in[i] != in[i - 1]);
    unsigned found = __ballot_sync(0xffffffff, first);
    if (lane == 0)
        counts[t / 32] = __popc(found);
    __syncthreads();
    if (t < 32) {
        int own = counts[t], sum = own;
        for (int d = 1; d < 32; d *= 2) {
            int v = __shfl_up_sync(0xffffffff, sum, d);
            if (t >= d)
                sum += v;
        }
        counts[t] = sum - own;
    }
    __syncthreads();
    if (first)
        starts[sums[blockIdx.x] + counts[t / 32] + __popc(found & ((1u << lane) - 1))] = i;
}
