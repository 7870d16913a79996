// Bytes of a Bayer pattern (rows R G R G, then G B G B) to RGB bytes, bilinear, mirrored at the border. Nothing is tuned on these
// kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
typedef unsigned char byte;

__device__ int mirrored(int i, int n)
{
    return i < 0 ? -i : i >= n ? 2 * n - 2 - i : i;
}

__device__ int at(const byte *raw, int x, int y, int width, int height)
{
    return raw[mirrored(y, height) * width + mirrored(x, width)];
}

extern "C" __global__ void demosaic_pixel(byte *rgb, const byte *raw, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    int own = raw[y * width + x];
    int across = at(raw, x - 1, y, width, height) + at(raw, x + 1, y, width, height);
    int along = at(raw, x, y - 1, width, height) + at(raw, x, y + 1, width, height);
    int r, g, b;
    if (x % 2 == y % 2) { // red or blue
        int corners = at(raw, x - 1, y - 1, width, height) + at(raw, x + 1, y - 1, width, height) +
                      at(raw, x - 1, y + 1, width, height) + at(raw, x + 1, y + 1, width, height);
        g = (across + along + 2) / 4;
        r = x % 2 == 0 ? own : (corners + 2) / 4;
        b = x % 2 == 0 ? (corners + 2) / 4 : own;
    } else {
        g = own;
        r = y % 2 == 0 ? (across + 1) / 2 : (along + 1) / 2;
        b = y % 2 == 0 ? (along + 1) / 2 : (across + 1) / 2;
    }
    byte *out = rgb + (y * width + x) * 3;
    out[0] = r;
    out[1] = g;
    out[2] = b;
}

// v: the 4 x 4 around; the colours of 2 x 2 without a branch, two rows of six bytes.
__device__ void quad(byte rows[2][6], int v[4][4])
{
    rows[0][0] = v[1][1];
    rows[0][1] = (v[0][1] + v[2][1] + v[1][0] + v[1][2] + 2) / 4;
    rows[0][2] = (v[0][0] + v[0][2] + v[2][0] + v[2][2] + 2) / 4;
    rows[0][3] = (v[1][1] + v[1][3] + 1) / 2;
    rows[0][4] = v[1][2];
    rows[0][5] = (v[0][2] + v[2][2] + 1) / 2;
    rows[1][0] = (v[1][1] + v[3][1] + 1) / 2;
    rows[1][1] = v[2][1];
    rows[1][2] = (v[2][0] + v[2][2] + 1) / 2;
    rows[1][3] = (v[1][1] + v[1][3] + v[3][1] + v[3][3] + 2) / 4;
    rows[1][4] = (v[1][2] + v[3][2] + v[2][1] + v[2][3] + 2) / 4;
    rows[1][5] = v[2][2];
}

// 2 x 2 a thread; width and height are even.
extern "C" __global__ void demosaic_quad(byte *rgb, const byte *raw, int width, int height)
{
    int x = 2 * (blockIdx.x * blockDim.x + threadIdx.x), y = 2 * (blockIdx.y * blockDim.y + threadIdx.y), v[4][4];
    if (x >= width || y >= height)
        return;
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++)
            v[i][j] = at(raw, x + j - 1, y + i - 1, width, height);
    byte rows[2][6];
    quad(rows, v);
    for (int i = 0; i < 2; i++) {
        ushort3 *out = (ushort3 *)(rgb + ((y + i) * width + x) * 3);
        *out = make_ushort3(rows[i][0] | rows[i][1] << 8, rows[i][2] | rows[i][3] << 8, rows[i][4] | rows[i][5] << 8);
    }
}

// A tile of 64 x 16 with its border in shared memory; what comes out is gathered there too, to be written in words.
extern "C" __global__ void __launch_bounds__(256) demosaic_tile(unsigned *__restrict__ rgb, const byte *__restrict__ raw, int width, int height)
{
    __shared__ byte s[18][68];
    __shared__ unsigned out[16][48];
    int tx = threadIdx.x, ty = threadIdx.y, t = ty * 32 + tx, x0 = blockIdx.x * 64, y0 = blockIdx.y * 16, v[4][4];
    for (int i = t; i < 18 * 66; i += 256)
        s[i / 66][i % 66] = at(raw, x0 + i % 66 - 1, y0 + i / 66 - 1, width, height);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++)
            v[i][j] = s[2 * ty + i][2 * tx + j];
    byte rows[2][6];
    quad(rows, v);
    for (int i = 0; i < 2; i++)
        for (int c = 0; c < 6; c++)
            ((byte *)out[2 * ty + i])[6 * tx + c] = rows[i][c];
    __syncthreads();
    for (int i = t; i < 16 * 48; i += 256)
        rgb[((y0 + i / 48) * width + x0) / 4 * 3 + i % 48] = out[i / 48][i % 48];
}
