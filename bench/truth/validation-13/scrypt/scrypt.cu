// The part of scrypt that needs memory: a table of 64 states of 128 bytes is filled, then read in an order that the states choose. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
#define ROTL(v, n) (((v) << (n)) | ((v) >> (32 - (n))))

#define QUARTER(a, b, c, d)        \
    x[b] ^= ROTL(x[a] + x[d], 7);  \
    x[c] ^= ROTL(x[b] + x[a], 9);  \
    x[d] ^= ROTL(x[c] + x[b], 13); \
    x[a] ^= ROTL(x[d] + x[c], 18);

// b = Salsa20/8 of b ^ a.
__device__ void salsa20_8(unsigned b[16], const unsigned a[16])
{
    unsigned x[16];
    for (int i = 0; i < 16; i++)
        x[i] = b[i] ^= a[i];
    for (int i = 0; i < 8; i += 2) {
        QUARTER(0, 4, 8, 12)
        QUARTER(5, 9, 13, 1)
        QUARTER(10, 14, 2, 6)
        QUARTER(15, 3, 7, 11)
        QUARTER(0, 1, 2, 3)
        QUARTER(5, 6, 7, 4)
        QUARTER(10, 11, 8, 9)
        QUARTER(15, 12, 13, 14)
    }
    for (int i = 0; i < 16; i++)
        b[i] += x[i];
}

extern "C" __global__ void scrypt_streams(unsigned *out, const unsigned *in, unsigned *table, int streams, int blocks)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= streams)
        return;
    unsigned x[32];
    unsigned *v = table + s * blocks * 32;
    for (int k = 0; k < 32; k++)
        x[k] = in[s * 32 + k];
    for (int i = 0; i < blocks; i++) {
        for (int k = 0; k < 32; k++)
            v[i * 32 + k] = x[k];
        salsa20_8(&x[0], &x[16]);
        salsa20_8(&x[16], &x[0]);
    }
    for (int i = 0; i < blocks; i++) {
        int j = 32 * (x[16] & (blocks - 1));
        for (int k = 0; k < 32; k++)
            x[k] ^= v[j + k];
        salsa20_8(&x[0], &x[16]);
        salsa20_8(&x[16], &x[0]);
    }
    for (int k = 0; k < 32; k++)
        out[s * 32 + k] = x[k];
}

__device__ __forceinline__ void quarter(unsigned &a, unsigned &b, unsigned &c, unsigned &d)
{
    b ^= __funnelshift_l(a + d, a + d, 7);
    c ^= __funnelshift_l(b + a, b + a, 9);
    d ^= __funnelshift_l(c + b, c + b, 13);
    a ^= __funnelshift_l(d + c, d + c, 18);
}

__device__ __forceinline__ void salsa(unsigned (&b)[16], const unsigned (&a)[16])
{
    unsigned x[16];
#pragma unroll
    for (int i = 0; i < 16; i++)
        x[i] = b[i] ^= a[i];
#pragma unroll 1
    for (int i = 0; i < 4; i++) {
#pragma unroll
        for (int c = 0; c < 4; c++)
            quarter(x[5 * c], x[(5 * c + 4) % 16], x[(5 * c + 8) % 16], x[(5 * c + 12) % 16]);
#pragma unroll
        for (int r = 0; r < 4; r++)
            quarter(x[5 * r], x[4 * r + (r + 1) % 4], x[4 * r + (r + 2) % 4], x[4 * r + (r + 3) % 4]);
    }
#pragma unroll
    for (int i = 0; i < 16; i++)
        b[i] += x[i];
}

// A word of all streams after the other in the table.
extern "C" __global__ void __launch_bounds__(32) scrypt_words(unsigned *__restrict__ out, const unsigned *__restrict__ in, unsigned *__restrict__ table, int streams)
{
    int s = blockIdx.x * 32 + threadIdx.x;
    if (s >= streams)
        return;
    unsigned a[16], b[16], *v = table + s;
#pragma unroll
    for (int k = 0; k < 16; k++) {
        a[k] = in[s * 32 + k];
        b[k] = in[s * 32 + 16 + k];
    }
#pragma unroll 1
    for (int i = 0; i < 64; i++) {
#pragma unroll
        for (int k = 0; k < 16; k++) {
            v[(i * 32 + k) * streams] = a[k];
            v[(i * 32 + 16 + k) * streams] = b[k];
        }
        salsa(a, b);
        salsa(b, a);
    }
#pragma unroll 1
    for (int i = 0; i < 64; i++) {
        unsigned j = 32 * (b[0] & 63);
#pragma unroll
        for (int k = 0; k < 16; k++) {
            a[k] ^= v[(j + k) * streams];
            b[k] ^= v[(j + 16 + k) * streams];
        }
        salsa(a, b);
        salsa(b, a);
    }
#pragma unroll
    for (int k = 0; k < 16; k++) {
        out[s * 32 + k] = a[k];
        out[s * 32 + 16 + k] = b[k];
    }
}
