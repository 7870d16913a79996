// session: the loop under a command that runs kernels: progress on standard error, each finished result
// into the journal. run, verify, suite and gate stand on it.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_CLI_SESSION_H
#define RIDGE_CLI_SESSION_H

#include "cli/cli.h"
#include "fleet/ranks.h"
#include "suite/suite.h"

struct session { // what the loop's events need
    const struct options *o;
    struct journal *journal; // NULL: nothing is recorded
    enum objective objective;
    int64_t run_id;
    struct run_header header;
    bool live; // one line, rewritten: standard error is a terminal
    bool quiet;
    bool line_open;
    uint64_t said_ns; // off a terminal: when the last line was written
    int wrong, failed, system_failed, recorded;
    // Of a longer whole, of which a run of the loop is the part from share_before on; 0: it is the whole.
    double share_before, share_of;
    uint64_t whole_began_ns;
    const char *suite; // its name, into the header's environment; NULL: a run of its own
    // Optional: before anything of a run is compiled.
    void (*on_header)(void *context, const struct run_header *h);
    void *on_header_context;
};
// records: the journal is opened first, so that nothing is wasted if it cannot be written.
bool session_open(struct session *s, const struct options *o, bool records,
                  struct error *err) CHECK_RESULT;
// One run of the loop with the hypotheses that were written down, recorded as one run of the journal.
// The caller json_decref()s run->header.environment.
bool session_run(struct session *s, struct arena *a, struct loop_request *request, struct run *run,
                 struct error *err) CHECK_RESULT;
// What the loop's events do, for whoever runs it under the command in another way than session_run.
struct loop_events session_events(struct session *s);
void session_line_end(struct session *s); // the live line goes, before something else is said
int session_status(
    const struct session *s); // of the results so far: 0, ERROR_CHECK or ERROR_SYSTEM
void session_close(struct session *s);
// What the options say of a run; the experiment and its selection are the caller's.
bool session_request(const struct options *o, struct loop_request *q,
                     struct error *err) CHECK_RESULT;

// ridge run --tuned: each case as a run of its own, with the choices that the tuned table has for it.
bool cli_run_tuned(const struct options *o, struct session *s, const struct loop_request *how,
                   struct error *err) CHECK_RESULT;

struct suite_session { // the loop over a suite's experiments
    const struct options *o;
    struct arena arena;
    struct suite suite;
    struct session session;
    struct loop_request request; // what all of them share
    // Optional: what one of the experiments is run with beside what all share.
    void (*adjust)(void *context, int index, struct loop_request *q);
    void *context;
    bool looks_back;        // each run is held against the last one of its experiment
    struct suite_view view; // what became of each
    struct error first;     // of the experiments that could not be run
    bool opened;
};
// Reads the options and opens the suite that the paths name, and the journal if it records. Closed also
// where opening failed.
bool suite_session_open(struct suite_session *w, const struct options *o, bool records,
                        const char *const *paths, int path_count, struct error *err) CHECK_RESULT;
bool suite_session_run(struct suite_session *w, struct error *err) CHECK_RESULT;
// One of its experiments, into view.runs[index]; one that cannot be run is noted there. false: the suite cannot
// go on.
bool suite_session_item(struct suite_session *w, int index, struct error *err) CHECK_RESULT;
// The same of all of them, by the ranks of a parallel job: each experiment is one rank's. Rank 0 records and has the
// view, the others have none.
bool suite_session_ranks(struct suite_session *w, const struct ranks *ranks,
                         struct error *err) CHECK_RESULT;
// The last run of the experiment on that device, or NULL.
const struct run *suite_session_last(struct suite_session *w, const struct run *now);
// Once more one of its experiments, as `how` says. The caller json_decref()s out->header.environment.
bool suite_session_again(struct suite_session *w, int index, const struct loop_request *how,
                         const char **variants, int variant_count, struct run *out,
                         struct error *err) CHECK_RESULT;
void suite_session_close(struct suite_session *w);

/* ---- another revision of the sources ---------------------------------------------------------------- */

struct revision {       // checked out beside, in a worktree of git's
    const char *top;    // of the repository
    const char *commit; // whole
    const char *name;   // its first digits
    const char *path;   // of the worktree
    struct work_folder folder;
};
// Of the repository that the folder belongs to. Closed also where opening failed.
bool revision_open(struct arena *a, const char *folder, const char *rev, struct revision *r,
                   struct error *err) CHECK_RESULT;
// Where that file or folder lies in the other revision; NULL: it is not of the repository.
const char *revision_path(struct arena *a, const struct revision *r, const char *path);
void revision_close(struct revision *r);

/* ---- what a suite is held against --------------------------------------------------------------------- */

struct baseline { // opened
    const char *name;
    struct journal_baseline saved;
    struct run *runs;
    int run_count;
};
// Fails as a check does where there is none of that name. Closed also where opening failed.
bool cli_baseline_open(const struct options *o, struct arena *a, const char *name,
                       struct baseline *out, struct error *err) CHECK_RESULT;
void cli_baseline_close(struct baseline *b);
// "clang 14.0.6" as --compiler takes it: "clang".
const char *cli_compiler_word(struct arena *a, const char *compiler);
// ridge gate --baseline: the suite is run and held against those runs.
bool gate_baseline(struct suite_session *w, const char *name, struct gate_report *report,
                   struct error *err) CHECK_RESULT;
// What is too noisy to tell is sampled longer, round after round: the request of that one. false: it was the last.
bool gate_longer(const struct loop_request *how, int round, struct loop_request *longer);
// Once more what the report calls too noisy of that experiment, with the other revision's variants where there is
// a suffix; into `all`. *any is set where there was something.
bool gate_sample_again(struct suite_session *w, int index, const struct gate_report *report,
                       const char *suffix, const struct loop_request *longer, struct run *all,
                       bool *any, struct error *err) CHECK_RESULT;
// ridge gate --self-test, into the report's properties. Fails as a check does where the same code is called slower
// too often.
bool gate_selftest(const struct options *o, struct arena *a, struct gate_report *report,
                   struct error *err) CHECK_RESULT;
// ridge gate --against: the suite held against another revision of itself. Both are run.
bool gate_against(struct suite_session *w, const char *rev, struct gate_report *report,
                  struct error *err) CHECK_RESULT;

#endif
