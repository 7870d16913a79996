// Sinkhorn's rounds: exp(-cost/0.2) is scaled by rows and by columns until both sum to 1/128. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void sinkhorn_begin(float *k, float *v, const float *cost, int count, int columns, float eps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        k[i] = expf(-cost[i] / eps);
    if (i < columns)
        v[i] = 1.0f;
}

// A warp a row.
extern "C" __global__ void sinkhorn_rows(float *u, const float *k, const float *v, int rows, int n)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    const float *with = v + row / n * n;
    float sum = 0.0f;
    for (int j = lane; j < n; j += 32)
        sum += k[row * n + j] * with[j];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, d);
    if (lane == 0)
        u[row] = 1.0f / n / sum;
}

// A thread a column, a block a matrix.
extern "C" __global__ void sinkhorn_cols(float *v, const float *k, const float *u, int n)
{
    int j = threadIdx.x, m = blockIdx.x;
    float sum = 0.0f;
    for (int i = 0; i < n; i++)
        sum += k[(m * n + i) * n + j] * u[m * n + i];
    v[m * n + j] = 1.0f / n / sum;
}

// All rounds of a matrix in a block, rows padded to 132 numbers: a thread a row by four numbers, then a thread a column.
extern "C" __global__ void __launch_bounds__(128) sinkhorn_shared(float *__restrict__ u, float *__restrict__ v, const float4 *__restrict__ cost)
{
    extern __shared__ __align__(16) float k[];
    __shared__ __align__(16) float row[128], col[128];
    int t = threadIdx.x;
    cost += (size_t)blockIdx.x * 4096;
#pragma unroll 4
    for (int i = t; i < 4096; i += 128) {
        float4 c = cost[i];
        *(float4 *)&k[i / 32 * 132 + i % 32 * 4] = make_float4(__expf(-5.0f * c.x), __expf(-5.0f * c.y), __expf(-5.0f * c.z), __expf(-5.0f * c.w));
    }
    col[t] = 1.0f;
    __syncthreads();
    for (int round = 0; round < 8; round++) {
        float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll 8
        for (int j = 0; j < 32; j++) {
            float4 a = *(const float4 *)&k[t * 132 + 4 * j], b = *(const float4 *)&col[4 * j];
            sum.x = fmaf(a.x, b.x, sum.x);
            sum.y = fmaf(a.y, b.y, sum.y);
            sum.z = fmaf(a.z, b.z, sum.z);
            sum.w = fmaf(a.w, b.w, sum.w);
        }
        row[t] = __fdividef(0.0078125f, sum.x + sum.y + sum.z + sum.w);
        __syncthreads();
        float s0 = 0.0f, s1 = 0.0f;
#pragma unroll 8
        for (int i = 0; i < 128; i += 2) {
            s0 = fmaf(k[i * 132 + t], row[i], s0);
            s1 = fmaf(k[(i + 1) * 132 + t], row[i + 1], s1);
        }
        col[t] = __fdividef(0.0078125f, s0 + s1);
        __syncthreads();
    }
    u[blockIdx.x * 128 + t] = row[t];
    v[blockIdx.x * 128 + t] = col[t];
}
