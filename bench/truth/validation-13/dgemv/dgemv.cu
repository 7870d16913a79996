// out = alpha*a*x + beta*y with a of m rows and n columns, stored by columns. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void dgemv_row(double *out, const double *a, const double *x, const double *y, int m, int n, double alpha, double beta)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m)
        return;
    double sum = 0.0;
    for (int j = 0; j < n; j++)
        sum += a[(size_t)j * m + i] * x[j];
    out[i] = alpha * sum + beta * y[i];
}

// 32 rows a block of 16 x 32 threads: two rows a thread, every 32nd column.
extern "C" __global__ void __launch_bounds__(512) dgemv_split(double *__restrict__ out, const double *__restrict__ a, const double *__restrict__ x, const double *__restrict__ y,
                                                              int m, int n, double alpha, double beta)
{
    __shared__ double2 sums[32][16];
    int tx = threadIdx.x, ty = threadIdx.y, i = blockIdx.x * 32 + 2 * tx;
    double2 sum = make_double2(0.0, 0.0);
    if (i < m)
#pragma unroll 4
        for (int j = ty; j < n; j += 32) {
            double2 v = *(const double2 *)&a[(size_t)j * m + i];
            double by = x[j];
            sum.x = fma(v.x, by, sum.x);
            sum.y = fma(v.y, by, sum.y);
        }
    sums[ty][tx] = sum;
    for (int half = 16; half > 0; half >>= 1) {
        __syncthreads();
        if (ty < half) {
            sums[ty][tx].x += sums[ty + half][tx].x;
            sums[ty][tx].y += sums[ty + half][tx].y;
        }
    }
    if (ty == 0 && i < m) {
        out[i] = alpha * sums[0][tx].x + beta * y[i];
        out[i + 1] = alpha * sums[0][tx].y + beta * y[i + 1];
    }
}
