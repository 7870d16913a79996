// What happens in the worker process: the variants of one case are loaded, run and compared there, and
// come back as JSON over the pipe. A crash or a hang costs the one who caused it. Parent's and child's
// halves stand side by side.
// SPDX-License-Identifier: Apache-2.0
#include "loop/witness.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double default_timeout_s = 600;
static const uint64_t default_budget = 200000000000; // warp instructions
static const uint64_t progress_step_ns = 100000000;

// First byte of a message.
enum message {
    MESSAGE_BEGIN = 'B', // a job of the batch
    MESSAGE_RESULT = 'R',
    MESSAGE_FACTS = 'F',
    MESSAGE_PROGRESS = 'P'
};

double job_timeout_s(const struct loop_request *r)
{
    return r->timeout_s > 0 ? r->timeout_s : default_timeout_s;
}

/* ---- in the worker: the device's part ----------------------------------------------------------- */

static void on_progress(void *context, double share)
{
    struct bench *b = context;
    uint64_t now = clock_ns();
    if (now - b->progress_ns < progress_step_ns)
        return;
    b->progress_ns = now;
    double whole = b->share_before + b->share_of * share;
    (void)worker_send_kind(b->fd, MESSAGE_PROGRESS, &whole, sizeof whole);
}

static bool is_judged(const struct loop_request *r)
{
    return r->sample_judged && r->sample_share > 0 && r->sample_share < 1;
}

bool bench_run(struct bench *b, bool cold, bool count, struct device_report *report,
               struct error *err)
{
    const struct loop_request *r = b->job->request;
    struct device_sequence sequence = bench_sequence(b);
    struct device_run_options options = {
        .checks = r->checks,
        .timeout_s = job_timeout_s(r),
        .budget_warp_instructions =
            r->budget_warp_instructions > 0 ? r->budget_warp_instructions : default_budget,
        // With several, blocks of different SMs run at once: neither order would be that order.
        .threads = b->job->experiment->reference.kind == REFERENCE_SELF ? 1 : r->threads,
        .cold = cold,
        .count = count && !r->verify_only,
        .pc_sampling = r->uncounted ? SAMPLING_OFF : r->pc_sampling,
        .sample_share = r->sample_share,
        .sample_judged = is_judged(r),
        .sample_whole = r->warm ? SAMPLE_WHOLE_WARM : SAMPLE_WHOLE_NOT,
        .sample_before = b->sample_before,
        .reverse_blocks = b->reverse_blocks,
        .facts = count && b->job->side,
        .counterfactuals = count && !r->verify_only && !r->unpriced,
        .replay_s = r->replay_s,
        .replay_steps = r->replay_steps,
        .change = r->change,
        .progress = on_progress,
        .progress_context = b,
    };
    return b->device->ops->code->run(b->device, &sequence, &options, b->arena, report, err);
}

// The sample of some launches says nothing of all their blocks: once more, with all of them.
static bool count_whole(struct bench *b, struct device_report *report, struct error *err)
{
    struct device_report before = *report;
    b->sample_before = &before;
    bool done = bench_load(b, err) && bench_write(b, err) && bench_run(b, true, true, report, err);
    b->sample_before = NULL;
    return done;
}

// Warm: a first run fills the caches, and the buffers are made anew before the one that counts.
bool bench_count(struct bench *b, struct device_report *report, struct error *err)
{
    bool warm = b->job->request->warm && !b->job->request->verify_only;
    b->share_of = warm ? 0.5 : 1;
    if (!bench_write(b, err))
        return false;
    if (warm) {
        if (!bench_run(b, true, true, report, err) || !bench_write(b, err))
            return false;
        b->share_before = b->share_of;
    }
    if (!bench_run(b, !warm, true, report, err))
        return false;
    return !report->sample_fails || count_whole(b, report, err);
}

bool bench_run_uncounted(struct bench *b, struct error *err)
{
    struct device_report report = {0};
    if (!bench_run(b, true, false, &report, err))
        return false;
    return report.problem_count == 0 ||
           fail_as(err, ERROR_CHECK, NOWHERE, "%s", report.problems[0].message);
}

// A variable of the program is other than before: is a later launch right without it?
static bool bench_state(struct bench *b, const char *variable, struct result *r, struct error *err)
{
    struct witness w;
    const char *why = NULL;
    if (!witness_open(&w, b, err))
        return false;
    bool done = !w.open || witness_state(&w, b, &why, err);
    witness_close(&w);
    if (done && why) {
        r->status = RESULT_FAILED;
        r->verified = false;
        r->error = arena_printf(b->arena, "%s (here '%s' was changed)", why, variable);
    }
    return done;
}

// A simulated device counts and is checked in one run. A real one is checked first: counting runs
// the kernels several times, and a wrong variant is not worth it.
static bool bench_verify(struct bench *b, struct device_report *report, struct result *r,
                         struct error *err)
{
    bool real = !b->job->device->simulated;
    bool ran = real ? bench_write(b, err) && bench_run(b, true, false, report, err)
                    : bench_count(b, report, err);
    if (!ran || (b->job->wanted && !bench_check(b, r, err)))
        return false;
    const struct loop_request *q = b->job->request;
    bool partial = q->sample_share > 0 && q->sample_share < 1;
    if (b->job->experiment->reference.kind == REFERENCE_SELF && !q->no_verify && !partial &&
        r->status == RESULT_OK && report->problem_count == 0 &&
        !bench_self(b, bench_run_uncounted, r, err))
        return false;
    if (q->verify_only || b->job->trial || r->status != RESULT_OK || report->problem_count > 0)
        return true;
    if (!partial && !bench_repeat(b, bench_run_uncounted, r, err))
        return false;
    if (!real && !partial && report->kept && r->status == RESULT_OK && b->job->wanted &&
        !b->job->variant->spec->memory && !bench_state(b, report->kept, r, err))
        return false;
    if (!real || q->uncounted || r->status != RESULT_OK)
        return true;
    const char *printed = report->printed;
    bool counted = bench_count(b, report, err);
    report->printed = printed;
    return counted;
}

/* ---- in the worker: the whole ------------------------------------------------------------------- */

// The step that took longest: its time model explains the variant's latency.
static struct job_facts facts_of(const struct device_report *report)
{
    struct job_facts facts = {.longest = -1};
    double longest_ns = 0;
    for (int i = 0; i < report->step_count; i++) {
        const struct device_step *s = &report->steps[i];
        bool timed = s->time_ns.provenance != PROVENANCE_ABSENT && !s->untimed;
        if (!timed || s->kind == LAUNCH_COPY ||
            (facts.longest >= 0 && s->time_ns.value <= longest_ns))
            continue;
        longest_ns = s->time_ns.value;
        facts = (struct job_facts){i, s->time_model};
    }
    return facts;
}

// Of a sequence whose launches all have a time.
static void take_launches(struct arena *a, const struct device_report *report, struct result *r)
{
    int count = 0;
    for (int i = 0; i < report->step_count; i++) {
        count += !report->steps[i].untimed;
        if (!report->steps[i].untimed && report->steps[i].time_ns.provenance == PROVENANCE_ABSENT)
            return;
    }
    if (count < 2)
        return;
    r->launches = ARENA_ARRAY(a, struct launch_time, count);
    for (int i = 0; i < report->step_count && r->launch_count < LAUNCHES_MAX; i++)
        if (!report->steps[i].untimed)
            r->launches[r->launch_count++] =
                (struct launch_time){report->steps[i].kernel, report->steps[i].time_ns};
}

static void take_report(struct arena *a, const struct device_report *report, struct result *r)
{
    r->counters = report->counters;
    r->stalls = report->stalls;
    r->sampling = report->sampling;
    r->facts = report->facts;
    r->fidelity = report->fidelity;
    r->sample = report->sample;
    r->counterfactuals = report->counterfactuals;
    r->lines = report->lines;
    r->line_count = report->line_count;
    r->problems = report->problems;
    r->problem_count = report->problem_count;
    r->printed = report->printed;
    r->note = report->note;
    // What was found wrong is wrong, even if this time the result was right.
    for (int i = 0; i < report->problem_count && r->status == RESULT_OK; i++)
        if (!report->problems[i].note) {
            r->status = RESULT_FAILED;
            r->error = report->problems[i].message;
        }
    if (r->status != RESULT_OK || report->time_ns.provenance == PROVENANCE_ABSENT)
        return; // a wrong variant is never timed
    take_launches(a, report, r);
    r->time.provenance = report->time_ns.provenance;
    r->time.samples_ns = ARENA_NEW(a, double);
    r->time.samples_ns[0] = report->time_ns.value;
    r->time.summary = stats_summary(r->time.samples_ns, 1);
}

static struct result result_begin(const struct bench *b)
{
    return (struct result){.variant = b->job->variant->spec->name,
                           .status = RESULT_OK,
                           .worst_relative_error = (double)NAN,
                           .worst_absolute_error = (double)NAN};
}

// why: it failed; NULL = it did not.
static bool send_answer(struct bench *b, const struct device_report *report, struct result *r,
                        const struct error *why)
{
    if (why) {
        r->status = RESULT_FAILED;
        r->by_system = why->kind == ERROR_SYSTEM;
        r->error = why->message;
    }
    take_report(b->arena, report, r);
    struct job_facts facts = facts_of(report);
    json_t *json = result_to_json(r);
    char *text = json_dumps(json, JSON_COMPACT);
    bool sent = text && worker_send_kind(b->fd, MESSAGE_FACTS, &facts, sizeof facts) &&
                worker_send_kind(b->fd, MESSAGE_RESULT, text, strlen(text));
    json_decref(json);
    free(text);
    return sent;
}

// On the side of a measurement: an answer after each pass; the last one counts, and a pass that fails after another
// has none.
static bool run_side(struct bench *b, enum result_status *status)
{
    struct error err = {0};
    struct side_pass pass = {.more = true};
    bool done = bench_open(b, &err) && bench_load(b, &err), sent = true;
    while (sent && pass.more) {
        struct device_report report = {0};
        struct result r = result_begin(b);
        done = done && side_next(b, &pass, &report, &r, &err);
        pass.more = pass.more && done;
        if (done || pass.passes <= 1)
            sent = send_answer(b, &report, &r, done ? NULL : &err);
        *status = r.status;
    }
    return sent;
}

// One job, from its code to its answer.
static bool run_job(struct bench *b, enum result_status *status)
{
    struct error err = {0};
    struct device_report report = {0};
    struct result r = result_begin(b);
    if (b->job->side)
        return run_side(b, status);
    bool done =
        (b->device || bench_open(b, &err)) && bench_open_libraries(b, &r, &err) &&
        (r.status == RESULT_SKIPPED || (bench_load(b, &err) && bench_verify(b, &report, &r, &err)));
    bool sent = send_answer(b, &report, &r, done ? NULL : &err);
    *status = r.status;
    return sent;
}

struct batch {
    const struct job *jobs;
    const bool *ended; // they have a result already
    int count;
};

static bool is_right(enum result_status s)
{
    return s == RESULT_OK || s == RESULT_SKIPPED;
}

static int jobs_body(void *context, int fd)
{
    const struct batch *batch = context;
    struct arena a = {0};
    struct bench b = {.arena = &a, .fd = fd};
    enum result_status status = RESULT_OK;
    worker_own_crashes();
    for (int i = 0; i < batch->count && is_right(status); i++) {
        if (batch->ended[i])
            continue;
        bench_turn(&b, &batch->jobs[i]);
        if (!worker_send_kind(fd, MESSAGE_BEGIN, &i, sizeof i) || !run_job(&b, &status))
            return 1;
    }
    return 0; // the process ends: nothing is freed
}

/* ---- in the parent ------------------------------------------------------------------------------ */

struct answer { // a job's
    struct job_facts facts;
    const char *json; // NULL = none came
    size_t json_bytes;
};

struct inbox {
    struct arena *arena;
    const struct job_progress *progress;
    struct answer *answers;
    int count, current; // the job at work; -1 = none yet
    uint64_t began_ns;
};

static void take_begin(struct inbox *box, int job)
{
    if (job < 0 || job >= box->count)
        return;
    box->current = job;
    box->began_ns = clock_ns();
    if (box->progress && box->progress->begin)
        box->progress->begin(box->progress->context, job);
}

static void take_message(void *context, const char *data, size_t size_bytes)
{
    struct inbox *box = context;
    if (size_bytes == 0)
        return;
    const char *body = data + 1;
    size_t body_bytes = size_bytes - 1;
    struct answer *answer = box->current >= 0 ? &box->answers[box->current] : NULL;
    double share = 0;
    int job = -1;
    switch ((enum message)data[0]) {
    case MESSAGE_BEGIN:
        if (body_bytes == sizeof job) {
            memcpy(&job, body, sizeof job);
            take_begin(box, job);
        }
        break;
    case MESSAGE_RESULT:
        if (answer) {
            answer->json = arena_strndup(box->arena, body, body_bytes);
            answer->json_bytes = body_bytes;
        }
        break;
    case MESSAGE_FACTS:
        if (answer && body_bytes == sizeof answer->facts)
            memcpy(&answer->facts, body, sizeof answer->facts);
        break;
    case MESSAGE_PROGRESS:
        if (body_bytes == sizeof share) {
            memcpy(&share, body, sizeof share);
            if (box->progress && box->progress->call)
                box->progress->call(box->progress->context, share);
        }
        break;
    }
}

// The last line of what the worker said on standard error, with a colon before it, or "".
static const char *last_words(struct arena *a, const struct worker_result *w)
{
    size_t end = strlen(w->stderr_tail);
    while (end > 0 && w->stderr_tail[end - 1] == '\n')
        end--;
    size_t start = end;
    while (start > 0 && w->stderr_tail[start - 1] != '\n')
        start--;
    return end > start ? arena_printf(a, ": %.*s", (int)(end - start), w->stderr_tail + start) : "";
}

const char *worker_describe_end(struct arena *a, const char *who, const struct worker_result *w,
                                double timeout_s)
{
    switch (w->end) {
    case WORKER_TIMED_OUT:
        return arena_printf(a,
                            "%s did not end within %g s and was stopped; --timeout gives it more "
                            "time",
                            who, timeout_s);
    case WORKER_CRASHED: {
        const char *name = sigdescr_np(w->signal);
        return arena_printf(
            a, "%s crashed its process (%s)%s%s", who, name ? name : "memory broken",
            w->signal == SIGKILL ? ": killed from outside, perhaps for lack of memory" : "",
            last_words(a, w));
    }
    case WORKER_EXITED:
    case WORKER_DONE:
    case WORKER_CANCELLED:
        break;
    }
    return arena_printf(a, "%s ended its process without a result (exit status %d)%s", who,
                        w->exit_status, last_words(a, w));
}

bool fail_cancelled(struct error *err)
{
    return fail_as(err, ERROR_SYSTEM, NOWHERE, "interrupted");
}

// Everything the worker found out, over what the parent knows.
static void take_result(const struct result *got, struct result *result)
{
    result->status = got->status;
    result->by_system = got->by_system;
    result->error = got->error;
    result->checked = got->checked;
    result->verified = got->verified;
    result->self_check = got->self_check;
    result->time = got->time;
    result->counters = got->counters;
    result->stalls = got->stalls;
    result->sampling = got->sampling;
    result->facts = got->facts;
    result->fidelity = got->fidelity;
    result->sample = got->sample;
    result->side = got->side;
    result->counterfactuals = got->counterfactuals;
    result->lines = got->lines;
    result->line_count = got->line_count;
    result->launches = got->launches;
    result->launch_count = got->launch_count;
    result->problems = got->problems;
    result->problem_count = got->problem_count;
    result->printed = got->printed;
    result->note = got->note;
    result->library_version = got->library_version;
    result->worst_relative_error = got->worst_relative_error;
    result->worst_absolute_error = got->worst_absolute_error;
    result->errors = got->errors;
}

struct jobs { // of a case, in the parent
    struct arena *arena;
    const struct job *list;
    struct result *const *results;
    struct job_facts *const *facts;
    bool *ended;
    int count;
};

static bool read_answer(struct jobs *j, const struct answer *answer, struct result *got,
                        struct error *err)
{
    json_t *json = json_loadb(answer->json, answer->json_bytes, 0, NULL);
    bool read = result_from_json(j->arena, json, got, err);
    json_decref(json);
    return read || error_context(err, "in the worker's answer");
}

// The job at work when its worker ended, or the first one where none had begun.
static void fail_culprit(struct jobs *j, int job, const struct worker_result *w, double timeout_s)
{
    struct result *r = j->results[job];
    r->status = RESULT_FAILED;
    if (j->list[job].side && w->end == WORKER_TIMED_OUT)
        r->error = arena_printf(
            j->arena, "it takes longer than %g s: --side-limit gives it more time", timeout_s);
    else
        r->error = worker_describe_end(j->arena, arena_printf(j->arena, "variant '%s'", r->variant),
                                       w, timeout_s);
    j->ended[job] = true;
}

// What a worker that has ended says of its jobs. At least the first of them has a result then.
static bool take_answers(struct jobs *j, const struct inbox *box, const struct worker_result *w,
                         double timeout_s, struct error *err)
{
    int first = 0;
    while (j->ended[first])
        first++;
    for (int i = first; i < j->count; i++) {
        const struct answer *answer = &box->answers[i];
        struct result got;
        if (j->ended[i] || !answer->json)
            continue;
        if (!read_answer(j, answer, &got, err))
            return false;
        if (i != first && !is_right(got.status))
            continue; // perhaps another one's doing
        take_result(&got, j->results[i]);
        *j->facts[i] = answer->facts;
        j->ended[i] = true;
    }
    if (!j->ended[first])
        fail_culprit(j, first, w, timeout_s);
    else if (w->end == WORKER_TIMED_OUT && box->current > first && !j->ended[box->current])
        fail_culprit(j, box->current, w, timeout_s); // not waited for twice
    return true;
}

static bool run_worker(struct jobs *j, const struct job_progress *progress,
                       const volatile bool *cancel, struct error *err)
{
    struct batch batch = {j->list, j->ended, j->count};
    struct inbox box = {.arena = j->arena,
                        .progress = progress,
                        .answers = ARENA_ARRAY(j->arena, struct answer, j->count + 1),
                        .count = j->count,
                        .current = -1};
    struct worker_spec spec = {.body = jobs_body,
                               .context = &batch,
                               .timeout_s = job_timeout_s(j->list[0].request),
                               .on_message = take_message,
                               .message_context = &box,
                               .began_ns = &box.began_ns,
                               .cancel = cancel};
    struct worker_result w;
    for (int i = 0; i < j->count; i++)
        box.answers[i].facts.longest = -1;
    if (!worker_run(&spec, &w, err))
        return false;
    if (w.end == WORKER_CANCELLED)
        return fail_cancelled(err);
    return take_answers(j, &box, &w, spec.timeout_s, err);
}

bool jobs_run(struct arena *a, const struct job *jobs, struct result *const *results,
              struct job_facts *const *facts, int count, const struct job_progress *progress,
              const volatile bool *cancel, struct error *err)
{
    struct jobs j = {a, jobs, results, facts, ARENA_ARRAY(a, bool, count + 1), count};
    for (int left = count; left > 0;) {
        if (!run_worker(&j, progress, cancel, err))
            return false;
        left = 0;
        for (int i = 0; i < count; i++)
            left += !j.ended[i];
    }
    return true;
}
