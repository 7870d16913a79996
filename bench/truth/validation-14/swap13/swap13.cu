// out[k][j][i] = x[i][j][k] in f64. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void swap13_number(double *out, const double *x, int d0, int d1, int d2)
{
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= d0 * d1 * d2)
        return;
    int k = at % d2, j = at / d2 % d1, i = at / (d1 * d2);
    out[(k * d1 + j) * d0 + i] = x[at];
}

extern "C" __global__ void __launch_bounds__(256) swap13_tile(double *__restrict__ out, const double *__restrict__ x, int d0, int d1, int d2)
{
    __shared__ double tile[32][33];
    int j = blockIdx.y, k = blockIdx.x * 32 + threadIdx.x, i = blockIdx.z * 32;
    for (int r = threadIdx.y; r < 32; r += 8)
        if (i + r < d0 && k < d2)
            tile[r][threadIdx.x] = x[((size_t)(i + r) * d1 + j) * d2 + k];
    __syncthreads();
    i += threadIdx.x;
    k = blockIdx.x * 32;
    for (int r = threadIdx.y; r < 32; r += 8)
        if (k + r < d2 && i < d0)
            out[((size_t)(k + r) * d1 + j) * d0 + i] = tile[threadIdx.x][r];
}
