// Sums of blocks of 1024 numbers, in CUDA C; portable.cl is the same in OpenCL C. The launch's shared memory is
// `extern __shared__` here and a pointer to __local memory there, which `args` does not list.
// SPDX-License-Identifier: Apache-2.0

__device__ void add_tree(float *tile, float own, float *sum)
{
    unsigned t = threadIdx.x;
    tile[t] = own;
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t < half)
            tile[t] += tile[t + half];
    }
    if (t == 0)
        *sum = tile[0];
}

extern "C" __global__ void sum_chunks(float *sums, const float *in)
{
    __shared__ float tile[256];
    int first = blockIdx.x * 1024 + threadIdx.x * 4;
    float own = 0;
    for (int i = first; i < first + 4; i++)
        own += in[i];
    add_tree(tile, own, &sums[blockIdx.x]);
}

extern "C" __global__ void sum_strided(float *sums, const float *in)
{
    __shared__ float tile[256];
    int first = blockIdx.x * 1024 + threadIdx.x;
    float own = 0;
    for (int i = first; i < first + 1024; i += 256)
        own += in[i];
    add_tree(tile, own, &sums[blockIdx.x]);
}

extern "C" __global__ void sum_sized(float *sums, const float *in)
{
    extern __shared__ float tile[];
    int first = blockIdx.x * 1024 + threadIdx.x;
    float own = 0;
    for (int i = first; i < first + 1024; i += 256)
        own += in[i];
    add_tree(tile, own, &sums[blockIdx.x]);
}
