// Which branches become predicates, how a kernel begins and ends, what parameters, special
// registers and addresses of shared variables take to come into registers, and which copies are moves.
// SPDX-License-Identifier: Apache-2.0
#include "sim/decode/lower_forms.h"

#include <stdlib.h>
#include <string.h>

enum { NONE = -1 };

/* ---- predicates ----------------------------------------------------------------------------------- */

enum { SHORT = 8, SHORT_SAME = 6, SHORT_LOADS = 20, WINDOW = 3 };

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

static bool is_brought(const struct ptx_instruction *in)
{
    if (in->opcode == PTX_OP_LD)
        return in->space_count > 0 && in->spaces[0] == PTX_SPACE_PARAM;
    return in->opcode == PTX_OP_MOV && (in->operands[1].kind == PTX_OPERAND_SPECIAL ||
                                        in->operands[1].kind == PTX_OPERAND_SYMBOL);
}

static bool is_shared_symbol(const struct ptx_operand *op)
{
    return op->symbol != NULL && op->variable != NULL && op->variable->space == PTX_SPACE_SHARED;
}

// Is what the block has, less its jump, so little that it goes under a predicate?
static bool is_short(const struct code *c, int b, bool same)
{
    const struct ptx_block *block = block_at(c, b);
    double slots = 0;
    bool loads = false;
    for (int i = block->first; i < block->first + block->count; i++) {
        if (is_branch(c, i) && i == last_of(c, b)) {
            slots += at(c, i)->guard < 0;
            break;
        }
        if (!may_have_predicate(c, i) || at(c, i)->opcode == PTX_OP_CALL)
            return false;
        loads |= is_global_load(at(c, i));
        bool place = at(c, i)->opcode == PTX_OP_MOV && is_shared_symbol(&at(c, i)->operands[1]);
        slots += place ? WINDOW : is_brought(at(c, i)) ? 0 : c->slots[i];
        enum { SUBROUTINE = 30 };
        if (c->slots[i] > SUBROUTINE)
            return false;
    }
    return slots <= (double)(loads ? SHORT_LOADS : same ? SHORT_SAME : SHORT);
}

// What of the block behind could go on while the side's loads are on their way: machine instructions, those that take long
// themselves as several.
static int overlap(const struct code *c, int side, int meet)
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
        blocked =
            stores && (class == PTX_CLASS_BARRIER || (in->opcode == PTX_OP_LD && !is_brought(in)));
        if (depends || blocked || is_branch(c, i) || is_brought(in) || class == PTX_CLASS_CONTROL)
            continue;
        if (in->opcode == PTX_OP_LD || class == PTX_CLASS_SPECIAL)
            sum += is_global_load(in) ? LONG : SHORT_WAIT;
        else
            sum += c->slots[i] > 0;
    }
    free(made);
    return sum + (read || m->count == 0 ? 0 : UNREAD);
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

// A side with a load from memory goes under a predicate where something is to be done until what it loads is there: a little, or
// (early) so much that it does before loops are unrolled, which stay as they are with branches in them.
static bool pays(const struct code *c, int side, int meet, bool early)
{
    enum { LATE = 1, AT_END = 4, AT_END_OF_CHAIN = 2 };
    const struct ptx_block *b = block_at(c, side);
    int loads = 0, last = NONE;
    for (int i = b->first; i < b->first + b->count; i++) {
        loads += is_global_load(at(c, i));
        if (c->slots[i] > 0 && !is_branch(c, i))
            last = i;
    }
    if (loads == 0)
        return true;
    if (c->loop_of[side] < 0 && makes_shared_place(c, side) && only_chooses(c, meet))
        return false;
    bool at_end = is_global_load(at(c, last));
    int least = !early ? at_end * LATE : !at_end ? 1 : loads > 1 ? AT_END_OF_CHAIN : AT_END;
    return overlap(c, side, meet) >= least;
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

// Does anything in the block read what it loads from memory? Nothing else would go on meanwhile.
static bool waits_for_load(const struct code *c, int b)
{
    const struct ptx_block *block = block_at(c, b);
    for (int i = block->first; i < block->first + block->count; i++)
        for (int s = c->first_source[i]; s < c->first_source[i + 1]; s++) {
            int from = def_of(c, c->sources[s]);
            if (from >= 0 && c->f->block_of[from] == b && is_global_load(at(c, from)))
                return true;
        }
    return false;
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
        bool same = same_branch(c, b);
        if (leads_only_to(c, side, meet) && !block_ends_thread(c->f, meet) &&
            !has_other_way(c, meet, b, side, NONE) && is_short(c, side, same) &&
            pays(c, side, meet, false)) {
            c->joined_late[side] = !pays(c, side, meet, true);
            join_arm(c, side, by, b);
            c->slots[last_of(c, b)] = 0;
            return true;
        }
        if (k == 0 && comes_only_from(c, other, by_other == NONE ? b : by_other) &&
            block_at(c, side)->successor_count == 1 &&
            leads_only_to(c, other, block_at(c, side)->successors[0]) && is_short(c, side, same) &&
            is_short(c, other, same) && !waits_for_load(c, side) && !waits_for_load(c, other)) {
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
        const struct ptx_block *further = block_at(c, next);
        if (further->successors[0] == to || further->successors[1] == to) {
            c->joined_to[next] = b;
            c->slots[last_of(c, b)] = 0;
            return true;
        }
    }
    return false;
}

void code_predicates(struct code *c)
{
    for (int b = 0; b < c->f->block_count; b++)
        c->joined_to[b] = b;
    for (int k = c->f->block_count - 1; k >= 0; k--)
        if (c->order[k] >= 0 && ends_with_choice(c, c->order[k]) && !side_step(c, c->order[k]))
            (void)condition_joins(c, c->order[k]);
    for (int b = 0; b < c->f->block_count; b++)
        while (c->joined_to[c->joined_to[b]] != c->joined_to[b])
            c->joined_to[b] = c->joined_to[c->joined_to[b]];
    for (int i = 0; i < c->count; i++)
        if (c->place[i] >= 0)
            c->place[i] = c->joined_to[c->place[i]];
}

/* ---- what is brought into registers once ---------------------------------------------------------- */

// Out of the innermost loop that the value's readers are in: what outer loops read is loaded anew.
int before_loops(const struct code *c, int block)
{
    while (block >= 0 && c->loop_of[block] >= 0 && !c->loops[c->loop_of[block]].has_inner) {
        int head = c->loops[c->loop_of[block]].head;
        int before = c->dominator[head];
        if (before < 0)
            return block;
        block = before;
    }
    return block;
}

enum { PLACES = 64 };

// Adds a block to those where a value is brought into a register, unless one of them comes before it.
static int place_add(const struct code *c, int *places, int count, int block)
{
    for (int k = 0; k < count; k++)
        if (dominates(c, places[k], block))
            return count;
    int left = 0;
    for (int k = 0; k < count; k++)
        if (!dominates(c, block, places[k]))
            places[left++] = places[k];
    if (left < PLACES)
        places[left++] = block;
    return left;
}

// Is the block, or that with which it is executed, passed in each turn of the loop?
static bool is_in_each_turn(const struct code *c, int block, int loop)
{
    const struct ptx_block *head = block_at(c, c->loops[loop].head);
    for (int p = 0; p < head->predecessor_count; p++)
        if (in_loop(c, head->predecessors[p], loop) &&
            !dominates(c, c->joined_to[block], head->predecessors[p]))
            return false;
    return true;
}

// Out of the loop that reads it in each turn; what only some turns read is made there.
static int symbol_place(const struct code *c, int block)
{
    int loop = c->loop_of[block];
    return loop < 0 || is_in_each_turn(c, block, loop) ? before_loops(c, block) : block;
}

// Where the readers of a value need it, out of loops. apart: what is under a predicate is a place of its own.
static int places_for_readers(const struct code *c, int i, int *places, bool apart)
{
    int count = 0;
    for (int r = c->first_reader[i]; r < c->first_reader[i + 1]; r++) {
        int block = c->f->block_of[c->readers[r].instruction];
        int place = apart ? symbol_place(c, block) : before_loops(c, c->joined_to[block]);
        count = place_add(c, places, count, place);
    }
    return count;
}

// Does a loop stand between the two blocks, of which the first comes before the second? What is cheap to make is made anew behind it.
static bool is_behind_loop(const struct code *c, int first, int second)
{
    for (int l = 0; l < c->loop_count; l++) {
        int head = c->loops[l].head;
        if (!in_loop(c, first, l) && !in_loop(c, second, l) && dominates(c, first, head) &&
            c->number[head] < c->number[second])
            return true;
    }
    return false;
}

struct symbol_kept { // in a uniform register
    const struct ptx_variable *variable;
    int block, instruction;
    double slots;
};
struct symbols {
    const struct code *c;
    struct symbol_kept kept[128];
    int count;
};

// What another place behind the same loop has: both take it from where the ways to them part, if that is behind the loop, too.
static void symbols_share(struct symbols *s, int from, int place)
{
    for (int i = 0; i < s->count; i++) {
        int before = common_dominator(s->c, s->kept[i].block, place);
        if (before >= 0 && !dominates(s->c, s->kept[i].block, place) &&
            is_behind_loop(s->c, s->kept[from].block, before))
            s->kept[i].block = before;
    }
}

// What is made under a predicate is made without one if it is read behind it, too, in straight code.
static void symbols_free(struct symbols *s, int place)
{
    const int *joined_to = s->c->joined_to;
    for (int i = 0; i < s->count; i++) {
        int block = s->kept[i].block, b = joined_to[block] + 1;
        if (joined_to[block] == block || joined_to[place] != place || place < b)
            continue;
        while (b <= place && code_goes_on(s->c, b))
            b++;
        if (b > place)
            s->kept[i].block = joined_to[block];
    }
}

// The window of the block in its cluster, a number, and both together; of a further variable a number and the sum.
static void symbol_keep(struct symbols *s, const struct ptx_variable *variable, int instruction,
                        int place)
{
    enum { FIRST = 3, FURTHER = 2 };
    bool same = false, any = false;
    symbols_free(s, place);
    for (int i = 0; i < s->count; i++)
        if (dominates(s->c, s->kept[i].block, place) &&
            is_behind_loop(s->c, s->kept[i].block, place))
            symbols_share(s, i, place);
    for (int i = 0; i < s->count; i++)
        if (dominates(s->c, s->kept[i].block, place) &&
            !is_behind_loop(s->c, s->kept[i].block, place)) {
            any = true;
            same |= s->kept[i].variable == variable;
        }
    if (!same && s->count < (int)COUNT_OF(s->kept))
        s->kept[s->count++] =
            (struct symbol_kept){variable, place, instruction, any ? FURTHER : FIRST};
}

static const struct ptx_variable *shared_variable_of(const struct ptx_instruction *in)
{
    const struct ptx_variable *variable = NULL;
    for (int o = 0; o < in->operand_count; o++)
        if (is_shared_symbol(&in->operands[o]))
            variable = in->operands[o].variable;
    return variable;
}

static void symbols_bring(struct code *c)
{
    struct symbols s = {.c = c, .count = 0};
    for (int k = 0; k < c->count; k++) {
        const struct ptx_instruction *in = at(c, k);
        int block = c->f->block_of[k], places[PLACES], place_count = 1;
        const struct ptx_variable *variable = shared_variable_of(in);
        if (variable == NULL || block < 0 || c->number[block] < 0 || c->fate[k] == FATE_DEAD)
            continue;
        if (in->opcode == PTX_OP_MOV)
            c->slots[k] = 0;
        if (c->fate[k] == FATE_SAME)
            continue;
        places[0] = symbol_place(c, block);
        // A register that several write has it where it is moved, others where they are read.
        if (in->opcode == PTX_OP_MOV &&
            (in->operands[0].reg < 0 || !c->several[in->operands[0].reg]))
            place_count = places_for_readers(c, k, places, true);
        for (int p = 0; p < place_count; p++)
            symbol_keep(&s, variable, k, places[p]);
    }
    for (int i = 0; i < s.count; i++)
        code_bring(c, c->joined_to[s.kept[i].block], s.kept[i].instruction, s.kept[i].slots);
}

static bool is_global_access(const struct ptx_instruction *in)
{
    if (in->opcode != PTX_OP_LD && in->opcode != PTX_OP_ST && in->opcode != PTX_OP_ATOM &&
        in->opcode != PTX_OP_RED)
        return false;
    enum ptx_space space = ptx_space_of(in);
    return space == PTX_SPACE_GLOBAL || space == PTX_SPACE_GENERIC;
}

// Under a predicate the base of an address is loaded into the register that the address is made in.
static bool is_base_under_predicate(const struct code *c, int reader)
{
    int block = c->f->block_of[reader];
    const struct ptx_instruction *in = at(c, reader);
    return c->joined_to[block] != block && in->opcode == PTX_OP_ADD && in->type_count > 0 &&
           ptx_type_bits(in->types[0]) == 64;
}

// Two words that stand beside each other come together.
static bool comes_along(const struct code *c, int i, int place)
{
    const struct ptx_instruction *in = at(c, i);
    if (in->type_count == 0 || ptx_type_bits(in->types[0]) != 32 ||
        in->operands[1].variable == NULL)
        return false;
    uint64_t own = in->operands[1].variable->param_offset_bytes + (uint64_t)in->operands[1].offset;
    for (int k = 0; k < i; k++) {
        const struct ptx_instruction *other = at(c, k);
        if (other->opcode != PTX_OP_LD || !is_brought(other) || c->fate[k] != FATE_MADE ||
            ptx_type_bits(other->types[0]) != 32 || other->operands[1].variable == NULL ||
            c->word_place[k] != place + 1)
            continue;
        uint64_t its =
            other->operands[1].variable->param_offset_bytes + (uint64_t)other->operands[1].offset;
        if (own >> 3 == its >> 3 && own != its)
            return true;
    }
    c->word_place[i] = place + 1;
    return false;
}

// Is the instruction part of a load's or a store's address?
static bool is_for_address(const struct code *c, int i)
{
    for (int r = c->first_reader[i]; r < c->first_reader[i + 1]; r++) {
        enum ptx_class class = ptx_opcode_class(at(c, c->readers[r].instruction)->opcode);
        if ((class == PTX_CLASS_MEMORY || class == PTX_CLASS_ATOMIC) && c->readers[r].operand == 0)
            return true;
    }
    return false;
}

// A loop in which a base would be kept for long without being read, or that has many loads for what else it does, loads it anew
// in each turn.
static bool loads_anew(const struct code *c, int loop)
{
    enum { UNREAD = 22, LOADS = 6 };
    const double share = 0.23;
    double loads = 0, others = 0, addresses = 0;
    for (int i = 0; i < c->count; i++) {
        int block = c->f->block_of[i];
        if (block < 0 || c->loop_of[block] != loop || c->slots[i] <= 0)
            continue;
        if (at(c, i)->opcode == PTX_OP_LD && !is_brought(at(c, i)))
            loads++;
        else if (is_for_address(c, i))
            addresses += c->slots[i];
        else
            others += c->slots[i];
    }
    return others > UNREAD || (loads >= LOADS && loads > share * (loads + others + addresses));
}

// The innermost loop in which the reader has a base that is loaded anew; -1.
static int loop_of_base(const struct code *c, int i, int reader)
{
    int loop = c->loop_of[c->f->block_of[reader]];
    bool base = at(c, i)->type_count > 0 && ptx_type_bits(at(c, i)->types[0]) == 64 &&
                is_for_address(c, reader) && !is_base_under_predicate(c, reader);
    return base && loop >= 0 && !c->loops[loop].has_inner && loads_anew(c, loop) ? loop : NONE;
}

static void parameter_bring(struct code *c, int i)
{
    int places[PLACES], count = 0, last = NONE;
    c->slots[i] = 0;
    for (int r = c->first_reader[i]; r < c->first_reader[i + 1]; r++) {
        int reader = c->readers[r].instruction, block = c->joined_to[c->f->block_of[reader]],
            loop = loop_of_base(c, i, reader);
        if (loop != NONE && loop != last)
            code_bring(c, block, reader, 1);
        if (loop != NONE)
            last = loop;
        else if (!is_base_under_predicate(c, reader))
            count = place_add(c, places, count, before_loops(c, block));
    }
    for (int r = c->first_reader[i]; r < c->first_reader[i + 1]; r++) {
        int reader = c->readers[r].instruction, block = c->joined_to[c->f->block_of[reader]];
        bool there = !is_base_under_predicate(c, reader) || loop_of_base(c, i, reader) != NONE;
        for (int p = 0; p < count; p++)
            there |= dominates(c, places[p], block);
        if (!there)
            code_bring(c, block, reader, 1);
    }
    for (int p = 0; p < count; p++)
        if (!comes_along(c, i, places[p]))
            code_bring(c, places[p], i, 1);
}

static void special_bring(struct code *c, int i)
{
    int places[PLACES], count = places_for_readers(c, i, places, false), place = NONE;
    for (int p = 0; p < count; p++)
        place = p == 0 ? places[p] : common_dominator(c, place, places[p]);
    if (place != NONE)
        c->place[i] = place;
}

static void values_bring(struct code *c)
{
    int described = NONE;
    for (int i = 0; i < c->count; i++) {
        int block = c->f->block_of[i];
        if (block < 0 || c->number[block] < 0 || c->fate[i] == FATE_DEAD)
            continue;
        if (is_global_access(at(c, i)))
            described = described == NONE ? c->joined_to[block]
                                          : common_dominator(c, described, c->joined_to[block]);
        if (c->fate[i] != FATE_MADE || !is_brought(at(c, i)) ||
            c->several[at(c, i)->operands[0].reg < 0 ? 0 : at(c, i)->operands[0].reg])
            continue;
        if (at(c, i)->opcode == PTX_OP_LD)
            parameter_bring(c, i);
        else
            special_bring(c, i);
    }
    if (described != NONE)
        code_bring(c, before_loops(c, described), NONE, 1);
    code_bring(c, 0, NONE, c->f->is_entry); // the stack pointer
}

/* ---- ways -------------------------------------------------------------------------------------------- */

// A loop that is left in its middle is turned about: what comes before the test stands before the loop once more, and again at
// its end, where the test takes the place of the jump back.
static bool is_turned_about(const struct code *c, int b)
{
    int head = block_at(c, b)->successors[0];
    if (!dominates(c, head, b))
        return false;
    for (int e = b; e >= 0; e = e == head ? NONE : c->dominator[e])
        for (int s = 0; ends_with_choice(c, e) && s < 2; s++)
            if (c->loop_of[head] >= 0 &&
                !in_loop(c, block_at(c, e)->successors[s], c->loop_of[head]))
                return true;
    return false;
}

static void jumps_place(struct code *c)
{
    for (int b = 0; b < c->f->block_count; b++) {
        const struct ptx_block *block = block_at(c, b);
        if (block->count == 0 || c->number[b] < 0)
            continue;
        int last = last_of(c, b);
        if (is_branch(c, last) && at(c, last)->guard < 0 && block->successor_count == 1 &&
            (block->successors[0] == b + 1 || block_ends_thread(c->f, block->successors[0]) ||
             is_turned_about(c, b)))
            c->slots[last] = 0;
        // Those whose lanes all end at a branch do not come to the end behind it.
        if (!block_ends_thread(c->f, b))
            continue;
        int from = NONE, ways = 0;
        for (int p = 0; p < block->predecessor_count; p++)
            if (!ends_with_choice(c, block->predecessors[p]) ||
                c->slots[last_of(c, block->predecessors[p])] <= 0) {
                from = block->predecessors[p];
                ways++;
            }
        if (ways == 1 && block->predecessor_count > 1)
            c->place[block->first] = c->joined_to[from];
    }
}

/* ---- copies ------------------------------------------------------------------------------------------- */

static int words_of(const struct ptx_instruction *in)
{
    int bits = in->type_count > 0 ? ptx_type_bits(in->types[0]) : 32;
    return bits == 64 ? 2 : bits == 1 ? 0 : 1;
}

static bool jumps_back(const struct code *c, int block)
{
    for (int s = 0; s < c->f->blocks[block].successor_count; s++)
        if (dominates(c, c->f->blocks[block].successors[s], block))
            return true;
    return false;
}

static bool is_loop_head(const struct code *c, int block)
{
    for (int n = 0; n < c->loop_count; n++)
        if (c->loops[n].head == block)
            return true;
    return false;
}

// Does anything between read both the register's old value and, in the end, the new one, or copy the old one? Other reads come
// before the new one is made.
static bool is_kept_read(const struct code *c, int made, int copy, int reg)
{
    bool *depends = xcalloc((size_t)(copy - made), sizeof *depends), found = false;
    depends[0] = true;
    for (int i = made + 1; i < copy; i++) {
        bool reads = false;
        for (int s = c->first_source[i]; s < c->first_source[i + 1]; s++) {
            const struct origin *v = &c->sources[s];
            reads |= v->kind == VALUE_KEPT && v->at == reg;
            depends[i - made] |=
                v->kind == VALUE_MADE && v->at >= made && v->at < i && depends[v->at - made];
        }
        found |= reads && (depends[i - made] || c->fate[i] == FATE_COPY);
    }
    free(depends);
    return found;
}

static bool reads_kept_register(const struct code *c, int i, int reg)
{
    for (int s = c->first_source[i]; s < c->first_source[i + 1]; s++)
        if (c->sources[s].kind == VALUE_KEPT && c->sources[s].at == reg)
            return true;
    return false;
}

static bool reads_between(const struct code *c, int made, int copy, int reg)
{
    for (int i = made + 1; i < copy; i++)
        for (int s = c->first_source[i]; s < c->first_source[i + 1]; s++)
            if (c->sources[s].kind == VALUE_KEPT && c->sources[s].at == reg)
                return true;
    return false;
}

static bool is_kept_anywhere(const struct code *c, int reg)
{
    for (int s = 0; s < c->first_source[c->count]; s++)
        if (c->sources[s].kind == VALUE_KEPT && c->sources[s].at == reg)
            return true;
    return false;
}

// Is what the copy takes in a register that several instructions write, and that is read behind it, too? Under a predicate both
// hold old values at once.
static bool is_beside_other(const struct code *c, int copy, int made)
{
    const struct ptx_operand *to = &at(c, made)->operands[0];
    return to->kind == PTX_OPERAND_REGISTER && to->reg >= 0 && c->several[to->reg] &&
           to->reg != at(c, copy)->operands[0].reg && c->fate[made] == FATE_MADE &&
           is_kept_anywhere(c, to->reg) && is_kept_anywhere(c, at(c, copy)->operands[0].reg);
}

// Is the value read by anything that comes behind the copy? What a loop hands to its next turn is made in the right register.
static bool is_read_behind(const struct code *c, int copy, int made)
{
    int block = c->f->block_of[copy];
    if (made < 0)
        return false;
    // Under a predicate that what made it has not, or while the old value is read.
    if (c->joined_to[block] != block &&
        (c->f->block_of[made] != block || is_beside_other(c, copy, made) ||
         reads_between(c, made, copy, at(c, copy)->operands[0].reg)))
        return true;
    if (jumps_back(c, block)) // unless the old value is read when the new one is there
        return c->f->block_of[made] == block &&
               is_kept_read(c, made, copy, at(c, copy)->operands[0].reg);
    for (int r = c->first_reader[made]; r < c->first_reader[made + 1]; r++) {
        int reader = c->readers[r].instruction, its = c->f->block_of[reader];
        if (reader != copy && (its == block ? reader > copy : c->number[its] > c->number[block]))
            return true;
    }
    return false;
}

// Does the turn hand the register's old value on to another one, which a turn before left a value in for it?
static bool is_handed_on(const struct code *c, int block, int reg)
{
    const struct ptx_block *b = block_at(c, block);
    for (int i = b->first; i < b->first + b->count; i++) {
        const struct ptx_operand *to = &at(c, i)->operands[0];
        if (c->fate[i] != FATE_COPY || to->kind != PTX_OPERAND_REGISTER || to->reg < 0 ||
            !c->several[to->reg] || !reads_kept_register(c, i, reg))
            continue;
        for (int k = b->first; k < b->first + b->count; k++)
            if (k != i && reads_kept_register(c, k, to->reg))
                return true;
    }
    return false;
}

// What is made for the next turn's register while the turn's own value is still to be handed on is moved there at the end.
static void handed_place(struct code *c)
{
    for (int b = 0; b < c->f->block_count; b++) {
        const struct ptx_block *block = block_at(c, b);
        if (c->number[b] < 0 || !jumps_back(c, b))
            continue;
        for (int i = block->first; i < block->first + block->count; i++) {
            const struct ptx_operand *to = &at(c, i)->operands[0];
            if (c->fate[i] == FATE_MADE && at(c, i)->writes_first && at(c, i)->guard < 0 &&
                to->kind == PTX_OPERAND_REGISTER && to->reg >= 0 && c->several[to->reg] &&
                is_handed_on(c, b, to->reg))
                c->slots[i] += words_of(at(c, i));
        }
    }
}

// Has the block written the register whose old value the copy reads? It has been kept in another one until then.
static bool is_overwritten(const struct code *c, int copy, int reg)
{
    for (int i = block_at(c, c->f->block_of[copy])->first; i < copy; i++) {
        const struct ptx_operand *to = &at(c, i)->operands[0];
        if (at(c, i)->writes_first && to->kind == PTX_OPERAND_REGISTER && to->reg == reg)
            return true;
    }
    return false;
}

// Under a predicate: has what comes before without it copied the same to the register?
static bool is_copied_before(const struct code *c, int copy)
{
    int block = c->f->block_of[copy], reg = at(c, copy)->operands[0].reg, to = c->joined_to[block];
    if (to == block)
        return false;
    for (int i = copy - 1; i >= block_at(c, to)->first; i--) {
        const struct ptx_operand *written = &at(c, i)->operands[0];
        int its = c->f->block_of[i];
        if (its < 0 || its == block || c->joined_to[its] != to || !dominates(c, its, block) ||
            !at(c, i)->writes_first || written->kind != PTX_OPERAND_REGISTER || written->reg != reg)
            continue;
        return c->fate[i] == FATE_COPY && same_value(c, source_of(c, i, 0), source_of(c, copy, 0));
    }
    return false;
}

// A register that several instructions write begins as a number, or as a copy of what is read elsewhere, too.
static void copies_place(struct code *c)
{
    int *zeros = xcalloc((size_t)c->f->block_count + 1, sizeof *zeros);
    for (int i = 0; i < c->count; i++) {
        const struct ptx_instruction *in = at(c, i);
        int block = c->f->block_of[i];
        if (c->fate[i] != FATE_COPY || block < 0 || c->number[block] < 0 ||
            in->operands[0].reg < 0 || !c->several[in->operands[0].reg] || is_copied_before(c, i))
            continue;
        const struct origin *from = source_of(c, i, 0);
        int words = words_of(in);
        if (words == 2 && !c->high[in->operands[0].reg])
            words = 1;
        if (from->kind == VALUE_NUMBER) {
            if (from->bits == 0)
                zeros[c->joined_to[block]] += words;
            else
                c->slots[i] = (double)words;
        } else if (from->kind == VALUE_MADE) {
            c->slots[i] = is_read_behind(c, i, def_of(c, *from)) ? (double)words : 0;
        } else {
            c->slots[i] = (double)words * (is_overwritten(c, i, from->at) ? 2 : 1);
        }
    }
    for (int b = 0; b < c->f->block_count; b++) {
        // CS2R clears two registers beside each other: of a loop's, or of many.
        bool loop = false;
        for (int s = 0; s < c->f->blocks[b].successor_count; s++)
            loop |= is_loop_head(c, c->f->blocks[b].successors[s]);
        double moves = loop || zeros[b] > 3 ? (zeros[b] + 1) / 2 : zeros[b];
        code_bring(c, b, NONE, moves);
    }
    free(zeros);
}

void code_flow(struct code *c)
{
    values_bring(c);
    symbols_bring(c);
    code_waits(c);
    jumps_place(c);
    copies_place(c);
    handed_place(c);
}
