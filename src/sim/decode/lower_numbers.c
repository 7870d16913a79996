// Numbers that need registers: two in one instruction, what is stored, f64 with two halves.
// SPDX-License-Identifier: Apache-2.0
#include "sim/decode/lower_forms.h"

// A number of one word is brought into a register before the loop, once for the blocks behind.
static void number_bring(struct code *c, struct numbers_kept *n, uint64_t bits, int instruction)
{
    int place = before_loops(c, c->f->block_of[instruction]);
    for (int i = 0; i < n->count; i++)
        if (n->list[i].bits == bits && dominates(c, n->list[i].block, place) &&
            n->list[i].routines == n->routines)
            return;
    if (n->count < (int)COUNT_OF(n->list))
        n->list[n->count++] = (struct number_kept){bits, place, n->routines};
    code_bring(c, place, instruction, 1);
}

// Is the number in a register already, from a block that comes before in the same loop?
static bool is_kept(const struct code *c, struct numbers_kept *n, uint64_t bits, int block)
{
    for (int i = 0; i < n->count; i++)
        if (n->list[i].bits == bits && dominates(c, n->list[i].block, block) &&
            n->list[i].routines == n->routines && c->loop_of[n->list[i].block] == c->loop_of[block])
            return true;
    if (n->count < (int)COUNT_OF(n->list))
        n->list[n->count++] = (struct number_kept){bits, block, n->routines};
    return false;
}

static bool waits_for_memory(const struct code *c, int i)
{
    enum ptx_space space = ptx_space_of(at(c, i));
    return at(c, i)->opcode == PTX_OP_LD && space != PTX_SPACE_PARAM && space != PTX_SPACE_CONST &&
           space != PTX_SPACE_SHARED;
}

// Numbers are brought into registers before loops that are so short and load from shared memory at most, and in each turn of others: while a turn
// waits for its loads a move costs nothing.
static bool is_short_loop(const struct code *c, int block)
{
    enum { SHORT = 24 };
    int loop = c->loop_of[block], count = 0;
    for (int b = 0; b < c->f->block_count && loop >= 0; b++) {
        const struct ptx_block *in = &c->f->blocks[b];
        if (!in_loop(c, b, loop))
            continue;
        count += in->count;
        if (count > SHORT)
            return false;
        for (int i = in->first; i < in->first + in->count; i++)
            if (waits_for_memory(c, i))
                return false;
    }
    return true;
}

// What is stored or given to an atomic is in registers; one zero is RZ.
static void stored_numbers(struct code *c, int i, struct numbers_kept *kept)
{
    const struct ptx_instruction *in = at(c, i);
    int count = c->first_source[i + 1] - c->first_source[i];
    bool atomic = ptx_opcode_class(in->opcode) == PTX_CLASS_ATOMIC,
         counts = atomic && in_has(in, "add") && in->space_count > 0 &&
                  in->spaces[0] == PTX_SPACE_SHARED && reader_count(c, i) == 0 && !is_float(in);
    if (counts || (atomic && !is_float(in) && (code_atomic(c, i) > 0 || code_is_combined(c, i))))
        return;
    int end = count - (in->guard >= 0);
    bool clears = in->opcode == PTX_OP_ST;
    for (int k = 1; k < end; k++)
        clears &= source_of(c, i, k)->kind == VALUE_NUMBER && source_of(c, i, k)->bits == 0;
    for (int k = 1; k < end && !clears; k++) {
        uint64_t bits = source_of(c, i, k)->bits;
        if (source_of(c, i, k)->kind != VALUE_NUMBER)
            continue;
        // Where it is needed; what is compared and what is put there stand beside each other, so that is anew each time.
        if (atomic && (in_has(in, "cas") || !is_kept(c, kept, bits, c->f->block_of[i])))
            code_bring(c, c->f->block_of[i], i, 1);
        else if (atomic)
            continue;
        else if (in->vector > 1) // a place of its own in the vector
            code_bring(c, before_loops(c, c->f->block_of[i]), i, 1);
        else
            number_bring(c, kept, bits, i);
        if (bits_of(in) == 64 && !atomic)
            code_bring(c, before_loops(c, c->f->block_of[i]), i, 1);
    }
}

// Is a selection of two numbers read by sums alone? Those are made under either predicate.
static bool is_of_sums(const struct code *c, int i)
{
    for (int r = c->first_reader[i]; r < c->first_reader[i + 1]; r++)
        if (!is_int(at(c, c->readers[r].instruction), PTX_OP_ADD, 32))
            return false;
    return reader_count(c, i) == 1;
}

// -0 is -RZ.
static bool is_zero_below(const struct ptx_instruction *in, uint64_t number)
{
    return is_float(in) && bits_of(in) <= 32 && number == (uint64_t)1 << (bits_of(in) - 1);
}

// An instruction of f64 holds the upper half of a number; one with a lower half takes two registers and two moves. Of two
// numbers in one instruction one is in a register.
double code_numbers(struct code *c, int i, struct numbers_kept *kept)
{
    enum { MOVES = 2 };
    const struct ptx_instruction *in = at(c, i);
    enum ptx_class class = ptx_opcode_class(in->opcode);
    int block = c->f->block_of[i], numbers = 0;
    double slots = 0;
    uint64_t number, factor = 0;
    bool f64 = is_float(in) && bits_of(in) == 64,
         three = in->opcode == PTX_OP_FMA || in->opcode == PTX_OP_MAD;
    if ((in->opcode == PTX_OP_SHL || in->opcode == PTX_OP_SHR) && number_at(c, i, 0, &number) &&
        number != 0) // what is shifted is in a register
        number_bring(c, kept, number, i);
    if (in->opcode == PTX_OP_ST || class == PTX_CLASS_ATOMIC)
        stored_numbers(c, i, kept);
    kept->routines += is_float(in) && ptx_calls_routine(in); // behind it numbers are made anew
    enum { HALF_OF_TF32 = 0x1000 };
    if (in->opcode == PTX_OP_CVT && in->type_count > 0 && in->types[0] == PTX_TYPE_TF32)
        number_bring(c, kept, HALF_OF_TF32, i);
    enum { SCALE_OF_RCP = 0x4b800000 };
    if (in->opcode == PTX_OP_RCP && in_has(in, "approx") && bits_of(in) == 32 &&
        !ptx_has_modifier(in, PTX_MOD_FTZ) && !is_never_small(c, *source_of(c, i, 0), 0))
        number_bring(c, kept, SCALE_OF_RCP, i);
    if (class != PTX_CLASS_INTEGER)
        return 0;
    for (int k = 0; k < c->first_source[i + 1] - c->first_source[i]; k++) {
        if (!number_at(c, i, k, &number) || number == 0 || is_zero_below(in, number))
            continue;
        if (f64 && (uint32_t)number != 0 && in->opcode != PTX_OP_SELP &&
            !is_kept(c, kept, number, block))
            slots += MOVES;
        factor = numbers == 0 ? number : factor; // the other stays in the instruction
        numbers++;
    }
    three |= is_half(type_of(in)) &&
             (in->opcode == PTX_OP_MUL || in->opcode == PTX_OP_ADD); // ptxas works none out
    bool one_moved =
        !f64 && numbers > 1 && (three || (in->opcode == PTX_OP_SELP && !is_of_sums(c, i)));
    if (one_moved && is_short_loop(c, block))
        number_bring(c, kept, factor, i);
    else if (one_moved && !is_kept(c, kept, factor, block))
        c->moved[i] = 1;
    return slots + c->moved[i];
}
