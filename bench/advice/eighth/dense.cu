// Matrices: sgemm_*, linear_*, gemvt_*, hgemm_*, tfgemm_*, int8_*, convlayer_*, recurrent_*. Each pair's YAML says what differs.
// SPDX-License-Identifier: Apache-2.0

/* ---- C = alpha A B + beta C, row-major, any size ---------------------------------------------------------------------------- */

extern "C" __global__ void sgemm_naive(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int col = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < M && col < N) {
        float sum = 0.0f;
        for (int k = 0; k < K; ++k)
            sum += A[row * K + k] * B[k * N + col];
        C[row * N + col] = alpha * sum + beta * C[row * N + col];
    }
}

extern "C" __global__ void sgemm_coalesced(int M, int N, int K, float alpha, const float *A, const float *B, float beta,
                                           float *C)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < M && col < N) {
        float sum = 0.0f;
        for (int k = 0; k < K; ++k)
            sum += A[row * K + k] * B[k * N + col];
        C[row * N + col] = alpha * sum + beta * C[row * N + col];
    }
}

extern "C" __global__ void sgemm_tile(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C)
{
    __shared__ float As[32][32], Bs[32][32];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * 32 + ty, col = blockIdx.x * 32 + tx;
    float sum = 0.0f;
    for (int t = 0; t < K; t += 32) {
        As[ty][tx] = row < M && t + tx < K ? A[row * K + t + tx] : 0.0f;
        Bs[ty][tx] = t + ty < K && col < N ? B[(t + ty) * N + col] : 0.0f;
        __syncthreads();
        for (int k = 0; k < 32; ++k)
            sum += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }
    if (row < M && col < N)
        C[row * N + col] = alpha * sum + beta * C[row * N + col];
}

// 64 x 64 a block of 512 threads, eight rows of one column each.
extern "C" __global__ void sgemm_strip(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C)
{
    const int BM = 64, BN = 64, BK = 8, TM = 8;
    __shared__ float As[BM * BK], Bs[BK * BN];
    int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN, t = threadIdx.x;
    int threadCol = t % BN, threadRow = t / BN;
    int aCol = t % BK, aRow = t / BK, bCol = t % BN, bRow = t / BN;
    float sum[TM] = {0.0f};
    for (int k0 = 0; k0 < K; k0 += BK) {
        As[aRow * BK + aCol] = row0 + aRow < M && k0 + aCol < K ? A[(row0 + aRow) * K + k0 + aCol] : 0.0f;
        Bs[bRow * BN + bCol] = k0 + bRow < K && col0 + bCol < N ? B[(k0 + bRow) * N + col0 + bCol] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; ++k) {
            float b = Bs[k * BN + threadCol];
#pragma unroll
            for (int i = 0; i < TM; ++i)
                sum[i] += As[(threadRow * TM + i) * BK + k] * b;
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < TM; ++i) {
        int row = row0 + threadRow * TM + i, col = col0 + threadCol;
        if (row < M && col < N)
            C[row * N + col] = alpha * sum[i] + beta * C[row * N + col];
    }
}

// 128 x 128 a block of 256 threads, eight by eight each.
extern "C" __launch_bounds__(256, 2) __global__ void sgemm_square(int M, int N, int K, float alpha, const float *A, const float *B,
                                                                  float beta, float *C)
{
    const int BM = 128, BN = 128, BK = 8, TM = 8, TN = 8;
    __shared__ float As[BM * BK], Bs[BK * BN];
    int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN, t = threadIdx.x;
    int threadCol = t % (BN / TN), threadRow = t / (BN / TN);
    int aCol = t % BK, aRow = t / BK, bCol = t % BN, bRow = t / BN;
    float sum[TM][TN] = {{0.0f}}, a[TM], b[TN];
    for (int k0 = 0; k0 < K; k0 += BK) {
#pragma unroll
        for (int i = 0; i < BM; i += 32)
            As[(aRow + i) * BK + aCol] =
                row0 + aRow + i < M && k0 + aCol < K ? A[(row0 + aRow + i) * K + k0 + aCol] : 0.0f;
#pragma unroll
        for (int i = 0; i < BK; i += 2)
            Bs[(bRow + i) * BN + bCol] =
                k0 + bRow + i < K && col0 + bCol < N ? B[(k0 + bRow + i) * N + col0 + bCol] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; ++k) {
#pragma unroll
            for (int i = 0; i < TM; ++i)
                a[i] = As[(threadRow * TM + i) * BK + k];
#pragma unroll
            for (int j = 0; j < TN; ++j)
                b[j] = Bs[k * BN + threadCol * TN + j];
#pragma unroll
            for (int i = 0; i < TM; ++i)
#pragma unroll
                for (int j = 0; j < TN; ++j)
                    sum[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; ++j) {
            int row = row0 + threadRow * TM + i, col = col0 + threadCol * TN + j;
            if (row < M && col < N)
                C[row * N + col] = alpha * sum[i][j] + beta * C[row * N + col];
        }
}

static __device__ __forceinline__ void outer_product(float sum[8][8], const float *a, const float *b)
{
    float4 a0 = *(const float4 *)a, a1 = *(const float4 *)(a + 4);
    float4 b0 = *(const float4 *)b, b1 = *(const float4 *)(b + 4);
    float x[8] = {a0.x, a0.y, a0.z, a0.w, a1.x, a1.y, a1.z, a1.w};
    float y[8] = {b0.x, b0.y, b0.z, b0.w, b1.x, b1.y, b1.z, b1.w};
#pragma unroll
    for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 8; ++j)
            sum[i][j] += x[i] * y[j];
}

static __device__ __forceinline__ void store_square(float *C, int N, int row, int col, float alpha, float beta,
                                                    const float sum[8][8])
{
#pragma unroll
    for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 8; j += 4) {
            float4 *at = (float4 *)&C[(row + i) * N + col + j], c = *at;
            *at = make_float4(alpha * sum[i][j] + beta * c.x, alpha * sum[i][j + 1] + beta * c.y,
                              alpha * sum[i][j + 2] + beta * c.z, alpha * sum[i][j + 3] + beta * c.w);
        }
}

// Multiples of 128 and 8 from here on: four numbers a load, the tile of A turned round.
extern "C" __launch_bounds__(256, 2) __global__ void sgemm_vectors(int M, int N, int K, float alpha, const float *A, const float *B,
                                                                   float beta, float *C)
{
    __shared__ __align__(16) float As[8 * 128], Bs[8 * 128];
    int row0 = blockIdx.y * 128, col0 = blockIdx.x * 128, t = threadIdx.x;
    int aCol = t % 2 * 4, aRow = t / 2, bCol = t % 32 * 4, bRow = t / 32;
    float sum[8][8] = {{0.0f}};
    for (int k0 = 0; k0 < K; k0 += 8) {
        float4 a = *(const float4 *)&A[(row0 + aRow) * K + k0 + aCol];
        As[aCol * 128 + aRow] = a.x;
        As[(aCol + 1) * 128 + aRow] = a.y;
        As[(aCol + 2) * 128 + aRow] = a.z;
        As[(aCol + 3) * 128 + aRow] = a.w;
        *(float4 *)&Bs[bRow * 128 + bCol] = *(const float4 *)&B[(k0 + bRow) * N + col0 + bCol];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 8; ++k)
            outer_product(sum, &As[k * 128 + t / 16 * 8], &Bs[k * 128 + t % 16 * 8]);
        __syncthreads();
    }
    store_square(C, N, row0 + t / 16 * 8, col0 + t % 16 * 8, alpha, beta, sum);
}

// The next tiles are loaded while these are multiplied.
extern "C" __launch_bounds__(256, 2) __global__ void sgemm_prefetch(int M, int N, int K, float alpha, const float *A, const float *B,
                                                                    float beta, float *C)
{
    __shared__ __align__(16) float As[2][8 * 128], Bs[2][8 * 128];
    int row0 = blockIdx.y * 128, col0 = blockIdx.x * 128, t = threadIdx.x, now = 0;
    int aCol = t % 2 * 4, aRow = t / 2, bCol = t % 32 * 4, bRow = t / 32;
    float sum[8][8] = {{0.0f}};
    float4 a = *(const float4 *)&A[(row0 + aRow) * K + aCol], b = *(const float4 *)&B[bRow * N + col0 + bCol];
    for (int k0 = 0; k0 < K; k0 += 8) {
        As[now][aCol * 128 + aRow] = a.x;
        As[now][(aCol + 1) * 128 + aRow] = a.y;
        As[now][(aCol + 2) * 128 + aRow] = a.z;
        As[now][(aCol + 3) * 128 + aRow] = a.w;
        *(float4 *)&Bs[now][bRow * 128 + bCol] = b;
        __syncthreads();
        if (k0 + 8 < K) {
            a = *(const float4 *)&A[(row0 + aRow) * K + k0 + 8 + aCol];
            b = *(const float4 *)&B[(k0 + 8 + bRow) * N + col0 + bCol];
        }
#pragma unroll
        for (int k = 0; k < 8; ++k)
            outer_product(sum, &As[now][k * 128 + t / 16 * 8], &Bs[now][k * 128 + t % 16 * 8]);
        now ^= 1;
    }
    store_square(C, N, row0 + t / 16 * 8, col0 + t % 16 * 8, alpha, beta, sum);
}

/* ---- A linear layer: y = x W' + b, both row-major with K numbers a row ------------------------------------------------------ */

template <int PITCH>
static __device__ __forceinline__ void linear_by_tile(float *y, const float *x, const float *w, const float *bias, int M, int N,
                                                      int K)
{
    __shared__ float xs[32][PITCH], ws[32][PITCH];
    int tx = threadIdx.x, ty = threadIdx.y;
    int m = blockIdx.y * 32 + ty, n = blockIdx.x * 32 + tx, wn = blockIdx.x * 32 + ty;
    float sum = 0.0f;
    for (int t = 0; t < K; t += 32) {
        xs[ty][tx] = m < M && t + tx < K ? x[m * K + t + tx] : 0.0f;
        ws[ty][tx] = wn < N && t + tx < K ? w[wn * K + t + tx] : 0.0f;
        __syncthreads();
        for (int k = 0; k < 32; ++k)
            sum += xs[ty][k] * ws[tx][k];
        __syncthreads();
    }
    if (m < M && n < N)
        y[m * N + n] = sum + bias[n];
}

extern "C" __global__ void linear_tile(float *y, const float *x, const float *w, const float *bias, int M, int N, int K)
{
    linear_by_tile<32>(y, x, w, bias, M, N, K);
}

extern "C" __global__ void linear_padded(float *y, const float *x, const float *w, const float *bias, int M, int N, int K)
{
    linear_by_tile<33>(y, x, w, bias, M, N, K);
}

// 64 x 64 a block of 256 threads, four by four each.
extern "C" __global__ void linear_registers(float *y, const float *x, const float *w, const float *bias, int M, int N, int K)
{
    __shared__ float xs[16][65], ws[16][65];
    int t = threadIdx.x, tx = t % 16, ty = t / 16, m0 = blockIdx.y * 64, n0 = blockIdx.x * 64;
    float sum[4][4] = {{0.0f}};
    for (int k0 = 0; k0 < K; k0 += 16) {
#pragma unroll
        for (int i = 0; i < 64; i += 16) {
            xs[tx][ty + i] = m0 + ty + i < M && k0 + tx < K ? x[(m0 + ty + i) * K + k0 + tx] : 0.0f;
            ws[tx][ty + i] = n0 + ty + i < N && k0 + tx < K ? w[(n0 + ty + i) * K + k0 + tx] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; ++k)
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j)
                    sum[i][j] += xs[k][ty + 16 * i] * ws[k][tx + 16 * j];
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            int m = m0 + ty + 16 * i, n = n0 + tx + 16 * j;
            if (m < M && n < N)
                y[m * N + n] = sum[i][j] + bias[n];
        }
}

/* ---- y = A' x: a thread a column ---------------------------------------------------------------------------------------------- */

extern "C" __global__ void gemvt_one(float *y, const float *a, const float *x, int rows, int cols)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= cols)
        return;
    float sum = 0.0f;
    for (int i = 0; i < rows; ++i)
        sum += a[(size_t)i * cols + j] * x[i];
    y[j] = sum;
}

// A part of the rows for each blockIdx.y.
extern "C" __global__ void gemvt_split(float *y, const float *a, const float *x, int rows, int cols)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int part = (rows + gridDim.y - 1) / gridDim.y, first = blockIdx.y * part, end = min(first + part, rows);
    if (j >= cols)
        return;
    float sum = 0.0f;
    for (int i = first; i < end; ++i)
        sum += a[(size_t)i * cols + j] * x[i];
    atomicAdd(&y[j], sum);
}

/* ---- C = A B', K numbers a row in both: by f32 lanes, and by the tensor cores ------------------------------------------------- */

static __device__ __forceinline__ float number(unsigned short v)
{
    return __uint_as_float((unsigned)v << 16);
}

static __device__ __forceinline__ float number(float v)
{
    return v;
}

template <typename T>
static __device__ __forceinline__ void product_by_tile(float *c, const T *a, const T *b, int M, int N, int K)
{
    __shared__ float as[32][33], bs[32][33];
    int tx = threadIdx.x, ty = threadIdx.y;
    int m = blockIdx.y * 32 + ty, n = blockIdx.x * 32 + tx, bn = blockIdx.x * 32 + ty;
    float sum = 0.0f;
    for (int t = 0; t < K; t += 32) {
        as[tx][ty] = m < M ? number(a[m * K + t + tx]) : 0.0f;
        bs[tx][ty] = bn < N ? number(b[bn * K + t + tx]) : 0.0f;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 32; ++k)
            sum += as[k][ty] * bs[k][tx];
        __syncthreads();
    }
    if (m < M && n < N)
        c[m * N + n] = sum;
}

extern "C" __global__ void hgemm_tile(float *c, const unsigned short *a, const unsigned short *b, int M, int N, int K)
{
    product_by_tile(c, a, b, M, N, K);
}

enum { H_ROWS = 128, H_DEPTH = 32, H_PITCH = 40, H_TILE = H_ROWS * H_PITCH };

// One step of 32 in k: 128 x 128 by eight warps, 64 x 32 each.
static __device__ __forceinline__ void hgemm_step(float sum[4][4][4], const unsigned short *as, const unsigned short *bs)
{
    int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, q = threadIdx.x % 4;
    const unsigned short *arow = as + (warp / 4 * 64 + g) * H_PITCH + 2 * q, *brow = bs + (warp % 4 * 32 + g) * H_PITCH + 2 * q;
#pragma unroll
    for (int k = 0; k < H_DEPTH; k += 16) {
        unsigned x[4][4], y[4][2];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const unsigned short *at = arow + 16 * i * H_PITCH + k;
            x[i][0] = *(const unsigned *)at;
            x[i][1] = *(const unsigned *)(at + 8 * H_PITCH);
            x[i][2] = *(const unsigned *)(at + 8);
            x[i][3] = *(const unsigned *)(at + 8 * H_PITCH + 8);
        }
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            y[j][0] = *(const unsigned *)(brow + 8 * j * H_PITCH + k);
            y[j][1] = *(const unsigned *)(brow + 8 * j * H_PITCH + k + 8);
        }
#pragma unroll
        for (int i = 0; i < 4; ++i)
#pragma unroll
            for (int j = 0; j < 4; ++j)
                asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
                             "{%8, %9}, {%0, %1, %2, %3};"
                             : "+f"(sum[i][j][0]), "+f"(sum[i][j][1]), "+f"(sum[i][j][2]), "+f"(sum[i][j][3])
                             : "r"(x[i][0]), "r"(x[i][1]), "r"(x[i][2]), "r"(x[i][3]), "r"(y[j][0]), "r"(y[j][1]));
    }
}

static __device__ __forceinline__ void hgemm_store(float *c, int N, const float sum[4][4][4])
{
    int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, q = threadIdx.x % 4;
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            float *at = c + (size_t)(blockIdx.y * H_ROWS + warp / 4 * 64 + 16 * i + g) * N + blockIdx.x * H_ROWS +
                        warp % 4 * 32 + 8 * j + 2 * q;
            *(float2 *)at = make_float2(sum[i][j][0], sum[i][j][1]);
            *(float2 *)(at + 8 * N) = make_float2(sum[i][j][2], sum[i][j][3]);
        }
}

// Multiples of 128 and 32.
extern "C" __global__ void hgemm_tensor(float *c, const unsigned short *a, const unsigned short *b, int M, int N, int K)
{
    __shared__ __align__(16) unsigned short as[H_TILE], bs[H_TILE];
    const unsigned short *a0 = a + (size_t)blockIdx.y * H_ROWS * K, *b0 = b + (size_t)blockIdx.x * H_ROWS * K;
    float sum[4][4][4] = {};
    for (int k0 = 0; k0 < K; k0 += H_DEPTH) {
#pragma unroll
        for (int i = threadIdx.x; i < 512; i += 256) {
            int row = i / 4, col = i % 4 * 8;
            *(uint4 *)&as[row * H_PITCH + col] = *(const uint4 *)&a0[(size_t)row * K + k0 + col];
            *(uint4 *)&bs[row * H_PITCH + col] = *(const uint4 *)&b0[(size_t)row * K + k0 + col];
        }
        __syncthreads();
        hgemm_step(sum, as, bs);
        __syncthreads();
    }
    hgemm_store(c, N, sum);
}

static __device__ __forceinline__ void copy_16(void *to, const void *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from));
}

static __device__ __forceinline__ void hgemm_fetch(unsigned short *as, unsigned short *bs, const unsigned short *a0,
                                                   const unsigned short *b0, int K, int k0)
{
#pragma unroll
    for (int i = threadIdx.x; i < 512; i += 256) {
        int row = i / 4, col = i % 4 * 8;
        copy_16(&as[row * H_PITCH + col], &a0[(size_t)row * K + k0 + col]);
        copy_16(&bs[row * H_PITCH + col], &b0[(size_t)row * K + k0 + col]);
    }
    asm volatile("cp.async.commit_group;");
}

extern "C" __global__ void hgemm_pipelined(float *c, const unsigned short *a, const unsigned short *b, int M, int N, int K)
{
    __shared__ __align__(16) unsigned short as[2][H_TILE], bs[2][H_TILE];
    const unsigned short *a0 = a + (size_t)blockIdx.y * H_ROWS * K, *b0 = b + (size_t)blockIdx.x * H_ROWS * K;
    float sum[4][4][4] = {};
    int now = 0;
    hgemm_fetch(as[0], bs[0], a0, b0, K, 0);
    for (int k0 = 0; k0 < K; k0 += H_DEPTH) {
        if (k0 + H_DEPTH < K) {
            hgemm_fetch(as[now ^ 1], bs[now ^ 1], a0, b0, K, k0 + H_DEPTH);
            asm volatile("cp.async.wait_group 1;");
        } else {
            asm volatile("cp.async.wait_group 0;");
        }
        __syncthreads();
        hgemm_step(sum, as[now], bs[now]);
        __syncthreads();
        now ^= 1;
    }
    hgemm_store(c, N, sum);
}

extern "C" __global__ void tfgemm_tile(float *c, const float *a, const float *b, int M, int N, int K)
{
    product_by_tile(c, a, b, M, N, K);
}

static __device__ __forceinline__ unsigned tf32(float v)
{
    unsigned out;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(out) : "f"(v));
    return out;
}

// 64 x 64 by four warps, 32 x 32 each; multiples of 64 and 16.
extern "C" __global__ void tfgemm_tensor(float *c, const float *a, const float *b, int M, int N, int K)
{
    __shared__ __align__(16) unsigned as[64][20], bs[64][20];
    int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, q = threadIdx.x % 4, m0 = blockIdx.y * 64, n0 = blockIdx.x * 64;
    int arow = warp / 2 * 32 + g, brow = warp % 2 * 32 + g;
    float sum[2][4][4] = {};
    for (int k0 = 0; k0 < K; k0 += 16) {
#pragma unroll
        for (int i = threadIdx.x; i < 256; i += 128) {
            int row = i / 4, col = i % 4 * 4;
            float4 x = *(const float4 *)&a[(size_t)(m0 + row) * K + k0 + col];
            float4 y = *(const float4 *)&b[(size_t)(n0 + row) * K + k0 + col];
            *(uint4 *)&as[row][col] = make_uint4(tf32(x.x), tf32(x.y), tf32(x.z), tf32(x.w));
            *(uint4 *)&bs[row][col] = make_uint4(tf32(y.x), tf32(y.y), tf32(y.z), tf32(y.w));
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k += 8)
#pragma unroll
            for (int i = 0; i < 2; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j)
                    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
                                 "{%8, %9}, {%0, %1, %2, %3};"
                                 : "+f"(sum[i][j][0]), "+f"(sum[i][j][1]), "+f"(sum[i][j][2]), "+f"(sum[i][j][3])
                                 : "r"(as[arow + 16 * i][k + q]), "r"(as[arow + 16 * i + 8][k + q]),
                                   "r"(as[arow + 16 * i][k + q + 4]), "r"(as[arow + 16 * i + 8][k + q + 4]),
                                   "r"(bs[brow + 8 * j][k + q]), "r"(bs[brow + 8 * j][k + q + 4]));
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            float *at = c + (size_t)(m0 + arow + 16 * i) * N + n0 + warp % 2 * 32 + 8 * j + 2 * q;
            *(float2 *)at = make_float2(sum[i][j][0], sum[i][j][1]);
            *(float2 *)(at + 8 * N) = make_float2(sum[i][j][2], sum[i][j][3]);
        }
}

/* ---- The same of bytes, four to a word; words is K / 4 ------------------------------------------------------------------------- */

extern "C" __global__ void int8_dp4a(int *c, const int *a, const int *b, int M, int N, int words)
{
    __shared__ int as[32][33], bs[32][33];
    int tx = threadIdx.x, ty = threadIdx.y;
    int m = blockIdx.y * 32 + ty, n = blockIdx.x * 32 + tx, bn = blockIdx.x * 32 + ty;
    int sum = 0;
    for (int t = 0; t < words; t += 32) {
        as[tx][ty] = m < M ? a[m * words + t + tx] : 0;
        bs[tx][ty] = bn < N ? b[bn * words + t + tx] : 0;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 32; ++k)
            sum = __dp4a(as[k][ty], bs[k][tx], sum);
        __syncthreads();
    }
    if (m < M && n < N)
        c[m * N + n] = sum;
}

// 64 x 64 by four warps, 32 x 32 each; multiples of 64 and of 16 words.
extern "C" __global__ void int8_tensor(int *c, const int *a, const int *b, int M, int N, int words)
{
    __shared__ __align__(16) int as[64][20], bs[64][20];
    int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, q = threadIdx.x % 4, m0 = blockIdx.y * 64, n0 = blockIdx.x * 64;
    int arow = warp / 2 * 32 + g, brow = warp % 2 * 32 + g;
    int sum[2][4][4] = {};
    for (int k0 = 0; k0 < words; k0 += 16) {
#pragma unroll
        for (int i = threadIdx.x; i < 256; i += 128) {
            int row = i / 4, col = i % 4 * 4;
            *(int4 *)&as[row][col] = *(const int4 *)&a[(size_t)(m0 + row) * words + k0 + col];
            *(int4 *)&bs[row][col] = *(const int4 *)&b[(size_t)(n0 + row) * words + k0 + col];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k += 8)
#pragma unroll
            for (int i = 0; i < 2; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j)
                    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
                                 "{%8, %9}, {%0, %1, %2, %3};"
                                 : "+r"(sum[i][j][0]), "+r"(sum[i][j][1]), "+r"(sum[i][j][2]), "+r"(sum[i][j][3])
                                 : "r"(as[arow + 16 * i][k + q]), "r"(as[arow + 16 * i + 8][k + q]),
                                   "r"(as[arow + 16 * i][k + q + 4]), "r"(as[arow + 16 * i + 8][k + q + 4]),
                                   "r"(bs[brow + 8 * j][k + q]), "r"(bs[brow + 8 * j][k + q + 4]));
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            int *at = c + (size_t)(m0 + arow + 16 * i) * N + n0 + warp % 2 * 32 + 8 * j + 2 * q;
            *(int2 *)at = make_int2(sum[i][j][0], sum[i][j][1]);
            *(int2 *)(at + 8 * N) = make_int2(sum[i][j][2], sum[i][j][3]);
        }
}

/* ---- A layer of 3 x 3 convolutions: 16 channels in; blockIdx.z is the channel out ----------------------------------------------- */

enum { CHANNELS = 16 };

extern "C" __global__ void convlayer_direct(float *out, const float *in, const float *weight, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, k = blockIdx.z;
    if (x >= w || y >= h)
        return;
    float sum = 0.0f;
    for (int c = 0; c < CHANNELS; ++c)
        for (int r = 0; r < 3; ++r)
            for (int s = 0; s < 3; ++s) {
                int yy = y + r - 1, xx = x + s - 1;
                if (yy >= 0 && yy < h && xx >= 0 && xx < w)
                    sum += in[(c * h + yy) * w + xx] * weight[((k * CHANNELS + c) * 3 + r) * 3 + s];
            }
    out[(k * h + y) * w + x] = sum;
}

extern "C" __global__ void convlayer_tile(float *out, const float *in, const float *weight, int w, int h)
{
    __shared__ float tile[10][34], factors[CHANNELS * 9];
    int tx = threadIdx.x, ty = threadIdx.y, t = ty * 32 + tx, k = blockIdx.z;
    int x = blockIdx.x * 32 + tx, y = blockIdx.y * 8 + ty;
    if (t < CHANNELS * 9)
        factors[t] = weight[k * CHANNELS * 9 + t];
    float sum = 0.0f;
    for (int c = 0; c < CHANNELS; ++c) {
        for (int i = t; i < 10 * 34; i += 256) {
            int yy = blockIdx.y * 8 + i / 34 - 1, xx = blockIdx.x * 32 + i % 34 - 1;
            tile[i / 34][i % 34] = yy >= 0 && yy < h && xx >= 0 && xx < w ? in[(c * h + yy) * w + xx] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int r = 0; r < 3; ++r)
#pragma unroll
            for (int s = 0; s < 3; ++s)
                sum += tile[ty + r][tx + s] * factors[c * 9 + r * 3 + s];
        __syncthreads();
    }
    if (x < w && y < h)
        out[(k * h + y) * w + x] = sum;
}

/* ---- A recurrent layer of 64 cells, a block a sequence: h = tanh(x + W h); W's rows stay in registers ----------------------------- */

enum { CELLS = 64 };

extern "C" __global__ void recurrent_step(float *out, const float *x, const float *weight, int steps)
{
    __shared__ __align__(16) float h[CELLS];
    int t = threadIdx.x;
    size_t first = (size_t)blockIdx.x * steps * CELLS + t;
    float w[CELLS];
#pragma unroll
    for (int k = 0; k < CELLS; ++k)
        w[k] = weight[k * CELLS + t];
    h[t] = 0.0f;
    __syncthreads();
    for (int s = 0; s < steps; ++s) {
        float sum = x[first + (size_t)s * CELLS];
#pragma unroll
        for (int k = 0; k < CELLS; ++k)
            sum += w[k] * h[k];
        sum = tanhf(sum);
        __syncthreads();
        h[t] = sum;
        out[first + (size_t)s * CELLS] = sum;
        __syncthreads();
    }
}

extern "C" __global__ void recurrent_ahead(float *out, const float *x, const float *weight, int steps)
{
    __shared__ __align__(16) float h[CELLS];
    int t = threadIdx.x;
    size_t first = (size_t)blockIdx.x * steps * CELLS + t;
    float w[CELLS], next = x[first];
#pragma unroll
    for (int k = 0; k < CELLS; ++k)
        w[k] = weight[k * CELLS + t];
    h[t] = 0.0f;
    __syncthreads();
    for (int s = 0; s < steps; ++s) {
        float sum = next;
        if (s + 1 < steps)
            next = x[first + (size_t)(s + 1) * CELLS];
#pragma unroll
        for (int k = 0; k < CELLS; ++k)
            sum += w[k] * h[k];
        sum = tanhf(sum);
        __syncthreads();
        h[t] = sum;
        out[first + (size_t)s * CELLS] = sum;
        __syncthreads();
    }
}
