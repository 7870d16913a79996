// Of the replay of one SM: the time of the whole chip, what takes it, and what warps waited for. A block by itself says what
// blocks of unequal work take (uneven.c).
// SPDX-License-Identifier: Apache-2.0
#include "sim/model/replay.h"

#include <stdlib.h>

static double issue_busy(const struct replay *p) // of a scheduler, on average
{
    double busy = 0;
    for (int i = 0; i < p->schedulers; i++)
        busy += p->issue[i].busy / p->schedulers;
    return busy;
}

// Of the unit that the replayed blocks keep busiest. Their warps need not wait for it (stores, reductions): blocks may begin sooner than
// it takes what they send.
static double busiest(const struct replay *p)
{
    const struct server *shared[] = {&p->port, &p->l2, &p->flits, &p->dram, &p->atomic, &p->fill};
    double most = issue_busy(p);
    for (size_t i = 0; i < COUNT_OF(shared); i++)
        most = later(most, shared[i]->busy);
    for (int i = 0; i < SERVER_COUNT; i++)
        most = later(most, p->pipe[i].busy);
    return most;
}

// Cycles of the busiest SM: what was replayed, and the rest at the steady interval of starts.
static double sm_cycles(const struct replay *p, uint64_t sm_blocks)
{
    uint64_t ran = p->blocks_started, resident = (uint64_t)p->in->blocks_per_sm;
    if (p->in->trace
            ->cut) // one generation of pieces: the rest of the work takes as long for its size
        return p->end * p->whole * later(1, (double)sm_blocks / (double)ran);
    if (sm_blocks <= ran || ran < resident + 2)
        return p->end;
    uint64_t first = ran > 3 * resident ? resident * 2 : resident;
    double blocks = (double)(ran - 1 - first), done;
    // A short replay of a few long blocks has but one round of starts, which are early or late by chance: what was done meanwhile
    // says how many blocks that were.
    if (p->in->ops_max > 0 && p->ran > 0) {
        done =
            (double)(p->ran_before[ran - 1] - p->ran_before[first]) * (double)ran / (double)p->ran;
        blocks = done > 0 ? done : blocks;
    }
    double interval = (p->starts[ran - 1] - p->starts[first]) / blocks;
    interval = later(interval, busiest(p) / (double)ran);
    return p->end + (double)(sm_blocks - ran) * interval;
}

// Atomics of all SMs queue where few addresses are; one SM's replay does not see the others'.
static double hot_cycles(const struct replay *p)
{
    const struct gpu *g = p->in->gpu;
    double ns = 1000 / GPU(g, clock_mhz);
    double queued = p->in->atomic_turns * p->hot_share / (GPU(g, l2_atomic_same_per_ns) * ns);
    return queued > 0 ? queued + p->r.atomic_latency : 0;
}

// A block by itself on an SM: what its operations wait for without others, and what they take of each unit.
static struct trace trace_of_block(const struct timing_input *in, int block)
{
    struct trace one = *in->trace;
    one.blocks += block;
    one.block_count = 1;
    return one;
}

// Of a load that was not replayed: what most of its requests wait for, by where its sectors were found.
static double load_latency(const struct replay *p, int site)
{
    const struct sim_site *s = &p->in->stats[site];
    const struct rates *r = &p->r;
    double requests = (double)s->requests;
    if (requests <= 0)
        return r->l1_latency;
    double far = (double)(s->l2_sectors - s->l2_hit_sectors + s->l2_coming_sectors) / requests,
           all = (double)s->l2_sectors / requests;
    double dram = sooner(1, far), l2 = sooner(1, all) - dram;
    return dram * r->dram_latency + l2 * r->l2_latency + (1 - dram - l2) * r->l1_latency;
}

// Does it add to its own result, turn by turn?
static bool is_carried(const struct timing_site *t)
{
    return registers_meet(t->source, t->source_count, t->result, t->result_count);
}

// When it issues, if the one before did at `now`, and its operands are there at `operands`.
static double issue_alone(const struct replay *p, int site, double now, double operands)
{
    const struct site_cost *c = &p->costs[site];
    if (c->unit == UNIT_NONE)
        return now;
    if (c->pipe == PIPE_BRANCH)
        return now + c->next + c->hold + p->r.guard + p->r.branch_back;
    return later(now + (is_carried(&p->in->sites[site]) ? c->latency : c->next), operands);
}

// Of each site, cycles from the instruction before. One that was not replayed waits for its operands, in the order of issue.
static double *gaps_alone(const struct replay *p, const struct replay *one)
{
    const struct timing_input *in = p->in;
    double *alone = xcalloc((size_t)in->site_count + 1, sizeof *alone),
           *ready = xcalloc((size_t)in->register_count + 1, sizeof *ready), now = 0;
    for (int k = 0; k < in->site_count; k++) {
        int i = k + in->sites[k].moved;
        const struct timing_site *t = &in->sites[i];
        const struct gap *g = one->gaps[i].count > 0 ? &one->gaps[i] : &p->gaps[i];
        unsigned unit = p->costs[i].unit;
        double operands = 0, latency = unit == UNIT_LOAD ? load_latency(p, i) : p->costs[i].latency;
        for (int n = 0; n < t->source_count; n++)
            operands = later(operands, ready[t->source[n]]);
        double at =
            g->count > 0 ? now + g->cycles / (double)g->count : issue_alone(p, i, now, operands);
        for (int n = 0; n < t->result_count; n++)
            ready[t->result[n]] = unit == UNIT_NONE ? later(now, operands) : at + latency;
        alone[i] = at - now;
        now = at;
    }
    free(ready);
    return alone;
}

// What goes through one pipe or another. A full SM's does so that both are as busy, if it can.
static const uint8_t pairs[][2] = {{SERVER_FMA_LITE, SERVER_FMA_HEAVY},
                                   {SERVER_INTEGER, SERVER_FMA_HEAVY}};
enum { PAIRS = sizeof pairs / sizeof *pairs };

static int pair_of(const struct site_cost *c, int unit)
{
    int i = 0;
    while (i < PAIRS && !(c->unit == UNIT_MATH && unit == c->first && pairs[i][0] == c->first &&
                          pairs[i][1] == c->second))
        i++;
    return i;
}

static void pairs_share(double taken[UNIT_TIMES], const double either[PAIRS])
{
    enum { ROUNDS = 16 };
    double first[PAIRS] = {0};
    for (int i = 0; i < PAIRS; i++)
        taken[pairs[i][1]] += either[i];
    for (int n = 0; n < ROUNDS * PAIRS; n++) {
        int i = n % PAIRS;
        double *a = &taken[pairs[i][0]], *b = &taken[pairs[i][1]];
        double more = later(-first[i], sooner((*b - *a) / 2, either[i] - first[i]));
        first[i] += more;
        *a += more;
        *b -= more;
    }
}

// What the grid's warps execute once, as most of them do, or what is more than that, of loops; as one of the blocks executes it
// by itself. Of sites that it does not execute: as in the replay.
static struct uneven_part part_of(const struct replay *p, const struct replay *one,
                                  const double *gaps, bool more)
{
    const struct timing_input *in = p->in;
    const struct sim_site *stats = in->work_stats ? in->work_stats : in->stats;
    double warps = uneven_blocks(in) * in->warps_per_block, executed = 0, alone = 0;
    double taken[UNIT_TIMES] = {0}, either[PAIRS] = {0};
    for (int i = 0; i < in->site_count; i++) {
        double once = sooner((double)stats[i].executed, warps);
        double times = more ? (double)stats[i].executed - once : once;
        executed += times;
        alone += times * gaps[i];
        if (one->gaps[i].count == 0)
            taken[TIME_ISSUE] += times * one->costs[i].slots / one->schedulers;
        for (int u = 0; u < UNIT_TIMES && one->gaps[i].count > 0; u++) {
            double of_one = times * one->taken[i][u] / (double)one->gaps[i].count;
            int pair = pair_of(&one->costs[i], u);
            *(pair < PAIRS ? &either[pair] : &taken[u]) += of_one;
        }
    }
    pairs_share(taken, either);
    double most = 0;
    for (int u = 0; u < UNIT_TIMES; u++)
        most = later(most, taken[u]);
    return executed > 0 ? (struct uneven_part){executed / warps, alone / executed, most / executed}
                        : (struct uneven_part){0};
}

// Cycles until the last SM has ended.
static double chip_cycles(const struct replay *p, uint64_t sm_blocks)
{
    double otherwise = sm_cycles(p, sm_blocks);
    if (!uneven_work(p->in))
        return otherwise;
    struct timing_input in = *p->in;
    int longest = uneven_longest(&in);
    struct trace block = trace_of_block(&in, longest);
    struct replay one = {.whole = 1};
    in.trace = &block;
    in.asks = 1; // its instructions stand for those of all blocks
    in.blocks_per_sm = 1;
    if (replay_init(&one, &in, 1, false)) {
        one.taken = xcalloc((size_t)in.site_count, sizeof *one.taken);
        replay_run(&one);
    }
    double *gaps = gaps_alone(p, &one);
    struct uneven_replay r = {.blocks = p->blocks_started,
                              .cycles = p->end * p->whole,
                              .block_launch = p->r.block_launch,
                              .block_dispatch = p->r.block_dispatch,
                              .sms = p->sms,
                              .one = longest,
                              .one_cycles = one.end,
                              .all = part_of(p, &one, gaps, false),
                              .more = part_of(p, &one, gaps, true)};
    free(gaps);
    free(one.taken);
    replay_release(&one);
    return uneven_cycles(p->in, r, otherwise);
}

static double stall_sum(const struct replay *p, int from, int to)
{
    double sum = 0;
    for (int i = 0; i < p->in->site_count && p->stalls != NULL; i++)
        for (int s = from; s < to; s++)
            sum += p->stalls[i][s];
    return sum;
}

double stall_share(const struct replay *p, enum stall reason)
{
    double all = stall_sum(p, 0, STALL_COUNT);
    return all > 0 ? stall_sum(p, (int)reason, (int)reason + 1) / all : 0;
}

// Of the atomics, those whose warps wait for a result.
static double share_returning(const struct replay *p)
{
    double some = 0, all = 0;
    for (int i = 0; i < p->in->site_count; i++) {
        bool returns = p->costs[i].pipe == PIPE_GLOBAL_ATOMIC;
        double executed = (double)p->in->stats[i].executed;
        some += returns ? executed : 0;
        all += returns || p->costs[i].pipe == PIPE_GLOBAL_REDUCTION ? executed : 0;
    }
    return all > 0 ? some / all : 1;
}

// A share of the time is beyond the replay, for the atomics of all SMs: warps wait for their data in it, or are kept until
// reductions are answered.
static void stalls_beyond(const struct replay *p, double share)
{
    if (p->stalls == NULL || share <= 0 || share >= 1)
        return;
    double returning = share_returning(p), all = stall_sum(p, 0, STALL_COUNT);
    const struct {
        enum stall reason;
        double share;
    } rows[] = {{STALL_LONG_SCOREBOARD, returning}, {STALL_DRAIN, 1 - returning}};
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        double waited = stall_sum(p, (int)rows[r].reason, (int)rows[r].reason + 1);
        double factor = waited > 0 ? 1 + all * rows[r].share * share / (1 - share) / waited : 1;
        for (int i = 0; i < p->in->site_count; i++)
            p->stalls[i][rows[r].reason] *= factor;
    }
}

// Of the whole chip, from those of the blocks that were replayed: the sampler's shares of the warps' cycles.
void stalls_fill(const struct replay *p, uint64_t sm_blocks, struct stall_table *sites)
{
    double replayed = sm_cycles(p, sm_blocks), hot = hot_cycles(p);
    stalls_beyond(p, later(hot - replayed, 0) / later(hot, 1));
    double looked = stall_sum(p, 0, STALL_COUNT);
    double scale = (double)p->in->grid_blocks / (double)p->blocks_started * p->whole *
                   (looked > 0 ? p->resident_cycles / looked : 0);
    for (int i = 0; i < p->in->site_count && sites != NULL; i++)
        for (int s = 0; s < STALL_COUNT; s++)
            sites[i].warp_cycles[s] = (struct figure){p->stalls[i][s] * scale, PROVENANCE_MODELLED};
}

// Device memory reaches its bandwidth only after a while; short kernels see nothing else, and a few sectors already wait for the
// slowest of many lines.
double ramp_ns(const struct replay *p)
{
    return gpu_dram_ramp_ns(p->in->gpu,
                            (double)p->in->l2.dram_read_bytes + dram_written(&p->in->l2));
}

// Until the SMs that begin last have begun: a quarter of them takes as long as all.
static double spread_ns(const struct replay *p)
{
    const struct gpu *g = p->in->gpu;
    double spread = g->value[GPU_FIELD_grid_spread_ns], quarter = GPU(g, sm_count) / 4;
    return isnan(spread) || p->sms <= 1 ? 0 : spread * sooner(1, (p->sms - 1) / quarter);
}

void time_fill(struct time_breakdown *out, const struct replay *p, uint64_t sm_blocks)
{
    const struct gpu *g = p->in->gpu;
    const struct server *pipe = p->pipe;
    double ns = 1000 / GPU(g, clock_mhz);
    double hot = hot_cycles(p), replayed = chip_cycles(p, sm_blocks), cycles = later(replayed, hot);
    double scale = ns * (double)sm_blocks / (double)p->blocks_started * p->whole;
    out->valid = true;
    out->steps = p->steps;
    out->launch_ns = GPU(g, grid_launch_ns);
    // What the kernel moves takes at least its time, whoever moves it (a bulk prefetch has no operation in the trace).
    out->time_ns = out->launch_ns + later(cycles * ns, memory_least_ns(g, &p->in->l2)) +
                   ramp_ns(p) + spread_ns(p);
    out->busy_ns[BREAKDOWN_ISSUE] = issue_busy(p) * scale;
    out->busy_ns[BREAKDOWN_F32] =
        (pipe[SERVER_FMA_HEAVY].busy + pipe[SERVER_FMA_LITE].busy) / 2 * scale;
    out->busy_ns[BREAKDOWN_F64] = pipe[SERVER_F64].busy * scale;
    out->busy_ns[BREAKDOWN_INTEGER] = pipe[SERVER_INTEGER].busy * scale;
    out->busy_ns[BREAKDOWN_SPECIAL] = pipe[SERVER_SPECIAL].busy * scale;
    out->busy_ns[BREAKDOWN_LSU] = pipe[SERVER_LSU].busy * scale;
    out->busy_ns[BREAKDOWN_SHARED] = p->shared_only.busy * scale;
    out->busy_ns[BREAKDOWN_L1_FILL] = p->fill.busy * scale;
    out->busy_ns[BREAKDOWN_L2] = later(p->l2.busy, p->flits.busy) * scale;
    out->busy_ns[BREAKDOWN_DRAM] = p->dram.busy * scale;
    out->busy_ns[BREAKDOWN_ATOMIC] = later(p->atomic.busy * scale, hot > replayed ? hot * ns : 0);
    double held = p->end * GPU(g, max_warps_per_sm);
    out->occupancy_pct = held > 0 ? 100 * p->warp_cycles / held : 0;
    double traced = p->in->trace->block_count / (double)sm_blocks / p->whole;
    out->traced_share = traced < 1 ? traced : 1;
}

const char *timing_missing(const struct gpu *g)
{
    for (int f = 0; f < GPU_FIELD_COUNT; f++)
        if (gpu_field_info((enum gpu_field)f)->need == GPU_TIMED && isnan(g->value[f]))
            return gpu_field_info((enum gpu_field)f)->name;
    return NULL;
}
