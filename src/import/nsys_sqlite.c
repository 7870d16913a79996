// Nsight Systems' SQLite export: kernels, copies and fills with every start and end. Any table, and
// most columns, may be missing.
// SPDX-License-Identifier: Apache-2.0
#include "import/nsys.h"

#include <string.h>

static const char magic[] = "SQLite format 3";

bool nsys_sqlite_detect(const struct source *s)
{
    return s->size_bytes >= sizeof magic && memcmp(s->data, magic, sizeof magic) == 0;
}

static bool db_fail(sqlite3 *db, const char *file, struct error *err)
{
    return fail(err, (struct location){.file = file},
                "the SQLite file cannot be read: %s: export it again with `nsys export --type "
                "sqlite`",
                sqlite3_errmsg(db));
}

// A view would run whatever its author wrote, without an end too.
bool nsys_column(sqlite3 *db, const char *table, const char *name)
{
    sqlite3_stmt *s = NULL;
    static const char sql[] =
        "SELECT 1 FROM pragma_table_info(?1) WHERE (?2 IS NULL OR name = ?2) AND EXISTS"
        " (SELECT 1 FROM sqlite_schema m WHERE m.type = 'table' AND m.name = ?1)";
    bool found = sqlite3_prepare_v2(db, sql, -1, &s, NULL) == SQLITE_OK &&
                 sqlite3_bind_text(s, 1, table, -1, SQLITE_STATIC) == SQLITE_OK &&
                 sqlite3_bind_text(s, 2, name, -1, SQLITE_STATIC) == SQLITE_OK &&
                 sqlite3_step(s) == SQLITE_ROW;
    sqlite3_finalize(s);
    return found;
}

static const char kernel_table[] = "CUPTI_ACTIVITY_KIND_KERNEL";

const char *nsys_either(sqlite3 *db, const char *table, const char *name)
{
    return nsys_column(db, table, name) ? name : "NULL";
}

static const char *text_at(sqlite3_stmt *s, int column)
{
    const char *text = (const char *)sqlite3_column_text(s, column);
    return text ? text : "";
}

static void kernel_take(void *context, sqlite3_stmt *s)
{
    struct builder *b = context;
    double grid = 1, block = 1;
    for (int i = 0; i < 3; i++) {
        grid *= sqlite3_column_double(s, 3 + i);
        block *= sqlite3_column_double(s, 6 + i);
    }
    const char *shape =
        arena_printf(b->arena, "grid (%d, %d, %d) block (%d, %d, %d)", sqlite3_column_int(s, 3),
                     sqlite3_column_int(s, 4), sqlite3_column_int(s, 5), sqlite3_column_int(s, 6),
                     sqlite3_column_int(s, 7), sqlite3_column_int(s, 8));
    struct kernel *k = kernel_get(b, text_at(s, 0), shape, "");
    kernel_time(k, sqlite3_column_double(s, 2) - sqlite3_column_double(s, 1));
    kernel_shape(k, grid, block);
    if (sqlite3_column_type(s, 9) != SQLITE_NULL)
        counters_set(&k->counters, COUNTER_REGISTERS_PER_THREAD, sqlite3_column_double(s, 9),
                     PROVENANCE_MEASURED);
    if (sqlite3_column_type(s, 10) != SQLITE_NULL)
        counters_set(&k->counters, COUNTER_SHARED_BYTES_PER_BLOCK, sqlite3_column_double(s, 10),
                     PROVENANCE_MEASURED);
}

static void copy_take(void *context, sqlite3_stmt *s)
{
    struct builder *b = context;
    static const char *const kinds[] = {
        [1] = "Host-to-Device", [2] = "Device-to-Host", [8] = "Device-to-Device", [10] = "Peer"};
    int kind = sqlite3_column_int(s, 0);
    const char *word = kind >= 0 && kind < (int)COUNT_OF(kinds) && kinds[kind]
                           ? kinds[kind]
                           : arena_printf(b->arena, "kind %d", kind);
    kernel_time(
        kernel_get(b, arena_printf(b->arena, "[CUDA memcpy %s]", word), "", "memory operations"),
        sqlite3_column_double(s, 2) - sqlite3_column_double(s, 1));
}

static void fill_take(void *context, sqlite3_stmt *s)
{
    struct builder *b = context;
    kernel_time(kernel_get(b, "[CUDA memset]", "", "memory operations"),
                sqlite3_column_double(s, 2) - sqlite3_column_double(s, 1));
}

static void device_take(void *context, sqlite3_stmt *s)
{
    struct builder *b = context;
    if (b->device_name)
        return;
    b->device_name = arena_strdup(b->arena, text_at(s, 0));
    b->device_id = arena_printf(b->arena, "cuda:%d", sqlite3_column_int(s, 1));
    b->cc = sqlite3_column_double(s, 2) + sqlite3_column_double(s, 3) / 10;
}

bool nsys_rows(void *context, sqlite3 *db, const char *file, const char *sql,
               void (*take)(void *context, sqlite3_stmt *s), struct error *err)
{
    sqlite3_stmt *s = NULL;
    int code = sqlite3_prepare_v2(db, sql, -1, &s, NULL);
    while (code == SQLITE_OK || code == SQLITE_ROW) {
        code = sqlite3_step(s);
        if (code == SQLITE_ROW)
            take(context, s);
    }
    bool done = code == SQLITE_DONE || db_fail(db, file, err);
    sqlite3_finalize(s);
    return done;
}

static bool kernels_read(struct builder *b, sqlite3 *db, const char *file, struct error *err)
{
    const char *name =
        nsys_column(db, kernel_table, "demangledName") ? "demangledName" : "shortName";
    if (!nsys_column(db, "StringIds", "value"))
        return fail(err, (struct location){.file = file},
                    "the table StringIds with the kernels' names is missing: export the file again "
                    "with `nsys export --type sqlite`");
    const char *sql = arena_printf(
        b->arena,
        "SELECT coalesce(t.value, 'kernel ' || k.%s), k.start, k.end, gridX, gridY, gridZ, blockX,"
        " blockY, blockZ, %s, %s + %s FROM %s k LEFT JOIN StringIds t ON t.id = k.%s"
        " WHERE k.end > k.start ORDER BY k.start",
        name, nsys_either(db, kernel_table, "registersPerThread"),
        nsys_either(db, kernel_table, "staticSharedMemory"),
        nsys_either(db, kernel_table, "dynamicSharedMemory"), kernel_table, name);
    return nsys_rows(b, db, file, sql, kernel_take, err);
}

static bool tables_read(struct builder *b, sqlite3 *db, const char *file, struct error *err)
{
    static const char gpu_table[] = "TARGET_INFO_GPU", copies[] = "CUPTI_ACTIVITY_KIND_MEMCPY",
                      fills[] = "CUPTI_ACTIVITY_KIND_MEMSET";
    if (nsys_column(db, gpu_table, "name") &&
        !nsys_rows(b, db, file,
                   arena_printf(b->arena, "SELECT name, %s, %s, %s FROM TARGET_INFO_GPU",
                                nsys_either(db, gpu_table, "id"),
                                nsys_either(db, gpu_table, "computeMajor"),
                                nsys_either(db, gpu_table, "computeMinor")),
                   device_take, err))
        return false;
    b->device_id = b->device_id ? b->device_id : "cuda:0";
    if (nsys_column(db, kernel_table, NULL) && !kernels_read(b, db, file, err))
        return false;
    if (nsys_column(db, copies, NULL) &&
        !nsys_rows(b, db, file,
                   "SELECT copyKind, start, end FROM CUPTI_ACTIVITY_KIND_MEMCPY WHERE end > start"
                   " ORDER BY start",
                   copy_take, err))
        return false;
    return !nsys_column(db, fills, NULL) ||
           nsys_rows(b, db, file,
                     "SELECT 0, start, end FROM CUPTI_ACTIVITY_KIND_MEMSET WHERE end > start"
                     " ORDER BY start",
                     fill_take, err);
}

// Always from the bytes that were read: the user's file is neither locked nor given a journal.
bool nsys_open(const struct source *s, sqlite3 **db, struct error *err)
{
    unsigned char *copy = sqlite3_malloc64(s->size_bytes + 1);
    bool done = false;
    *db = NULL;
    if (copy && sqlite3_open(":memory:", db) == SQLITE_OK) {
        memcpy(copy, s->data, s->size_bytes);
        int code = sqlite3_deserialize(
            *db, "main", copy, (sqlite3_int64)s->size_bytes, (sqlite3_int64)s->size_bytes,
            SQLITE_DESERIALIZE_READONLY | SQLITE_DESERIALIZE_FREEONCLOSE);
        copy = NULL; // freed by SQLite, whatever came of it
        done = code == SQLITE_OK || db_fail(*db, s->file, err);
    } else {
        fail_as(err, ERROR_SYSTEM, NOWHERE, "no memory to open %s", s->file);
    }
    sqlite3_free(copy);
    return done;
}

bool nsys_sqlite_read(struct builder *b, const struct source *s, struct error *err)
{
    sqlite3 *db;
    bool done = nsys_open(s, &db, err) && tables_read(b, db, s->file, err);
    sqlite3_close(db);
    return done;
}
