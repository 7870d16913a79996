// Rows of a and of b are 2048 numbers of 1 and -1, 32 a word; c has the products of all pairs. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void xnor_output(int *c, const unsigned *a, const unsigned *b, int n, int words)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || col >= n)
        return;
    int sum = 0;
    for (int k = 0; k < words; k++)
        sum += __popc(~(a[row * words + k] ^ b[col * words + k]));
    c[row * n + col] = 2 * sum - 32 * words;
}

extern "C" __global__ void xnor_tile(int *c, const unsigned *a, const unsigned *b, int n, int words)
{
    __shared__ unsigned as[16][16], bs[16][17];
    int x = threadIdx.x, y = threadIdx.y, col = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y, other = blockIdx.x * 16 + y;
    int sum = 0;
    for (int k0 = 0; k0 < words; k0 += 16) {
        as[y][x] = row < n ? a[row * words + k0 + x] : 0;
        bs[x][y] = other < n ? b[other * words + k0 + x] : 0;
        __syncthreads();
        for (int k = 0; k < 16; k++)
            sum += __popc(as[y][k] ^ bs[k][x]);
        __syncthreads();
    }
    if (row < n && col < n)
        c[row * n + col] = 32 * words - 2 * sum;
}

// 64 x 64 outputs a block, 4 x 4 a thread.
extern "C" __global__ void __launch_bounds__(256) xnor_fours(int *__restrict__ c, const uint4 *__restrict__ a, const uint4 *__restrict__ b, int n)
{
    __shared__ __align__(16) unsigned as[16][68], bs[16][68];
    int t = threadIdx.x, x = t % 16, y = t / 16, sum[4][4] = {};
    const uint4 *pa = a + (blockIdx.y * 64 + t / 4) * 16 + t % 4, *pb = b + (blockIdx.x * 64 + t / 4) * 16 + t % 4;
    for (int k0 = 0; k0 < 4; k0++) {
        uint4 va = pa[4 * k0], vb = pb[4 * k0];
        int k = t % 4 * 4;
        as[k][t / 4] = va.x, as[k + 1][t / 4] = va.y, as[k + 2][t / 4] = va.z, as[k + 3][t / 4] = va.w;
        bs[k][t / 4] = vb.x, bs[k + 1][t / 4] = vb.y, bs[k + 2][t / 4] = vb.z, bs[k + 3][t / 4] = vb.w;
        __syncthreads();
#pragma unroll
        for (int j = 0; j < 16; j++) {
            uint4 p = *(uint4 *)&as[j][4 * y], q = *(uint4 *)&bs[j][4 * x];
            unsigned l[4] = {p.x, p.y, p.z, p.w}, r[4] = {q.x, q.y, q.z, q.w};
#pragma unroll
            for (int u = 0; u < 4; u++)
#pragma unroll
                for (int v = 0; v < 4; v++)
                    sum[u][v] += __popc(l[u] ^ r[v]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int u = 0; u < 4; u++)
        *(int4 *)&c[(blockIdx.y * 64 + 4 * y + u) * n + blockIdx.x * 64 + 4 * x] =
            make_int4(2048 - 2 * sum[u][0], 2048 - 2 * sum[u][1], 2048 - 2 * sum[u][2], 2048 - 2 * sum[u][3]);
}
