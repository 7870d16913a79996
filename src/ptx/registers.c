// How many registers machine code would need: PTX has as many as it likes, ptxas moves instructions and allots. Each
// stretch of straight code (short branches count as predicates) is put into the order of a list scheduler that hides
// latencies: what the longest chain hangs on comes first, loads ahead of their readers, as long as there are registers
// below the next step of occupancy. Which values have a register is judged in needs.c. A model: ptxas does otherwise in
// detail; provenance is `modelled`.
// SPDX-License-Identifier: Apache-2.0
#include "ptx/needs.h"

#include <stdlib.h>
#include <string.h>

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
        count += !needs_nothing(n, &n->f->instructions[i]);
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

enum { COPIES = 4 }; // of an unrolled loop: further ones need no more at once

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
    int last_call;                         // the node; NONE
    int turn, turns_left;                  // of an unrolled loop
    // Of loads that are one: by instruction and turn, what a load in front has brought for it; NONE
    int *brought;
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

// Nothing is moved over a call: not over an exact division either, whose slow path is one.
static void call_order(struct stretch *s, int node)
{
    edge_add(s, s->last_call, node, 1);
    if (!ptx_calls_routine(&s->n->f->instructions[s->nodes[node].instruction]))
        return;
    for (int i = s->last_call > 0 ? s->last_call : 0; i < node; i++)
        edge_add(s, i, node, 1);
    s->last_call = node;
}

// Of an instruction under a predicate: results that keep what they had where it doesn't hold.
static void kept_collect(struct needs *n, const struct ptx_operand *o)
{
    for (int i = 0; i < o->element_count; i++)
        kept_collect(n, &o->elements[i]);
    if (o->kind == PTX_OPERAND_REGISTER && o->reg >= 0 && n->values[o->reg].definition == SEVERAL)
        needs_add(n, o->reg, 0);
}

static int *brought_at(struct stretch *s, int instruction, int turn)
{
    return &s->brought[(size_t)instruction * COPIES + (size_t)turn];
}

// A register of its own for what the load brings; those of the turns that it loads for, too.
static void load_adds(struct stretch *s, int node, int instruction)
{
    struct needs *n = s->n;
    const uint8_t *all = n->made->turns;
    int turns = all != NULL && all[instruction] > 1 ? all[instruction] : 1;
    needs_results(n, &n->f->instructions[instruction]);
    if (n->found_count != 1)
        return;
    for (int t = 0; t < turns && t <= s->turns_left; t++) {
        int reg = n->found[0], before = s->current[reg],
            *at = brought_at(s, instruction, s->turn + t);
        if (*at != NONE)
            continue;
        *at = version_new(s, reg, node);
        ref_add(s, *at);
        s->current[reg] = before;
    }
}

// What the load brings beside its own result, as loads of shared memory that are one do.
static void loads_join(struct stretch *s, int node, int instruction)
{
    const int *joined = s->n->made->joined;
    const struct ptx_block *b = &s->n->f->blocks[s->n->f->block_of[instruction]];
    load_adds(s, node, instruction);
    for (int i = instruction + 1; joined != NULL && i < b->first + b->count; i++)
        if (joined[i] == instruction)
            load_adds(s, node, i);
}

// Is the load's data there, by one in front of it?
static bool is_brought(struct stretch *s, int instruction, const struct ptx_instruction *in)
{
    if (!is_load(in) || in->operands[0].kind != PTX_OPERAND_REGISTER || in->operands[0].reg < 0)
        return false;
    int *at = brought_at(s, instruction, s->turn);
    if (*at == NONE)
        return false;
    s->current[in->operands[0].reg] = *at;
    *at = NONE;
    return true;
}

static void node_add(struct stretch *s, int instruction, int guard)
{
    struct needs *n = s->n;
    const struct ptx_instruction *in = &n->f->instructions[instruction];
    if (needs_nothing(n, in) || in->opcode == PTX_OP_BRA || is_brought(s, instruction, in))
        return;
    s->nodes = grown(s->nodes, s->count, &s->capacity, sizeof *s->nodes);
    int node = s->count++;
    struct node *x = &s->nodes[node];
    *x = (struct node){.instruction = instruction, .latency = latency_of(in)};
    x->reads = s->ref_count;
    needs_sources(n, in);
    if (guard >= 0) {
        needs_add(n, guard, 0);
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
    needs_results(n, in);
    if (guard < 0 && is_load(in) && ptx_space_of(in) == PTX_SPACE_SHARED && n->found_count == 1) {
        loads_join(s, node, instruction);
        (void)is_brought(s, instruction, in);
    } else
        for (int k = 0; k < n->found_count; k++)
            ref_add(s, version_new(s, n->found[k], node));
    x->write_count = s->ref_count - x->writes;
    memory_order(s, node);
    call_order(s, node);
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
    free(s->brought);
}

// Does the instruction add a number to the register that it writes?
static bool is_step(const struct ptx_instruction *in)
{
    return in->opcode == PTX_OP_ADD && in->guard < 0 && in->operand_count == 3 &&
           in->operands[0].kind == PTX_OPERAND_REGISTER &&
           in->operands[1].kind == PTX_OPERAND_REGISTER &&
           in->operands[1].reg == in->operands[0].reg &&
           in->operands[2].kind == PTX_OPERAND_IMMEDIATE;
}

// Turns of an unrolled loop, as straight code: what is stepped is so once.
static void turns_add(struct stretch *s, int block)
{
    const struct ptx_function *f = s->n->f;
    const struct ptx_block *b = &f->blocks[block];
    const int *all = s->n->made->copies;
    int copies = all != NULL && all[block] > 1 ? all[block] : 1;
    copies = copies < COPIES ? copies : COPIES;
    for (int turn = 1; turn <= copies; turn++)
        for (int i = b->first; i < b->first + b->count; i++)
            if (turn == copies ||
                (!is_step(&f->instructions[i]) && f->instructions[i].opcode != PTX_OP_SETP)) {
                s->turn = turn - 1;
                s->turns_left = copies - turn;
                node_add(s, i, NONE);
            }
    s->turn = s->turns_left = 0;
}

// By block: the first block of its stretch.
static void stretches_number(const struct needs *n, int *stretch)
{
    const struct ptx_function *f = n->f;
    for (int b = 0; b < f->block_count; b++)
        stretch[b] = NONE;
    for (int first = 0; first < f->block_count; first++)
        for (int b = first, under; b != NONE && stretch[b] == NONE;) {
            stretch[b] = first;
            b = next_of_stretch(n, b, &under);
            if (under != NONE)
                stretch[under] = first;
        }
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
    needs_live_behind(n, last, out);
}

// One stretch: units live through it untouched are added, what is live behind it marked.
static void stretch_fill(struct stretch *s, struct needs *n, int block, bool *taken, int *through)
{
    uint64_t *out = xcalloc(n->words, sizeof *out);
    *s = (struct stretch){.n = n, .last_store = {NONE, NONE}, .last_call = NONE};
    s->current = xcalloc((size_t)n->f->register_count + 1, sizeof *s->current);
    s->loads = xcalloc(COPIES * (size_t)n->f->instruction_count + 1, sizeof *s->loads);
    s->brought = xcalloc(COPIES * (size_t)n->f->instruction_count + 1, sizeof *s->brought);
    for (int i = 0; i < COPIES * n->f->instruction_count; i++)
        s->brought[i] = NONE;
    for (int r = 0; r < n->f->register_count; r++)
        s->current[r] = NONE;
    blocks_add(s, block, taken, out);
    *through = 0;
    for (int r = 0; r < n->f->register_count; r++) {
        if (!needs_has(out, r))
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
enum { RESERVED = 7, LEAST = 8, MOST = 255 };
static const int STEPS[] = {32, 40, 48, 56, 64, 72, 80, 96, 128, 168, MOST};

enum { REGISTERS = 65536, WARP = 32, WARPS = 64 }; // of an SM

// Threads of the block whose size the kernel states; 0: it does not.
static int threads_stated(const struct ptx_function *f)
{
    const int *size = f->reqntid[0] > 0 ? f->reqntid : f->maxntid;
    int threads = size[0] > 0 ? 1 : 0;
    for (int i = 0; i < 3; i++)
        threads *= size[i] > 0 ? size[i] : 1;
    return (threads + WARP - 1) / WARP * WARP;
}

static int blocks_with(int threads, int registers)
{
    int by_registers = REGISTERS / (threads * registers), by_warps = WARPS * WARP / threads;
    return by_registers < by_warps ? by_registers : by_warps;
}

// The steps that cost a block: of those with which an SM holds as many blocks of the stated size, the largest.
static int steps_of(const struct ptx_function *f, int *steps)
{
    int threads = threads_stated(f), count = 0;
    for (size_t i = 0; i < COUNT_OF(STEPS); i++) {
        bool more = threads > 0 && i + 1 < COUNT_OF(STEPS) &&
                    blocks_with(threads, STEPS[i + 1]) == blocks_with(threads, STEPS[i]);
        if (!more)
            steps[count++] = STEPS[i];
    }
    return count;
}

static int step_above(const int *steps, int count, int need)
{
    for (int i = 0; i < count; i++)
        if (need <= steps[i])
            return steps[i];
    return MOST;
}

static int stretch_need(struct stretch *s, int through, const int *steps, int step_count)
{
    enum { LONGEST = 5000 }; // the time it takes grows with the square
    int written = scheduled(s, through, 0, true) + RESERVED, need = MOST;
    for (int i = 0; i < step_count && s->count <= LONGEST; i++) {
        if (s->entered + through + RESERVED > steps[i])
            continue;
        need = scheduled(s, through, steps[i] - RESERVED, false) + RESERVED;
        if (need <= steps[i])
            return need;
        if (written <= steps[i])
            return steps[i];
    }
    return need < written ? need : written;
}

// What the kernel's own directives leave it: a block of the size that it states must start.
static int most_allowed(const struct ptx_function *f)
{
    enum { UNIT = 8 };
    int most = f->maxnreg > 0 && f->maxnreg < MOST ? f->maxnreg : MOST;
    int threads = threads_stated(f) * (f->minnctapersm > 1 ? f->minnctapersm : 1);
    int each = threads > 0 ? REGISTERS / threads / UNIT * UNIT : most;
    return each > 0 && each < most ? each : most;
}

static int estimate(const struct ptx_function *f, const struct ptx_made *made, bool bases)
{
    struct needs n = needs_new(f, bases);
    n.made = made;
    bool *taken = xcalloc((size_t)f->block_count + 1, sizeof *taken);
    int *stretch = xcalloc((size_t)f->block_count + 1, sizeof *stretch);
    int *kept = xcalloc((size_t)f->block_count + 1, sizeof *kept);
    int need = LEAST, steps[COUNT_OF(STEPS)], step_count = steps_of(f, steps);
    needs_live(&n);
    stretches_number(&n, stretch);
    needs_kept(&n, stretch, kept);
    for (int b = 0; b < f->block_count; b++) {
        struct stretch s;
        int through;
        if (taken[b] || !f->blocks[b].reachable)
            continue;
        stretch_fill(&s, &n, b, taken, &through);
        int mine = stretch_need(&s, through + kept[b], steps, step_count);
        need = mine > need ? mine : need;
        stretch_release(&s);
    }
    needs_release(&n);
    free(taken);
    free(stretch);
    free(kept);
    return need;
}

// A pointer that offsets are added to comes from the constant bank or, about as often, from two registers: the mean of both,
// but no step of occupancy for it; and mostly an even number.
int ptx_register_estimate(const struct ptx_function *f, const struct ptx_made *made)
{
    static const struct ptx_made nothing;
    made = made != NULL ? made : &nothing;
    int without = estimate(f, made, false), with = estimate(f, made, true), most = most_allowed(f);
    int need = ((without + with) / 2 + 1) / 2 * 2, steps[COUNT_OF(STEPS)];
    int step = step_above(steps, steps_of(f, steps), without);
    need = need < step ? need : step;
    return need < most ? need : most;
}

// Until 2026-11-30 eight were added above 64, for the operands that register tiles load ahead: the estimate has those by now (of 69
// kernels above 64, by ptxas or by it, 44 are at ptxas's step, 14 with the eight).
int ptx_register_room(int need)
{
    return step_above(STEPS, COUNT_OF(STEPS), need);
}
