// Strings, codes and sorts: caesar16_*, vigenere_*, sha1w_*, bitturn_*, oesort_*, digitrows_*. Each pair's YAML says what
// differs.
// SPDX-License-Identifier: Apache-2.0

/* ---- Letters shifted by three ---- */

static __device__ __forceinline__ unsigned char shifted(unsigned char c)
{
    return c >= 'x' ? c - 23 : c + 3;
}

extern "C" __global__ void caesar16_byte(unsigned char *out, const unsigned char *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = shifted(in[i]);
}

// 16 letters, four at a time: 23 is taken where a letter is above w.
extern "C" __global__ void caesar16_words(uint4 *out, const uint4 *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    uint4 v = in[i];
    unsigned word[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
    for (int k = 0; k < 4; k++)
        word[k] = word[k] + 0x03030303u - (word[k] + 0x08080808u >> 7 & 0x01010101u) * 26;
    out[i] = make_uint4(word[0], word[1], word[2], word[3]);
}

/* ---- Letters shifted by a key, 16 a thread ---- */

extern "C" __global__ void vigenere_each(uint4 *out, const uint4 *in, const unsigned char *key, int length, int n)
{
    __shared__ unsigned char own[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x < length)
        own[threadIdx.x] = key[threadIdx.x];
    __syncthreads();
    if (i >= n)
        return;
    uint4 v = in[i];
    unsigned word[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
    for (int k = 0; k < 16; k++) {
        unsigned c = (word[k / 4] >> 8 * (k % 4) & 255) + own[(i * 16 + k) % length];
        c -= c > 'z' ? 26 : 0;
        word[k / 4] = __byte_perm(word[k / 4], c, k % 4 == 0 ? 0x3214 : k % 4 == 1 ? 0x3240 : k % 4 == 2 ? 0x3410 : 0x4210);
    }
    out[i] = make_uint4(word[0], word[1], word[2], word[3]);
}

extern "C" __global__ void vigenere_once(uint4 *out, const uint4 *in, const unsigned char *key, int length, int n)
{
    __shared__ unsigned char own[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x < length)
        own[threadIdx.x] = key[threadIdx.x];
    __syncthreads();
    if (i >= n)
        return;
    uint4 v = in[i];
    unsigned word[4] = {v.x, v.y, v.z, v.w};
    int at = i * 16 % length;
#pragma unroll
    for (int k = 0; k < 16; k++) {
        unsigned c = (word[k / 4] >> 8 * (k % 4) & 255) + own[at];
        c -= c > 'z' ? 26 : 0;
        word[k / 4] = __byte_perm(word[k / 4], c, k % 4 == 0 ? 0x3214 : k % 4 == 1 ? 0x3240 : k % 4 == 2 ? 0x3410 : 0x4210);
        at = at + 1 == length ? 0 : at + 1;
    }
    out[i] = make_uint4(word[0], word[1], word[2], word[3]);
}

/* ---- SHA-1 of one block each: 16 words, made by a counter ---- */

static __device__ __forceinline__ unsigned rotated(unsigned x, int k)
{
    return __funnelshift_l(x, x, k);
}

static __device__ __forceinline__ void sha_round(unsigned s[5], unsigned f, unsigned k, unsigned w)
{
    unsigned t = rotated(s[0], 5) + f + s[4] + k + w;
    s[4] = s[3];
    s[3] = s[2];
    s[2] = rotated(s[1], 30);
    s[1] = s[0];
    s[0] = t;
}

extern "C" __global__ void sha1w_schedule(unsigned *out, unsigned seed, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned w[80], s[5] = {0x67452301u, 0xefcdab89u, 0x98badcfeu, 0x10325476u, 0xc3d2e1f0u};
    for (int k = 0; k < 16; k++)
        w[k] = k == 0 ? i : k == 15 ? 32 : seed * k;
#pragma unroll 1
    for (int k = 16; k < 80; k++)
        w[k] = rotated(w[k - 3] ^ w[k - 8] ^ w[k - 14] ^ w[k - 16], 1);
#pragma unroll 1
    for (int k = 0; k < 80; k++) {
        unsigned f = k < 20 ? (s[1] & s[2]) | (~s[1] & s[3]) : k < 40 || k >= 60 ? s[1] ^ s[2] ^ s[3] : (s[1] & s[2]) | (s[1] & s[3]) | (s[2] & s[3]);
        unsigned c = k < 20 ? 0x5a827999u : k < 40 ? 0x6ed9eba1u : k < 60 ? 0x8f1bbcdcu : 0xca62c1d6u;
        sha_round(s, f, c, w[k]);
    }
    out[i] = s[0] + 0x67452301u;
}

extern "C" __global__ void sha1w_ring(unsigned *out, unsigned seed, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned w[16], s[5] = {0x67452301u, 0xefcdab89u, 0x98badcfeu, 0x10325476u, 0xc3d2e1f0u};
#pragma unroll
    for (int k = 0; k < 16; k++)
        w[k] = k == 0 ? i : k == 15 ? 32 : seed * k;
#pragma unroll
    for (int k = 0; k < 80; k++) {
        if (k >= 16)
            w[k % 16] = rotated(w[(k - 3) % 16] ^ w[(k - 8) % 16] ^ w[(k - 14) % 16] ^ w[k % 16], 1);
        unsigned f = k < 20 ? (s[1] & s[2]) | (~s[1] & s[3]) : k < 40 || k >= 60 ? s[1] ^ s[2] ^ s[3] : (s[1] & s[2]) | (s[1] & s[3]) | (s[2] & s[3]);
        unsigned c = k < 20 ? 0x5a827999u : k < 40 ? 0x6ed9eba1u : k < 60 ? 0x8f1bbcdcu : 0xca62c1d6u;
        sha_round(s, f, c, w[k % 16]);
    }
    out[i] = s[0] + 0x67452301u;
}

/* ---- Bits of 32 words transposed; a warp has 32 words ---- */

extern "C" __global__ void bitturn_bits(unsigned *out, const unsigned *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    unsigned v = in[i], r = 0;
#pragma unroll
    for (int k = 0; k < 32; k++)
        r |= (__shfl_sync(0xffffffff, v, k) >> lane & 1) << k;
    out[i] = r;
}

// Halves, quarters and so on change places, in five steps.
extern "C" __global__ void bitturn_steps(unsigned *out, const unsigned *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    unsigned v = in[i], mask = 0x0000ffffu;
#pragma unroll
    for (int d = 16; d > 0; d /= 2) {
        unsigned u = __shfl_xor_sync(0xffffffff, v, d);
        v = lane & d ? (v & ~mask) | (u >> d & mask) : (v & mask) | (u << d & ~mask);
        mask ^= mask << d / 2;
    }
    out[i] = v;
}

/* ---- 512 keys a block, sorted ---- */

extern "C" __global__ void oesort_oddeven(int *out, const int *in)
{
    __shared__ int key[512];
    int t = threadIdx.x;
    key[t] = in[blockIdx.x * 512 + t];
    key[t + 256] = in[blockIdx.x * 512 + t + 256];
    for (int phase = 0; phase < 512; phase++) {
        __syncthreads();
        int a = 2 * t + phase % 2;
        if (a + 1 < 512 && key[a] > key[a + 1]) {
            int v = key[a];
            key[a] = key[a + 1];
            key[a + 1] = v;
        }
    }
    __syncthreads();
    out[blockIdx.x * 512 + t] = key[t];
    out[blockIdx.x * 512 + t + 256] = key[t + 256];
}

extern "C" __global__ void oesort_bitonic(int *out, const int *in)
{
    __shared__ int key[512];
    int t = threadIdx.x;
    key[t] = in[blockIdx.x * 512 + t];
    key[t + 256] = in[blockIdx.x * 512 + t + 256];
    for (int size = 2; size <= 512; size *= 2)
        for (int d = size / 2; d > 0; d /= 2) {
            __syncthreads();
            int a = 2 * t - (t & (d - 1)), u = key[a], v = key[a + d];
            if ((u > v) == ((a & size) == 0)) {
                key[a] = v;
                key[a + d] = u;
            }
        }
    __syncthreads();
    out[blockIdx.x * 512 + t] = key[t];
    out[blockIdx.x * 512 + t + 256] = key[t + 256];
}

/* ---- Counts of the digits of 8192 keys a block, each thread's own first ---- */

template <int THREAD, int DIGIT> static __device__ __forceinline__ void count_digits(int *count, const unsigned *key)
{
    __shared__ int own[128 * 16];
    int t = threadIdx.x;
    for (int d = 0; d < 16; d++)
        own[t * THREAD + d * DIGIT] = 0;
    for (int i = t; i < 8192; i += 128) {
        unsigned k = key[blockIdx.x * 8192 + i];
#pragma unroll
        for (int s = 0; s < 32; s += 8)
            own[t * THREAD + (k >> s & 15) * DIGIT]++;
    }
    __syncthreads();
    int d = t / 8, sum = 0;
    for (int u = t % 8; u < 128; u += 8)
        sum += own[u * THREAD + d * DIGIT];
#pragma unroll
    for (int m = 4; m > 0; m /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, m);
    if (t % 8 == 0)
        count[blockIdx.x * 16 + d] = sum;
}

extern "C" __global__ void digitrows_rows(int *count, const unsigned *key)
{
    count_digits<16, 1>(count, key);
}

extern "C" __global__ void digitrows_columns(int *count, const unsigned *key)
{
    count_digits<1, 128>(count, key);
}
