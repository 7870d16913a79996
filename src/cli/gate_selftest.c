// ridge gate --self-test: how often this machine calls the same code slower, and the smallest slow-down that it
// sees. The gate's own sampling and judgement, on kernels whose answer is known.
// SPDX-License-Identifier: Apache-2.0
#include "cli/session.h"
#include "gate/gate.h"

enum { ROUNDS_MEASURED = 10, ROUNDS_SIMULATED = 1 };

static const double limit_s = 0.4; // of sampling a variant, where --time-limit says nothing

static bool run_text(struct arena *a, const struct options *o, const char *folder,
                     const struct text *text, struct run *out, struct error *err)
{
    struct loop_request q = {0};
    struct loop_events events = {.cancel = cli_cancelled};
    const char *path = path_join(a, folder, "selftest.yaml");
    if (!session_request(o, &q, err) ||
        !experiment_parse(a, path, text_str(text), text->length, &q.experiment, err))
        return false;
    q.experiment_path = path;
    q.uncounted = true;
    q.time_limit_s = q.time_limit_s > 0 ? q.time_limit_s : limit_s;
    return loop_run(a, &q, &events, out, err);
}

static bool calibrate(struct arena *a, const struct options *o, const char *folder,
                      struct selftest *t, struct error *err)
{
    struct text text = {0};
    struct run run = {0};
    selftest_calibration(t, &text);
    bool done = run_text(a, o, folder, &text, &run, err) && selftest_calibrate(t, &run, err);
    if (done)
        t->device = arena_printf(a, "%s (%s)", run.header.device_name, run.header.device_id);
    json_decref(run.header.environment);
    text_release(&text);
    return done;
}

struct playing {
    struct arena *arena;
    const struct options *o;
    const char *folder;
    struct selftest *test;
};

static bool play_round(void *context, struct error *err)
{
    const struct playing *p = context;
    struct selftest *t = p->test;
    if (!option_given(p->o, OPTION_QUIET))
        cli_say("self-test on %s: round %d of %d\n", t->device, t->rounds + 1, t->wanted);
    struct text text = {0};
    struct run run = {0};
    selftest_round(t, &text);
    bool done = run_text(p->arena, p->o, p->folder, &text, &run, err) &&
                selftest_count(p->arena, t, &run, err);
    json_decref(run.header.environment);
    text_release(&text);
    return done;
}

bool gate_selftest(const struct options *o, struct arena *a, struct gate_report *report,
                   struct error *err)
{
    struct selftest t;
    struct device_info device;
    double time_limit_s;
    const char *source = data_path(a, "selftest.cu", err);
    if (!source || !option_double(o, OPTION_SELF_TEST_LIMIT, 0, &time_limit_s, err) ||
        !device_find(a, option_text(o, OPTION_DEVICE, "auto"), &device, err))
        return false;
    selftest_init(&t, device.simulated);
    const char *folder = path_dir(a, source);
    if (!calibrate(a, o, folder, &t, err))
        return false;
    int rounds = t.provenance == PROVENANCE_MEASURED ? ROUNDS_MEASURED : ROUNDS_SIMULATED;
    struct playing playing = {a, o, folder, &t};
    if (!selftest_play(&t, rounds, time_limit_s, cli_cancelled, play_round, &playing, err))
        return false;
    selftest_report(a, &t, report);
    return true;
}
