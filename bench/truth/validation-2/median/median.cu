// The median of 3 x 3 pixels of bytes, the border repeated. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

// By sorting the lower half of nine by insertion, as it is written first.
extern "C" __global__ void median_sort(unsigned char *out, const unsigned char *in, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    unsigned char v[9];
    for (int i = 0; i < 9; i++)
        v[i] = in[min(max(y + i / 3 - 1, 0), h - 1) * w + min(max(x + i % 3 - 1, 0), w - 1)];
    for (int i = 0; i < 5; i++)
        for (int j = i + 1; j < 9; j++)
            if (v[j] < v[i]) {
                unsigned char swap = v[i];
                v[i] = v[j];
                v[j] = swap;
            }
    out[y * w + x] = v[4];
}

// By columns: the largest of the three least, the middle of the three middle ones, the least of the three largest. Four pixels of
// a word at once, by instructions for four bytes.
__device__ void order(unsigned &a, unsigned &b)
{
    unsigned least = __vminu4(a, b);
    b = __vmaxu4(a, b);
    a = least;
}

__device__ unsigned middle(unsigned a, unsigned b, unsigned c)
{
    return __vmaxu4(__vminu4(a, b), __vminu4(__vmaxu4(a, b), c));
}

extern "C" __global__ void median_words(unsigned *out, const unsigned *in, int words, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= words || y >= h)
        return;
    unsigned v[3][3];
#pragma unroll
    for (int d = 0; d < 3; d++) {
        const unsigned *row = in + min(max(y + d - 1, 0), h - 1) * words;
        unsigned here = row[x], left = x > 0 ? row[x - 1] : here << 24, right = x < words - 1 ? row[x + 1] : here >> 24;
        v[0][d] = __byte_perm(left, here, 0x6543);
        v[1][d] = here;
        v[2][d] = __byte_perm(here, right, 0x4321);
    }
#pragma unroll
    for (int c = 0; c < 3; c++) {
        order(v[c][0], v[c][1]);
        order(v[c][1], v[c][2]);
        order(v[c][0], v[c][1]);
    }
    unsigned low = __vmaxu4(__vmaxu4(v[0][0], v[1][0]), v[2][0]), high = __vminu4(__vminu4(v[0][2], v[1][2]), v[2][2]);
    out[y * words + x] = middle(low, middle(v[0][1], v[1][1], v[2][1]), high);
}

// The same by plain bytes of a tile in shared memory.
extern "C" __global__ void median_tile(unsigned char *out, const unsigned char *in, int w, int h)
{
    __shared__ unsigned char s[10][36];
    int tx = threadIdx.x, ty = threadIdx.y, x0 = blockIdx.x * 32, y0 = blockIdx.y * 8;
    for (int i = ty * 32 + tx; i < 340; i += 256)
        s[i / 34][i % 34] = in[min(max(y0 + i / 34 - 1, 0), h - 1) * w + min(max(x0 + i % 34 - 1, 0), w - 1)];
    __syncthreads();
    int least[3], mid[3], most[3];
#pragma unroll
    for (int c = 0; c < 3; c++) {
        int a = s[ty][tx + c], b = s[ty + 1][tx + c], d = s[ty + 2][tx + c];
        least[c] = min(min(a, b), d);
        most[c] = max(max(a, b), d);
        mid[c] = a + b + d - least[c] - most[c];
    }
    int low = max(max(least[0], least[1]), least[2]), high = min(min(most[0], most[1]), most[2]);
    int among = max(min(mid[0], mid[1]), min(max(mid[0], mid[1]), mid[2]));
    if (x0 + tx < w && y0 + ty < h)
        out[(y0 + ty) * w + x0 + tx] = (unsigned char)max(min(low, high), min(max(low, high), among));
}
