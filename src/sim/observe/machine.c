// What a real compiler made of the PTX's lines, per execution of each instruction. The compiler copies a loop's body to
// unroll it, and has a second loop, or straight code, for the turns that are left over: how many copies of a block a
// loop of the machine code has is the median, over the block's lines, of what was made there over what the lowering pass
// makes of one. How many turns a loop has each time says how many of them the unrolled one takes. What was made of a few
// lines of a block only was moved out of the loop, and runs once for all turns.
// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/machine.h"

#include <math.h>
#include <stdlib.h>

enum {
    SUBROUTINE = 30
}; // slots: a division of 64 bits is a call, whose code the line table gives to no line

// For chips of 9.0 and later ptxas writes three loads from shared memory before LDGSTS (cp.async) that no lane takes, once for
// copies in a row. The hardware counts them as requests (ptxas 13.0; an H200's 67 requests where 16 turns load once each and 17
// copies start).
int loads_before_copy(const struct launch *l, int index)
{
    enum { LOADS = 3, FROM_MAJOR = 9 };
    bool copies =
        l->program->timing[index].pipe == PIPE_ASYNC_COPY && !l->program->sites[index].copies_on;
    return copies && l->gpu->cc_major >= FROM_MAJOR ? LOADS : 0;
}

struct making {
    const struct launch *l;
    const struct ptx_function *f;
    const struct timing_site *sites;
    const struct site_info *info;
    int loop_count;
    double
        *made; // instruction by instruction, loop_count + 1 of each: in loops of the machine code
    double *moved;  // of those, what came of other lines
    double *ratios; // for medians
    int *loop_of;   // by block of the PTX: the first block of the innermost loop around it; -1
    int base;       // the function's first site
};

// What the lowering pass makes of it.
static double reckoned(const struct making *m, int instruction)
{
    unsigned slots = site_slots(&m->sites[instruction]);
    return slots > 0 ? slots + (unsigned)loads_before_copy(m->l, m->base + instruction) : 0;
}

static double made_in(const struct making *m, int instruction, int loop)
{
    return m->made[(size_t)instruction * (size_t)(m->loop_count + 1) + (size_t)loop];
}

// Of it and no other line: by what there are copies.
static double own_in(const struct making *m, int instruction, int loop)
{
    size_t place = (size_t)instruction * (size_t)(m->loop_count + 1) + (size_t)loop;
    return m->made[place] - m->moved[place];
}

static double own_of(const struct making *m, int instruction)
{
    double sum = 0;
    for (int loop = 0; loop <= m->loop_count; loop++)
        sum += own_in(m, instruction, loop);
    return sum;
}

static double made_of(const struct making *m, int instruction)
{
    double sum = 0;
    for (int loop = 0; loop <= m->loop_count; loop++)
        sum += made_in(m, instruction, loop);
    return sum;
}

static double executed_of(const struct making *m, int instruction)
{
    double sum = 0;
    int segment = m->info[instruction].segment;
    for (int i = 0; i < m->l->core_count && segment >= 0; i++)
        sum += (double)m->l->cores[i].segments[segment].executed;
    return sum;
}

/* ---- what was made of each instruction ----------------------------------------------------------------- */

static int line_end(const struct ptx_function *f, int from)
{
    int to = from + 1;
    while (to < f->instruction_count && f->instructions[to].line == f->instructions[from].line)
        to++;
    return to;
}

// Several instructions may stand on one line: each gets its part, by what the lowering pass makes of them.
static void made_fill_line(const struct making *m, int from, int end, const struct sim_line_code *c)
{
    double slots = 0;
    for (int i = from; i < end; i++)
        slots += reckoned(m, i);
    for (int i = from; i < end; i++) {
        double part = slots > 0 ? reckoned(m, i) / slots : 1.0 / (end - from);
        size_t place = (size_t)i * (size_t)(m->loop_count + 1) + (size_t)c->loop;
        m->made[place] += c->instructions * part;
        m->moved[place] += c->moved * part;
    }
}

static int first_of_line(const struct launch *l, int line)
{
    int low = 0, high = l->options->line_code_count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (l->options->line_codes[middle].line < line)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Is there anything of this function?
static bool made_fill(struct making *m)
{
    const struct sim_line_code *all = m->l->options->line_codes;
    bool any = false;
    for (int i = 0; i < m->f->instruction_count;) {
        int end = line_end(m->f, i), line = m->f->instructions[i].line;
        for (int c = first_of_line(m->l, line);
             c < m->l->options->line_code_count && all[c].line == line; c++) {
            made_fill_line(m, i, end, &all[c]);
            any = true;
        }
        i = end;
    }
    return any;
}

/* ---- copies of a block -------------------------------------------------------------------------------- */

static int compare_ratios(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Copies of a body share its comparison and its branch.
static bool is_shared(const struct ptx_instruction *in)
{
    return in->opcode == PTX_OP_SETP || in->opcode == PTX_OP_BRA;
}

// Of a fragment's words and products several instructions are made in each copy.
static bool says_copies(const struct ptx_instruction *in)
{
    return !is_shared(in) && in->opcode != PTX_OP_WMMA;
}

// The innermost loop of the PTX around a block, as in the text: a jump back makes one of all between. Its first block; -1.
static int loop_of_block(const struct ptx_function *f, int block)
{
    int first = -1;
    for (int from = block; from < f->block_count; from++)
        for (int s = 0; s < f->blocks[from].successor_count; s++) {
            int to = f->blocks[from].successors[s];
            if (to >= 0 && to <= block && to > first)
                first = to;
        }
    return first;
}

// Do the block's lines say something of copies, beside those that copies share?
static bool has_others(const struct making *m, const struct ptx_block *b)
{
    for (int i = b->first; i < b->first + b->count; i++)
        if (reckoned(m, i) > 0 && own_of(m, i) > 0 && says_copies(&m->f->instructions[i]))
            return true;
    return false;
}

// How often a loop of the machine code has the body of the PTX's loop that begins with block `first`: the median over its lines,
// which are those of all blocks of which it is the innermost loop, since small blocks mislead. alone: by lines of one
// instruction each, as what is a sequence on paper may be fewer. Of two in the middle the smaller: moves of pointers into pairs
// stand with the accesses of a loop that is not copied. 0: it has only a few lines.
static double copies_by(const struct making *m, int first, int loop, bool alone)
{
    size_t count = 0, lines = 0;
    bool others = false;
    for (int k = 0; k < m->f->block_count; k++)
        others |= m->loop_of[k] == first && has_others(m, &m->f->blocks[k]);
    for (int i = 0; i < m->f->instruction_count; i++) {
        int block = m->f->block_of[i];
        if (block < 0 || m->loop_of[block] != first || reckoned(m, i) <= 0 || own_of(m, i) <= 0 ||
            (others && !says_copies(&m->f->instructions[i])))
            continue;
        lines++;
        if (own_in(m, i, loop) > 0 && (!alone || reckoned(m, i) <= 1))
            m->ratios[count++] = own_in(m, i, loop) / reckoned(m, i);
    }
    if (count == 0 || (!alone && (2 * count < lines || (loop == 0 && 2 * count == lines))))
        return 0;
    qsort(m->ratios, count, sizeof *m->ratios, compare_ratios);
    return fmax(1, round(m->ratios[(count - 1) / 2]));
}

static double copies_in(const struct making *m, int first, int loop)
{
    double all = copies_by(m, first, loop, false),
           alone = all > 0 ? copies_by(m, first, loop, true) : 0;
    return alone > 0 ? alone : all;
}

// How often the loop that begins with this block is entered.
static double entered_of(const struct making *m, int first)
{
    const struct ptx_block *b = &m->f->blocks[first];
    double entered = 0;
    for (int i = 0; i < b->predecessor_count; i++) {
        int from = b->predecessors[i];
        if (from >= 0 && from < first && m->f->blocks[from].count > 0)
            entered += executed_of(m, m->f->blocks[from].first);
    }
    return entered;
}

// How many turns it takes each time.
static double turns_of(const struct making *m, int first, double entered)
{
    const struct ptx_block *b = &m->f->blocks[first];
    double all = b->count > 0 ? executed_of(m, b->first) : 0;
    return entered > 0 && all > entered ? all / entered : 1;
}

struct copies {
    int main, rest; // loops of the machine code, 0 included; -1: none
    double in_main, in_rest;
    double by_main, by_rest; // bodies that run each time the loop is entered
};

// How often lanes left the loop apart, each time it was entered: 1 at most.
static double parting_of(const struct making *m, int first, double entered)
{
    double parted = 0;
    for (int k = 0; k < m->f->block_count; k++) {
        const struct ptx_block *b = &m->f->blocks[k];
        int last = b->first + b->count - 1;
        if (m->loop_of[k] != first || b->count == 0 || !m->info[last].is_branch)
            continue;
        for (int i = 0; i < m->l->core_count; i++)
            parted += (double)m->l->cores[i].divergent[m->base + last];
    }
    return entered > 0 ? fmin(1, parted / entered) : 0;
}

// Machine instructions of a turn.
static double body_of(const struct making *m, int first)
{
    double sum = 0;
    for (int i = 0; i < m->f->instruction_count; i++)
        sum +=
            m->f->block_of[i] >= 0 && m->loop_of[m->f->block_of[i]] == first ? reckoned(m, i) : 0;
    return sum;
}

// The bodies of an unrolled loop, and of what takes the turns that do not fill it: as many as there are, or as by chance where
// turns differ from time to time. Straight code has bodies for all but one of the loop's; if it has one more, that stands
// before the loop for a case that does not come: ptxas 13.0 issues it under a predicate if it is short. Where lanes leave at
// different turns, most of the bodies behind the loop have some lane (bench/truth/turns: 2.5 of 3 where half of a warp has
// a turn less).
static void bodies_count(struct copies *c, double turns, double parting, double body)
{
    enum { PREDICATED = 10 };
    const double with_parting = 5.0 / 6;
    double room = c->in_main - 1, before = c->rest == 0 ? fmax(c->in_rest - room, 0) : 0;
    before = body <= PREDICATED ? before : 0;
    bool same = fabs(turns - round(turns)) < 1e-9;
    c->by_main = same ? floor(round(turns) / c->in_main) * c->in_main : fmax(turns - room / 2, 0);
    double left = turns - c->by_main;
    left = fmax(left, (1 - parting) * left + parting * room * with_parting);
    c->by_rest = before + fmin(left, room);
}

// The loop with most copies takes the turns that fill it, the one with the next most what is left over.
static struct copies copies_of(const struct making *m, int first, double turns, double parting)
{
    struct copies c = {.main = -1, .rest = -1, .by_main = turns};
    for (int loop = m->loop_count; loop >= 0; loop--) {
        double copies = copies_in(m, first, loop);
        if (copies > c.in_main && (loop > 0 || c.main < 0)) {
            c.rest = c.main, c.in_rest = c.in_main;
            c.main = loop, c.in_main = copies;
        } else if (copies > c.in_rest) {
            c.rest = loop, c.in_rest = copies;
        }
    }
    if (c.main > 0 && c.rest >= 0 && turns > 0)
        bodies_count(&c, turns, parting, body_of(m, first));
    return c;
}

// Straight code behind an unrolled loop: bodies, and what asks how many turns are left over, which runs once.
static double slots_behind(const struct making *m, int i, const struct copies *c)
{
    double made = made_in(m, i, 0), bodies = c->in_rest * reckoned(m, i);
    double in_bodies = is_shared(&m->f->instructions[i]) ? 0 : fmin(made, bodies);
    return c->by_rest * in_bodies / c->in_rest + made - in_bodies;
}

// Of one turn.
static double slots_of(const struct making *m, int i, const struct copies *c, double turns)
{
    double slots = 0;
    for (int loop = 0; loop <= m->loop_count; loop++) {
        double made = made_in(m, i, loop);
        if (loop == c->main)
            slots += c->by_main * made / c->in_main;
        else if (loop == c->rest)
            slots += loop == 0 ? slots_behind(m, i, c) : c->by_rest * made / c->in_rest;
        else if (loop == 0)
            slots += made; // once, before the turns or behind them
    }
    return slots / turns;
}

static bool is_subroutine(const struct ptx_instruction *in, const struct timing_site *t)
{
    return (in->opcode == PTX_OP_DIV || in->opcode == PTX_OP_REM) && t->pipe == PIPE_MULTIPLY &&
           site_slots(t) > SUBROUTINE;
}

static void function_fill(struct making *m, double *slots)
{
    size_t count = (size_t)m->f->instruction_count + 1;
    m->made = xcalloc(count * (size_t)(m->loop_count + 1), sizeof *m->made);
    m->moved = xcalloc(count * (size_t)(m->loop_count + 1), sizeof *m->moved);
    m->ratios = xcalloc(count, sizeof *m->ratios);
    m->loop_of = xcalloc((size_t)m->f->block_count + 1, sizeof *m->loop_of);
    for (int b = 0; b < m->f->block_count; b++)
        m->loop_of[b] = loop_of_block(m->f, b);
    bool any = made_fill(m); // of a function that is called there is nothing in the kernel's code
    for (int b = 0; b < m->f->block_count && any; b++) {
        const struct ptx_block *block = &m->f->blocks[b];
        int first = m->loop_of[b];
        double entered = first >= 0 ? entered_of(m, first) : 0,
               turns = first >= 0 ? turns_of(m, first, entered) : 1;
        struct copies c = {.main = -1, .rest = -1};
        if (first >= 0)
            c = copies_of(m, first, turns, parting_of(m, first, entered));
        for (int i = block->first; i < block->first + block->count; i++)
            if (!is_subroutine(&m->f->instructions[i], &m->sites[i]))
                slots[i] = c.main >= 0 ? slots_of(m, i, &c, turns) : made_of(m, i);
    }
    free(m->made);
    free(m->moved);
    free(m->ratios);
    free(m->loop_of);
}

const double *machine_slots(const struct launch *l, struct arena *a)
{
    const struct program *p = l->program;
    int loops = 0;
    if (l->options->line_code_count == 0)
        return NULL;
    for (int i = 0; i < l->options->line_code_count; i++)
        if (l->options->line_codes[i].loop > loops)
            loops = l->options->line_codes[i].loop;
    double *slots = ARENA_ARRAY(a, double, p->site_count + 1);
    for (int i = 0; i < p->site_count; i++)
        slots[i] = site_slots(&p->timing[i]);
    for (int k = 0; k < p->function_count; k++) {
        int base = p->functions[k].site_base;
        struct making m = {.l = l,
                           .f = p->functions[k].ptx,
                           .sites = &p->timing[base],
                           .info = &p->sites[base],
                           .base = base,
                           .loop_count = loops};
        function_fill(&m, &slots[base]);
    }
    return slots;
}
