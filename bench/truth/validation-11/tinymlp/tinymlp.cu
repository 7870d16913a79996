// Three layers of 64 numbers with rectifiers between them; a weight's row has the numbers of one output. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>

extern "C" __global__ void tinymlp_layer(__half *out, const __half *in, const __half *w, int n, int width, int layer, int rectify)
{
    int at = blockIdx.x * blockDim.x + threadIdx.x, i = at / width, j = at % width;
    if (i >= n)
        return;
    const __half *row = w + (layer * width + j) * width;
    float sum = 0.0f;
    for (int k = 0; k < width; k++)
        sum += __half2float(in[i * width + k]) * __half2float(row[k]);
    out[at] = __float2half(rectify ? fmaxf(sum, 0.0f) : sum);
}

// A thread a sample; numbers of the same place of 128 samples lie beside each other.
extern "C" __global__ void __launch_bounds__(128) tinymlp_shared(__half *__restrict__ out, const __half *__restrict__ x, const __half *__restrict__ w)
{
    __shared__ __half acts[2][64][128];
    __shared__ __align__(16) __half weights[64][64];
    int t = threadIdx.x, first = blockIdx.x * 128;
    for (int k = 0; k < 64; k += 8) {
        uint4 v = *(const uint4 *)&x[(first + t) * 64 + k];
        const __half *h = (const __half *)&v;
#pragma unroll
        for (int j = 0; j < 8; j++)
            acts[0][k + j][t] = h[j];
    }
    for (int layer = 0; layer < 3; layer++) {
        __syncthreads();
        for (int i = t; i < 4096; i += 128)
            weights[i % 64][i / 64] = w[layer * 4096 + i];
        __syncthreads();
        for (int j = 0; j < 64; j += 8) {
            float sum[8] = {};
#pragma unroll 4
            for (int k = 0; k < 64; k++) {
                float a = __half2float(acts[layer % 2][k][t]);
                uint4 v = *(const uint4 *)&weights[k][j];
                const __half2 *h = (const __half2 *)&v;
#pragma unroll
                for (int q = 0; q < 4; q++) {
                    float2 b = __half22float2(h[q]);
                    sum[2 * q] += a * b.x;
                    sum[2 * q + 1] += a * b.y;
                }
            }
#pragma unroll
            for (int q = 0; q < 8; q++)
                acts[1 - layer % 2][j + q][t] = __float2half(layer < 2 ? fmaxf(sum[q], 0.0f) : sum[q]);
        }
    }
    for (int k = 0; k < 64; k += 8) {
        uint4 v;
        __half *h = (__half *)&v;
#pragma unroll
        for (int j = 0; j < 8; j++)
            h[j] = acts[1][k + j][t];
        *(uint4 *)&out[(first + t) * 64 + k] = v;
    }
}

__device__ void mma(float *c, const unsigned *a, unsigned b0, unsigned b1)
{
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ unsigned packed(float x, float y)
{
    __half2 h = __floats2half2_rn(x, y);
    return *(unsigned *)&h;
}

// A warp has 16 samples; a layer's sums are the next one's factors without leaving registers.
extern "C" __global__ void __launch_bounds__(256) tinymlp_tensor(unsigned *__restrict__ out, const unsigned *__restrict__ x, const uint4 *__restrict__ w)
{
    __shared__ __align__(16) unsigned weights[192][36];
    int t = threadIdx.x, lane = t % 32, row = lane / 4, col = lane % 4, first = blockIdx.x * 128 + t / 32 * 16;
    for (int i = t; i < 1536; i += 256)
        *(uint4 *)&weights[i / 8][i % 8 * 4] = w[i];
    const unsigned *from = x + (first + row) * 32 + col;
    unsigned a[4][4];
#pragma unroll
    for (int k = 0; k < 4; k++) {
        a[k][0] = from[8 * k];
        a[k][1] = from[8 * k + 256];
        a[k][2] = from[8 * k + 4];
        a[k][3] = from[8 * k + 260];
    }
    __syncthreads();
#pragma unroll
    for (int layer = 0; layer < 3; layer++) {
        float c[8][4] = {};
#pragma unroll
        for (int n = 0; n < 8; n++)
#pragma unroll
            for (int k = 0; k < 4; k++) {
                const unsigned *b = &weights[layer * 64 + n * 8 + row][8 * k + col];
                mma(c[n], a[k], b[0], b[4]);
            }
        if (layer < 2) {
#pragma unroll
            for (int k = 0; k < 4; k++)
#pragma unroll
                for (int q = 0; q < 4; q++) {
                    const float *v = &c[2 * k + q / 2][q % 2 * 2];
                    a[k][q] = packed(fmaxf(v[0], 0.0f), fmaxf(v[1], 0.0f));
                }
        } else {
            unsigned *to = out + (first + row) * 32 + col;
#pragma unroll
            for (int n = 0; n < 8; n++) {
                to[4 * n] = packed(c[n][0], c[n][1]);
                to[4 * n + 256] = packed(c[n][2], c[n][3]);
            }
        }
    }
}
