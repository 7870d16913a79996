// Many tridiagonal systems of 128 unknowns in doubles. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
constexpr int N = 128;

// A thread a system, each in a row.
extern "C" __global__ void thomas_rows(double *x, double *work, const double *a, const double *b, const double *c, const double *d, int systems)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= systems)
        return;
    int base = s * N;
    double upper = c[base] / b[base], right = d[base] / b[base];
    work[base] = upper;
    x[base] = right;
    for (int i = base + 1; i < base + N; i++) {
        double pivot = 1.0 / (b[i] - a[i] * upper);
        upper = c[i] * pivot;
        right = (d[i] - a[i] * right) * pivot;
        work[i] = upper;
        x[i] = right;
    }
    for (int i = base + N - 2; i >= base; i--) {
        right = x[i] - work[i] * right;
        x[i] = right;
    }
}

__device__ void turn(double *out, const double *in, int rows, int cols, int row0, int col0)
{
    __shared__ double s[32][33];
    for (int i = threadIdx.y; i < 32; i += 8)
        if (row0 + i < rows && col0 + threadIdx.x < cols)
            s[i][threadIdx.x] = in[(row0 + i) * cols + col0 + threadIdx.x];
    __syncthreads();
    for (int i = threadIdx.y; i < 32; i += 8)
        if (col0 + i < cols && row0 + threadIdx.x < rows)
            out[(col0 + i) * rows + row0 + threadIdx.x] = s[threadIdx.x][i];
}

extern "C" __global__ void thomas_turn(double *out, const double *in, int systems)
{
    turn(out, in, systems, N, blockIdx.y * 32, blockIdx.x * 32);
}

extern "C" __global__ void thomas_back(double *out, const double *in, int systems)
{
    turn(out, in, N, systems, blockIdx.x * 32, blockIdx.y * 32);
}

// Unknown by unknown, systems side by side; the second half of work keeps the upper diagonal.
extern "C" __global__ void thomas_columns(double *work, const double *a, const double *b, const double *c, const double *d, int systems)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= systems)
        return;
    a += s;
    b += s;
    c += s;
    d += s;
    double *x = work + s, *uppers = x + N * systems;
    double upper = c[0] / b[0], right = d[0] / b[0];
    uppers[0] = upper;
    x[0] = right;
    for (int i = 1; i < N; i++) {
        int at = i * systems;
        double pivot = 1.0 / (b[at] - a[at] * upper);
        upper = c[at] * pivot;
        right = (d[at] - a[at] * right) * pivot;
        uppers[at] = upper;
        x[at] = right;
    }
    for (int i = N - 2; i >= 0; i--) {
        right = x[i * systems] - uppers[i * systems] * right;
        x[i * systems] = right;
    }
}

// Parallel cyclic reduction: a block a system, a thread an equation.
extern "C" __global__ void thomas_cyclic(double *x, const double *a, const double *b, const double *c, const double *d)
{
    __shared__ double as[N], bs[N], cs[N], ds[N];
    int i = threadIdx.x, at = blockIdx.x * N + i;
    double lower = i > 0 ? a[at] : 0.0, diagonal = b[at], upper = i < N - 1 ? c[at] : 0.0, right = d[at];
    for (int step = 1; step < N; step *= 2) {
        as[i] = lower;
        bs[i] = diagonal;
        cs[i] = upper;
        ds[i] = right;
        __syncthreads();
        double low = 0.0, high = 0.0;
        if (i >= step) {
            double m = lower / bs[i - step];
            low = -m * as[i - step];
            diagonal -= m * cs[i - step];
            right -= m * ds[i - step];
        }
        if (i + step < N) {
            double m = upper / bs[i + step];
            high = -m * cs[i + step];
            diagonal -= m * as[i + step];
            right -= m * ds[i + step];
        }
        lower = low;
        upper = high;
        __syncthreads();
    }
    x[at] = right / diagonal;
}
