// Bytes to base64, three to four letters; a multiple of twelve bytes. Nothing is tuned on these kernels
// (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
typedef unsigned char u8;

__device__ unsigned letter(unsigned v)
{
    if (v < 26)
        return v + 'A';
    if (v < 52)
        return v - 26 + 'a';
    if (v < 62)
        return v - 52 + '0';
    return v == 62 ? '+' : '/';
}

extern "C" __global__ void base64_letters(u8 *letters)
{
    letters[threadIdx.x] = letter(threadIdx.x);
}

extern "C" __global__ void base64_three(u8 *out, const u8 *in, const u8 *letters, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];
    out[4 * i] = letters[a >> 2];
    out[4 * i + 1] = letters[(a & 3) << 4 | b >> 4];
    out[4 * i + 2] = letters[(b & 15) << 2 | c >> 6];
    out[4 * i + 3] = letters[c & 63];
}

__device__ unsigned four(unsigned v)
{
    return letter(v >> 18 & 63) | letter(v >> 12 & 63) << 8 | letter(v >> 6 & 63) << 16 | letter(v & 63) << 24;
}

// Twelve bytes in three words to sixteen letters in four; letters are computed.
extern "C" __global__ void base64_words(uint4 *out, const unsigned *in, int quads)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= quads)
        return;
    unsigned a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];
    uint4 v;
    v.x = four(__byte_perm(a, 0, 0x4012));
    v.y = four(__byte_perm(a, b, 0x0345) & 0xffffff);
    v.z = four(__byte_perm(b, c, 0x0234) & 0xffffff);
    v.w = four(__byte_perm(c, 0, 0x4123));
    out[i] = v;
}

__device__ unsigned look_up(const u8 *table, unsigned v)
{
    return table[v >> 18 & 63] | table[v >> 12 & 63] << 8 | table[v >> 6 & 63] << 16 | table[v & 63] << 24;
}

// The same with the letters in shared memory, and words read in the order they lie in.
extern "C" __global__ void base64_table(uint4 *__restrict__ out, const unsigned *__restrict__ in, const u8 *__restrict__ letters, int quads)
{
    __shared__ u8 table[64];
    __shared__ unsigned s[3 * 128];
    int t = threadIdx.x, first = blockIdx.x * 128, count = min(128, quads - first);
    if (t < 64)
        table[t] = letters[t];
    for (int i = t; i < 3 * count; i += 128)
        s[i] = in[3 * first + i];
    __syncthreads();
    if (t >= count)
        return;
    unsigned a = s[3 * t], b = s[3 * t + 1], c = s[3 * t + 2];
    uint4 v;
    v.x = look_up(table, __byte_perm(a, 0, 0x4012));
    v.y = look_up(table, __byte_perm(a, b, 0x0345) & 0xffffff);
    v.z = look_up(table, __byte_perm(b, c, 0x0234) & 0xffffff);
    v.w = look_up(table, __byte_perm(c, 0, 0x4123));
    out[first + t] = v;
}
