// Scans and sorts for the validation of the time model. Nothing is tuned on them.
// SPDX-License-Identifier: Apache-2.0

extern "C" __global__ void scan_steps(float *out, const float *in)
{
    __shared__ float s[2][1024];
    int t = threadIdx.x, from = 0;
    s[0][t] = in[blockIdx.x * 1024 + t];
    __syncthreads();
    for (int d = 1; d < 1024; d *= 2) {
        s[1 - from][t] = t >= d ? s[from][t] + s[from][t - d] : s[from][t];
        from = 1 - from;
        __syncthreads();
    }
    out[blockIdx.x * 1024 + t] = s[from][t];
}

// Up and down a tree; strides of powers of two conflict in the banks.
extern "C" __global__ void scan_tree(float *out, const float *in)
{
    __shared__ float s[1024];
    int t = threadIdx.x, d = 1;
    s[2 * t] = in[blockIdx.x * 1024 + 2 * t];
    s[2 * t + 1] = in[blockIdx.x * 1024 + 2 * t + 1];
    for (int k = 512; k > 0; k /= 2, d *= 2) {
        __syncthreads();
        if (t < k)
            s[d * (2 * t + 2) - 1] += s[d * (2 * t + 1) - 1];
    }
    if (t == 0)
        s[1023] = 0;
    for (int k = 1; k < 1024; k *= 2) {
        d /= 2;
        __syncthreads();
        if (t < k) {
            int a = d * (2 * t + 1) - 1, b = d * (2 * t + 2) - 1;
            float v = s[a];
            s[a] = s[b];
            s[b] += v;
        }
    }
    __syncthreads();
    out[blockIdx.x * 1024 + 2 * t] = s[2 * t];
    out[blockIdx.x * 1024 + 2 * t + 1] = s[2 * t + 1];
}

extern "C" __global__ void scan_shuffle(float *out, const float *in)
{
    __shared__ float sums[32];
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    float v = in[blockIdx.x * 1024 + t];
    for (int d = 1; d < 32; d *= 2) {
        float other = __shfl_up_sync(~0u, v, d);
        v += lane >= d ? other : 0;
    }
    if (lane == 31)
        sums[warp] = v;
    __syncthreads();
    if (warp == 0) {
        float w = sums[lane];
        for (int d = 1; d < 32; d *= 2) {
            float other = __shfl_up_sync(~0u, w, d);
            w += lane >= d ? other : 0;
        }
        sums[lane] = w;
    }
    __syncthreads();
    out[blockIdx.x * 1024 + t] = v + (warp > 0 ? sums[warp - 1] : 0);
}

// 1024 keys a block of 512 threads.
extern "C" __global__ void bitonic_shared(unsigned *out, const unsigned *in)
{
    __shared__ unsigned s[1024];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 1024 + t];
    s[t + 512] = in[blockIdx.x * 1024 + t + 512];
    for (int size = 2; size <= 1024; size *= 2)
        for (int d = size / 2; d > 0; d /= 2) {
            __syncthreads();
            int a = 2 * t - (t & (d - 1)), b = a + d;
            bool up = (a & size) == 0;
            unsigned x = s[a], y = s[b];
            if ((x > y) == up) {
                s[a] = y;
                s[b] = x;
            }
        }
    __syncthreads();
    out[blockIdx.x * 1024 + t] = s[t];
    out[blockIdx.x * 1024 + t + 512] = s[t + 512];
}

extern "C" __global__ void bitonic_step(unsigned *data, int d, int size)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, a = 2 * t - (t & (d - 1)), b = a + d;
    bool up = (a & size) == 0;
    unsigned x = data[a], y = data[b];
    if ((x > y) == up) {
        data[a] = y;
        data[b] = x;
    }
}

// 4096 keys a block of 256 threads: how many have each value of four bits.
extern "C" __global__ void radix_count(unsigned *counts, const unsigned *in, int shift)
{
    __shared__ unsigned bins[16];
    int t = threadIdx.x;
    if (t < 16)
        bins[t] = 0;
    __syncthreads();
    for (int i = 0; i < 16; i++) {
        unsigned digit = in[blockIdx.x * 4096 + i * 256 + t] >> shift & 15;
        unsigned same = __match_any_sync(~0u, digit);
        if (__ffs(same) - 1 == t % 32)
            atomicAdd(&bins[digit], __popc(same));
    }
    __syncthreads();
    if (t < 16)
        counts[t * gridDim.x + blockIdx.x] = bins[t];
}

extern "C" __global__ void merge_pairs(unsigned *out, const unsigned *in, int run)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, pair = i / (2 * run) * 2 * run, own = i % (2 * run);
    const unsigned *other = in + pair + (own < run ? run : 0);
    unsigned key = in[i];
    int low = 0, high = run;
    while (low < high) {
        int middle = (low + high) / 2;
        if (other[middle] < key || (own >= run && other[middle] == key))
            low = middle + 1;
        else
            high = middle;
    }
    out[pair + own % run + low] = key;
}
