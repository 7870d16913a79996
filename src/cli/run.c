// ridge run, ridge verify, ridge show: one run, made (session.c) or read, and its report on standard output.
// SPDX-License-Identifier: Apache-2.0
#include "cli/session.h"

#include <string.h>

static const double patches_limit_s = 2; // a case of a simulated run, as it is reckoned

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

static bool devices_print(const struct options *o, const struct run *runs, int count,
                          struct error *err)
{
    struct text out = {0};
    struct report_style style = cli_style(o);
    bool done;
    if (option_given(o, OPTION_JSON)) {
        done = cli_print_json(report_devices_json(runs, count), err);
    } else {
        report_devices(runs, count, option_given(o, OPTION_MARKDOWN) ? NULL : &style, &out);
        done = cli_print(&out, err);
    }
    text_release(&out);
    return done;
}

// "sim:h200,sim:mi250x".
static bool devices_of(const struct options *o, struct arena *a, struct loop_request *q,
                       struct error *err)
{
    if (!cli_device_list(a, q->device, &q->devices, &q->device_count, err))
        return false;
    q->device = q->devices[0];
    if (q->device_count > REPORT_DEVICES_MAX)
        return fail(err, NOWHERE, "option --device: %d devices; at most %d fit into one table",
                    q->device_count, REPORT_DEVICES_MAX);
    if (q->device_count > 1 && option_given(o, OPTION_TUNED))
        return fail(err, NOWHERE, "option --tuned takes one device, not %d", q->device_count);
    return true;
}

static bool loop_command(const struct options *o, bool verify_only, int *status, struct error *err)
{
    struct session s;
    struct loop_request request = {.experiment_path = o->arguments[0], .verify_only = verify_only};
    struct arena a = {0};
    struct run *runs = NULL;
    bool record = !verify_only && !option_given(o, OPTION_NO_JOURNAL);
    request.variants = o->option[OPTION_VARIANT].values;
    request.variant_count = (int)o->option[OPTION_VARIANT].count;
    request.overrides = o->option[OPTION_PARAM].values;
    request.override_count = (int)o->option[OPTION_PARAM].count;
    bool done = session_request(o, &request, err) && devices_of(o, &a, &request, err) &&
                session_open(&s, o, record, err);
    if (!option_given(o, OPTION_TRY_PATCHES))
        request.patches_s = patches_limit_s;
    if (done) {
        int count = request.device_count;
        runs = ARENA_ARRAY(&a, struct run, count);
        memset(runs, 0, (size_t)count * sizeof *runs);
        done = option_given(o, OPTION_TUNED)               ? cli_run_tuned(o, &s, &request, err)
               : !session_run(&s, &a, &request, runs, err) ? false
               : count > 1                                 ? devices_print(o, runs, count, err)
                                                           : cli_run_print(o, &a, runs, err);
        *status = session_status(&s);
        session_close(&s);
    }
    for (int i = 0; runs && i < request.device_count; i++)
        json_decref(runs[i].header.environment);
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
