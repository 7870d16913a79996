// Loops that ptxas unrolls, for the model of time only: of four turns its code loads first what they need, and uses it after, as far
// as there are registers beside what is held through the loop: 16 words, but 8 of 64 bits, 12 in a kernel that keeps more, and so
// 2 to 7 waits of four turns. Read off ptxas 13.0's code for sm_90 (bench/truth/tuning/products: sixteen loads before the first is
// waited for): loops of one block without "nounroll", whose end a register decides that each turn adds a constant to (not one that
// is made of such a register, nor one to which a register is added: those are not unrolled); without atomics, barriers and calls,
// which loads would have to pass. They pass stores to shared memory, stores at the same pointer with other offsets, and all stores if
// they are of read-only data (ld.global.nc). Loads at places that were loaded (indices) begin together too, when these are there: with
// them two waits of four turns. Read off its code for loops with copies, gathers, and gathers of gathers, as
// tests/sim/ahead_time_test.c has them.
// SPDX-License-Identifier: Apache-2.0
#include "sim/decode/lower_code.h"
#include "sim/model/cost.h"

#include <stdlib.h>
#include <string.h>

enum { BODY_MAX = 256 }; // instructions of PTX

static int level_of(const uint8_t *level, const uint16_t *list, int count)
{
    int most = 0;
    for (int i = 0; i < count; i++)
        most = level[list[i]] > most ? level[list[i]] : most;
    return most;
}

// By register, how many loads of the loop stand one behind the other until its value is there; LEVELS + 1: more. Returns whether a
// register has more than before.
static bool levels_spread(const struct timing_site *sites, int count, uint8_t *level)
{
    bool more = false;
    for (int i = 0; i < count; i++) {
        const struct timing_site *t = &sites[i];
        bool global = pipe_info(t->pipe)->unit == UNIT_LOAD,
             other = !global && pipe_info(t->pipe)->touches != TOUCHES_NOTHING;
        int mine = other ? LOAD_LEVELS + 1
                         : level_of(level, t->source, t->source_count) + (global ? 1 : 0);
        mine = mine > LOAD_LEVELS ? LOAD_LEVELS + 1 : mine;
        for (int k = 0; k < t->result_count; k++) {
            more |= level[t->result[k]] < mine;
            level[t->result[k]] = level[t->result[k]] < mine ? (uint8_t)mine : level[t->result[k]];
        }
    }
    return more;
}

static bool may_be_unrolled(const struct timing_site *sites, int count)
{
    for (int i = 0; i < count - 1; i++) {
        const struct timing_site *t = &sites[i];
        enum touches touches = pipe_info(t->pipe)->touches;
        bool stores = touches == TOUCHES_WRITE && pipe_info(t->pipe)->unit != UNIT_ATOMIC;
        bool passed = touches == TOUCHES_NOTHING || touches == TOUCHES_READ || stores ||
                      t->pipe == PIPE_BARRIER;
        if (!passed || t->polls || t->synchronises || t->pipe == PIPE_BRANCH ||
            t->pipe == PIPE_EXIT || is_among_lanes(t->pipe))
            return false;
    }
    return sites[count - 1].pipe == PIPE_BRANCH;
}

// The only instruction of the loop that writes the register, or NULL.
static const struct ptx_instruction *writer_of(const struct ptx_instruction *in, int count, int reg)
{
    const struct ptx_instruction *one = NULL;
    for (int i = 0; i < count; i++) {
        const struct ptx_operand *to = &in[i].operands[0];
        if (!in[i].writes_first || to->kind != PTX_OPERAND_REGISTER || to->reg != reg)
            continue;
        if (one != NULL)
            return NULL;
        one = &in[i];
    }
    return one;
}

static bool counts(const struct ptx_instruction *in, int reg)
{
    if (in == NULL || (in->opcode != PTX_OP_ADD && in->opcode != PTX_OP_SUB) ||
        in->operand_count != 3)
        return false;
    const struct ptx_operand *a = &in->operands[1], *b = &in->operands[2];
    return a->kind == PTX_OPERAND_REGISTER && a->reg == reg && b->kind == PTX_OPERAND_IMMEDIATE;
}

// Does the loop's last instruction go back as long as a register, to which each turn adds a constant, is below or above a bound?
static bool is_counted(const struct ptx_instruction *in, int count)
{
    const struct ptx_instruction *test = writer_of(in, count, in[count - 1].guard);
    if (test == NULL || test->opcode != PTX_OP_SETP || test->operand_count != 3)
        return false;
    const struct ptx_operand *a = &test->operands[1], *b = &test->operands[2];
    bool bound = b->kind == PTX_OPERAND_IMMEDIATE ||
                 (b->kind == PTX_OPERAND_REGISTER && writer_of(in, count, b->reg) == NULL);
    return a->kind == PTX_OPERAND_REGISTER && bound && counts(writer_of(in, count, a->reg), a->reg);
}

// Is the register read by nothing of the loop but its own sum and as the address of loads?
static bool only_addresses(const struct ptx_instruction *in, int count, int reg)
{
    for (int i = 0; i < count; i++) {
        bool sum = in[i].operands[0].kind == PTX_OPERAND_REGISTER && in[i].operands[0].reg == reg &&
                   in[i].writes_first;
        for (int k = in[i].writes_first ? 1 : 0; k < in[i].operand_count && !sum; k++)
            if (in[i].operands[k].kind == PTX_OPERAND_REGISTER && in[i].operands[k].reg == reg)
                return false;
    }
    return true;
}

// What four turns have once: the counter's sum, if nothing else reads it, its comparison, the branch, the sums of pointers
// whose distances become the loads' own.
static void turns_share(struct timing_site *sites, const struct ptx_instruction *in, int count)
{
    const struct ptx_instruction *test = writer_of(in, count, in[count - 1].guard);
    sites[count - 1].shared_by_turns = true;
    for (int i = 0; i < count - 1; i++) {
        const struct ptx_operand *to = &in[i].operands[0];
        bool sum = in[i].writes_first && to->kind == PTX_OPERAND_REGISTER && to->reg >= 0 &&
                   counts(writer_of(in, count, to->reg), to->reg);
        bool tested = sum && test->operands[1].reg == to->reg;
        bool alone = sum;
        for (int k = 0; k < count && tested && alone; k++)
            for (int o = in[k].writes_first ? 1 : 0; o < in[k].operand_count; o++)
                alone &= &in[k] == test || k == i || in[k].operands[o].reg != to->reg;
        sites[i].shared_by_turns =
            &in[i] == test || (sum && (tested ? alone : only_addresses(in, count, to->reg)));
    }
}

/* ---- stores that loads of later turns pass -------------------------------------------------------- */

struct body { // of a loop
    const struct program *p;
    int first, count; // sites
    const struct ptx_instruction *in;
};

static const struct mem_op *access_of(const struct body *l, int i)
{
    int32_t mem = l->p->sites[l->first + i].mem;
    return mem >= 0 ? &l->p->mem_ops[mem] : NULL;
}

static int base_of(const struct body *l, int i)
{
    const struct ptx_operand *at =
        &l->in[i].operands[l->p->sites[l->first + i].access == SITE_LOAD ? 1 : 0];
    return at->kind == PTX_OPERAND_ADDRESS ? at->reg : -1;
}

// Two accesses at the same pointer, which each turn steps by the same: do those of the load's later turns stay clear of the store?
static bool stays_clear(const struct body *l, int load, int store)
{
    enum { TURNS = 4 };
    const struct mem_op *a = access_of(l, load), *b = access_of(l, store);
    int base = base_of(l, load);
    const struct ptx_instruction *sum =
        base >= 0 && base == base_of(l, store) ? writer_of(l->in, l->count, base) : NULL;
    if (!counts(sum, base))
        return false;
    int64_t step = (int64_t)sum->operands[2].bits;
    step = sum->opcode == PTX_OP_SUB ? -step : step;
    bool behind = sum < &l->in[load], clear = behind == (sum < &l->in[store]);
    for (int turn = 0; turn < TURNS; turn++) {
        int64_t apart = a->offset + turn * step - b->offset;
        bool own = turn == 0 && load < store; // nothing to pass
        clear &= own || apart >= b->bytes * b->vector || -apart >= a->bytes * a->vector;
    }
    return clear;
}

static bool may_pass(const struct body *l, int load, int store)
{
    const struct mem_op *a = access_of(l, load), *b = access_of(l, store);
    if (a == NULL || b == NULL || a->ordered || b->ordered)
        return false;
    return ptx_has_modifier(&l->in[load], PTX_MOD_NC) ||
           (a->space == PTX_SPACE_GLOBAL && b->space == PTX_SPACE_SHARED) ||
           (a->space == b->space && stays_clear(l, load, store));
}

static bool may_pass_all(const struct body *l, int load)
{
    for (int i = 0; i < l->count; i++) {
        enum timing_pipe pipe = l->p->timing[l->first + i].pipe;
        if ((pipe == PIPE_BARRIER && !ptx_has_modifier(&l->in[load], PTX_MOD_NC)) ||
            (pipe_info(pipe)->touches == TOUCHES_WRITE && !may_pass(l, load, i)))
            return false;
    }
    return true;
}

/* ---- loads whose place was loaded -------------------------------------------------------------------- */

// Is what the one load brings needed for the other's address?
static bool leads_to(const struct timing_site *sites, int count, int from, int load, bool *made)
{
    for (int k = 0; k < sites[from].result_count; k++)
        made[sites[from].result[k]] = true;
    bool found = false;
    for (bool more = true; more && !found;) {
        more = false;
        for (int i = 0; i < count && !found; i++) {
            bool reads = false;
            for (int k = 0; k < sites[i].source_count; k++)
                reads |= made[sites[i].source[k]];
            found = reads && i == load;
            for (int k = 0; k < sites[i].result_count && reads; k++) {
                more |= !made[sites[i].result[k]];
                made[sites[i].result[k]] = true;
            }
        }
    }
    for (int i = 0; i < count; i++)
        for (int k = 0; k < sites[i].result_count; k++)
            made[sites[i].result[k]] = false;
    return found;
}

// The last load in front of this one that its place comes of, one level lower; -1.
static int place_from(const struct timing_site *sites, const uint8_t *level, int count, int load,
                      bool *made)
{
    int mine = level_of(level, sites[load].source, sites[load].source_count);
    for (int i = load - 1; i >= 0; i--)
        if (sites[i].loop > 0 && sites[i].loop_level == mine &&
            leads_to(sites, count, i, load, made))
            return i;
    return -1;
}

static void loads_mark(struct body *l, struct timing_site *sites, uint8_t room,
                       const uint8_t *level, bool *made)
{
    for (int i = 0; i < l->count; i++) {
        struct timing_site *t = &sites[i];
        int below = level_of(level, t->source, t->source_count);
        if (pipe_info(t->pipe)->unit != UNIT_LOAD || t->side_step || below >= LOAD_LEVELS ||
            !may_pass_all(l, i))
            continue;
        int from = below > 0 ? place_from(sites, level, l->count, i, made) : -1;
        if (below > 0 && from < 0)
            continue;
        t->loop = (uint32_t)(l->first + l->count);
        t->loop_room = room;
        t->loop_level = (uint8_t)(below + 1);
        t->place_from = from < 0 ? 0 : (uint8_t)(i - from);
    }
}

// Over barriers the loads of one turn more begin: of 32 bits beside this turn's, wider ones behind the barrier, when these have come.
static uint8_t room_over_barriers(struct timing_site *sites, int count, uint8_t room)
{
    enum { TURNS = 2, REGISTER_BYTES = 4 };
    bool barriers = false, wide = false;
    int loaded = 0;
    for (int i = 0; i < count; i++) {
        barriers |= sites[i].pipe == PIPE_BARRIER;
        if (pipe_info(sites[i].pipe)->unit != UNIT_LOAD)
            continue;
        loaded += (sites[i].bytes + REGISTER_BYTES - 1) / REGISTER_BYTES;
        wide |= sites[i].bytes > REGISTER_BYTES;
    }
    for (int i = 0; i < count; i++)
        sites[i].when_used = barriers && wide;
    return barriers && TURNS * loaded < room ? (uint8_t)(TURNS * loaded) : room;
}

static void loop_unroll(struct program *p, int first, const struct ptx_instruction *in, int count,
                        uint8_t room)
{
    struct timing_site *sites = &p->timing[first];
    if (count > BODY_MAX || !may_be_unrolled(sites, count))
        return;
    room = room_over_barriers(sites, count, room);
    uint8_t *level = xcalloc((size_t)p->register_count + 1, sizeof *level);
    bool *made = xcalloc((size_t)p->register_count + 1, sizeof *made);
    while (levels_spread(sites, count, level)) {
    }
    const struct timing_site *end = &sites[count - 1];
    if (level_of(level, end->source, end->source_count) == 0) {
        turns_share(sites, in, count);
        loads_mark(&(struct body){p, first, count, in}, sites, room, level, made);
    }
    free(level);
    free(made);
}

// Does its body stand in the machine code more than once (lower_loops.c)? A body of many operations does not, one that the PTX has
// unrolled already above all: its own loads are all that begin together.
static bool is_copied(const struct code *c, int block)
{
    return c == NULL || (c->loop_of[block] >= 0 && c->loops[c->loop_of[block]].copies > 1);
}

// Registers for what the loads of a loop bring, beside the values that are held through it. Loops of four loads, and of four pairs of
// loads, a turn, with 0 to 18 more values held: ptxas 13.0 begins as many as leave eight of the kernel's registers (counters, bounds
// and the stack's are among these).
static uint8_t loads_room(const struct program *p, int held)
{
    enum { BESIDE = 8, LEAST = 2, MOST = 255 };
    int room = ptx_register_room(p->registers_estimated) - BESIDE - held;
    return (uint8_t)(room < LEAST ? LEAST : room > MOST ? MOST : room);
}

// Instructions of the region that begins with the block, if that is all of a loop; 0. Side steps within are predicates.
static int turn_of(const struct program *p, const struct function *own, int block)
{
    const struct ptx_function *f = own->ptx;
    const struct ptx_block *b = &f->blocks[block];
    if (b->count == 0)
        return 0;
    const struct segment *s = &p->segments[p->sites[own->site_base + b->first].segment];
    bool begins = s->first_site == own->site_base + b->first && s->place == 0;
    int count = begins ? s->region_count : b->count, end = b->first + count - 1,
        last = f->block_of[end];
    if (last < 0 || end != f->blocks[last].first + f->blocks[last].count - 1)
        return 0;
    for (int i = 0; i < f->blocks[last].successor_count; i++)
        if (f->blocks[last].successors[i] == block)
            return count;
    return 0;
}

void loops_unroll(struct program *p)
{
    for (int n = 0; n < p->function_count && !p->reads_clock; n++) {
        const struct function *own = &p->functions[n];
        const struct ptx_function *f = own->ptx;
        int *held = NULL; // of the blocks, where one is such a loop
        for (int b = 0; b < f->block_count; b++) {
            const struct ptx_block *block = &f->blocks[b];
            const struct ptx_instruction *in = &f->instructions[block->first];
            int count = turn_of(p, own, b);
            if (count == 0 || in->nounroll || !is_counted(in, count) || !is_copied(own->code, b))
                continue;
            if (held == NULL) {
                held = xcalloc((size_t)f->block_count, sizeof *held);
                ptx_registers_turned(f, held);
            }
            loop_unroll(p, own->site_base + block->first, in, count, loads_room(p, held[b]));
        }
        free(held);
    }
}
