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
};

// "cannot <doing> the journal PATH: why, what to do"; returns false.
bool journal_fail(struct journal *j, const char *doing, struct error *err);
bool journal_exec(struct journal *j, const char *sql, const char *doing,
                  struct error *err) CHECK_RESULT;
bool journal_insert(struct journal *j, struct error *err, const char *sql, const char *types,
                    ...) CHECK_RESULT;

#endif
