// The order in which the machine would issue what PTX says, for the model of time only. ptxas moves
// instructions within a basic block so that loads start early and their uses come late; a model that
// issues PTX as written makes eight loads, each used at once, wait eight times. So the instructions of
// each region (decode_region.c) are listed anew as list schedulers do: of those whose operands are there, the one
// with the longest way to the end of the block first, as long as there are registers for its result (pressure.h).
//
// What keeps its order: registers' values; stores and atomics with all that may touch the same space, but for accesses at the same
// register whose offsets keep them apart (ptxas 13.0 moves loads over such stores: align:thread of bench/truth/validation-2);
// barriers, fences, asynchronous copies and synchronising accesses with all memory; the block's last
// branch with everything. Loads of read-only data (ld.global.nc) pass stores.
// SPDX-License-Identifier: Apache-2.0
#include "sim/decode/decode.h"
#include "sim/model/cost.h"
#include "sim/model/pressure.h"

#include <string.h>

enum { PIECE = 320 };   // instructions scheduled together at most
enum { TO_GUARD = 13 }; // cycles from a comparison to what is under its predicate, as ptxas reckons

enum { IN_GLOBAL = 1, IN_SHARED = 2, IN_LOCAL = 4, IN_ALL = 7 };

// Where a load or store is: so many bytes at an offset from a register, as it was left by an instruction of the piece.
struct place {
    int base, left_by; // NO_PLACE: not known; left as it came into the piece
    int64_t offset;
    int bytes;
};
enum { NO_PLACE = -1, AS_IT_CAME = -1 };

struct entry {
    const struct timing_site *site;
    unsigned reads, writes; // spaces
    struct place place;
    bool last;  // of the block: all others before it
    int height; // cycles from its start to the end of the piece
    int before; // entries that have to issue first
    int ready_at;
    bool done;
};

static unsigned spaces_of(enum ptx_space space)
{
    switch (space) {
    case PTX_SPACE_GLOBAL:
        return IN_GLOBAL;
    case PTX_SPACE_SHARED:
    case PTX_SPACE_SHARED_CLUSTER:
        return IN_SHARED;
    case PTX_SPACE_LOCAL:
        return IN_LOCAL;
    case PTX_SPACE_CONST:
    case PTX_SPACE_PARAM:
    case PTX_SPACE_REGISTER:
        return 0;
    case PTX_SPACE_GENERIC:
    case PTX_SPACE_COUNT:
        break;
    }
    return IN_ALL;
}

static bool reads_clock(const struct ptx_instruction *in)
{
    for (int i = 0; i < in->operand_count; i++)
        if (in->operands[i].kind == PTX_OPERAND_SPECIAL &&
            special_is_clock(in->operands[i].special))
            return true;
    return false;
}

static void entry_memory(const struct program *p, int site, struct entry *e)
{
    const struct site_info *info = &p->sites[site];
    const struct mem_op *m = info->mem >= 0 ? &p->mem_ops[info->mem] : NULL;
    unsigned spaces = m ? spaces_of(m->space) : IN_ALL;
    switch (pipe_info(e->site->pipe)->touches) {
    case TOUCHES_NOTHING:
        break;
    case TOUCHES_READ:
        e->reads = ptx_has_modifier(info->in, PTX_MOD_NC) ? 0 : spaces;
        break;
    case TOUCHES_WRITE:
        e->writes = spaces;
        break;
    case TOUCHES_UPDATE:
        e->reads = e->writes = spaces;
        break;
    case TOUCHES_ALL:
        e->reads = e->writes = IN_ALL;
        break;
    }
    if (m && m->ordered)
        e->reads = e->writes = IN_ALL;
    e->last = e->site->pipe == PIPE_BRANCH || e->site->pipe == PIPE_EXIT || reads_clock(info->in) ||
              has_slow_way(e->site);
}

static int function_of(const struct program *p, int site)
{
    int f = p->function_count - 1;
    while (f > 0 && p->functions[f].site_base > site)
        f--;
    return f;
}

// Of the last of `count` entries; the site is its own.
static struct place place_of(const struct program *p, int site, const struct entry *e, int count)
{
    struct place place = {.base = NO_PLACE, .left_by = AS_IT_CAME};
    const struct site_info *info = &p->sites[site];
    const struct mem_op *m = info->mem >= 0 ? &p->mem_ops[info->mem] : NULL;
    if (m == NULL || m->ordered || (info->access != SITE_LOAD && info->access != SITE_STORE))
        return place;
    const struct ptx_operand *at = &info->in->operands[info->access == SITE_LOAD ? 1 : 0];
    if (at->kind != PTX_OPERAND_ADDRESS || at->reg < 0 || m->bytes == 0)
        return place;
    place.base = p->functions[function_of(p, site)].register_base + at->reg;
    place.offset = m->merged > 0 ? m->merge_start : m->offset;
    place.bytes = m->merged > 0 ? m->merged : m->bytes * m->vector;
    uint16_t base = (uint16_t)place.base;
    for (int i = 0; i + 1 < count; i++)
        if (registers_meet(e[i].site->result, e[i].site->result_count, &base, 1))
            place.left_by = i;
    return place;
}

static bool are_apart(const struct place *a, const struct place *b)
{
    return a->base != NO_PLACE && a->base == b->base && a->left_by == b->left_by &&
           (a->offset + a->bytes <= b->offset || b->offset + b->bytes <= a->offset);
}

// Cycles that `later` starts after `earlier` at least; -1 = they may change places.
static int distance(const struct entry *earlier, const struct entry *later)
{
    const struct timing_site *a = earlier->site, *b = later->site;
    for (int i = 0; i < a->result_count; i++)
        if (b->guard == a->result[i] + 1)
            return TO_GUARD;
    if (registers_meet(a->result, a->result_count, b->source, b->source_count) ||
        registers_meet(a->result, a->result_count, b->result, b->result_count))
        return pipe_info(a->pipe)->compiler_cycles;
    if (registers_meet(a->source, a->source_count, b->result, b->result_count) || earlier->last ||
        later->last)
        return 0;
    bool touches = (earlier->writes & (later->reads | later->writes)) != 0 ||
                   (earlier->reads & later->writes) != 0;
    return touches && !are_apart(&earlier->place, &later->place) ? 0 : -1;
}

// Registers that live values may take when the instruction has issued. What shuffles bring comes soon: ptxas 13.0 spends no register
// on having more of them on their way than one or two (bench/truth/validation-4, hadamard:shuffles).
static int most_for(const struct pressure *r, const struct timing_site *t)
{
    enum { ON_THEIR_WAY = 1 }; // beside the one that the text has
    int few = r->as_written + ON_THEIR_WAY;
    return t->pipe == PIPE_SHUFFLE && few < r->most ? few : r->most;
}

// When its operands are there and its pipe takes it.
static int ready_of(const struct entry *e, const int *free_at)
{
    int pace = free_at[pipe_info(e->site->pipe)->first];
    return pace > e->ready_at ? pace : e->ready_at;
}

enum { NEAR = 30 }; // cycles: an address that comes of shared memory is soon there, too

// Which entry issues next: of those whose operands are there, the one with the longest way to the end; if there are none, the one
// whose operands come first. One that takes registers waits as long as the thread has no more, unless all others do too: then the
// one that takes fewest. Where registers are short (pressure.c) a load does not take one before another whose address is ready
// soon and that is needed sooner: of sums of products ptxas 13.0 has the loads in pairs, also where one of the two goes on by a sum
// of 64 bits (tests/sim/registers_time_test.c).
static int next_of(const struct entry *e, int count, struct pressure *r, int now,
                   const int *free_at)
{
    int best = -1, near = -1, soonest = -1, least = -1, least_change = 0, best_change = 0;
    for (int i = 0; i < count; i++) {
        if (e[i].done || e[i].before > 0)
            continue;
        int change = pressure_change(r, e[i].site);
        if (least < 0 || change < least_change ||
            (change == least_change && e[i].height > e[least].height)) {
            least = i;
            least_change = change;
        }
        if (change > 0 && r->live + change > most_for(r, e[i].site))
            continue;
        if (ready_of(&e[i], free_at) <= now && (best < 0 || e[i].height > e[best].height)) {
            best = i;
            best_change = change;
        }
        if (ready_of(&e[i], free_at) <= now + NEAR && (near < 0 || e[i].height > e[near].height))
            near = i;
        if (soonest < 0 || ready_of(&e[i], free_at) < ready_of(&e[soonest], free_at))
            soonest = i;
    }
    if (best_change > 0 && r->most < r->room)
        return near;
    return best >= 0 ? best : soonest >= 0 ? soonest : least;
}

// Lists the entries anew: order[k] = index of the k-th to issue.
static void piece_schedule(struct entry *e, int count, struct pressure *r, int16_t *order)
{
    static _Thread_local int16_t after[PIECE][PIECE];
    for (int i = count - 1; i >= 0; i--) {
        e[i].height = 0;
        for (int j = i + 1; j < count; j++) {
            after[i][j] = (int16_t)distance(&e[i], &e[j]);
            e[j].before += after[i][j] >= 0;
            if (after[i][j] >= 0 && after[i][j] + e[j].height > e[i].height)
                e[i].height = after[i][j] + e[j].height;
        }
    }
    int now = 0, free_at[SERVER_COUNT] = {0};
    for (int k = 0; k < count; k++, now++) {
        int best = next_of(e, count, r, now, free_at), ready = ready_of(&e[best], free_at);
        now = ready > now ? ready : now;
        free_at[pipe_info(e[best].site->pipe)->first] =
            now + pipe_info(e[best].site->pipe)->compiler_pace;
        pressure_take(r, e[best].site);
        order[k] = (int16_t)best;
        e[best].done = true;
        for (int j = best + 1; j < count; j++) {
            if (after[best][j] < 0)
                continue;
            e[j].before--;
            if (now + after[best][j] > e[j].ready_at)
                e[j].ready_at = now + after[best][j];
        }
    }
}

void timing_schedule_of(const struct program *p, struct timing_site *sites)
{
    struct program other = *p;
    other.timing = sites;
    timing_schedule(&other);
}

// The sites of a piece as they stand: what sinks past the branch at its end comes behind it.
static void piece_list(const struct program *p, int first, int count, int *sites)
{
    uint32_t branch = (uint32_t)(first + count);
    int listed = 0;
    for (int sinks = 0; sinks < 2; sinks++)
        for (int i = 0; i < count; i++)
            if ((p->timing[first + i].sinks_past == branch) == (sinks == 1))
                sites[listed++] = first + i;
}

void timing_schedule(struct program *p)
{
    struct entry entries[PIECE];
    int16_t order[PIECE];
    int sites[PIECE];
    struct pressure registers;
    pressure_init(&registers, p);
    for (size_t s = 0; s < p->segment_count; s++) {
        if (p->segments[s].place > 0)
            continue;
        int end = p->segments[s].first_site + p->segments[s].region_count;
        pressure_region(&registers, p->segments[s].first_site, p->segments[s].region_count);
        for (int first = p->segments[s].first_site; first < end; first += PIECE) {
            int count = end - first < PIECE ? end - first : PIECE;
            memset(entries, 0, sizeof(entries));
            piece_list(p, first, count, sites);
            for (int i = 0; i < count; i++) {
                entries[i].site = &p->timing[sites[i]];
                entry_memory(p, sites[i], &entries[i]);
                entries[i].place = place_of(p, sites[i], entries, i + 1);
            }
            piece_schedule(entries, count, &registers, order);
            for (int k = 0; k < count; k++)
                p->timing[first + k].moved = (int16_t)(sites[order[k]] - (first + k));
        }
    }
    pressure_release(&registers);
}
