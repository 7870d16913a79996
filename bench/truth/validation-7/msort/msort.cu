// Rows of 1024 numbers sorted by merging runs. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

// A thread merges two runs side by side.
extern "C" __global__ void msort_level(int *out, const int *in, int run, int merges)
{
    int m = blockIdx.x * blockDim.x + threadIdx.x;
    if (m >= merges)
        return;
    int i = 2 * run * m, middle = i + run, j = middle, end = middle + run;
    for (int k = i; k < end; k++) {
        if (j >= end || (i < middle && in[i] <= in[j]))
            out[k] = in[i++];
        else
            out[k] = in[j++];
    }
}

// A number's place is its own in its run and its rank in the other run.
extern "C" __global__ void msort_ranks(int *out, const int *in)
{
    __shared__ int a[1024], b[1024];
    int t = threadIdx.x, *from = a, *to = b;
    a[t] = in[blockIdx.x * 1024 + t];
    __syncthreads();
    for (int run = 1; run < 1024; run *= 2) {
        int v = from[t], base = t & ~(2 * run - 1);
        bool left = (t & run) == 0;
        const int *other = from + base + (left ? run : 0);
        int low = 0, high = run;
        while (low < high) {
            int middle = (low + high) / 2;
            if (left ? other[middle] < v : other[middle] <= v)
                low = middle + 1;
            else
                high = middle;
        }
        to[base + (t & (run - 1)) + low] = v;
        __syncthreads();
        int *swap = from;
        from = to;
        to = swap;
    }
    out[blockIdx.x * 1024 + t] = from[t];
}

// Eight numbers a thread: sorted in registers, then each thread finds where its eight begin in the two runs.
extern "C" __global__ void __launch_bounds__(128) msort_paths(int *__restrict__ out, const int *__restrict__ in)
{
    __shared__ int s[1024];
    int t = threadIdx.x, v[8];
    int4 *wide = (int4 *)v;
    const int4 *row = (const int4 *)(in + blockIdx.x * 1024);
    wide[0] = row[2 * t];
    wide[1] = row[2 * t + 1];
#pragma unroll
    for (int round = 0; round < 8; round++)
#pragma unroll
        for (int i = round % 2; i < 7; i += 2) {
            int a = v[i], b = v[i + 1];
            v[i] = min(a, b);
            v[i + 1] = max(a, b);
        }
    for (int run = 8; run < 1024; run *= 2) {
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 8; i++)
            s[8 * t + i] = v[i];
        __syncthreads();
        int base = 8 * t & ~(2 * run - 1), diagonal = 8 * t - base;
        const int *a = s + base, *b = a + run;
        int low = max(0, diagonal - run), high = min(diagonal, run);
        while (low < high) {
            int middle = (low + high) / 2;
            if (a[middle] <= b[diagonal - 1 - middle])
                low = middle + 1;
            else
                high = middle;
        }
        int i = low, j = diagonal - low;
#pragma unroll
        for (int k = 0; k < 8; k++) {
            bool first = j >= run || (i < run && a[i] <= b[j]);
            v[k] = first ? a[i] : b[j];
            i += first;
            j += !first;
        }
    }
    int4 *to = (int4 *)(out + blockIdx.x * 1024);
    to[2 * t] = wide[0];
    to[2 * t + 1] = wide[1];
}
