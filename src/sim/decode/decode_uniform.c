// Registers that no thread's number reaches: all lanes of a warp have the same in them, whatever it is. What ptxas keeps
// in uniform registers. A register that is written more than once also differs where lanes part: where a branch or a
// guard whose predicate differs decides which of its values a lane has.
// SPDX-License-Identifier: Apache-2.0
#include "sim/decode/decode.h"

#include <stdlib.h>
#include <string.h>

struct uniformity {
    const struct decoder *d;
    const struct timing_site *timing; // of the function's instructions
    bool *differs;                    // by register
    bool *parted;                     // by block: lanes may be apart in it
    bool *seen;                       // by block, from one branch
    int *next;                        // blocks to look at
    bool changed;
    bool without_gone; // lanes for which there is nothing left part from none
};

static bool special_differs(enum ptx_special s)
{
    switch ((int)s) {
    case PTX_SREG_TID:
    case PTX_SREG_LANEID:
    case PTX_SREG_LANEMASK_EQ:
    case PTX_SREG_LANEMASK_LE:
    case PTX_SREG_LANEMASK_LT:
    case PTX_SREG_LANEMASK_GE:
    case PTX_SREG_LANEMASK_GT:
        return true;
    default: // of an open list
        return special_is_clock(s);
    }
}

static bool operand_differs(const struct ptx_operand *op)
{
    if (op->kind == PTX_OPERAND_SPECIAL && special_differs(op->special))
        return true;
    for (int i = 0; i < op->element_count; i++)
        if (operand_differs(&op->elements[i]))
            return true;
    return false;
}

// Arithmetic, and loads of what does not change: the same from the same.
static bool makes_same(const struct decoder *d, const struct ptx_instruction *in)
{
    switch (ptx_opcode_class(in->opcode)) {
    case PTX_CLASS_INTEGER:
    case PTX_CLASS_FLOAT:
    case PTX_CLASS_SPECIAL:
    case PTX_CLASS_CONVERT:
        return true;
    case PTX_CLASS_FREE:
    case PTX_CLASS_OTHER:
    case PTX_CLASS_MEMORY:
        return in->opcode != PTX_OP_LD ||
               (in->space_count > 0 && (in->spaces[0] == PTX_SPACE_CONST ||
                                        (in->spaces[0] == PTX_SPACE_PARAM && d->f->is_entry)));
    case PTX_CLASS_ATOMIC:
    case PTX_CLASS_CONTROL:
    case PTX_CLASS_BARRIER:
    case PTX_CLASS_WARP:
    case PTX_CLASS_TENSOR:
    case PTX_CLASS_FENCE:
        break;
    }
    return false;
}

static bool sources_differ(const struct uniformity *u, int instruction)
{
    const struct timing_site *t = &u->timing[instruction];
    const struct ptx_instruction *in = &u->d->f->instructions[instruction];
    bool differ = !makes_same(u->d, in);
    for (int i = 0; i < t->source_count; i++)
        differ |= u->differs[t->source[i] - u->d->out->register_base];
    for (int i = in->writes_first ? 1 : 0; i < in->operand_count; i++)
        differ |= operand_differs(&in->operands[i]);
    return differ;
}

static void mark_results(struct uniformity *u, int instruction)
{
    const struct timing_site *t = &u->timing[instruction];
    int block = u->d->f->block_of[instruction];
    bool parted = block >= 0 && u->parted[block], differ = sources_differ(u, instruction);
    for (int i = 0; i < t->result_count; i++) {
        int reg = t->result[i] - u->d->out->register_base;
        bool often = u->d->definition[reg] < 0;
        if (!u->differs[reg] && (differ || (often && parted)))
            u->differs[reg] = u->changed = true;
    }
}

// Sees the blocks that can be reached from one, but not `until` nor through it.
static void see_from(struct uniformity *u, const struct ptx_block *from, int until)
{
    const struct ptx_function *f = u->d->f;
    int count = 0;
    memset(u->seen, 0, (size_t)f->block_count * sizeof(*u->seen));
    for (const struct ptx_block *b = from; b != NULL;
         b = count > 0 ? &f->blocks[u->next[--count]] : NULL)
        for (int i = 0; i < b->successor_count; i++) {
            int to = b->successors[i];
            if (to < 0 || to == until || u->seen[to])
                continue;
            u->seen[to] = true;
            u->next[count++] = to;
        }
}

// Lanes that part at the end of a block meet again where all ways lead.
static void mark_parted(struct uniformity *u, const struct ptx_block *from)
{
    see_from(u, from, from->postdominator);
    for (int b = 0; b < u->d->f->block_count; b++) {
        u->changed |= u->seen[b] && !u->parted[b];
        u->parted[b] |= u->seen[b];
    }
}

// Lanes for which there is nothing left are gone, and the others are not apart. Those that leave a loop are: ptxas takes what turns hand
// on as different there.
static bool lets_lanes_go(struct uniformity *u, const struct ptx_block *b)
{
    bool ends = false;
    for (int i = 0; i < b->successor_count; i++)
        ends |= b->successors[i] >= 0 && block_ends_thread(u->d->f, b->successors[i]);
    if (ends)
        see_from(u, b, -1);
    return ends && !u->seen[b - u->d->f->blocks];
}

static void branch_parts(struct uniformity *u, int block)
{
    const struct ptx_block *b = &u->d->f->blocks[block];
    const struct ptx_instruction *last = &u->d->f->instructions[b->first + b->count - 1];
    if (b->successor_count > 1 && (last->guard < 0 || u->differs[last->guard]) && // brx: as parting
        !(u->without_gone && lets_lanes_go(u, b)))
        mark_parted(u, b);
}

bool *registers_differing(const struct decoder *d, bool without_gone)
{
    const struct ptx_function *f = d->f;
    struct uniformity u = {
        .d = d, .timing = &d->program->timing[d->out->site_base], .without_gone = without_gone};
    u.differs = xcalloc((size_t)f->register_count + 1, sizeof(bool));
    u.parted = xcalloc((size_t)f->block_count + 1, sizeof(bool));
    u.seen = xcalloc((size_t)f->block_count + 1, sizeof(bool));
    u.next = xcalloc((size_t)f->block_count + 1, sizeof(int));
    for (int i = 0; i < formal_registers(f); i++)
        u.differs[i] = true; // the caller's
    do {
        u.changed = false;
        for (int i = 0; i < f->instruction_count; i++)
            mark_results(&u, i);
        for (int b = 0; b < f->block_count; b++)
            if (f->blocks[b].count > 0)
                branch_parts(&u, b);
    } while (u.changed);
    free(u.parted);
    free(u.seen);
    free(u.next);
    return u.differs;
}
