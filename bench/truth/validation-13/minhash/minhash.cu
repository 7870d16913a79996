// For each of 64 seeds the least hash of all shingles of a text: FNV-1a of eight letters, mixed with the seed. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
__device__ unsigned mix(unsigned x)
{
    x ^= x >> 16;
    x *= 0x85ebca6b;
    x ^= x >> 13;
    x *= 0xc2b2ae35;
    x ^= x >> 16;
    return x;
}

extern "C" __global__ void minhash_hash(unsigned *out, const unsigned char *text, const unsigned *seeds, int texts, int length, int hashes, int shingle)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= texts * hashes)
        return;
    const unsigned char *from = text + i / hashes * length;
    unsigned seed = seeds[i % hashes], least = 0xffffffff;
    for (int p = 0; p <= length - shingle; p++) {
        unsigned x = 2166136261u;
        for (int c = 0; c < shingle; c++)
            x = (x ^ from[p + c]) * 16777619u;
        least = min(least, mix(x ^ seed));
    }
    out[i] = least;
}

// A block of 64 a text: shingles are hashed once.
extern "C" __global__ void minhash_shared(unsigned *out, const unsigned char *text, const unsigned *seeds)
{
    __shared__ unsigned char letters[256];
    __shared__ unsigned hashes[249];
    int t = threadIdx.x;
    ((unsigned *)letters)[t] = ((const unsigned *)text)[blockIdx.x * 64 + t];
    __syncthreads();
    for (int p = t; p < 249; p += 64) {
        unsigned x = 2166136261u;
#pragma unroll
        for (int c = 0; c < 8; c++)
            x = (x ^ letters[p + c]) * 16777619u;
        hashes[p] = x;
    }
    __syncthreads();
    unsigned seed = seeds[t], least = 0xffffffff;
    for (int p = 0; p < 249; p++)
        least = min(least, mix(hashes[p] ^ seed));
    out[blockIdx.x * 64 + t] = least;
}

// A warp a text: eight letters of its own and eight of the next lane's a lane, hashes handed round, two seeds a lane.
extern "C" __global__ void __launch_bounds__(128) minhash_lanes(unsigned *__restrict__ out, const uint2 *__restrict__ text, const unsigned *__restrict__ seeds, int texts)
{
    int t = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (t >= texts)
        return;
    uint2 own = text[t * 32 + lane];
    unsigned a = own.x, b = own.y, c = __shfl_down_sync(0xffffffff, a, 1), d = __shfl_down_sync(0xffffffff, b, 1);
    unsigned s = seeds[lane], u = seeds[lane + 32], low = 0xffffffff, high = 0xffffffff;
#pragma unroll
    for (int p = 0; p < 8; p++) {
        unsigned x = 2166136261u;
#pragma unroll
        for (int k = 0; k < 8; k++)
            x = (x ^ ((k < 4 ? a : b) >> k % 4 * 8 & 255)) * 16777619u;
        int lanes = p == 0 ? 32 : 31;
#pragma unroll 4
        for (int k = 0; k < lanes; k++) {
            unsigned y = __shfl_sync(0xffffffff, x, k);
            low = min(low, mix(y ^ s));
            high = min(high, mix(y ^ u));
        }
        a = __funnelshift_r(a, b, 8);
        b = __funnelshift_r(b, c, 8);
        c = __funnelshift_r(c, d, 8);
        d >>= 8;
    }
    out[t * 64 + lane] = low;
    out[t * 64 + lane + 32] = high;
}
