// SPDX-License-Identifier: Apache-2.0
// Matrix kernels of the execution tests; tests/sim/tensor_nvcc.ptx is made from this file:
//   nvcc -arch=sm_90 -ptx -o tests/sim/tensor_nvcc.ptx tests/sim/tensor.cu
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

// One warp: d = a * b + c, a and b in the order their layouts say.
template <int M, int N, int K, typename T, typename S, typename LA, typename LB>
static __device__ void multiply(S *d, const T *a, const T *b, const S *c, bool down)
{
    wmma::fragment<wmma::matrix_a, M, N, K, T, LA> fa;
    wmma::fragment<wmma::matrix_b, M, N, K, T, LB> fb;
    wmma::fragment<wmma::accumulator, M, N, K, S> fc;
    wmma::load_matrix_sync(fa, a, 32);
    wmma::load_matrix_sync(fb, b, 32);
    wmma::load_matrix_sync(fc, c, 32, down ? wmma::mem_col_major : wmma::mem_row_major);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(d, fc, 32, down ? wmma::mem_col_major : wmma::mem_row_major);
}
#define KERNEL(name, M, N, K, T, S, LA, LB)                                                        \
    extern "C" __global__ void name(S *d, const T *a, const T *b, const S *c, int down)            \
    {                                                                                              \
        multiply<M, N, K, T, S, wmma::LA, wmma::LB>(d, a, b, c, down != 0);                        \
    }
KERNEL(half_rr, 16, 16, 16, half, float, row_major, row_major)
KERNEL(half_rc, 16, 16, 16, half, float, row_major, col_major)
KERNEL(half_cr, 16, 16, 16, half, float, col_major, row_major)
KERNEL(half_cc_wide, 8, 32, 16, half, float, col_major, col_major)
KERNEL(half_tall, 32, 8, 16, half, float, row_major, row_major)
KERNEL(half_half, 16, 16, 16, half, half, row_major, col_major)
KERNEL(brain_rc, 16, 16, 16, __nv_bfloat16, float, row_major, col_major)
KERNEL(brain_wide, 8, 32, 16, __nv_bfloat16, float, col_major, row_major)
KERNEL(brain_tall, 32, 8, 16, __nv_bfloat16, float, row_major, col_major)
KERNEL(byte_rc, 16, 16, 16, signed char, int, row_major, col_major)
KERNEL(byte_cr, 16, 16, 16, unsigned char, int, col_major, row_major)
KERNEL(byte_wide, 8, 32, 16, signed char, int, row_major, row_major)
KERNEL(double_rc, 8, 8, 4, double, double, row_major, col_major)
KERNEL(double_cr, 8, 8, 4, double, double, col_major, row_major)
extern "C" __global__ void tf32_rc(float *d, const float *a, const float *b, const float *c, int down)
{
    wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 8, float> fc;
    wmma::load_matrix_sync(fa, a, 32);
    wmma::load_matrix_sync(fb, b, 32);
    wmma::load_matrix_sync(fc, c, 32, down ? wmma::mem_col_major : wmma::mem_row_major);
    for (int i = 0; i < fa.num_elements; i++)
        fa.x[i] = wmma::__float_to_tf32(fa.x[i]);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(d, fc, 32, down ? wmma::mem_col_major : wmma::mem_row_major);
}

// 64 by 64 tiles of a product of halves: cp.async, ldmatrix, mma, stmatrix. n, k: multiples of 64.
static __device__ unsigned shared_address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
extern "C" __global__ void matmul_tiles(float *c, const half *a, const half *b, int n, int k)
{
    __shared__ __align__(128) half sa[64][72], sb[64][72];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
    float acc[8][4] = {};
    for (int k0 = 0; k0 < k; k0 += 64) {
        for (int i = threadIdx.x; i < 64 * 8; i += blockDim.x) {
            int r = i / 8, q = i % 8 * 8;
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(&sa[r][q])),
                         "l"(a + (size_t)(row0 + r) * k + k0 + q));
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(&sb[r][q])),
                         "l"(b + (size_t)(k0 + r) * n + col0 + q));
        }
        asm volatile("cp.async.commit_group;");
        asm volatile("cp.async.wait_group 0;" ::: "memory");
        __syncthreads();
        for (int kk = 0; kk < 64; kk += 16) {
            unsigned fa[4];
            asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                         : "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3])
                         : "r"(shared_address(&sa[warp * 16 + lane % 16][kk + lane / 16 * 8])));
            for (int j = 0; j < 8; j++) {
                unsigned fb[2];
                asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
                             : "=r"(fb[0]), "=r"(fb[1])
                             : "r"(shared_address(&sb[kk + lane % 16][j * 8])));
                asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "
                             "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                             : "+f"(acc[j][0]), "+f"(acc[j][1]), "+f"(acc[j][2]), "+f"(acc[j][3])
                             : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]));
            }
        }
        __syncthreads();
    }
    for (int j = 0; j < 8; j++)
        for (int i = 0; i < 4; i++)
            c[(size_t)(row0 + warp * 16 + lane / 4 + i / 2 * 8) * n + col0 + j * 8 + lane % 4 * 2 + i % 2] = acc[j][i];
}

// An 8x32 block of halves, each 8x8 matrix transposed in place by way of all three instructions.
extern "C" __global__ void transpose_tiles(half *out, const half *in)
{
    __shared__ __align__(16) half s[8][32], t[8][32];
    int lane = threadIdx.x;
    for (int i = lane; i < 256; i += 32)
        s[i / 32][i % 32] = in[i];
    __syncwarp();
    unsigned f[4];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(f[0]), "=r"(f[1]), "=r"(f[2]), "=r"(f[3])
                 : "r"(shared_address(&s[lane % 8][lane / 8 * 8])));
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %0;" : "+r"(f[0]));
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %0;" : "+r"(f[1]));
    asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1,%2};" ::"r"(
                     shared_address(&t[lane % 8][lane / 8 % 2 * 8])),
                 "r"(f[0]), "r"(f[1])
                 : "memory");
    asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1,%2};" ::"r"(
                     shared_address(&t[lane % 8][16 + lane / 8 % 2 * 8])),
                 "r"(f[2]), "r"(f[3])
                 : "memory");
    __syncwarp();
    for (int i = lane; i < 256; i += 32)
        out[i] = t[i / 32][i % 32];
}
