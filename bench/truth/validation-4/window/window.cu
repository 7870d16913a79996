// Attention of each query over itself and the 63 keys before it; heads of 32 numbers. Nothing is tuned on these kernels
// (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
constexpr int D = 32, WINDOW = 64;
constexpr float SCALE = 0.17677669529f;

// The sums are scaled again whenever the largest score grows.
extern "C" __global__ void window_thread(float *out, const float *q, const float *k, const float *v, int length)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= length)
        return;
    int base = blockIdx.y * length;
    float query[D], acc[D];
    for (int d = 0; d < D; d++) {
        query[d] = q[(base + i) * D + d] * SCALE;
        acc[d] = 0.0f;
    }
    float most = -1e30f, sum = 0.0f;
    for (int j = max(0, i - WINDOW + 1); j <= i; j++) {
        float s = 0.0f;
        for (int d = 0; d < D; d++)
            s += query[d] * k[(base + j) * D + d];
        float next = fmaxf(most, s), shrink = expf(most - next), p = expf(s - next);
        sum = sum * shrink + p;
        for (int d = 0; d < D; d++)
            acc[d] = acc[d] * shrink + p * v[(base + j) * D + d];
        most = next;
    }
    for (int d = 0; d < D; d++)
        out[(base + i) * D + d] = acc[d] / sum;
}

// 64 queries a block; the 127 keys and then the values that they see in shared memory.
extern "C" __global__ void window_tile(float *out, const float *q, const float *k, const float *v, int length)
{
    __shared__ float4 keys[127][D / 4], values[127][D / 4];
    int first = blockIdx.x * 64 - 63, i = blockIdx.x * 64 + threadIdx.x, base = blockIdx.y * length;
    const float4 *k4 = (const float4 *)k + base * (D / 4), *v4 = (const float4 *)v + base * (D / 4);
    for (int e = threadIdx.x; e < 127 * (D / 4); e += 64) {
        int j = first + e / (D / 4);
        if (j >= 0 && j < length) {
            keys[e / (D / 4)][e % (D / 4)] = k4[j * (D / 4) + e % (D / 4)];
            values[e / (D / 4)][e % (D / 4)] = v4[j * (D / 4) + e % (D / 4)];
        }
    }
    __syncthreads();
    if (i >= length)
        return;
    float4 query[D / 4], acc[D / 4];
    for (int d = 0; d < D / 4; d++) {
        query[d] = ((const float4 *)q)[(base + i) * (D / 4) + d];
        acc[d] = make_float4(0, 0, 0, 0);
    }
    float most = -1e30f, sum = 0.0f;
    for (int j = max(0, i - WINDOW + 1); j <= i; j++) {
        float s = 0.0f;
#pragma unroll
        for (int d = 0; d < D / 4; d++) {
            float4 key = keys[j - first][d];
            s += query[d].x * key.x + query[d].y * key.y + query[d].z * key.z + query[d].w * key.w;
        }
        s *= SCALE;
        float next = fmaxf(most, s), shrink = __expf(most - next), p = __expf(s - next);
        sum = sum * shrink + p;
#pragma unroll
        for (int d = 0; d < D / 4; d++) {
            float4 value = values[j - first][d];
            acc[d].x = acc[d].x * shrink + p * value.x;
            acc[d].y = acc[d].y * shrink + p * value.y;
            acc[d].z = acc[d].z * shrink + p * value.z;
            acc[d].w = acc[d].w * shrink + p * value.w;
        }
        most = next;
    }
    float inverse = 1.0f / sum;
    for (int d = 0; d < D / 4; d++)
        ((float4 *)out)[(base + i) * (D / 4) + d] = make_float4(acc[d].x * inverse, acc[d].y * inverse, acc[d].z * inverse, acc[d].w * inverse);
}

// A lane has two keys' scores, then one of the 32 sums.
extern "C" __global__ void window_warp(float *out, const float *q, const float *k, const float *v, int length)
{
    __shared__ float query[4][D], p[4][WINDOW];
    int w = threadIdx.x / 32, lane = threadIdx.x % 32, i = blockIdx.x * 4 + w, base = blockIdx.y * length;
    if (i >= length)
        return;
    query[w][lane] = q[(base + i) * D + lane] * SCALE;
    __syncwarp();
    int first = i - WINDOW + 1;
    float score[2];
    for (int h = 0; h < 2; h++) {
        int j = first + lane + 32 * h;
        score[h] = -1e30f;
        if (j >= 0) {
            const float4 *key = (const float4 *)(k + (size_t)(base + j) * D);
            float s = 0.0f;
            for (int d = 0; d < D / 4; d++) {
                float4 x = key[d];
                s += query[w][4 * d] * x.x + query[w][4 * d + 1] * x.y + query[w][4 * d + 2] * x.z + query[w][4 * d + 3] * x.w;
            }
            score[h] = s;
        }
    }
    float most = fmaxf(score[0], score[1]);
    for (int d = 16; d > 0; d /= 2)
        most = fmaxf(most, __shfl_xor_sync(~0u, most, d));
    float a = __expf(score[0] - most), b = __expf(score[1] - most), sum = a + b;
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    p[w][lane] = a / sum;
    p[w][lane + 32] = b / sum;
    __syncwarp();
    float acc = 0.0f;
    for (int j = max(0, -first); j < WINDOW; j++)
        acc += p[w][j] * v[(base + first + j) * D + lane];
    out[(base + i) * D + lane] = acc;
}
