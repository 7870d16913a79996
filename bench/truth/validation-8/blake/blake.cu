// BLAKE2s of blocks of 64 bytes. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
__constant__ unsigned char sigma[10][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4}, {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13}, {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11}, {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5}, {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};
__constant__ unsigned start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

__device__ unsigned right(unsigned v, int by)
{
    return v >> by | v << (32 - by);
}

__device__ void mix(unsigned &a, unsigned &b, unsigned &c, unsigned &d, unsigned x, unsigned y)
{
    a += b + x;
    d = right(d ^ a, 16);
    c += d;
    b = right(b ^ c, 12);
    a += b + y;
    d = right(d ^ a, 8);
    c += d;
    b = right(b ^ c, 7);
}

extern "C" __global__ void blake_local(unsigned *out, const unsigned *in, int blocks)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= blocks)
        return;
    unsigned m[16], v[16], h[8];
    for (int k = 0; k < 16; k++)
        m[k] = in[i * 16 + k];
    for (int k = 0; k < 8; k++)
        h[k] = start[k];
    h[0] ^= 0x01010020;
    for (int k = 0; k < 8; k++) {
        v[k] = h[k];
        v[k + 8] = start[k];
    }
    v[12] ^= 64;
    v[14] = ~v[14];
#pragma unroll 1
    for (int r = 0; r < 10; r++)
#pragma unroll 1
        for (int k = 0; k < 8; k++) {
            int turn = k / 4, a = k % 4, b = 4 + (a + turn) % 4, c = 8 + (a + 2 * turn) % 4, d = 12 + (a + 3 * turn) % 4;
            mix(v[a], v[b], v[c], v[d], m[sigma[r][2 * k]], m[sigma[r][2 * k + 1]]);
        }
    for (int k = 0; k < 8; k++)
        out[i * 8 + k] = h[k] ^ v[k] ^ v[k + 8];
}

#define ROUND(s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15)                                                        \
    mix(v[0], v[4], v[8], v[12], m[s0], m[s1]);                                                                                             \
    mix(v[1], v[5], v[9], v[13], m[s2], m[s3]);                                                                                             \
    mix(v[2], v[6], v[10], v[14], m[s4], m[s5]);                                                                                            \
    mix(v[3], v[7], v[11], v[15], m[s6], m[s7]);                                                                                            \
    mix(v[0], v[5], v[10], v[15], m[s8], m[s9]);                                                                                            \
    mix(v[1], v[6], v[11], v[12], m[s10], m[s11]);                                                                                          \
    mix(v[2], v[7], v[8], v[13], m[s12], m[s13]);                                                                                           \
    mix(v[3], v[4], v[9], v[14], m[s14], m[s15])

extern "C" __global__ void __launch_bounds__(128) blake_unrolled(uint4 *__restrict__ out, const uint4 *__restrict__ in, int blocks)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= blocks)
        return;
    uint4 w[4] = {in[4 * i], in[4 * i + 1], in[4 * i + 2], in[4 * i + 3]};
    unsigned m[16] = {w[0].x, w[0].y, w[0].z, w[0].w, w[1].x, w[1].y, w[1].z, w[1].w,
                      w[2].x, w[2].y, w[2].z, w[2].w, w[3].x, w[3].y, w[3].z, w[3].w};
    unsigned v[16] = {0x6b08e647, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
                      0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e523f, 0x9b05688c, 0xe07c2654, 0x5be0cd19};
    ROUND(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    ROUND(14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3);
    ROUND(11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4);
    ROUND(7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8);
    ROUND(9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13);
    ROUND(2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9);
    ROUND(12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11);
    ROUND(13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10);
    ROUND(6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5);
    ROUND(10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0);
    out[2 * i] = make_uint4(0x6b08e647 ^ v[0] ^ v[8], 0xbb67ae85 ^ v[1] ^ v[9], 0x3c6ef372 ^ v[2] ^ v[10], 0xa54ff53a ^ v[3] ^ v[11]);
    out[2 * i + 1] = make_uint4(0x510e527f ^ v[4] ^ v[12], 0x9b05688c ^ v[5] ^ v[13], 0x1f83d9ab ^ v[6] ^ v[14], 0x5be0cd19 ^ v[7] ^ v[15]);
}

// A column of the state a lane; words of the message in shared memory.
extern "C" __global__ void blake_four(unsigned *__restrict__ out, const uint4 *__restrict__ in, int blocks)
{
    __shared__ __align__(16) unsigned s[32][20];
    int group = threadIdx.x / 4, lane = threadIdx.x % 4, i = blockIdx.x * 32 + group;
    const unsigned *m = s[group];
    if (i < blocks)
        *(uint4 *)&s[group][4 * lane] = in[i * 4 + lane];
    else
        *(uint4 *)&s[group][4 * lane] = make_uint4(0, 0, 0, 0);
    __syncwarp();
    unsigned h0 = start[lane] ^ (lane == 0 ? 0x01010020 : 0), h1 = start[lane + 4];
    unsigned a = h0, b = h1, c = start[lane], d = start[lane + 4] ^ (lane == 0 ? 64 : lane == 2 ? 0xffffffff : 0);
#pragma unroll 2
    for (int r = 0; r < 10; r++) {
        mix(a, b, c, d, m[sigma[r][2 * lane]], m[sigma[r][2 * lane + 1]]);
        b = __shfl_sync(0xffffffff, b, lane + 1, 4);
        c = __shfl_sync(0xffffffff, c, lane + 2, 4);
        d = __shfl_sync(0xffffffff, d, lane + 3, 4);
        mix(a, b, c, d, m[sigma[r][8 + 2 * lane]], m[sigma[r][9 + 2 * lane]]);
        b = __shfl_sync(0xffffffff, b, lane + 3, 4);
        c = __shfl_sync(0xffffffff, c, lane + 2, 4);
        d = __shfl_sync(0xffffffff, d, lane + 1, 4);
    }
    if (i < blocks) {
        out[i * 8 + lane] = h0 ^ a ^ c;
        out[i * 8 + 4 + lane] = h1 ^ b ^ d;
    }
}
