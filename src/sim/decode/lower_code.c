// A function as ptxas sees it: the blocks' dominators and natural loops, where each operand's value comes from through copies,
// which instructions make the same, who reads what.
// SPDX-License-Identifier: Apache-2.0
#include "sim/decode/lower_forms.h"
#include "sim/decode/lower_known.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NONE = -1 };

/* ---- blocks ---------------------------------------------------------------------------------------- */

// Dominators: Cooper, Harvey, Kennedy, "A simple, fast dominance algorithm", 2001.
static void order_find(struct code *c)
{
    const struct ptx_function *f = c->f;
    int *stack = xcalloc((size_t)f->block_count + 1, sizeof *stack);
    int *next = xcalloc((size_t)f->block_count + 1, sizeof *next);
    int depth = 0, left = f->block_count;
    for (int b = 0; b < f->block_count; b++)
        c->number[b] = NONE;
    stack[depth++] = 0;
    c->number[0] = 0;
    while (depth > 0) {
        int b = stack[depth - 1];
        if (next[b] < f->blocks[b].successor_count) {
            int to = f->blocks[b].successors[f->blocks[b].successor_count - ++next[b]];
            if (to >= 0 && c->number[to] == NONE) {
                c->number[to] = 0;
                stack[depth++] = to;
            }
        } else {
            c->order[--left] = b;
            depth--;
        }
    }
    int count = f->block_count - left;
    memmove(c->order, c->order + left, (size_t)count * sizeof(int));
    for (int i = 0; i < count; i++)
        c->number[c->order[i]] = i;
    for (int i = count; i < f->block_count; i++)
        c->order[i] = NONE;
    free(stack);
    free(next);
}

int common_dominator(const struct code *c, int a, int b)
{
    while (a != b && a >= 0 && b >= 0) {
        if (c->number[a] > c->number[b])
            a = c->dominator[a];
        else
            b = c->dominator[b];
    }
    return a == b ? a : NONE;
}

bool dominates(const struct code *c, int a, int b)
{
    if (a < 0 || b < 0 || c->number[a] < 0 || c->number[b] < 0)
        return false;
    while (b >= 0 && c->number[b] > c->number[a])
        b = c->dominator[b];
    return a == b;
}

static void dominators_find(struct code *c)
{
    for (int b = 0; b < c->f->block_count; b++)
        c->dominator[b] = NONE;
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 1; i < c->f->block_count && c->order[i] >= 0; i++) {
            int b = c->order[i], to = NONE;
            const struct ptx_block *block = &c->f->blocks[b];
            for (int p = 0; p < block->predecessor_count; p++) {
                int from = block->predecessors[p];
                if (c->number[from] < 0 || (from != 0 && c->dominator[from] == NONE))
                    continue;
                to = to == NONE ? from : common_dominator(c, to, from);
            }
            changed |= to != c->dominator[b];
            c->dominator[b] = to;
        }
    }
}

bool in_loop(const struct code *c, int block, int loop)
{
    for (int l = block >= 0 ? c->loop_of[block] : NONE; l >= 0; l = c->loops[l].around)
        if (l == loop)
            return true;
    return false;
}

// Blocks from which the head is reached without passing it. `seen` is of this loop.
static void loop_collect(struct code *c, int loop, bool *seen, int *stack)
{
    const struct ptx_function *f = c->f;
    int head = c->loops[loop].head, depth = 0;
    memset(seen, 0, (size_t)f->block_count * sizeof *seen);
    seen[head] = true;
    for (int b = 0; b < f->block_count; b++)
        for (int s = 0; s < f->blocks[b].successor_count; s++)
            if (f->blocks[b].successors[s] == head && dominates(c, head, b) && !seen[b]) {
                seen[b] = true;
                stack[depth++] = b;
            }
    while (depth > 0) {
        const struct ptx_block *b = &f->blocks[stack[--depth]];
        for (int p = 0; p < b->predecessor_count; p++)
            if (!seen[b->predecessors[p]] && c->number[b->predecessors[p]] >= 0) {
                seen[b->predecessors[p]] = true;
                stack[depth++] = b->predecessors[p];
            }
    }
}

static void back_branch(struct code *c, struct natural_loop *l, const bool *seen)
{
    int ways = 0;
    for (int b = 0; b < c->f->block_count; b++) {
        const struct ptx_block *block = &c->f->blocks[b];
        l->blocks += seen[b];
        for (int s = 0; s < block->successor_count && seen[b]; s++)
            if (block->successors[s] == l->head) {
                ways++;
                l->branch = block->first + block->count - 1;
            }
    }
    if (ways != 1)
        l->branch = NONE;
}

// Outer loops' heads come first in the order, so that inner ones overwrite them.
static void loops_find(struct code *c)
{
    const struct ptx_function *f = c->f;
    bool *seen = xcalloc((size_t)f->block_count + 1, sizeof *seen);
    int *stack = xcalloc((size_t)f->block_count + 1, sizeof *stack);
    for (int b = 0; b < f->block_count; b++)
        c->loop_of[b] = NONE;
    for (int i = 0; i < f->block_count && c->order[i] >= 0; i++) {
        int head = c->order[i];
        bool any = false;
        for (int p = 0; p < f->blocks[head].predecessor_count; p++)
            any |= dominates(c, head, f->blocks[head].predecessors[p]);
        if (!any)
            continue;
        struct natural_loop *l = &c->loops[c->loop_count];
        *l = (struct natural_loop){
            .head = head, .around = c->loop_of[head], .branch = NONE, .copies = 1};
        if (l->around >= 0)
            c->loops[l->around].has_inner = true;
        loop_collect(c, c->loop_count, seen, stack);
        back_branch(c, l, seen);
        for (int b = 0; b < f->block_count; b++)
            if (seen[b])
                c->loop_of[b] = c->loop_count;
        c->loop_count++;
    }
    free(seen);
    free(stack);
}

/* ---- values --------------------------------------------------------------------------------------- */

// Registers that an instruction reads, in the order of its operands; its guard last.
static int reads(const struct ptx_instruction *in, const struct ptx_operand **list, int most)
{
    int count = 0;
    for (int i = in->writes_first && in->opcode != PTX_OP_WGMMA ? 1 : 0; i < in->operand_count;
         i++) {
        const struct ptx_operand *op = &in->operands[i];
        if (op->element_count == 0 && count < most)
            list[count++] = op;
        for (int e = 0; e < op->element_count && count < most; e++)
            list[count++] = &op->elements[e];
    }
    return count;
}

enum { READS_MAX = 160 };

static int results(const struct ptx_instruction *in, int *list, int most)
{
    int count = 0;
    bool some = in->writes_first || (in->opcode == PTX_OP_CALL && in->operand_count > 0 &&
                                     in->operands[0].kind == PTX_OPERAND_LIST);
    if (!some || in->operand_count == 0)
        return 0;
    const struct ptx_operand *to = &in->operands[0];
    if (to->kind == PTX_OPERAND_REGISTER && to->reg >= 0)
        list[count++] = to->reg;
    for (int e = 0; e < to->element_count && count < most; e++)
        if (to->elements[e].reg >= 0)
            list[count++] = to->elements[e].reg;
    return count;
}

static bool is_whole_copy(const struct ptx_instruction *in)
{
    const struct ptx_operand *from = in->operand_count > 1 ? &in->operands[1] : NULL;
    if (from == NULL || in->guard >= 0 || in->operands[0].kind != PTX_OPERAND_REGISTER)
        return false;
    if (in->opcode == PTX_OP_CVTA)
        return in->space_count == 0 || in->spaces[0] != PTX_SPACE_SHARED;
    return in->opcode == PTX_OP_MOV &&
           (from->kind == PTX_OPERAND_REGISTER || from->kind == PTX_OPERAND_IMMEDIATE) &&
           from->component < 0 && from->offset == 0;
}

int def_of(const struct code *c, struct origin v)
{
    return v.kind == VALUE_MADE ? c->same[v.at] : NONE;
}

const struct origin *source_of(const struct code *c, int instruction, int operand)
{
    return &c->sources[c->first_source[instruction] + operand];
}

static uint64_t result_index(const struct ptx_instruction *in, int reg)
{
    int written[READS_MAX], made = results(in, written, READS_MAX);
    for (int k = 0; k < made; k++)
        if (written[k] == reg)
            return (uint64_t)k;
    return 0;
}

// Of conversions, comparisons and selections by what is known.
// A value less itself, or its bits that it does not have: zero.
static bool is_of_itself(const struct code *c, int i)
{
    const struct ptx_instruction *in = &c->f->instructions[i];
    const struct origin *own = &c->sources[c->first_source[i]];
    bool takes_off = in->opcode == PTX_OP_XOR || in->opcode == PTX_OP_SUB;
    if (!takes_off || in->guard >= 0 || in->type_count == 0 || is_float(in) ||
        c->first_source[i + 1] - c->first_source[i] != 2 || own[0].kind != own[1].kind ||
        own[0].bits != own[1].bits)
        return false;
    return own[0].kind == VALUE_MADE ? c->same[own[0].at] == c->same[own[1].at]
                                     : own[0].kind == VALUE_KEPT && own[0].at == own[1].at;
}

static void others_fold(struct code *c, int i)
{
    const struct ptx_instruction *in = &c->f->instructions[i];
    struct origin *own = &c->sources[c->first_source[i]];
    int count = c->first_source[i + 1] - c->first_source[i];
    uint64_t made;
    bool number =
        (count == 1 && own[0].kind == VALUE_NUMBER && number_becomes(in, own[0].bits, &made)) ||
        (count == 2 && own[0].kind == VALUE_NUMBER && own[1].kind == VALUE_NUMBER &&
         numbers_decide(in, own[0].bits, own[1].bits, &made));
    if (number || is_of_itself(c, i)) {
        own[0] = (struct origin){VALUE_NUMBER, 0, number ? made : 0};
        c->fate[i] = FATE_COPY;
    } else if (in->opcode == PTX_OP_SELP && in->guard < 0 && count == 3 &&
               own[2].kind == VALUE_NUMBER && !in->operands[3].negated) {
        struct origin chosen = own[2].bits != 0 ? own[0] : own[1];
        if (chosen.kind == VALUE_NUMBER || chosen.kind == VALUE_MADE) {
            own[0] = chosen;
            c->fate[i] = FATE_COPY;
        }
    }
}

// Numbers make a number; a sum of a sum and two numbers is one of what they are added to.
static void numbers_fold(struct code *c, int i)
{
    const struct ptx_instruction *in = &c->f->instructions[i];
    struct origin *own = &c->sources[c->first_source[i]];
    if (c->first_source[i + 1] - c->first_source[i] != 2 || own[1].kind != VALUE_NUMBER)
        return;
    if (own[0].kind == VALUE_NUMBER) {
        uint64_t made;
        if (numbers_make(in, own[0].bits, own[1].bits, &made)) {
            own[0].bits = made;
            c->fate[i] = FATE_COPY;
        }
        return;
    }
    int from = own[0].kind == VALUE_MADE ? c->same[own[0].at] : NONE;
    const struct ptx_instruction *inner = from >= 0 ? &c->f->instructions[from] : NULL;
    if (inner == NULL || in->opcode != PTX_OP_ADD || inner->opcode != PTX_OP_ADD ||
        in->guard >= 0 || inner->guard >= 0 || in->type_count == 0 || inner->type_count == 0 ||
        ptx_type_bits(in->types[0]) != ptx_type_bits(inner->types[0]) || from >= i)
        return;
    const struct origin *its = source_of(c, from, 0);
    bool stays = its->kind == VALUE_MADE ||
                 (its->kind == VALUE_KEPT && c->f->block_of[from] == c->f->block_of[i]);
    uint64_t sum;
    if (source_of(c, from, 1)->kind == VALUE_NUMBER && stays &&
        numbers_make(in, source_of(c, from, 1)->bits, own[1].bits, &sum)) {
        own[0] = *its;
        own[1].bits = sum;
    }
}

// latest: of each register, the instruction of this block that wrote it last, or -1.
static struct origin operand_value(const struct code *c, const struct ptx_operand *op,
                                   const int *latest)
{
    if (op->kind == PTX_OPERAND_IMMEDIATE)
        return (struct origin){VALUE_NUMBER, 0, op->bits};
    if ((op->kind != PTX_OPERAND_REGISTER && op->kind != PTX_OPERAND_ADDRESS) || op->reg < 0)
        return (struct origin){VALUE_NONE, 0, 0};
    int from = latest[op->reg] >= 0   ? latest[op->reg]
               : !c->several[op->reg] ? c->d->definition[op->reg]
                                      : NONE;
    if (from < 0)
        return (struct origin){VALUE_KEPT, op->reg, 0};
    if (c->fate[from] == FATE_COPY && !op->negated && !op->minus)
        return *source_of(c, from, 0);
    return (struct origin){VALUE_MADE, from, result_index(&c->f->instructions[from], op->reg)};
}

static bool is_pure(const struct code *c, const struct ptx_instruction *in)
{
    if (in->guard >= 0 || in->operand_count < 1 || !in->writes_first ||
        in->operands[0].kind != PTX_OPERAND_REGISTER)
        return false;
    if (in->opcode == PTX_OP_ADDC || in->opcode == PTX_OP_SUBC || in->opcode == PTX_OP_MADC)
        return false; // a carry is read that no operand names
    switch (ptx_opcode_class(in->opcode)) {
    case PTX_CLASS_INTEGER:
    case PTX_CLASS_FLOAT:
    case PTX_CLASS_SPECIAL:
    case PTX_CLASS_CONVERT:
    case PTX_CLASS_FREE:
        return !(in->opcode == PTX_OP_MOV && in->operands[1].kind == PTX_OPERAND_SPECIAL &&
                 special_is_clock(in->operands[1].special));
    case PTX_CLASS_MEMORY:
        return in->opcode == PTX_OP_LD && in->space_count > 0 &&
               ((in->spaces[0] == PTX_SPACE_PARAM && c->f->is_entry) ||
                in->spaces[0] == PTX_SPACE_CONST || in_has(in, "nc")); // what nobody writes
    case PTX_CLASS_ATOMIC:
    case PTX_CLASS_CONTROL:
    case PTX_CLASS_BARRIER:
    case PTX_CLASS_WARP:
    case PTX_CLASS_TENSOR:
    case PTX_CLASS_FENCE:
    case PTX_CLASS_OTHER:
        break;
    }
    return false;
}

static bool same_origin(const struct code *c, struct origin a, struct origin b)
{
    if (a.kind != b.kind || a.bits != b.bits)
        return false;
    return a.kind == VALUE_MADE ? c->same[a.at] == c->same[b.at] : a.at == b.at;
}

static bool same_words(const struct ptx_instruction *a, const struct ptx_instruction *b)
{
    if (a->opcode != b->opcode || a->word_count != b->word_count ||
        a->operand_count != b->operand_count)
        return false;
    for (int i = 0; i < a->word_count; i++)
        if (strcmp(a->words[i], b->words[i]) != 0)
            return false;
    for (int i = 1; i < a->operand_count; i++) {
        const struct ptx_operand *x = &a->operands[i], *y = &b->operands[i];
        if (x->kind != y->kind || x->negated != y->negated || x->minus != y->minus ||
            x->offset != y->offset || x->variable != y->variable || x->special != y->special ||
            x->component != y->component || x->function != y->function ||
            x->element_count != y->element_count)
            return false;
    }
    return true;
}

static uint64_t hash_of(const struct code *c, int i)
{
    uint64_t h = (uint64_t)c->f->instructions[i].opcode * 0x9e3779b97f4a7c15u;
    for (int s = c->first_source[i]; s < c->first_source[i + 1]; s++) {
        struct origin v = c->sources[s];
        h = (h ^ (uint64_t)(v.kind == VALUE_MADE ? c->same[v.at] : v.at) ^ v.bits) * 0x100000001b3u;
    }
    return h ^ h >> 29;
}

// What all lanes find alike in a special register is read anew in each block: what compilers put there a second time, and what is made of
// it, ptxas leaves.
static bool is_read_anew(const struct code *c, int i, int before)
{
    const struct ptx_instruction *in = &c->f->instructions[i];
    return in->opcode == PTX_OP_MOV && in->operands[1].kind == PTX_OPERAND_SPECIAL &&
           c->f->block_of[i] != c->f->block_of[before] && in->operands[0].reg >= 0 &&
           !c->differs[in->operands[0].reg];
}

// The place in the table of an instruction that makes the same and comes before; or a free one.
static int same_find(struct code *c, int i, int *table, size_t mask)
{
    int kept = NONE;
    for (int s = c->first_source[i]; s < c->first_source[i + 1]; s++)
        if (c->sources[s].kind == VALUE_KEPT)
            kept = c->f->block_of[i];
    for (size_t at = (size_t)hash_of(c, i) & mask;; at = (at + 1) & mask) {
        int k = table[at] - 1;
        if (k < 0) {
            table[at] = i + 1;
            return NONE;
        }
        bool same = same_words(&c->f->instructions[k], &c->f->instructions[i]) &&
                    dominates(c, c->f->block_of[k], c->f->block_of[i]) && !is_read_anew(c, i, k) &&
                    (kept == NONE || kept == c->f->block_of[k]);
        for (int s = 0; same && s < c->first_source[i + 1] - c->first_source[i]; s++)
            same = same_origin(c, *source_of(c, k, s), *source_of(c, i, s));
        if (same)
            return k;
    }
}

static void block_values(struct code *c, int block, int *latest, int *table, size_t mask)
{
    const struct ptx_block *b = &c->f->blocks[block];
    int written[READS_MAX];
    for (int i = b->first; i < b->first + b->count; i++) {
        const struct ptx_instruction *in = &c->f->instructions[i];
        const struct ptx_operand *list[READS_MAX];
        int count = reads(in, list, READS_MAX), first = c->first_source[i];
        for (int k = 0; k < count; k++)
            c->sources[first + k] = operand_value(c, list[k], latest);
        if (in->guard >= 0)
            c->sources[first + count] = operand_value(
                c, &(struct ptx_operand){.kind = PTX_OPERAND_REGISTER, .reg = in->guard}, latest);
        int made = results(in, written, READS_MAX);
        bool single = made == 1 && !c->several[written[0]];
        if (made == 1) {
            numbers_fold(c, i);
            others_fold(c, i);
        }
        if (is_whole_copy(in) && made == 1)
            c->fate[i] = FATE_COPY;
        else if (c->fate[i] != FATE_COPY && single && is_pure(c, in)) {
            int k = same_find(c, i, table, mask);
            if (k >= 0) {
                c->same[i] = k;
                c->fate[i] = FATE_SAME;
            }
        }
        for (int k = 0; k < made; k++)
            latest[written[k]] = in->guard >= 0 ? NONE : i;
    }
    for (int i = b->first; i < b->first + b->count; i++) {
        int made = results(&c->f->instructions[i], written, READS_MAX);
        for (int k = 0; k < made; k++)
            latest[written[k]] = NONE;
    }
}

// Of each register, is it read in a block that has not written it before? What is written and read in one block, again and again, is
// a new value each time: the scratch registers of inline assembly.
static void handed_on_find(const struct code *c, bool *handed_on)
{
    const struct ptx_operand *list[READS_MAX];
    int written[READS_MAX];
    int *latest = xcalloc((size_t)c->f->register_count + 1, sizeof *latest); // 1 + the block
    for (int i = 0; i < c->count; i++) {
        const struct ptx_instruction *in = &c->f->instructions[i];
        int block = c->f->block_of[i], count = reads(in, list, READS_MAX);
        for (int k = 0; k < count; k++)
            if ((list[k]->kind == PTX_OPERAND_REGISTER || list[k]->kind == PTX_OPERAND_ADDRESS) &&
                list[k]->reg >= 0 && latest[list[k]->reg] != block + 1)
                handed_on[list[k]->reg] = true;
        if (in->guard >= 0 && latest[in->guard] != block + 1)
            handed_on[in->guard] = true;
        int made = results(in, written, READS_MAX);
        for (int k = 0; k < made; k++) {
            handed_on[written[k]] |= in->guard >= 0;
            latest[written[k]] = block + 1;
        }
    }
    free(latest);
}

static void several_find(struct code *c)
{
    int written[READS_MAX];
    bool *once = xcalloc((size_t)c->f->register_count + 1, sizeof *once);
    bool *handed_on = xcalloc((size_t)c->f->register_count + 1, sizeof *handed_on);
    handed_on_find(c, handed_on);
    for (int i = 0; i < c->count; i++) {
        int made = results(&c->f->instructions[i], written, READS_MAX);
        for (int k = 0; k < made; k++) {
            c->several[written[k]] |=
                (once[written[k]] && handed_on[written[k]]) || c->f->instructions[i].guard >= 0;
            once[written[k]] = true;
        }
    }
    free(handed_on);
    for (int i = 0; i < formal_registers(c->f); i++)
        c->several[i] = true;
    free(once);
}

static void values_find(struct code *c)
{
    const struct ptx_function *f = c->f;
    const struct ptx_operand *list[READS_MAX];
    size_t mask = 1023;
    c->first_source = xcalloc((size_t)c->count + 2, sizeof(int));
    for (int i = 0; i < c->count; i++)
        c->first_source[i + 1] = c->first_source[i] + reads(&f->instructions[i], list, READS_MAX) +
                                 (f->instructions[i].guard >= 0);
    c->sources = xcalloc((size_t)c->first_source[c->count] + 1, sizeof *c->sources);
    while (mask < 2 * (size_t)c->count)
        mask = 2 * mask + 1;
    int *table = xcalloc(mask + 1, sizeof *table);
    int *latest = xcalloc((size_t)f->register_count + 1, sizeof *latest);
    for (int r = 0; r < f->register_count; r++)
        latest[r] = NONE;
    several_find(c);
    for (int b = 0; b < f->block_count && c->order[b] >= 0; b++)
        block_values(c, c->order[b], latest, table, mask);
    free(latest);
    free(table);
}

/* ---- who reads what ------------------------------------------------------------------------------- */

static bool has_effect(const struct code *c, int i)
{
    const struct ptx_instruction *in = &c->f->instructions[i];
    int written[READS_MAX];
    int made = results(in, written, READS_MAX);
    if (c->fate[i] == FATE_SAME)
        return false;
    if (made == 0)
        return true;
    if (in->opcode == PTX_OP_LD)
        return in_has(in, "volatile") || in_has(in, "relaxed") || in_has(in, "acquire");
    return !is_pure(c, in) && !is_whole_copy(in) && in->opcode != PTX_OP_MOV &&
           !(made > 0 && in->guard >= 0 && ptx_opcode_class(in->opcode) == PTX_CLASS_INTEGER);
}

struct writers code_writers(const struct code *c)
{
    struct writers w = {xcalloc((size_t)c->f->register_count + 2, sizeof(int)), NULL};
    int written[READS_MAX];
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < c->count; i++) {
            int made = results(&c->f->instructions[i], written, READS_MAX);
            for (int k = 0; k < made; k++)
                if (pass == 0)
                    w.first[written[k] + 1]++;
                else
                    w.list[w.first[written[k]]++] = i;
        }
        for (int r = 0; pass == 0 && r < c->f->register_count; r++)
            w.first[r + 1] += w.first[r];
        if (pass == 0)
            w.list = xcalloc((size_t)w.first[c->f->register_count] + 1, sizeof(int));
    }
    for (int r = c->f->register_count; r > 0; r--) // each has moved to where the next one's begin
        w.first[r] = w.first[r - 1];
    w.first[0] = 0;
    return w;
}

struct marking {
    bool *live, *reached; // by instruction, block
    bool *wanted;         // by register that is read as it stands, and block: at the block's end
    int *index;           // by register: its place in wanted, from 1 on
    int *stack, depth;
    int *blocks; // whose ends are still to be looked at
    struct writers w;
    struct deciders d;
};

static void live_push(struct marking *m, int i)
{
    if (!m->live[i])
        m->stack[m->depth++] = i;
    m->live[i] = true;
}

// What decides whether the block is executed is needed if anything in it is.
static void block_reach(struct marking *m, int block)
{
    if (m->reached[block])
        return;
    m->reached[block] = true;
    for (int k = m->d.first[block]; k < m->d.first[block + 1]; k++)
        live_push(m, m->d.list[k]);
}

// The writes of the register in the block before the instruction `end`, from the last one on, up to one that is made in any case. false:
// what it had at the block's beginning may be there still.
static bool writes_want(const struct code *c, struct marking *m, int reg, int block, int end)
{
    for (int k = m->w.first[reg + 1] - 1; k >= m->w.first[reg]; k--) {
        int i = m->w.list[k];
        if (c->f->block_of[i] != block || i >= end)
            continue;
        live_push(m, i);
        if (at(c, i)->guard < 0)
            return true;
    }
    return false;
}

// Those of the writes that may be the last one before the reader.
static void register_want(const struct code *c, struct marking *m, int reg, int reader)
{
    int block = c->f->block_of[reader], depth = 0;
    bool *wanted = m->wanted + (size_t)m->index[reg] * (size_t)c->f->block_count;
    if (writes_want(c, m, reg, block, reader))
        return;
    for (;;) {
        const struct ptx_block *b = block_at(c, block);
        for (int p = 0; p < b->predecessor_count; p++) {
            int from = b->predecessors[p];
            if (from < 0 || c->number[from] < 0 || wanted[from])
                continue;
            wanted[from] = true;
            m->blocks[depth++] = from;
        }
        do {
            if (depth == 0)
                return;
            block = m->blocks[--depth];
        } while (writes_want(c, m, reg, block, c->count));
    }
}

// A jump that nothing chooses is needed where what decides about its block is.
static void jumps_mark(const struct code *c, struct marking *m)
{
    for (int i = 0; i < c->count; i++) {
        int block = c->f->block_of[i];
        if (block < 0 || c->number[block] < 0 || !code_may_be_needless(c, &m->d, i) ||
            at(c, i)->guard >= 0)
            continue;
        bool needed = m->d.first[block] == m->d.first[block + 1];
        for (int k = m->d.first[block]; k < m->d.first[block + 1]; k++)
            needed |= m->live[m->d.list[k]];
        m->live[i] = needed;
    }
}

// Loads that others may store to keep the loop around them, though nobody reads them.
static bool keeps_loop(const struct code *c, int i)
{
    return at(c, i)->opcode == PTX_OP_LD && c->loop_of[c->f->block_of[i]] >= 0 &&
           !in_has(at(c, i), "nc") && at(c, i)->space_count > 0 &&
           at(c, i)->spaces[0] != PTX_SPACE_PARAM && at(c, i)->spaces[0] != PTX_SPACE_CONST;
}

static void live_mark(struct code *c, bool *live, int *stack)
{
    struct marking m = {.live = live, .stack = stack, .w = code_writers(c), .d = code_deciders(c)};
    m.index = xcalloc((size_t)c->f->register_count + 1, sizeof *m.index);
    int kept = 0;
    for (int s = 0; s < c->first_source[c->count]; s++) {
        struct origin v = c->sources[s];
        if (v.kind == VALUE_KEPT && m.index[v.at] == 0)
            m.index[v.at] = ++kept;
    }
    m.wanted = xcalloc(((size_t)kept + 1) * (size_t)c->f->block_count + 1, sizeof *m.wanted);
    m.blocks = xcalloc((size_t)c->f->block_count + 1, sizeof *m.blocks);
    m.reached = xcalloc((size_t)c->f->block_count + 1, sizeof *m.reached);
    for (int i = 0; i < c->count; i++) {
        int block = c->f->block_of[i];
        if (block < 0 || c->number[block] < 0)
            continue;
        if (has_effect(c, i) && !code_may_be_needless(c, &m.d, i))
            live_push(&m, i);
        if (keeps_loop(c, i))
            block_reach(&m, block);
    }
    while (m.depth > 0) {
        int i = m.stack[--m.depth];
        block_reach(&m, c->f->block_of[i]);
        for (int s = c->first_source[i]; s < c->first_source[i + 1]; s++) {
            struct origin v = c->sources[s];
            if (def_of(c, v) >= 0)
                live_push(&m, def_of(c, v));
            if (v.kind == VALUE_KEPT)
                register_want(c, &m, v.at, i);
        }
    }
    jumps_mark(c, &m);
    free(m.wanted);
    free(m.index);
    free(m.blocks);
    free(m.reached);
    free(m.w.first);
    free(m.w.list);
    free(m.d.first);
    free(m.d.list);
    free(m.d.chooses);
}

int reader_count(const struct code *c, int instruction)
{
    return c->first_reader[instruction + 1] - c->first_reader[instruction];
}

static void readers_find(struct code *c)
{
    bool *live = xcalloc((size_t)c->count + 1, sizeof *live);
    int *stack = xcalloc((size_t)c->count + 1, sizeof *stack);
    live_mark(c, live, stack);
    c->first_reader = xcalloc((size_t)c->count + 2, sizeof(int));
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < c->count; i++)
            for (int s = c->first_source[i]; live[i] && s < c->first_source[i + 1]; s++) {
                int from = def_of(c, c->sources[s]);
                if (from < 0)
                    continue;
                if (pass == 0)
                    c->first_reader[from + 1]++;
                else
                    c->readers[c->first_reader[from] + stack[from]++] =
                        (struct reader){i, s - c->first_source[i]};
            }
        for (int i = 0; i < c->count && pass == 0; i++)
            c->first_reader[i + 1] += c->first_reader[i];
        if (pass == 0)
            c->readers = xcalloc((size_t)c->first_reader[c->count] + 1, sizeof *c->readers);
        memset(stack, 0, (size_t)c->count * sizeof *stack);
    }
    for (int i = 0; i < c->count; i++) {
        const struct ptx_operand *to = at(c, i)->operands;
        bool handed_on = c->fate[i] == FATE_COPY && to->kind == PTX_OPERAND_REGISTER &&
                         to->reg >= 0 && c->several[to->reg];
        if (!live[i] && (c->fate[i] == FATE_MADE || handed_on))
            c->fate[i] = FATE_DEAD;
    }
    code_drop_loops(c, live);
    free(live);
    free(stack);
}

/* ---- a function ----------------------------------------------------------------------------------- */

static void code_start(struct code *c, struct arena *a)
{
    const struct ptx_function *f = c->f;
    size_t blocks = (size_t)f->block_count + 1, count = (size_t)c->count + 1;
    c->dominator = ARENA_ARRAY(a, int, blocks);
    c->order = xcalloc(blocks, sizeof(int));
    c->number = xcalloc(blocks, sizeof(int));
    c->loop_of = ARENA_ARRAY(a, int, blocks);
    c->joined_to = ARENA_ARRAY(a, int, blocks);
    c->joined_late = xcalloc(blocks, sizeof(bool));
    c->loads_about = ARENA_ARRAY(a, bool, blocks);
    c->agree = xcalloc(blocks, sizeof(bool));
    c->diverged = xcalloc(blocks, sizeof(bool));
    c->loops = ARENA_ARRAY(a, struct natural_loop, blocks);
    c->same = xcalloc(count, sizeof(int));
    c->fate = xcalloc(count, sizeof *c->fate);
    c->taken = xcalloc(count, sizeof(bool));
    c->halves = xcalloc(count, sizeof(uint8_t));
    c->moved = xcalloc(count, sizeof(double));
    c->word_place = xcalloc(count, sizeof(int));
    c->joined = ARENA_ARRAY(a, int, count);
    c->together = xcalloc(count, sizeof(int));
    c->element = xcalloc(count, sizeof(uint8_t));
    for (int i = 0; i < c->count; i++)
        c->joined[i] = c->together[i] = -1;
    c->slots = ARENA_ARRAY(a, double, count);
    c->place = ARENA_ARRAY(a, int, count);
    c->once = ARENA_ARRAY(a, bool, count);
    c->several = xcalloc((size_t)f->register_count + 1, sizeof(bool));
    c->high = xcalloc((size_t)f->register_count + 1, sizeof(bool));
    for (int i = 0; i < c->count; i++)
        c->same[i] = i;
}

void code_bring(struct code *c, int block, int instruction, double slots)
{
    if (slots <= 0)
        return;
    if ((c->brought_count & (c->brought_count - 1)) == 0) // full at powers of two
        c->brought = xrealloc(c->brought, (size_t)(2 * c->brought_count + 1) * sizeof *c->brought);
    int first = c->f->blocks[block].first, own = instruction >= 0 ? instruction : first;
    if (own >= c->count) // an empty block at the end
        own = c->count - 1;
    c->brought[c->brought_count++] = (struct brought){block, own, slots};
}

static void code_end(struct code *c, struct arena *a)
{
    struct brought *brought = ARENA_ARRAY(a, struct brought, c->brought_count + 1);
    if (c->brought_count > 0)
        memcpy(brought, c->brought, (size_t)c->brought_count * sizeof *brought);
    free(c->brought);
    c->brought = brought;
    free(c->order);
    free(c->number);
    free(c->joined_late);
    free(c->agree);
    free(c->diverged);
    free(c->same);
    free(c->fate);
    free(c->taken);
    free(c->together);
    free(c->element);
    free(c->halves);
    free(c->moved);
    free(c->word_place);
    free(c->several);
    free(c->high);
    free(c->differs);
    free(c->steps_apart);
    free(c->first_source);
    free(c->sources);
    free(c->readers);
    free(c->first_reader);
}

struct code *code_of(struct decoder *d)
{
    struct code *c = ARENA_ARRAY(&d->program->arena, struct code, 1);
    c->d = d;
    c->f = d->f;
    c->sites = &d->program->timing[d->out->site_base];
    c->count = d->f->instruction_count;
    if (c->count == 0 || d->f->block_count == 0)
        return c;
    code_start(c, &d->program->arena);
    c->differs = registers_differing(d, false);
    c->steps_apart = registers_differing(d, true);
    ptx_high_halves(d->f, c->high);
    order_find(c);
    dominators_find(c);
    loops_find(c);
    values_find(c);
    readers_find(c);
    code_absorb(c);
    code_halves(c);
    code_slots(c);
    code_vectors(c);
    code_locals(c);
    code_predicates(c);
    merge_shared(c);
    code_pairs(c);
    code_flow(c);
    code_fixed(c);
    code_kept(c);
    code_loops(c);
    code_copies(c);
    merge_turns(c);
    code_end(c, &d->program->arena);
    return c;
}
