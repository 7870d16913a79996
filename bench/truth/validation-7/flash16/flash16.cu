// Attention, 12 heads of 64 numbers in f16, every query over all keys. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>

extern "C" __global__ void flash16_query(half *out, const half *q, const half *k, const half *v, float scale, int n)
{
    int y = blockIdx.x * blockDim.x + threadIdx.x, head = blockIdx.y * n;
    if (y >= n)
        return;
    float own[64], acc[64] = {}, high = -INFINITY, total = 0.0f;
#pragma unroll
    for (int c = 0; c < 64; c++)
        own[c] = __half2float(q[(head + y) * 64 + c]) * scale;
    for (int j = 0; j < n; j++) {
        const half *kj = k + (head + j) * 64, *vj = v + (head + j) * 64;
        float score = 0.0f;
#pragma unroll
        for (int c = 0; c < 64; c++)
            score += own[c] * __half2float(kj[c]);
        float next = fmaxf(high, score), old = __expf(high - next), weight = __expf(score - next);
        total = total * old + weight;
#pragma unroll
        for (int c = 0; c < 64; c++)
            acc[c] = acc[c] * old + weight * __half2float(vj[c]);
        high = next;
    }
#pragma unroll
    for (int c = 0; c < 64; c++)
        out[(head + y) * 64 + c] = __float2half(acc[c] / total);
}

// 32 keys and their values at a time, as f32 in shared memory; the largest score grows once a tile.
extern "C" __global__ void __launch_bounds__(64) flash16_tile(half *__restrict__ out, const half2 *__restrict__ q,
                                                              const half2 *__restrict__ k, const half2 *__restrict__ v,
                                                              float scale, int n)
{
    __shared__ float2 ks[32][32], vs[32][32];
    int t = threadIdx.x, y = blockIdx.x * 64 + t, head = blockIdx.y * n;
    float own[64], acc[64] = {}, high = -INFINITY, total = 0.0f;
#pragma unroll
    for (int c = 0; c < 32; c++) {
        float2 w = __half22float2(q[(head + min(y, n - 1)) * 32 + c]);
        own[2 * c] = w.x * scale;
        own[2 * c + 1] = w.y * scale;
    }
    for (int j0 = 0; j0 < n; j0 += 32) {
        int keys = min(32, n - j0);
        for (int i = t; i < keys * 32; i += 64) {
            ks[i / 32][i % 32] = __half22float2(k[(head + j0) * 32 + i]);
            vs[i / 32][i % 32] = __half22float2(v[(head + j0) * 32 + i]);
        }
        __syncthreads();
        for (int j = 0; j < keys; j++) {
            float score = 0.0f;
#pragma unroll
            for (int c = 0; c < 32; c++) {
                float2 w = ks[j][c];
                score += own[2 * c] * w.x + own[2 * c + 1] * w.y;
            }
            if (score > high) {
                float old = __expf(high - score);
                total *= old;
#pragma unroll
                for (int c = 0; c < 64; c++)
                    acc[c] *= old;
                high = score;
            }
            float weight = __expf(score - high);
            total += weight;
#pragma unroll
            for (int c = 0; c < 32; c++) {
                float2 w = vs[j][c];
                acc[2 * c] += weight * w.x;
                acc[2 * c + 1] += weight * w.y;
            }
        }
        __syncthreads();
    }
    if (y >= n)
        return;
    float part = 1.0f / total;
#pragma unroll
    for (int c = 0; c < 64; c += 2)
        *(half2 *)&out[(head + y) * 64 + c] = __floats2half2_rn(acc[c] * part, acc[c + 1] * part);
}

__device__ void mma(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1)
{
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ unsigned packed(float a, float b)
{
    half2 h = __floats2half2_rn(a, b);
    return *(unsigned *)&h;
}

// 16 queries a warp, 64 keys at a time in shared memory; scores stay in registers.
extern "C" __global__ void __launch_bounds__(128) flash16_tensor(half *__restrict__ out, const half *__restrict__ q,
                                                                 const half *__restrict__ k, const half *__restrict__ v,
                                                                 float scale, int n)
{
    __shared__ __align__(16) half ks[64][72], vs[64][72];
    int t = threadIdx.x, lane = t % 32, g = lane / 4, l = lane % 4 * 2;
    int head = blockIdx.y * n, y = head + blockIdx.x * 64 + t / 32 * 16 + g;
    unsigned fq[4][4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const half *at = q + y * 64 + 16 * i + l;
        fq[i][0] = *(const unsigned *)at;
        fq[i][1] = *(const unsigned *)(at + 512);
        fq[i][2] = *(const unsigned *)(at + 8);
        fq[i][3] = *(const unsigned *)(at + 520);
    }
    float acc[8][4] = {}, high[2] = {-1e30f, -1e30f}, total[2] = {0.0f, 0.0f};
    for (int j0 = 0; j0 < n; j0 += 64) {
#pragma unroll
        for (int i = t; i < 512; i += 128) {
            *(uint4 *)&ks[i / 8][i % 8 * 8] = *(const uint4 *)&k[(head + j0 + i / 8) * 64 + i % 8 * 8];
            *(uint4 *)&vs[i / 8][i % 8 * 8] = *(const uint4 *)&v[(head + j0 + i / 8) * 64 + i % 8 * 8];
        }
        __syncthreads();
        float s[8][4] = {};
#pragma unroll
        for (int j = 0; j < 8; j++)
#pragma unroll
            for (int i = 0; i < 4; i++) {
                const half *at = &ks[8 * j + g][16 * i + l];
                mma(s[j], fq[i], *(const unsigned *)at, *(const unsigned *)(at + 8));
            }
        float next[2] = {high[0], high[1]}, old[2];
#pragma unroll
        for (int j = 0; j < 8; j++)
#pragma unroll
            for (int i = 0; i < 4; i++) {
                s[j][i] *= scale;
                next[i / 2] = fmaxf(next[i / 2], s[j][i]);
            }
#pragma unroll
        for (int r = 0; r < 2; r++) {
            next[r] = fmaxf(next[r], __shfl_xor_sync(0xffffffff, next[r], 1));
            next[r] = fmaxf(next[r], __shfl_xor_sync(0xffffffff, next[r], 2));
            old[r] = __expf(high[r] - next[r]);
            total[r] *= old[r];
            high[r] = next[r];
        }
#pragma unroll
        for (int j = 0; j < 8; j++)
#pragma unroll
            for (int i = 0; i < 4; i++) {
                s[j][i] = __expf(s[j][i] - high[i / 2]);
                total[i / 2] += s[j][i];
                acc[j][i] *= old[i / 2];
            }
#pragma unroll
        for (int i = 0; i < 4; i++) {
            unsigned fp[4] = {packed(s[2 * i][0], s[2 * i][1]), packed(s[2 * i][2], s[2 * i][3]),
                              packed(s[2 * i + 1][0], s[2 * i + 1][1]), packed(s[2 * i + 1][2], s[2 * i + 1][3])};
#pragma unroll
            for (int j = 0; j < 8; j++) {
                unsigned b0, b1, at = (unsigned)__cvta_generic_to_shared(&vs[16 * i + lane % 16][8 * j]);
                asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];" : "=r"(b0), "=r"(b1) : "r"(at));
                mma(acc[j], fp, b0, b1);
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < 2; r++) {
        total[r] += __shfl_xor_sync(0xffffffff, total[r], 1);
        total[r] += __shfl_xor_sync(0xffffffff, total[r], 2);
        float part = 1.0f / total[r];
#pragma unroll
        for (int j = 0; j < 8; j++)
            *(half2 *)&out[(y + 8 * r) * 64 + 8 * j + l] = __floats2half2_rn(acc[j][2 * r] * part, acc[j][2 * r + 1] * part);
    }
}
