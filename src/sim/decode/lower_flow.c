// How a kernel begins and ends, what parameters, special registers and addresses of shared variables take to come into registers,
// and which copies are moves.
// SPDX-License-Identifier: Apache-2.0
#include "sim/decode/lower_forms.h"

#include <stdlib.h>
#include <string.h>

enum { NONE = -1 };

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

static bool is_kept_for(const struct symbols *s, int i, int place)
{
    return dominates(s->c, s->kept[i].block, place) &&
           !is_behind_loop(s->c, s->kept[i].block, place);
}

// The window of the block in its cluster, a number, and both together; of a further variable a number and the sum, but nothing for
// an access at a number beside it: the distance from the first one is known.
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
        if (is_kept_for(s, i, place)) {
            any = true;
            same |= s->kept[i].variable == variable;
        }
    bool beside = any && at(s->c, instruction)->opcode != PTX_OP_MOV;
    if (!same && !beside && s->count < (int)COUNT_OF(s->kept))
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

// In the model of time nothing is left of a loop's instruction that names a variable, where the window is in a register before the loop.
static void symbol_time(const struct symbols *s, int instruction)
{
    const struct code *c = s->c;
    int block = c->f->block_of[instruction], loop = c->loop_of[block];
    struct timing_site *t = &c->sites[instruction];
    bool before = false, within = false;
    for (int i = 0; i < s->count; i++) {
        bool own = c->loop_of[s->kept[i].block] == loop;
        within |= own && s->kept[i].instruction == instruction;
        before |= !own && is_kept_for(s, i, block);
    }
    if (loop < 0 || within || !before || t->pipe != PIPE_CONST)
        return;
    t->pipe = PIPE_NONE;
    t->other_slots = 0;
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
    for (int k = 0; k < c->count; k++)
        if (at(c, k)->opcode == PTX_OP_MOV && shared_variable_of(at(c, k)) != NULL &&
            c->f->block_of[k] >= 0 && c->number[c->f->block_of[k]] >= 0)
            symbol_time(&s, k);
}

static bool is_global_access(const struct ptx_instruction *in)
{
    return (in->opcode == PTX_OP_LD || in->opcode == PTX_OP_ST || in->opcode == PTX_OP_ATOM ||
            in->opcode == PTX_OP_RED) &&
           is_in_global_memory(in);
}

// Under a predicate the base of an address is loaded into the register that the address is made in.
static bool is_base_under_predicate(const struct code *c, int reader)
{
    int block = c->f->block_of[reader];
    const struct ptx_instruction *in = at(c, reader);
    return c->joined_to[block] != block && in->opcode == PTX_OP_ADD && in->type_count > 0 &&
           ptx_type_bits(in->types[0]) == 64;
}

// Uniform registers are loaded without a predicate: a word that only an instruction under one reads is loaded to a register of the thread's.
static bool is_word_under_predicate(const struct code *c, int i, int reader)
{
    int block = c->f->block_of[reader];
    return c->joined_to[block] != block && at(c, i)->type_count > 0 &&
           ptx_type_bits(at(c, i)->types[0]) == 32 && c->fate[reader] == FATE_MADE &&
           (is_product(at(c, reader), 32) || is_float(at(c, reader)) ||
            at(c, reader)->opcode == PTX_OP_SUB) &&
           at(c, reader)->opcode != PTX_OP_SETP && value_differs(c, reader);
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

// A parameter of 8 bits with a sign, or of 16, where a word begins, comes with the word's other bytes, and is extended.
static bool is_extended_parameter(const struct code *c, int i)
{
    enum { WORD_BYTES = 4 };
    const struct ptx_instruction *in = at(c, i);
    if (in->opcode != PTX_OP_LD || in->type_count == 0 || in->operands[1].variable == NULL)
        return false;
    int bits = ptx_type_bits(in->types[0]);
    uint64_t at_bytes =
        in->operands[1].variable->param_offset_bytes + (uint64_t)in->operands[1].offset;
    return at_bytes % WORD_BYTES == 0 && (bits == 16 || (bits == 8 && is_signed(in->types[0])));
}

static void parameter_bring(struct code *c, int i)
{
    int places[PLACES], count = 0, last = NONE, own = NONE;
    double loads = 1 + is_extended_parameter(c, i);
    c->slots[i] = 0;
    for (int r = c->first_reader[i]; r < c->first_reader[i + 1]; r++) {
        int reader = c->readers[r].instruction, block = c->joined_to[c->f->block_of[reader]],
            loop = loop_of_base(c, i, reader);
        if (loop != NONE && loop != last)
            code_bring(c, block, reader, loads);
        if (loop != NONE)
            last = loop;
        else if (!is_base_under_predicate(c, reader) && !is_word_under_predicate(c, i, reader))
            count = place_add(c, places, count, before_loops(c, block));
    }
    for (int r = c->first_reader[i]; r < c->first_reader[i + 1]; r++) {
        int reader = c->readers[r].instruction, block = c->joined_to[c->f->block_of[reader]];
        bool there =
            !(is_base_under_predicate(c, reader) || is_word_under_predicate(c, i, reader)) ||
            loop_of_base(c, i, reader) != NONE;
        for (int p = 0; p < count; p++)
            there |= dominates(c, places[p], block);
        if (is_word_under_predicate(c, i, reader)) { // once in a block
            there |= c->f->block_of[reader] == own;
            own = c->f->block_of[reader];
        }
        if (!there)
            code_bring(c, block, reader, loads);
    }
    for (int p = 0; p < count; p++)
        if (!comes_along(c, i, places[p]))
            code_bring(c, places[p], i, loads);
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

static bool writes_register(const struct code *c, int block, int reg)
{
    const struct ptx_block *b = block_at(c, block);
    for (int i = b->first; i < b->first + b->count; i++) {
        const struct ptx_operand *to = &at(c, i)->operands[0];
        if (at(c, i)->writes_first && to->kind == PTX_OPERAND_REGISTER && to->reg == reg)
            return true;
    }
    return false;
}

// Does another way bring the register's old value to where this one leads, past what made the copied value? Both are there at once.
static bool is_beside_old(const struct code *c, int copy, int made)
{
    int block = c->f->block_of[copy], from = c->f->block_of[made],
        reg = at(c, copy)->operands[0].reg;
    if (from == block || block_at(c, block)->successor_count != 1 || !dominates(c, from, block))
        return false;
    int to = block_at(c, block)->successors[0];
    const struct ptx_block *meet = block_at(c, to);
    for (int p = 0; p < meet->predecessor_count; p++) {
        int other = meet->predecessors[p];
        if (other == block || c->number[other] < 0 || !dominates(c, from, other) ||
            dominates(c, to, other) || (other != from && writes_register(c, other, reg)))
            continue;
        for (int b = from; b >= 0; b = c->dominator[b])
            if (writes_register(c, b, reg))
                return true;
    }
    return false;
}

// Is the register's old value read in a block of the loop that comes behind the one where the new value was made? Both are there at once.
static bool is_read_later(const struct code *c, int copy, int made, int reg)
{
    int block = c->f->block_of[copy], from = c->f->block_of[made], loop = c->loop_of[block];
    if (loop < 0 || from == block || !in_loop(c, from, loop))
        return false;
    for (int i = 0; i < c->count; i++) {
        int b = c->f->block_of[i];
        if (b >= 0 && b != from && in_loop(c, b, loop) && c->number[b] > c->number[from] &&
            c->number[b] <= c->number[block] && i < copy && c->fate[i] != FATE_DEAD &&
            reads_kept_register(c, i, reg))
            return true;
    }
    return false;
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
    if (is_beside_old(c, copy, made))
        return true;
    if (jumps_back(c, block)) // unless the old value is read when the new one is there
        return is_read_later(c, copy, made, at(c, copy)->operands[0].reg) ||
               (c->f->block_of[made] == block &&
                is_kept_read(c, made, copy, at(c, copy)->operands[0].reg));
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

// What compilers make again far behind a loop, to keep registers free in it, ptxas makes again half of the times: 0.5 of 640 such instructions in
// some 70 kernels (the others take the value that is there).
static void made_again_place(struct code *c)
{
    enum { FAR = 150 }; // instructions of PTX
    const double half = 0.5;
    for (int i = 0; i < c->count; i++) {
        int first = c->same[i], block = c->f->block_of[i];
        enum ptx_class class = ptx_opcode_class(at(c, i)->opcode);
        bool special = at(c, i)->opcode == PTX_OP_MOV && is_brought(at(c, i)) &&
                       at(c, i)->operands[1].kind == PTX_OPERAND_SPECIAL;
        if (c->fate[i] == FATE_SAME && block >= 0 && c->number[block] >= 0 && i - first >= FAR &&
            value_differs(c, i) && (special || class == PTX_CLASS_INTEGER) &&
            is_behind_loop(c, c->f->block_of[first], block))
            c->slots[i] = half;
    }
}

void code_flow(struct code *c)
{
    values_bring(c);
    made_again_place(c);
    symbols_bring(c);
    code_waits(c);
    jumps_place(c);
    copies_place(c);
    handed_place(c);
}
