// c = scale * (a*b): rows of int8 times rows of int8, k numbers each, a scale a column. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

extern "C" __global__ void i8mma_dp4a(float *c, const int *a, const int *b, const float *scale, int n, int words)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n)
        return;
    int sum = 0;
    for (int i = 0; i < words; i++)
        sum = __dp4a(a[y * words + i], b[x * words + i], sum);
    c[y * n + x] = sum * scale[x];
}

__device__ void mma(int (&c)[4], const int (&a)[4], int b0, int b1)
{
    asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Sums of 16 x 8 to their places, times the columns' scales.
__device__ void scaled(float *c, const float *scale, const int (&v)[4], int y, int x, int n)
{
    float s0 = scale[x], s1 = scale[x + 1];
    *(float2 *)&c[y * n + x] = make_float2(v[0] * s0, v[1] * s1);
    *(float2 *)&c[(y + 8) * n + x] = make_float2(v[2] * s0, v[3] * s1);
}

// 16 x 32 outputs a warp, four warps a block of 32 x 64.
extern "C" __global__ void i8mma_global(float *c, const int *a, const int *b, const float *scale, int n, int words)
{
    int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    int y = blockIdx.y * 32 + warp / 2 * 16 + g, x = blockIdx.x * 64 + warp % 2 * 32;
    int acc[4][4] = {};
    for (int i = 0; i < words; i += 8) {
        int fa[4] = {a[y * words + i + t], a[(y + 8) * words + i + t], a[y * words + i + t + 4], a[(y + 8) * words + i + t + 4]};
#pragma unroll
        for (int j = 0; j < 4; j++) {
            const int *column = b + (x + 8 * j + g) * words + i + t;
            mma(acc[j], fa, column[0], column[4]);
        }
    }
#pragma unroll
    for (int j = 0; j < 4; j++)
        scaled(c, scale, acc[j], y, x + 8 * j + 2 * t, n);
}

// 64 x 64 outputs a block, 32 x 32 a warp, 64 bytes of k at a time in shared memory.
extern "C" __global__ void __launch_bounds__(128) i8mma_shared(float *__restrict__ c, const signed char *__restrict__ a,
                                                               const signed char *__restrict__ b,
                                                               const float *__restrict__ scale, int n, int k)
{
    __shared__ __align__(16) int as[64][20], bs[64][20];
    int t = threadIdx.x, warp = t / 32, g = t % 32 / 4, l = t % 4;
    int row = warp / 2 * 32, col = warp % 2 * 32, row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
    int acc[2][4][4] = {};
    for (int k0 = 0; k0 < k; k0 += 64) {
#pragma unroll
        for (int i = t; i < 256; i += 128) {
            *(int4 *)&as[i / 4][i % 4 * 4] = *(const int4 *)&a[(row0 + i / 4) * k + k0 + i % 4 * 16];
            *(int4 *)&bs[i / 4][i % 4 * 4] = *(const int4 *)&b[(col0 + i / 4) * k + k0 + i % 4 * 16];
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 16; i += 8) {
            int fa[2][4];
#pragma unroll
            for (int m = 0; m < 2; m++) {
                int y = row + 16 * m + g;
                fa[m][0] = as[y][i + l];
                fa[m][1] = as[y + 8][i + l];
                fa[m][2] = as[y][i + l + 4];
                fa[m][3] = as[y + 8][i + l + 4];
            }
#pragma unroll
            for (int j = 0; j < 4; j++) {
                int b0 = bs[col + 8 * j + g][i + l], b1 = bs[col + 8 * j + g][i + l + 4];
                mma(acc[0][j], fa[0], b0, b1);
                mma(acc[1][j], fa[1], b0, b1);
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int m = 0; m < 2; m++)
#pragma unroll
        for (int j = 0; j < 4; j++)
            scaled(c, scale, acc[m][j], row0 + row + 16 * m + g, col0 + col + 8 * j + 2 * l, n);
}
