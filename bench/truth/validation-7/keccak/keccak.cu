// Keccak-f[1600] of states that lie one after another. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
typedef unsigned long long word;

__constant__ word rounds[24] = {
    0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000, 0x000000000000808b, 0x0000000080000001,
    0x8000000080008081, 0x8000000000008009, 0x000000000000008a, 0x0000000000000088, 0x0000000080008009, 0x000000008000000a,
    0x000000008000808b, 0x800000000000008b, 0x8000000000008089, 0x8000000000008003, 0x8000000000008002, 0x8000000000000080,
    0x000000000000800a, 0x800000008000000a, 0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008,
};
// By how much word x + 5 y is turned, and where it goes.
__constant__ int turns[25] = {0, 1, 62, 28, 27, 36, 44, 6, 55, 20, 3, 10, 43, 25, 39, 41, 45, 15, 21, 8, 18, 2, 61, 56, 14};
__constant__ int places[25] = {0, 10, 20, 5, 15, 16, 1, 11, 21, 6, 7, 17, 2, 12, 22, 23, 8, 18, 3, 13, 14, 24, 9, 19, 4};

__device__ word turned(word v, int by)
{
    return v << (by & 63) | v >> (-by & 63);
}

// Arrays that loops index.
extern "C" __global__ void keccak_local(word *out, const word *in, int states)
{
    int n = blockIdx.x * blockDim.x + threadIdx.x;
    if (n >= states)
        return;
    word a[25], b[25], c[5];
    for (int i = 0; i < 25; i++)
        a[i] = in[n * 25 + i];
#pragma unroll 1
    for (int round = 0; round < 24; round++) {
#pragma unroll 1
        for (int x = 0; x < 5; x++)
            c[x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
#pragma unroll 1
        for (int i = 0; i < 25; i++)
            b[places[i]] = turned(a[i] ^ c[(i + 4) % 5] ^ turned(c[(i + 1) % 5], 1), turns[i]);
#pragma unroll 1
        for (int y = 0; y < 25; y += 5)
            for (int x = 0; x < 5; x++)
                a[y + x] = b[y + x] ^ (~b[y + (x + 1) % 5] & b[y + (x + 2) % 5]);
        a[0] ^= rounds[round];
    }
    for (int i = 0; i < 25; i++)
        out[n * 25 + i] = a[i];
}

// Words, turns and places are known to the compiler; a block's states go through shared memory.
extern "C" __global__ void __launch_bounds__(64) keccak_registers(word *__restrict__ out, const word *__restrict__ in, int states)
{
    __shared__ word s[64 * 25];
    const int turn[25] = {0, 1, 62, 28, 27, 36, 44, 6, 55, 20, 3, 10, 43, 25, 39, 41, 45, 15, 21, 8, 18, 2, 61, 56, 14};
    const int place[25] = {0, 10, 20, 5, 15, 16, 1, 11, 21, 6, 7, 17, 2, 12, 22, 23, 8, 18, 3, 13, 14, 24, 9, 19, 4};
    int t = threadIdx.x, first = blockIdx.x * 64, count = min(64, states - first) * 25;
    for (int i = t; i < count; i += 64)
        s[i] = in[first * 25 + i];
    __syncthreads();
    if (first + t < states) {
        word a[25], b[25], c[5];
#pragma unroll
        for (int i = 0; i < 25; i++)
            a[i] = s[t * 25 + i];
#pragma unroll 1
        for (int round = 0; round < 24; round++) {
#pragma unroll
            for (int x = 0; x < 5; x++)
                c[x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
#pragma unroll
            for (int i = 0; i < 25; i++)
                b[place[i]] = turned(a[i] ^ c[(i + 4) % 5] ^ turned(c[(i + 1) % 5], 1), turn[i]);
#pragma unroll
            for (int i = 0; i < 25; i++)
                a[i] = b[i] ^ (~b[i / 5 * 5 + (i + 1) % 5] & b[i / 5 * 5 + (i + 2) % 5]);
            a[0] ^= rounds[round];
        }
#pragma unroll
        for (int i = 0; i < 25; i++)
            s[t * 25 + i] = a[i];
    }
    __syncthreads();
    for (int i = t; i < count; i += 64)
        out[first * 25 + i] = s[i];
}

// A warp a state: 25 lanes have a word each.
extern "C" __global__ void keccak_lanes(word *__restrict__ out, const word *__restrict__ in, int states)
{
    int n = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (n >= states)
        return;
    int own = min(lane, 24), x = own % 5, y = own / 5 * 5, turn = turns[own], from = 0;
    for (int i = 0; i < 25; i++)
        if (places[i] == own)
            from = i;
    word a = lane < 25 ? in[n * 25 + lane] : 0;
    for (int round = 0; round < 24; round++) {
        word c = a;
        for (int i = 5; i < 25; i += 5)
            c ^= __shfl_sync(0xffffffff, a, (own + i) % 25);
        a ^= __shfl_sync(0xffffffff, c, (x + 4) % 5) ^ turned(__shfl_sync(0xffffffff, c, (x + 1) % 5), 1);
        word b = __shfl_sync(0xffffffff, turned(a, turn), from);
        word next = __shfl_sync(0xffffffff, b, y + (x + 1) % 5), second = __shfl_sync(0xffffffff, b, y + (x + 2) % 5);
        a = b ^ (~next & second);
        if (lane == 0)
            a ^= rounds[round];
    }
    if (lane < 25)
        out[n * 25 + lane] = a;
}
