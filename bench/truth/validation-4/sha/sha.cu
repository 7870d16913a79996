// The compression of SHA-256, of messages of one block each (without padding). Nothing is tuned on these kernels
// (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
__constant__ unsigned K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

__device__ unsigned rotr(unsigned v, int r)
{
    return (v >> r) | (v << (32 - r));
}

__device__ unsigned swap_bytes(unsigned v)
{
    return __byte_perm(v, 0, 0x0123);
}

#define ROUND(k, w)                                                                                                                                \
    do {                                                                                                                                           \
        unsigned t1 = h + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) + ((e & f) ^ (~e & g)) + (k) + (w);                                             \
        unsigned t2 = (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));                                                    \
        h = g;                                                                                                                                     \
        g = f;                                                                                                                                     \
        f = e;                                                                                                                                     \
        e = d + t1;                                                                                                                                \
        d = c;                                                                                                                                     \
        c = b;                                                                                                                                     \
        b = a;                                                                                                                                     \
        a = t1 + t2;                                                                                                                               \
    } while (0)

__device__ void store(unsigned *out, unsigned a, unsigned b, unsigned c, unsigned d, unsigned e, unsigned f, unsigned g, unsigned h)
{
    out[0] = a + 0x6a09e667;
    out[1] = b + 0xbb67ae85;
    out[2] = c + 0x3c6ef372;
    out[3] = d + 0xa54ff53a;
    out[4] = e + 0x510e527f;
    out[5] = f + 0x9b05688c;
    out[6] = g + 0x1f83d9ab;
    out[7] = h + 0x5be0cd19;
}

// All 64 words of the schedule first.
extern "C" __global__ void sha_schedule(unsigned *out, const unsigned *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned w[64];
    for (int k = 0; k < 16; k++)
        w[k] = swap_bytes(in[16 * i + k]);
#pragma unroll 1
    for (int k = 16; k < 64; k++) {
        unsigned x = w[k - 15], y = w[k - 2];
        w[k] = w[k - 16] + (rotr(x, 7) ^ rotr(x, 18) ^ (x >> 3)) + w[k - 7] + (rotr(y, 17) ^ rotr(y, 19) ^ (y >> 10));
    }
    unsigned a = 0x6a09e667, b = 0xbb67ae85, c = 0x3c6ef372, d = 0xa54ff53a;
    unsigned e = 0x510e527f, f = 0x9b05688c, g = 0x1f83d9ab, h = 0x5be0cd19;
#pragma unroll 1
    for (int k = 0; k < 64; k++)
        ROUND(K[k], w[k]);
    store(out + 8 * i, a, b, c, d, e, f, g, h);
}

// Sixteen words in registers, made anew while the rounds go on.
extern "C" __global__ void sha_rolling(unsigned *out, const uint4 *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned w[16];
#pragma unroll
    for (int k = 0; k < 4; k++) {
        uint4 v = in[4 * i + k];
        w[4 * k] = swap_bytes(v.x);
        w[4 * k + 1] = swap_bytes(v.y);
        w[4 * k + 2] = swap_bytes(v.z);
        w[4 * k + 3] = swap_bytes(v.w);
    }
    unsigned a = 0x6a09e667, b = 0xbb67ae85, c = 0x3c6ef372, d = 0xa54ff53a;
    unsigned e = 0x510e527f, f = 0x9b05688c, g = 0x1f83d9ab, h = 0x5be0cd19;
#pragma unroll
    for (int k = 0; k < 16; k++)
        ROUND(K[k], w[k]);
#pragma unroll 1
    for (int round = 16; round < 64; round += 16) {
#pragma unroll
        for (int k = 0; k < 16; k++) {
            unsigned x = w[(k + 1) & 15], y = w[(k + 14) & 15];
            w[k] += (rotr(x, 7) ^ rotr(x, 18) ^ (x >> 3)) + w[(k + 9) & 15] + (rotr(y, 17) ^ rotr(y, 19) ^ (y >> 10));
            ROUND(K[round + k], w[k]);
        }
    }
    store(out + 8 * i, a, b, c, d, e, f, g, h);
}
