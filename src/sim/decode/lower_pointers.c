// Pointers that a loop steps: registers that are moved to pairs for its accesses, as ptxas has them.
// SPDX-License-Identifier: Apache-2.0
#include "sim/decode/lower_loops.h"

// Does the loop step the register at `sum` by the same each turn, and access memory by it?
static bool is_pointer(const struct code *c, int loop, int sum, bool marked)
{
    if (!is_inside(c, sum, loop) || c->loop_of[block_of(c, sum)] != loop || !steps(c, sum) ||
        !(counts(c, sum) || (marked && code_is_fixed(c, *source_of(c, sum, 1), loop))))
        return false;
    int reg = at(c, sum)->operands[0].reg;
    if (ptx_type_bits(at(c, sum)->types[0]) != 64 || !c->high[reg])
        return false;
    for (int k = 0; k < c->count; k++) {
        if (!is_inside(c, k, loop) || ptx_opcode_class(at(c, k)->opcode) != PTX_CLASS_MEMORY ||
            is_local(at(c, k), PTX_SPACE_CONST) || c->first_source[k] == c->first_source[k + 1])
            continue;
        struct origin v = c->sources[c->first_source[k]];
        if ((v.kind == VALUE_KEPT && v.at == reg) || (v.kind == VALUE_MADE && v.at == sum))
            return true;
    }
    return false;
}

static bool is_marked_whole(const struct code *c, int loop)
{
    for (int i = 0; i < c->count; i++)
        if (at(c, i)->nounroll && is_inside(c, i, loop))
            return true;
    return false;
}

// IMAD.WIDE adds to a pair.
static bool steps_by_product(const struct code *c, int i)
{
    int by = def_of(c, *source_of(c, i, 1));
    return by >= 0 && c->fate[by] == FATE_FOLDED;
}

// Does the pointer begin as what IMAD.WIDE makes, which is a pair?
static bool begins_as_pair(const struct code *c, int loop, int reg)
{
    for (int i = 0; i < c->count; i++) {
        const struct ptx_instruction *in = at(c, i);
        if (!in->writes_first || in->operands[0].kind != PTX_OPERAND_REGISTER ||
            in->operands[0].reg != reg || is_inside(c, i, loop))
            continue;
        int made = c->fate[i] == FATE_COPY ? def_of(c, *source_of(c, i, 0)) : i;
        if (made < 0 || at(c, made)->opcode != PTX_OP_ADD)
            return false;
        for (int k = 0; k < 2; k++) {
            int from = def_of(c, *source_of(c, made, k));
            if (from >= 0 && c->fate[from] == FATE_FOLDED && is_wide_product(at(c, from)))
                return true;
        }
    }
    return false;
}

// Is the register the address of a load that has become part of the block before it, under a predicate?
static bool loads_under_predicate(const struct code *c, int loop, int reg)
{
    for (int i = 0; i < c->count; i++) {
        int block = block_of(c, i);
        if (at(c, i)->opcode != PTX_OP_LD || !is_inside(c, i, loop) ||
            c->joined_to[block] == block || c->first_source[i] == c->first_source[i + 1])
            continue;
        const struct origin *v = &c->sources[c->first_source[i]];
        if (v->kind == VALUE_KEPT && v->at == reg)
            return true;
    }
    return false;
}

// How many accesses the loop makes at the register, whether one of them stores, and whether it does behind a load from memory.
struct accesses {
    int count;
    bool store, waits;
};

static struct accesses accesses_at(const struct code *c, int loop, int reg)
{
    struct accesses a = {0};
    bool loaded = false;
    for (int i = 0; i < c->count; i++) {
        const struct ptx_instruction *in = at(c, i);
        enum ptx_class class = ptx_opcode_class(in->opcode);
        loaded |= in->opcode == PTX_OP_LD && is_inside(c, i, loop) &&
                  !is_local(in, PTX_SPACE_SHARED) && !is_local(in, PTX_SPACE_PARAM) &&
                  !is_local(in, PTX_SPACE_CONST);
        if (!is_inside(c, i, loop) || (class != PTX_CLASS_MEMORY && class != PTX_CLASS_ATOMIC) ||
            c->first_source[i] == c->first_source[i + 1])
            continue;
        const struct origin *place = source_of(c, i, 0);
        int sum = place->kind == VALUE_MADE ? place->at : -1; // at a number beside it
        bool beside = sum >= 0 && c->fate[sum] == FATE_FOLDED && is_int(at(c, sum), PTX_OP_ADD, 64);
        if (beside)
            place = source_of(c, sum, 0);
        if (place->kind != VALUE_KEPT || place->at != reg)
            continue;
        a.count++;
        if (in->opcode == PTX_OP_LD || c->first_source[i + 1] - c->first_source[i] < 2)
            continue;
        a.store = true;
        a.waits |= loaded;
    }
    return a;
}

// Where a turn waits for its loads the pointer of a store is stepped before the store: what it was is moved to a pair. A pointer that
// begins as one stays there in a short loop that does not. -1: nothing is stored by it.
static double stored_moves(const struct code *c, int loop, int reg, double body)
{
    enum { PAIR = 2, SHORT = 10 };
    struct accesses a = accesses_at(c, loop, reg);
    if (!a.store)
        return -1;
    return a.waits || body > SHORT || !begins_as_pair(c, loop, reg) ? PAIR : 0;
}

static void moves_add(struct code *c, int loop, int i, double moves)
{
    c->slots[i] += moves;
    code_bring(c, c->dominator[c->loops[loop].head], i, moves);
}

// A pointer that IMAD.WIDE steps is a pair; where it does not begin as one, ptxas moves it to one for each turn's accesses, and half
// of another that a number steps beside it (of more ptxas finds pairs). Does IMAD.WIDE step any?
static bool products_step(struct code *c, int loop, bool marked)
{
    enum { PAIR = 2 };
    bool any = false;
    int pointers = 0; // that numbers step
    for (int i = 0; i < c->count; i++)
        pointers += is_pointer(c, loop, i, marked) && !steps_by_product(c, i);
    for (int i = 0; i < c->count; i++) {
        if (!is_pointer(c, loop, i, true) || !steps_by_product(c, i))
            continue;
        any = true;
        if (pointers <= 1 && c->loops[loop].copies == 1 &&
            !begins_as_pair(c, loop, at(c, i)->operands[0].reg))
            moves_add(c, loop, i, PAIR);
    }
    for (int i = 0; i < c->count && any && pointers <= 1; i++)
        if (c->loops[loop].copies == 1 && is_pointer(c, loop, i, marked) &&
            !steps_by_product(c, i) && !begins_as_pair(c, loop, at(c, i)->operands[0].reg))
            moves_add(c, loop, i, 1);
    return any;
}

// The sums of the loop that add a product, which IMAD.WIDE makes, to the register, and nothing else reads it but what steps it; 0.
static int products_added_to(const struct code *c, int loop, int sum)
{
    int reg = at(c, sum)->operands[0].reg, found = 0;
    for (int i = 0; i < c->count; i++)
        for (int s = c->first_source[i]; s < c->first_source[i + 1]; s++) {
            if (c->sources[s].kind != VALUE_KEPT || c->sources[s].at != reg || i == sum)
                continue;
            int other = is_int(at(c, i), PTX_OP_ADD, 64)
                            ? def_of(c, *source_of(c, i, s == c->first_source[i]))
                            : -1;
            if (other < 0 || c->fate[other] != FATE_FOLDED || !is_wide_product(at(c, other)) ||
                c->loop_of[block_of(c, i)] != loop)
                return 0;
            found++;
        }
    return found;
}

static bool has_product_added(const struct code *c, int loop, int sum)
{
    return counts(c, sum) && bits_of(at(c, sum)) == 64 && products_added_to(c, loop, sum) == 1;
}

// A pointer that a number steps and that IMAD.WIDE adds a product to is two registers that stand apart, moved to a pair for IMAD.WIDE in
// each turn, whatever it begins as (232 forms). Loads of two and more of them that go together, as nothing is stored between, find
// pairs; so does what lanes have alike in an unrolled loop, or more than two in a turn of several accesses.
static void added_moves(struct code *c, int loop)
{
    enum { PAIR = 2 };
    int pointers = 0, loads = 0, stores = 0;
    for (int i = 0; i < c->count; i++) {
        bool inside = is_inside(c, i, loop) && c->loop_of[block_of(c, i)] == loop;
        pointers += inside && has_product_added(c, loop, i);
        loads += inside && at(c, i)->opcode == PTX_OP_LD && is_in_global_memory(at(c, i));
        stores += inside && at(c, i)->opcode == PTX_OP_ST;
    }
    bool several = loads > 2 * pointers,
         together = pointers > 1 && several && (stores == 0 || pointers > 2);
    if (pointers == 0 || together || c->loops[loop].copies > 1)
        return;
    for (int i = 0; i < c->count; i++)
        if (is_inside(c, i, loop) && c->loop_of[block_of(c, i)] == loop &&
            has_product_added(c, loop, i) && c->steps_apart[at(c, i)->operands[0].reg])
            moves_add(c, loop, i, PAIR);
}

// A pointer that a loop steps by a number is kept as two registers that stand apart, and copied into a pair for the accesses, if
// the loop is short; in longer ones that are marked one of them is. In other long ones ptxas finds pairs for one pointer, and for
// three quarters of several (in the mean of 25 loops: it depends on the registers that are free). One that
// begins as a pair and is alone is copied by half, beside one that IMAD.WIDE steps not at all. Several accesses of a longer turn find a
// pair, too; stores have their own rule.
static void pointer_moves(struct code *c, int loop)
{
    enum { PAIR = 2, SHORT = 20, LONG = 40 };
    const struct natural_loop *l = &c->loops[loop];
    double body = 0;
    for (int i = 0; i < c->count; i++)
        if (is_inside(c, i, loop) && c->loop_of[block_of(c, i)] == loop)
            body += c->slots[i] * (c->once[i] || l->copies == 1 ? 1 : l->copies);
    bool marked = is_marked_whole(c, loop);
    int pointers = 0;
    bool long_one = body > LONG && !marked;
    if (c->dominator[l->head] < 0 || products_step(c, loop, marked))
        return;
    for (int i = 0; i < c->count; i++)
        pointers += is_pointer(c, loop, i, marked);
    for (int i = 0; i < c->count; i++)
        if (is_pointer(c, loop, i, marked)) {
            int reg = at(c, i)->operands[0].reg;
            double stored = stored_moves(c, loop, reg, body);
            if (stored >= 0) {
                moves_add(c, loop, i, stored);
                continue;
            }
            if ((long_one && l->copies > 1) ||
                (body > SHORT && c->differs[reg] && accesses_at(c, loop, reg).count > 1))
                continue;
            bool pair = begins_as_pair(c, loop, reg),
                 half = (body > SHORT && c->differs[reg]) || (pointers == 1 && pair);
            bool under = loads_under_predicate(c, loop, reg);
            if (long_one && !under && (pointers == 1 || pair))
                continue;
            double moves = under ? PAIR : long_one ? 1.0 / PAIR : half ? 1 : PAIR;
            moves_add(c, loop, i, moves);
        }
}

void code_pointers(struct code *c, int loop)
{
    pointer_moves(c, loop);
    added_moves(c, loop);
}
