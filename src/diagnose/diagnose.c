// diagnose: bounds -> floors -> limiter -> findings -> the stop rule. See diagnose.h.
// SPDX-License-Identifier: Apache-2.0
#include "diagnose/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A resource limits when its bound reaches this share of the time (docs/diagnosis.md).
// The stop rule: within this of the floor is close to peak; a gain below this is none.
#define CLOSE_TO_PEAK 0.05
#define SIGNIFICANT_GAIN 0.01
#define DIMINISHING_FROM 0.75 // of the floor; farther away the steps were the wrong ones
#define EXPLAINS 0.5          // of a gain: what explains so much of it comes before it
#define SHARED_OUT_FIRST 2.0  // times faster than by what else is found: few threads are the cause
enum { STEPS_WITHOUT_GAIN = 3 };

static int bound_order(const void *a, const void *b)
{
    double x = ((const struct bound *)a)->time_ns, y = ((const struct bound *)b)->time_ns;
    return (x < y) - (x > y);
}

int bounds_sorted(const struct bound_set *set, struct bound *out)
{
    int count = 0;
    for (int r = 0; r < RESOURCE_COUNT; r++)
        if (!isnan(set->by[r].time_ns))
            out[count++] = set->by[r];
    qsort(out, (size_t)count, sizeof *out, bound_order);
    return count;
}

// `in` has the kernels' time alone; what is moved around them comes first.
static void limiter_find(struct arena *a, const struct diagnosis_input *in,
                         const struct bound_set *set, struct diagnosis *out)
{
    int largest = bounds_largest(set);
    double time = in->time_ns.value, launch = set->by[RESOURCE_LAUNCH].time_ns;
    double copies = in->transfers.h2d_ns + in->transfers.d2h_ns;
    double moved = copies / (time + transfers_ns(&in->transfers));
    if (moved >= LIMITER_SHARE) {
        out->limiter = resource_name(RESOURCE_LINK);
        out->limiter_why =
            arena_printf(a, "copies between host and device are %.0f %% of the time", 100 * moved);
        return;
    }
    if (largest < 0)
        return;
    double share = set->by[largest].time_ns / time;
    if (share >= LIMITER_SHARE) {
        out->limiter = resource_name((enum resource)largest);
        out->limiter_why = arena_printf(a, "%s is busy for %.0f %% of the %stime",
                                        resource_label((enum resource)largest),
                                        100 * fmin(share, 1), copies > 0 ? "kernels' " : "");
    } else if (launch / time >= LIMITER_SHARE) {
        out->limiter = resource_name(RESOURCE_LAUNCH);
        out->limiter_why =
            arena_printf(a, "starting the kernel is %.0f %% of the time", 100 * launch / time);
    } else {
        out->limiter = "latency";
        out->limiter_why = arena_printf(
            a,
            "no resource is busy for %.0f %% of the time (the busiest, %s, for %.0f %%): "
            "warps wait",
            100 * LIMITER_SHARE, resource_label((enum resource)largest), 100 * share);
    }
}

// Sentences that fit many kernels, and what is said before them where it explains so much of the same gain: loads that go
// away are not waited for, and a block's warps that wait at its steps, or for a longer one, do so whatever they wait for beside that.
// docs/diagnosis.md has the table.
enum steps { STEPS_ANY, STEPS_SPECIFIC, STEPS_BOTH, STEPS_NOT_BOTH };
static const struct precedence {
    const char *general, *specific;
    double explains;   // share of the gain, at least
    enum steps steps;  // whose: where the specific one has them, both have, not both have
    bool not_gathered; // … is no gather
    bool gathered_first, thin_first; // where the general one is a gather; a thin grid
    bool global_first;               // … of loads from global memory
    bool idle;                       // where the specific one has most SMs without work
} precedences[] = {
    {.general = "few-loads", .specific = "read-again", .explains = 0.5},
    {.general = "few-loads", .specific = "block-reuse", .explains = 0.5},
    {.general = "few-loads", .specific = "l2-reuse", .explains = 0.5, .not_gathered = true},
    {.general = "few-loads", .specific = "uncoalesced", .explains = 0.5, .not_gathered = true},
    {.general = "few-loads", .specific = "local-memory", .explains = 0.5},
    {.general = "few-loads", .specific = "conflicts", .explains = 0.5},
    {.general = "few-loads", .specific = "divergence", .explains = 0.5},
    {.general = "few-loads", .specific = "unequal-work", .explains = 0.5},
    {.general = "few-loads", .specific = "global-atomics", .explains = 0.5},
    {.general = "few-loads", .specific = "shared-atomics", .explains = 0.5},
    {.general = "few-loads", .specific = "barrier", .explains = 0.3, .steps = STEPS_SPECIFIC},
    {.general = "few-loads", .specific = "chain", .explains = 0.3},
    {.general = "few-loads", .specific = "occupancy", .explains = 0.5},
    {.general = "few-loads", .specific = "register-reuse", .explains = 0.4},
    {.general = "few-loads", .specific = "no-overlap", .explains = 0.5},
    {.general = "narrow", .specific = "no-overlap", .explains = 0.5},
    {.general = "no-overlap", .specific = "occupancy", .explains = 0.7},
    {.general = "no-overlap", .specific = "small-grid", .explains = 0.8},
    {.general = "narrow", .specific = "unequal-work", .explains = 0.3},
    {.general = "narrow", .specific = "local-memory", .explains = 0.5},
    {.general = "narrow", .specific = "occupancy", .explains = 0.4},
    {.general = "narrow", .specific = "chain", .explains = 0.35},
    {.general = "few-loads", .specific = "small-grid", .explains = 0.4, .idle = true},
    {.general = "narrow", .specific = "small-grid", .explains = 0.4, .idle = true},
    {.general = "register-reuse", .specific = "barrier", .explains = 0.5, .steps = STEPS_SPECIFIC},
    {.general = "register-reuse", .specific = "conflicts", .explains = 0.5},
    {.general = "register-reuse", .specific = "read-again", .explains = 0.5},
    {.general = "register-reuse", .specific = "no-overlap", .explains = 0.6},
    // Of what lies in global memory: a tile, constants and fewer addresses are the simpler changes.
    {.general = "register-reuse", .specific = "block-reuse", .explains = 0.3, .global_first = true},
    {.general = "register-reuse", .specific = "uniform", .explains = 0.55, .global_first = true},
    {.general = "register-reuse", .specific = "overhead", .explains = 0.3, .global_first = true},
    {.general = "barrier", .specific = "no-overlap", .explains = 0.6, .steps = STEPS_NOT_BOTH},
    // What is loaded ahead meets at every step as before.
    {.general = "no-overlap", .specific = "barrier", .explains = 0.5, .steps = STEPS_BOTH},
    {.general = "l2-reuse", .specific = "read-again", .explains = 0.5}, // a bound behind a replay
    {.general = "narrow", .specific = "barrier", .explains = 0.5, .steps = STEPS_SPECIFIC},
    {.general = "narrow", .specific = "read-again", .explains = 0.5},
    {.general = "narrow", .specific = "conflicts", .explains = 0.5},
    {.general = "chain", .specific = "unequal-work", .explains = 0.5},
    {.general = "chain", .specific = "divergence", .explains = 0.5},
    {.general = "special", .specific = "unequal-work", .explains = 0.5},
    {.general = "unequal-work", .specific = "barrier", .explains = 0.5},
    {.general = "unequal-work", .specific = "conflicts", .explains = 0.5},
    {.general = "few-loads", .specific = "f64", .explains = 0.4},
    {.general = "few-loads", .specific = "special", .explains = 0.4},
    {.general = "few-loads", .specific = "division", .explains = 0.4},
    {.general = "narrow", .specific = "f64", .explains = 0.3},
    {.general = "narrow", .specific = "special", .explains = 0.3},
    // Two values in an instruction lie in one word: their accesses are wider by it.
    {.general = "narrow", .specific = "half-scalar", .explains = 0.5},
    {.general = "narrow", .specific = "division", .explains = 0.3},
    {.general = "chain", .specific = "barrier", .explains = 0.5, .steps = STEPS_SPECIFIC},
    {.general = "chain", .specific = "f64", .explains = 0.5},
    {.general = "chain", .specific = "special", .explains = 0.5},
    {.general = "chain", .specific = "division", .explains = 0.5},
    {.general = "overhead", .specific = "f64", .explains = 0.4},
    {.general = "overhead", .specific = "special", .explains = 0.5},
    {.general = "overhead", .specific = "division", .explains = 0.5},
    {.general = "register-reuse", .specific = "f64", .explains = 0.5},
    {.general = "register-reuse", .specific = "special", .explains = 0.5},
    {.general = "register-reuse", .specific = "division", .explains = 0.5},
    {.general = "overhead", .specific = "divergence", .explains = 0.5},
    {.general = "overhead", .specific = "uniform", .explains = 0.4},
    {.general = "overhead", .specific = "block-reuse", .explains = 0.5},
    {.general = "overhead", .specific = "read-again", .explains = 0.5},
    {.general = "overhead", .specific = "barrier", .explains = 0.5, .steps = STEPS_SPECIFIC},
    {.general = "barrier", .specific = "small-grid", .explains = 0.8},
    {.general = "barrier", .specific = "conflicts", .explains = 0.5}, // shuffles have no banks
    {.general = "barrier", .specific = "division", .explains = 0.5},
    {.general = "small-grid", .specific = "few-loads", .explains = 0.5, .thin_first = true},
    // Rows at loaded places: more of them at once wait together, wider loads as often as before.
    {.general = "narrow", .specific = "few-loads", .explains = 0.9, .gathered_first = true},
    {.general = "uncoalesced", .specific = "few-loads", .explains = 0.5, .gathered_first = true},
    {.general = "l2-reuse", .specific = "few-loads", .explains = 0.5, .gathered_first = true},
};

static bool steps_fit(enum steps whose, bool specific, bool general)
{
    switch (whose) {
    case STEPS_ANY:
        return true;
    case STEPS_SPECIFIC:
        return specific;
    case STEPS_BOTH:
        return specific && general;
    case STEPS_NOT_BOTH:
        return !(specific && general);
    }
    return false;
}

static bool precedence_fits(const struct precedence *p, const struct finding *specific,
                            const struct finding *general)
{
    return strcmp(general->cause, p->general) == 0 && strcmp(specific->cause, p->specific) == 0 &&
           steps_fit(p->steps, specific->stepwise, general->stepwise) &&
           (!p->not_gathered || !specific->gathered) && (!p->idle || specific->idle) &&
           (!p->gathered_first || general->gathered) && (!p->thin_first || general->thin) &&
           (!p->global_first || general->of_global);
}

bool finding_is_general(const struct finding *f)
{
    return f->cause && (strcmp(f->cause, "few-loads") == 0 || strcmp(f->cause, "narrow") == 0);
}

// The share of f's gain that `other` has to explain to come before it; infinite: it never does. What makes each thread do less
// comes before more threads that share it out, unless that is twice as fast, or most SMs are idle and the sentence is a general
// one; where half of them are, it has to be worth as much.
static double comes_first_from(const struct finding *other, const struct finding *f)
{
    if (f->shared_out && !(f->idle && finding_is_general(other)))
        return other->price != PRICE_BOUNDS && !other->shared_out &&
                       other->expected_time_ns <= SHARED_OUT_FIRST * f->expected_time_ns
                   ? (f->half_idle ? 1 : EXPLAINS)
                   : (double)INFINITY;
    for (size_t i = 0; f->cause && other->cause && i < COUNT_OF(precedences); i++)
        if (precedence_fits(&precedences[i], other, f))
            return precedences[i].explains;
    return (double)INFINITY;
}

// What findings are ranked by: the time that they promise, or the rank of one that comes first.
static void ranks_find(const struct diagnosis *d, double time, double *rank)
{
    for (int i = 0; i < d->finding_count; i++)
        rank[i] = d->findings[i].expected_time_ns;
    for (int pass = 0; pass < d->finding_count; pass++)
        for (int i = 0; i < d->finding_count; i++)
            for (int j = 0; j < d->finding_count; j++) {
                const struct finding *f = &d->findings[i], *other = &d->findings[j];
                double from = comes_first_from(other, f);
                if (i != j && !other->folded &&
                    time - other->expected_time_ns >= from * (time - f->expected_time_ns))
                    rank[i] = fmax(rank[i], rank[j] * (1 + 1e-9));
            }
}

void findings_order(struct arena *a, double time_ns, struct diagnosis *out)
{
    double *rank = ARENA_ARRAY(a, double, out->finding_count + 1);
    ranks_find(out, time_ns, rank);
    // Of equal ones the first found comes first (qsort may swap them), on every machine.
    for (int i = 1; i < out->finding_count; i++) {
        struct finding f = out->findings[i];
        double own = rank[i];
        int at = i;
        for (; at > 0 && rank[at - 1] > own; at--) {
            out->findings[at] = out->findings[at - 1];
            rank[at] = rank[at - 1];
        }
        out->findings[at] = f;
        rank[at] = own;
    }
}

// Where the largest gain that is promised is less than what counts as one (bench/advice: 5 % less time), nothing is: prices are
// differences of modelled times, which err by as much.
#define ADVICE_FROM 0.05 // of the time
static void fold_indistinct(double time_ns, struct diagnosis *d)
{
    double best = time_ns;
    for (int i = 0; i < d->finding_count; i++)
        best = fmin(best, d->findings[i].expected_time_ns);
    if (best <= time_ns * (1 - ADVICE_FROM))
        return;
    for (int i = 0; i < d->finding_count; i++)
        d->findings[i].folded = true;
}

static void findings_rank(struct arena *a, const struct diagnosis_input *in,
                          const struct bound_set *set, struct diagnosis *out)
{
    struct findings found = {0};
    findings_collect(a, in, set, &found);
    out->finding_count = (int)found.count;
    out->findings = ARENA_ARRAY(a, struct finding, found.count + 1);
    if (found.count > 0)
        memcpy(out->findings, found.items, found.count * sizeof *found.items);
    free(found.items);
    double time_ns = in->time_ns.value + transfers_ns(&in->transfers);
    findings_order(a, time_ns, out);
    fold_indistinct(time_ns, out);
}

double diagnose_code_floor(const struct diagnosis_input *in)
{
    struct bound_set set;
    bounds_compute(in, &set);
    int largest = bounds_largest(&set);
    return largest >= 0 ? set.by[largest].time_ns : (double)NAN;
}

// What was found, in the words of the chip's vendor.
static void say_for_chip(struct arena *a, const struct gpu *g, struct diagnosis *out)
{
    out->limiter_why = gpu_say(a, g, out->limiter_why);
    for (int i = 0; i < out->finding_count; i++) {
        out->findings[i].title = gpu_say(a, g, out->findings[i].title);
        out->findings[i].fix = gpu_say(a, g, out->findings[i].fix);
    }
}

bool diagnose(struct arena *a, const struct diagnosis_input *in, struct diagnosis *out,
              struct error *err)
{
    *out = (struct diagnosis){.floor_ns = (double)NAN,
                              .code_floor_ns = (double)NAN,
                              .throughput_gbps = (double)NAN,
                              .intensity = (double)NAN,
                              .pct_of_floor = (double)NAN};
    if (in->time_ns.provenance == PROVENANCE_ABSENT || !(in->time_ns.value > 0))
        return fail(err, NOWHERE,
                    "no time was measured or modelled, so there is nothing to diagnose");
    struct bound_set set;
    struct diagnosis_input kernels = *in; // the same, their time alone
    kernels.time_ns.value -= transfers_ns(&in->transfers);
    if (!(kernels.time_ns.value > 0))
        return fail(err, NOWHERE, "the copies took longer than all that was timed");
    bounds_compute(in, &set);
    out->bounds = ARENA_ARRAY(a, struct bound, RESOURCE_COUNT);
    out->bound_count = bounds_sorted(&set, out->bounds);
    out->code_floor_ns = diagnose_code_floor(in);
    out->floor_ns = diagnose_floor(in);
    out->pct_of_floor = 100 * out->floor_ns / in->time_ns.value;
    out->throughput_gbps = in->work_bytes / in->time_ns.value;
    double flops = (double)NAN;
    double kinds[] = {in->work_flops_f16, in->work_flops_f32, in->work_flops_f64,
                      in->work_flops_tensor};
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        if (!isnan(kinds[i]))
            flops = (isnan(flops) ? 0 : flops) + kinds[i];
    out->intensity = flops / in->work_bytes;
    out->waiting = waiting_split(&kernels, &set);
    limiter_find(a, &kernels, &set, out);
    findings_rank(a, &kernels, &set, out);
    say_for_chip(a, in->gpu, out);
    return true;
}

const char *diagnose_stop(const struct stop_input *variants, int count)
{
    double best = (double)NAN, floor_ns = (double)NAN;
    int without_gain = 0;
    for (int i = 0; i < count; i++) {
        if (isnan(variants[i].time_ns))
            continue;
        bool gained = isnan(best) || variants[i].time_ns < best * (1 - SIGNIFICANT_GAIN);
        without_gain = gained ? 0 : without_gain + 1;
        best = fmin(best, variants[i].time_ns);
        floor_ns = fmax(floor_ns, variants[i].floor_ns);
        if (best <= variants[i].floor_ns * (1 + CLOSE_TO_PEAK))
            return "close to peak";
    }
    bool near = isnan(floor_ns) || floor_ns >= DIMINISHING_FROM * best;
    return without_gain >= STEPS_WITHOUT_GAIN && near ? "diminishing returns" : NULL;
}
