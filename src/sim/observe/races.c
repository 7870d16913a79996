// What makes a race (races.h). Lanes of one warp are ordered by what counts its sync_epoch up. Between blocks, a write is
// ordered before another block's access if the writer has released since and the other has acquired since: a little
// generous, never a false alarm for the usual "last block done" and grid barriers. Threads that write the same value do
// not race.
// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/races.h"

#include <stdlib.h>
#include <string.h>

enum { RECORD_WORDS = 1024 }; // a page of records

void races_init(struct races *r, uint64_t memory_bytes, uint64_t blocks, uint32_t warp_lanes)
{
    r->warp_lanes = warp_lanes;
    r->page_count = memory_bytes / 4 / RECORD_WORDS + 1;
    r->pages = xcalloc(r->page_count, sizeof(void *));
    r->order = xcalloc(blocks, sizeof(*r->order));
}

void races_release(struct races *r)
{
    for (uint64_t i = 0; i < r->page_count; i++)
        free(r->pages[i]);
    free(r->pages);
    arena_release(&r->word_bytes);
    free(r->order);
}

static bool lanes_conflict(const struct race_access *a, const struct touch_record *other)
{
    if (other->sync_epoch != a->sync_epoch)
        return false;
    return other->lanes || other->thread != a->thread;
}

// Nothing orders `other`, who touched bytes `first` to `last`, before the access.
static bool touch_conflicts(const struct races *r, const struct race_access *a,
                            const struct touch_record *other, bool other_wrote, unsigned first,
                            unsigned last, const struct race_caller *caller)
{
    if (other->time == 0 || (!other_wrote && a->touch == TOUCH_READ))
        return false;
    if ((unsigned)other->order + a->order > ORDER_ATOMIC)
        return false;
    if (other_wrote && caller->same_value(a, other, first, last))
        return false;
    if (other->block == a->block) {
        bool same_warp = other->thread / r->warp_lanes == a->thread / r->warp_lanes && !other->many;
        return other->epoch == a->epoch && (!same_warp || lanes_conflict(a, other));
    }
    if (a->shared)
        return false; // an earlier block's: cannot be
    return !(r->order[other->block].released > other->time &&
             r->order[a->block].acquired > other->time);
}

static void touch_note(const struct races *races, const struct race_access *a,
                       struct touch_record *r, bool read)
{
    bool same = r->time != 0 && r->block == a->block && r->epoch == a->epoch;
    bool same_warp = same && r->thread / races->warp_lanes == a->thread / races->warp_lanes;
    bool many = read && same && (r->many || !same_warp);
    if (read && r->time != 0 && r->block != a->block)
        many = true;
    bool joins = same_warp && r->sync_epoch == a->sync_epoch;
    *r = (struct touch_record){.time = races->time,
                               .block = a->block,
                               .epoch = a->epoch,
                               .sync_epoch = a->sync_epoch,
                               .thread = a->thread,
                               .lanes = joins && (r->lanes || r->thread != a->thread),
                               .site = a->site,
                               .order = (uint8_t)a->order,
                               .many = many};
}

// Bytes `first` to `last` of the word. quiet: a race of this access is reported already.
static bool race_check(const struct races *races, const struct race_access *a,
                       struct byte_record *r, unsigned first, unsigned last, bool quiet,
                       const struct race_caller *caller)
{
    bool written = touch_conflicts(races, a, &r->write, true, first, last, caller);
    bool read = !written && a->touch != TOUCH_READ &&
                touch_conflicts(races, a, &r->read, false, first, last, caller);
    if ((written || read) && !quiet)
        caller->tell(a, written ? &r->write : &r->read, written);
    if (a->touch == TOUCH_READ)
        touch_note(races, a, &r->read, true);
    else
        touch_note(races, a, &r->write, false);
    return written || read;
}

void race_look(struct races *races, struct word_record *r, const struct race_access *a,
               const struct race_caller *caller)
{
    if (r->bytes == NULL && a->first == 0 && a->last == 3) {
        (void)race_check(races, a, &r->whole, 0, 3, false, caller);
        return;
    }
    if (r->bytes == NULL) {
        r->bytes = races->free_word_bytes;
        if (r->bytes != NULL)
            races->free_word_bytes = r->bytes->next_free;
        else
            r->bytes = ARENA_NEW(&races->word_bytes, struct word_bytes);
        for (int i = 0; i < 4; i++)
            r->bytes->byte[i] = r->whole;
    }
    bool reported = false;
    for (unsigned i = a->first; i <= a->last; i++)
        reported |= race_check(races, a, &r->bytes->byte[i], i, i, reported, caller);
}

void races_forget(struct races *r, struct word_record *records, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (records[i].bytes != NULL) {
            records[i].bytes->next_free = r->free_word_bytes;
            r->free_word_bytes = records[i].bytes;
        }
    memset(records, 0, count * sizeof(*records));
}

void race_at(struct race_access *a, uint64_t address, unsigned from, unsigned bytes)
{
    unsigned first = bytes < 4 ? (unsigned)(address % 4) : 0;
    a->address = (address + from) & ~(uint64_t)3;
    a->first = (uint8_t)first;
    a->last = (uint8_t)(bytes < 4 ? first + bytes - 1 : 3);
    a->from = (uint8_t)from;
}

struct word_record *races_record(struct races *r, uint64_t word)
{
    uint64_t page = word / RECORD_WORDS;
    if (page >= r->page_count)
        return NULL;
    if (r->pages[page] == NULL)
        r->pages[page] = xcalloc(RECORD_WORDS, sizeof(struct word_record));
    return &r->pages[page][word % RECORD_WORDS];
}

void races_order(struct races *r, uint64_t block, bool releases, bool acquires)
{
    if (releases)
        r->order[block].released = r->time;
    if (acquires)
        r->order[block].acquired = r->time;
}
