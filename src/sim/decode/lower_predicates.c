// Which branches become predicates.
// SPDX-License-Identifier: Apache-2.0
#include "sim/decode/lower_forms.h"

#include <stdlib.h>

enum { NONE = -1 };

enum { SHORT = 8, SHORT_SAME = 6, SHORT_LOADS = 20, SUBROUTINE = 30 };

static bool may_have_predicate(const struct code *c, int i)
{
    const struct ptx_instruction *in = at(c, i);
    switch (ptx_opcode_class(in->opcode)) {
    case PTX_CLASS_FREE:
    case PTX_CLASS_INTEGER:
    case PTX_CLASS_FLOAT:
    case PTX_CLASS_SPECIAL:
    case PTX_CLASS_CONVERT:
        return true;
    case PTX_CLASS_MEMORY:
        return in->opcode == PTX_OP_LD || in->opcode == PTX_OP_ST || in->opcode == PTX_OP_LDU;
    case PTX_CLASS_BARRIER:
        return in->opcode == PTX_OP_BAR || in->opcode == PTX_OP_BARRIER;
    case PTX_CLASS_ATOMIC:
    case PTX_CLASS_CONTROL:
    case PTX_CLASS_WARP:
    case PTX_CLASS_TENSOR:
    case PTX_CLASS_FENCE:
    case PTX_CLASS_OTHER:
        break;
    }
    return false;
}

static bool is_global_load(const struct ptx_instruction *in)
{
    if (in->opcode != PTX_OP_LD)
        return false;
    enum ptx_space space = ptx_space_of(in);
    return space == PTX_SPACE_GLOBAL || space == PTX_SPACE_GENERIC || space == PTX_SPACE_LOCAL;
}

// Its code branches to a routine for numbers that its short way does not take, so that a block of the machine's ends there.
static bool calls_routine(const struct code *c, int i)
{
    return ptx_calls_routine(at(c, i)) || c->slots[i] > SUBROUTINE;
}

static bool loads_from_memory(const struct ptx_instruction *in)
{
    return (is_global_load(in) && ptx_space_of(in) != PTX_SPACE_LOCAL) ||
           (in->opcode == PTX_OP_CP && in->operand_count >= 3);
}

// Is there such a load in the last part of the block that no routine ends, or (begin) in the first?
static bool block_loads(const struct code *c, int b, bool begin)
{
    const struct ptx_block *block = block_at(c, b);
    bool loads = false;
    for (int i = block->first; i < block->first + block->count; i++) {
        if (calls_routine(c, i) && begin)
            break;
        loads = (loads && !calls_routine(c, i)) || loads_from_memory(at(c, i));
    }
    return loads;
}

// Marks what of the block the value is made of.
static void mark_needed(const struct code *c, struct origin v, int b, bool *needed)
{
    int from = def_of(c, v);
    if (from < 0 || c->f->block_of[from] != b || needed[from])
        return;
    needed[from] = true;
    for (int s = c->first_source[from]; s < c->first_source[from + 1]; s++)
        mark_needed(c, c->sources[s], b, needed);
}

// Does the block load from memory (late: wait for shared memory or a special function, too) what its branch does not wait for?
static bool loads_beside_branch(const struct code *c, int b, bool late)
{
    const struct ptx_block *block = block_at(c, b);
    bool *needed = xcalloc((size_t)c->count + 1, sizeof *needed), beside = false;
    mark_needed(c, *asked_by(c, b), b, needed);
    for (int i = block->first; i < block->first + block->count && !beside; i++) {
        const struct ptx_instruction *in = at(c, i);
        bool waits = (in->opcode == PTX_OP_LD && ptx_space_of(in) == PTX_SPACE_SHARED) ||
                     ptx_opcode_class(in->opcode) == PTX_CLASS_SPECIAL;
        beside =
            c->fate[i] != FATE_DEAD && !needed[i] && (loads_from_memory(in) || (late && waits));
    }
    free(needed);
    return beside;
}

// Where the ways of the block's branch meet behind a side step, or behind one block each; NONE: neither.
static int meet_of(const struct code *c, int b)
{
    int one = block_at(c, b)->successors[0], two = block_at(c, b)->successors[1];
    if (one < 0 || two < 0)
        return NONE;
    const struct ptx_block *x = block_at(c, one), *y = block_at(c, two);
    int from_one = x->successor_count == 1 ? x->successors[0] : NONE,
        from_two = y->successor_count == 1 ? y->successors[0] : NONE;
    return from_one == two ? two : from_two == one || from_one == from_two ? from_two : NONE;
}

// Loads of the block that branches and of the one where its ways meet are on their way together where no branch is between
// them, and what the branch does not wait for is on its way while a long block behind it runs. Read off ptxas 13.0's code for
// sm_90, of branches around 2 to 64 instructions with loads before, in and behind them, and 0 to 12 instructions where the
// ways meet: it decides between SHORT and SHORT_LOADS.
static bool loads_about(const struct code *c, int b)
{
    int meet = ends_with_choice(c, b) ? meet_of(c, b) : NONE;
    if (meet < 0)
        return false;
    bool loads = block_loads(c, b, false), behind = block_loads(c, meet, true);
    return (loads && behind) || (behind && loads_beside_branch(c, b, true)) ||
           (loads && loads_beside_branch(c, b, false) &&
            (c->loop_of[b] >= 0 || code_is_long(c, meet)));
}

// What is counted of the block; more than any limit where it can't be under a predicate.
static double side_slots(const struct code *c, int b, bool *loads)
{
    enum { NEVER = 2 * SHORT_LOADS };
    const struct ptx_block *block = block_at(c, b);
    double guarded = 0;
    for (int i = block->first; i < block->first + block->count; i++) {
        if (is_branch(c, i) && i == last_of(c, b)) {
            guarded = at(c, i)->guard < 0;
            break;
        }
        if (!may_have_predicate(c, i) || calls_routine(c, i))
            return NEVER;
        *loads |= is_global_load(at(c, i));
    }
    return guarded + code_weigh(c, b);
}

// Is what the side of b's branch has so little that it goes under a predicate?
static bool is_short(const struct code *c, int b, int side)
{
    bool loads = c->loads_about[b];
    double slots = side_slots(c, side, &loads);
    return slots <= (double)(loads ? SHORT_LOADS : same_branch(c, b) ? SHORT_SAME : SHORT);
}

// Both sides, under a predicate and its opposite: where there are loads, together.
static bool are_short(const struct code *c, int b, int side, int other)
{
    bool loads = c->loads_about[b];
    double slots = side_slots(c, side, &loads), others = side_slots(c, other, &loads);
    double least = same_branch(c, b) ? SHORT_SAME : SHORT;
    return loads ? slots + others <= SHORT_LOADS : slots <= least && others <= least;
}

// What of the block behind could go on while the side's loads are on their way: machine instructions, those that take long
// themselves as several. last: little comes behind that block; its stores are not counted behind the side's, but its loads and barriers are,
// and where it stores lanes that exchange something have to be together before.
static int overlap(const struct code *c, int side, int meet, bool last)
{
    enum { LONG = 8, SHORT_WAIT = 3, UNREAD = 4 };
    bool *made = xcalloc((size_t)c->count + (size_t)c->f->register_count + 1, sizeof *made);
    bool *reg = made + c->count, read = false, stores = false, blocked = false;
    int sum = 0;
    const struct ptx_block *b = block_at(c, side), *m = block_at(c, meet);
    for (int i = b->first; i < b->first + b->count; i++) {
        const struct ptx_operand *to = &at(c, i)->operands[0];
        stores |= at(c, i)->opcode == PTX_OP_ST;
        made[i] = true;
        if (at(c, i)->writes_first && to->kind == PTX_OPERAND_REGISTER && to->reg >= 0)
            reg[to->reg] = c->several[to->reg];
    }
    for (int i = m->first; i < m->first + m->count && !blocked; i++) {
        const struct ptx_instruction *in = at(c, i);
        bool depends = false;
        for (int s = c->first_source[i]; s < c->first_source[i + 1]; s++) {
            struct origin v = c->sources[s];
            depends |= (v.kind == VALUE_KEPT && reg[v.at]) ||
                       (v.kind == VALUE_MADE && made[c->same[v.at]]);
        }
        made[i] = depends;
        read |= depends;
        enum ptx_class class = ptx_opcode_class(in->opcode);
        blocked = last ? stores && class == PTX_CLASS_WARP
                       : stores && (class == PTX_CLASS_BARRIER ||
                                    (in->opcode == PTX_OP_LD && !is_brought(in)));
        if (depends || blocked || is_branch(c, i) || is_brought(in) || class == PTX_CLASS_CONTROL ||
            (last && stores && in->opcode == PTX_OP_ST))
            continue;
        if (in->opcode == PTX_OP_LD || class == PTX_CLASS_SPECIAL ||
            (last && in->opcode == PTX_OP_ST))
            sum += is_global_load(in) ? LONG : SHORT_WAIT;
        else
            sum += c->slots[i] > 0;
    }
    free(made);
    return sum + (read || last || m->count == 0 ? 0 : UNREAD);
}

// Is a load of the block, or of a side of a branch before it, still on its way at the block's branch?
static bool has_loads_on_their_way(const struct code *c, int b)
{
    const struct ptx_block *block = block_at(c, b);
    for (int p = 0; p < block->predecessor_count; p++) {
        int from = block->predecessors[p];
        if (from >= 0 && c->number[from] >= 0 && block_loads(c, from, false) &&
            !ends_with_choice(c, from))
            return true;
    }
    for (int i = block->first; i < block->first + block->count; i++) {
        bool read = !is_global_load(at(c, i));
        for (int r = c->first_reader[i]; r < c->first_reader[i + 1] && !read; r++)
            read = c->f->block_of[c->readers[r].instruction] == b;
        if (!read)
            return true;
    }
    return false;
}

// Do lanes end behind the block, all of them or those that its branch chooses?
static bool ends_lanes(const struct code *c, int b)
{
    const struct ptx_block *block = block_at(c, b);
    bool ends = block->successor_count == 0 || block_ends_thread(c->f, b);
    for (int s = 0; s < block->successor_count && ends_with_choice(c, b); s++)
        ends |= block_ends_thread(c->f, block->successors[s]);
    return ends;
}

// Is the address of a shared variable made there? Uniform registers have no predicates.
static bool makes_shared_place(const struct code *c, int b)
{
    const struct ptx_block *block = block_at(c, b);
    for (int i = block->first; i < block->first + block->count; i++)
        if (at(c, i)->opcode == PTX_OP_MOV && is_shared_symbol(&at(c, i)->operands[1]))
            return true;
    return false;
}

// Does the block choose at once how the threads go on? One that ends some by a comparison goes on with what is behind that.
static bool only_chooses(const struct code *c, int b)
{
    const struct ptx_block *block = block_at(c, b);
    bool compares = false;
    if (!ends_with_choice(c, b))
        return false;
    for (int i = block->first; i < last_of(c, b); i++) {
        enum ptx_opcode opcode = at(c, i)->opcode;
        if (opcode != PTX_OP_SETP && opcode != PTX_OP_BAR && opcode != PTX_OP_BARRIER)
            return false;
        compares |= opcode == PTX_OP_SETP;
    }
    return !compares || (!block_ends_thread(c->f, block->successors[0]) &&
                         !block_ends_thread(c->f, block->successors[1]));
}

// Such a store's address is made behind the branch, while the loads are on their way.
static bool stores_shared(const struct code *c, int b)
{
    const struct ptx_block *block = block_at(c, b);
    for (int i = block->first; i < block->first + block->count; i++)
        if (at(c, i)->opcode == PTX_OP_ST && ptx_space_of(at(c, i)) == PTX_SPACE_SHARED)
            return true;
    return false;
}

// A side with a load from memory goes under a predicate where something is to be done until what it loads is there: a little, or
// (early) so much that it does before loops are unrolled, which stay as they are with branches in them.
static bool pays(const struct code *c, int b, int side, int meet, bool early)
{
    enum { LATE = 1, AT_END = 4, AT_END_OF_CHAIN = 2, LAST = 3 };
    const struct ptx_block *way = block_at(c, side);
    int loads = 0, last = NONE;
    for (int i = way->first; i < way->first + way->count; i++) {
        if (c->slots[i] <= 0 || is_branch(c, i))
            continue;
        loads += is_global_load(at(c, i)); // not one that nobody reads
        last = i;
    }
    if (loads == 0)
        return true;
    if (c->loop_of[side] < 0 && makes_shared_place(c, side) && only_chooses(c, meet))
        return false;
    // Lanes that end soon want a little more (174 forms).
    if (!early && c->loop_of[side] < 0 && ends_lanes(c, meet) && !stores_shared(c, meet) &&
        !has_loads_on_their_way(c, b))
        return overlap(c, side, meet, true) >= LAST;
    bool at_end = is_global_load(at(c, last));
    int least = !early ? at_end * LATE : !at_end ? 1 : loads > 1 ? AT_END_OF_CHAIN : AT_END;
    least += !early && block_at(c, meet)->successor_count == 0 && !stores_shared(c, meet);
    return overlap(c, side, meet, false) >= least;
}

static bool leads_only_to(const struct code *c, int b, int to)
{
    return block_at(c, b)->successor_count == 1 && block_at(c, b)->successors[0] == to;
}

static bool comes_only_from(const struct code *c, int b, int from)
{
    return block_at(c, b)->predecessor_count == 1 && block_at(c, b)->predecessors[0] == from;
}

// Under a predicate what scales its operand needs one that is both: moves and combinations of predicates.
static double scaled_under_predicate(const struct ptx_instruction *in)
{
    enum { SCALED = 3, DIVIDED = 2 };
    if (type_of(in) != PTX_TYPE_F32 || ptx_has_modifier(in, PTX_MOD_FTZ))
        return 0;
    if (in->opcode == PTX_OP_DIV)
        return ptx_has_modifier(in, PTX_MOD_FULL) ? DIVIDED : 0;
    bool scales = in->opcode == PTX_OP_EX2 || in->opcode == PTX_OP_LG2 ||
                  in->opcode == PTX_OP_SQRT || in->opcode == PTX_OP_RSQRT;
    return scales && in_has(in, "approx") ? SCALED : 0;
}

static void join(struct code *c, int side, int to)
{
    c->joined_to[side] = to;
    for (int i = block_at(c, side)->first; i <= last_of(c, side); i++)
        if (c->slots[i] > 1)
            c->slots[i] += scaled_under_predicate(at(c, i));
    int last = last_of(c, side);
    if (is_branch(c, last))
        c->slots[last] = 0;
}

// Does another way come to the place where the sides meet, from a block that leads nowhere else?
static bool has_other_way(const struct code *c, int meet, int b, int side, int other)
{
    const struct ptx_block *m = block_at(c, meet);
    for (int p = 0; p < m->predecessor_count; p++) {
        int from = m->predecessors[p];
        if (from < 0 || from == b || from == side || from == other || c->number[from] < 0)
            continue;
        if (c->joined_to[from] != from ? c->joined_to[from] != b
                                       : block_at(c, from)->successor_count == 1)
            return true;
    }
    return false;
}

// Where a way of the branch leads, past a block that is nothing but a jump. by: that block, or NONE.
static int arm_of(const struct code *c, int b, int way, int *by)
{
    int side = block_at(c, b)->successors[way];
    *by = NONE;
    if (block_at(c, side)->count != 1 || !is_branch(c, last_of(c, side)) ||
        at(c, last_of(c, side))->guard >= 0 || block_at(c, side)->successor_count != 1 ||
        !comes_only_from(c, side, b) || block_at(c, side)->successors[0] < 0 ||
        !comes_only_from(c, block_at(c, side)->successors[0], side))
        return side;
    *by = side;
    return block_at(c, side)->successors[0];
}

// Where a way of the branch leads, past a block that is nothing but a jump to where others come, too.
static int arm_past(const struct code *c, int b, int way, int *by)
{
    int side = block_at(c, b)->successors[way];
    *by = NONE;
    if (side < 0 || block_at(c, side)->count != 1 || !is_branch(c, last_of(c, side)) ||
        at(c, last_of(c, side))->guard >= 0 || block_at(c, side)->successor_count != 1 ||
        !comes_only_from(c, side, b))
        return side;
    *by = side;
    return block_at(c, side)->successors[0];
}

static void join_arm(struct code *c, int side, int by, int b)
{
    join(c, side, b);
    if (by != NONE)
        join(c, by, b);
}

static bool side_step(struct code *c, int b)
{
    const struct ptx_block *block = block_at(c, b);
    for (int k = 0; k < 2; k++) {
        int by, by_other, side = arm_of(c, b, k, &by), other = arm_of(c, b, 1 - k, &by_other),
                          meet = block->successors[1 - k];
        if (side == b || meet == b || side == meet ||
            !comes_only_from(c, side, by == NONE ? b : by))
            continue;
        if (leads_only_to(c, side, meet) && !block_ends_thread(c->f, meet) &&
            !has_other_way(c, meet, b, side, NONE) && is_short(c, b, side) &&
            pays(c, b, side, meet, false)) {
            c->joined_late[side] = !pays(c, b, side, meet, true);
            join_arm(c, side, by, b);
            c->slots[last_of(c, b)] = 0;
            return true;
        }
        if (k == 0 && comes_only_from(c, other, by_other == NONE ? b : by_other) &&
            block_at(c, side)->successor_count == 1 &&
            leads_only_to(c, other, block_at(c, side)->successors[0]) &&
            are_short(c, b, side, other)) {
            int last = last_of(c, side);
            double jump = is_branch(c, last) ? c->slots[last] : 0;
            join_arm(c, side, by, b);
            join_arm(c, other, by_other, b);
            if (has_other_way(c, block_at(c, side)->successors[0], b, side, other))
                c->slots[last] = jump; // past the others
            c->slots[last_of(c, b)] = 0;
            return true;
        }
    }
    return false;
}

static bool only_compares(const struct code *c, int b)
{
    const struct ptx_block *block = block_at(c, b);
    double slots = 0;
    for (int i = block->first; i < last_of(c, b); i++) {
        const struct ptx_instruction *in = at(c, i);
        enum ptx_class class = ptx_opcode_class(in->opcode);
        const struct ptx_operand *to = &in->operands[0];
        if (c->fate[i] == FATE_COPY && to->reg >= 0 && c->several[to->reg])
            return false; // what one way alone hands on
        if (is_brought(in) || c->fate[i] != FATE_MADE)
            continue;
        if ((class != PTX_CLASS_INTEGER && class != PTX_CLASS_FLOAT &&
             class != PTX_CLASS_CONVERT) ||
            in->guard >= 0 || (to->reg >= 0 && c->several[to->reg]))
            return false;
        slots += in->opcode != PTX_OP_SETP ? c->slots[i] : 0;
    }
    return slots <= SHORT;
}

// Do all ways to the block come from the two?
static bool comes_from_both(const struct code *c, int block, int a, int b)
{
    for (int p = 0; p < block_at(c, block)->predecessor_count; p++) {
        int from = block_at(c, block)->predecessors[p];
        if (from != a && from != b)
            return false;
    }
    return true;
}

// What both conditions lead to alone goes under their common predicate, if it is short.
static void common_side_step(struct code *c, int b, int next, int side, int meet)
{
    if (comes_from_both(c, side, b, next) && leads_only_to(c, side, meet) &&
        !block_ends_thread(c->f, meet) && !has_other_way(c, meet, b, side, next) &&
        is_short(c, b, side) && pays(c, b, side, meet, false)) {
        join(c, side, b);
        c->slots[last_of(c, next)] = 0;
    }
}

// A further condition of the same branch: comparisons alone.
static bool condition_joins(struct code *c, int b)
{
    const struct ptx_block *block = block_at(c, b);
    for (int k = 0; k < 2; k++) {
        int next = block->successors[k], to = block->successors[1 - k];
        if (next == b || to == b || next == to || !comes_only_from(c, next, b) ||
            block_at(c, next)->successor_count != 2 || !is_branch(c, last_of(c, next)) ||
            !only_compares(c, next))
            continue;
        for (int s = 0; s < 2; s++) {
            int by, by_other, way = arm_past(c, next, s, &by),
                              other = arm_past(c, next, 1 - s, &by_other);
            if (way != to)
                continue;
            c->joined_to[next] = b;
            c->slots[last_of(c, b)] = 0;
            if (by == NONE && by_other == NONE)
                common_side_step(c, b, next, to, other);
            return true;
        }
    }
    return false;
}

void code_predicates(struct code *c)
{
    for (int b = 0; b < c->f->block_count; b++) {
        c->joined_to[b] = b;
        c->loads_about[b] = false;
    }
    for (int k = c->f->block_count - 1; k >= 0; k--)
        if (c->order[k] >= 0 && ends_with_choice(c, c->order[k])) {
            c->loads_about[c->order[k]] = loads_about(c, c->order[k]);
            if (!side_step(c, c->order[k]))
                (void)condition_joins(c, c->order[k]);
        }
    for (int b = 0; b < c->f->block_count; b++)
        while (c->joined_to[c->joined_to[b]] != c->joined_to[b])
            c->joined_to[b] = c->joined_to[c->joined_to[b]];
    for (int i = 0; i < c->count; i++)
        if (c->place[i] >= 0)
            c->place[i] = c->joined_to[c->place[i]];
    for (int k = 0; k < c->brought_count; k++)
        c->brought[k].block = c->joined_to[c->brought[k].block];
}
