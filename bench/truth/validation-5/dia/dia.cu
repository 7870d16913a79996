// y = a*x, a kept as 11 diagonals with their offsets. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

extern "C" __global__ void dia_row(double *y, const double *a, const int *offsets, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double sum = 0;
    for (int d = 0; d < 11; d++) {
        int j = i + offsets[d];
        if (j >= 0 && j < n)
            sum += a[d * n + i] * x[j];
    }
    y[i] = sum;
}

// A launch a diagonal.
extern "C" __global__ void dia_diagonal(double *y, const double *a, const int *offsets, const double *x, int n, int d)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = i + offsets[d];
    if (i < n && j >= 0 && j < n)
        y[i] += a[d * n + i] * x[j];
}

// What a block needs of x, 60 beyond it on both sides, lies in shared memory.
extern "C" __global__ void dia_shared(double *__restrict__ y, const double *__restrict__ a, const int *__restrict__ offsets,
                                      const double *__restrict__ x, int n)
{
    __shared__ double s[512 + 120];
    __shared__ int off[11];
    int t = threadIdx.x, first = blockIdx.x * 512 - 60;
    if (t < 11)
        off[t] = offsets[t];
    for (int i = t; i < 632; i += 512)
        s[i] = first + i >= 0 && first + i < n ? x[first + i] : 0;
    __syncthreads();
    int i = blockIdx.x * 512 + t;
    if (i >= n)
        return;
    double sum = 0;
#pragma unroll
    for (int d = 0; d < 11; d++)
        sum += a[d * n + i] * s[t + 60 + off[d]];
    y[i] = sum;
}
