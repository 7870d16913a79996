// What another machine instruction has already: the other half of a product, a rounding, a number beside a place. And what an access
// needs beside it: the place of a variable, a texture's handle. Least and most of what all lanes have alike.
// SPDX-License-Identifier: Apache-2.0
#include "sim/decode/lower_forms.h"

// The lower half of a product whose upper half the block makes of the same two factors, in either order: IMAD.WIDE has both.
static bool is_half_of_product(const struct code *c, int i)
{
    const struct ptx_block *b = block_at(c, c->f->block_of[i]);
    if (!is_product(at(c, i), 32) || ptx_has_modifier(at(c, i), PTX_MOD_WIDE))
        return false;
    for (int k = b->first; k < b->first + b->count; k++) {
        const struct ptx_instruction *in = at(c, k);
        if (in->opcode != PTX_OP_MUL || is_float(in) || bits_of(in) != 32 || in->guard >= 0 ||
            !ptx_has_modifier(in, PTX_MOD_HI) || c->fate[k] != FATE_MADE)
            continue;
        for (int first = 0; first < 2; first++)
            if (same_value(c, source_of(c, i, 0), source_of(c, k, first)) &&
                same_value(c, source_of(c, i, 1), source_of(c, k, 1 - first)))
                return true;
    }
    return false;
}

// F2I rounds as it is said to: a float that is made whole only to become a whole number is no instruction.
static bool is_rounded_for_number(const struct code *c, int i)
{
    const struct ptx_instruction *in = at(c, i);
    bool whole = in->opcode == PTX_OP_CVT && in->type_count == 2 && in->types[0] == PTX_TYPE_F32 &&
                 in->types[1] == PTX_TYPE_F32 && !ptx_has_modifier(in, PTX_MOD_SAT) &&
                 (in_has(in, "rzi") || in_has(in, "rmi") || in_has(in, "rpi") || in_has(in, "rni"));
    if (!whole || reader_count(c, i) == 0)
        return false;
    for (int r = c->first_reader[i]; r < c->first_reader[i + 1]; r++) {
        const struct ptx_instruction *to = at(c, c->readers[r].instruction);
        if (to->opcode != PTX_OP_CVT || to->type_count != 2 || to->types[1] != PTX_TYPE_F32 ||
            ptx_type_kind(to->types[0]) == PTX_KIND_FLOAT || !in_has(to, "rzi"))
            return false;
    }
    return true;
}

// A fragment's loads and stores in global memory have room for a number beside their base.
static bool is_in_fragment_place(const struct code *c, int i)
{
    if (!is_int(at(c, i), PTX_OP_ADD, 64) || !is_number(c, i, 1) || reader_count(c, i) == 0)
        return false;
    for (int r = c->first_reader[i]; r < c->first_reader[i + 1]; r++) {
        const struct ptx_instruction *in = at(c, c->readers[r].instruction);
        if (in->opcode != PTX_OP_WMMA || c->readers[r].operand != 0 || !is_in_global_memory(in))
            return false;
    }
    return true;
}

static bool is_texture_read(const struct ptx_instruction *in)
{
    return in->opcode == PTX_OP_TEX || in->opcode == PTX_OP_TLD4;
}

// DEPBAR waits for what a texture's unit returns; ULDC and UMOV bring the texture's handle, once for a block.
static double texture_slots(const struct code *c, int i)
{
    enum { WAIT = 1, HANDLE = 2 };
    bool first = true;
    if (!is_texture_read(at(c, i)))
        return 0;
    for (int k = block_at(c, c->f->block_of[i])->first; k < i; k++)
        first &= !is_texture_read(at(c, k));
    return WAIT + (first ? HANDLE : 0);
}

// Is the access at a variable of global memory that the instruction names? LDC brings its place, once for what follows in the block.
static bool is_at_global_variable(const struct code *c, int i)
{
    const struct ptx_instruction *in = at(c, i);
    const struct ptx_operand *place =
        in->operand_count > 0 ? &in->operands[in->writes_first ? 1 : 0] : NULL;
    if (place == NULL || place->kind != PTX_OPERAND_ADDRESS || place->variable == NULL ||
        place->variable->space != PTX_SPACE_GLOBAL)
        return false;
    for (int k = block_at(c, c->f->block_of[i])->first; k < i; k++)
        for (int o = 0; o < at(c, k)->operand_count; o++)
            if (at(c, k)->operands[o].variable == place->variable &&
                at(c, k)->operands[o].kind == PTX_OPERAND_ADDRESS)
                return false;
    return true;
}

bool code_is_had(const struct code *c, int i)
{
    return is_half_of_product(c, i) || is_in_fragment_place(c, i) || is_rounded_for_number(c, i);
}

// Where an access goes: a number of bytes behind what lies in two registers, a folded sum counted with it.
struct place {
    struct origin base;
    int64_t offset;
};

static bool place_of(const struct code *c, int i, struct place *p)
{
    const struct ptx_instruction *in = at(c, i);
    int operand = in->writes_first ? 1 : 0;
    if (!is_address_of(c, (struct reader){i, 0}) || in->operands[operand].reg < 0 ||
        !is_in_global_memory(in))
        return false;
    *p = (struct place){*source_of(c, i, 0), in->operands[operand].offset};
    int sum = def_of(c, p->base);
    uint64_t number;
    if (sum >= 0 && c->fate[sum] == FATE_FOLDED && is_int(at(c, sum), PTX_OP_ADD, 64) &&
        number_at(c, sum, 1, &number)) {
        p->offset += (int64_t)number;
        p->base = *source_of(c, sum, 0);
    }
    return origin_differs(c, &p->base);
}

// An access has a signed number of 24 bits added. What is farther away is reached from a sum with the nearest multiple of 2^24, once in
// a block for all that lie about it.
static double far_slots(const struct code *c, int i)
{
    enum { SUM = 2, HALF = 1 << 23, BITS = 24 };
    struct place own, other;
    if (!place_of(c, i, &own) || (own.offset + HALF) >> BITS == 0)
        return 0;
    for (int k = block_at(c, c->f->block_of[i])->first; k < i; k++)
        if (place_of(c, k, &other) && same_value(c, &own.base, &other.base) &&
            (own.offset + HALF) >> BITS == (other.offset + HALF) >> BITS)
            return 0;
    return SUM;
}

double code_needed_beside(const struct code *c, int i)
{
    return texture_slots(c, i) + is_at_global_variable(c, i) + far_slots(c, i);
}

// Do nothing but comparisons read it, and uniform arithmetic for them? What else needs it in a register of the thread's has it made
// there.
static bool is_compared_alone(const struct code *c, int i, int deep)
{
    enum { DEEP = 6 };
    for (int r = c->first_reader[i]; r < c->first_reader[i + 1]; r++) {
        int reader = c->readers[r].instruction;
        const struct ptx_instruction *in = at(c, reader);
        if (in->opcode != PTX_OP_SETP &&
            (value_differs(c, reader) || ptx_opcode_class(in->opcode) != PTX_CLASS_INTEGER ||
             is_float(in) || deep >= DEEP || !is_compared_alone(c, reader, deep + 1)))
            return false;
    }
    return true;
}

// Is it made of a register that a loop counts in, which is uniform like it?
static bool is_of_counter(const struct code *c, int i, int deep)
{
    enum { DEEP = 6 };
    for (int s = c->first_source[i]; s < c->first_source[i + 1]; s++) {
        int from = def_of(c, c->sources[s]);
        if (c->sources[s].kind == VALUE_KEPT ||
            (from >= 0 && deep < DEEP && !is_brought(at(c, from)) &&
             ptx_opcode_class(at(c, from)->opcode) == PTX_CLASS_INTEGER &&
             is_of_counter(c, from, deep + 1)))
            return true;
    }
    return false;
}

// UISETP and USEL; or VIMNMX.
double code_bound_slots(const struct code *c, int i)
{
    return is_compared_alone(c, i, 0) || is_of_counter(c, i, 0) ? 2 : 1;
}
