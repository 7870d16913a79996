// suite: several experiments as one piece of work: which ones the user named, what is left after --only
// and --shard, and how much each weighs.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_SUITE_H
#define RIDGE_SUITE_H

#include "base/base.h"
#include "experiment/experiment.h"

struct suite_item {
    const char *path; // of the experiment's file or folder
    struct experiment *experiment;
    struct experiment *joined;    // with another revision's variants: run instead; or NULL
    const char *const *overrides; // "N=1024,2048"; only a suite's file has some
    int override_count;
    const char **variants; // only these; 0 = all
    int variant_count;
    bool partial; // --only left some of its variants out
    int jobs;     // variants times cases
};
struct suite {          // arena-owned
    const char *name;   // of its file, else of what was named first
    const char *folder; // that holds what belongs to it, ridge.lock among others
    struct suite_item *items;
    int count;
};
// Each path is an experiment (folder, file, name of a shipped one), a suite's file (`suite: NAME`), a folder
// with a suite.yaml, or a folder with experiments in its folders. Those of a folder come in the order of
// their names. An experiment that is named twice is an error.
bool suite_open(struct arena *a, const char *const *paths, int path_count, struct suite *out,
                struct error *err) CHECK_RESULT;
// The text of a suite's file, without opening its experiments: their paths, overrides and variants.
bool suite_parse(struct arena *a, const char *file, const char *text, size_t size_bytes,
                 struct suite *out, struct error *err) CHECK_RESULT;
// Keeps what matches one of the patterns (fnmatch(3)) "EXPERIMENT" or "EXPERIMENT:VARIANT". A pattern that
// matches nothing is an error.
bool suite_only(struct arena *a, struct suite *s, const char *const *patterns, int count,
                struct error *err) CHECK_RESULT;
// "2/8": of the experiments in order, the 2nd of each 8. Every experiment is in one shard. A shard may be
// empty.
bool suite_shard(struct suite *s, const char *text, struct error *err) CHECK_RESULT;

#endif
