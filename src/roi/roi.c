// The value of an optimization: inputs to net value, break-even and sensitivity.
// SPDX-License-Identifier: Apache-2.0
#include "roi/roi.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double ns_per_hour = 3600e9, j_per_kwh = 3.6e6, days_per_month = 30;

static const struct roi_row rows[ROI_COUNT] = {
#define ROI(id, key, label, unit, vary) [ROI_##id] = {key, label, unit, vary},
#include "roi/roi.def"
#undef ROI
};

const struct roi_row *roi_row(enum roi_id id)
{
    return &rows[id];
}

const char *roi_origin_name(enum roi_origin o)
{
    static const char *const names[] = {
        [ROI_ABSENT] = "-",          [ROI_GIVEN] = "given",         [ROI_ASSUMED] = "assumed",
        [ROI_MEASURED] = "measured", [ROI_SIMULATED] = "simulated", [ROI_MODELLED] = "modelled"};
    return names[o];
}

enum roi_origin roi_origin_of(enum provenance p)
{
    switch (p) {
    case PROVENANCE_ABSENT:
        return ROI_ABSENT;
    case PROVENANCE_MEASURED:
        return ROI_MEASURED;
    case PROVENANCE_SIMULATED:
        return ROI_SIMULATED;
    case PROVENANCE_MODELLED:
        return ROI_MODELLED;
    }
    return ROI_ABSENT;
}

bool roi_is_modelled(const struct roi *r)
{
    return r->figure[ROI_SAVED].origin != ROI_MEASURED;
}

/* ---- inputs ------------------------------------------------------------------------------------------- */

static struct roi_figure exact(enum roi_origin origin, double value, const char *where)
{
    return (struct roi_figure){origin, value, value, value, where};
}

static void take_energy(struct roi *r, const struct result *before, const struct result *after,
                        double power_w)
{
    static const double j_per_mj = 1e-3, s_per_ns = 1e-9;
    const struct roi_figure *saved = &r->figure[ROI_SAVED];
    if (before->conditions.energy_mj > 0 && after->conditions.energy_mj > 0)
        r->figure[ROI_ENERGY] = exact(
            ROI_MEASURED, (before->conditions.energy_mj - after->conditions.energy_mj) * j_per_mj,
            "the GPU's energy counter, before minus after");
    else if (isfinite(power_w))
        r->figure[ROI_ENERGY] =
            (struct roi_figure){saved->origin == ROI_MEASURED ? ROI_GIVEN : saved->origin,
                                saved->value * s_per_ns * power_w, saved->low * s_per_ns * power_w,
                                saved->high * s_per_ns * power_w, "--watts x time saved"};
}

// The interval of the time saved is that of the ratio of medians, at the median before.
bool roi_take(struct roi *r, const struct run *run, const struct result *before,
              const struct result *after, double power_w, struct error *err)
{
    struct result compared = *after;
    result_compare(before, &compared);
    if (!compared.speedup.valid)
        return fail(err, NOWHERE,
                    "run %lld: '%s' and '%s' have no times of the same origin on %s, so nothing "
                    "can be said of what the one saves",
                    (long long)run->header.id, before->variant, after->variant, after->case_label);
    enum roi_origin origin = roi_origin_of(after->time.provenance);
    const struct comparison *c = &compared.speedup.comparison;
    double base = before->time.summary.median;
    r->experiment = run->header.experiment;
    r->device = run->header.device_id;
    r->run = run->header.id;
    r->case_label = after->case_label;
    r->before = before->variant;
    r->after = after->variant;
    r->speedup = *c;
    r->figure[ROI_BEFORE] = (struct roi_figure){origin, base, before->time.summary.low,
                                                before->time.summary.high, "median of the run"};
    r->figure[ROI_AFTER] =
        (struct roi_figure){origin, after->time.summary.median, after->time.summary.low,
                            after->time.summary.high, "median of the run"};
    r->figure[ROI_SAVED] =
        (struct roi_figure){origin, base * (1 - 1 / c->ratio), base * (1 - 1 / c->low),
                            base * (1 - 1 / c->high), "before minus after, by their ratio"};
    take_energy(r, before, after, power_w);
    return true;
}

/* ---- what follows --------------------------------------------------------------------------------------- */

enum { AT_LOW, AT_VALUE, AT_HIGH };

static double at(const struct roi_figure *f, int end)
{
    if (f->origin == ROI_ABSENT)
        return 0;
    return end == AT_LOW ? f->low : end == AT_HIGH ? f->high : f->value;
}

struct outcome {
    double gpu_hours, kwh, value, upkeep, cost, net, break_even;
};

// With the time saved (and what follows from it) at that end of its interval.
static struct outcome outcome_of(const struct roi_figure *f, int end)
{
    struct outcome o = {0};
    double runs = at(&f[ROI_RUNS], AT_VALUE);
    o.gpu_hours = runs * at(&f[ROI_SAVED], end) / ns_per_hour;
    o.kwh = runs * at(&f[ROI_ENERGY], end) / j_per_kwh;
    o.value =
        o.gpu_hours * at(&f[ROI_GPU_PRICE], AT_VALUE) + o.kwh * at(&f[ROI_KWH_PRICE], AT_VALUE);
    o.upkeep =
        at(&f[ROI_MAINTENANCE], AT_VALUE) / days_per_month * at(&f[ROI_HOUR_PRICE], AT_VALUE);
    o.cost = at(&f[ROI_HOURS], AT_VALUE) * at(&f[ROI_HOUR_PRICE], AT_VALUE);
    o.net = at(&f[ROI_DAYS], AT_VALUE) * (o.value - o.upkeep) - o.cost;
    o.break_even = o.value > o.upkeep ? ceil(o.cost / (o.value - o.upkeep)) : (double)NAN;
    return o;
}

// "(improvement x frequency) / (development + maintenance)": hours of GPU saved per hour of work, while it is used.
static double textbook(const struct roi_figure *f, const struct outcome *o)
{
    double days = at(&f[ROI_DAYS], AT_VALUE);
    double hours =
        at(&f[ROI_HOURS], AT_VALUE) + days / days_per_month * at(&f[ROI_MAINTENANCE], AT_VALUE);
    return hours > 0 ? o->gpu_hours * days / hours : (double)NAN;
}

// "(performance gain x usage x cost) / development effort", both in money: what comes back for each unit spent.
static double return_on_cost(const struct roi_figure *f, const struct outcome *o)
{
    double days = at(&f[ROI_DAYS], AT_VALUE), spent = o->cost + days * o->upkeep;
    return spent > 0 ? days * o->value / spent : (double)NAN;
}

static void set(struct roi *r, enum roi_id id, enum roi_origin origin, const char *where,
                const double value[3])
{
    r->figure[id] =
        (struct roi_figure){origin, value[AT_VALUE], value[AT_LOW], value[AT_HIGH], where};
}

static void fill_results(struct roi *r)
{
    struct roi_figure *f = r->figure;
    struct outcome o[3];
    double column[7][3], roi[3], back[3];
    enum roi_origin origin = f[ROI_SAVED].origin;
    for (int end = AT_LOW; end <= AT_HIGH; end++) {
        o[end] = outcome_of(f, end);
        const double values[7] = {o[end].gpu_hours, o[end].kwh, o[end].value,     o[end].upkeep,
                                  o[end].cost,      o[end].net, o[end].break_even};
        for (int i = 0; i < 7; i++)
            column[i][end] = values[i];
        roi[end] = textbook(f, &o[end]);
        back[end] = return_on_cost(f, &o[end]);
    }
    set(r, ROI_GPU_HOURS_DAY, origin, "runs per day x time saved", column[0]);
    if (f[ROI_ENERGY].origin != ROI_ABSENT)
        set(r, ROI_KWH_DAY, f[ROI_ENERGY].origin, "runs per day x energy saved", column[1]);
    set(r, ROI_VALUE_DAY, origin, "GPU-hours x price + kWh x price", column[2]);
    set(r, ROI_UPKEEP_DAY, f[ROI_MAINTENANCE].origin, "maintenance x price of an hour", column[3]);
    set(r, ROI_COST, f[ROI_HOURS].origin, "hours spent x price of an hour", column[4]);
    set(r, ROI_NET, origin, "days x (value - maintenance) - cost", column[5]);
    set(r, ROI_BREAK_EVEN, isfinite(column[6][AT_VALUE]) ? origin : ROI_ABSENT,
        "cost / (value - maintenance), the first whole day", column[6]);
    set(r, ROI_TEXTBOOK, isfinite(roi[AT_VALUE]) ? origin : ROI_ABSENT,
        "(time saved x runs) / (hours spent + maintenance)", roi);
    set(r, ROI_RETURN, isfinite(back[AT_VALUE]) ? origin : ROI_ABSENT,
        "days x value / (cost + days x maintenance)", back);
}

/* ---- sensitivity ------------------------------------------------------------------------------------------- */

static int by_swing(const void *a, const void *b)
{
    const struct roi_varied *x = a, *y = b;
    double dx = fabs(x->net[1] - x->net[0]), dy = fabs(y->net[1] - y->net[0]);
    return dx > dy ? -1 : dx < dy ? 1 : (int)x->id - (int)y->id;
}

// One input at a time; energy follows the time saved where it was computed from it, and is an input of its own else.
static struct roi_varied vary(const struct roi *r, enum roi_id id)
{
    static const double factors[2] = {0.5, 1.5};
    struct roi_varied v = {.id = id};
    for (int i = 0; i < 2; i++) {
        struct roi_figure f[ROI_COUNT];
        struct outcome o;
        memcpy(f, r->figure, sizeof f);
        if (rows[id].vary == VARY_INTERVAL) {
            v.value[i] = i == 0 ? f[id].low : f[id].high;
            o = outcome_of(f, i == 0 ? AT_LOW : AT_HIGH);
        } else {
            v.value[i] = f[id].value * factors[i];
            f[id] = exact(f[id].origin, v.value[i], NULL);
            o = outcome_of(f, AT_VALUE);
        }
        v.net[i] = o.net;
        v.break_even[i] = o.break_even;
    }
    return v;
}

static bool is_exact(const struct roi_figure *f)
{
    return !(f->low < f->high) && !(f->high < f->low);
}

void roi_compute(struct roi *r)
{
    fill_results(r);
    r->varied_count = 0;
    for (int i = 0; i < ROI_COUNT; i++) {
        const struct roi_figure *f = &r->figure[i];
        bool varies =
            f->origin != ROI_ABSENT && fabs(f->value) > 0 &&
            (rows[i].vary == VARY_HALF || (rows[i].vary == VARY_INTERVAL && !is_exact(f)));
        if (i == ROI_ENERGY && r->figure[ROI_KWH_PRICE].origin == ROI_ABSENT)
            varies = false;
        assert(r->varied_count < ROI_VARIED_MAX || !varies);
        if (varies)
            r->varied[r->varied_count++] = vary(r, (enum roi_id)i);
    }
    qsort(r->varied, (size_t)r->varied_count, sizeof *r->varied, by_swing);
}

/* ---- hours from dates --------------------------------------------------------------------------------------- */

static bool seconds_of(const char *utc, double *out)
{
    struct tm t = {0};
    const char *end = utc ? strptime(utc, "%Y-%m-%dT%H:%M:%S", &t) : NULL;
    *out = end ? (double)timegm(&t) : 0;
    return end && *end == 'Z';
}

bool roi_hours(const char *const *started, int count, double gap_s, double *hours, int *sessions)
{
    static const double s_per_hour = 3600;
    double sum_s = 0, last = 0, now;
    *sessions = 0;
    for (int i = 0; i < count; i++) {
        if (!seconds_of(started[i], &now))
            continue;
        if (*sessions == 0 || now - last > gap_s)
            ++*sessions;
        else
            sum_s += fmax(0, now - last);
        last = now;
    }
    *hours = sum_s / s_per_hour;
    return sum_s > 0;
}

/* ---- what next ----------------------------------------------------------------------------------------------- */

static int by_worth(const void *a, const void *b)
{
    const struct roi_candidate *x = a, *y = b;
    if (!x->why_not != !y->why_not)
        return x->why_not ? 1 : -1;
    if (!x->why_not && (x->worth_per_day > y->worth_per_day || x->worth_per_day < y->worth_per_day))
        return x->worth_per_day > y->worth_per_day ? -1 : 1;
    return strcmp(x->experiment, y->experiment);
}

void roi_rank(struct roi_candidate *items, int count, double gpu_hour_price)
{
    double total_ns = 0;
    for (int i = 0; i < count; i++)
        if (items[i].time_ns > 0)
            total_ns += items[i].time_ns * items[i].runs_per_day;
    for (int i = 0; i < count; i++) {
        struct roi_candidate *c = &items[i];
        double per_day_ns = c->time_ns > 0 ? c->time_ns * c->runs_per_day : 0;
        c->share = total_ns > 0 ? per_day_ns / total_ns : 0;
        if (c->why_not)
            continue;
        c->gap = fmax(0, 1 - c->floor_ns / c->time_ns);
        c->worth_per_day = per_day_ns * c->gap / ns_per_hour * gpu_hour_price;
    }
    qsort(items, (size_t)count, sizeof *items, by_worth);
}
