// Ranks of matrices of 64 x 64 bits by elimination, rows in 64 bits. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
typedef unsigned long long u64;

extern "C" __global__ void gf2_thread(int *ranks, const u64 *matrices, int n, int size)
{
    int m = blockIdx.x * blockDim.x + threadIdx.x;
    if (m >= n)
        return;
    u64 a[64];
    for (int i = 0; i < size; i++)
        a[i] = matrices[m * size + i];
    int rank = 0;
    for (int column = 0; column < size; column++) {
        int pivot = rank;
        while (pivot < size && !(a[pivot] >> column & 1))
            pivot++;
        if (pivot == size)
            continue;
        u64 row = a[pivot];
        a[pivot] = a[rank];
        a[rank] = row;
        for (int i = rank + 1; i < size; i++)
            if (a[i] >> column & 1)
                a[i] ^= row;
        rank++;
    }
    ranks[m] = rank;
}

// A warp a matrix, two rows a lane. A row that was a pivot becomes zero, and so does what it was added to in its column.
extern "C" __global__ void __launch_bounds__(128) gf2_warp(int *__restrict__ ranks, const u64 *__restrict__ matrices, int n)
{
    int m = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (m >= n)
        return;
    u64 a = matrices[m * 64 + lane], b = matrices[m * 64 + 32 + lane];
    int rank = 0;
#pragma unroll 4
    for (int column = 0; column < 64; column++) {
        bool in_a = a >> column & 1, in_b = b >> column & 1;
        unsigned first = __ballot_sync(0xffffffff, in_a), second = __ballot_sync(0xffffffff, in_b);
        if ((first | second) == 0)
            continue;
        rank++;
        u64 row = __shfl_sync(0xffffffff, first ? a : b, __ffs(first ? first : second) - 1);
        if (in_a)
            a ^= row;
        if (in_b)
            b ^= row;
    }
    if (lane == 0)
        ranks[m] = rank;
}
