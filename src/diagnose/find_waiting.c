// Time in which no resource is busy: starting kernels, SMs without work, too few warps to hide latency,
// and warps that wait for what they asked for. `waiting_split` says how much goes to each, the finders
// what to do about it.
// SPDX-License-Identifier: Apache-2.0
#include "diagnose/internal.h"

#include <math.h>
#include <string.h>

#define SM_UTILISATION_MIN_PCT 70.0
#define LAST_WAVE_MIN_PCT 90.0 // … of several waves of equal blocks: the last one's cost is known
#define UNEQUAL_WARPS 1.3      // of the mean warp's instructions
#define BALANCED 0.9           // the mean block does at least this share of what the largest does
#define UNEQUAL_ALONE 0.85     // … less than that, where each block has an SM to itself
#define IDLE_MOST 0.25         // of the SMs have a block: that comes first
#define IDLE_HALF 0.5          // … as far as it gains as much
#define LONG_LAUNCHES 6.0      // times a launch: in less, blocks mostly start and load
#define OCCUPANCY_LOW_PCT 50.0
#define HALF_GAIN_MIN 0.1
#define LAUNCH_SHARE 0.3
#define MEMORY_STALL_MIN 0.3 // of the warps' time
#define PASSES_NEEDED 0.75   // of the traffic of several launches
#define BARRIER_WAITING_PCT 10.0
#define MEMORY_WAITING_MIN_PCT 10.0
#define LAST_RESORT 0.05 // a finding of so much gain is enough

/* ---- the split ---------------------------------------------------------------------------------------- */

double input_grid_blocks(const struct diagnosis_input *in)
{
    double all = counters_get(in->counters, COUNTER_GRID_BLOCKS, (double)NAN);
    return in->grid_blocks > 0 ? (double)in->grid_blocks
                               : all / (in->launches > 1 ? in->launches : 1);
}

// The share of the SMs that have a block, on average over the grid's waves: the last wave's blocks go
// to SMs without one first. 1 where the grid is not known.
static double sms_used(const struct diagnosis_input *in)
{
    double waves = counters_get(in->counters, COUNTER_WAVES, (double)NAN);
    double sms = GPU(in->gpu, sm_count), blocks = input_grid_blocks(in);
    if (waves > 0 && blocks > 0) {
        double whole = floor(waves), last = (waves - whole) * blocks / waves; // its blocks
        return (whole + fmin(1, last / sms)) / ceil(waves);
    }
    return blocks > 0 ? fmin(1, blocks / sms) : waves > 0 ? waves / ceil(waves) : 1;
}

// Are all blocks there at once? Then room for another on an SM changes nothing.
static bool grid_is_small(const struct diagnosis_input *in)
{
    return counters_get(in->counters, COUNTER_WAVES, (double)NAN) <= 1 ||
           input_grid_blocks(in) <= GPU(in->gpu, sm_count);
}

// Of the most instructions that a block executed, what the mean block did: 1 where all are equal,
// NAN where nobody counted.
static double blocks_balance(const struct diagnosis_input *in)
{
    return counters_get(in->counters, COUNTER_BLOCK_BALANCE_PCT, (double)NAN) / 100;
}

// The share of the warps that could be there, on average over the time: what tail and imbalance leave.
// Blocks known to be equal leave SMs idle in the last wave only; other warps that are missing are
// those of blocks that just start or end. That wave's blocks have their SMs almost to themselves, and are as much faster as the warps
// that are missing on average say.
static double share_used(const struct diagnosis_input *in)
{
    double possible = counters_get(in->counters, COUNTER_OCCUPANCY_THEORETICAL_PCT, (double)NAN);
    double achieved = counters_get(in->counters, COUNTER_OCCUPANCY_ACHIEVED_PCT, (double)NAN);
    double grid = sms_used(in), used = fmin(1, achieved / possible);
    bool waves = counters_get(in->counters, COUNTER_WAVES, (double)NAN) > 1;
    if (isnan(used))
        return grid;
    if (blocks_balance(in) >= BALANCED)
        return waves ? fmax(grid, used) : grid;
    return fmin(grid, used);
}

// One after the other: the launch, then SMs without work, then of what is left the share of warps
// that do not fit; what remains is dependency.
struct waiting waiting_split(const struct diagnosis_input *in, const struct bound_set *bounds)
{
    const double unknown = (double)NAN;
    struct waiting w = {unknown, unknown, unknown, unknown};
    int largest = bounds_largest(bounds);
    if (largest < 0)
        return w;
    double time = in->time_ns.value;
    double possible = counters_get(in->counters, COUNTER_OCCUPANCY_THEORETICAL_PCT, 100) / 100;
    w.launch_ns = fmin(time, bounds->by[RESOURCE_LAUNCH].time_ns);
    double body = time - w.launch_ns;
    double left = fmax(0, body - bounds->by[largest].time_ns);
    w.tail_ns = fmin(left, body * (1 - share_used(in)));
    left -= w.tail_ns;
    w.occupancy_ns = grid_is_small(in) ? 0 : left * (1 - fmin(1, possible));
    w.dependency_ns = left - w.occupancy_ns;
    return w;
}

/* ---- the finders ----------------------------------------------------------------------------------------- */

// The busiest unit's work at the share a unit is kept busy at best; nothing faster without less work.
static double time_without_waiting(const struct search *s)
{
    int largest = bounds_largest(s->bounds);
    if (largest < 0)
        return s->in->time_ns.value;
    double best = s->in->gpu->value[GPU_FIELD_unit_busy_best];
    return fmin(s->in->time_ns.value, s->bounds->by[largest].time_ns / (isnan(best) ? 1 : best) +
                                          s->bounds->by[RESOURCE_LAUNCH].time_ns);
}

// The time without `waiting_ns`, that finding's own; no finding promises more than its own.
static double time_without(const struct search *s, double waiting_ns)
{
    return fmax(time_without_waiting(s), s->in->time_ns.value - waiting_ns);
}

// By what an SM holds no more blocks, where the launch's shape was counted.
static const char *occupancy_fix(const struct search *s)
{
    const struct gpu_words *w = gpu_words(s->in->gpu);
    struct block_needs needs = {
        .threads = (int)counters_get(s->in->counters, COUNTER_BLOCK_THREADS, 0),
        .registers = (int)counters_get(s->in->counters, COUNTER_REGISTERS_PER_THREAD, 0),
        .shared_bytes = (uint64_t)counters_get(s->in->counters, COUNTER_SHARED_BYTES_PER_BLOCK, 0)};
    struct occupancy o;
    if (needs.threads <= 0 || !gpu_occupancy(s->in->gpu, &needs, &o))
        return arena_printf(s->a,
                            "Use fewer %s or less %s a %s, or another size of it, so that more %s "
                            "fit; or give each thread more independent work.",
                            w->registers, w->memory, w->block, w->warps);
    if (o.limiter == LIMIT_REGISTERS)
        return arena_printf(s->a,
                            "%d %s per thread leave room for %d %s: let a thread hold less at a "
                            "time, or bound it (__launch_bounds__); or give each thread more "
                            "independent work.",
                            needs.registers, w->registers, o.blocks_per_sm,
                            o.blocks_per_sm == 1 ? w->block : w->blocks);
    if (o.limiter == LIMIT_SHARED)
        return arena_printf(s->a,
                            "%llu bytes of %s per %s leave room for %d: use a smaller tile, or "
                            "give the %s more %s; or give each thread more independent work.",
                            (unsigned long long)needs.shared_bytes, w->memory, w->block,
                            o.blocks_per_sm, w->block, w->warps);
    return arena_printf(s->a,
                        "%d threads per %s and %d %s are all that fit: choose another size of "
                        "%s; or give each thread more independent work.",
                        needs.threads, w->block, o.blocks_per_sm,
                        o.blocks_per_sm == 1 ? w->block : w->blocks, w->block);
}

void find_low_occupancy(const struct search *s)
{
    const struct gpu_words *w = gpu_words(s->in->gpu);
    double occupancy = search_get(s, COUNTER_OCCUPANCY_THEORETICAL_PCT);
    // Half of the warps by blocks of one: where a replay says so.
    bool half = occupancy <= OCCUPANCY_LOW_PCT &&
                search_replayed(s, INTERVENTION_WARPS) < (1 - HALF_GAIN_MIN) * s->in->time_ns.value;
    if (!(occupancy < OCCUPANCY_LOW_PCT || half) || !search_waits(s) || grid_is_small(s->in) ||
        !(s->waiting.occupancy_ns > 0))
        return;
    struct finding f = {
        .cause = "occupancy",
        .class = FINDING_OCCUPANCY,
        .title = arena_printf(s->a, "Few %s to hide latency with: %s holds %.0f %% of its %s",
                              w->warps, w->an_sm, occupancy, w->warps),
        .fix = occupancy_fix(s),
        .expected_time_ns = time_without(s, s->waiting.occupancy_ns),
    };
    evidence_add(s, &f, "occupancy_theoretical_pct");
    evidence_add(s, &f, "registers_per_thread");
    evidence_add(s, &f, "shared_bytes_per_block");
    evidence_figure(&f, "waiting_occupancy_ns", s->waiting.occupancy_ns, PROVENANCE_MODELLED);
    finding_add(s, f);
}

// What the warps wait for where it is neither warps nor blocks that lack; the cause in the code that has the same fix and the same
// replay.
static const struct dependency {
    const char *title, *fix, *cause;
    enum intervention intervention;
} on_memory = {"Warps wait for memory: too few bytes are in flight to fill the pipe",
               "Give each thread several independent loads (unroll, 16-byte vectors) before the "
               "first use.",
               "few-loads", INTERVENTION_LOADS},
  on_barrier = {"Warps wait: each thread has one load in flight, then all wait at the barrier",
                "Give each thread several independent loads before the barrier (a smaller block "
                "over the same tile), and more blocks to an SM.",
                "few-loads", INTERVENTION_LOADS},
  on_copies = {"Warps wait at the barrier for what bulk copies bring",
               "Start the copies of the next tile before waiting for this one's (two stages or "
               "more), or have more blocks on an SM.",
               "no-overlap", INTERVENTION_LOADS},
  on_results = {"Warps wait for their own results: each instruction needs the one before",
                "Give each thread several independent chains: two or four elements at a time, "
                "several accumulators.",
                "chain", INTERVENTION_CHAINS};

static const struct dependency *dependency_of(const struct search *s)
{
    const struct time_breakdown *t = s->in->time_model;
    bool modelled = t && t->valid;
    bool at_barrier = modelled && search_get(s, COUNTER_BARRIERS) > 0 &&
                      t->waiting_barrier_pct > BARRIER_WAITING_PCT;
    bool copied = search_get(s, COUNTER_GLOBAL_LOAD_REQUESTS) == 0 &&
                  search_get(s, COUNTER_DRAM_READ_BYTES) > 0;
    if (copied && (at_barrier || (modelled && t->waiting_memory_pct >= MEMORY_WAITING_MIN_PCT)))
        return &on_copies;
    if (at_barrier)
        return &on_barrier;
    if (!(search_get(s, COUNTER_GLOBAL_LOAD_REQUESTS) > 0) ||
        (modelled && t->waiting_memory_pct < MEMORY_WAITING_MIN_PCT))
        return &on_results;
    return &on_memory;
}

static bool is_named(const struct search *s, const char *cause)
{
    for (size_t i = 0; i < s->out->count; i++)
        if (s->out->items[i].cause && strcmp(s->out->items[i].cause, cause) == 0)
            return true;
    return false;
}

// What is not explained by any resource is waiting, but whether its fix takes it away only a replay says, where there is one.
void find_latency(const struct search *s)
{
    double occupancy = search_get(s, COUNTER_OCCUPANCY_THEORETICAL_PCT);
    bool few = occupancy < OCCUPANCY_LOW_PCT && !grid_is_small(s->in);
    if (search_replays(s) && search_found(s, LAST_RESORT))
        return; // something more specific explains it
    if (!search_waits(s) || few || !(s->waiting.dependency_ns > 0) ||
        !(search_get(s, COUNTER_WARP_INSTRUCTIONS) > 0 ||
          search_get(s, COUNTER_GLOBAL_LOAD_REQUESTS) > 0))
        return;
    const struct dependency *d = dependency_of(s);
    double replayed = search_replayed(s, d->intervention);
    if (!isnan(replayed) && is_named(s, d->cause))
        return;
    struct finding f = {.class = FINDING_LATENCY,
                        .cause = "memory",
                        .title = d->title,
                        .fix = d->fix,
                        .expected_time_ns =
                            isnan(replayed) ? time_without(s, s->waiting.dependency_ns) : replayed,
                        .price = isnan(replayed) ? PRICE_BOUNDS : PRICE_REPLAY};
    finding_place(s, &f, d == &on_results || d == &on_copies ? weight_instructions : weight_global);
    evidence_add(s, &f, "occupancy_achieved_pct");
    evidence_add(s, &f, "occupancy_theoretical_pct");
    evidence_add(s, &f, "load_sectors_per_request");
    evidence_add(s, &f, "barriers");
    evidence_figure(&f, "waiting_dependency_ns", s->waiting.dependency_ns, PROVENANCE_MODELLED);
    finding_add(s, f);
}

// Launches one after the other hand their results on through memory: what all of them load and store, over what
// the job needs. What one of them loads again by itself stays with it when they are fused. 1 where nothing is known.
static double traffic_needed(const struct search *s)
{
    double needed = s->in->work_bytes / search_moved_bytes(s);
    return s->in->launches > 1 && needed < 1 ? needed : 1;
}

// What is looked up at loaded places stays, whoever runs the step: other threads made it, and its sectors are as many as before.
static double traffic_looked_up(const struct search *s)
{
    double sectors = search_get(s, COUNTER_GLOBAL_LOAD_SECTORS);
    double scattered = sectors - search_get(s, COUNTER_GLOBAL_LOAD_SECTORS_IDEAL);
    double gathers = search_fact(s, FACT_LOADS_GATHERED) / search_fact(s, FACT_LOADS_SCATTERED);
    double share = scattered * gathers / (sectors + search_get(s, COUNTER_GLOBAL_STORE_SECTORS));
    return isnan(share) ? 0 : fmin(1, fmax(0, share));
}

// Does each thread load what it had stored in the launch before, and nothing else? One load for each store, none in a row, none of
// what others of the block load: steps that have nothing to hand on need no barrier.
#define AS_MUCH 0.99
static bool hands_nothing_on(const struct search *s)
{
    double loaded = search_get(s, COUNTER_GLOBAL_LOAD_SECTORS_IDEAL),
           stored = search_get(s, COUNTER_GLOBAL_STORE_SECTORS_IDEAL),
           loads = search_fact(s, FACT_LOADS);
    bool once = search_fact(s, FACT_LOAD_BATCHES) >= AS_MUCH * loads;
    return once && loaded >= AS_MUCH * stored && stored >= AS_MUCH * loaded &&
           !(search_fact(s, FACT_LOADS_AGAIN_BLOCK) > 0) &&
           !(search_fact(s, FACT_LOADS_GATHERED) > 0) &&
           !(search_get(s, COUNTER_SHARED_LOAD_REQUESTS) > 0);
}

// What a step of a block takes at least: its warps meet at a barrier, behind which is read what one of them wrote to shared memory.
static double step_ns(const struct search *s)
{
    const struct gpu *g = s->in->gpu;
    double threads = input_grid_blocks(s->in) * search_get(s, COUNTER_BLOCK_THREADS);
    double warps = fmin(threads, GPU(g, max_threads_per_block)) / GPU(g, warp_size);
    double cycles = 2 * GPU(g, latency_shared_cycles) + GPU(g, latency_barrier_cycles) +
                    warps * GPU(g, barrier_warp_cycles);
    return isnan(cycles) ? 0 : cycles / GPU(g, clock_mhz) * 1000;
}

// The busiest resource beside those that move bytes: its work stays in one launch, but for half of the addresses, which a thread makes
// once.
#define ADDRESSES_GONE 0.5
static double computing_ns(const struct search *s)
{
    double index = search_fact(s, FACT_SLOTS_INDEX) / search_fact(s, FACT_SLOTS);
    bool computes_alone =
        hands_nothing_on(s); // it loads and stores once in place of in each launch
    static const enum resource moves[] = {RESOURCE_DRAM, RESOURCE_L2, RESOURCE_LAUNCH,
                                          RESOURCE_LINK, RESOURCE_L1};
    double most = 0;
    for (int r = 0; r < RESOURCE_COUNT; r++) {
        bool counts = !isnan(s->bounds->by[r].time_ns);
        for (size_t i = 0; i < COUNT_OF(moves); i++)
            counts &= r != (int)moves[i];
        counts &= !(r == RESOURCE_ISSUE && computes_alone);
        bool makes_addresses = r == RESOURCE_ISSUE || r == RESOURCE_INTEGER;
        double stays = makes_addresses && index < 1 ? 1 - ADDRESSES_GONE * index : 1;
        most = counts ? fmax(most, stays * s->bounds->by[r].time_ns) : most;
    }
    return most;
}

// What each kernel waits however much it moves: device memory reaches its pace, the SMs that begin last have begun, a first block has
// its first data, and a last store is at L2.
static double begin_ns(const struct search *s)
{
    const struct gpu *g = s->in->gpu;
    double ramp = gpu_dram_ramp_ns(g, s->bounds->by[RESOURCE_DRAM].work / s->in->launches);
    double spread = g->value[GPU_FIELD_grid_spread_ns];
    double cycles =
        GPU(g, block_launch_cycles) + GPU(g, latency_dram_cycles) + GPU(g, latency_l2_cycles);
    double way = cycles / GPU(g, clock_mhz) * 1000;
    return (isnan(ramp) ? 0 : ramp) + (isnan(spread) ? 0 : spread) + (isnan(way) ? 0 : way);
}

// Steps that load what others have stored, as a pair's values or neighbours', meet in one block where its shared memory holds what a
// launch stores: one SM computes then.
#define LOADED_MOST 4.0 // times what is stored: more, and most of it is not handed on
static bool fits_in_block(const struct search *s)
{
    double stored = SECTOR_BYTES * search_get(s, COUNTER_GLOBAL_STORE_SECTORS_IDEAL);
    double loaded = SECTOR_BYTES * search_get(s, COUNTER_GLOBAL_LOAD_SECTORS_IDEAL);
    return search_get(s, COUNTER_WAVES) < 1 && loaded <= LOADED_MOST * stored &&
           stored / s->in->launches <= GPU(s->in->gpu, shared_bytes_per_block);
}

// All in one launch. What kernels wait as they begin and end, one waits. Memory moves the bytes of the job then, what computes stays, and what warps wait beside both, they wait for the
// bytes that are left, or, where memory does not set the pace, once in place of once for each launch; a step takes as long as a
// block's.
static double fused_ns(const struct search *s, double one, double needed)
{
    double moving = fmax(s->bounds->by[RESOURCE_DRAM].time_ns, s->bounds->by[RESOURCE_L2].time_ns);
    double kernels = s->in->time_ns.value - s->bounds->by[RESOURCE_LAUNCH].time_ns;
    double computing = computing_ns(s), launches = s->in->launches;
    bool alone = hands_nothing_on(s);
    double steps_ns = alone ? 0 : launches * step_ns(s);
    if (!alone && fits_in_block(s))
        computing *= GPU(s->in->gpu, sm_count);
    if (!search_replays(s))
        return one + kernels - moving * (1 - needed);
    needed += (1 - needed) * traffic_looked_up(s);
    double waits = fmax(0, kernels - fmax(moving, computing));
    double once = moving >= LIMITER_SHARE * kernels ? 0 : 1 / launches;
    // Of a grid that does not fill the chip what a launch waits is a step's own.
    bool fills = search_get(s, COUNTER_WAVES) >= 1;
    double begins = fills ? fmin(begin_ns(s), waits / launches) : 0;
    double left = fmax(moving * needed, computing) + begins +
                  (waits - launches * begins) * fmax(needed, once);
    return one + fmin(kernels, fmax(left, steps_ns + computing));
}

// Launches that hand nothing on to each other may run side by side, as far as each leaves the chip free: all of them ask for their
// bytes at once.
static double batched_ns(const struct search *s, double one)
{
    int largest = bounds_largest(s->bounds);
    double kernels = s->in->time_ns.value - s->bounds->by[RESOURCE_LAUNCH].time_ns;
    double fill = fmin(1, search_get(s, COUNTER_WAVES)), launches = s->in->launches;
    double least = largest < 0 ? 0 : s->bounds->by[largest].time_ns;
    double moved = s->bounds->by[RESOURCE_DRAM].work,
           ramp =
               gpu_dram_ramp_ns(s->in->gpu, moved) - gpu_dram_ramp_ns(s->in->gpu, moved / launches);
    return one + (isnan(ramp) ? 0 : ramp) +
           fmax(least, isnan(fill) ? kernels : kernels * fmax(fill, 1 / launches));
}

// What is moved beside the job's bytes may be what launches hand on, each stored once and loaded once; more than that is loaded again
// by other blocks.
#define HANDED_ON_MIN 0.1 // of what is moved
static bool may_hand_on(const struct search *s)
{
    double moved = search_moved_bytes(s), more = moved - s->in->work_bytes;
    double stored = SECTOR_BYTES * search_get(s, COUNTER_GLOBAL_STORE_SECTORS_IDEAL);
    return more >= HANDED_ON_MIN * moved && more <= 2 * stored;
}

// So many launches share what they move that most bring data of their own, and each leaves most of the chip idle: none needs the
// one before.
#define APART_MIN 8.0 // launches' worth of the job's bytes
static bool have_data_apart(const struct search *s, double needed)
{
    return needed * s->in->launches >= APART_MIN && search_get(s, COUNTER_WAVES) <= IDLE_MOST &&
           !may_hand_on(s);
}

// Together they move the bytes of the job and no more: what one stores no other loads, and each leaves most of the chip idle.
static bool need_no_other(const struct search *s)
{
    return s->in->launches >= APART_MIN && search_get(s, COUNTER_WAVES) <= IDLE_MOST &&
           search_moved_bytes(s) <= (1 + HANDED_ON_MIN) * s->in->work_bytes; // false for NAN
}

void find_launch(const struct search *s)
{
    double launch = s->bounds->by[RESOURCE_LAUNCH].time_ns, time = s->in->time_ns.value;
    double one = launch / (s->in->launches > 1 ? s->in->launches : 1);
    double needed = search_replays(s) ? traffic_needed(s) : 1;
    bool several = s->in->launches > 1 && needed < PASSES_NEEDED;
    if (!several && !(launch / time >= LAUNCH_SHARE))
        return;
    bool apart = several ? have_data_apart(s, needed) : need_no_other(s);
    if (!several && !apart && search_replays(s) && search_found(s, LAST_RESORT))
        return; // a short kernel: first what makes it longer than it need be
    double alone = fmax(time - launch, time / 2);
    struct finding f = {
        .cause = "launches",
        .class = FINDING_LAUNCH,
        .title = apart ? arena_printf(s->a,
                                      "%d launches fill %.0f %% of the chip each, one after the "
                                      "other",
                                      s->in->launches, 100 * fmin(1, search_get(s, COUNTER_WAVES)))
                 : several
                     ? arena_printf(s->a,
                                    "%d launches hand results on through memory: they load and "
                                    "store %.1f times the bytes the job needs",
                                    s->in->launches, 1 / needed)
                     : arena_printf(s->a, "Starting the kernel is %.0f %% of the %s",
                                    100 * launch / time, search_time(s)),
        .fix =
            apart
                ? "Give one launch all of them: each has data of its own, and a grid of all their "
                  "blocks fills the chip."
            : several ? "Fuse the launches, so that what one computes stays in registers or shared "
                        "memory for the next."
                      : "Do more in a launch: fuse kernels, batch problems, or replay a graph.",
        .expected_time_ns = apart                 ? batched_ns(s, one)
                            : several             ? fused_ns(s, one, needed)
                            : s->in->launches > 1 ? fmin(alone, batched_ns(s, one))
                                                  : alone,
    };
    evidence_add(s, &f, "waves");
    evidence_figure(&f, "launches", s->in->launches, PROVENANCE_MODELLED);
    evidence_figure(&f, "waiting_launch_ns", s->waiting.launch_ns, PROVENANCE_MODELLED);
    finding_add(s, f);
}

// A grid that leaves SMs without a block, or, where it does not fill the chip, with fewer than fit.
static const char *tail_title(const struct search *s, double waves)
{
    double blocks = input_grid_blocks(s->in), sms = GPU(s->in->gpu, sm_count);
    if (waves > 1)
        return arena_printf(s->a, "The last of %.0f waves of blocks is nearly empty", ceil(waves));
    if (blocks < sms) {
        const char *word = gpu_words(s->in->gpu)->blocks;
        int letters = (int)strlen(word) - (blocks <= 1); // "1 block"
        return arena_printf(s->a, "The grid has %.0f %.*s for %.0f %ss", blocks, letters, word, sms,
                            gpu_words(s->in->gpu)->sm);
    }
    return arena_printf(s->a, "The grid fills only %.0f %% of the chip", 100 * waves);
}

// Each thread's loop stays as long as it is, unless it steps by the grid, or is shared out.
static const char *tail_fix(const struct search *s, bool split)
{
    if (split)
        return "Let several blocks take a part of each thread's sum and add their results "
               "(atomics, or a second pass; for running sums a first pass that adds up each part), "
               "so that every SM has work.";
    if (search_fact(s, FACT_GRID_LOOPS) > 0)
        return "Launch more blocks, so that every SM has work: the loop steps by the grid, and is "
               "as much shorter.";
    return "Use more, smaller blocks, so that every SM has work; each thread's loop stays as long "
           "as it is, unless several threads or blocks share it and combine their results.";
}

void find_tail(const struct search *s)
{
    double waves = search_get(s, COUNTER_WAVES);
    if (!(waves > 0))
        return;
    double used = sms_used(s->in), full = waves / ceil(waves);
    bool equal = waves > 1 && blocks_balance(s->in) >= BALANCED;
    bool idle = 100 * used < (equal ? LAST_WAVE_MIN_PCT : SM_UTILISATION_MIN_PCT);
    // SMs that all have work, but few blocks each: that costs time only where warps wait.
    bool thin = !idle && 100 * full < SM_UTILISATION_MIN_PCT && search_waits(s);
    // Each SM has a block, and its warps wait for their own results: more chains do as well, and need no more blocks.
    if (thin && search_replays(s) && search_stall(s, STALL_LONG_SCOREBOARD) < MEMORY_STALL_MIN)
        return;
    // Nothing to spread: more blocks would be no more threads, or a block's warps work together.
    bool whole = waves < 1 && search_replays(s) && isnan(search_replayed(s, INTERVENTION_GRID));
    if (whole && thin)
        return;
    double spread = search_replayed(s, INTERVENTION_GRID),
           shared_out = search_replayed(s, INTERVENTION_SPLIT);
    bool split = idle && shared_out < s->in->time_ns.value && !(spread <= shared_out);
    double own = idle ? s->waiting.tail_ns : s->waiting.dependency_ns * (1 - full);
    if ((!idle && !thin) || !(own > 0))
        return;
    struct finding f = {
        .cause = "small-grid",
        .class = FINDING_TAIL,
        .title = tail_title(s, waves),
        .fix = waves < 1
                   ? tail_fix(s, split)
                   : "Choose a grid that is a multiple of what the chip holds, or let blocks take "
                     "several tiles each.",
        .expected_time_ns = split   ? shared_out
                            : whole ? (double)NAN
                                    : time_without(s, own),
        .price = split ? PRICE_REPLAY : PRICE_BOUNDS,
        .shared_out = split,
        .thin = thin,
        .idle = input_grid_blocks(s->in) <= IDLE_MOST * GPU(s->in->gpu, sm_count),
        .half_idle = input_grid_blocks(s->in) <= IDLE_HALF * GPU(s->in->gpu, sm_count),
    };
    evidence_add(s, &f, "waves");
    evidence_figure(&f, "grid_blocks", input_grid_blocks(s->in), PROVENANCE_MEASURED);
    evidence_add(s, &f, "occupancy_achieved_pct");
    evidence_figure(&f, "waiting_tail_ns", s->waiting.tail_ns, PROVENANCE_MODELLED);
    finding_add(s, f);
}

// Fewer warps than the waves account for: some blocks have much more to do than others, and those that
// ended leave their places empty. Where blocks were counted and are equal, it is not that.
// Warps of a block that wait for a longer one: seen in the trace.
static bool find_unequal_warps(const struct search *s)
{
    double longest = search_fact(s, FACT_WARP_OPS_MOST) / search_fact(s, FACT_WARP_OPS);
    // Of a sample that is unlike the grid nothing is said of warps: its blocks are unequal before them.
    bool unlike = search_replays(s) && isnan(search_replayed(s, INTERVENTION_IMBALANCE));
    if (!(longest >= UNEQUAL_WARPS) || unlike)
        return false;
    struct finding f = {
        .cause = "unequal-work",
        .class = FINDING_TAIL,
        .title =
            arena_printf(s->a,
                         "Warps of a block have unequal work: the longest executes %.1f times the "
                         "mean",
                         longest),
        .fix = "Share the long warp's work out (split rows or lists among all warps, take pieces "
               "from a "
               "counter), or give such work a block of its own.",
        .expected_time_ns = (double)NAN,
    };
    finding_place(s, &f, weight_time);
    evidence_figure(&f, "longest_warp", longest, s->in->facts->provenance);
    evidence_add(s, &f, "block_balance_pct");
    evidence_add(s, &f, "occupancy_achieved_pct");
    finding_add(s, f);
    return true;
}

// No more blocks than SMs: nothing evens out, the largest block's time is the kernel's. 0: it is not so.
static double tail_alone(const struct search *s)
{
    double balance = blocks_balance(s->in), blocks = input_grid_blocks(s->in);
    double time = s->in->time_ns.value, launch = s->bounds->by[RESOURCE_LAUNCH].time_ns;
    if (!(balance < UNEQUAL_ALONE) || !(blocks > 1 && blocks <= GPU(s->in->gpu, sm_count)))
        return 0;
    double start = isnan(launch) ? 0 : fmin(launch, time);
    return time - start >= LONG_LAUNCHES * start ? (time - start) * (1 - balance) : 0;
}

static bool find_unequal_alone(const struct search *s)
{
    double balance = blocks_balance(s->in), blocks = input_grid_blocks(s->in);
    double tail = tail_alone(s);
    if (!(tail > 0))
        return false;
    struct finding f = {
        .cause = "unequal-work",
        .class = FINDING_TAIL,
        .title = arena_printf(s->a,
                              "Blocks have unequal work: the largest does %.1f times the mean, and "
                              "each has an SM to itself",
                              1 / balance),
        .fix = "Give blocks equal shares: every n-th row in place of a band of rows, long pieces "
               "split, or small pieces taken from a counter until none is left.",
        .expected_time_ns = time_without(s, tail),
        .bound_stands = time_without(s, tail) < search_replayed(s, INTERVENTION_IMBALANCE),
    };
    finding_place(s, &f, weight_time);
    evidence_add(s, &f, "block_balance_pct");
    evidence_figure(&f, "grid_blocks", blocks, PROVENANCE_MEASURED);
    finding_add(s, f);
    return true;
}

// All blocks are there at once, several on an SM, and known to be unequal: places of those that end stay empty. 0: too short
// a kernel, or not known.
static double tail_at_once(const struct search *s, double used)
{
    double time = s->in->time_ns.value, launch = s->bounds->by[RESOURCE_LAUNCH].time_ns;
    double start = isnan(launch) ? 0 : fmin(launch, time);
    bool unequal = blocks_balance(s->in) < UNEQUAL_ALONE &&
                   input_grid_blocks(s->in) > GPU(s->in->gpu, sm_count);
    return unequal && time - start >= LONG_LAUNCHES * start ? (time - start) * (1 - used) : 0;
}

// Blocks that have an SM each wait for the largest, whatever its warps wait for: where that is more of the time, it is said.
static bool blocks_first(const struct search *s)
{
    double tail = tail_alone(s);
    return tail > 0 && time_without(s, tail) < search_replayed(s, INTERVENTION_IMBALANCE);
}

void find_imbalance(const struct search *s)
{
    if ((!blocks_first(s) && find_unequal_warps(s)) || find_unequal_alone(s))
        return;
    double possible = search_get(s, COUNTER_OCCUPANCY_THEORETICAL_PCT);
    double achieved = search_get(s, COUNTER_OCCUPANCY_ACHIEVED_PCT);
    double waves = search_get(s, COUNTER_WAVES), balance = blocks_balance(s->in);
    double could = possible * waves / ceil(waves), tail = s->waiting.tail_ns;
    if (waves < 1)
        tail = tail_at_once(s, achieved / could);
    if (!(achieved < could * SM_UTILISATION_MIN_PCT / 100) || balance >= BALANCED || !(tail > 0))
        return;
    struct finding f = {
        .cause = "unequal-work",
        .class = FINDING_TAIL,
        .title = isnan(balance)
                     ? arena_printf(s->a,
                                    "Few of the warps that fit are active, %.0f %% on average of "
                                    "%.0f %%: blocks may have unequal work",
                                    achieved, could)
                     : arena_printf(s->a,
                                    "Blocks have unequal work: the largest does %.1f times the "
                                    "mean; %.0f %% of the warps are active on average, %.0f %% "
                                    "could be",
                                    1 / balance, achieved, could),
        .fix = "Give blocks equal shares (split the long rows, sort by length), or let them take "
               "small pieces from a counter until none is left.",
        .expected_time_ns = time_without(s, tail),
    };
    finding_place(s, &f, weight_divergence);
    evidence_add(s, &f, "block_balance_pct");
    evidence_add(s, &f, "occupancy_achieved_pct");
    evidence_add(s, &f, "occupancy_theoretical_pct");
    evidence_add(s, &f, "waves");
    evidence_figure(&f, "waiting_tail_ns", tail, PROVENANCE_MODELLED);
    finding_add(s, f);
}
