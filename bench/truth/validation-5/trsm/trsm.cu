// l*x = b: a lower triangle of 32 x 32, its diagonal by itself, 32 x m right sides. Nothing is tuned on these kernels
// (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

// What is solved is read back from memory.
extern "C" __global__ void trsm_column(double *x, const double *l, const double *diagonal, const double *b, int m)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= m)
        return;
    for (int i = 0; i < 32; i++) {
        double v = b[i * m + c];
        for (int j = 0; j < i; j++)
            v -= l[i * 32 + j] * x[j * m + c];
        x[i * m + c] = v / diagonal[i];
    }
}

// The triangle in shared memory, divisions made products.
extern "C" __global__ void trsm_shared(double *x, const double *l, const double *diagonal, const double *b, int m)
{
    __shared__ double ls[1024 + 32];
    int t = threadIdx.x, c = blockIdx.x * blockDim.x + t;
    for (int i = t; i < 1024; i += blockDim.x)
        ls[i] = l[i];
    if (t < 32)
        ls[1024 + t] = 1.0 / diagonal[t];
    __syncthreads();
    if (c >= m)
        return;
    for (int i = 0; i < 32; i++) {
        double v = b[i * m + c];
        for (int j = 0; j < i; j++)
            v -= ls[i * 32 + j] * x[j * m + c];
        x[i * m + c] = v * ls[1024 + i];
    }
}

// A column in registers: what is solved is taken from all that come after it.
extern "C" __global__ void __launch_bounds__(64) trsm_registers(double *__restrict__ x, const double *__restrict__ l,
                                                               const double *__restrict__ diagonal, const double *__restrict__ b, int m)
{
    __shared__ double ls[32][32], inverse[32];
    int t = threadIdx.x, c = blockIdx.x * 64 + t;
    for (int i = t; i < 1024; i += 64)
        ls[i % 32][i / 32] = l[i]; // column by column
    if (t < 32)
        inverse[t] = 1.0 / diagonal[t];
    __syncthreads();
    if (c >= m)
        return;
    double v[32];
#pragma unroll
    for (int i = 0; i < 32; i++)
        v[i] = b[i * m + c];
#pragma unroll
    for (int j = 0; j < 32; j++) {
        v[j] *= inverse[j];
#pragma unroll
        for (int i = j + 1; i < 32; i++)
            v[i] -= ls[j][i] * v[j];
        x[j * m + c] = v[j];
    }
}
