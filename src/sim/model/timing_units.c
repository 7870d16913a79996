// The replay's units: an instruction takes its pipe when that is free (cost.h says for how long).
// SPDX-License-Identifier: Apache-2.0
#include "sim/model/replay.h"

static struct server *earlier(struct server *a, struct server *b)
{
    return a->free_at <= b->free_at ? a : b;
}

double stage_take(struct stage *s, double at, double cycles, double *start)
{
    double now = at;
    bool begun = false;
    for (uint64_t n = (uint64_t)(at / STAGE_CYCLES), last = n + STAGE_SPANS / 2; n < last; n++) {
        size_t i = n % STAGE_SPANS;
        double end = ((double)n + 1) * STAGE_CYCLES;
        if (s->span[i] != n) {
            s->span[i] = n;
            s->taken[i] = 0;
        }
        double from = later(now, end - STAGE_CYCLES),
               room = sooner(STAGE_CYCLES - s->taken[i], end - from), part = sooner(room, cycles);
        if (part <= 0)
            continue;
        if (!begun)
            *start = from;
        begun = true;
        s->taken[i] += part;
        cycles -= part;
        now = from + part;
        if (cycles <= 0)
            break;
    }
    return now;
}

double lsu_take(struct replay *p, double at, double cycles)
{
    struct server *lsu = &p->pipe[SERVER_LSU];
    if (p->stage == NULL || cycles <= 0)
        return server_take(lsu, at, cycles);
    double start = server_take(lsu, server_take(&p->tags, at, p->r.lsu_issue), cycles), taken;
    (void)stage_take(p->stage, start, cycles, &taken);
    return start;
}

double pipe_take(struct replay *p, struct server *pipe, double at, double cycles)
{
    bool lsu = pipe == &p->pipe[SERVER_LSU];
    return lsu ? lsu_take(p, at, cycles) : server_take(pipe, at, cycles);
}

// f32 goes through two halves of a pipe, of which the first also multiplies integers; integer additions
// go there or through the integer pipe: whichever is free.
static double arithmetic(struct replay *p, const struct site_cost *c, double at)
{
    struct server *pipe = earlier(&p->pipe[c->first], &p->pipe[c->second]);
    struct server *special = &p->pipe[SERVER_SPECIAL];
    if (c->sequence > 0) {
        double start = server_take(&p->sequence, at, c->sequence);
        double begun = server_take(pipe, at, c->cycles);
        if (c->special_cycles > 0)
            server_take(special, at, c->special_cycles);
        p->start = later(start, begun);
        return p->start + c->latency;
    }
    double cycles = c->cycles, carry = at;
    if (c->pipe == PIPE_ADD_WIDE) { // IADD3 makes the carry, IMAD.X or IADD3.X takes it
        cycles /= 2;
        carry = server_take(&p->pipe[c->first], at, cycles);
        pipe = earlier(&p->pipe[c->first], &p->pipe[c->second]);
    }
    p->start = later(carry, pipe_take(p, pipe, at, cycles));
    double done = p->start + c->latency;
    if (c->special_cycles == 0)
        return done;
    if (c->in_ring || (p->turns && c->tested)) // what it scales is under a predicate
        done += p->r.guard;
    p->start = server_take(special, at, c->special_cycles);
    return p->start + c->special_latency + done - at;
}

static double taken_once(struct replay *p, const struct site_cost *c, double at)
{
    p->start = server_take(&p->pipe[c->first], at, c->cycles);
    return p->start + c->latency;
}

// A vote by value: the SM's unit takes the values one by one.
static double values_vote(struct replay *p, const struct trace_op *op, const struct site_cost *c,
                          double at)
{
    double cycles = later(c->cycles, op->wavefronts * p->r.match_value);
    p->start = server_take(&p->pipe[c->first], at, cycles);
    return p->start + cycles - c->cycles + c->latency;
}

// While a launch's first warps wait for a constant that no cache has (sampling_first), what they asked that unit for passes it: nobody
// stands in line behind it when the constant has come.
static bool passes_unseen(const struct replay *p, double at)
{
    return p->turns && at < p->r.first_fetch + p->r.first_constant;
}

// A constant for each lane: the cache gives one word after the other, those that lanes share at once.
static double constants_load(struct replay *p, const struct trace_op *op, const struct site_cost *c,
                             double at)
{
    double more = op->wavefronts > 1 ? (op->wavefronts - 1) * c->cycles : 0;
    lsu_take(p, at, p->r.lsu_issue); // the data come through the load/store unit's data stage
    double taken = passes_unseen(p, at) ? 0 : c->cycles;
    p->start = server_take(&p->pipe[c->first], at, taken + more);
    return p->start + more + c->latency;
}

// The program's own constants, which no cache has when the first warp of an SM asks: all wait for them.
static double constants_come(struct replay *p, const struct trace_op *op, double at)
{
    if (!p->turns || !p->in->sites[op->site].constant)
        return 0;
    if (p->constants <= 0)
        p->constants = at + p->r.constants_miss;
    return p->constants;
}

double op_execute(struct replay *p, const struct trace_op *op, const struct site_cost *c, double at)
{
    switch ((enum unit)c->unit) {
    case UNIT_NONE:
        return at;
    case UNIT_MATH:
        return op->wavefronts > 0 && p->in->sites[op->site].routine == ROUTINE_NONE
                   ? values_vote(p, op, c, at)
                   : arithmetic(p, c, at);
    case UNIT_LOAD:
        return op->lanes ? load_global(p, op, c, at) : at;
    case UNIT_STORE:
        return op->lanes ? store_global(p, op, at) : at;
    case UNIT_SHARED: // one without lanes takes the same way, where ptxas has it under a predicate
        return op->lanes || p->in->sites[op->site].side_step ? access_shared(p, op, c, at) : at;
    case UNIT_ATOMIC:
        if (is_in_shared(op)) // by a generic address
            return access_shared(p, op, c, at);
        return op->lanes ? atomic_global(p, op, c, at) : at;
    case UNIT_COPY:
        return op->lanes ? copy_bulk(p, op, c, at) : at;
    case UNIT_CONSTANT:
        return constants_load(p, op, c, at);
    case UNIT_SCALAR:
    case UNIT_TENSOR:
        return taken_once(p, c, at);
    case UNIT_WAIT:
        return later(at + c->latency, constants_come(p, op, at));
    }
    return at + c->latency;
}
