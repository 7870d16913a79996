// Solves x - e sin x = mean for the eccentric anomaly x. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void kepler_newton(double *out, const double *mean, const double *e, int n, double tolerance, int limit)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double m = mean[i], ecc = e[i], x = m + ecc * sin(m);
    for (int k = 0; k < limit; k++) {
        double step = (x - ecc * sin(x) - m) / (1.0 - ecc * cos(x));
        x -= step;
        if (fabs(step) < tolerance)
            break;
    }
    out[i] = x;
}

// Three of Halley's steps from a start of third order in e.
extern "C" __global__ void __launch_bounds__(128) kepler_halley(double *__restrict__ out, const double *__restrict__ mean, const double *__restrict__ e, int n)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i >= n)
        return;
    double m = mean[i], ecc = e[i], s, c;
    sincos(m, &s, &c);
    double x = m + ecc * s * (1.0 + ecc * (c + ecc * (1.0 - 1.5 * s * s)));
#pragma unroll
    for (int k = 0; k < 3; k++) {
        sincos(x, &s, &c);
        double f = x - ecc * s - m, d = 1.0 - ecc * c;
        x -= 2.0 * f * d / (2.0 * d * d - f * ecc * s);
    }
    out[i] = x;
}

// Five of Newton's steps in f32, then one in f64.
extern "C" __global__ void __launch_bounds__(128) kepler_mixed(double *__restrict__ out, const double *__restrict__ mean, const double *__restrict__ e, int n)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i >= n)
        return;
    double m = mean[i], ecc = e[i], s, c;
    float mf = (float)m, ef = (float)ecc, x = mf + ef * __sinf(mf);
#pragma unroll
    for (int k = 0; k < 5; k++) {
        float sf = sinf(x), cf = cosf(x);
        x -= __fdividef(x - ef * sf - mf, 1.0f - ef * cf);
    }
    double y = x;
    sincos(y, &s, &c);
    out[i] = y - (y - ecc * s - m) / (1.0 - ecc * c);
}
