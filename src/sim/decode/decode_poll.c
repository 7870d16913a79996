// Loops that only wait: a block that jumps back to itself, loads what others write, writes nothing and takes no
// register's value from one turn to the next, so that each turn repeats the last until memory changes. How often it
// turns depends on the order in which the interpreter runs blocks, not on time: the trace keeps two turns
// (observe/trace.c).
// And loops in which warps claim work: what an atomic gives back says what a warp does next, so that how the SMs take turns decides
// who does how much.
// SPDX-License-Identifier: Apache-2.0
#include "sim/decode/decode.h"

static bool holds(const uint16_t *list, int count, uint16_t reg)
{
    for (int i = 0; i < count; i++)
        if (list[i] == reg)
            return true;
    return false;
}

// Is the register, read by instruction `at` of the block, what an earlier turn of the loop wrote?
static bool is_carried(const struct decoder *d, const struct ptx_block *b, int at, uint16_t reg)
{
    const struct timing_site *t = &d->program->timing[d->out->site_base];
    bool written = false;
    for (int i = b->first; i < b->first + b->count; i++) {
        if (!holds(t[i].result, t[i].result_count, reg))
            continue;
        if (i < at && d->f->instructions[i].guard < 0)
            return false;
        written = true;
    }
    return written;
}

static bool carries(const struct decoder *d, const struct ptx_block *b)
{
    const struct timing_site *t = &d->program->timing[d->out->site_base];
    for (int i = b->first; i < b->first + b->count; i++)
        for (int k = 0; k < t[i].source_count; k++)
            if (is_carried(d, b, i, t[i].source[k]))
                return true;
    return false;
}

static bool loads_anew(const struct decoder *d, const struct ptx_block *b)
{
    bool anew = false;
    for (int i = b->first; i < b->first + b->count; i++) {
        const struct site_info *s = &d->program->sites[d->out->site_base + i];
        bool load = s->in->opcode == PTX_OP_LD && s->mem >= 0;
        anew |= load && d->program->mem_ops[s->mem].ordered;
        enum ptx_class class = ptx_opcode_class(s->in->opcode);
        if ((s->mem >= 0 && !load) || class == PTX_CLASS_ATOMIC || class == PTX_CLASS_BARRIER ||
            s->in->opcode == PTX_OP_CALL || s->in->opcode == PTX_OP_CP)
            return false;
    }
    return anew;
}

static bool repeats(const struct ptx_block *b, int index)
{
    for (int i = 0; i < b->successor_count; i++)
        if (b->successors[i] == index)
            return true;
    return false;
}

void polls_find(struct decoder *d)
{
    const struct ptx_function *f = d->f;
    for (int k = 0; k < f->block_count; k++) {
        const struct ptx_block *b = &f->blocks[k];
        if (!b->reachable || !repeats(b, k) || !loads_anew(d, b) || carries(d, b))
            continue;
        int first = d->program->sites[d->out->site_base + b->first].segment;
        int last = d->program->sites[d->out->site_base + b->first + b->count - 1].segment;
        for (int s = first; s <= last; s++)
            d->program->segments[s].poll = (int16_t)(1 + s - first);
        for (int i = b->first; i < b->first + b->count; i++)
            d->program->timing[d->out->site_base + i].polls = true;
    }
}

void claims_find(struct decoder *d)
{
    const struct ptx_function *f = d->f;
    for (int k = 0; k < f->block_count && !d->program->claims; k++) {
        const struct ptx_block *b = &f->blocks[k];
        bool asks = false;
        for (int i = b->first; b->reachable && i < b->first + b->count; i++)
            asks |= d->program->timing[d->out->site_base + i].pipe == PIPE_GLOBAL_ATOMIC;
        d->program->claims = asks && ptx_loop_depth(f, k) > 0;
    }
}
