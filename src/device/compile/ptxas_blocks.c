// Which line a machine instruction counts with. ptxas moves instructions from one basic block into another, and the line
// table keeps the line that they came from, which may be executed more or less often than where they stand now: the way
// together behind a branch has the line of what stands under it, code behind a conditional EXIT has that of `ret`. Blocks
// of the machine code that are executed equally often, as each dominates or post-dominates the other in one loop, are one
// group; what cannot move (stores, atomics, barriers, loads, then branches) says which block of the PTX the group is, and
// instructions of other blocks in it get the line of the nearest that is of this one. Read and counted, not run.
// SPDX-License-Identifier: Apache-2.0
#include "device/compile/ptxas_blocks.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { NONE = -1 };

struct span { // a basic block of the machine code
    int first, count;
    int next[2]; // NONE
    bool leaves; // the kernel, some of its lanes at least
    int group;
    int loop; // as given with the instructions
};
struct flow {
    const struct machine_instruction *code;
    int count;
    struct span *spans;
    int span_count;
    int *span_of; // by instruction
};

static bool ends_span(const struct machine_instruction *m)
{
    return m->kind == MACHINE_BRANCH || m->kind == MACHINE_EXIT;
}

static void spans_find(struct flow *f)
{
    bool *leads = xcalloc((size_t)f->count + 1, sizeof *leads);
    leads[0] = true;
    for (int i = 0; i < f->count; i++) {
        if (ends_span(&f->code[i]))
            leads[i + 1] = true;
        if (f->code[i].kind == MACHINE_BRANCH && f->code[i].target >= 0 &&
            f->code[i].target < f->count)
            leads[f->code[i].target] = true;
    }
    for (int i = 0; i < f->count; i++) {
        if (leads[i])
            f->spans[f->span_count++] =
                (struct span){.first = i, .next = {NONE, NONE}, .loop = f->code[i].loop};
        f->spans[f->span_count - 1].count++;
        f->span_of[i] = f->span_count - 1;
    }
    free(leads);
}

// A branch without a guard that nothing else leads behind has its condition elsewhere, in a uniform predicate.
static void ways_find(struct flow *f)
{
    bool *reached = xcalloc((size_t)f->span_count + 1, sizeof *reached);
    for (int i = 0; i < f->count; i++)
        if (f->code[i].kind == MACHINE_BRANCH && f->code[i].target >= 0 &&
            f->code[i].target < f->count)
            reached[f->span_of[f->code[i].target]] = true;
    for (int s = 0; s < f->span_count; s++) {
        const struct machine_instruction *last =
            &f->code[f->spans[s].first + f->spans[s].count - 1];
        bool falls = !ends_span(last) || last->guarded ||
                     (last->kind == MACHINE_BRANCH && s + 1 < f->span_count && !reached[s + 1]);
        f->spans[s].leaves = last->kind == MACHINE_EXIT;
        if (falls && s + 1 < f->span_count)
            f->spans[s].next[0] = s + 1;
        if (last->kind == MACHINE_BRANCH && last->target >= 0 && last->target < f->count)
            f->spans[s].next[1] = f->span_of[last->target];
    }
    free(reached);
}

/* ---- dominators, both ways ----------------------------------------------------------------------------- */

// A set of blocks for each block, as bits: small graphs, found by going round until nothing changes.
struct sets {
    uint64_t *bits;
    size_t words;
};

static bool has(const struct sets *s, int of, int block)
{
    return s->bits[(size_t)of * s->words + (size_t)block / 64] >> (block & 63) & 1;
}

// Meets the set of `from` into `work`.
static void meet(const struct sets *s, int from, uint64_t *work)
{
    for (size_t w = 0; w < s->words; w++)
        work[w] &= s->bits[(size_t)from * s->words + w];
}

static bool settle(struct sets *s, int block, uint64_t *work)
{
    uint64_t *mine = s->bits + (size_t)block * s->words;
    work[block / 64] |= UINT64_C(1) << (block & 63);
    if (memcmp(mine, work, s->words * sizeof *work) == 0)
        return false;
    memcpy(mine, work, s->words * sizeof *work);
    return true;
}

static void dominators_find(const struct flow *f, struct sets *s)
{
    uint64_t *work = xcalloc(s->words, sizeof *work);
    memset(s->bits, 0xff, (size_t)f->span_count * s->words * sizeof *s->bits);
    for (bool changed = true; changed;) {
        changed = false;
        for (int b = 0; b < f->span_count; b++) {
            memset(work, b == 0 ? 0 : 0xff, s->words * sizeof *work);
            for (int p = 0; p < f->span_count && b > 0; p++)
                if (f->spans[p].next[0] == b || f->spans[p].next[1] == b)
                    meet(s, p, work);
            changed |= settle(s, b, work);
        }
    }
    free(work);
}

static void postdominators_find(const struct flow *f, struct sets *s)
{
    uint64_t *work = xcalloc(s->words, sizeof *work);
    memset(s->bits, 0xff, (size_t)f->span_count * s->words * sizeof *s->bits);
    for (bool changed = true; changed;) {
        changed = false;
        for (int b = f->span_count - 1; b >= 0; b--) {
            bool out = f->spans[b].leaves || (f->spans[b].next[0] < 0 && f->spans[b].next[1] < 0);
            memset(work, out ? 0 : 0xff, s->words * sizeof *work);
            for (int k = 0; k < 2 && !out; k++)
                if (f->spans[b].next[k] >= 0)
                    meet(s, f->spans[b].next[k], work);
            changed |= settle(s, b, work);
        }
    }
    free(work);
}

/* ---- groups -------------------------------------------------------------------------------------------- */

static void groups_find(struct flow *f)
{
    struct sets over = {.words = (size_t)f->span_count / 64 + 1}, under = over;
    over.bits = xcalloc((size_t)f->span_count * over.words, sizeof *over.bits);
    under.bits = xcalloc((size_t)f->span_count * under.words, sizeof *under.bits);
    dominators_find(f, &over);
    postdominators_find(f, &under);
    for (int s = 0; s < f->span_count; s++) {
        f->spans[s].group = s;
        for (int t = 0; t < s; t++)
            if (f->spans[t].loop == f->spans[s].loop && has(&over, s, t) && has(&under, t, s)) {
                f->spans[s].group = f->spans[t].group;
                break;
            }
    }
    free(over.bits);
    free(under.bits);
}

struct settling {
    const struct flow *f;
    struct machine_instruction *code;
    const struct ptx_line *lines;
    int line_count, entry;
    int *seen; // by line: the group that it was counted for last, and one
};

static const struct ptx_line *line_of(const struct settling *s, int instruction)
{
    int line = s->code[instruction].line;
    return line > 0 && line <= s->line_count && s->lines[line].block >= 0 ? &s->lines[line] : NULL;
}

// The block of the PTX that the group is, by what cannot move in it; NONE. *mixed: it is of a loop that is none here.
static int pinned_block(const struct settling *s, int group, bool *mixed)
{
    const struct ptx_line *best = NULL;
    for (int i = 0; i < s->f->count; i++) {
        const struct machine_instruction *m = &s->code[i];
        const struct ptx_line *l = line_of(s, i);
        if (s->f->spans[s->f->span_of[i]].group != group || l == NULL || l->weight == LINE_MOVES)
            continue;
        bool jumps = m->kind != MACHINE_OTHER;
        if (jumps != (l->weight == LINE_BRANCHES) || (!jumps && (m->guarded || !m->memory)))
            continue;
        if (l->depth != m->depth) {
            *mixed |= !jumps;
            continue;
        }
        if (best == NULL || l->weight > best->weight)
            best = l;
    }
    return best != NULL ? best->block : NONE;
}

// Without such instructions: the block of most lines here that is in as many loops. What else there is of a loop must be
// less than half of it, moved out; more is a copy of its body.
static int voted_block(struct settling *s, int group)
{
    int best = NONE, most = 0;
    for (int i = 0; i < s->f->count; i++) {
        const struct ptx_line *l = line_of(s, i);
        int distinct = 0;
        if (s->f->spans[s->f->span_of[i]].group != group || l == NULL)
            continue;
        for (int k = 0; k < s->f->count; k++) {
            const struct ptx_line *other = line_of(s, k);
            bool counts = other != NULL && other->block == l->block &&
                          s->f->spans[s->f->span_of[k]].group == group &&
                          s->seen[s->code[k].line] != i + 1;
            if (counts)
                s->seen[s->code[k].line] = i + 1;
            distinct += counts;
        }
        if (l->depth != s->code[i].depth) {
            if (2 * distinct >= l->lines)
                return NONE;
        } else if (distinct > most) {
            most = distinct;
            best = l->block;
        }
    }
    return best;
}

// The nearest line of the block in the group, before the instruction or behind it; its own if there is none.
static int nearest_line(const struct settling *s, int instruction, int block)
{
    int group = s->f->spans[s->f->span_of[instruction]].group, best = s->code[instruction].line,
        distance = INT_MAX;
    for (int i = 0; i < s->f->count; i++) {
        const struct ptx_line *l = line_of(s, i);
        int away = i < instruction ? instruction - i : i - instruction;
        if (l != NULL && l->block == block && l->takes && away < distance &&
            s->f->spans[s->f->span_of[i]].group == group) {
            best = s->code[i].line;
            distance = away;
        }
    }
    return best;
}

static void group_settle(struct settling *s, int group, int *lines)
{
    bool mixed = false;
    int block = group == 0 ? s->entry : pinned_block(s, group, &mixed);
    if (block == NONE && !mixed)
        block = voted_block(s, group);
    for (int i = 0; i < s->f->count && block != NONE; i++) {
        const struct ptx_line *l = line_of(s, i);
        if (s->f->spans[s->f->span_of[i]].group == group && (l == NULL || l->block != block))
            lines[i] = nearest_line(s, i, block);
    }
}

void machine_lines_settle(struct machine_instruction *code, int count, const struct ptx_line *lines,
                          int line_count, int entry)
{
    enum { MOST = 20000 };
    struct flow f = {.code = code, .count = count};
    if (count == 0 || count > MOST)
        return;
    f.spans = xcalloc((size_t)count + 1, sizeof *f.spans);
    f.span_of = xcalloc((size_t)count + 1, sizeof *f.span_of);
    spans_find(&f);
    ways_find(&f);
    groups_find(&f);
    struct settling s = {&f, code, lines, line_count, entry, NULL};
    int *settled = xcalloc((size_t)count, sizeof *settled);
    s.seen = xcalloc((size_t)line_count + 1, sizeof *s.seen);
    for (int i = 0; i < count; i++)
        settled[i] = code[i].line;
    for (int g = 0; g < f.span_count; g++)
        if (f.spans[g].group == g)
            group_settle(&s, g, settled);
    for (int i = 0; i < count; i++)
        code[i].line = settled[i];
    free(settled);
    free(s.seen);
    free(f.spans);
    free(f.span_of);
}

/* ---- lines of PTX ---------------------------------------------------------------------------------------- */

static int loop_of(const struct ptx_function *f, int block)
{
    int first = NONE;
    for (int from = block; from < f->block_count; from++)
        for (int s = 0; s < f->blocks[from].successor_count; s++)
            if (f->blocks[from].successors[s] <= block && f->blocks[from].successors[s] > first)
                first = f->blocks[from].successors[s];
    return first;
}

// By block: the first of those that are executed as often, itself if it is alone.
static void ptx_groups(const struct ptx_function *f, int *groups)
{
    struct flow x = {.span_count = f->block_count};
    x.spans = xcalloc((size_t)f->block_count + 1, sizeof *x.spans);
    for (int b = 0; b < f->block_count; b++) {
        const struct ptx_block *k = &f->blocks[b];
        enum ptx_opcode last = f->instructions[k->first + k->count - 1].opcode;
        bool table = k->successor_count > 2;
        x.spans[b] = (struct span){.next = {NONE, NONE}, .loop = loop_of(f, b)};
        x.spans[b].leaves =
            k->successor_count == 0 || table || last == PTX_OP_RET || last == PTX_OP_EXIT;
        for (int s = 0; s < k->successor_count && !table; s++)
            x.spans[b].next[s] = k->successors[s];
    }
    groups_find(&x);
    for (int b = 0; b < f->block_count; b++)
        groups[b] = x.spans[b].group;
    free(x.spans);
}

static int weight_of(const struct ptx_instruction *in)
{
    switch (ptx_opcode_class(in->opcode)) {
    case PTX_CLASS_MEMORY:
        if (in->opcode == PTX_OP_LD) {
            bool held = in->space_count > 0 &&
                        (in->spaces[0] == PTX_SPACE_PARAM || in->spaces[0] == PTX_SPACE_CONST);
            return held ? LINE_MOVES : LINE_LOADS;
        }
        return in->opcode == PTX_OP_ST ? LINE_PINNED : LINE_MOVES;
    case PTX_CLASS_ATOMIC:
    case PTX_CLASS_BARRIER:
        return LINE_PINNED;
    case PTX_CLASS_CONTROL:
        return in->opcode == PTX_OP_BRA && in->guard >= 0 ? LINE_BRANCHES : LINE_MOVES;
    case PTX_CLASS_INTEGER:
    case PTX_CLASS_FLOAT:
    case PTX_CLASS_SPECIAL:
    case PTX_CLASS_CONVERT:
    case PTX_CLASS_FREE:
    case PTX_CLASS_OTHER:
    case PTX_CLASS_WARP:
    case PTX_CLASS_TENSOR:
    case PTX_CLASS_FENCE:
        break;
    }
    return LINE_MOVES;
}

struct ptx_line *ptx_lines_of(struct arena *a, const struct ptx_module *m, int line_count)
{
    struct ptx_line *lines = ARENA_ARRAY(a, struct ptx_line, line_count + 1);
    int base = 0;
    for (int i = 0; i <= line_count; i++)
        lines[i].block = lines[i].function = NONE;
    for (int k = 0; k < m->function_count; k++) {
        const struct ptx_function *f = &m->functions[k];
        int *groups = xcalloc((size_t)f->block_count + 1, sizeof *groups);
        ptx_groups(f, groups);
        for (int b = 0; b < f->block_count; b++) {
            int depth = ptx_loop_depth(f, b);
            for (int i = f->blocks[b].first; i < f->blocks[b].first + f->blocks[b].count; i++) {
                const struct ptx_instruction *in = &f->instructions[i];
                bool divides = in->opcode == PTX_OP_DIV || in->opcode == PTX_OP_REM;
                if (in->line > 0 && in->line <= line_count)
                    lines[in->line] = (struct ptx_line){
                        base + groups[b], k, depth, weight_of(in), f->blocks[b].count, !divides};
            }
        }
        free(groups);
        base += f->block_count;
    }
    return lines;
}
