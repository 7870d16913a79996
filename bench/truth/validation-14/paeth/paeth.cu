// PNG's filters of a row of RGB: the one with the least sum of differences, taken as signed bytes. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
__device__ unsigned char filtered(const unsigned char *row, bool above, int length, int pixel, int i, int kind)
{
    int x = row[i];
    int a = i >= pixel ? row[i - pixel] : 0;
    int b = above ? row[i - length] : 0;
    int c = above && i >= pixel ? row[i - length - pixel] : 0;
    switch (kind) {
    case 0:
        return x;
    case 1:
        return x - a;
    case 2:
        return x - b;
    case 3:
        return x - (a + b) / 2;
    }
    int p = a + b - c, pa = abs(p - a), pb = abs(p - b), pc = abs(p - c);
    if (pa <= pb && pa <= pc)
        return x - a;
    return x - (pb <= pc ? b : c);
}

extern "C" __global__ void paeth_bytes(unsigned char *out, unsigned char *filter, const unsigned char *in, int length, int pixel)
{
    __shared__ int sums[256];
    int t = threadIdx.x, row = blockIdx.x, best = 0, least = 0x7fffffff;
    const unsigned char *from = in + (size_t)row * length;
    for (int kind = 0; kind < 5; kind++) {
        int sum = 0;
        for (int i = t; i < length; i += blockDim.x)
            sum += abs((int)(signed char)filtered(from, row > 0, length, pixel, i, kind));
        sums[t] = sum;
        __syncthreads();
        for (int d = blockDim.x / 2; d > 0; d /= 2) {
            if (t < d)
                sums[t] += sums[t + d];
            __syncthreads();
        }
        if (sums[0] < least) {
            least = sums[0];
            best = kind;
        }
        __syncthreads();
    }
    if (t == 0)
        filter[row] = best;
    for (int i = t; i < length; i += blockDim.x)
        out[(size_t)row * length + i] = filtered(from, row > 0, length, pixel, i, best);
}

__device__ __forceinline__ void all(unsigned (&v)[5], const unsigned *row, const unsigned *before, int i)
{
    unsigned x = row[i], b = before ? before[i] : 0;
    unsigned a = x << 24 | (i > 0 ? row[i - 1] >> 8 : 0), c = b << 24 | (before && i > 0 ? before[i - 1] >> 8 : 0);
    unsigned pa = __vabsdiffu4(b, c), pb = __vabsdiffu4(a, c), alike = ~(__vcmpgtu4(b, c) ^ __vcmpgtu4(a, c));
    unsigned pc = (alike & __vaddus4(pa, pb)) | (~alike & __vabsdiffu4(pa, pb));
    unsigned left = __vcmpleu4(pa, pb) & __vcmpleu4(pa, pc), up = ~left & __vcmpleu4(pb, pc);
    v[0] = x;
    v[1] = __vsub4(x, a);
    v[2] = __vsub4(x, b);
    v[3] = __vsub4(x, __vhaddu4(a, b));
    v[4] = __vsub4(x, (left & a) | (up & b) | (~(left | up) & c));
}

// Four bytes a thread, all five filters at once; the length is counted in words.
extern "C" __global__ void __launch_bounds__(128) paeth_words(unsigned *__restrict__ out, unsigned char *__restrict__ filter, const unsigned *__restrict__ in, int length)
{
    __shared__ unsigned sums[5][4];
    int t = threadIdx.x, row = blockIdx.x, best = 0;
    const unsigned *own = in + (size_t)row * length, *before = row > 0 ? own - length : nullptr;
    unsigned sum[5] = {0, 0, 0, 0, 0}, v[5];
    for (int i = t; i < length; i += 128) {
        all(v, own, before, i);
#pragma unroll
        for (int k = 0; k < 5; k++)
            sum[k] += __vsadu4(__vabs4(v[k]), 0);
    }
#pragma unroll
    for (int k = 0; k < 5; k++) {
        sum[k] = __reduce_add_sync(0xffffffffu, sum[k]);
        if (t % 32 == 0)
            sums[k][t / 32] = sum[k];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 5; k++)
        sum[k] = sums[k][0] + sums[k][1] + sums[k][2] + sums[k][3];
    unsigned least = sum[0];
#pragma unroll
    for (int k = 1; k < 5; k++)
        if (sum[k] < least) {
            least = sum[k];
            best = k;
        }
    if (t == 0)
        filter[row] = best;
    for (int i = t; i < length; i += 128) {
        all(v, own, before, i);
        unsigned chosen = v[0];
#pragma unroll
        for (int k = 1; k < 5; k++)
            chosen = best == k ? v[k] : chosen;
        out[(size_t)row * length + i] = chosen;
    }
}
