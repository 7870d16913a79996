// Requests on their way to L2. Reads of the SMs of a TPC for the same line are one where the second comes while the first is
// on its way (docs/h200-rates.md, section 4). The SMs' logs have no times: what stands in the same place of them, a round
// of some tens of requests or the one before, leaves at about the same time.
// SPDX-License-Identifier: Apache-2.0
#include "sim/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SLOTS = 128, // lines remembered of a group of SMs (direct mapped), of two rounds of each
    LINE_BITS = 7
};

struct pending {   // 16 bytes: four a line of the host's cache
    uint64_t line; // its number + 1; 0 = none
    uint32_t round;
    uint16_t sm;
    uint8_t sectors;
};
struct reach { // of a group's reads in a round: the lines lie from one to the other
    uint32_t round;
    uint64_t low, high;
};
enum { ROUNDS = 2 }; // this one and the one before
struct group {       // host threads write to different ones at the same time
    _Alignas(64) struct pending slots[SLOTS];
    struct reach reach[ROUNDS]; // by the round's parity
    uint32_t asked;             // the last round in which it read a line; 0: none yet
};
struct merging {
    int sms; // of a group
    size_t count;
    struct group *groups;
};

struct merging *merging_new(const struct gpu *gpu)
{
    double sms = gpu->value[GPU_FIELD_l2_merging_sms];
    if (!(sms > 1))
        return NULL;
    struct merging *m = xcalloc(1, sizeof *m);
    m->sms = (int)sms;
    m->count = (size_t)ceil(GPU(gpu, sm_count) / sms);
    m->groups = aligned_alloc(_Alignof(struct group), m->count * sizeof *m->groups);
    if (m->groups == NULL)
        abort(); // as xcalloc does
    memset(m->groups, 0, m->count * sizeof *m->groups);
    return m;
}

int merging_sms(const struct merging *m)
{
    return m != NULL ? m->sms : 1;
}

void merging_free(struct merging *m)
{
    if (!m)
        return;
    free(m->groups);
    free(m);
}

static void reach_note(struct reach *r, uint32_t now, uint64_t line)
{
    if (r->round != now)
        *r = (struct reach){now, line, line};
    r->low = line < r->low ? line : r->low;
    r->high = line > r->high ? line : r->high;
}

static bool reach_meets(const struct reach *r, uint32_t round, uint64_t low, uint64_t high)
{
    return r->round == round && r->low <= high && low <= r->high;
}

static struct pending *slot_of(struct pending *slots, uint64_t line)
{
    return &slots[(line ^ line >> LINE_BITS) % SLOTS];
}

void merging_row(struct merging *m, int sm, size_t round, const struct l2_row *row, unsigned from,
                 unsigned to)
{
    uint32_t now = (uint32_t)round;
    struct group *group = &m->groups[sm / m->sms];
    uint64_t base = row->base >> LINE_BITS;
    const struct reach *reach = group->reach;
    uint64_t low = base + row->plan->lowest, high = base + row->plan->highest;
    if (!reach_meets(&reach[now % ROUNDS], now, low, high) &&
        !reach_meets(&reach[(now - 1) % ROUNDS], now - 1, low, high))
        return;
    for (unsigned i = from; i < to; i++) {
        uint64_t line = base + row->plan->line[i];
        struct pending *p = slot_of(group->slots, line);
        if (p->line == line + 1 && p->round + 1 >= now)
            p->line = 0;
    }
}

void merging_round(struct merging *m, int sm, size_t round, struct l2_request *requests,
                   size_t count)
{
    uint32_t now = (uint32_t)round;
    struct group *group = &m->groups[sm / m->sms];
    for (size_t i = 0; i < count; i++) {
        struct l2_request *r = &requests[i];
        bool reads = r->kind == L2_READ;
        if (!reads && group->asked + 1 < now)
            continue; // no read is on its way that it could end
        uint64_t line = r->line_address >> LINE_BITS;
        if (reads) {
            group->asked = now;
            reach_note(&group->reach[now % ROUNDS], now, line);
        }
        struct pending *p = slot_of(group->slots, line);
        bool there = p->line == line + 1 && p->round + 1 >= now;
        if (!reads) {
            if (there)
                p->line = 0; // what is written is asked for anew
            continue;
        }
        if (there && p->sm != (uint16_t)sm && (r->sectors & ~p->sectors) == 0)
            r->kind = L2_MERGED;
        else
            *p = (struct pending){line + 1, now, (uint16_t)sm, r->sectors};
    }
}
