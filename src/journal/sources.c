// What the lines of a run were: the texts of its sources, by content. A text that many runs had is kept
// once; all together they are bounded, and the oldest runs' go first.
// SPDX-License-Identifier: Apache-2.0
#include "journal/internal.h"
#include "journal/schema.sql.h"

#include <stdlib.h>
#include <string.h>

enum { HASH_SIZE = 33 };

bool journal_add_source_text(struct journal *j, int64_t run, const struct source_text *source,
                             struct error *err)
{
    char hash[HASH_SIZE];
    hash_hex(&(struct hash_piece){source->text, source->size_bytes}, 1, hash);
    return journal_write(j, err, "INSERT INTO sources VALUES($1,$2,$3) ON CONFLICT DO NOTHING",
                         "sib", hash, (int64_t)source->size_bytes, (const void *)source->text,
                         source->size_bytes) &&
           journal_write(j, err, "INSERT INTO run_sources VALUES($1,$2,$3) ON CONFLICT DO NOTHING",
                         "iss", run, source->path, hash);
}

static bool add_source(struct journal *j, int64_t run, const char *path, struct error *err)
{
    char *text = NULL;
    struct source_text source = {.path = path};
    struct error ignored = {0};
    int64_t kept;
    if (!journal_ask(j, "read", &kept, err,
                     "SELECT 1 FROM run_sources WHERE run = $1 AND path = $2", "is", run, path))
        return false;
    if (kept > 0 || !run_source_unchanged(&(struct run){.header = j->run}, path, &ignored) ||
        !file_read(path, JOURNAL_SOURCE_BYTES_MAX, &text, &source.size_bytes, &ignored))
        return true;
    source.text = text;
    bool done = journal_add_source_text(j, run, &source, err);
    free(text);
    return done;
}

static bool drop_oldest(struct journal *j, int64_t run, struct error *err)
{
    for (;;) {
        int64_t total, oldest;
        if (!journal_ask(j, "read", &total, err,
                         "SELECT CAST(sum(size_bytes) AS BIGINT) FROM sources", "") ||
            !journal_ask(j, "read", &oldest, err, "SELECT min(run) FROM run_sources WHERE run < $1",
                         "i", run))
            return false;
        if (total <= j->sources_bytes_max || oldest < 0)
            return true;
        if (!journal_write(j, err, "DELETE FROM run_sources WHERE run = $1", "i", oldest) ||
            !journal_write(
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
    if (done && r->listing) {
        struct source_text listing = {listing_path(&a, r), r->listing, strlen(r->listing)};
        done = journal_add_source_text(j, run, &listing, err);
    }
    arena_release(&a);
    return done && drop_oldest(j, run, err);
}

bool journal_get_sources(struct journal *j, struct arena *a, struct run *out, struct error *err)
{
    struct source_text *items = NULL;
    size_t count = 0, capacity = 0;
    if (j->version < SCHEMA_WITH_SOURCES)
        return true;
    struct query q = query_start(j, "read",
                                 "SELECT path, text FROM run_sources JOIN sources USING(hash) "
                                 "WHERE run = $1 ORDER BY path",
                                 "i", out->header.id);
    while (query_next(&q)) {
        struct cell text = query_cell(&q, 1);
        struct source_text source = {query_text(&q, a, 0), NULL, text.size_bytes};
        if (!source.path || !text.text)
            continue;
        source.text = arena_strndup(a, text.text, text.size_bytes);
        VEC_PUSH(items, count, capacity, source);
    }
    out->sources = ARENA_ARRAY(a, struct source_text, count + 1);
    for (size_t i = 0; i < count; i++)
        out->sources[i] = items[i];
    out->source_count = (int)count;
    free(items);
    return query_end(&q, err);
}
