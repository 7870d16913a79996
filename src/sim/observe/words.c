// The sentences of words.h.
// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/words.h"

#include <inttypes.h>
#include <stdio.h>

static const char *touch_verb(enum touch touch)
{
    return touch == TOUCH_READ ? "reads" : touch == TOUCH_WRITE ? "writes" : "updates";
}

// "8 bytes past the end of 'out' (16384 bytes)".
static void place_describe(const struct space *space, uint64_t address, unsigned bytes,
                           enum touch touch, char *out, size_t size)
{
    const struct allocation *a = space_nearest(space, address);
    if (address < 4096) {
        (void)snprintf(out, size, "through a null pointer");
        return;
    }
    if (a == NULL) {
        (void)snprintf(out, size, "which is no address of device memory");
        return;
    }
    uint64_t start = a->start + DEVICE_BASE, end = start + a->size;
    if (a->freed)
        (void)snprintf(out, size, "in or near '%s', which was freed", a->name);
    else if (address >= end)
        (void)snprintf(out, size, "%" PRIu64 " bytes past the end of '%s' (%" PRIu64 " bytes)",
                       address - end, a->name, a->size);
    else if (address < start)
        (void)snprintf(out, size, "%" PRIu64 " bytes before the start of '%s' (%" PRIu64 " bytes)",
                       start - address, a->name, a->size);
    else if (address + bytes > end)
        (void)snprintf(out, size, "the last %" PRIu64 " past the end of '%s' (%" PRIu64 " bytes)",
                       address + bytes - end, a->name, a->size);
    else
        (void)snprintf(out, size, "%s '%s'",
                       a->read_only && touch != TOUCH_READ ? "in the read-only" : "in", a->name);
}

void words_misaligned(char *out, size_t size, enum touch touch, unsigned bytes, uint64_t address)
{
    (void)snprintf(out, size, "%s %u bytes at 0x%" PRIx64 ", which is not a multiple of %u",
                   touch_verb(touch), bytes, address, bytes);
}

void words_global(char *out, size_t size, const struct space *space, enum touch touch,
                  unsigned bytes, uint64_t address)
{
    char place[512];
    place_describe(space, address, bytes, touch, place, sizeof(place));
    (void)snprintf(out, size, "%s %u bytes at 0x%" PRIx64 ", %s", touch_verb(touch), bytes, address,
                   place);
}

void words_shared(char *out, size_t size, enum touch touch, unsigned bytes, int64_t at,
                  uint64_t limit)
{
    if (at < 0)
        (void)snprintf(out, size, "%s %u bytes of shared memory %" PRId64 " bytes before its start",
                       touch_verb(touch), bytes, -at);
    else
        (void)snprintf(out, size,
                       "%s %u bytes of shared memory at %" PRId64 ": the block has %" PRIu64
                       " bytes",
                       touch_verb(touch), bytes, at, limit);
}

void words_local(char *out, size_t size, enum touch touch, unsigned bytes, uint64_t at,
                 uint64_t limit)
{
    (void)snprintf(out, size,
                   "%s %u bytes of local memory at %" PRIu64 ": a thread has %" PRIu64 " bytes",
                   touch_verb(touch), bytes, at, limit);
}

void words_unwritten_global(char *out, size_t size, unsigned bytes, uint64_t address,
                            const struct allocation *a)
{
    (void)snprintf(out, size,
                   "reads %u bytes at 0x%" PRIx64 " that nothing wrote: byte %" PRIu64 " of '%s'",
                   bytes, address, address - DEVICE_BASE - a->start, a->name);
}

void words_unwritten_near(char *out, size_t size, unsigned bytes, const char *space, uint64_t at)
{
    (void)snprintf(out, size, "reads %u bytes of %s memory at %" PRIu64 " that nothing wrote",
                   bytes, space, at);
}

void words_race(char *out, size_t size, enum touch touch, bool shared, uint64_t address,
                const uint32_t thread[3], const uint32_t block[3], bool other_wrote)
{
    (void)snprintf(out, size,
                   "%s %s memory at 0x%" PRIx64 " that thread (%u,%u,%u) of block (%u,%u,%u) %s "
                   "with no barrier between",
                   touch_verb(touch), shared ? "shared" : "global", address, thread[0], thread[1],
                   thread[2], block[0], block[1], block[2], other_wrote ? "writes" : "reads");
}
