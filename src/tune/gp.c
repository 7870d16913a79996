// The Gaussian process: covariance, its Cholesky factor, the choice of lengths.
// SPDX-License-Identifier: Apache-2.0
#include "tune/gp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { AXES_MOST = 256 };

// In units of an axis' whole length: from "each value for itself" to "the axis hardly matters".
static const double lengths[] = {0.1, 0.2, 0.4, 0.8, 1.6, 3.2};
static const double noises[] = {1e-4, 1e-2}; // variance, of 1 in all
static const double length_default = 0.4;

struct gp {
    const struct search_space *space;
    double length[AXES_MOST];
    double noise;
    int points[GP_POINTS_MAX], count;
    double values[GP_POINTS_MAX]; // standardised
    double mean, deviation;
    double factor[GP_POINTS_MAX * GP_POINTS_MAX]; // lower, of the covariance
    double weights[GP_POINTS_MAX];                // covariance^-1 values
};

struct gp *gp_open(const struct search_space *s)
{
    struct gp *g = xcalloc(1, sizeof *g);
    g->space = s;
    g->noise = noises[0];
    for (int i = 0; i < s->axis_count; i++)
        g->length[i] = length_default;
    return g;
}

void gp_close(struct gp *g)
{
    free(g);
}

// Numbers lie evenly on their axis; words are all as far from each other.
static double distance(const struct axis *x, int a, int b)
{
    if (!x->ordered)
        return a != b;
    return x->value_count > 1 ? fabs((double)(a - b)) / (x->value_count - 1) : 0;
}

double gp_similarity(const struct gp *g, int a, int b)
{
    const uint16_t *x = search_space_point(g->space, a), *y = search_space_point(g->space, b);
    double sum = 0;
    for (int i = 0; i < g->space->axis_count; i++) {
        double d = distance(&g->space->axes[i], x[i], y[i]) / g->length[i];
        sum += d * d;
    }
    double r = sqrt(5 * sum);
    return (1 + r + r * r / 3) * exp(-r);
}

// False: not positive definite, in doubles.
static bool factorise(struct gp *g)
{
    int n = g->count;
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double *row = &g->factor[i * n], *other = &g->factor[j * n];
            double sum = i == j ? 1 + g->noise : gp_similarity(g, g->points[i], g->points[j]);
            for (int k = 0; k < j; k++)
                sum -= row[k] * other[k];
            if (i == j && !(sum > 0))
                return false;
            row[j] = i == j ? sqrt(sum) : sum / other[j];
        }
    return true;
}

// factor x = b, in place.
static void solve_lower(const struct gp *g, double *b)
{
    int n = g->count;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++)
            b[i] -= g->factor[i * n + k] * b[k];
        b[i] /= g->factor[i * n + i];
    }
}

// Logarithm of the marginal likelihood, without its constant; -INFINITY where there is none. Leaves the weights.
static double likelihood(struct gp *g)
{
    int n = g->count;
    double fit = 0, volume = 0;
    if (!factorise(g))
        return -(double)INFINITY;
    memcpy(g->weights, g->values, sizeof *g->values * (size_t)n);
    solve_lower(g, g->weights);
    for (int i = 0; i < n; i++) {
        fit += g->weights[i] * g->weights[i];
        volume += log(g->factor[i * n + i]);
    }
    for (int i = n - 1; i >= 0; i--) { // the transposed factor
        for (int k = i + 1; k < n; k++)
            g->weights[i] -= g->factor[k * n + i] * g->weights[k];
        g->weights[i] /= g->factor[i * n + i];
    }
    return -fit / 2 - volume;
}

// One figure after the other to the best of its grid, the others as they are.
static double choose(struct gp *g, double *figure, const double *grid, size_t count, double best)
{
    double kept = *figure;
    for (size_t i = 0; i < count; i++) {
        *figure = grid[i];
        double now = likelihood(g);
        if (now > best) {
            best = now;
            kept = grid[i];
        }
    }
    *figure = kept;
    return best;
}

static void choose_lengths(struct gp *g)
{
    enum { ROUNDS = 2 };
    double best = likelihood(g);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < g->space->axis_count; i++)
            if (g->space->axes[i].value_count > 1)
                best = choose(g, &g->length[i], lengths, COUNT_OF(lengths), best);
        best = choose(g, &g->noise, noises, COUNT_OF(noises), best);
    }
}

void gp_fit(struct gp *g, const int *points, const double *values, int count, bool anew)
{
    double sum = 0, squares = 0;
    g->count = count;
    memcpy(g->points, points, sizeof *points * (size_t)count);
    for (int i = 0; i < count; i++)
        sum += values[i];
    g->mean = sum / count;
    for (int i = 0; i < count; i++)
        squares += (values[i] - g->mean) * (values[i] - g->mean);
    g->deviation = squares > 0 ? sqrt(squares / count) : 1;
    for (int i = 0; i < count; i++)
        g->values[i] = (values[i] - g->mean) / g->deviation;
    if (anew)
        choose_lengths(g);
    while (!isfinite(likelihood(g)))
        g->noise *= 10;
}

void gp_predict(const struct gp *g, int point, double *mean, double *deviation)
{
    double to[GP_POINTS_MAX], expected = 0, known = 0;
    for (int i = 0; i < g->count; i++) {
        to[i] = gp_similarity(g, g->points[i], point);
        expected += to[i] * g->weights[i];
    }
    solve_lower(g, to);
    for (int i = 0; i < g->count; i++)
        known += to[i] * to[i];
    *mean = g->mean + g->deviation * expected;
    *deviation = g->deviation * sqrt(fmax(0, 1 - known));
}
