// Blocks of unequal work. The replay has one SM's; here all blocks of the grid go to all SMs as places come free, each block as
// long as its longest warp and as much work as all of its warps, and the same is done with the replayed SM's blocks alone: the
// one over the other is what the replay's time is multiplied by. What an operation costs a warp that runs alone, and an SM that
// is full, is taken from the replay.
// SPDX-License-Identifier: Apache-2.0
#include "sim/model/replay.h"

#include <stdlib.h>

enum {
    BLOCKS_MAX = 65536, // of longer grids the last one to end does not matter, only the mean
    HALVINGS = 24,
    PLACES = 64, // of an SM
};

struct lane { // a place on an SM
    double
        ends; // in operations that each of the SM's warps executed by then; while it waits: a time
    double width; // warps at work in it, on average
    bool runs, waits;
};

struct processor {     // an SM
    double now, done;  // operations of each warp that ran all the time, up to now
    double width;      // warps at work
    double next, then; // when something happens; what is done by then
    struct lane lane[PLACES];
};

struct schedule {
    double alone, full; // cycles of an operation: of a warp by itself; of an SM
    double first;       // before a block's first operation: code, parameters
    double between;     // from a block's end to the next in its place
    int places;
};

struct queue_of_blocks { // what is still to run
    const struct timing_input *in;
    uint64_t next, count;
    struct block_work mean;
    bool replayed; // those of the replay, again and again; else all
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
    if (n / w->group_blocks >= w->count) // a larger grid than ran: what a change would be worth
        return q->mean;
    return block_of_group(&w->groups[n / w->group_blocks], n % w->group_blocks, q->mean);
}

static void processor_plan(struct processor *p, const struct schedule *s)
{
    double pace = later(s->alone, s->full * p->width), least = (double)INFINITY;
    p->next = (double)INFINITY;
    for (int i = 0; i < s->places; i++) {
        if (p->lane[i].waits)
            p->next = sooner(p->next, p->lane[i].ends);
        else if (p->lane[i].runs)
            least = sooner(least, p->lane[i].ends);
    }
    double ends = p->now + (least - p->done) * pace; // none: infinite
    p->then = ends <= p->next ? least : p->done + (p->next - p->now) / pace;
    p->next = sooner(p->next, ends);
}

// Up to its next event: blocks that end leave their places, those that waited begin.
static void processor_step(struct processor *p, const struct schedule *s, struct queue_of_blocks *q)
{
    p->done = p->width > 0 ? p->then : p->done;
    p->now = p->next;
    for (int i = 0; i < s->places; i++) {
        struct lane *l = &p->lane[i];
        if (l->runs && l->ends <= p->done) {
            p->width -= l->width;
            *l = (struct lane){.waits = q->next < q->count, .ends = p->now + s->between + s->first};
            if (l->waits)
                q->count--; // is spoken for
        } else if (l->waits && l->ends <= p->now) {
            q->count++;
            struct block_work b = blocks_next(q);
            double longest = later((double)b.longest, 1);
            *l = (struct lane){
                .runs = true, .ends = p->done + longest, .width = (double)b.executed / longest};
            p->width += l->width;
        }
    }
    processor_plan(p, s);
}

// Cycles until the last block has ended.
static double run_all(const struct schedule *s, struct queue_of_blocks q, int processors)
{
    struct processor *p = xcalloc((size_t)processors, sizeof *p);
    double end = 0;
    for (int place = 0; place < s->places; place++)
        for (int i = 0; i < processors && q.next < q.count; i++) {
            p[i].lane[place] = (struct lane){.waits = true, .ends = s->first};
            q.count--;
        }
    for (int i = 0; i < processors; i++)
        processor_plan(&p[i], s);
    for (;;) {
        int first = 0;
        for (int i = 1; i < processors; i++)
            first = p[i].next < p[first].next ? i : first;
        if (!isfinite(p[first].next))
            break;
        end = later(end, p[first].next);
        processor_step(&p[first], s, &q);
    }
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

double uneven_cycles(const struct timing_input *in, struct uneven_replay r, double otherwise)
{
    struct block_work mean;
    const struct grid_work *w = in->work;
    if (w == NULL || w->groups == NULL || !isfinite(r.cycles) || r.cycles <= 0 || r.blocks == 0 ||
        any_polls(in) || !differ(in, &mean))
        return otherwise;
    double executed = 0;
    for (uint64_t i = 0; i < r.blocks; i++)
        executed += (double)traced(in, i, mean).executed;
    if (executed <= 0)
        return otherwise;
    if (in->grid_blocks > BLOCKS_MAX)
        return otherwise * (double)mean.executed * (double)r.blocks / executed;
    struct schedule s = {.alone = r.alone, .full = r.busiest / executed, .between = r.block_launch};
    s.places = in->blocks_per_sm < PLACES ? in->blocks_per_sm : PLACES;
    struct queue_of_blocks own = {in, 0, r.blocks, mean, true},
                           all = {in, 0, in->grid_blocks, mean, false};
    // The replay's time is met by what each block takes beside its operations; where their own is too much already, it was
    // measured on a full SM.
    bool loaded = run_all(&s, own, 1) > r.cycles;
    double low = 0, high = loaded ? s.alone : r.cycles, *chosen = loaded ? &s.alone : &s.first;
    for (int i = 0; i < HALVINGS; i++) {
        *chosen = (low + high) / 2;
        bool over = run_all(&s, own, 1) > r.cycles;
        *(over ? &high : &low) = *chosen;
    }
    double replayed = run_all(&s, own, 1);
    double chip = run_all(&s, all, (int)GPU(in->gpu, sm_count));
    return replayed > 0 ? r.cycles * chip / replayed : otherwise;
}
