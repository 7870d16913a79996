// Blocks of unequal work. The replay has one SM's; here all blocks of the grid go to all SMs as places come free, each as long as
// its longest warp and as much work as all of its warps, and the same is done with the replayed SM's blocks alone: the one over
// the other is what the replay's time is multiplied by. A block has two parts: what all warps execute, and the rest. What an
// operation of each takes is that of a block by itself; where the blocks of an SM ask more of the unit that they keep busiest
// than it has, it takes longer for each of them, and what else they wait for does not.
// SPDX-License-Identifier: Apache-2.0
#include "sim/model/replay.h"

#include <stdlib.h>
#include <string.h>

enum {
    BLOCKS_MAX = 65536, // of longer grids the last one to end does not matter, only the mean
    PLACES = 64,        // of an SM
    KNOWN = 512,        // stretches remembered: the same blocks meet again and again
};

struct part {
    double length; // cycles, of a block that has the SM for itself
    double load;   // what it takes then of the unit that is busiest
};
struct lane {          // a place on an SM
    double ends;       // while it waits: when its block begins
    double left;       // of its part, in cycles of a block by itself
    double load, pace; // of its part; cycles for a cycle of a block by itself
    struct part part, rest;
    bool runs, waits;
};

struct processor {    // an SM
    double now, next; // when something happens
    struct lane lane[PLACES];
};

struct schedule {
    struct uneven_part all, more;
    double warps;    // of a block
    double first;    // before a block's first operation: code, parameters
    double between;  // from a block's end to the next in its place
    double dispatch; // from a block's start to the next that an SM of those at work may start
    double sms;      // at work
    int places;
    double
        *known; // KNOWN times the loads of all places, and their stretch; 0: nothing is there yet
};

struct queue_of_blocks { // what is still to run
    const struct timing_input *in;
    uint64_t next, count;
    uint64_t ran; // blocks that `work` is of
    struct block_work mean;
    bool replayed;     // those of the replay, again and again; else all
    double dispatched; // when the next may start
};

static struct block_work block_of_group(const struct work_sum *g, uint64_t place,
                                        struct block_work mean)
{
    if (g->blocks == 0) // of a share of the blocks: none of these ran
        return mean;
    // The longest one, then the others' mean.
    uint64_t first = g->longest > 0 ? g->executed * g->longest_most / g->longest : g->executed;
    if (place == 0 || g->blocks == 1)
        return (struct block_work){first, g->longest_most};
    return (struct block_work){(g->executed - first) / (g->blocks - 1),
                               (g->longest - g->longest_most) / (g->blocks - 1)};
}

// Pieces of a block that was too long for the trace stand for the mean of all.
static struct block_work traced(const struct timing_input *in, uint64_t n, struct block_work mean)
{
    return in->trace->cut ? mean : in->work->traced[n % in->work->traced_count];
}

static struct block_work blocks_next(struct queue_of_blocks *q)
{
    const struct grid_work *w = q->in->work;
    uint64_t n = q->next++;
    if (q->replayed)
        return traced(q->in, n, q->mean);
    if (q->count < q->ran) // a smaller grid, of blocks all along that one
        n = n * q->ran / q->count;
    if (n / w->group_blocks >= w->count) // a larger grid than ran: what a change would be worth
        return q->mean;
    return block_of_group(&w->groups[n / w->group_blocks], n % w->group_blocks, q->mean);
}

static struct part part_of(const struct uneven_part *u, double longest, double executed)
{
    struct part p = {.length = longest * u->alone};
    p.load = p.length > 0 ? executed * u->full / p.length : 0;
    return p;
}

// The next block has the place, and begins in it no sooner than `at`.
static void lane_take(struct lane *l, const struct schedule *s, struct queue_of_blocks *q,
                      double at)
{
    *l = (struct lane){.waits = q->next < q->count};
    if (!l->waits)
        return;
    at = later(at, q->dispatched);
    q->dispatched = at + (q->replayed ? s->dispatch : s->dispatch / s->sms);
    l->ends = at + s->first;
    struct block_work b = blocks_next(q);
    double longest = (double)b.longest, executed = (double)b.executed;
    double all = sooner(longest, s->all.operations), by_all = sooner(executed, all * s->warps);
    l->part = part_of(&s->all, all, by_all);
    l->rest = part_of(&s->more, longest - all, executed - by_all);
}

// Of what the busiest unit has, when blocks ask for more: it takes so many times as long for each, and they wait for nothing else
// longer than alone.
static double stretch_of(const double *load, int places)
{
    enum { ROUNDS = 8 };
    double stretch = 1;
    for (int n = 0; n < ROUNDS; n++) {
        double asked = 0, less = 0; // what all ask for in a cycle; its change with the stretch
        for (int i = 0; i < places; i++) {
            double l = load[i], pace = 1 - l + l * stretch;
            asked += l / pace;
            less += l * l / (pace * pace);
        }
        if (asked <= 1 + 1e-9 || less <= 0)
            break;
        stretch += (asked - 1) / less;
    }
    return stretch;
}

static double stretch_known(const struct processor *p, const struct schedule *s)
{
    const uint64_t golden = 0x9E3779B97F4A7C15u; // of 2^64
    double load[PLACES];
    uint64_t hash = 0, bits;
    for (int i = 0; i < s->places; i++) {
        load[i] = p->lane[i].runs ? p->lane[i].load : 0;
        memcpy(&bits, &load[i], sizeof bits);
        hash = (hash ^ bits) * golden;
    }
    double *known = s->known + (hash >> 32) % KNOWN * (size_t)(s->places + 1);
    size_t size = (size_t)s->places * sizeof *load;
    if (known[s->places] <= 0 || memcmp(known, load, size) != 0) {
        memcpy(known, load, size);
        known[s->places] = stretch_of(load, s->places);
    }
    return known[s->places];
}

static void processor_plan(struct processor *p, const struct schedule *s)
{
    double stretch = stretch_known(p, s);
    p->next = (double)INFINITY;
    for (int i = 0; i < s->places; i++) {
        struct lane *l = &p->lane[i];
        l->pace = 1 - l->load + l->load * stretch;
        if (l->waits)
            p->next = sooner(p->next, l->ends);
        else if (l->runs)
            p->next = sooner(p->next, p->now + l->left * l->pace);
    }
}

static void lane_run(struct lane *l, struct part part)
{
    l->load = sooner(part.load, 1);
    l->left = part.length * later(part.load, 1);
    l->runs = true;
    l->waits = false;
}

// Up to its next event: blocks go on to their second part, leave their places when they end; those that waited begin.
static void processor_step(struct processor *p, const struct schedule *s, struct queue_of_blocks *q)
{
    double passed = p->next - p->now;
    p->now = p->next;
    for (int i = 0; i < s->places; i++) {
        struct lane *l = &p->lane[i];
        bool ends = l->runs && l->left * l->pace <= passed + 1e-6;
        l->left -= l->runs ? passed / l->pace : 0;
        if (ends && l->rest.length > 0) {
            lane_run(l, l->rest);
            l->rest = (struct part){0};
        } else if (ends) {
            lane_take(l, s, q, p->now + s->between);
        } else if (l->waits && l->ends <= p->now) {
            lane_run(l, l->part);
        }
    }
    processor_plan(p, s);
}

static double alone_cycles(const struct schedule *s, struct block_work b)
{
    double all = sooner((double)b.longest, s->all.operations);
    return all * s->all.alone + ((double)b.longest - all) * s->more.alone;
}

static int first_of(const double *at, int count)
{
    enum { APART = 4 }; // that do not wait for each other
    double least[APART] = {at[0], at[0], at[0], at[0]};
    int i = 0, first = 0;
    for (; i + APART <= count; i += APART)
        for (int n = 0; n < APART; n++)
            least[n] = sooner(at[i + n], least[n]);
    for (; i < count; i++)
        least[0] = sooner(at[i], least[0]);
    double all = sooner(sooner(least[0], least[1]), sooner(least[2], least[3]));
    while (at[first] > all)
        first++;
    return first;
}

// Cycles until the last block has ended.
static double run_all(const struct schedule *s, struct queue_of_blocks q, int processors)
{
    struct processor *p = xcalloc((size_t)processors, sizeof *p);
    double *next = xcalloc((size_t)processors, sizeof *next), end = 0;
    for (int place = 0; place < s->places; place++)
        for (int i = 0; i < processors; i++)
            lane_take(&p[i].lane[place], s, &q, 0);
    for (int i = 0; i < processors; i++) {
        processor_plan(&p[i], s);
        next[i] = p[i].next;
    }
    for (;;) {
        int first = first_of(next, processors);
        if (!isfinite(next[first]))
            break;
        end = later(end, next[first]);
        processor_step(&p[first], s, &q);
        next[first] = p[first].next;
    }
    free(next);
    free(p);
    return end;
}

static bool differ(const struct timing_input *in, struct block_work *mean)
{
    const struct grid_work *w = in->work;
    uint64_t blocks = 0, executed = 0, longest = 0, most = 0;
    for (uint64_t i = 0; i < w->count; i++) {
        blocks += w->groups[i].blocks;
        executed += w->groups[i].executed;
        longest += w->groups[i].longest;
        most = w->groups[i].longest_most > most ? w->groups[i].longest_most : most;
    }
    if (blocks == 0)
        return false;
    *mean = (struct block_work){executed / blocks, longest / blocks};
    bool same = longest == most * blocks;
    for (uint64_t i = 0; same && i < w->traced_count; i++) {
        struct block_work b = traced(in, i, *mean);
        same = b.longest == most && b.executed * blocks == executed;
    }
    return !same;
}

// A loop that only waits turns as often as the interpreter lets it.
static bool any_polls(const struct timing_input *in)
{
    for (int i = 0; i < in->site_count; i++)
        if (in->sites[i].polls)
            return true;
    return false;
}

double uneven_blocks(const struct timing_input *in)
{
    return in->work_stats ? (double)in->work_blocks : (double)in->grid_blocks;
}

static bool known_to_differ(const struct timing_input *in, struct block_work *mean)
{
    return in->work != NULL && in->work->groups != NULL && !any_polls(in) && differ(in, mean);
}

bool uneven_work(const struct timing_input *in)
{
    struct block_work mean;
    return known_to_differ(in, &mean);
}

int uneven_longest(const struct timing_input *in)
{
    int longest = 0;
    for (int i = 1; i < in->trace->block_count; i++)
        if (in->work->traced[i].longest > in->work->traced[longest].longest)
            longest = i;
    return longest;
}

double uneven_asks(const struct timing_input *in)
{
    struct block_work mean;
    double executed = 0, blocks = in->trace->block_count;
    if (!known_to_differ(in, &mean) || mean.executed == 0)
        return 1;
    for (int i = 0; i < in->trace->block_count; i++)
        executed += (double)traced(in, (uint64_t)i, mean).executed;
    return later(1, executed / ((double)mean.executed * blocks));
}

static double within(double x, double a, double b)
{
    return later(sooner(x, later(a, b)), sooner(a, b));
}

// How much of a block is of which part is known by its length only. What the parts of all blocks take together is what the grid
// took: so much takes the second part.
static struct uneven_part more_of(const struct schedule *s, struct queue_of_blocks q)
{
    double all = 0, more = 0;
    while (q.next < q.count) {
        double executed = (double)blocks_next(&q).executed;
        double by_all = sooner(executed, s->all.operations * s->warps);
        all += by_all;
        more += executed - by_all;
    }
    struct uneven_part u = s->more;
    if (more <= 0)
        return u;
    double share = (all + more) / (s->all.operations + u.operations);
    double rest = share * s->all.operations - all, own = share * u.operations;
    u.alone = within((rest * s->all.alone + own * u.alone) / more, s->all.alone, u.alone);
    u.full = within((rest * s->all.full + own * u.full) / more, s->all.full, u.full);
    return u;
}

double uneven_cycles(const struct timing_input *in, struct uneven_replay r, double otherwise)
{
    struct block_work mean;
    double executed = 0;
    if (!isfinite(r.cycles) || r.cycles <= 0 || !differ(in, &mean))
        return otherwise;
    for (uint64_t i = 0; i < r.blocks; i++)
        executed += (double)traced(in, i, mean).executed;
    if (executed <= 0)
        return otherwise;
    if (in->grid_blocks > BLOCKS_MAX)
        return otherwise * (double)mean.executed * (double)r.blocks / executed;
    struct schedule s = {.all = r.all,
                         .more = r.more,
                         .between = r.block_launch,
                         .dispatch = r.block_dispatch,
                         .sms = r.sms};
    s.warps = in->warps_per_block;
    s.places = in->blocks_per_sm < PLACES ? in->blocks_per_sm : PLACES;
    uint64_t ran = (uint64_t)uneven_blocks(in);
    struct queue_of_blocks own = {in, 0, r.blocks, ran, mean, true, 0},
                           all = {in, 0, in->grid_blocks, ran, mean, false, 0};
    s.more = more_of(&s, all);
    s.first = later(0, r.one_cycles - alone_cycles(&s, traced(in, (uint64_t)r.one, mean)));
    s.known = xcalloc(KNOWN * (size_t)(s.places + 1), sizeof *s.known);
    double replayed = run_all(&s, own, 1);
    double chip = run_all(&s, all, (int)GPU(in->gpu, sm_count));
    free(s.known);
    if (replayed <= 0)
        return otherwise;
    // What the replay takes longer is lost with the work that it has; where it is shorter, all is.
    double share = (double)mean.executed * (double)in->grid_blocks / r.sms / executed;
    return replayed < r.cycles ? chip + (r.cycles - replayed) * share : r.cycles * chip / replayed;
}
