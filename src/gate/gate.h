// gate: is a run worse than what it is held against? Two kinds: counters of the simulated GPU against a
// committed text (ridge.lock), which has no noise; and measured times against a baseline. Reads records
// only; who makes them is the caller's business. All that is returned is owned by the arena.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_GATE_H
#define RIDGE_GATE_H

#include "base/base.h"
#include "experiment/experiment.h"
#include "record/record.h"
#include "stats/stats.h"

/* ---- what a gate says ------------------------------------------------------------------------------- */

enum gate_verdict {
#define GATE_VERDICT(id, name, fails, meaning) GATE_##id,
#include "gate/verdicts.def"
#undef GATE_VERDICT
    GATE_VERDICT_COUNT
};
const char *gate_verdict_name(enum gate_verdict v);
const char *gate_verdict_meaning(enum gate_verdict v);
bool gate_verdict_fails(enum gate_verdict v);

struct gate_change { // of one figure that is not what it was
    const char *name, *unit;
    double before, after;
    bool worse;       // by more than is allowed
    const char *file; // where it grew most; NULL: no single place
    int line;
    double line_before, line_after;
};
struct gate_entry { // one variant on one case
    const char *experiment, *case_label, *variant;
    enum gate_verdict verdict;
    const char *why;  // one sentence; NULL: nothing to say
    const char *file; // where to look; NULL: not known
    int line;
    struct gate_change *changes;
    int change_count;
    double before_ns, after_ns; // NAN: not timed
    enum provenance time_provenance;
    bool timed;          // two sets of samples were compared:
    bool sampled_little; // too noisy to tell, as there are too few blocks of samples now
    double low, high;    // 95 % interval of the growth, a share: 0.02 = 2 % longer
    double p;            // that it is no slower than allowed, Holm-corrected over the suite
    size_t before_samples, after_samples;
};
struct gate_property { // said once: "false alarms" "0 of 37"
    const char *name, *value;
};
struct gate_report {
    const char *suite;
    const char *baseline; // "ridge.lock", "baseline main", "revision 1a2b3c"
    struct gate_entry *entries;
    int count;
    int counts[GATE_VERDICT_COUNT];
    const char *const *notes; // for people, a sentence each
    int note_count;
    struct gate_property *properties;
    int property_count;
    const char *
        distrust; // why verdicts of this machine cannot be trusted, by the self-test; NULL: they can
};
bool gate_passed(const struct gate_report *r);
const struct gate_entry *gate_find(const struct gate_report *r, const char *experiment,
                                   const struct result *result);
// Fills the counts, and orders the entries: failing verdicts first, then as they came.
void gate_conclude(struct gate_report *r);

/* ---- what is judged -------------------------------------------------------------------------------------- */

struct gate_subject { // an experiment of a suite, after its run
    const struct experiment *experiment;
    const struct run *run; // NULL: it could not be run …
    const char *error;     // … and why
    bool gone;             // it is of the baseline only: `before` is what it had
    bool partial;          // only some of its variants or cases were asked for
    // What it is held against where that is no lock; NULL: there is none, everything is new.
    const struct run *before;
    const char *refused; // why nothing of it can be compared (another chip, driver …); or NULL
};

// Why the two cannot be compared: another chip, driver, clock policy, state of caches, model of time or
// compiler of simulated code. NULL: they can.
const char *gate_conditions_differ(struct arena *a, const struct run *before,
                                   const struct run *now);

/* ---- two sets of runs -------------------------------------------------------------------------------- */

// Of a run of a joined experiment (experiment_join): the results of `now`, and those of the other revision
// under their own names.
void gate_split(struct arena *a, const struct run *joined, const char *suffix,
                const char *before_path, struct run *now, struct run *before);
// Judges each subject's run against its `before`. Simulated runs by their counters and modelled times, as a
// lock is; measured ones by their samples: Mann-Whitney on the median's side of what is allowed, the p
// values of all variants corrected together (Holm), alarms at 1 %.
bool gate_runs(struct arena *a, struct gate_subject *subjects, int count, struct gate_report *out,
               struct error *err) CHECK_RESULT;

/* ---- the self-test (selftest.c) ---------------------------------------------------------------------- */

enum { SELFTEST_PAIRS = 4, SELFTEST_LEVELS = 7 };
struct selftest {
    const char *device;
    int elements, blocks_per_sm, base_steps;
    double base_ns, step_ns; // of the kernel with base_steps; of one step of the delay
    enum provenance provenance;
    int steps[SELFTEST_LEVELS];        // planted, beside base_steps
    int wanted;                        // rounds
    const char *ended;                 // why fewer were finished; NULL: all were
    int rounds, pairs, alarms;         // pairs of the same code, and how many were called slower
    int caught[SELFTEST_LEVELS];       // in how many rounds
    double grown_pct[SELFTEST_LEVELS]; // by the medians, summed over the rounds
    double unlike_pct,
        unlike_most_pct; // by which the second of a pair grew: summed, and the most either way
};
// The texts of two experiments: one to calibrate by, then one for each round. They lie beside selftest.cu.
void selftest_init(struct selftest *t, bool simulated);
void selftest_calibration(const struct selftest *t, struct text *out);
bool selftest_calibrate(struct selftest *t, const struct run *run, struct error *err) CHECK_RESULT;
void selftest_round(const struct selftest *t, struct text *out);
bool selftest_count(struct arena *a, struct selftest *t, const struct run *run,
                    struct error *err) CHECK_RESULT;
// Plays so many rounds. What is finished stays where one is interrupted (*cancelled), and no further one begins after
// limit_s (0 = none): t->ended says so. false: a round failed for another reason, or none was finished.
typedef bool (*selftest_player)(void *context, struct error *err);
bool selftest_play(struct selftest *t, int rounds, double limit_s, const volatile bool *cancelled,
                   selftest_player play, void *context, struct error *err) CHECK_RESULT;
double selftest_planted_pct(const struct selftest *t, int level);
// The least level that is caught, as all larger ones, in 95 % of the rounds; SELFTEST_LEVELS: none.
int selftest_smallest(const struct selftest *t);
// The alarms are no more than 1 % of the pairs explains.
bool selftest_passed(const struct selftest *t);
// As the report's properties, and its distrust.
void selftest_report(struct arena *a, const struct selftest *t, struct gate_report *out);

/* ---- ridge.lock ------------------------------------------------------------------------------------------ */

enum lock_figure {
#define LOCK(id, name, unit, counters, of_line, increase) LOCK_##id,
#include "gate/lock.def"
#undef LOCK
    LOCK_FIGURE_COUNT
};
const char *lock_figure_name(enum lock_figure f);     // "global_sectors"
const char *lock_figure_increase(enum lock_figure f); // "more sectors of global memory"
struct lock_line {                                    // lines of source of the same text, together
    const char *text;
    const char *file; // of the run just made; not in the lock's text
    int line;
    double value[LOCK_FIGURE_COUNT];
};
struct lock_entry {
    const char *experiment, *case_label, *variant;
    double value[LOCK_FIGURE_COUNT];
    double time_ns; // modelled; NAN: the chip has no modelled time
    struct lock_line *lines;
    int line_count;
};
struct lock {
    const char *device;    // "sim:h200"
    const char *compiler;  // "clang 14.0.6": of all sources that are compiled
    const char *registers; // "estimated", or "ptxas"
    const char *model; // hash of what the modelled time rests on: ridge's version, the chip's file
    uint64_t seed;
    struct lock_entry *entries;
    int count;
};
// What the runs counted. Results that were skipped, failed or are wrong are not in it.
// One compiler for all, or it fails: a lock could not be made again.
bool lock_of_runs(struct arena *a, const struct gate_subject *subjects, int count, struct lock *out,
                  struct error *err) CHECK_RESULT;
void lock_write(const struct lock *l, struct text *out);
bool lock_parse(struct arena *a, const char *file, const char *text, size_t size_bytes,
                struct lock *out, struct error *err) CHECK_RESULT;
// Entries of the old lock whose experiments were not run stay; the others are the fresh ones.
void lock_merge(struct arena *a, const struct lock *old, const struct gate_subject *subjects,
                int count, struct lock *fresh);
// Holds what the subjects' runs counted (`fresh`) against what was committed. Fails, and judges nothing, where the
// two were not made under the same conditions. whole: entries of experiments that are no subjects
// are missing, not left out.
bool gate_lock(struct arena *a, const struct lock *committed, const struct lock *fresh,
               const struct gate_subject *subjects, int count, bool whole, struct gate_report *out,
               struct error *err) CHECK_RESULT;

#endif
