// What statistics have to say of two sets of samples, beside the verdict: each side by itself, and tests of one against the
// other. Tests take what does not depend on each other, the medians of blocks (samples_independent).
// SPDX-License-Identifier: Apache-2.0
#include "report/compare.h"

#include "stats/stats.h"

#include <math.h>
#include <string.h>

enum { OBSERVED_MIN = 6 }; // fewer a side are not tested

static const double level = 0.95;
static const double ends[] = {0.05, 0.25, 0.75, 0.95}; // percentiles that are shown
static const char *const end_names[] = {"p5", "p25", "p75", "p95"};

struct side {
    const struct result *result;
    double *observed;
    size_t count;
};

static struct side side_of(struct arena *a, const struct result *r)
{
    struct side s = {.result = r};
    s.observed = ARENA_ARRAY(a, double, r->time.summary.count + 1);
    s.count = samples_independent(&r->time, &r->conditions, s.observed);
    return s;
}

static json_t *number(double x)
{
    return isfinite(x) ? json_real(x) : json_null(); // no test where nothing varies
}

static json_t *interval_json(struct interval i)
{
    return json_pack("[o, o]", number(i.low), number(i.high));
}

static json_t *side_json(struct arena *a, const struct side *s)
{
    const double *x = s->result->time.samples_ns;
    size_t count = s->result->time.summary.count;
    bool *marked = ARENA_ARRAY(a, bool, count + 1);
    json_t *j =
        json_pack("{s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:I}", "samples", (json_int_t)count,
                  "observed", (json_int_t)s->count, "mean_ns", number(s->result->time.summary.mean),
                  "stddev_ns", number(s->result->time.summary.stddev), "median_ns",
                  number(s->result->time.summary.median), "mad_ns", number(stats_mad(x, count)),
                  "effective_samples", number(stats_effective_count(x, count)), "outliers",
                  (json_int_t)stats_outliers(x, count, marked));
    for (size_t i = 0; i < COUNT_OF(ends); i++)
        json_object_set_new(j, end_names[i], number(stats_quantile(x, count, ends[i])));
    json_object_set_new(j, "mean_interval_ns",
                        interval_json(stats_mean_interval(s->observed, s->count, level)));
    json_object_set_new(
        j, "median_interval_ns",
        interval_json(stats_bca_interval(s->observed, s->count, statistic_median, level)));
    return j;
}

static bool has_statistics(struct arena *a, const struct run_pair *p, struct side *x,
                           struct side *y)
{
    if (p->unjudged || p->before->time.provenance != PROVENANCE_MEASURED ||
        !p->before->time.samples_ns || !p->after->time.samples_ns)
        return false;
    *x = side_of(a, p->before);
    *y = side_of(a, p->after);
    return x->count >= OBSERVED_MIN && y->count >= OBSERVED_MIN;
}

json_t *pair_statistics_json(const struct run_pair *p)
{
    struct arena a = {0};
    struct side x = {0}, y = {0};
    json_t *j = NULL;
    if (has_statistics(&a, p, &x, &y))
        j = json_pack(
            "{s:o, s:o, s:o, s:o, s:o}", "welch_p",
            number(stats_welch(y.observed, y.count, x.observed, x.count, TEST_TWO_SIDED).p),
            "mann_whitney_p",
            number(stats_mann_whitney(y.observed, y.count, x.observed, x.count, TEST_TWO_SIDED).p),
            "shift_ns", number(stats_hodges_lehmann(y.observed, y.count, x.observed, x.count)),
            "before", side_json(&a, &x), "after", side_json(&a, &y));
    arena_release(&a);
    return j ? j : json_null();
}

static void add_side(struct arena *a, const char *name, const struct side *s, struct text *out)
{
    char cell[5][CELL_SIZE];
    const struct summary *m = &s->result->time.summary;
    const double *x = s->result->time.samples_ns;
    bool *marked = ARENA_ARRAY(a, bool, m->count + 1);
    struct interval mean = stats_mean_interval(s->observed, s->count, level);
    struct interval median = stats_bca_interval(s->observed, s->count, statistic_median, level);
    text_printf(out, "  %-7s mean %s +- %s (95 %%: %s to %s), MAD %s", name,
                show_time(m->mean, cell[0]), show_time(m->stddev, cell[1]),
                show_time(mean.low, cell[2]), show_time(mean.high, cell[3]),
                show_time(stats_mad(x, m->count), cell[4]));
    text_printf(out,
                "; median 95 %% %s to %s (BCa); %zu samples in %zu blocks, worth %.0f independent "
                "ones; %zu outliers\n",
                show_time(median.low, cell[0]), show_time(median.high, cell[1]), m->count, s->count,
                stats_effective_count(x, m->count), stats_outliers(x, m->count, marked));
}

void add_pair_statistics(const struct run_pair *p, struct text *out)
{
    struct arena a = {0};
    char shift[CELL_SIZE];
    struct side x = {0}, y = {0};
    if (has_statistics(&a, p, &x, &y)) {
        double by_ns = stats_hodges_lehmann(y.observed, y.count, x.observed, x.count);
        add_side(&a, "before", &x, out);
        add_side(&a, "after", &y, out);
        text_printf(out,
                    "  of the blocks' medians: shift %s%s (Hodges and Lehmann), p = %.2g (Mann and "
                    "Whitney), %.2g (Welch)\n",
                    by_ns < 0 ? "-" : "+", show_time(fabs(by_ns), shift),
                    stats_mann_whitney(y.observed, y.count, x.observed, x.count, TEST_TWO_SIDED).p,
                    stats_welch(y.observed, y.count, x.observed, x.count, TEST_TWO_SIDED).p);
    }
    arena_release(&a);
}
