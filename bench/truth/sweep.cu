// Working sets around the caches: the same data again and again, read, copied, changed in place,
// gathered.
// SPDX-License-Identifier: Apache-2.0

#define ME (blockIdx.x * blockDim.x + threadIdx.x)
#define ALL (gridDim.x * blockDim.x)

extern "C" __global__ void read_passes(unsigned *out, const uint4 *data, unsigned vectors, int passes)
{
    unsigned sum = 0;
    for (int pass = 1; pass <= passes; pass++)
        for (unsigned i = ME; i < vectors; i += ALL) {
            uint4 v = data[i];
            sum += (v.x ^ v.y ^ v.z ^ v.w) * pass;
        }
    out[ME] = sum;
}

// The first half to the second.
extern "C" __global__ void copy_passes(unsigned *out, uint4 *data, unsigned vectors, int passes)
{
    unsigned half = vectors / 2;
    for (int pass = 1; pass <= passes; pass++)
        for (unsigned i = ME; i < half; i += ALL) {
            uint4 v = data[i];
            v.x += pass;
            data[half + i] = v;
        }
    out[ME] = vectors;
}

extern "C" __global__ void update_passes(unsigned *out, uint4 *data, unsigned vectors, int passes)
{
    for (int pass = 1; pass <= passes; pass++)
        for (unsigned i = ME; i < vectors; i += ALL) {
            uint4 v = data[i];
            v.x = v.x * 5 + pass;
            data[i] = v;
        }
    out[ME] = vectors;
}

// One word of a place that looks like chance, as many times as there are vectors.
extern "C" __global__ void gather(unsigned *out, const uint4 *data, unsigned vectors, int passes)
{
    unsigned sum = passes;
    for (unsigned i = ME; i < vectors; i += ALL) {
        unsigned h = i * 2654435761u;
        h = (h ^ h >> 15) * 2246822519u;
        h ^= h >> 13;
        sum += data[(unsigned)((unsigned long long)h * vectors >> 32)].y;
    }
    out[ME] = sum;
}

// Around the L1: each block has a piece of its own.
extern "C" __global__ void l1_passes(unsigned *out, const unsigned *data, unsigned words, int passes)
{
    const unsigned *own = data + blockIdx.x * (size_t)words;
    unsigned sum = 0;
    for (int pass = 1; pass <= passes; pass++)
        for (unsigned i = threadIdx.x; i < words; i += blockDim.x)
            sum += own[i] * pass;
    out[ME] = sum;
}

extern "C" __global__ void l1_gather(unsigned *out, const unsigned *data, unsigned words, int passes)
{
    const unsigned *own = data + blockIdx.x * (size_t)words;
    unsigned sum = passes;
    for (unsigned i = threadIdx.x; i < words * (unsigned)passes; i += blockDim.x) {
        unsigned h = i * 2654435761u;
        h = (h ^ h >> 15) * 2246822519u;
        h ^= h >> 13;
        sum += own[(unsigned)((unsigned long long)h * words >> 32)];
    }
    out[ME] = sum;
}

// Eight words per thread, 32 bytes apart between lanes: a sector is used again by the next seven loads.
extern "C" __global__ void l1_strided(unsigned *out, const unsigned *data, unsigned words, int passes)
{
    const unsigned *own = data + blockIdx.x * (size_t)words;
    unsigned sum = 0;
    for (unsigned i = threadIdx.x * 8; i < words; i += blockDim.x * 8)
        for (int k = 0; k < 8; k++)
            sum += own[i + k] * (passes + k);
    out[ME] = sum;
}
