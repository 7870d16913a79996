// Measuring: the verified variants of a case, timed in one worker process on the same buffers:
//     sampling (sampling.c) -> copies, where they are wanted -> check a timed run -> what it does with
//     contents it has not seen (witness.c) -> energy
// Each variant's last sample starts from fresh inputs and poisoned outputs, and what it wrote is
// compared with the reference: it is the timed code that is proved. A variant that crashes, hangs or
// fails ends the worker; the others are then measured again.
// SPDX-License-Identifier: Apache-2.0
#include "loop/witness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    BATCH_MAX = 64,
    QUEUED_MAX = 500, // launches: the stream's queue holds about a thousand
    REASON_BYTES = 32,
};

static const double batch_bytes_max = 4e9; // of a batch's sets of buffers
static const uint64_t progress_step_ns = 100000000;
static const double roof_slack = 0.97; // clocks and data sheets are not exact

enum message {
    MESSAGE_BEGIN = 'B',
    MESSAGE_TIMES = 'T',
    MESSAGE_FAILED = 'X',
    MESSAGE_SHARE = 'P',
    MESSAGE_NOTE = 'N' // followed by a text
};

struct begin_message {
    char kind;
    int index;
};
struct share_message {
    char kind;
    int index;
    double share;
    struct sampled_now now;
};
struct failed_message {
    char kind;
    int index;
    enum result_status status;
    bool by_system;
    char why[sizeof((struct error *)0)->message];
};
struct times_message { // followed by its samples and the chip's
    char kind;
    int index, batch;
    size_t count, chip_count, throttled_samples, warm_up_runs;
    double sm_mhz, power_w, temperature_c, energy_mj;
    double energy_error;
    bool energy_by_power;
    char throttled[REASON_BYTES]; // "" = the samples are not
    struct transfers transfers;   // to be added to each sample; ABSENT = none
};

/* ---- in the worker ------------------------------------------------------------------------------- */

struct track { // one variant at work
    int index; // in the caller's list
    struct bench bench;
    struct device_sequence sequence;
};

struct session {
    const struct job *jobs;
    const bool *alive;
    int job_count, fd;
    struct arena *arena;
    struct bench bench;         // device and buffers
    struct transfers transfers; // of the case's buffers, where they are wanted
    struct track *tracks;
    struct sampling sampling; // its subjects beside the tracks
    bool by_system;           // what ended it was the device or the system, not a kernel
    uint64_t reported_ns;     // when the parent last heard of progress
};

static const struct loop_request *request_of(const struct session *s)
{
    return s->jobs[0].request;
}

static bool tell_begin(struct session *s, const struct track *t)
{
    struct begin_message m = {MESSAGE_BEGIN, t->index};
    return worker_send(s->fd, &m, sizeof m);
}

// A person reads it: a few times per second are enough, and the next block is not kept waiting. But of a race every
// first block is sent, so that the receiver can record it long before the results of all are there.
static void tell_progress(void *context, int subject, double done)
{
    struct session *s = context;
    const struct sampled *t = &s->sampling.subjects[subject];
    uint64_t now_ns = clock_ns();
    bool first = s->sampling.race_beyond > 0 && t->good_blocks == 1;
    if ((now_ns - s->reported_ns < progress_step_ns && !first) || t->good.count == 0)
        return;
    s->reported_ns = now_ns;
    struct summary sum = stats_summary(t->good.items, t->good.count);
    struct share_message m = {
        .kind = MESSAGE_SHARE,
        .index = s->tracks[subject].index,
        .share = done,
        .now = {.samples = t->good.count,
                .interval = (sum.high - sum.low) / 2 / sum.median,
                .sm_mhz = t->chip_count > 0 ? t->chip[t->chip_count - 1].sm_mhz : (double)NAN,
                .median_ns = sum.median,
                .low_ns = sum.low,
                .high_ns = sum.high}};
    (void)worker_send(s->fd, &m, sizeof m);
}

static void tell_failed(struct session *s, const struct track *t, enum result_status status,
                        const char *why)
{
    struct failed_message m = {
        .kind = MESSAGE_FAILED, .index = t->index, .status = status, .by_system = s->by_system};
    size_t length = strlen(why) < sizeof m.why ? strlen(why) : sizeof m.why - 1;
    memcpy(m.why, why, length);
    (void)worker_send(s->fd, &m, sizeof m);
}

static double footprint_bytes(const struct track *t)
{
    double sum = 0;
    for (int i = 0; i < t->sequence.buffer_count; i++)
        sum += (double)t->sequence.sizes_bytes[i];
    return sum;
}

static struct sampled sampled_of(const struct track *t)
{
    double queued = fmax(1, floor((double)QUEUED_MAX / fmax(t->sequence.launch_count, 1)));
    double most = fmin(queued, BATCH_MAX);
    for (int i = 0; i < t->sequence.launch_count; i++)
        if (t->sequence.launches[i].launch->untimed)
            most = 1; // between the timed parts of two runs there is what is not timed
    if (t->sequence.memory)
        most = 1; // the host's memory is there once
    double cold = floor(batch_bytes_max / fmax(footprint_bytes(t), 1));
    return (struct sampled){.name = t->bench.job->variant->spec->name,
                            .queue_max = queued,
                            .batch_max = most,
                            .batch_max_cold = fmin(most, cold)};
}

/* ---- what sampling asks for ------------------------------------------------------------------------ */

static bool begin_subject(void *context, int subject, struct error *err)
{
    struct session *s = context;
    return tell_begin(s, &s->tracks[subject]) ||
           fail_as(err, ERROR_SYSTEM, NOWHERE, "the parent process has gone");
}

static bool fresh_subject(void *context, int subject, struct error *err)
{
    struct session *s = context;
    (void)subject;
    return bench_write(&s->bench, err);
}

static bool take_subject(void *context, int subject, const struct device_run_options *options,
                         int count, double *times_ns, struct error *err)
{
    struct session *s = context;
    struct track *t = &s->tracks[subject];
    return t->bench.device->ops->clock->measure(t->bench.device, &t->sequence, options, count,
                                                times_ns, err);
}

static const struct sampling_ops sampling_ops = {begin_subject, fresh_subject, take_subject,
                                                 tell_progress};

/* ---- proving what was timed --------------------------------------------------------------------------- */

// The least time in which the chip can do the stated work by its data sheet: what lies in no cache
// comes from memory, all of it passes the L2, and flops need their units.
static double roof_ns(const struct session *s)
{
    const struct job *job = &s->jobs[0];
    const struct gpu *g = job->device->chip; // what was measured here may be surpassed
    const struct resolved_case *c = job->resolved;
    static const double mhz_per_ghz = 1000, flops_per_fma = 2;
    double roof = 0;
    if (!g)
        return 0; // nothing is known of the chip
    if (c->work_bytes > 0)
        roof = (c->work_bytes - GPU(g, l2_bytes)) / GPU(g, dram_gbps);
    double lanes = GPU(g, f32_lanes_per_cycle) * GPU(g, sm_count) * GPU(g, clock_mhz) / mhz_per_ghz;
    if (c->work_flops_f32 > 0)
        roof = fmax(roof, c->work_flops_f32 / (lanes * flops_per_fma));
    return fmax(roof, 0);
}

// false: the worker cannot go on. A wrong output is reported, and the variant has no times.
static bool prove(struct session *s, int index, bool *right, struct error *err)
{
    struct result r = {.status = RESULT_OK};
    struct track *t = &s->tracks[index];
    struct sampled *times = &s->sampling.subjects[index];
    struct device_run_options options = {
        .timeout_s = s->sampling.timeout_s, .cold = s->sampling.cold, .batch = times->batch};
    double time_ns = 0;
    s->sampling.current = index;
    *right = true;
    if (!begin_subject(s, index, err) || !bench_write(&s->bench, err) ||
        !take_subject(s, index, &options, 1, &time_ns, err))
        return false;
    sample_add(&times->good, time_ns);
    if (t->bench.job->wanted && !bench_check(&t->bench, &r, err))
        return false;
    if (r.status != RESULT_OK) {
        *right = false;
        tell_failed(s, t, RESULT_WRONG, arena_printf(s->arena, "in a timed launch: %s", r.error));
        return true;
    }
    double roof = roof_ns(s), median = stats_summary(times->good.items, times->good.count).median;
    if (median >= roof_slack * roof)
        return true;
    char is[32], least[32];
    *right = false;
    tell_failed(s, t, RESULT_FAILED,
                arena_printf(s->arena,
                             "measured %s, but %s needs at least %s for the experiment's 'work' "
                             "by its data sheet: the kernel leaves work out, or 'work' states "
                             "too much; the time is rejected",
                             format_time_ns(median, is), s->bench.job->device->name,
                             format_time_ns(roof, least)));
    return true;
}

// Of a variant that copies by itself the time has its copies already.
static struct transfers copies_of(const struct session *s, int index)
{
    const struct variant_spec *v = s->tracks[index].bench.job->variant->spec;
    return variant_has(v, LAUNCH_COPY) || v->memory ? (struct transfers){0} : s->transfers;
}

/* ---- what it has not seen ---------------------------------------------------------------------------- */

enum { WITNESS_ROUNDS = 3, WITNESS_ROUNDS_CPU = 24 };

struct pair { // times of single runs
    double seen_ns[WITNESS_ROUNDS_CPU], fresh_ns[WITNESS_ROUNDS_CPU];
};

static bool time_once(struct session *s, int index, struct bench *b, double *time_ns,
                      struct error *err)
{
    struct device_run_options options = {.timeout_s = s->sampling.timeout_s,
                                         .cold = s->sampling.cold};
    struct device_sequence sequence = bench_sequence(b);
    s->sampling.current = index;
    return begin_subject(s, index, err) &&
           b->device->ops->clock->measure(b->device, &sequence, &options, 1, time_ns, err);
}

static bool time_seen(struct session *s, int index, double *time_ns, struct error *err)
{
    struct track *t = &s->tracks[index];
    return bench_write(&s->bench, err) && time_once(s, index, &t->bench, time_ns, err);
}

static bool time_fresh(struct session *s, struct witness *w, int index, double *time_ns,
                       struct error *err)
{
    struct job job;
    struct bench b;
    return witness_bench(w, &s->tracks[index].bench, &job, &b, err) &&
           time_once(s, index, &b, time_ns, err);
}

// Buffers in the host's memory are there once.
static bool is_witnessed(const struct session *s, int index, const bool *right)
{
    return right[index] && !s->tracks[index].sequence.memory;
}

// One pair of each that is right. A kernel that knows addresses finds each memory new where it ran in the other one
// before, so a run that does not count goes ahead; in every second round two, as what befalls every other launch must
// befall both.
static bool time_round(struct session *s, struct witness *w, int round, const bool *right,
                       struct pair *pairs, struct error *err)
{
    if (round > 0 && !witness_fill(w, round, err))
        return false;
    for (int i = 0; i < s->sampling.count; i++) {
        double *seen = &pairs[i].seen_ns[round], *fresh = &pairs[i].fresh_ns[round];
        if (!is_witnessed(s, i, right))
            continue;
        for (int ahead = 0; ahead <= 1 + round % 2; ahead++) // the last counts
            if (!time_seen(s, i, seen, err))
                return false;
        if (!time_fresh(s, w, i, fresh, err))
            return false;
    }
    return true;
}

// A CPU has other work too: whoever looks slower on fresh inputs there is looked at again.
static bool time_rounds(struct session *s, struct witness *w, const bool *right, struct pair *pairs,
                        int *rounds, struct error *err)
{
    int most = s->jobs[0].device->cpu ? WITNESS_ROUNDS_CPU : WITNESS_ROUNDS;
    bool doubtful = true;
    for (*rounds = 0; *rounds < WITNESS_ROUNDS || (doubtful && *rounds < most); ++*rounds) {
        if (!time_round(s, w, *rounds, right, pairs, err))
            return false;
        doubtful = false;
        for (int i = 0; i < s->sampling.count; i++)
            doubtful = doubtful ||
                       (is_witnessed(s, i, right) &&
                        honest_slower_on_new(pairs[i].seen_ns, pairs[i].fresh_ns, *rounds + 1));
    }
    return true;
}

static const char *describe_pair(struct session *s, const struct pair *p, int rounds)
{
    char seen[32], fresh[32];
    return arena_printf(s->arena,
                        "it takes %s on inputs that it has seen, and %s on fresh ones at other "
                        "addresses: it keeps results, or knows its inputs again; the time is "
                        "rejected",
                        format_time_ns(honest_least(p->seen_ns, rounds), seen),
                        format_time_ns(honest_least(p->fresh_ns, rounds), fresh));
}

// A verdict on each that is right so far.
static bool judge_fresh(struct session *s, struct witness *w, bool *right, struct error *err)
{
    struct pair *pairs = ARENA_ARRAY(s->arena, struct pair, s->sampling.count + 1);
    int rounds = 0;
    if (!time_rounds(s, w, right, pairs, &rounds, err))
        return false;
    for (int i = 0; i < s->sampling.count; i++) {
        const struct pair *p = &pairs[i];
        const char *why = NULL;
        if (!is_witnessed(s, i, right))
            continue;
        s->sampling.current = i;
        if (honest_slower_on_new(p->seen_ns, p->fresh_ns, rounds))
            why = describe_pair(s, p, rounds);
        else if (!begin_subject(s, i, err) || !witness_state(w, &s->tracks[i].bench, &why, err))
            return false;
        right[i] = why == NULL;
        if (why)
            tell_failed(s, &s->tracks[i], RESULT_FAILED, why);
    }
    return true;
}

static bool tell_note(struct session *s, const char *text)
{
    return worker_send_kind(s->fd, MESSAGE_NOTE, text, strlen(text));
}

static bool witness_all(struct session *s, bool *right, struct error *err)
{
    struct witness w;
    bool any = false;
    for (int i = 0; i < s->sampling.count; i++)
        any = any || is_witnessed(s, i, right);
    if (!s->jobs[0].wanted || !any)
        return true;
    if (!witness_open(&w, &s->bench, err))
        return false;
    bool done = w.open ? judge_fresh(s, &w, right, err)
                       : tell_note(s, "not run on fresh inputs at other addresses: there is no "
                                      "memory for a second set of buffers");
    witness_close(&w);
    return done;
}

static bool tell_times(struct session *s, int index)
{
    struct sampled *t = &s->sampling.subjects[index];
    struct conditions c = sampling_conclude(t);
    struct times_message m = {.kind = MESSAGE_TIMES,
                              .index = s->tracks[index].index,
                              .batch = c.batch,
                              .count = t->good.count,
                              .chip_count = t->chip_count,
                              .throttled_samples = c.throttled_samples,
                              .warm_up_runs = c.warm_up_runs,
                              .sm_mhz = c.sm_mhz,
                              .power_w = c.power_w,
                              .temperature_c = c.temperature_c,
                              .energy_mj = c.energy_mj,
                              .energy_error = c.energy_error,
                              .energy_by_power = c.energy_by_power,
                              .transfers = copies_of(s, index)};
    if (c.throttled)
        strncpy(m.throttled, c.throttled, sizeof m.throttled - 1);
    struct text whole = {0};
    text_addn(&whole, (const char *)&m, sizeof m);
    text_addn(&whole, (const char *)t->good.items, m.count * sizeof(double));
    text_addn(&whole, (const char *)t->chip, m.chip_count * sizeof *t->chip);
    bool sent = worker_send(s->fd, whole.data, whole.length);
    text_release(&whole);
    return sent;
}

// Of a race, what has lost it: its time says that it is slower, and the launches that prove a time are left out.
static bool is_lost(const struct session *s, int index)
{
    return s->sampling.race_beyond > 0 && s->sampling.subjects[index].cut;
}

// Those that have lost, or the others. *all: none of them is refused.
static bool prove_those(struct session *s, bool lost, bool *right, bool *all, struct error *err)
{
    bool *now = ARENA_ARRAY(s->arena, bool, s->sampling.count + 1);
    for (int i = 0; i < s->sampling.count; i++)
        if (is_lost(s, i) == lost && !prove(s, i, &now[i], err))
            return false;
    if (!witness_all(s, now, err))
        return false;
    *all = true;
    for (int i = 0; i < s->sampling.count; i++) {
        if (is_lost(s, i) != lost)
            continue;
        right[i] = now[i];
        *all = *all && now[i];
    }
    return true;
}

// Who has lost to one that is refused has lost to nobody, and is proved as well.
static bool prove_all(struct session *s, bool *right, struct error *err)
{
    bool all = true;
    for (int i = 0; i < s->sampling.count; i++)
        right[i] = true;
    return prove_those(s, false, right, &all, err) &&
           (all || prove_those(s, true, right, &all, err));
}

static bool finish_all(struct session *s, struct error *err)
{
    bool *right = ARENA_ARRAY(s->arena, bool, s->sampling.count + 1);
    if (request_of(s)->with_transfers && !transfers_measure(&s->bench, &s->transfers, err))
        return false;
    if (!prove_all(s, right, err))
        return false;
    for (int i = 0; i < s->sampling.count; i++)
        if (right[i] && ((!request_of(s)->unmetered && !sampling_energy(&s->sampling, i, err)) ||
                         !tell_times(s, i)))
            return false;
    return true;
}

/* ---- the worker's whole ------------------------------------------------------------------------------- */

static void sampling_begin(struct session *s)
{
    const struct loop_request *r = request_of(s);
    s->sampling = (struct sampling){
        .ops = &sampling_ops,
        .context = s,
        .subjects = ARENA_ARRAY(s->arena, struct sampled, s->job_count + 1),
        .cold = !r->warm,
        .seed = r->seed,
        // One more is the last, which is checked.
        .samples_max = (size_t)(r->samples_max > 0 ? r->samples_max : SAMPLES_MAX_DEFAULT) - 1,
        .limit_s = r->time_limit_s,
        .by_energy = r->by_energy,
        .settle = r->settle,
        .cut_ns = r->cut_ns,
        .race_beyond = r->race_beyond,
        .timeout_s = job_timeout_s(r),
        .current = -1,
    };
}

static bool session_open(struct session *s, struct error *err)
{
    s->tracks = ARENA_ARRAY(s->arena, struct track, s->job_count + 1);
    sampling_begin(s);
    if (!bench_open(&s->bench, err) || !bench_write(&s->bench, err))
        return false;
    s->sampling.device = s->bench.device;
    for (int i = 0; i < s->job_count; i++) {
        if (!s->alive[i])
            continue;
        struct track *t = &s->tracks[s->sampling.count];
        s->sampling.current = s->sampling.count++;
        *t = (struct track){.index = i, .bench = s->bench};
        t->bench.job = &s->jobs[i];
        struct result opened = {.status = RESULT_OK}; // they were there when it was verified
        if (!tell_begin(s, t) || !bench_open_libraries(&t->bench, &opened, err) ||
            !bench_load(&t->bench, err))
            return false;
        t->sequence = bench_sequence(&t->bench);
        s->sampling.subjects[s->sampling.current] = sampled_of(t);
    }
    return true;
}

static int measure_body(void *context, int fd)
{
    struct session *s = context;
    struct arena a = {0};
    struct error err = {0};
    worker_own_crashes();
    s->fd = fd;
    s->arena = &a;
    s->bench = (struct bench){.job = &s->jobs[0], .arena = &a, .fd = fd};
    if (session_open(s, &err) && sampling_run(&s->sampling, &err) && finish_all(s, &err))
        return 0;
    const struct track nobody = {.index = -1};
    int current = s->sampling.current;
    s->by_system = err.kind == ERROR_SYSTEM;
    tell_failed(s, current >= 0 ? &s->tracks[current] : &nobody, RESULT_FAILED,
                arena_printf(&a, "while it was measured: %s", err.message));
    return 1; // what the device did to this process is unknown: it ends
}

/* ---- in the parent -------------------------------------------------------------------------------------- */

struct inbox {
    struct arena *arena;
    const struct job_progress *progress;
    struct result *const *results;
    bool *alive, *timed;
    int count;
    int current;   // what the worker works on; -1 = nothing yet
    bool reported; // … and why it failed, in `failure`
    struct failed_message failure;
};

static void take_times(struct inbox *box, const char *data, size_t size_bytes)
{
    struct times_message m;
    memcpy(&m, data, sizeof m);
    if (m.index < 0 || m.index >= box->count || m.count == 0 ||
        size_bytes !=
            sizeof m + m.count * sizeof(double) + m.chip_count * sizeof(struct chip_sample))
        return;
    double *samples = ARENA_ARRAY(box->arena, double, m.count);
    memcpy(samples, data + sizeof m, m.count * sizeof(double));
    struct chip_sample *chip = ARENA_ARRAY(box->arena, struct chip_sample, m.chip_count + 1);
    memcpy(chip, data + sizeof m + m.count * sizeof(double), m.chip_count * sizeof *chip);
    box->timed[m.index] = true;
    struct result *r = box->results[m.index];
    r->time = (struct time_result){PROVENANCE_MEASURED, stats_summary(samples, m.count), samples};
    r->conditions = (struct conditions){
        .batch = m.batch,
        .sm_mhz = m.sm_mhz,
        .power_w = m.power_w,
        .temperature_c = m.temperature_c,
        .energy_mj = m.energy_mj,
        .energy_error = m.energy_error,
        .energy_by_power = m.energy_by_power,
        .throttled_samples = m.throttled_samples,
        .warm_up_runs = m.warm_up_runs,
        .throttled = m.throttled[0] ? arena_strdup(box->arena, m.throttled) : NULL,
        .chip = chip,
        .chip_count = (int)m.chip_count,
    };
    if (m.transfers.provenance != PROVENANCE_ABSENT)
        transfers_add(&m.transfers, r);
}

static void take_message(void *context, const char *data, size_t size_bytes)
{
    struct inbox *box = context;
    struct begin_message begin;
    struct share_message share;
    if (size_bytes == 0)
        return;
    switch ((enum message)data[0]) {
    case MESSAGE_BEGIN:
        if (size_bytes != sizeof begin)
            return;
        memcpy(&begin, data, sizeof begin);
        box->current = begin.index;
        box->reported = false;
        break;
    case MESSAGE_SHARE:
        if (size_bytes != sizeof share)
            return;
        memcpy(&share, data, sizeof share);
        if (box->progress && box->progress->sampled && share.index >= 0 && share.index < box->count)
            box->progress->sampled(box->progress->context, share.index, share.share, &share.now);
        break;
    case MESSAGE_FAILED:
        if (size_bytes != sizeof box->failure)
            return;
        memcpy(&box->failure, data, sizeof box->failure);
        box->reported = true;
        if (box->failure.index < 0 || box->failure.index >= box->count)
            return;
        box->alive[box->failure.index] = false;
        box->results[box->failure.index]->status = box->failure.status;
        box->results[box->failure.index]->by_system = box->failure.by_system;
        box->results[box->failure.index]->error = arena_strdup(box->arena, box->failure.why);
        if (box->failure.status == RESULT_WRONG)
            box->results[box->failure.index]->verified = false;
        break;
    case MESSAGE_NOTE:
        for (int i = 0; i < box->count; i++)
            if (box->alive[i])
                box->results[i]->note =
                    note_join(box->arena, box->results[i]->note,
                              arena_strndup(box->arena, data + 1, size_bytes - 1));
        break;
    case MESSAGE_TIMES:
        if (size_bytes > sizeof(struct times_message))
            take_times(box, data, size_bytes);
        break;
    }
}

// After a worker that did not end well: the one it worked on loses its result. false: it was none,
// so nobody can be measured.
static bool drop_culprit(struct inbox *box, const struct worker_result *w, double timeout_s)
{
    int index = box->current;
    const char *why = box->reported ? arena_strdup(box->arena, box->failure.why)
                                    : worker_describe_end(box->arena, "measuring it", w, timeout_s);
    if (index >= 0 && index < box->count && box->alive[index]) {
        struct result *r = box->results[index];
        box->alive[index] = false;
        r->status = RESULT_FAILED;
        r->by_system = box->reported && box->failure.by_system;
        r->error = why;
        r->time = (struct time_result){.provenance = PROVENANCE_ABSENT};
        return true;
    }
    if (box->reported && box->failure.index >= 0)
        return true;
    for (int i = 0; i < box->count; i++)
        if (box->alive[i]) {
            box->alive[i] = false;
            box->results[i]->status = RESULT_FAILED;
            box->results[i]->by_system = box->reported && box->failure.by_system;
            box->results[i]->error = why;
        }
    return false;
}

static int count_untimed(const struct inbox *box)
{
    int n = 0;
    for (int i = 0; i < box->count; i++)
        n += box->alive[i] && !box->timed[i];
    return n;
}

static bool measure_once(struct inbox *box, const struct job *jobs, const volatile bool *cancel,
                         struct error *err)
{
    struct session session = {.jobs = jobs, .alive = box->alive, .job_count = box->count};
    struct worker_result w;
    double each_s =
        job_timeout_s(jobs[0].request) + sampling_limit_s(jobs[0].request->time_limit_s);
    struct worker_spec spec = {.body = measure_body,
                               .context = &session,
                               .timeout_s = each_s * (box->count + 1), // a run's own is shorter
                               .on_message = take_message,
                               .message_context = box,
                               .cancel = cancel};
    box->current = -1;
    box->reported = false;
    memset(box->timed, 0, sizeof *box->timed * (size_t)box->count);
    if (!worker_run(&spec, &w, err))
        return false;
    if (w.end == WORKER_CANCELLED)
        return fail_as(err, ERROR_SYSTEM, NOWHERE, "interrupted");
    // A library that calls exit() ends the worker well, without times.
    if (count_untimed(box) == 0 || !drop_culprit(box, &w, spec.timeout_s))
        return true;
    return count_untimed(box) == 0 || measure_once(box, jobs, cancel, err); // one fewer each time
}

bool measure_jobs(struct arena *a, const struct job *jobs, struct result *const *results, int count,
                  const struct job_progress *progress, const volatile bool *cancel,
                  struct error *err)
{
    struct inbox box = {.arena = a,
                        .progress = progress,
                        .results = results,
                        .alive = ARENA_ARRAY(a, bool, count + 1),
                        .timed = ARENA_ARRAY(a, bool, count + 1),
                        .count = count};
    for (int i = 0; i < count; i++)
        box.alive[i] = true;
    return count == 0 || measure_once(&box, jobs, cancel, err);
}
