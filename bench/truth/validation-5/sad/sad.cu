// The place, of 17 x 17 around, where the frame before is most like a block of 8 x 8: its sum of differences and its number. Nothing
// is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
typedef unsigned char byte;

// A block a block, a thread a place, from global memory.
extern "C" __global__ void sad_place(unsigned *best, const byte *frame, const byte *before, int width)
{
    __shared__ unsigned least;
    int dx = threadIdx.x, dy = threadIdx.y, x0 = blockIdx.x * 8, y0 = blockIdx.y * 8, wide = width + 16;
    if (dx == 0 && dy == 0)
        least = 0xffffffff;
    __syncthreads();
    unsigned sum = 0;
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++)
            sum += abs((int)frame[(y0 + i) * width + x0 + j] - (int)before[(y0 + dy + i) * wide + x0 + dx + j]);
    atomicMin(&least, sum << 16 | dy * 17 + dx);
    __syncthreads();
    if (dx == 0 && dy == 0)
        best[blockIdx.y * gridDim.x + blockIdx.x] = least;
}

// The window of 24 x 24 and the block in shared memory.
extern "C" __global__ void sad_window(unsigned *best, const byte *frame, const byte *before, int width)
{
    __shared__ byte own[8][8], window[24][24];
    __shared__ unsigned least;
    int dx = threadIdx.x, dy = threadIdx.y, t = dy * 17 + dx, x0 = blockIdx.x * 8, y0 = blockIdx.y * 8, wide = width + 16;
    if (t == 0)
        least = 0xffffffff;
    if (t < 64)
        own[t / 8][t % 8] = frame[(y0 + t / 8) * width + x0 + t % 8];
    for (int i = t; i < 576; i += 289)
        window[i / 24][i % 24] = before[(y0 + i / 24) * wide + x0 + i % 24];
    __syncthreads();
    unsigned sum = 0;
#pragma unroll
    for (int i = 0; i < 8; i++)
#pragma unroll
        for (int j = 0; j < 8; j++)
            sum += __sad(own[i][j], window[dy + i][dx + j], 0);
    atomicMin(&least, sum << 16 | t);
    __syncthreads();
    if (t == 0)
        best[blockIdx.y * gridDim.x + blockIdx.x] = least;
}

// Four bytes at once: a thread has four places of a row, words are shifted into place.
extern "C" __global__ void __launch_bounds__(96) sad_words(unsigned *best, const unsigned *frame, const unsigned *before, int width)
{
    __shared__ unsigned own[8][2], window[24][7], part[3];
    int t = threadIdx.x, x0 = blockIdx.x * 2, y0 = blockIdx.y * 8, wide = width / 4 + 4; // in words
    if (t < 16)
        own[t / 2][t % 2] = frame[(y0 + t / 2) * (width / 4) + x0 + t % 2];
    for (int i = t; i < 144; i += 96)
        window[i / 6][i % 6] = before[(y0 + i / 6) * wide + x0 + i % 6];
    if (t < 24)
        window[t][6] = 0;
    __syncthreads();
    unsigned least = 0xffffffff;
    if (t < 85) {
        int dy = t / 5, group = t % 5; // places 4*group to 4*group+3 of row dy
        unsigned sum[4] = {};
#pragma unroll
        for (int i = 0; i < 8; i++) {
            unsigned a = window[dy + i][group], b = window[dy + i][group + 1], c = window[dy + i][group + 2], u = own[i][0], v = own[i][1];
            sum[0] += __vsadu4(u, a) + __vsadu4(v, b);
            sum[1] += __vsadu4(u, __funnelshift_r(a, b, 8)) + __vsadu4(v, __funnelshift_r(b, c, 8));
            sum[2] += __vsadu4(u, __funnelshift_r(a, b, 16)) + __vsadu4(v, __funnelshift_r(b, c, 16));
            sum[3] += __vsadu4(u, __funnelshift_r(a, b, 24)) + __vsadu4(v, __funnelshift_r(b, c, 24));
        }
        for (int k = 0; k < 4; k++)
            if (4 * group + k < 17)
                least = min(least, sum[k] << 16 | dy * 17 + 4 * group + k);
    }
    least = __reduce_min_sync(0xffffffff, least);
    if (t % 32 == 0)
        part[t / 32] = least;
    __syncthreads();
    if (t == 0)
        best[blockIdx.y * gridDim.x + blockIdx.x] = min(part[0], min(part[1], part[2]));
}
