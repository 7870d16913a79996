// tune: searching the choices of a kernel's parameters, as arithmetic: a space of points, strategies that are
// asked for points and told their times, and the set of points that tie. Knows no device, no loop and no
// experiment; deterministic: the same space, options and answers give the same questions on every machine.
//   search_space_make -> search_open -> (search_ask -> search_tell)... -> search_close; ties_find
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_TUNE_H
#define RIDGE_TUNE_H

#include <jansson.h>

#include "base/base.h"
#include "record/record.h"

/* ---- the space ---------------------------------------------------------------------------------- */

struct axis {
    const char *name;
    const char *const *values; // as written
    int value_count;
    bool
        ordered; // numbers: neighbours are the values beside; words are all each other's neighbours
};
// Points are choices of a value on each axis, without duplicates, in ascending order with the last axis the
// fastest: a point is known by its index.
struct search_space { // arena-owned
    struct axis *axes;
    int axis_count;
    uint16_t *items; // count times axis_count indices of values
    int count;
};
// From any order of points; duplicates are dropped. *items is the caller's.
void search_space_make(struct arena *a, struct axis *axes, int axis_count, const uint16_t *items,
                       int count, struct search_space *out);
const uint16_t *search_space_point(const struct search_space *s, int point);
int search_space_find(const struct search_space *s,
                      const uint16_t *choice); // -1: it is none of its points
const char *search_space_label(struct arena *a, const struct search_space *s,
                               int point); // "TILE=16 ROWS=8"
// The points that differ on one axis: there by one step (of words: by any), or else by any. Into `out` (room for
// search_space_neighbour_max); how many.
int search_space_neighbours(const struct search_space *s, int point, bool by_one_step, int *out);
int search_space_neighbour_max(const struct search_space *s);

/* ---- strategies --------------------------------------------------------------------------------- */

enum strategy {
#define STRATEGY(id, name, ranked, learns, meaning) STRATEGY_##id,
#include "tune/strategies.def"
#undef STRATEGY
    STRATEGY_COUNT
};
const char *strategy_name(enum strategy s);
const char *strategy_meaning(enum strategy s);
bool strategy_is_ranked(enum strategy s);
bool strategy_learns(enum strategy s); // from the times of the last points which to ask for next
enum strategy strategy_default(int count); // of a space of so many points
int strategy_default_most(enum strategy s, int count);
int strategy_default_audit(enum strategy s, int most);
bool strategy_find(const char *name, enum strategy *out, struct error *err) CHECK_RESULT;

struct search_options {
    enum strategy strategy;
    uint64_t seed;
    int start; // is asked for first: a point that is known to work; -1 = none
    int most;  // points that may be asked for; 0 = all of the space
    const double
        *ranks; // of every point, lower is better, NAN = it cannot run; ranked strategies alone
    int audit; // ranked strategies: so many of `most` are chosen at random among the points that are cut off
};
struct search;
struct search *search_open(const struct search_space *s,
                           const struct search_options *o); // borrows both
// Up to `room` points that were not asked for before; 0 = the search is over. All of them must be told before the
// next question.
int search_ask(struct search *x, int room, int *points);
// NAN: the point cannot run, or is wrong.
void search_tell(struct search *x, int point,
                 double time_ns); // or another cost that is to be least
// Were the last points asked for by chance among those that pruning cuts off?
bool search_audits(const struct search *x);
void search_close(struct search *x); // NULL is fine

/* ---- what was found ----------------------------------------------------------------------------- */

enum outcome { // of a point, by T4's names
    OUTCOME_CORRECT,
    OUTCOME_CONSTRAINTS, // it is no point of the space; in files of others
    OUTCOME_COMPILE,
    OUTCOME_RUNTIME,
    OUTCOME_CORRECTNESS,
    OUTCOME_TIMEOUT,
    OUTCOME_CUT, // surely slower than the best: not taken to its end. T4 has no such word: a timeout
    OUTCOME_COUNT
};
const char *outcome_name(enum outcome o); // "correct"; OUTCOME_CUT is "cut"
bool outcome_find(const char *name, enum outcome *out);
struct evaluation {
    int point;
    enum outcome outcome;
    double time_ns, low_ns, high_ns; // the median and its 95 % interval; NAN = no time
    size_t sample_count;
    double energy_mj, energy_error; // of one run, and the share that is open; NAN = not measured
    double rank_ns;    // the modelled time that it was ranked by; NAN = it was not ranked
    double took_s;     // of the wall clock
    const char *error; // or NULL
    const char *at;    // UTC, ISO 8601; NULL = it was not evaluated
    bool audited;      // by chance, among the points that pruning cut off
};
bool evaluation_is_right(const struct evaluation *e); // OUTCOME_CORRECT with a time
// What is to be least, and the ends of its interval; NAN where the point is not right or has no energy.
double evaluation_cost(const struct evaluation *e, enum objective o);
struct cost_interval {
    double low, high;
};
struct cost_interval evaluation_cost_interval(const struct evaluation *e, enum objective o);

// The points that tie with the best by the objective, the fastest: their intervals overlap its own, or their medians are within TIE_SHARE of
// its. Of them the canonical one is the first in the space's order, which is the same wherever the same points tie.
#define TIE_SHARE 0.005
struct ties {            // indices of evaluations; arena-owned
    int fastest, chosen; // -1 = no point is right
    int *items;
    int count;
};
void ties_find(struct arena *a, const struct evaluation *evaluations, int count, enum objective o,
               struct ties *out);

struct pruning {                  // what leaving points out risked; NAN = not known
    const char *rank_by;          // "modelled on sim:h200, N=512"; NULL = nothing was ranked
    int ranked;                   // points that have a rank
    int unmeasured;               // … and were not evaluated
    int audited;                  // points cut off that were evaluated after all, by chance
    int audited_best;             // 1 = one of them is the fastest
    double correlation;           // of ranks and times, Spearman's
    double ratio_low, ratio_high; // of time over rank: 5th and 95th percentile
    // How much faster than the best a point may be that was not evaluated, if its time over its rank is that of some
    // evaluated point: mean, and 95th percentile of draws.
    double regret_expected, regret_95;
};

// Of one variant, in one case, on one device: what is known when a session ends. Arena-owned.
struct tuning {
    const char *experiment, *variant, *case_label;
    const char *device_id, *device_name;
    const char *platform;   // the driver ("CUDA 13.0"); of a simulated device the model of its time
    const char *provenance; // of the times: "measured", "modelled"; "absent" = there are none
    const char *compiler;   // of the newest point that was compiled; NULL = none was
    char source_hash[33];   // code_source_hash(); "" = the variant has no source
    double cc;
    struct search_space space;
    int64_t product; // of the axes, before `where`
    int impossible; // of what `where` leaves: the device takes no such launch, so they are no points
    const char *impossible_why; // of the first
    enum objective objective;
    enum strategy strategy;
    uint64_t seed;
    int most;  // points that were to be evaluated
    int start; // the point that the file has without tuning; -1 = it is none of the space's
    struct evaluation *evaluations; // in the order they were asked for
    int count;
    int resumed;      // of them: known from an earlier session
    bool interrupted; // before the strategy had done
    struct pruning pruning;
    struct ties ties;
};
// Fills `pruning` but for rank_by and ranked, from ranks of every point (NAN = none).
void pruning_report(struct tuning *t, const double *ranks);
// NULL where it was not evaluated.
const struct evaluation *tuning_of_point(const struct tuning *t, int point);
const struct evaluation *tuning_chosen(const struct tuning *t);
json_t *tuning_to_json(const struct tuning *t); // new reference

/* ---- files of other tuners ----------------------------------------------------------------------- */

// T1, a tuning problem (Kernel Tuner's and BAT's JSON, FormatVersion 1): its axes and conditions. What it says of the
// kernel is not read: that is in the experiment.
struct t1;
bool t1_parse(struct arena *a, const char *file, const char *text, size_t size_bytes,
              struct t1 **out, struct error *err) CHECK_RESULT;
struct axis *t1_axes(const struct t1 *t, int *count);
// Do all conditions hold? choice: a value of each axis.
bool t1_holds(const struct t1 *t, const uint16_t *choice, bool *holds,
              struct error *err) CHECK_RESULT;
struct t1_kernel { // what a T1 file says beside the space
    const char *benchmark, *kernel, *file, *compiler_options;
    const char *grid[3], *block[3]; // expressions; NULL = 1
    const char *const *conditions;  // in Python
    int condition_count;
};
json_t *t1_to_json(const struct axis *axes, int axis_count,
                   const struct t1_kernel *kernel); // new reference
// An expression of an experiment in Python. False: Python's has no such thing (ceil_div, ?:).
bool t1_expression(struct arena *a, const char *text, const char **out);

// T4 1.0.0, results: a session that can be replayed. The space is that of its points; values that are numbers are
// sorted, words stand in the order that they come in. Of a point that is there twice the last counts.
json_t *t4_to_json(const struct tuning *t); // new reference
bool t4_parse(struct arena *a, const char *file, const char *text, size_t size_bytes,
              struct tuning *out, struct error *err) CHECK_RESULT;

// A session whose answers come from what was recorded (t4_parse): no device is needed. most as in search_options, 0 =
// the strategy's default; STRATEGY_pruned needs recorded ranks.
bool replay(struct arena *a, const struct tuning *recorded, enum strategy strategy, uint64_t seed,
            int most, struct tuning *out, struct error *err) CHECK_RESULT;

#endif
