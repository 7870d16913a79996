// Likelihoods of a series of 700 returns by GARCH(1,1) for many parameters. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void garch_plain(double *out, const double *r, const double *omega, const double *alpha, const double *beta, int n, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double h = omega[i] / (1.0 - alpha[i] - beta[i]), sum = 0.0;
    for (int t = 0; t < steps; t++) {
        sum += log(h) + r[t] * r[t] / h;
        h = omega[i] + alpha[i] * r[t] * r[t] + beta[i] * h;
    }
    out[i] = -0.5 * sum;
}

// Logarithms of products of seven variances.
extern "C" __global__ void __launch_bounds__(64) garch_shared(double *__restrict__ out, const double *__restrict__ r, const double *__restrict__ omega,
                                                              const double *__restrict__ alpha, const double *__restrict__ beta, int n)
{
    __shared__ double squares[700];
    int i = blockIdx.x * 64 + threadIdx.x;
    for (int t = threadIdx.x; t < 700; t += 64)
        squares[t] = r[t] * r[t];
    __syncthreads();
    if (i >= n)
        return;
    double o = omega[i], a = alpha[i], b = beta[i], h = o / (1.0 - a - b), sum = 0.0;
    for (int t = 0; t < 700; t += 7) {
        double product = 1.0;
#pragma unroll
        for (int k = 0; k < 7; k++) {
            product *= h;
            sum += squares[t + k] / h;
            h = fma(b, h, fma(a, squares[t + k], o));
        }
        sum += log(product);
    }
    out[i] = -0.5 * sum;
}

extern "C" __global__ void __launch_bounds__(64) garch_single(double *__restrict__ out, const double *__restrict__ r, const double *__restrict__ omega,
                                                              const double *__restrict__ alpha, const double *__restrict__ beta, int n)
{
    __shared__ float4 squares[175];
    int i = blockIdx.x * 64 + threadIdx.x;
    for (int t = threadIdx.x; t < 700; t += 64)
        ((float *)squares)[t] = (float)(r[t] * r[t]);
    __syncthreads();
    if (i >= n)
        return;
    float o = omega[i], a = alpha[i], b = beta[i], h = o / (1.0f - a - b), logs = 0.0f, sum = 0.0f;
    for (int t = 0; t < 175; t++) {
        float4 s = squares[t];
        float h0 = h, h1 = o + a * s.x + b * h0, h2 = o + a * s.y + b * h1, h3 = o + a * s.z + b * h2;
        logs += __log2f(h0 * h1 * h2 * h3);
        sum += __fdividef(s.x, h0) + __fdividef(s.y, h1) + __fdividef(s.z, h2) + __fdividef(s.w, h3);
        h = o + a * s.w + b * h3;
    }
    out[i] = -0.5 * (logs * 0.69314718f + sum);
}
