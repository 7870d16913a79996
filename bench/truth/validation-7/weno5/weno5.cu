// A step of advection along a ring of cells in f64 with WENO fluxes of fifth order. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

// The flux between c and d.
__device__ double flux(double a, double b, double c, double d, double e)
{
    double p = a - 2.0 * b + c, q = a - 4.0 * b + 3.0 * c;
    double b0 = 13.0 / 12.0 * p * p + 0.25 * q * q;
    p = b - 2.0 * c + d;
    q = b - d;
    double b1 = 13.0 / 12.0 * p * p + 0.25 * q * q;
    p = c - 2.0 * d + e;
    q = 3.0 * c - 4.0 * d + e;
    double b2 = 13.0 / 12.0 * p * p + 0.25 * q * q;
    double a0 = 0.1 / ((1e-6 + b0) * (1e-6 + b0));
    double a1 = 0.6 / ((1e-6 + b1) * (1e-6 + b1));
    double a2 = 0.3 / ((1e-6 + b2) * (1e-6 + b2));
    double sum = a0 * (2.0 * a - 7.0 * b + 11.0 * c) + a1 * (5.0 * c - b + 2.0 * d) + a2 * (2.0 * c + 5.0 * d - e);
    return sum / (6.0 * (a0 + a1 + a2));
}

__device__ int around(int i, int n)
{
    return i < 0 ? i + n : i >= n ? i - n : i;
}

extern "C" __global__ void weno5_both(double *out, const double *u, double c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double v[6];
    for (int k = 0; k < 6; k++)
        v[k] = u[(i + k - 3 + n) % n];
    double left = flux(v[0], v[1], v[2], v[3], v[4]), right = flux(v[1], v[2], v[3], v[4], v[5]);
    out[i] = u[i] - c * (right - left);
}

// A block has 255 cells and 256 fluxes, each computed once.
extern "C" __global__ void weno5_shared(double *out, const double *u, double c, int n)
{
    __shared__ double s[260], f[256];
    int t = threadIdx.x, first = blockIdx.x * 255;
    for (int i = t; i < 260; i += 256)
        if (first + i - 3 < n + 3)
            s[i] = u[around(first + i - 3, n)];
    __syncthreads();
    if (first + t <= n)
        f[t] = flux(s[t], s[t + 1], s[t + 2], s[t + 3], s[t + 4]);
    __syncthreads();
    int i = first + t;
    if (t < 255 && i < n)
        out[i] = s[t + 3] - c * (f[t + 1] - f[t]);
}

// Eight cells a thread: five numbers and the last flux in registers. The block's cells go through shared memory.
extern "C" __global__ void __launch_bounds__(128) weno5_run(double *__restrict__ out, const double *__restrict__ u, double c,
                                                            int n)
{
    __shared__ double s[1029 + 129];
    int t = threadIdx.x, first = blockIdx.x * 1024;
    for (int i = t; i < 1029; i += 128)
        if (first + i < n + 5)
            s[i + i / 8] = u[around(first + i - 3, n)];
    __syncthreads();
    int i = first + 8 * t;
    double own[8];
    if (i < n) {
        double v0 = s[9 * t], v1 = s[9 * t + 1], v2 = s[9 * t + 2], v3 = s[9 * t + 3], v4 = s[9 * t + 4];
        double left = flux(v0, v1, v2, v3, v4);
#pragma unroll
        for (int k = 0; k < 8; k++) {
            v0 = v1;
            v1 = v2;
            v2 = v3;
            v3 = v4;
            if (i + k < n)
                v4 = s[8 * t + k + 5 + (8 * t + k + 5) / 8];
            double right = flux(v0, v1, v2, v3, v4);
            own[k] = v2 - c * (right - left);
            left = right;
        }
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 8; k++)
        if (i + k < n)
            s[9 * t + k] = own[k];
    __syncthreads();
    for (int k = t; k < 1024; k += 128)
        if (first + k < n)
            out[first + k] = s[k + k / 8];
}
