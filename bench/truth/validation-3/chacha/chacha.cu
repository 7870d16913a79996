// ChaCha20 of a long text: each block of 64 bytes has a counter of its own (RFC 8439). Nothing is tuned on these kernels
// (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

__device__ unsigned rotated(unsigned v, int by)
{
    return v << by | v >> (32 - by);
}

__device__ void quarter(unsigned &a, unsigned &b, unsigned &c, unsigned &d)
{
    a += b;
    d = rotated(d ^ a, 16);
    c += d;
    b = rotated(b ^ c, 12);
    a += b;
    d = rotated(d ^ a, 8);
    c += d;
    b = rotated(b ^ c, 7);
}

__device__ void twice(unsigned s[16])
{
    quarter(s[0], s[4], s[8], s[12]);
    quarter(s[1], s[5], s[9], s[13]);
    quarter(s[2], s[6], s[10], s[14]);
    quarter(s[3], s[7], s[11], s[15]);
    quarter(s[0], s[5], s[10], s[15]);
    quarter(s[1], s[6], s[11], s[12]);
    quarter(s[2], s[7], s[8], s[13]);
    quarter(s[3], s[4], s[9], s[14]);
}

__device__ void start(unsigned s[16], const unsigned *key, const unsigned *nonce, unsigned counter)
{
    s[0] = 0x61707865u;
    s[1] = 0x3320646eu;
    s[2] = 0x79622d32u;
    s[3] = 0x6b206574u;
#pragma unroll
    for (int i = 0; i < 8; i++)
        s[4 + i] = key[i];
    s[12] = counter;
#pragma unroll
    for (int i = 0; i < 3; i++)
        s[13 + i] = nonce[i];
}

// A thread per block, word by word.
extern "C" __global__ void chacha_words(unsigned *out, const unsigned *in, const unsigned *key, const unsigned *nonce, int n)
{
    int block = blockIdx.x * blockDim.x + threadIdx.x;
    if (block >= n)
        return;
    unsigned first[16], s[16];
    start(first, key, nonce, block);
#pragma unroll
    for (int i = 0; i < 16; i++)
        s[i] = first[i];
    for (int round = 0; round < 10; round++)
        twice(s);
#pragma unroll
    for (int i = 0; i < 16; i++)
        out[block * 16 + i] = in[block * 16 + i] ^ (s[i] + first[i]);
}

// Sixteen bytes a load and a store; the text is loaded before the rounds, which are unrolled.
extern "C" __global__ void chacha_sixteen(uint4 *out, const uint4 *in, const unsigned *key, const unsigned *nonce, int n)
{
    int block = blockIdx.x * blockDim.x + threadIdx.x;
    if (block >= n)
        return;
    uint4 text[4];
#pragma unroll
    for (int q = 0; q < 4; q++)
        text[q] = in[block * 4 + q];
    unsigned first[16], s[16];
    start(first, key, nonce, block);
#pragma unroll
    for (int i = 0; i < 16; i++)
        s[i] = first[i];
#pragma unroll
    for (int round = 0; round < 10; round++)
        twice(s);
#pragma unroll
    for (int q = 0; q < 4; q++)
        out[block * 4 + q] = make_uint4(text[q].x ^ (s[4 * q] + first[4 * q]), text[q].y ^ (s[4 * q + 1] + first[4 * q + 1]),
                                        text[q].z ^ (s[4 * q + 2] + first[4 * q + 2]), text[q].w ^ (s[4 * q + 3] + first[4 * q + 3]));
}
