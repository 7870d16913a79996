// Kernels for the tests of the simulated AMD GPU: each touches one part of the machine.
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void divide(float *out, const float *a, const float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = a[i] / b[i];
}
extern "C" __global__ void divide_f64(double *out, const double *a, const double *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = a[i] / b[i];
}
extern "C" __global__ void divide_i32(int *out, const int *a, const int *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = a[i] / b[i] + a[i] % b[i];
}
extern "C" __global__ void sum_wave(float *out, const float *in)
{
    float v = in[blockIdx.x * blockDim.x + threadIdx.x];
    for (int by = 32; by > 0; by /= 2)
        v += __shfl_down(v, by, 64);
    if (threadIdx.x % 64 == 0)
        out[(blockIdx.x * blockDim.x + threadIdx.x) / 64] = v;
}
extern "C" __global__ void sum_block(float *out, const float *in)
{
    __shared__ float tile[256];
    tile[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
    __syncthreads();
    for (int by = 128; by > 0; by /= 2) {
        if (threadIdx.x < by)
            tile[threadIdx.x] += tile[threadIdx.x + by];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = tile[0];
}
extern "C" __global__ void count(unsigned *bins, const unsigned *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&bins[in[i] % 16], 1u);
}
extern "C" __global__ void on_stack(int *out, const int *in, int at)
{
    int own[16];
    for (int i = 0; i < 16; i++)
        own[i] = in[threadIdx.x] + i;
    own[(at + threadIdx.x) & 15] = -1;
    int sum = 0;
    for (int i = 0; i < 16; i++)
        sum += own[(i * at) & 15];
    out[threadIdx.x] = sum;
}
extern "C" __global__ void collatz(int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, steps = 0;
    if (i >= n)
        return;
    for (long long v = i + 1; v != 1; v = v % 2 == 0 ? v / 2 : 3 * v + 1)
        steps++;
    out[i] = steps;
}
extern "C" __global__ void indices(unsigned *out)
{
    unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    out[block * blockDim.x * blockDim.y * blockDim.z + thread] = block << 16 | thread;
}
// The first block waits for all others, which come after it.
extern "C" __global__ void last_first(int *out, unsigned *arrived)
{
    if (threadIdx.x == 0) {
        if (blockIdx.x == 0)
            while (*(volatile unsigned *)arrived < gridDim.x - 1)
                ;
        else
            atomicAdd(arrived, 1u);
    }
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = (int)*(volatile unsigned *)arrived;
}
extern "C" __global__ void beyond(float *out, int n)
{
    out[n + threadIdx.x] = 1;
}
extern "C" __global__ void unwritten(float *out, const float *in)
{
    out[threadIdx.x] = in[threadIdx.x] + 1;
}
extern "C" __global__ void spread(float *out, const float *in, int apart, int lds_apart)
{
    __shared__ float tile[64 * 33];
    tile[threadIdx.x * lds_apart] = in[threadIdx.x * apart];
    __syncthreads(); // of spread
    out[threadIdx.x * apart] = tile[(63 - threadIdx.x) * lds_apart];
}
extern "C" __global__ void pairs(float2 *out, const float2 *in)
{
    __shared__ float2 tile[64];
    tile[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[63 - threadIdx.x];
}
extern "C" __global__ void arithmetic(float *out, double *wide, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = in[i];
    if (i % 2 == 0) // one branch on exec, which half of the lanes take
        for (int k = 0; k < n; k++)
            out[64 * k + i] = fmaf(v, v, 1.0f) * in[64 * k + i];
    wide[i] = (double)v + 2.0;
}
extern "C" __global__ void reduced(unsigned *all, unsigned *some)
{
    unsigned i = threadIdx.x;
    all[i] = __reduce_add_sync(~0u, i);
    some[i] = 0;
    if (i % 3 == 0)
        some[i] = __reduce_max_sync(__activemask(), i ^ 5);
}
extern "C" __global__ void wide_atomics(unsigned long long *out, unsigned long long *seen, const unsigned long long *in)
{
    __shared__ unsigned long long at[6];
    if (threadIdx.x < 6)
        at[threadIdx.x] = threadIdx.x == 2 ? ~0ull : 0;
    __syncthreads();
    unsigned long long v = in[threadIdx.x];
    atomicMax(&at[0], v);
    atomicOr(&at[1], v);
    atomicAnd(&at[2], v);
    atomicXor(&at[3], v);
    seen[threadIdx.x] = atomicMax(&at[4], ~0ull);
    atomicCAS(&at[5], 0ull, 7ull);
    __syncthreads();
    if (threadIdx.x < 6)
        out[threadIdx.x] = at[threadIdx.x];
}
