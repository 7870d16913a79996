// The journal's tables: made where there are none, added to where they are of an older version.
// SPDX-License-Identifier: Apache-2.0
#include "journal/internal.h"
#include "journal/schema.sql.h"

#include <string.h>

static const struct wording *word_at(const struct wording *words, const char *at)
{
    for (; words && words->here; words++)
        if (str_starts_with(at, words->here))
            return words;
    return NULL;
}

// schema.sql.h in the engine's words.
static const char *in_words_of(struct arena *a, const struct engine *e, const char *sql)
{
    struct text out = {0};
    while (*sql) {
        const struct wording *w = word_at(e->words, sql);
        if (w)
            text_add(&out, w->there);
        else
            text_addn(&out, sql, 1);
        sql += w ? strlen(w->here) : 1;
    }
    const char *copy = arena_strdup(a, text_str(&out));
    text_release(&out);
    return copy;
}

// Inside one transaction that keeps all others out, and the version is asked for again there: two first runs at
// once are safe.
static bool schema_make(struct journal *j, struct error *err)
{
    const struct engine *e = j->engine;
    if (!e->exec(j, e->begin_schema))
        return e->fail(j, "write to", err);
    bool done = e->version(j, &j->version, err);
    if (done && j->version < JOURNAL_SCHEMA_VERSION) {
        const char *sql = j->version <= 0 ? journal_schema : journal_upgrades[j->version - 1];
        done = (e->exec(j, in_words_of(&j->arena, e, sql)) || e->fail(j, "write to", err)) &&
               e->set_version(j, JOURNAL_SCHEMA_VERSION, err);
        j->version = JOURNAL_SCHEMA_VERSION;
    }
    done = done && (e->exec(j, "COMMIT") || e->fail(j, "write to", err));
    if (!done)
        (void)e->exec(j, "ROLLBACK");
    return done;
}

bool schema_check(struct journal *j, bool read_only, struct error *err)
{
    if (!j->engine->version(j, &j->version, err))
        return false;
    if (j->version > JOURNAL_SCHEMA_VERSION)
        return fail(
            err, NOWHERE,
            "the journal %s was written by a newer ridge (schema %d, this one knows %d): use that "
            "one, or name another file with --journal or RIDGE_JOURNAL",
            j->path, j->version, JOURNAL_SCHEMA_VERSION);
    if (j->version == 0 && read_only)
        return fail(err, NOWHERE, "the journal %s is empty: nothing was recorded yet", j->path);
    return j->version == JOURNAL_SCHEMA_VERSION || read_only || schema_make(j, err);
}
