// Judging a result against its baseline (`from`): the speed-up with its verdict, and each thing
// the hypothesis expected. The rules:
//   time: -50%      held     the change reaches at least 90 % of the expected one (the tolerance)
//                   missed   the right direction, or no change, but less
//                   opposite direction a change in the other direction by more than 1 % (and, for
//                            measured times, beyond the noise)
//   time: +5%       a price: also missed where it is more than a ninth (and more than 1 point) dearer
//   x: 2x           the same, as a change of +100 %
//   x: "<= 4"       held or missed; a single value "4" allows 0.5 % to both sides
//   x: 0%           held when the change stays within 1 %
// unknown where a figure is absent, here or there.
// SPDX-License-Identifier: Apache-2.0
#include "loop/judge.h"

#include <math.h>
#include <string.h>

static const double reached_share = 0.9;
static const double dearer_share = 1 / 0.9; // of an expected price, at most
static const double noise_change = 0.01;
static const double exact_slack = 0.005;
static const double bound_slack = 1e-9;

static bool known(struct figure f)
{
    return f.provenance != PROVENANCE_ABSENT && isfinite(f.value);
}

/* ---- one expectation ---------------------------------------------------------------------------- */

static enum expectation_verdict judge_change(double expected, double actual)
{
    if (fabs(expected) <= bound_slack)
        return fabs(actual) <= noise_change ? EXPECTATION_HELD : EXPECTATION_MISSED;
    double along = expected > 0 ? actual : -actual; // positive = the expected direction
    if (along >= reached_share * fabs(expected) - bound_slack)
        return EXPECTATION_HELD;
    return along < -noise_change ? EXPECTATION_OPPOSITE : EXPECTATION_MISSED;
}

// A gain may be larger than expected, a price may not: time that was to grow, and grew far more.
static bool dearer(const char *what, double expected, double actual)
{
    return strcmp(what, "time") == 0 && expected > bound_slack &&
           actual > fmax(dearer_share * expected, expected + noise_change) + bound_slack;
}

static bool within(double value, double low, double high)
{
    double slack = low == high ? exact_slack : bound_slack;
    double below = isfinite(low) ? low - slack * fabs(low) : low;
    double above = isfinite(high) ? high + slack * fabs(high) : high;
    return value >= below && value <= above;
}

// "-61%", "-8.3%", "-0.42%": two or three digits that matter.
static const char *format_change(struct arena *a, double change)
{
    static const double percent = 100, few = 9.95, little = 0.995; // as they round
    double value = change * percent;
    int digits = fabs(value) >= few ? 0 : fabs(value) >= little ? 1 : 2;
    return arena_printf(a, "%+.*f%%", digits, value);
}

static struct expectation_result judge_against(struct arena *a, const struct expectation_spec *e,
                                               double base, double fresh)
{
    struct expectation_result r = {.what = e->what, .expected = e->text};
    bool factor = e->kind == EXPECT_FACTOR;
    double expected = factor ? e->low - 1 : e->low;
    if (base == 0 && fresh != 0) { // no ratio: any growth is as large as can be
        r.actual = arena_printf(a, "from 0 to %.4g", fresh);
        r.verdict = judge_change(expected, fresh > 0 ? (double)INFINITY : -(double)INFINITY);
        return r;
    }
    double ratio = base == fresh ? 1 : fresh / base;
    r.actual = factor ? arena_printf(a, "%.3gx", ratio) : format_change(a, ratio - 1);
    r.verdict = dearer(e->what, expected, ratio - 1) ? EXPECTATION_MISSED
                                                     : judge_change(expected, ratio - 1);
    return r;
}

struct expectation_result judge_expectation(struct arena *a, const struct expectation_spec *e,
                                            struct figure base, struct figure fresh)
{
    struct expectation_result r = {
        .what = e->what, .expected = e->text, .verdict = EXPECTATION_UNKNOWN};
    if (!known(fresh))
        return r;
    switch (e->kind) {
    case EXPECT_VALUE:
        r.actual = arena_printf(a, "%.4g", fresh.value);
        r.verdict = within(fresh.value, e->low, e->high) ? EXPECTATION_HELD : EXPECTATION_MISSED;
        return r;
    case EXPECT_CHANGE:
    case EXPECT_FACTOR:
        break;
    }
    return known(base) ? judge_against(a, e, base.value, fresh.value) : r;
}

/* ---- a result ------------------------------------------------------------------------------------ */

static struct figure figure_of(const struct result *r, const char *what)
{
    struct figure f = {.provenance = PROVENANCE_ABSENT};
    if (!r || r->status != RESULT_OK)
        return f;
    if (strcmp(what, "time") == 0) {
        if (r->time.provenance != PROVENANCE_ABSENT)
            f = (struct figure){r->time.summary.median, r->time.provenance};
        return f;
    }
    struct figure counted;
    return counters_by_name(&r->counters, what, &counted) ? counted : f;
}

// A change of measured times that the samples do not bear out is no change.
static void respect_noise(const struct result *fresh, struct expectation_result *e)
{
    bool noise = fresh->speedup.valid && fresh->speedup.comparison.verdict == VERDICT_SAME;
    if (strcmp(e->what, "time") == 0 && noise && e->verdict == EXPECTATION_OPPOSITE)
        e->verdict = EXPECTATION_MISSED;
}

void judge_result(struct arena *a, const struct variant_spec *spec, const struct result *base,
                  struct result *fresh)
{
    result_compare(base, fresh);
    fresh->expectation_count = 0;
    fresh->expectations = ARENA_ARRAY(a, struct expectation_result, spec->expectation_count + 1);
    for (int i = 0; i < spec->expectation_count; i++) {
        const struct expectation_spec *e = &spec->expectations[i];
        struct expectation_result *r = &fresh->expectations[fresh->expectation_count++];
        *r = judge_expectation(a, e, figure_of(base, e->what), figure_of(fresh, e->what));
        respect_noise(fresh, r);
    }
}
