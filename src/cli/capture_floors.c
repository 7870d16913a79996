// ridge capture --list --floors: a launch of each of the kernels with the most time is saved by a second run of the program,
// and run again with counters: how far each is from the floor of its code. The first run, which the list is of, has no
// counters: those would make its kernels wait for each other.
// SPDX-License-Identifier: Apache-2.0
#include "cli/capture.h"
#include "cli/session.h"

#include <string.h>

static const double sampling_s = 0.5; // a kernel

// What the work of the busiest resource is from.
static enum provenance counts_from(const struct diagnosis *d)
{
    for (int i = 0; i < d->bound_count; i++)
        if (d->bounds[i].resource != RESOURCE_LAUNCH)
            return d->bounds[i].provenance;
    return PROVENANCE_ABSENT;
}

// Of the variant's time and counts; why: it has none.
static void take_floor(struct arena *a, const struct result *r, const char *device,
                       struct kernel_floor *out)
{
    const struct diagnosis *d = &r->diagnosis;
    if (r->status != RESULT_OK)
        out->why = arena_printf(a, "its saved launch did not run again right: %s",
                                r->error ? r->error : "the output differs");
    else if (r->time.provenance == PROVENANCE_ABSENT)
        out->why = "its saved launch could not be timed";
    else if (!r->diagnosed || counts_from(d) == PROVENANCE_ABSENT)
        out->why = r->note ? r->note : "nothing was counted of its saved launch";
    else
        *out = (struct kernel_floor){.time_ns = r->time.summary.median,
                                     .floor_ns = d->code_floor_ns,
                                     .floor_of = resource_name(d->bounds[0].resource),
                                     .limiter = d->limiter,
                                     .device = device,
                                     .time_from = provenance_name(r->time.provenance),
                                     .counts_from = provenance_name(counts_from(d))};
}

static void run_again(struct session *session, struct arena *a, const struct loop_request *how,
                      const char *folder, struct kernel_floor *out)
{
    struct loop_request request = *how;
    struct run run = {0};
    struct error err = {0};
    request.experiment_path = folder;
    request.time_limit_s = sampling_s;
    request.unsided = true;
    if (!session_run(session, a, &request, &run, &err))
        out->why = arena_strdup(a, err.message);
    else if (run.result_count > 0)
        take_floor(a, &run.results[0], run.header.device_id, out);
    json_decref(run.header.environment);
}

static const char *folder_of(const json_t *saved, const char *kernel)
{
    for (size_t i = 0; i < json_array_size(saved); i++) {
        const json_t *one = json_array_get(saved, i);
        if (strcmp(json_string_value(json_object_get(one, "kernel")), kernel) == 0)
            return json_string_value(json_object_get(one, "folder"));
    }
    return NULL;
}

static bool find_floors(const struct options *o, struct arena *a, const char *folder,
                        const struct timeline *t, struct timeline_summary *s, struct error *err)
{
    const char **names;
    json_t *saved = NULL;
    struct session session;
    struct loop_request how = {0};
    size_t count = capture_most_time(a, t, s, &names);
    if (!session_request(o, &how, err) || !session_open(&session, o, false, err))
        return false;
    bool done = count == 0 || capture_save_kernels(o, folder, names, count, &saved, err);
    for (size_t i = 0; done && i < count && !*cli_cancelled; i++) {
        struct kernel_floor *floor = ARENA_NEW(a, struct kernel_floor);
        const char *of = folder_of(saved, names[i]);
        *floor = (struct kernel_floor){.why = "no launch of it could be saved"};
        if (of)
            run_again(&session, a, &how, of, floor);
        timeline_set_floor(s, i, floor);
    }
    session_close(&session);
    json_decref(saved);
    return done;
}

bool capture_floors(const struct options *o, struct arena *a, const struct timeline *t,
                    struct timeline_summary *s, struct error *err)
{
    struct work_folder folder;
    if (!work_folder_open(&folder, err))
        return false;
    bool done = find_floors(o, a, folder.path, t, s, err);
    work_folder_close(&folder);
    return done;
}
