// What ptxas schedules together beyond basic blocks, for the model of time only. A branch around a few instructions
// becomes their predicate, so that four guarded loads in a row are all on their way before the first is waited for; and
// a shuffle, behind which the interpreter looks for lanes anew, ends no block of the machine's. Segments of such code are
// one region: their instructions are in one list (model/schedule.c), and a warp that skips some of them issues them
// without lanes (observe/trace.c).
//
// Which side steps get predicates was read off ptxas 13.0's code for sm_90: eight machine instructions at most, with
// loads of global memory among them twenty; none with global atomics, calls or barriers. Around atomics of shared memory the
// branch stays, but loads from behind it are moved over it all the same (bench/truth/tuning/uneven, counts-some and
// counts-match: sixteen loads first, then the atomics); so they are in the region too. Where both ways of a branch, or several
// conditions, become predicates, the lowering pass knows it (lower_predicates.c): their blocks are in the region with the one where
// the lanes are together again, if they stand in a row.
// SPDX-License-Identifier: Apache-2.0
#include "sim/decode/lower_code.h"

enum { PREDICATED_MAX = 8, PREDICATED_LOADS_MAX = 20 };

struct scope { // a function
    struct program *program;
    const struct ptx_function *f;
    const struct code *code; // NULL: nothing is known of it
    int site_base, register_base;
};

static const struct ptx_block *block_at(const struct ptx_function *f, int block)
{
    return block >= 0 && block < f->block_count ? &f->blocks[block] : NULL;
}

static bool leads_to(const struct ptx_block *b, int block)
{
    return b->successor_count == 1 && b->successors[0] == block;
}

static bool comes_from(const struct ptx_block *b, int one, int other)
{
    for (int i = 0; i < b->predecessor_count; i++)
        if (b->predecessors[i] != one && b->predecessors[i] != other)
            return false;
    return true;
}

bool block_ends_thread(const struct ptx_function *f, int block)
{
    const struct ptx_block *b = block_at(f, block);
    if (b == NULL || b->count == 0)
        return false;
    enum ptx_opcode first = f->instructions[b->first].opcode;
    return first == PTX_OP_RET || first == PTX_OP_EXIT;
}

static bool may_have_predicate(enum timing_pipe pipe)
{
    if (pipe == PIPE_UNIFORM) // its predicate is the reader's
        return true;
    switch (pipe_info(pipe)->unit) {
    case UNIT_NONE:
        return pipe == PIPE_NONE;
    case UNIT_MATH:
        return !is_among_lanes(pipe) && pipe != PIPE_BRANCH;
    case UNIT_LOAD:
        return pipe != PIPE_ASYNC_COPY;
    case UNIT_STORE:
    case UNIT_CONSTANT:
        return true;
    case UNIT_SHARED:
        return pipe == PIPE_SHARED_LOAD || pipe == PIPE_SHARED_STORE || pipe == PIPE_SHARED_ATOMIC;
    case UNIT_ATOMIC:
    case UNIT_COPY:
    case UNIT_TENSOR:
    case UNIT_SCALAR:
    case UNIT_WAIT:
        break;
    }
    return false;
}

// Machine instructions of a block whose last one may be a branch; it counts where it does not lead to the next block. loads: there are
// some about it (lower_predicates.c).
bool block_is_short(const struct timing_site *sites, const struct ptx_block *b, bool jumps,
                    bool loads)
{
    int slots = 0;
    for (int i = b->first; i < b->first + b->count; i++) {
        const struct timing_site *t = &sites[i];
        bool jump = i == b->first + b->count - 1 && t->pipe == PIPE_BRANCH;
        if (jump) {
            slots += jumps;
            break;
        }
        if (!may_have_predicate(t->pipe))
            return false;
        loads |= t->pipe == PIPE_GLOBAL_LOAD;
        slots += (int)site_slots(t);
    }
    return slots <= (loads ? PREDICATED_LOADS_MAX : PREDICATED_MAX);
}

static int last_instruction(const struct scope *d, const struct segment *s)
{
    return s->first_site + s->count - 1 - d->site_base;
}

static bool is_whole_block(const struct scope *d, const struct segment *s,
                           const struct ptx_block *b)
{
    return s->first_site - d->site_base == b->first && s->count == b->count;
}

// Does segment `s` end with a branch around the next segment, to the one behind that?
static bool steps_around(const struct scope *d, const struct segment *s)
{
    const struct ptx_function *f = d->f;
    int end = last_instruction(d, s), block = f->block_of[end];
    const struct ptx_instruction *in = &f->instructions[end];
    const struct ptx_block *from = block_at(f, block), *side = block_at(f, block + 1),
                           *join = block_at(f, block + 2);
    if (in->opcode != PTX_OP_BRA || in->guard < 0 || from == NULL || join == NULL)
        return false;
    bool both = from->successor_count == 2;
    for (int i = 0; both && i < 2; i++)
        both = from->successors[i] == block + 1 || from->successors[i] == block + 2;
    return both && leads_to(side, block + 2) && comes_from(side, block, block) &&
           comes_from(join, block, block + 1) && is_whole_block(d, s + 1, side) &&
           block_is_short(&d->program->timing[d->site_base], side, false,
                          d->code != NULL && d->code->count > 0 && d->code->loads_about[block]);
}

// Does the same block go on behind segment `s`, with the same lanes? Behind a barrier too: ptxas moves what computes and loads of
// read-only data over it.
static bool goes_on(const struct scope *d, const struct segment *s)
{
    const struct ptx_function *f = d->f;
    int end = last_instruction(d, s);
    const struct timing_site *t = &d->program->timing[s->first_site + s->count - 1];
    return (is_among_lanes(t->pipe) || t->pipe == PIPE_BARRIER) && end + 1 < f->instruction_count &&
           f->block_of[end] == f->block_of[end + 1];
}

static bool may_be_in_region(const struct scope *d, const struct segment *s)
{
    for (int i = s->first_site; i < s->first_site + s->count; i++) {
        enum timing_pipe pipe = d->program->timing[i].pipe;
        if (pipe == PIPE_MBARRIER || pipe == PIPE_BULK_COPY)
            return false;
    }
    return s->poll == 0 && s->count > 0;
}

static bool has_atomics(const struct program *p, const struct segment *s)
{
    for (int i = s->first_site; i < s->first_site + s->count; i++)
        if (p->timing[i].pipe == PIPE_SHARED_ATOMIC)
            return true;
    return false;
}

static void guarded(struct scope *d, int i, int guard)
{
    struct timing_site *t = &d->program->timing[i];
    if (guard >= UINT16_MAX || t->source_count >= TIMING_REGISTERS_MAX)
        return;
    t->source[t->source_count++] = (uint16_t)guard;
    t->guard = (uint16_t)(guard + 1);
}

static void predicate_read(struct scope *d, const struct segment *from)
{
    struct timing_site *timing = d->program->timing;
    int branch = from->first_site + from->count - 1;
    const struct segment *side = from + 1;
    int guard = d->register_base + d->f->instructions[last_instruction(d, from)].guard;
    bool ends = block_ends_thread(d->f, d->f->block_of[last_instruction(d, from)] + 2);
    bool stays = has_atomics(d->program, side);
    timing[branch].pipe =
        ends || stays ? PIPE_INTEGER : PIPE_NONE; // EXIT under the predicate, or nothing
    if (!stays)
        timing[branch].other_slots = 0;
    for (int i = side->first_site; i < side->first_site + side->count; i++) {
        struct timing_site *t = &timing[i];
        t->side_step = true;
        t->jumped = ends || stays;
        if (t->pipe == PIPE_BRANCH)
            t->pipe = PIPE_NONE;
        guarded(d, i, guard);
    }
}

/* ---- sides that the lowering pass has under predicates ---------------------------------------------- */

static int end_of(const struct scope *d, int block)
{
    return d->f->blocks[block].first + d->f->blocks[block].count - 1;
}

// May all of the block but a jump at its end be under a predicate?
static bool fits(const struct scope *d, int block)
{
    const struct ptx_block *b = &d->f->blocks[block];
    for (int i = b->first; i < b->first + b->count; i++) {
        enum timing_pipe pipe = d->program->timing[d->site_base + i].pipe;
        if (!may_have_predicate(pipe) && !(pipe == PIPE_BRANCH && i == end_of(d, block)))
            return false;
    }
    return true;
}

// Of the blocks behind the segment's, one segment each, those that are executed with it (lower_predicates.c).
static int sides_behind(const struct scope *d, size_t at, size_t end)
{
    const struct segment *s = &d->program->segments[at];
    int block = d->f->block_of[last_instruction(d, s)], count = 0;
    const struct code *c = d->code;
    if (c == NULL || block < 0 || last_instruction(d, s) != end_of(d, block) ||
        c->joined_to[block] != block)
        return 0;
    for (int b = block + 1; b < d->f->block_count && c->joined_to[b] == block; b++) {
        size_t of = at + (size_t)(b - block);
        if (of >= end || !is_whole_block(d, &s[b - block], &d->f->blocks[b]) ||
            !may_be_in_region(d, &s[b - block]) || !fits(d, b))
            break;
        count++;
    }
    return count;
}

// Do all ways to the block come from those in front of it, from this one on?
static bool comes_from_these(const struct ptx_block *b, int block, int first)
{
    for (int i = 0; i < b->predecessor_count; i++)
        if (b->predecessors[i] < first || b->predecessors[i] >= block)
            return false;
    return true;
}

// The segment at which the lanes are together again: so many behind this one; 0: not known.
static int meets_behind(const struct scope *d, size_t at, size_t end)
{
    const struct segment *s = &d->program->segments[at];
    int sides = sides_behind(d, at, end), block = d->f->block_of[last_instruction(d, s)],
        meet = block + sides + 1;
    if (sides == 0 || at + (size_t)sides + 1 >= end || meet >= d->f->block_count ||
        d->f->blocks[meet].count == 0 || block_ends_thread(d->f, meet) ||
        d->code->loop_of[meet] != d->code->loop_of[block])
        return 0;
    for (int b = block + 1; b < meet; b++)
        for (int i = 0; i < d->f->blocks[b].successor_count; i++)
            if (d->f->blocks[b].successors[i] <= b || d->f->blocks[b].successors[i] > meet)
                return 0;
    const struct segment *to = &s[sides + 1];
    bool begins = to->first_site - d->site_base == d->f->blocks[meet].first;
    return begins && may_be_in_region(d, to) && comes_from_these(&d->f->blocks[meet], meet, block)
               ? sides + 1
               : 0;
}

// The predicate that the block is under; -1.
static int guard_of(const struct scope *d, int block)
{
    int guard = -1;
    while (guard < 0 && d->f->blocks[block].predecessor_count > 0) {
        int from = d->f->blocks[block].predecessors[0];
        if (from < 0 || from >= block)
            break;
        guard = d->f->instructions[end_of(d, from)].guard;
        block = from;
    }
    return guard;
}

static void branch_vanishes(struct scope *d, int block)
{
    struct timing_site *t = &d->program->timing[d->site_base + end_of(d, block)];
    if (t->pipe != PIPE_BRANCH)
        return;
    t->pipe = PIPE_NONE;
    t->other_slots = 0;
}

static void sides_read(struct scope *d, const struct segment *from, int meet)
{
    int block = d->f->block_of[last_instruction(d, from)];
    branch_vanishes(d, block);
    for (int b = block + 1; b < block + meet; b++) {
        int guard = guard_of(d, b);
        branch_vanishes(d, b);
        for (int i = d->f->blocks[b].first; i <= end_of(d, b); i++) {
            d->program->timing[d->site_base + i].side_step = true;
            if (guard >= 0)
                guarded(d, d->site_base + i, d->register_base + guard);
        }
    }
}

// Adds the segments that follow the region's last one; returns how many.
static int region_grow(struct scope *d, size_t last, size_t end)
{
    struct segment *s = &d->program->segments[last];
    if (last + 1 < end && goes_on(d, s) && may_be_in_region(d, s + 1))
        return 1;
    if (last + 2 < end && steps_around(d, s) && may_be_in_region(d, s + 1) &&
        may_be_in_region(d, s + 2)) {
        predicate_read(d, s);
        return 2;
    }
    int meet = meets_behind(d, last, end);
    if (meet > 0)
        sides_read(d, s, meet);
    return meet;
}

static void regions_of(struct scope *d, size_t first, size_t end)
{
    struct segment *all = d->program->segments;
    for (size_t head = first, last; head < end; head = last + 1) {
        int more = may_be_in_region(d, &all[head]) ? 1 : 0;
        last = head;
        while (more > 0 && (more = region_grow(d, last, end)) > 0)
            for (int i = 0; i < more; i++) {
                last++;
                all[last].place = (int)(last - head);
                all[head].region_count += all[last].count;
            }
    }
}

// The clock runs segment by segment, as they are executed: a program that reads it has no regions.
void regions_find(struct program *p)
{
    for (size_t s = 0; s < p->segment_count; s++)
        p->segments[s].region_count = p->segments[s].count;
    for (size_t first = 0, end; first < p->segment_count && !p->reads_clock; first = end) {
        const struct ptx_function *f = p->sites[p->segments[first].first_site].function;
        const struct function *own = &p->functions[program_function(p, f)];
        end = first;
        while (end < p->segment_count && p->sites[p->segments[end].first_site].function == f)
            end++;
        regions_of(&(struct scope){p, f, own->code, own->site_base, own->register_base}, first,
                   end);
    }
}
