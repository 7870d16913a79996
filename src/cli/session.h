// session: the loop under a command that runs kernels: progress on standard error, each finished result
// into the journal. run, verify, suite and gate stand on it.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_CLI_SESSION_H
#define RIDGE_CLI_SESSION_H

#include "cli/cli.h"
#include "suite/suite.h"

struct session { // what the loop's events need
    const struct options *o;
    struct journal *journal; // NULL: nothing is recorded
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
};
// records: the journal is opened first, so that nothing is wasted if it cannot be written.
bool session_open(struct session *s, const struct options *o, bool records,
                  struct error *err) CHECK_RESULT;
// One run of the loop with the hypotheses that were written down, recorded as one run of the journal.
// The caller json_decref()s run->header.environment.
bool session_run(struct session *s, struct arena *a, struct loop_request *request, struct run *run,
                 struct error *err) CHECK_RESULT;
int session_status(
    const struct session *s); // of the results so far: 0, ERROR_CHECK or ERROR_SYSTEM
void session_close(struct session *s);
// What the options say of a run; the experiment and its selection are the caller's.
bool session_request(const struct options *o, struct loop_request *q,
                     struct error *err) CHECK_RESULT;

struct suite_session { // the loop over a suite's experiments
    const struct options *o;
    struct arena arena;
    struct suite suite;
    struct session session;
    struct loop_request request; // what all of them share
    bool looks_back;             // each run is held against the last one of its experiment
    struct suite_view view;      // what became of each
    struct error first;          // of the experiments that could not be run
    bool opened;
};
// Reads the options and opens the suite that the paths name, and the journal if it records. Closed also
// where opening failed.
bool suite_session_open(struct suite_session *w, const struct options *o, bool records,
                        const char *const *paths, int path_count, struct error *err) CHECK_RESULT;
bool suite_session_run(struct suite_session *w, struct error *err) CHECK_RESULT;
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

// ridge gate --against: the suite held against another revision of itself. Both are run.
bool gate_against(struct suite_session *w, const char *rev, struct gate_report *report,
                  struct error *err) CHECK_RESULT;

#endif
