// Lists of differences in variable bytes, decoded to sums; a number that does not end in its list is none. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void varint_list(unsigned *out, int *counts, const unsigned char *in, const int *starts, int lists)
{
    int l = blockIdx.x * blockDim.x + threadIdx.x;
    if (l >= lists)
        return;
    unsigned sum = 0, number = 0;
    int shift = 0, count = 0;
    for (int i = starts[l]; i < starts[l + 1]; i++) {
        unsigned byte = in[i];
        if (shift < 32)
            number |= (byte & 127) << shift;
        shift += 7;
        if (byte < 128) {
            sum += number;
            out[starts[l] + count++] = sum;
            number = 0;
            shift = 0;
        }
    }
    counts[l] = count;
}

// A byte a lane; each round begins after the last number that ended. No number has more than 32 bytes.
extern "C" __global__ void varint_warp(unsigned *__restrict__ out, int *__restrict__ counts, const unsigned char *__restrict__ in,
                                       const int *__restrict__ starts, int lists)
{
    int l = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (l >= lists)
        return;
    int first = starts[l], last = starts[l + 1], count = 0;
    unsigned sum = 0, below = (1u << lane) - 1;
    for (int at = first; at < last;) {
        unsigned byte = at + lane < last ? in[at + lane] : 128;
        bool ends = byte < 128;
        unsigned mask = __ballot_sync(0xffffffff, ends);
        if (mask == 0)
            break;
        int size = lane + 1 - (32 - __clz(mask & below));
        unsigned number = 0;
#pragma unroll
        for (int k = 0; k < 5; k++) {
            unsigned part = __shfl_sync(0xffffffff, byte, lane - size + 1 + k) & 127;
            if (k < size)
                number |= part << 7 * k;
        }
        if (!ends)
            number = 0;
#pragma unroll
        for (int d = 1; d < 32; d *= 2) {
            unsigned v = __shfl_up_sync(0xffffffff, number, d);
            if (lane >= d)
                number += v;
        }
        if (ends)
            out[first + count + __popc(mask & below)] = sum + number;
        sum += __shfl_sync(0xffffffff, number, 31);
        count += __popc(mask);
        at += 32 - __clz(mask);
    }
    if (lane == 0)
        counts[l] = count;
}
