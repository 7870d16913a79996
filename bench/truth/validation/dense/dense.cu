// Matrices for the validation of the time model: products from naive to blocked in registers, vectors
// times matrices, many small ones, tensor cores. Nothing is tuned on them (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

extern "C" __global__ void sgemm_naive(float *c, const float *a, const float *b, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
}

template <typename T, int TILE> __device__ void gemm_tile(T *c, const T *a, const T *b, int n)
{
    __shared__ T as[TILE][TILE], bs[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE + ty;
    T sum = 0;
    for (int k0 = 0; k0 < n; k0 += TILE) {
        as[ty][tx] = a[y * n + k0 + tx];
        bs[ty][tx] = b[(k0 + ty) * n + x];
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += as[ty][k] * bs[k][tx];
        __syncthreads();
    }
    c[y * n + x] = sum;
}

extern "C" __global__ void sgemm_tile16(float *c, const float *a, const float *b, int n)
{
    gemm_tile<float, 16>(c, a, b, n);
}

extern "C" __global__ void sgemm_tile32(float *c, const float *a, const float *b, int n)
{
    gemm_tile<float, 32>(c, a, b, n);
}

extern "C" __global__ void dgemm_tile16(double *c, const double *a, const double *b, int n)
{
    gemm_tile<double, 16>(c, a, b, n);
}

// 64 x 64 of c a block of 256 threads, 4 x 4 a thread.
extern "C" __global__ void sgemm_registers(float *c, const float *a, const float *b, int n)
{
    __shared__ float as[16][64], bs[16][64];
    int t = threadIdx.x, tx = t % 16, ty = t / 16, x0 = blockIdx.x * 64, y0 = blockIdx.y * 64;
    float sum[4][4] = {};
    for (int k0 = 0; k0 < n; k0 += 16) {
        for (int i = 0; i < 4; i++) {
            int at = t + i * 256;
            as[at % 16][at / 16] = a[(y0 + at / 16) * n + k0 + at % 16];
            bs[at / 64][at % 64] = b[(k0 + at / 64) * n + x0 + at % 64];
        }
        __syncthreads();
        for (int k = 0; k < 16; k++) {
            float u[4], v[4];
            for (int i = 0; i < 4; i++) {
                u[i] = as[k][ty * 4 + i];
                v[i] = bs[k][tx * 4 + i];
            }
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++)
                    sum[i][j] += u[i] * v[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            c[(y0 + ty * 4 + i) * n + x0 + tx * 4 + j] = sum[i][j];
}

// A warp a row.
extern "C" __global__ void gemv_row(float *out, const float *a, const float *v, int n)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float sum = 0;
    for (int i = lane; i < n; i += 32)
        sum += a[(size_t)row * n + i] * v[i];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(~0u, sum, d);
    if (lane == 0)
        out[row] = sum;
}

// A thread a column.
extern "C" __global__ void gemv_column(float *out, const float *a, const float *v, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
#pragma unroll 4
    for (int i = 0; i < n; i++)
        sum += a[(size_t)i * n + x] * v[i];
    out[x] = sum;
}

extern "C" __global__ void outer_update(float *a, const float *u, const float *v, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    a[y * n + x] += u[y] * v[x];
}

// Products of 8 x 8, four a block of 256 threads.
extern "C" __global__ void batched8(float *c, const float *a, const float *b, int n)
{
    __shared__ float as[4][8][8], bs[4][8][8];
    int m = threadIdx.x / 64, y = threadIdx.x / 8 % 8, x = threadIdx.x % 8;
    size_t at = ((size_t)blockIdx.x * 4 + m) * 64 + y * 8 + x;
    as[m][y][x] = a[at];
    bs[m][y][x] = b[at];
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 8; k++)
        sum += as[m][y][k] * bs[m][k][x];
    c[at] = sum;
}

// 16 x 8 of c a warp, by tensor cores, operands straight from global memory. a: rows of n bf16, b: columns.
extern "C" __global__ void mma_direct(float *c, const unsigned *a, const unsigned *b, int n)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    int rows = n / 16, y0 = warp % rows * 16, x0 = warp / rows * 8, g = lane / 4, t = lane % 4, half = n / 2;
    float d[4] = {};
    for (int k = 0; k < half; k += 8) {
        unsigned a0 = a[(y0 + g) * half + k + t], a1 = a[(y0 + g + 8) * half + k + t];
        unsigned a2 = a[(y0 + g) * half + k + t + 4], a3 = a[(y0 + g + 8) * half + k + t + 4];
        unsigned b0 = b[(x0 + g) * half + k + t], b1 = b[(x0 + g) * half + k + t + 4];
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                     : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
    }
    c[(y0 + g) * n + x0 + 2 * t] = d[0];
    c[(y0 + g) * n + x0 + 2 * t + 1] = d[1];
    c[(y0 + g + 8) * n + x0 + 2 * t] = d[2];
    c[(y0 + g + 8) * n + x0 + 2 * t + 1] = d[3];
}
