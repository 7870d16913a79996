// What the lines of a run were: the texts of its sources, by content. A text that many runs had is kept
// once; all together they are bounded, and the oldest runs' go first.
// SPDX-License-Identifier: Apache-2.0
#include "journal/internal.h"
#include "journal/schema.sql.h"

#include <stdlib.h>
#include <string.h>

enum { HASH_SIZE = 33 };

static bool insert_text(struct journal *j, const char *hash, const char *text, size_t size_bytes,
                        struct error *err)
{
    sqlite3_stmt *s = NULL;
    bool done = sqlite3_prepare_v2(j->db, "INSERT OR IGNORE INTO sources VALUES(?,?,?)", -1, &s,
                                   NULL) == SQLITE_OK &&
                sqlite3_bind_text(s, 1, hash, -1, SQLITE_TRANSIENT) == SQLITE_OK &&
                sqlite3_bind_int64(s, 2, (sqlite3_int64)size_bytes) == SQLITE_OK &&
                sqlite3_bind_blob64(s, 3, text, size_bytes, SQLITE_TRANSIENT) == SQLITE_OK &&
                sqlite3_step(s) == SQLITE_DONE;
    if (!done)
        journal_fail(j, "write to", err);
    sqlite3_finalize(s);
    return done;
}

static bool is_kept(struct journal *j, int64_t run, const char *path)
{
    sqlite3_stmt *s = NULL;
    bool kept = sqlite3_prepare_v2(j->db, "SELECT 1 FROM run_sources WHERE run = ? AND path = ?",
                                   -1, &s, NULL) == SQLITE_OK &&
                sqlite3_bind_int64(s, 1, run) == SQLITE_OK &&
                sqlite3_bind_text(s, 2, path, -1, SQLITE_TRANSIENT) == SQLITE_OK &&
                sqlite3_step(s) == SQLITE_ROW;
    sqlite3_finalize(s);
    return kept;
}

static bool add_source(struct journal *j, int64_t run, const char *path, struct error *err)
{
    char *text = NULL;
    size_t size_bytes = 0;
    struct error ignored = {0};
    char hash[HASH_SIZE];
    if (is_kept(j, run, path) || !run_source_unchanged(&j->run, path, &ignored) ||
        !file_read(path, JOURNAL_SOURCE_BYTES_MAX, &text, &size_bytes, &ignored))
        return true;
    hash_hex(&(struct hash_piece){text, size_bytes}, 1, hash);
    bool done = insert_text(j, hash, text, size_bytes, err) &&
                journal_insert(j, err, "INSERT OR IGNORE INTO run_sources VALUES(?,?,?)", "iss",
                               (sqlite3_int64)run, path, hash);
    free(text);
    return done;
}

// One statement: 1 row with a number, or none (-1).
static bool ask_number(struct journal *j, const char *sql, int64_t run, int64_t *out,
                       struct error *err)
{
    sqlite3_stmt *s = NULL;
    int code = SQLITE_ERROR;
    *out = -1;
    if (sqlite3_prepare_v2(j->db, sql, -1, &s, NULL) == SQLITE_OK) {
        if (sqlite3_bind_parameter_count(s) > 0)
            sqlite3_bind_int64(s, 1, run);
        code = sqlite3_step(s);
        if (code == SQLITE_ROW && sqlite3_column_type(s, 0) != SQLITE_NULL)
            *out = sqlite3_column_int64(s, 0);
    }
    sqlite3_finalize(s);
    return code == SQLITE_ROW || code == SQLITE_DONE || journal_fail(j, "write to", err);
}

static bool drop_oldest(struct journal *j, int64_t run, struct error *err)
{
    for (;;) {
        int64_t total, oldest;
        if (!ask_number(j, "SELECT sum(size_bytes) FROM sources", 0, &total, err) ||
            !ask_number(j, "SELECT min(run) FROM run_sources WHERE run < ?", run, &oldest, err))
            return false;
        if (total <= j->sources_bytes_max || oldest < 0)
            return true;
        if (!journal_insert(j, err, "DELETE FROM run_sources WHERE run = ?", "i",
                            (sqlite3_int64)oldest) ||
            !journal_insert(
                j, err, "DELETE FROM sources WHERE hash NOT IN (SELECT hash FROM run_sources)", ""))
            return false;
    }
}

bool journal_add_sources(struct journal *j, int64_t run, const struct result *r, struct error *err)
{
    struct arena a = {0};
    bool done = true;
    const char *before = NULL;
    if (j->run.id != run)
        return true;
    for (int i = 0; done && i < r->line_count; i++) {
        const char *file = r->lines[i].file; // they are sorted by file
        if (!file || (before && strcmp(before, file) == 0) || path_is_foreign(file))
            continue;
        before = file;
        done = add_source(j, run, run_source_path(&a, &j->run, file), err);
    }
    arena_release(&a);
    return done && drop_oldest(j, run, err);
}

bool journal_get_sources(struct journal *j, struct arena *a, struct run *out, struct error *err)
{
    static const char sql[] = "SELECT path, size_bytes, text FROM run_sources JOIN sources "
                              "USING(hash) WHERE run = ?1 ORDER BY path";
    int64_t count;
    if (!ask_number(j, "SELECT count(*) FROM sqlite_schema WHERE name = 'run_sources'", 0, &count,
                    err))
        return false;
    if (count < 1) // a journal of an older version, only read
        return true;
    sqlite3_stmt *s = NULL;
    if (!ask_number(j, "SELECT count(*) FROM run_sources WHERE run = ?", out->header.id, &count,
                    err) ||
        sqlite3_prepare_v2(j->db, sql, -1, &s, NULL) != SQLITE_OK)
        return journal_fail(j, "read", err);
    out->sources = ARENA_ARRAY(a, struct source_text, (size_t)count + 1);
    sqlite3_bind_int64(s, 1, out->header.id);
    int code;
    while ((code = sqlite3_step(s)) == SQLITE_ROW && out->source_count < count) {
        const char *path = (const char *)sqlite3_column_text(s, 0);
        const char *text = sqlite3_column_blob(s, 2);
        size_t size_bytes = (size_t)sqlite3_column_bytes(s, 2);
        if (!path || !text)
            continue;
        out->sources[out->source_count++] = (struct source_text){
            arena_strdup(a, path), arena_strndup(a, text, size_bytes), size_bytes};
    }
    sqlite3_finalize(s);
    return code == SQLITE_DONE || code == SQLITE_ROW || journal_fail(j, "read", err);
}
