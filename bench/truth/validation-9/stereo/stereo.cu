// The first of 32 disparities where the comparisons with 24 neighbours differ least, images 640 wide. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
// Comparisons of a pixel with the 24 about it.
__device__ unsigned census(const unsigned char *p, int width)
{
    unsigned bits = 0;
#pragma unroll
    for (int j = -2; j <= 2; j++)
#pragma unroll
        for (int i = -2; i <= 2; i++)
            if (i != 0 || j != 0)
                bits = bits << 1 | (p[j * width + i] < p[0]);
    return bits;
}

extern "C" __global__ void stereo_anew(unsigned char *out, const unsigned char *left, const unsigned char *right, int width)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, best = 0, least = 25;
    if (x >= width - 36)
        return;
    const unsigned char *l = left + (y + 2) * width + x + 34, *r = right + (y + 2) * width + x + 34;
    for (int d = 0; d < 32; d++) {
        int cost = 0;
        for (int j = -2; j <= 2; j++)
            for (int i = -2; i <= 2; i++)
                cost += (l[j * width + i] < l[0]) != (r[j * width + i - d] < r[-d]);
        if (cost < least) {
            least = cost;
            best = d;
        }
    }
    out[y * (width - 36) + x] = best;
}

extern "C" __global__ void stereo_bits(unsigned *bits, const unsigned char *image, int width)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x + 2, y = blockIdx.y + 2;
    if (x < width - 2)
        bits[y * width + x] = census(image + y * width + x, width);
}

extern "C" __global__ void stereo_match(unsigned char *out, const unsigned *left, const unsigned *right, int width)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, best = 0, least = 25, at = (y + 2) * width + x + 34;
    if (x >= width - 36)
        return;
    for (int d = 0; d < 32; d++) {
        int cost = __popc(left[at] ^ right[at - d]);
        if (cost < least) {
            least = cost;
            best = d;
        }
    }
    out[y * (width - 36) + x] = best;
}

extern "C" __global__ void __launch_bounds__(128) stereo_shared(unsigned char *__restrict__ out, const unsigned char *__restrict__ left,
                                                                const unsigned char *__restrict__ right)
{
    __shared__ unsigned words[160];
    int t = threadIdx.x, x = blockIdx.x * 128 + t, y = blockIdx.y, row = (y + 2) * 640;
    for (int i = t; i < 160; i += 128) {
        int from = blockIdx.x * 128 + i + 3;
        words[i] = from < 638 ? census(right + row + from, 640) : 0;
    }
    __syncthreads();
    if (x >= 604)
        return;
    unsigned own = census(left + row + x + 34, 640), least = ~0u;
#pragma unroll
    for (int d = 0; d < 32; d++)
        least = min(least, (unsigned)__popc(own ^ words[t + 31 - d]) << 5 | d);
    out[y * 604 + x] = least & 31;
}
