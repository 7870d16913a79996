// ridge capture --list: runs a program with the recorder in it, or reads recordings, and says what GPUs did for it.
// Without --list its kernels are saved: capture_save.c.
// SPDX-License-Identifier: Apache-2.0
#include "capture/program.h"
#include "capture/timeline.h"
#include "cli/capture.h"
#include "device/device.h"
#include "import/import.h"
#include "report/timeline.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const size_t recording_max_bytes = (size_t)1 << 34;
static const char ending[] = ".ridgecap";

static bool take_file(struct timeline *t, const char *path, struct error *err)
{
    char *data;
    size_t size;
    if (!file_read(path, recording_max_bytes, &data, &size, err))
        return false;
    bool done = import_timeline_detect(data, size) ? import_timeline(t, path, data, size, err)
                                                   : capture_timeline_add(t, path, data, size, err);
    free(data);
    return done;
}

static int names_rise(const void *a, const void *b)
{
    const char *const *x = a, *const *y = b;
    return strcmp(*x, *y);
}

bool capture_take_folder(struct timeline *t, const char *folder, struct error *err)
{
    const char **names = NULL;
    size_t count = 0, capacity = 0;
    bool done = true;
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));) // NOLINT(concurrency-mt-unsafe): own stream
        if (str_ends_with(e->d_name, ending))
            VEC_PUSH(names, count, capacity, path_join(t->arena, folder, e->d_name));
    if (d)
        closedir(d);
    if (count > 0)
        qsort(names, count, sizeof *names, names_rise);
    for (size_t i = 0; done && i < count; i++)
        done = take_file(t, names[i], err);
    free(names);
    return done;
}

// Of recordings in which launches were timed in part.
static bool print_counted(const struct options *o, struct arena *a, const struct timeline *t,
                          struct error *err)
{
    struct estimates s;
    struct text out = {0};
    struct report_style style = cli_style(o);
    const char *output = option_text(o, OPTION_OUTPUT, NULL);
    if (t->work.count > 0)
        return fail(err, NOWHERE,
                    "recordings of both kinds, by sample and by --exact, are no one list: give "
                    "--from one of them");
    if (option_given(o, OPTION_TRACE) || (output && str_ends_with(output, ".html")))
        return fail(err, NOWHERE,
                    "this recording has no timeline: its launches were timed by sample; record "
                    "with --exact");
    timeline_estimate(a, t, &s);
    if (option_given(o, OPTION_JSON))
        cli_add_json(&out, report_counted_json(t, &s));
    else
        report_counted(t, &s, &style, &out);
    bool done = cli_write(output, &out, err);
    text_release(&out);
    return done;
}

static bool print_timeline(const struct options *o, struct arena *a, struct timeline *t,
                           struct error *err)
{
    struct timeline_summary s;
    struct text out = {0}, trace = {0};
    struct report_style style = cli_style(o);
    const char *trace_file = option_text(o, OPTION_TRACE, NULL);
    const char *output = option_text(o, OPTION_OUTPUT, NULL);
    bool done = true;
    for (size_t i = 0; i < t->processes.count; i++)
        if (t->processes.items[i].sampled)
            return print_counted(o, a, t, err);
    timeline_summarize(a, t, &s);
    if (option_given(o, OPTION_FLOORS) && !capture_floors(o, a, t, &s, err))
        return false;
    if (output && str_ends_with(output, ".html"))
        done = report_timeline_html(t, &s, &out, err);
    else if (option_given(o, OPTION_JSON))
        cli_add_json(&out, report_timeline_json(t, &s));
    else
        report_timeline(t, &s, &style, &out);
    if (trace_file)
        report_timeline_trace(t, &trace);
    done =
        done && cli_write(output, &out, err) && (!trace_file || cli_write(trace_file, &trace, err));
    text_release(&trace);
    text_release(&out);
    return done;
}

// What needs the time of every launch.
static bool wants_exact(const struct options *o)
{
    static const enum option_id asks[] = {OPTION_EXACT, OPTION_GRAPHS, OPTION_TRACE, OPTION_FLOORS};
    const char *output = option_text(o, OPTION_OUTPUT, NULL);
    bool exact = !capture_can_sample() || (output && str_ends_with(output, ".html")) ||
                 getenv("RIDGE_CAPTURE_CALLS") || getenv("RIDGE_CAPTURE_GRAPHS");
    for (size_t i = 0; i < COUNT_OF(asks); i++)
        exact |= option_given(o, asks[i]);
    return exact;
}

static bool watch(const struct options *o, struct timeline *t, int *status, struct error *err)
{
    struct work_folder folder;
    bool to_screen = !option_given(o, OPTION_OUTPUT);
    const char *graphs = option_text(o, OPTION_GRAPHS, NULL);
    if (graphs && strcmp(graphs, "kernels") != 0 && strcmp(graphs, "whole") != 0)
        return fail(err, NOWHERE, "--graphs '%s': 'kernels' or 'whole'", graphs);
    if (!work_folder_open(&folder, err))
        return false;
    if (!option_given(o, OPTION_QUIET))
        cli_say("recording in %s: at most 1 GiB of disk and %s of memory per process\n",
                folder.path, wants_exact(o) ? "65 MiB" : "40 MiB");
    struct watched_program p = {.argv = o->program,
                                .folder = folder.path,
                                .cupti = device_cupti(t->arena),
                                .graphs = graphs,
                                .sampled = !wants_exact(o),
                                .output_aside = to_screen && option_given(o, OPTION_JSON)};
    bool done = capture_program(&p, status, err) && capture_take_folder(t, folder.path, err);
    work_folder_close(&folder);
    return done;
}

bool command_capture(const struct options *o, int *status, struct error *err)
{
    struct arena a = {0};
    struct timeline t = {.arena = &a};
    static const enum option_id of_runs[] = {OPTION_GRAPHS, OPTION_EXACT};
    const char *from = option_text(o, OPTION_FROM, NULL);
    *status = 0;
    if (option_given(o, OPTION_FLOORS) && !option_given(o, OPTION_LIST_WORK))
        return fail(err, NOWHERE, "--floors ranks the kernels of a list: give --list too");
    for (size_t i = 0; i < COUNT_OF(of_runs); i++)
        if (option_given(o, of_runs[i]) && (!option_given(o, OPTION_LIST_WORK) || from))
            return fail(err, NOWHERE, "--%s is of a program that --list runs",
                        option_name(of_runs[i]));
    if (option_given(o, OPTION_DEVICE) && !option_given(o, OPTION_FLOORS))
        return fail(err, NOWHERE,
                    "--device says what --floors runs kernels again on; a program chooses its own "
                    "GPUs");
    if (!option_given(o, OPTION_LIST_WORK))
        return capture_save(o, status, err);
    if (!from == !o->program)
        return fail(
            err, NOWHERE,
            "`ridge capture` needs a program after `--`, or recordings by --from, not both");
    if (from && option_given(o, OPTION_FLOORS))
        return fail(err, NOWHERE,
                    "--floors runs the program once more: give it after `--` instead of --from");
    struct stat found;
    bool is_folder = from && stat(from, &found) == 0 && S_ISDIR(found.st_mode);
    bool done = !from       ? watch(o, &t, status, err)
                : is_folder ? capture_take_folder(&t, from, err)
                            : take_file(&t, from, err);
    if (done && t.processes.count == 0 && from)
        done = fail(err, NOWHERE, "%s: no recording (*%s) is there", from, ending);
    if (done && t.processes.count == 0)
        cli_warn("nothing was recorded: the program, or its driver, did not load the recorder");
    done = done && print_timeline(o, &a, &t, err);
    timeline_release(&t);
    arena_release(&a);
    return done;
}
