// The volatility that gives an option its price, by Newton's steps in f64; no interest. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

extern "C" __global__ void implied_until(double *out, const double *price, const double *strike, const double *time, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double sigma = 0.5;
    for (int step = 0; step < 50; step++) {
        double wide = sigma * sqrt(time[i]);
        double d = log(100.0 / strike[i]) / wide + 0.5 * wide;
        double value = 100.0 * normcdf(d) - strike[i] * normcdf(d - wide);
        double slope = 100.0 * sqrt(time[i]) * exp(-0.5 * d * d) * 0.3989422804014327;
        double change = (value - price[i]) / slope;
        sigma -= change;
        if (fabs(change) < 1e-11)
            break;
    }
    out[i] = sigma;
}

// One step; root: of the time; moneyness: the logarithm of share over strike.
__device__ double stepped(double sigma, double price, double strike, double root, double moneyness)
{
    double wide = sigma * root, d = moneyness / wide + 0.5 * wide;
    double value = 50.0 * erfc(-0.7071067811865476 * d) - 0.5 * strike * erfc(0.7071067811865476 * (wide - d));
    double slope = 39.89422804014327 * root * exp(-0.5 * d * d);
    return sigma - (value - price) / slope;
}

extern "C" __global__ void implied_fixed(double *__restrict__ out, const double *__restrict__ price,
                                         const double *__restrict__ strike, const double *__restrict__ time, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double p = price[i], k = strike[i], root = sqrt(time[i]), moneyness = log(100.0 / k), sigma = 0.5;
    for (int step = 0; step < 6; step++)
        sigma = stepped(sigma, p, k, root, moneyness);
    out[i] = sigma;
}

extern "C" __global__ void __launch_bounds__(128) implied_two(double2 *__restrict__ out, const double2 *__restrict__ price,
                                                              const double2 *__restrict__ strike, const double2 *__restrict__ time,
                                                              int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double2 p = price[i], k = strike[i], t = time[i], root = make_double2(sqrt(t.x), sqrt(t.y));
    double2 moneyness = make_double2(log(100.0 / k.x), log(100.0 / k.y)), sigma = make_double2(0.5, 0.5);
#pragma unroll 1
    for (int step = 0; step < 6; step++) {
        sigma.x = stepped(sigma.x, p.x, k.x, root.x, moneyness.x);
        sigma.y = stepped(sigma.y, p.y, k.y, root.y, moneyness.y);
    }
    out[i] = sigma;
}
