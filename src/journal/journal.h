// journal: all runs, in one SQLite file or on a PostgreSQL server, one transaction per result. Nothing recorded is
// lost by a kill, a full disk or others writing at the same time.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_JOURNAL_H
#define RIDGE_JOURNAL_H

#include "base/base.h"
#include "record/record.h"

struct journal;
// path: a file, or postgresql://user@host:port/database; NULL: RIDGE_JOURNAL, else
// user_data_path("journal.sqlite"). Made if missing; an older schema is migrated, a newer one refused. read_only:
// never writes, fails if missing.
bool journal_open(const char *path, bool read_only, struct journal **out,
                  struct error *err) CHECK_RESULT;
void journal_close(struct journal *j);
const char *journal_path(const struct journal *j); // an address without its password
bool journal_is_address(const char *name);
// The name as it may be shown and recorded: an address without password and settings. Arena-owned.
char *journal_shown(struct arena *a, const char *name);
char *journal_shown_within(struct arena *a, const char *text); // every address in it

// Starts a run: its id. The run is marked unfinished until journal_end_run.
bool journal_begin_run(struct journal *j, const struct run_header *h, int64_t *id,
                       struct error *err) CHECK_RESULT;
// One transaction: result, samples, counters, findings, expectations.
bool journal_add_result(struct journal *j, int64_t run, const struct result *r,
                        struct error *err) CHECK_RESULT;
bool journal_end_run(struct journal *j, int64_t run, const char *stop_reason,
                     struct error *err) CHECK_RESULT;

// A server that goes away during a run is waited for; what it does not take then is kept in a journal on this
// machine, and the run goes on.
struct journal_kept {
    const char *path; // NULL: the server took all
    int64_t run;      // its number on the server, 0 = it has none there
    int result_count; // kept here, of the run begun last
    const char *why;  // what the server said last
};
const struct journal_kept *journal_kept(const struct journal *j);

// Is the file a journal of ridge, by its mark?
bool journal_is_file(const char *path);
struct journal_copied {
    int run_count, result_count; // that were added
    int there_count;             // results that were there before
};
// Adds the runs of one journal to another: once, however often it is done. What was kept of a server's run
// becomes part of that run again.
bool journal_copy(struct journal *from, struct journal *to, struct journal_copied *out,
                  struct error *err) CHECK_RESULT;

struct journal_entry { // a line of `ridge log`
    int64_t id;
    const char *started, *experiment, *device, *git;
    bool finished;
    int result_count, verified_count, failed_count;
    const char *best_variant;          // fastest verified of the last case, or NULL
    double best_time_ns, best_speedup; // speedup against the first variant; NAN
    enum provenance best_provenance;
};
struct journal_filter {
    const char *experiment, *device; // NULL = any
    int limit;                       // newest first; 0 = all
};
bool journal_list(struct journal *j, struct arena *a, const struct journal_filter *filter,
                  struct journal_entry **entries, int *count, struct error *err) CHECK_RESULT;
// The whole run; id 0 = the newest (matching experiment when not NULL).
bool journal_get_run(struct journal *j, struct arena *a, int64_t id, const char *experiment,
                     struct run *out, struct error *err) CHECK_RESULT;

/* ---- baselines: runs that have a name ----------------------------------------------------------- */

struct journal_baseline {     // arena-owned
    const char *name, *suite; // suite: what was run, in words
    const char *saved;        // UTC; set by the journal
    int64_t *runs;            // one of each experiment
    int run_count;
};
// replace: one of that name makes room; else it is an error.
bool journal_add_baseline(struct journal *j, const struct journal_baseline *b, bool replace,
                          struct error *err) CHECK_RESULT;
bool journal_remove_baseline(struct journal *j, const char *name, bool *found,
                             struct error *err) CHECK_RESULT;
// By name; name NULL: all of them.
bool journal_baselines(struct journal *j, struct arena *a, const char *name,
                       struct journal_baseline **out, int *count, struct error *err) CHECK_RESULT;

/* ---- one figure over runs -------------------------------------------------------------------------- */

struct journal_figure { // of a right result
    int64_t run;
    const char *started, *git, *device, *case_label, *variant;
    double value;
    enum provenance provenance;
};
// metric: "time_ns", or the name of a counter. variant, device NULL: all. Those of a device, case and variant lie
// together, the oldest run first.
bool journal_figures(struct journal *j, struct arena *a, const char *experiment,
                     const char *variant, const char *device, const char *metric,
                     struct journal_figure **out, int *count, struct error *err) CHECK_RESULT;

/* ---- hypotheses ------------------------------------------------------------------------------- */

bool journal_add_hypothesis(struct journal *j, const char *experiment, const struct hypothesis *h,
                            struct error *err) CHECK_RESULT;
// Takes back the newest one on that variant.
bool journal_remove_hypothesis(struct journal *j, const char *experiment, const char *variant,
                               bool *found, struct error *err) CHECK_RESULT;
// The newest of each variant of the experiment, arena-owned.
bool journal_hypotheses(struct journal *j, struct arena *a, const char *experiment,
                        struct hypothesis **out, int *count, struct error *err) CHECK_RESULT;

struct judged_expectation { // one line of the record
    int64_t run;
    const char *experiment, *variant, *case_label, *device, *hypothesis;
    const char *what, *expected, *actual, *verdict;
};
struct
    judged_prediction { // what ridge's first finding on `variant` promised, what `answer` brought
    int64_t run;
    const char *experiment, *variant, *answer, *case_label, *device, *title;
    double before_ns, predicted_ns, actual_ns;
};
struct open_hypothesis { // no run has judged it yet
    const char *written, *experiment, *variant, *hypothesis;
};
struct hypothesis_record { // arena-owned; newest first
    struct judged_expectation *expectations;
    struct judged_prediction *predictions;
    struct open_hypothesis *open;
    int expectation_count, prediction_count, open_count;
};
// The filter's limit is of each list.
bool journal_hypothesis_record(struct journal *j, struct arena *a,
                               const struct journal_filter *filter, struct hypothesis_record *out,
                               struct error *err) CHECK_RESULT;

#endif
