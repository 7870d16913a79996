// A sweep of Gauss-Seidel in two colours: points whose coordinates have an even sum, then the others. The border stays. Nothing is
// tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

// Every point looks whether it is its turn. The first colour copies the other one.
extern "C" __global__ void redblack_every(double *out, const double *u, const double *f, int colour, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, i = y * n + x;
    if (x >= n || y >= n)
        return;
    bool inside = x > 0 && y > 0 && x < n - 1 && y < n - 1;
    if (inside && (x + y) % 2 == colour)
        out[i] = 0.25 * (u[i - 1] + u[i + 1] + u[i - n] + u[i + n] + f[i]);
    else if (colour == 0)
        out[i] = u[i];
}

// Two neighbours a thread, one of each colour; n is even.
extern "C" __global__ void redblack_red(double *__restrict__ out, const double *__restrict__ u, const double *__restrict__ f, int n)
{
    int x = 2 * (blockIdx.x * blockDim.x + threadIdx.x), y = blockIdx.y * blockDim.y + threadIdx.y, i = y * n + x;
    if (x >= n || y >= n)
        return;
    double2 v = *(const double2 *)&u[i];
    if (y > 0 && y < n - 1) {
        if (y % 2 == 0 && x > 0)
            v.x = 0.25 * (u[i - 1] + v.y + u[i - n] + u[i + n] + f[i]);
        if (y % 2 == 1 && x + 1 < n - 1)
            v.y = 0.25 * (v.x + u[i + 2] + u[i + 1 - n] + u[i + 1 + n] + f[i + 1]);
    }
    *(double2 *)&out[i] = v;
}

extern "C" __global__ void redblack_black(double *out, const double *__restrict__ f, int n)
{
    int x = 2 * (blockIdx.x * blockDim.x + threadIdx.x), y = blockIdx.y * blockDim.y + threadIdx.y;
    x += 1 - y % 2;
    int i = y * n + x;
    if (x > 0 && x < n - 1 && y > 0 && y < n - 1)
        out[i] = 0.25 * (out[i - 1] + out[i + 1] + out[i - n] + out[i + n] + f[i]);
}

// Both colours in one launch: a tile of 32 x 16 with two points around it; the first colour is made one point beyond the tile.
extern "C" __global__ void __launch_bounds__(512) redblack_tile(double *out, const double *u, const double *f, int n)
{
    __shared__ double s[20][37];
    int tx = threadIdx.x, ty = threadIdx.y, t = ty * 32 + tx, x0 = blockIdx.x * 32 - 2, y0 = blockIdx.y * 16 - 2;
    for (int i = t; i < 20 * 36; i += 512) {
        int r = i / 36, c = i % 36, x = x0 + c, y = y0 + r;
        s[r][c] = x >= 0 && y >= 0 && x < n && y < n ? u[y * n + x] : 0;
    }
    __syncthreads();
    for (int i = t; i < 18 * 34; i += 512) {
        int r = i / 34 + 1, c = i % 34 + 1, x = x0 + c, y = y0 + r;
        if ((x + y) % 2 == 0 && x > 0 && y > 0 && x < n - 1 && y < n - 1)
            s[r][c] = 0.25 * (s[r][c - 1] + s[r][c + 1] + s[r - 1][c] + s[r + 1][c] + f[y * n + x]);
    }
    __syncthreads();
    int c = tx + 2, r = ty + 2, x = x0 + c, y = y0 + r;
    if (x >= n || y >= n)
        return;
    double v = s[r][c];
    if ((x + y) % 2 == 1 && x > 0 && y > 0 && x < n - 1 && y < n - 1)
        v = 0.25 * (s[r][c - 1] + s[r][c + 1] + s[r - 1][c] + s[r + 1][c] + f[y * n + x]);
    out[y * n + x] = v;
}
