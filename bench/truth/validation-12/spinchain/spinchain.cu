// Heisenberg's chain: neighbours that are alike give a quarter of the bond's number, others take a quarter and half of what the state has where both are turned. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void spinchain_number(double *y, const double *x, const double *j, int sites)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= 1 << sites)
        return;
    double sum = 0.0;
    for (int i = 0; i < sites - 1; i++) {
        int low = s >> i & 1, high = s >> (i + 1) & 1;
        if (low == high)
            sum += j[i] * 0.25 * x[s];
        else
            sum += j[i] * (0.5 * x[s ^ (3 << i)] - 0.25 * x[s]);
    }
    y[s] = sum;
}

// Bonds among the lowest ten spins turn within a block's 1024 numbers.
extern "C" __global__ void __launch_bounds__(256) spinchain_shared(double *__restrict__ y, const double *__restrict__ x, const double *__restrict__ j, int sites)
{
    __shared__ double part[1024], bonds[32];
    int t = threadIdx.x, base = blockIdx.x * 1024;
    if (t < 32)
        bonds[t] = t < sites - 1 ? j[t] : 0.0;
#pragma unroll
    for (int k = 0; k < 1024; k += 256)
        part[k + t] = x[base + k + t];
    __syncthreads();
    for (int k = 0; k < 1024; k += 256) {
        int s = base + k + t, differ = s ^ s >> 1;
        double own = 0.25 * part[k + t], sum = 0.0;
#pragma unroll
        for (int i = 0; i < 9; i++)
            sum += bonds[i] * (differ >> i & 1 ? 0.5 * part[(k + t) ^ (3 << i)] - own : own);
        for (int i = 9; i < sites - 1; i++)
            sum += bonds[i] * (differ >> i & 1 ? 0.5 * x[s ^ (3 << i)] - own : own);
        y[s] = sum;
    }
}
