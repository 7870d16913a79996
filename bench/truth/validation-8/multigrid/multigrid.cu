// Residual, restriction and prolongation of a Poisson equation, zero outside; a coarse point lies on each second fine one. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
__device__ double residual(const double *u, const double *f, int x, int y, int n)
{
    int i = y * n + x;
    double sum = 0.0;
    if (x > 0)
        sum += u[i - 1];
    if (x < n - 1)
        sum += u[i + 1];
    if (y > 0)
        sum += u[i - n];
    if (y < n - 1)
        sum += u[i + n];
    return f[i] - 4.0 * u[i] + sum;
}

extern "C" __global__ void multigrid_residual(double *r, const double *u, const double *f, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < n)
        r[y * n + x] = residual(u, f, x, y, n);
}

// Sums of nine, and a step of Jacobi's on the coarse grid.
extern "C" __global__ void multigrid_restrict(double *coarse, const double *r, int m)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, n = 2 * m + 1;
    if (x >= m || y >= m)
        return;
    const double *p = r + (2 * y + 1) * n + 2 * x + 1;
    double sum = 4.0 * p[0] + 2.0 * (p[-1] + p[1] + p[-n] + p[n]) + p[-n - 1] + p[-n + 1] + p[n - 1] + p[n + 1];
    coarse[y * m + x] = sum / 16.0 * 0.8;
}

extern "C" __global__ void multigrid_prolong(double *out, const double *u, const double *coarse, int m)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, n = 2 * m + 1;
    if (x >= n || y >= n)
        return;
    int x0 = (x - 1) >> 1, x1 = x >> 1, y0 = (y - 1) >> 1, y1 = y >> 1;
    double a = x0 >= 0 && y0 >= 0 ? coarse[y0 * m + x0] : 0.0;
    double b = x1 < m && y0 >= 0 ? coarse[y0 * m + x1] : 0.0;
    double c = x0 >= 0 && y1 < m ? coarse[y1 * m + x0] : 0.0;
    double d = x1 < m && y1 < m ? coarse[y1 * m + x1] : 0.0;
    out[y * n + x] = u[y * n + x] + 0.25 * (a + b + c + d);
}

extern "C" __global__ void multigrid_merged(double *__restrict__ coarse, const double *__restrict__ u, const double *__restrict__ f, int m)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, n = 2 * m + 1;
    if (x >= m || y >= m)
        return;
    double sum = 0.0;
#pragma unroll
    for (int k = 0; k < 9; k++) {
        const double weight = (k % 3 == 1 ? 2.0 : 1.0) * (k / 3 == 1 ? 2.0 : 1.0);
        sum += weight * residual(u, f, 2 * x + k % 3, 2 * y + k / 3, n);
    }
    coarse[y * m + x] = 0.05 * sum;
}
