// Ten products modulo 2^255 - 19, each of the one before it and the second number. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
typedef unsigned u32;
typedef unsigned long long u64;

// The lowest number of 255 bits that is the same modulo 2^255 - 19.
__device__ void store(u32 *out, u32 (&x)[8])
{
    u64 sum = 19 * (x[7] >> 31);
    x[7] &= 0x7fffffff;
    for (int k = 0; k < 8; k++) {
        sum += x[k];
        x[k] = sum;
        sum >>= 32;
    }
    u32 y[8];
    sum = 19;
    for (int k = 0; k < 8; k++) {
        sum += x[k];
        y[k] = sum;
        sum >>= 32;
    }
    bool over = y[7] >> 31;
    y[7] &= 0x7fffffff;
    for (int k = 0; k < 8; k++)
        out[k] = over ? y[k] : x[k];
}

extern "C" __global__ void ed25519_words(u32 *out, const u32 *a, const u32 *b, int n, int products)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    u32 x[8], y[8];
    for (int k = 0; k < 8; k++) {
        x[k] = a[8 * i + k];
        y[k] = b[8 * i + k];
    }
    for (int product = 0; product < products; product++) {
        u32 z[16] = {};
        for (int j = 0; j < 8; j++) {
            u64 sum = 0;
            for (int k = 0; k < 8; k++) {
                sum += (u64)x[j] * y[k] + z[j + k];
                z[j + k] = sum;
                sum >>= 32;
            }
            z[j + 8] = sum;
        }
        // 2^256 is 38.
        u64 sum = 0;
        for (int k = 0; k < 8; k++) {
            sum += (u64)z[k + 8] * 38 + z[k];
            x[k] = sum;
            sum >>= 32;
        }
        sum *= 38;
        for (int k = 0; k < 8; k++) {
            sum += x[k];
            x[k] = sum;
            sum >>= 32;
        }
        x[0] += 38 * (u32)sum;
    }
    store(out + 8 * i, x);
}

// The first bit of a limb: they have 26 and 25 bits in turn.
__device__ constexpr int bit(int k)
{
    return k / 2 * 51 + k % 2 * 26;
}

__device__ void to_limbs(u32 (&h)[10], const uint4 *from)
{
    uint4 low = from[0], high = from[1];
    u32 w[9] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w, 0};
#pragma unroll
    for (int k = 0; k < 10; k++)
        h[k] = __funnelshift_r(w[bit(k) / 32], w[bit(k) / 32 + 1], bit(k) % 32) & (k % 2 == 0 || k == 9 ? 0x3ffffff : 0x1ffffff);
}

extern "C" __global__ void __launch_bounds__(128) ed25519_limbs(u32 *__restrict__ out, const uint4 *__restrict__ a, const uint4 *__restrict__ b, int n)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i >= n)
        return;
    u32 f[10], g[10], g19[10];
    to_limbs(f, a + 2 * i);
    to_limbs(g, b + 2 * i);
#pragma unroll
    for (int k = 0; k < 10; k++)
        g19[k] = 19 * g[k];
    for (int product = 0; product < 10; product++) {
        u64 h[10] = {};
#pragma unroll
        for (int j = 0; j < 10; j++)
#pragma unroll
            for (int k = 0; k < 10; k++)
                h[(j + k) % 10] += (u64)(j % 2 == 1 && k % 2 == 1 ? 2 * f[j] : f[j]) * (j + k < 10 ? g[k] : g19[k]);
#pragma unroll
        for (int k = 0; k < 9; k++) {
            int bits = 26 - k % 2;
            h[k + 1] += h[k] >> bits;
            f[k] = (u32)h[k] & ((1u << bits) - 1);
        }
        f[9] = (u32)h[9] & 0x1ffffff;
        u64 first = f[0] + 19 * (h[9] >> 25);
        f[0] = (u32)first & 0x3ffffff;
        f[1] += (u32)(first >> 26);
    }
    u32 x[8];
    u64 sum = 0;
    int word = 0;
#pragma unroll
    for (int k = 0; k < 10; k++) {
        sum += (u64)f[k] << (bit(k) - 32 * word);
        if (bit(k + 1) - 32 * word >= 32) {
            x[word++] = (u32)sum;
            sum >>= 32;
        }
    }
    if (word < 8)
        x[7] = (u32)sum;
    store(out + 8 * i, x);
}
