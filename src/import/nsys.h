// What both readers of Nsight Systems' SQLite export share: its kernels as results, and as a timeline. Private to import.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_IMPORT_NSYS_H
#define RIDGE_IMPORT_NSYS_H

#include "import/internal.h"

#include <sqlite3.h>

// The caller closes *db, also where it fails.
bool nsys_open(const struct source *s, sqlite3 **db, struct error *err) CHECK_RESULT;
// Has the table that column (NULL: any)?
bool nsys_column(sqlite3 *db, const char *table, const char *name);
// The column, or NULL where this version of the export lacks it.
const char *nsys_either(sqlite3 *db, const char *table, const char *name);
bool nsys_rows(void *context, sqlite3 *db, const char *file, const char *sql,
               void (*take)(void *context, sqlite3_stmt *s), struct error *err) CHECK_RESULT;

#endif
