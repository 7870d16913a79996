// Two sweeps of Jacobi's method for Poisson's equation in f64 on an image; the border is fixed. Nothing is tuned on these
// kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

// A thread per point; the border is copied.
extern "C" __global__ void jacobi_plain(double *out, const double *in, const double *f, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n)
        return;
    int i = y * n + x;
    if (x == 0 || y == 0 || x == n - 1 || y == n - 1)
        out[i] = in[i];
    else
        out[i] = 0.25 * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n] - f[i]);
}

// Tiles of 16 x 16 with a rim in shared memory.
extern "C" __global__ void jacobi_tile(double *out, const double *in, const double *f, int n)
{
    __shared__ double s[18][18];
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1, x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y, i = y * n + x;
    bool inside = x < n && y < n;
    if (inside) {
        s[ty][tx] = in[i];
        if (tx == 1 && x > 0)
            s[ty][0] = in[i - 1];
        if (tx == 16 && x < n - 1)
            s[ty][17] = in[i + 1];
        if (ty == 1 && y > 0)
            s[0][tx] = in[i - n];
        if (ty == 16 && y < n - 1)
            s[17][tx] = in[i + n];
    }
    __syncthreads();
    if (!inside)
        return;
    if (x == 0 || y == 0 || x == n - 1 || y == n - 1)
        out[i] = s[ty][tx];
    else
        out[i] = 0.25 * (s[ty][tx - 1] + s[ty][tx + 1] + s[ty - 1][tx] + s[ty + 1][tx] - f[i]);
}

// Both sweeps at once: the first one on a tile that is larger by a rim.
extern "C" __global__ void jacobi_twice(double *out, const double *in, const double *f, int n)
{
    __shared__ double a[20][36], b[18][34];
    int tx = threadIdx.x, ty = threadIdx.y, x0 = blockIdx.x * 32, y0 = blockIdx.y * 16, t = ty * 32 + tx;
    for (int i = t; i < 20 * 36; i += 512) {
        int x = min(max(x0 - 2 + i % 36, 0), n - 1), y = min(max(y0 - 2 + i / 36, 0), n - 1);
        a[i / 36][i % 36] = in[y * n + x];
    }
    __syncthreads();
    for (int i = t; i < 18 * 34; i += 512) {
        int bx = i % 34, by = i / 34, x = x0 - 1 + bx, y = y0 - 1 + by;
        double v = a[by + 1][bx + 1];
        if (x > 0 && y > 0 && x < n - 1 && y < n - 1)
            v = 0.25 * (a[by + 1][bx] + a[by + 1][bx + 2] + a[by][bx + 1] + a[by + 2][bx + 1] - f[y * n + x]);
        b[by][bx] = v;
    }
    __syncthreads();
    int x = x0 + tx, y = y0 + ty;
    if (x >= n || y >= n)
        return;
    double v = b[ty + 1][tx + 1];
    if (x > 0 && y > 0 && x < n - 1 && y < n - 1)
        v = 0.25 * (b[ty + 1][tx] + b[ty + 1][tx + 2] + b[ty][tx + 1] + b[ty + 2][tx + 1] - f[y * n + x]);
    out[y * n + x] = v;
}
