// Rows of 64 numbers, each sorted by itself. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

// Insertion into an array of the thread's own.
extern "C" __global__ void rowsort_thread(unsigned *out, const unsigned *in, int rows)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    unsigned v[64];
    for (int i = 0; i < 64; i++) {
        unsigned key = in[64 * r + i];
        int j = i - 1;
        while (j >= 0 && v[j] > key) {
            v[j + 1] = v[j];
            j--;
        }
        v[j + 1] = key;
    }
    for (int i = 0; i < 64; i++)
        out[64 * r + i] = v[i];
}

// Odd-even transposition: a warp a row in shared memory, a lane a pair.
extern "C" __global__ void rowsort_oddeven(unsigned *out, const unsigned *in, int rows)
{
    __shared__ unsigned s[4][64];
    int r = blockIdx.x * 4 + threadIdx.y, lane = threadIdx.x;
    if (r >= rows)
        return;
    unsigned *v = s[threadIdx.y];
    v[lane] = in[64 * r + lane];
    v[lane + 32] = in[64 * r + lane + 32];
    __syncwarp();
    for (int step = 0; step < 64; step++) {
        int i = 2 * lane + (step & 1);
        if (i + 1 < 64 && v[i] > v[i + 1]) {
            unsigned swap = v[i];
            v[i] = v[i + 1];
            v[i + 1] = swap;
        }
        __syncwarp();
    }
    out[64 * r + lane] = v[lane];
    out[64 * r + lane + 32] = v[lane + 32];
}

__device__ unsigned exchange(unsigned v, int distance, bool smaller)
{
    unsigned other = __shfl_xor_sync(~0u, v, distance);
    return smaller ? min(v, other) : max(v, other);
}

// Bitonic: a lane has two neighbours of a row.
extern "C" __global__ void rowsort_bitonic(uint2 *out, const uint2 *in, int rows)
{
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (r >= rows)
        return;
    uint2 v = in[32 * r + lane];
#pragma unroll
    for (int size = 1; size <= 32; size *= 2) { // lanes in a run that goes one way
        bool up = (lane & size) == 0;
#pragma unroll
        for (int d = size / 2; d > 0; d /= 2) {
            bool smaller = ((lane & d) == 0) == up;
            v.x = exchange(v.x, d, smaller);
            v.y = exchange(v.y, d, smaller);
        }
        if ((v.x > v.y) == up) {
            unsigned swap = v.x;
            v.x = v.y;
            v.y = swap;
        }
    }
    out[32 * r + lane] = v;
}
