// Device memory: one reserved range of host addresses stands for the device's; an allocation is
// committed when it is made and given back when freed. Red zones lie between allocations, freed
// ones stay in quarantine for a while, so that a stray access falls into nothing and can be reported.
// SPDX-License-Identifier: Apache-2.0
#include "sim/run/exec.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/mman.h>

enum {
    PAGE = 4096,
    RED_ZONE = 4096,
    // As the hardware's driver: large allocations start on large pages. The host's are as large.
    LARGE_ALIGN = 2 << 20,
    LARGE_FROM = 1 << 20,
    QUARANTINE = 32, // freed allocations kept apart
};
static const uint64_t RESERVE_MAX = (uint64_t)1 << 38, RESERVE_MIN = (uint64_t)1 << 30;

static uint64_t round_up(uint64_t x, uint64_t unit)
{
    return (x + unit - 1) / unit * unit;
}

// Addresses that start on a large page of the host, so that large allocations, which do so on the device, have large pages
// here too: a warp that stores a column touches a page each lane, and the host's processor has few entries for pages that are
// stored to.
static void *reserve(uint64_t size, int flags)
{
    uint64_t more = size + LARGE_ALIGN;
    uint8_t *from = mmap(NULL, more, PROT_NONE, flags, -1, 0);
    if (from == MAP_FAILED)
        return MAP_FAILED;
    uint64_t before = LARGE_ALIGN - (uintptr_t)from % LARGE_ALIGN;
    (void)munmap(from, before);
    if (before < LARGE_ALIGN)
        (void)munmap(from + before + size, LARGE_ALIGN - before);
    (void)madvise(from + before, size, MADV_HUGEPAGE); // only for speed
    return from + before;
}

bool space_init(struct space *m, struct error *err)
{
    *m = (struct space){0};
    for (uint64_t size = RESERVE_MAX; size >= RESERVE_MIN; size /= 2) {
        int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
        void *host = reserve(size, flags);
        if (host == MAP_FAILED)
            continue;
        void *shadow = mmap(NULL, size / 4, PROT_READ | PROT_WRITE, flags, -1, 0);
        if (shadow == MAP_FAILED) {
            munmap(host, size);
            continue;
        }
        (void)madvise(host, size, MADV_DONTDUMP);
        (void)madvise(shadow, size / 4, MADV_DONTDUMP);
        *m = (struct space){.host = host, .shadow = shadow, .reserved = size};
        return true;
    }
    return fail_errno(err, errno, "can't reserve addresses for the simulated GPU's memory");
}

void space_release(struct space *m)
{
    if (m->host != NULL) {
        munmap(m->host, m->reserved);
        munmap(m->shadow, m->reserved / 4);
    }
    for (size_t i = 0; i < m->count; i++)
        free(m->items[i].name);
    free(m->items);
    *m = (struct space){0};
}

// Gives the pages back; they read as zero if the range is used again.
static void space_discard(struct space *m, const struct allocation *a)
{
    (void)madvise(m->host + a->start, a->committed, MADV_DONTNEED);
    (void)mprotect(m->host + a->start, a->committed, PROT_NONE);
    (void)madvise(m->shadow + a->start / 4, a->committed / 4 / PAGE * PAGE, MADV_DONTNEED);
    memset(m->shadow + a->start / 4, 0, a->committed / 4);
}

static void space_drop(struct space *m, size_t i)
{
    free(m->items[i].name);
    memmove(&m->items[i], &m->items[i + 1], (m->count - i - 1) * sizeof(*m->items));
    m->count--;
}

// First fit: the index before which an allocation of `size` fits, its start in *start.
static bool space_place(const struct space *m, uint64_t size, uint64_t align, size_t *at,
                        uint64_t *start)
{
    uint64_t end = PAGE; // offset 0 stays free
    for (size_t i = 0; i <= m->count; i++) {
        uint64_t from = round_up(end, align);
        uint64_t limit = i < m->count ? m->items[i].start : m->reserved;
        if (from <= limit && limit - from >= size + RED_ZONE) {
            *at = i;
            *start = from;
            return true;
        }
        if (i < m->count)
            end = m->items[i].start + m->items[i].committed + RED_ZONE;
    }
    return false;
}

bool space_alloc(struct space *m, uint64_t size_bytes, const char *name, uint64_t *address,
                 struct error *err)
{
    char text[32];
    if (size_bytes == 0)
        return fail(err, NOWHERE, "buffer '%s' has no bytes", name);
    if (size_bytes > m->reserved)
        return fail(err, NOWHERE, "buffer '%s' needs %s: more than the simulated GPU's memory",
                    name, format_bytes((double)size_bytes, text));
    uint64_t align = size_bytes >= LARGE_FROM ? LARGE_ALIGN : PAGE;
    uint64_t committed = round_up(size_bytes, PAGE), start = 0;
    size_t at = 0;
    if (!space_place(m, committed, align, &at, &start))
        return fail(err, NOWHERE, "no room for buffer '%s' (%s) on the simulated GPU", name,
                    format_bytes((double)size_bytes, text));
    if (mprotect(m->host + start, committed, PROT_READ | PROT_WRITE) != 0)
        return fail_errno(err, errno, "no memory for buffer '%s' (%s)", name,
                          format_bytes((double)size_bytes, text));
    struct allocation a = {
        .start = start, .size = size_bytes, .committed = committed, .name = xstrdup(name)};
    VEC_PUSH(m->items, m->count, m->capacity, a);
    memmove(&m->items[at + 1], &m->items[at], (m->count - 1 - at) * sizeof(*m->items));
    m->items[at] = a;
    *address = DEVICE_BASE + start;
    return true;
}

bool space_free(struct space *m, uint64_t address, struct error *err)
{
    size_t i = 0;
    while (i < m->count && m->items[i].start + DEVICE_BASE != address)
        i++;
    if (i == m->count || m->items[i].freed)
        return fail(err, NOWHERE, "address 0x%" PRIx64 " is %s", address,
                    i == m->count ? "no allocation's start" : "freed already");
    space_discard(m, &m->items[i]);
    m->items[i].freed = true;
    if (++m->quarantined <= QUARANTINE)
        return true;
    // The lowest address goes first: any fixed order will do.
    for (size_t j = 0; j < m->count; j++)
        if (m->items[j].freed && j != i) {
            space_drop(m, j);
            m->quarantined--;
            break;
        }
    return true;
}

// Index of the first allocation that starts after the offset.
static size_t space_after(const struct space *m, uint64_t offset)
{
    size_t low = 0, high = m->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (m->items[middle].start <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct allocation *space_find(const struct space *m, uint64_t address)
{
    uint64_t offset = address - DEVICE_BASE; // below the base: huge
    size_t i = space_after(m, offset);
    if (i == 0 || offset >= m->reserved)
        return NULL;
    const struct allocation *a = &m->items[i - 1];
    return offset - a->start < a->size ? a : NULL;
}

const struct allocation *space_nearest(const struct space *m, uint64_t address)
{
    uint64_t offset = address - DEVICE_BASE;
    if (offset >= m->reserved || m->count == 0)
        return NULL;
    size_t i = space_after(m, offset);
    if (i == 0)
        return &m->items[0];
    const struct allocation *before = &m->items[i - 1];
    if (i == m->count)
        return before;
    uint64_t past =
        offset - before->start < before->size ? 0 : offset - (before->start + before->size);
    return m->items[i].start - offset < past ? &m->items[i] : before;
}

bool space_check(const struct space *m, uint64_t address, uint64_t size_bytes, const char *what,
                 struct error *err)
{
    const struct allocation *a = space_find(m, address);
    if (a == NULL || a->freed)
        return fail(err, NOWHERE,
                    "%s %" PRIu64 " bytes at 0x%" PRIx64 ": %s; pass an address inside memory that "
                    "was allocated and is not freed",
                    what, size_bytes, address,
                    a == NULL ? "not an address of device memory" : "the memory was freed");
    uint64_t rest = a->size - (address - DEVICE_BASE - a->start);
    if (size_bytes > rest)
        return fail(err, NOWHERE,
                    "%s %" PRIu64 " bytes at 0x%" PRIx64 ": only %" PRIu64 " left in '%s'", what,
                    size_bytes, address, rest, a->name);
    return true;
}

// Bytes of a word's mask: from .. to (exclusive).
static uint8_t byte_bits(unsigned from, unsigned to)
{
    return (uint8_t)((0xfu << from) & (0xfu >> (4 - to)));
}

void space_mark_written(struct space *m, uint64_t address, uint64_t size_bytes)
{
    uint64_t first = address - DEVICE_BASE, end = first + size_bytes;
    if (size_bytes == 0)
        return;
    if (first / 4 == (end - 1) / 4) {
        m->shadow[first / 4] |= byte_bits((unsigned)(first % 4), (unsigned)((end - 1) % 4 + 1));
        return;
    }
    if (first % 4 != 0)
        m->shadow[first / 4] |= byte_bits((unsigned)(first % 4), 4);
    if (end % 4 != 0)
        m->shadow[end / 4] |= byte_bits(0, (unsigned)(end % 4));
    uint64_t from = (first + 3) / 4, to = end / 4;
    if (to > from)
        memset(m->shadow + from, 0xf, to - from);
}
