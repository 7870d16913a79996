// Steps of conjugate gradients for a grid's five points in f64. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

__device__ void add_block(double *to, double v)
{
    __shared__ double s[256];
    int t = threadIdx.y * blockDim.x + threadIdx.x;
    s[t] = v;
    __syncthreads();
    for (int d = 128; d > 0; d >>= 1) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0)
        atomicAdd(to, s[0]);
}

extern "C" __global__ void cgstep_begin(double *x, double *r, double *p, const double *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        x[i] = 0.0;
        r[i] = b[i];
        p[i] = b[i];
    }
}

extern "C" __global__ void cgstep_dot(double *s, int slot, const double *a, const double *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    add_block(&s[slot], i < n ? a[i] * b[i] : 0.0);
}

extern "C" __global__ void cgstep_apply(double *q, const double *p, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n)
        return;
    int i = y * n + x;
    double v = 4.0 * p[i];
    if (x > 0)
        v -= p[i - 1];
    if (x < n - 1)
        v -= p[i + 1];
    if (y > 0)
        v -= p[i - n];
    if (y < n - 1)
        v -= p[i + n];
    q[i] = v;
}

extern "C" __global__ void cgstep_axpy(double *x, const double *p, const double *s, int slot, int sign, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] += sign * s[slot] / s[slot + 1] * p[i];
}

extern "C" __global__ void cgstep_turn(double *p, const double *r, const double *s, int slot, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] = r[i] + s[slot + 2] / s[slot] * p[i];
}

extern "C" __global__ void cgstep_start(double *__restrict__ x, double *__restrict__ r, double *s, const double *__restrict__ b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double v = 0.0;
    if (i < n) {
        v = b[i];
        x[i] = 0.0;
        r[i] = v;
    }
    add_block(s, v * v);
}

__device__ double direction(const double *r, const double *old, double beta, int slot, int i)
{
    return slot == 0 ? r[i] : r[i] + beta * old[i];
}

// The new direction at a point and its neighbours, the operator and p A p.
extern "C" __global__ void cgstep_along(double *q, double *p, const double *old, const double *r, double *s, int slot, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, i = y * n + x;
    double own = 0.0, v = 0.0;
    if (x < n && y < n) {
        double beta = slot == 0 ? 0.0 : s[slot] / s[slot - 2];
        own = direction(r, old, beta, slot, i);
        v = 4.0 * own;
        if (x > 0)
            v -= direction(r, old, beta, slot, i - 1);
        if (x < n - 1)
            v -= direction(r, old, beta, slot, i + 1);
        if (y > 0)
            v -= direction(r, old, beta, slot, i - n);
        if (y < n - 1)
            v -= direction(r, old, beta, slot, i + n);
        p[i] = own;
        q[i] = v;
    }
    add_block(&s[slot + 1], own * v);
}

extern "C" __global__ void cgstep_update(double *__restrict__ x, double *__restrict__ r, const double *__restrict__ p,
                                         const double *__restrict__ q, double *s, int slot, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double v = 0.0;
    if (i < n) {
        double alpha = s[slot] / s[slot + 1];
        x[i] += alpha * p[i];
        v = r[i] - alpha * q[i];
        r[i] = v;
    }
    add_block(&s[slot + 2], v * v);
}
