// Findings: each class is one function that looks for its inefficiency in the counters, and prices
// the fix by recomputing the bounds without it: the part of the time the bounds do not explain
// (latency, start-up) is taken to stay. Thresholds are those of DESIGN 7.
// SPDX-License-Identifier: Apache-2.0
#include "diagnose/internal.h"

#include <math.h>
#include <stdlib.h>

#define SECTORS_USED_MIN_PCT 90.0
#define CONFLICT_MAX_PCT 2.0
#define LANES_ACTIVE_MIN_PCT 90.0
#define DRAM_BUSY_PCT 80.0
#define SM_UTILISATION_MIN_PCT 70.0
#define OCCUPANCY_LOW_PCT 50.0
#define FOLD_GAIN 0.03
#define BUSY_BEST 0.86 // L2 of the busiest transpose by counters, docs/h200-rates.md, section 6
enum { SECTOR_BYTES = 32 };

struct search { // what every finder needs
    struct arena *a;
    const struct diagnosis_input *in;
    const struct bound_set *bounds;
    struct findings *out;
};

static double get(const struct search *s, enum counter_id id)
{
    return counters_get(s->in->counters, id, (double)NAN);
}

// The time with `changed` in place of the bounds: what the largest bound loses is gained.
static double price(const struct search *s, const struct bound_set *changed)
{
    int before = bounds_largest(s->bounds), after = bounds_largest(changed);
    double time = s->in->time_ns.value;
    if (before < 0 || after < 0)
        return time;
    double gain = s->bounds->by[before].time_ns - changed->by[after].time_ns;
    double expected = time - (gain > 0 ? gain : 0);
    return fmax(expected, changed->by[after].time_ns);
}

// The bounds of the same kernel with some counters changed.
static struct bound_set bounds_with(const struct search *s, const struct counters *changed)
{
    struct diagnosis_input in = *s->in;
    struct bound_set set;
    in.counters = changed;
    bounds_compute(&in, &set);
    return set;
}

static void evidence_add(const struct search *s, struct finding *f, const char *name)
{
    struct figure figure;
    if (f->evidence_count < (int)COUNT_OF(f->evidence) &&
        counters_by_name(s->in->counters, name, &figure) && figure.provenance != PROVENANCE_ABSENT)
        f->evidence[f->evidence_count++] = (struct evidence){name, figure};
}

static void finding_place(struct finding *f, const device_line *line)
{
    f->file = line ? line->file : NULL;
    f->line = line ? line->line : 0;
}

static void finding_add(const struct search *s, struct finding f)
{
    f.folded = f.expected_time_ns > s->in->time_ns.value * (1 - FOLD_GAIN);
    VEC_PUSH(s->out->items, s->out->count, s->out->capacity, f);
}

/* ---- the line where most of it happens ----------------------------------------------------------- */

typedef double (*line_weight)(const device_line *l);

static double weight_sectors(const device_line *l)
{
    return (double)l->global_sectors - (double)l->global_sectors_ideal;
}
static double weight_wavefronts(const device_line *l)
{
    return (double)l->shared_wavefronts - (double)l->shared_wavefronts_ideal;
}
static double weight_divergence(const device_line *l)
{
    return (double)l->divergent_branches;
}
static double weight_global(const device_line *l)
{
    return (double)l->global_sectors;
}

static const device_line *line_heaviest(const struct search *s, line_weight weight)
{
    const device_line *best = NULL;
    for (int i = 0; i < s->in->line_count; i++)
        if (weight(&s->in->lines[i]) > 0 && (!best || weight(&s->in->lines[i]) > weight(best)))
            best = &s->in->lines[i];
    return best;
}

/* ---- one function a class -------------------------------------------------------------------------- */

struct direction { // loads and stores differ in names only
    const char *word, *sectors_name, *ratio_name, *efficiency_name, *fix;
    enum counter_id requests, sectors, ideal, lines;
    enum derived_id ratio, efficiency;
};
static const struct direction directions[] = {
    {"loads", "global_load_sectors", "load_sectors_per_request", "load_efficiency_pct",
     "Let neighbouring lanes read neighbouring addresses, or stage the tile in shared memory and "
     "transpose it there.",
     COUNTER_GLOBAL_LOAD_REQUESTS, COUNTER_GLOBAL_LOAD_SECTORS, COUNTER_GLOBAL_LOAD_SECTORS_IDEAL,
     COUNTER_GLOBAL_LOAD_LINES, DERIVED_LOAD_SECTORS_PER_REQUEST, DERIVED_LOAD_EFFICIENCY_PCT},
    {"stores", "global_store_sectors", "store_sectors_per_request", "store_efficiency_pct",
     "Let neighbouring lanes write neighbouring addresses, so that whole sectors are written at "
     "once; "
     "stage the tile in shared memory if the reads need the other order.",
     COUNTER_GLOBAL_STORE_REQUESTS, COUNTER_GLOBAL_STORE_SECTORS,
     COUNTER_GLOBAL_STORE_SECTORS_IDEAL, COUNTER_GLOBAL_STORE_LINES,
     DERIVED_STORE_SECTORS_PER_REQUEST, DERIVED_STORE_EFFICIENCY_PCT},
};

// What is left of a direction's passes through the banks and lines when it is coalesced: one a line.
static double passes_least(const struct search *s, const struct direction *d)
{
    return fmax(get(s, d->requests), get(s, d->ideal) / 4);
}

// How scattered a direction is: lines beyond the least, or, where lines are not counted (hardware),
// sectors beyond the ideal.
static double scatter(const struct search *s, const struct direction *d)
{
    double lines = get(s, d->lines);
    double more = isnan(lines) ? get(s, d->sectors) - get(s, d->ideal) : lines - passes_least(s, d);
    return fmax(0, more);
}

// The passes that only this direction's scattering costs: its part of those in excess.
static double passes_excess(const struct search *s, const struct direction *d)
{
    double excess = global_wavefronts(s->in), all = 0;
    for (size_t i = 0; i < COUNT_OF(directions); i++) {
        excess -= fmax(0, passes_least(s, &directions[i]));
        all += scatter(s, &directions[i]);
    }
    return excess > 0 && all > 0 ? excess * scatter(s, d) / all : 0;
}

// Coalesced, a request touches its ideal sectors and a quarter as many lines, at least one; the
// sectors that hit L1 only because several requests share them are not needed any more.
static struct counters coalesced(const struct search *s, const struct direction *d)
{
    struct counters c = *s->in->counters;
    double ideal = get(s, d->ideal);
    double hits = get(s, COUNTER_L1_LOAD_SECTORS_HIT), sectors = get(s, d->sectors);
    c.figure[d->sectors].value = ideal;
    c.figure[d->lines].value = passes_least(s, d);
    c.figure[COUNTER_L1_WAVEFRONTS].value -= passes_excess(s, d);
    if (d->sectors == COUNTER_GLOBAL_LOAD_SECTORS && !isnan(hits))
        c.figure[COUNTER_L1_LOAD_SECTORS_HIT].value = fmax(0, ideal - (sectors - hits));
    return c;
}

static void find_uncoalesced(const struct search *s, const struct direction *d)
{
    double sectors = get(s, d->sectors), ideal = get(s, d->ideal), requests = get(s, d->requests);
    if (!(sectors > 0) || !(100 * ideal / sectors < SECTORS_USED_MIN_PCT))
        return;
    struct counters better = coalesced(s, d);
    struct bound_set bounds = bounds_with(s, &better);
    struct finding f = {
        .class = FINDING_BANDWIDTH,
        .title =
            arena_printf(s->a, "Global %s are uncoalesced: %.1f sectors a request, %.1f would do",
                         d->word, sectors / requests, ideal / requests),
        .fix = d->fix,
        .expected_time_ns = price(s, &bounds),
    };
    finding_place(&f, line_heaviest(s, weight_sectors));
    evidence_add(s, &f, d->ratio_name);
    evidence_add(s, &f, d->sectors_name);
    evidence_add(s, &f, d->efficiency_name);
    finding_add(s, f);
}

static void find_conflicts(const struct search *s)
{
    struct figure pct = counters_derived(s->in->counters, DERIVED_SHARED_CONFLICT_PCT);
    if (pct.provenance == PROVENANCE_ABSENT || pct.value < CONFLICT_MAX_PCT)
        return;
    struct counters better = *s->in->counters;
    better.figure[COUNTER_SHARED_LOAD_WAVEFRONTS].value =
        get(s, COUNTER_SHARED_LOAD_WAVEFRONTS_IDEAL);
    better.figure[COUNTER_SHARED_STORE_WAVEFRONTS].value =
        get(s, COUNTER_SHARED_STORE_WAVEFRONTS_IDEAL);
    better.figure[COUNTER_L1_WAVEFRONTS].value -=
        get(s, COUNTER_SHARED_LOAD_WAVEFRONTS) - get(s, COUNTER_SHARED_LOAD_WAVEFRONTS_IDEAL) +
        get(s, COUNTER_SHARED_STORE_WAVEFRONTS) - get(s, COUNTER_SHARED_STORE_WAVEFRONTS_IDEAL);
    struct bound_set bounds = bounds_with(s, &better);
    double requests = get(s, COUNTER_SHARED_LOAD_REQUESTS) + get(s, COUNTER_SHARED_STORE_REQUESTS);
    double waves = get(s, COUNTER_SHARED_LOAD_WAVEFRONTS) + get(s, COUNTER_SHARED_STORE_WAVEFRONTS);
    struct finding f = {
        .class = FINDING_BANDWIDTH,
        .title = arena_printf(s->a,
                              "Shared memory banks conflict: %.1f wavefronts a request, %.0f %% of "
                              "them only because of conflicts",
                              waves / requests, pct.value),
        .fix =
            "Pad each row of the tile by one access width (tile[32][33]), or swizzle its columns.",
        .expected_time_ns = price(s, &bounds),
    };
    finding_place(&f, line_heaviest(s, weight_wavefronts));
    evidence_add(s, &f, "shared_conflict_pct");
    evidence_add(s, &f, "shared_load_wavefronts");
    evidence_add(s, &f, "shared_load_wavefronts_ideal");
    evidence_add(s, &f, "shared_store_wavefronts");
    finding_add(s, f);
}

static void find_divergence(const struct search *s)
{
    double lanes = get(s, COUNTER_LANES_ACTIVE_PCT);
    if (!(lanes < LANES_ACTIVE_MIN_PCT))
        return;
    struct counters better = *s->in->counters;
    better.figure[COUNTER_WARP_INSTRUCTIONS].value *= lanes / 100;
    struct bound_set bounds = bounds_with(s, &better);
    struct finding f = {
        .class = FINDING_DIVERGENCE,
        .title = arena_printf(s->a, "Lanes idle: %.0f %% of a warp's lanes work on average", lanes),
        .fix = "Give whole warps the same path: sort or regroup the work, or let lanes share the "
               "long path.",
        .expected_time_ns = price(s, &bounds),
    };
    finding_place(&f, line_heaviest(s, weight_divergence));
    evidence_add(s, &f, "lanes_active_pct");
    evidence_add(s, &f, "divergent_branches");
    evidence_add(s, &f, "branch_divergence_pct");
    finding_add(s, f);
}

// The busiest unit's work at the share a unit is kept busy at best; nothing faster without less work.
static double time_without_waiting(const struct search *s)
{
    int largest = bounds_largest(s->bounds);
    if (largest < 0)
        return s->in->time_ns.value;
    return fmin(s->in->time_ns.value, s->bounds->by[largest].time_ns / BUSY_BEST +
                                          s->bounds->by[RESOURCE_LAUNCH].time_ns);
}

static bool waits(const struct search *s)
{
    int largest = bounds_largest(s->bounds);
    return largest >= 0 && s->bounds->by[largest].time_ns < LIMITER_SHARE * s->in->time_ns.value;
}

static void find_low_occupancy(const struct search *s)
{
    double occupancy = get(s, COUNTER_OCCUPANCY_THEORETICAL_PCT);
    if (!(occupancy < OCCUPANCY_LOW_PCT) || !waits(s))
        return;
    struct finding f = {
        .class = FINDING_OCCUPANCY,
        .title = arena_printf(
            s->a, "Few warps to hide latency with: an SM holds %.0f %% of its warps", occupancy),
        .fix = "Use fewer registers or less shared memory a block, or another block size, so that "
               "more "
               "warps fit; or give each thread more independent work.",
        .expected_time_ns = fmax(time_without_waiting(s), s->in->time_ns.value * occupancy / 100),
    };
    evidence_add(s, &f, "occupancy_theoretical_pct");
    evidence_add(s, &f, "registers_per_thread");
    evidence_add(s, &f, "shared_bytes_per_block");
    finding_add(s, f);
}

static void find_latency(const struct search *s)
{
    double occupancy = get(s, COUNTER_OCCUPANCY_THEORETICAL_PCT);
    if (!waits(s) || occupancy < OCCUPANCY_LOW_PCT || !(get(s, COUNTER_GLOBAL_LOAD_REQUESTS) > 0))
        return;
    const struct sim_time *t = s->in->time_model;
    bool barrier = t && t->valid && get(s, COUNTER_BARRIERS) > 0 && t->waiting_barrier_pct > 10;
    struct finding f = {
        .class = FINDING_LATENCY,
        .title =
            barrier ? "Warps wait: each thread has one load in flight, then all wait at the barrier"
                    : "Warps wait for memory: too few bytes are in flight to fill the pipe",
        .fix =
            barrier
                ? "Give each thread several independent loads before the barrier (a smaller block "
                  "over the same tile), and more blocks to an SM."
                : "Give each thread several independent loads (unroll, 16-byte vectors) before the "
                  "first use.",
        .expected_time_ns = time_without_waiting(s),
    };
    finding_place(&f, line_heaviest(s, weight_global));
    evidence_add(s, &f, "occupancy_achieved_pct");
    evidence_add(s, &f, "occupancy_theoretical_pct");
    evidence_add(s, &f, "load_sectors_per_request");
    evidence_add(s, &f, "barriers");
    finding_add(s, f);
}

static void find_dram(const struct search *s)
{
    double time = s->in->time_ns.value, dram = s->bounds->by[RESOURCE_DRAM].time_ns;
    if (!(100 * dram / time >= DRAM_BUSY_PCT))
        return;
    double bytes = s->bounds->by[RESOURCE_DRAM].work, needed = s->in->work_bytes;
    bool more = bytes > 1.1 * needed; // false for (double)NAN
    struct bound_set changed = *s->bounds;
    if (more)
        changed.by[RESOURCE_DRAM].time_ns *= needed / bytes;
    struct finding f = {
        .class = FINDING_BANDWIDTH,
        .title =
            more
                ? arena_printf(s->a,
                               "Device memory is busy %.0f %% of the time and moves %.1f times "
                               "the bytes the job needs",
                               100 * fmin(1, dram / time), bytes / needed)
                : arena_printf(s->a, "Device memory is busy %.0f %% of the time: close to its roof",
                               100 * fmin(1, dram / time)),
        .fix =
            more ? "Keep what is read again in registers, shared memory or L2: tile or fuse the "
                   "passes."
                 : "Only moving fewer bytes helps now: fuse with the neighbouring kernels, or use "
                   "narrower types.",
        .expected_time_ns = more ? price(s, &changed) : time,
    };
    finding_place(&f, line_heaviest(s, weight_global));
    evidence_add(s, &f, "dram_read_bytes");
    evidence_add(s, &f, "dram_write_bytes");
    evidence_add(s, &f, "l2_hit_pct");
    finding_add(s, f);
}

static void find_launch(const struct search *s)
{
    double launch = s->bounds->by[RESOURCE_LAUNCH].time_ns, time = s->in->time_ns.value;
    if (!(launch / time >= 0.3))
        return;
    struct finding f = {
        .class = FINDING_LAUNCH,
        .title =
            arena_printf(s->a, "Starting the kernel is %.0f %% of the time", 100 * launch / time),
        .fix = "Do more in a launch: fuse kernels, batch problems, or replay a graph.",
        .expected_time_ns = fmax(time - launch, time / 2),
    };
    evidence_add(s, &f, "waves");
    finding_add(s, f);
}

static void find_tail(const struct search *s)
{
    double waves = get(s, COUNTER_WAVES);
    if (!(waves > 0))
        return;
    double used = 100 * waves / ceil(waves);
    if (used >= SM_UTILISATION_MIN_PCT)
        return;
    double launch = s->bounds->by[RESOURCE_LAUNCH].time_ns;
    double body = fmax(0, s->in->time_ns.value - launch);
    struct finding f = {
        .class = FINDING_TAIL,
        .title = waves < 1
                     ? arena_printf(s->a, "The grid fills only %.0f %% of the chip", 100 * waves)
                     : arena_printf(s->a, "The last of %.0f waves of blocks is nearly empty",
                                    ceil(waves)),
        .fix = waves < 1
                   ? "Use more, smaller blocks, so that every SM has work."
                   : "Choose a grid that is a multiple of what the chip holds, or let blocks take "
                     "several tiles each.",
        .expected_time_ns = fmax(time_without_waiting(s), launch + body * used / 100),
    };
    evidence_add(s, &f, "waves");
    evidence_add(s, &f, "occupancy_achieved_pct");
    finding_add(s, f);
}

void findings_collect(struct arena *a, const struct diagnosis_input *in,
                      const struct bound_set *bounds, struct findings *out)
{
    struct search s = {a, in, bounds, out};
    for (size_t i = 0; i < COUNT_OF(directions); i++)
        find_uncoalesced(&s, &directions[i]);
    find_conflicts(&s);
    find_divergence(&s);
    find_low_occupancy(&s);
    find_latency(&s);
    find_dram(&s);
    find_launch(&s);
    find_tail(&s);
}
