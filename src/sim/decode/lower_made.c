// How many machine instructions each PTX instruction becomes, by itself (lower.def) and with what it has absorbed
// (lower_absorb.c): comparisons that take another predicate, what is known, constants, pairs; arithmetic of 64 bits is in lower_wide.c.
// SPDX-License-Identifier: Apache-2.0
#include "sim/decode/lower_forms.h"

#include <string.h>

/* ---- predicates ----------------------------------------------------------------------------------- */

// Is the instruction in a loop of one block that finds the value as it is?
static bool is_known_to_loop(const struct code *c, int i, int value)
{
    int loop = c->loop_of[c->f->block_of[i]];
    return loop >= 0 && c->loops[loop].blocks == 1 && !in_loop(c, c->f->block_of[value], loop);
}

// A mask of 16 bits that leaves no bit above them.
static bool is_mask_of_16(const struct code *c, int i)
{
    uint64_t number;
    return at(c, i)->opcode == PTX_OP_AND && is_bitwise(at(c, i), 16) &&
           (number_at(c, i, 0, &number) || number_at(c, i, 1, &number)) && number <= INT16_MAX;
}

// A comparison of a bit operation's result with zero: LOP3 has a predicate as its second result, which is not kept from block to
// block where the result itself is; but the loop's body does not make it anew.
static bool is_zero_test(const struct code *c, int i)
{
    const struct ptx_instruction *in = at(c, i);
    uint64_t zero;
    if (in->opcode != PTX_OP_SETP || is_float(in) || (bits_of(in) != 32 && bits_of(in) != 16) ||
        !(ptx_has_modifier(in, PTX_MOD_EQ) || ptx_has_modifier(in, PTX_MOD_NE)) ||
        !number_at(c, i, 1, &zero) || zero != 0)
        return false;
    int from = def_of(c, *source_of(c, i, 0));
    return from >= 0 &&
           (bits_of(in) == 16 ? is_mask_of_16(c, from) : is_bitwise(at(c, from), 32)) &&
           c->fate[from] == FATE_MADE &&
           (c->f->block_of[from] == c->f->block_of[i] || reader_count(c, from) == 1 ||
            is_known_to_loop(c, i, from));
}

// 1 or 0 of a predicate, compared with one of them.
static bool is_predicate_again(const struct code *c, int i)
{
    uint64_t number, one, zero;
    const struct ptx_instruction *in = at(c, i);
    if (in->opcode != PTX_OP_SETP || in->operand_count != 3)
        return false;
    if (source_of(c, i, 0)->kind == VALUE_NUMBER && source_of(c, i, 1)->kind == VALUE_NUMBER)
        return true;
    int from = def_of(c, *source_of(c, i, 0));
    return number_at(c, i, 1, &number) && number <= 1 && from >= 0 &&
           at(c, from)->opcode == PTX_OP_SELP && number_at(c, from, 0, &one) && one == 1 &&
           number_at(c, from, 1, &zero) && zero == 0;
}

// 1 or 0 of a predicate, read by nothing but what makes a predicate of it again.
static bool is_of_predicate_alone(const struct code *c, int i)
{
    uint64_t one, zero;
    if (at(c, i)->opcode != PTX_OP_SELP || reader_count(c, i) == 0 || !number_at(c, i, 0, &one) ||
        one != 1 || !number_at(c, i, 1, &zero) || zero != 0)
        return false;
    for (int r = c->first_reader[i]; r < c->first_reader[i + 1]; r++)
        if (!is_predicate_again(c, c->readers[r].instruction))
            return false;
    return true;
}

// Is the comparison of two f32 read by nothing but choices between one and zero? FSET makes them at once.
static bool is_of_masks_alone(const struct code *c, int i)
{
    const uint64_t one = 0x3f800000, zero = 0;
    const struct ptx_instruction *in = at(c, i);
    if (in->opcode != PTX_OP_SETP || type_of(in) != PTX_TYPE_F32 || in->guard >= 0 ||
        in->operand_count != 3)
        return false;
    for (int r = c->first_reader[i]; r < c->first_reader[i + 1]; r++) {
        int k = c->readers[r].instruction;
        uint64_t yes, no;
        if (at(c, k)->opcode != PTX_OP_SELP || type_of(at(c, k)) != PTX_TYPE_F32 ||
            at(c, k)->guard >= 0 || c->readers[r].operand != 2 || !number_at(c, k, 0, &yes) ||
            !number_at(c, k, 1, &no) || !((yes == one && no == zero) || (yes == zero && no == one)))
            return false;
    }
    return reader_count(c, i) > 0;
}

static const char *comparison_of(const struct ptx_instruction *in)
{
    static const char *const words[] = {"eq",  "ne",  "lt",  "ge",  "le",  "gt",  "equ",
                                        "neu", "ltu", "geu", "leu", "gtu", "num", "nan"};
    for (size_t k = 0; k < COUNT_OF(words); k++)
        if (in_has(in, words[k]))
            return words[k];
    return "";
}

// Does one comparison of floats hold where the other does not? Of whole numbers ptxas makes both.
static bool are_opposite(const struct ptx_instruction *a, const struct ptx_instruction *b)
{
    static const char *const pairs[][2] = {{"eq", "neu"}, {"ne", "equ"}, {"lt", "geu"},
                                           {"ltu", "ge"}, {"gt", "leu"}, {"gtu", "le"},
                                           {"num", "nan"}};
    const char *x = comparison_of(a), *y = comparison_of(b);
    for (size_t k = 0; k < COUNT_OF(pairs); k++)
        if ((strcmp(x, pairs[k][0]) == 0 && strcmp(y, pairs[k][1]) == 0) ||
            (strcmp(x, pairs[k][1]) == 0 && strcmp(y, pairs[k][0]) == 0))
            return true;
    return false;
}

// An earlier comparison of the same two has the predicate's opposite.
static bool is_opposite_made(const struct code *c, int i)
{
    const struct ptx_instruction *in = at(c, i);
    int from = def_of(c, *source_of(c, i, 0));
    if (in->operand_count != 3 || in->guard >= 0 || from < 0 || !is_float(in))
        return false;
    for (int r = c->first_reader[from]; r < c->first_reader[from + 1]; r++) {
        int k = c->readers[r].instruction;
        if (k < i && at(c, k)->opcode == PTX_OP_SETP && at(c, k)->operand_count == 3 &&
            at(c, k)->guard < 0 && c->fate[k] == FATE_MADE && type_of(at(c, k)) == type_of(in) &&
            dominates(c, c->f->block_of[k], c->f->block_of[i]) && are_opposite(at(c, k), in) &&
            same_value(c, source_of(c, i, 0), source_of(c, k, 0)) &&
            same_value(c, source_of(c, i, 1), source_of(c, k, 1)))
            return true;
    }
    return false;
}

// ISETP takes one predicate beside what it compares; one that others read, too, is made a second time, or combined by PLOP3.
static bool is_in_comparison(const struct code *c, int i)
{
    if (at(c, i)->opcode == PTX_OP_NOT)
        return true;
    for (int k = 0; k < 2; k++) {
        int from = def_of(c, *source_of(c, i, k));
        if (from >= 0 && at(c, from)->opcode == PTX_OP_SETP && reader_count(c, from) == 1)
            return true;
    }
    return false;
}

/* ---- slots ---------------------------------------------------------------------------------------- */

static bool is_arithmetic(const struct ptx_instruction *in)
{
    enum ptx_class class = ptx_opcode_class(in->opcode);
    return class == PTX_CLASS_INTEGER || class == PTX_CLASS_FLOAT || class == PTX_CLASS_SPECIAL ||
           class == PTX_CLASS_CONVERT;
}

static double alone_slots(const struct code *c, int i)
{
    struct timing_site t = c->sites[i];
    t.issue_slots = t.special_slots = t.other_slots = 0;
    if (is_arithmetic(at(c, i)) && at(c, i)->opcode != PTX_OP_MOV)
        t.pipe = PIPE_INTEGER;
    lower_alone(c->d, at(c, i), &t);
    return (double)site_slots(&t) + (t.pipe != PIPE_NONE ? (double)lower_beside(at(c, i)) : 0);
}

// Is what is made for the selection made over the other value, which nobody reads any more? It stays in the register where the
// predicate is false.
static bool is_made_over(const struct code *c, int i, int made, int other)
{
    if (other < 0 || other == made || c->fate[other] != FATE_MADE || bits_of(at(c, i)) == 64 ||
        !is_last_reader(c, other, i))
        return false;
    return is_arithmetic(at(c, made)) ||
           (at(c, made)->opcode == PTX_OP_LD && at(c, made)->vector <= 1);
}

static bool reads_kept(const struct code *c, int i, int reg)
{
    for (int s = c->first_source[i]; s < c->first_source[i + 1]; s++)
        if (c->sources[s].kind == VALUE_KEPT && c->sources[s].at == reg)
            return true;
    return false;
}

static bool reads_value(const struct code *c, int i, const struct origin *v)
{
    for (int s = c->first_source[i]; s < c->first_source[i + 1]; s++)
        if (same_value(c, &c->sources[s], v))
            return true;
    return false;
}

// Under its predicate the instruction stands where the selection does: has one before that taken the place of what it reads?
static bool is_overwritten(const struct code *c, int made, int selection)
{
    for (int k = made + 1; k < selection; k++) {
        if (at(c, k)->opcode != PTX_OP_SELP || c->fate[k] != FATE_MADE || c->slots[k] > 0 ||
            bits_of(at(c, k)) == 64)
            continue;
        for (int o = 0; o < 2; o++) {
            int other = def_of(c, *source_of(c, k, 1 - o));
            if (other >= 0 && reader_count(c, other) == 1 &&
                source_of(c, k, o)->kind == VALUE_MADE && reads_value(c, made, source_of(c, k, o)))
                return true;
        }
    }
    return false;
}

// A selection between a register's own value and one that is made for it is that instruction under a predicate.
static bool is_under_predicate(const struct code *c, int i)
{
    const struct ptx_instruction *in = at(c, i);
    const struct ptx_operand *to = &in->operands[0];
    if (in->opcode != PTX_OP_SELP || to->reg < 0)
        return false;
    for (int k = 0; k < 2; k++) {
        const struct origin *own = source_of(c, i, k);
        int made = def_of(c, *source_of(c, i, 1 - k));
        if (made < 0 || c->fate[made] != FATE_MADE || reader_count(c, made) != 1 ||
            c->f->block_of[made] != c->f->block_of[i])
            continue;
        if (c->several[to->reg] && own->kind == VALUE_KEPT && own->at == to->reg &&
            is_arithmetic(at(c, made)))
            return true;
        if (own->kind == VALUE_MADE && is_made_over(c, i, made, def_of(c, *own)) &&
            !is_overwritten(c, made, i) &&
            !(reads_kept(c, made, to->reg) && reads_kept(c, def_of(c, *own), to->reg)))
            return true;
    }
    return false;
}

// The last of max(0, x) and min(1, x), in either order: both are the saturation.
static bool is_between_0_and_1(const struct code *c, int i)
{
    static const uint64_t zero = 0, one = 0x3f800000;
    const struct ptx_instruction *in = at(c, i);
    uint64_t number, before;
    int from = def_of(c, *source_of(c, i, 0));
    if ((in->opcode != PTX_OP_MIN && in->opcode != PTX_OP_MAX) || type_of(in) != PTX_TYPE_F32 ||
        from < 0 || type_of(at(c, from)) != PTX_TYPE_F32 || reader_count(c, from) != 1 ||
        !number_at(c, i, 1, &number) || !number_at(c, from, 1, &before))
        return false;
    return in->opcode == PTX_OP_MIN
               ? at(c, from)->opcode == PTX_OP_MAX && number == one && before == zero
               : at(c, from)->opcode == PTX_OP_MIN && number == zero && before == one;
}

// The sign of a product is that of a factor.
static bool is_sign_of_product(const struct code *c, int i)
{
    for (int r = c->first_reader[i]; r < c->first_reader[i + 1]; r++)
        if (at(c, c->readers[r].instruction)->opcode == PTX_OP_EX2)
            return false;
    int from = def_of(c, *source_of(c, i, 0));
    return from >= 0 && is_float(at(c, i)) && bits_of(at(c, i)) != 64 &&
           at(c, from)->opcode == PTX_OP_MUL && type_of(at(c, from)) == type_of(at(c, i)) &&
           reader_count(c, from) == 1 && c->fate[from] == FATE_MADE;
}

// Saturation of a sum or product is a modifier of what makes it.
static bool is_saturation(const struct code *c, int i)
{
    const struct ptx_instruction *in = at(c, i);
    if (is_between_0_and_1(c, i))
        return true;
    if (in->opcode != PTX_OP_CVT || !ptx_has_modifier(in, PTX_MOD_SAT) || in->type_count != 2 ||
        in->types[0] != PTX_TYPE_F32 || in->types[1] != PTX_TYPE_F32)
        return false;
    int made = def_of(c, *source_of(c, i, 0));
    return made >= 0 && reader_count(c, made) == 1 &&
           (at(c, made)->opcode == PTX_OP_FMA || at(c, made)->opcode == PTX_OP_ADD ||
            at(c, made)->opcode == PTX_OP_MUL);
}

// A register that several instructions write is no half of a pair: its copy is, as the addend of IMAD.WIDE.
static bool is_copied_to_pair(const struct code *c, int i)
{
    if (source_of(c, i, 0)->kind != VALUE_KEPT)
        return false;
    for (int r = c->first_reader[i]; r < c->first_reader[i + 1]; r++) {
        int reader = c->readers[r].instruction;
        int other = is_int(at(c, reader), PTX_OP_ADD, 64)
                        ? def_of(c, *source_of(c, reader, 1 - c->readers[r].operand))
                        : -1;
        if (other >= 0 && is_wide_product(at(c, other)))
            return true;
    }
    return false;
}

// Where a constant variable or a kernel's parameter is, is part of what loads of it.
static bool is_constant_place(const struct code *c, int i)
{
    const struct ptx_instruction *in = at(c, i);
    return in->opcode == PTX_OP_MOV && in->operand_count == 2 &&
           in->operands[1].kind == PTX_OPERAND_SYMBOL && in->operands[1].variable != NULL &&
           (in->operands[1].variable->space == PTX_SPACE_CONST ||
            (in->operands[1].variable->space == PTX_SPACE_PARAM && c->f->is_entry));
}

// So is the sum of it and of a register that says how far; a product or shift that the sum took in is made by itself. -1: it is
// another sum.
static double constant_place_slots(const struct code *c, int i)
{
    bool place = false, made = false;
    for (int k = 0; k < 2 && is_int(at(c, i), PTX_OP_ADD, 64); k++) {
        int from = def_of(c, *source_of(c, i, k));
        if (from >= 0 && is_constant_place(c, from))
            place = true;
        else
            made = from >= 0 && c->fate[from] == FATE_FOLDED && !is_widening(at(c, from));
    }
    for (int r = c->first_reader[i]; r < c->first_reader[i + 1]; r++) {
        enum ptx_space space = ptx_space_of(at(c, c->readers[r].instruction));
        place &= is_address_of(c, c->readers[r]) &&
                 (space == PTX_SPACE_CONST || space == PTX_SPACE_PARAM);
    }
    return place ? made : -1;
}

// The thread's local memory lies at the stack pointer, which is stepped once.
static bool is_local_place(const struct code *c, int i)
{
    const struct ptx_instruction *in = at(c, i);
    return in->opcode == PTX_OP_MOV && in->operand_count == 2 &&
           in->operands[1].kind == PTX_OPERAND_SYMBOL && in->operands[1].variable != NULL &&
           in->operands[1].variable->space == PTX_SPACE_LOCAL;
}

static bool is_in_local_place(const struct code *c, int i)
{
    int from = is_int(at(c, i), PTX_OP_ADD, 64) ? def_of(c, *source_of(c, i, 0)) : -1;
    return from >= 0 && is_local_place(c, from) && is_number(c, i, 1);
}

// A routine leaves its result in a register of its own, from where a loop's is moved.
static bool leaves_routine(const struct code *c, int i)
{
    const struct ptx_instruction *in = at(c, i);
    int reg = in->operands[0].reg;
    bool divides = in->opcode == PTX_OP_DIV || in->opcode == PTX_OP_RCP;
    return is_rounded(in) && is_float(in) && reg >= 0 && c->several[reg] &&
           (in->opcode == PTX_OP_SQRT || (divides && bits_of(in) != 64));
}

// MEMBAR, what waits for errors, and CCTL, which empties L1.
static double ordering_slots(const struct ptx_instruction *in)
{
    bool wide = !in_has(in, "cta");
    if (in->opcode == PTX_OP_MEMBAR || in->opcode == PTX_OP_FENCE)
        return in_has(in, "proxy") || in_has(in, "async") ? 0 : wide ? 3 : 1;
    if (in->opcode == PTX_OP_ST && in_has(in, "release"))
        return wide ? 3 : 1;
    return in->opcode == PTX_OP_LD && in_has(in, "acquire") && wide;
}

// Two words of constant memory that stand beside each other come together.
static bool is_constant_again(const struct code *c, int i)
{
    const struct ptx_instruction *in = at(c, i);
    if (in->opcode != PTX_OP_LD || in->space_count == 0 || in->spaces[0] != PTX_SPACE_CONST ||
        in->vector > 1 || bits_of(in) != 32 || in->operands[1].reg < 0)
        return false;
    const struct origin *own = source_of(c, i, 0);
    for (int k = c->f->blocks[c->f->block_of[i]].first; k < i; k++) {
        const struct ptx_instruction *other = at(c, k);
        if (other->opcode != PTX_OP_LD || other->space_count == 0 || other->vector > 1 ||
            other->spaces[0] != PTX_SPACE_CONST || bits_of(other) != 32 ||
            c->fate[k] != FATE_MADE || other->operands[1].reg < 0)
            continue;
        const struct origin *its = source_of(c, k, 0);
        if (own->kind == its->kind && own->at == its->at &&
            other->operands[1].offset != in->operands[1].offset &&
            other->operands[1].offset >> 3 == in->operands[1].offset >> 3)
            return true;
    }
    return false;
}

// 31 less the leading zeros is what FLO gives; they themselves are 31 less that, or part of a sum.
static bool is_of_leading_zeros(const struct code *c, int i)
{
    enum { HIGHEST = 31 };
    uint64_t number;
    int from = is_int(at(c, i), PTX_OP_SUB, 32) ? def_of(c, *source_of(c, i, 1)) : -1;
    return from >= 0 && is_int(at(c, from), PTX_OP_CLZ, 32) && number_at(c, i, 0, &number) &&
           number == HIGHEST;
}

static bool is_for_sum_alone(const struct code *c, int i)
{
    for (int r = c->first_reader[i]; r < c->first_reader[i + 1]; r++) {
        int reader = c->readers[r].instruction;
        if (!is_of_leading_zeros(c, reader) &&
            !(is_int(at(c, reader), PTX_OP_ADD, 32) && reader_count(c, i) == 1))
            return false;
    }
    return true;
}

// tf32 of f32: a sum that rounds where it is finite, and a mask, which a matrix product does without.
static double tf32_slots(const struct code *c, int i)
{
    enum { ROUNDED = 2 };
    for (int r = c->first_reader[i]; r < c->first_reader[i + 1]; r++)
        if (ptx_opcode_class(at(c, c->readers[r].instruction)->opcode) != PTX_CLASS_TENSOR)
            return ROUNDED + 1;
    return ROUNDED;
}

// Lanes of a mask that they do not have alike are brought together by WARPSYNC, for a vote between BSSY and BSYNC.
static double mask_slots(const struct code *c, int i)
{
    enum { TOGETHER = 1, TOGETHER_FOR_VOTE = 3 };
    const struct ptx_instruction *in = at(c, i);
    int mask = c->first_source[i + 1] - c->first_source[i] - (in->guard >= 0) - 1;
    if (mask < 0 || !in_has(in, "sync") || !origin_differs(c, source_of(c, i, mask)))
        return 0;
    return in->opcode == PTX_OP_VOTE ? TOGETHER_FOR_VOTE : TOGETHER;
}

// One word above another is a pair of registers.
static bool is_pairing(const struct code *c, int i)
{
    enum { WORD = 32 };
    uint64_t from, length;
    return bits_of(at(c, i)) == 2 * WORD && number_at(c, i, 2, &from) &&
           number_at(c, i, 3, &length) && from == WORD && length == WORD;
}

// PRMT puts bytes between others.
static bool is_byte_insertion(const struct code *c, int i)
{
    uint64_t from, length;
    return number_at(c, i, 2, &from) && number_at(c, i, 3, &length) &&
           (length == 8 || length == 16) && from % length == 0;
}

static bool is_carry_product(const struct ptx_instruction *in)
{
    return in->opcode == PTX_OP_MADC ||
           (in->opcode == PTX_OP_MAD && ptx_has_modifier(in, PTX_MOD_CC));
}

// A product with a carry is one of its own and a sum; of several by the same two factors the first two make it.
static bool has_product_before(const struct code *c, int i)
{
    int before = 0;
    const struct ptx_instruction *in = at(c, i);
    bool carry = is_carry_product(in) && bits_of(in) == 32, high = ptx_has_modifier(in, PTX_MOD_HI);
    for (int k = block_at(c, c->f->block_of[i])->first; k < i && carry; k++) {
        const struct ptx_instruction *other = at(c, k);
        if (is_carry_product(other) && type_of(other) == type_of(in) &&
            ptx_has_modifier(other, PTX_MOD_HI) == high &&
            same_value(c, source_of(c, i, 0), source_of(c, k, 0)) &&
            same_value(c, source_of(c, i, 1), source_of(c, k, 1)))
            before++;
    }
    return before > 1;
}

// Is the loaded word read by nothing but a sum of 64 bits? LEA.HI.X.SX32 extends it; IMAD.WIDE needs both halves.
static bool is_extended_in_sum(const struct code *c, int i)
{
    if (reader_count(c, i) != 1 || bits_of(at(c, i)) != 32)
        return false;
    struct reader r = c->readers[c->first_reader[i]];
    if (!is_int(at(c, r.instruction), PTX_OP_ADD, 64) || c->fate[r.instruction] != FATE_MADE ||
        has_number(c, r.instruction))
        return false;
    int other = def_of(c, *source_of(c, r.instruction, 1 - r.operand));
    return other < 0 || c->fate[other] != FATE_FOLDED;
}

// A word with a sign that is loaded into a register of 64 bits.
static bool is_extended_load(const struct code *c, int i)
{
    enum { WIDE = 64 };
    const struct ptx_instruction *in = at(c, i);
    return in->opcode == PTX_OP_LD && in->vector <= 1 && is_signed(type_of(in)) &&
           bits_of(in) < WIDE && in->operands[0].kind == PTX_OPERAND_REGISTER &&
           in->operands[0].reg >= 0 &&
           ptx_type_bits(c->f->registers[in->operands[0].reg].type) == WIDE && needs_high(c, i) &&
           !is_extended_in_sum(c, i);
}

// A word that several instructions widen into a register is moved there, and the upper half cleared.
static bool is_moved_word(const struct code *c, int i)
{
    const struct ptx_instruction *in = at(c, i);
    return is_widening(in) && !is_signed(in->types[1]) && in->operands[0].reg >= 0 &&
           c->several[in->operands[0].reg] && needs_high(c, i) && value_differs(c, i);
}

// Sine and cosine of the same: what the unit takes is made once.
static bool is_angle_again(const struct code *c, int i)
{
    const struct ptx_instruction *in = at(c, i);
    for (int k = block_at(c, c->f->block_of[i])->first; k < i; k++)
        if ((in->opcode == PTX_OP_SIN || in->opcode == PTX_OP_COS) &&
            (at(c, k)->opcode == PTX_OP_SIN || at(c, k)->opcode == PTX_OP_COS) &&
            c->fate[k] == FATE_MADE && at(c, k)->guard == in->guard &&
            same_value(c, source_of(c, i, 0), source_of(c, k, 0)))
            return true;
    return false;
}

// Beside the two that add either number (code_is_choice_in_sum): of two choices the one that is added to, of what all lanes have alike
// a move from its uniform register.
static double choice_slots(const struct code *c, int i)
{
    for (int k = 0; k < 2 && is_int(at(c, i), PTX_OP_ADD, 32); k++) {
        int from = def_of(c, *source_of(c, i, k));
        const struct origin *to = source_of(c, i, 1 - k);
        int other = def_of(c, *to);
        if (from >= 0 && code_is_choice_in_sum(c, from))
            return (other >= 0 && code_is_choice_in_sum(c, other)) ||
                   (value_differs(c, i) && to->kind != VALUE_NUMBER && !origin_differs(c, to));
    }
    return 0;
}

// A word that is stored as 64 bits needs a zero in the register behind it.
static bool is_stored_pair(const struct code *c, int i)
{
    bool stored = false;
    for (int r = c->first_reader[i]; r < c->first_reader[i + 1]; r++) {
        const struct ptx_instruction *to = at(c, c->readers[r].instruction);
        bool stores =
            to->opcode == PTX_OP_ST || to->opcode == PTX_OP_RED || to->opcode == PTX_OP_ATOM;
        stored |= stores && to->vector <= 1 && bits_of(to) == 64 && c->readers[r].operand > 0;
        int other =
            is_int(to, PTX_OP_ADD, 64)
                ? def_of(c, *source_of(c, c->readers[r].instruction, 1 - c->readers[r].operand))
                : -1;
        if (other >= 0 && c->fate[other] == FATE_FOLDED && at(c, other)->opcode == PTX_OP_MUL)
            return false; // it has one for IMAD.WIDE
    }
    return stored && !is_signed(at(c, i)->types[1]) && value_differs(c, i);
}

static bool is_half_arithmetic(const struct ptx_instruction *in, enum ptx_type type)
{
    return in->type_count > 0 && type_of(in) == type &&
           (in->opcode == PTX_OP_ADD || in->opcode == PTX_OP_SUB || in->opcode == PTX_OP_MUL ||
            in->opcode == PTX_OP_FMA || in->opcode == PTX_OP_MIN || in->opcode == PTX_OP_MAX);
}

// A word of one half twice. Arithmetic on single halves (f16, not bf16) leaves its result in both, and that on pairs takes either half of
// a register twice (36 forms given to ptxas 13.0): shuffles of halves and products by one number begin so in cuda_fp16.h.
static bool is_pair_of_one(const struct code *c, int i)
{
    const struct ptx_instruction *in = at(c, i);
    if (in->opcode != PTX_OP_MOV || in->operands[1].kind != PTX_OPERAND_VECTOR ||
        bits_of(in) != 32 || in->operands[1].element_count != 2 ||
        !same_value(c, source_of(c, i, 0), source_of(c, i, 1)))
        return false;
    int from = def_of(c, *source_of(c, i, 0));
    if (from >= 0 && is_half_arithmetic(at(c, from), PTX_TYPE_F16))
        return true;
    for (int r = c->first_reader[i]; r < c->first_reader[i + 1]; r++) {
        const struct ptx_instruction *to = at(c, c->readers[r].instruction);
        if (!is_half_arithmetic(to, PTX_TYPE_F16X2) && !is_half_arithmetic(to, PTX_TYPE_BF16X2))
            return false;
    }
    return reader_count(c, i) > 0;
}

static bool is_some_number(const struct code *c, int i, int operand)
{
    uint64_t number;
    return number_at(c, i, operand, &number) && number != 0;
}

static double slots_of(struct code *c, int i)
{
    enum { ROUNDED_BY_NUMBER = 11, RECIPROCAL_F64 = 11 };
    enum { MIN_F64 = 7 };    // DSETP, moves and selections of halves, a quiet NaN
    enum { TO_UNIFORM = 7 }; // what a division of uniform registers takes to others and back
    const struct ptx_instruction *in = at(c, i);
    enum ptx_class class = ptx_opcode_class(in->opcode);
    if (is_of_predicates(in))
        return is_in_comparison(c, i) ? 0 : 1;
    if (in->opcode == PTX_OP_SETP &&
        (is_zero_test(c, i) || is_opposite_made(c, i) || is_of_masks_alone(c, i)))
        return 0;
    if (is_under_predicate(c, i) || is_saturation(c, i) || is_constant_place(c, i))
        return 0;
    if (is_whole_mask(c, i) || is_in_local_place(c, i) || code_is_in_shift(c, i) ||
        code_is_had(c, i))
        return 0;
    if (is_local_place(c, i))
        return 1;
    if (constant_place_slots(c, i) >= 0)
        return constant_place_slots(c, i);
    if (in->opcode == PTX_OP_BRA && in->guard >= 0 && // by what is known
        source_of(c, i, c->first_source[i + 1] - c->first_source[i] - 1)->kind == VALUE_NUMBER)
        return 0;
    if (is_moved_word(c, i))
        return 2;
    if (is_widening(in))
        return needs_high(c, i)
                   ? is_signed(in->types[1]) + is_copied_to_pair(c, i) + is_stored_pair(c, i)
                   : 0;
    if (in->opcode == PTX_OP_NEG ||
        (in->opcode == PTX_OP_ABS && (is_float(in) || bits_of(in) != 64)))
        return bits_of(in) == 64 && !is_float(in)                     ? 2
               : in->opcode == PTX_OP_NEG && is_sign_of_product(c, i) ? 0
                                                                      : 1;
    double alone = alone_slots(c, i) + is_extended_load(c, i) - is_angle_again(c, i) +
                   code_needed_beside(c, i) + choice_slots(c, i);
    if (in->opcode == PTX_OP_DIV && is_float(in) && bits_of(in) == 32 && has_number(c, i) &&
        source_of(c, i, 1)->kind == VALUE_NUMBER)
        return is_rounded(in) ? ROUNDED_BY_NUMBER : 1; // times its reciprocal
    if (in->opcode == PTX_OP_WMMA)
        return code_fragments(c, i, alone);
    if (class == PTX_CLASS_ATOMIC)
        return alone + code_atomic(c, i);
    if (class == PTX_CLASS_BARRIER) // B2R brings what the threads voted
        return alone + in_has(in, "red");
    if (class == PTX_CLASS_WARP) // a sum of lanes is in a uniform register
        return alone + (in->opcode == PTX_OP_REDUX) + mask_slots(c, i);
    if (is_int(in, PTX_OP_CLZ, 32))
        return is_for_sum_alone(c, i) ? 1 : alone;
    if (is_of_leading_zeros(c, i))
        return 0;
    if (in->opcode == PTX_OP_CVT && in->types[0] == PTX_TYPE_TF32)
        return tf32_slots(c, i);
    if (in->opcode == PTX_OP_RCP && bits_of(in) == 64 && is_rounded(in))
        return RECIPROCAL_F64 + code_divided(c, i);
    if (is_constant_again(c, i))
        return 0;
    alone =
        code_scaled(c, i, alone) + ordering_slots(in) + leaves_routine(c, i) + code_divided(c, i);
    bool same_for_all = !value_differs(c, i);
    if (is_division(in))
        return code_division(c, i, alone) +
               (same_for_all && (source_of(c, i, 0)->kind == VALUE_KEPT ||
                                 source_of(c, i, 1)->kind == VALUE_KEPT)
                    ? TO_UNIFORM
                    : 0);
    if ((in->opcode == PTX_OP_MIN || in->opcode == PTX_OP_MAX) && is_float(in) && bits_of(in) == 64)
        return MIN_F64;
    if ((in->opcode == PTX_OP_MIN || in->opcode == PTX_OP_MAX) && !is_float(in) && same_for_all &&
        bits_of(in) == 32)
        return code_bound_slots(c, i);
    if (in->opcode == PTX_OP_DP4A || in->opcode == PTX_OP_DP2A)
        alone +=
            source_of(c, i, 1)->kind == VALUE_NUMBER || source_of(c, i, 0)->kind == VALUE_NUMBER;
    if (in->opcode == PTX_OP_MOV && in->operands[1].kind == PTX_OPERAND_VECTOR && bits_of(in) == 32)
        return !is_pair_of_one(c, i); // PRMT
    if (in->opcode == PTX_OP_MOV && in->operands[1].kind == PTX_OPERAND_VECTOR && bits_of(in) == 64)
        return alone + (is_some_number(c, i, 0) != is_some_number(c, i, 1)); // beside a register
    if (in->opcode == PTX_OP_BFI)
        return is_pairing(c, i) ? 0 : bits_of(in) == 64 ? 3 : is_byte_insertion(c, i) ? 1 : 2;
    if (has_product_before(c, i))
        return alone - 1;
    bool wide = class == PTX_CLASS_INTEGER && !is_float(in) && bits_of(in) == 64 &&
                in->opcode != PTX_OP_DIV && in->opcode != PTX_OP_REM;
    return wide ? code_wide(c, i, alone) : alone;
}

// It is no instruction of its own in time either: its readers wait for what it selects, and that for the predicate.
static void selection_vanishes(const struct code *c, int i)
{
    const struct ptx_operand *by = &at(c, i)->operands[3];
    if (by->kind != PTX_OPERAND_REGISTER || by->reg < 0 || bits_of(at(c, i)) == 64)
        return;
    c->sites[i].pipe = PIPE_NONE;
    c->sites[i].under = (uint16_t)(c->d->out->register_base + by->reg + 1);
}

// What an earlier instruction of the block makes already is none in time either: its readers wait for that one. Compilers leave such
// pairs where they cannot see what is made: each use of a bf16 number has its conversion, as inline assembly (products of fast.cu: 256
// for 24).
static void repetition_vanishes(const struct code *c, int i)
{
    struct timing_site *t = &c->sites[i];
    const struct timing_site *first = &c->sites[c->same[i]];
    t->pipe = PIPE_NONE;
    t->source_count = first->result_count;
    memcpy(t->source, first->result, sizeof t->source);
}

void code_slots(struct code *c)
{
    struct numbers_kept kept = {.count = 0};
    for (int i = 0; i < c->count; i++) {
        c->place[i] = c->f->block_of[i];
        code_product_parts(c, i);
        if (c->fate[i] == FATE_MADE && c->place[i] >= 0 && !is_predicate_again(c, i) &&
            !is_of_predicate_alone(c, i))
            c->slots[i] = slots_of(c, i) + code_bytes(c, i) + code_numbers(c, i, &kept);
        if (c->fate[i] == FATE_MADE && c->place[i] >= 0) {
            code_bytes_time(c, i);
            code_atomic_time(c, i);
        }
        if (c->fate[i] == FATE_MADE && c->place[i] >= 0 && is_under_predicate(c, i))
            selection_vanishes(c, i);
        if (c->fate[i] == FATE_MADE && is_pair_of_one(c, i))
            c->sites[i].pipe = PIPE_NONE;
        if (c->fate[i] == FATE_SAME && c->sites[i].pipe != PIPE_NONE && !in_has(at(c, i), "nc") &&
            c->f->block_of[c->same[i]] == c->f->block_of[i])
            repetition_vanishes(c, i);
    }
}
