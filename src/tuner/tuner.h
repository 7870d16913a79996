// tuner: a variant's choices evaluated by the loop: every point is compiled, verified against the reference and
// timed as `ridge run` does it, in an order that a strategy asks for (tune/tune.h). What was found is kept in a
// file of the user's data folder as it comes, so that a session that is interrupted or killed goes on where it was.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_TUNER_H
#define RIDGE_TUNER_H

#include "device/device.h"
#include "loop/loop.h"
#include "tune/table.h"
#include "tune/tune.h"

struct tuner_job { // one session
    int variant;
    const struct case_point *point;
};
struct tuner_plan { // arena-owned
    struct experiment *experiment;
    const struct device_info *device;
    struct tuner_job *jobs;
    int job_count;
};
// variant: a name, or NULL for all of the experiment's. The loop's request says device and cases. A variant
// without `tune` has one point.
bool tuner_plan(struct arena *a, const char *experiment, const char *variant,
                const struct loop_request *loop, struct tuner_plan *out,
                struct error *err) CHECK_RESULT;

// What the variant's code is made of (code_source_hash); "" where it has no source.
bool tuner_source_hash(struct arena *a, const struct experiment *e, int variant, char out[33],
                       struct error *err) CHECK_RESULT;

struct tuner_request {
    struct loop_request loop; // how points are run; which, the tuner says
    enum objective objective; // what is to be least; energy is measured on real GPUs only
    bool has_strategy;        // else strategy_default()
    enum strategy strategy;
    uint64_t seed;       // of the strategy
    int most;            // points; 0 = the strategy's default
    bool fresh;          // what an earlier session left is thrown away
    const struct t1 *t1; // axes and conditions in place of the variant's; NULL = the variant's
    // Of pruning. A GPU's points are ranked by the simulated GPU of its chip; a simulated one's by a cheaper run of
    // the same simulator, a smaller case or a share of the blocks.
    const char *const *rank_overrides; // "N=512"
    int rank_override_count;
    double rank_share; // of the blocks; 0 = all, or on a simulated GPU without overrides a tenth
};
struct tuner_events {        // all optional
    struct loop_events loop; // of each run of the loop
    // Before points are evaluated; after one.
    void (*evaluating)(void *context, const struct tuning *t);
    void (*evaluated)(void *context, const struct tuning *t, const struct evaluation *e);
    void *context;
};
// One job of the plan. Interrupted: false with the error, and *out holds what was found.
bool tuner_run(struct arena *a, const struct tuner_plan *plan, const struct tuner_job *job,
               const struct tuner_request *request, const struct tuner_events *events,
               struct tuning *out, struct error *err) CHECK_RESULT;

// The case's parameters as the tuned table has them; what its `platform` is of a device.
void tuner_sizes(struct arena *a, const struct experiment *e, const struct case_point *point,
                 struct tuned_size **out, int *count);
const char *tuner_platform(struct arena *a, const struct device_info *d);
struct tuned_use { // of the tuned table for a variant
    const char *variant;
    const struct tuned_entry *entry; // NULL = none holds, and it is as it is
    double octaves;                  // as tuned_answer's
    const char *why;                 // as tuned_answer's; NULL: it has no axes
};
// The experiment with what the table chose for that case and device; uses: one per variant.
bool tuner_apply(struct arena *a, const struct tuned_table *table, const struct device_info *device,
                 const struct case_point *point, enum objective objective, struct experiment **e,
                 struct tuned_use *uses, struct error *err) CHECK_RESULT;

// The space as a T1 file (new reference). Fails where a condition cannot be written in Python.
bool tuner_t1(struct arena *a, const struct tuner_plan *plan, const struct tuner_job *job,
              json_t **out, struct error *err) CHECK_RESULT;

/* ---- what sessions leave (state.c) --------------------------------------------------------------- */

// Lines of JSON: a head, then a line per evaluation. A line that is torn or not understood is passed over, and so
// are points that the space does not have.
struct tuner_state {
    int fd;
    const char *path;
    uint64_t data_seed;       // of the buffers' contents; the same in every session
    struct evaluation *known; // by point; one whose `at` is NULL is not known
    // The same of points that a killed session had begun to sample: right by then, not proved, and not to their end.
    struct evaluation *sampled;
    const char *rank_by; // the ranks that are looked for; NULL = none
    double *ranks;       // by point; NAN = it has none
    bool *ranked;        // it was tried
};
// identity: what the evaluations depend on; another identity is another file. Fails where another process works on
// it. fresh: an earlier session's evaluations are thrown away.
bool state_open(struct arena *a, const char *identity, const struct tuning *t, const char *rank_by,
                bool fresh, struct tuner_state *out, struct error *err) CHECK_RESULT;
// The text of such a file.
void state_parse(struct arena *a, const char *text, size_t size_bytes,
                 const struct search_space *space, struct tuner_state *out);
bool state_add_rank(struct tuner_state *s, const struct tuning *t, int point, double rank_ns,
                    struct error *err) CHECK_RESULT;
bool state_add(struct tuner_state *s, const struct tuning *t, const struct evaluation *e,
               struct error *err) CHECK_RESULT;
// Its first samples, with the interval that holds all of them.
bool state_add_sampled(struct tuner_state *s, const struct tuning *t, const struct evaluation *e,
                       struct error *err) CHECK_RESULT;
void state_close(struct tuner_state *s);

#endif
