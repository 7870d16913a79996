// tune: searching the choices of a kernel's parameters, as arithmetic: a space of points, strategies that are
// asked for points and told their times, and the set of points that tie. Knows no device, no loop and no
// experiment; deterministic: the same space, options and answers give the same questions on every machine.
//   search_space_make -> search_open -> (search_ask -> search_tell)... -> search_close; ties_find
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_TUNE_H
#define RIDGE_TUNE_H

#include <jansson.h>

#include "base/base.h"

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
#define STRATEGY(id, name, ranked, meaning) STRATEGY_##id,
#include "tune/strategies.def"
#undef STRATEGY
    STRATEGY_COUNT
};
const char *strategy_name(enum strategy s);
const char *strategy_meaning(enum strategy s);
bool strategy_is_ranked(enum strategy s);
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
void search_tell(struct search *x, int point, double time_ns);
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
    double rank_ns;    // the modelled time that it was ranked by; NAN = it was not ranked
    double took_s;     // of the wall clock
    const char *error; // or NULL
    const char *at;    // UTC, ISO 8601
};
bool evaluation_is_right(const struct evaluation *e); // OUTCOME_CORRECT with a time

// The points that tie with the fastest: their intervals overlap its own, or their medians are within TIE_SHARE of
// its. Of them the canonical one is the first in the space's order, which is the same wherever the same points tie.
#define TIE_SHARE 0.005
struct ties {            // indices of evaluations; arena-owned
    int fastest, chosen; // -1 = no point is right
    int *items;
    int count;
};
void ties_find(struct arena *a, const struct evaluation *evaluations, int count, struct ties *out);

struct
    tuning { // of one variant, in one case, on one device: what is known when it ends; arena-owned
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
    enum strategy strategy;
    uint64_t seed;
    int most;  // points that were to be evaluated
    int start; // the point that the file has without tuning; -1 = it is none of the space's
    struct evaluation *evaluations; // in the order they were asked for
    int count;
    int resumed;      // of them: known from an earlier session
    bool interrupted; // before the strategy had done
    struct ties ties;
};
// NULL where it was not evaluated.
const struct evaluation *tuning_of_point(const struct tuning *t, int point);
const struct evaluation *tuning_chosen(const struct tuning *t);
json_t *tuning_to_json(const struct tuning *t); // new reference

#endif
