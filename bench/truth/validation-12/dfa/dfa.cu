// The last state of each line, and how often states from 28 on were met above it. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void dfa_global(unsigned *out, const unsigned char *text, const unsigned char *moves, int n, int length)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int state = 0, hits = 0;
    for (int k = 0; k < length; k++) {
        state = moves[state * 256 + text[(size_t)i * length + k]];
        if (state >= 28)
            hits++;
    }
    out[i] = state | hits << 8;
}

extern "C" __global__ void dfa_shared(unsigned *out, const unsigned char *text, const unsigned char *moves, int n, int length)
{
    __shared__ unsigned char table[8192];
    for (int k = threadIdx.x; k < 8192; k += blockDim.x)
        table[k] = moves[k];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int state = 0, hits = 0;
    for (int k = 0; k < length; k++) {
        state = table[state * 256 + text[(size_t)i * length + k]];
        if (state >= 28)
            hits++;
    }
    out[i] = state | hits << 8;
}

extern "C" __global__ void __launch_bounds__(128) dfa_words(unsigned *__restrict__ out, const uint4 *__restrict__ text, const uint4 *__restrict__ moves, int n)
{
    __shared__ __align__(16) unsigned char table[8192];
    for (int k = threadIdx.x; k < 512; k += 128)
        ((uint4 *)table)[k] = moves[k];
    __syncthreads();
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i >= n)
        return;
    unsigned state = 0, hits = 0;
    uint4 ahead = text[i * 8];
    for (int k = 0; k < 8; k++) {
        unsigned four[4] = {ahead.x, ahead.y, ahead.z, ahead.w};
        if (k < 7)
            ahead = text[i * 8 + k + 1];
#pragma unroll
        for (int j = 0; j < 16; j++) {
            state = table[state << 8 | (four[j / 4] >> j % 4 * 8 & 255)];
            hits += state >= 28;
        }
    }
    out[i] = state | hits << 8;
}
