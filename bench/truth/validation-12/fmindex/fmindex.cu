// Ranges of rows that begin with each of n/16 patterns of 16 letters, from the last column (text) and counts of letters each 64 rows. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void fm_count(uint4 *counts, const unsigned char *text, int blocks)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= blocks)
        return;
    unsigned c[4] = {};
    for (int k = 0; k < 64; k++)
        for (int letter = 0; letter < 4; letter++)
            c[letter] += text[i * 64 + k] == letter;
    counts[i] = make_uint4(c[0], c[1], c[2], c[3]);
}

__device__ uint4 add(uint4 a, uint4 b)
{
    return make_uint4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

// Sums of all counts before, in place, and the first row of each letter.
extern "C" __global__ void fm_scan(uint4 *counts, uint4 *first, int blocks, int stride)
{
    __shared__ uint4 sums[1024];
    int t = threadIdx.x, each = blocks / 1024;
    uint4 own = make_uint4(0, 0, 0, 0);
    for (int k = 0; k < each; k++)
        own = add(own, counts[(t * each + k) * stride]);
    sums[t] = own;
    __syncthreads();
    for (int d = 1; d < 1024; d *= 2) {
        uint4 before = t >= d ? sums[t - d] : make_uint4(0, 0, 0, 0);
        __syncthreads();
        sums[t] = add(sums[t], before);
        __syncthreads();
    }
    uint4 sum = t > 0 ? sums[t - 1] : make_uint4(0, 0, 0, 0);
    for (int k = 0; k < each; k++) {
        uint4 here = counts[(t * each + k) * stride];
        counts[(t * each + k) * stride] = sum;
        sum = add(sum, here);
    }
    if (t == 1023) {
        counts[blocks * stride] = sum;
        *first = make_uint4(0, sum.x, sum.x + sum.y, sum.x + sum.y + sum.z);
    }
}

__device__ int rank_of(const unsigned char *text, const unsigned *counts, int letter, int row)
{
    int sum = counts[row / 64 * 4 + letter];
    for (int k = row / 64 * 64; k < row; k++)
        sum += text[k] == letter;
    return sum;
}

extern "C" __global__ void fm_search(int *out, const unsigned char *patterns, const unsigned char *text, const unsigned *counts, const int *first, int count,
                                     int n, int length)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    int low = 0, high = n;
    for (int k = length - 1; k >= 0 && low < high; k--) {
        int letter = patterns[i * length + k];
        low = first[letter] + rank_of(text, counts, letter, low);
        high = first[letter] + rank_of(text, counts, letter, high);
    }
    out[2 * i] = low < high ? low : 0;
    out[2 * i + 1] = low < high ? high : 0;
}

// A record: four counts and the low and the high bits of 64 letters. Half a warp packs a block.
extern "C" __global__ void __launch_bounds__(128) fm_pack(uint4 *__restrict__ records, const unsigned *__restrict__ text)
{
    int i = blockIdx.x * 128 + threadIdx.x, lane = i % 16;
    unsigned four = text[i];
    unsigned long long low = 0, high = 0;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        low |= (unsigned long long)(four >> 8 * k & 1) << (4 * lane + k);
        high |= (unsigned long long)(four >> (8 * k + 1) & 1) << (4 * lane + k);
    }
#pragma unroll
    for (int d = 8; d > 0; d /= 2) {
        low |= __shfl_xor_sync(0xffffffff, low, d);
        high |= __shfl_xor_sync(0xffffffff, high, d);
    }
    if (lane == 0) {
        records[i / 16 * 2] = make_uint4(__popcll(~low & ~high), __popcll(low & ~high), __popcll(~low & high), __popcll(low & high));
        ((ulonglong2 *)records)[i / 16 * 2 + 1] = make_ulonglong2(low, high);
    }
}

__device__ int rank_in(const uint4 *records, int letter, int row)
{
    const uint4 *r = records + row / 64 * 2;
    int sum = ((const unsigned *)r)[letter];
    if (row % 64 == 0)
        return sum;
    ulonglong2 bits = *(const ulonglong2 *)(r + 1);
    unsigned long long same = (letter & 1 ? bits.x : ~bits.x) & (letter & 2 ? bits.y : ~bits.y);
    return sum + __popcll(same << (64 - row % 64));
}

extern "C" __global__ void __launch_bounds__(128) fm_find(int2 *__restrict__ out, const uint4 *__restrict__ patterns, const uint4 *__restrict__ records,
                                                          const int *__restrict__ first, int n)
{
    int i = blockIdx.x * 128 + threadIdx.x, low = 0, high = n;
    int4 begin = *(const int4 *)first;
    uint4 p = patterns[i];
    unsigned words[4] = {p.x, p.y, p.z, p.w};
#pragma unroll
    for (int k = 15; k >= 0; k--)
        if (low < high) {
            int letter = words[k / 4] >> k % 4 * 8 & 3, base = letter & 2 ? (letter & 1 ? begin.w : begin.z) : (letter & 1 ? begin.y : begin.x);
            low = base + rank_in(records, letter, low);
            high = base + rank_in(records, letter, high);
        }
    out[i] = low < high ? make_int2(low, high) : make_int2(0, 0);
}
