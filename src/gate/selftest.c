// The self-test of a gate: which kernels are run, and what is counted of their verdicts. Pairs of the same code
// give the rate of false alarms; the same code with a calibrated delay, the smallest slow-down that is seen.
// SPDX-License-Identifier: Apache-2.0
#include "gate/internal.h"

#include <math.h>
#include <string.h>

enum { THREADS = 256 };

static const double percent = 100;
static const double caught_least = 0.95; // of the rounds: then it is seen
static const double alarm_rate = 0.01;   // what the gate promises
static const double surprise = 0.01;     // more alarms than that are no accident
static const double limit_level = 0.95;  // of the one-sided limit of the rate

static const double levels_pct[SELFTEST_LEVELS] = {0, 0.25, 0.5, 1, 2, 3, 5}; // 0: one step

static void add_variant(const struct selftest *t, const char *name, int steps, struct text *out)
{
    text_printf(out,
                "  - name: %s\n    kernel: self_test\n    grid: %d*device.sm_count\n    block: %d\n"
                "    args: [out, in, N, i32 %d]\n",
                name, t->blocks_per_sm, THREADS, steps);
}

// On a GPU some ten microseconds, memory's and the delay's; on a simulated one as much as it takes.
void selftest_init(struct selftest *t, bool simulated)
{
    *t = (struct selftest){.elements = simulated ? 1 << 16 : 1 << 20,
                           .blocks_per_sm = simulated ? 1 : 4,
                           .base_steps = simulated ? 400 : 1000};
}

static void add_head(const struct selftest *t, const char *first, struct text *out)
{
    text_printf(out,
                "experiment: self-test\nsource: selftest.cu\nreference: {variant: %s}\n"
                "params: {N: [%d]}\nbuffers:\n"
                "  in: {type: f32, count: N, fill: \"uniform(-1,1)\"}\n"
                "  out: {type: f32, count: N, output: true, tolerance: {rel: 0, abs: 0}}\n"
                "gate: {percent: 0}\nvariants:\n",
                first, t->elements);
}

void selftest_calibration(const struct selftest *t, struct text *out)
{
    add_head(t, "short", out);
    add_variant(t, "short", t->base_steps, out);
    add_variant(t, "long", 2 * t->base_steps, out);
}

void selftest_round(const struct selftest *t, struct text *out)
{
    char name[32];
    add_head(t, "a0", out);
    for (int i = 0; i < 2 * SELFTEST_PAIRS; i++) {
        snprintf(name, sizeof name, "a%d", i);
        add_variant(t, name, t->base_steps, out);
    }
    for (int i = 0; i < SELFTEST_LEVELS; i++) {
        snprintf(name, sizeof name, "d%d", i);
        add_variant(t, name, t->base_steps + t->steps[i], out);
    }
}

static const struct result *result_find(const struct run *r, const char *variant)
{
    for (int i = 0; i < r->result_count; i++)
        if (same_words(r->results[i].variant, variant) && r->results[i].status == RESULT_OK &&
            r->results[i].time.provenance != PROVENANCE_ABSENT)
            return &r->results[i];
    return NULL;
}

static const struct result *need(const struct run *r, const char *variant, struct error *err)
{
    const struct result *found = result_find(r, variant);
    if (!found)
        fail_as(err, ERROR_SYSTEM, NOWHERE, "the self-test's kernel '%s' was not timed: %s",
                variant,
                r->result_count > 0 && r->results[0].error ? r->results[0].error : "no result");
    return found;
}

bool selftest_calibrate(struct selftest *t, const struct run *run, struct error *err)
{
    const struct result *a = need(run, "short", err), *b = a ? need(run, "long", err) : NULL;
    if (!b)
        return false;
    t->base_ns = a->time.summary.median;
    t->provenance = a->time.provenance;
    t->step_ns = (b->time.summary.median - t->base_ns) / t->base_steps;
    if (!(t->step_ns > 0))
        return fail_as(err, ERROR_SYSTEM, NOWHERE,
                       "the self-test's delay does not slow its kernel down on %s: the times "
                       "cannot be what the kernel takes",
                       run->header.device_id);
    for (int i = 0; i < SELFTEST_LEVELS; i++) {
        double steps = ceil(levels_pct[i] / percent * t->base_ns / t->step_ns);
        t->steps[i] = (int)fmax(steps, i > 0 ? t->steps[i - 1] + 1 : 1);
    }
    return true;
}

double selftest_planted_pct(const struct selftest *t, int level)
{
    return percent * t->steps[level] * t->step_ns / t->base_ns;
}

// As the gate judges a variant that is the only one, with nothing allowed.
static bool is_alarm(struct arena *a, const struct run *run, const struct result *before,
                     const struct result *now, bool *alarm, struct error *err)
{
    struct experiment *e = ARENA_NEW(a, struct experiment);
    struct run sides[2] = {*run, *run};
    struct gate_report report = {.suite = "self-test", .baseline = "itself"};
    e->name = "self-test";
    for (int i = 0; i < 2; i++) {
        sides[i].results = ARENA_ARRAY(a, struct result, 1);
        sides[i].results[0] = i ? *now : *before;
        sides[i].results[0].variant = "kernel";
        sides[i].result_count = 1;
    }
    struct gate_subject s = {.experiment = e, .run = &sides[1], .before = &sides[0]};
    if (!gate_runs(a, &s, 1, &report, err))
        return false;
    *alarm = report.counts[GATE_REGRESSED] > 0;
    return true;
}

bool selftest_count(struct arena *a, struct selftest *t, const struct run *run, struct error *err)
{
    bool alarm = false;
    const struct result *base = need(run, "a0", err);
    for (int i = 0; base && i < SELFTEST_PAIRS; i++) {
        const struct result *x = need(run, arena_printf(a, "a%d", 2 * i), err);
        const struct result *y = x ? need(run, arena_printf(a, "a%d", 2 * i + 1), err) : NULL;
        if (!y || !is_alarm(a, run, x, y, &alarm, err))
            return false;
        double unlike_pct = percent * (y->time.summary.median / x->time.summary.median - 1);
        t->pairs++;
        t->alarms += alarm;
        t->unlike_pct += unlike_pct;
        t->unlike_most_pct = fmax(t->unlike_most_pct, fabs(unlike_pct));
    }
    for (int i = 0; base && i < SELFTEST_LEVELS; i++) {
        const struct result *slow = need(run, arena_printf(a, "d%d", i), err);
        if (!slow || !is_alarm(a, run, base, slow, &alarm, err))
            return false;
        t->caught[i] += alarm;
        t->grown_pct[i] += percent * (slow->time.summary.median / base->time.summary.median - 1);
    }
    t->rounds += base != NULL;
    return base != NULL;
}

bool selftest_play(struct selftest *t, int rounds, double limit_s, const volatile bool *cancelled,
                   selftest_player play, void *context, struct error *err)
{
    static const double ns_per_s = 1e9;
    uint64_t began_ns = clock_ns();
    t->wanted = rounds;
    while (t->rounds < rounds && !t->ended) {
        if (play(context, err)) {
            bool over = limit_s > 0 && (double)(clock_ns() - began_ns) >= limit_s * ns_per_s;
            t->ended = over && t->rounds < rounds ? "the time limit" : NULL;
            continue;
        }
        if (t->rounds == 0 || !*cancelled)
            return false;
        t->ended = "interrupted";
        error_clear(err);
    }
    return true;
}

int selftest_smallest(const struct selftest *t)
{
    int smallest = SELFTEST_LEVELS;
    while (smallest > 0 && t->caught[smallest - 1] >= caught_least * t->rounds)
        smallest--;
    return t->rounds > 0 ? smallest : SELFTEST_LEVELS;
}

bool selftest_passed(const struct selftest *t)
{
    return stats_binomial_tail(t->alarms, t->pairs, alarm_rate) >= surprise;
}

static void add_property(struct gate_report *out, const char *name, const char *value)
{
    out->properties[out->property_count++] = (struct gate_property){name, value};
}

void selftest_report(struct arena *a, const struct selftest *t, struct gate_report *out)
{
    char time[32];
    int smallest = selftest_smallest(t);
    out->properties = ARENA_ARRAY(a, struct gate_property, SELFTEST_LEVELS + 10);
    add_property(out, "self_test_device", arena_strdup(a, t->device));
    add_property(
        out, "self_test_time",
        arena_printf(a, "%s %s", format_time_ns(t->base_ns, time), provenance_name(t->provenance)));
    add_property(out, "self_test_false_alarms", arena_printf(a, "%d of %d", t->alarms, t->pairs));
    add_property(
        out, "self_test_false_alarm_pct_at_most",
        t->provenance == PROVENANCE_MODELLED
            ? "0 (deterministic)"
            : arena_printf(a, "%.2f (95 %% limit)",
                           percent * stats_binomial_limit(t->alarms, t->pairs, limit_level)));
    add_property(out, "self_test_same_code",
                 arena_printf(a, "mean growth %+.3f %%, %.3f %% at most", t->unlike_pct / t->pairs,
                              t->unlike_most_pct));
    for (int i = 0; i < SELFTEST_LEVELS; i++)
        add_property(out,
                     i > 0 ? arena_printf(a, "self_test_caught_%.3g_pct", levels_pct[i])
                           : "self_test_caught_one_step",
                     arena_printf(a, "%d of %d at %.3f %% (mean growth %.3f %%)", t->caught[i],
                                  t->rounds, selftest_planted_pct(t, i),
                                  t->grown_pct[i] / t->rounds));
    add_property(out, "self_test_rounds",
                 t->ended ? arena_printf(a, "%d of %d: %s", t->rounds, t->wanted, t->ended)
                          : arena_printf(a, "%d of %d", t->rounds, t->wanted));
    add_property(
        out, "self_test_smallest_slowdown_pct",
        smallest < SELFTEST_LEVELS
            ? arena_printf(a, "%.3g", selftest_planted_pct(t, smallest))
            : arena_printf(a, "more than %.3g", selftest_planted_pct(t, SELFTEST_LEVELS - 1)));
    if (!selftest_passed(t))
        out->distrust = arena_printf(
            a,
            "the self-test called %d of %d pairs of the same code slower, where 1 %% is "
            "promised: the gate's verdicts cannot be trusted on %s; is something else "
            "using it?",
            t->alarms, t->pairs, t->device);
}
