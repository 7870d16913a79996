// Code points of a text in UTF-8, and the bytes that cannot stand where they do. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

extern "C" __global__ void utf8_byte(int *counts, const unsigned char *text, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool point = false, wrong = false;
    if (i < n) {
        unsigned char v = text[i];
        bool more = (v & 0xc0) == 0x80;
        bool wanted = (i > 0 && text[i - 1] >= 0xc0) || (i > 1 && text[i - 2] >= 0xe0) || (i > 2 && text[i - 3] >= 0xf0);
        point = !more;
        wrong = wanted != more || v >= 0xf8;
    }
    int points = __syncthreads_count(point), wrongs = __syncthreads_count(wrong);
    if (threadIdx.x == 0) {
        atomicAdd(&counts[0], points);
        atomicAdd(&counts[1], wrongs);
    }
}

// How many bytes of a word begin a code point, and how many are wrong: the highest bit of each byte says so.
__device__ int2 checked(unsigned before, unsigned word)
{
    unsigned first = __funnelshift_l(before, word, 8), second = __funnelshift_l(before, word, 16);
    unsigned third = __funnelshift_l(before, word, 24);
    unsigned more = word & ~(word << 1);
    unsigned wanted = (first & first << 1) | (second & second << 1 & second << 2) |
                      (third & third << 1 & third << 2 & third << 3);
    unsigned never = word & word << 1 & word << 2 & word << 3 & word << 4;
    return make_int2(4 - __popc(more & 0x80808080), __popc(((wanted ^ more) | never) & 0x80808080));
}

// The block's counts are added to the text's.
__device__ void add_counts(int *counts, int2 own)
{
    __shared__ int points, wrong;
    if (threadIdx.x == 0)
        points = wrong = 0;
    __syncthreads();
    own.x = __reduce_add_sync(0xffffffff, own.x);
    own.y = __reduce_add_sync(0xffffffff, own.y);
    if (threadIdx.x % 32 == 0) {
        atomicAdd(&points, own.x);
        atomicAdd(&wrong, own.y);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(&counts[0], points);
        atomicAdd(&counts[1], wrong);
    }
}

extern "C" __global__ void utf8_words(int *counts, const unsigned *text, int words)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int2 own = make_int2(0, 0);
    if (i < words)
        own = checked(i > 0 ? text[i - 1] : 0, text[i]);
    add_counts(counts, own);
}

// 16 bytes a thread and turn.
extern "C" __global__ void __launch_bounds__(256) utf8_wide(int *__restrict__ counts, const uint4 *__restrict__ text, int n)
{
    int2 sum = make_int2(0, 0);
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
        uint4 v = text[i];
        int2 a = checked(i > 0 ? text[i - 1].w : 0, v.x), b = checked(v.x, v.y), c = checked(v.y, v.z), d = checked(v.z, v.w);
        sum.x += a.x + b.x + c.x + d.x;
        sum.y += a.y + b.y + c.y + d.y;
    }
    add_counts(counts, sum);
}
