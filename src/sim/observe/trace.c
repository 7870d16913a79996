// The trace for the model of time: what the blocks of SM 0 executed, warp by warp, as long as there
// is room.
// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/events.h"

#include <stdlib.h>

enum { TRACE_BLOCKS_MAX = 4096 };

static void trace_block_release(struct trace_block *b)
{
    for (int i = 0; i < b->warp_count; i++)
        free(b->warps[i].ops);
    free(b->warps);
    b->warps = NULL;
    b->warp_count = 0;
}

void trace_release(struct trace *t)
{
    for (int i = 0; i < t->block_count; i++)
        trace_block_release(&t->blocks[i]);
    free(t->blocks);
    *t = (struct trace){0};
}

static void trace_block(struct block *b)
{
    struct trace *t = &b->sm->launch->trace;
    if (t->block_count >= TRACE_BLOCKS_MAX)
        return;
    t->blocks = xrealloc(t->blocks, ((size_t)t->block_count + 1) * sizeof(*t->blocks));
    struct trace_block *traced = &t->blocks[t->block_count++];
    *traced = (struct trace_block){.block_index = (uint32_t)b->linear, .warp_count = b->warp_count};
    traced->warps = xcalloc((size_t)b->warp_count, sizeof(*traced->warps));
    for (int i = 0; i < b->warp_count; i++)
        b->warps[i].trace = &traced->warps[i];
}

// Warps run in long turns: when the room is used up, some of the first block's are far ahead. The
// others may go on to where each has its part, so that what is kept of them belongs together.
static size_t warp_part(const struct launch *l)
{
    return TRACE_OPS / l->warps_per_block;
}

static bool has_its_part(const struct warp *w, size_t count)
{
    const struct launch *l = w->block->sm->launch;
    return l->trace.cut && count > warp_part(l);
}

// Out of room: blocks that are not whole go, but for the first.
static void trace_stop(struct sm *sm)
{
    struct trace *t = &sm->launch->trace;
    sm->traced = false;
    for (int i = 0; i < sm->block_count; i++) {
        struct block *b = &sm->home->blocks[i];
        if (!b->live || b->warps[0].trace == NULL)
            continue;
        int j = 0;
        while (j < t->block_count && t->blocks[j].block_index != (uint32_t)b->linear)
            j++;
        if (j == 0) {
            t->cut = true;
            for (int k = 0; k < b->warp_count; k++)
                if (t->blocks[0].warps[k].count > warp_part(sm->launch))
                    t->blocks[0].warps[k].count = warp_part(sm->launch);
            continue;
        }
        if (j < t->block_count) {
            trace_block_release(&t->blocks[j]);
            memmove(&t->blocks[j], &t->blocks[j + 1],
                    (size_t)(t->block_count - j - 1) * sizeof(*t->blocks));
            t->block_count--;
        }
        for (int k = 0; k < b->warp_count; k++)
            b->warps[k].trace = NULL;
    }
    for (int i = 0; i < sm->block_count * (int)sm->launch->warps_per_block; i++)
        if (sm->home->warps[i].trace == NULL)
            sm->home->warps[i].audience = &sm->launch->audience;
}

void trace_begin(struct trace_op *ops, const struct segment *s, uint32_t mask)
{
    uint8_t lanes = (uint8_t)lane_count(mask);
    for (int i = 0; i < s->count; i++)
        ops[i] = (struct trace_op){.site = (uint32_t)(s->first_site + i), .lanes = lanes};
}

// Turns of a loop that only waits are turns of the interpreter, not time: the first is kept, and the last, which finds
// what the loop waits for. So a wait takes two round trips, whoever is late.
static void trace_turn(struct warp *w, const struct segment *s)
{
    enum { TURNS_KEPT = 2 };
    struct trace_poll *p = &w->poll;
    if (s->poll > 1)
        return;
    if (s->poll == 0 || p->segment != s) {
        *p = (struct trace_poll){.segment = s->poll == 0 ? NULL : s, .turns = 1};
        return;
    }
    if (p->turns == TURNS_KEPT && p->last < w->trace->count) {
        w->block->sm->trace_ops -= w->trace->count - p->last;
        w->trace->count = p->last;
        return;
    }
    p->turns = TURNS_KEPT;
    p->last = w->trace->count;
}

static void trace_segment(struct warp *w, const struct segment *s, uint32_t mask)
{
    struct trace_warp *t = w->trace;
    struct sm *sm = w->block->sm;
    trace_turn(w, s);
    size_t need = t->count + (size_t)s->count;
    if (sm->traced && sm->trace_ops + (size_t)s->count > TRACE_OPS)
        trace_stop(sm);
    if (w->trace == NULL || has_its_part(w, need)) {
        w->trace = NULL;
        w->audience = &sm->launch->audience;
        return;
    }
    if (need > t->capacity) {
        t->capacity = need * 2;
        t->ops = xrealloc(t->ops, t->capacity * sizeof(*t->ops));
    }
    trace_begin(t->ops + t->count, s, mask);
    w->trace_base = t->count;
    w->trace_first = (uint32_t)s->first_site;
    t->count = need;
    sm->trace_ops += (size_t)s->count;
}

static void saturate(uint8_t *sum, unsigned more)
{
    *sum = (uint8_t)(*sum + more > UINT8_MAX ? UINT8_MAX : *sum + more);
}

static uint32_t first_sector(const struct event *e)
{
    const struct access_line *a = &e->access->line[0];
    unsigned sector = (unsigned)__builtin_ctz(a->sectors | 1u << SECTORS_PER_LINE);
    return (uint32_t)((e->line_base + a->address) / SECTOR_BYTES + sector);
}

// An instruction may access in pieces: they add up.
void trace_note(struct trace_op *op, const struct event *e)
{
    if (e->kind == EVENT_GUARD) {
        op->lanes = (uint8_t)lane_count(e->mask);
        return;
    }
    saturate(&op->wavefronts, e->passes);
    if (e->access == NULL || e->access->line_count == 0)
        return;
    if (op->lines == 0)
        op->first_sector = first_sector(e);
    saturate(&op->lines, (unsigned)e->access->line_count);
    saturate(&op->sectors, e->sectors);
    saturate(&op->miss, e->touch == TOUCH_WRITE && e->kind != EVENT_LOCAL ? e->partial_sectors
                                                                          : e->sent_sectors);
    saturate(&op->miss_lines, e->sent_lines);
}

static void trace_hear(struct warp *w, struct event *e)
{
    if (e->kind == EVENT_BLOCK) {
        trace_block(e->block);
        return;
    }
    if (w->trace == NULL)
        return;
    if (e->kind == EVENT_SEGMENT) {
        trace_segment(w, e->segment, e->mask);
        return;
    }
    trace_note(&w->trace->ops[w->trace_base + (e->u->site - w->trace_first)], e);
}

static bool trace_wanted(const struct launch *l)
{
    return !l->options->no_timing && !l->options->no_caches;
}

const struct listener trace_listener = {.name = "trace",
                                        .kinds = HEARS(BLOCK) | HEARS(SEGMENT) | HEARS(GUARD) |
                                                 HEARS(GLOBAL) | HEARS(SHARED) | HEARS(LOCAL) |
                                                 HEARS(TEXTURE),
                                        .wanted = trace_wanted,
                                        .hear = trace_hear};
