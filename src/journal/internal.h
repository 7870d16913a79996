// The open journal and the few verbs its parts share.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_JOURNAL_INTERNAL_H
#define RIDGE_JOURNAL_INTERNAL_H

#include <sqlite3.h>

#include "journal/journal.h"

struct journal {
    sqlite3 *db;
    const char *path;
    struct arena arena;
    struct run_header run; // id, started and experiment_path of the one begun last
    struct arena run_arena;
    int64_t sources_bytes_max;
};

// "cannot <doing> the journal PATH: why, what to do"; returns false.
bool journal_fail(struct journal *j, const char *doing, struct error *err);
bool journal_exec(struct journal *j, const char *sql, const char *doing,
                  struct error *err) CHECK_RESULT;
bool journal_insert(struct journal *j, struct error *err, const char *sql, const char *types,
                    ...) CHECK_RESULT;
// Wraps `body` in one transaction; anything that fails leaves the journal as it was.
typedef bool (*journal_body)(struct journal *j, void *context, struct error *err);
bool journal_transaction(struct journal *j, journal_body body, void *context,
                         struct error *err) CHECK_RESULT;
// A journal of an older schema, opened for reading, lacks some.
bool journal_has_table(struct journal *j, const char *table);
// Keeps the text of the files that the result's lines name, each once (sources.c). A file that was
// edited since the run began, or is too large, is left out.
bool journal_add_sources(struct journal *j, int64_t run, const struct result *r,
                         struct error *err) CHECK_RESULT;
bool journal_get_sources(struct journal *j, struct arena *a, struct run *out,
                         struct error *err) CHECK_RESULT;

#endif
