// What a warp of the replay waits for, by the profiler's names (record/stalls.def), as a sampler on the GPU sees it: it looks at one
// resident warp of an SM every so many cycles, each warp in its turn. A cycle has one look, however many warps there are to choose
// from: of each of n warps a cycle counts as 1/n. Where warps come and go together that is their share of the warps' cycles; where a few
// stay on, as at the end of a kernel, they have all the looks.
// SPDX-License-Identifier: Apache-2.0
#include "sim/model/replay.h"

enum { LOOK_AHEAD = 64 }; // operations

// A warp's share of the looks up to `at`: those until now are known, at what is ahead the same warps are there.
static double sampled_at(const struct replay *p, const struct warp_state *w, double at)
{
    if (at >= p->now || p->now <= w->since)
        return later(p->sampled + (at - p->now) / later(p->resident, 1), w->sampled);
    return w->sampled + (at - w->since) / (p->now - w->since) * later(p->sampled - w->sampled, 0);
}

static void add_at(struct replay *p, uint32_t site, enum stall reason, double sampled)
{
    if (p->stalls != NULL && sampled > 0)
        p->stalls[site][reason] += sampled;
}

// A warp waits for its first instruction before the model has it begin, and for its end after the model has it ended: both lie
// within the time that a block's launch takes.
void sampling_enter(struct replay *p, struct warp_state *w)
{
    const struct trace_op *first = w->trace->count > 0 ? op_next(p, w) : NULL;
    p->resident++;
    w->since = w->at;
    w->sampled = p->sampled;
    if (first == NULL)
        return;
    add_at(p, first->site, STALL_NO_INSTRUCTION, p->r.warp_fetch / p->resident);
    p->resident_cycles += p->r.warp_fetch;
}

double sampling_leave(struct replay *p, int warp, uint32_t site)
{
    const struct warp_state *w = &p->warps[warp];
    double least = w->at + p->r.warp_exit + p->r.warp_drain;
    double kept = p->turns ? w->kept : sooner(w->kept, w->at + p->r.block_launch * 0.9);
    double until = later(later(w->drained, kept), least); // gone before its place is taken
    p->draining[warp] = (struct draining){site, w->since, until, w->sampled};
    p->resident_cycles += until - w->started;
    return until;
}

// The machine has a branch behind the end, which a warp that has ended is at.
void sampling_drained(struct replay *p, int warp)
{
    static const double resolving = 0.65; // of that; the rest waits by a fixed count
    const struct draining *d = &p->draining[warp];
    double all = later(p->sampled - d->sampled, 0), whole = d->until - d->since;
    double exit = whole > 0 ? all * sooner(p->r.warp_exit / whole, 1) : 0;
    add_at(p, d->site, STALL_BRANCH_RESOLVING, exit * resolving);
    add_at(p, d->site, STALL_WAIT, exit * (1 - resolving));
    add_at(p, d->site, STALL_DRAIN, all - exit);
    p->resident--;
}

static uint32_t first_constant(const struct replay *p, const struct trace_warp *w)
{
    for (size_t i = 0; i < w->count; i++)
        if (p->costs[w->ops[i].site].unit == UNIT_CONSTANT)
            return w->ops[i].site;
    return w->ops[0].site;
}

// Behind the first warp that waits for a constant others stand in the queue of the unit that brings them. Where the constant
// comes by LDC and not by ULDC or as an operand, its reader waits as for other loads of that unit.
void sampling_first(struct replay *p, const struct trace_warp *w, double share)
{
    static const double standing = 0.05, loaded = 0.25; // of them
    if (w->count == 0)
        return;
    uint32_t at = first_constant(p, w);
    bool any = p->costs[at].unit == UNIT_CONSTANT;
    double fetch = p->r.first_fetch * share, constant = any ? p->r.first_constant * share : 0;
    add_at(p, w->ops[0].site, STALL_NO_INSTRUCTION, fetch);
    add_at(p, at, STALL_MIO_THROTTLE, constant * standing);
    add_at(p, at, STALL_SHORT_SCOREBOARD, constant * loaded);
    add_at(p, at, STALL_IMC_MISS, constant * (1 - standing - loaded));
    p->resident_cycles += (fetch + constant) * p->in->warps_per_block;
}

/* ---- reasons --------------------------------------------------------------------------------------- */

void stall_add(struct replay *p, struct warp_state *w, uint32_t site, enum stall reason,
               double until)
{
    if (until <= w->since || p->stalls == NULL)
        return;
    double sampled = sampled_at(p, w, until);
    p->stalls[site][reason] += sampled - w->sampled;
    w->since = until;
    w->sampled = sampled;
}

// Of the cycles until then, that share has another reason.
static void stall_share_out(struct replay *p, struct warp_state *w, uint32_t site, double until,
                            enum stall reason, enum stall other, double share)
{
    if (until <= w->since)
        return;
    stall_add(p, w, site, other, w->since + (until - w->since) * share);
    stall_add(p, w, site, reason, until);
}

static const struct queue_places *places_of(const struct replay *p, const struct site_cost *c)
{
    return is_sent(c) ? &p->sends : &p->loads;
}

// When the one has left that is so many before the next one; 0: there were fewer.
static double left_before(const struct queue_places *q, uint64_t places)
{
    return q->count < places ? 0 : q->at[(q->count - places) % PLACES_MAX];
}

// When the instruction has left the queue in front of the load/store unit that is as many before the next one as it holds.
static double queue_place(const struct replay *p, const struct site_cost *c, double holds)
{
    const struct queue_places *q = places_of(p, c);
    uint64_t n = (uint64_t)sooner(holds, PLACES_MAX);
    if (n == 0 || q->at == NULL)
        return (double)INFINITY;
    return left_before(q, n);
}

// Data come back in the order of asking.
static void flying_note(struct queue_places *q, double ready)
{
    double before = left_before(q, 1);
    q->at[q->count++ % PLACES_MAX] = later(before, ready);
}

// When the data have come of the load that is as many before the next one as may be on their way.
static double flying_place(const struct replay *p)
{
    const struct queue_places *q = &p->flying;
    uint64_t n = (uint64_t)sooner(p->r.loads_in_flight, PLACES_MAX);
    return n == 0 || q->at == NULL ? 0 : left_before(q, n);
}

void queue_note(struct replay *p, struct warp_state *w, const struct site_cost *c, double ready)
{
    if (c->pipe == PIPE_SHARED_STORE)
        w->near_stores[w->near_stored++ % NEAR_STORES] = p->pipe[c->first].free_at;
    if (c->unit == UNIT_LOAD && p->flying.at != NULL)
        flying_note(&p->flying, ready);
    struct queue_places *q = is_sent(c) ? &p->sends : &p->loads;
    double taken = p->pipe[c->first].free_at;
    if (c->unit == UNIT_LOAD)
        taken = later(taken, p->tags.free_at);
    if (q->at != NULL)
        q->at[q->count++ % PLACES_MAX] = is_sent(c) ? ready : taken;
}

static bool loads_follow(const struct replay *p, const struct warp_state *w)
{
    size_t ahead = w->next + LOOK_AHEAD < w->trace->count ? w->next + LOOK_AHEAD : w->trace->count;
    for (size_t i = w->next + 1; i < ahead; i++)
        if (p->costs[w->trace->ops[i].site].unit == UNIT_LOAD)
            return true;
    return false;
}

// The queue holds instructions, whatever work they are: loads, accesses of shared memory, and stores and reductions that no load
// follows, whose warps go on. One of these in a loop waits for itself of the turn before, whose registers are read when it leaves
// the queue.
double queue_room(const struct replay *p, const struct warp_state *w, double at, double room)
{
    const struct trace_op *op = op_next(p, w);
    const struct site_cost *c = &p->costs[op->site];
    if (c->unit == UNIT_LOAD || c->unit == UNIT_SHARED) {
        double place = queue_place(p, c, p->r.load_places);
        room = isinf(place) ? room : later(at, place);
        return c->unit == UNIT_LOAD && op->lanes > 0 ? later(room, flying_place(p)) : room;
    }
    if (!is_sent(c) || isinf(queue_place(p, c, p->r.load_places)) || loads_follow(p, w))
        return room;
    room = later(at, queue_place(p, c, p->r.load_places));
    return w->sent_site == op->site + 1 ? later(room, later(w->drained, w->kept)) : room;
}

// A scheduler's warps that wait for a pipe are let through one by one: in the cycle in which one is, the others are not
// selected; in the cycles between, the pipe throttles them all.
static double chosen_share(const struct replay *p, double cycles, bool two_pipes)
{
    return 1 / later(p->schedulers * cycles / (two_pipes ? 2 : 1), 1);
}

// What sequences of machine instructions wait for inside (an H200's divisions and roots: bench/truth/tuning/sequences): shares of
// what they queue behind others', and of what is left. The model issues a sequence's instructions at once, the machine one by
// one between their waits: who is in line behind one waits there for its own, as far as `line` says.
struct sequence_waits {
    double queued[STALL_COUNT], left[STALL_COUNT], line;
};
enum sequence_kind {
    APPROXIMATE,
    ROUNDED,
    ROOT,
    LONG,
    LONG_DIVISION,
    QUOTIENT,
    WIDE_QUOTIENT,
    PRODUCT
};
static const struct sequence_waits SEQUENCES[] = {
    [APPROXIMATE] =
        {.queued = {[STALL_MIO_THROTTLE] = 0.4, [STALL_NOT_SELECTED] = 0.2, [STALL_WAIT] = 0.4},
         .left = {[STALL_SHORT_SCOREBOARD] = 0.2, [STALL_WAIT] = 0.8}},
    [ROUNDED] =
        {.queued = {[STALL_MIO_THROTTLE] = 0.2,
                    [STALL_NOT_SELECTED] = 0.2,
                    [STALL_WAIT] = 0.4,
                    [STALL_BRANCH_RESOLVING] = 0.2},
         .left =
             {[STALL_SHORT_SCOREBOARD] = 0.2, [STALL_BRANCH_RESOLVING] = 0.15, [STALL_WAIT] = 0.65},
         .line = 1},
    [ROOT] = // its MUFU is behind 17 fixed cycles of the branch that asks for the slow way
    {.queued = {[STALL_MIO_THROTTLE] = 0.2,
                [STALL_NOT_SELECTED] = 0.2,
                [STALL_WAIT] = 0.4,
                [STALL_BRANCH_RESOLVING] = 0.2},
     .left = {[STALL_SHORT_SCOREBOARD] = 0.05,
              [STALL_BRANCH_RESOLVING] = 0.2,
              [STALL_NO_INSTRUCTION] = 0.05,
              [STALL_WAIT] = 0.7},
     .line = 1},
    [LONG_DIVISION] = // one MUFU in front of eight f64 operations, 8 cycles each
    {.left = {[STALL_SHORT_SCOREBOARD] = 0.13, [STALL_BRANCH_RESOLVING] = 0.1, [STALL_WAIT] = 0.77},
     .line = 1},
    [LONG] =
        {.left =
             {[STALL_SHORT_SCOREBOARD] = 0.2, [STALL_BRANCH_RESOLVING] = 0.15, [STALL_WAIT] = 0.65},
         .line = 1}, // in chains, however many warps there are
    [QUOTIENT] = {.queued = {[STALL_MIO_THROTTLE] = 0.3,
                             [STALL_MATH_PIPE_THROTTLE] = 0.15,
                             [STALL_NOT_SELECTED] = 0.15,
                             [STALL_WAIT] = 0.3,
                             [STALL_DISPATCH] = 0.1},
                  .left = {[STALL_SHORT_SCOREBOARD] = 0.4, [STALL_WAIT] = 0.6}},
    [WIDE_QUOTIENT] = {.queued = {[STALL_MIO_THROTTLE] = 0.2,
                                  [STALL_NOT_SELECTED] = 0.2,
                                  [STALL_WAIT] = 0.4,
                                  [STALL_BRANCH_RESOLVING] = 0.2},
                       .left = {[STALL_SHORT_SCOREBOARD] = 0.2,
                                [STALL_BRANCH_RESOLVING] = 0.15,
                                [STALL_WAIT] = 0.65}},
    [PRODUCT] = {.queued = {[STALL_MATH_PIPE_THROTTLE] = 0.35,
                            [STALL_DISPATCH] = 0.2,
                            [STALL_NOT_SELECTED] = 0.15,
                            [STALL_WAIT] = 0.3},
                 .left = {[STALL_WAIT] = 1}},
};

static enum sequence_kind sequence_kind(enum timed_operation operation)
{
    switch (operation) {
    case OPERATION_div_full_f32:
    case OPERATION_div_approx_f32:
        return APPROXIMATE;
    case OPERATION_NONE:
    case OPERATION_COUNT:
    case OPERATION_div_rn_f32:
    case OPERATION_div_rn_f32_known:
    case OPERATION_rcp_rn_f32:
        return ROUNDED;
    case OPERATION_sqrt_rn_f32:
        return ROOT;
    case OPERATION_div_f64:
        return LONG_DIVISION;
    case OPERATION_rcp_f64:
    case OPERATION_sqrt_f64:
        return LONG;
    case OPERATION_div_32:
    case OPERATION_rem_32:
        return QUOTIENT;
    case OPERATION_div_u64:
    case OPERATION_div_s64:
    case OPERATION_rem_u64:
    case OPERATION_rem_s64:
        return WIDE_QUOTIENT;
    case OPERATION_mul_lo_64:
    case OPERATION_mul_hi_64:
        return PRODUCT;
    }
    return ROUNDED;
}

static const struct sequence_waits *sequence_of(const struct replay *p, uint32_t site)
{
    return &SEQUENCES[sequence_kind((enum timed_operation)p->in->sites[site].operation)];
}

static void shares_add(struct replay *p, struct warp_state *w, uint32_t site, double until,
                       const double shares[STALL_COUNT])
{
    double since = w->since, whole = until - since, share = 0;
    for (int s = 0; s < STALL_COUNT; s++) {
        share += shares[s];
        stall_add(p, w, site, (enum stall)s, since + whole * share);
    }
}

void sequence_explain(struct replay *p, struct warp_state *w, uint32_t site, uint32_t maker,
                      double queued, double until)
{
    const struct sequence_waits *waits = sequence_of(p, maker);
    shares_add(p, w, site, w->since + sooner(queued, until - w->since), waits->queued);
    shares_add(p, w, site, until, waits->left);
    stall_add(p, w, site, STALL_WAIT, until);
}

// A special function within a chain of arithmetic, which scales what goes in and comes out: its own cycles are behind the
// first instruction and in front of the others.
static void special_explain(struct replay *p, struct warp_state *w, uint32_t site, double ready)
{
    const struct timing_site *t = &p->in->sites[w->maker[w->last]];
    const struct site_cost *m = &p->costs[w->maker[w->last]];
    double behind = m->latency * (1 - 1 / later(t->issue_slots, 1)), came = ready - behind;
    double queued = sooner(w->queued[w->last], later(came - m->special_latency - w->since, 0));
    stall_add(p, w, site, STALL_MIO_THROTTLE, w->since + queued);
    stall_add(p, w, site, STALL_WAIT, came - m->special_latency);
    stall_add(p, w, site, STALL_SHORT_SCOREBOARD, came);
    stall_add(p, w, site, STALL_WAIT, ready);
}

static void operand_explain(struct replay *p, struct warp_state *w, uint32_t site, double ready)
{
    const struct site_cost *m = w->maker[w->last] >= 0 ? &p->costs[w->maker[w->last]] : NULL;
    enum stall reason = m ? (enum stall)m->reader : STALL_WAIT;
    if (m && m->sequence > 0) {
        sequence_explain(p, w, site, (uint32_t)w->maker[w->last], w->queued[w->last], ready);
        return;
    }
    if (m && m->special_cycles > 0 && w->last_ready <= ready) {
        special_explain(p, w, site, ready);
        return;
    }
    if (m && p->constants >= ready && p->in->sites[w->maker[w->last]].constant)
        reason = STALL_IMC_MISS;
    double queued = w->since + sooner(w->queued[w->last], ready - w->since);
    bool math = reason != STALL_SHORT_SCOREBOARD; // else the queue of the shared units
    if (m && !is_among_lanes(m->pipe)) // shuffles wait for their results, however many there are
        stall_share_out(p, w, site, queued, math ? STALL_MATH_PIPE_THROTTLE : STALL_MIO_THROTTLE,
                        STALL_NOT_SELECTED, chosen_share(p, m->cycles, m->first != m->second));
    stall_add(p, w, site, reason, ready);
}

// No other load, and not the same instruction again, within what is looked at.
static bool is_last(const struct replay *p, const struct warp_state *w, uint32_t site)
{
    size_t ahead = w->next + LOOK_AHEAD < w->trace->count ? w->next + LOOK_AHEAD : w->trace->count;
    for (size_t i = w->next + 1; i < ahead; i++)
        if (w->trace->ops[i].site == site || p->costs[w->trace->ops[i].site].unit == UNIT_LOAD)
            return false;
    return true;
}

// Of stores in front of loads, the model's queue in front of the load/store unit holds cycles of work, the machine's holds
// instructions: of those that take many cycles it takes more, and their warps wait for data where the model has them wait for room.
static void room_explain(struct replay *p, struct warp_state *w, uint32_t site, double room)
{
    static const double reads = 0.15; // of those that wait, for registers that are not read yet
    const struct site_cost *c = &p->costs[site];
    if (p->turns && is_sent(c) && !loads_follow(p, w)) {
        stall_share_out(p, w, site, sooner(queue_place(p, c, p->r.load_places), room),
                        STALL_LG_THROTTLE, STALL_LONG_SCOREBOARD, reads);
        stall_add(p, w, site, STALL_LONG_SCOREBOARD, room);
        return;
    }
    if (p->turns && c->unit == UNIT_LOAD)
        stall_add(p, w, site, STALL_LG_THROTTLE, sooner(flying_place(p), room));
    const struct server *pipe = &p->pipe[c->first];
    uint64_t queued = p->loads.count + p->sends.count;
    double mean = queued > 0 ? pipe->busy / (double)queued : 1;
    double drains = c->unit == UNIT_STORE && is_last(p, w, site) ? 1 : 0;
    if (op_next(p, w)->lines <= 4)
        drains *= 0.4;
    double holds = p->r.load_places * (is_sent(c) ? 2 : 1);
    stall_share_out(p, w, site, sooner(queue_place(p, c, holds), room), (enum stall)c->throttle,
                    STALL_NOT_SELECTED, chosen_share(p, mean, false));
    stall_share_out(p, w, site, room, STALL_LONG_SCOREBOARD, STALL_DRAIN, drains);
}

// Its target is found, and has to be fetched (bench/truth/tuning/stalls:short-loop).
void branch_explain(struct replay *p, struct warp_state *w, uint32_t site, double part)
{
    // PC samples of diverging loops: a third of it is the fixed count of BSSY and BSYNC; over 98 kernels
    // as many cycles of a branch resolve it as fetch its target.
    static const double resolving = 0.5, fixed = 0.3;
    bool back = w->at - w->since - part > p->r.branch;
    stall_add(p, w, site, STALL_WAIT, w->since + part * fixed + (back ? p->r.branch - 1 : 0));
    double rest = later(w->at - w->since - part * (1 - fixed), 0);
    stall_add(p, w, site, STALL_BRANCH_RESOLVING, w->at - (1 - resolving) * rest);
    stall_add(p, w, site, STALL_NO_INSTRUCTION, w->at);
}

void rejoin_explain(struct replay *p, struct warp_state *w, uint32_t site)
{
    w->at += p->r.branch;
    stall_add(p, w, site, STALL_WAIT, w->at);
}

// In line for its scheduler, a warp finds its pipe taken by the one that went before in so much of the time.
static double pipe_share(const struct replay *p, const struct site_cost *c, double at)
{
    double cycles = p->schedulers * c->cycles;
    bool halves = c->pipe == PIPE_F32; // which take turns
    if (!p->turns || c->unit != UNIT_MATH || c->sequence > 0 || halves || cycles <= 1 || at <= 0)
        return 0;
    double taken = (p->pipe[c->first].busy + p->pipe[c->second].busy) / 2 / at;
    return sooner(taken, 1) * (1 - 1 / cycles);
}

// Others' turns. While a wide product keeps the scheduler, nobody is selected: another one waits for the pipe, others to be
// dispatched.
static void turn_explain(struct replay *p, struct warp_state *w, uint32_t site, double at)
{
    const struct site_cost *c = &p->costs[site];
    double kept = later(c->slots - c->next, 0), busy = p->issue[w->scheduler].busy;
    double held = busy > 0 ? p->held[w->scheduler] / busy : 0;
    p->held[w->scheduler] += kept;
    if (at <= w->since)
        return;
    stall_add(p, w, site, kept > 0 ? STALL_MATH_PIPE_THROTTLE : STALL_DISPATCH,
              w->since + (at - w->since) * held);
    if (c->sequence > 0)
        stall_add(p, w, site, STALL_WAIT, w->since + (at - w->since) * sequence_of(p, site)->line);
    stall_share_out(p, w, site, at, STALL_NOT_SELECTED, STALL_MATH_PIPE_THROTTLE,
                    pipe_share(p, c, at));
}

// ptxas 13.0 lets warps come to a barrier with what they have loaded from shared memory (of 726 barriers of the first three lists
// 35 have such a load on its way). The registers of stores to it are written again when the stores have left the queue: 592 of 667
// are in runs of at most eight up to such a wait or a barrier.
double near_wait(const struct warp_state *w, const struct site_cost *c)
{
    return c->pipe == PIPE_BARRIER ? w->near_loads : w->near_stores[w->near_stored % NEAR_STORES];
}

void stall_explain(struct replay *p, struct warp_state *w, uint32_t site, double at)
{
    if (p->stalls == NULL)
        return;
    const struct site_cost *c = &p->costs[site];
    stall_add(p, w, site, STALL_WAIT, sooner(later(w->fixed, w->paced[c->paced]), at));
    if (w->last >= 0 && w->last_ready > w->since)
        operand_explain(p, w, site, sooner(w->last_ready, at));
    if (p->turns && (c->pipe == PIPE_BARRIER || c->pipe == PIPE_SHARED_STORE))
        stall_add(p, w, site, STALL_SHORT_SCOREBOARD, sooner(near_wait(w, c), at));
    if (w->throttled > w->since)
        room_explain(p, w, site, sooner(w->throttled, at));
    turn_explain(p, w, site, at);
    w->throttled = 0;
}
