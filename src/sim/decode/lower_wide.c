// Machine instructions of arithmetic of 64 bits, which ptxas makes of words: products, sums that take products and shifts in, shifts,
// comparisons, and pointers that are in uniform registers.
// SPDX-License-Identifier: Apache-2.0
#include "sim/decode/lower_forms.h"

// Is the high half known to be zero?
static bool is_low_factor(const struct code *c, struct origin v)
{
    enum { WORD = 32 };
    uint64_t number;
    if (v.kind == VALUE_NUMBER)
        return v.bits >> WORD == 0;
    int from = def_of(c, v);
    if (from < 0)
        return false;
    const struct ptx_instruction *in = at(c, from);
    switch (in->opcode) {
    case PTX_OP_CVT:
        return is_widening(in) && !is_signed(in->types[1]);
    case PTX_OP_LD:
        return bits_of(in) <= WORD && in->vector <= 1 && !is_signed(type_of(in));
    case PTX_OP_AND:
        return number_at(c, from, 1, &number) && number >> WORD == 0;
    case PTX_OP_SHR:
        return bits_of(in) == 2 * WORD && !is_signed(type_of(in)) &&
               number_at(c, from, 1, &number) && number >= WORD;
    default:
        return false;
    }
}

// What makes the upper 64 bits of a product has made the lower ones, if the factors stand in the same order.
static bool is_low_of_high(const struct code *c, int i)
{
    const struct ptx_block *b = block_at(c, c->f->block_of[i]);
    for (int k = b->first; k < b->first + b->count; k++)
        if (at(c, k)->opcode == PTX_OP_MUL && type_of(at(c, k)) == PTX_TYPE_U64 &&
            ptx_has_modifier(at(c, k), PTX_MOD_HI) && c->fate[k] == FATE_MADE &&
            at(c, k)->guard < 0 && same_value(c, source_of(c, i, 0), source_of(c, k, 0)) &&
            same_value(c, source_of(c, i, 1), source_of(c, k, 1)))
            return true;
    return false;
}

// Of signed factors the upper 64 bits are corrected for each that may be less than zero.
static double high_product_slots(const struct code *c, int i, double alone)
{
    enum { SIGNED = 17, BY_NUMBER = 12, BY_NEGATIVE = 14 };
    uint64_t number;
    if (!is_signed(type_of(at(c, i))))
        return alone;
    return !number_at(c, i, 1, &number) ? SIGNED : (int64_t)number < 0 ? BY_NEGATIVE : BY_NUMBER;
}

// Is the product taken off something? Then a factor is less zero first, and has a high half.
static bool is_taken_off(const struct code *c, int i)
{
    struct reader r = c->readers[c->first_reader[i]];
    return reader_count(c, i) == 1 && is_int(at(c, r.instruction), PTX_OP_SUB, 64) &&
           r.operand == 1 && !has_number(c, i);
}

// mul.lo of 64 bits, with an addition or without: IMAD.WIDE of the low halves, IMAD of each high half that may not be zero, and their
// sum, which the IMAD of the second factor's high half takes in where it is the only one. Of two low factors the sum is made none the less,
// with a zero from a uniform register.
static double product_slots(const struct code *c, int i)
{
    enum { WIDE = 1, SUM = 1, HIGH = 1, ZERO = 1 };
    const struct origin *a = source_of(c, i, 0), *b = source_of(c, i, 1);
    if (is_low_of_high(c, i))
        return 0;
    if (is_of_parameter(c, *a) && origin_differs(c, b)) { // comes second
        const struct origin *other = a;
        a = b, b = other;
    }
    bool first = is_low_factor(c, *a), second = is_low_factor(c, *b);
    if (first && !second && is_taken_off(c, i))
        return WIDE + HIGH + HIGH + SUM;
    if (first && second)
        return WIDE + SUM + (c->loop_of[c->f->block_of[i]] >= 0 ? 0 : ZERO);
    if (first)
        return WIDE + HIGH;
    return WIDE + HIGH + SUM + (second ? 0 : HIGH);
}

// Does IMAD.WIDE multiply the value by a number? It takes no uniform register there.
static bool is_read_apart(const struct code *c, int i)
{
    for (int r = c->first_reader[i]; r < c->first_reader[i + 1]; r++) {
        int k = c->readers[r].instruction;
        if (!value_differs(c, k) && is_wide_product(at(c, k)) && has_number(c, k))
            return true;
    }
    return false;
}

// Is the value worked out in uniform registers? A product of 32 bits to 64 is not, with a sum.
static bool is_worked_out_uniform(const struct code *c, struct origin v)
{
    int from = def_of(c, v);
    enum ptx_class class = from >= 0 ? ptx_opcode_class(at(c, from)->opcode) : PTX_CLASS_OTHER;
    if (from < 0 || value_differs(c, from) || is_wide_product(at(c, from)) ||
        (class != PTX_CLASS_INTEGER && class != PTX_CLASS_CONVERT))
        return false;
    for (int s = c->first_source[from]; s < c->first_source[from + 1]; s++) {
        int of = def_of(c, c->sources[s]);
        if (of >= 0 && (is_widening(at(c, of)) ? !is_worked_out_uniform(c, c->sources[s])
                                               : is_read_apart(c, of)))
            return false;
    }
    return true;
}

// An address that is worked out in uniform registers is moved to others for the access.
static bool is_moved_address(const struct code *c, int i)
{
    bool moved = false;
    if (value_differs(c, i) || !(is_worked_out_uniform(c, *source_of(c, i, 0)) ||
                                 is_worked_out_uniform(c, *source_of(c, i, 1))))
        return false;
    for (int k = 0; k < 2; k++) {
        int from = def_of(c, *source_of(c, i, k));
        if (from >= 0 && (value_differs(c, from) || is_wide_product(at(c, from))))
            return false;
    }
    for (int r = c->first_reader[i]; r < c->first_reader[i + 1]; r++)
        moved |= is_address_of(c, c->readers[r]) &&
                 is_in_global_memory(at(c, c->readers[r].instruction));
    return moved;
}

// A shift by a number of a product by a number is that of both numbers. -1: it is none.
static int shifted_product(const struct code *c, int shift)
{
    int product =
        is_shift_by_number(c, shift, PTX_OP_SHL, 64) ? def_of(c, *source_of(c, shift, 0)) : -1;
    return product >= 0 && has_number(c, product) &&
                   (is_wide_product(at(c, product)) || is_product(at(c, product), 64))
               ? product
               : -1;
}

// Is it part of such a shift alone, which a sum takes in?
bool code_is_in_shift(const struct code *c, int i)
{
    bool product = is_wide_product(at(c, i)) || is_product(at(c, i), 64);
    int shift =
        product && reader_count(c, i) == 1 ? c->readers[c->first_reader[i]].instruction : -1;
    return shift >= 0 && c->fate[shift] == FATE_FOLDED && shifted_product(c, shift) >= 0;
}

// Several sums take a product in, or one in a loop that finds it made: what its factors' high halves add is made once.
static bool is_made_beside(const struct code *c, int product)
{
    int reader = c->readers[c->first_reader[product]].instruction;
    return reader_count(c, product) > 1 ||
           (c->loop_of[c->f->block_of[reader]] >= 0 &&
            !in_loop(c, c->f->block_of[product], c->loop_of[c->f->block_of[reader]]));
}

// A pointer that lanes step together, to which one sum adds something: it is in uniform registers. Where two do, or an access reads it
// as it is, it is not (8 forms).
static bool is_stepped_uniform(const struct code *c, int reg)
{
    int sums = 0;
    for (int i = 0; i < c->count && !c->steps_apart[reg]; i++)
        for (int s = c->first_source[i]; s < c->first_source[i + 1]; s++)
            if (c->sources[s].kind == VALUE_KEPT && c->sources[s].at == reg)
                sums +=
                    is_int(at(c, i), PTX_OP_ADD, 64) ? value_differs(c, i) && !has_number(c, i) : 2;
    return sums == 1;
}

// IMAD.WIDE adds a pair of registers. What it takes to make one of a word, whose upper half is zero or the sign, where a factor is in
// uniform registers or a number also to bring it there; of a value that is worked out in uniform registers.
static double paired_slots(const struct code *c, int sum, int product, struct origin added)
{
    enum { PAIR = 2, ZERO = 1 };
    int from = def_of(c, added);
    if (added.kind == VALUE_NUMBER)
        return PAIR;
    if (added.kind == VALUE_KEPT)
        return has_number(c, product) && value_differs(c, sum) && is_stepped_uniform(c, added.at)
                   ? PAIR
                   : 0;
    if (from < 0 || !is_widening(at(c, from)))
        return from >= 0 && !is_brought(at(c, from)) && value_differs(c, sum) &&
                       is_worked_out_uniform(c, added)
                   ? PAIR
                   : 0;
    bool sign = is_signed(at(c, from)->types[1]);
    if (is_product(at(c, product), 64))
        return ZERO;
    if (!value_differs(c, from) && value_differs(c, sum) &&
        !(origin_differs(c, source_of(c, product, 0)) &&
          origin_differs(c, source_of(c, product, 1))))
        return PAIR;
    return sign ? 0 : ZERO;
}

// A number without a lower half is added to the upper half alone of what has been shifted there.
static bool is_of_upper_halves(const struct code *c, int i)
{
    enum { WORD = 32 };
    uint64_t by, number;
    int from = def_of(c, *source_of(c, i, 0));
    return from >= 0 && is_shift_by_number(c, from, PTX_OP_SHL, 64) && number_at(c, from, 1, &by) &&
           by >= WORD && number_at(c, i, 1, &number) && (uint32_t)number == 0;
}

static double sum_slots(const struct code *c, int i)
{
    if (is_of_upper_halves(c, i))
        return 1;
    for (int k = 0; k < 2; k++) {
        int from = def_of(c, *source_of(c, i, k));
        if (from < 0 || c->fate[from] != FATE_FOLDED)
            continue;
        double pair = paired_slots(c, i, from, *source_of(c, i, 1 - k));
        if (is_product(at(c, from), 64))
            return (is_low_of_high(c, from) || is_made_beside(c, from) ? 2
                                                                       : product_slots(c, from)) +
                   pair;
        // LEA.HI.X.SX32 extends a register of the thread's.
        if (is_widening(at(c, from)) && is_signed(at(c, from)->types[1]) &&
            !value_differs(c, from) && value_differs(c, i))
            return 2 + 1;
        int shifted = shifted_product(c, from);
        bool in_shift = shifted >= 0 && code_is_in_shift(c, shifted);
        if (in_shift && is_product(at(c, shifted), 64))
            return product_slots(c, shifted) + !value_differs(c, i);
        if (is_wide_product(at(c, from)) || in_shift)
            return 1 + pair;
    }
    return 2;
}

// A half that the number leaves as it is, or that it clears, is no instruction.
static int halves_changed(const struct ptx_instruction *in, uint64_t number)
{
    int changed = 0;
    for (int shift = 0; shift < 64; shift += 32) {
        uint32_t half = (uint32_t)(number >> shift);
        changed += in->opcode == PTX_OP_AND ? half != 0 && half != UINT32_MAX : half != 0;
    }
    return changed;
}

// LEA takes the lower half of a shift off something.
static bool is_shift_taken_off(const struct code *c, int i)
{
    struct reader r = c->readers[c->first_reader[i]];
    return at(c, i)->opcode == PTX_OP_SHL && reader_count(c, i) == 1 && r.operand == 1 &&
           is_int(at(c, r.instruction), PTX_OP_SUB, 64);
}

static int shifted_slots(const struct code *c, int i, uint64_t by)
{
    enum { WORD = 32 };
    const struct ptx_instruction *in = at(c, i);
    bool right = in->opcode == PTX_OP_SHR, sign = right && is_signed(type_of(in));
    if (by == WORD) // the other half
        return sign && needs_high(c, i);
    if (!needs_high(c, i))
        return 1;
    if (by > WORD)
        return 1 + sign;
    return is_shift_taken_off(c, i) ? 1 : 2;
}

// A comparison of 64 bits with zero, of bits that a mask leaves: LOP3 of the halves where there are any has a predicate.
static double masked_slots(const struct code *c, int i, double alone)
{
    const struct ptx_instruction *in = at(c, i);
    int from = def_of(c, *source_of(c, i, 0));
    uint64_t zero, mask;
    if (!(ptx_has_modifier(in, PTX_MOD_EQ) || ptx_has_modifier(in, PTX_MOD_NE)) ||
        in->operand_count != 3 || !number_at(c, i, 1, &zero) || zero != 0 || from < 0 ||
        at(c, from)->opcode != PTX_OP_AND || bits_of(at(c, from)) != 64 ||
        c->fate[from] != FATE_MADE || reader_count(c, from) != 1 || !number_at(c, from, 1, &mask))
        return alone;
    return ((uint32_t)mask != 0) + (mask >> 32 != 0) - halves_changed(at(c, from), mask);
}

// The upper half of a value of 64 bits, if it is known.
static bool high_known(const struct code *c, struct origin v, uint32_t *high)
{
    int from = def_of(c, v);
    *high = v.kind == VALUE_NUMBER ? (uint32_t)(v.bits >> 32) : 0;
    return v.kind == VALUE_NUMBER ||
           (from >= 0 && is_widening(at(c, from)) && !is_signed(at(c, from)->types[1]));
}

// Have both that are chosen between the same upper half?
static bool is_same_high(const struct code *c, int i)
{
    uint32_t a, b;
    return high_known(c, *source_of(c, i, 0), &a) && high_known(c, *source_of(c, i, 1), &b) &&
           a == b;
}

// A sum with a value's sign bit, as divisions by numbers end with: LEA.HI takes the sign, and the upper half of what it is
// added to, a shift of the same value.
static bool is_sign_bit(const struct code *c, int i)
{
    enum { SIGN = 63 };
    uint64_t by;
    return i >= 0 && is_shift_by_number(c, i, PTX_OP_SHR, 64) && !is_signed(type_of(at(c, i))) &&
           number_at(c, i, 1, &by) && by == SIGN && reader_count(c, i) == 1;
}

static int sign_added_at(const struct code *c, int i)
{
    int reader = reader_count(c, i) == 1 ? c->readers[c->first_reader[i]].instruction : -1;
    return reader >= 0 && is_int(at(c, reader), PTX_OP_ADD, 64) ? reader : -1;
}

static bool is_beside_sign(const struct code *c, int i)
{
    int sum = sign_added_at(c, i);
    for (int k = 0; k < 2 && sum >= 0; k++) {
        int other = def_of(c, *source_of(c, sum, k));
        if (other != i && is_sign_bit(c, other) &&
            same_value(c, source_of(c, other, 0), source_of(c, i, 0)))
            return true;
    }
    return false;
}

// ISETP compares a thread's register with a uniform one. Where what is worked out in uniform
// registers comes first, or both are parameters, one half of it is moved.
static bool is_uniform_compared(const struct code *c, int i)
{
    if (ptx_has_modifier(at(c, i), PTX_MOD_EQ) || ptx_has_modifier(at(c, i), PTX_MOD_NE))
        return false;
    if (is_of_parameter(c, *source_of(c, i, 0)) && is_of_parameter(c, *source_of(c, i, 1)))
        return true;
    return origin_differs(c, source_of(c, i, 1)) && !origin_differs(c, source_of(c, i, 0)) &&
           is_worked_out_uniform(c, *source_of(c, i, 0)) &&
           !is_widening(at(c, def_of(c, *source_of(c, i, 0))));
}

double code_wide(const struct code *c, int i, double alone)
{
    enum { ABS_SLOTS = 5, CLZ_SLOTS = 6, POPC_SLOTS = 3, MOVED = 2 };
    const struct ptx_instruction *in = at(c, i);
    uint64_t by;
    if (is_sign_bit(c, i) && sign_added_at(c, i) >= 0)
        return 0;
    if (code_is_rotation(c, i))
        return code_rotation_slots(c, i);
    if ((in->opcode == PTX_OP_SHL || in->opcode == PTX_OP_SHR) && number_at(c, i, 1, &by))
        return shifted_slots(c, i, by) - (in->opcode == PTX_OP_SHR && is_signed(type_of(in)) &&
                                          by < 32 && is_beside_sign(c, i));
    if (in->opcode == PTX_OP_CLZ)
        return CLZ_SLOTS;
    if (in->opcode == PTX_OP_POPC)
        return POPC_SLOTS - code_counts_in_sum(c, i);
    if (in->opcode == PTX_OP_SETP) // a test of the sign is one of the high half
        return is_signed(type_of(in)) && number_at(c, i, 1, &by) && by == 0 &&
                       (ptx_has_modifier(in, PTX_MOD_LT) || ptx_has_modifier(in, PTX_MOD_GE))
                   ? 1
                   : masked_slots(c, i, alone) + is_uniform_compared(c, i);
    if (!needs_high(c, i))
        return 1;
    if (is_int(in, PTX_OP_ADD, 64))
        return sum_slots(c, i) +
               (is_moved_address(c, i) || code_is_uniform_place(c, i) ? MOVED : 0);
    int taken = is_int(in, PTX_OP_SUB, 64) ? def_of(c, *source_of(c, i, 1)) : -1;
    if (taken >= 0 && c->fate[taken] == FATE_FOLDED && is_product(at(c, taken), 64))
        return product_slots(c, taken);
    int less = is_int(in, PTX_OP_SUB, 64) ? def_of(c, *source_of(c, i, 0)) : -1;
    if (less >= 0 && c->fate[less] == FATE_FOLDED && is_wide_product(at(c, less)))
        return 1; // IMAD.WIDE adds what has the other sign
    if (is_product(in, 64) || is_int(in, PTX_OP_MAD, 64))
        return product_slots(c, i);
    if (in->opcode == PTX_OP_MUL && ptx_has_modifier(in, PTX_MOD_HI))
        return high_product_slots(c, i, alone);
    if (in->opcode == PTX_OP_SELP)
        return alone - is_same_high(c, i);
    if (in->opcode == PTX_OP_BREV)
        return 2;
    if (in->opcode == PTX_OP_ABS)
        return ABS_SLOTS;
    if (is_bitwise(in, 64))
        return code_half_slots(c, i);
    return alone;
}

// The zero that the product of two words adds is made before the loops around it.
static void product_zero_bring(struct code *c, int i)
{
    int block = c->f->block_of[i];
    bool product = is_product(at(c, i), 64) || is_int(at(c, i), PTX_OP_MAD, 64);
    if (product && block >= 0 && c->number[block] >= 0 && c->loop_of[block] >= 0 &&
        (c->fate[i] == FATE_MADE || c->fate[i] == FATE_FOLDED) && reader_count(c, i) > 0 &&
        !is_low_of_high(c, i) && !(reader_count(c, i) > 1 && c->fate[i] == FATE_FOLDED) &&
        is_low_factor(c, *source_of(c, i, 0)) && is_low_factor(c, *source_of(c, i, 1)))
        code_bring(c, before_loops(c, block), i, 1);
}

// What is made apart of a product that sums take in.
void code_product_parts(struct code *c, int i)
{
    product_zero_bring(c, i);
    if (c->fate[i] == FATE_FOLDED && c->place[i] >= 0 && is_product(at(c, i), 64) &&
        reader_count(c, i) > 0 && !is_low_of_high(c, i) && is_made_beside(c, i))
        c->slots[i] =
            !is_low_factor(c, *source_of(c, i, 0)) + !is_low_factor(c, *source_of(c, i, 1));
}
