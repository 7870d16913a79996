// What the readers of profilers' SQLite files share: Nsight Systems' kernels as results, and as a timeline; rocprofv3's
// databases as a timeline. Private to import.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_IMPORT_NSYS_H
#define RIDGE_IMPORT_NSYS_H

#include "import/internal.h"

#include <limits.h>
#include <sqlite3.h>

// The caller closes *db, also where it fails.
bool nsys_open(const struct source *s, sqlite3 **db, struct error *err) CHECK_RESULT;
// Has the table that column (NULL: any)?
bool nsys_column(sqlite3 *db, const char *table, const char *name);
// The column, or NULL where this version of the export lacks it.
const char *nsys_either(sqlite3 *db, const char *table, const char *name);
bool nsys_rows(void *context, sqlite3 *db, const char *file, const char *sql,
               void (*take)(void *context, sqlite3_stmt *s), struct error *err) CHECK_RESULT;

// rocprofv3's database (rocpd_timeline.c); *found: it is one.
bool rocpd_read(struct timeline *t, sqlite3 *db, const char *file, bool *found,
                struct error *err) CHECK_RESULT;

static inline uint64_t sqlite_at_least_0(sqlite3_stmt *s, int column)
{
    sqlite3_int64 value = sqlite3_column_int64(s, column);
    return value > 0 ? (uint64_t)value : 0;
}

static inline int sqlite_whole(sqlite3_stmt *s, int column)
{
    sqlite3_int64 value = sqlite3_column_int64(s, column);
    return value < 0 ? 0 : value > INT_MAX ? INT_MAX : (int)value;
}

#endif
