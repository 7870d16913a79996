// Poly1305 of messages of 256 bytes, each with a key of its own. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
typedef unsigned u32;
typedef unsigned long long u64;

// Five limbs of 26 bits of a block of 16 bytes and a bit behind it.
__device__ void split(u32 (&m)[5], u32 a, u32 b, u32 c, u32 d, u32 top)
{
    m[0] = a & 0x3ffffff;
    m[1] = __funnelshift_r(a, b, 26) & 0x3ffffff;
    m[2] = __funnelshift_r(b, c, 20) & 0x3ffffff;
    m[3] = __funnelshift_r(c, d, 14) & 0x3ffffff;
    m[4] = d >> 8 | top << 24;
}

__device__ void carry(u32 (&h)[5], u64 (&d)[5])
{
    for (int k = 0; k < 4; k++) {
        d[k + 1] += d[k] >> 26;
        h[k] = (u32)d[k] & 0x3ffffff;
    }
    h[0] += (u32)(d[4] >> 26) * 5;
    h[4] = (u32)d[4] & 0x3ffffff;
    h[1] += h[0] >> 26;
    h[0] &= 0x3ffffff;
}

__device__ void multiply(u64 (&d)[5], const u32 (&h)[5], const u32 (&r)[5])
{
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++)
            d[i] += (u64)h[j] * (j <= i ? r[i - j] : 5 * r[i + 5 - j]);
}

// The number modulo 2^130 - 5, and the second half of the key.
__device__ void finish(u32 *tag, u32 (&h)[5], const u32 *s)
{
    for (int k = 1; k < 5; k++) {
        u32 over = h[k] >> 26;
        h[k] &= 0x3ffffff;
        h[(k + 1) % 5] += k == 4 ? 5 * over : over;
    }
    h[1] += h[0] >> 26;
    h[0] &= 0x3ffffff;
    u32 g[5], over = 5;
    for (int k = 0; k < 5; k++) {
        g[k] = h[k] + over;
        over = g[k] >> 26;
        g[k] &= 0x3ffffff;
    }
    if (over > 0)
        for (int k = 0; k < 5; k++)
            h[k] = g[k];
    u64 sum = (u64)(h[0] | h[1] << 26) + s[0];
    tag[0] = sum;
    sum = (sum >> 32) + (h[1] >> 6 | h[2] << 20) + s[1];
    tag[1] = sum;
    sum = (sum >> 32) + (h[2] >> 12 | h[3] << 14) + s[2];
    tag[2] = sum;
    tag[3] = (sum >> 32) + (h[3] >> 18 | h[4] << 8) + s[3];
}

extern "C" __global__ void chacha8_limbs(u32 *tag, const u32 *message, const u32 *key, int n, int blocks)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    u32 r[5], h[5] = {};
    const u32 *k = key + 8 * i;
    split(r, k[0] & 0x0fffffff, k[1] & 0x0ffffffc, k[2] & 0x0ffffffc, k[3] & 0x0ffffffc, 0);
    for (int b = 0; b < blocks; b++) {
        const u32 *from = message + (i * blocks + b) * 4;
        u32 m[5];
        u64 d[5] = {};
        split(m, from[0], from[1], from[2], from[3], 1);
        for (int j = 0; j < 5; j++)
            h[j] += m[j];
        multiply(d, h, r);
        carry(h, d);
    }
    finish(tag + 4 * i, h, k + 4);
}

// One carry for two blocks: h = (h + first) r^2 + second r.
extern "C" __global__ void __launch_bounds__(128) chacha8_pairs(uint4 *__restrict__ tag, const uint4 *__restrict__ message, const uint4 *__restrict__ key, int n)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i >= n)
        return;
    u32 r[5], square[5], h[5] = {};
    uint4 k = key[2 * i], s4 = key[2 * i + 1];
    split(r, k.x & 0x0fffffff, k.y & 0x0ffffffc, k.z & 0x0ffffffc, k.w & 0x0ffffffc, 0);
    u64 d[5] = {};
    multiply(d, r, r);
    carry(square, d);
#pragma unroll 2
    for (int b = 0; b < 16; b += 2) {
        uint4 first = message[i * 16 + b], second = message[i * 16 + b + 1];
        u32 m[5], o[5];
        u64 sum[5] = {};
        split(m, first.x, first.y, first.z, first.w, 1);
        split(o, second.x, second.y, second.z, second.w, 1);
#pragma unroll
        for (int j = 0; j < 5; j++)
            h[j] += m[j];
        multiply(sum, h, square);
        multiply(sum, o, r);
        carry(h, sum);
    }
    u32 s[4] = {s4.x, s4.y, s4.z, s4.w}, out[4];
    finish(out, h, s);
    tag[i] = make_uint4(out[0], out[1], out[2], out[3]);
}
