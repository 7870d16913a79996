// Loops that ptxas unrolls: those that count by a number to a bound that does not change, with one way out and without
// "nounroll", whose body is small. Four copies; what is left over is straight code of two turns and of one, or a loop of
// single turns where the count must be met exactly.
// SPDX-License-Identifier: Apache-2.0
#include "sim/decode/lower_loops.h"

#include <math.h>
#include <stdlib.h>

// Operations before anything is folded, without the counter's sum, its comparison and the branch. Loops with loads from memory
// may have more, and each load from shared memory makes room for five, up to a bound.
enum {
    OPERATIONS = 18,
    OPERATIONS_LOADS = 46,
    OPERATIONS_SHARED = 5,
    OPERATIONS_MOST = 96,
    COPIES = 4
};

// The only instruction of the loop that writes the register; -1.
static int writer_in(const struct code *c, int loop, int reg)
{
    int one = -1;
    for (int i = 0; i < c->count; i++) {
        const struct ptx_instruction *in = at(c, i);
        if (!in->writes_first || in->operand_count == 0 || !is_inside(c, i, loop))
            continue;
        const struct ptx_operand *to = &in->operands[0];
        bool writes = to->kind == PTX_OPERAND_REGISTER && to->reg == reg;
        for (int e = 0; e < to->element_count; e++)
            writes |= to->elements[e].reg == reg;
        if (writes && one >= 0)
            return -1;
        if (writes)
            one = i;
    }
    return one;
}

bool code_is_fixed(const struct code *c, struct origin v, int loop)
{
    switch (v.kind) {
    case VALUE_NUMBER:
        return true;
    case VALUE_MADE:
        return !is_inside(c, c->same[v.at], loop);
    case VALUE_KEPT:
        return writer_in(c, loop, v.at) < 0;
    case VALUE_NONE:
        break;
    }
    return false;
}

// The comparison that ends the loop and the counter's sum. false: it does not end by a count.
static bool count_find(const struct code *c, int loop, int *test, int *sum)
{
    const struct natural_loop *l = &c->loops[loop];
    int guard = c->first_source[l->branch + 1] - c->first_source[l->branch] - 1;
    *test = at(c, l->branch)->guard >= 0 ? def_of(c, *source_of(c, l->branch, guard)) : -1;
    if (*test < 0 || at(c, *test)->opcode != PTX_OP_SETP || at(c, *test)->operand_count != 3 ||
        !is_inside(c, *test, loop))
        return false;
    struct origin counted = *source_of(c, *test, 0);
    *sum = counted.kind == VALUE_MADE   ? c->same[counted.at]
           : counted.kind == VALUE_KEPT ? writer_in(c, loop, counted.at)
                                        : -1;
    return *sum >= 0 && is_inside(c, *sum, loop) && counts(c, *sum) &&
           code_is_fixed(c, *source_of(c, *test, 1), loop);
}

// The number that a register begins the loop with. false: it is not known.
static bool start_of(const struct code *c, int loop, int reg, int64_t *start)
{
    bool any = false;
    for (int i = 0; i < c->count; i++) {
        const struct ptx_instruction *in = at(c, i);
        if (!in->writes_first || in->operands[0].kind != PTX_OPERAND_REGISTER ||
            in->operands[0].reg != reg || is_inside(c, i, loop))
            continue;
        if (c->fate[i] != FATE_COPY || source_of(c, i, 0)->kind != VALUE_NUMBER)
            return false;
        int64_t number = (int64_t)source_of(c, i, 0)->bits;
        if (any && number != *start)
            return false;
        any = true;
        *start = number;
    }
    return any;
}

// How many turns the loop takes, if that is known beforehand; 0.
static int turns_known(const struct code *c, int loop, int test, int sum)
{
    const struct ptx_instruction *in = at(c, test);
    bool wide = ptx_type_bits(at(c, sum)->types[0]) == 64;
    int64_t start, bound = (int64_t)source_of(c, test, 1)->bits,
                   step = (int64_t)source_of(c, sum, 1)->bits;
    if (source_of(c, test, 1)->kind != VALUE_NUMBER ||
        !start_of(c, loop, at(c, sum)->operands[0].reg, &start))
        return 0;
    if (!wide)
        start = (int32_t)start, bound = (int32_t)bound, step = (int32_t)step;
    if (at(c, sum)->opcode == PTX_OP_SUB)
        step = -step;
    if (step == 0)
        return 0;
    int64_t distance = bound - start;
    if (ptx_has_modifier(in, PTX_MOD_LE) || ptx_has_modifier(in, PTX_MOD_GE))
        distance += step > 0 ? 1 : -1;
    int64_t turns = (distance + step - (step > 0 ? 1 : -1)) / step;
    bool before = source_of(c, test, 0)->kind == VALUE_KEPT;
    turns += before;
    return turns > 0 && turns < 1 << 20 ? (int)turns : 1;
}

// One way out, at its end, and one block after predication.
static bool is_straight(const struct code *c, int loop)
{
    const struct natural_loop *l = &c->loops[loop];
    for (int b = 0; b < c->f->block_count; b++) {
        if (!in_loop(c, b, loop))
            continue;
        const struct ptx_block *block = &c->f->blocks[b];
        int last = block->first + block->count - 1;
        if (c->loop_of[b] != loop || c->joined_late[b])
            return false;
        if (last == l->branch)
            continue;
        for (int s = 0; s < block->successor_count; s++)
            if (!in_loop(c, block->successors[s], loop))
                return false;
        // A choice within is a predicate.
        if (block->successor_count > 1 && c->slots[last] > 0)
            return false;
    }
    return true;
}

static double cost_of(const struct code *c, int i)
{
    const struct ptx_instruction *in = at(c, i);
    enum ptx_class class = ptx_opcode_class(in->opcode);
    bool f32 = in->type_count > 0 && in->types[0] == PTX_TYPE_F32,
         scaled = f32 && !ptx_has_modifier(in, PTX_MOD_FTZ);
    enum { SCALED = 6, RECIPROCAL = 7, FULL = 12, EXACT = 16 };
    switch (in->opcode) {
    case PTX_OP_EX2:
    case PTX_OP_LG2:
    case PTX_OP_SQRT:
    case PTX_OP_RSQRT:
        return scaled ? SCALED : 1;
    case PTX_OP_RCP:
        return scaled ? RECIPROCAL : 1;
    case PTX_OP_DIV:
        return !f32 ? EXACT : ptx_has_modifier(in, PTX_MOD_FULL) ? FULL : RECIPROCAL;
    case PTX_OP_REM:
        return EXACT;
    default:
        break;
    }
    if (class == PTX_CLASS_MEMORY || class == PTX_CLASS_ATOMIC) {
        int address = in->writes_first ? 1 : 0;
        bool apart = in->operands[address].kind == PTX_OPERAND_ADDRESS &&
                     in->operands[address].reg >= 0 && in->operands[address].offset != 0;
        bool narrow = in->vector > 1 && c->slots[i] > 1; // its elements are taken apart
        return narrow ? c->slots[i] + apart : 1 + apart;
    }
    return c->slots[i] > 0 || c->fate[i] == FATE_FOLDED ? 1 : 0;
}

// Machine code of it branches.
static bool is_whole_routine(const struct code *c, int i)
{
    const struct ptx_instruction *in = at(c, i);
    bool exact = in->type_count > 0 && ptx_type_kind(in->types[0]) == PTX_KIND_FLOAT &&
                 (ptx_has_modifier(in, PTX_MOD_RN) || ptx_has_modifier(in, PTX_MOD_RZ));
    if (in->opcode == PTX_OP_DIV || in->opcode == PTX_OP_SQRT || in->opcode == PTX_OP_RCP)
        return exact;
    bool divides = in->opcode == PTX_OP_DIV || in->opcode == PTX_OP_REM;
    return in->opcode == PTX_OP_CALL || in->opcode == PTX_OP_WGMMA ||
           in->opcode == PTX_OP_MBARRIER || in->opcode == PTX_OP_MEMBAR ||
           in->opcode == PTX_OP_FENCE ||
           (in->opcode == PTX_OP_ATOM && in->writes_first && c->slots[i] > 2) ||
           (divides && in->type_count > 0 && ptx_type_bits(in->types[0]) == 64);
}

// Is it at a register that the loop steps, or made of nothing else?
static bool is_at_walking(const struct code *c, int loop, int i)
{
    const struct ptx_operand *to = &at(c, i)->operands[at(c, i)->writes_first ? 1 : 0];
    struct origin v = c->first_source[i] < c->first_source[i + 1]
                          ? *source_of(c, i, 0)
                          : (struct origin){VALUE_NONE, 0, 0};
    int from = v.kind == VALUE_KEPT   ? writer_in(c, loop, v.at)
               : v.kind == VALUE_MADE ? c->same[v.at]
                                      : -1;
    return to->kind == PTX_OPERAND_ADDRESS && from >= 0 && is_inside(c, from, loop) &&
           steps(c, from);
}

// Do lanes exchange something in the loop, wait for each other, or add to memory?
static bool has_exchange(const struct code *c, int loop)
{
    for (int i = 0; i < c->count; i++) {
        enum ptx_class class = ptx_opcode_class(at(c, i)->opcode);
        if (is_inside(c, i, loop) &&
            (class == PTX_CLASS_ATOMIC || class == PTX_CLASS_WARP || class == PTX_CLASS_BARRIER))
            return true;
    }
    return false;
}

// Is there a load that a store of the turn before does not hold back, as none goes to its memory but at registers that the loop
// steps? Or no load?
static bool has_free_load(const struct code *c, int loop)
{
    enum { SHARED, LOCAL, OTHER, SPACES };
    bool loads[SPACES] = {false}, stores[SPACES] = {false}, any = false, found = false;
    for (int i = 0; i < c->count; i++) {
        const struct ptx_instruction *in = at(c, i);
        if (!is_inside(c, i, loop))
            continue;
        int space = is_local(in, PTX_SPACE_SHARED)  ? SHARED
                    : is_local(in, PTX_SPACE_LOCAL) ? LOCAL
                                                    : OTHER;
        if (in->opcode == PTX_OP_LD && !is_local(in, PTX_SPACE_PARAM) &&
            !is_local(in, PTX_SPACE_CONST))
            loads[space] = true;
        if (in->opcode == PTX_OP_ST && !is_at_walking(c, loop, i))
            stores[space] = true;
    }
    for (int space = 0; space < SPACES; space++) {
        any |= loads[space];
        found |= loads[space] && !stores[space];
    }
    return found || !any;
}

// A number or parameter, not worked out.
static bool is_given(const struct code *c, struct origin v)
{
    int from = def_of(c, v);
    return v.kind == VALUE_NUMBER || (from >= 0 && at(c, from)->opcode == PTX_OP_LD &&
                                      is_local(at(c, from), PTX_SPACE_PARAM));
}

// Of a count that is not known. Where lanes exchange something ptxas wants to see that they count alike: by a bound that is
// given. Where lanes leave at different turns it wants a load that can go ahead.
static bool may_unroll(const struct code *c, int loop, int test)
{
    bool agree = c->agree[block_of(c, c->loops[loop].branch)];
    if (has_exchange(c, loop))
        return agree && is_given(c, *source_of(c, test, 1));
    return agree || has_free_load(c, loop);
}

static double operations_of(const struct code *c, int loop, int test, int sum, double *most)
{
    double cost = 0, room = OPERATIONS;
    bool loads = false;
    for (int i = 0; i < c->count; i++) {
        if (!is_inside(c, i, loop))
            continue;
        const struct ptx_instruction *in = at(c, i);
        if (in->nounroll || is_whole_routine(c, i))
            return -1;
        if (in->opcode == PTX_OP_LD || in->opcode == PTX_OP_LDU) {
            bool shared = is_local(in, PTX_SPACE_SHARED);
            if (shared)
                room += OPERATIONS_SHARED;
            loads |= !shared && !is_local(in, PTX_SPACE_PARAM) && !is_local(in, PTX_SPACE_CONST);
        }
        if (i == test || i == sum || i == c->loops[loop].branch || c->place[i] < 0 ||
            !in_loop(c, c->place[i], loop))
            continue;
        cost += cost_of(c, i);
    }
    *most = fmin(loads ? fmax(room, OPERATIONS_LOADS) : room, OPERATIONS_MOST);
    return cost;
}

// The longest body of a loop of so many turns that ptxas writes out whole.
static double operations_whole(int turns)
{
    static const struct {
        double turns, operations;
    } most[] = {{2, 194},  {3, 126},  {4, 97},  {5, 77},  {6, 72},  {8, 57},  {10, 48}, {12, 45},
                {16, 38},  {20, 33},  {24, 30}, {32, 25}, {40, 22}, {48, 20}, {64, 17}, {80, 15},
                {100, 13}, {128, 12}, {200, 9}, {300, 7}, {500, 5}, {1000, 2}};
    size_t k = 0;
    while (k < COUNT_OF(most) && most[k].turns < turns)
        k++;
    if (k == COUNT_OF(most))
        return 2000 / (double)turns;
    if (k == 0 || most[k].turns == turns)
        return most[k].operations;
    double part = (turns - most[k - 1].turns) / (most[k].turns - most[k - 1].turns);
    return most[k - 1].operations + part * (most[k].operations - most[k - 1].operations);
}

// What atomics of global memory count for beyond one operation each where the count of turns is known.
static double atomics_weigh(const struct code *c, int loop)
{
    const double each = 8.5;
    double sum = 0;
    for (int i = 0; i < c->count; i++)
        if (is_inside(c, i, loop) && ptx_opcode_class(at(c, i)->opcode) == PTX_CLASS_ATOMIC &&
            is_in_global_memory(at(c, i)))
            sum += each;
    return sum;
}

// Copies of a loop of so many turns: all of them, if that makes a program that is not long, or as many as do, so that few turns
// are left over.
static int copies_for(double operations, int turns)
{
    enum { LENGTH = 320, LONGEST = 72 };
    if (operations <= operations_whole(turns))
        return turns;
    if (operations > LONGEST)
        return 1;
    int copies = operations > 0 ? (int)(LENGTH / operations) : turns, best = copies;
    for (int k = copies; k > 1 && 2 * k >= copies; k--)
        if (turns % k < turns % best)
            best = k;
    return best < turns ? best : turns;
}

// Is the instruction a sum with what does not change, or a shift or product by a number?
static bool is_linear(const struct code *c, int i)
{
    const struct ptx_instruction *in = at(c, i);
    bool scales =
        in->opcode == PTX_OP_SHL || (in->opcode == PTX_OP_MUL && is_product(in, bits_of(in)) &&
                                     !ptx_has_modifier(in, PTX_MOD_WIDE));
    if ((in->opcode != PTX_OP_ADD && !scales) || in->guard >= 0 || is_float(in) ||
        c->first_source[i + 1] - c->first_source[i] != 2 ||
        in->operands[0].kind != PTX_OPERAND_REGISTER || in->operands[0].reg < 0)
        return false;
    return !c->several[in->operands[0].reg] && (!scales || is_number(c, i, 1));
}

enum { CHAIN = 4 };

// Is it made of the counter and what does not change alone?
static bool is_of_counter(const struct code *c, int loop, int i, int deep)
{
    bool walks = false, widens = c->loops[loop].written_out && is_widening(at(c, i));
    if (deep > CHAIN || !is_inside(c, i, loop) || c->fate[i] == FATE_COPY ||
        (!widens && !is_linear(c, i)))
        return false;
    for (int k = 0; k < (widens ? 1 : 2); k++) {
        struct origin v = *source_of(c, i, k);
        int from = v.kind == VALUE_KEPT ? writer_in(c, loop, v.at) : def_of(c, v);
        bool counter = v.kind == VALUE_KEPT && from >= 0 && counts(c, from);
        if (counter || (from >= 0 && v.kind == VALUE_MADE && !widens &&
                        is_of_counter(c, loop, from, deep + 1)))
            walks = true;
        else if (!code_is_fixed(c, v, loop))
            return false;
    }
    return walks;
}

// Is it read by nothing but addresses, and what is made of the counter for them?
static bool is_for_addresses(const struct code *c, int loop, int i, int deep)
{
    if (deep > CHAIN)
        return false;
    for (int r = c->first_reader[i]; r < c->first_reader[i + 1]; r++) {
        int reader = c->readers[r].instruction;
        enum ptx_class class = ptx_opcode_class(at(c, reader)->opcode);
        bool address =
            (class == PTX_CLASS_MEMORY || class == PTX_CLASS_ATOMIC) && c->readers[r].operand == 0;
        if (!address &&
            !(is_of_counter(c, loop, reader, 0) && is_for_addresses(c, loop, reader, deep + 1)))
            return false;
    }
    return c->first_reader[i] < c->first_reader[i + 1];
}

// A counter's sum with what does not change, or what is made of it by numbers, read by nothing but addresses: the copies' distances
// become the accesses' own.
static bool walks_along(const struct code *c, int loop, int i)
{
    return c->slots[i] > 0 && is_of_counter(c, loop, i, 0) && is_for_addresses(c, loop, i, 0);
}

// Is the counter read by nothing but what unrolled copies make a part of their own: addresses, its comparison, itself?
static bool once_for_all(const struct code *c, int loop, int sum, int test)
{
    int reg = at(c, sum)->operands[0].reg;
    for (int i = 0; i < c->count; i++) {
        if (!is_inside(c, i, loop) || i == sum || i == test)
            continue;
        for (int s = c->first_source[i]; s < c->first_source[i + 1]; s++) {
            struct origin v = c->sources[s];
            bool reads = (v.kind == VALUE_KEPT && v.at == reg) ||
                         (v.kind == VALUE_MADE && c->same[v.at] == sum);
            const struct ptx_instruction *in = at(c, i);
            enum ptx_class class = ptx_opcode_class(in->opcode);
            bool address = ((class == PTX_CLASS_MEMORY || class == PTX_CLASS_ATOMIC) &&
                            s == c->first_source[i]) ||
                           (is_of_counter(c, loop, i, 0) && is_for_addresses(c, loop, i, 0));
            if (reads && !address)
                return false;
        }
    }
    return true;
}

static bool must_meet(const struct ptx_instruction *test)
{
    return ptx_has_modifier(test, PTX_MOD_NE) || ptx_has_modifier(test, PTX_MOD_EQ);
}

// Does the kernel end behind the loop? What is left over, of one turn, is behind an EXIT then, not under a predicate.
static bool is_last(const struct code *c, const struct natural_loop *l)
{
    const struct ptx_block *b = block_at(c, block_of(c, l->branch));
    for (int s = 0; s < b->successor_count; s++)
        if (!in_loop(c, b->successors[s], (int)(l - c->loops)) &&
            block_ends_thread(c->f, b->successors[s]))
            return true;
    return false;
}

static void loop_unroll(struct code *c, int loop, int test, int sum, int copies)
{
    enum { SHORT = 8, SHORT_SAME = 6 };
    struct natural_loop *l = &c->loops[loop];
    double body = 0, shared = 0;
    bool loads = false;
    l->copies = copies;
    l->differs = c->differs[at(c, l->branch)->guard];
    l->by_chain = must_meet(at(c, test));
    l->to_number = source_of(c, test, 1)->kind == VALUE_NUMBER;
    int64_t start;
    l->from_number = start_of(c, loop, at(c, sum)->operands[0].reg, &start);
    l->peeled = !l->by_chain && ptx_type_kind(at(c, test)->types[0]) == PTX_KIND_UNSIGNED;
    for (int i = 0; i < c->count; i++) {
        if (!is_inside(c, i, loop) || !in_loop(c, c->place[i], loop))
            continue;
        c->slots[i] -= c->moved[i] * (1 - 1 / (double)copies);
        bool counter = counts(c, i) && writer_in(c, loop, at(c, i)->operands[0].reg) == i;
        c->once[i] = i == test || i == l->branch || (counter && once_for_all(c, loop, i, test)) ||
                     walks_along(c, loop, i);
        body += c->once[i] ? 0 : c->slots[i];
        shared += c->once[i] && i != test && i != l->branch ? c->slots[i] : 0;
        loads |= at(c, i)->opcode == PTX_OP_LD && c->slots[i] > 0 &&
                 !is_local(at(c, i), PTX_SPACE_SHARED);
    }
    double most = l->differs ? SHORT : SHORT_SAME;
    l->predicated_two = !loads && 2 * body + shared + 1 <= most;
    l->predicated_one = !loads && body <= most && !is_last(c, l);
    l->shared = shared;
}

/* ---- loops of a known count that are left otherwise ---------------------------------------------------- */

// The comparison of the loop's count that this branch out of it asks for: alone, or with another. -1: none.
static int count_of_exit(const struct code *c, int loop, int branch, int *sum, bool *alone)
{
    int guard = c->first_source[branch + 1] - c->first_source[branch] - 1,
        asked = at(c, branch)->guard >= 0 ? def_of(c, *source_of(c, branch, guard)) : -1;
    if (asked < 0)
        return -1;
    *alone = at(c, asked)->opcode == PTX_OP_SETP;
    bool both = at(c, asked)->opcode == PTX_OP_AND || at(c, asked)->opcode == PTX_OP_OR;
    for (int k = 0; k < (both ? 2 : 1); k++) {
        int test = *alone ? asked : both ? def_of(c, *source_of(c, asked, k)) : -1;
        if (test < 0 || at(c, test)->opcode != PTX_OP_SETP || at(c, test)->operand_count != 3 ||
            !is_inside(c, test, loop) || source_of(c, test, 1)->kind != VALUE_NUMBER)
            continue;
        struct origin counted = *source_of(c, test, 0);
        *sum = counted.kind == VALUE_MADE   ? c->same[counted.at]
               : counted.kind == VALUE_KEPT ? writer_in(c, loop, counted.at)
                                            : -1;
        if (*sum >= 0 && is_inside(c, *sum, loop) && counts(c, *sum))
            return test;
    }
    return -1;
}

static bool has_choice_within(const struct code *c, int loop)
{
    for (int b = 0; b < c->f->block_count; b++) {
        const struct ptx_block *block = &c->f->blocks[b];
        if (!in_loop(c, b, loop))
            continue;
        if (c->loop_of[b] != loop)
            return true;
        if (block->successor_count > 1 && in_loop(c, block->successors[0], loop) &&
            in_loop(c, block->successors[1], loop) && c->slots[block->first + block->count - 1] > 0)
            return true;
    }
    return false;
}

static bool is_read_outside(const struct code *c, int loop, int reg)
{
    for (int i = 0; i < c->count; i++)
        for (int s = c->first_source[i]; s < c->first_source[i + 1] && !is_inside(c, i, loop); s++)
            if (c->sources[s].kind == VALUE_KEPT && c->sources[s].at == reg)
                return true;
    return false;
}

// In a loop that is written out addresses are the first turn's and a number.
static void walks_stand(struct code *c, int loop, int test)
{
    int before = c->dominator[c->loops[loop].head];
    for (int i = 0; i < c->count; i++) {
        if (!is_inside(c, i, loop) || !in_loop(c, c->place[i], loop) || before < 0)
            continue;
        bool counter = counts(c, i) && writer_in(c, loop, at(c, i)->operands[0].reg) == i &&
                       once_for_all(c, loop, i, test);
        if (!counter && !walks_along(c, loop, i))
            continue;
        if (!counter)
            code_bring(c, before, i, c->slots[i]);
        c->slots[i] = 0;
    }
}

// Written out for as many turns as there can be, the loop needs no count; what is read behind it becomes a number.
static void loop_write_out(struct code *c, int loop)
{
    for (int b = 0; b < c->f->block_count; b++) {
        const struct ptx_block *block = &c->f->blocks[b];
        int last = block->first + block->count - 1, sum;
        bool alone;
        if (!in_loop(c, b, loop) || block->successor_count < 2 ||
            (in_loop(c, block->successors[0], loop) && in_loop(c, block->successors[1], loop)))
            continue;
        int test = count_of_exit(c, loop, last, &sum, &alone);
        if (test < 0)
            continue;
        double most = 0, operations = operations_of(c, loop, test, sum, &most);
        int turns = turns_known(c, loop, test, sum);
        if (operations < 0 || turns <= 1 || copies_for(operations, turns) != turns)
            continue;
        c->slots[test] = 0;
        c->slots[last] = alone ? 0 : c->slots[last];
        c->slots[sum] = is_read_outside(c, loop, at(c, sum)->operands[0].reg);
        c->loops[loop].written_out = true;
        walks_stand(c, loop, test);
        return;
    }
}

/* ---- halves ---------------------------------------------------------------------------------------------- */

static bool stores_rounded_half(const struct code *c, int loop, int i)
{
    enum { HALF = 16 };
    const struct ptx_instruction *in = at(c, i);
    if (in->opcode != PTX_OP_ST || in->vector > 1 || bits_of(in) != HALF ||
        !is_inside(c, i, loop) || c->loop_of[block_of(c, i)] != loop ||
        c->first_source[i + 1] - c->first_source[i] < 2)
        return false;
    int from = def_of(c, *source_of(c, i, 1));
    return from >= 0 && at(c, from)->opcode == PTX_OP_CVT && is_half(type_of(at(c, from))) &&
           is_inside(c, from, loop);
}

// F2FP rounds to the lower half of a register; where a loop stores several of them PRMT moves all but one.
static void halves_move(struct code *c, int loop)
{
    int stores = 0;
    for (int i = 0; i < c->count; i++)
        stores += stores_rounded_half(c, loop, i);
    double of = stores * c->loops[loop].copies;
    for (int i = 0; i < c->count && of > 1; i++)
        if (stores_rounded_half(c, loop, i))
            c->slots[i] += (of - 1) / of;
}

// A register that a choice is added to is still there when the first sum is made: it is moved to at the end, but where a loop's
// copies hand on to each other.
static void choices_move(struct code *c)
{
    for (int i = 0; i < c->count; i++) {
        int loop = block_of(c, i) >= 0 ? c->loop_of[block_of(c, i)] : -1,
            reg = is_int(at(c, i), PTX_OP_ADD, 32) ? at(c, i)->operands[0].reg : -1;
        if (reg < 0 || !c->several[reg] || (loop >= 0 && c->loops[loop].copies > 1))
            continue;
        for (int k = 0; k < 2; k++) {
            int from = def_of(c, *source_of(c, i, k));
            const struct origin *to = source_of(c, i, 1 - k);
            if (from >= 0 && code_is_choice_in_sum(c, from) && to->kind == VALUE_KEPT &&
                to->at == reg)
                c->slots[i] += 1;
        }
    }
}

void code_loops(struct code *c)
{
    for (int n = 0; n < c->loop_count; n++) {
        struct natural_loop *l = &c->loops[n];
        int test = -1, sum = -1;
        double most = 0, operations = -1;
        bool counted = l->branch >= 0 && count_find(c, n, &test, &sum);
        if (counted && is_straight(c, n))
            operations = operations_of(c, n, test, sum, &most);
        l->turns = counted ? turns_known(c, n, test, sum) : 0;
        if (operations >= 0 && l->turns == 0 && !may_unroll(c, n, test))
            operations = most + 1;
        int copies = operations < 0       ? 1
                     : l->turns > 0       ? copies_for(operations + atomics_weigh(c, n), l->turns)
                     : operations <= most ? COPIES
                                          : 1;
        if (copies > 1) {
            loop_unroll(c, n, test, sum, copies);
        } else if (operations < 0 && !has_choice_within(c, n)) {
            loop_write_out(c, n);
        }
        if (!l->written_out)
            code_pointers(c, n);
        halves_move(c, n);
    }
    choices_move(c);
}

int program_registers(struct program *p)
{
    const struct function *own = &p->functions[0];
    const struct code *c = NULL;
    if (p->registers_estimated > 0)
        return p->registers_estimated;
    for (int n = 0; n < p->function_count; n++)
        if (p->functions[n].ptx == p->kernel)
            own = &p->functions[n];
    c = own->code;
    int *copies = xcalloc((size_t)p->kernel->block_count + 1, sizeof *copies);
    for (int b = 0; b < p->kernel->block_count && c != NULL && c->loop_count > 0; b++)
        if (c->loop_of[b] >= 0 && c->loops[c->loop_of[b]].blocks == 1)
            copies[b] = c->loops[c->loop_of[b]].copies;
    uint8_t *turns = xcalloc((size_t)p->kernel->instruction_count + 1, sizeof *turns);
    for (int i = 0; i < p->kernel->instruction_count; i++)
        turns[i] = p->sites[own->site_base + i].turns;
    struct ptx_made made = {copies, c != NULL ? c->joined : NULL, turns};
    p->registers_estimated = ptx_register_estimate(p->kernel, &made);
    free(copies);
    free(turns);
    return p->registers_estimated;
}
