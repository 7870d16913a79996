// Sequences of unequal length, 32 numbers in f16 a token, to 32 tokens each: zeros behind, the rest cut off. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>

extern "C" __global__ void ragged_search(half *out, const half *in, const int *starts, int rows, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int token = i / 32, low = 0, high = rows;
    // The last row that begins at the token or before it.
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (starts[middle] <= token)
            low = middle;
        else
            high = middle;
    }
    int place = token - starts[low];
    if (place < 32)
        out[low * 1024 + place * 32 + i % 32] = in[i];
}

extern "C" __global__ void ragged_block(half *out, const half *in, const int *starts)
{
    int row = blockIdx.x, first = starts[row], count = starts[row + 1] - first;
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) {
        half v = __float2half(0.0f);
        if (i / 32 < count)
            v = in[first * 32 + i];
        out[row * 1024 + i] = v;
    }
}

// Eight numbers a thread.
extern "C" __global__ void ragged_wide(uint4 *__restrict__ out, const uint4 *__restrict__ in, const int *__restrict__ starts, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int row = i / 128, first = starts[row], place = i % 128;
    out[i] = first + place / 4 < starts[row + 1] ? in[first * 4 + place] : make_uint4(0, 0, 0, 0);
}
