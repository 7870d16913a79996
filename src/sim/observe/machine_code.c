// How many machine instructions a function's instructions issue, by what ptxas is reckoned to make of them (decode/lower_code.h)
// and how often its blocks were executed.
// SPDX-License-Identifier: Apache-2.0
#include "sim/decode/lower_code.h"
#include "sim/observe/machine.h"

#include <math.h>
#include <stdlib.h>

struct turns {
    double entered;
    double rounds, twos,
        ones;     // each time it is entered: of the unrolled loop; bodies of two turns, of one
    double asks;  // what asks how many turns there are
    double joins; // of lanes that left apart, more than between turns
};

// How often the loop is entered: by the blocks that lead to it from outside.
static double entered_of(const struct code *c, const struct natural_loop *l, const double *executed)
{
    const struct ptx_block *head = &c->f->blocks[l->head];
    double entered = 0;
    int loop = (int)(l - c->loops);
    for (int p = 0; p < head->predecessor_count; p++)
        if (!in_loop(c, head->predecessors[p], loop))
            entered += executed[head->predecessors[p]];
    return fmin(entered, executed[l->head]);
}

// Of numbers that differ, each as often odd as even: how often one of them at least has a bit that the others need not have.
static double has_bit(double numbers)
{
    const double half = 0.5;
    return 1 - pow(half, numbers);
}

// Turns that fill an unrolled loop, of a number that differs from time to time: by chance half of what is less than the copies is left
// over. For requests: of so few turns that they seldom fill one, all. (Instructions about the loop were found by the half alone: with
// this chol:row and erode:plain of the second list fall from 6 and 4 % too few to 13 and 9.)
static double filled_by_chance(double turns, double copies, bool requests)
{
    double left = (copies - 1) / 2, few = copies / 2, many = few + left;
    if (!requests || turns >= many)
        return fmax(turns - left, 0);
    return fmax(turns - few, 0) * few / left;
}

// Where turns differ from time to time, what is left over is as by chance; so it is for each number of turns after which lanes
// leave apart, of which the last has been counted.
static struct turns turns_of(const struct code *c, const struct natural_loop *l,
                             const double *executed, const double *parted, bool requests)
{
    struct turns t = {.entered = entered_of(c, l, executed)};
    double all = executed[l->head], turns = t.entered > 0 ? all / t.entered : 0;
    double left;
    if (l->turns > 0) { // nothing asks, and what is left over stands behind
        t.rounds = l->copies == l->turns ? 0 : floor((double)l->turns / l->copies);
        t.ones = all / fmax(t.entered, 1) - t.rounds * l->copies;
        return t;
    }
    double leave =
        parted != NULL && t.entered > 0 ? 1 + parted[c->f->block_of[l->branch]] / t.entered : 1;
    bool same = leave <= 1 && fabs(turns - round(turns)) < 1e-9;
    if (l->peeled)
        turns = fmax(turns - 1, 0);
    if (same) {
        t.rounds = floor(round(turns) / l->copies);
        left = round(turns) - t.rounds * l->copies;
        t.twos = left >= 2;
        t.ones = left - 2 * t.twos;
    } else {
        t.rounds = filled_by_chance(turns, l->copies, requests) / l->copies;
        left = turns - t.rounds * l->copies;
        t.twos = fmin(left / 3, 1);
        t.ones = fmin(left - 2 * t.twos, 1);
        if (leave > 1) {
            t.twos = fmax(t.twos, fmin(has_bit(leave), turns / 2));
            t.ones = fmax(t.ones, has_bit(leave));
        }
    }
    enum {
        ASKED = 3
    }; // before the unrolled loop, the two turns and the one; lanes leave the loop between its rounds
    t.joins = ASKED * has_bit(leave - 1) - (leave - 1) * (l->copies - 1) / l->copies;
    // Before: is there one, how many are left, a predicate, are there enough, a branch. Before the unrolled loop its bound.
    // Behind: how many are left, are there two, a predicate, is there one.
    double guard = l->by_chain ? 2 : 0, bound = l->to_number ? 0 : 1,
           left_before = l->to_number || l->from_number ? 0 : 1;
    t.asks = guard + 3 + left_before + (t.rounds > 0 ? 1 + bound : 0) + 3 + bound +
             !l->predicated_two + !l->predicated_one;
    enum { PEELED = 3 };
    if (l->peeled)
        t.asks += PEELED + l->shared;
    if (l->differs)
        t.asks += 2 + (l->predicated_two ? 0 : 2);
    // Counters' sums with the two turns; the loop of single turns has its own test.
    t.asks += (l->predicated_two ? 1 : t.twos) * l->shared;
    if (l->by_chain)
        t.asks += t.ones * (2 + l->shared);
    if (l->predicated_two)
        t.twos = 1;
    if (l->predicated_one && !l->by_chain)
        t.ones = 1;
    t.ones += l->peeled;
    return t;
}

static void loop_issued(const struct code *c, const struct natural_loop *l, const double *executed,
                        const double *parted, double *issued)
{
    struct turns t = turns_of(c, l, executed, parted, false);
    int loop = (int)(l - c->loops);
    double bodies = t.rounds * l->copies + 2 * t.twos + t.ones;
    for (int i = 0; i < c->count; i++)
        if (c->place[i] >= 0 && in_loop(c, c->place[i], loop))
            issued[i] = c->slots[i] * t.entered * (c->once[i] ? t.rounds : bodies);
    issued[l->branch] += t.entered * (t.asks + t.joins);
}

void code_issued(const struct code *c, const double *executed, const double *parted, double *issued)
{
    for (int i = 0; i < c->count; i++)
        issued[i] = c->place[i] >= 0 ? c->slots[i] * executed[c->place[i]] : 0;
    for (int n = 0; n < c->loop_count; n++)
        if (c->loops[n].copies > 1)
            loop_issued(c, &c->loops[n], executed, parted, issued);
    for (int k = 0; k < c->brought_count; k++)
        issued[c->brought[k].instruction] += c->brought[k].slots * executed[c->brought[k].block];
}

// A loop that is unrolled stands there as often as it has copies, and once or twice more for the turns that are left over.
static double bodies_of(const struct natural_loop *l)
{
    enum { LEFT_OVER = 3 }; // of two turns and of one
    if (l->turns > 0)
        return l->copies + l->turns % l->copies;
    return l->copies + (l->by_chain ? 1 : LEFT_OVER);
}

static double code_length(const struct code *c)
{
    enum { ASKS = 10 }; // around an unrolled loop whose turns nobody knows (turns_of)
    double length = 0;
    for (int i = 0; i < c->count; i++) {
        double bodies = 1;
        for (int n = 0; n < c->loop_count && c->place[i] >= 0 && !c->once[i]; n++)
            if (c->loops[n].copies > 1 && in_loop(c, c->place[i], n))
                bodies = bodies_of(&c->loops[n]);
        length += c->place[i] >= 0 ? c->slots[i] * bodies : 0;
    }
    for (int n = 0; n < c->loop_count; n++)
        length += c->loops[n].copies > 1 && c->loops[n].turns == 0 ? ASKS : 0;
    for (int k = 0; k < c->brought_count; k++)
        length += c->brought[k].slots;
    return length;
}

uint64_t machine_code_bytes(const struct launch *l)
{
    enum { INSTRUCTION = 16, PART = 128 }; // bytes
    const struct program *p = l->program;
    double length = 1; // a branch to itself at the end
    for (int i = 0; i < l->options->line_code_count; i++)
        length += l->options->line_codes[i].instructions;
    for (int k = 0; k < p->function_count && l->options->line_code_count == 0; k++)
        length += code_length(p->functions[k].code);
    return (uint64_t)ceil(length * INSTRUCTION / PART) * PART;
}

// How often each block was executed, and lanes parted at its end. The caller's to free.
struct executions {
    double *executed, *parted;
};

static struct executions executions_of(const struct launch *l, const struct function *own)
{
    const struct program *p = l->program;
    double *executed = xcalloc(2 * ((size_t)own->ptx->block_count + 1), sizeof *executed);
    double *parted = executed + own->ptx->block_count + 1;
    for (int b = 0; b < own->ptx->block_count; b++) {
        int first = own->site_base + own->ptx->blocks[b].first,
            segment = own->ptx->blocks[b].count > 0 ? p->sites[first].segment : -1;
        int last = first + own->ptx->blocks[b].count - 1;
        for (int i = 0; i < l->core_count && segment >= 0; i++) {
            executed[b] += (double)l->cores[i].segments[segment].executed;
            parted[b] += p->sites[last].is_branch ? (double)l->cores[i].divergent[last] : 0;
        }
    }
    return (struct executions){executed, parted};
}

const double *reckoned_issues(const struct launch *l, struct arena *a)
{
    const struct program *p = l->program;
    double *issued = ARENA_ARRAY(a, double, p->site_count + 1);
    for (int k = 0; k < p->function_count; k++) {
        const struct function *own = &p->functions[k];
        struct executions e = executions_of(l, own);
        code_issued(own->code, e.executed, e.parted, issued + own->site_base);
        free(e.executed);
    }
    return issued;
}

const double *reckoned_bodies(const struct launch *l, struct arena *a)
{
    const struct program *p = l->program;
    double *share = ARENA_ARRAY(a, double, p->site_count + 1);
    for (int i = 0; i < p->site_count; i++)
        share[i] = 1;
    for (int k = 0; k < p->function_count; k++) {
        const struct function *own = &p->functions[k];
        const struct code *c = own->code;
        struct executions e = executions_of(l, own);
        for (int n = 0; n < c->loop_count; n++) {
            const struct natural_loop *loop = &c->loops[n];
            double turns = e.executed[loop->head];
            if (loop->copies == 1 || loop->turns > 0 || turns <= 0)
                continue;
            struct turns t = turns_of(c, loop, e.executed, e.parted, true);
            double bodies = (t.rounds * loop->copies + 2 * t.twos + t.ones) * t.entered;
            for (int i = 0; i < c->count; i++)
                if (c->place[i] >= 0 && in_loop(c, c->place[i], n))
                    share[own->site_base + i] = fmax(1, bodies / turns);
        }
        free(e.executed);
    }
    return share;
}
