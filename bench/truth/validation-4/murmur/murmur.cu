// MurmurHash3 of 32 bits, of keys of 64 bytes. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
typedef unsigned char u8;
constexpr unsigned SEED = 42;

__device__ unsigned rotl(unsigned v, int r)
{
    return (v << r) | (v >> (32 - r));
}

__device__ unsigned mix(unsigned h, unsigned k)
{
    k *= 0xcc9e2d51;
    k = rotl(k, 15);
    k *= 0x1b873593;
    h ^= k;
    h = rotl(h, 13);
    return h * 5 + 0xe6546b64;
}

__device__ unsigned finish(unsigned h, unsigned length)
{
    h ^= length;
    h ^= h >> 16;
    h *= 0x85ebca6b;
    h ^= h >> 13;
    h *= 0xc2b2ae35;
    h ^= h >> 16;
    return h;
}

extern "C" __global__ void murmur_bytes(unsigned *out, const u8 *keys, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const u8 *p = keys + 64 * i;
    unsigned h = SEED;
    for (int w = 0; w < 16; w++, p += 4)
        h = mix(h, p[0] | p[1] << 8 | p[2] << 16 | p[3] << 24);
    out[i] = finish(h, 64);
}

extern "C" __global__ void murmur_words(unsigned *out, const unsigned *keys, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned h = SEED;
    for (int w = 0; w < 16; w++)
        h = mix(h, keys[16 * i + w]);
    out[i] = finish(h, 64);
}

extern "C" __global__ void murmur_wide(unsigned *__restrict__ out, const uint4 *__restrict__ keys, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    uint4 k[4];
#pragma unroll
    for (int w = 0; w < 4; w++)
        k[w] = keys[4 * i + w];
    unsigned h = SEED;
#pragma unroll
    for (int w = 0; w < 4; w++)
        h = mix(mix(mix(mix(h, k[w].x), k[w].y), k[w].z), k[w].w);
    out[i] = finish(h, 64);
}
