// Products of int8 matrices with sums in i32, a row by row and b column by column. Nothing is tuned on these kernels
// (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

extern "C" __global__ void i8mm_naive(const signed char *a, const signed char *b, int *c, int m, int n, int k)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < m && col < n) {
        int acc = 0;
        for (int i = 0; i < k; i++)
            acc += (int)a[row * k + i] * (int)b[col * k + i];
        c[row * n + col] = acc;
    }
}

// Four products an instruction; a and b in words.
extern "C" __global__ void i8mm_dp4a(const int *__restrict__ a, const int *__restrict__ b, int *__restrict__ c, int m, int n, int words)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || col >= n)
        return;
    int acc = 0;
    for (int i = 0; i < words; i++)
        acc = __dp4a(a[row * words + i], b[col * words + i], acc);
    c[row * n + col] = acc;
}

// A tile of 64 x 64, 4 x 4 a thread, 32 bytes of k at a time.
extern "C" __global__ void i8mm_tile(const int *__restrict__ a, const int *__restrict__ b, int *__restrict__ c, int m, int n, int words)
{
    __shared__ int as[8][65], bs[8][65];
    const int t = threadIdx.x, tx = t % 16, ty = t / 16;
    const int row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
    int acc[4][4] = {};
    for (int k0 = 0; k0 < words; k0 += 8) {
        for (int i = t; i < 512; i += 256) {
            int r = i / 8, w = i % 8;
            as[w][r] = row0 + r < m ? a[(row0 + r) * words + k0 + w] : 0;
            bs[w][r] = col0 + r < n ? b[(col0 + r) * words + k0 + w] : 0;
        }
        __syncthreads();
#pragma unroll
        for (int w = 0; w < 8; w++) {
            int av[4], bv[4];
#pragma unroll
            for (int i = 0; i < 4; i++) {
                av[i] = as[w][ty + 16 * i];
                bv[i] = bs[w][tx + 16 * i];
            }
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    acc[i][j] = __dp4a(av[i], bv[j], acc[i][j]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            if (row0 + ty + 16 * i < m && col0 + tx + 16 * j < n)
                c[(row0 + ty + 16 * i) * n + col0 + tx + 16 * j] = acc[i][j];
}
