// A sparse matrix in rows times a dense matrix of 32 columns, row by row. Nothing is tuned on these kernels
// (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
constexpr int N = 32;

// A thread has one number of the result; lanes side by side are rows.
extern "C" __global__ void spmm_output(float *c, const int *starts, const int *columns, const float *values, const float *b, int rows)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x, x = blockIdx.y * blockDim.y + threadIdx.y;
    if (r >= rows || x >= N)
        return;
    float sum = 0;
    for (int e = starts[r]; e < starts[r + 1]; e++)
        sum += values[e] * b[columns[e] * N + x];
    c[r * N + x] = sum;
}

extern "C" __global__ void spmm_warp(float *c, const int *starts, const int *columns, const float *values, const float *b, int rows)
{
    int r = blockIdx.x * blockDim.y + threadIdx.y, x = threadIdx.x;
    if (r >= rows)
        return;
    float sum = 0;
    int end = starts[r + 1];
    for (int e = starts[r]; e < end; e++)
        sum += values[e] * b[columns[e] * N + x];
    c[r * N + x] = sum;
}

// Sixteen lanes a row, two columns each, two entries at a time.
extern "C" __global__ void spmm_pairs(float2 *__restrict__ c, const int *__restrict__ starts, const int *__restrict__ columns,
                                      const float *__restrict__ values, const float2 *__restrict__ b, int rows)
{
    int r = blockIdx.x * blockDim.y + threadIdx.y, x = threadIdx.x;
    if (r >= rows)
        return;
    float2 sum = make_float2(0, 0), more = make_float2(0, 0);
    int e = starts[r], end = starts[r + 1];
    for (; e + 1 < end; e += 2) {
        float v = values[e], w = values[e + 1];
        float2 p = b[columns[e] * (N / 2) + x], q = b[columns[e + 1] * (N / 2) + x];
        sum.x += v * p.x;
        sum.y += v * p.y;
        more.x += w * q.x;
        more.y += w * q.y;
    }
    if (e < end) {
        float v = values[e];
        float2 p = b[columns[e] * (N / 2) + x];
        sum.x += v * p.x;
        sum.y += v * p.y;
    }
    c[r * (N / 2) + x] = make_float2(sum.x + more.x, sum.y + more.y);
}
