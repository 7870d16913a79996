// c = a*b in f32 with rows and columns that no tile divides. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

// A thread per element; a warp has one row.
extern "C" __global__ void matmul_coalesced(const float *a, const float *b, float *c, int m, int n, int k)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || col >= n)
        return;
    float sum = 0.f;
    for (int i = 0; i < k; ++i)
        sum += a[row * k + i] * b[i * n + col];
    c[row * n + col] = sum;
}

// Tiles of 32 x 32, a thread per element.
extern "C" __global__ void matmul_tile(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ float sa[32][32];
    __shared__ float sb[32][32];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * 32 + ty, col = blockIdx.x * 32 + tx;
    float sum = 0.f;
    for (int tile = 0; tile < (k + 31) / 32; ++tile) {
        int ac = tile * 32 + tx, br = tile * 32 + ty;
        sa[ty][tx] = (row < m && ac < k) ? a[row * k + ac] : 0.f;
        sb[ty][tx] = (br < k && col < n) ? b[br * n + col] : 0.f;
        __syncthreads();
        for (int i = 0; i < 32; ++i)
            sum += sa[ty][i] * sb[i][tx];
        __syncthreads();
    }
    if (row < m && col < n)
        c[row * n + col] = sum;
}

// Tiles of 64 x 64, 4 x 4 neighbouring results a thread, one number a load.
extern "C" __global__ void matmul_square(const float *a, const float *b, float *c, int m, int n, int k)
{
    constexpr int BM = 64, BN = 64, BK = 16;
    __shared__ float sa[BM * BK];
    __shared__ float sb[BK * BN];
    int t = threadIdx.y * 16 + threadIdx.x;
    int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
    float acc[4][4] = {0.f};
    for (int k0 = 0; k0 < k; k0 += BK) {
        for (int i = t; i < BM * BK; i += 256) {
            int r = i / BK, q = i % BK;
            sa[i] = (row0 + r < m && k0 + q < k) ? a[(row0 + r) * k + k0 + q] : 0.f;
        }
        for (int i = t; i < BK * BN; i += 256) {
            int r = i / BN, q = i % BN;
            sb[i] = (k0 + r < k && col0 + q < n) ? b[(k0 + r) * n + col0 + q] : 0.f;
        }
        __syncthreads();
        for (int i = 0; i < BK; ++i) {
            float ra[4], rb[4];
            for (int y = 0; y < 4; ++y)
                ra[y] = sa[(threadIdx.y * 4 + y) * BK + i];
            for (int x = 0; x < 4; ++x)
                rb[x] = sb[i * BN + threadIdx.x * 4 + x];
            for (int y = 0; y < 4; ++y)
                for (int x = 0; x < 4; ++x)
                    acc[y][x] += ra[y] * rb[x];
        }
        __syncthreads();
    }
    for (int y = 0; y < 4; ++y)
        for (int x = 0; x < 4; ++x) {
            int row = row0 + threadIdx.y * 4 + y, col = col0 + threadIdx.x * 4 + x;
            if (row < m && col < n)
                c[row * n + col] = acc[y][x];
        }
}

// Tiles of 128 x 64, 8 x 8 results a thread, float4 throughout (n and k divide by four); the next tile is loaded into
// registers before this one is multiplied.
extern "C" __global__ void __launch_bounds__(128) matmul_wide(const float *a, const float *b, float *c, int m, int n, int k)
{
    constexpr int BM = 128, BN = 64, BK = 8;
    __shared__ __align__(16) float sa[BK][BM];
    __shared__ __align__(16) float sb[BK][BN];
    const float4 zero = make_float4(0.f, 0.f, 0.f, 0.f);
    int t = threadIdx.x, tx = t % 8, ty = t / 8;
    int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
    int ar = t / 2, ac = t % 2 * 4, br = t / 16, bc = t % 16 * 4;
    float4 na[2], nb;
    float acc[8][8] = {0.f};
    auto load = [&](int k0) {
#pragma unroll
        for (int h = 0; h < 2; ++h) {
            int row = row0 + ar + h * 64;
            na[h] = (row < m && k0 + ac < k) ? *(const float4 *)&a[row * k + k0 + ac] : zero;
        }
        nb = (k0 + br < k && col0 + bc < n) ? *(const float4 *)&b[(k0 + br) * n + col0 + bc] : zero;
    };
    load(0);
    for (int k0 = 0; k0 < k; k0 += BK) {
#pragma unroll
        for (int h = 0; h < 2; ++h) {
            sa[ac + 0][ar + h * 64] = na[h].x;
            sa[ac + 1][ar + h * 64] = na[h].y;
            sa[ac + 2][ar + h * 64] = na[h].z;
            sa[ac + 3][ar + h * 64] = na[h].w;
        }
        *(float4 *)&sb[br][bc] = nb;
        __syncthreads();
        load(k0 + BK);
#pragma unroll
        for (int i = 0; i < BK; ++i) {
            float ra[8], rb[8];
            *(float4 *)&ra[0] = *(const float4 *)&sa[i][ty * 8];
            *(float4 *)&ra[4] = *(const float4 *)&sa[i][ty * 8 + 4];
            *(float4 *)&rb[0] = *(const float4 *)&sb[i][tx * 4];
            *(float4 *)&rb[4] = *(const float4 *)&sb[i][tx * 4 + 32];
#pragma unroll
            for (int y = 0; y < 8; ++y)
#pragma unroll
                for (int x = 0; x < 8; ++x)
                    acc[y][x] += ra[y] * rb[x];
        }
        __syncthreads();
    }
#pragma unroll
    for (int y = 0; y < 8; ++y) {
        int row = row0 + ty * 8 + y;
        if (row >= m)
            break;
#pragma unroll
        for (int h = 0; h < 2; ++h) {
            int col = col0 + tx * 4 + h * 32;
            if (col < n)
                *(float4 *)&c[row * n + col] = make_float4(acc[y][h * 4], acc[y][h * 4 + 1], acc[y][h * 4 + 2], acc[y][h * 4 + 3]);
        }
    }
}
