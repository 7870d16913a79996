// Two samples held against each other, and several such tests at once.
// SPDX-License-Identifier: Apache-2.0
#include "stats/internal.h"

#include "base/base.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

enum { EXACT_BELOW = 50 }; // samples a side

/* ---- means -------------------------------------------------------------------------------------------- */

static double p_of(double below, double above, enum alternative alternative)
{
    switch (alternative) {
    case TEST_TWO_SIDED:
        return fmin(1, 2 * fmin(below, above));
    case TEST_LESS:
        return below;
    case TEST_GREATER:
        return above;
    }
    return 1;
}

struct test stats_welch(const double *x, size_t nx, const double *y, size_t ny,
                        enum alternative alternative)
{
    assert(nx >= 2 && ny >= 2);
    struct summary a = stats_summary(x, nx), b = stats_summary(y, ny);
    double va = a.stddev * a.stddev / (double)nx, vb = b.stddev * b.stddev / (double)ny;
    double df = (va + vb) * (va + vb) /
                (va * va / ((double)nx - 1) + vb * vb / ((double)ny - 1)); // Welch 1947
    struct test t = {.statistic = (a.mean - b.mean) / sqrt(va + vb), .df = df};
    if (!(va + vb > 0))
        return (struct test){.statistic = 0, .df = (double)NAN, .p = a.mean == b.mean ? 1 : 0};
    t.p = p_of(student_cdf(t.statistic, df), student_cdf(-t.statistic, df), alternative);
    return t;
}

/* ---- ranks ---------------------------------------------------------------------------------------------- */

// P(U = u) of m and n samples, for all m' <= m: the largest sample is an x or a y, so
// p(m,n,u) = m/(m+n) p(m-1,n,u-n) + n/(m+n) p(m,n-1,u). Only sums of what is positive: no digits are lost.
static double *rank_sum_distribution(size_t m, size_t n)
{
    size_t width = m * n + 1;
    double *p = xcalloc((n + 1) * width, sizeof *p); // of u, for each count of y
    for (size_t k = 0; k <= n; k++)
        p[k * width] = 1; // no x at all
    for (size_t i = 1; i <= m; i++)
        for (size_t k = 1; k <= n; k++) { // without y it stays as it is
            double *one = p + k * width, all = (double)(i + k);
            const double *fewer = one - width;
            for (size_t u = i * k + 1; u-- > 0;) { // downward: one[u - k] is still that of i - 1
                double x_last = u >= k ? one[u - k] : 0;
                one[u] = ((double)i * x_last + (double)k * fewer[u]) / all;
            }
        }
    double *out = xcalloc(width, sizeof *out);
    for (size_t u = 0; u < width; u++)
        out[u] = p[n * width + u];
    free(p);
    return out;
}

static double exact_p(double u, size_t nx, size_t ny, enum alternative alternative)
{
    double *p = rank_sum_distribution(nx, ny), below = 0, above = 0;
    for (size_t i = 0; i <= nx * ny; i++) {
        below += (double)i <= u ? p[i] : 0;
        above += (double)i >= u ? p[i] : 0;
    }
    free(p);
    return p_of(below, above, alternative);
}

static double normal_p(double u, double nx, double ny, double ties, enum alternative alternative)
{
    double n = nx + ny, half = 0.5; // correction for continuity
    double sigma = sqrt(nx * ny / 12 * (n + 1 - ties / (n * (n - 1))));
    double far = u - nx * ny / 2;
    if (!(sigma > 0))
        return 1;
    return p_of(normal_cdf((far + half) / sigma), normal_cdf(-(far - half) / sigma), alternative);
}

// Sum over groups of equal values of t^3 - t, in both samples together.
static double ties_of(const double *x, size_t nx, const double *y, size_t ny)
{
    double *all = xcalloc(nx + ny, sizeof *all), ties = 0;
    for (size_t i = 0; i < nx; i++)
        all[i] = x[i];
    for (size_t i = 0; i < ny; i++)
        all[nx + i] = y[i];
    doubles_sort(all, nx + ny);
    for (size_t i = 0, end; i < nx + ny; i = end) {
        for (end = i + 1; end < nx + ny && all[end] == all[i];)
            end++;
        double t = (double)(end - i);
        ties += t * t * t - t;
    }
    free(all);
    return ties;
}

struct test stats_mann_whitney(const double *x, size_t nx, const double *y, size_t ny,
                               enum alternative alternative)
{
    assert(nx >= 1 && ny >= 1);
    double *sorted = doubles_sorted(y, ny), u = 0, ties = ties_of(x, nx, y, ny);
    for (size_t i = 0; i < nx; i++) {
        size_t low = 0, high = ny, end;
        while (low < high) { // the first y that is not below x
            size_t middle = (low + high) / 2;
            if (sorted[middle] < x[i])
                low = middle + 1;
            else
                high = middle;
        }
        for (end = low; end < ny && sorted[end] == x[i];)
            end++;
        u += (double)low + 0.5 * (double)(end - low);
    }
    free(sorted);
    bool exact = nx < EXACT_BELOW && ny < EXACT_BELOW && !(ties > 0);
    return (struct test){.statistic = u,
                         .df = (double)NAN,
                         .p = exact ? exact_p(u, nx, ny, alternative)
                                    : normal_p(u, (double)nx, (double)ny, ties, alternative)};
}

double stats_hodges_lehmann(const double *x, size_t nx, const double *y, size_t ny)
{
    double *differences = xcalloc(nx * ny, sizeof *differences);
    for (size_t i = 0; i < nx; i++)
        for (size_t k = 0; k < ny; k++)
            differences[i * ny + k] = x[i] - y[k];
    doubles_sort(differences, nx * ny);
    double shift = sorted_median(differences, nx * ny);
    free(differences);
    return shift;
}

/* ---- several tests ------------------------------------------------------------------------------------------ */

void stats_holm(double *p, size_t count)
{
    double *given = doubles_sorted(p, count), *adjusted = xcalloc(count + 1, sizeof *adjusted);
    for (size_t i = 0; i < count; i++)
        adjusted[i] = fmax(i > 0 ? adjusted[i - 1] : 0, fmin(1, given[i] * (double)(count - i)));
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < count; k++)
            if (given[k] == p[i]) { // equal ones share the first's
                p[i] = adjusted[k];
                break;
            }
    free(given);
    free(adjusted);
}
