// Where only a share of the blocks runs: what they read of each allocation, so that reads from device memory can be
// told of all blocks. Blocks share data: what groups of blocks read each for itself grows with their number, up to
// the allocation; what several have read is there already. Granules are what device memory is read in; a bit each in
// two sets, of the groups of even and of odd number.
// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/events.h"

#include <math.h>
#include <stdlib.h>

enum { BITS = 64 };

static uint64_t granule_bytes(const struct launch *l)
{
    uint64_t bytes = (uint64_t)GPU(l->gpu, l2_dram_granule_bytes);
    return bytes < SECTOR_BYTES ? SECTOR_BYTES : bytes > LINE_BYTES ? LINE_BYTES : bytes;
}

static uint64_t words_of(const struct launch *l, const struct allocation *a)
{
    uint64_t granule = granule_bytes(l);
    return ((a->size + granule - 1) / granule + BITS - 1) / BITS;
}

// Nothing where all blocks run.
void footprint_open(struct launch *l)
{
    const struct space *space = &l->sim->space;
    if (l->blocks_total == l->grid_blocks || l->options->no_caches)
        return;
    l->footprint = xcalloc(space->count + 1, sizeof(*l->footprint));
    l->footprint_sent =
        xcalloc((size_t)l->program->site_count * space->count + 1, sizeof *l->footprint_sent);
    for (size_t i = 0; i < space->count; i++)
        for (int set = 0; set < FOOTPRINT_SETS; set++)
            l->footprint[i].read[set] =
                xcalloc(words_of(l, &space->items[i]) + 1, sizeof(*l->footprint[i].read[set]));
}

void footprint_close(struct launch *l)
{
    for (size_t i = 0; l->footprint != NULL && i < l->sim->space.count; i++)
        for (int set = 0; set < FOOTPRINT_SETS; set++)
            free(l->footprint[i].read[set]);
    free(l->footprint_sent);
    free(l->footprint);
    l->footprint_sent = NULL;
    l->footprint = NULL;
}

static bool footprint_wanted(const struct launch *l)
{
    return l->footprint != NULL;
}

static void mark(const struct warp *w, uint64_t address, uint64_t bytes)
{
    const struct launch *l = w->core->launch;
    const struct space *space = &l->sim->space;
    const struct allocation *a = space_find(space, address);
    if (a == NULL || bytes == 0)
        return;
    uint64_t granule = granule_bytes(l);
    uint64_t group = l->sample_order != NULL ? (uint64_t)sample_order(l, w->block->sm->index)
                                             : w->block->linear / (l->block_group * l->block_step);
    uint64_t at = (address - DEVICE_BASE - a->start) / granule;
    uint64_t last = (address - DEVICE_BASE - a->start + bytes - 1) / granule;
    _Atomic uint64_t *set = l->footprint[a - space->items].read[group % FOOTPRINT_SETS];
    for (; at <= last && at * granule < a->size; at++) {
        uint64_t bit = (uint64_t)1 << at % BITS;
        if ((atomic_load_explicit(&set[at / BITS], memory_order_relaxed) & bit) == 0)
            atomic_fetch_or_explicit(&set[at / BITS], bit, memory_order_relaxed);
    }
}

// Which allocation a site reads, by what it sends to L2.
static void note_sent(const struct warp *w, const struct event *e)
{
    const struct launch *l = w->core->launch;
    const struct space *space = &l->sim->space;
    if (e->sent_sectors == 0 || e->access->line_count == 0)
        return;
    const struct allocation *a = space_find(space, e->line_base + e->access->line[0].address);
    if (a != NULL)
        atomic_fetch_add_explicit(
            &l->footprint_sent[(size_t)e->u->site * space->count + (size_t)(a - space->items)],
            e->sent_sectors, memory_order_relaxed);
}

static void footprint_hear(struct warp *w, struct event *e)
{
    if (e->touch != TOUCH_READ)
        return;
    if (e->kind == EVENT_COPY) {
        mark(w, e->copied_from, e->copied_bytes);
        return;
    }
    note_sent(w, e);
    for (int i = 0; i < e->access->line_count; i++) {
        const struct access_line *line = &e->access->line[i];
        for (unsigned s = 0; s < SECTORS_PER_LINE; s++)
            if ((line->sectors >> s & 1) != 0)
                mark(w, e->line_base + line->address + (uint64_t)s * SECTOR_BYTES, 1);
    }
}

const struct listener footprint_listener = {
    .name = "footprint",
    .kinds = HEARS(GLOBAL) | HEARS(TEXTURE) | HEARS(COPY),
    .wanted = footprint_wanted,
    .hear = footprint_hear,
};

// What one half of the sample alone has read grows with the number of blocks at most, and up to the allocation's size. Where both
// halves have read some of it, those are as often met as one half meets what the other has (Lincoln and Petersen), if blocks are
// alike; if not, there is more.
static struct granules granules_count(const struct launch *l, size_t allocation)
{
    const struct allocation *a = &l->sim->space.items[allocation];
    double scale = (double)l->grid_blocks / (double)l->blocks_total,
           all = ceil((double)a->size / (double)granule_bytes(l));
    double half[FOOTPRINT_SETS] = {0}, shared = 0;
    for (uint64_t word = 0; word < words_of(l, a); word++) {
        uint64_t even = l->footprint[allocation].read[0][word],
                 odd = l->footprint[allocation].read[1][word];
        half[0] += __builtin_popcountll(even);
        half[1] += __builtin_popcountll(odd);
        shared += __builtin_popcountll(even & odd);
    }
    struct granules g = {.ran = half[0] + half[1] - shared};
    g.most = fmin(shared + (g.ran - shared) * scale, all);
    g.least = shared > 0 ? fmin(fmax(half[0] * half[1] / shared, g.ran), g.most) : g.most;
    return g;
}

// When all blocks of the sample have run.
static struct granules granules_of(const struct launch *l, size_t allocation)
{
    struct footprint *f = &l->footprint[allocation];
    if (!f->counted)
        f->granules = granules_count(l, allocation);
    f->counted = true;
    return f->granules;
}

// Of all blocks, as near as is known.
static double granules_whole(const struct launch *l, const struct granules *g)
{
    return l->sample != NULL ? (g->least + g->most) / 2 : g->most;
}

// What was read for the first time grows as the footprint does; the rest, read again, with the number of blocks.
double footprint_reads(const struct launch *l, double sampled_bytes)
{
    double scale = (double)l->grid_blocks / (double)l->blocks_total;
    double granule = (double)granule_bytes(l), sampled = 0, all = 0;
    for (size_t i = 0; l->footprint != NULL && i < l->sim->space.count; i++) {
        struct granules g = granules_of(l, i);
        sampled += g.ran * granule;
        all += granules_whole(l, &g) * granule;
    }
    double first = fmin(sampled_bytes, sampled);
    return (sampled > 0 ? first * all / sampled : 0) + (sampled_bytes - first) * scale;
}

// What is read for the first time, as a share of what would be if each block read it for itself: of all allocations.
static double growth_of_all(const struct launch *l)
{
    double scale = (double)l->grid_blocks / (double)l->blocks_total, ran = 0, all = 0;
    for (size_t i = 0; i < l->sim->space.count; i++) {
        struct granules g = granules_of(l, i);
        ran += g.ran * scale;
        all += granules_whole(l, &g);
    }
    return ran > 0 ? all / ran : 1;
}

double footprint_site(const struct launch *l, int site)
{
    double scale = (double)l->grid_blocks / (double)l->blocks_total, sent = 0, grown = 0;
    size_t count = l->sim->space.count;
    for (size_t i = 0; i < count; i++) {
        double sectors = (double)l->footprint_sent[(size_t)site * count + i];
        struct granules g = sectors > 0 ? granules_of(l, i) : (struct granules){0};
        sent += g.ran > 0 ? sectors : 0;
        grown += g.ran > 0 ? sectors * granules_whole(l, &g) / (g.ran * scale) : 0;
    }
    double mean = growth_of_all(l);
    return sent > 0 && mean > 0 ? grown / sent / mean : 1;
}

double footprint_unsure(const struct launch *l)
{
    double unsure = 0, all = 0;
    for (size_t i = 0; l->footprint != NULL && i < l->sim->space.count; i++) {
        struct granules g = granules_of(l, i);
        unsure += (g.most - g.least) / 2;
        all += (g.most + g.least) / 2;
    }
    return all > 0 ? unsure / all : 0;
}

double footprint_met(const struct launch *l)
{
    double scale = (double)l->grid_blocks / (double)l->blocks_total, apart = 0, all = 0;
    for (size_t i = 0; l->footprint != NULL && i < l->sim->space.count; i++) {
        struct granules g = granules_of(l, i);
        apart += g.ran * scale;
        all += (g.most + g.least) / 2;
    }
    return apart > 0 ? 1 - all / apart : 0;
}

double footprint_first(const struct launch *l)
{
    double bytes = 0;
    for (size_t i = 0; l->footprint != NULL && i < l->sim->space.count; i++)
        bytes += granules_of(l, i).ran * (double)granule_bytes(l);
    return bytes;
}

double footprint_shared(const struct launch *l)
{
    double bytes = 0;
    for (size_t i = 0; l->footprint != NULL && i < l->sim->space.count; i++)
        for (uint64_t word = 0; word < words_of(l, &l->sim->space.items[i]); word++)
            bytes +=
                __builtin_popcountll(l->footprint[i].read[0][word] & l->footprint[i].read[1][word]);
    return bytes * (double)granule_bytes(l);
}
