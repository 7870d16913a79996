// What the parts of diagnose share: the bounds as an array by resource, and what the finders stand on.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_DIAGNOSE_INTERNAL_H
#define RIDGE_DIAGNOSE_INTERNAL_H

#include "diagnose/diagnose.h"

enum { SECTOR_BYTES = 32 };
#define LIMITER_SHARE 0.6 // of the time: a resource this busy is the limiter (docs/diagnosis.md)

// Every resource's bound; time_ns NAN where the work or the rate is not known.
struct bound_set {
    struct bound by[RESOURCE_COUNT];
};
void bounds_compute(const struct diagnosis_input *in, struct bound_set *out);
// Those known, largest first; returns how many. out holds RESOURCE_COUNT.
int bounds_sorted(const struct bound_set *set, struct bound *out);
// The largest known bound, launch and link apart (they add to the others); -1 if none.
int bounds_largest(const struct bound_set *set);
// Passes of global loads and stores through the L1 data stage: all less shared memory's; 0 unknown.
double global_wavefronts(const struct diagnosis_input *in);
// Blocks of the grid (of the mean launch, where only their sum is known); NAN: not known.
double input_grid_blocks(const struct diagnosis_input *in);
// Does the job write enough for the copy rate of device memory to be its roof?
bool input_writes(const struct diagnosis_input *in);

struct findings {
    struct finding *items;
    size_t count, capacity;
};
void findings_collect(struct arena *a, const struct diagnosis_input *in,
                      const struct bound_set *bounds, struct findings *out);
// Is it folded away, of a variant that takes so long?
static inline bool is_folded(const struct finding *f, double time_ns)
{
    static const double fold_gain = 0.03; // of the time
    return f->expected_time_ns > time_ns * (1 - fold_gain);
}
// A sentence that fits many kernels: more loads in flight, wider accesses.
bool finding_is_general(const struct finding *f);
// By the time that they promise, or behind what explains it (docs/diagnosis.md: Ranks).
void findings_order(struct arena *a, double time_ns, struct diagnosis *out);
// Where the kernels' time goes beside the busiest resource.
struct waiting waiting_split(const struct diagnosis_input *in, const struct bound_set *bounds);
double transfers_ns(const struct transfers *t); // all of them

/* ---- what every finder needs -------------------------------------------------------------------- */

struct search {
    struct arena *a;
    const struct diagnosis_input *in; // its time_ns is the kernels' alone
    const struct bound_set *bounds;
    struct waiting waiting;
    double moved_ns; // copies beside the kernels' time
    struct findings *out;
};
double search_get(const struct search *s, enum counter_id id); // NAN: absent
double search_fact(const struct search *s, enum fact f);       // NAN: nobody looked
double search_stall(const struct search *s, enum stall r);     // of the warps' time: 0..1; NAN
bool search_replays(const struct search *s);                   // was the trace replayed?
// The kernels' time with the intervention, scaled to the time that is diagnosed; NAN: not replayed.
double search_replayed(const struct search *s, enum intervention i);
// What global loads and stores move, in whole sectors, without what a thread loads again.
double search_moved_bytes(const struct search *s);
// Is a gain of that share found already?
bool search_found(const struct search *s, double share);
// The time with `changed` in place of the bounds: what the largest bound loses is gained.
double search_price(const struct search *s, const struct bound_set *changed);
// The bounds of the same kernel with some counters changed.
struct bound_set bounds_with(const struct search *s, const struct counters *changed);
const char *search_time(const struct search *s); // "time", or "kernels' time" beside copies
// Is no resource busy enough to explain the time?
bool search_waits(const struct search *s);
void evidence_add(const struct search *s, struct finding *f, const char *counter);
void evidence_figure(struct finding *f, const char *name, double value, enum provenance p);
// The finding's expected time is the kernels' alone; the copies are added here.
void finding_add(const struct search *s, struct finding f);

typedef double (*line_weight)(const struct line *l);
double weight_sectors(const struct line *l);    // global sectors beyond the ideal
double weight_wavefronts(const struct line *l); // shared wavefronts beyond the ideal
double weight_divergence(const struct line *l);
double weight_global(const struct line *l);
double weight_instructions(const struct line *l);
double weight_shared(const struct line *l); // all its wavefronts
double weight_atomics(const struct line *l);
double weight_f64(const struct line *l);
double
weight_time(const struct line *l); // the warps' cycles; instructions where they are not known
double weight_waiting(const struct line *l); // … of which for memory
double weight_barrier(const struct line *l);
double weight_chain(const struct line *l); // … for results
// Puts the finding where most of it happens.
void finding_place(const struct search *s, struct finding *f, line_weight weight);

// One function a kind of inefficiency, each looks and adds what it finds: causes.def lists them.
#define CAUSE(finder, name, intervention) void find_##finder(const struct search *s);
#include "diagnose/causes.def"
#undef CAUSE

#endif
