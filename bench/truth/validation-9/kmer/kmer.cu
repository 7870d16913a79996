// Counts of words of six letters in reads of 100. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void kmer_clear(int *counts)
{
    counts[blockIdx.x * blockDim.x + threadIdx.x] = 0;
}

extern "C" __global__ void kmer_place(int *counts, const unsigned char *reads, int places)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, word = 0;
    if (i >= places)
        return;
    const unsigned char *from = reads + i / 95 * 100 + i % 95;
    for (int k = 0; k < 6; k++)
        word = word * 4 + (from[k] >> 1 & 3);
    atomicAdd(&counts[word], 1);
}

extern "C" __global__ void kmer_read(int *counts, const unsigned char *reads, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x, word = 0;
    if (r >= n)
        return;
    for (int k = 0; k < 100; k++) {
        word = (word * 4 + (reads[r * 100 + k] >> 1 & 3)) % 4096;
        if (k >= 5)
            atomicAdd(&counts[word], 1);
    }
}

// Blocks take reads in turn; four letters a load.
extern "C" __global__ void __launch_bounds__(512) kmer_shared(int *__restrict__ counts, const unsigned *__restrict__ reads, int n)
{
    __shared__ int own[4096];
    for (int i = threadIdx.x; i < 4096; i += 512)
        own[i] = 0;
    __syncthreads();
    for (int r = blockIdx.x * 512 + threadIdx.x; r < n; r += gridDim.x * 512) {
        unsigned word = 0;
        for (int k = 0; k < 25; k++) {
            unsigned four = reads[r * 25 + k] >> 1;
#pragma unroll
            for (int j = 0; j < 4; j++) {
                word = (word << 2 | four >> (8 * j) & 3) & 4095;
                if (4 * k + j >= 5)
                    atomicAdd(&own[word], 1);
            }
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 4096; i += 512)
        if (own[i])
            atomicAdd(&counts[i], own[i]);
}
