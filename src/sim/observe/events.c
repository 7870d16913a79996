// Who listens to a launch.
// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/events.h"

static bool guest_wanted(const struct launch *l)
{
    return l->options->listener != NULL && l->options->listener->event != NULL;
}

static void guest_hear(struct warp *w, struct event *e)
{
    const struct sim_launch *o = w->core->launch->options;
    o->listener->event(o->listener_context, e);
}

static const struct listener guest_listener = {
    .name = "guest", .kinds = (1u << EVENT_KINDS) - 1, .wanted = guest_wanted, .hear = guest_hear};

static const struct listener *const LISTENERS[] = {
    &caches_listener, &turns_listener,   &clock_listener,     &trace_listener,
    &checks_listener, &touched_listener, &footprint_listener, &guest_listener,
};

static bool trace_at_most(const struct audience *a, int kind)
{
    return a->count[kind] == 0 || (a->count[kind] == 1 && a->hear[kind][0] == trace_listener.hear);
}

static void audience_choose(const struct launch *l, struct audience *a, bool traced)
{
    *a = (struct audience){0};
    for (size_t i = 0; i < COUNT_OF(LISTENERS); i++) {
        const struct listener *listener = LISTENERS[i];
        if (!listener->wanted(l) || (listener == &trace_listener && !traced))
            continue;
        for (int kind = 0; kind < EVENT_KINDS; kind++)
            if ((listener->kinds >> kind & 1) != 0)
                a->hear[kind][a->count[kind]++] = listener->hear;
        a->heard |= listener->kinds;
    }
    unsigned global = a->count[EVENT_GLOBAL];
    a->plain = global >= 2 && global <= 3 && a->hear[EVENT_GLOBAL][0] == caches_listener.hear &&
               a->hear[EVENT_GLOBAL][1] == turns_listener.hear &&
               (global == 2 || a->hear[EVENT_GLOBAL][2] == trace_listener.hear);
    for (int kind = 0; kind < EVENT_KINDS; kind++)
        a->bare |= (uint32_t)trace_at_most(a, kind) << kind;
}

void listeners_choose(struct launch *l)
{
    _Static_assert(COUNT_OF(LISTENERS) <= LISTENERS_MAX, "an audience has no seat for all");
    audience_choose(l, &l->audience, false);
    audience_choose(l, &l->audience_traced, true);
}

void event_send(struct warp *w, struct event *e)
{
    const struct audience *a = w->audience;
    for (unsigned i = 0; i < a->count[e->kind]; i++)
        a->hear[e->kind][i](w, e);
}

void segment_send(struct warp *w, const struct uop *u)
{
    const struct segment *s = &w->core->launch->program->segments[u->extra];
    if (!is_bare(w, EVENT_SEGMENT))
        event_send(w,
                   &(struct event){.kind = EVENT_SEGMENT, .u = u, .mask = w->mask, .segment = s});
    else if (w->trace != NULL)
        trace_segment(w, s, w->mask);
}

void guard_send(struct warp *w, const struct uop *u, uint32_t mask)
{
    if (!is_bare(w, EVENT_GUARD))
        event_send(w, &(struct event){.kind = EVENT_GUARD, .u = u, .mask = mask});
    else if (w->trace != NULL)
        trace_guard(w, u->site, mask);
}

void barrier_send(struct warp *w, const struct uop *u, uint32_t mask, uint32_t threads)
{
    if (!is_bare(w, EVENT_BARRIER))
        event_send(
            w, &(struct event){.kind = EVENT_BARRIER, .u = u, .mask = mask, .threads = threads});
    else if (w->trace != NULL)
        trace_barrier(w, u, mask, threads);
}
