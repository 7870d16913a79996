// Sorts, strings and codes: bit512_*, rankfour_*, lookmany_*, rowhash_*, base85_*, pack12_*, editdiag_*, crcbits_*, onesloop_*, letters26_*.
// Each pair's YAML says what differs.
// SPDX-License-Identifier: Apache-2.0

/* ---- Blocks of 512 in order, by a bitonic sort ---- */

extern "C" __global__ void bit512_barriers(const unsigned *in, unsigned *out)
{
    __shared__ unsigned v[512];
    int t = threadIdx.x;
    v[t] = in[blockIdx.x * 512 + t];
    v[t + 256] = in[blockIdx.x * 512 + t + 256];
    for (int size = 2; size <= 512; size *= 2)
        for (int d = size / 2; d > 0; d /= 2) {
            __syncthreads();
            int low = 2 * t - (t & (d - 1));
            unsigned a = v[low], b = v[low + d];
            bool rising = (low & size) == 0;
            if ((a > b) == rising) {
                v[low] = b;
                v[low + d] = a;
            }
        }
    __syncthreads();
    out[blockIdx.x * 512 + t] = v[t];
    out[blockIdx.x * 512 + t + 256] = v[t + 256];
}

// A thread a number; distances below 32 stay in the warp.
extern "C" __global__ void bit512_shuffles(const unsigned *in, unsigned *out)
{
    __shared__ unsigned v[512];
    int t = threadIdx.x;
    unsigned a = in[blockIdx.x * 512 + t];
    for (int size = 2; size <= 512; size *= 2) {
        int d = size / 2;
        for (; d >= 32; d /= 2) {
            v[t] = a;
            __syncthreads();
            unsigned b = v[t ^ d];
            a = ((t & d) == 0) == ((t & size) == 0) ? min(a, b) : max(a, b);
            __syncthreads();
        }
        for (; d > 0; d /= 2) {
            unsigned b = __shfl_xor_sync(0xffffffff, a, d);
            a = ((t & d) == 0) == ((t & size) == 0) ? min(a, b) : max(a, b);
        }
    }
    out[blockIdx.x * 512 + t] = a;
}

/* ---- The ranks of numbers among the first m ---- */

extern "C" __global__ void rankfour_one(const float *x, int *rank, int m)
{
    __shared__ float part[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t, less = 0;
    float v = x[i];
    for (int first = 0; first < m; first += 256) {
        part[t] = x[first + t];
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < 256; k++)
            less += part[k] < v;
        __syncthreads();
    }
    rank[i] = less;
}

extern "C" __global__ void rankfour_four(const float *x, int *rank, int m)
{
    __shared__ __align__(16) float part[256];
    int t = threadIdx.x, i = blockIdx.x * 1024 + t, less[4] = {};
    float v[4];
#pragma unroll
    for (int j = 0; j < 4; j++)
        v[j] = x[i + j * 256];
    for (int first = 0; first < m; first += 256) {
        part[t] = x[first + t];
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < 256; k++)
#pragma unroll
            for (int j = 0; j < 4; j++)
                less[j] += part[k] < v[j];
        __syncthreads();
    }
#pragma unroll
    for (int j = 0; j < 4; j++)
        rank[i + j * 256] = less[j];
}

/* ---- Places in a sorted list of 2^20, a search after the other and eight side by side ---- */

extern "C" __global__ void lookmany_one(const int *key, const int *list, int *place, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
#pragma unroll 1
    for (; i < n; i += step) {
        int at = 0, k = key[i];
#pragma unroll 1
        for (int d = 1 << 19; d > 0; d >>= 1)
            at += list[at + d - 1] < k ? d : 0;
        place[i] = at;
    }
}

extern "C" __global__ void lookmany_eight(const int *key, const int *list, int *place, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
    for (; i < n; i += 8 * step) {
        int at[8], k[8];
#pragma unroll
        for (int j = 0; j < 8; j++) {
            k[j] = key[i + j * step];
            at[j] = 0;
        }
#pragma unroll 1
        for (int d = 1 << 19; d > 0; d >>= 1)
#pragma unroll
            for (int j = 0; j < 8; j++)
                at[j] += list[at[j] + d - 1] < k[j] ? d : 0;
#pragma unroll
        for (int j = 0; j < 8; j++)
            place[i + j * step] = at[j];
    }
}

/* ---- Hashes of records of 32 words ---- */

extern "C" __global__ void rowhash_direct(const unsigned *in, unsigned *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned h = 2166136261u;
#pragma unroll 4
    for (int k = 0; k < 32; k++)
        h = (h ^ in[i * 32 + k]) * 16777619u;
    out[i] = h;
}

extern "C" __global__ void rowhash_staged(const unsigned *in, unsigned *out)
{
    __shared__ unsigned word[128][33];
    int t = threadIdx.x;
#pragma unroll 8
    for (int i = t; i < 4096; i += 128)
        word[i / 32][i % 32] = in[blockIdx.x * 4096 + i];
    __syncthreads();
    unsigned h = 2166136261u;
#pragma unroll
    for (int k = 0; k < 32; k++)
        h = (h ^ word[t][k]) * 16777619u;
    out[blockIdx.x * 128 + t] = h;
}

/* ---- Words as five digits, by a base that is given and by 85 ---- */

extern "C" __global__ void base85_given(const unsigned *in, unsigned char *out, unsigned base, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned v = in[i];
#pragma unroll
    for (int k = 4; k >= 0; k--) {
        out[k * n + i] = 33 + v % base;
        v /= base;
    }
}

extern "C" __global__ void base85_known(const unsigned *in, unsigned char *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned v = in[i];
#pragma unroll
    for (int k = 4; k >= 0; k--) {
        out[k * n + i] = 33 + v % 85;
        v /= 85;
    }
}

/* ---- Numbers of 12 bits, two in three bytes, by byte and by word ---- */

extern "C" __global__ void pack12_bytes(const unsigned short *in, unsigned char *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (2 * i >= n)
        return;
    unsigned a = in[2 * i], b = in[2 * i + 1];
    out[3 * i] = a & 255;
    out[3 * i + 1] = a >> 8 | (b & 15) << 4;
    out[3 * i + 2] = b >> 4;
}

extern "C" __global__ void pack12_words(const uint4 *in, unsigned *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (8 * i >= n)
        return;
    uint4 v = in[i];
    unsigned a = (v.x & 0xfff) | v.x >> 16 << 12, b = (v.y & 0xfff) | v.y >> 16 << 12;
    unsigned c = (v.z & 0xfff) | v.z >> 16 << 12, d = (v.w & 0xfff) | v.w >> 16 << 12;
    out[3 * i] = a | b << 24;
    out[3 * i + 1] = b >> 8 | c << 16;
    out[3 * i + 2] = c >> 16 | d << 8;
}

/* ---- The edit distance of two words of 255 letters, a launch a diagonal and in one block ---- */

extern "C" __global__ void editdiag_start(int *table)
{
    int t = threadIdx.x;
    table[t] = t;
    table[t * 256] = t;
}

static __device__ __forceinline__ int cheapest(int up, int left, int corner, bool same)
{
    return min(min(up, left) + 1, corner + (same ? 0 : 1));
}

extern "C" __global__ void editdiag_diagonal(int *table, const unsigned char *a, const unsigned char *b, int diagonal)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + 1, j = diagonal - i;
    if (i < 256 && j >= 1 && j < 256)
        table[i * 256 + j] = cheapest(table[(i - 1) * 256 + j], table[i * 256 + j - 1], table[(i - 1) * 256 + j - 1], a[i] == b[j]);
}

extern "C" __global__ void editdiag_block(int *table, const unsigned char *a, const unsigned char *b)
{
    __shared__ int last[3][256];
    int i = threadIdx.x, own = a[i];
    for (int d = 0; d <= 510; d++) {
        int j = d - i;
        if (j >= 0 && j < 256) {
            int v = i == 0 ? j : j == 0 ? i : cheapest(last[(d + 2) % 3][i - 1], last[(d + 2) % 3][i], last[(d + 1) % 3][i - 1], own == b[j]);
            last[d % 3][i] = v;
            table[i * 256 + j] = v;
        }
        __syncthreads();
    }
}

/* ---- CRC-32 of single words, by bit and by a table ---- */

extern "C" __global__ void crcbits_bits(const unsigned *in, unsigned *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned c = ~in[i];
#pragma unroll
    for (int k = 0; k < 32; k++)
        c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
    out[i] = ~c;
}

// Lanes look up 256 remainders, which a block computes first.
extern "C" __global__ void crcbits_table(const unsigned *in, unsigned *out)
{
    __shared__ unsigned table[256];
    unsigned v = threadIdx.x;
#pragma unroll
    for (int k = 0; k < 8; k++)
        v = v & 1 ? v >> 1 ^ 0xedb88320u : v >> 1;
    table[threadIdx.x] = v;
    __syncthreads();
#pragma unroll
    for (int j = 0; j < 8; j++) {
        int i = blockIdx.x * 2048 + j * 256 + threadIdx.x;
        unsigned c = ~in[i];
#pragma unroll
        for (int k = 0; k < 4; k++)
            c = c >> 8 ^ table[c & 255];
        out[i] = ~c;
    }
}

/* ---- Distances of codes of 128 bits from one, by bit and by counts of bits ---- */

extern "C" __global__ void onesloop_bits(const uint4 *code, unsigned *distance, unsigned from)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    uint4 c = code[i];
    unsigned v[4] = {c.x ^ from, c.y ^ from, c.z ^ from, c.w ^ from}, many = 0;
#pragma unroll
    for (int k = 0; k < 4; k++)
#pragma unroll 1
        for (int b = 0; b < 32; b++)
            many += v[k] >> b & 1;
    distance[i] = many;
}

extern "C" __global__ void onesloop_counts(const uint4 *code, unsigned *distance, unsigned from)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    uint4 c = code[i];
    distance[i] = __popc(c.x ^ from) + __popc(c.y ^ from) + __popc(c.z ^ from) + __popc(c.w ^ from);
}

/* ---- Counts of letters, of a block and of its threads ---- */

extern "C" __global__ void letters26_block(const unsigned char *text, int *count, int n)
{
    __shared__ int own[26];
    if (threadIdx.x < 26)
        own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&own[text[i] - 'a'], 1);
    __syncthreads();
    if (threadIdx.x < 26)
        atomicAdd(&count[threadIdx.x], own[threadIdx.x]);
}

// A column of counts for each thread.
extern "C" __global__ void letters26_threads(const unsigned char *text, int *count, int n)
{
    __shared__ unsigned short own[26][256];
    int t = threadIdx.x;
#pragma unroll
    for (int k = 0; k < 26; k++)
        own[k][t] = 0;
    for (int i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256)
        own[text[i] - 'a'][t]++;
    __syncthreads();
    for (int k = t / 32; k < 26; k += 8) {
        int sum = 0;
        for (int i = t % 32; i < 256; i += 32)
            sum += own[k][i];
        sum = __reduce_add_sync(0xffffffff, sum);
        if (t % 32 == 0)
            atomicAdd(&count[k], sum);
    }
}
