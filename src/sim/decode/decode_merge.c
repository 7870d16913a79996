// Accesses of shared memory that ptxas makes one of: neighbouring words, aligned as a whole, become one of 8 or 16 bytes (seen in
// ptxas 13.0's code for sm_90: of an unrolled 16x16 tile product's 32 ld.shared.f32, 16 become 4 LDS.128; three of the four words
// of 16 bytes are loaded whole; what is loaded again with no store between is not). Branches that become predicates are no
// bound. The first load in the text, the last store then counts as the whole access, the others as nothing; each still moves
// its own bytes. Alignment is known by congruences through the arithmetic that makes the base, also of pointers that walk
// (bench/truth/tuning/kinds, walk_product).
// SPDX-License-Identifier: Apache-2.0
#include "sim/decode/lower_forms.h"

#include <stdlib.h>

enum { MERGE_MAX = 256, BITS_KNOWN = 32, HALF_BYTES = 2 };

// value = residue modulo 2^bits. By register; all of nothing where no instruction that writes it was looked at yet.
struct congruence {
    unsigned bits;
    bool seen;
    uint64_t residue;
};

static struct congruence known(unsigned bits, uint64_t residue)
{
    bits = bits < BITS_KNOWN ? bits : BITS_KNOWN;
    return (struct congruence){bits, true, residue & (((uint64_t)1 << bits) - 1)};
}

static unsigned trailing_zeros(struct congruence c)
{
    return c.residue != 0 ? (unsigned)__builtin_ctzll(c.residue) : c.bits;
}

static struct congruence sum(struct congruence a, struct congruence b)
{
    return known(a.bits < b.bits ? a.bits : b.bits, a.residue + b.residue);
}

// a = ra + i 2^ka, b = rb + j 2^kb: the product is known up to the smallest of the cross terms.
static struct congruence product(struct congruence a, struct congruence b)
{
    unsigned x = a.bits + trailing_zeros(b), y = b.bits + trailing_zeros(a);
    return known(x < y ? x : y, a.residue * b.residue);
}

static struct congruence negative(struct congruence a)
{
    return known(a.bits, (uint64_t)0 - a.residue);
}

// What holds of both.
static struct congruence either(struct congruence a, struct congruence b)
{
    if (!a.seen || !b.seen)
        return a.seen ? a : b;
    uint64_t apart = a.residue ^ b.residue;
    unsigned bits = a.bits < b.bits ? a.bits : b.bits;
    if (apart != 0 && (unsigned)__builtin_ctzll(apart) < bits)
        bits = (unsigned)__builtin_ctzll(apart);
    return known(bits, a.residue);
}

struct congruences {
    const struct decoder *d;
    struct congruence *of; // by register
};

static struct congruence operand_known(const struct congruences *c, const struct ptx_operand *op)
{
    uint64_t offset = 0;
    switch ((int)op->kind) {
    case PTX_OPERAND_IMMEDIATE:
        return known(BITS_KNOWN, op->bits);
    case PTX_OPERAND_SYMBOL:
        if (op->variable == NULL || !shared_offset(c->d->program, op->variable, &offset))
            return known(0, 0);
        // ptxas keeps the power of two that the place is a multiple of, not the place
        return sum(known(trailing_zeros(known(BITS_KNOWN, offset)), 0),
                   known(BITS_KNOWN, (uint64_t)op->offset));
    case PTX_OPERAND_REGISTER:
        return c->of[op->reg];
    default: // others hold no addresses
        return known(0, 0);
    }
}

// Bits that an operation on them leaves known; zeros at the end of one operand are some of what `and` makes of both.
static struct congruence bits_known(const struct ptx_instruction *in, struct congruence a,
                                    struct congruence b)
{
    unsigned both = a.bits < b.bits ? a.bits : b.bits;
    unsigned x = trailing_zeros(a), y = trailing_zeros(b), zeros = x > y ? x : y;
    if (in->opcode == PTX_OP_AND)
        return both > zeros ? known(both, a.residue & b.residue) : known(zeros, 0);
    if (in->opcode == PTX_OP_OR)
        return known(both, a.residue | b.residue);
    if (in->opcode == PTX_OP_XOR)
        return known(both, a.residue ^ b.residue);
    return known(0, 0);
}

static struct congruence result_known(const struct congruences *all,
                                      const struct ptx_instruction *in)
{
    struct congruence of[4] = {{0}};
    for (int i = 1; i < 4 && i < in->operand_count; i++) {
        of[i] = operand_known(all, &in->operands[i]);
        if (!of[i].seen)
            return of[i]; // made of what is made further down
    }
    struct congruence a = of[1], b = of[2], c = of[3];
    if (in->opcode == PTX_OP_MOV || in->opcode == PTX_OP_CVT || in->opcode == PTX_OP_CVTA)
        return a; // cvta's windows are aligned
    if (in->opcode == PTX_OP_ADD)
        return sum(a, b);
    if (in->opcode == PTX_OP_MUL && !in_has(in, "hi"))
        return product(a, b);
    if (in->opcode == PTX_OP_MAD && !in_has(in, "hi"))
        return sum(product(a, b), c);
    if (in->opcode == PTX_OP_SHL && b.bits == BITS_KNOWN && b.residue < BITS_KNOWN)
        return known(a.bits + (unsigned)b.residue, a.residue << b.residue);
    if (in->opcode == PTX_OP_SHR && b.bits == BITS_KNOWN && b.residue < a.bits)
        return known(a.bits - (unsigned)b.residue, a.residue >> b.residue);
    if (in->opcode == PTX_OP_SELP)
        return either(a, b);
    // Of two registers' difference ptxas knows nothing, of a least or largest and of quotients neither.
    if (in->opcode == PTX_OP_SUB && (a.bits == BITS_KNOWN || b.bits == BITS_KNOWN))
        return sum(a, negative(b));
    if (in->opcode == PTX_OP_NEG)
        return negative(a);
    if (in->opcode == PTX_OP_REM && b.bits == BITS_KNOWN && b.residue != 0) {
        unsigned zeros = trailing_zeros(b); // the dividend less a multiple of the divisor
        return known(a.bits < zeros ? a.bits : zeros, a.residue);
    }
    return bits_known(in, a, b);
}

// ptxas keeps the power of two that a result is a multiple of, not what is left of it: four words from 4 * n + 1 on are four loads.
static struct congruence instruction_known(const struct congruences *all,
                                           const struct ptx_instruction *in)
{
    struct congruence c = result_known(all, in);
    return !c.seen || c.bits == BITS_KNOWN ? c : known(trailing_zeros(c), 0);
}

static bool operand_take(const struct congruences *c, const struct ptx_operand *to,
                         struct congruence value)
{
    bool changed = false;
    for (int i = 0; i < to->element_count; i++)
        changed |= operand_take(c, &to->elements[i], known(0, 0));
    if (to->kind != PTX_OPERAND_REGISTER || to->reg < 0 || !value.seen)
        return changed;
    struct congruence *now = &c->of[to->reg], then = either(*now, value);
    changed |= !now->seen || then.bits != now->bits;
    *now = then;
    return changed;
}

// A register that several instructions write, such as a pointer that a loop moves on, is what holds of all of them: found by
// going through them until nothing changes.
static void congruences_find(const struct congruences *c)
{
    const struct ptx_function *f = c->d->f;
    for (int i = 0; i < formal_registers(f); i++)
        c->of[i] = known(0, 0);
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < f->instruction_count; i++) {
            const struct ptx_instruction *in = &f->instructions[i];
            bool of_call = in->opcode == PTX_OP_CALL && in->operand_count > 0 &&
                           in->operands[0].kind == PTX_OPERAND_LIST;
            if (in->writes_first || of_call)
                changed |= operand_take(c, &in->operands[0], instruction_known(c, in));
        }
    }
}

/* ---- groups -------------------------------------------------------------------------------- */

struct candidate {
    int instruction;
    struct mem_op *mem;
    const struct ptx_operand *address;
    int reg;       // that the address is made of; -1: none
    int64_t place; // beside it
    int stretch;   // of blocks that are one after predication
    bool store, taken;
};
struct candidates {
    struct code *c;
    struct decoder *d;
    struct congruences known; // found for the first two words that may be one
    struct candidate items[MERGE_MAX];
    int count, stretch;
};

static unsigned bytes_of(const struct candidate *c)
{
    return (unsigned)c->mem->bytes * c->mem->vector;
}

static bool same_base(const struct candidate *a, const struct candidate *b)
{
    return a->reg == b->reg && a->store == b->store && bytes_of(a) == bytes_of(b);
}

static bool is_always(const struct candidates *all, const struct candidate *c)
{
    int block = all->c->f->block_of[c->instruction];
    return all->c->joined_to[block] == block;
}

// Is the later of two loads only executed where the first one was?
static bool is_behind(const struct candidates *all, const struct candidate *a,
                      const struct candidate *b)
{
    const int *block = all->c->f->block_of;
    int first = a->instruction < b->instruction ? a->instruction : b->instruction,
        second = a->instruction < b->instruction ? b->instruction : a->instruction;
    return dominates(all->c, block[first], block[second]);
}

// What is under different predicates does not go together, unless one of them is under none. A load behind a branch comes with one
// before it (ptxas 13.0 for sm_90: of 50 forms of a branch, short and long, in a loop and not, with loads from other memory, with
// stores to it and with shuffles, all that store nothing to shared memory and have no loop between).
static bool may_join(const struct candidates *all, const struct candidate *a,
                     const struct candidate *b)
{
    const int *block = all->c->f->block_of;
    if (a->stretch != b->stretch)
        return !a->store && is_behind(all, a, b);
    return block[a->instruction] == block[b->instruction] ||
           (!a->store && (is_always(all, a) || is_always(all, b)));
}

static struct candidate *candidate_at(struct candidates *all, const struct candidate *like,
                                      int64_t place)
{
    for (int i = 0; i < all->count; i++) {
        struct candidate *c = &all->items[i];
        if (!c->taken && same_base(c, like) && c->place == place && may_join(all, c, like))
            return c;
    }
    return NULL;
}

static struct congruence base_known(struct candidates *all, const struct candidate *like)
{
    if (all->known.of == NULL) {
        all->known.d = all->d;
        all->known.of = xcalloc((size_t)all->d->f->register_count + 1, sizeof *all->known.of);
        congruences_find(&all->known);
    }
    return like->reg >= 0 ? all->known.of[like->reg] : known(BITS_KNOWN, 0);
}

// Is the place so far from the base that a whole access of so many bytes begins there?
static bool begins_whole(struct candidates *all, const struct candidate *like, int64_t place,
                         unsigned bytes)
{
    struct congruence c = base_known(all, like);
    unsigned need = (unsigned)__builtin_ctz(bytes);
    return c.bits >= need && ((c.residue + (uint64_t)place) & (bytes - 1)) == 0;
}

// The others' data comes with the leader's, or goes with it.
static void group_join(struct candidates *all, const struct candidate *leader, struct candidate *c)
{
    struct decoder *d = all->d;
    c->mem->follows = true;
    c->taken = true;
    all->c->slots[c->instruction] = // what takes its elements apart stays
        c->mem->vector > 1 && all->c->slots[c->instruction] > 1 ? all->c->slots[c->instruction] - 1
                                                                : 0;
    struct timing_site *t = &d->program->timing[d->out->site_base + c->instruction];
    const struct timing_site *first = &d->program->timing[d->out->site_base + leader->instruction];
    t->pipe = PIPE_NONE;
    if (t->source_count < TIMING_REGISTERS_MAX && first->result_count > 0)
        t->source[t->source_count++] = first->result[0];
}

static const struct candidate *leader_of(const struct candidates *all, struct candidate **members,
                                         unsigned count)
{
    const struct candidate *leader = members[0];
    for (unsigned i = 1; i < count; i++) {
        bool first = members[i]->instruction < leader->instruction;
        bool always = is_always(all, members[i]), apart = members[i]->stretch != leader->stretch;
        if (apart ? first : is_always(all, leader) != always ? always : first != leader->store)
            leader = members[i];
    }
    return leader;
}

// Two of 16 bits are in one register.
static void half_note(struct candidates *all, const struct candidate *leader,
                      const struct candidate *c, int64_t start)
{
    if (bytes_of(c) != HALF_BYTES)
        return;
    all->c->together[c->instruction] = leader->instruction;
    all->c->element[c->instruction] = (uint8_t)((c->place - start) / HALF_BYTES);
}

// start: where the whole access begins.
static void members_join(struct candidates *all, struct candidate **members, unsigned count,
                         unsigned bytes, int64_t start)
{
    const struct candidate *leader = leader_of(all, members, count);
    if (bytes == count * bytes_of(leader)) { // not where a word is loaded that nobody reads
        leader->mem->merged = (uint8_t)bytes;
        leader->mem->merge_start = leader->mem->offset + members[0]->place - leader->place;
    }
    all->d->program->timing[all->d->out->site_base + leader->instruction].bytes = (uint8_t)bytes;
    for (unsigned i = 0; i < count; i++) {
        members[i]->taken = true;
        half_note(all, leader, members[i], start);
        if (members[i] != leader)
            group_join(all, leader, members[i]);
        if (members[i] != leader && !leader->store)
            all->c->joined[members[i]->instruction] = leader->instruction;
    }
}

// Has the leader always been executed where another is?
static bool comes_first(const struct candidates *all, struct candidate **members, unsigned count)
{
    const struct candidate *leader = leader_of(all, members, count);
    for (unsigned i = 0; i < count; i++)
        if (members[i]->stretch != leader->stretch && !is_behind(all, leader, members[i]))
            return false;
    return true;
}

// most: how many of the places may have nobody.
static bool group_make(struct candidates *all, const struct candidate *like, unsigned bytes,
                       unsigned most)
{
    struct candidate *members[4];
    unsigned each = bytes_of(like), places = bytes / each, count = 0;
    if (places < 2 || places > 4)
        return false;
    for (int64_t start = like->place - (int64_t)(bytes - each); start <= like->place;
         start += each) {
        if (!begins_whole(all, like, start, bytes))
            continue;
        count = 0;
        for (unsigned i = 0; i < places; i++) {
            members[count] = candidate_at(all, like, start + (int64_t)(i * each));
            count += members[count] != NULL;
        }
        if (count + most >= places && count >= 2 && comes_first(all, members, count)) {
            members_join(all, members, count, bytes, start);
            return true;
        }
    }
    return false;
}

// What is loaded again.
static void again_join(struct candidates *all)
{
    for (int i = 0; i < all->count; i++)
        for (int k = i + 1; k < all->count && !all->items[i].store && !all->items[i].taken; k++) {
            struct candidate *a = &all->items[i], *b = &all->items[k];
            bool first = a->stretch == b->stretch ? is_always(all, a) : is_behind(all, a, b);
            if (!b->taken && same_base(a, b) && a->place == b->place && first)
                group_join(all, a, b);
        }
}

static void candidates_flush(struct candidates *all)
{
    enum { WHOLE = 16, FOUR = 4, TWO = 2 };
    again_join(all);
    for (int i = 0; i < all->count; i++) {
        unsigned four = FOUR * bytes_of(&all->items[i]);
        if (!all->items[i].taken)
            (void)group_make(all, &all->items[i], four < WHOLE ? four : WHOLE,
                             all->items[i].store ? 0 : 1);
    }
    for (int i = 0; i < all->count; i++)
        if (!all->items[i].taken)
            (void)group_make(all, &all->items[i], TWO * bytes_of(&all->items[i]), 0);
    all->count = 0;
}

/* ---- a function ---------------------------------------------------------------------------- */

static bool is_near(const struct ptx_instruction *in)
{
    enum ptx_space space = ptx_space_of(in);
    return space == PTX_SPACE_SHARED || space == PTX_SPACE_SHARED_CLUSTER ||
           space == PTX_SPACE_GENERIC;
}

static bool ends_group(const struct candidates *all, const struct ptx_instruction *in)
{
    bool stores = all->count > 0 && all->items[0].store;
    if (in->opcode == PTX_OP_BRA)
        return false; // the block behind it says
    if (in->opcode == PTX_OP_CP || in->opcode == PTX_OP_MEMBAR || in->opcode == PTX_OP_FENCE ||
        ptx_calls_routine(in) || in->opcode == PTX_OP_BAR || in->opcode == PTX_OP_BARRIER ||
        in->opcode == PTX_OP_MBARRIER || in->opcode == PTX_OP_LDMATRIX ||
        in->opcode == PTX_OP_STMATRIX || in->opcode == PTX_OP_WMMA || in->opcode == PTX_OP_WGMMA)
        return true;
    return is_near(in) && ((in->opcode == PTX_OP_ST && all->count > 0 && !stores) ||
                           (in->opcode == PTX_OP_LD && stores) || in->opcode == PTX_OP_ATOM ||
                           in->opcode == PTX_OP_RED);
}

static bool redefines(const struct candidates *all, const struct ptx_instruction *in)
{
    if (!in->writes_first || in->operands[0].kind != PTX_OPERAND_REGISTER)
        return false;
    for (int i = 0; i < all->count; i++)
        if (all->items[i].reg >= 0 && all->items[i].reg == in->operands[0].reg)
            return true;
    return false;
}

// The register that the address is a number beside, if neither changes.
static void address_find(const struct decoder *d, struct candidate *c)
{
    enum { STEPS = 8 };
    uint64_t at = 0;
    c->reg = c->address->reg;
    c->place = c->address->offset;
    if (c->reg < 0 && c->address->variable != NULL &&
        shared_offset(d->program, c->address->variable, &at))
        c->place += (int64_t)at;
    for (int k = 0; k < STEPS && c->reg >= 0 && d->definition[c->reg] >= 0; k++) {
        const struct ptx_instruction *in = &d->f->instructions[d->definition[c->reg]];
        if (in->opcode != PTX_OP_ADD || in->guard >= 0 ||
            in->operands[1].kind != PTX_OPERAND_REGISTER || in->operands[1].reg < 0 ||
            in->operands[2].kind != PTX_OPERAND_IMMEDIATE || d->definition[in->operands[1].reg] < 0)
            return;
        c->reg = in->operands[1].reg;
        c->place += ptx_type_bits(type_of(in)) == 32 ? (int32_t)in->operands[2].bits
                                                     : (int64_t)in->operands[2].bits;
    }
}

// A conversion to a float takes either half of a register, but of bf16, which is a shift.
static bool reads_half_in_place(const struct ptx_instruction *in)
{
    return in->opcode == PTX_OP_CVT && in->type_count > 1 &&
           ptx_type_kind(in->types[0]) == PTX_KIND_FLOAT && in->types[1] != PTX_TYPE_BF16;
}

// A load of 16 bits that has to extend them is one by itself: into a register of 32, and for arithmetic, which goes by 32. ptxas 13.0
// joins those that are stored, put into words, selected, compared, read as f16 or bf16, converted in place.
static bool is_extended(const struct code *c, int i)
{
    const struct ptx_operand *to = &at(c, i)->operands[0];
    if (to->kind != PTX_OPERAND_REGISTER || to->reg < 0 ||
        ptx_type_bits(c->f->registers[to->reg].type) != 8 * HALF_BYTES ||
        is_signed(type_of(at(c, i))))
        return true;
    for (int r = c->first_reader[i]; r < c->first_reader[i + 1]; r++) {
        const struct ptx_instruction *by = at(c, c->readers[r].instruction);
        bool whole = by->opcode == PTX_OP_ST || by->opcode == PTX_OP_MOV ||
                     by->opcode == PTX_OP_SELP || by->opcode == PTX_OP_SETP,
             half = by->opcode != PTX_OP_CVT && by->type_count > 0 && is_half(by->types[0]);
        if (!whole && !half && !reads_half_in_place(by))
            return true;
    }
    return false;
}

static void candidate_add(struct candidates *all, int i)
{
    const struct ptx_instruction *in = at(all->c, i);
    struct decoder *d = all->d;
    const struct site_info *s = &d->program->sites[d->out->site_base + i];
    bool store = in->opcode == PTX_OP_ST;
    if (s->mem < 0 || s->space != PTX_SPACE_SHARED || (in->opcode != PTX_OP_LD && !store))
        return;
    struct mem_op *m = &d->program->mem_ops[s->mem];
    unsigned bytes = (unsigned)m->bytes * m->vector;
    if (m->bytes < HALF_BYTES || bytes > 2 * sizeof(uint32_t) || in->guard >= 0 || m->ordered ||
        (bytes == HALF_BYTES && !store && is_extended(all->c, i)))
        return;
    struct candidate c = {.instruction = i,
                          .mem = m,
                          .address = &in->operands[store ? 0 : 1],
                          .stretch = all->stretch,
                          .store = store};
    address_find(d, &c);
    all->items[all->count++] = c;
}

// Does another loop, or none, begin with the block?
static bool changes_loop(const struct code *c, int block)
{
    return block == 0 || c->loop_of[block] != c->loop_of[block - 1] ||
           (c->loop_of[block] >= 0 && c->loops[c->loop_of[block]].head == block);
}

void merge_shared(struct code *c)
{
    struct candidates all = {.c = c, .d = c->d};
    for (int i = 0; i < c->count; i++) {
        const struct ptx_instruction *in = at(c, i);
        int block = c->f->block_of[i];
        bool starts = block >= 0 && block_at(c, block)->first == i && !code_goes_on(c, block),
             stores = all.count > 0 && all.items[0].store;
        all.stretch += starts;
        if ((starts && (stores || changes_loop(c, block))) || all.count == MERGE_MAX ||
            ends_group(&all, in))
            candidates_flush(&all);
        candidate_add(&all, i);
        if (redefines(&all, in))
            candidates_flush(&all);
    }
    candidates_flush(&all);
    free(all.known.of);
}

/* ---- turns of a loop ------------------------------------------------------------------------ */

// What the register holds when the loop begins, by all that write it outside.
static struct congruence start_known(const struct candidates *all, int loop, int reg, int *step)
{
    const struct code *c = all->c;
    struct congruence start = {0};
    int steps = 0;
    *step = 0;
    for (int i = 0; i < c->count; i++) {
        const struct ptx_instruction *in = at(c, i);
        if (!in->writes_first || in->operands[0].kind != PTX_OPERAND_REGISTER ||
            in->operands[0].reg != reg || c->f->block_of[i] < 0)
            continue;
        if (!in_loop(c, c->f->block_of[i], loop)) {
            start = either(start, instruction_known(&all->known, in));
            continue;
        }
        bool adds = in->opcode == PTX_OP_ADD && in->guard < 0 &&
                    in->operands[1].kind == PTX_OPERAND_REGISTER && in->operands[1].reg == reg &&
                    in->operands[2].kind == PTX_OPERAND_IMMEDIATE;
        steps++;
        *step = adds ? (int)in->operands[2].bits : 0;
    }
    *step = steps == 1 ? *step : 0;
    return start.seen ? start : known(0, 0);
}

// The same of what a turn makes of registers that the loop steps, by sums, shifts and products.
static struct congruence chain_known(const struct candidates *all, int loop, int reg, int deep,
                                     int *step)
{
    enum { DEEP = 6 };
    const struct code *c = all->c;
    int made = all->d->definition[reg], steps[3] = {0};
    const struct ptx_instruction *in = made >= 0 ? at(c, made) : NULL;
    if (made < 0 || c->f->block_of[made] < 0 || !in_loop(c, c->f->block_of[made], loop))
        return start_known(all, loop, reg, step);
    struct congruence of[3];
    *step = 0;
    for (int k = 0; k < 3; k++) {
        const struct ptx_operand *op = k + 1 < in->operand_count ? &in->operands[k + 1] : NULL;
        bool chained = op != NULL && op->kind == PTX_OPERAND_REGISTER && deep < DEEP;
        of[k] = chained      ? chain_known(all, loop, op->reg, deep + 1, &steps[k])
                : op != NULL ? operand_known(&all->known, op)
                             : known(0, 0);
    }
    bool number = in->operand_count > 2 && in->operands[2].kind == PTX_OPERAND_IMMEDIATE;
    int by = number ? (int)in->operands[2].bits : 0;
    if (in->guard >= 0 || in->type_count == 0 || is_float(in) || deep >= DEEP)
        return known(0, 0);
    if (in->opcode == PTX_OP_ADD) {
        *step = steps[0] + steps[1];
        return sum(of[0], of[1]);
    }
    if (in->opcode == PTX_OP_SHL && number && by < BITS_KNOWN) {
        *step = (int)((unsigned)steps[0] << by);
        return known(of[0].bits + (unsigned)by, of[0].residue << by);
    }
    if (in->opcode == PTX_OP_MUL && number && ptx_has_modifier(in, PTX_MOD_LO)) {
        *step = steps[0] * by;
        return product(of[0], of[1]);
    }
    if (in->opcode == PTX_OP_MAD && number && ptx_has_modifier(in, PTX_MOD_LO)) {
        *step = steps[0] * by + steps[2];
        return sum(product(of[0], of[1]), of[2]);
    }
    return known(0, 0);
}

// In how many turns of an unrolled loop the load is one of 8 or 16 bytes; 1: in each.
static int turns_together(struct candidates *all, int i, int loop)
{
    enum { WHOLE = 16, FOUR = 4, TWO = 2, WORD_BYTES = 4 };
    const struct natural_loop *l = &all->c->loops[loop];
    struct candidate *c = &all->items[0];
    all->count = 0;
    candidate_add(all, i);
    if (all->count == 0 || c->store || c->reg < 0 || c->mem->follows || l->copies % TWO != 0)
        return 1;
    int step, bytes = c->mem->merged != 0 ? c->mem->merged : (int)bytes_of(c);
    (void)base_known(all, c);
    struct congruence start = chain_known(all, loop, c->reg, 0, &step);
    int64_t place = c->place + (c->mem->merged != 0 ? c->mem->merge_start - c->mem->offset : 0);
    int turns = l->turns > 0 ? (bytes < WORD_BYTES ? FOUR : WHOLE / bytes) : TWO;
    while (turns > 1 && (l->copies % turns != 0 || turns * bytes > WHOLE ||
                         start.bits < (unsigned)__builtin_ctz((unsigned)(turns * bytes)) ||
                         ((start.residue + (uint64_t)place) & (uint64_t)(turns * bytes - 1)) != 0))
        turns /= TWO;
    return step == bytes ? turns : 1;
}

// Copies of a turn stand in a row: what a pointer that walks loads in one and in the next are neighbours.
void merge_turns(struct code *c)
{
    struct candidates all = {.c = c, .d = c->d};
    for (int i = 0; i < c->count; i++) {
        int block = c->f->block_of[i], loop = block >= 0 ? c->loop_of[block] : -1;
        if (loop < 0 || c->loops[loop].copies < 2 || at(c, i)->opcode != PTX_OP_LD ||
            c->slots[i] <= 0)
            continue;
        int turns = turns_together(&all, i, loop);
        c->d->program->sites[c->d->out->site_base + i].turns = (uint8_t)turns;
        c->slots[i] /= turns;
    }
    free(all.known.of);
}
