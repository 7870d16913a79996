// Barriers of a block: bar and barrier in all their forms, counted in threads. A barrier with no
// count waits for every thread that has not exited.
// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/events.h"

static bool barrier_complete(const struct block *b, const struct barrier *bar)
{
    if (bar->arrived == 0)
        return false;
    return bar->arrived >= (bar->expected != 0 ? bar->expected : b->threads_left);
}

// Writes bar.red's result to the lanes that waited for it.
static void barrier_deliver(const struct barrier *bar, struct path *p)
{
    const struct uop *u = p->barrier_uop;
    uint8_t *d = p->frame->regs + u->d;
    switch ((enum barrier_reduction)u->imm) {
    case BARRIER_POPC:
        EACH_LANE(lane, p->mask)
        {
            ((uint32_t *)(void *)d)[lane] = bar->count_true;
        }
        return;
    case BARRIER_AND:
    case BARRIER_OR: {
        uint32_t *mask = (uint32_t *)(void *)d;
        bool value = u->imm == BARRIER_AND ? bar->all_true : bar->any_true;
        *mask = value ? *mask | p->mask : *mask & ~p->mask;
        return;
    }
    case BARRIER_PLAIN:
        return;
    }
}

// The aligned form is for whole warps (PTX). Looked at when the barrier opens: lanes that were on
// their way to the kernel's end when the others came have exited by then.
void barrier_in_pieces(struct warp *w, const struct uop *u, uint32_t mask)
{
    uint32_t there = w->lanes & ~w->exited;
    if ((u->small & BARRIER_ALIGNED) != 0 && (there & ~mask) != 0)
        violation_add(
            w, SIM_BARRIER_DIVERGENCE, u->site, (uint32_t)lane_first(mask), 0,
            "reaches a barrier with %d of the warp's %d threads: the others are elsewhere",
            lane_count(mask), lane_count(there));
}

struct last_arrival { // that completes a barrier
    struct warp *warp;
    const struct uop *at;
    uint32_t mask;
};

// The lanes of a warp that have come to one instruction of a barrier, on whatever paths: one that was let go on while
// others looked at memory waits for them here.
static uint32_t lanes_at(const struct warp *w, int id, const struct uop *at,
                         const struct last_arrival *last)
{
    uint32_t lanes = last && last->warp == w && last->at == at ? last->mask : 0;
    for (int i = 0; i < w->other_count; i++)
        if (w->others[i]->barrier == id && w->others[i]->pc - 1 == at)
            lanes |= w->others[i]->mask;
    return lanes;
}

// The warp's lanes came to the barrier together, all that there are.
static bool came_whole(const struct warp *w, int id)
{
    return w->other_count == 1 && w->others[0]->barrier == id &&
           (w->lanes & ~w->exited & ~w->others[0]->mask) == 0;
}

// last: NULL where threads that exit complete it.
static void barrier_release(struct block *b, int id, const struct last_arrival *last)
{
    struct barrier *bar = &b->barriers[id];
    if (last)
        barrier_in_pieces(last->warp, last->at, lanes_at(last->warp, id, last->at, last));
    for (int i = 0; i < b->warp_count; i++) {
        struct warp *w = &b->warps[i];
        for (int j = 0; j < w->other_count && !came_whole(w, id); j++)
            if (w->others[j]->barrier == id)
                barrier_in_pieces(w, w->others[j]->pc - 1,
                                  lanes_at(w, id, w->others[j]->pc - 1, last));
        for (int j = 0; j < w->other_count; j++) {
            struct path *p = w->others[j];
            if (p->barrier != id)
                continue;
            if (p->barrier_uop != NULL)
                barrier_deliver(bar, p);
            p->barrier = -1;
            b->threads_waiting -= (uint32_t)lane_count(p->mask);
            warp_released(w);
        }
    }
    *bar = (struct barrier){.all_true = true};
    b->barrier_epoch++;
    b->sm->changes++;
}

// Threads gone for good don't hold a barrier with no count on any chip since Volta, though PTX says
// that it waits for all threads of the block: a note, for those who ask for checks.
static void note_exited(struct warp *w, uint32_t site, uint32_t lane)
{
    const struct block *b = w->block;
    if ((w->core->launch->checks & (SIM_CHECK_UNINIT | SIM_CHECK_RACES)) != 0)
        violation_add(w, SIM_BARRIER_EXITED, site, lane, 0,
                      "waits at a barrier that %u of the block's %u threads never reach: they have "
                      "exited, which the hardware accepts and PTX leaves undefined",
                      b->exited, b->exited + b->threads_left);
}

void barriers_recheck(struct block *b)
{
    for (int id = 0; id < BARRIERS; id++) {
        struct barrier *bar = &b->barriers[id];
        if (!barrier_complete(b, bar))
            continue;
        if (bar->expected == 0)
            note_exited(bar->first, bar->first_site, bar->first_lane);
        barrier_release(b, id, NULL);
    }
}

// a: the barrier's number; extra: 1 + that, where the program says it; b: the count, if small has BARRIER_COUNTED; c: bar.red's predicate, e:
// flips it; imm: enum barrier_reduction; d: its result; small: enum barrier_flags.
const struct uop *op_barrier(struct warp *w, const struct uop *u)
{
    struct block *b = w->block;
    uint32_t mask = guard_mask(w, u);
    if (mask == 0)
        return u + 1;
    uint32_t lane = (uint32_t)lane_first(mask);
    uint32_t id = u->extra != 0 ? u->extra - 1 : row32(w, u->a)[lane];
    if (id >= BARRIERS) {
        violation_add(w, SIM_TRAP, u->site, lane, 0, "names barrier %u: a block has %d", id,
                      BARRIERS);
        return warp_stop(w, u);
    }
    struct barrier *bar = &b->barriers[id];
    bool counted = (u->small & BARRIER_COUNTED) != 0;
    if (!counted && b->exited > 0)
        note_exited(w, u->site, lane);
    if (bar->arrived == 0)
        *bar = (struct barrier){.all_true = true,
                                .first = w,
                                .first_site = u->site,
                                .first_lane = lane,
                                .expected = counted ? row32(w, u->b)[lane] : 0};
    // A count is of whole warps.
    uint32_t threads =
        counted && mask == (w->lanes & ~w->exited) ? LANES : (uint32_t)lane_count(mask);
    bar->arrived += threads;
    event_barrier(w, u, mask, threads);
    if (u->imm != BARRIER_PLAIN) {
        uint32_t truth = (*row32(w, u->c) ^ u->e) & mask;
        bar->count_true += (uint32_t)lane_count(truth);
        bar->any_true |= truth != 0;
        bar->all_true &= truth == mask;
    }
    bool arrive_only = (u->small & BARRIER_ARRIVE) != 0, complete = barrier_complete(b, bar);
    if (arrive_only && !complete)
        barrier_in_pieces(w, u, mask);
    if (complete) {
        if (u->imm != BARRIER_PLAIN) {
            struct path self = {.frame = w->frame, .mask = mask, .barrier_uop = u};
            barrier_deliver(bar, &self);
        }
        barrier_release(b, (int)id, &(struct last_arrival){w, u, mask});
        return u + 1;
    }
    if (arrive_only)
        return u + 1;
    b->threads_waiting += (uint32_t)lane_count(mask);
    return path_block(w, (int)id, u + 1, u->imm != BARRIER_PLAIN ? u : NULL);
}

void barriers_stuck(struct sm *sm)
{
    for (int i = 0; i < sm->block_count; i++) {
        struct block *b = &sm->home->blocks[i];
        for (int j = 0; b->live && j < b->warp_count; j++) {
            struct warp *w = &b->warps[j];
            if (w->done || w->other_count == 0)
                continue;
            const struct path *p = w->others[w->other_count - 1];
            const struct uop *u = p->pc - 1; // a barrier's successor
            const struct barrier *bar = &b->barriers[p->barrier];
            violation_add(
                w, SIM_DEADLOCK, u->site, (uint32_t)lane_first(p->mask), 0,
                "waits for ever at barrier %d: %u of %u threads have come, the others "
                "%s",
                p->barrier, bar->arrived, bar->expected != 0 ? bar->expected : b->threads_left,
                b->threads_left > b->threads_waiting ? "never will" : "wait at other barriers");
            break;
        }
    }
    sm->stopped = true;
}
