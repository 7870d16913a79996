// Findings: each kind of inefficiency has a function that looks for it in the counters and prices the
// fix by recomputing the bounds without it: the part of the time that the bounds do not explain
// (latency, start-up) is taken to stay. This file is what they share and the list of them;
// find_work.c has those about work, find_waiting.c about time without work, find_around.c about what
// lies around the kernel. Thresholds are those of docs/diagnosis.md.
// SPDX-License-Identifier: Apache-2.0
#include "diagnose/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double search_get(const struct search *s, enum counter_id id)
{
    return counters_get(s->in->counters, id, (double)NAN);
}

double search_price(const struct search *s, const struct bound_set *changed)
{
    int before = bounds_largest(s->bounds), after = bounds_largest(changed);
    double time = s->in->time_ns.value;
    if (before < 0 || after < 0)
        return time;
    double gain = s->bounds->by[before].time_ns - changed->by[after].time_ns;
    double expected = time - (gain > 0 ? gain : 0);
    return fmax(expected, changed->by[after].time_ns);
}

struct bound_set bounds_with(const struct search *s, const struct counters *changed)
{
    struct diagnosis_input in = *s->in;
    struct bound_set set;
    in.counters = changed;
    bounds_compute(&in, &set);
    return set;
}

double search_fact(const struct search *s, enum fact f)
{
    const struct facts *facts = s->in->facts;
    return facts && facts->known ? facts->value[f] : (double)NAN;
}

// Of the warps' time between their start and their end: fetching the first code and constants and draining are a large part of a
// kernel of a few microseconds, which no change of what is in between takes away. Draining that is more than an end's are stores
// that wait.
#define ENDS_MAX 0.2
double search_stall(const struct search *s, enum stall r)
{
    static const enum stall around[] = {STALL_NO_INSTRUCTION, STALL_IMC_MISS, STALL_DRAIN};
    const struct stall_table *t = s->in->stalls;
    double between = 1;
    for (size_t i = 0; t && i < COUNT_OF(around); i++)
        if (around[i] != r && stalls_share(t, around[i]) > 0)
            between -= fmin(stalls_share(t, around[i]), around[i] == STALL_DRAIN ? ENDS_MAX : 1);
    return t && between > 0 ? stalls_share(t, r) / between : (double)NAN;
}

bool search_replays(const struct search *s)
{
    const struct counterfactuals *c = s->in->counterfactuals;
    return c && c->as_is_ns.provenance != PROVENANCE_ABSENT && c->as_is_ns.value > 0;
}

// The driver's machine code may keep in registers what the simulated GPU has in local memory: then it is other code, if those accesses
// are much of the model's time.
#define LOCAL_MUCH 0.1
static bool replays_other_code(const struct search *s)
{
    const struct counterfactuals *c = s->in->counterfactuals;
    const struct figure *local = &c->time_ns[INTERVENTION_LOCAL];
    return s->in->time_ns.provenance == PROVENANCE_MEASURED &&
           local->provenance != PROVENANCE_ABSENT &&
           local->value <= (1 - LOCAL_MUCH) * c->as_is_ns.value &&
           search_get(s, COUNTER_LOCAL_LOAD_SECTORS) == 0;
}

// The blocks that take the time are not in the sample: it loads less than half of what the GPU counted, in a quarter of the time.
#define SAMPLE_LEAST 0.5
#define SAMPLE_TIME_LEAST 0.25
static bool replays_other_blocks(const struct search *s)
{
    const struct figure *counted = &s->in->counters->figure[COUNTER_GLOBAL_LOAD_REQUESTS];
    return s->in->time_ns.provenance == PROVENANCE_MEASURED &&
           counted->provenance == PROVENANCE_MEASURED &&
           search_fact(s, FACT_LOADS) < SAMPLE_LEAST * counted->value &&
           s->in->counterfactuals->as_is_ns.value < SAMPLE_TIME_LEAST * s->in->time_ns.value;
}

// Blocks are unequal, and those of the sample take less than the kernel did: the rest is of longer blocks that are not among them,
// and goes with no other cause.
#define UNEQUAL_PCT 85.0 // the mean block does less of what the largest does
static bool excess_is_of_blocks(const struct search *s)
{
    return s->in->counterfactuals->as_is_ns.value < s->in->time_ns.value &&
           search_get(s, COUNTER_BLOCK_BALANCE_PCT) < UNEQUAL_PCT;
}

double search_replayed(const struct search *s, enum intervention i)
{
    struct figure time = s->in->time_ns;
    if (!search_replays(s) || replays_other_code(s) || replays_other_blocks(s))
        return (double)NAN;
    if (i != INTERVENTION_IMBALANCE && excess_is_of_blocks(s))
        time.provenance = PROVENANCE_MODELLED; // the model's share as it is
    return replayed_ns(s->in->counterfactuals, i, time);
}

double search_moved_bytes(const struct search *s)
{
    double again = search_fact(s, FACT_LOADS_AGAIN) / search_fact(s, FACT_LOADS);
    double loads = search_get(s, COUNTER_GLOBAL_LOAD_SECTORS_IDEAL);
    return SECTOR_BYTES * (loads * (1 - (isnan(again) ? 0 : again)) +
                           search_get(s, COUNTER_GLOBAL_STORE_SECTORS_IDEAL));
}

bool search_found(const struct search *s, double share)
{
    for (size_t i = 0; i < s->out->count; i++)
        if (s->out->items[i].expected_time_ns < (1 - share) * (s->in->time_ns.value + s->moved_ns))
            return true;
    return false;
}

const char *search_time(const struct search *s)
{
    return s->moved_ns > 0 ? "kernels' time" : "time";
}

bool search_waits(const struct search *s)
{
    int largest = bounds_largest(s->bounds);
    return largest >= 0 && s->bounds->by[largest].time_ns < LIMITER_SHARE * s->in->time_ns.value;
}

void evidence_figure(struct finding *f, const char *name, double value, enum provenance p)
{
    if (f->evidence_count < (int)COUNT_OF(f->evidence) && !isnan(value))
        f->evidence[f->evidence_count++] = (struct evidence){name, {value, p}};
}

void evidence_add(const struct search *s, struct finding *f, const char *counter)
{
    struct figure figure;
    if (counters_by_name(s->in->counters, counter, &figure) &&
        figure.provenance != PROVENANCE_ABSENT)
        evidence_figure(f, counter, figure.value, figure.provenance);
}

static const struct cause {
    const char *name;
    int intervention; // INTERVENTION_COUNT: none
    void (*find)(const struct search *s);
} causes[] = {
#define INTERVENTION_NONE INTERVENTION_COUNT
#define CAUSE(finder, name, intervention) {name, INTERVENTION_##intervention, find_##finder},
#include "diagnose/causes.def"
#undef CAUSE
};

// A block adds up what its threads have loaded once each, step by step: with several elements of a thread there are as many steps
// fewer, and only what is loaded stays.
#define ADDED_UP 16.0   // sectors loaded for each one stored
#define ELEMENTS_MOST 4 // loads of a thread
static bool adds_up_in_steps(const struct search *s)
{
    double warps = input_grid_blocks(s->in) * search_get(s, COUNTER_BLOCK_THREADS) /
                   GPU(s->in->gpu, warp_size);
    return search_get(s, COUNTER_BARRIERS) >= warps &&
           search_get(s, COUNTER_SHARED_LOAD_REQUESTS) > 0 &&
           search_get(s, COUNTER_GLOBAL_LOAD_REQUESTS) <= ELEMENTS_MOST * warps &&
           search_get(s, COUNTER_GLOBAL_LOAD_SECTORS) >=
               ADDED_UP * search_get(s, COUNTER_GLOBAL_STORE_SECTORS_IDEAL);
}

// What waits less does the same work, and so do wider accesses, but for their own instructions and addresses. A GPU's counters know
// how much that is, and of what the simulated one has in other units: a bound above the time is of a rate that does not hold.
static bool stays(const struct search *s, int intervention, enum resource r)
{
    if (intervention == INTERVENTION_LOADS && adds_up_in_steps(s))
        return r == RESOURCE_DRAM || r == RESOURCE_L2;
    if (intervention == INTERVENTION_LOADS || intervention == INTERVENTION_CHAINS ||
        intervention == INTERVENTION_WARPS)
        return r != RESOURCE_LAUNCH && r != RESOURCE_LINK;
    return intervention == INTERVENTION_BYTES && r != RESOURCE_L1 && r != RESOURCE_ISSUE &&
           r != RESOURCE_ATOMICS && r != RESOURCE_LAUNCH && r != RESOURCE_LINK;
}

// Sectors that narrow stores write in part, one request after the other, are whole where one request writes all of them.
static struct bound_set bounds_whole(const struct search *s)
{
    struct counters whole = *s->in->counters;
    struct figure *sectors = &whole.figure[COUNTER_GLOBAL_STORE_SECTORS];
    double ideal = search_get(s, COUNTER_GLOBAL_STORE_SECTORS_IDEAL);
    if (ideal > 0 && ideal < sectors->value)
        sectors->value = ideal;
    return bounds_with(s, &whole);
}

static double same_work_ns(const struct search *s, int intervention)
{
    double least = 0, time = s->in->time_ns.value;
    struct bound_set bounds = intervention == INTERVENTION_BYTES ? bounds_whole(s) : *s->bounds;
    double index = search_fact(s, FACT_SLOTS_INDEX) / search_fact(s, FACT_SLOTS);
    if (s->in->time_ns.provenance != PROVENANCE_MEASURED)
        return 0;
    for (int r = 0; r < RESOURCE_COUNT; r++) {
        double busy = bounds.by[r].time_ns;
        if (r == RESOURCE_INTEGER && intervention == INTERVENTION_BYTES && index > 0)
            busy *= 1 - index;
        if (stays(s, intervention, (enum resource)r) && busy <= time)
            least = fmax(least, busy);
    }
    return least;
}

// The floor of the work; where device memory moved less than is stated, as L2 had it or keeps what is stored, that is no floor.
static double floor_counted_ns(const struct search *s)
{
    struct diagnosis_input in = *s->in;
    double counted = s->bounds->by[RESOURCE_DRAM].work;
    in.work_bytes = counted < in.work_bytes ? counted : in.work_bytes;
    return diagnose_floor(&in);
}

// A replay's price stands before the finder's own; no code is faster than the floor of the work and its launch.
static void finding_price(const struct search *s, struct finding *f)
{
    for (size_t i = 0; f->cause && i < COUNT_OF(causes); i++) {
        if (strcmp(causes[i].name, f->cause) != 0 || causes[i].intervention == INTERVENTION_NONE ||
            f->price == PRICE_REPLAY || f->bound_stands) // the finder chose another
            continue;
        double replayed = search_replayed(s, (enum intervention)causes[i].intervention);
        if (isnan(replayed))
            continue;
        f->expected_time_ns = fmax(replayed, same_work_ns(s, causes[i].intervention));
        f->price = PRICE_REPLAY;
    }
    double floor_ns = floor_counted_ns(s);
    double launch_ns = s->bounds->by[RESOURCE_LAUNCH].time_ns / fmax(1, s->in->launches);
    if (isnan(f->expected_time_ns))
        f->expected_time_ns = s->in->time_ns.value;
    if (f->price == PRICE_REPLAY)
        f->expected_time_ns =
            fmin(fmax(f->expected_time_ns, floor_ns + (isnan(launch_ns) ? 0 : launch_ns)),
                 s->in->time_ns.value);
}

void finding_add(const struct search *s, struct finding f)
{
    finding_price(s, &f);
    f.expected_time_ns += s->moved_ns;
    f.counterfactual_ns = (double)NAN;
    f.folded = is_folded(&f, s->in->time_ns.value + s->moved_ns);
    VEC_PUSH(s->out->items, s->out->count, s->out->capacity, f);
}

/* ---- the line where most of it happens ----------------------------------------------------------- */

double weight_sectors(const struct line *l)
{
    return (double)l->global_sectors - (double)l->global_sectors_ideal;
}

double weight_wavefronts(const struct line *l)
{
    return (double)l->shared_wavefronts - (double)l->shared_wavefronts_ideal;
}

double weight_divergence(const struct line *l)
{
    return (double)l->divergent_branches;
}

double weight_global(const struct line *l)
{
    return (double)l->global_sectors;
}

double weight_instructions(const struct line *l)
{
    return (double)l->instructions;
}

double weight_shared(const struct line *l)
{
    return (double)l->shared_wavefronts;
}

double weight_atomics(const struct line *l)
{
    return (double)l->atomics;
}

double weight_f64(const struct line *l)
{
    return (double)l->flops_f64;
}

double weight_time(const struct line *l)
{
    double cycles = stalls_cycles(&l->stalls);
    return isnan(cycles) ? (double)l->instructions : cycles;
}

static double stalled(const struct line *l, enum stall s)
{
    return l->stalls.warp_cycles[s].value; // 0 where it is not known
}

double weight_waiting(const struct line *l)
{
    return stalled(l, STALL_LONG_SCOREBOARD);
}

double weight_barrier(const struct line *l)
{
    return stalled(l, STALL_BARRIER);
}

double weight_chain(const struct line *l)
{
    return stalled(l, STALL_WAIT) + stalled(l, STALL_SHORT_SCOREBOARD);
}

void finding_place(const struct search *s, struct finding *f, line_weight weight)
{
    const struct line *best = NULL;
    for (int i = 0; i < s->in->line_count; i++)
        if (weight(&s->in->lines[i]) > 0 && (!best || weight(&s->in->lines[i]) > weight(best)))
            best = &s->in->lines[i];
    f->file = best ? best->file : NULL;
    f->line = best ? best->line : 0;
}

/* ---- all of them ------------------------------------------------------------------------------------ */

double transfers_ns(const struct transfers *t)
{
    return t->h2d_ns + t->d2h_ns + t->peer_ns;
}

struct transfers transfers_of(const struct counters *c)
{
    return (struct transfers){.h2d_ns = counters_get(c, COUNTER_H2D_NS, 0),
                              .d2h_ns = counters_get(c, COUNTER_D2H_NS, 0),
                              .h2d_bytes = counters_get(c, COUNTER_H2D_BYTES, 0),
                              .d2h_bytes = counters_get(c, COUNTER_D2H_BYTES, 0),
                              .provenance = c->figure[COUNTER_H2D_NS].provenance};
}

void findings_collect(struct arena *a, const struct diagnosis_input *in,
                      const struct bound_set *bounds, struct findings *out)
{
    const struct search s = {.a = a,
                             .in = in,
                             .bounds = bounds,
                             .waiting = waiting_split(in, bounds),
                             .moved_ns = transfers_ns(&in->transfers),
                             .out = out};
    for (size_t i = 0; i < COUNT_OF(causes); i++)
        causes[i].find(&s);
}
