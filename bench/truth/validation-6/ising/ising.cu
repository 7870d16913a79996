// Metropolis' rule on a board that closes in itself, first for one colour, then for the other; beta is 0.4. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

__device__ unsigned chance(unsigned i, unsigned colour)
{
    unsigned h = 2 * i + colour + 0x9e3779b9;
    h ^= h >> 16;
    h *= 0x85ebca6b;
    h ^= h >> 13;
    h *= 0xc2b2ae35;
    h ^= h >> 16;
    return h >> 8;
}

extern "C" __global__ void ising_bytes(unsigned char *out, const unsigned char *in, int n, int colour)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n)
        return;
    int i = y * n + x;
    unsigned char spin = in[i];
    if ((x + y) % 2 == colour) {
        int sum = in[y * n + (x + 1) % n] + in[y * n + (x + n - 1) % n] + in[(y + 1) % n * n + x] + in[(y + n - 1) % n * n + x];
        int delta = 2 * (2 * spin - 1) * (2 * sum - 4);
        float u = chance(i, colour) * (1.0f / 16777216.0f);
        if (delta <= 0 || u < expf(-0.4f * delta))
            spin = 1 - spin;
    }
    out[i] = spin;
}

__constant__ unsigned most[5] = {1u << 24, 1u << 24, 1u << 24, 3387262, 683877};

extern "C" __global__ void ising_table(unsigned char *__restrict__ out, const unsigned char *__restrict__ in, int n, int colour)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n)
        return;
    int i = y * n + x, spin = in[i];
    if (((x ^ y) & 1) == colour) {
        int left = x > 0 ? i - 1 : i + n - 1, right = x < n - 1 ? i + 1 : i - n + 1;
        int up = y > 0 ? i - n : i + n * (n - 1), down = y < n - 1 ? i + n : x;
        int sum = in[left] + in[right] + in[up] + in[down];
        if (chance(i, colour) < most[spin ? sum : 4 - sum])
            spin ^= 1;
    }
    out[i] = spin;
}

extern "C" __global__ void ising_pack(unsigned *words, const unsigned char *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned word = __ballot_sync(0xffffffff, i < n && in[i]);
    if (i < n && i % 32 == 0)
        words[i / 32] = word;
}

extern "C" __global__ void ising_unpack(unsigned char *out, const unsigned *words, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = words[i / 32] >> i % 32 & 1;
}

// 32 spins a thread: how many neighbours are alike is counted by bits; chance decides only where three or four are.
extern "C" __global__ void ising_bits(unsigned *__restrict__ out, const unsigned *__restrict__ in, int n, int colour)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, wide = n / 32;
    if (i >= n * wide)
        return;
    int x = i % wide, y = i / wide;
    unsigned own = in[i], before = in[x > 0 ? i - 1 : i + wide - 1], after = in[x < wide - 1 ? i + 1 : i - wide + 1];
    unsigned a = ~(own ^ (own << 1 | before >> 31)), b = ~(own ^ (own >> 1 | after << 31));
    unsigned c = ~(own ^ in[y > 0 ? i - wide : i + wide * (n - 1)]), d = ~(own ^ in[y < n - 1 ? i + wide : x]);
    unsigned all = a & b & c & d, three = (a & b & (c | d)) | ((a | b) & c & d);
    unsigned here = (y + colour) % 2 ? 0xaaaaaaaa : 0x55555555;
    unsigned flips = here & ~three;
    for (unsigned left = here & three; left; left &= left - 1) {
        int bit = __ffs(left) - 1;
        if (chance(32 * i + bit, colour) < (all >> bit & 1 ? 683877 : 3387262))
            flips |= 1u << bit;
    }
    out[i] = own ^ flips;
}
