// What machine instructions absorb: IMAD.WIDE, LEA, IADD3, LOP3, FFMA take a product, a shift, a sum, a bit operation in; loads
// and stores a number added to their address. An instruction is absorbed if all that read it can take it in.
// SPDX-License-Identifier: Apache-2.0
#include "sim/decode/lower_forms.h"

#include <stdlib.h>

static bool absorbs_float(const struct code *c, int k, struct reader r)
{
    const struct ptx_instruction *from = at(c, k), *in = at(c, r.instruction);
    if ((from->opcode == PTX_OP_NEG || from->opcode == PTX_OP_ABS) && in->opcode == PTX_OP_CVT)
        return in->type_count > 1 && in->types[1] == type_of(from);
    if (in->opcode == PTX_OP_EX2 && type_of(in) == PTX_TYPE_F32 &&
        !ptx_has_modifier(in, PTX_MOD_FTZ))
        return false; // it is scaled before
    if (in->opcode == PTX_OP_SELP && type_of(in) == PTX_TYPE_F64)
        return false; // by halves: DADD makes it before
    if (from->opcode == PTX_OP_NEG || from->opcode == PTX_OP_ABS)
        return is_float(in) && in->type_count > 0 && type_of(in) == type_of(from) &&
               (ptx_opcode_class(in->opcode) == PTX_CLASS_INTEGER ||
                ptx_opcode_class(in->opcode) == PTX_CLASS_FLOAT ||
                ptx_opcode_class(in->opcode) == PTX_CLASS_SPECIAL) &&
               in->opcode != PTX_OP_MOV;
    return from->opcode == PTX_OP_MUL && (in->opcode == PTX_OP_ADD || in->opcode == PTX_OP_SUB) &&
           type_of(from) == type_of(in) && !is_rounded(from) && !is_rounded(in);
}

static bool absorbs_wide(const struct code *c, int k, struct reader r)
{
    const struct ptx_instruction *from = at(c, k), *in = at(c, r.instruction);
    bool sum = is_int(in, PTX_OP_ADD, 64);
    if (code_rotates(c, k, r.instruction))
        return true;
    if (is_wide_product(from))
        return sum || (is_int(in, PTX_OP_SUB, 64) && (r.operand == 0 || has_number(c, k)));
    if (is_shift_by_number(c, k, PTX_OP_SHL, 64))
        return sum && reader_count(c, k) == 1; // LEA, LEA.HI.X
    if (is_widening(from)) {                   // LEA.HI.X.SX32; IMAD.WIDE needs both halves
        int other = sum ? def_of(c, *source_of(c, r.instruction, 1 - r.operand)) : -1;
        return sum && reader_count(c, k) == 1 && (other < 0 || !is_wide_product(at(c, other)));
    }
    if (is_product(from, 64))
        return sum || (reader_count(c, k) == 1 && is_int(in, PTX_OP_SUB, 64) && r.operand == 1 &&
                       has_number(c, k));
    int part = def_of(c, *source_of(c, k, 0));
    bool three = (is_int(from, PTX_OP_ADD, 64) && (part < 0 || !code_rotates(c, part, k))) ||
                 is_int(from, PTX_OP_SUB, 64); // IADD3, IADD3.X
    if (three && (sum || is_int(in, PTX_OP_SUB, 64)))
        return reader_count(c, k) == 1 && needs_high(c, r.instruction);
    return is_int(from, PTX_OP_ADD, 64) && has_number(c, k) && is_address_of(c, r) &&
           !code_is_uniform_place(c, k);
}

// IADD3.X takes no half that is still to be extended.
static void widenings_keep(struct code *c, int k)
{
    for (int o = 0; o < 2; o++) {
        int from = def_of(c, *source_of(c, k, o));
        if (from >= 0 && is_widening(at(c, from)) && c->fate[from] == FATE_FOLDED)
            c->fate[from] = FATE_MADE;
    }
}

// Two shifts of one value in opposite directions, by what makes a whole word together: SHF, of both halves where it is of 64 bits.
bool code_rotates(const struct code *c, int part, int join)
{
    const struct ptx_instruction *in = at(c, join);
    int bits = bits_of(in);
    uint64_t left, right;
    bool sum = is_int(in, PTX_OP_ADD, 64);
    if (!sum && ((!is_bitwise(in, 32) && !is_bitwise(in, 64)) || in->opcode == PTX_OP_AND ||
                 in->opcode == PTX_OP_NOT))
        return false;
    int a = def_of(c, *source_of(c, join, 0)), b = def_of(c, *source_of(c, join, 1));
    if (a < 0 || b < 0 || (a != part && b != part))
        return false;
    if (at(c, a)->opcode == PTX_OP_SHR) {
        int other = a;
        a = b, b = other;
    }
    if (!is_shift_by_number(c, a, PTX_OP_SHL, bits) ||
        !is_shift_by_number(c, b, PTX_OP_SHR, bits) || is_signed(type_of(at(c, b))) ||
        !number_at(c, a, 1, &left) || !number_at(c, b, 1, &right))
        return false;
    bool one = bits == 32 || same_value(c, source_of(c, a, 0), source_of(c, b, 0));
    return one && left + right == (uint64_t)bits;
}

static bool is_least_or_most(const struct ptx_instruction *in)
{
    return is_int(in, PTX_OP_MIN, 32) || is_int(in, PTX_OP_MAX, 32);
}

/* ---- bit operations ------------------------------------------------------------------------------------ */

// LOP3 is any function of three: what a tree of bit operations is made of.
enum { LEAVES = 3, LEAVES_MOST = 8 };
struct leaves {
    struct origin of[LEAVES_MOST];
    int count;
};

static void leaf_add(struct leaves *l, struct origin v)
{
    for (int k = 0; k < l->count; k++)
        if (l->of[k].kind == v.kind && l->of[k].at == v.at && l->of[k].bits == v.bits)
            return;
    if (l->count < LEAVES_MOST)
        l->of[l->count++] = v;
}

static void leaves_find(const struct code *c, int i, int folded, struct leaves *l)
{
    int inputs = at(c, i)->opcode == PTX_OP_NOT ? 1 : 2;
    for (int o = 0; o < inputs; o++) {
        struct origin v = *source_of(c, i, o);
        int from = def_of(c, v);
        if (from >= 0 && from < i && is_bitwise(at(c, from), 32) && // not what a loop hands on
            (from == folded || c->fate[from] == FATE_FOLDED))
            leaves_find(c, from, folded, l);
        else if (v.kind == VALUE_NUMBER)
            leaf_add(l, (struct origin){VALUE_NUMBER, 0, (uint32_t)v.bits});
        else
            leaf_add(l, from >= 0 ? (struct origin){VALUE_MADE, from, 0}
                                  : (struct origin){v.kind, v.at, 0});
    }
}

// What others read, too, is folded if it makes the tree no larger.
static bool absorbs_bits(const struct code *c, int k, int reader)
{
    struct leaves l = {.count = 0};
    int numbers = 0;
    if (reader_count(c, k) == 1 && at(c, k)->opcode == PTX_OP_AND &&
        at(c, reader)->opcode == PTX_OP_AND && has_number(c, k) && has_number(c, reader))
        return true; // one mask
    leaves_find(c, reader, k, &l);
    for (int o = 0; o < l.count; o++)
        numbers += l.of[o].kind == VALUE_NUMBER;
    bool alone = reader_count(c, k) == 1 || at(c, k)->opcode == PTX_OP_NOT;
    return l.count <= (alone ? LEAVES : LEAVES - 1) && numbers <= 1;
}

// Is it one of LOP3's? What rotates is SHF, what joins parts is a sum.
static bool is_bit_operation(const struct code *c, int i)
{
    if (!is_bitwise(at(c, i), 32) || code_joins(c, i, 0))
        return false;
    int from = at(c, i)->opcode != PTX_OP_NOT ? def_of(c, *source_of(c, i, 0)) : -1;
    return from < 0 || !code_rotates(c, from, i);
}

static bool is_of_bits(const struct code *c, int k, struct reader r)
{
    return is_bit_operation(c, k) && is_bit_operation(c, r.instruction);
}

/* ---- words --------------------------------------------------------------------------------------------- */

// The larger of a least or largest and of zero is a modifier of what makes that.
static bool is_bound_by_zero(const struct code *c, int k, int reader)
{
    uint64_t number;
    return is_least_or_most(at(c, k)) && is_int(at(c, reader), PTX_OP_MAX, 32) &&
           is_signed(type_of(at(c, reader))) && type_of(at(c, k)) == type_of(at(c, reader)) &&
           number_at(c, reader, 1, &number) && number == 0;
}

// VIADDMNMX has room for one number; zero is none.
static bool is_between_numbers(const struct code *c, int sum, int reader)
{
    uint64_t number;
    return has_number(c, sum) && number_at(c, reader, 1, &number) && number != 0;
}

static bool absorbs_word(const struct code *c, int k, struct reader r)
{
    const struct ptx_instruction *from = at(c, k), *in = at(c, r.instruction);
    bool sum = is_int(in, PTX_OP_ADD, 32), difference = is_int(in, PTX_OP_SUB, 32);
    if (code_rotates(c, k, r.instruction) || code_absorbs_bytes(c, k, r.instruction))
        return true;
    bool joins = code_joins(c, r.instruction, 0) &&
                 (reader_count(c, k) == 1 || !has_number(c, r.instruction));
    if (is_product(from, 32))
        return sum || joins || (difference && (r.operand == 0 || has_number(c, k)));
    if (is_shift_by_number(c, k, PTX_OP_SHL, 32))
        return sum || joins || difference;
    if (is_shift_by_number(c, k, PTX_OP_SHR, 32))
        return is_signed(type_of(from)) ? sum && reader_count(c, k) == 1 : sum || joins;
    if (is_int(from, PTX_OP_ADD, 32) || is_int(from, PTX_OP_SUB, 32))
        return reader_count(c, k) == 1 &&
               (sum || difference ||
                (is_least_or_most(in) && !is_between_numbers(c, k, r.instruction)));
    if (is_least_or_most(from)) // of three, or of two and zero
        return reader_count(c, k) == 1 && type_of(in) == type_of(from) &&
               (in->opcode == from->opcode || is_bound_by_zero(c, k, r.instruction));
    if (is_int(from, PTX_OP_NEG, 32))
        return sum || difference;
    if (is_bitwise(from, 32) && from->opcode == PTX_OP_AND && is_int(in, PTX_OP_BFI, 32))
        return reader_count(c, k) == 1 && r.operand == 1 && has_number(c, k);
    return is_of_bits(c, k, r) && absorbs_bits(c, k, r.instruction);
}

// The address of a shared variable is in a uniform register, which an access adds to another.
static bool is_of_shared_symbol(const struct code *c, struct origin v)
{
    int from = def_of(c, v);
    return from >= 0 && at(c, from)->opcode == PTX_OP_MOV &&
           at(c, from)->operands[1].kind == PTX_OPERAND_SYMBOL &&
           at(c, from)->operands[1].variable != NULL &&
           at(c, from)->operands[1].variable->space == PTX_SPACE_SHARED;
}

// The same and a number.
static bool is_beside_symbol(const struct code *c, int k)
{
    return is_int(at(c, k), PTX_OP_ADD, 32) && at(c, k)->guard < 0 &&
           source_of(c, k, 1)->kind == VALUE_NUMBER && is_of_shared_symbol(c, *source_of(c, k, 0));
}

static bool is_place_of_symbol(const struct code *c, struct origin v)
{
    int from = def_of(c, v);
    return is_of_shared_symbol(c, v) || (from >= 0 && is_beside_symbol(c, from));
}

// Is the sum read as the address of shared memory only?
static bool is_shared_address(const struct code *c, int sum)
{
    for (int r = c->first_reader[sum]; r < c->first_reader[sum + 1]; r++) {
        const struct ptx_instruction *in = at(c, c->readers[r].instruction);
        if (!is_address_of(c, c->readers[r]) || in->space_count == 0 ||
            in->spaces[0] != PTX_SPACE_SHARED)
            return false;
    }
    return true;
}

static bool is_shared_place(const struct code *c, int k)
{
    for (int o = 0; o < 2; o++) {
        int other = def_of(c, *source_of(c, k, 1 - o));
        if (is_place_of_symbol(c, *source_of(c, k, o)))
            return other < 0 || c->fate[other] != FATE_FOLDED || is_widening(at(c, other));
    }
    return false;
}

static bool absorbs(const struct code *c, int k, struct reader r)
{
    const struct ptx_instruction *from = at(c, k), *in = at(c, r.instruction);
    int inner = c->loop_of[c->f->block_of[r.instruction]];
    if (c->fate[r.instruction] != FATE_MADE && c->fate[r.instruction] != FATE_FOLDED)
        return false;
    if (from->guard >= 0 || in->guard >= 0 ||
        (inner != c->loop_of[c->f->block_of[k]] && !is_wide_product(from) &&
         !is_shift_by_number(c, k, PTX_OP_SHL, 32))) // LEA takes no more than a sum
        return false;
    if (is_of_predicates(from))
        return false;
    if (is_float(from))
        return absorbs_float(c, k, r);
    if (from->opcode == PTX_OP_ADD && is_address_of(c, r) && in->space_count > 0 &&
        in->spaces[0] == PTX_SPACE_SHARED &&
        (is_shared_place(c, k) || (source_of(c, k, 1)->kind == VALUE_NUMBER && !c->taken[k])))
        return true;
    if (is_beside_symbol(c, k) && is_int(in, PTX_OP_ADD, 32))
        return is_shared_address(c, r.instruction) && is_shared_place(c, r.instruction);
    bool wide = bits_of(from) == 64 || is_wide_product(from) || is_widening(from);
    return wide ? absorbs_wide(c, k, r) : absorbs_word(c, k, r);
}

// An address has room for a number, and what is folded for its own readers' sake takes nothing from others.
static bool takes_room(const struct code *c, int k, struct reader r)
{
    if (is_float(at(c, k))) // FFMA has one product
        return at(c, k)->opcode == PTX_OP_MUL;
    return !is_address_of(c, r) && !is_widening(at(c, k)) && !is_float(at(c, r.instruction)) &&
           !code_rotates(c, k, r.instruction) && !is_of_bits(c, k, r) && !is_beside_symbol(c, k) &&
           !code_absorbs_bytes(c, k, r.instruction) && !is_bound_by_zero(c, k, r.instruction);
}

// The sum of a value's halves' ones is part of the sum that reads it, which has no room for more.
bool code_counts_in_sum(const struct code *c, int k)
{
    return at(c, k)->opcode == PTX_OP_POPC && bits_of(at(c, k)) == 64 && reader_count(c, k) == 1 &&
           is_int(at(c, c->readers[c->first_reader[k]].instruction), PTX_OP_ADD, 32);
}

// A choice between two numbers that one sum adds: ptxas adds the first number, and under the predicate the second one in its place.
// Neither is part of a sum of three.
bool code_is_choice_in_sum(const struct code *c, int k)
{
    if (at(c, k)->opcode != PTX_OP_SELP || is_float(at(c, k)) || bits_of(at(c, k)) != 32 ||
        at(c, k)->guard >= 0 || c->fate[k] != FATE_MADE || reader_count(c, k) != 1 ||
        !is_number(c, k, 0) || !is_number(c, k, 1))
        return false;
    int sum = c->readers[c->first_reader[k]].instruction;
    return is_int(at(c, sum), PTX_OP_ADD, 32) && at(c, sum)->guard < 0 &&
           c->f->block_of[sum] == c->f->block_of[k];
}

static void absorb_one(struct code *c, int k)
{
    int first = c->first_reader[k], end = c->first_reader[k + 1];
    if (c->fate[k] == FATE_MADE && code_counts_in_sum(c, k))
        c->taken[c->readers[first].instruction] = true;
    if (c->fate[k] != FATE_MADE || first == end || !at(c, k)->writes_first ||
        c->several[at(c, k)->operands[0].reg < 0 ? 0 : at(c, k)->operands[0].reg])
        return;
    for (int r = first; r < end; r++)
        if (!absorbs(c, k, c->readers[r]) ||
            (c->taken[c->readers[r].instruction] && takes_room(c, k, c->readers[r])))
            return;
    // What has taken one in itself has no room in a further one, unless its sum is an address.
    if (c->taken[k] && takes_room(c, k, c->readers[first]))
        return;
    c->fate[k] = FATE_FOLDED;
    if (bits_of(at(c, k)) == 64 && !is_widening(at(c, k)) &&
        (at(c, k)->opcode == PTX_OP_ADD || at(c, k)->opcode == PTX_OP_SUB) &&
        !is_address_of(c, c->readers[first])) {
        widenings_keep(c, k);
        widenings_keep(c, c->readers[first].instruction);
    }
    for (int r = first; r < end; r++)
        c->taken[c->readers[r].instruction] |= takes_room(c, k, c->readers[r]);
}

void code_absorb(struct code *c)
{
    for (int i = 0; i < c->count; i++)
        if (code_is_choice_in_sum(c, i))
            c->taken[c->readers[c->first_reader[i]].instruction] = true;
    for (int i = 0; i < c->count; i++)
        if (at(c, i)->operand_count > 0 && at(c, i)->operands[0].kind == PTX_OPERAND_REGISTER)
            absorb_one(c, i);
}
