// Half a round of Zhang and Suen's thinning: ink at an edge goes where what is left stays in one piece. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
__device__ __forceinline__ int ink(const unsigned char *p, int width, int height, int y, int x)
{
    return y >= 0 && y < height && x >= 0 && x < width && p[y * width + x] != 0;
}

extern "C" __global__ void thin_bytes(unsigned char *out, const unsigned char *in, int width, int height, int second)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    if (!in[y * width + x]) {
        out[y * width + x] = 0;
        return;
    }
    int p2 = ink(in, width, height, y - 1, x), p3 = ink(in, width, height, y - 1, x + 1);
    int p4 = ink(in, width, height, y, x + 1), p5 = ink(in, width, height, y + 1, x + 1);
    int p6 = ink(in, width, height, y + 1, x), p7 = ink(in, width, height, y + 1, x - 1);
    int p8 = ink(in, width, height, y, x - 1), p9 = ink(in, width, height, y - 1, x - 1);
    int sum = p2 + p3 + p4 + p5 + p6 + p7 + p8 + p9;
    int changes = (!p2 && p3) + (!p3 && p4) + (!p4 && p5) + (!p5 && p6) + (!p6 && p7) + (!p7 && p8) + (!p8 && p9) + (!p9 && p2);
    int first = second ? p2 * p4 * p8 : p2 * p4 * p6;
    int other = second ? p2 * p6 * p8 : p4 * p6 * p8;
    out[y * width + x] = !(sum >= 2 && sum <= 6 && changes == 1 && first == 0 && other == 0);
}

extern "C" __global__ void thin_pack(unsigned *words, const unsigned char *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned word = __ballot_sync(0xffffffffu, in[i] != 0);
    if (threadIdx.x % 32 == 0)
        words[i / 32] = word;
}

extern "C" __global__ void thin_unpack(uchar4 *out, const unsigned *words)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned v = words[i / 8] >> (i % 8 * 4);
    out[i] = make_uchar4(v & 1, v >> 1 & 1, v >> 2 & 1, v >> 3 & 1);
}

struct Row {
    unsigned left, own, right;
};

__device__ __forceinline__ Row row(const unsigned *in, int width, int height, int y, int x)
{
    if (y < 0 || y >= height)
        return {0, 0, 0};
    const unsigned *p = in + y * width + x;
    unsigned v = p[0], l = x > 0 ? p[-1] : 0, r = x < width - 1 ? p[1] : 0;
    return {__funnelshift_l(l, v, 1), v, __funnelshift_r(v, r, 1)};
}

// 32 pixels a thread; the width is counted in words.
extern "C" __global__ void __launch_bounds__(128) thin_words(unsigned *__restrict__ out, const unsigned *__restrict__ in, int width, int height, int second)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i >= width * height)
        return;
    int y = i / width, x = i - y * width;
    Row a = row(in, width, height, y - 1, x), b = row(in, width, height, y, x), c = row(in, width, height, y + 1, x);
    unsigned p[8] = {a.own, a.right, b.right, c.right, c.own, c.left, b.left, a.left};
    unsigned s0 = 0, s1 = 0, s2 = 0, s3 = 0, once = 0, twice = 0;
#pragma unroll
    for (int k = 0; k < 8; k++) {
        unsigned carry = s0 & p[k], next, change = ~p[k] & p[(k + 1) % 8];
        s0 ^= p[k];
        next = s1 & carry;
        s1 ^= carry;
        s3 |= s2 & next;
        s2 ^= next;
        twice |= once & change;
        once |= change;
    }
    unsigned edge = second ? ~(p[0] & p[6] & (p[2] | p[4])) : ~(p[2] & p[4] & (p[0] | p[6]));
    unsigned goes = (s1 | s2) & ~s3 & ~(s0 & s1 & s2) & once & ~twice & edge;
    out[i] = b.own & ~goes;
}
