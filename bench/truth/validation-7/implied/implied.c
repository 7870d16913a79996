// Volatilities from prices, for the seventh validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

static double value(double strike, double time, double sigma)
{
    double wide = sigma * sqrt(time), d = log(100 / strike) / wide + 0.5 * wide;
    return 50 * erfc(-d * M_SQRT1_2) - 0.5 * strike * erfc((wide - d) * M_SQRT1_2);
}

// Halving first: the price rises with the volatility; Newton's steps for the last digits.
void implied_ref(double *out, const double *price, const double *strike, const double *time, int n)
{
    for (int i = 0; i < n; i++) {
        double low = 0.01, high = 4;
        for (int step = 0; step < 8; step++) {
            double middle = 0.5 * (low + high);
            if (value(strike[i], time[i], middle) < price[i])
                low = middle;
            else
                high = middle;
        }
        double sigma = 0.5 * (low + high);
        for (int step = 0; step < 4; step++) {
            double wide = sigma * sqrt(time[i]), d = log(100 / strike[i]) / wide + 0.5 * wide;
            double slope = 100 * sqrt(time[i]) * exp(-0.5 * d * d) / sqrt(2 * M_PI);
            sigma -= (value(strike[i], time[i], sigma) - price[i]) / slope;
        }
        out[i] = sigma;
    }
}
