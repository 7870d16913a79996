// c = a b, bf16 in, f32 out, row-major, on the matrix cores of both vendors: a warp or wave a tile of 16 x 16, straight from
// global memory (M, N, K multiples of 16). NVIDIA's wmma hides which lane holds what; AMD's MFMA does not: lane l has
// row (or column) l % 16 and four neighbours in k from 4 (l / 16) on, of c column l % 16 and rows 4 (l / 16) to 4 (l / 16) + 3.
// SPDX-License-Identifier: Apache-2.0
typedef unsigned short bf16;

static __device__ float wide(bf16 v)
{
    return __uint_as_float((unsigned)v << 16);
}

extern "C" __global__ void naive(float *c, const bf16 *a, const bf16 *b, int M, int N, int K)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= M || col >= N)
        return;
    float sum = 0;
    for (int k = 0; k < K; k++)
        sum += wide(a[(size_t)row * K + k]) * wide(b[(size_t)k * N + col]);
    c[(size_t)row * N + col] = sum;
}

#if defined(__AMDGCN__) && !defined(__gfx1100__)
typedef short short4x __attribute__((ext_vector_type(4)));
typedef float float4x __attribute__((ext_vector_type(4)));
extern "C" __global__ void mfma(float *c, const bf16 *a, const bf16 *b, int M, int N, int K)
{
    int lane = threadIdx.x % 64, side = lane % 16, part = lane / 16;
    int row = (blockIdx.y * (blockDim.x / 64) + threadIdx.x / 64) * 16, col = blockIdx.x * 16;
    if (row >= M)
        return;
    float4x sum = {0, 0, 0, 0};
    for (int k = 4 * part; k < K; k += 16) {
        short4x u = *(const short4x *)&a[(size_t)(row + side) * K + k], v;
        for (int i = 0; i < 4; i++)
            v[i] = (short)b[(size_t)(k + i) * N + col + side];
        sum = __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(u, v, sum, 0, 0, 0);
    }
    for (int i = 0; i < 4; i++)
        c[(size_t)(row + 4 * part + i) * N + col + side] = sum[i];
}
#else
extern "C" __global__ void wmma(float *c, const bf16 *a, const bf16 *b, int M, int N, int K)
{
    int row = (blockIdx.y * (blockDim.x / 32) + threadIdx.x / 32) * 16, col = blockIdx.x * 16;
    unsigned u[4], v[4];
    float d[8] = {0};
    if (row >= M)
        return;
    for (int k = 0; k < K; k += 16) {
        asm volatile("wmma.load.a.sync.aligned.row.m16n16k16.global.bf16 {%0, %1, %2, %3}, [%4], %5;"
                     : "=r"(u[0]), "=r"(u[1]), "=r"(u[2]), "=r"(u[3])
                     : "l"(a + (size_t)row * K + k), "r"(K));
        asm volatile("wmma.load.b.sync.aligned.row.m16n16k16.global.bf16 {%0, %1, %2, %3}, [%4], %5;"
                     : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
                     : "l"(b + (size_t)k * N + col), "r"(N));
        asm volatile("wmma.mma.sync.aligned.row.row.m16n16k16.f32.bf16.bf16.f32 "
                     "{%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, {%12, %13, %14, %15}, "
                     "{%0, %1, %2, %3, %4, %5, %6, %7};"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7])
                     : "r"(u[0]), "r"(u[1]), "r"(u[2]), "r"(u[3]), "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3]));
    }
    asm volatile("wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8}, %9;" ::"l"(
                     c + (size_t)row * N + col),
                 "f"(d[0]), "f"(d[1]), "f"(d[2]), "f"(d[3]), "f"(d[4]), "f"(d[5]), "f"(d[6]), "f"(d[7]), "r"(N)
                 : "memory");
}
#endif

#ifdef __gfx1100__
// RDNA3: lane l has all 16 k of row (or column) l % 16, lanes 16 to 31 the same as lanes 0 to 15; of c column l % 16 and
// the rows 2 i + l / 16.
typedef short short16x __attribute__((ext_vector_type(16)));
typedef float float8x __attribute__((ext_vector_type(8)));
extern "C" __global__ void wmma_rdna3(float *c, const bf16 *a, const bf16 *b, int M, int N, int K)
{
    int lane = threadIdx.x % 32, side = lane % 16, part = lane / 16;
    int row = (blockIdx.y * (blockDim.x / 32) + threadIdx.x / 32) * 16, col = blockIdx.x * 16;
    if (row >= M)
        return;
    float8x sum = {0, 0, 0, 0, 0, 0, 0, 0};
    for (int k = 0; k < K; k += 16) {
        short16x u = *(const short16x *)&a[(size_t)(row + side) * K + k], v;
        for (int i = 0; i < 16; i++)
            v[i] = (short)b[(size_t)(k + i) * N + col + side];
        sum = __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32(u, v, sum);
    }
    for (int i = 0; i < 8; i++)
        c[(size_t)(row + 2 * i + part) * N + col + side] = sum[i];
}
#endif
