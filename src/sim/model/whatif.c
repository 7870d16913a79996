// Counterfactual replays: the time of the same execution with something taken away. See whatif.h.
// SPDX-License-Identifier: Apache-2.0
#include "sim/model/whatif.h"

#include "sim/model/cost.h"

#include <stdlib.h>
#include <string.h>

enum {
    REPLAY_OPS_SHORT = 150000, // of a counterfactual: some twenty are replayed of a launch
    REPLAY_OPS_LEAST = 5000,   // … where they have to end soon
    LOOPS_MAX = 8              // of a kernel, one after the other
};
static const double replay_longer =
    1.5; // than the one with nothing taken away: what is to be reckoned with

static const struct intervening *const intervening_of[INTERVENTION_COUNT] = {
    [INTERVENTION_CONFLICTS] = &intervene_conflicts,
    [INTERVENTION_SECTORS] = &intervene_sectors,
    [INTERVENTION_ATOMICS] = &intervene_atomics,
    [INTERVENTION_SHARED_ATOMICS] = &intervene_shared_atomics,
    [INTERVENTION_BARRIERS] = &intervene_barriers,
    [INTERVENTION_IDLE_LANES] = &intervene_idle_lanes,
    [INTERVENTION_STEPS] = &intervene_steps,
    [INTERVENTION_LOADS] = &intervene_loads,
    [INTERVENTION_AHEAD] = &intervene_ahead,
    [INTERVENTION_CHAINS] = &intervene_chains,
    [INTERVENTION_BYTES] = &intervene_bytes,
    [INTERVENTION_F64] = &intervene_f64,
    [INTERVENTION_FUNCTIONS] = &intervene_functions,
    [INTERVENTION_HALVES] = &intervene_halves,
    [INTERVENTION_DIVISIONS] = &intervene_divisions,
    [INTERVENTION_RELOADS] = &intervene_reloads,
    [INTERVENTION_BLOCK_RELOADS] = &intervene_block_reloads,
    [INTERVENTION_SHARED_LOADS] = &intervene_shared_loads,
    [INTERVENTION_INDEX] = &intervene_index,
    [INTERVENTION_WARPS] = &intervene_warps,
    [INTERVENTION_GRID] = &intervene_grid,
    [INTERVENTION_SPLIT] = &intervene_split,
    [INTERVENTION_ROWS] = &intervene_rows,
    [INTERVENTION_IMBALANCE] = &intervene_imbalance,
    [INTERVENTION_LOCAL] = &intervene_local,
    [INTERVENTION_UNIFORM] = &intervene_uniform,
    [INTERVENTION_TENSOR] = &intervene_tensor,
};

/* ---- a copy to change --------------------------------------------------------------------------------- */

void altered_each(struct altered *x, op_change change, void *context)
{
    for (int b = 0; b < x->trace.block_count; b++)
        for (int w = 0; w < x->trace.blocks[b].warp_count; w++) {
            struct trace_warp *warp = &x->trace.blocks[b].warps[w];
            for (size_t i = 0; i < warp->count; i++)
                change(x, &warp->ops[i], context);
        }
}

// A loop of a warp: the stretch from its most executed instruction's first place to its last.
struct stretch {
    uint32_t site;
    size_t iterations, first, last;
};

// The hottest loop of what no earlier one covers (`done`, by site).
static struct stretch loop_find(const struct altered *x, const struct trace_warp *w,
                                const bool *done, uint32_t *counts)
{
    struct stretch s = {0};
    memset(counts, 0, (size_t)x->sites * sizeof *counts);
    for (size_t i = 0; i < w->count; i++) {
        uint32_t site = w->ops[i].site % (uint32_t)x->sites;
        if (!done[site] && ++counts[site] > s.iterations) {
            s.site = site;
            s.iterations = counts[site];
        }
    }
    s.first = w->count;
    for (size_t i = 0; i < w->count; i++)
        if (w->ops[i].site % (uint32_t)x->sites == s.site) {
            s.first = s.first < i ? s.first : i;
            s.last = i;
        }
    return s;
}

// Keeps the loop's first iterations and what follows its last one: from one place in it to the same place, so that
// instructions keep their neighbours.
static void loop_shorten(const struct altered *x, struct trace_warp *w, const struct stretch *s,
                         double share)
{
    size_t keep = (size_t)fmax(1, floor((double)s->iterations * share + 0.5)), seen = 0;
    size_t from = s->first;
    for (size_t i = s->first; i <= s->last && seen < keep; i++)
        if (w->ops[i].site % (uint32_t)x->sites == s->site) {
            seen++;
            from = i;
        }
    memmove(&w->ops[from], &w->ops[s->last], (w->count - s->last) * sizeof *w->ops);
    w->count -= s->last - from;
}

static bool stretch_moves(const struct altered *x, const struct trace_warp *w,
                          const struct stretch *s)
{
    for (size_t i = s->first; i <= s->last; i++)
        if (moves_data(x->site[w->ops[i].site].pipe))
            return true;
    return false;
}

// The hottest loop, and those after or before it that go through data: the steps of a tree stay. What is inside another
// is shortened with it.
static bool warp_shorten(const struct altered *x, struct trace_warp *w, double share, bool *done,
                         uint32_t *counts, bool *shortened)
{
    bool any = false;
    memset(done, 0, (size_t)x->sites * sizeof *done);
    for (int n = 0; n < LOOPS_MAX && w->count > 0; n++) {
        struct stretch s = loop_find(x, w, done, counts);
        if (s.iterations < 2)
            break;
        for (size_t i = s.first; i <= s.last; i++)
            done[w->ops[i].site % (uint32_t)x->sites] = true;
        if (n > 0 && !stretch_moves(x, w, &s))
            continue;
        for (size_t i = s.first; i <= s.last; i++)
            shortened[w->ops[i].site % (uint32_t)x->sites] = true;
        loop_shorten(x, w, &s, share);
        any = true;
    }
    return any;
}

bool altered_shorten(struct altered *x, double share, bool *shortened)
{
    bool any = false;
    uint32_t *counts = xcalloc((size_t)x->sites + 1, sizeof *counts);
    bool *done = xcalloc((size_t)x->sites + 1, sizeof *done);
    for (int b = 0; b < x->trace.block_count; b++)
        for (int w = 0; w < x->trace.blocks[b].warp_count; w++)
            any |= warp_shorten(x, &x->trace.blocks[b].warps[w], share, done, counts, shortened);
    free(done);
    free(counts);
    return any;
}

static void trace_copy(struct altered *x)
{
    const struct trace *from = x->was->trace;
    size_t ops = 0;
    x->trace = *from;
    x->trace.block_count = 0;
    x->trace.blocks = ARENA_ARRAY(&x->arena, struct trace_block, from->block_count + 1);
    for (int b = 0; b < from->block_count && (b == 0 || ops < x->in.ops_max); b++) {
        struct trace_block *to = &x->trace.blocks[x->trace.block_count++];
        *to = from->blocks[b];
        to->warps = ARENA_ARRAY(&x->arena, struct trace_warp, to->warp_count + 1);
        for (int w = 0; w < to->warp_count; w++) {
            const struct trace_warp *it = &from->blocks[b].warps[w];
            to->warps[w] = *it;
            to->warps[w].ops = ARENA_ARRAY(&x->arena, struct trace_op, it->count + 1);
            if (it->count > 0)
                memcpy(to->warps[w].ops, it->ops, it->count * sizeof *it->ops);
            ops += it->count;
        }
    }
}

static void sites_copy(struct altered *x)
{
    const struct timing_input *in = x->was;
    size_t n = (size_t)in->site_count;
    size_t all = n * FORM_COUNT + PAID_COUNT;
    x->site = ARENA_ARRAY(&x->arena, struct timing_site, all);
    x->stats = ARENA_ARRAY(&x->arena, struct sim_site, all);
    memcpy(x->stats, in->stats, n * sizeof *x->stats);
    // Blocks of unequal work stay as long as they were counted, each operation as long as it takes after the change.
    struct sim_site *counted = ARENA_ARRAY(&x->arena, struct sim_site, all);
    memcpy(counted, in->stats, n * sizeof *counted);
    x->in.work_stats = counted;
    x->in.work_blocks = in->grid_blocks;
    for (int form = 0; form < FORM_COUNT; form++)
        memcpy(x->site + n * (size_t)form, in->sites, n * sizeof *x->site);
    for (size_t i = 0; i < n; i++) {
        struct timing_site *shared = &x->site[FORM_SHARED * n + i];
        shared->pipe = is_global_atomic(shared->pipe) ? PIPE_SHARED_ATOMIC : PIPE_SHARED_LOAD;
        x->site[FORM_VANISHED * n + i].pipe = PIPE_NONE;
        x->site[FORM_UNIFORM * n + i].pipe = PIPE_UNIFORM;
    }
    paid_sites(x);
}

static void altered_init(struct altered *x, const struct timing_input *in,
                         const struct patterns *patterns, uint64_t ops_max)
{
    *x = (struct altered){.was = in, .patterns = patterns, .sites = in->site_count};
    x->gpu = *in->gpu;
    x->counters = *in->counters;
    x->in = *in;
    x->in.ops_max = ops_max;
    sites_copy(x);
    trace_copy(x);
    x->in.gpu = &x->gpu;
    x->in.trace = &x->trace;
    x->in.sites = x->site;
    x->in.stats = x->stats;
    x->in.site_count = in->site_count * FORM_COUNT + PAID_COUNT;
    x->in.register_count = in->register_count + 1;
    x->in.counters = &x->counters;
}

/* ---- one change, one time ------------------------------------------------------------------------------ */

// A block that alone is longer than the replay: as much of each of its warps as there is room for.
static void trace_limit(struct altered *x)
{
    const struct timing_input *in = &x->in;
    double resident =
        fmin(in->blocks_per_sm, ceil((double)in->grid_blocks / GPU(in->gpu, sm_count)));
    double most = (double)in->ops_max / resident / in->warps_per_block, longest = 0;
    for (int b = 0; b < x->trace.block_count; b++)
        for (int w = 0; w < x->trace.blocks[b].warp_count; w++)
            longest = fmax(longest, (double)x->trace.blocks[b].warps[w].count);
    if (longest > 2 * most)
        x->trace.cut = true;
}

// Loads that are gone as a whole need no registers: those that are left go out together, where all of them did in groups.
static void loads_gone(struct altered *x)
{
    bool *left = altered_marks(x), *gone = altered_marks(x);
    for (int b = 0; b < x->trace.block_count; b++)
        for (int w = 0; w < x->trace.blocks[b].warp_count; w++)
            for (size_t i = 0; i < x->trace.blocks[b].warps[w].count; i++) {
                uint32_t site = x->trace.blocks[b].warps[w].ops[i].site,
                         own = site % (uint32_t)x->sites;
                bool vanished = site == form_of(x, own, FORM_VANISHED);
                if (site < (uint32_t)x->sites * FORM_COUNT) // else it is paid
                    *(vanished ? &gone[own] : &left[own]) = true;
            }
    for (int i = 0; i < x->sites; i++)
        if (gone[i] && !left[i] && x->site[i].pipe == PIPE_GLOBAL_LOAD) {
            x->site[i].pipe = PIPE_NONE;
            x->order_freed = true;
        }
}

// ptxas moves nothing over an exact function's way to its routine: where a change takes those away, loads behind it go out with
// those in front of it. The places are those of all forms of a site.
static void order_anew(struct altered *x)
{
    if (!x->order_freed || x->was->program == NULL)
        return;
    timing_schedule_of(x->was->program, x->site);
    for (int form = 1; form < FORM_COUNT; form++)
        for (int i = 0; i < x->sites; i++)
            x->site[form * x->sites + i].moved = x->site[i].moved;
}

static double counterfactual(const struct timing_input *in, const struct patterns *patterns,
                             const struct interventions *change, uint64_t ops_max, uint64_t *steps)
{
    struct altered x;
    struct time_breakdown time;
    altered_init(&x, in, patterns, ops_max);
    for (int i = 0; i < INTERVENTION_COUNT; i++)
        if (!isnan(change->to[i]) && intervening_of[i]->applies(in, patterns))
            intervening_of[i]->apply(&x, change->to[i]);
    loads_gone(&x);
    order_anew(&x);
    altered_blocks_apart(&x);
    trace_limit(&x);
    altered_settle(&x);
    sim_timing_model(&x.in, &time, NULL);
    arena_release(&x.arena);
    *steps = time.steps;
    return time.valid ? time.time_ns + x.further_ns : (double)NAN;
}

struct replay { // of one change
    struct interventions change;
    struct figure *into; // NULL: the base that the others are held against
    double time_ns;
    uint64_t steps; // of the model
};
struct replays {
    const struct timing_input *in;
    const struct patterns *patterns;
    struct replay items[INTERVENTION_COUNT + 2];
    int count;
    uint64_t ops_max;
};

static void add_replay(struct replays *r, const struct interventions *change, struct figure *into)
{
    r->items[r->count++] = (struct replay){.change = *change, .into = into};
}

// Each changes a copy of its own: they do not see one another, and their order does not show.
static void run_replays(void *context, uint64_t first, uint64_t end)
{
    struct replays *r = context;
    for (uint64_t i = first; i < end; i++)
        r->items[i].time_ns =
            counterfactual(r->in, r->patterns, &r->items[i].change, r->ops_max, &r->items[i].steps);
}

// How much of the trace each replays: as much as they all get through in that time, by how long the first one takes, which has
// nothing taken away, and how many steps. Longer and longer ones are tried, as what is too long does not end in time.
static uint64_t ops_within(struct replays *r, double seconds, uint64_t steps, int threads)
{
    enum { NS_PER_S = 1000000000, LONGER = 3 };
    uint64_t began_ns = clock_ns(), fits = REPLAY_OPS_LEAST;
    for (uint64_t ops = fits; ops < LONGER * REPLAY_OPS_SHORT; ops *= LONGER) {
        uint64_t now_ns = clock_ns();
        r->ops_max = ops < REPLAY_OPS_SHORT ? ops : REPLAY_OPS_SHORT;
        run_replays(r, 0, 1);
        double took_s = (double)(clock_ns() - now_ns) / NS_PER_S;
        double left_s = seconds - (double)(clock_ns() - began_ns) / NS_PER_S;
        double all = replay_longer * (r->count - 1);
        if (took_s * all / threads > left_s ||
            (steps > 0 && (double)r->items[0].steps * all > (double)steps))
            break;
        fits = r->ops_max;
    }
    return fits;
}

// Elements that lie side by side come by vectors too, and so do more of them at a time than of a gather.
static double standard_of(enum intervention i, const struct timing_input *in,
                          const struct patterns *p)
{
    static const double gathered = 4;
    double standard = intervention_standard(i);
    bool gathers = p->facts.value[FACT_LOADS_GATHERED] > 0.5 * p->facts.value[FACT_LOADS];
    if (i == INTERVENTION_SHARED_LOADS)
        return shared_loads_standard(in, standard);
    return i == INTERVENTION_LOADS && gathers ? fmin(gathered, standard) : standard;
}

// A tile that gains nothing as it is gets padded.
#define GAINS 0.97 // of the time is left
static void tile_pad(struct replays *r, const struct figure *sectors)
{
    for (int i = 1; i < r->count; i++)
        if (r->items[i].into == sectors && !(r->items[i].time_ns < GAINS * r->items[0].time_ns)) {
            r->items[i].change.to[INTERVENTION_SECTORS] = SECTORS_PADDED;
            run_replays(r, (uint64_t)i, (uint64_t)i + 1);
        }
}

static void replay_all(const struct timing_input *in, const struct patterns *patterns,
                       double time_ns, const struct sim_launch *asked, struct counterfactuals *out)
{
    struct replays r = {.in = in, .patterns = patterns, .ops_max = REPLAY_OPS_SHORT};
    struct interventions none = interventions_none();
    add_replay(&r, &none, NULL);
    for (int i = 0; i < INTERVENTION_COUNT; i++) {
        struct interventions one = none;
        one.to[i] = standard_of((enum intervention)i, in, patterns);
        if (intervening_of[i]->applies(in, patterns))
            add_replay(&r, &one, &out->time_ns[i]);
    }
    if (asked->change)
        add_replay(&r, asked->change, &out->asked_ns);
    if (asked->replay_s > 0)
        r.ops_max = ops_within(&r, asked->replay_s, asked->replay_steps,
                               asked->threads > 0 ? asked->threads : cpu_count());
    if (asked->threads == 1)
        run_replays(&r, 0, (uint64_t)r.count);
    else
        parallel_for((uint64_t)r.count, 1, run_replays, &r);
    tile_pad(&r, &out->time_ns[INTERVENTION_SECTORS]);
    double base = r.items[0].time_ns;
    for (int i = 1; i < r.count && base > 0; i++)
        *r.items[i].into =
            (struct figure){time_ns * r.items[i].time_ns / base, PROVENANCE_MODELLED};
}

void sim_counterfactuals(const struct timing_input *in, double time_ns,
                         const struct sim_launch *asked, struct sim_report *report)
{
    struct arena a = {0};
    struct patterns patterns;
    patterns_find(in, &a, &patterns);
    report->facts = patterns.facts;
    report->counterfactuals.as_is_ns = (struct figure){time_ns, PROVENANCE_MODELLED};
    if (asked->counterfactuals)
        replay_all(in, &patterns, time_ns, asked, &report->counterfactuals);
    arena_release(&a);
}
