// Mean and variance of the columns of a matrix of f64 by rows. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void colstat_welford(double *mean, double *var, const double *x, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols)
        return;
    double m = 0.0, s = 0.0;
    for (int r = 0; r < rows; r++) {
        double v = x[(size_t)r * cols + c], d = v - m;
        m += d / (r + 1);
        s += d * (v - m);
    }
    mean[c] = m;
    var[c] = s / (rows - 1);
}

// A part of the rows of 32 columns a block of 32 x 8: their mean and the squares about it.
extern "C" __global__ void __launch_bounds__(256) colstat_part(double2 *__restrict__ part, const double *__restrict__ x, int rows, int cols, int each)
{
    __shared__ double sums[8][32], squares[8][32];
    int lane = threadIdx.x, y = threadIdx.y, c = blockIdx.x * 32 + lane, first = blockIdx.y * each, end = min(first + each, rows);
    double sum = 0.0, square = 0.0, about = c < cols ? x[c] : 0.0;
    if (c < cols) {
#pragma unroll 4
        for (int r = first + y; r < end; r += 8) {
            double d = x[(size_t)r * cols + c] - about;
            sum += d;
            square = fma(d, d, square);
        }
    }
    sums[y][lane] = sum;
    squares[y][lane] = square;
    __syncthreads();
    if (y == 0 && c < cols) {
        for (int k = 1; k < 8; k++) {
            sum += sums[k][lane];
            square += squares[k][lane];
        }
        int n = end - first;
        part[blockIdx.y * cols + c] = make_double2(about + sum / n, square - sum * sum / n);
    }
}

extern "C" __global__ void colstat_merge(double *mean, double *var, const double2 *part, int rows, int cols, int each, int parts)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols)
        return;
    double m = 0.0, s = 0.0;
    int n = 0;
    for (int p = 0; p < parts; p++) {
        double2 v = part[p * cols + c];
        int k = min(each, rows - p * each), all = n + k;
        double d = v.x - m;
        m += d * k / all;
        s += v.y + d * d * n * k / all;
        n = all;
    }
    mean[c] = m;
    var[c] = s / (rows - 1);
}
