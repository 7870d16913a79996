// Products of all pairs of 64 columns of a tall matrix. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void gramcol_pair(float *g, const float *a, int rows)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int i = t / 64, j = t % 64;
    float sum = 0.0f;
    for (int r = 0; r < rows; r++)
        sum += a[r * 64 + i] * a[r * 64 + j];
    g[t] = sum;
}

extern "C" __global__ void gramcol_tile(float *g, const float *a, int rows)
{
    __shared__ float left[32][16], right[32][16];
    int tx = threadIdx.x, ty = threadIdx.y;
    float sum = 0.0f;
    for (int r0 = 0; r0 < rows; r0 += 32) {
        for (int k = ty; k < 32; k += 16) {
            int r = r0 + k;
            left[k][tx] = r < rows ? a[r * 64 + blockIdx.y * 16 + tx] : 0.0f;
            right[k][tx] = r < rows ? a[r * 64 + blockIdx.x * 16 + tx] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 32; k++)
            sum += left[k][ty] * right[k][tx];
        __syncthreads();
    }
    g[(blockIdx.y * 16 + ty) * 64 + blockIdx.x * 16 + tx] = sum;
}

// 128 rows a block, 4 x 4 outputs a thread.
extern "C" __global__ void gramcol_split(float *__restrict__ g, const float4 *__restrict__ a, int rows)
{
    __shared__ float4 s[32][16];
    int t = threadIdx.x, tx = t % 16, ty = t / 16, first = blockIdx.x * 128, last = min(first + 128, rows);
    float sum[4][4] = {};
    for (int r0 = first; r0 < last; r0 += 32) {
        for (int k = t; k < 512; k += 256) {
            int r = r0 + k / 16;
            s[k / 16][k % 16] = r < last ? a[r * 16 + k % 16] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        }
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < 32; k++) {
            float4 u = s[k][ty], v = s[k][tx];
            float p[4] = {u.x, u.y, u.z, u.w}, q[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    sum[i][j] += p[i] * q[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++)
            atomicAdd(&g[(4 * ty + i) * 64 + 4 * tx + j], sum[i][j]);
}
