// Loops that ptxas unrolls, for the model of time only: of four turns its code loads first what they need, and uses it after, as far
// as there are registers beside what is held through the loop: 16 words, but 8 of 64 bits, 12 in a kernel that keeps more, and so
// 2 to 7 waits of four turns. Read off ptxas 13.0's code for sm_90 (bench/truth/tuning/products: sixteen loads before the first is waited for): loops of
// one block without "nounroll", whose end a register decides that each turn adds a constant to (not one that is made of such a
// register, nor one to which a register is added: those are not unrolled); without stores, atomics, barriers and calls, which
// loads would have to pass; loads whose address no loaded value decides.
// SPDX-License-Identifier: Apache-2.0
#include "sim/decode/lower_code.h"
#include "sim/model/cost.h"

#include <stdlib.h>
#include <string.h>

enum { BODY_MAX = 64 }; // instructions of PTX

static bool known(const bool *loaded, const uint16_t *list, int count)
{
    for (int i = 0; i < count; i++)
        if (loaded[list[i]])
            return false;
    return true;
}

// Adds the registers that hold what was loaded in the loop, or was made of it. Returns whether there are more than before.
static bool loaded_spread(const struct timing_site *sites, int count, bool *loaded)
{
    bool more = false;
    for (int i = 0; i < count; i++) {
        const struct timing_site *t = &sites[i];
        bool from_memory = pipe_info(t->pipe)->touches != TOUCHES_NOTHING;
        if (!from_memory && known(loaded, t->source, t->source_count))
            continue;
        for (int k = 0; k < t->result_count; k++) {
            more |= !loaded[t->result[k]];
            loaded[t->result[k]] = true;
        }
    }
    return more;
}

static bool may_be_unrolled(const struct timing_site *sites, int count)
{
    for (int i = 0; i < count - 1; i++) {
        const struct timing_site *t = &sites[i];
        enum touches touches = pipe_info(t->pipe)->touches;
        if ((touches != TOUCHES_NOTHING && touches != TOUCHES_READ) || t->polls ||
            t->synchronises || t->pipe == PIPE_BRANCH || t->pipe == PIPE_EXIT ||
            is_among_lanes(t->pipe))
            return false;
    }
    return sites[count - 1].pipe == PIPE_BRANCH;
}

// The only instruction of the loop that writes the register, or NULL.
static const struct ptx_instruction *writer_of(const struct ptx_instruction *in, int count, int reg)
{
    const struct ptx_instruction *one = NULL;
    for (int i = 0; i < count; i++) {
        const struct ptx_operand *to = &in[i].operands[0];
        if (!in[i].writes_first || to->kind != PTX_OPERAND_REGISTER || to->reg != reg)
            continue;
        if (one != NULL)
            return NULL;
        one = &in[i];
    }
    return one;
}

static bool counts(const struct ptx_instruction *in, int reg)
{
    if (in == NULL || (in->opcode != PTX_OP_ADD && in->opcode != PTX_OP_SUB) ||
        in->operand_count != 3)
        return false;
    const struct ptx_operand *a = &in->operands[1], *b = &in->operands[2];
    return a->kind == PTX_OPERAND_REGISTER && a->reg == reg && b->kind == PTX_OPERAND_IMMEDIATE;
}

// Does the loop's last instruction go back as long as a register, to which each turn adds a constant, is below or above a bound?
static bool is_counted(const struct ptx_instruction *in, int count)
{
    const struct ptx_instruction *test = writer_of(in, count, in[count - 1].guard);
    if (test == NULL || test->opcode != PTX_OP_SETP || test->operand_count != 3)
        return false;
    const struct ptx_operand *a = &test->operands[1], *b = &test->operands[2];
    bool bound = b->kind == PTX_OPERAND_IMMEDIATE ||
                 (b->kind == PTX_OPERAND_REGISTER && writer_of(in, count, b->reg) == NULL);
    return a->kind == PTX_OPERAND_REGISTER && bound && counts(writer_of(in, count, a->reg), a->reg);
}

// Is the register read by nothing of the loop but its own sum and as the address of loads?
static bool only_addresses(const struct ptx_instruction *in, int count, int reg)
{
    for (int i = 0; i < count; i++) {
        bool sum = in[i].operands[0].kind == PTX_OPERAND_REGISTER && in[i].operands[0].reg == reg &&
                   in[i].writes_first;
        for (int k = in[i].writes_first ? 1 : 0; k < in[i].operand_count && !sum; k++)
            if (in[i].operands[k].kind == PTX_OPERAND_REGISTER && in[i].operands[k].reg == reg)
                return false;
    }
    return true;
}

// What four turns have once: the counter's sum, if nothing else reads it, its comparison, the branch, the sums of pointers
// whose distances become the loads' own.
static void turns_share(struct timing_site *sites, const struct ptx_instruction *in, int count)
{
    const struct ptx_instruction *test = writer_of(in, count, in[count - 1].guard);
    sites[count - 1].shared_by_turns = true;
    for (int i = 0; i < count - 1; i++) {
        const struct ptx_operand *to = &in[i].operands[0];
        bool sum = in[i].writes_first && to->kind == PTX_OPERAND_REGISTER && to->reg >= 0 &&
                   counts(writer_of(in, count, to->reg), to->reg);
        bool tested = sum && test->operands[1].reg == to->reg;
        bool alone = sum;
        for (int k = 0; k < count && tested && alone; k++)
            for (int o = in[k].writes_first ? 1 : 0; o < in[k].operand_count; o++)
                alone &= &in[k] == test || k == i || in[k].operands[o].reg != to->reg;
        sites[i].shared_by_turns =
            &in[i] == test || (sum && (tested ? alone : only_addresses(in, count, to->reg)));
    }
}

static void loop_unroll(struct program *p, int first, const struct ptx_instruction *in, int count,
                        uint8_t room, bool *loaded)
{
    struct timing_site *sites = &p->timing[first];
    if (count > BODY_MAX || !may_be_unrolled(sites, count))
        return;
    memset(loaded, 0, (size_t)p->register_count + 1);
    while (loaded_spread(sites, count, loaded)) {
    }
    const struct timing_site *end = &sites[count - 1];
    if (!known(loaded, end->source, end->source_count))
        return;
    turns_share(sites, in, count);
    for (int i = 0; i < count; i++)
        if (pipe_info(sites[i].pipe)->unit == UNIT_LOAD &&
            known(loaded, sites[i].source, sites[i].source_count)) {
            sites[i].loop = (uint32_t)(first + count);
            sites[i].loop_room = room;
        }
}

// Does its body stand in the machine code more than once (lower_loops.c)? A body of many operations does not, one that the PTX has
// unrolled already above all: its own loads are all that begin together.
static bool is_copied(const struct code *c, int block)
{
    return c == NULL || (c->loop_of[block] >= 0 && c->loops[c->loop_of[block]].copies > 1);
}

// Registers for what the loads of a loop bring, beside the values that are held through it, an address, the stack's and those that
// ptxas leaves free.
static uint8_t loads_room(const struct program *p, int held)
{
    enum { BESIDE = 4, LEAST = 2, MOST = 255 };
    int room = ptx_register_room(p->registers_estimated) - BESIDE - held;
    return (uint8_t)(room < LEAST ? LEAST : room > MOST ? MOST : room);
}

void loops_unroll(struct program *p)
{
    bool *loaded = xcalloc((size_t)p->register_count + 1, sizeof *loaded);
    for (int n = 0; n < p->function_count && !p->reads_clock; n++) {
        const struct function *own = &p->functions[n];
        const struct ptx_function *f = own->ptx;
        for (int b = 0; b < f->block_count; b++) {
            const struct ptx_block *block = &f->blocks[b];
            const struct ptx_instruction *in = &f->instructions[block->first];
            bool turns = block->count > 0 && !in->nounroll && is_counted(in, block->count);
            bool back = false;
            turns &= is_copied(own->code, b);
            for (int i = 0; i < block->successor_count; i++)
                back |= block->successors[i] == b;
            if (turns && back)
                loop_unroll(p, own->site_base + block->first, in, block->count,
                            loads_room(p, own->held[b]), loaded);
        }
    }
    free(loaded);
}
