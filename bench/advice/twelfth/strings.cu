// Sorts, strings, hashes: bitonicg_*, sort16_*, partbit_*, utf8_*, hexenc_*, kmers_*, siphash_*, md5_*, bitrev_*. Each pair's YAML says what
// differs.
// SPDX-License-Identifier: Apache-2.0

/* ---- Compare and exchange within chunks of 1024, 512 threads each ----------------------------------------------------------- */

extern "C" __global__ void bitonicg_copy(const int *in, int *out)
{
    int i = blockIdx.x * 1024 + threadIdx.x;
    out[i] = in[i];
    out[i + 512] = in[i + 512];
}

static __device__ __forceinline__ void exchange(int *v, int t, int k, int j)
{
    int low = 2 * t - (t & (j - 1)), a = v[low], b = v[low + j];
    if ((a > b) == ((low & k) == 0)) {
        v[low] = b;
        v[low + j] = a;
    }
}

extern "C" __global__ void bitonicg_step(int *out, int k, int j)
{
    exchange(out + blockIdx.x * 1024, threadIdx.x, k, j);
}

extern "C" __global__ void bitonicg_block(const int *in, int *out)
{
    __shared__ int v[1024];
    int t = threadIdx.x, i = blockIdx.x * 1024 + t;
    v[t] = in[i];
    v[t + 512] = in[i + 512];
    for (int k = 2; k <= 1024; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
            __syncthreads();
            exchange(v, t, k, j);
        }
    __syncthreads();
    out[i] = v[t];
    out[i + 512] = v[t + 512];
}

/* ---- Lists of 16 ---------------------------------------------------------------------------------------------------------------- */

extern "C" __global__ void sort16_insertion(const float *in, float *out, int n)
{
    int l = blockIdx.x * blockDim.x + threadIdx.x;
    if (l >= n)
        return;
    float v[16];
    for (int i = 0; i < 16; ++i) {
        float own = in[i * n + l];
        int at = i;
        while (at > 0 && v[at - 1] > own) {
            v[at] = v[at - 1];
            --at;
        }
        v[at] = own;
    }
    for (int i = 0; i < 16; ++i)
        out[i * n + l] = v[i];
}

extern "C" __global__ void sort16_network(const float *in, float *out, int n)
{
    int l = blockIdx.x * blockDim.x + threadIdx.x;
    if (l >= n)
        return;
    float v[16];
#pragma unroll
    for (int i = 0; i < 16; ++i)
        v[i] = in[i * n + l];
#pragma unroll
    for (int round = 0; round < 16; ++round)
#pragma unroll
        for (int i = round % 2; i + 1 < 16; i += 2) {
            float least = fminf(v[i], v[i + 1]);
            v[i + 1] = fmaxf(v[i], v[i + 1]);
            v[i] = least;
        }
#pragma unroll
    for (int i = 0; i < 16; ++i)
        out[i * n + l] = v[i];
}

/* ---- Even numbers of 512 first, odd ones after them, both in order ------------------------------------------------------------------ */

extern "C" __global__ void partbit_scan(const unsigned *in, unsigned *out)
{
    __shared__ int evens[512];
    int t = threadIdx.x, i = blockIdx.x * 512 + t;
    unsigned v = in[i];
    evens[t] = v % 2 == 0;
    __syncthreads();
    for (int step = 1; step < 512; step *= 2) {
        int other = t >= step ? evens[t - step] : 0;
        __syncthreads();
        evens[t] += other;
        __syncthreads();
    }
    int place = v % 2 ? evens[511] + t - evens[t] : evens[t] - 1;
    out[blockIdx.x * 512 + place] = v;
}

extern "C" __global__ void partbit_ballot(const unsigned *in, unsigned *out)
{
    __shared__ int warps[16];
    int t = threadIdx.x, lane = t % 32, i = blockIdx.x * 512 + t, before = 0, all = 0;
    unsigned v = in[i], evens = __ballot_sync(0xffffffff, v % 2 == 0);
    if (lane == 0)
        warps[t / 32] = __popc(evens);
    __syncthreads();
#pragma unroll
    for (int w = 0; w < 16; ++w) {
        before += w < t / 32 ? warps[w] : 0;
        all += warps[w];
    }
    before += __popc(evens & ((1u << lane) - 1));
    out[blockIdx.x * 512 + (v % 2 ? all + t - before : before)] = v;
}

/* ---- Bytes that begin a character are not 10xxxxxx -------------------------------------------------------------------------------------- */

static __device__ __forceinline__ void add_up(int c, int *count)
{
    __shared__ int warps[4];
    c = __reduce_add_sync(0xffffffff, c);
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = c;
    __syncthreads();
    if (threadIdx.x == 0)
        count[blockIdx.x] = warps[0] + warps[1] + warps[2] + warps[3];
}

extern "C" __global__ void utf8_bytes(const uint4 *text, int *count)
{
    int c = 0;
    for (int i = threadIdx.x; i < 256; i += 128) {
        uint4 v = text[blockIdx.x * 256 + i];
        unsigned words[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
        for (int e = 0; e < 16; ++e)
            if ((words[e / 4] >> e % 4 * 8 & 0xc0) != 0x80)
                ++c;
    }
    add_up(c, count);
}

static __device__ __forceinline__ int beginnings(unsigned v)
{
    return __popc((~v >> 7 | v >> 6) & 0x01010101);
}

extern "C" __global__ void utf8_words(const uint4 *text, int *count)
{
    int c = 0;
    for (int i = threadIdx.x; i < 256; i += 128) {
        uint4 v = text[blockIdx.x * 256 + i];
        c += beginnings(v.x) + beginnings(v.y) + beginnings(v.z) + beginnings(v.w);
    }
    add_up(c, count);
}

/* ---- Hexadecimal --------------------------------------------------------------------------------------------------------------------------- */

static __device__ __forceinline__ unsigned char digit(unsigned v)
{
    return v + (v < 10 ? '0' : 'a' - 10);
}

extern "C" __global__ void hexenc_one(const unsigned char *in, unsigned char *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned v = in[i];
    out[2 * i] = digit(v >> 4);
    out[2 * i + 1] = digit(v & 15);
}

// Two bytes into four digits, the high one of the first byte first.
static __device__ __forceinline__ unsigned digits(unsigned two)
{
    unsigned nibbles = (two >> 4 & 0xf) | (two & 0xf) << 8 | (two >> 12 & 0xf) << 16 | (two >> 8 & 0xf) << 24;
    unsigned letters = (nibbles + 0x06060606) >> 4 & 0x01010101;
    return nibbles + 0x30303030 + letters * 39;
}

extern "C" __global__ void hexenc_four(const unsigned *in, uint2 *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (4 * i >= n)
        return;
    unsigned v = in[i];
    out[i] = make_uint2(digits(v & 0xffff), digits(v >> 16));
}

/* ---- Hashes of 16 letters, two bits each: A C T G ------------------------------------------------------------------------------------------------ */

static __device__ __forceinline__ unsigned mixed(unsigned v)
{
    v = (v ^ v >> 16) * 0x85ebca6bu;
    return v ^ v >> 13;
}

extern "C" __global__ void kmers_each(const unsigned char *text, unsigned *hash, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned word = 0;
#pragma unroll
    for (int k = 0; k < 16; ++k)
        word |= (unsigned)(text[i + k] >> 1 & 3) << 2 * k;
    hash[i] = mixed(word);
}

// 256 threads: 17 of them pack the block's letters, 16 to a word. n is a multiple of 256.
extern "C" __global__ void kmers_rolling(const uint4 *text, unsigned *hash, int n)
{
    __shared__ unsigned packed[17];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    if (t < 17) {
        uint4 v = text[blockIdx.x * 16 + t];
        unsigned words[4] = {v.x, v.y, v.z, v.w}, all = 0;
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            unsigned codes = words[k] >> 1 & 0x03030303;
            codes = (codes | codes >> 6) & 0x000f000f;
            all |= (codes & 0xf | codes >> 12) << 8 * k;
        }
        packed[t] = all;
    }
    __syncthreads();
    hash[i] = mixed(__funnelshift_r(packed[t / 16], packed[t / 16 + 1], t % 16 * 2));
}

/* ---- SipHash-2-4 of eight bytes without a key ------------------------------------------------------------------------------ */

typedef unsigned long long u64;

static __device__ __forceinline__ u64 turned(u64 v, int by)
{
    return v << by | v >> (64 - by);
}

static __device__ __forceinline__ void sip_round(u64 *v)
{
    v[0] += v[1];
    v[1] = turned(v[1], 13) ^ v[0];
    v[0] = turned(v[0], 32);
    v[2] += v[3];
    v[3] = turned(v[3], 16) ^ v[2];
    v[0] += v[3];
    v[3] = turned(v[3], 21) ^ v[0];
    v[2] += v[1];
    v[1] = turned(v[1], 17) ^ v[2];
    v[2] = turned(v[2], 32);
}

static __device__ __forceinline__ u64 hash_of(u64 word)
{
    u64 v[4] = {0x736f6d6570736575ull, 0x646f72616e646f6dull, 0x6c7967656e657261ull, 0x7465646279746573ull}, end = 8ull << 56;
    v[3] ^= word;
    sip_round(v);
    sip_round(v);
    v[0] ^= word;
    v[3] ^= end;
    sip_round(v);
    sip_round(v);
    v[0] ^= end;
    v[2] ^= 0xff;
    for (int i = 0; i < 4; ++i)
        sip_round(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

extern "C" __global__ void siphash_one(const u64 *key, u64 *hash, int each)
{
    int i = blockIdx.x * 64 * each + threadIdx.x;
    for (int k = 0; k < each; ++k)
        hash[i + k * 64] = hash_of(key[i + k * 64]);
}

extern "C" __global__ void siphash_four(const u64 *key, u64 *hash, int each)
{
    int i = blockIdx.x * 64 * each + threadIdx.x;
    for (int k = 0; k < each; k += 4) {
        u64 word[4];
#pragma unroll
        for (int e = 0; e < 4; ++e)
            word[e] = key[i + (k + e) * 64];
#pragma unroll
        for (int e = 0; e < 4; ++e)
            word[e] = hash_of(word[e]);
#pragma unroll
        for (int e = 0; e < 4; ++e)
            hash[i + (k + e) * 64] = word[e];
    }
}

/* ---- MD5 of one block; word k of all messages is at k n ------------------------------------------------------------------------------------------------ */

__constant__ unsigned sines[64] = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501, 0x698098d8, 0x8b44f7af, 0xffff5bb1,
    0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821, 0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453,
    0xd8a1e681, 0xe7d3fbc8, 0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a, 0xfffa3942,
    0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70, 0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05,
    0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665, 0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d,
    0x85845dd1, 0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391};

static __device__ __forceinline__ void md5_round(unsigned *v, const unsigned *m, int i, unsigned sine)
{
    unsigned a = v[0], b = v[1], c = v[2], d = v[3], f;
    int word, by;
    if (i < 16) {
        f = b & c | ~b & d;
        word = i;
        by = i % 4 * 5 + 7;
    } else if (i < 32) {
        f = d & b | ~d & c;
        word = (5 * i + 1) % 16;
        by = i % 4 == 0 ? 5 : i % 4 == 1 ? 9 : i % 4 == 2 ? 14 : 20;
    } else if (i < 48) {
        f = b ^ c ^ d;
        word = (3 * i + 5) % 16;
        by = i % 4 == 0 ? 4 : i % 4 == 1 ? 11 : i % 4 == 2 ? 16 : 23;
    } else {
        f = c ^ (b | ~d);
        word = 7 * i % 16;
        by = i % 4 == 0 ? 6 : i % 4 == 1 ? 10 : i % 4 == 2 ? 15 : 21;
    }
    f += a + sine + m[word];
    v[0] = d;
    v[3] = c;
    v[2] = b;
    v[1] = b + (f << by | f >> (32 - by));
}

static __device__ __forceinline__ void write_digest(const unsigned *v, unsigned *digest, int i, int n)
{
    digest[i] = v[0] + 0x67452301u;
    digest[n + i] = v[1] + 0xefcdab89u;
    digest[2 * n + i] = v[2] + 0x98badcfeu;
    digest[3 * n + i] = v[3] + 0x10325476u;
}

extern "C" __global__ void md5_loop(const unsigned *message, unsigned *digest, int n, int rounds)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned m[16], v[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
    for (int k = 0; k < 16; ++k)
        m[k] = message[k * n + i];
    for (int r = 0; r < rounds; ++r)
        md5_round(v, m, r, sines[r]);
    write_digest(v, digest, i, n);
}

extern "C" __global__ void md5_unrolled(const unsigned *message, unsigned *digest, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned m[16], v[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
#pragma unroll
    for (int k = 0; k < 16; ++k)
        m[k] = message[k * n + i];
#pragma unroll
    for (int r = 0; r < 64; ++r)
        md5_round(v, m, r, sines[r]);
    write_digest(v, digest, i, n);
}

/* ---- Number i goes where i's bits are reversed ---------------------------------------------------------------------------------------------------------------- */

extern "C" __global__ void bitrev_direct(const float *in, float *out, int bits)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[__brev(i) >> (32 - bits)] = in[i];
}

// A block has one value of the middle bits, and all of the five above and below.
extern "C" __global__ void bitrev_tile(const float *in, float *out, int bits)
{
    __shared__ float tile[32][33];
    unsigned middle = blockIdx.x, turned = __brev(middle) >> (42 - bits), lane = threadIdx.x;
    for (unsigned high = threadIdx.y; high < 32; high += 8)
        tile[__brev(lane) >> 27][__brev(high) >> 27] = in[high << (bits - 5) | middle << 5 | lane];
    __syncthreads();
    for (unsigned high = threadIdx.y; high < 32; high += 8)
        out[high << (bits - 5) | turned << 5 | lane] = tile[high][lane];
}
