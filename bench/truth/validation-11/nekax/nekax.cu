// Stiffness of spectral elements: slopes along three axes by a matrix, six factors a point, and slopes transposed. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void nekax_slopes(double *r, double *s, double *t, const double *u, const double *g, const double *d, int n, int order)
{
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= n)
        return;
    int i = at % order, j = at / order % order, k = at / (order * order) % order, e = at / (order * order * order) * order * order * order;
    double ur = 0.0, us = 0.0, ut = 0.0;
    for (int l = 0; l < order; l++) {
        ur += d[i * order + l] * u[e + (k * order + j) * order + l];
        us += d[j * order + l] * u[e + (k * order + l) * order + i];
        ut += d[k * order + l] * u[e + (l * order + j) * order + i];
    }
    const double *f = g + 6 * (long long)at;
    r[at] = f[0] * ur + f[1] * us + f[2] * ut;
    s[at] = f[1] * ur + f[3] * us + f[4] * ut;
    t[at] = f[2] * ur + f[4] * us + f[5] * ut;
}

extern "C" __global__ void nekax_back(double *w, const double *r, const double *s, const double *t, const double *d, int n, int order)
{
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= n)
        return;
    int i = at % order, j = at / order % order, k = at / (order * order) % order, e = at / (order * order * order) * order * order * order;
    double sum = 0.0;
    for (int l = 0; l < order; l++) {
        sum += d[l * order + i] * r[e + (k * order + j) * order + l];
        sum += d[l * order + j] * s[e + (k * order + l) * order + i];
        sum += d[l * order + k] * t[e + (l * order + j) * order + i];
    }
    w[at] = sum;
}

extern "C" __global__ void __launch_bounds__(512) nekax_shared(double *w, const double *u, const double *g, const double *d)
{
    __shared__ double us[8][8][8], r[8][8][8], s[8][8][8], t[8][8][8], ds[8][8];
    int i = threadIdx.x, j = threadIdx.y, k = threadIdx.z, at = blockIdx.x * 512 + (k * 8 + j) * 8 + i;
    us[k][j][i] = u[at];
    if (k == 0)
        ds[j][i] = d[j * 8 + i];
    __syncthreads();
    double a = 0.0, b = 0.0, c = 0.0;
    for (int l = 0; l < 8; l++) {
        a += ds[i][l] * us[k][j][l];
        b += ds[j][l] * us[k][l][i];
        c += ds[k][l] * us[l][j][i];
    }
    const double *f = g + 6 * at;
    r[k][j][i] = f[0] * a + f[1] * b + f[2] * c;
    s[k][j][i] = f[1] * a + f[3] * b + f[4] * c;
    t[k][j][i] = f[2] * a + f[4] * b + f[5] * c;
    __syncthreads();
    double sum = 0.0;
    for (int l = 0; l < 8; l++)
        sum += ds[l][i] * r[k][j][l] + ds[l][j] * s[k][l][i] + ds[l][k] * t[l][j][i];
    w[at] = sum;
}

// 64 threads, each with a column of eight points; one plane at a time lies in shared memory.
extern "C" __global__ void __launch_bounds__(64)
    nekax_planes(double *__restrict__ w, const double *__restrict__ u, const double2 *__restrict__ g, const double *__restrict__ d)
{
    __shared__ double ds[8][9], plane[8][9], r[8][9], s[8][9];
    int i = threadIdx.x, j = threadIdx.y, at = blockIdx.x * 512 + j * 8 + i;
    double column[8], sum[8] = {};
    ds[j][i] = d[j * 8 + i];
#pragma unroll
    for (int k = 0; k < 8; k++)
        column[k] = u[at + 64 * k];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 8; k++) {
        plane[j][i] = column[k];
        const double2 *f = g + 3 * (at + 64 * k);
        double2 f0 = f[0], f1 = f[1], f2 = f[2];
        __syncthreads();
        double a = 0.0, b = 0.0, c = 0.0;
#pragma unroll
        for (int l = 0; l < 8; l++) {
            a += ds[i][l] * plane[j][l];
            b += ds[j][l] * plane[l][i];
            c += ds[k][l] * column[l];
        }
        r[j][i] = f0.x * a + f0.y * b + f1.x * c;
        s[j][i] = f0.y * a + f1.y * b + f2.x * c;
        double t = f1.x * a + f2.x * b + f2.y * c;
        __syncthreads();
#pragma unroll
        for (int l = 0; l < 8; l++) {
            sum[k] += ds[l][i] * r[j][l] + ds[l][j] * s[l][i];
            sum[l] += ds[k][l] * t;
        }
    }
#pragma unroll
    for (int k = 0; k < 8; k++)
        w[at + 64 * k] = sum[k];
}
