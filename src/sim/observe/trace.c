// The trace for the model of time: what the blocks of SM 0 executed, warp by warp, as long as there
// is room.
// SPDX-License-Identifier: Apache-2.0
#include "sim/run/exec.h"

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

void trace_begin(struct block *b)
{
    struct sm *sm = b->sm;
    struct trace *t = sm->trace;
    if (t == NULL || sm->trace_full || t->block_count >= TRACE_BLOCKS_MAX)
        return;
    t->blocks = xrealloc(t->blocks, ((size_t)t->block_count + 1) * sizeof(*t->blocks));
    struct trace_block *traced = &t->blocks[t->block_count++];
    *traced = (struct trace_block){.block_index = (uint32_t)b->linear, .warp_count = b->warp_count};
    traced->warps = xcalloc((size_t)b->warp_count, sizeof(*traced->warps));
    for (int i = 0; i < b->warp_count; i++)
        b->warps[i].trace = &traced->warps[i];
}

// Out of room: blocks that are not whole go, but for the first.
static void trace_stop(struct sm *sm)
{
    struct trace *t = sm->trace;
    sm->trace_full = true;
    for (int i = 0; i < sm->block_count; i++) {
        struct block *b = &sm->home->blocks[i];
        if (!b->live || b->warps[0].trace == NULL)
            continue;
        for (int j = 0; j < t->block_count; j++) {
            if (t->blocks[j].block_index != (uint32_t)b->linear)
                continue;
            if (j == 0) {
                t->cut = true;
            } else {
                trace_block_release(&t->blocks[j]);
                memmove(&t->blocks[j], &t->blocks[j + 1],
                        (size_t)(t->block_count - j - 1) * sizeof(*t->blocks));
                t->block_count--;
            }
            break;
        }
        for (int j = 0; j < b->warp_count; j++)
            b->warps[j].trace = NULL;
    }
}

void trace_segment(struct warp *w, const struct segment *s)
{
    struct trace_warp *t = w->trace;
    struct sm *sm = w->block->sm;
    size_t need = t->count + (size_t)s->count;
    if (sm->trace_ops + (size_t)s->count > TRACE_OPS) {
        trace_stop(sm);
        return;
    }
    if (need > t->capacity) {
        t->capacity = need * 2;
        t->ops = xrealloc(t->ops, t->capacity * sizeof(*t->ops));
    }
    uint8_t lanes = (uint8_t)lane_count(w->mask);
    struct trace_op *ops = t->ops + t->count;
    for (int i = 0; i < s->count; i++)
        ops[i] = (struct trace_op){.site = (uint32_t)(s->first_site + i), .lanes = lanes};
    w->trace_base = t->count;
    w->trace_first = (uint32_t)s->first_site;
    t->count = need;
    sm->trace_ops += (size_t)s->count;
}

void trace_access(struct warp *w, const struct uop *u, const struct trace_op *what)
{
    struct trace_op *op = &w->trace->ops[w->trace_base + (u->site - w->trace_first)];
    *op = *what;
    op->site = u->site;
}
