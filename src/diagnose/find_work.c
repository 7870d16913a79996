// Inefficiencies of the work itself: bytes moved in vain, banks in conflict, lanes idle, data that does
// not stay near, instructions that do not compute.
// SPDX-License-Identifier: Apache-2.0
#include "diagnose/internal.h"

#include <math.h>
#include <string.h>

#define SECTORS_USED_MIN_PCT 90.0
#define CONFLICT_MAX_PCT 2.0
#define LANES_ACTIVE_MIN_PCT 90.0
#define DRAM_BUSY_PCT 80.0
#define L1_HIT_MIN_PCT 80.0
#define L2_HIT_MIN_PCT 60.0
#define OVERHEAD_LEFT 0.33   // of addresses, loops and moves: what a good rewrite leaves
#define REUSE_MIN 1.5        // read so many times over, data are worth keeping near
#define WALKING_MIN 0.25     // of the loads
#define BUSY_LAST 0.05       // a finding of so much gain says more
#define GENERAL_EXPLAINS 0.5 // … of such a sentence: of the gain
#define READY_MIN 0.5        // of the warps' time
#define GATHERED_MIN 0.75    // of the loads that are scattered
#define LOOKED_MIN 1.3       // times the instructions that were simulated
#define MODELLED_MIN 0.25    // of the time: less, and the model is of something else

/* ---- global memory ---------------------------------------------------------------------------------- */

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

// Sectors that would do. Hardware has the bytes over 32 for it, but no request takes less than one sector: a block's
// one result is not scattered.
static double sectors_ideal(const struct search *s, const struct direction *d)
{
    double ideal = search_get(s, d->ideal), requests = search_get(s, d->requests);
    return ideal > 0 && ideal < requests ? requests : ideal;
}

// What is left of a direction's passes through the banks and lines when it is coalesced: one per line.
static double passes_least(const struct search *s, const struct direction *d)
{
    return fmax(search_get(s, d->requests), sectors_ideal(s, d) / 4);
}

// How scattered a direction is: lines beyond the least, or, where lines are not counted (hardware),
// sectors beyond the ideal.
static double scatter(const struct search *s, const struct direction *d)
{
    double lines = search_get(s, d->lines);
    double more =
        isnan(lines) ? search_get(s, d->sectors) - sectors_ideal(s, d) : lines - passes_least(s, d);
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
    double ideal = sectors_ideal(s, d);
    double hits = search_get(s, COUNTER_L1_LOAD_SECTORS_HIT), sectors = search_get(s, d->sectors);
    c.figure[d->sectors].value = ideal;
    c.figure[d->lines].value = passes_least(s, d);
    c.figure[COUNTER_L1_WAVEFRONTS].value -= passes_excess(s, d);
    if (d->sectors == COUNTER_GLOBAL_LOAD_SECTORS && !isnan(hits))
        c.figure[COUNTER_L1_LOAD_SECTORS_HIT].value = fmax(0, ideal - (sectors - hits));
    return c;
}

// Scattered, because addresses are made of loaded values.
static bool is_gather(const struct search *s)
{
    return search_fact(s, FACT_LOADS_GATHERED) >=
               GATHERED_MIN * search_fact(s, FACT_LOADS_SCATTERED) &&
           search_fact(s, FACT_LOADS_GATHERED) > 0;
}

static const char gather_fix[] =
    "The addresses are loaded: sort the indices, or group those that lie in one row or tile, so "
    "that neighbouring lanes read neighbouring addresses; or keep a smaller table near.";

// Each lane walks along a row of its own: what is to be side by side instead.
static void rows_fix(const struct search *s, struct finding *f)
{
    double rows = search_replayed(s, INTERVENTION_ROWS),
           walking = search_fact(s, FACT_LOADS_WALKING),
           least = WALKING_MIN * search_fact(s, FACT_LOADS);
    if (walking >= least && search_fact(s, FACT_LOADS_COLUMN) >= least)
        f->fix = "Swap the two indices: let neighbouring lanes take neighbouring columns, of which "
                 "they all read one word now, and share the row that each walks along now.";
    else if (isnan(rows))
        return;
    else if (search_fact(s, FACT_ROW_SUMS) > 0)
        f->fix = "Give each row that a thread walks along to a warp or a block: its lanes side by "
                 "side along the row, their results combined by shuffles.";
    else
        f->fix = "Let neighbouring threads take neighbouring elements: each steps by the number of "
                 "threads, and more of them share the work.";
    if (!isnan(rows)) {
        f->expected_time_ns = rows;
        f->price = PRICE_REPLAY;
    }
    if (walking > 0)
        evidence_figure(f, "loads_walking", walking, s->in->facts->provenance);
}

static void find_direction(const struct search *s, const struct direction *d)
{
    double sectors = search_get(s, d->sectors), ideal = sectors_ideal(s, d),
           requests = search_get(s, d->requests);
    if (!(sectors > 0) || !(100 * ideal / sectors < SECTORS_USED_MIN_PCT) || ideal == 0)
        return; // no bytes at all: they were not counted (hardware: copies by cp.async)
    struct counters better = coalesced(s, d);
    struct bound_set bounds = bounds_with(s, &better);
    struct finding f = {
        .cause = "uncoalesced",
        .class = FINDING_BANDWIDTH,
        .title =
            arena_printf(s->a, "Global %s are uncoalesced: %.1f sectors per request, %.1f would do",
                         d->word, sectors / requests, ideal / requests),
        .fix = d->fix,
        .expected_time_ns = search_price(s, &bounds),
    };
    if (d->requests == COUNTER_GLOBAL_LOAD_REQUESTS) {
        f.gathered = is_gather(s);
        f.fix = f.gathered ? gather_fix : f.fix;
        rows_fix(s, &f);
    }
    finding_place(s, &f, weight_sectors);
    evidence_add(s, &f, d->ratio_name);
    evidence_add(s, &f, d->sectors_name);
    evidence_add(s, &f, d->efficiency_name);
    finding_add(s, f);
}

static double sectors_in_excess(const struct search *s, const struct direction *d)
{
    return search_get(s, d->sectors) - sectors_ideal(s, d);
}

void find_uncoalesced(const struct search *s)
{
    size_t before = s->out->count;
    for (size_t i = 0; i < COUNT_OF(directions); i++)
        find_direction(s, &directions[i]);
    struct finding *loads = s->out->items + before;
    if (s->out->count - before < 2 || loads[0].price != PRICE_REPLAY ||
        loads[0].expected_time_ns < loads[1].expected_time_ns)
        return;
    // One replay prices both: it is promised once, by the one that has more to lose.
    bool stores = sectors_in_excess(s, &directions[1]) > sectors_in_excess(s, &directions[0]);
    loads[stores ? 0 : 1].folded = true;
}

void find_conflicts(const struct search *s)
{
    struct figure pct = counters_derived(s->in->counters, DERIVED_SHARED_CONFLICT_PCT);
    double requests =
        search_get(s, COUNTER_SHARED_LOAD_REQUESTS) + search_get(s, COUNTER_SHARED_STORE_REQUESTS);
    if (pct.provenance == PROVENANCE_ABSENT || pct.value < CONFLICT_MAX_PCT || requests == 0)
        return; // hardware counts passes of bulk copies and stored matrices, which no request stands for
    struct counters better = *s->in->counters;
    better.figure[COUNTER_SHARED_LOAD_WAVEFRONTS].value =
        search_get(s, COUNTER_SHARED_LOAD_WAVEFRONTS_IDEAL);
    better.figure[COUNTER_SHARED_STORE_WAVEFRONTS].value =
        search_get(s, COUNTER_SHARED_STORE_WAVEFRONTS_IDEAL);
    better.figure[COUNTER_L1_WAVEFRONTS].value -=
        search_get(s, COUNTER_SHARED_LOAD_WAVEFRONTS) -
        search_get(s, COUNTER_SHARED_LOAD_WAVEFRONTS_IDEAL) +
        search_get(s, COUNTER_SHARED_STORE_WAVEFRONTS) -
        search_get(s, COUNTER_SHARED_STORE_WAVEFRONTS_IDEAL);
    struct bound_set bounds = bounds_with(s, &better);
    double waves = search_get(s, COUNTER_SHARED_LOAD_WAVEFRONTS) +
                   search_get(s, COUNTER_SHARED_STORE_WAVEFRONTS);
    struct finding f = {
        .cause = "conflicts",
        .class = FINDING_BANDWIDTH,
        .title =
            arena_printf(s->a,
                         "Shared memory banks conflict: %.1f wavefronts per request, %.0f %% of "
                         "them only because of conflicts",
                         waves / requests, pct.value),
        .fix =
            "Pad each row of the tile by one access width (tile[32][33]), or swizzle its columns.",
        .expected_time_ns = search_price(s, &bounds),
    };
    finding_place(s, &f, weight_wavefronts);
    evidence_add(s, &f, "shared_conflict_pct");
    evidence_add(s, &f, "shared_load_wavefronts");
    evidence_add(s, &f, "shared_load_wavefronts_ideal");
    evidence_add(s, &f, "shared_store_wavefronts");
    finding_add(s, f);
}

void find_divergence(const struct search *s)
{
    double lanes = search_get(s, COUNTER_LANES_ACTIVE_PCT);
    if (!(lanes < LANES_ACTIVE_MIN_PCT))
        return;
    struct counters better = *s->in->counters;
    better.figure[COUNTER_WARP_INSTRUCTIONS].value *= lanes / 100;
    struct bound_set bounds = bounds_with(s, &better);
    struct finding f = {
        .cause = "divergence",
        .class = FINDING_DIVERGENCE,
        .title = arena_printf(s->a, "Lanes idle: %.0f %% of a warp's lanes work on average", lanes),
        .fix = "Give whole warps the same path: sort or regroup the work, or let lanes share the "
               "long path.",
        .expected_time_ns = search_price(s, &bounds),
    };
    finding_place(s, &f, weight_divergence);
    evidence_add(s, &f, "lanes_active_pct");
    evidence_add(s, &f, "divergent_branches");
    evidence_add(s, &f, "branch_divergence_pct");
    finding_add(s, f);
}

/* ---- device memory, caches ----------------------------------------------------------------------------- */

// Bytes that SMs load, over the bytes the job needs: above one, something is read again.
static double load_reuse(const struct search *s)
{
    double sectors = search_get(s, COUNTER_GLOBAL_LOAD_SECTORS_IDEAL);
    if (isnan(sectors))
        sectors = search_get(s, COUNTER_GLOBAL_LOAD_SECTORS);
    return sectors * SECTOR_BYTES / s->in->work_bytes;
}

static double derived(const struct search *s, enum derived_id id)
{
    struct figure f = counters_derived(s->in->counters, id);
    return f.provenance == PROVENANCE_ABSENT ? (double)NAN : f.value;
}

// Data are read again, and the L2 does not have them any more. false where something is not known.
static bool reuse_is_lost(const struct search *s)
{
    double bytes = s->bounds->by[RESOURCE_DRAM].work;
    return bytes > REUSE_MIN * s->in->work_bytes && load_reuse(s) > REUSE_MIN &&
           derived(s, DERIVED_L2_HIT_PCT) < L2_HIT_MIN_PCT;
}

void find_dram(const struct search *s)
{
    double time = s->in->time_ns.value, dram = s->bounds->by[RESOURCE_DRAM].time_ns;
    if (!(100 * dram / time >= DRAM_BUSY_PCT))
        return;
    double bytes = s->bounds->by[RESOURCE_DRAM].work, needed = s->in->work_bytes;
    bool more = bytes > 1.1 * needed; // false for NAN
    if (more && reuse_is_lost(s))
        return; // find_cache reports it
    struct bound_set changed = *s->bounds;
    if (more)
        changed.by[RESOURCE_DRAM].time_ns *= needed / bytes;
    struct finding f = {
        .cause = "device-memory",
        .class = FINDING_BANDWIDTH,
        .title =
            more ? arena_printf(s->a,
                                "Device memory is busy %.0f %% of the %s and moves %.1f times "
                                "the bytes the job needs",
                                100 * fmin(1, dram / time), search_time(s), bytes / needed)
                 : arena_printf(s->a, "Device memory is busy %.0f %% of the %s: close to its roof",
                                100 * fmin(1, dram / time), search_time(s)),
        .fix =
            more ? "Keep what is read again in registers, shared memory or L2: tile or fuse the "
                   "passes."
                 : "Only moving fewer bytes helps now: fuse with the neighbouring kernels, or use "
                   "narrower types.",
        .expected_time_ns = more ? search_price(s, &changed) : time,
    };
    finding_place(s, &f, weight_global);
    evidence_add(s, &f, "dram_read_bytes");
    evidence_add(s, &f, "dram_write_bytes");
    evidence_add(s, &f, "l2_hit_pct");
    finding_add(s, f);
}

// Capacity: what is read again comes from farther away than it need.
void find_cache(const struct search *s)
{
    int largest = bounds_largest(s->bounds);
    double l1_hit = derived(s, DERIVED_L1_HIT_PCT), l2_hit = derived(s, DERIVED_L2_HIT_PCT);
    bool far = reuse_is_lost(s);
    bool near =
        !far && largest == RESOURCE_L2 && load_reuse(s) > REUSE_MIN && l1_hit < L1_HIT_MIN_PCT;
    if (!far && !near)
        return;
    struct bound_set changed = *s->bounds;
    double bytes = s->bounds->by[RESOURCE_DRAM].work;
    if (far) {
        changed.by[RESOURCE_DRAM].time_ns *= s->in->work_bytes / bytes;
    } else {
        struct counters better = *s->in->counters;
        better.figure[COUNTER_L1_LOAD_SECTORS_HIT].value =
            L1_HIT_MIN_PCT / 100 * search_get(s, COUNTER_GLOBAL_LOAD_SECTORS);
        changed = bounds_with(s, &better);
    }
    struct finding f = {
        .cause = "l2-reuse",
        .class = FINDING_CAPACITY,
        .title = far ? arena_printf(s->a,
                                    "What is read again has left the L2: %.0f %% of its sectors "
                                    "hit, and device memory moves %.1f times the bytes the job "
                                    "needs",
                                    l2_hit, bytes / s->in->work_bytes)
                     : arena_printf(s->a,
                                    "What is read again has left the L1: each byte is loaded %.1f "
                                    "times, and %.0f %% of the sectors hit",
                                    load_reuse(s), l1_hit),
        .fix = far ? "Work on tiles that fit in the L2, in an order that finishes one before the "
                     "next; or fuse the passes."
                   : "Keep what a block reads again in shared memory or registers: tile for them.",
        .expected_time_ns = search_price(s, &changed),
        .gathered = is_gather(s),
    };
    finding_place(s, &f, weight_global);
    evidence_add(s, &f, far ? "l2_hit_pct" : "l1_hit_pct");
    evidence_add(s, &f, "dram_read_bytes");
    evidence_add(s, &f, "global_load_sectors");
    evidence_figure(&f, "work_bytes", s->in->work_bytes, PROVENANCE_MODELLED);
    finding_add(s, f);
}

// PTX has no spills, so neither has what was simulated: where a GPU moves more for them than for all else, what it takes
// longer is theirs, all of it. So it is with arrays in local memory, which have a replay of their own. NAN: it is not that.
static double without_spills_ns(const struct search *s, double local)
{
    double as_is = search_replays(s) ? s->in->counterfactuals->as_is_ns.value : (double)NAN;
    double global = search_get(s, COUNTER_GLOBAL_LOAD_SECTORS) +
                    search_get(s, COUNTER_GLOBAL_STORE_SECTORS),
           time = s->in->time_ns.value;
    bool most = s->in->time_ns.provenance == PROVENANCE_MEASURED && local > global;
    if (!most || !(as_is < time))
        return (double)NAN;
    if (isnan(search_replayed(s, INTERVENTION_LOCAL)))
        return as_is;
    double without = s->in->counterfactuals->time_ns[INTERVENTION_LOCAL].value;
    return as_is >= MODELLED_MIN * time ? fmin(without, as_is) : (double)NAN;
}

// ptxas keeps a small array in registers though it is indexed at run time: each access looks through all of them. PTX, and so what
// was simulated, has it in local memory, of which the GPU then counts no access but far more instructions.
static bool is_looked_through(const struct search *s)
{
    double local =
        search_get(s, COUNTER_LOCAL_LOAD_SECTORS) + search_get(s, COUNTER_LOCAL_STORE_SECTORS);
    return s->in->time_ns.provenance == PROVENANCE_MEASURED && local == 0 && search_replays(s) &&
           s->in->counterfactuals->time_ns[INTERVENTION_LOCAL].provenance != PROVENANCE_ABSENT &&
           search_get(s, COUNTER_WARP_INSTRUCTIONS) >= LOOKED_MIN * search_fact(s, FACT_SLOTS);
}

static void find_registers_looked_through(const struct search *s)
{
    double without = s->in->counterfactuals->time_ns[INTERVENTION_LOCAL].value;
    struct finding f = {
        .cause = "local-memory",
        .class = FINDING_INSTRUCTIONS,
        .title =
            arena_printf(s->a,
                         "An array that is indexed at run time is kept in registers: each "
                         "access selects among all of its places, %.1f times the instructions",
                         search_get(s, COUNTER_WARP_INSTRUCTIONS) / search_fact(s, FACT_SLOTS)),
        .fix = "Unroll the loop, so that the array is indexed by constants only; or keep it in "
               "shared memory.",
        .expected_time_ns = fmin(without, s->in->time_ns.value),
        .price = PRICE_REPLAY,
    };
    finding_place(s, &f, weight_instructions);
    evidence_add(s, &f, "warp_instructions");
    evidence_figure(&f, "simulated_slots", search_fact(s, FACT_SLOTS), s->in->facts->provenance);
    evidence_add(s, &f, "local_load_sectors");
    evidence_add(s, &f, "registers_per_thread");
    finding_add(s, f);
}

// Registers that do not fit go to local memory, which is device memory behind the caches.
void find_spills(const struct search *s)
{
    if (is_looked_through(s))
        find_registers_looked_through(s);
    double loads = search_get(s, COUNTER_LOCAL_LOAD_SECTORS);
    double stores = search_get(s, COUNTER_LOCAL_STORE_SECTORS);
    double registers = search_get(s, COUNTER_REGISTERS_PER_THREAD);
    double all = (isnan(loads) ? 0 : loads) + (isnan(stores) ? 0 : stores);
    if (!(all > 0))
        return;
    struct counters better = *s->in->counters;
    better.figure[COUNTER_LOCAL_LOAD_SECTORS].value = 0;
    better.figure[COUNTER_LOCAL_STORE_SECTORS].value = 0;
    struct bound_set bounds = bounds_with(s, &better);
    struct finding f = {
        .cause = "local-memory",
        .class = FINDING_CAPACITY,
        .title = isnan(registers)
                     ? arena_printf(s->a, "Local memory is used: %.3g sectors", all)
                     : arena_printf(s->a,
                                    "Local memory is used: %.3g sectors; a thread has %.0f "
                                    "registers",
                                    all, registers),
        .fix = "Let a thread hold less at a time, or allow it more registers (__launch_bounds__, "
               "-maxrregcount); index arrays of a thread by constants only.",
        .expected_time_ns = search_price(s, &bounds),
    };
    double unspilled = without_spills_ns(s, all);
    if (!isnan(unspilled)) {
        f.expected_time_ns = unspilled;
        f.price = PRICE_REPLAY;
    }
    evidence_add(s, &f, "local_load_sectors");
    evidence_add(s, &f, "local_store_sectors");
    evidence_add(s, &f, "registers_per_thread");
    finding_add(s, f);
}

/* ---- instructions ---------------------------------------------------------------------------------------- */

// A pipe that is busy, and what becomes of the counters when it is relieved.
static void relieve_issue(const struct search *s, struct counters *c)
{
    // What computes, loads and stores; the rest is addresses, loops and moves.
    static const enum counter_id lanes[] = {COUNTER_FADD_F32, COUNTER_FMUL_F32, COUNTER_FFMA_F32,
                                            COUNTER_SPECIAL_OPS};
    static const enum counter_id warps[] = {
        COUNTER_GLOBAL_LOAD_REQUESTS, COUNTER_GLOBAL_STORE_REQUESTS, COUNTER_SHARED_LOAD_REQUESTS,
        COUNTER_SHARED_STORE_REQUESTS, COUNTER_BARRIERS};
    double needed =
        counters_get(c, COUNTER_FLOPS_F64, 0) / 2 + counters_get(c, COUNTER_FLOPS_F16, 0) / 4;
    for (size_t i = 0; i < COUNT_OF(lanes); i++)
        needed += counters_get(c, lanes[i], 0);
    needed /= GPU(s->in->gpu, warp_size);
    for (size_t i = 0; i < COUNT_OF(warps); i++)
        needed += counters_get(c, warps[i], 0);
    double all = c->figure[COUNTER_WARP_INSTRUCTIONS].value;
    if (needed > 0 && needed < all)
        c->figure[COUNTER_WARP_INSTRUCTIONS].value = needed + (all - needed) * OVERHEAD_LEFT;
    c->figure[COUNTER_INTEGER_OPS].value *= OVERHEAD_LEFT;
}

// Products and sums on their own that could be one instruction.
static void relieve_f32(const struct search *s, struct counters *c)
{
    (void)s;
    double fused = fmin(counters_get(c, COUNTER_FADD_F32, 0), counters_get(c, COUNTER_FMUL_F32, 0));
    if (fused > 0) {
        c->figure[COUNTER_FADD_F32].value -= fused;
        c->figure[COUNTER_FMUL_F32].value -= fused;
        c->figure[COUNTER_FFMA_F32].value = counters_get(c, COUNTER_FFMA_F32, 0) + fused;
        c->figure[COUNTER_FFMA_F32].provenance = c->figure[COUNTER_FADD_F32].provenance;
    }
}

// What is not computed takes no issue slot either.
static void relieve_integer(const struct search *s, struct counters *c)
{
    double gone =
        (1 - OVERHEAD_LEFT) * counters_get(c, COUNTER_INTEGER_OPS, 0) / GPU(s->in->gpu, warp_size);
    c->figure[COUNTER_INTEGER_OPS].value *= OVERHEAD_LEFT;
    if (gone < c->figure[COUNTER_WARP_INSTRUCTIONS].value)
        c->figure[COUNTER_WARP_INSTRUCTIONS].value -= gone;
}

// Data that a thread keeps in registers for twice as many results are loaded half as often.
static void relieve_shared(const struct search *s, struct counters *c)
{
    double loads = counters_get(c, COUNTER_SHARED_LOAD_WAVEFRONTS, 0) / 2;
    (void)s;
    c->figure[COUNTER_SHARED_LOAD_REQUESTS].value /= 2;
    c->figure[COUNTER_SHARED_LOAD_WAVEFRONTS].value -= loads;
    c->figure[COUNTER_SHARED_LOAD_WAVEFRONTS_IDEAL].value -= loads;
    c->figure[COUNTER_L1_WAVEFRONTS].value -= loads;
}

// Half of the atomics are combined first, or meet no others.
static void relieve_shared_atomics(const struct search *s, struct counters *c)
{
    double fewer = counters_get(c, COUNTER_SHARED_ATOMIC_WAVEFRONTS, 0) / 2;
    (void)s;
    c->figure[COUNTER_SHARED_ATOMIC_WAVEFRONTS].value -= fewer;
    c->figure[COUNTER_L1_WAVEFRONTS].value -= fewer;
}

static void relieve_l1(const struct search *s, struct counters *c)
{
    static const enum counter_id halved[] = {
        COUNTER_GLOBAL_LOAD_SECTORS, COUNTER_GLOBAL_LOAD_SECTORS_IDEAL, COUNTER_GLOBAL_LOAD_LINES,
        COUNTER_L1_LOAD_SECTORS_HIT};
    c->figure[COUNTER_L1_WAVEFRONTS].value -= global_wavefronts(s->in) / 2;
    for (size_t i = 0; i < COUNT_OF(halved); i++)
        c->figure[halved[i]].value /= 2;
}

// A warp's atomics become one.
static void relieve_atomics(const struct search *s, struct counters *c)
{
    double lanes = GPU(s->in->gpu, warp_size);
    c->figure[COUNTER_GLOBAL_ATOMIC_SECTORS].value /= lanes;
    c->figure[COUNTER_GLOBAL_ATOMIC_REQUESTS].value /= lanes;
}

// A polynomial on the f32 pipe instead.
static void relieve_special(const struct search *s, struct counters *c)
{
    enum { TERMS = 6 };
    (void)s;
    double calls = counters_get(c, COUNTER_SPECIAL_OPS, 0);
    enum provenance p = c->figure[COUNTER_SPECIAL_OPS].provenance;
    counters_set(c, COUNTER_FFMA_F32, counters_get(c, COUNTER_FFMA_F32, 0) + TERMS * calls, p);
    counters_set(c, COUNTER_FADD_F32, counters_get(c, COUNTER_FADD_F32, 0), p);
    counters_set(c, COUNTER_FMUL_F32, counters_get(c, COUNTER_FMUL_F32, 0), p);
    c->figure[COUNTER_SPECIAL_OPS].value = 0;
}

// Accesses in vain have their own finding, and so do registers that spill.
static bool l1_is_well_used(const struct search *s)
{
    double local = counters_get(s->in->counters, COUNTER_LOCAL_LOAD_SECTORS, 0) +
                   counters_get(s->in->counters, COUNTER_LOCAL_STORE_SECTORS, 0);
    for (size_t i = 0; i < COUNT_OF(directions); i++)
        if (100 * search_get(s, directions[i].ideal) / search_get(s, directions[i].sectors) <
            SECTORS_USED_MIN_PCT)
            return false;
    return !(local > search_get(s, COUNTER_GLOBAL_LOAD_SECTORS_IDEAL));
}

static bool shared_is_for_atomics(const struct search *s)
{
    const struct counters *c = s->in->counters;
    return counters_get(c, COUNTER_SHARED_ATOMIC_WAVEFRONTS, 0) >
           counters_get(c, COUNTER_SHARED_LOAD_WAVEFRONTS, 0) +
               counters_get(c, COUNTER_SHARED_STORE_WAVEFRONTS, 0);
}

static bool shared_is_for_data(const struct search *s)
{
    return !shared_is_for_atomics(s) &&
           !(derived(s, DERIVED_SHARED_CONFLICT_PCT) >= CONFLICT_MAX_PCT);
}

static bool f64_is_meant(const struct search *s)
{
    return !s->in->data_without_f64;
}

static const struct pipe {
    enum resource resource;
    enum finding_class class;
    const char *cause, *what, *besides, *fix,
        *counter; // besides: after the share of the time, or NULL
    line_weight weight;
    void (*relieve)(const struct search *s, struct counters *c); // NULL: only less work helps
    bool (*applies)(const struct search *s);                     // NULL: always
} pipes[] = {
    {RESOURCE_ISSUE, FINDING_INSTRUCTIONS, "overhead", "Issue slots are busy", NULL,
     "Fewer instructions for the same work: 16-byte accesses, unrolled loops, addresses computed "
     "once "
     "and stepped, packed types.",
     "warp_instructions", weight_instructions, relieve_issue, NULL},
    {RESOURCE_F32, FINDING_INSTRUCTIONS, "busy", "The f32 pipe is busy", NULL,
     "Let products and sums fuse to FMAs; beyond that only fewer operations help, or the tensor "
     "cores.",
     "flops_f32", weight_instructions, relieve_f32, NULL},
    {RESOURCE_F64, FINDING_INSTRUCTIONS, "busy", "The f64 pipe is busy", NULL,
     "Only fewer operations help, or the tensor cores, or f32 where its precision does.",
     "flops_f64", weight_instructions, NULL, f64_is_meant},
    {RESOURCE_F16, FINDING_INSTRUCTIONS, "busy", "The f16 pipe is busy", NULL,
     "Only fewer operations help, or the tensor cores.", "flops_f16", weight_instructions, NULL,
     NULL},
    {RESOURCE_TENSOR, FINDING_INSTRUCTIONS, "busy", "The tensor cores are busy", NULL,
     "Only fewer operations help, or a narrower type.", "flops_tensor", weight_instructions, NULL,
     NULL},
    {RESOURCE_INTEGER, FINDING_INSTRUCTIONS, "overhead", "The integer pipe is busy", NULL,
     "Take index arithmetic out of the inner loop: step pointers, powers of two for sizes, 32-bit "
     "indices.",
     "integer_ops", weight_instructions, relieve_integer, NULL},
    {RESOURCE_SPECIAL, FINDING_INSTRUCTIONS, "special", "The special-function unit is busy", NULL,
     "Compute part of the functions by polynomials on the f32 pipe, or fewer of them: tables, "
     "identities, exp2 for exp.",
     "special_ops", weight_instructions, relieve_special, NULL},
    {RESOURCE_ATOMICS, FINDING_BANDWIDTH, "global-atomics", "Atomics on global memory are busy",
     NULL,
     "Combine before the atomic: in registers, over the warp (__reduce_add_sync, shuffles), in a "
     "copy of the result in shared memory; then one atomic for each block and result.",
     "global_atomic_sectors", weight_atomics, relieve_atomics, NULL},
    {RESOURCE_SHARED, FINDING_BANDWIDTH, "register-reuse", "Shared memory is busy",
     ", without bank conflicts",
     "Load from it less often: let each thread compute several results (4x4, 8x8) from values it "
     "keeps in registers, and load 16 bytes at a time.",
     "shared_load_wavefronts", weight_shared, relieve_shared, shared_is_for_data},
    {RESOURCE_SHARED, FINDING_BANDWIDTH, "shared-atomics", "Shared memory is busy", " with atomics",
     "Combine in registers or over the warp before the atomic, and give warps that meet in one "
     "place copies of their own.",
     "shared_atomic_wavefronts", weight_atomics, relieve_shared_atomics, shared_is_for_atomics},
    {RESOURCE_L1, FINDING_BANDWIDTH, "block-reuse", "The L1 is busy",
     ", though accesses are coalesced",
     "Load from it less often: keep values in registers for several results, stage what a block "
     "shares in shared memory.",
     "l1_wavefronts", weight_global, relieve_l1, l1_is_well_used},
};

// Most of the warps' time they could issue, and wait for a slot or a pipe: those set the pace, whatever their bound says.
static bool warps_are_ready(const struct search *s)
{
    return search_stall(s, STALL_SELECTED) + search_stall(s, STALL_NOT_SELECTED) +
               search_stall(s, STALL_MATH_PIPE_THROTTLE) >=
           READY_MIN;
}

// The largest bound's, where it limits.
static const struct pipe *pipe_limiting(const struct search *s)
{
    int largest = bounds_largest(s->bounds);
    if (largest < 0 || (s->bounds->by[largest].time_ns < LIMITER_SHARE * s->in->time_ns.value &&
                        !warps_are_ready(s)))
        return NULL;
    for (size_t i = 0; i < COUNT_OF(pipes); i++)
        if (pipes[i].resource == (enum resource)largest &&
            (!pipes[i].applies || pipes[i].applies(s)))
            return &pipes[i];
    return NULL;
}

static struct finding pipe_finding(const struct search *s, const struct pipe *p, const char *cause,
                                   const char *fix)
{
    double busy = s->bounds->by[p->resource].time_ns;
    struct counters better = *s->in->counters;
    if (p->relieve)
        p->relieve(s, &better);
    struct bound_set bounds = bounds_with(s, &better);
    if (p->resource == RESOURCE_ATOMICS) // those that queue in one place go with the requests
        bounds.by[RESOURCE_ATOMICS].time_ns = busy / GPU(s->in->gpu, warp_size);
    struct finding f = {
        .cause = cause,
        .class = p->class,
        .title = arena_printf(s->a, "%s %.0f %% of the %s%s", p->what,
                              100 * fmin(1, busy / s->in->time_ns.value), search_time(s),
                              p->besides ? p->besides : ""),
        .fix = fix,
        .expected_time_ns = search_price(s, &bounds),
    };
    finding_place(s, &f, p->weight);
    evidence_add(s, &f, p->counter);
    evidence_figure(&f, "bound_ns", busy, PROVENANCE_MODELLED);
    return f;
}

void find_instructions(const struct search *s)
{
    const struct pipe *p = pipe_limiting(s);
    if (p && (!search_replays(s) || strcmp(p->cause, "busy") == 0))
        finding_add(s, pipe_finding(s, p, p->cause,
                                    p->fix)); // of the others, finders that saw the trace say more
}

// Did one of them find what is gained? Sentences that fit many kernels only where they explain as much of it.
static bool is_explained(const struct search *s, const struct finding *f)
{
    double time = s->in->time_ns.value + s->moved_ns,
           gain = s->in->time_ns.value - f->expected_time_ns;
    for (size_t i = 0; i < s->out->count; i++) {
        const struct finding *other = &s->out->items[i];
        double from = finding_is_general(other) ? GENERAL_EXPLAINS * gain : BUSY_LAST * time;
        if (time - other->expected_time_ns > from)
            return true;
    }
    return false;
}

// … unless none of them found anything: integer work that makes the values themselves.
void find_values(const struct search *s)
{
    const struct pipe *p = pipe_limiting(s);
    if (!p || !search_replays(s) || strcmp(p->cause, "overhead") != 0)
        return;
    struct finding f =
        pipe_finding(s, p, "busy",
                     "Only fewer operations help: look results up (a table in shared memory), work "
                     "on several values per word, or use identities that need fewer steps.");
    if (!is_explained(s, &f))
        finding_add(s, f);
}

// A literal without f makes its whole expression f64, at half the f32 rate or a 64th of it.
void find_f64(const struct search *s)
{
    double flops = search_get(s, COUNTER_FLOPS_F64);
    if (!(flops > 0) || !s->in->data_without_f64)
        return;
    struct counters better = *s->in->counters;
    enum provenance p = better.figure[COUNTER_FLOPS_F64].provenance;
    counters_set(&better, COUNTER_FLOPS_F64, 0, p);
    counters_set(&better, COUNTER_FADD_F32, counters_get(&better, COUNTER_FADD_F32, 0), p);
    counters_set(&better, COUNTER_FMUL_F32, counters_get(&better, COUNTER_FMUL_F32, 0), p);
    counters_set(&better, COUNTER_FFMA_F32, counters_get(&better, COUNTER_FFMA_F32, 0) + flops / 2,
                 p); // as in bounds.c
    struct bound_set bounds = bounds_with(s, &better);
    struct finding f = {
        .cause = "f64",
        .class = FINDING_INSTRUCTIONS,
        .title = arena_printf(s->a, "f64 arithmetic on data without f64: %.3g operations", flops),
        .fix = "Write literals with f (0.5f), call the float functions (sqrtf, fabsf, expf) and "
               "declare temporaries float, unless the precision is meant.",
        .expected_time_ns = search_price(s, &bounds),
    };
    finding_place(s, &f, weight_f64);
    evidence_add(s, &f, "flops_f64");
    evidence_add(s, &f, "flops_f32");
    evidence_figure(&f, "bound_ns", s->bounds->by[RESOURCE_F64].time_ns, PROVENANCE_MODELLED);
    finding_add(s, f);
}
