// How many registers machine code would need: PTX has as many as it likes, ptxas moves instructions and allots. Each
// stretch of straight code (short branches count as predicates) is put into the order of a list scheduler that hides
// latencies: what the longest chain hangs on comes first, loads ahead of their readers, as long as there are registers
// below the next step of occupancy. What needs no register of its own (constants, uniform values, copies, factors of an
// address) stands for what it is made of. A model: ptxas does otherwise in detail; provenance is `modelled`.
// SPDX-License-Identifier: Apache-2.0
#include "ptx/internal.h"

#include <stdlib.h>
#include <string.h>

enum { STANDS = 3, DEPTH_MAX = 12, NONE = -1, SEVERAL = -2 };

// What a register is, seen from its readers.
struct held {
    int definition;     // the instruction; NONE, SEVERAL
    int units;          // registers of 32 bits
    bool virtual;       // none of its own: readers read `stands`
    int stands[STANDS]; // registers; NONE
};

struct needs {
    const struct ptx_function *f;
    struct held *values;
    bool bases;
    int *readers;   // by register: how many operands read it
    int *sums;      // and how many of these are additions of 64 bits, or addresses
    uint64_t *live; // by block: what is live at its beginning
    size_t words;
    int *found, found_count; // registers that were collected last
};

/* ---- which values have a register ------------------------------------------------------------------------ */

static bool is_integer_type(enum ptx_type t)
{
    enum ptx_type_kind k = ptx_type_kind(t);
    return k == PTX_KIND_BITS || k == PTX_KIND_UNSIGNED || k == PTX_KIND_SIGNED;
}

static enum ptx_type type_at(const struct ptx_instruction *in, int i)
{
    return i < in->type_count ? in->types[i] : PTX_TYPE_NONE;
}

static void definition_note(struct needs *n, const struct ptx_operand *o, int instruction)
{
    for (int i = 0; i < o->element_count; i++)
        definition_note(n, &o->elements[i], instruction);
    if (o->kind == PTX_OPERAND_REGISTER && o->reg >= 0) {
        int *d = &n->values[o->reg].definition;
        *d = *d == NONE ? instruction : SEVERAL;
    }
}

static bool reads_as_sum(const struct ptx_instruction *in)
{
    return in->opcode == PTX_OP_ADD && in->guard < 0 && is_integer_type(type_at(in, 0));
}

static void readers_note(struct needs *n, const struct ptx_instruction *in,
                         const struct ptx_operand *o)
{
    for (int i = 0; i < o->element_count; i++)
        readers_note(n, in, &o->elements[i]);
    if ((o->kind != PTX_OPERAND_REGISTER && o->kind != PTX_OPERAND_ADDRESS) || o->reg < 0)
        return;
    n->readers[o->reg]++;
    n->sums[o->reg] += reads_as_sum(in);
}

static bool is_virtual_or_single(const struct needs *n, int reg)
{
    return reg >= 0 && n->values[reg].definition >= 0;
}

static bool has_none(const struct needs *n, int reg)
{
    return n->values[reg].virtual && n->values[reg].stands[0] == NONE;
}

// Operands that are registers: their number; -1: something else than registers and numbers is among them.
static int sources_of(const struct ptx_instruction *in, int *regs)
{
    int count = 0;
    for (int k = 1; k < in->operand_count; k++) {
        const struct ptx_operand *o = &in->operands[k];
        if (o->kind == PTX_OPERAND_REGISTER && o->reg >= 0 && count < STANDS)
            regs[count++] = o->reg;
        else if (o->kind != PTX_OPERAND_IMMEDIATE && o->kind != PTX_OPERAND_SYMBOL)
            return -1;
    }
    return count;
}

// A value that every thread has alike and that is known before the kernel's loops: an operand, or in a uniform register.
static bool is_uniform(const struct needs *n, const struct ptx_instruction *in)
{
    const struct ptx_operand *from = &in->operands[1];
    int regs[STANDS], count;
    if (in->opcode == PTX_OP_LD)
        return in->space_count > 0 && (from->reg < 0 || (has_none(n, from->reg))) &&
               (in->spaces[0] == PTX_SPACE_PARAM || in->spaces[0] == PTX_SPACE_CONST);
    if (in->opcode == PTX_OP_MOV && from->kind == PTX_OPERAND_SPECIAL)
        return from->special == PTX_SREG_CTAID || from->special == PTX_SREG_NTID ||
               from->special == PTX_SREG_NCTAID;
    enum ptx_class class = ptx_opcode_class(in->opcode);
    if (in->opcode == PTX_OP_CVTA || in->opcode == PTX_OP_MOV)
        ;
    else if ((class != PTX_CLASS_INTEGER && class != PTX_CLASS_CONVERT) ||
             !is_integer_type(type_at(in, 0)) || in->opcode == PTX_OP_DIV ||
             in->opcode == PTX_OP_REM)
        return false;
    count = sources_of(in, regs);
    for (int i = 0; i < count; i++)
        if (!has_none(n, regs[i]))
            return false;
    return count >= 0;
}

// Does it vanish into its readers: a copy, a wider or a narrower view, a sign, a factor or a summand of addresses?
static bool vanishes(const struct needs *n, const struct ptx_instruction *in, int reg)
{
    enum ptx_type to = type_at(in, 0), from = type_at(in, 1);
    switch (in->opcode) {
    case PTX_OP_MOV:
        return in->operands[1].kind == PTX_OPERAND_REGISTER;
    case PTX_OP_CVTA:
        return true;
    case PTX_OP_CVT:
        return is_integer_type(to) && is_integer_type(from) && ptx_type_bits(to) >= 32 &&
               ptx_type_bits(from) >= 32;
    case PTX_OP_ABS:
    case PTX_OP_NEG:
        return ptx_type_kind(to) == PTX_KIND_FLOAT;
    case PTX_OP_MUL:
        return ptx_has_modifier(in, PTX_MOD_WIDE) && n->readers[reg] == n->sums[reg];
    case PTX_OP_SHL:
        return in->operands[2].kind == PTX_OPERAND_IMMEDIATE && n->readers[reg] == n->sums[reg];
    default:
        return false;
    }
}

// A pointer that threads' offsets are added to: IMAD.WIDE takes it from registers.
static bool is_base(const struct needs *n, const struct ptx_instruction *in, int reg)
{
    return in->opcode == PTX_OP_LD && in->space_count > 0 && in->spaces[0] == PTX_SPACE_PARAM &&
           n->f->is_entry && ptx_type_bits(type_at(in, 0)) == 64 && n->bases && n->sums[reg] > 0;
}

static void value_judge(struct needs *n, int reg)
{
    struct held *v = &n->values[reg];
    const struct ptx_instruction *in = &n->f->instructions[v->definition];
    int regs[STANDS], count = 0;
    if (in->guard >= 0 || in->operand_count < 2 || in->operands[0].kind != PTX_OPERAND_REGISTER)
        return;
    if (is_base(n, in, reg))
        return;
    if (is_uniform(n, in)) {
        v->virtual = true;
        return;
    }
    if (!vanishes(n, in, reg) || (count = sources_of(in, regs)) < 0)
        return;
    for (int i = 0; i < count; i++)
        if (!is_virtual_or_single(n, regs[i]))
            return;
    v->virtual = true;
    for (int i = 0; i < count; i++)
        v->stands[i] = regs[i];
}

static bool is_alike(const struct needs *n, const struct ptx_operand *o)
{
    return o->kind == PTX_OPERAND_IMMEDIATE || o->kind == PTX_OPERAND_SYMBOL ||
           (o->kind == PTX_OPERAND_REGISTER && o->reg >= 0 && has_none(n, o->reg));
}

// One writing of a loop's counter: its first value, or a step that all threads take alike.
static bool counts(const struct needs *n, const struct ptx_instruction *in, bool *steps)
{
    const struct ptx_operand *o = in->operands;
    if (in->guard >= 0)
        return false;
    if (in->opcode == PTX_OP_MOV)
        return is_alike(n, &o[1]);
    *steps = true;
    return reads_as_sum(in) && ((o[1].reg == o[0].reg && is_alike(n, &o[2])) ||
                                (o[2].reg == o[0].reg && is_alike(n, &o[1])));
}

// Counters of loops that all threads take alike are in uniform registers. `held`: the others.
static void counters_judge(struct needs *n)
{
    const struct ptx_function *f = n->f;
    bool *held = xcalloc((size_t)f->register_count + 1, sizeof *held);
    bool *stepped = xcalloc((size_t)f->register_count + 1, sizeof *stepped);
    for (int i = 0; i < f->instruction_count; i++) {
        const struct ptx_instruction *in = &f->instructions[i];
        const struct ptx_operand *to = &in->operands[0];
        if (!in->writes_first)
            continue;
        for (int e = 0; e < to->element_count; e++)
            if (to->elements[e].reg >= 0)
                held[to->elements[e].reg] = true;
        if (to->kind == PTX_OPERAND_REGISTER && to->reg >= 0 && !counts(n, in, &stepped[to->reg]))
            held[to->reg] = true;
    }
    for (int r = 0; r < f->register_count; r++)
        if (n->values[r].definition == SEVERAL && stepped[r] && !held[r] && n->values[r].units <= 1)
            n->values[r].virtual = true;
    free(held);
    free(stepped);
}

// What is written once, in the order of the text.
static void once_judge(struct needs *n)
{
    const struct ptx_function *f = n->f;
    for (int i = 0; i < f->instruction_count; i++) {
        const struct ptx_operand *to = &f->instructions[i].operands[0];
        if (f->instructions[i].writes_first && to->kind == PTX_OPERAND_REGISTER && to->reg >= 0 &&
            n->values[to->reg].definition == i)
            value_judge(n, to->reg);
    }
}

static void values_judge(struct needs *n)
{
    const struct ptx_function *f = n->f;
    bool *high = xcalloc((size_t)f->register_count + 1, sizeof *high);
    ptx_high_halves(f, high);
    for (int r = 0; r < f->register_count; r++) {
        int bits = ptx_type_bits(f->registers[r].type);
        bits = bits == 64 && !high[r] ? 32 : bits;
        n->values[r] = (struct held){NONE,
                                     bits == 1    ? 0
                                     : bits <= 32 ? 1
                                                  : bits / 32,
                                     false,
                                     {NONE, NONE, NONE}};
    }
    for (int i = 0; i < f->instruction_count; i++) {
        const struct ptx_instruction *in = &f->instructions[i];
        if (in->writes_first)
            definition_note(n, &in->operands[0], i);
        for (int k = in->writes_first ? 1 : 0; k < in->operand_count; k++)
            readers_note(n, in, &in->operands[k]);
    }
    for (int i = f->instruction_count - 1; i >= 0; i--) {
        const struct ptx_instruction *in = &f->instructions[i];
        if (in->opcode == PTX_OP_CVTA && in->operands[1].reg >= 0 && in->operands[0].reg >= 0)
            n->sums[in->operands[1].reg] += n->sums[in->operands[0].reg];
    }
    once_judge(n);
    counters_judge(n);
    once_judge(n); // of the counters
    free(high);
}

static void found_add(struct needs *n, int reg, int depth)
{
    const struct held *v = &n->values[reg];
    if (v->virtual && depth < DEPTH_MAX) {
        for (int i = 0; i < STANDS && v->stands[i] != NONE; i++)
            found_add(n, v->stands[i], depth + 1);
        return;
    }
    for (int i = 0; i < n->found_count; i++)
        if (n->found[i] == reg)
            return;
    n->found[n->found_count++] = reg;
}

static void operand_collect(struct needs *n, const struct ptx_operand *o)
{
    for (int i = 0; i < o->element_count; i++)
        operand_collect(n, &o->elements[i]);
    if ((o->kind == PTX_OPERAND_REGISTER || o->kind == PTX_OPERAND_ADDRESS) && o->reg >= 0)
        found_add(n, o->reg, 0);
}

static bool result_is_read(const struct ptx_instruction *in)
{
    return in->guard >= 0 || in->opcode == PTX_OP_WGMMA;
}

static void sources_collect(struct needs *n, const struct ptx_instruction *in)
{
    n->found_count = 0;
    for (int k = in->writes_first && !result_is_read(in) ? 1 : 0; k < in->operand_count; k++)
        operand_collect(n, &in->operands[k]);
    if (in->guard >= 0)
        found_add(n, in->guard, 0);
}

static void results_collect(struct needs *n, const struct ptx_instruction *in)
{
    n->found_count = 0;
    if (in->writes_first)
        operand_collect(n, &in->operands[0]);
}

static bool has_no_instruction(const struct needs *n, const struct ptx_instruction *in)
{
    const struct ptx_operand *to = &in->operands[0];
    return in->writes_first && to->kind == PTX_OPERAND_REGISTER && to->reg >= 0 &&
           n->values[to->reg].virtual;
}

/* ---- what is live at a block's beginning ------------------------------------------------------------------- */

static bool has(const uint64_t *set, int reg)
{
    return set[reg / 64] >> (reg & 63) & 1;
}

static void put(uint64_t *set, int reg, bool on)
{
    uint64_t bit = UINT64_C(1) << (reg & 63);
    set[reg / 64] = on ? set[reg / 64] | bit : set[reg / 64] & ~bit;
}

static void live_of_successors(const struct needs *n, int block, uint64_t *set)
{
    const struct ptx_block *b = &n->f->blocks[block];
    for (int k = 0; k < b->successor_count; k++)
        for (size_t w = 0; w < n->words; w++)
            set[w] |= n->live[(size_t)b->successors[k] * n->words + w];
}

static void live_through(struct needs *n, int block, uint64_t *set)
{
    const struct ptx_block *b = &n->f->blocks[block];
    for (int i = b->first + b->count - 1; i >= b->first; i--) {
        const struct ptx_instruction *in = &n->f->instructions[i];
        if (has_no_instruction(n, in))
            continue;
        if (!result_is_read(in)) {
            results_collect(n, in);
            for (int k = 0; k < n->found_count; k++)
                put(set, n->found[k], false);
        }
        sources_collect(n, in);
        for (int k = 0; k < n->found_count; k++)
            put(set, n->found[k], true);
    }
}

static void live_settle(struct needs *n)
{
    uint64_t *set = xcalloc(n->words, sizeof *set);
    for (bool changed = true; changed;) {
        changed = false;
        for (int b = n->f->block_count - 1; b >= 0; b--) {
            uint64_t *mine = n->live + (size_t)b * n->words;
            memset(set, 0, n->words * sizeof *set);
            live_of_successors(n, b, set);
            live_through(n, b, set);
            if (memcmp(mine, set, n->words * sizeof *set) != 0) {
                memcpy(mine, set, n->words * sizeof *set);
                changed = true;
            }
        }
    }
    free(set);
}

/* ---- stretches of straight code ------------------------------------------------------------------------------ */

enum { PREDICATED_MOST = 12 }; // instructions under a branch that ptxas turns into predicates

static bool ends_stretch(const struct ptx_instruction *in)
{
    return in->opcode == PTX_OP_BAR || in->opcode == PTX_OP_BARRIER || in->opcode == PTX_OP_CALL ||
           in->opcode == PTX_OP_BRX || in->opcode == PTX_OP_RET || in->opcode == PTX_OP_EXIT;
}

static bool is_short(const struct needs *n, int block)
{
    const struct ptx_block *b = &n->f->blocks[block];
    int count = 0;
    for (int i = b->first; i < b->first + b->count; i++) {
        if (ends_stretch(&n->f->instructions[i]))
            return false;
        count += !has_no_instruction(n, &n->f->instructions[i]);
    }
    return count <= PREDICATED_MOST;
}

// The block that the stretch goes on with behind this one; NONE. *under: the block between that is predicated, or NONE.
static int next_of_stretch(const struct needs *n, int block, int *under)
{
    const struct ptx_function *f = n->f;
    const struct ptx_block *b = &f->blocks[block];
    const struct ptx_instruction *last = &f->instructions[b->first + b->count - 1];
    int between = block + 1;
    *under = NONE;
    if (between >= f->block_count)
        return NONE;
    if (b->successor_count == 1 && b->successors[0] == between &&
        f->blocks[between].predecessor_count == 1)
        return between;
    if (last->opcode != PTX_OP_BRA || last->guard < 0 || b->successor_count != 2)
        return NONE;
    int to = b->successors[0] == between ? b->successors[1] : b->successors[0];
    const struct ptx_block *u = &f->blocks[between];
    if (to <= between || u->predecessor_count != 1 || u->successor_count != 1 ||
        u->successors[0] != to || f->blocks[to].predecessor_count != 2 || !is_short(n, between))
        return NONE;
    *under = between;
    return to;
}

/* ---- scheduling ------------------------------------------------------------------------------------------------ */

enum { COPIES = 4 }; // of a loop that ptxas unrolls

struct version {             // of a register, from one writing to the next
    int units, left, writer; // left: readings still to come; writer: the node, NONE = from before
    bool out;                // live behind the stretch
};
struct node {
    int instruction;
    int waits;                                  // for so many others
    int priority;                               // cycles from here to the end
    int reads, read_count, writes, write_count; // into `refs`
    int after, after_count;                     // into `edges`
    int latency;
};
struct edge {
    int from, to, latency;
};
struct stretch {
    struct needs *n;
    struct node *nodes;
    int count, capacity;
    struct version *versions;
    int version_count, version_capacity;
    int *refs, ref_count, ref_capacity;
    struct edge *edges;
    int edge_count, edge_capacity;
    int *current;                          // by register: its version; NONE
    int entered;                           // units live at the beginning
    int *loads, load_count, last_store[2]; // memory's order: loads since, by shared or not
};

static void *grown(void *of, int count, int *capacity, size_t size)
{
    if (count < *capacity)
        return of;
    *capacity = *capacity ? 2 * *capacity : 256;
    void *bigger = xcalloc((size_t)*capacity, size);
    if (count > 0)
        memcpy(bigger, of, (size_t)count * size);
    free(of);
    return bigger;
}

static void edge_add(struct stretch *s, int from, int to, int latency)
{
    if (from < 0 || from == to)
        return;
    s->edges = grown(s->edges, s->edge_count, &s->edge_capacity, sizeof *s->edges);
    s->edges[s->edge_count++] = (struct edge){from, to, latency};
}

static int version_new(struct stretch *s, int reg, int writer)
{
    s->versions = grown(s->versions, s->version_count, &s->version_capacity, sizeof *s->versions);
    s->versions[s->version_count] = (struct version){s->n->values[reg].units, 0, writer, false};
    s->current[reg] = s->version_count;
    return s->version_count++;
}

static void ref_add(struct stretch *s, int version)
{
    s->refs = grown(s->refs, s->ref_count, &s->ref_capacity, sizeof *s->refs);
    s->refs[s->ref_count++] = version;
}

enum { LATENCY_ALU = 5, LATENCY_SPECIAL = 18, LATENCY_SHARED = 30, LATENCY_GLOBAL = 200 };

static bool is_load(const struct ptx_instruction *in)
{
    return in->opcode == PTX_OP_LD || in->opcode == PTX_OP_LDU;
}

static int latency_of(const struct ptx_instruction *in)
{
    enum ptx_class class = ptx_opcode_class(in->opcode);
    if (is_load(in) || class == PTX_CLASS_ATOMIC) {
        enum ptx_space space = ptx_space_of(in);
        bool constant = space == PTX_SPACE_PARAM || space == PTX_SPACE_CONST;
        return space == PTX_SPACE_SHARED ? LATENCY_SHARED
               : constant                ? LATENCY_SPECIAL
                                         : LATENCY_GLOBAL;
    }
    bool sequence = in->opcode == PTX_OP_DIV || in->opcode == PTX_OP_REM;
    return class == PTX_CLASS_SPECIAL || sequence ? LATENCY_SPECIAL : LATENCY_ALU;
}

// Registers that the machine's own sequence for one instruction takes beside its operands.
static int scratch_of(const struct ptx_instruction *in)
{
    enum {
        KNOWN = 1,
        SEQUENCE = 6,
        ROOT_F64 = 8,
        DIVISION_F64 = 12,
        PRODUCT = 2,
        PRODUCT_HIGH = 8
    };
    enum ptx_type t = type_at(in, 0);
    bool wide = ptx_type_bits(t) == 64, whole = is_integer_type(t);
    bool exact = !ptx_has_modifier(in, PTX_MOD_APPROX) && !ptx_has_modifier(in, PTX_MOD_FULL);
    if (in->opcode == PTX_OP_DIV || in->opcode == PTX_OP_REM) {
        bool known = whole && in->operands[2].kind == PTX_OPERAND_IMMEDIATE;
        return known || !exact ? KNOWN : wide && !whole ? DIVISION_F64 : SEQUENCE;
    }
    if (in->opcode == PTX_OP_RCP || in->opcode == PTX_OP_SQRT)
        return wide ? ROOT_F64 : exact ? SEQUENCE : 0;
    if (in->opcode == PTX_OP_MUL && whole && wide)
        return ptx_has_modifier(in, PTX_MOD_HI) ? PRODUCT_HIGH : PRODUCT;
    return 0;
}

static bool touches_memory(const struct ptx_instruction *in)
{
    switch (ptx_opcode_class(in->opcode)) {
    case PTX_CLASS_INTEGER:
    case PTX_CLASS_FLOAT:
    case PTX_CLASS_SPECIAL:
    case PTX_CLASS_CONVERT:
    case PTX_CLASS_FREE:
        return false;
    case PTX_CLASS_OTHER:
    case PTX_CLASS_MEMORY:
    case PTX_CLASS_ATOMIC:
    case PTX_CLASS_CONTROL:
    case PTX_CLASS_BARRIER:
    case PTX_CLASS_WARP:
    case PTX_CLASS_TENSOR:
    case PTX_CLASS_FENCE:
        break;
    }
    return true;
}

// A store stays behind the loads and stores before it, on its side: of shared memory, or of all other.
static void store_order(struct stretch *s, int node, int side)
{
    int kept = 0;
    edge_add(s, s->last_store[side], node, 1);
    for (int i = 0; i < s->load_count; i++) {
        const struct ptx_instruction *l = &s->n->f->instructions[s->nodes[s->loads[i]].instruction];
        if ((ptx_space_of(l) == PTX_SPACE_SHARED) == side)
            edge_add(s, s->loads[i], node, 1);
        else
            s->loads[kept++] = s->loads[i];
    }
    s->load_count = kept;
    s->last_store[side] = node;
}

static void memory_order(struct stretch *s, int node)
{
    const struct ptx_instruction *in = &s->n->f->instructions[s->nodes[node].instruction];
    enum ptx_space space = ptx_space_of(in);
    int mine = space == PTX_SPACE_SHARED;
    if (!touches_memory(in))
        return;
    if (is_load(in)) {
        if (space == PTX_SPACE_PARAM || space == PTX_SPACE_CONST ||
            ptx_has_modifier(in, PTX_MOD_NC))
            return;
        edge_add(s, s->last_store[mine], node, 1);
        s->loads[s->load_count++] = node;
        return;
    }
    bool one = in->opcode == PTX_OP_ST || ptx_opcode_class(in->opcode) == PTX_CLASS_ATOMIC;
    if (!one || !mine)
        store_order(s, node, 0);
    if (!one || mine)
        store_order(s, node, 1);
}

// Of an instruction under a predicate: results that keep what they had where it doesn't hold.
static void kept_collect(struct needs *n, const struct ptx_operand *o)
{
    for (int i = 0; i < o->element_count; i++)
        kept_collect(n, &o->elements[i]);
    if (o->kind == PTX_OPERAND_REGISTER && o->reg >= 0 && n->values[o->reg].definition == SEVERAL)
        found_add(n, o->reg, 0);
}

static void node_add(struct stretch *s, int instruction, int guard)
{
    struct needs *n = s->n;
    const struct ptx_instruction *in = &n->f->instructions[instruction];
    if (has_no_instruction(n, in) || in->opcode == PTX_OP_BRA)
        return;
    s->nodes = grown(s->nodes, s->count, &s->capacity, sizeof *s->nodes);
    int node = s->count++;
    struct node *x = &s->nodes[node];
    *x = (struct node){.instruction = instruction, .latency = latency_of(in)};
    x->reads = s->ref_count;
    sources_collect(n, in);
    if (guard >= 0) {
        found_add(n, guard, 0);
        if (in->writes_first)
            kept_collect(n, &in->operands[0]);
    }
    for (int k = 0; k < n->found_count; k++) {
        int reg = n->found[k];
        if (s->current[reg] == NONE) {
            version_new(s, reg, NONE);
            s->entered += n->values[reg].units;
        }
        s->versions[s->current[reg]].left++;
        ref_add(s, s->current[reg]);
        int writer = s->versions[s->current[reg]].writer;
        if (writer >= 0)
            edge_add(s, writer, node, s->nodes[writer].latency);
    }
    x = &s->nodes[node];
    x->read_count = s->ref_count - x->reads;
    x->writes = s->ref_count;
    results_collect(n, in);
    for (int k = 0; k < n->found_count; k++)
        ref_add(s, version_new(s, n->found[k], node));
    x->write_count = s->ref_count - x->writes;
    memory_order(s, node);
}

static int edge_compare(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;
    return x->from != y->from ? (x->from > y->from) - (x->from < y->from)
                              : (x->to > y->to) - (x->to < y->to);
}

static void priorities_fill(struct stretch *s)
{
    if (s->edge_count > 0)
        qsort(s->edges, (size_t)s->edge_count, sizeof *s->edges, edge_compare);
    for (int i = 0; i < s->count; i++)
        s->nodes[i].after_count = 0;
    for (int e = s->edge_count - 1; e >= 0; e--) {
        s->nodes[s->edges[e].from].after = e;
        s->nodes[s->edges[e].from].after_count++;
    }
    for (int i = s->count - 1; i >= 0; i--) {
        struct node *x = &s->nodes[i];
        x->priority = x->latency;
        for (int e = 0; e < x->after_count; e++) {
            const struct edge *g = &s->edges[x->after + e];
            if (s->nodes[g->to].priority + g->latency > x->priority)
                x->priority = s->nodes[g->to].priority + g->latency;
        }
    }
}

// Units that are live more after it than before.
static int pressure_of(const struct stretch *s, const struct node *x)
{
    int change = 0;
    for (int k = 0; k < x->read_count; k++) {
        const struct version *v = &s->versions[s->refs[x->reads + k]];
        change -= v->left == 1 && !v->out ? v->units : 0;
    }
    for (int k = 0; k < x->write_count; k++)
        change += s->versions[s->refs[x->writes + k]].units;
    return change;
}

static int chosen(const struct stretch *s, const int *ready, int ready_count, int live, int most)
{
    int best = NONE, best_change = 0;
    bool full = false;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < ready_count; i++) {
            const struct node *x = &s->nodes[ready[i]];
            int change = pressure_of(s, x);
            if (!full && change > 0 && live + change > most)
                continue;
            bool better = best == NONE;
            if (!better && full && change != best_change)
                better = change < best_change;
            else if (!better)
                better = x->priority > s->nodes[ready[best]].priority ||
                         (x->priority == s->nodes[ready[best]].priority && ready[i] < ready[best]);
            if (better) {
                best = i;
                best_change = change;
            }
        }
        if (best != NONE)
            return best;
        full = true;
    }
    return best;
}

static void version_read(struct stretch *s, int version, int *live)
{
    struct version *v = &s->versions[version];
    if (--v->left == 0 && !v->out)
        *live -= v->units;
}

// Most units live at once in the order that hides latencies with at most so many, if that can be; `through`: live beside.
static int scheduled(struct stretch *s, int through, int most, bool as_written)
{
    int live = s->entered + through, top = live, ready_count = 0;
    int *ready = xcalloc((size_t)s->count + 1, sizeof *ready);
    struct version *kept = xcalloc((size_t)s->version_count + 1, sizeof *kept);
    if (s->version_count > 0)
        memcpy(kept, s->versions, (size_t)s->version_count * sizeof *kept);
    for (int i = 0; i < s->count; i++)
        s->nodes[i].waits = 0;
    for (int e = 0; e < s->edge_count; e++)
        s->nodes[s->edges[e].to].waits++;
    for (int i = 0; i < s->count; i++)
        if (s->nodes[i].waits == 0 && !as_written)
            ready[ready_count++] = i;
    for (int done = 0; done < s->count; done++) {
        int at = as_written ? 0 : chosen(s, ready, ready_count, live, most);
        int node = as_written ? done : ready[at];
        struct node *x = &s->nodes[node];
        if (!as_written)
            ready[at] = ready[--ready_count];
        for (int k = 0; k < x->read_count; k++)
            version_read(s, s->refs[x->reads + k], &live);
        int dead = 0;
        for (int k = 0; k < x->write_count; k++) {
            const struct version *v = &s->versions[s->refs[x->writes + k]];
            live += v->units;
            dead += v->left == 0 && !v->out ? v->units : 0;
        }
        int here = live + scratch_of(&s->n->f->instructions[x->instruction]);
        top = here > top ? here : top;
        live -= dead;
        for (int e = 0; e < x->after_count && !as_written; e++)
            if (--s->nodes[s->edges[x->after + e].to].waits == 0)
                ready[ready_count++] = s->edges[x->after + e].to;
    }
    if (s->version_count > 0)
        memcpy(s->versions, kept, (size_t)s->version_count * sizeof *kept);
    free(kept);
    free(ready);
    return top;
}

static void stretch_release(struct stretch *s)
{
    free(s->nodes);
    free(s->versions);
    free(s->refs);
    free(s->edges);
    free(s->current);
    free(s->loads);
}

// Turns of an unrolled loop, as straight code: what is stepped is so once.
static void turns_add(struct stretch *s, int block)
{
    const struct ptx_function *f = s->n->f;
    const struct ptx_block *b = &f->blocks[block];
    int copies = ptx_unrolls(f, block) ? COPIES : 1;
    for (int turn = 1; turn <= copies; turn++)
        for (int i = b->first; i < b->first + b->count; i++)
            if (turn == copies ||
                (!ptx_is_step(&f->instructions[i]) && f->instructions[i].opcode != PTX_OP_SETP))
                node_add(s, i, NONE);
}

static void blocks_add(struct stretch *s, int block, bool *taken, uint64_t *out)
{
    struct needs *n = s->n;
    const struct ptx_function *f = n->f;
    int last = block;
    for (int b = block, under; b != NONE;) {
        const struct ptx_block *k = &f->blocks[b];
        taken[b] = true;
        last = b;
        turns_add(s, b);
        b = next_of_stretch(n, b, &under);
        if (under != NONE) {
            int guard = f->instructions[k->first + k->count - 1].guard;
            taken[under] = true;
            for (int i = f->blocks[under].first;
                 i < f->blocks[under].first + f->blocks[under].count; i++)
                node_add(s, i, guard);
        }
    }
    live_of_successors(n, last, out);
}

// One stretch: units live through it untouched are added, what is live behind it marked.
static void stretch_fill(struct stretch *s, struct needs *n, int block, bool *taken, int *through)
{
    uint64_t *out = xcalloc(n->words, sizeof *out);
    *s = (struct stretch){.n = n, .last_store = {NONE, NONE}};
    s->current = xcalloc((size_t)n->f->register_count + 1, sizeof *s->current);
    s->loads = xcalloc(COPIES * (size_t)n->f->instruction_count + 1, sizeof *s->loads);
    for (int r = 0; r < n->f->register_count; r++)
        s->current[r] = NONE;
    blocks_add(s, block, taken, out);
    *through = 0;
    for (int r = 0; r < n->f->register_count; r++) {
        if (!has(out, r))
            continue;
        if (s->current[r] != NONE)
            s->versions[s->current[r]].out = true;
        else
            *through += n->values[r].units;
    }
    priorities_fill(s);
    free(out);
}

// Beside the values: addresses, the stack pointer. STEPS: where an SM holds a block's warps less, as ptxas counts on.
enum { RESERVED = 8, LEAST = 8, MOST = 255 };
static const int STEPS[] = {32, 40, 48, 64, 80, 96, 128, 168, MOST};

static int step_above(int need)
{
    for (size_t i = 0; i < COUNT_OF(STEPS); i++)
        if (need <= STEPS[i])
            return STEPS[i];
    return MOST;
}

static int stretch_need(struct stretch *s, int through)
{
    enum { LONGEST = 5000 }; // the time it takes grows with the square
    int written = scheduled(s, through, 0, true) + RESERVED, need = MOST;
    for (size_t i = 0; i < COUNT_OF(STEPS) && s->count <= LONGEST; i++) {
        if (s->entered + through + RESERVED > STEPS[i])
            continue;
        need = scheduled(s, through, STEPS[i] - RESERVED, false) + RESERVED;
        if (need <= STEPS[i])
            return need;
        if (written <= STEPS[i])
            return STEPS[i];
    }
    return need < written ? need : written;
}

// What the kernel's own directives leave it: a block of the size that it states must start.
static int most_allowed(const struct ptx_function *f)
{
    enum { REGISTERS = 65536, WARP = 32, UNIT = 8 };
    const int *size = f->reqntid[0] > 0 ? f->reqntid : f->maxntid;
    int threads = 1, most = f->maxnreg > 0 && f->maxnreg < MOST ? f->maxnreg : MOST;
    for (int i = 0; i < 3; i++)
        threads *= size[i] > 0 ? size[i] : 1;
    if (size[0] <= 0)
        return most;
    int warps = (threads + WARP - 1) / WARP;
    warps *= f->minnctapersm > 1 ? f->minnctapersm : 1;
    int each = REGISTERS / (warps * WARP) / UNIT * UNIT;
    return each > 0 && each < most ? each : most;
}

static struct needs needs_new(const struct ptx_function *f, bool bases)
{
    size_t count = (size_t)f->register_count + 1;
    struct needs n = {.f = f, .bases = bases, .words = (size_t)f->register_count / 64 + 1};
    n.values = xcalloc(count, sizeof *n.values);
    n.readers = xcalloc(count, sizeof *n.readers);
    n.sums = xcalloc(count, sizeof *n.sums);
    values_judge(&n);
    return n;
}

static void needs_release(struct needs *n)
{
    free(n->values);
    free(n->readers);
    free(n->sums);
    free(n->found);
    free(n->live);
}

static int estimate(const struct ptx_function *f, bool bases)
{
    struct needs n = needs_new(f, bases);
    bool *taken = xcalloc((size_t)f->block_count + 1, sizeof *taken);
    int need = LEAST;
    n.found = xcalloc((size_t)f->register_count + 1, sizeof *n.found);
    n.live = xcalloc((size_t)f->block_count * n.words + 1, sizeof *n.live);
    live_settle(&n);
    for (int b = 0; b < f->block_count; b++) {
        struct stretch s;
        int through;
        if (taken[b] || !f->blocks[b].reachable)
            continue;
        stretch_fill(&s, &n, b, taken, &through);
        int mine = stretch_need(&s, through);
        need = mine > need ? mine : need;
        stretch_release(&s);
    }
    needs_release(&n);
    free(taken);
    return need;
}

// A pointer that offsets are added to comes from the constant bank or, about as often, from two registers: the mean of both,
// but no step of occupancy for it; and mostly an even number.
int ptx_register_estimate(const struct ptx_function *f)
{
    int without = estimate(f, false), with = estimate(f, true), most = most_allowed(f);
    int need = ((without + with) / 2 + 1) / 2 * 2, step = step_above(without);
    need = need < step ? need : step;
    return need < most ? need : most;
}

static void held_add(const struct ptx_function *f, bool bases, int *held)
{
    struct needs n = needs_new(f, bases);
    n.found = xcalloc((size_t)f->register_count + 1, sizeof *n.found);
    n.live = xcalloc((size_t)f->block_count * n.words + 1, sizeof *n.live);
    live_settle(&n);
    for (int b = 0; b < f->block_count; b++)
        for (int r = 0; r < f->register_count; r++)
            held[b] += has(n.live + (size_t)b * n.words, r) ? n.values[r].units : 0;
    needs_release(&n);
}

void ptx_registers_held(const struct ptx_function *f, int *held)
{
    memset(held, 0, (size_t)f->block_count * sizeof *held);
    held_add(f, false, held);
    held_add(f, true, held);
    for (int b = 0; b < f->block_count; b++)
        held[b] = (held[b] + 1) / 2; // pointers as in ptx_register_estimate
}

void ptx_register_units(const struct ptx_function *f, uint8_t *units)
{
    struct needs n = needs_new(f, false);
    for (int r = 0; r < f->register_count; r++)
        units[r] = n.values[r].virtual ? 0 : (uint8_t)n.values[r].units;
    needs_release(&n);
}

// Beyond so many, ptxas loads the next operands of register tiles while it computes with the last, which the estimate knows
// nothing of: 96, 96 and 128 estimated are 110, 122 and 141 (ptxas 13.0: bench/truth/validation-2, attention:online, sgemm:square and
// sgemm:warps).
int ptx_register_room(int need)
{
    enum { TILES = 64 };
    return step_above(need > TILES ? need + RESERVED : need);
}
