// The time model: replays the traced blocks of one SM, warp by warp, against the chip's measured
// rates and latencies. Every number of the chip comes from the chip's file, where its source stands:
// measured (docs/h200-rates.md), or chosen so that the tuning kernels come out right ("tuned", bench/truth/README.md).
// A chip whose file lacks one has no modelled time. The mechanisms:
//   - a warp issues in the order that a compiler makes of PTX (schedule.c); an instruction waits for the registers it reads (scoreboard);
//   - each of the SM's schedulers issues one instruction per cycle; a pipe takes 32 lanes at its rate;
//   - special registers and constants (parameters, thread numbers) come through one narrow unit;
//   - the load/store unit takes a request line by line and returns it bank by bank, what misses when it has come;
//   - lines that miss L1 and flits leave the SM through one port, one per cycle: a store's per sector and line in part, an atomic's per sector;
//   - lines that share a bank of L1's tags go one by one; L2 misses as often as it was found to in the warp's stage (l2_stage());
//   - L2 and device memory are shared evenly by the SMs at work, or by what their blocks do where these differ;
//     the L2's queues for store flits hold some thousand cycles of work before a store waits;
//   - the latency of device memory differs from line to line as measured, and grows with the load on the memory; a warp waits for
//     the slowest of its lines, a barrier for the slowest warp;
//   - a load that hits a sector still on its way waits for it;
//   - a barrier opens when its last warp has come, and lets its warps go one by one;
//   - a phase of an mbarrier is over when the threads and the copies have arrived that the trace has of it; a bulk copy is one
//     instruction, whose bytes take the same port, L2 and device memory as all others and skip L1;
//   - a block's place is free when its warps have ended and their stores have left the SM; the next
//     block's first warp runs some hundred cycles later, the others one by one after it; the chip
//     starts a limited number of blocks in all.
// Grids longer than the replay are extended at the steady interval between block starts; where blocks have unequal work
// all of the grid's are laid out on all SMs beside those that were replayed (uneven.c). Times inside are SM cycles.
// SPDX-License-Identifier: Apache-2.0
#include "sim/model/replay.h"

#include <stdlib.h>
#include <string.h>

enum {
    REPLAY_OPS_MAX = 4000000,     // warp instructions replayed at most
    REPLAY_PIECES_MAX = 16000000, // of blocks too long for the trace
    REPLAY_GENERATIONS = 12,      // times the resident blocks are replaced before we extrapolate
};

/* ---- runnable warps, earliest first; ties by number, so that replays are identical ---------------- */

// A knockout: each node has the earlier of the two warps below it, beside its time. On the way up both are chosen without a
// branch, which could not be guessed. A warp's time stands still while it is in it; INFINITY: it is not.
static uint64_t time_order(double at) // of times that are not negative
{
    uint64_t bits;
    at += 0.0; // -0
    memcpy(&bits, &at, sizeof bits);
    return bits;
}

static void queue_set(struct replay *p, int warp, double at)
{
    uint64_t *times = p->queue_at, mine = time_order(at);
    uint32_t *warps = p->queue, who = (uint32_t)warp;
    size_t i = (size_t)p->queue_room + (size_t)warp;
    times[i] = mine;
    while (i > 1) {
        uint64_t other = times[i ^ 1], left = ~i & 1; // of two at one time the left
        uint32_t whose = warps[i ^ 1];
        uint32_t keep = -(uint32_t)(mine < other + left);
        mine = mine < other ? mine : other;
        who = whose ^ ((whose ^ who) & keep);
        i /= 2;
        times[i] = mine;
        warps[i] = who;
    }
}

static void queue_init(struct replay *p, int warps)
{
    p->queue_room = 2;
    while (p->queue_room < warps)
        p->queue_room *= 2;
    size_t room = (size_t)p->queue_room;
    p->queue = spare_take(p->in->spare, 2 * room * sizeof *p->queue);
    p->queue_at = spare_take(p->in->spare, 2 * room * sizeof *p->queue_at);
    for (size_t i = 2 * room - 1; i > 0; i--) {
        p->queue[i] = i < room ? p->queue[2 * i] : (uint32_t)(i - room);
        p->queue_at[i] = time_order((double)INFINITY);
    }
}

void queue_add(struct replay *p, int warp)
{
    queue_set(p, warp, p->warps[warp].at);
}

static void queue_remove(struct replay *p, int warp)
{
    queue_set(p, warp, (double)INFINITY);
}

static int queue_first(const struct replay *p)
{
    return (int)p->queue[1];
}

static double queue_time(const struct replay *p) // of the first
{
    double at;
    memcpy(&at, &p->queue_at[1], sizeof at);
    return at;
}

static bool queue_is_empty(const struct replay *p)
{
    return isinf(queue_time(p));
}

/* ---- lines in front of schedulers and queues ---------------------------------------------------- */

// Where the warp's next instruction would stand in line: for room in its unit's queue, or for its scheduler.
static int line_of(const struct warp_state *w)
{
    int scheduler = LINE_SCHEDULERS + w->scheduler, queue = LINE_QUEUES + w->cost->first;
    return scheduler ^ ((scheduler ^ queue) & -(int)has_line(w->cost->unit)); // without a branch
}

// An H200's schedulers prefer the blocks that began first, and give the warps of one block their turns in the round: PC samples
// of chains with 8 and 16 warps per scheduler, of one and two blocks, have just these shares (bench/truth/tuning/stalls).
static bool is_of_older_block(const struct replay *p, int index, int other)
{
    return p->slots[p->warps[index].block].number < p->slots[p->warps[other].block].number;
}

// Warps that wait for the same. Only the first stays in the queue; the others' times would be moved with every instruction of it.
static bool stand_in_line(struct replay *p, int index, int line)
{
    struct line_of_warps *l = &p->lines[line];
    if (l->first == NO_WARP ||
        (p->turns ? is_of_older_block(p, index, l->first) : index < l->first)) {
        l->first = index;
        return false;
    }
    p->line_of[index] = (uint8_t)line;
    p->waiting_in[p->warps[index].block * LINE_COUNT + line]++;
    l->count++;
    return true;
}

static int find_in_line(const struct replay *p, int line, int from, int end)
{
    const uint8_t *at = memchr(p->line_of + from, line, (size_t)(end - from));
    return at != NULL ? (int)(at - p->line_of) : NO_WARP;
}

// Some warp stands there.
static int next_in_line(const struct replay *p, int line)
{
    if (!p->turns)
        return find_in_line(p, line, 0, (int)p->warp_count);
    const int *slot = p->by_age;
    while (p->waiting_in[*slot * LINE_COUNT + line] == 0)
        slot++;
    int per_block = p->in->warps_per_block, first = *slot * per_block, end = first + per_block;
    int last = p->lines[line].last, after = last < first ? first : last + 1 < end ? last + 1 : end;
    int next =
        find_in_line(p, line, after, end); // who went last has the others of its round before it
    return next != NO_WARP ? next : find_in_line(p, line, first, end);
}

static void line_moves(struct replay *p, int line)
{
    struct line_of_warps *l = &p->lines[line];
    if (l->first != NO_WARP || l->count == 0)
        return;
    l->first = next_in_line(p, line);
    l->count--;
    p->line_of[l->first] = NO_LINE;
    struct warp_state *w = &p->warps[l->first];
    p->waiting_in[w->block * LINE_COUNT + line]--;
    double turn = p->issue[w->scheduler].free_at;
    if (line < LINE_QUEUES) {
        w->at = turn;
    } else {
        double room = queue_wait(p, w->cost, w->at);
        if (p->turns)
            room = queue_room(p, w, w->at, room);
        if (room > w->at)
            w->throttled = w->at = room;
        if (turn > w->at && turn <= w->at + SAME_TIME) // one time, rounded in two ways
            w->at = turn;
    }
    queue_add(p, l->first);
}

/* ---- blocks ------------------------------------------------------------------------------------ */

// It is the youngest from now on.
static void slot_begins(struct replay *p, int slot)
{
    int at = 0, count = p->in->blocks_per_sm;
    while (p->by_age[at] != slot)
        at++;
    memmove(p->by_age + at, p->by_age + at + 1, (size_t)(count - 1 - at) * sizeof *p->by_age);
    p->by_age[count - 1] = slot;
}

static void block_start(struct replay *p, int slot, double at)
{
    const struct timing_input *in = p->in;
    uint64_t n = p->blocks_started++;
    const struct trace_block *b = &in->trace->blocks[n % (uint64_t)in->trace->block_count];
    struct block_slot *s = &p->slots[slot];
    at = later(at, p->next_dispatch);
    p->next_dispatch = at + p->r.block_dispatch;
    *s = (struct block_slot){.running = b->warp_count,
                             .number = n,
                             .traced = (int)(n % (uint64_t)in->trace->block_count),
                             .phases = s->phases};
    phases_start(p, s);
    slot_begins(p, slot);
    p->starts[n] = at;
    p->ran_before[n] = p->ran;
    for (int i = 0; i < in->warps_per_block; i++) {
        int index = slot * in->warps_per_block + i;
        struct warp_state *w = &p->warps[index];
        w->trace = i < b->warp_count ? &b->warps[i] : NULL;
        w->next = 0;
        w->last = LAST_UNKNOWN;
        w->at = at + i * p->r.block_warp_launch;
        w->started = w->since = w->at;
        w->ran = -1;
        w->throttled = w->fixed = w->near_loads = 0;
        memset(w->paced, 0, sizeof w->paced);
        w->drained = w->kept = 0;
        w->sent_site = 0;
        w->loads = 0;
        w->first_wave = n < (uint64_t)in->blocks_per_sm;
        memset(w->near_stores, 0, sizeof w->near_stores);
        w->waiting = w->asleep = w->entered = false;
        for (int k = 0; k < LOAD_LEVELS; k++)
            w->ahead[k].count = 0, w->ahead[k].loaded_ready = 0;
        w->turns_end = 0;
        w->early = (struct early_state){0};
        memset(w->copies, 0, sizeof w->copies);
        w->done = !w->trace;
        w->block = slot;
        w->scheduler = (p->in->warps_per_block % p->schedulers == 0 ? i + (int)(n % 1024) : index) %
                       p->schedulers; // each block's first warp goes to the next one
        memset(w->ready, 0, sizeof(double) * (size_t)(in->register_count + 1));
        memset(w->queued, 0, sizeof(double) * (size_t)(in->register_count + 1));
        memset(w->maker, NOBODY, sizeof(*w->maker) * (size_t)(in->register_count + 1));
        if (!w->done)
            queue_add(p, index);
    }
}

// The barriers' unit takes warps one by one. With turns: as they come, and lets them go together (sorts of 1024 threads in shared memory:
// an H200's samples are `short_scoreboard` where warps let go one by one would be `not_selected`).
static void barrier_open(struct replay *p, int slot)
{
    struct block_slot *s = &p->slots[slot];
    for (int i = 0; i < p->in->warps_per_block; i++) {
        int index = slot * p->in->warps_per_block + i;
        struct warp_state *w = &p->warps[index];
        if (!w->waiting)
            continue;
        double turn = p->turns ? s->last_arrival
                               : server_take(&p->barrier_unit, s->last_arrival, p->r.barrier_warp);
        double at = turn + p->r.barrier_warp + p->r.barrier;
        stall_add(p, w, w->barrier_site, STALL_BARRIER, sooner(at, s->last_arrival + p->r.barrier));
        stall_add(p, w, w->barrier_site, STALL_NOT_SELECTED, at);
        w->at = at;
        w->waiting = false;
        queue_add(p, index);
    }
    s->waiting = 0;
    s->last_arrival = 0;
}

static void warp_end(struct replay *p, int index)
{
    struct warp_state *w = &p->warps[index];
    struct block_slot *s = &p->slots[w->block];
    uint32_t last = w->trace->count > 0 ? w->trace->ops[w->trace->count - 1].site : 0;
    w->done = true;
    p->warp_cycles += w->at - w->started;
    stall_add(p, w, last, STALL_WAIT, w->at);
    if (p->stalls != NULL)
        queue_set(p, (int)p->warp_count + index, sampling_leave(p, index, last));
    s->free_at = later(s->free_at, later(w->at, w->drained));
    if (p->turns)
        s->free_at = later(s->free_at, p->atomics_done);
    p->end = later(p->end, later(s->free_at, w->kept));
    s->running--;
    if (s->running > 0 && s->waiting == s->running)
        barrier_open(p, w->block);
    if (s->running == 0 && p->blocks_started < p->blocks_to_run)
        block_start(p, w->block, s->free_at + p->r.block_launch);
}

static void warp_wait(struct replay *p, struct warp_state *w, uint32_t site)
{
    struct block_slot *s = &p->slots[w->block];
    w->waiting = true;
    w->barrier_site = site;
    s->waiting++;
    double came = p->turns ? server_take(&p->barrier_unit, w->at, p->r.barrier_warp) : w->at;
    s->last_arrival = later(s->last_arrival, came);
    if (s->waiting == s->running)
        barrier_open(p, w->block);
}

// Nobody can go on: what some wait for is not in a trace that was cut. They go on without it.
static bool give_up(struct replay *p)
{
    bool any = false;
    for (int slot = 0; slot < p->in->blocks_per_sm; slot++) {
        any |= phases_give_up(p, slot);
        if (p->slots[slot].waiting > 0) {
            barrier_open(p, slot);
            any = true;
        }
    }
    return any;
}

// An instruction that vanishes in its readers takes no time.
static void vanishing_run(struct replay *p, struct warp_state *w)
{
    while (w->next < w->trace->count) {
        if (w->last == LAST_UNKNOWN)
            warp_look(p, w);
        if (w->cost->unit != UNIT_NONE)
            return;
        (void)warp_step(p, w);
    }
}

// A warp that waits for its operands longer than its scheduler can be taken until then needs no look before. (A sampler's time goes
// on in steps of all warps.)
static void goes_on(struct replay *p, int index)
{
    struct warp_state *w = &p->warps[index];
    vanishing_run(p, w);
    if (p->stalls == NULL && w->next < w->trace->count && !has_queue(w->cost->unit) &&
        !w->early.now && w->last_ready > w->at + p->slots_most)
        w->at = w->last_ready;
    queue_add(p, index);
}

static void run_first(struct replay *p)
{
    int index = queue_first(p);
    sampling_go_on(p, queue_time(p));
    if (index >= (int)p->warp_count) {
        queue_remove(p, index);
        sampling_drained(p, index - (int)p->warp_count);
        return;
    }
    struct warp_state *w = &p->warps[index];
    if (!w->entered && p->stalls != NULL) {
        w->entered = true;
        sampling_enter(p, w);
    }
    vanishing_run(p, w);
    if (w->next >= w->trace->count) {
        queue_remove(p, index);
        warp_end(p, index);
        return;
    }
    const struct trace_op *op = w->op;
    const struct site_cost *c = w->cost;
    int line = line_of(w);
    if (p->lines[line].first == index)
        p->lines[line].first = NO_WARP;
    int first = p->lines[line].first;
    p->yields = p->turns && first != NO_WARP && !is_of_older_block(p, index, first);
    enum step step = warp_step(p, w);
    p->ran += step == STEP_RAN;
    if (step == STEP_RAN)
        p->lines[line].last = p->lines[LINE_SCHEDULERS + w->scheduler].last = index;
    bool ran = step == STEP_RAN, syncs = ran && syncs_of(p, op) != NULL;
    if ((step == STEP_TURN || step == STEP_QUEUE) && stand_in_line(p, index, line)) {
        queue_remove(p, index);
    } else if (!ran) {
        queue_add(p, index);
    } else if (!syncs && (op->lanes == 0 || c->pipe != PIPE_BARRIER)) {
        goes_on(p, index);
    } else {
        queue_remove(p, index);
        if (!syncs)
            warp_wait(p, w, op->site);
        else if (phases_step(p, index, op))
            queue_add(p, index);
    }
    line_moves(p, line);
}

void replay_run(struct replay *p)
{
    for (int slot = 0; slot < p->in->blocks_per_sm && p->blocks_started < p->blocks_to_run; slot++)
        block_start(p, slot, p->r.block_first);
    for (; !queue_is_empty(p) || give_up(p); p->steps++)
        run_first(p);
    double sm_blocks = ceil((double)p->in->grid_blocks / GPU(p->in->gpu, sm_count));
    if (p->blocks_started > 0) // the first ones of an SM, of all of its blocks
        sampling_first(p, &p->in->trace->blocks[0].warps[0],
                       sooner((double)p->blocks_started / sm_blocks, 1));
    // The kernel ends when the last store has landed.
    p->end = later(p->end, later(p->flits.free_at, later(p->dram.free_at, p->atomic.free_at)));
}

/* ---- from one SM to the chip --------------------------------------------------------------------- */

static uint64_t trace_ops(const struct trace *t)
{
    uint64_t n = 0;
    for (int b = 0; b < t->block_count; b++)
        for (int w = 0; w < t->blocks[b].warp_count; w++)
            n += t->blocks[b].warps[w].count;
    return n;
}

// Without those that a warp stepped around, which the counts do not have either.
static uint64_t executed_ops(const struct timing_input *in, const struct trace *t)
{
    uint64_t n = trace_ops(t);
    for (int b = 0; b < t->block_count; b++)
        for (int w = 0; w < t->blocks[b].warp_count; w++)
            for (size_t i = 0; i < t->blocks[b].warps[w].count; i++) {
                const struct trace_op *op = &t->blocks[b].warps[w].ops[i];
                n -= op->lanes == 0 && in->sites[op->site].side_step;
            }
    return n;
}

// How many blocks are replayed: all of the busiest SM's, or some generations of them.
static uint64_t replay_length(const struct timing_input *in, uint64_t sm_blocks)
{
    uint64_t per_block = trace_ops(in->trace) / (uint64_t)in->trace->block_count + 1;
    uint64_t most = (in->ops_max > 0 ? in->ops_max : REPLAY_OPS_MAX) / per_block;
    uint64_t wanted = (uint64_t)in->blocks_per_sm * REPLAY_GENERATIONS;
    if (wanted > most)
        wanted = most;
    uint64_t least = 2 * (uint64_t)in->blocks_per_sm + 1;
    if (wanted < least)
        wanted = least;
    return sm_blocks < wanted ? sm_blocks : wanted;
}

// Device memory is read in granules: lone sectors bring others along.
static double fetched_per_byte(const struct timing_input *in)
{
    uint64_t missed = 0;
    for (int i = 0; i < in->site_count; i++)
        missed += in->stats[i].l2_sectors - in->stats[i].l2_hit_sectors;
    double most = GPU(in->gpu, l2_dram_granule_bytes) / SECTOR_BYTES;
    double ratio =
        missed > 0 ? (double)in->l2.dram_read_bytes / ((double)missed * SECTOR_BYTES) : 1;
    return ratio < 1 ? 1 : sooner(ratio, most);
}

static double sectors_changed(const struct timing_input *in)
{
    return counters_get(in->counters, COUNTER_GLOBAL_STORE_SECTORS, 0) +
           counters_get(in->counters, COUNTER_GLOBAL_ATOMIC_SECTORS, 0);
}

static double dram_write_share(const struct timing_input *in)
{
    double sent = sectors_changed(in) * SECTOR_BYTES;
    return sent > 0 ? sooner(1, dram_written(&in->l2) / sent) : 0;
}

// Sectors stored in part, or alone in their lines: the L2 fetches what they lack and writes each back by itself, and takes in
// nothing else meanwhile. Cycles for each sector stored.
static double lone_cycles(const struct replay *p)
{
    const struct l2_counts *c = &p->in->l2;
    double sent = sectors_changed(p->in);
    if (sent <= 0 || p->scattered_writes <= 1)
        return 0;
    double merged = (double)(c->lone_merged_thirds + c->dirty_merged_thirds) / 3 / sent,
           lone = (double)(c->lone_written_thirds + c->dirty_written_thirds) / 3 / sent;
    double granule = GPU(p->in->gpu, l2_dram_granule_bytes);
    return sooner(merged, 1) * granule / GPU(p->in->gpu, dram_scattered_share) /
               p->r.dram_read_bytes +
           sooner(lone, 1) * (p->scattered_writes - 1) * SECTOR_BYTES / p->r.dram_write_bytes;
}

// Of a request of the grid's atomics, on average, at one address. Blocks of one wave come there together; those of more are
// spread (what takes longer than the replay is beyond it).
static double hot_turns(const struct timing_input *in)
{
    static const double together = 0.5;
    double requests = 0, room = GPU(in->gpu, sm_count) * in->blocks_per_sm;
    if ((double)in->grid_blocks > room)
        return 0;
    for (int i = 0; i < in->site_count; i++)
        if (is_global_atomic(in->sites[i].pipe))
            requests += (double)in->stats[i].executed;
    return requests > 0 ? together * in->atomic_turns_hot / requests : 0;
}

// Places where atomics queue: as many as would have the same work if all had as much as the busiest. A few are busy all the time;
// more wait for each other's requests on their way.
static double hot_apart(const struct timing_input *in)
{
    static const double few = 8;
    double places = in->atomic_turns_hot > 0 ? in->atomic_turns / in->atomic_turns_hot : 0;
    return later(0, sooner(1, places / few - 1));
}

// Turns of the busiest place for a sector of an atomic.
static double hot_share(const struct timing_input *in, double apart)
{
    double spread = in->gpu->value[GPU_FIELD_l2_atomic_spread_share], all = in->atomic_turns;
    double reached = 1 - apart * (1 - (isnan(spread) ? 1 : spread));
    return all > 0 ? in->atomic_turns_hot / all / reached : 0;
}

// Atomics' sectors are counted more often than they take their turn.
static double turns_of_sector(const struct timing_input *in)
{
    double sectors = 0;
    for (int i = 0; i < in->site_count; i++)
        if (is_global_atomic(in->sites[i].pipe))
            sectors += (double)in->stats[i].sectors;
    return in->atomic_turns > 0 && sectors > in->atomic_turns ? in->atomic_turns / sectors : 1;
}

// Sectors of all blocks' atomics, were they as the traced ones.
static double atomics_as_traced(const struct timing_input *in)
{
    double sectors = 0;
    for (int b = 0; b < in->trace->block_count; b++)
        for (int w = 0; w < in->trace->blocks[b].warp_count; w++) {
            const struct trace_warp *warp = &in->trace->blocks[b].warps[w];
            for (size_t i = 0; i < warp->count; i++) {
                enum timing_pipe pipe = (enum timing_pipe)in->sites[warp->ops[i].site].pipe;
                sectors += is_global_atomic(pipe) ? warp->ops[i].sectors : 0;
            }
        }
    return sectors * (double)in->grid_blocks / (double)in->trace->block_count;
}

// What an SM waits for others' atomics, where not all have as many as the one that was traced.
static double others_share(const struct timing_input *in)
{
    if (in->atomic_turns <= 0 || in->trace->cut)
        return 1;
    double traced = atomics_as_traced(in) * turns_of_sector(in);
    return traced > in->atomic_turns ? in->atomic_turns / traced : 1;
}

bool replay_init(struct replay *p, const struct timing_input *in, uint64_t blocks, bool sampled)
{
    size_t warps = (size_t)in->blocks_per_sm * (size_t)in->warps_per_block;
    size_t registers = (size_t)in->register_count + 1;
    p->in = in;
    p->memory_written = dram_written(&in->l2) > 0;
    p->write_share = dram_write_share(in);
    p->hot_turns = hot_turns(in);
    p->hot_apart = hot_apart(in);
    p->hot_share = hot_share(in, p->hot_apart);
    p->atomic_turns = turns_of_sector(in);
    p->hot_turn = p->hot_share * p->atomic_turns * others_share(in);
    double apart = in->gpu->value[GPU_FIELD_sm_apart_share];
    p->apart = isnan(apart) ? 0 : apart;
    p->apart_first = isnan(apart) ? 0 : ramp_ns(p) * GPU(in->gpu, clock_mhz) / 1000;
    p->fetched = fetched_per_byte(in);
    double lone =
        (p->fetched - 1) / (GPU(in->gpu, l2_dram_granule_bytes) / SECTOR_BYTES - 1 + 1e-9);
    p->scattered = 1 + sooner(lone, 1) * (1 / GPU(in->gpu, dram_scattered_share) - 1);
    double writes = in->gpu->value[GPU_FIELD_dram_scattered_write_share];
    p->scattered_writes = isnan(writes) ? 1 : 1 / writes;
    p->blocks_to_run = blocks;
    p->schedulers = (int)GPU(in->gpu, schedulers_per_sm);
    if (p->schedulers > SCHEDULERS_MAX)
        p->schedulers = SCHEDULERS_MAX;
    struct demand demand = demand_of(in);
    p->sms = demand.sms;
    demand.shares = later(1, demand.shares / (in->asks > 0 ? in->asks : uneven_asks(in)));
    rates_fill(&p->r, in->gpu, demand);
    p->write_lone = lone_cycles(p);
    p->costs = xcalloc((size_t)in->site_count + 1, sizeof(*p->costs));
    for (int i = 0; i < in->site_count; i++)
        p->costs[i] = site_cost(&p->r, &in->sites[i]);
    reads_charge(in, p->costs);
    for (int i = 0; i < in->site_count; i++) {
        p->slots_most = later(p->slots_most, p->costs[i].slots + 2 * SAME_TIME);
        p->any_early |= p->costs[i].early;
    }
    p->operands = operands_of(in);
    p->warps = spare_take_zeros(in->spare, warps * sizeof *p->warps);
    p->slots = xcalloc((size_t)in->blocks_per_sm, sizeof *p->slots);
    // Of slots that have a block; each once more, while its stores are on their way.
    size_t slots =
        blocks < (uint64_t)in->blocks_per_sm ? (size_t)blocks : (size_t)in->blocks_per_sm;
    p->warp_count = slots * (size_t)in->warps_per_block;
    queue_init(p, (int)(sampled ? 2 * p->warp_count : p->warp_count));
    p->line_of = xcalloc(warps, sizeof *p->line_of);
    p->waiting_in = xcalloc((size_t)in->blocks_per_sm * LINE_COUNT, sizeof *p->waiting_in);
    p->by_age = xcalloc((size_t)in->blocks_per_sm + 1, sizeof *p->by_age);
    for (int i = 0; i < in->blocks_per_sm; i++)
        p->by_age[i] = i;
    for (int i = 0; i < LINE_COUNT; i++)
        p->lines[i].first = p->lines[i].last = NO_WARP;
    p->fills = spare_take_zeros(in->spare, FILL_TABLE * sizeof *p->fills);
    p->stage = spare_take_zeros(in->spare, sizeof *p->stage);
    p->miss_credit = xcalloc((size_t)in->site_count, sizeof *p->miss_credit);
    p->coming_credit = xcalloc((size_t)in->site_count, sizeof *p->coming_credit);
    p->far_share = xcalloc((size_t)in->site_count, sizeof *p->far_share);
    for (int i = 0; i < in->site_count; i++)
        p->far_share[i] = far_share(&p->r, &in->stats[i]);
    p->gaps = xcalloc((size_t)in->site_count, sizeof *p->gaps);
    p->starts = xcalloc(blocks, sizeof *p->starts);
    p->ran_before = xcalloc(blocks, sizeof *p->ran_before);
    double *ready = spare_take_zeros(in->spare, warps * registers * sizeof *ready);
    double *queued = spare_take_zeros(in->spare, warps * registers * sizeof *queued);
    int32_t *maker = spare_take_zeros(in->spare, warps * registers * sizeof *maker);
    for (size_t i = 0; i < warps; i++) {
        p->warps[i].ready = ready + i * registers;
        p->warps[i].queued = queued + i * registers;
        p->warps[i].maker = maker + i * registers;
    }
    if (sampled) {
        p->stalls = xcalloc((size_t)in->site_count + 1, sizeof *p->stalls);
        p->draining = spare_take_zeros(in->spare, (warps + 1) * sizeof *p->draining);
        p->loads.at = spare_take_zeros(in->spare, PLACES_MAX * sizeof *p->loads.at);
        p->sends.at = spare_take_zeros(in->spare, PLACES_MAX * sizeof *p->sends.at);
        p->flying.at = spare_take_zeros(in->spare, PLACES_MAX * sizeof *p->flying.at);
    }
    phases_init(p);
    order_init(p);
    return warps > 0;
}

void replay_release(struct replay *p)
{
    free(p->costs);
    operands_release(&p->operands);
    spare_give(p->warps[0].ready);
    spare_give(p->warps[0].queued);
    spare_give(p->warps[0].maker);
    free(p->stalls);
    spare_give(p->draining);
    spare_give(p->loads.at);
    spare_give(p->sends.at);
    spare_give(p->flying.at);
    phases_release(p);
    spare_give(p->warps);
    free(p->slots);
    spare_give(p->queue);
    spare_give(p->queue_at);
    free(p->line_of);
    free(p->waiting_in);
    free(p->by_age);
    spare_give(p->fills);
    spare_give(p->stage);
    spare_give(p->order);
    free(p->miss_credit);
    free(p->coming_credit);
    free(p->far_share);
    free(p->gaps);
    free(p->starts);
    free(p->ran_before);
}

// Whose sampled shares say that warps take turns: NVIDIA's. Nothing was sampled of AMD's.
static bool takes_turns(const struct gpu *g)
{
    return isnan(g->value[GPU_FIELD_scheduler_turn_cycles]);
}

// What warps wait for is asked of a replay of its own, in which they take turns and keep their places until their reductions are
// answered, as samples say. The time is of the one in which the lowest number goes first: it is as close for chains and closer
// for some transposes (docs/JOURNAL.md, schedulers).
struct shares_replay {
    struct replay p;
    const struct timing_input *in;
    uint64_t blocks;
};

static void shares_run(void *context, int index)
{
    struct shares_replay *r = context;
    if (index > 1)
        return; // one is enough
    if (replay_init(&r->p, r->in, r->blocks, true))
        replay_run(&r->p);
}

enum { OPS_FOR_A_THREAD = 4000 }; // that take longer to replay than a thread to start

static bool shares_begin(struct shares_replay *r)
{
    uint64_t per_block = trace_ops(r->in->trace) / (uint64_t)r->in->trace->block_count;
    return per_block * r->blocks >= OPS_FOR_A_THREAD && team_begin(r->in->team, shares_run, r);
}

// The two know nothing of each other.
static void replay_both(const struct timing_input *in, uint64_t blocks, uint64_t sm_blocks,
                        double whole, struct time_breakdown *out, struct stall_table *stalls)
{
    bool turns = stalls != NULL && takes_turns(in->gpu);
    struct shares_replay shares = {
        .p = {.whole = whole, .turns = true}, .in = in, .blocks = blocks};
    bool beside = turns && shares_begin(&shares);
    struct replay p = {.whole = whole}, *asked = turns ? &shares.p : &p;
    if (replay_init(&p, in, blocks, stalls != NULL && !turns))
        replay_run(&p);
    time_fill(out, &p, sm_blocks);
    if (beside)
        team_end(in->team);
    else if (turns)
        shares_run(&shares, 0);
    stalls_fill(asked, sm_blocks, stalls);
    out->waiting_memory_pct = 100 * stall_share(asked, STALL_LONG_SCOREBOARD);
    out->waiting_barrier_pct = 100 * stall_share(asked, STALL_BARRIER);
    replay_release(&p);
    if (turns)
        replay_release(asked);
}

// Blocks too long for the trace: pieces of one, as many as are resident, stand for the whole; of each
// warp as much, and no more than can be replayed.
static struct trace trace_pieces(const struct timing_input *in, uint64_t resident, struct arena *a)
{
    const struct trace *t = in->trace;
    struct trace piece = {.block_count = t->block_count, .syncs = t->syncs, .cut = true};
    size_t most = (in->ops_max > 0 ? in->ops_max : REPLAY_PIECES_MAX) / (size_t)resident /
                  (size_t)in->warps_per_block;
    piece.blocks = ARENA_ARRAY(a, struct trace_block, t->block_count + 1);
    for (int b = 0; b < t->block_count; b++) {
        struct trace_block *to = &piece.blocks[b];
        *to = t->blocks[b];
        to->warps = ARENA_ARRAY(a, struct trace_warp, to->warp_count + 1);
        for (int w = 0; w < to->warp_count; w++) {
            to->warps[w] = t->blocks[b].warps[w];
            if (to->warps[w].count > most)
                to->warps[w].count = most;
        }
    }
    return piece;
}

static double ops_of_mean_block(const struct timing_input *in)
{
    uint64_t executed = 0;
    for (int i = 0; i < in->site_count; i++)
        executed += in->sites[i].polls ? 0 : in->stats[i].executed;
    return (double)executed / (double)in->grid_blocks;
}

static void time_of_pieces(const struct timing_input *in, uint64_t sm_blocks,
                           struct time_breakdown *out, struct stall_table *stalls)
{
    struct arena a = {0};
    uint64_t blocks = (uint64_t)in->blocks_per_sm;
    blocks = sm_blocks < blocks ? sm_blocks : blocks;
    struct trace piece = trace_pieces(in, blocks, &a);
    struct timing_input part = *in;
    uint64_t ops = executed_ops(in, &piece);
    part.trace = &piece;
    if (ops > 0)
        replay_both(&part, blocks, sm_blocks,
                    ops_of_mean_block(in) * piece.block_count / (double)ops, out, stalls);
    arena_release(&a);
}

void sim_timing_model(const struct timing_input *in, struct time_breakdown *out,
                      struct stall_table *stalls)
{
    *out = (struct time_breakdown){0};
    if (timing_missing(in->gpu) != NULL)
        return;
    if (in->trace->block_count == 0 || in->blocks_per_sm == 0)
        return;
    uint64_t sms = (uint64_t)GPU(in->gpu, sm_count);
    uint64_t sm_blocks = (in->grid_blocks + sms - 1) / sms;
    if (in->trace->cut) {
        time_of_pieces(in, sm_blocks, out, stalls);
        return;
    }
    replay_both(in, replay_length(in, sm_blocks), sm_blocks, 1, out, stalls);
}
