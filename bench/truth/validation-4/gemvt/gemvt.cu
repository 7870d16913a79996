// A transposed matrix times a vector: y[c] is the sum of a[r][c] x[r]. Nothing is tuned on these kernels
// (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

extern "C" __global__ void gemvt_column(float *y, const float *a, const float *x, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols)
        return;
    float sum = 0;
    for (int r = 0; r < rows; r++)
        sum += a[r * cols + c] * x[r];
    y[c] = sum;
}

// 64 rows a block; x through shared memory.
extern "C" __global__ void gemvt_atomic(float *y, const float *a, const float *x, int rows, int cols)
{
    __shared__ float xs[64];
    int c = blockIdx.x * blockDim.x + threadIdx.x, first = blockIdx.y * 64;
    int count = min(64, rows - first);
    if (threadIdx.x < count)
        xs[threadIdx.x] = x[first + threadIdx.x];
    __syncthreads();
    if (c >= cols)
        return;
    float sum = 0;
    for (int r = 0; r < count; r++)
        sum += a[(first + r) * cols + c] * xs[r];
    atomicAdd(&y[c], sum);
}

// Four columns a thread, 100 rows a block shared by four warps.
extern "C" __global__ void gemvt_part(float4 *part, const float4 *a, const float *x, int rows, int quads)
{
    __shared__ float4 s[4][32];
    int q = blockIdx.x * 32 + threadIdx.x, end = min(((int)blockIdx.y + 1) * 100, rows);
    float4 sum = make_float4(0, 0, 0, 0);
    if (q < quads) {
        for (int r = blockIdx.y * 100 + threadIdx.y; r < end; r += 4) {
            float4 v = a[r * quads + q];
            float w = __ldg(&x[r]);
            sum.x += v.x * w;
            sum.y += v.y * w;
            sum.z += v.z * w;
            sum.w += v.w * w;
        }
    }
    s[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y == 0 && q < quads) {
        for (int w = 1; w < 4; w++) {
            float4 v = s[w][threadIdx.x];
            sum.x += v.x;
            sum.y += v.y;
            sum.z += v.z;
            sum.w += v.w;
        }
        part[blockIdx.y * quads + q] = sum;
    }
}

extern "C" __global__ void gemvt_sum(float *y, const float *part, int parts, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols)
        return;
    float sum = 0;
    for (int p = 0; p < parts; p++)
        sum += part[p * cols + c];
    y[c] = sum;
}
