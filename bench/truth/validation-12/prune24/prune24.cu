// Of each four numbers of 16 bits (sign and magnitude, as halves are) the two with the largest magnitudes, in order, the first of equals; places are two bits each. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
// places: a thread's four bits join those of three neighbours.
extern "C" __global__ void prune24_four(unsigned short *kept, unsigned short *places, const unsigned short *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, first = 0, second = 0;
    if (i < n) {
        int most = -1, next = -1;
        for (int k = 0; k < 4; k++)
            if ((x[4 * i + k] & 0x7fff) > most) {
                most = x[4 * i + k] & 0x7fff;
                first = k;
            }
        for (int k = 0; k < 4; k++)
            if (k != first && (x[4 * i + k] & 0x7fff) > next) {
                next = x[4 * i + k] & 0x7fff;
                second = k;
            }
        int low = min(first, second), high = max(first, second);
        kept[2 * i] = x[4 * i + low];
        kept[2 * i + 1] = x[4 * i + high];
        first = low;
        second = high;
    }
    int bits = (first | second << 2) << (i % 4 * 4);
    bits |= __shfl_xor_sync(0xffffffff, bits, 1);
    bits |= __shfl_xor_sync(0xffffffff, bits, 2);
    if (i < n && i % 4 == 0)
        places[i / 4] = bits;
}

// A number's magnitude above its reversed place: larger is earlier among equals.
__device__ unsigned pick(unsigned &bits, uint2 v)
{
    unsigned h[4] = {v.x & 0xffff, v.x >> 16, v.y & 0xffff, v.y >> 16}, key[4];
#pragma unroll
    for (int k = 0; k < 4; k++)
        key[k] = (h[k] & 0x7fff) << 2 | (3 - k);
    unsigned a = max(key[0], key[1]), b = min(key[0], key[1]), c = max(key[2], key[3]), d = min(key[2], key[3]);
    unsigned top = max(a, c), after = max(min(a, c), a > c ? b : d);
    unsigned p = 3 - (top & 3), q = 3 - (after & 3), low = min(p, q), high = max(p, q);
    bits = low | high << 2;
    unsigned u = low < 2 ? v.x : v.y, w = high < 2 ? v.x : v.y;
    return __byte_perm(u, w, (low & 1 ? 0x32 : 0x10) | (high & 1 ? 0x7600 : 0x5400));
}

extern "C" __global__ void __launch_bounds__(128) prune24_sixteen(uint4 *__restrict__ kept, unsigned short *__restrict__ places, const uint4 *__restrict__ x,
                                                                  int n)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i >= n)
        return;
    uint4 a = x[2 * i], b = x[2 * i + 1], out;
    unsigned p, q, r, s;
    out.x = pick(p, make_uint2(a.x, a.y));
    out.y = pick(q, make_uint2(a.z, a.w));
    out.z = pick(r, make_uint2(b.x, b.y));
    out.w = pick(s, make_uint2(b.z, b.w));
    kept[i] = out;
    places[i] = p | q << 4 | r << 8 | s << 12;
}
