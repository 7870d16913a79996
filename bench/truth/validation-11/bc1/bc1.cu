// Two colours of 16 bits and 16 indices of two bits for each 4 x 4 pixels. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void bc1_thread(uint2 *out, const unsigned *image, int width, int height)
{
    int bx = blockIdx.x * blockDim.x + threadIdx.x, by = blockIdx.y;
    if (bx >= width / 4 || by >= height / 4)
        return;
    int pixels[16][3], low[3] = {255, 255, 255}, high[3] = {0, 0, 0};
    for (int i = 0; i < 16; i++) {
        unsigned v = image[(by * 4 + i / 4) * width + bx * 4 + i % 4];
        for (int c = 0; c < 3; c++) {
            pixels[i][c] = v >> 8 * c & 255;
            low[c] = min(low[c], pixels[i][c]);
            high[c] = max(high[c], pixels[i][c]);
        }
    }
    int ends[2][3], palette[4][3];
    for (int c = 0; c < 3; c++) {
        int inset = (high[c] - low[c]) / 16, bits = c == 1 ? 6 : 5;
        ends[0][c] = (high[c] - inset) >> (8 - bits);
        ends[1][c] = (low[c] + inset) >> (8 - bits);
        for (int e = 0; e < 2; e++)
            palette[e][c] = ends[e][c] << (8 - bits) | ends[e][c] >> (2 * bits - 8);
        palette[2][c] = (2 * palette[0][c] + palette[1][c]) / 3;
        palette[3][c] = (palette[0][c] + 2 * palette[1][c]) / 3;
    }
    unsigned indices = 0;
    for (int i = 0; i < 16; i++) {
        int best = 0, least = 1 << 30;
        for (int k = 0; k < 4; k++) {
            int far = 0;
            for (int c = 0; c < 3; c++)
                far += (pixels[i][c] - palette[k][c]) * (pixels[i][c] - palette[k][c]);
            if (far < least) {
                least = far;
                best = k;
            }
        }
        indices |= best << 2 * i;
    }
    out[by * (width / 4) + bx] =
        make_uint2((ends[0][0] << 11 | ends[0][1] << 5 | ends[0][2]) | (ends[1][0] << 11 | ends[1][1] << 5 | ends[1][2]) << 16, indices);
}

// Sixteen lanes have a block, one pixel each; bytes are compared four at a time.
extern "C" __global__ void __launch_bounds__(256) bc1_lanes(uint2 *__restrict__ out, const unsigned *__restrict__ image)
{
    int t = threadIdx.x, lane = t % 16, bx = blockIdx.x * 16 + t / 16, by = blockIdx.y;
    unsigned v = image[(by * 4 + lane / 4) * 1024 + bx * 4 + lane % 4], low = v, high = v;
#pragma unroll
    for (int d = 8; d > 0; d /= 2) {
        low = __vminu4(low, __shfl_xor_sync(0xffffffff, low, d));
        high = __vmaxu4(high, __shfl_xor_sync(0xffffffff, high, d));
    }
    unsigned ends[2] = {};
    int far[4] = {};
#pragma unroll
    for (int c = 0; c < 3; c++) {
        const int bits = c == 1 ? 6 : 5;
        int l = low >> 8 * c & 255, h = high >> 8 * c & 255, own = v >> 8 * c & 255, inset = (h - l) / 16;
        int a = (h - inset) >> (8 - bits), b = (l + inset) >> (8 - bits);
        ends[0] |= a << (c == 0 ? 11 : c == 1 ? 5 : 0);
        ends[1] |= b << (c == 0 ? 11 : c == 1 ? 5 : 0);
        a = a << (8 - bits) | a >> (2 * bits - 8);
        b = b << (8 - bits) | b >> (2 * bits - 8);
        int palette[4] = {a, b, (2 * a + b) / 3, (a + 2 * b) / 3};
#pragma unroll
        for (int k = 0; k < 4; k++)
            far[k] += (own - palette[k]) * (own - palette[k]);
    }
    int best = min(min(far[0] << 2, far[1] << 2 | 1), min(far[2] << 2 | 2, far[3] << 2 | 3)) & 3;
    unsigned index = best << 2 * lane;
#pragma unroll
    for (int d = 8; d > 0; d /= 2)
        index |= __shfl_xor_sync(0xffffffff, index, d);
    if (lane == 0)
        out[by * 256 + bx] = make_uint2(ends[0] | ends[1] << 16, index);
}
