// CRC-32 of many messages of 64 bytes. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
constexpr int LENGTH = 64;
constexpr unsigned POLYNOMIAL = 0xedb88320u;

__device__ unsigned bits(unsigned crc, int count)
{
    for (int i = 0; i < count; i++)
        crc = crc >> 1 ^ (crc & 1 ? POLYNOMIAL : 0);
    return crc;
}

// Bit by bit, byte by byte: a thread per message.
extern "C" __global__ void crc_bits(unsigned *out, const unsigned char *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned crc = ~0u;
    for (int b = 0; b < LENGTH; b++)
        crc = bits(crc ^ in[i * LENGTH + b], 8);
    out[i] = ~crc;
}

// A table of 256 that a first launch makes, in global memory.
extern "C" __global__ void crc_fill(unsigned *table)
{
    table[threadIdx.x] = bits(threadIdx.x, 8);
}

extern "C" __global__ void crc_table(unsigned *out, const unsigned char *in, const unsigned *table, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned crc = ~0u;
    for (int b = 0; b < LENGTH; b++)
        crc = crc >> 8 ^ table[(crc ^ in[i * LENGTH + b]) & 255];
    out[i] = ~crc;
}

// Four tables in shared memory, each block makes its own; a word of the message at a time.
extern "C" __global__ void crc_slices(unsigned *out, const uint4 *in, int n)
{
    __shared__ unsigned table[4][256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) {
        unsigned crc = bits(i, 8);
        for (int k = 0; k < 4; k++) {
            table[k][i] = crc;
            crc = bits(crc, 8);
        }
    }
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned crc = ~0u;
    for (int q = 0; q < LENGTH / 16; q++) {
        uint4 v = in[i * (LENGTH / 16) + q];
#pragma unroll
        for (int w = 0; w < 4; w++) {
            crc ^= (&v.x)[w];
            crc = table[3][crc & 255] ^ table[2][crc >> 8 & 255] ^ table[1][crc >> 16 & 255] ^ table[0][crc >> 24];
        }
    }
    out[i] = ~crc;
}
