// GHASH of messages of eight blocks, of two numbers of 64 bits each, high one first. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
typedef unsigned long long u64;

__device__ ulonglong2 shifted(ulonglong2 v)
{
    u64 low = v.y & 1;
    v.y = v.y >> 1 | v.x << 63;
    v.x = v.x >> 1 ^ (low ? 0xe100000000000000ull : 0);
    return v;
}

__device__ ulonglong2 multiply(ulonglong2 y, ulonglong2 h)
{
    ulonglong2 z = make_ulonglong2(0, 0);
    for (int i = 0; i < 128; i++) {
        u64 word = i < 64 ? y.x : y.y;
        if (word >> (63 - i % 64) & 1) {
            z.x ^= h.x;
            z.y ^= h.y;
        }
        h = shifted(h);
    }
    return z;
}

extern "C" __global__ void ghash_bits(ulonglong2 *out, const ulonglong2 *in, const ulonglong2 *key, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    ulonglong2 y = make_ulonglong2(0, 0);
    for (int k = 0; k < 8; k++) {
        y.x ^= in[i * 8 + k].x;
        y.y ^= in[i * 8 + k].y;
        y = multiply(y, key[0]);
    }
    out[i] = y;
}

// Multiples of h by four bits, of which the highest is 1; and what four bits that are shifted out add.
__device__ void tables(ulonglong2 *multiple, u64 *rest, ulonglong2 h, int i)
{
    ulonglong2 sum = make_ulonglong2(0, 0), v = make_ulonglong2(0, i);
    for (int bit = 8; bit > 0; bit /= 2) {
        if (i & bit) {
            sum.x ^= h.x;
            sum.y ^= h.y;
        }
        h = shifted(h);
        v = shifted(v);
    }
    multiple[i] = sum;
    rest[i] = v.x;
}

__device__ ulonglong2 by_table(ulonglong2 y, const ulonglong2 *multiple, const u64 *rest)
{
    ulonglong2 z = make_ulonglong2(0, 0);
#pragma unroll 4
    for (int i = 0; i < 32; i++) {
        ulonglong2 add = multiple[(i < 16 ? y.y : y.x) >> (i % 16 * 4) & 15];
        u64 out = rest[z.y & 15];
        z.y = (z.y >> 4 | z.x << 60) ^ add.y;
        z.x = z.x >> 4 ^ out ^ add.x;
    }
    return z;
}

extern "C" __global__ void __launch_bounds__(128) ghash_table(ulonglong2 *__restrict__ out, const ulonglong2 *__restrict__ in,
                                                              const ulonglong2 *__restrict__ key, int n)
{
    __shared__ ulonglong2 multiple[16];
    __shared__ u64 rest[16];
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    if (t < 16)
        tables(multiple, rest, key[0], t);
    __syncthreads();
    if (i >= n)
        return;
    ulonglong2 y = make_ulonglong2(0, 0);
    for (int k = 0; k < 8; k++) {
        ulonglong2 v = in[i * 8 + k];
        y = by_table(make_ulonglong2(y.x ^ v.x, y.y ^ v.y), multiple, rest);
    }
    out[i] = y;
}

// A lane has the even blocks and one the odd ones, by the key's square.
extern "C" __global__ void __launch_bounds__(128) ghash_lanes(ulonglong2 *__restrict__ out, const ulonglong2 *__restrict__ in,
                                                              const ulonglong2 *__restrict__ key, int n)
{
    __shared__ ulonglong2 one[16], two[16];
    __shared__ u64 rest[16];
    int t = threadIdx.x, i = min(blockIdx.x * 64 + t / 2, n - 1), odd = t % 2;
    if (t < 16)
        tables(one, rest, key[0], t);
    else if (t >= 32 && t < 48)
        tables(two, rest, multiply(key[0], key[0]), t - 32);
    __syncthreads();
    ulonglong2 y = in[i * 8 + odd];
    for (int k = 2; k < 8; k += 2) {
        ulonglong2 v = in[i * 8 + k + odd];
        y = by_table(y, two, rest);
        y.x ^= v.x;
        y.y ^= v.y;
    }
    y = by_table(y, odd ? one : two, rest);
    y.x ^= __shfl_xor_sync(0xffffffff, y.x, 1);
    y.y ^= __shfl_xor_sync(0xffffffff, y.y, 1);
    if (!odd)
        out[i] = y;
}
