// Erosion: the least of 9 x 5 bytes around each pixel, what lies outside does not count. Nothing is tuned on these kernels
// (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
constexpr int RX = 4, RY = 2;

// 45 loads a pixel within bounds.
extern "C" __global__ void erode_plain(unsigned char *out, const unsigned char *in, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    int least = 255;
    for (int v = max(y - RY, 0); v <= min(y + RY, h - 1); v++)
        for (int u = max(x - RX, 0); u <= min(x + RX, w - 1); u++)
            least = min(least, in[v * w + u]);
    out[y * w + x] = (unsigned char)least;
}

// Two launches, along the rows and down the columns; columns four bytes at a time.
extern "C" __global__ void erode_rows(unsigned char *out, const unsigned char *in, int w)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= w)
        return;
    int least = 255;
#pragma unroll
    for (int d = -RX; d <= RX; d++)
        if (x + d >= 0 && x + d < w)
            least = min(least, in[y * w + x + d]);
    out[y * w + x] = (unsigned char)least;
}

extern "C" __global__ void erode_columns(unsigned *out, const unsigned *in, int words, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= words || y >= h)
        return;
    unsigned least = ~0u;
#pragma unroll
    for (int d = -RY; d <= RY; d++)
        if (y + d >= 0 && y + d < h)
            least = __vminu4(least, in[(y + d) * words + x]);
    out[y * words + x] = least;
}

// One launch by words: the least down the columns in shared memory, then shifted words along the rows.
extern "C" __global__ void erode_words(unsigned *out, const unsigned *in, int words, int h)
{
    __shared__ unsigned s[4][66];
    int t = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 64 + t, y = blockIdx.y * 4 + ty;
    for (int i = t; i < 66; i += 64) {
        int u = blockIdx.x * 64 + i - 1;
        unsigned least = ~0u;
        if (u >= 0 && u < words)
            for (int v = max(y - RY, 0); v <= min(y + RY, h - 1); v++)
                least = __vminu4(least, in[v * words + u]);
        s[ty][i] = least;
    }
    __syncthreads();
    if (x >= words || y >= h)
        return;
    unsigned left = s[ty][t], here = s[ty][t + 1], right = s[ty][t + 2];
    unsigned least = __vminu4(left, __vminu4(here, right));
    least = __vminu4(least, __vminu4(__byte_perm(left, here, 0x4321), __byte_perm(left, here, 0x5432)));
    least = __vminu4(least, __vminu4(__byte_perm(left, here, 0x6543), __byte_perm(here, right, 0x4321)));
    least = __vminu4(least, __vminu4(__byte_perm(here, right, 0x5432), __byte_perm(here, right, 0x6543)));
    out[y * words + x] = least;
}
