// The checks of AMD's machine code. What orders accesses: barriers those of a work-group's waves; a wave's instructions
// are in order, so its lanes race within one instruction only. Between work-groups ("AMDGPU Usage", Memory Model gfx90a
// and gfx942): s_waitcnt vmcnt(0) releases; atomics, loads that pass the L1, and what empties the L1 acquire. gfx90a's
// atomic stores look like others: a plain store beside an atomic access is taken for one.
// SPDX-License-Identifier: Apache-2.0
#include "sim/amd/check.h"

#include "sim/amd/module.h"
#include "sim/run/exec.h"
#include "sim/observe/words.h"

#include <stdio.h>

enum { WORDS = 640 }; // bytes of a sentence

void amd_check_open(struct amd_run *run)
{
    struct space *m = &run->sim->space;
    const struct sim_launch *o = run->options;
    const struct allocation *last = &m->items[m->count - 1];
    run->check_uninitialised = (o->checks & SIM_CHECK_UNINIT) != 0;
    run->check_races = (o->checks & SIM_CHECK_RACES) != 0;
    if (run->check_races)
        races_init(&run->races, last->start + last->size,
                   (uint64_t)o->grid[0] * o->grid[1] * o->grid[2],
                   amd_arch_lanes(run->module->object.arch));
    for (size_t i = 0; i < m->count && !run->check_uninitialised; i++)
        m->items[i].all_written = true;
}

void amd_check_close(struct amd_run *run)
{
    races_release(&run->races);
}

/* ---- bounds and alignment -------------------------------------------------------------------------------------- */

void amd_violate_bounds(struct wave *w, unsigned lane, enum window window, uint64_t address,
                        unsigned bytes, enum touch touch)
{
    char what[WORDS];
    const struct amd_run *run = w->group->run;
    switch (window) {
    case WINDOW_GLOBAL:
        words_global(what, sizeof what, &run->sim->space, touch, bytes, address);
        break;
    case WINDOW_LDS:
        words_shared(what, sizeof what, touch, bytes, (int32_t)(uint32_t)address,
                     w->group->lds_bytes);
        break;
    case WINDOW_SCRATCH:
        words_local(what, sizeof what, touch, bytes, address, run->kernel->scratch_bytes);
        break;
    }
    (void)amd_violate(w, SIM_OUT_OF_BOUNDS, lane, address, what);
}

void amd_violate_misaligned(struct wave *w, unsigned lane, uint64_t address, unsigned bytes,
                            enum touch touch)
{
    char what[WORDS];
    words_misaligned(what, sizeof what, touch, bytes, address);
    (void)amd_violate(w, SIM_MISALIGNED, lane, address, what);
}

/* ---- reads of memory nothing wrote ------------------------------------------------------------------------------ */

static bool is_written(const struct wave *w, const struct place *p, unsigned bytes)
{
    const struct amd_run *run = w->group->run;
    for (unsigned i = 0; i < bytes; i++) {
        uint64_t offset = p->address - DEVICE_BASE + i;
        bool written =
            p->written ? p->written[i] : run->sim->space.shadow[offset / 4] >> (offset % 4) & 1;
        if (!written)
            return false;
    }
    return true;
}

static void check_written(struct wave *w, unsigned lane, const struct place *p, unsigned bytes)
{
    const struct amd_run *run = w->group->run;
    if (!run->check_uninitialised || (!p->written && run->near.all_written) ||
        is_written(w, p, bytes))
        return;
    char what[WORDS];
    const struct allocation *a =
        p->window == WINDOW_GLOBAL ? space_find(&run->sim->space, p->address) : NULL;
    if (a)
        words_unwritten_global(what, sizeof what, bytes, p->address, a);
    else
        words_unwritten_near(what, sizeof what, bytes, p->window == WINDOW_LDS ? "shared" : "local",
                             p->address);
    (void)amd_violate(w, SIM_UNINITIALISED, lane, p->address, what);
}

static void mark_written(struct wave *w, const struct place *p, unsigned bytes)
{
    if (p->written)
        memset(p->written, 1, bytes);
    else
        space_mark_written(&w->group->run->sim->space, p->address, bytes);
}

/* ---- races ------------------------------------------------------------------------------------------------------- */

struct toucher { // the lane whose access is looked at
    struct wave *w;
    unsigned lane;
    const uint8_t *now, *mine; // the access's bytes in memory, and those it leaves there
};

// Lanes before it in the same instruction have left their values in memory.
static bool same_value(const struct race_access *a, const struct touch_record *other,
                       unsigned first, unsigned last)
{
    const struct toucher *t = a->lane;
    unsigned at = a->from + first - a->first;
    (void)other;
    return t->mine && memcmp(t->mine + at, t->now + at, last - first + 1) == 0;
}

static void tell(const struct race_access *a, const struct touch_record *other, bool other_wrote)
{
    const struct toucher *t = a->lane;
    const struct amd_run *run = t->w->group->run;
    uint32_t thread[3], block[3];
    const uint32_t *grid = run->options->grid;
    block[0] = (uint32_t)(other->block % grid[0]);
    block[1] = (uint32_t)(other->block / grid[0] % grid[1]);
    block[2] = (uint32_t)(other->block / grid[0] / grid[1]);
    amd_thread_index(run, other->thread, thread);
    char what[WORDS];
    words_race(what, sizeof what, a->touch, a->shared, a->address, thread, block, other_wrote);
    struct sim_violation *v = amd_violate(t->w, SIM_RACE, t->lane, a->address, what);
    if (!v)
        return;
    v->has_other = true;
    memcpy(v->other_thread, thread, sizeof thread);
    memcpy(v->other_block, block, sizeof block);
    const struct amd_module *m = run->module;
    v->other_line = amd_line_at(m, m->address + m->object.code_start + 4 * (uint64_t)other->site);
}

static const struct race_caller CALLER = {.same_value = same_value, .tell = tell};

static void look(struct wave *w, unsigned lane, const struct place *p, unsigned bytes,
                 const void *mine, enum touch touch, enum access_order order)
{
    struct work_group *g = w->group;
    struct amd_run *run = g->run;
    if (!run->check_races || p->window == WINDOW_SCRATCH)
        return;
    const struct amd_module *m = run->module;
    struct toucher t = {.w = w, .lane = lane};
    struct race_access a = {.block = g->linear,
                            .epoch = g->epoch,
                            .thread = w->index * lanes_of(w) + lane,
                            .sync_epoch = (uint32_t)run->races.time,
                            .site = (uint32_t)((w->at - m->address - m->object.code_start) / 4),
                            .touch = order == ORDER_ATOMIC && touch == TOUCH_WRITE ? TOUCH_ATOMIC
                                                                                   : touch,
                            .order = order,
                            .shared = p->window == WINDOW_LDS,
                            .lane = &t};
    unsigned piece = bytes < 4 ? bytes : 4;
    if (p->address % piece != 0)
        piece = 1;
    for (unsigned i = 0; i < bytes; i += piece) {
        t.now = p->host + i;
        t.mine = mine ? (const uint8_t *)mine + i : NULL;
        race_at(&a, p->address + i, 0, piece);
        struct word_record *r = a.shared ? &g->lds_records[a.address / 4]
                                         : races_record(&run->races, (a.address - DEVICE_BASE) / 4);
        if (r)
            race_look(&run->races, r, &a, &CALLER);
    }
}

void amd_check_begin(struct wave *w)
{
    w->group->run->races.time++;
}

void amd_check_order(struct wave *w, bool releases, bool acquires)
{
    struct amd_run *run = w->group->run;
    run->races.time++;
    if (run->check_races)
        races_order(&run->races, w->group->linear, releases, acquires);
}

void amd_check_read(struct wave *w, const struct amd_instruction *in, unsigned lane,
                    const struct place *p, unsigned bytes)
{
    bool coherent = p->window == WINDOW_GLOBAL && amd_passes_l1(in);
    check_written(w, lane, p, bytes);
    look(w, lane, p, bytes, NULL, TOUCH_READ, coherent ? ORDER_ATOMIC : ORDER_PLAIN);
    if (coherent && w->group->run->check_races)
        races_order(&w->group->run->races, w->group->linear, false, true);
}

void amd_check_write(struct wave *w, const struct amd_instruction *in, unsigned lane,
                     const struct place *p, unsigned bytes, const void *data)
{
    enum access_order order = p->window != WINDOW_GLOBAL ? ORDER_PLAIN
                              : in->arch != ARCH_GFX942  ? ORDER_MAYBE
                              : amd_passes_l1(in)        ? ORDER_ATOMIC
                                                         : ORDER_PLAIN;
    look(w, lane, p, bytes, data, TOUCH_WRITE, order);
    mark_written(w, p, bytes);
}

void amd_check_update(struct wave *w, const struct amd_instruction *in, unsigned lane,
                      const struct place *p, unsigned bytes)
{
    (void)in;
    check_written(w, lane, p, bytes);
    look(w, lane, p, bytes, NULL, TOUCH_ATOMIC, ORDER_ATOMIC);
    mark_written(w, p, bytes);
    if (p->window == WINDOW_GLOBAL && w->group->run->check_races)
        races_order(&w->group->run->races, w->group->linear, false, true);
}

/* ---- barriers ---------------------------------------------------------------------------------------------------- */

// Lanes that are not there may have exited: they have if they do nothing any more.
void amd_check_barrier(struct wave *w)
{
    const struct amd_run *run = w->group->run;
    uint64_t exec = exec_of(w);
    bool in_part = (run->check_races || run->check_uninitialised) && exec != w->lanes;
    w->barrier_lanes = in_part ? exec : 0;
    w->barrier_at = w->at;
}

void amd_check_lanes(struct wave *w, const struct amd_instruction *in)
{
    if (in->encoding <= ENCODING_SOPP || in->encoding == ENCODING_SMEM ||
        (exec_of(w) & ~w->barrier_lanes) == 0)
        return;
    char what[WORDS];
    uint64_t at = w->at;
    (void)snprintf(what, sizeof what,
                   "reaches a barrier with %d of the wave's %d threads: the others are elsewhere",
                   __builtin_popcountll(w->barrier_lanes), __builtin_popcountll(w->lanes));
    w->at = w->barrier_at;
    (void)amd_violate(w, SIM_BARRIER_DIVERGENCE, (unsigned)__builtin_ctzll(w->barrier_lanes), 0,
                      what);
    w->at = at;
    w->barrier_lanes = 0;
}
