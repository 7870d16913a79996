// Rows of 16 keys in order with their values; equal keys are ordered by their values. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void sort16_insertion(unsigned *keys_out, unsigned *values_out, const unsigned *keys, const unsigned *values, int rows)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    unsigned k[16], v[16];
    for (int i = 0; i < 16; i++) {
        unsigned key = keys[r * 16 + i], value = values[r * 16 + i];
        int j = i - 1;
        while (j >= 0 && (k[j] > key || (k[j] == key && v[j] > value))) {
            k[j + 1] = k[j];
            v[j + 1] = v[j];
            j--;
        }
        k[j + 1] = key;
        v[j + 1] = value;
    }
    for (int i = 0; i < 16; i++) {
        keys_out[r * 16 + i] = k[i];
        values_out[r * 16 + i] = v[i];
    }
}

__device__ __forceinline__ void order(unsigned long long &a, unsigned long long &b)
{
    unsigned long long low = min(a, b);
    b = max(a, b);
    a = low;
}

#define PAIR(i, j) order(p[i], p[j]);

// Green's network of 60 comparisons, keys above values in 64 bits.
extern "C" __global__ void __launch_bounds__(64) sort16_network(uint4 *__restrict__ keys_out, uint4 *__restrict__ values_out, const uint4 *__restrict__ keys,
                                                                const uint4 *__restrict__ values, int rows)
{
    int r = blockIdx.x * 64 + threadIdx.x;
    if (r >= rows)
        return;
    unsigned long long p[16];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        uint4 k = keys[r * 4 + i], v = values[r * 4 + i];
        p[4 * i] = (unsigned long long)k.x << 32 | v.x;
        p[4 * i + 1] = (unsigned long long)k.y << 32 | v.y;
        p[4 * i + 2] = (unsigned long long)k.z << 32 | v.z;
        p[4 * i + 3] = (unsigned long long)k.w << 32 | v.w;
    }
#pragma unroll
    for (int d = 1; d < 16; d *= 2)
#pragma unroll
        for (int i = 0; i < 16; i++)
            if (!(i & d))
                PAIR(i, i + d)
    PAIR(5, 10) PAIR(6, 9) PAIR(3, 12) PAIR(13, 14) PAIR(4, 8) PAIR(7, 11) PAIR(1, 2)
    PAIR(1, 4) PAIR(7, 13) PAIR(2, 8) PAIR(11, 14)
    PAIR(2, 4) PAIR(5, 6) PAIR(9, 10) PAIR(11, 13) PAIR(3, 8) PAIR(7, 12)
    PAIR(6, 8) PAIR(10, 12) PAIR(3, 5) PAIR(7, 9)
    PAIR(3, 4) PAIR(5, 6) PAIR(7, 8) PAIR(9, 10) PAIR(11, 12)
    PAIR(6, 7) PAIR(8, 9)
#pragma unroll
    for (int i = 0; i < 4; i++) {
        keys_out[r * 4 + i] = make_uint4((unsigned)(p[4 * i] >> 32), (unsigned)(p[4 * i + 1] >> 32), (unsigned)(p[4 * i + 2] >> 32), (unsigned)(p[4 * i + 3] >> 32));
        values_out[r * 4 + i] = make_uint4((unsigned)p[4 * i], (unsigned)p[4 * i + 1], (unsigned)p[4 * i + 2], (unsigned)p[4 * i + 3]);
    }
}

// A number a lane, bitonic within halves of a warp.
extern "C" __global__ void __launch_bounds__(256) sort16_shuffles(unsigned *__restrict__ keys_out, unsigned *__restrict__ values_out, const unsigned *__restrict__ keys,
                                                                  const unsigned *__restrict__ values, int count)
{
    int i = blockIdx.x * 256 + threadIdx.x, at = min(i, count - 1), lane = threadIdx.x & 15;
    unsigned key = keys[at], value = values[at];
#pragma unroll
    for (int size = 2; size <= 16; size *= 2)
#pragma unroll
        for (int d = size / 2; d > 0; d /= 2) {
            unsigned k = __shfl_xor_sync(0xffffffff, key, d), v = __shfl_xor_sync(0xffffffff, value, d);
            bool smaller = k < key || (k == key && v < value), low = ((lane & d) == 0) == ((lane & size) == 0 || size == 16);
            if (smaller == low) {
                key = k;
                value = v;
            }
        }
    if (i < count) {
        keys_out[i] = key;
        values_out[i] = value;
    }
}
