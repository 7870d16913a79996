// The normal and Student's distribution. The latter by the incomplete beta function's continued fraction
// (DLMF 8.17.22), evaluated by Lentz's method; quantiles by bisection, which needs no derivative.
// SPDX-License-Identifier: Apache-2.0
#include "stats/stats.h"

#include <assert.h>
#include <math.h>

static const double tiny = 1e-300, precise = 1e-16;

double normal_cdf(double z)
{
    return 0.5 * erfc(-z / sqrt(2.0));
}

// The d-th coefficient of the fraction (DLMF 8.17.23).
static double beta_coefficient(int n, double x, double a, double b)
{
    int m = n / 2;
    if (n % 2 == 0)
        return m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    return -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
}

static double beta_fraction(double x, double a, double b)
{
    enum { STEPS_MAX = 10000 };
    double c = 1, d = 0, f = 1;
    for (int n = 1; n < STEPS_MAX; n++) {
        double k = beta_coefficient(n, x, a, b);
        d = 1 + k * d;
        c = 1 + k / c;
        d = 1 / (fabs(d) < tiny ? tiny : d);
        c = fabs(c) < tiny ? tiny : c;
        f *= c * d;
        if (fabs(c * d - 1) < precise)
            break;
    }
    return f;
}

// Regularised: 0 at x = 0, 1 at x = 1.
static double incomplete_beta(double x, double a, double b)
{
    if (x <= 0 || x >= 1)
        return x <= 0 ? 0 : 1;
    double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    return x < (a + 1) / (a + b + 2) ? front / (a * beta_fraction(x, a, b))
                                     : 1 - front / (b * beta_fraction(1 - x, b, a));
}

double student_cdf(double t, double df)
{
    assert(df > 0);
    double tail = 0.5 * incomplete_beta(df / (df + t * t), df / 2, 0.5);
    return t > 0 ? 1 - tail : tail;
}

struct distribution {
    double df; // 0: normal
};

static double cdf(const struct distribution *d, double x)
{
    return d->df > 0 ? student_cdf(x, d->df) : normal_cdf(x);
}

// In the lower tail, where the function keeps its digits.
static double quantile(const struct distribution *d, double p)
{
    assert(p > 0 && p < 1);
    enum { STEPS = 100 };
    if (p > 0.5)
        return -quantile(d, 1 - p);
    double low = -1, high = 0;
    while (cdf(d, low) > p)
        low *= 2;
    for (int i = 0; i < STEPS; i++) {
        double middle = 0.5 * (low + high);
        if (cdf(d, middle) < p)
            low = middle;
        else
            high = middle;
    }
    return 0.5 * (low + high);
}

double normal_quantile(double p)
{
    return quantile(&(struct distribution){0}, p);
}

double student_quantile(double p, double df)
{
    return quantile(&(struct distribution){df}, p);
}

/* ---- binomial ------------------------------------------------------------------------------------- */

static double log_choose(int n, int k)
{
    double sum = 0;
    for (int i = 1; i <= k; i++)
        sum += log((double)(n - k + i) / i);
    return sum;
}

double stats_binomial_tail(int k, int n, double p)
{
    double sum = 0;
    if (k <= 0 || p >= 1)
        return 1;
    for (int i = k; i <= n && p > 0; i++)
        sum += exp(log_choose(n, i) + i * log(p) + (n - i) * log1p(-p));
    return fmin(sum, 1);
}

double stats_binomial_limit(int k, int n, double level)
{
    double low = 0, high = 1;
    enum { HALVINGS = 60 };
    if (k >= n)
        return 1;
    for (int i = 0; i < HALVINGS; i++) {
        double p = 0.5 * (low + high);
        if (1 - stats_binomial_tail(k + 1, n, p) > 1 - level)
            low = p;
        else
            high = p;
    }
    return high;
}
