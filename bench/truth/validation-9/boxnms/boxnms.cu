// 320 boxes of an image, best first, suppressed where one that stays overlaps by more than half of the union. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
__device__ bool overlap(short2 p, short2 s, short2 q, short2 z)
{
    int w = min(p.x + s.x, q.x + z.x) - max(p.x, q.x), h = min(p.y + s.y, q.y + z.y) - max(p.y, q.y);
    if (w <= 0 || h <= 0)
        return false;
    return 2 * w * h > s.x * s.y + z.x * z.y - w * h;
}

extern "C" __global__ void boxnms_pairs(unsigned char *over, const short2 *pos, const short2 *size, int boxes)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y, image = blockIdx.z;
    if (j >= boxes)
        return;
    const short2 *p = pos + image * boxes, *s = size + image * boxes;
    over[(image * boxes + i) * boxes + j] = j > i && overlap(p[i], s[i], p[j], s[j]);
}

extern "C" __global__ void boxnms_sweep(unsigned char *keep, const unsigned char *over, int boxes)
{
    __shared__ unsigned char gone[320];
    int j = threadIdx.x;
    gone[j] = 0;
    __syncthreads();
    for (int i = 0; i < boxes; i++) {
        if (!gone[i] && over[(blockIdx.x * boxes + i) * boxes + j])
            gone[j] = 1;
        __syncthreads();
    }
    keep[blockIdx.x * boxes + j] = !gone[j];
}

extern "C" __global__ void __launch_bounds__(64) boxnms_bits(unsigned long long *__restrict__ masks, const short2 *__restrict__ pos,
                                                             const short2 *__restrict__ size)
{
    __shared__ short2 ps[64], ss[64];
    int t = threadIdx.x, column = blockIdx.x, i = blockIdx.y * 64 + t, first = blockIdx.z * 320;
    if (column < blockIdx.y)
        return;
    ps[t] = pos[first + column * 64 + t];
    ss[t] = size[first + column * 64 + t];
    short2 p = pos[first + i], s = size[first + i];
    unsigned long long mask = 0;
    __syncthreads();
    for (int k = column == blockIdx.y ? t + 1 : 0; k < 64; k++)
        if (overlap(p, s, ps[k], ss[k]))
            mask |= 1ull << k;
    masks[(first + i) * 5 + column] = mask;
}

// A warp an image; five lanes keep a word each.
extern "C" __global__ void __launch_bounds__(32) boxnms_words(unsigned char *__restrict__ keep, const unsigned long long *__restrict__ masks)
{
    int lane = threadIdx.x, first = blockIdx.x * 320;
    unsigned long long gone = 0;
    for (int i = 0; i < 320; i++) {
        unsigned long long word = __shfl_sync(0xffffffff, gone, i / 64);
        bool out = word >> (i % 64) & 1;
        if (!out && lane < 5 && lane >= i / 64)
            gone |= masks[(first + i) * 5 + lane];
        if (lane == 0)
            keep[first + i] = !out;
    }
}
