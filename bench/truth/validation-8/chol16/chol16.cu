// Cholesky factors of 16 x 16 matrices whose diagonal is raised by 10; only the lower halves are read. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void chol16_thread(double *out, const double *in, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    double l[16][16];
    in += i * 256;
    out += i * 256;
    for (int r = 0; r < 16; r++)
        for (int c = 0; c <= r; c++) {
            double sum = in[r * 16 + c] + (r == c ? 10.0 : 0.0);
            for (int k = 0; k < c; k++)
                sum -= l[r][k] * l[c][k];
            l[r][c] = r == c ? sqrt(sum) : sum / l[c][c];
        }
    for (int r = 0; r < 16; r++)
        for (int c = 0; c < 16; c++)
            out[r * 16 + c] = c <= r ? l[r][c] : 0.0;
}

// A row a lane, in registers.
extern "C" __global__ void __launch_bounds__(128) chol16_half(double *__restrict__ out, const double *__restrict__ in, int count)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) / 16, row = threadIdx.x % 16;
    const double *p = in + min(i, count - 1) * 256 + row * 16;
    double v[16];
#pragma unroll
    for (int c = 0; c < 16; c++)
        v[c] = c <= row ? p[c] + (c == row ? 10.0 : 0.0) : 0.0;
#pragma unroll
    for (int c = 0; c < 16; c++) {
        double pivot = rsqrt(__shfl_sync(0xffffffff, v[c], c, 16));
        v[c] *= pivot;
#pragma unroll
        for (int k = c + 1; k < 16; k++) {
            double other = __shfl_sync(0xffffffff, v[c], k, 16);
            if (k <= row)
                v[k] -= v[c] * other;
        }
    }
    if (i < count) {
        double2 *to = (double2 *)(out + i * 256 + row * 16);
#pragma unroll
        for (int c = 0; c < 16; c += 2)
            to[c / 2] = make_double2(v[c], v[c + 1]);
    }
}

// Four matrices a block, a row a thread.
extern "C" __global__ void chol16_shared(double *__restrict__ out, const double *__restrict__ in, int count)
{
    __shared__ double s[4][16][17];
    int row = threadIdx.x, m = threadIdx.y, i = blockIdx.x * 4 + m;
    bool inside = i < count;
    for (int r = 0; r < 16; r++)
        s[m][r][row] = inside && row <= r ? in[i * 256 + r * 16 + row] : 0.0;
    __syncthreads();
    s[m][row][row] += 10.0;
    __syncthreads();
    for (int c = 0; c < 16; c++) {
        if (row == c)
            s[m][c][c] = sqrt(s[m][c][c]);
        __syncthreads();
        if (row > c)
            s[m][row][c] /= s[m][c][c];
        __syncthreads();
        for (int k = c + 1; k <= row; k++)
            s[m][row][k] -= s[m][row][c] * s[m][k][c];
        __syncthreads();
    }
    if (inside)
        for (int r = 0; r < 16; r++)
            out[i * 256 + r * 16 + row] = s[m][r][row];
}
