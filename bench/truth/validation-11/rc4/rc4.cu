// Bytes of keyed streams whose state is a permutation of 256 bytes. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void rc4_local(unsigned char *out, const unsigned char *key, int n, int length, int bytes)
{
    unsigned char s[256];
    int stream = blockIdx.x * blockDim.x + threadIdx.x;
    if (stream >= n)
        return;
    for (int i = 0; i < 256; i++)
        s[i] = i;
    int j = 0;
    for (int i = 0; i < 256; i++) {
        j = (j + s[i] + key[stream * length + i % length]) % 256;
        unsigned char v = s[i];
        s[i] = s[j];
        s[j] = v;
    }
    j = 0;
    for (int k = 0; k < bytes; k++) {
        int i = (k + 1) % 256;
        j = (j + s[i]) % 256;
        unsigned char v = s[i];
        s[i] = s[j];
        s[j] = v;
        out[stream * bytes + k] = s[(s[i] + s[j]) % 256];
    }
}

extern "C" __global__ void __launch_bounds__(64) rc4_shared(unsigned char *out, const unsigned char *key, int n)
{
    __shared__ unsigned char states[64][256];
    unsigned char *s = states[threadIdx.x];
    int stream = blockIdx.x * 64 + threadIdx.x;
    if (stream >= n)
        return;
    for (int i = 0; i < 256; i++)
        s[i] = i;
    unsigned char j = 0;
    for (int i = 0; i < 256; i++) {
        unsigned char v = s[i];
        j += v + key[stream * 16 + i % 16];
        s[i] = s[j];
        s[j] = v;
    }
    j = 0;
    for (int k = 0; k < 64; k++) {
        unsigned char v = s[k + 1], w;
        j += v;
        w = s[j];
        s[k + 1] = w;
        s[j] = v;
        out[stream * 64 + k] = s[(v + w) & 255];
    }
}

// Each thread has one bank: four of its bytes lie in a word, the words of 32 threads beside each other.
extern "C" __global__ void __launch_bounds__(32) rc4_words(uint4 *__restrict__ out, const uint4 *__restrict__ key)
{
    __shared__ unsigned words[64 * 32];
    int lane = threadIdx.x, stream = blockIdx.x * 32 + lane;
    unsigned char *s = (unsigned char *)words + 4 * lane;
#pragma unroll 8
    for (int i = 0; i < 64; i++)
        words[i * 32 + lane] = 0x03020100 + i * 0x04040404;
    uint4 own = key[stream];
    unsigned k[4] = {own.x, own.y, own.z, own.w}, j = 0;
    for (int i = 0; i < 256; i += 16)
#pragma unroll
        for (int u = 0; u < 16; u++) {
            int at = (i + u) / 4 * 128 + u % 4;
            unsigned v = s[at];
            j = (j + v + (k[u / 4] >> u % 4 * 8)) & 255;
            int with = j / 4 * 128 + j % 4;
            s[at] = s[with];
            s[with] = v;
        }
    j = 0;
    for (int i = 0; i < 64; i += 16) {
        unsigned got[4] = {};
#pragma unroll
        for (int u = 0; u < 16; u++) {
            int at = (i + u + 1) / 4 * 128 + (u + 1) % 4;
            unsigned v = s[at];
            j = (j + v) & 255;
            int with = j / 4 * 128 + j % 4;
            unsigned w = s[with], sum = (v + w) & 255;
            s[at] = w;
            s[with] = v;
            got[u / 4] |= s[sum / 4 * 128 + sum % 4] << u % 4 * 8;
        }
        out[stream * 4 + i / 16] = make_uint4(got[0], got[1], got[2], got[3]);
    }
}
