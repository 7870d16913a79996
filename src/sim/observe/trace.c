// The trace for the model of time: what the blocks of an SM executed, warp by warp, as long as there is room. SM 0's blocks are
// those at the grid's edge, which may have less to do than others or find other data in L1: some SMs more are traced, and the one
// that the grid's blocks are most like stands for all.
// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/events.h"

#include <math.h>
#include <stdlib.h>

enum { TRACE_BLOCKS_MAX = 4096 };

struct trace_barrier { // of a traced block: an mbarrier, or a barrier of some of its warps
    uint32_t place;    // in shared memory; NAMED + its number
    bool odd;          // parity of the phase, as it was seen last
    int32_t now, over; // its phase, and the one before: NO_PHASE
};
#define NAMED 0x80000000u

static bool is_in_room(const struct trace_block *b, const struct trace_op *ops)
{
    return b->room != NULL && ops >= b->room && ops < b->room + b->room_ops;
}

static void trace_block_release(struct trace_block *b)
{
    for (int i = 0; i < b->warp_count; i++)
        if (!is_in_room(b, b->warps[i].ops))
            spare_give(b->warps[i].ops);
    spare_give(b->room);
    b->room = NULL;
    free(b->warps);
    free(b->barriers);
    b->warps = NULL;
    b->barriers = NULL;
    b->warp_count = b->barrier_count = 0;
}

void trace_release(struct trace *t)
{
    for (int i = 0; i < t->block_count; i++)
        trace_block_release(&t->blocks[i]);
    free(t->blocks);
    free(t->syncs);
    *t = (struct trace){0};
}

// Of so many SMs the i-th to be traced. All come in turn.
int trace_sm(uint64_t sms, int i)
{
    static const double golden = 0.6180339887498949;
    double turns = i * golden;
    return (int)((turns - floor(turns)) * (double)sms);
}

// Some SMs of those that have blocks, at unlike places of the grid's rows whatever their length; SM 0 has most of the room.
void traces_begin(struct launch *l)
{
    uint64_t sms = (uint64_t)l->sm_count < l->places ? (uint64_t)l->sm_count : l->places;
    for (int i = 0; i < TRACED_SMS; i++) {
        struct sm *sm = &l->sms[trace_sm(sms, i)];
        if (sm->trace != NULL)
            continue;
        sm->traced = true;
        sm->trace = &l->traces[i];
        sm->trace_room = i == 0 ? TRACE_OPS : TRACE_OPS / TRACED_SMS;
    }
}

// The program's next launch is likely to be as long.
void traces_end(struct launch *l)
{
    size_t ops = 0, warps = 0;
    for (int i = 0; i < TRACED_SMS; i++) {
        struct trace *t = &l->traces[i];
        for (int b = 0; b < t->block_count; b++)
            for (int w = 0; w < t->blocks[b].warp_count; w++, warps++)
                ops += t->blocks[b].warps[w].count;
        trace_release(t);
    }
    if (l->program != NULL) // else the launch never began
        l->program->traced_ops = warps > 0 ? (ops + warps - 1) / warps : 0;
}

struct effort { // of a block, on average
    double executed, passes;
};

static struct effort effort_of_trace(const struct launch *l, const struct trace *t)
{
    const struct timing_site *timing = l->program->timing;
    uint64_t executed = 0, passes = 0;
    for (int b = 0; b < t->block_count; b++)
        for (int w = 0; w < t->blocks[b].warp_count; w++) {
            const struct trace_warp *warp = &t->blocks[b].warps[w];
            for (const struct trace_op *op = warp->ops, *end = op + warp->count; op < end; op++) {
                executed += op->lanes > 0 || !timing[op->site].side_step;
                if (timing[op->site].pipe != PIPE_CONST) // the grid's are not counted
                    passes += op->lines > 0 ? op->lines : op->wavefronts;
            }
        }
    return (struct effort){.executed = (double)executed / t->block_count,
                           .passes = (double)passes / t->block_count};
}

static struct effort effort_of_grid(const struct launch *l, const struct sim_site *sites)
{
    struct effort e = {0};
    for (int i = 0; i < l->program->site_count; i++) {
        e.executed += (double)sites[i].executed;
        e.passes += (double)(sites[i].lines > 0 ? sites[i].lines : sites[i].wavefronts);
    }
    e.executed /= (double)l->grid_blocks;
    e.passes /= (double)l->grid_blocks;
    return e;
}

static double unlike(double a, double b)
{
    return a > b ? (a + 1) / (b + 1) - 1 : (b + 1) / (a + 1) - 1;
}

static bool any_polls(const struct program *p)
{
    for (int i = 0; i < p->site_count; i++)
        if (p->timing[i].polls)
            return true;
    return false;
}

// The trace that stands for the grid. Where each SM has one block at most, the one with most to do ends last; else the one that is
// most like the mean. SM 0's, the longest, unless another is so by more than a little; and where blocks wait for others, so that
// what they execute is not what they take.
const struct trace *trace_chosen(const struct launch *l, const struct sim_site *sites)
{
    static const double little = 1.1,
                        like_the_mean = 1; // that much merit is more than others can have
    const struct trace *first = &l->traces[0], *best = first;
    bool single = l->grid_blocks <= (uint64_t)l->sm_count, any = !any_polls(l->program);
    struct effort mean = effort_of_grid(l, sites);
    double most = 0;
    any &= first->block_count > 0 && !first->cut;
    for (int i = 0; i < TRACED_SMS && any; i++) {
        const struct trace *t = &l->traces[i];
        if (t->block_count == 0 || t->cut)
            continue;
        struct effort e = effort_of_trace(l, t);
        double merit =
            single ? (e.executed + 1) * (e.passes + 1)
                   : 1 / (1 + unlike(e.executed, mean.executed) + unlike(e.passes, mean.passes));
        merit *= t == first ? little : 1;
        any &= single || t != first || merit < like_the_mean;
        best = merit > most ? t : best;
        most = merit > most ? merit : most;
    }
    return best;
}

// Its warps have as much room each as those before them took, or those of the last launch, in one piece: most need no more.
static void room_make(struct trace_block *b, struct spare *spare, size_t usual)
{
    if (usual == 0)
        return;
    b->room_ops = usual * (size_t)b->warp_count;
    b->room = spare_take(spare, b->room_ops * sizeof(*b->room));
    for (int i = 0; i < b->warp_count; i++)
        b->warps[i] = (struct trace_warp){.ops = b->room + (size_t)i * usual, .capacity = usual};
}

static void warp_grow(const struct block *b, struct trace_warp *t, size_t need)
{
    const struct trace_block *block = &b->sm->trace->blocks[b->traced];
    struct spare *spare = b->sm->launch->sim->spare;
    size_t size = 2 * need * sizeof(*t->ops);
    t->capacity = 2 * need;
    if (is_in_room(block, t->ops))
        t->ops = memcpy(spare_take(spare, size), t->ops, t->count * sizeof(*t->ops));
    else
        t->ops = spare_grow(spare, t->ops, size);
}

static void trace_block(struct block *b)
{
    struct trace *t = b->sm->trace;
    if (t->block_count >= TRACE_BLOCKS_MAX)
        return;
    t->blocks = xrealloc(t->blocks, ((size_t)t->block_count + 1) * sizeof(*t->blocks));
    b->traced = t->block_count;
    struct trace_block *traced = &t->blocks[t->block_count++];
    size_t before = (size_t)b->traced * (size_t)b->warp_count;
    *traced = (struct trace_block){.block_index = (uint32_t)b->linear, .warp_count = b->warp_count};
    traced->warps = xcalloc((size_t)b->warp_count, sizeof(*traced->warps));
    room_make(traced, b->sm->launch->sim->spare,
              before > 0 ? b->sm->trace_ops / before : b->sm->launch->program->traced_ops);
    for (int i = 0; i < b->warp_count; i++) {
        b->warps[i].trace = &traced->warps[i];
        b->warps[i].region = (struct trace_region){0};
    }
}

// Warps run in long turns: when the room is used up, some of the first block's are far ahead. The
// others may go on to where each has its part, so that what is kept of them belongs together.
static size_t warp_part(const struct sm *sm)
{
    return sm->trace_room / sm->launch->warps_per_block;
}

static bool has_its_part(const struct warp *w, size_t count)
{
    const struct sm *sm = w->block->sm;
    return sm->trace->cut && count > warp_part(sm);
}

// Out of room: blocks that are not whole go, but for the first.
static void trace_stop(struct sm *sm)
{
    struct trace *t = sm->trace;
    sm->traced = false;
    for (int i = 0; i < sm->block_count; i++) {
        struct block *b = &sm->home->blocks[i];
        if (!b->live || b->warps[0].trace == NULL)
            continue;
        int j = 0;
        while (j < t->block_count && t->blocks[j].block_index != (uint32_t)b->linear)
            j++;
        if (j == 0) {
            t->cut = true;
            for (int k = 0; k < b->warp_count; k++)
                if (t->blocks[0].warps[k].count > warp_part(sm))
                    t->blocks[0].warps[k].count = warp_part(sm);
            continue;
        }
        if (j < t->block_count) {
            trace_block_release(&t->blocks[j]);
            memmove(&t->blocks[j], &t->blocks[j + 1],
                    (size_t)(t->block_count - j - 1) * sizeof(*t->blocks));
            t->block_count--;
        }
        for (int k = 0; k < b->warp_count; k++)
            b->warps[k].trace = NULL;
    }
    for (int i = 0; i < sm->block_count * (int)sm->launch->warps_per_block; i++)
        if (sm->home->warps[i].trace == NULL)
            sm->home->warps[i].audience = &sm->launch->audience;
}

void trace_begin(struct trace_op *ops, const struct segment *s, uint32_t mask)
{
    uint8_t lanes = (uint8_t)lane_count(mask);
    uint32_t first = (uint32_t)s->first_site;
    for (uint32_t i = 0, count = (uint32_t)s->count; i < count; i++)
        ops[i] = (struct trace_op){.site = first + i, .lanes = lanes};
}

// Turns of a loop that only waits are turns of the interpreter, not time: the first is kept, and the last, which finds
// what the loop waits for. So a wait takes two round trips, whoever is late.
static void trace_turn(struct warp *w, const struct segment *s)
{
    enum { TURNS_KEPT = 2 };
    struct trace_poll *p = &w->poll;
    if (s->poll > 1)
        return;
    if (s->poll == 0 || p->segment != s) {
        *p = (struct trace_poll){.segment = s->poll == 0 ? NULL : s, .turns = 1};
        return;
    }
    if (p->turns == TURNS_KEPT && p->last < w->trace->count) {
        w->block->sm->trace_ops -= w->trace->count - p->last;
        w->trace->count = p->last;
        return;
    }
    p->turns = TURNS_KEPT;
    p->last = w->trace->count;
}

enum { PLACES = 64 };

// Has the warp run the segment since it came to the region? Of sides that lanes diverged into it may run a later one first.
static bool was_in_region(const struct trace_region *r, int place)
{
    return place < PLACES ? (r->run >> place & 1) != 0 : place <= r->place;
}

static void region_enter(struct warp *w, const struct segment *s, uint32_t mask)
{
    struct trace_region *r = &w->region;
    w->trace_base = r->base + (size_t)(s->first_site - r->head->first_site);
    w->trace_first = (uint32_t)s->first_site;
    r->place = s->place > r->place ? s->place : r->place;
    r->run |= s->place < PLACES ? (uint64_t)1 << s->place : 0;
    trace_begin(w->trace->ops + w->trace_base, s, mask);
}

// The place of a segment in a region that the warp is in: what it skipped before stays without lanes.
static bool region_goes_on(struct warp *w, const struct segment *s, uint32_t mask)
{
    const struct trace_region *r = &w->region;
    if (r->head != s - s->place || s->place == 0 || was_in_region(r, s->place))
        return false;
    region_enter(w, s, mask);
    return true;
}

static void region_begin(struct warp *w, const struct segment *s, uint32_t mask)
{
    const struct segment *head = s - s->place;
    const struct segment whole = {.first_site = head->first_site, .count = head->region_count};
    w->region = (struct trace_region){.head = head, .place = -1, .base = w->trace->count};
    if (s->count < head->region_count)
        trace_begin(w->trace->ops + w->trace->count, &whole, 0);
    w->trace->count += (size_t)head->region_count;
    region_enter(w, s, mask);
}

void trace_segment(struct warp *w, const struct segment *s, uint32_t mask)
{
    struct trace_warp *t = w->trace;
    struct sm *sm = w->block->sm;
    if (region_goes_on(w, s, mask))
        return;
    trace_turn(w, s);
    size_t count = (size_t)(s - s->place)->region_count, need = t->count + count;
    if (sm->traced && sm->trace_ops + count > sm->trace_room)
        trace_stop(sm);
    if (w->trace == NULL || has_its_part(w, need)) {
        w->trace = NULL;
        w->audience = &sm->launch->audience;
        return;
    }
    if (need > t->capacity)
        warp_grow(w->block, t, need);
    region_begin(w, s, mask);
    sm->trace_ops += count;
}

static void saturate(uint8_t *sum, unsigned more)
{
    *sum = (uint8_t)(*sum + more > UINT8_MAX ? UINT8_MAX : *sum + more);
}

static uint32_t first_sector(const struct access *access, uint64_t base)
{
    const struct access_line *a = &access->line[0];
    unsigned sector = (unsigned)__builtin_ctz(a->sectors | 1u << SECTORS_PER_LINE);
    return (uint32_t)((base + a->address) / SECTOR_BYTES + sector);
}

// Lines in the bank of tags that has most of them: which one a line is in is an exclusive or of bits of its number.
static unsigned tag_passes(const struct turn_costs *t, const struct access *access, uint64_t base)
{
    if ((t->tags_low | t->tags_high) == 0)
        return 0;
    unsigned in_bank[4] = {0}, most = 0;
    for (int i = 0; i < access->line_count; i++) {
        uint64_t line = (base + access->line[i].address) / LINE_BYTES;
        unsigned low = (unsigned)__builtin_parityll(line & t->tags_low);
        unsigned bank = low + 2 * (unsigned)__builtin_parityll(line & t->tags_high);
        most = ++in_bank[bank] > most ? in_bank[bank] : most;
    }
    return most;
}

// missed: as trace_lines() has it.
static void lines_add(struct trace_op *op, const struct turn_costs *t, const struct access *access,
                      uint64_t base, unsigned sectors, unsigned missed, unsigned missed_lines)
{
    if (op->lines == 0)
        op->first_sector = first_sector(access, base);
    saturate(&op->lines, (unsigned)access->line_count);
    saturate(&op->sectors, sectors);
    saturate(&op->miss, missed);
    saturate(&op->miss_lines, missed_lines);
    saturate(&op->tags, tag_passes(t, access, base));
}

// An instruction may access in pieces: they add up.
void trace_note(struct trace_op *op, const struct turn_costs *t, const struct event *e)
{
    if (e->kind == EVENT_GUARD) {
        op->lanes = (uint8_t)lane_count(e->mask);
        return;
    }
    saturate(&op->wavefronts, e->passes);
    if (e->access != NULL && e->access->line_count > 0)
        lines_add(op, t, e->access, e->line_base, e->sectors - e->merged_sectors,
                  e->touch == TOUCH_WRITE ? e->partial_sectors : e->sent_sectors, e->sent_lines);
}

static struct trace_op *op_at_site(const struct warp *w, uint32_t site)
{
    return &w->trace->ops[w->trace_base + (site - w->trace_first)];
}

void trace_guard(struct warp *w, uint32_t site, uint32_t mask)
{
    op_at_site(w, site)->lanes = (uint8_t)lane_count(mask);
}

void trace_passes(struct warp *w, uint32_t site, unsigned passes)
{
    saturate(&op_at_site(w, site)->wavefronts, passes);
}

void trace_word(struct warp *w, uint32_t site, uint32_t offset)
{
    op_at_site(w, site)->first_sector = offset / 4 + 1;
}

void trace_lines(struct warp *w, uint32_t site, const struct phase *p, uint64_t base,
                 unsigned sectors, unsigned missed, size_t missed_lines)
{
    struct trace_op *op = op_at_site(w, site);
    saturate(&op->wavefronts, (unsigned)p->passes);
    lines_add(op, &w->core->launch->turn, &p->access, base, sectors, missed,
              (unsigned)missed_lines);
}

/* ---- phases of barriers, and what bulk copies move ----------------------------------------------- */

static struct trace_op *op_of(const struct warp *w, const struct event *e)
{
    return op_at_site(w, e->u->site);
}

// A new record of the operation, behind those that it has.
static struct trace_sync *sync_add(struct trace *t, struct trace_op *op, struct trace_sync sync)
{
    if (op->first_sector == 0)
        op->first_sector = (uint32_t)t->sync_count + 1;
    else
        t->syncs[t->sync_count - 1].more = true;
    VEC_PUSH(t->syncs, t->sync_count, t->sync_capacity, sync);
    return &t->syncs[t->sync_count - 1];
}

// Lanes at one barrier have one record.
static void phase_note(struct trace *t, struct trace_op *op, int32_t phase, bool waits)
{
    for (size_t i = op->first_sector; i > 0 && i <= t->sync_count; i++)
        if (t->syncs[i - 1].phase == phase && t->syncs[i - 1].waits == waits)
            return;
    if (phase != NO_PHASE)
        sync_add(t, op, (struct trace_sync){.phase = phase, .waits = waits});
}

static struct trace_barrier *barrier_at(struct trace_block *b, uint32_t place)
{
    for (int i = 0; i < b->barrier_count; i++)
        if (b->barriers[i].place == place)
            return &b->barriers[i];
    b->barriers = xrealloc(b->barriers, ((size_t)b->barrier_count + 1) * sizeof(*b->barriers));
    b->barriers[b->barrier_count] =
        (struct trace_barrier){.place = place, .now = NO_PHASE, .over = NO_PHASE};
    return &b->barriers[b->barrier_count++];
}

// A turn of a loop that waits for an mbarrier is the interpreter's: a wait that is looked at again takes the place of
// the one before, if nothing was accessed between the two.
static void look_again(struct warp *w, const struct event *e)
{
    struct trace_warp *t = w->trace;
    size_t from = w->look.segment, to = w->trace_base;
    bool again = w->look.site == e->u->site + 1 && from < to && to <= t->count;
    for (size_t i = from; again && i < to; i++)
        again = t->ops[i].lines == 0 && t->ops[i].wavefronts == 0 && t->ops[i].first_sector == 0;
    if (again) {
        memmove(t->ops + from, t->ops + to, (t->count - to) * sizeof(*t->ops));
        t->count -= to - from;
        w->block->sm->trace_ops -= to - from;
        w->trace_base = from;
    }
    w->look.site = e->step == STEP_LOOKED ? e->u->site + 1 : 0;
    w->look.segment = w->trace_base;
}

static void mbarrier_note(struct warp *w, const struct event *e)
{
    struct trace *t = w->block->sm->trace;
    struct trace_block *block = &t->blocks[w->block->traced];
    struct trace_barrier *b = barrier_at(block, e->barrier);
    if (e->step == STEP_MADE)
        b->now = b->over = NO_PHASE;
    if (b->now == NO_PHASE || b->odd != e->odd) {
        b->over = b->now;
        b->now = block->phase_count++;
        b->odd = e->odd;
    }
    if (e->step == STEP_LOOKED || e->step == STEP_OVER)
        look_again(w, e);
    if (e->step == STEP_ARRIVED)
        phase_note(t, op_of(w, e), b->now, false);
    if (e->step == STEP_OVER)
        phase_note(t, op_of(w, e), b->over, true);
}

// A barrier without a count is of all the block's warps and needs no record: the replay knows who comes.
void trace_barrier(struct warp *w, const struct uop *u, uint32_t mask, uint32_t threads)
{
    struct trace *t = w->block->sm->trace;
    struct trace_block *block = &t->blocks[w->block->traced];
    uint32_t id = row32(w, u->a)[lane_first(mask)];
    const struct barrier *bar = &w->block->barriers[id];
    if (bar->expected == 0)
        return;
    struct trace_barrier *b = barrier_at(block, NAMED + id);
    if (bar->arrived == threads)
        b->now = block->phase_count++;
    phase_note(t, op_at_site(w, u->site), b->now, false);
    if ((u->small & BARRIER_ARRIVE) == 0)
        phase_note(t, op_at_site(w, u->site), b->now, true);
}

// Rows of a box are one copy: what it moves, in all.
static void copy_note(struct warp *w, const struct event *e)
{
    struct trace *t = w->block->sm->trace;
    struct trace_op *op = op_of(w, e);
    uint64_t first = e->copied_from / SECTOR_BYTES;
    uint64_t last = (e->copied_from + e->copied_bytes - 1) / SECTOR_BYTES;
    uint64_t lines = last * SECTOR_BYTES / LINE_BYTES - first * SECTOR_BYTES / LINE_BYTES + 1;
    struct trace_sync *s = op->first_sector > 0 ? &t->syncs[op->first_sector - 1] : NULL;
    if (s == NULL || s->phase != NO_PHASE)
        s = sync_add(t, op,
                     (struct trace_sync){.phase = NO_PHASE,
                                         .touch = (uint8_t)e->touch,
                                         .first_sector = (uint32_t)first});
    s->lines += (uint32_t)lines;
    s->sectors += (uint32_t)(last - first + 1);
}

/* ---- hearing --------------------------------------------------------------------------------------- */

static void trace_hear(struct warp *w, struct event *e)
{
    if (e->kind == EVENT_BLOCK) {
        trace_block(e->block);
        return;
    }
    if (w->trace == NULL)
        return;
    if (e->kind == EVENT_SEGMENT)
        trace_segment(w, e->segment, e->mask);
    else if (e->kind == EVENT_MBARRIER)
        mbarrier_note(w, e);
    else if (e->kind == EVENT_BARRIER)
        trace_barrier(w, e->u, e->mask, e->threads);
    else if (e->kind == EVENT_COPY)
        copy_note(w, e);
    else
        trace_note(op_of(w, e), &w->core->launch->turn, e);
}

static bool trace_wanted(const struct launch *l)
{
    return !l->options->no_timing && !l->options->no_caches;
}

const struct listener trace_listener = {.name = "trace",
                                        .kinds = HEARS(BLOCK) | HEARS(SEGMENT) | HEARS(GUARD) |
                                                 HEARS(GLOBAL) | HEARS(SHARED) | HEARS(LOCAL) |
                                                 HEARS(TEXTURE) | HEARS(MBARRIER) | HEARS(BARRIER) |
                                                 HEARS(COPY) | HEARS(VALUES),
                                        .wanted = trace_wanted,
                                        .hear = trace_hear};
