// Products of a's and b's rows where a sparse matrix has entries, times these; 64 numbers a row. Nothing is tuned on these
// kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
constexpr int K = 64;

extern "C" __global__ void sddmm_thread(float *out, const int *row, const int *col, const float *value, const float *a, const float *b,
                                        int entries)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= entries)
        return;
    const float *p = a + row[e] * K, *q = b + col[e] * K;
    float sum = 0.f;
    for (int i = 0; i < K; ++i)
        sum += p[i] * q[i];
    out[e] = value[e] * sum;
}

extern "C" __global__ void sddmm_warp(float *out, const int *row, const int *col, const float *value, const float *a, const float *b,
                                      int entries)
{
    int e = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (e >= entries)
        return;
    const float *p = a + row[e] * K, *q = b + col[e] * K;
    float sum = p[lane] * q[lane] + p[lane + 32] * q[lane + 32];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(~0u, sum, d);
    if (lane == 0)
        out[e] = value[e] * sum;
}

// Eight lanes an entry, sixteen bytes a load.
extern "C" __global__ void sddmm_eight(float *__restrict__ out, const int *__restrict__ row, const int *__restrict__ col,
                                       const float *__restrict__ value, const float4 *__restrict__ a, const float4 *__restrict__ b,
                                       int entries)
{
    int e = (blockIdx.x * blockDim.x + threadIdx.x) / 8, part = threadIdx.x % 8;
    float sum = 0.f;
    if (e < entries) {
        const float4 *p = a + row[e] * (K / 4), *q = b + col[e] * (K / 4);
#pragma unroll
        for (int i = 0; i < 2; i++) {
            float4 v = p[part + 8 * i], w = q[part + 8 * i];
            sum += v.x * w.x + v.y * w.y + v.z * w.z + v.w * w.w;
        }
    }
    sum += __shfl_xor_sync(~0u, sum, 4);
    sum += __shfl_xor_sync(~0u, sum, 2);
    sum += __shfl_xor_sync(~0u, sum, 1);
    if (e < entries && part == 0)
        out[e] = value[e] * sum;
}
