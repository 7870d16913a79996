// Machine instructions of divisions, roots, powers and logarithms: what is worked out once for several of them or before a loop,
// and what scales operands that are small.
// SPDX-License-Identifier: Apache-2.0
#include "sim/decode/lower_forms.h"

/* ---- whole numbers ---------------------------------------------------------------------------------- */

// A divisor's reciprocal is worked out once: what a further division by the same takes where an earlier one comes before it,
// of the same dividend or another.
static double further_division(const struct code *c, int i, bool same)
{
    enum { QUOTIENT = 9, REST = 8, QUOTIENT_OF_SAME = 4, REST_OF_SAME = 3 };
    enum { SIGNED_QUOTIENT = 13, SIGNED_REST = 11, SIGNED_OF_SAME = 6 };
    bool rest = at(c, i)->opcode == PTX_OP_REM;
    if (is_signed(type_of(at(c, i))))
        return same ? SIGNED_OF_SAME : rest ? SIGNED_REST : SIGNED_QUOTIENT;
    if (same)
        return rest ? REST_OF_SAME : QUOTIENT_OF_SAME;
    return rest ? REST : QUOTIENT;
}

static bool is_call(const struct code *c, int i)
{
    return is_float(at(c, i)) && c->fate[i] == FATE_MADE && ptx_calls_routine(at(c, i));
}

// Does a subroutine's call stand between the two in the text? No register is kept over it that can be made anew.
static bool is_behind_routine(const struct code *c, int first, int second)
{
    for (int i = first + 1; i < second; i++)
        if (is_call(c, i))
            return true;
    return false;
}

static bool has_routine(const struct code *c, int loop)
{
    for (int i = 0; i < c->count; i++)
        if (c->f->block_of[i] >= 0 && in_loop(c, c->f->block_of[i], loop) && is_call(c, i))
            return true;
    return false;
}

// The outermost loop around the division in which its divisor stays as it is; -1: none, or not every turn divides, or a turn calls a
// subroutine.
static int loop_of_divisor(const struct code *c, int i)
{
    int found = -1, block = c->f->block_of[i];
    for (int l = c->loop_of[block]; l >= 0; l = c->loops[l].around) {
        const struct ptx_block *head = block_at(c, c->loops[l].head);
        bool each_turn = c->dominator[c->loops[l].head] >= 0;
        for (int p = 0; p < head->predecessor_count; p++)
            each_turn &=
                !in_loop(c, head->predecessors[p], l) || dominates(c, block, head->predecessors[p]);
        if (!each_turn || !code_is_fixed(c, *source_of(c, i, 1), l) || has_routine(c, l))
            break;
        found = l;
    }
    return found;
}

// Does a turn wait for global memory? What is cheap is worked out anew in it, to keep registers free for what is on its way.
static bool waits_in(const struct code *c, int loop)
{
    for (int i = 0; i < c->count; i++)
        if (c->f->block_of[i] >= 0 && in_loop(c, c->f->block_of[i], loop) &&
            (at(c, i)->opcode == PTX_OP_LD || at(c, i)->opcode == PTX_OP_ST) &&
            is_in_global_memory(at(c, i)))
            return true;
    return false;
}

// The reciprocal of a divisor that a loop does not change is worked out before it; with a sign the divisor's magnitude, too, if no turn waits
// for memory, and that of a parameter in each turn.
static double division_in_loop(struct code *c, int i, int loop)
{
    enum { QUOTIENT = 9, REST = 8, SIGNED_QUOTIENT = 12, SIGNED_REST = 10 };
    enum { BEFORE = 10, SIGNED_BEFORE = 13, ANEW = 3 };
    bool sign = is_signed(type_of(at(c, i))), rest = at(c, i)->opcode == PTX_OP_REM,
         parameter = is_of_parameter(c, *source_of(c, i, 1));
    bool waits = waits_in(c, loop);
    int anew = waits ? ANEW - parameter : parameter;
    code_bring(c, c->dominator[c->loops[loop].head], i,
               !sign   ? BEFORE
               : waits ? SIGNED_BEFORE - anew + 1
                       : SIGNED_BEFORE);
    if (sign)
        return (rest ? SIGNED_REST : SIGNED_QUOTIENT) + anew;
    return rest ? REST : QUOTIENT;
}

// The loop of a division from which its divisor's reciprocal could be taken: one without loops within, over which nobody keeps it.
static int loop_of_reciprocal(const struct code *c, int i)
{
    int block = c->f->block_of[i], loop = loop_of_divisor(c, i);
    return loop < 0 || c->loops[c->loop_of[block]].has_inner ? -1 : c->loop_of[block];
}

// Of divisions with a sign the first alone of a loop that waits for memory has its divisor's reciprocal from before it, and only if no
// other is by the same; others work theirs out in the loop, once for each divisor. (ptxas 13.0, 126 forms.)
enum reciprocal { BEFORE_LOOP, IN_LOOP_BEHIND_FIRST, IN_LOOP };

static enum reciprocal reciprocal_of(const struct code *c, int i)
{
    int loop = loop_of_reciprocal(c, i), first = -1, by_first = 0;
    if (loop < 0)
        return IN_LOOP;
    if (!is_signed(type_of(at(c, i))) || !waits_in(c, loop))
        return BEFORE_LOOP;
    for (int k = 0; k < c->count; k++) {
        if (!is_division(at(c, k)) || !is_signed(type_of(at(c, k))) || c->fate[k] != FATE_MADE ||
            source_of(c, k, 1)->kind == VALUE_NUMBER || c->f->block_of[k] < 0 ||
            c->loop_of[c->f->block_of[k]] != loop || loop_of_reciprocal(c, k) < 0)
            continue;
        first = first < 0 ? k : first;
        by_first += same_value(c, source_of(c, k, 1), source_of(c, first, 1));
    }
    if (by_first > 1)
        return IN_LOOP;
    return i == first ? BEFORE_LOOP : IN_LOOP_BEHIND_FIRST;
}

// The divisor is a number, which compilers leave where it is the warp's size alone (WARP_SZ). Its reciprocal is worked out none the less,
// once for all divisions behind the first, with a sign and without; a rest is beside its quotient (25 forms given to ptxas 13.0).
static double division_by_number(const struct code *c, int i)
{
    enum { QUOTIENT = 14, REST = 13, SIGNED_QUOTIENT = 18, SIGNED_REST = 16, RECIPROCAL = 7 };
    enum {
        REST_BESIDE = 1,
        QUOTIENT_BESIDE = 2,
        SIGNED_REST_BESIDE = 4,
        SIGNED_QUOTIENT_BESIDE = 5
    };
    const struct origin *by = source_of(c, i, 1), *dividend = source_of(c, i, 0);
    bool rest = at(c, i)->opcode == PTX_OP_REM, sign = is_signed(type_of(at(c, i))), known = false;
    for (int k = 0; k < i; k++) {
        const struct origin *other = is_division(at(c, k)) ? source_of(c, k, 1) : NULL;
        if (other == NULL || other->kind != VALUE_NUMBER || other->bits != by->bits ||
            c->fate[k] != FATE_MADE || !dominates(c, c->f->block_of[k], c->f->block_of[i]))
            continue;
        known = true;
        if (dividend->kind == VALUE_MADE && same_value(c, dividend, source_of(c, k, 0)) &&
            sign == is_signed(type_of(at(c, k))))
            return sign   ? (rest ? SIGNED_REST_BESIDE : SIGNED_QUOTIENT_BESIDE)
                   : rest ? REST_BESIDE
                          : QUOTIENT_BESIDE;
    }
    double alone = sign ? (rest ? SIGNED_REST : SIGNED_QUOTIENT) : rest ? REST : QUOTIENT;
    return alone - (known ? RECIPROCAL : 0);
}

double code_division(struct code *c, int i, double alone)
{
    enum { QUOTIENT_AGAIN = 22, REST_AGAIN = 19, APART = 2 };
    const struct origin *by = source_of(c, i, 1);
    if (by->kind == VALUE_NUMBER)
        return division_by_number(c, i);
    bool differs = origin_differs(c, by);
    for (int k = 0; k < i; k++) {
        const struct origin *other = is_division(at(c, k)) ? source_of(c, k, 1) : NULL;
        if (other == NULL || other->kind != by->kind || c->fate[k] != FATE_MADE ||
            type_of(at(c, k)) != type_of(at(c, i)) ||
            !dominates(c, c->f->block_of[k], c->f->block_of[i]) || is_behind_routine(c, k, i) ||
            (by->kind == VALUE_MADE ? c->same[by->at] != c->same[other->at] : by->at != other->at))
            continue;
        const struct origin *a = source_of(c, i, 0), *b = source_of(c, k, 0);
        bool kept = a->kind == VALUE_KEPT && c->f->block_of[i] == c->f->block_of[k],
             same = (a->kind == VALUE_MADE || kept) && same_value(c, a, b);
        bool by_itself = same && is_signed(type_of(at(c, i))) && reciprocal_of(c, i) == BEFORE_LOOP;
        return further_division(c, i, same) + (differs && !same) + (by_itself ? APART : 0);
    }
    switch (reciprocal_of(c, i)) {
    case BEFORE_LOOP:
        return division_in_loop(c, i, loop_of_reciprocal(c, i));
    case IN_LOOP_BEHIND_FIRST:
        return at(c, i)->opcode == PTX_OP_REM ? REST_AGAIN : QUOTIENT_AGAIN;
    case IN_LOOP:
        break;
    }
    return alone + (differs && at(c, i)->opcode == PTX_OP_REM && is_signed(type_of(at(c, i))));
}

/* ---- floats ----------------------------------------------------------------------------------------- */

// Has an earlier instruction of the kind scaled the value, as the same operand?
static bool is_scaled_before(const struct code *c, int i, int value, int operand)
{
    for (int r = c->first_reader[value]; r < c->first_reader[value + 1]; r++) {
        int k = c->readers[r].instruction;
        if (k < i && c->readers[r].operand == operand && at(c, k)->opcode == at(c, i)->opcode &&
            c->fate[k] == FATE_MADE && dominates(c, c->f->block_of[k], c->f->block_of[i]))
            return true;
    }
    return false;
}

// A quotient of a scaled divisor ends with a product, which a sum takes in.
static bool is_in_sum(const struct code *c, int i)
{
    if (reader_count(c, i) != 1)
        return false;
    const struct ptx_instruction *by = at(c, c->readers[c->first_reader[i]].instruction);
    return (by->opcode == PTX_OP_ADD || by->opcode == PTX_OP_SUB) && !is_rounded(by);
}

// Never less than zero: a square, a magnitude, a power of two, a sum of them.
static bool is_not_negative(const struct code *c, struct origin v, int deep)
{
    enum { DEEP = 6 };
    int from = def_of(c, v);
    uint64_t number;
    if (v.kind == VALUE_NUMBER)
        return (uint32_t)v.bits >> 31 == 0;
    if (from < 0 || deep > DEEP || type_of(at(c, from)) != PTX_TYPE_F32)
        return false;
    const struct origin *a = source_of(c, from, 0), *b = source_of(c, from, 1);
    switch (at(c, from)->opcode) {
    case PTX_OP_EX2:
    case PTX_OP_ABS:
        return true;
    case PTX_OP_MUL:
        return a->kind == b->kind && a->at == b->at && !number_at(c, from, 0, &number);
    case PTX_OP_ADD:
        return !is_rounded(at(c, from)) && is_not_negative(c, *a, deep + 1) &&
               is_not_negative(c, *b, deep + 1);
    default:
        return false;
    }
}

// Is the value a sum of what is not negative and of a number that is not denormal? Nothing of it has to be scaled.
bool is_never_small(const struct code *c, struct origin v, int deep)
{
    enum { NORMAL = 0x00800000, INFINITE = 0x7f800000, DEEP = 6 };
    int from = def_of(c, v);
    if (v.kind == VALUE_NUMBER)
        return v.bits >= NORMAL && v.bits < INFINITE;
    if (from < 0 || deep > DEEP || at(c, from)->opcode != PTX_OP_ADD ||
        type_of(at(c, from)) != PTX_TYPE_F32 || is_rounded(at(c, from)))
        return false;
    for (int k = 0; k < 2; k++)
        if (is_never_small(c, *source_of(c, from, k), deep + 1) &&
            is_not_negative(c, *source_of(c, from, 1 - k), 0))
            return true;
    return false;
}

static bool is_one(const struct code *c, int i, int operand)
{
    enum { ONE = 0x3f800000 };
    uint64_t number;
    return number_at(c, i, operand, &number) && (uint32_t)number == ONE;
}

// An operand that is scaled, as what is small has no room: in its place where nobody reads it any more, else beside it and
// selected. What a divisor of several takes is done once.
double code_scaled(struct code *c, int i, double alone)
{
    enum { BY_SAME = 2, BY_SAME_FULL = 3, NORMAL_FULL = 5 };
    enum { BEFORE = 3, BEFORE_FULL = 5 }; // of a loop that leaves the divisor as it is
    const struct ptx_instruction *in = at(c, i);
    bool f32 = type_of(in) == PTX_TYPE_F32 && !ptx_has_modifier(in, PTX_MOD_FTZ),
         full = in->opcode == PTX_OP_DIV && ptx_has_modifier(in, PTX_MOD_FULL),
         approx = in->opcode == PTX_OP_DIV && in_has(in, "approx"),
         scales = in->opcode == PTX_OP_LG2 || in->opcode == PTX_OP_EX2 || full || approx ||
                  ((in->opcode == PTX_OP_SQRT || in->opcode == PTX_OP_RSQRT ||
                    in->opcode == PTX_OP_RCP) &&
                   in_has(in, "approx"));
    if (!f32 || !scales)
        return alone;
    if (in->opcode == PTX_OP_RCP) // without the move of the scale
        return alone - is_never_small(c, *source_of(c, i, 0), 0);
    double slots = alone + (in->opcode == PTX_OP_DIV && source_of(c, i, 0)->kind == VALUE_NUMBER);
    if (in->opcode != PTX_OP_EX2 &&
        is_never_small(c, *source_of(c, i, in->opcode == PTX_OP_DIV), 0))
        return full     ? NORMAL_FULL + is_number(c, i, 0) - is_in_sum(c, i)
               : approx ? 2 - is_in_sum(c, i) - is_one(c, i, 0)
                        : 1;
    int loop = in->opcode == PTX_OP_DIV ? loop_of_divisor(c, i) : -1;
    if (loop >= 0)
        code_bring(c, c->dominator[c->loops[loop].head], i, full ? BEFORE_FULL : BEFORE);
    for (int s = c->first_source[i]; s < c->first_source[i + 1]; s++) {
        int from = def_of(c, c->sources[s]);
        bool divisor = s == c->first_source[i] + 1,
             before = (divisor && loop >= 0) ||
                      (from >= 0 && is_scaled_before(c, i, from, s - c->first_source[i]));
        if (divisor && before)
            slots = full ? BY_SAME_FULL : BY_SAME;
        else if (!full || divisor)
            slots += from >= 0 && c->f->block_of[from] == c->f->block_of[i] && !before &&
                     !is_last_reader(c, from, i);
    }
    return slots - ((full || approx) && is_in_sum(c, i));
}

// The upper half of a parameter that is divided, or divided by, comes by itself, too; how large a number is, is known.
static double divided_wide(const struct code *c, int i)
{
    // Half of the reciprocal's is moved, to be a pair with the other less some exponent.
    enum { SQUARE_ROOT = 1 };
    double more = at(c, i)->opcode == PTX_OP_SQRT ? SQUARE_ROOT : 0;
    int operands = at(c, i)->opcode == PTX_OP_DIV ? 2 : 1;
    for (int k = 0; k < operands; k++)
        more += is_of_parameter(c, *source_of(c, i, k));
    return more - (operands == 2 && source_of(c, i, 0)->kind == VALUE_NUMBER);
}

// What a parameter or a number is divided by is compared with it by FCHK, which reads registers.
double code_divided(const struct code *c, int i)
{
    enum { NUMBER = 2 };
    const struct ptx_instruction *in = at(c, i);
    bool divides =
        in->opcode == PTX_OP_DIV || in->opcode == PTX_OP_RCP || in->opcode == PTX_OP_SQRT;
    if (divides && type_of(in) == PTX_TYPE_F64 && is_rounded(in))
        return divided_wide(c, i);
    if (in->opcode != PTX_OP_DIV || type_of(in) != PTX_TYPE_F32 || !is_rounded(in))
        return 0;
    return source_of(c, i, 0)->kind == VALUE_NUMBER ? NUMBER
                                                    : is_of_parameter(c, *source_of(c, i, 0));
}
