// Machine instructions around those that PTX names, counted in ptxas 13.0's code for sm_90: what brings lanes together
// behind a branch that parts them, what makes an address in shared memory out of a variable's name, what a bulk copy's
// operands need, what a kernel begins with; and those of PTX that are none there.
// They take issue slots; units and latencies stay those of the instruction that they stand beside.
// SPDX-License-Identifier: Apache-2.0
#include "sim/decode/lower_code.h"
#include "sim/model/cost.h"

#include <stdlib.h>

enum {
    CONVERGENCE = 2, // BSSY before the branch, BSYNC where its lanes meet
    WINDOW = 2,      // beside the S2R of the block's window in a cluster: UMOV and ULEA
    BULK_TENSOR = 6, // beside UTMALDG: its coordinates and addresses into uniform registers
    BULK_BYTES = 9,  // beside UBLKCP: 64-bit addresses, size, a turn for each lane
    CLUSTER_ARRIVE = 6,
    CLUSTER_WAIT = 4,
    FRAGMENT_LOADS = 8 // beside the first load of wmma.load: three more, and an address of each
};

// A parameter of 32 bits or less comes into a uniform register, by ULDC; a pointer by LDC.64 as often as by ULDC.64.
static bool is_uniform(const struct decoder *d, const struct ptx_instruction *in)
{
    return in->opcode == PTX_OP_LD && d->f->is_entry && in->space_count > 0 &&
           in->spaces[0] == PTX_SPACE_PARAM && in->type_count > 0 &&
           ptx_type_bits(in->types[0]) <= 32 && in->operands[0].kind == PTX_OPERAND_REGISTER &&
           in->operands[1].reg < 0;
}

static bool names_shared(const struct ptx_instruction *in)
{
    const struct ptx_operand *from = &in->operands[1];
    return in->opcode == PTX_OP_MOV && from->kind == PTX_OPERAND_SYMBOL && from->variable != NULL &&
           from->variable->space == PTX_SPACE_SHARED;
}

static bool is_jump(const struct ptx_function *f, int block)
{
    const struct ptx_block *b = &f->blocks[block];
    const struct ptx_instruction *in = &f->instructions[b->first];
    return b->count == 1 && in->opcode == PTX_OP_BRA && in->guard < 0;
}

// A branch around nothing but a jump is one branch, of the opposite condition.
static bool is_of_branch_before(const struct ptx_function *f, int block)
{
    const struct ptx_block *before = block > 0 ? &f->blocks[block - 1] : NULL;
    if (before == NULL || before->count == 0 || !is_jump(f, block))
        return false;
    const struct ptx_instruction *in = &f->instructions[before->first + before->count - 1];
    return in->opcode == PTX_OP_BRA && in->guard >= 0 && f->blocks[block].predecessor_count == 1;
}

// The place where lanes meet that the branch at this block's end parts; -1. Where nothing is left to do but to end, lanes do
// not wait for each other.
static int rejoining_of(const struct ptx_function *f, int block, const bool *differs)
{
    const struct ptx_block *b = &f->blocks[block];
    const struct ptx_instruction *in = &f->instructions[b->first + b->count - 1];
    bool parts = in->opcode == PTX_OP_BRA && in->guard >= 0 && differs[in->guard] &&
                 b->successor_count == 2 && b->postdominator >= 0;
    return parts && !block_ends_thread(f, b->postdominator) ? b->postdominator : -1;
}

// That place, if it lies ahead: those that leave a loop wait behind it, once.
static int meeting_of(const struct ptx_function *f, int block, const bool *differs)
{
    int place = rejoining_of(f, block, differs);
    for (int i = 0; i < 2 && place >= 0; i++)
        if (f->blocks[block].successors[i] <= block)
            return -1;
    return place;
}

static int around(const struct ptx_instruction *in)
{
    if (names_shared(in))
        return WINDOW;
    if (in->opcode == PTX_OP_CP && in_has(in, "bulk") && in->operand_count >= 3)
        return in_has(in, "tensor") ? BULK_TENSOR : BULK_BYTES;
    if (in_has(in, "cluster") &&
        (in->opcode == PTX_OP_BARRIER || in->opcode == PTX_OP_BAR)) // fences, a block of its own
        return in_has(in, "arrive") ? CLUSTER_ARRIVE : in_has(in, "wait") ? CLUSTER_WAIT : 0;
    if (in->opcode == PTX_OP_WMMA && in_has(in, "load"))
        return FRAGMENT_LOADS;
    return 0;
}

// Of lanes that add to one word of global memory one does it for all: who they are, their sum by REDUX or as many times the
// value, and what each gets back (ptxas 13.0; an H200's 19 and 12 instructions of bench/truth/turns, add_uniform).
static int added_together(const struct ptx_instruction *in, const struct timing_site *t,
                          const bool *differs)
{
    enum { WITH_RESULT = 10, WITHOUT = 6 };
    bool adds = (in->opcode == PTX_OP_ATOM || in->opcode == PTX_OP_RED) && in_has(in, "add") &&
                in->type_count > 0 && ptx_type_bits(in->types[0]) == 32 &&
                ptx_type_kind(in->types[0]) != PTX_KIND_FLOAT && in->guard < 0;
    const struct ptx_operand *at = &in->operands[in->opcode == PTX_OP_ATOM ? 1 : 0];
    if (!adds || (at->reg >= 0 && differs[at->reg]))
        return 0;
    return t->pipe == PIPE_GLOBAL_ATOMIC      ? WITH_RESULT
           : t->pipe == PIPE_GLOBAL_REDUCTION ? WITHOUT
                                              : 0;
}

int lower_beside(const struct ptx_instruction *in)
{
    return names_shared(in) ? 0 : around(in);
}

// The stack pointer, by LDC, and what describes global memory, by ULDC.64.
static int kernel_begins(const struct decoder *d, const struct timing_site *t)
{
    for (int i = 0; i < d->f->instruction_count; i++)
        switch (pipe_info(t[i].pipe)->unit) {
        case UNIT_LOAD:
        case UNIT_STORE:
        case UNIT_ATOMIC:
            return 2;
        default:
            break;
        }
    return 1;
}

void lower_around(const struct decoder *d)
{
    const struct ptx_function *f = d->f;
    struct timing_site *t = &d->program->timing[d->out->site_base];
    bool *differs = registers_differing(d, false), begun = !f->is_entry;
    bool *meets =
        xcalloc((size_t)f->block_count + 1, sizeof(bool)); // there, lanes are waited for already
    for (int i = 0; i < f->instruction_count; i++) {
        const struct ptx_instruction *in = &f->instructions[i];
        if (is_uniform(d, in))
            t[i].pipe = PIPE_UNIFORM;
        int together = added_together(in, &t[i], differs);
        t[i].one_for_all = together > 0;
        t[i].other_slots = (uint8_t)(t[i].other_slots + around(in) + together);
        if (!begun && t[i].pipe != PIPE_NONE) {
            t[i].other_slots = (uint8_t)(t[i].other_slots + kernel_begins(d, t));
            begun = true;
        }
    }
    for (int b = 0; b < f->block_count; b++) {
        int meeting = f->blocks[b].count > 0 ? meeting_of(f, b, differs) : -1;
        struct timing_site *last = &t[f->blocks[b].first + f->blocks[b].count - 1];
        if (f->blocks[b].count > 0)
            last->rejoins = rejoining_of(f, b, differs) >= 0;
        if (meeting >= 0 && !meets[meeting])
            last->other_slots += CONVERGENCE;
        if (meeting >= 0)
            meets[meeting] = true;
        if (f->blocks[b].count > 0 && is_of_branch_before(f, b))
            last->pipe = PIPE_NONE;
    }
    free(meets);
    free(differs);
}
