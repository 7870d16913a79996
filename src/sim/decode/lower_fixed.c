// What a loop's turns have alike is made before it: compilers leave whole numbers' arithmetic in loops to keep registers free, and ptxas takes
// it out again while there are enough of them. In long loops it stays, and words of 64 bits in shorter ones, as the sources are there
// anyway.
// SPDX-License-Identifier: Apache-2.0
#include "sim/decode/lower_forms.h"

#include <stdlib.h>

// Whole numbers' arithmetic, whose result nothing else writes.
static bool is_of_numbers(const struct code *c, int i)
{
    const struct ptx_instruction *in = at(c, i);
    enum ptx_class class = ptx_opcode_class(in->opcode);
    bool converts = class == PTX_CLASS_CONVERT && in->type_count == 2 && !is_float(in) &&
                    ptx_type_kind(in->types[1]) != PTX_KIND_FLOAT;
    return in->guard < 0 && in->writes_first && in->type_count > 0 && !is_float(in) &&
           (class == PTX_CLASS_INTEGER || converts) && in->opcode != PTX_OP_SETP &&
           !is_division(in) && !is_of_predicates(in) &&
           in->operands[0].kind == PTX_OPERAND_REGISTER && in->operands[0].reg >= 0 &&
           !c->several[in->operands[0].reg];
}

// By register: does the loop write it?
static void written_find(const struct code *c, int loop, bool *written)
{
    for (int r = 0; r < c->f->register_count; r++)
        written[r] = false;
    for (int i = 0; i < c->count; i++) {
        const struct ptx_operand *to = at(c, i)->operands;
        if (!at(c, i)->writes_first || at(c, i)->operand_count == 0 || c->f->block_of[i] < 0 ||
            !in_loop(c, c->f->block_of[i], loop))
            continue;
        if (to->kind == PTX_OPERAND_REGISTER && to->reg >= 0)
            written[to->reg] = true;
        for (int e = 0; e < to->element_count; e++)
            if (to->elements[e].reg >= 0)
                written[to->elements[e].reg] = true;
    }
}

// Is what the instruction reads the same in all turns?
static bool reads_fixed(const struct code *c, int i, int loop, const bool *written,
                        const bool *fixed)
{
    for (int s = c->first_source[i]; s < c->first_source[i + 1]; s++) {
        const struct origin *v = &c->sources[s];
        int from = v->kind == VALUE_MADE ? c->same[v->at] : -1;
        if (v->kind == VALUE_NONE || (v->kind == VALUE_KEPT && written[v->at]))
            return false;
        if (from >= 0 && (c->f->block_of[from] < 0 || (in_loop(c, c->f->block_of[from], loop) &&
                                                       !fixed[from] && !is_brought(at(c, from)))))
            return false;
    }
    return true;
}

static double length_of(const struct code *c, int loop)
{
    double length = 0;
    for (int i = 0; i < c->count; i++)
        if (c->place[i] >= 0 && in_loop(c, c->place[i], loop))
            length += c->slots[i];
    return length;
}

static bool is_each_turn(const struct code *c, int block, int loop)
{
    const struct ptx_block *head = block_at(c, c->loops[loop].head);
    for (int p = 0; p < head->predecessor_count; p++)
        if (in_loop(c, head->predecessors[p], loop) && !dominates(c, block, head->predecessors[p]))
            return false;
    return true;
}

void code_fixed(struct code *c)
{
    enum { LONG = 56, LONG_FOR_WIDE = 20 };
    bool *written = xcalloc((size_t)c->f->register_count + 1, sizeof *written);
    bool *fixed = xcalloc((size_t)c->count + 1, sizeof *fixed);
    for (int l = 0; l < c->loop_count; l++) {
        int before = c->dominator[c->loops[l].head];
        double length = length_of(c, l);
        if (c->loops[l].has_inner || before < 0 || length > LONG)
            continue;
        written_find(c, l, written);
        for (int i = 0; i < c->count; i++) {
            int block = c->f->block_of[i];
            fixed[i] = block >= 0 && in_loop(c, block, l) && is_of_numbers(c, i) &&
                       is_each_turn(c, block, l) && reads_fixed(c, i, l, written, fixed);
            if (fixed[i] && c->fate[i] == FATE_MADE && c->slots[i] > 0 &&
                (bits_of(at(c, i)) != 64 || !needs_high(c, i) || length <= LONG_FOR_WIDE))
                c->place[i] = before;
        }
    }
    free(written);
    free(fixed);
}
