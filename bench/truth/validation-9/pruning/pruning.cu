// Logarithm of the likelihood of sites over a tree of eight leaves, four states, four rates. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void pruning_global(float *out, const unsigned char *leaves, const float *p, int sites)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= sites)
        return;
    float sum = 0.0f;
    for (int rate = 0; rate < 4; rate++) {
        const float *m = p + rate * 14 * 16;
        float node[8][4], up[4][4];
        for (int leaf = 0; leaf < 8; leaf++)
            for (int s = 0; s < 4; s++)
                node[leaf][s] = m[leaf * 16 + s * 4 + leaves[leaf * sites + i]];
        for (int k = 0; k < 4; k++)
            for (int s = 0; s < 4; s++)
                up[k][s] = node[2 * k][s] * node[2 * k + 1][s];
        for (int k = 0; k < 2; k++)
            for (int s = 0; s < 4; s++) {
                float a = 0.0f, b = 0.0f;
                for (int r = 0; r < 4; r++) {
                    a += m[(8 + 2 * k) * 16 + s * 4 + r] * up[2 * k][r];
                    b += m[(9 + 2 * k) * 16 + s * 4 + r] * up[2 * k + 1][r];
                }
                node[k][s] = a * b;
            }
        for (int s = 0; s < 4; s++) {
            float a = 0.0f, b = 0.0f;
            for (int r = 0; r < 4; r++) {
                a += m[12 * 16 + s * 4 + r] * node[0][r];
                b += m[13 * 16 + s * 4 + r] * node[1][r];
            }
            sum += 0.25f * 0.25f * a * b;
        }
    }
    out[i] = logf(sum);
}

__device__ float4 times(const float4 *m, float4 v)
{
    return make_float4(m[0].x * v.x + m[0].y * v.y + m[0].z * v.z + m[0].w * v.w, m[1].x * v.x + m[1].y * v.y + m[1].z * v.z + m[1].w * v.w,
                       m[2].x * v.x + m[2].y * v.y + m[2].z * v.z + m[2].w * v.w, m[3].x * v.x + m[3].y * v.y + m[3].z * v.z + m[3].w * v.w);
}

__device__ float4 product(float4 a, float4 b)
{
    return make_float4(a.x * b.x, a.y * b.y, a.z * b.z, a.w * b.w);
}

// Matrices of leaves by columns.
extern "C" __global__ void __launch_bounds__(256) pruning_shared(float *__restrict__ out, const unsigned char *__restrict__ leaves,
                                                                 const float *__restrict__ p, int sites)
{
    __shared__ float4 m[4][14][4];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    for (int k = t; k < 896; k += 256) {
        int rate = k / 224, branch = k / 16 % 14, row = k / 4 % 4, column = k % 4;
        float *to = (float *)m[rate][branch];
        to[branch < 8 ? column * 4 + row : row * 4 + column] = p[k];
    }
    __syncthreads();
    if (i >= sites)
        return;
    int state[8];
#pragma unroll
    for (int leaf = 0; leaf < 8; leaf++)
        state[leaf] = leaves[leaf * sites + i];
    float sum = 0.0f;
    for (int rate = 0; rate < 4; rate++) {
        float4 half[2];
#pragma unroll
        for (int k = 0; k < 2; k++) {
            float4 a = product(m[rate][4 * k][state[4 * k]], m[rate][4 * k + 1][state[4 * k + 1]]);
            float4 b = product(m[rate][4 * k + 2][state[4 * k + 2]], m[rate][4 * k + 3][state[4 * k + 3]]);
            half[k] = product(times(m[rate][8 + 2 * k], a), times(m[rate][9 + 2 * k], b));
        }
        float4 root = product(times(m[rate][12], half[0]), times(m[rate][13], half[1]));
        sum += root.x + root.y + root.z + root.w;
    }
    out[i] = __logf(0.0625f * sum);
}

__device__ float step(float4 row, float v)
{
    return row.x * __shfl_sync(0xffffffff, v, 0, 4) + row.y * __shfl_sync(0xffffffff, v, 1, 4) + row.z * __shfl_sync(0xffffffff, v, 2, 4) +
           row.w * __shfl_sync(0xffffffff, v, 3, 4);
}

// A lane a state.
extern "C" __global__ void __launch_bounds__(256) pruning_lanes(float *__restrict__ out, const unsigned char *__restrict__ leaves,
                                                                const float *__restrict__ p, int sites)
{
    __shared__ float m[896];
    int t = threadIdx.x, i = min(blockIdx.x * 64 + t / 4, sites - 1), s = t % 4;
    for (int k = t; k < 896; k += 256)
        m[k] = p[k];
    __syncthreads();
    int state[8];
#pragma unroll
    for (int leaf = 0; leaf < 8; leaf++)
        state[leaf] = leaves[leaf * sites + i];
    float sum = 0.0f;
#pragma unroll 1
    for (int rate = 0; rate < 4; rate++) {
        const float *own = m + rate * 224 + s * 4;
        const float4 *rows = (const float4 *)(m + rate * 224) + s;
        float half[2];
#pragma unroll
        for (int k = 0; k < 2; k++) {
            float a = own[64 * k + state[4 * k]] * own[64 * k + 16 + state[4 * k + 1]];
            float b = own[64 * k + 32 + state[4 * k + 2]] * own[64 * k + 48 + state[4 * k + 3]];
            half[k] = step(rows[4 * (8 + 2 * k)], a) * step(rows[4 * (9 + 2 * k)], b);
        }
        sum += step(rows[48], half[0]) * step(rows[52], half[1]);
    }
    sum += __shfl_xor_sync(0xffffffff, sum, 1);
    sum += __shfl_xor_sync(0xffffffff, sum, 2);
    if (s == 0)
        out[i] = __logf(0.0625f * sum);
}
