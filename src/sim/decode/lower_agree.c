// Branches that all lanes that run take alike, though others have left before: a loop of a known count within one that lanes
// leave at different turns. A value that differs between lanes (decode_uniform.c) may not differ between those that are in the
// same loops still.
// SPDX-License-Identifier: Apache-2.0
#include "sim/decode/lower_forms.h"

#include <stdlib.h>

enum { DEEP = 24 };

struct agreement {
    const struct code *c;
    struct writers w;
    bool *parted; // by block: lanes have parted before it within a turn, and not met yet
    bool *asked;  // by register: the answer is being worked out, or was yes
};

// A branch that leads out of the loop around it, or back to its head.
static bool is_of_loop(const struct code *c, int b)
{
    int loop = c->loop_of[b];
    for (int s = 0; loop >= 0 && s < block_at(c, b)->successor_count; s++) {
        int to = block_at(c, b)->successors[s];
        if (!in_loop(c, to, loop) || to == c->loops[loop].head)
            return true;
    }
    return false;
}

static void part(struct agreement *a, int from, int meet)
{
    int *stack = xcalloc((size_t)a->c->f->block_count + 2, sizeof *stack), depth = 0;
    bool *seen = xcalloc((size_t)a->c->f->block_count + 1, sizeof *seen);
    stack[depth++] = from;
    while (depth > 0) {
        const struct ptx_block *b = block_at(a->c, stack[--depth]);
        for (int s = 0; s < b->successor_count; s++) {
            int to = b->successors[s];
            if (to < 0 || to == meet || to == from || seen[to])
                continue;
            seen[to] = a->parted[to] = true;
            stack[depth++] = to;
        }
    }
    free(stack);
    free(seen);
}

static bool agrees(struct agreement *a, struct origin v, int reader, int deep);

// A load gives all lanes the same from the same place, whoever else may store there; only a thread's own memory does not. Clocks are read
// once for a warp.
static bool is_same_from_same(const struct ptx_instruction *in)
{
    enum ptx_class class = ptx_opcode_class(in->opcode);
    if (in->opcode == PTX_OP_LD)
        return ptx_space_of(in) != PTX_SPACE_LOCAL;
    if (in->opcode == PTX_OP_MOV && in->operand_count == 2)
        return in->operands[1].kind == PTX_OPERAND_REGISTER ||
               in->operands[1].kind == PTX_OPERAND_IMMEDIATE ||
               (in->operands[1].kind == PTX_OPERAND_SPECIAL &&
                special_is_clock(in->operands[1].special));
    return class == PTX_CLASS_INTEGER || class == PTX_CLASS_FLOAT || class == PTX_CLASS_CONVERT ||
           class == PTX_CLASS_SPECIAL;
}

// What a warp votes, or adds up, all of its lanes have; what one lane of all 32 has, too. From the source `from` on it has to be the same
// for all lanes; -1: it is nothing of that.
static int first_of_warp(const struct code *c, int i)
{
    enum { DATA = 1, WIDTH = 2, ALL = 0x1f };
    const struct ptx_instruction *in = at(c, i);
    uint64_t width;
    switch (in->opcode) {
    case PTX_OP_VOTE:
    case PTX_OP_REDUX:
        return DATA;
    case PTX_OP_ACTIVEMASK:
        return 0;
    case PTX_OP_MATCH:
        return in_has(in, "all") ? DATA : -1;
    case PTX_OP_SHFL:
        return in_has(in, "idx") && number_at(c, i, WIDTH, &width) && width == ALL ? DATA : -1;
    default:
        return -1;
    }
}

static bool made_agrees(struct agreement *a, int i, int deep)
{
    const struct code *c = a->c;
    const struct ptx_instruction *in = at(c, i);
    const struct ptx_operand *to = &in->operands[0];
    if (to->kind == PTX_OPERAND_REGISTER && to->reg >= 0 && !c->differs[to->reg])
        return true;
    int from = is_same_from_same(in) ? 0 : first_of_warp(c, i);
    bool same = from >= 0 && deep < DEEP;
    for (int s = c->first_source[i] + from; s < c->first_source[i + 1] && same; s++)
        same = agrees(a, c->sources[s], i, deep + 1);
    return same;
}

// Lanes that divide, or take a root of, the same all call the routine or none does: nobody has to wait for others behind it.
static void routines_wait(struct agreement *a, struct code *c)
{
    enum { WAITING = 2 }; // BSSY and BSYNC
    for (int i = 0; i < c->count; i++) {
        int block = c->f->block_of[i];
        if (block < 0 || c->number[block] < 0 || c->fate[i] != FATE_MADE ||
            at(c, i)->opcode == PTX_OP_CALL || !ptx_calls_routine(at(c, i)) ||
            c->slots[i] <= WAITING)
            continue;
        for (int r = 0; r < c->f->register_count; r++)
            a->asked[r] = false;
        bool same = true;
        for (int s = c->first_source[i]; s < c->first_source[i + 1] && same; s++)
            same = agrees(a, c->sources[s], i, 0);
        if (same)
            c->slots[i] -= WAITING;
    }
}

// Does a turn of the loop read what the one before it left in the register?
static bool is_carried(const struct agreement *a, int reg, int loop)
{
    const struct code *c = a->c;
    for (int i = 0; i < c->count; i++) {
        bool reads = false;
        for (int s = c->first_source[i]; s < c->first_source[i + 1]; s++)
            reads |= c->sources[s].kind == VALUE_KEPT && c->sources[s].at == reg;
        if (!reads || !in_loop(c, c->f->block_of[i], loop))
            continue;
        bool written = false; // before, in the same turn
        for (int k = a->w.first[reg]; k < a->w.first[reg + 1]; k++) {
            int block = c->f->block_of[a->w.list[k]];
            written |= block != c->f->block_of[i] && in_loop(c, block, loop) &&
                       dominates(c, block, c->f->block_of[i]);
        }
        if (!written)
            return true;
    }
    return false;
}

// Of a register that several instructions write: each writes the same for all, where lanes have not parted. Where lanes leave a
// loop at different turns ptxas takes what turns hand on as different.
static bool kept_agrees(struct agreement *a, int reg, int reader, int deep)
{
    const struct code *c = a->c;
    if (!c->differs[reg] || a->asked[reg])
        return true;
    a->asked[reg] = true;
    bool same = true;
    for (int k = a->w.first[reg]; k < a->w.first[reg + 1] && same; k++) {
        int i = a->w.list[k], block = c->f->block_of[i];
        if (block < 0 || c->number[block] < 0)
            continue;
        same = !a->parted[block] && made_agrees(a, i, deep);
        for (int l = c->loop_of[block]; l >= 0 && same; l = c->loops[l].around)
            same = !c->loops[l].leave_apart ||
                   (in_loop(c, c->f->block_of[reader], l) && !is_carried(a, reg, l));
    }
    a->asked[reg] = same;
    return same;
}

static bool agrees(struct agreement *a, struct origin v, int reader, int deep)
{
    switch (v.kind) {
    case VALUE_NUMBER:
        return true;
    case VALUE_MADE:
        return made_agrees(a, v.at, deep);
    case VALUE_KEPT:
        return kept_agrees(a, v.at, reader, deep);
    case VALUE_NONE:
        break;
    }
    return false;
}

static void agreement_part(struct agreement *a, struct code *c, const int *next, const bool *agree)
{
    for (int l = 0; l < c->loop_count; l++)
        c->loops[l].leave_apart = false;
    for (int b = 0; b < c->f->block_count; b++) {
        if (!ends_with_choice(c, b) || agree[b])
            continue;
        if (is_of_loop(c, b))
            c->loops[c->loop_of[b]].leave_apart = true;
        else
            part(a, b, next[b]);
    }
}

// Lanes agree on all branches until something says that they do not, which says so of others.
void code_agree(struct code *c, const int *next, bool *agree)
{
    struct agreement a = {.c = c, .w = code_writers(c)};
    a.parted = xcalloc((size_t)c->f->block_count + 1, sizeof *a.parted);
    a.asked = xcalloc((size_t)c->f->register_count + 1, sizeof *a.asked);
    for (int b = 0; b < c->f->block_count; b++)
        agree[b] = true;
    for (bool changed = true; changed;) {
        changed = false;
        agreement_part(&a, c, next, agree);
        for (int b = 0; b < c->f->block_count; b++) {
            if (!ends_with_choice(c, b) || !agree[b] || same_branch(c, b))
                continue;
            for (int r = 0; r < c->f->register_count; r++)
                a.asked[r] = false;
            agree[b] = agrees(&a, *asked_by(c, b), last_of(c, b), 0);
            changed |= !agree[b];
        }
    }
    routines_wait(&a, c);
    for (int b = 0; b < c->f->block_count; b++) {
        c->diverged[b] = a.parted[b];
        for (int l = c->loop_of[b]; l >= 0; l = c->loops[l].around)
            c->diverged[b] |= c->loops[l].leave_apart;
    }
    free(a.w.first);
    free(a.w.list);
    free(a.parted);
    free(a.asked);
}
