// ridge explain --try-patches: the patches of a simulated run's findings simulated now (loop/trial.c).
// ridge explain --again: a recorded run of a real GPU diagnosed anew, without it: its times and counters, a fresh simulation on
// the side, today's rules. --side-limit 0: the rules alone, on what was simulated then. Nothing is recorded.
// SPDX-License-Identifier: Apache-2.0
#include "cli/session.h"

#include <string.h>

static const double side_limit_s = 20; // a variant: no GPU waits for it

static bool is_first_of_its_case(const struct run *run, const struct result *only, int i)
{
    for (int k = 0; k < i && !only; k++)
        if (strcmp(run->results[k].case_label, run->results[i].case_label) == 0)
            return false;
    return !only || only == &run->results[i];
}

// The experiment lies where it lay, or it is one that is found by its name.
static const char *experiment_of(const struct run_header *h)
{
    return h->experiment_path && file_exists(h->experiment_path) ? h->experiment_path
                                                                 : h->experiment;
}

static void take(const struct run *fresh, struct run *run)
{
    for (int i = 0; i < fresh->result_count; i++)
        for (int k = 0; k < run->result_count; k++)
            if (strcmp(run->results[k].variant, fresh->results[i].variant) == 0 &&
                strcmp(run->results[k].case_label, fresh->results[i].case_label) == 0)
                run->results[k] = fresh->results[i];
}

// All variants of the case of result `first`, or that one only.
static bool again(struct session *s, struct arena *a, struct loop_request how, struct run *run,
                  const struct result *only, int first, struct error *err)
{
    struct run fresh = {0};
    const struct result *r = &run->results[first];
    const char **variants = ARENA_ARRAY(a, const char *, run->result_count + 1);
    for (int i = 0; i < run->result_count; i++)
        if ((!only || only == &run->results[i]) &&
            strcmp(run->results[i].case_label, r->case_label) == 0)
            variants[how.variant_count++] = run->results[i].variant;
    how.variants = variants;
    how.overrides = cli_overrides_of(a, r);
    how.override_count = r->param_count;
    how.seed = r->seed;
    struct loop_events events = session_events(s);
    events.header = NULL;
    events.result = NULL;
    events.finished = NULL;
    bool done = loop_run(a, &how, &events, &fresh, err);
    session_line_end(s);
    json_decref(fresh.header.environment);
    if (done)
        take(&fresh, run);
    return done;
}

static bool all_again(struct session *s, struct arena *a, struct loop_request how,
                      const struct run *recorded, struct run *run, const struct result *only,
                      struct error *err)
{
    bool done = true;
    how.has_seed = true;
    how.recorded = recorded;
    for (int i = 0; done && i < run->result_count; i++)
        if (is_first_of_its_case(run, only, i))
            done = again(s, a, how, run, only, i, err);
    return done;
}

static bool is_possible(const struct run_header *h, const struct loop_request *how,
                        struct error *err)
{
    if (h->device_id && (how->unsided || !str_starts_with(h->device_id, "sim:")))
        return true;
    return fail(err, NOWHERE,
                "the run is of a simulated GPU: `ridge run %s` does all of it again; "
                "`--side-limit 0` has today's rules look at what was recorded",
                h->experiment);
}

bool cli_explain_again(const struct options *o, struct arena *a, struct run *run,
                       const struct result *only, struct error *err)
{
    struct session s = {0};
    struct loop_request how = {0};
    const struct run_header *h = &run->header;
    const struct run recorded = *run;
    if (!session_open(&s, o, false, err) || !session_request(o, &how, err) ||
        !is_possible(h, &how, err) || !cli_simulated_of(a, h, &how.device, err)) {
        session_close(&s);
        return false;
    }
    how.experiment_path = experiment_of(h);
    if (!option_given(o, OPTION_SIDE_LIMIT))
        how.side_limit_s = side_limit_s;
    how.no_verify = true;
    bool done = all_again(&s, a, how, &recorded, run, only, err);
    session_close(&s);
    return done;
}

bool cli_explain_trying(const struct options *o, struct arena *a, struct run *run,
                        const struct result *only, struct error *err)
{
    struct session s = {0};
    struct loop_request how = {0};
    const struct run_header *h = &run->header;
    const struct run recorded = *run;
    bool done = session_open(&s, o, false, err) && session_request(o, &how, err);
    if (done && !(h->device_id && str_starts_with(h->device_id, "sim:")))
        done = fail(err, NOWHERE,
                    "the run is of %s: with --again too its patches are simulated on the side",
                    h->device_id ? h->device_id : "no known device");
    how.device = h->device_id;
    how.experiment_path = experiment_of(h);
    how.warm = h->cache_state && strcmp(h->cache_state, "warm") == 0;
    how.unsided = true;
    done = done && all_again(&s, a, how, &recorded, run, only, err);
    session_close(&s);
    return done;
}
