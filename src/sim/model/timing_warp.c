// One instruction of a warp: when it may start, what it takes, what the warp waited for until then.
// SPDX-License-Identifier: Apache-2.0
#include "base/prefetch.h"
#include "sim/model/replay.h"

#include <stdlib.h>
#include <string.h>

enum { OPERANDS_FEW = 4 };

// Where there are fewer than OPERANDS_FEW, but any, the last stands there again.
struct operands operands_of(const struct timing_input *in)
{
    struct operands o = {.sites = xcalloc((size_t)in->site_count + 1, sizeof *o.sites)};
    size_t room = 0;
    for (int i = 0; i < in->site_count; i++)
        room += (size_t)in->sites[i].source_count + in->sites[i].result_count + OPERANDS_FEW;
    o.registers = xcalloc(room + 1, sizeof *o.registers);
    uint16_t *to = o.registers;
    for (int i = 0; i < in->site_count; i++) {
        const struct timing_site *t = &in->sites[i];
        struct site_operands *s = &o.sites[i];
        *s = (struct site_operands){.first = (uint32_t)(to - o.registers), .guard_at = NO_GUARD};
        for (int n = 0; n < t->source_count; n++) {
            if ((t->guard == t->source[n] + 1 || t->under == t->source[n] + 1) &&
                s->guard_at == NO_GUARD)
                s->guard_at = s->count;
            to[s->count++] = t->source[n];
        }
        s->sources = s->count;
        for (int n = 0; n < t->result_count; n++)
            to[s->count++] = t->result[n];
        for (int n = s->count; n > 0 && n < OPERANDS_FEW; n++)
            to[n] = to[n - 1];
        to += s->count < OPERANDS_FEW ? OPERANDS_FEW : s->count;
    }
    return o;
}

void operands_release(struct operands *o)
{
    free(o->sites);
    free(o->registers);
    *o = (struct operands){0};
}

// The register that the instruction waits for longest, the first of them; for few without a branch. A predicate takes longer to
// where it decides whether an instruction is executed.
static void last_register(const struct replay *p, struct warp_state *w)
{
    const struct site_operands *s = &p->operands.sites[w->op->site];
    const uint16_t *all = &p->operands.registers[s->first];
    const double more[2] = {0, p->r.guard + w->cost->under}, *ready = w->ready;
    unsigned last = all[0];
    double latest = ready[last] + more[s->guard_at == 0];
    for (unsigned i = 1; i < OPERANDS_FEW; i++) {
        double at = ready[all[i]] + more[s->guard_at == i];
        last = at > latest ? all[i] : last;
        latest = later(at, latest);
    }
    for (unsigned i = OPERANDS_FEW; i < s->count; i++) {
        double at = ready[all[i]] + more[s->guard_at == i];
        last = at > latest ? all[i] : last;
        latest = later(at, latest);
    }
    w->last = s->count > 0 ? (int)last : LAST_NONE;
    w->last_ready = s->count > 0 ? latest : 0;
    // The registers of the loads before are free when what they bring is used.
    const struct loads_ahead *before = w->cost->room > 0 ? &w->ahead[w->cost->level - 1] : NULL;
    if (before != NULL && before->count == 0 && before->loaded_ready > w->last_ready) {
        w->last = before->loaded;
        w->last_ready = before->loaded_ready;
    }
}

// The warp comes to a region's first instruction.
static void head_take(const struct replay *p, struct warp_state *w, enum head head)
{
    struct early_state *e = &w->early;
    if (head == HEAD_NONE)
        return;
    e->behind = head == HEAD_BEHIND;
    if (head != HEAD_BEGINS)
        return;
    w->at = later(w->at, e->open);
    *e = (struct early_state){.from = w->at, .idle_from = p->idle[w->scheduler], .free_at = w->at};
}

void warp_look(const struct replay *p, struct warp_state *w)
{
    enum { AHEAD = 8 }; // operations
    if (p->any_early)
        head_take(p, w, (enum head)p->costs[w->trace->ops[w->next].site].head);
    w->op = op_next(p, w);
    prefetch(w->op + AHEAD);
    w->cost = &p->costs[w->op->site];
    last_register(p, w);
    w->early.now = w->cost->early && w->early.behind;
    if (p->turns && w->last >= 0 && w->maker[w->last] >= 0 && w->last_ready > w->at)
        w->last_ready += side_cycles(&p->r, &p->costs[w->maker[w->last]], w->cost);
}

static void warp_advance(struct warp_state *w)
{
    w->next++;
    w->last = LAST_UNKNOWN;
}

// A new name for a value: its readers wait for the old one.
static void value_rename(struct warp_state *w, const struct timing_site *t, double at)
{
    int last = w->last;
    w->issued = at;
    for (int i = 0; i < t->result_count; i++) {
        w->ready[t->result[i]] = at;
        w->queued[t->result[i]] = last >= 0 ? w->queued[last] : 0;
        w->maker[t->result[i]] = last >= 0 ? w->maker[last] : NOBODY;
    }
    warp_advance(w);
}

// What the turn before has asked for; the first turn waits for its own. The next is asked for when that has come.
static double from_turn_before(struct warp_state *w, unsigned kept, double ready)
{
    double before = w->ready[kept];
    w->ready[kept] = ready + later(before - w->issued, 0);
    return before > 0 ? before : ready;
}

static void values_come(const struct replay *p, struct warp_state *w, double ready, double queued)
{
    const struct site_operands *s = &p->operands.sites[w->op->site];
    const uint16_t *all = &p->operands.registers[s->first];
    for (int i = s->sources; i < s->count; i++) {
        w->ready[all[i]] = ready;
        w->queued[all[i]] = queued;
        w->maker[all[i]] = (int32_t)w->op->site;
    }
}

static double groups_end(const struct copy_groups *g, unsigned left)
{
    return g->count > left ? g->end[(g->count - 1 - left) % GROUPS] : 0;
}

static void group_commit(struct copy_groups *g)
{
    double end = later(g->open, groups_end(g, 0));
    g->end[g->count++ % GROUPS] = end;
    g->open = 0;
}

// Of more groups than have an arrival of their own, the wait is for the oldest that has one.
static void copies_wait(struct replay *p, struct warp_state *w, uint32_t site)
{
    const struct timing_site *t = &p->in->sites[site];
    const struct copy_groups *g = &w->copies[t->bulk];
    unsigned left = t->groups_left == GROUPS_NONE ? 0 : t->groups_left;
    double end = groups_end(g, left < GROUPS ? left : GROUPS - 1);
    if (t->groups_left == GROUPS_NONE)
        end = later(end, g->open);
    w->at = later(w->at, end);
    stall_add(p, w, site, STALL_LONG_SCOREBOARD, w->at);
}

// s_waitcnt: until no more than so many memory operations of each kind are on their way.
static void counters_wait(struct replay *p, struct warp_state *w, uint32_t site)
{
    const struct timing_site *t = &p->in->sites[site];
    const struct {
        unsigned left;
        enum stall reason;
    } all[] = {{t->vector_left, STALL_LONG_SCOREBOARD}, {t->scalar_left, STALL_SHORT_SCOREBOARD}};
    for (int i = 0; i < 2; i++) {
        if (all[i].left >= GROUPS - 1)
            continue;
        w->at = later(w->at, groups_end(&w->copies[i], all[i].left));
        stall_add(p, w, site, all[i].reason, w->at);
    }
}

// A copy that ends a phase of an mbarrier is in no group.
static void copy_open(struct replay *p, struct warp_state *w, const struct trace_op *op,
                      double ready)
{
    const struct timing_site *t = &p->in->sites[op->site];
    for (const struct trace_sync *s = syncs_of(p, op); s; s = s->more ? s + 1 : NULL)
        if (s->phase != NO_PHASE)
            return;
    w->copies[t->bulk].open = later(w->copies[t->bulk].open, ready);
}

// The machine's bulk copy takes its addresses from registers that a warp's lanes share: lanes start theirs one after the
// other, and the warp goes on after the last.
static double lanes_started(const struct replay *p, const struct trace_op *op)
{
    return p->r.bulk_start * op->lanes;
}

static void gap_note(struct replay *p, struct warp_state *w, uint32_t site, double at)
{
    if (p->gaps == NULL) // a clock's, of one SM at work
        return;
    p->gaps[site].cycles += w->ran < 0 ? 0 : at - w->ran;
    p->gaps[site].count++;
    w->ran = at;
}

static void units_note(const struct replay *p, double times[UNIT_TIMES])
{
    for (int i = 0; i < SERVER_COUNT; i++)
        times[i] = p->pipe[i].busy;
    times[TIME_ISSUE] = 0;
    for (int i = 0; i < p->schedulers; i++)
        times[TIME_ISSUE] += p->issue[i].busy / p->schedulers;
    times[TIME_PORT] = p->port.busy;
    times[TIME_FILL] = p->fill.busy;
    times[TIME_L2] = p->l2.busy;
    times[TIME_FLITS] = p->flits.busy;
    times[TIME_DRAM] = p->dram.busy;
    times[TIME_ATOMIC] = p->atomic.busy;
}

// What may go through either of two pipes is counted for the first: on a full SM it goes through whichever is free.
static void taken_note(struct replay *p, uint32_t site)
{
    const struct site_cost *c = &p->costs[site];
    double now[UNIT_TIMES], *taken = p->taken[site];
    units_note(p, now);
    for (int i = 0; i < UNIT_TIMES; i++)
        taken[i] += now[i] - p->noted[i];
    memcpy(p->noted, now, sizeof now); // no unit is taken but by an instruction
    if (c->unit == UNIT_MATH && c->first != c->second)
        taken[c->first] += taken[c->second], taken[c->second] = 0;
}

// Loads of an unrolled loop begin together, those of later turns too, as long as they have registers and up to the last of the
// turns that its code has in a row.
enum { UNROLLED = 4 };

static bool is_load_of(const struct replay *p, const struct trace_op *op, uint32_t loop,
                       unsigned level)
{
    const struct timing_site *t = &p->in->sites[op->site];
    return t->loop == loop && t->loop_level == level;
}

static unsigned registers_loaded(const struct replay *p, const struct trace_op *op)
{
    enum { REGISTER_BYTES = 4 };
    unsigned bytes = p->in->sites[op->site].bytes;
    return (bytes + REGISTER_BYTES - 1) / REGISTER_BYTES;
}

// Behind the last of the turns whose loads begin with others', or where the loop is left. A turn that has more loads than fit is
// by itself.
static size_t turns_end(const struct replay *p, const struct warp_state *w, uint32_t loop)
{
    const struct trace_warp *t = w->trace;
    size_t place = w->next;
    unsigned taken = 0;
    for (int turns = UNROLLED; place < t->count && turns > 0; place++) {
        const struct trace_op *op = &t->ops[place];
        bool more = place + 1 < t->count && op[1].site < op->site;
        if (has_slow_way(&p->in->sites[op->site]))
            break;
        if (is_load_of(p, op, loop, 1))
            taken += turns == UNROLLED ? registers_loaded(p, op) : 0;
        else if (op->site + 1 == loop)
            turns = more && taken <= w->cost->room ? turns - 1 : 0;
    }
    return place;
}

// When the load's place is known: that which it comes of is there, in the same turn. false: it has not begun.
static bool place_known(const struct replay *p, const struct warp_state *w,
                        const struct trace_op *op, double *at)
{
    const struct timing_site *t = &p->in->sites[op->site];
    if (t->place_from == 0)
        return true;
    uint32_t site = op->site - t->place_from;
    const struct trace_op *from = op - 1;
    while (from > w->trace->ops && from->site != site && from->site < op->site)
        from--;
    if (from->site != site)
        return false;
    const struct loads_ahead *below = &w->ahead[t->loop_level - 2];
    for (int i = 0; i < below->count; i++)
        if (below->at[i].op == from) {
            *at = later(*at, below->at[i].ready);
            return true;
        }
    return op - w->op == (ptrdiff_t)op->site - (ptrdiff_t)w->op->site; // of this turn
}

static void loads_begin(struct replay *p, struct warp_state *w, uint32_t loop, double at)
{
    unsigned room = w->cost->room, taken = 0, level = w->cost->level;
    struct loads_ahead *all = &w->ahead[level - 1];
    bool later_turn = false;
    double come = at; // what this turn loads
    if (w->next >= w->turns_end)
        w->turns_end = turns_end(p, w, loop);
    for (size_t place = w->next; place < w->turns_end && all->count < TOGETHER; place++) {
        const struct trace_op *op = op_at(p, w->trace, place);
        if (!is_load_of(p, op, loop, level))
            continue;
        taken += registers_loaded(p, op);
        later_turn |= all->count > 0 && op->site <= w->op->site;
        double begins = later_turn && p->in->sites[op->site].when_used ? come : at;
        if (all->count > 0 && (taken > room || !place_known(p, w, op, &begins)))
            break;
        // Units are taken now: at a later time they would stand still for others until then.
        double ready = op_execute(p, op, &p->costs[op->site], at) + begins - at;
        if (all->count == 0) {
            all->loaded = p->in->sites[op->site].result[0];
            all->loaded_ready = ready;
        }
        come = later_turn ? come : later(come, ready);
        all->at[all->count].op = op;
        all->at[all->count++].ready = ready;
    }
}

// Loads that ptxas has beside this one, over side ways: they begin when it does. Those of the next turn do not.
static void beside_begin(struct replay *p, struct warp_state *w, const struct trace_op *leader,
                         double at)
{
    enum { FAR = 1024 }; // operations
    const struct trace_op *end = w->trace->ops + w->trace->count;
    struct loads_ahead *all = &w->ahead[0];
    double start = p->start;
    if (end - leader > FAR)
        end = leader + FAR;
    all->count = 0;
    for (const struct trace_op *op = leader + 1; op < end && op->site != leader->site; op++)
        if (p->in->sites[op->site].beside == leader->site + 1 && all->count < TOGETHER) {
            all->at[all->count].op = op;
            all->at[all->count++].ready = op_execute(p, op, &p->costs[op->site], at);
        }
    p->start = start;
}

static bool ahead_take(struct loads_ahead *all, const struct trace_op *op, double *ready)
{
    for (int i = 0; i < all->count; i++)
        if (all->at[i].op == op) {
            *ready = all->at[i].ready;
            all->at[i] = all->at[--all->count];
            return true;
        }
    return false;
}

static double result_ready(struct replay *p, struct warp_state *w, const struct trace_op *op,
                           double at)
{
    const struct timing_site *t = &p->in->sites[op->site];
    uint32_t loop = w->cost->room > 0 ? t->loop : 0;
    double ready;
    if (t->beside > 0 && ahead_take(&w->ahead[0], op, &ready))
        return later(ready, at);
    if (t->leads) {
        ready = op_execute(p, op, &p->costs[op->site], at);
        beside_begin(p, w, op, at);
        return ready;
    }
    for (int pass = 0; pass < 2 && loop > 0; pass++) {
        struct loads_ahead *all = &w->ahead[w->cost->level - 1];
        if (ahead_take(all, op, &ready))
            return later(ready, at);
        all->count = 0;
        loads_begin(p, w, loop, at);
    }
    return op_execute(p, op, &p->costs[op->site], at);
}

// Does the warp go on at an earlier place?
static bool goes_back(const struct warp_state *w)
{
    const struct trace_warp *t = w->trace;
    return w->next + 1 < t->count && t->ops[w->next + 1].site <= t->ops[w->next].site;
}

// Do lanes part at the branch, to wait for each other somewhere behind it?
static bool lanes_part(const struct replay *p, const struct warp_state *w,
                       const struct trace_op *op)
{
    const struct trace_warp *t = w->trace;
    return p->in->sites[op->site].rejoins && w->next + 1 < t->count && op[1].lanes > 0 &&
           op[1].lanes < op->lanes;
}

// When the instruction began, less now: its operands were there while the warp waited for others.
static double early_begin(struct warp_state *w, double at)
{
    double begun = later(w->early.from, w->last_ready);
    w->early.open = later(w->early.open, begun);
    return w->cost->unit == UNIT_LOAD ? 0 : begun - at; // a load's begin is decode_ahead.c's
}

// Did it issue in cycles in which the warp waited and its scheduler had nobody?
static bool issue_before(struct replay *p, struct warp_state *w, double at, double slots)
{
    double *idle = &p->idle[w->scheduler];
    *idle += later(at - p->issue[w->scheduler].free_at, 0);
    if (!w->early.now)
        w->early.slack += later(at - w->early.free_at, 0);
    if (!w->early.now || has_queue(w->cost->unit) || w->early.slack < slots ||
        *idle - w->early.idle_from < slots)
        return false;
    w->early.slack -= slots;
    *idle -= slots;
    p->issue[w->scheduler].busy += slots;
    return true;
}

// rare: as site_cost() has it; a constant for each of the two below. What only such an instruction has is looked at for these alone.
static inline __attribute__((always_inline)) void issue(struct replay *p, struct warp_state *w,
                                                        double at, const bool rare)
{
    const struct trace_op *op = w->op;
    const struct site_cost *c = w->cost;
    const struct timing_site *t = &p->in->sites[op->site];
    if (p->stalls != NULL) {
        stall_explain(p, w, op->site, at);
        stall_add(p, w, op->site, STALL_SELECTED, at + c->next);
    }
    bool swaps = rare && is_swap_loop(c, op);
    enum routine routine = rare && op->wavefronts > 0 ? (enum routine)t->routine : ROUTINE_NONE;
    double slots = c->slots + (rare ? routine_slots(routine) : 0) +
                   (swaps ? c->turn_slots * op->wavefronts : 0);
    double begun = w->early.now ? early_begin(w, at) : 0;
    bool before = p->any_early && issue_before(p, w, at, slots);
    if (!before)
        server_take(&p->issue[w->scheduler], at, slots);
    p->start = w->issued = at;
    p->scheduler = w->scheduler;
    p->slot = w->block;
    w->loads += c->unit == UNIT_LOAD;
    p->load_stage = l2_stage(w->loads, w->first_wave);
    gap_note(p, w, op->site, at);
    double held = rare && c->pipe == PIPE_BULK_COPY ? lanes_started(p, op) : 0;
    double ready = rare ? held + routine_cycles(routine) + result_ready(p, w, op, at)
                        : op_execute(p, op, c, at);
    ready += begun;
    p->ready = ready;
    if (p->taken != NULL)
        taken_note(p, op->site);
    double queued = c->unit == UNIT_CONSTANT ? 0 : later(p->start - at, 0);
    if (rare && t->for_next_turn > 0)
        values_come(p, w, from_turn_before(w, t->for_next_turn - 1u, ready), queued);
    else
        values_come(p, w, ready, queued);
    w->fixed = at + c->next + c->fixed;
    w->paced[c->paced] = at + c->pace;
    if (c->near)
        w->near_loads = later(w->near_loads, ready);
    if (p->stalls != NULL && has_queue(c->unit))
        queue_note(p, w, c, ready);
    bool branches = rare && c->pipe == PIPE_BRANCH;
    double part = branches && lanes_part(p, w, op) ? p->r.branch_parting : 0;
    double hold = c->hold + part + (branches && goes_back(w) ? p->r.branch_back : 0);
    if (!before)
        w->at = later(w->at, at + c->next + c->number + hold + held);
    w->early.free_at = w->at;
    if (p->stalls != NULL && c->number > 0)
        stall_add(p, w, op->site, STALL_WAIT, w->at);
    if (swaps) { // its branch waits for what each turn swapped
        w->at = later(w->at, ready);
        stall_add(p, w, op->site, STALL_SHORT_SCOREBOARD, w->at);
    }
    if (rare && c->slow_way) { // a branch asks of its result whether the slow way is to be taken
        w->at = later(w->at, ready);
        if (p->stalls != NULL)
            sequence_explain(p, w, op->site, op->site, queued, w->at);
    } else if (held > 0)
        stall_add(p, w, op->site, STALL_DISPATCH, w->at);
    else if (p->stalls != NULL && hold > 0)
        branch_explain(p, w, op->site, part);
    if (!rare)
        return;
    if (p->turns && branches && t->rejoins && op->lanes > 0)
        rejoin_explain(p, w, op->site);
    if (c->pipe == PIPE_ASYNC_COPY || c->pipe == PIPE_BULK_COPY)
        copy_open(p, w, op, ready);
    if (t->counter != WAIT_COUNTER_NONE) {
        w->copies[t->counter - 1].open = ready;
        group_commit(&w->copies[t->counter - 1]);
    }
    if (c->pipe == PIPE_COUNTER_WAIT)
        counters_wait(p, w, op->site);
    if (c->pipe == PIPE_ASYNC_WAIT && op->lanes > 0)
        copies_wait(p, w, op->site);
    if (c->unit == UNIT_STORE)
        w->drained = later(w->drained, ready);
    if (c->pipe == PIPE_GLOBAL_REDUCTION)
        w->kept = later(w->kept, ready);
    if (is_sent(c))
        w->sent_site = op->site + 1;
}

// Apart from warp_step(), which so keeps little where the warp only moves.
static __attribute__((noinline)) void issue_rare(struct replay *p, struct warp_state *w, double at)
{
    issue(p, w, at, true);
    warp_advance(w);
}

static __attribute__((noinline)) void issue_common(struct replay *p, struct warp_state *w,
                                                   double at)
{
    issue(p, w, at, false);
    warp_advance(w);
}

static void warp_vanish(struct replay *p, struct warp_state *w, double at)
{
    const struct timing_site *t = &p->in->sites[w->op->site];
    if (w->cost->pipe == PIPE_ASYNC_COMMIT && w->op->lanes > 0)
        group_commit(&w->copies[t->bulk]);
    if (p->gaps != NULL)
        p->gaps[w->op->site].count++;
    value_rename(w, t, at);
}

// For its own earlier instructions, whose results it does not read. Special functions wait for the SM's unit alone where the time
// is asked for: ptxas has other instructions between them.
static double own_wait(const struct replay *p, const struct warp_state *w,
                       const struct site_cost *c)
{
    double pace = p->turns || c->paced != SERVER_SPECIAL ? w->paced[c->paced] : 0;
    if (c->pipe == PIPE_BARRIER || (p->turns && c->pipe == PIPE_SHARED_STORE))
        return later(pace, near_wait(w, c));
    return pace;
}

enum step warp_step(struct replay *p, struct warp_state *w)
{
    if (w->last == LAST_UNKNOWN)
        warp_look(p, w);
    const struct site_cost *c = w->cost;
    double at = later(later(w->at, w->last_ready), own_wait(p, w, c));
    if (w->early.now)
        at = c->unit == UNIT_NONE ? w->last_ready : w->at;
    else
        at = later(at, w->early.open);
    if (c->unit == UNIT_NONE) {
        warp_vanish(p, w, at);
        return STEP_RAN;
    }
    double room = queue_wait(p, c, at), free_at = p->issue[w->scheduler].free_at;
    if (p->turns && has_queue(c->unit))
        room = queue_room(p, w, at, room);
    bool full = room > at;
    if (full)
        w->throttled = at = room;
    at = later(at, free_at);
    if (at > w->at + SAME_TIME) {
        w->at = at;
        if (has_queue(c->unit))
            return full && at <= room && has_line(c->unit) ? STEP_QUEUE : STEP_MOVED;
        return at <= free_at ? STEP_TURN : STEP_MOVED;
    }
    if (p->yields && !has_queue(c->unit))
        return STEP_TURN;
    if (c->rare)
        issue_rare(p, w, at);
    else
        issue_common(p, w, at);
    return STEP_RAN;
}
