// Sorts, strings and bits: warpsort_*, linecount_*, base64_*, lcs32_*, fingerprints_*, minhash_*, threefry_*. Each pair's YAML says what
// differs.
// SPDX-License-Identifier: Apache-2.0

/* ---- Each 512 keys in order ---------------------------------------------------------------------------------------------- */

extern "C" __global__ void warpsort_shared(const unsigned *in, unsigned *out)
{
    __shared__ unsigned keys[512];
    int t = threadIdx.x;
    keys[t] = in[blockIdx.x * 512 + t];
    __syncthreads();
    for (int k = 2; k <= 512; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
            int other = t ^ j;
            if (other > t) {
                unsigned a = keys[t], b = keys[other];
                if ((a > b) == ((t & k) == 0)) {
                    keys[t] = b;
                    keys[other] = a;
                }
            }
            __syncthreads();
        }
    out[blockIdx.x * 512 + t] = keys[t];
}

extern "C" __global__ void warpsort_shuffles(const unsigned *in, unsigned *out)
{
    __shared__ unsigned keys[512];
    int t = threadIdx.x;
    unsigned key = in[blockIdx.x * 512 + t];
    for (int k = 2; k <= 512; k *= 2) {
        bool rising = (t & k) == 0;
        for (int j = k / 2; j > 0; j /= 2) {
            unsigned other;
            if (j >= 32) {
                keys[t] = key;
                __syncthreads();
                other = keys[t ^ j];
                __syncthreads();
            } else {
                other = __shfl_xor_sync(0xffffffff, key, j);
            }
            key = rising == ((t & j) == 0) ? min(key, other) : max(key, other);
        }
    }
    out[blockIdx.x * 512 + t] = key;
}

/* ---- How many lines a text has -------------------------------------------------------------------------------------------- */

extern "C" __global__ void linecount_bytes(const char *text, unsigned *lines, int n)
{
    unsigned count = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        if (text[i] == 'n')
            ++count;
    count = __reduce_add_sync(0xffffffff, count);
    if (threadIdx.x % 32 == 0)
        atomicAdd(lines, count);
}

// A bit for each byte of a word that is 'n'.
static __device__ __forceinline__ int newlines(unsigned word)
{
    unsigned x = word ^ 0x6e6e6e6e;
    return __popc(~(((x & 0x7f7f7f7f) + 0x7f7f7f7f) | x | 0x7f7f7f7f));
}

extern "C" __global__ void linecount_words(const uint4 *text, unsigned *lines, int n)
{
    unsigned count = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        uint4 v = text[i];
        count += newlines(v.x) + newlines(v.y) + newlines(v.z) + newlines(v.w);
    }
    count = __reduce_add_sync(0xffffffff, count);
    if (threadIdx.x % 32 == 0)
        atomicAdd(lines, count);
}

/* ---- Bytes to letters of six bits ------------------------------------------------------------------------------------------ */

static __device__ __forceinline__ unsigned letter(unsigned six)
{
    return six + 'A' + (six > 25) * 6 - (six > 51) * 75 - (six > 61) * 15 + (six > 62) * 3;
}

static __device__ __forceinline__ unsigned letters(unsigned a, unsigned b, unsigned c)
{
    return letter(a >> 2) | letter((a & 3) << 4 | b >> 4) << 8 | letter((b & 15) << 2 | c >> 6) << 16 | letter(c & 63) << 24;
}

extern "C" __global__ void base64_three(const unsigned char *in, unsigned char *out, int groups)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= groups)
        return;
    unsigned word = letters(in[3 * i], in[3 * i + 1], in[3 * i + 2]);
    out[4 * i] = word;
    out[4 * i + 1] = word >> 8;
    out[4 * i + 2] = word >> 16;
    out[4 * i + 3] = word >> 24;
}

// Twelve bytes a thread, in three words.
extern "C" __global__ void base64_twelve(const unsigned *in, uint4 *out, int quads)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= quads)
        return;
    unsigned a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];
    out[i] = make_uint4(letters(a & 255, a >> 8 & 255, a >> 16 & 255), letters(a >> 24, b & 255, b >> 8 & 255),
                        letters(b >> 16 & 255, b >> 24, c & 255), letters(c >> 8 & 255, c >> 16 & 255, c >> 24));
}

/* ---- The longest common subsequence of many pairs of strings of up to 32 ------------------------------------------------------ */

extern "C" __global__ void lcs32_any(const unsigned char *a, const unsigned char *b, int *longest, int n, int length)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n)
        return;
    int row[33];
    for (int j = 0; j <= length; ++j)
        row[j] = 0;
    for (int i = 0; i < length; ++i) {
        int diagonal = 0, letter = a[i * n + t];
        for (int j = 1; j <= length; ++j) {
            int above = row[j];
            row[j] = letter == b[(j - 1) * n + t] ? diagonal + 1 : max(above, row[j - 1]);
            diagonal = above;
        }
    }
    longest[t] = row[length];
}

extern "C" __global__ void lcs32_fixed(const unsigned char *a, const unsigned char *b, int *longest, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n)
        return;
    int row[33] = {0}, other[32];
#pragma unroll
    for (int j = 0; j < 32; ++j)
        other[j] = b[j * n + t];
    for (int i = 0; i < 32; ++i) {
        int diagonal = 0, letter = a[i * n + t];
#pragma unroll
        for (int j = 1; j <= 32; ++j) {
            int above = row[j];
            row[j] = letter == other[j - 1] ? diagonal + 1 : max(above, row[j - 1]);
            diagonal = above;
        }
    }
    longest[t] = row[32];
}

/* ---- How many bits fingerprints of 256 differ from the nearest of 32 -------------------------------------------------------------- */

static __device__ __forceinline__ int bits_by_loop(unsigned x)
{
    int count = 0;
    for (int b = 0; b < 32; ++b)
        count += x >> b & 1;
    return count;
}

extern "C" __global__ void fingerprints_loop(const unsigned *print, const unsigned *known, int *nearest, int n)
{
    __shared__ unsigned other[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x, best = 256;
    other[threadIdx.x] = known[threadIdx.x];
    __syncthreads();
    if (i >= n)
        return;
    for (int k = 0; k < 32; ++k) {
        int count = 0;
        for (int w = 0; w < 8; ++w)
            count += bits_by_loop(print[w * n + i] ^ other[k * 8 + w]);
        best = min(best, count);
    }
    nearest[i] = best;
}

extern "C" __global__ void fingerprints_popc(const unsigned *print, const unsigned *known, int *nearest, int n)
{
    __shared__ unsigned other[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x, best = 256;
    other[threadIdx.x] = known[threadIdx.x];
    __syncthreads();
    if (i >= n)
        return;
    for (int k = 0; k < 32; ++k) {
        int count = 0;
        for (int w = 0; w < 8; ++w)
            count += __popc(print[w * n + i] ^ other[k * 8 + w]);
        best = min(best, count);
    }
    nearest[i] = best;
}

/* ---- Four hashes of one text for each seed, by one block of four warps an SM ------------------------------------------------------ */

static __device__ __forceinline__ unsigned mixed(unsigned h, unsigned word)
{
    h = (h ^ word) * 0x85ebca6b;
    return h ^ h >> 13;
}

extern "C" __global__ void minhash_one(const unsigned *text, unsigned *hash, int words)
{
    unsigned seed = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    for (int k = 0; k < 4; ++k) {
        unsigned h = seed + k;
        for (int i = 0; i < words; ++i)
            h = mixed(h, text[i]);
        hash[seed + k] = h;
    }
}

extern "C" __global__ void minhash_four(const unsigned *text, unsigned *hash, int words)
{
    unsigned seed = (blockIdx.x * blockDim.x + threadIdx.x) * 4, h[4];
#pragma unroll
    for (int k = 0; k < 4; ++k)
        h[k] = seed + k;
    for (int i = 0; i < words; ++i) {
        unsigned word = text[i];
#pragma unroll
        for (int k = 0; k < 4; ++k)
            h[k] = mixed(h[k], word);
    }
#pragma unroll
    for (int k = 0; k < 4; ++k)
        hash[seed + k] = h[k];
}

/* ---- Random words by 20 rounds of Threefry, which make two at a time ------------------------------------------------------------------ */

static __device__ __forceinline__ uint2 threefry(unsigned counter, unsigned k0, unsigned k1)
{
    const int turn[8] = {13, 15, 26, 6, 17, 29, 16, 24};
    unsigned key[3] = {k0, k1, 0x1bd11bda ^ k0 ^ k1}, a = counter + key[0], b = key[1];
#pragma unroll
    for (int r = 0; r < 20; ++r) {
        a += b;
        b = b << turn[r % 8] | b >> (32 - turn[r % 8]);
        b ^= a;
        if (r % 4 == 3) {
            int s = r / 4 + 1;
            a += key[s % 3];
            b += key[(s + 1) % 3] + s;
        }
    }
    return make_uint2(a, b);
}

extern "C" __global__ void threefry_one(unsigned *out, unsigned k0, unsigned k1, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        uint2 both = threefry(i / 2, k0, k1);
        out[i] = i % 2 ? both.y : both.x;
    }
}

extern "C" __global__ void threefry_two(uint2 *out, unsigned k0, unsigned k1, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = threefry(i, k0, k1);
}
