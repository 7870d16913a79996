// Products of all pairs of a sample's 32 vectors of 64 numbers, the lower triangle without its diagonal. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>

extern "C" __global__ void interact_pair(float *out, const __half *x, int vectors, int dim)
{
    int pair = blockIdx.x * blockDim.x + threadIdx.x, sample = blockIdx.y, pairs = vectors * (vectors - 1) / 2;
    if (pair >= pairs)
        return;
    int i = 1, j = pair;
    while (j >= i)
        j -= i++;
    const __half *a = x + (sample * vectors + i) * dim, *b = x + (sample * vectors + j) * dim;
    float sum = 0.0f;
    for (int d = 0; d < dim; d++)
        sum += __half2float(a[d]) * __half2float(b[d]);
    out[sample * pairs + pair] = sum;
}

// A thread has a row of two pairs of vectors: i with j and j + 16.
extern "C" __global__ void __launch_bounds__(256) interact_shared(float *__restrict__ out, const __half2 *__restrict__ x)
{
    __shared__ float2 v[32][33];
    int t = threadIdx.x, sample = blockIdx.x;
    for (int k = t; k < 1024; k += 256)
        v[k / 32][k % 32] = __half22float2(x[sample * 1024 + k]);
    __syncthreads();
    int j = t % 16, i = t / 16;
    float s[4] = {};
    for (int d = 0; d < 32; d++) {
        float2 a = v[i][d], b = v[i + 16][d], c = v[j][d], e = v[j + 16][d];
        s[0] += a.x * c.x + a.y * c.y;
        s[1] += a.x * e.x + a.y * e.y;
        s[2] += b.x * c.x + b.y * c.y;
        s[3] += b.x * e.x + b.y * e.y;
    }
    float *to = out + sample * 496;
    if (j < i)
        to[i * (i - 1) / 2 + j] = s[0];
    to[(i + 16) * (i + 15) / 2 + j] = s[2];
    if (j < i)
        to[(i + 16) * (i + 15) / 2 + j + 16] = s[3];
}

__device__ void mma(float *c, const unsigned *a, const unsigned *b)
{
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// A warp a sample; rows of the one factor are columns of the other.
extern "C" __global__ void __launch_bounds__(128) interact_tensor(float *__restrict__ out, const unsigned *__restrict__ x, int samples)
{
    int lane = threadIdx.x % 32, sample = blockIdx.x * 4 + threadIdx.x / 32, row = lane / 4, col = lane % 4;
    if (sample >= samples)
        return;
    const unsigned *v = x + sample * 1024 + row * 32 + col;
    float c[2][4][4] = {};
#pragma unroll
    for (int k = 0; k < 32; k += 8) {
        unsigned r[4][2];
#pragma unroll
        for (int g = 0; g < 4; g++) {
            r[g][0] = v[g * 256 + k];
            r[g][1] = v[g * 256 + k + 4];
        }
#pragma unroll
        for (int m = 0; m < 2; m++) {
            unsigned a[4] = {r[2 * m][0], r[2 * m + 1][0], r[2 * m][1], r[2 * m + 1][1]};
#pragma unroll
            for (int n = 0; n < 2 * m + 2; n++)
                mma(c[m][n], a, r[n]);
        }
    }
    float *to = out + sample * 496;
#pragma unroll
    for (int m = 0; m < 2; m++)
#pragma unroll
        for (int n = 0; n < 2 * m + 2; n++)
#pragma unroll
            for (int q = 0; q < 4; q++) {
                int i = m * 16 + row + q / 2 * 8, j = n * 8 + col * 2 + q % 2;
                if (j < i)
                    to[i * (i - 1) / 2 + j] = c[m][n][q];
            }
}
