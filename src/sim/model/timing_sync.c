// The replay's mbarriers, and barriers of some of a block's warps: phases, which end when all has arrived that the trace
// has of them. The trace knows which phase each wait was for (observe/trace.c), so that no state of a barrier is computed
// anew: threads and copies of other blocks of a cluster, which are in no trace, are taken as there.
// SPDX-License-Identifier: Apache-2.0
#include "sim/model/replay.h"

#include <stdlib.h>

static bool arrives(const struct trace_sync *s)
{
    return s->phase != NO_PHASE && !s->waits;
}

static void arrivals_count(const struct replay *p, const struct trace_warp *w, uint32_t *arrivals)
{
    for (size_t i = 0; i < w->count; i++) {
        const struct trace_sync *s = syncs_of(p, &w->ops[i]);
        for (; s != NULL; s = s->more ? s + 1 : NULL)
            if (arrives(s))
                arrivals[s->phase]++;
    }
}

void phases_init(struct replay *p)
{
    const struct trace *t = p->in->trace;
    size_t most = 0;
    p->arrivals = xcalloc((size_t)t->block_count, sizeof *p->arrivals);
    for (int b = 0; b < t->block_count; b++) {
        size_t count = (size_t)t->blocks[b].phase_count;
        if (count == 0)
            continue;
        p->arrivals[b] = xcalloc(count, sizeof **p->arrivals);
        for (int w = 0; w < t->blocks[b].warp_count; w++)
            arrivals_count(p, &t->blocks[b].warps[w], p->arrivals[b]);
        most = count > most ? count : most;
    }
    p->phases = xcalloc((size_t)p->in->blocks_per_sm * most + 1, sizeof *p->phases);
    for (int slot = 0; slot < p->in->blocks_per_sm; slot++)
        p->slots[slot].phases = p->phases + (size_t)slot * most;
}

void phases_release(struct replay *p)
{
    for (int b = 0; b < p->in->trace->block_count; b++)
        free(p->arrivals[b]);
    free(p->arrivals);
    free(p->phases);
}

void phases_start(struct replay *p, struct block_slot *s)
{
    for (int i = 0; i < p->in->trace->blocks[s->traced].phase_count; i++)
        s->phases[i] =
            (struct barrier_phase){.left = p->arrivals[s->traced][i], .sleeper = NO_WARP};
}

static double wake_at(struct replay *p, uint32_t site, double over)
{
    if (p->costs[site].pipe != PIPE_BARRIER)
        return over + p->r.shared_latency;
    double turn = server_take(&p->barrier_unit, over, p->r.barrier_warp);
    return turn + p->r.barrier_warp + p->r.barrier;
}

static void go_on(struct replay *p, struct warp_state *w, const struct barrier_phase *f)
{
    w->at = later(w->at, wake_at(p, w->barrier_site, f->over));
    stall_add(p, w, w->barrier_site, f->copied ? STALL_LONG_SCOREBOARD : STALL_BARRIER, w->at);
}

static void phase_arrive(struct replay *p, struct barrier_phase *f, double at, bool copied)
{
    if (at >= f->over)
        f->copied = copied;
    f->over = later(f->over, at);
    if (f->left == 0 || --f->left > 0)
        return;
    int next;
    for (int i = f->sleeper; i != NO_WARP; i = next) {
        struct warp_state *w = &p->warps[i];
        next = w->next_sleeper;
        w->asleep = false;
        go_on(p, w, f);
        queue_add(p, i);
    }
    f->sleeper = NO_WARP;
}

// When what the instruction is to a phase is there: a copy's bytes; an arrival that waits for earlier copies.
static double arrival_at(const struct replay *p, const struct warp_state *w, uint32_t site)
{
    const struct copy_groups *g = &w->copies[0];
    if (p->costs[site].pipe == PIPE_BULK_COPY)
        return p->ready;
    if (!p->in->sites[site].after_copies)
        return later(p->start, w->issued);
    return later(w->issued,
                 g->count > 0 ? later(g->open, g->end[(g->count - 1) % GROUPS]) : g->open);
}

bool phases_step(struct replay *p, int warp, const struct trace_op *op)
{
    struct warp_state *w = &p->warps[warp];
    struct barrier_phase *phases = p->slots[w->block].phases;
    const struct trace_sync *first = syncs_of(p, op), *s;
    bool copies = p->costs[op->site].pipe == PIPE_BULK_COPY || p->in->sites[op->site].after_copies;
    double at = arrival_at(p, w, op->site);
    for (s = first; s != NULL; s = s->more ? s + 1 : NULL)
        if (arrives(s))
            phase_arrive(p, &phases[s->phase], at, copies);
    w->barrier_site = op->site;
    for (s = first; s != NULL; s = s->more ? s + 1 : NULL) {
        struct barrier_phase *f = s->waits ? &phases[s->phase] : NULL;
        if (f != NULL && f->left > 0) {
            w->asleep = true;
            w->next_sleeper = f->sleeper;
            f->sleeper = warp;
            return false;
        }
        if (f != NULL && (f->over > w->issued || p->costs[op->site].pipe == PIPE_BARRIER))
            go_on(p, w, f);
    }
    return true;
}

bool phases_give_up(struct replay *p, int slot)
{
    const struct block_slot *s = &p->slots[slot];
    bool any = false;
    for (int i = 0; i < p->in->warps_per_block; i++) {
        int warp = slot * p->in->warps_per_block + i;
        if (!p->warps[warp].asleep)
            continue;
        p->warps[warp].asleep = false;
        queue_add(p, warp);
        any = true;
    }
    for (int i = 0; any && i < p->in->trace->blocks[s->traced].phase_count; i++)
        s->phases[i].sleeper = NO_WARP;
    return any;
}
