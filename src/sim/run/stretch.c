// Stretches of micro-ops (stretch.h): when they run, what they count.
// SPDX-License-Identifier: Apache-2.0
#include "sim/run/stretch.h"
#include "sim/observe/events.h"

extern bool stretch_run_baseline(struct warp *w, const struct stretch *s,
                                 const struct group_state *g);
#if defined(__x86_64__)
extern bool stretch_run_avx2(struct warp *w, const struct stretch *s, const struct group_state *g);
extern bool stretch_run_avx512(struct warp *w, const struct stretch *s,
                               const struct group_state *g);
#endif

stretch_fn stretch_function(enum sim_isa isa)
{
#if defined(__x86_64__)
    if (isa == SIM_ISA_AVX512)
        return stretch_run_avx512;
    if (isa == SIM_ISA_AVX2)
        return stretch_run_avx2;
#endif
    (void)isa;
    return stretch_run_baseline;
}

/* ---- what a group's lanes do --------------------------------------------------------------- */

static void group_learn(struct group_state *g, const uint32_t *delta)
{
    memcpy(g->delta, delta, sizeof(g->delta));
    int32_t low = 0, high = 0;
    bool splat = true, rows = true;
    uint32_t half = delta[LANES / 2];
    for (uint32_t i = 0; i < LANES; i++) {
        uint32_t within = delta[i] - (i < LANES / 2 ? 0 : half);
        int32_t own = (int32_t)delta[i];
        low = own < low ? own : low;
        high = own > high ? own : high;
        splat &= within == 0;
        rows &= within == 4 * (i % (LANES / 2));
    }
    g->lowest = low;
    g->highest = high;
    g->half = (int32_t)half;
    bool window = high - low < 4 * WINDOW_WORDS;
    for (uint32_t i = 0; i < LANES; i++)
        g->word[i] = (delta[i] - (uint32_t)low) / 4;
    g->shape = splat ? GROUP_SPLAT : rows ? GROUP_ROWS : window ? GROUP_WINDOW : GROUP_OTHER;
}

// The members' last patterns agree, and are of whole warps and whole words.
static bool group_arm(const struct core *core, const struct stretch_group *group,
                      struct group_state *g)
{
    const struct mem_state *first = &core->mem[group->members[0].mem];
    for (uint32_t i = 0; i < group->member_count; i++) {
        const struct mem_state *s = &core->mem[group->members[i].mem];
        if (s->mask != ALL_LANES || s->key != 0 || (s->bits & 3) != 0 ||
            memcmp(s->delta.near, first->delta.near, sizeof(s->delta.near)) != 0)
            return false;
    }
    group_learn(g, first->delta.near);
    return true;
}

static struct wavefronts *stretch_passes(struct core *core, const struct stretch *s)
{
    return &core->stretch_passes[s->first_member];
}

static bool stretch_arm(struct core *core, const struct stretch *s)
{
    struct wavefronts *passes = stretch_passes(core, s);
    for (uint32_t i = 0; i < s->group_count; i++) {
        const struct stretch_group *group = &s->groups[i];
        if (!group_arm(core, group, &core->stretch_groups[s->first_group + i]))
            return false;
        for (uint32_t j = 0; j < group->member_count; j++)
            *passes++ = core->mem[group->members[j].mem].passes;
    }
    return true;
}

static void stretch_settle(struct core *core, const struct stretch *s, struct stretch_state *state)
{
    const struct wavefronts *passes = stretch_passes(core, s);
    for (uint32_t i = 0; i < s->group_count; i++)
        for (uint32_t j = 0; j < s->groups[i].member_count; j++, passes++) {
            uint32_t mem = s->groups[i].members[j].mem;
            if (core->launch->program->mem_ops[mem].follows)
                continue;
            core->mem[mem].shared_requests += state->done;
            core->mem[mem].wavefronts += state->done * (uint64_t)passes->count;
            core->mem[mem].wavefronts_ideal += state->done * (uint64_t)passes->ideal;
        }
    state->done = 0;
    state->armed = false;
}

void stretches_settle(struct core *core)
{
    const struct program *p = core->launch->program;
    for (size_t i = 0; i < p->stretch_count; i++)
        stretch_settle(core, &p->stretches[i], &core->stretches[i]);
}

/* ---- the handler --------------------------------------------------------------------------- */

// Its loads by themselves first, now and then: patterns that change each time are not worth another look.
static bool stretch_ready(struct core *core, const struct stretch *s, struct stretch_state *state)
{
    enum { MISSES_MAX = 12 };
    if (state->patience > 0) {
        state->patience--;
        return false;
    }
    state->armed = stretch_arm(core, s);
    if (!state->armed) {
        state->misses += state->misses < MISSES_MAX;
        state->patience = 1u << state->misses;
    }
    return state->armed;
}

static bool stretch_try(struct warp *w, const struct stretch *s, struct stretch_state *state)
{
    struct core *core = w->core;
    if (!state->armed && !stretch_ready(core, s, state))
        return false;
    if (core->stretch_run(w, s, &core->stretch_groups[s->first_group])) {
        state->done++;
        return true;
    }
    stretch_settle(core, s, state);
    state->misses += state->misses < 12;
    state->patience = 1u << state->misses;
    return false;
}

// What the trace would have heard of its loads.
static void stretch_trace(struct warp *w, const struct stretch *s)
{
    const struct wavefronts *passes = stretch_passes(w->core, s);
    const struct mem_op *ops = w->core->launch->program->mem_ops;
    for (uint32_t i = 0; i < s->group_count; i++)
        for (uint32_t j = 0; j < s->groups[i].member_count; j++, passes++) {
            const struct stretch_member *m = &s->groups[i].members[j];
            if (!ops[m->mem].follows)
                trace_passes(w, m->site, (unsigned)passes->count);
        }
}

const struct uop *op_stretch(struct warp *w, const struct uop *u)
{
    struct core *core = w->core;
    const struct stretch *s = &core->launch->program->stretches[u->stretch];
    if (w->mask != ALL_LANES || !is_bare(w, EVENT_SHARED) ||
        !stretch_try(w, s, &core->stretches[u->stretch]))
        return s->head(w, u);
    if (w->trace != NULL)
        stretch_trace(w, s);
    return u + s->count;
}
