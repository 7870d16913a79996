// Rows of u8 about a zero point times rows of i8 weights, plus a bias, to u8 about another zero point where ReLU cuts off. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
__device__ unsigned char requantise(int sum, float scale, int zero)
{
    int v = (int)rintf((float)sum * scale);
    return (unsigned char)min(max(v, 0) + zero, 255);
}

extern "C" __global__ void qgemm_output(unsigned char *out, const unsigned char *x, const signed char *w, const int *bias, int m, int n, int k, int zero, float scale, int zero_out)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= m || j >= n)
        return;
    int sum = bias[j];
    for (int p = 0; p < k; p++)
        sum += ((int)x[i * k + p] - zero) * w[j * k + p];
    out[i * n + j] = requantise(sum, scale, zero_out);
}

__device__ __forceinline__ int dot4(unsigned u, int s, int sum)
{
    asm("dp4a.u32.s32 %0, %1, %2, %0;" : "+r"(sum) : "r"(u), "r"(s));
    return sum;
}

// 32 x 32 outputs a block of 8 x 32 threads, four of a row a thread; words is k/4.
extern "C" __global__ void qgemm_tile(unsigned char *out, const unsigned *x, const int *w, const int *bias, int n, int words, int zero, float scale, int zero_out)
{
    __shared__ unsigned xs[32][33];
    __shared__ int ws[32][33];
    int tx = threadIdx.x, ty = threadIdx.y, i0 = blockIdx.y * 32, j0 = blockIdx.x * 32;
    int sum[4] = {0, 0, 0, 0}, row[4] = {0, 0, 0, 0};
    for (int p0 = 0; p0 < words; p0 += 32) {
        for (int c = tx; c < 32; c += 8) {
            xs[ty][c] = x[(i0 + ty) * words + p0 + c];
            ws[ty][c] = w[(j0 + ty) * words + p0 + c];
        }
        __syncthreads();
        for (int p = 0; p < 32; p++) {
            unsigned v = xs[ty][p];
#pragma unroll
            for (int r = 0; r < 4; r++) {
                int b = ws[tx + 8 * r][p];
                sum[r] = dot4(v, b, sum[r]);
                row[r] = __dp4a(b, 0x01010101, row[r]);
            }
        }
        __syncthreads();
    }
    for (int r = 0; r < 4; r++) {
        int j = j0 + tx + 8 * r;
        out[(i0 + ty) * n + j] = requantise(sum[r] - zero * row[r] + bias[j], scale, zero_out);
    }
}

// 64 x 64 outputs a block, 16 rows a warp; 256 outputs, 512 inputs. Sums of weights are taken from the fragments.
extern "C" __global__ void __launch_bounds__(128) qgemm_tensor(unsigned char *__restrict__ out, const unsigned char *__restrict__ x, const signed char *__restrict__ w,
                                                               const int *__restrict__ bias, int zero, float scale, int zero_out)
{
    __shared__ __align__(16) unsigned char xs[64][80];
    __shared__ __align__(16) signed char ws[64][80];
    int t = threadIdx.x, lane = t & 31, warp = t >> 5, g = lane >> 2, q = lane & 3, i0 = blockIdx.y * 64, j0 = blockIdx.x * 64;
    int sum[8][4] = {}, row[8] = {};
    for (int p0 = 0; p0 < 512; p0 += 64) {
#pragma unroll
        for (int r = 0; r < 2; r++) {
            int u = t + 128 * r;
            *(uint4 *)&xs[u / 4][u % 4 * 16] = *(const uint4 *)&x[(i0 + u / 4) * 512 + p0 + u % 4 * 16];
            *(uint4 *)&ws[u / 4][u % 4 * 16] = *(const uint4 *)&w[(j0 + u / 4) * 512 + p0 + u % 4 * 16];
        }
        __syncthreads();
#pragma unroll
        for (int p = 0; p < 64; p += 32) {
            unsigned a0 = *(unsigned *)&xs[16 * warp + g][p + 4 * q], a1 = *(unsigned *)&xs[16 * warp + g + 8][p + 4 * q];
            unsigned a2 = *(unsigned *)&xs[16 * warp + g][p + 4 * q + 16], a3 = *(unsigned *)&xs[16 * warp + g + 8][p + 4 * q + 16];
#pragma unroll
            for (int s = 0; s < 8; s++) {
                int b0 = *(int *)&ws[8 * s + g][p + 4 * q], b1 = *(int *)&ws[8 * s + g][p + 4 * q + 16];
                asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                             : "+r"(sum[s][0]), "+r"(sum[s][1]), "+r"(sum[s][2]), "+r"(sum[s][3])
                             : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
                row[s] = __dp4a(b0, 0x01010101, __dp4a(b1, 0x01010101, row[s]));
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int s = 0; s < 8; s++) {
        int all = row[s] + __shfl_xor_sync(0xffffffff, row[s], 1);
        all += __shfl_xor_sync(0xffffffff, all, 2);
        int left = __shfl_sync(0xffffffff, all, 8 * q), right = __shfl_sync(0xffffffff, all, 8 * q + 4), j = j0 + 8 * s + 2 * q;
        left = bias[j] - zero * left;
        right = bias[j + 1] - zero * right;
        unsigned char *to = out + (i0 + 16 * warp + g) * 256 + j;
        *(uchar2 *)to = make_uchar2(requantise(sum[s][0] + left, scale, zero_out), requantise(sum[s][1] + right, scale, zero_out));
        *(uchar2 *)(to + 8 * 256) = make_uchar2(requantise(sum[s][2] + left, scale, zero_out), requantise(sum[s][3] + right, scale, zero_out));
    }
}
