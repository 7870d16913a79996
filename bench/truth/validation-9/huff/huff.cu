// Streams of 96 symbols of a prefix code of 30 symbols with 2 to 8 bits each, highest bit first. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
// How many codes there are of 0 to 8 bits.
__constant__ int lengths[9] = {0, 0, 1, 3, 3, 2, 3, 2, 16};

extern "C" __global__ void huff_bits(unsigned char *out, const unsigned *in, int streams, int symbols)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x, at = 0;
    if (s >= streams)
        return;
    for (int k = 0; k < symbols; k++) {
        int code = 0, first = 0, index = 0;
        for (int length = 1; length <= 8; length++, at++) {
            code = code * 2 | (in[s * 26 + at / 32] >> (31 - at % 32) & 1);
            first *= 2;
            if (code - first < lengths[length]) {
                out[s * symbols + k] = index + code - first;
                at++;
                break;
            }
            index += lengths[length];
            first += lengths[length];
        }
    }
}

// Symbol and length of what begins with each eight bits.
extern "C" __global__ void huff_fill(uchar2 *table)
{
    int first = 0, index = 0;
    for (int length = 1; length <= 8; length++) {
        int code = threadIdx.x >> (8 - length);
        first *= 2;
        if (code - first < lengths[length]) {
            table[threadIdx.x] = make_uchar2(index + code - first, length);
            return;
        }
        index += lengths[length];
        first += lengths[length];
    }
}

extern "C" __global__ void huff_table(unsigned char *out, const unsigned *in, const uchar2 *table, int streams, int symbols)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x, at = 0;
    if (s >= streams)
        return;
    for (int k = 0; k < symbols; k++) {
        const unsigned *word = in + s * 26 + at / 32;
        unsigned window = __funnelshift_l(word[1], word[0], at % 32);
        uchar2 entry = table[window >> 24];
        out[s * symbols + k] = entry.x;
        at += entry.y;
    }
}

// Four symbols from a window of 64 bits, stored in one word.
extern "C" __global__ void __launch_bounds__(256) huff_window(unsigned *__restrict__ out, const unsigned *__restrict__ in,
                                                              const uchar2 *__restrict__ table, int streams)
{
    __shared__ uchar2 own[256];
    int s = blockIdx.x * 256 + threadIdx.x;
    own[threadIdx.x] = table[threadIdx.x];
    __syncthreads();
    if (s >= streams)
        return;
    const unsigned *from = in + s * 26;
    unsigned long long window = (unsigned long long)from[0] << 32 | from[1];
    int left = 64;
    from += 2;
    for (int k = 0; k < 24; k++) {
        unsigned four = 0;
#pragma unroll
        for (int j = 0; j < 4; j++) {
            uchar2 entry = own[window >> 56];
            four |= (unsigned)entry.x << (8 * j);
            window <<= entry.y;
            left -= entry.y;
        }
        if (left <= 32) {
            window |= (unsigned long long)*from++ << (32 - left);
            left += 32;
        }
        out[s * 24 + k] = four;
    }
}
