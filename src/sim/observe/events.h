// The one stream of events of the interpreter, and who listens. An event is sent once, where it happens;
// what every launch counts is counted there and then (the inline functions below), everything else is
// a listener, chosen at launch: a launch without checks has none that checks, and pays nothing.
// Listeners hear an event in the order of the table in events.c: the caches first, which add what they
// found, then the order of turns, the clock, the trace, the checks, and the caller's own (struct sim_launch).
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_SIM_EVENTS_H
#define RIDGE_SIM_EVENTS_H

#include "sim/run/exec.h"

struct event {
#define FIELD(type, name, meaning) type name;
#include "sim/observe/events.def"
#undef FIELD
};

struct listener {
    const char *name;
    unsigned kinds; // that it hears: bits
    bool (*wanted)(const struct launch *l);
    void (*hear)(struct warp *w, struct event *e);
};
extern const struct listener caches_listener, turns_listener, clock_listener, trace_listener,
    checks_listener, touched_listener, footprint_listener;

#define HEARS(kind) (1u << EVENT_##kind)

// Fills l->audience: with the trace's ear (traced blocks) and without.
void listeners_choose(struct launch *l);
void event_send(struct warp *w, struct event *e);

// caches.c: which bytes of each of the access's lines its lanes touch. `address`: of line 0 as in the access, `base`
// added there.
void bytes_of_lines(const struct access *access, uint64_t base, const uint64_t *address,
                    uint32_t mask, unsigned bytes, struct line_bytes *out);

// A load or store in the pattern's phase that only the caches, the order of turns and the trace hear of: without an event. more: added to
// each address.
void caches_plain(struct warp *w, const struct uop *u, struct mem_state *s, uint32_t mask,
                  const uint64_t *address, uint64_t more, unsigned bytes, enum touch touch);

// The same of a store in part or whole whose plan makes a row; base: of its lines.
void caches_store_row(struct warp *w, const struct uop *u, struct mem_state *s, uint64_t base);

// footprint.c: opened before the listeners are chosen, closed after the report. Bytes that all blocks read from device
// memory, where a share of them read so many.
void footprint_open(struct launch *l);
void footprint_close(struct launch *l);
double footprint_reads(const struct launch *l, double sampled_bytes);
// Of what all blocks read at least once, the share that it may be off by.
double footprint_unsure(const struct launch *l);
double footprint_first(const struct launch *l);  // bytes that those which ran read at least once
double footprint_shared(const struct launch *l); // … and both halves of the sample
// Of what all blocks would read if each read it for itself, the share that another has read.
double footprint_met(const struct launch *l);
// How the site's misses grow with the blocks, beside the mean of all sites.
double footprint_site(const struct launch *l, int site);

// trace.c: operations of a segment that starts, and what an event adds to one.
// Of the launch's traces the one that its time is modelled from; sites: what all blocks executed.
const struct trace *trace_chosen(const struct launch *l, const struct sim_site *sites);
void trace_begin(struct trace_op *ops, const struct segment *s, uint32_t mask);
void trace_note(struct trace_op *op, const struct turn_costs *t, const struct event *e);
// Of a warp that is traced, what the trace alone hears of, without an event: a segment that starts, an arrival at a barrier, an
// access of shared memory, or one of global memory in a phase, of whose lines so many were sent on; sectors: of a load all, of a
// store those that it sends itself; missed: sectors that a load did not find, or that a store writes in part.
void trace_segment(struct warp *w, const struct segment *s, uint32_t mask);
void trace_barrier(struct warp *w, const struct uop *u, uint32_t mask, uint32_t threads);
void trace_guard(struct warp *w, uint32_t site, uint32_t mask);
void trace_passes(struct warp *w, uint32_t site, unsigned passes);
void trace_word(struct warp *w, uint32_t site, uint32_t offset); // of shared memory
void trace_lines(struct warp *w, uint32_t site, const struct phase *p, uint64_t base,
                 unsigned sectors, unsigned missed, size_t missed_lines);

static inline bool is_heard(const struct warp *w, enum event_kind kind)
{
    return (w->audience->heard >> kind & 1) != 0;
}

// Where they are sent from most often, apart from the handler, which so has little to keep.
void segment_send(struct warp *w, const struct uop *u);
void guard_send(struct warp *w, const struct uop *u, uint32_t mask);
void barrier_send(struct warp *w, const struct uop *u, uint32_t mask, uint32_t threads);

static inline bool is_bare(const struct warp *w, enum event_kind kind)
{
    return (w->audience->bare >> kind & 1) != 0;
}

/* ---- what is counted in every launch ----------------------------------------------------------- */

static inline void count_segment(struct segment_count *s, int lanes)
{
    s->executed++;
    s->lanes += (uint64_t)lanes;
}

static inline void event_segment(struct warp *w, const struct uop *u)
{
    count_segment(&w->core->segments[u->extra], lane_count(w->mask));
    if (is_heard(w, EVENT_SEGMENT))
        segment_send(w, u);
}

static inline void event_guard(struct warp *w, const struct uop *u, uint32_t mask)
{
    w->core->guarded_lanes[u->extra] += (uint64_t)lane_count(mask);
    if (is_heard(w, EVENT_GUARD))
        guard_send(w, u, mask);
}

// A branch whose lanes go both ways.
static inline void event_divergence(struct warp *w, const struct uop *u, uint32_t mask,
                                    uint32_t taken)
{
    w->core->divergent[u->site]++;
    if (is_heard(w, EVENT_BRANCH))
        event_send(w, &(struct event){.kind = EVENT_BRANCH, .u = u, .mask = mask, .taken = taken});
}

static inline void event_barrier(struct warp *w, const struct uop *u, uint32_t mask,
                                 uint32_t threads)
{
    if (is_heard(w, EVENT_BARRIER))
        barrier_send(w, u, mask, threads);
}

// A fence, or what stands for one: orders this block's accesses after others'.
static inline void event_order(struct warp *w, const struct uop *u)
{
    if (is_heard(w, EVENT_ORDER))
        event_send(w, &(struct event){.kind = EVENT_ORDER, .u = u, .mask = w->mask});
}

static inline void event_values(struct warp *w, const struct uop *u, uint32_t mask, int values)
{
    if (is_heard(w, EVENT_VALUES))
        event_send(w, &(struct event){
                          .kind = EVENT_VALUES, .u = u, .mask = mask, .passes = (unsigned)values});
}

static inline void count_global(struct mem_state *s, const struct access *a, unsigned sectors)
{
    s->requests++;
    s->sectors += sectors;
    s->sectors_ideal += (uint64_t)a->sector_ideal;
    s->lines += (uint64_t)a->line_count;
    s->data_passes += (uint64_t)s->phase->passes;
}

static inline void event_global(struct warp *w, struct mem_state *s, struct event *e)
{
    count_global(s, e->access, e->sectors);
    if (is_heard(w, EVENT_GLOBAL))
        event_send(w, e);
}

static inline void count_shared(struct mem_state *s, struct wavefronts passes)
{
    s->shared_requests++;
    s->wavefronts += (uint64_t)passes.count;
    s->wavefronts_ideal += (uint64_t)passes.ideal;
}

// Of an access that only the trace would hear of: without an event.
static inline void plain_shared(struct warp *w, const struct uop *u, struct mem_state *s,
                                struct wavefronts passes)
{
    count_shared(s, passes);
    if (w->trace != NULL)
        trace_passes(w, u->site, (unsigned)passes.count);
}

// more: added to all offsets.
static inline void event_shared(struct warp *w, const struct uop *u, struct mem_state *s,
                                uint32_t mask, const uint32_t *offset, int64_t more, unsigned bytes,
                                enum touch touch, struct wavefronts passes)
{
    if (is_bare(w, EVENT_SHARED)) {
        plain_shared(w, u, s, passes);
        return;
    }
    count_shared(s, passes);
    if (is_heard(w, EVENT_SHARED))
        event_send(w, &(struct event){.kind = EVENT_SHARED,
                                      .u = u,
                                      .mask = mask,
                                      .touch = touch,
                                      .bytes = bytes,
                                      .offset = offset,
                                      .more = more,
                                      .passes = (unsigned)passes.count});
}

#endif
