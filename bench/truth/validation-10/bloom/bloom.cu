// Keys probed in a filter of 2^21 bits with eight hashes. It holds 20000 keys of 40000 and says of no other one that it is there. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
__device__ unsigned mixed(unsigned k, unsigned seed)
{
    k ^= seed;
    k = (k ^ k >> 16) * 0x7feb352d;
    k = (k ^ k >> 15) * 0x846ca68b;
    return k ^ k >> 16;
}

extern "C" __global__ void bloom_clear(unsigned *filter, int words)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < words)
        filter[i] = 0;
}

extern "C" __global__ void bloom_put(unsigned *filter, int n, int log2_bits, int hashes)
{
    int key = blockIdx.x * blockDim.x + threadIdx.x;
    if (key >= n)
        return;
    unsigned a = mixed(key, 0x9747b28c), b = mixed(key, 0x3c6ef372) | 1;
    for (int k = 0; k < hashes; k++) {
        unsigned bit = (a + k * b) >> (32 - log2_bits);
        atomicOr(&filter[bit / 32], 1u << (bit % 32));
    }
}

extern "C" __global__ void bloom_probe(unsigned char *found, const unsigned *filter, const unsigned *keys, int n, int log2_bits, int hashes)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned a = mixed(keys[i], 0x9747b28c), b = mixed(keys[i], 0x3c6ef372) | 1;
    for (int k = 0; k < hashes; k++) {
        unsigned bit = (a + k * b) >> (32 - log2_bits);
        if (!(filter[bit / 32] >> (bit % 32) & 1)) {
            found[i] = 0;
            return;
        }
    }
    found[i] = 1;
}

__constant__ unsigned salts[8] = {0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31};

// A key has a bit in each of the eight words of its block; eight threads put it.
extern "C" __global__ void __launch_bounds__(128) bloom_put_blocked(unsigned *filter, int n)
{
    int i = blockIdx.x * 128 + threadIdx.x, key = i / 8, k = i % 8;
    if (key >= n)
        return;
    unsigned block = mixed(key, 0x9747b28c) >> 19, bit = mixed(key, 0x3c6ef372) * salts[k] >> 27;
    atomicOr(&filter[block * 8 + k], 1u << bit);
}

__device__ unsigned one(unsigned hash, int k)
{
    return 1u << (hash * salts[k] >> 27);
}

extern "C" __global__ void __launch_bounds__(256) bloom_probe_blocked(unsigned char *__restrict__ found, const uint4 *__restrict__ filter,
                                                                      const unsigned *__restrict__ keys, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n)
        return;
    unsigned key = keys[i], block = mixed(key, 0x9747b28c) >> 19, hash = mixed(key, 0x3c6ef372);
    uint4 a = filter[block * 2], b = filter[block * 2 + 1];
    unsigned missing = (~a.x & one(hash, 0)) | (~a.y & one(hash, 1)) | (~a.z & one(hash, 2)) | (~a.w & one(hash, 3)) | (~b.x & one(hash, 4)) |
                       (~b.y & one(hash, 5)) | (~b.z & one(hash, 6)) | (~b.w & one(hash, 7));
    found[i] = missing == 0;
}
