// SipHash-2-4 of keys of four words of 64 bits. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
typedef unsigned long long u64;

__device__ u64 left(u64 v, int by)
{
    return v << by | v >> (64 - by);
}

struct state {
    u64 v0, v1, v2, v3;

    __device__ state(u64 k0, u64 k1)
        : v0(k0 ^ 0x736f6d6570736575ull), v1(k1 ^ 0x646f72616e646f6dull), v2(k0 ^ 0x6c7967656e657261ull), v3(k1 ^ 0x7465646279746573ull)
    {
    }

    __device__ void round()
    {
        v0 += v1;
        v1 = left(v1, 13) ^ v0;
        v0 = left(v0, 32);
        v2 += v3;
        v3 = left(v3, 16) ^ v2;
        v0 += v3;
        v3 = left(v3, 21) ^ v0;
        v2 += v1;
        v1 = left(v1, 17) ^ v2;
        v2 = left(v2, 32);
    }

    __device__ void word(u64 m)
    {
        v3 ^= m;
        round();
        round();
        v0 ^= m;
    }

    __device__ u64 end()
    {
        word(32ull << 56);
        v2 ^= 0xff;
        for (int i = 0; i < 4; i++)
            round();
        return v0 ^ v1 ^ v2 ^ v3;
    }
};

extern "C" __global__ void siphash_thread(u64 *out, const u64 *in, int count, u64 k0, u64 k1)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    state s(k0, k1);
    for (int j = 0; j < 4; j++)
        s.word(in[4 * i + j]);
    out[i] = s.end();
}

extern "C" __global__ void siphash_shared(u64 *out, const u64 *in, int count, u64 k0, u64 k1)
{
    __shared__ u64 keys[4][129];
    int t = threadIdx.x, first = blockIdx.x * 128;
    for (int i = t; i < 512; i += 128)
        if (4 * first + i < 4 * count)
            keys[i % 4][i / 4] = in[4 * first + i];
    __syncthreads();
    if (first + t >= count)
        return;
    state s(k0, k1);
    for (int j = 0; j < 4; j++)
        s.word(keys[j][t]);
    out[first + t] = s.end();
}

// Two keys a thread, 16 bytes at once: one's rounds fill the other's waits.
extern "C" __global__ void siphash_two(u64 *__restrict__ out, const ulonglong2 *__restrict__ in, int count, u64 k0, u64 k1)
{
    int i = blockIdx.x * 256 + threadIdx.x, j = i + 128;
    if (i >= count)
        return;
    ulonglong2 a = in[2 * i], b = in[2 * i + 1], zero = make_ulonglong2(0, 0);
    ulonglong2 c = j < count ? in[2 * j] : zero, d = j < count ? in[2 * j + 1] : zero;
    state s(k0, k1), r(k0, k1);
    s.word(a.x);
    r.word(c.x);
    s.word(a.y);
    r.word(c.y);
    s.word(b.x);
    r.word(d.x);
    s.word(b.y);
    r.word(d.y);
    out[i] = s.end();
    u64 other = r.end();
    if (j < count)
        out[j] = other;
}
