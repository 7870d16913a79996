// d = alpha*a*b + beta*c in f32, step by step: from threads that walk down the rows to tiles of warps. Row-major, a has m
// rows of k, b k rows of n. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

// Neighbouring threads take neighbouring rows: every load of a and store of d touches 32 lines.
extern "C" __global__ void sgemm_rows(float *d, const float *a, const float *b, const float *c, float alpha, float beta, int m, int n, int k)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x, col = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || col >= n)
        return;
    float sum = 0;
    for (int i = 0; i < k; i++)
        sum += a[row * k + i] * b[i * n + col];
    d[row * n + col] = alpha * sum + beta * c[row * n + col];
}

// A block of 1024 as 32 x 32, columns fastest.
extern "C" __global__ void sgemm_coalesced(float *d, const float *a, const float *b, const float *c, float alpha, float beta, int m, int n, int k)
{
    int row = blockIdx.y * 32 + threadIdx.x / 32, col = blockIdx.x * 32 + threadIdx.x % 32;
    if (row >= m || col >= n)
        return;
    float sum = 0;
    for (int i = 0; i < k; i++)
        sum += a[row * k + i] * b[i * n + col];
    d[row * n + col] = alpha * sum + beta * c[row * n + col];
}

// Tiles of 64 x 64, each thread eight rows of one column.
extern "C" __global__ void __launch_bounds__(512) sgemm_strip(float *d, const float *a, const float *b, const float *c, float alpha, float beta, int m, int n, int k)
{
    constexpr int TILE = 64, DEPTH = 8, EACH = 8;
    __shared__ float as[TILE * DEPTH], bs[DEPTH * TILE];
    int t = threadIdx.x, col = t % TILE, first = t / TILE * EACH, row0 = blockIdx.y * TILE, col0 = blockIdx.x * TILE;
    float sums[EACH] = {0};
    for (int k0 = 0; k0 < k; k0 += DEPTH) {
        int ar = row0 + t / DEPTH, ac = k0 + t % DEPTH, br = k0 + t / TILE, bc = col0 + t % TILE;
        as[t] = ar < m && ac < k ? a[ar * k + ac] : 0;
        bs[t] = br < k && bc < n ? b[br * n + bc] : 0;
        __syncthreads();
        for (int i = 0; i < DEPTH; i++) {
            float v = bs[i * TILE + col];
            for (int e = 0; e < EACH; e++)
                sums[e] += as[(first + e) * DEPTH + i] * v;
        }
        __syncthreads();
    }
    if (col0 + col >= n)
        return;
    for (int e = 0; e < EACH; e++) {
        int row = row0 + first + e;
        if (row < m)
            d[row * n + col0 + col] = alpha * sums[e] + beta * c[row * n + col0 + col];
    }
}

// Tiles of 128 x 128 loaded by float4, a turned in shared memory, 8 x 8 results a thread. m, n multiples of 128, k of 8.
extern "C" __global__ void __launch_bounds__(256) sgemm_square(float *d, const float *a, const float *b, const float *c, float alpha, float beta, int m, int n, int k)
{
    constexpr int TILE = 128, DEPTH = 8;
    __shared__ float as[DEPTH][TILE], bs[DEPTH][TILE];
    int t = threadIdx.x, ty = t / 16 * 8, tx = t % 16 * 8;
    const float *pa = a + (blockIdx.y * TILE + t / 2) * k + t % 2 * 4, *pb = b + t / 32 * n + blockIdx.x * TILE + t % 32 * 4;
    float sums[8][8] = {{0}}, ra[8], rb[8];
    for (int k0 = 0; k0 < k; k0 += DEPTH) {
        float4 va = *(const float4 *)pa, vb = *(const float4 *)pb;
        as[t % 2 * 4 + 0][t / 2] = va.x;
        as[t % 2 * 4 + 1][t / 2] = va.y;
        as[t % 2 * 4 + 2][t / 2] = va.z;
        as[t % 2 * 4 + 3][t / 2] = va.w;
        *(float4 *)&bs[t / 32][t % 32 * 4] = vb;
        __syncthreads();
        pa += DEPTH;
        pb += DEPTH * n;
#pragma unroll
        for (int i = 0; i < DEPTH; i++) {
#pragma unroll
            for (int e = 0; e < 8; e++) {
                ra[e] = as[i][ty + e];
                rb[e] = bs[i][tx + e];
            }
#pragma unroll
            for (int y = 0; y < 8; y++)
#pragma unroll
                for (int x = 0; x < 8; x++)
                    sums[y][x] += ra[y] * rb[x];
        }
        __syncthreads();
    }
#pragma unroll
    for (int y = 0; y < 8; y++)
#pragma unroll
        for (int x = 0; x < 8; x += 4) {
            int at = (blockIdx.y * TILE + ty + y) * n + blockIdx.x * TILE + tx + x;
            float4 old = *(const float4 *)(c + at);
            *(float4 *)(d + at) = make_float4(alpha * sums[y][x] + beta * old.x, alpha * sums[y][x + 1] + beta * old.y,
                                              alpha * sums[y][x + 2] + beta * old.z, alpha * sums[y][x + 3] + beta * old.w);
        }
}

// Blocks of 64 x 128 and four warps of 32 x 64 each: a lane has 2 x 2 pieces of 4 x 8, so that a warp reads few words of each row.
extern "C" __global__ void __launch_bounds__(128) sgemm_warps(float *d, const float *a, const float *b, const float *c, float alpha, float beta, int m, int n, int k)
{
    constexpr int ROWS = 64, COLS = 128, DEPTH = 16;
    __shared__ float as[DEPTH][ROWS + 4], bs[DEPTH][COLS];
    int t = threadIdx.x, warp = t / 32, lane = t % 32;
    int wy = warp / 2 * 32, wx = warp % 2 * 64, ly = lane / 8 * 4, lx = lane % 8 * 4;
    int row0 = blockIdx.y * ROWS, col0 = blockIdx.x * COLS;
    float sums[2][2][4][4] = {};
    for (int k0 = 0; k0 < k; k0 += DEPTH) {
        for (int i = t; i < ROWS * DEPTH / 4; i += 128) {
            int r = i / 4, q = i % 4 * 4;
            float4 v = *(const float4 *)(a + (row0 + r) * k + k0 + q);
            as[q][r] = v.x;
            as[q + 1][r] = v.y;
            as[q + 2][r] = v.z;
            as[q + 3][r] = v.w;
        }
        for (int i = t; i < COLS * DEPTH / 4; i += 128)
            *(float4 *)&bs[i / 32][i % 32 * 4] = *(const float4 *)(b + (k0 + i / 32) * n + col0 + i % 32 * 4);
        __syncthreads();
#pragma unroll 4
        for (int i = 0; i < DEPTH; i++) {
            float4 ra[2], rb[2];
#pragma unroll
            for (int p = 0; p < 2; p++) {
                ra[p] = *(const float4 *)&as[i][wy + p * 16 + ly];
                rb[p] = *(const float4 *)&bs[i][wx + p * 32 + lx];
            }
#pragma unroll
            for (int p = 0; p < 2; p++)
#pragma unroll
                for (int q = 0; q < 2; q++)
#pragma unroll
                    for (int y = 0; y < 4; y++)
#pragma unroll
                        for (int x = 0; x < 4; x++)
                            sums[p][q][y][x] += (&ra[p].x)[y] * (&rb[q].x)[x];
        }
        __syncthreads();
    }
#pragma unroll
    for (int p = 0; p < 2; p++)
#pragma unroll
        for (int y = 0; y < 4; y++)
#pragma unroll
            for (int q = 0; q < 2; q++) {
                int at = (row0 + wy + p * 16 + ly + y) * n + col0 + wx + q * 32 + lx;
                float4 old = *(const float4 *)(c + at);
                const float *s = sums[p][q][y];
                *(float4 *)(d + at) = make_float4(alpha * s[0] + beta * old.x, alpha * s[1] + beta * old.y, alpha * s[2] + beta * old.z,
                                                  alpha * s[3] + beta * old.w);
            }
}

__device__ void copy16(void *to, const void *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}

// Tiles of 64 x 64, 4 x 4 results a thread; cp.async brings the next tiles while these are multiplied.
extern "C" __global__ void __launch_bounds__(256) sgemm_async(float *d, const float *a, const float *b, const float *c, float alpha, float beta, int m, int n, int k)
{
    constexpr int TILE = 64, DEPTH = 16;
    __shared__ __align__(16) float as[2][TILE][DEPTH + 4], bs[2][DEPTH][TILE];
    int t = threadIdx.x, ty = t / 16, tx = t % 16, row0 = blockIdx.y * TILE, col0 = blockIdx.x * TILE;
    auto bring = [&](int stage, int k0) {
        copy16(&as[stage][t / 4][t % 4 * 4], a + (row0 + t / 4) * k + k0 + t % 4 * 4);
        copy16(&bs[stage][t / 16][t % 16 * 4], b + (k0 + t / 16) * n + col0 + t % 16 * 4);
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    float sums[4][4] = {};
    bring(0, 0);
    for (int k0 = 0, stage = 0; k0 < k; k0 += DEPTH, stage ^= 1) {
        if (k0 + DEPTH < k) {
            bring(stage ^ 1, k0 + DEPTH);
            asm volatile("cp.async.wait_group 1;" ::: "memory");
        } else {
            asm volatile("cp.async.wait_group 0;" ::: "memory");
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < DEPTH; i++) {
            float4 v = *(const float4 *)&bs[stage][i][tx * 4];
#pragma unroll
            for (int y = 0; y < 4; y++) {
                float u = as[stage][ty + 16 * y][i];
                sums[y][0] += u * v.x;
                sums[y][1] += u * v.y;
                sums[y][2] += u * v.z;
                sums[y][3] += u * v.w;
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int y = 0; y < 4; y++) {
        int at = (row0 + ty + 16 * y) * n + col0 + tx * 4;
        float4 old = *(const float4 *)(c + at);
        *(float4 *)(d + at) = make_float4(alpha * sums[y][0] + beta * old.x, alpha * sums[y][1] + beta * old.y,
                                          alpha * sums[y][2] + beta * old.z, alpha * sums[y][3] + beta * old.w);
    }
}
