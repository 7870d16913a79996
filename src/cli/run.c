// ridge run, ridge verify, ridge show: one run, made (session.c) or read, and its report on standard output.
// SPDX-License-Identifier: Apache-2.0
#include "cli/session.h"

bool cli_markdown(struct arena *a, const struct run *run, struct text *out, struct error *err)
{
    struct experiment *e = NULL;
    struct error gone = {0};
    const char *path = run->header.experiment_path; // NULL: imported, or recorded by a program
    if (!path || !experiment_load(a, path, &e, &gone))
        e = NULL; // the report says that the sources are gone
    return report_markdown(run, e, out, err);
}

bool cli_run_print(const struct options *o, struct arena *a, const struct run *run,
                   struct error *err)
{
    struct text out = {0};
    struct report_style style = cli_style(o);
    bool done = true;
    if (option_given(o, OPTION_JSON)) {
        report_json(run, &out);
    } else if (option_given(o, OPTION_MARKDOWN)) {
        done = cli_markdown(a, run, &out, err);
    } else if (o->command == COMMAND_verify) {
        report_verify(run, &style, &out);
    } else {
        report_terminal(run, &style, &out);
    }
    done = done && cli_print(&out, err);
    text_release(&out);
    return done;
}

static bool loop_command(const struct options *o, bool verify_only, int *status, struct error *err)
{
    struct session s;
    struct loop_request request = {.experiment_path = o->arguments[0], .verify_only = verify_only};
    struct arena a = {0};
    struct run run = {0};
    bool record = !verify_only && !option_given(o, OPTION_NO_JOURNAL);
    request.variants = o->option[OPTION_VARIANT].values;
    request.variant_count = (int)o->option[OPTION_VARIANT].count;
    request.overrides = o->option[OPTION_PARAM].values;
    request.override_count = (int)o->option[OPTION_PARAM].count;
    bool done = session_request(o, &request, err) && session_open(&s, o, record, err);
    if (done) {
        done = option_given(o, OPTION_TUNED)
                   ? cli_run_tuned(o, &s, &request, err)
                   : session_run(&s, &a, &request, &run, err) && cli_run_print(o, &a, &run, err);
        *status = session_status(&s);
        session_close(&s);
    }
    json_decref(run.header.environment);
    arena_release(&a);
    return done;
}

bool command_run(const struct options *o, int *status, struct error *err)
{
    return loop_command(o, false, status, err);
}

bool command_verify(const struct options *o, int *status, struct error *err)
{
    return loop_command(o, true, status, err);
}

bool cli_run_find(const struct options *o, struct arena *a, struct run *run, struct error *err)
{
    struct journal *j = NULL;
    int64_t id = 0;
    const char *name = NULL, *variant;
    if (o->argument_count > 0 && !str_to_i64(o->arguments[0], &id) &&
        !cli_experiment_name(a, o->arguments[0], &name, &variant, err))
        return false;
    bool done = cli_journal_open(o, true, &j, err) && journal_get_run(j, a, id, name, run, err) &&
                cli_objective(o, &run->header.objective, err);
    journal_close(j);
    return done;
}

bool command_show(const struct options *o, int *status, struct error *err)
{
    struct arena a = {0};
    struct run run = {0};
    *status = 0;
    bool done = cli_run_find(o, &a, &run, err) && cli_run_print(o, &a, &run, err);
    json_decref(run.header.environment);
    arena_release(&a);
    return done;
}
