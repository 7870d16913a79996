// Results that a server does not take because it went away: they go into a journal on this machine, from which
// `ridge import` adds them to the server's run. A server that is away before a run begins is an error, as a file that
// cannot be written is; one that goes away in the middle must not cost an hour of measuring.
// SPDX-License-Identifier: Apache-2.0
#include "journal/internal.h"

#include <stdlib.h>
#include <string.h>

const struct journal_kept *journal_kept(const struct journal *j)
{
    return &j->kept;
}

bool is_keeping(const struct journal *j, int64_t run)
{
    return j->kept.path && j->kept_id == run;
}

// The header's JSON with the server's run that this one goes on with.
static char *continuing_text(const struct journal *j, int64_t run)
{
    json_t *header = json_loads(j->run_text, 0, NULL);
    json_object_set_new(header, "continues",
                        json_pack("{s:s, s:I}", "journal", j->path, "run", (json_int_t)run));
    char *text = json_dumps(header, JSON_COMPACT);
    json_decref(header);
    return text;
}

// run: the server's, 0 = it has none.
static bool keep_begin(struct journal *j, int64_t run, struct error *err)
{
    struct error why = {0};
    struct arena *a = &j->run_arena;
    const char *path = user_data_path(a, "unsent.sqlite");
    char *text = run > 0 ? continuing_text(j, run) : xstrdup(j->run_text);
    bool done = (j->keeper || journal_open(path, false, &j->keeper, &why)) &&
                journal_begin_text(j->keeper, &j->run, text, &j->keeper_run, &why);
    free(text);
    if (!done)
        return error_context(err, "and it could not be kept on this machine: %s", why.message);
    j->keeper->run = j->run; // its sources are kept too
    j->keeper->run.id = j->keeper_run;
    j->kept = (struct journal_kept){path, run, 0, arena_strdup(a, err->message)};
    error_clear(err);
    return true;
}

static bool is_away(struct journal *j)
{
    return j->engine->gone && j->engine->gone(j);
}

bool keep_run(struct journal *j, int64_t *id, struct error *err)
{
    if (!is_away(j) || !keep_begin(j, 0, err))
        return false;
    *id = j->kept_id = j->keeper_run;
    return true;
}

// From here on, if not yet, where the run is this process's and its server is away.
static bool keeps(struct journal *j, int64_t run, struct error *err)
{
    if (is_keeping(j, run))
        return true;
    if (!is_away(j) || j->run.id != run || !keep_begin(j, run, err))
        return false;
    j->kept_id = run;
    return true;
}

bool keep_result(struct journal *j, int64_t run, const struct result *r, struct error *err)
{
    if (!keeps(j, run, err))
        return false;
    bool done = journal_add_result(j->keeper, j->keeper_run, r, err);
    j->kept.result_count += done;
    return done;
}

bool keep_end(struct journal *j, int64_t run, const char *stop_reason, struct error *err)
{
    if (!keeps(j, run, err))
        return false;
    return journal_end_run(j->keeper, j->keeper_run, stop_reason, err);
}
