// LU without pivots of many 8 x 8 matrices in f64, each with a number added to its diagonal first. L, whose diagonal is one,
// and U share the result. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

// A thread per matrix, all of it in registers.
extern "C" __global__ void lu8_thread(double *out, const double *a, double shift, int n)
{
    int m = blockIdx.x * blockDim.x + threadIdx.x;
    if (m >= n)
        return;
    double v[8][8];
#pragma unroll
    for (int i = 0; i < 64; i++)
        v[i / 8][i % 8] = a[(size_t)m * 64 + i] + (i / 8 == i % 8 ? shift : 0.0);
#pragma unroll
    for (int k = 0; k < 8; k++) {
        double inverse = 1.0 / v[k][k];
#pragma unroll
        for (int i = k + 1; i < 8; i++) {
            v[i][k] *= inverse;
#pragma unroll
            for (int j = k + 1; j < 8; j++)
                v[i][j] -= v[i][k] * v[k][j];
        }
    }
#pragma unroll
    for (int i = 0; i < 64; i++)
        out[(size_t)m * 64 + i] = v[i / 8][i % 8];
}

// Eight lanes per matrix, each with a column; the multipliers come by shuffles from the lane whose turn it is.
extern "C" __global__ void lu8_lanes(double *out, const double *a, double shift, int n)
{
    int m = (blockIdx.x * blockDim.x + threadIdx.x) / 8, col = threadIdx.x % 8;
    bool here = m < n;
    double v[8];
#pragma unroll
    for (int i = 0; i < 8; i++)
        v[i] = (here ? a[(size_t)m * 64 + i * 8 + col] : 0.0) + (i == col ? shift : 0.0);
#pragma unroll
    for (int k = 0; k < 8; k++) {
        double inverse = 1.0 / __shfl_sync(~0u, v[k], k, 8);
#pragma unroll
        for (int i = k + 1; i < 8; i++) {
            double l = __shfl_sync(~0u, v[i], k, 8) * inverse;
            if (col == k)
                v[i] = l;
            else if (col > k)
                v[i] -= l * v[k];
        }
    }
    if (here)
#pragma unroll
        for (int i = 0; i < 8; i++)
            out[(size_t)m * 64 + i * 8 + col] = v[i];
}
