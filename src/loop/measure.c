// Measuring: the verified variants of a case, timed in one worker process on the same buffers,
// interleaved in random order, so that whatever drifts (clocks, heat, neighbours) hits all alike:
//     warm up -> rounds of blocks until every median is settled -> check a timed run -> energy
// A block is a few samples of one variant between two looks at the chip's state; one that was slowed
// down is set aside and taken again. Each variant's last sample starts from fresh inputs and poisoned
// outputs, and what it wrote is compared with the reference: it is the timed code that is proved.
// A variant that crashes, hangs or fails ends the worker; the others are then measured again.
// SPDX-License-Identifier: Apache-2.0
#include "loop/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    BATCH_MAX = 64,
    QUEUED_MAX = 500, // launches: the stream's queue holds about a thousand
    WARM_SAMPLES = 3,
    BLOCK_SAMPLES_MIN = 3,
    BLOCK_SAMPLES_MAX = 20,
    SAMPLES_MIN = 30,
    SAMPLES_MAX = 2000,
    WARM_ROUNDS_MIN = 3,
    REASON_BYTES = 32,
};

static const double ns_per_s = 1e9;
static const double default_limit_s = 3;
static const double settled_within = 0.005; // half the 95 % interval of the median
static const double batch_ns = 200000;      // a sample takes at least so long
static const double batch_bytes_max = 4e9;  // of a batch's sets of buffers
static const double block_ns = 4e6;         // samples of a block together
static const double slow_ns = 2e8;          // such a run is sampled one at a time
static const double warm_least_s = 0.2, warm_most_s = 2;
static const double warm_settled_within = 0.01; // from one round to the next
static const double energy_s = 0.4;             // NVML's energy moves in steps of 20 to 100 ms
static const double retake_share = 0.5;         // of the time limit goes to blocks set aside
static const double roof_slack = 0.97;          // clocks and data sheets are not exact

enum message {
    MESSAGE_BEGIN = 'B',
    MESSAGE_TIMES = 'T',
    MESSAGE_FAILED = 'X',
    MESSAGE_SHARE = 'P'
};

struct begin_message {
    char kind;
    int index;
};
struct share_message {
    char kind;
    double share;
};
struct failed_message {
    char kind;
    int index;
    enum result_status status;
    char why[sizeof((struct error *)0)->message];
};
struct times_message { // followed by its samples
    char kind;
    int index, batch;
    size_t count, throttled_samples;
    double sm_mhz, power_w, temperature_c, energy_mj;
    char throttled[REASON_BYTES]; // "" = the samples are not
};

/* ---- in the worker ------------------------------------------------------------------------------- */

struct doubles {
    double *items;
    size_t count, capacity;
};

struct track { // one variant at work
    int index; // in the caller's list
    struct bench bench;
    struct device_sequence sequence;
    int batch, block_samples;
    double warm_ns; // of one run, in the newest round of warming up
    struct doubles good, throttled;
    const char *reason; // of the throttled ones
    struct doubles sm_mhz, power_w, temperature_c;
    double energy_mj;
};

struct session {
    const struct job *jobs;
    const bool *alive;
    int job_count, fd;
    struct arena *arena;
    struct bench bench; // device and buffers
    bool snapshot;      // the device holds a copy of all inputs
    struct track *tracks;
    int count;
    uint64_t random; // state of the shuffles
    double share;    // of the work done, as it was last told
};

static const struct loop_request *request_of(const struct session *s)
{
    return s->jobs[0].request;
}

static double elapsed_s(uint64_t since_ns)
{
    return (double)(clock_ns() - since_ns) / ns_per_s;
}

static double limit_s(const struct loop_request *r)
{
    return r->time_limit_s > 0 ? r->time_limit_s : default_limit_s;
}

static bool tell_begin(struct session *s, const struct track *t)
{
    struct begin_message m = {MESSAGE_BEGIN, t->index};
    return worker_send(s->fd, &m, sizeof m);
}

static void tell_share(struct session *s, double share)
{
    struct share_message m = {MESSAGE_SHARE, share > s->share ? share : s->share};
    s->share = m.share;
    (void)worker_send(s->fd, &m, sizeof m);
}

static void tell_failed(struct session *s, const struct track *t, enum result_status status,
                        const char *why)
{
    struct failed_message m = {.kind = MESSAGE_FAILED, .index = t->index, .status = status};
    size_t length = strlen(why) < sizeof m.why ? strlen(why) : sizeof m.why - 1;
    memcpy(m.why, why, length);
    (void)worker_send(s->fd, &m, sizeof m);
}

// The buffers as they were before any kernel ran.
static bool make_fresh(struct session *s, struct error *err)
{
    return s->snapshot ? s->bench.device->ops->restore(s->bench.device, err)
                       : bench_write(&s->bench, err);
}

static bool take_samples(struct session *s, struct track *t, int count, int batch, bool cold,
                         double *times_ns, struct error *err)
{
    struct device_run_options options = {
        .timeout_s = job_timeout_s(request_of(s)), .cold = cold, .batch = batch};
    return t->bench.device->ops->measure(t->bench.device, &t->sequence, &options, count, times_ns,
                                         err);
}

static bool is_cold(const struct session *s)
{
    return !request_of(s)->warm;
}

/* ---- warming up ------------------------------------------------------------------------------------- */

static double footprint_bytes(const struct track *t)
{
    double sum = 0;
    for (int i = 0; i < t->sequence.buffer_count; i++)
        sum += (double)t->sequence.sizes_bytes[i];
    return sum;
}

static double queued_runs_max(const struct track *t)
{
    return floor((double)QUEUED_MAX / fmax(t->sequence.launch_count, 1));
}

static void choose_batch(struct track *t, bool cold)
{
    double runs = ceil(batch_ns / fmax(t->warm_ns, 1));
    if (cold)
        runs = fmin(runs, floor(batch_bytes_max / fmax(footprint_bytes(t), 1)));
    runs = fmin(runs, queued_runs_max(t));
    t->batch = (int)fmax(1, fmin(runs, BATCH_MAX));
    double samples = ceil(block_ns / fmax(t->warm_ns * t->batch, 1));
    t->block_samples = (int)fmax(BLOCK_SAMPLES_MIN, fmin(samples, BLOCK_SAMPLES_MAX));
    if (t->warm_ns >= slow_ns)
        t->block_samples = 1;
}

static bool warm_round(struct session *s, double *sum_ns, struct track **culprit, struct error *err)
{
    double times[WARM_SAMPLES];
    *sum_ns = 0;
    for (int i = 0; i < s->count; i++) {
        struct track *t = *culprit = &s->tracks[i];
        int samples = t->warm_ns > 0 && t->warm_ns < slow_ns ? WARM_SAMPLES : 1;
        if (!tell_begin(s, t) || !take_samples(s, t, samples, t->batch, is_cold(s), times, err))
            return false;
        t->warm_ns = stats_summary(times, (size_t)samples).median;
        *sum_ns += t->warm_ns;
    }
    return true;
}

// Until the clocks are up and a round takes as long as the one before.
static bool warm_up(struct session *s, struct track **culprit, struct error *err)
{
    uint64_t start_ns = clock_ns();
    double last_ns = 0, sum_ns = 0;
    for (int round = 0;; round++) {
        if (!warm_round(s, &sum_ns, culprit, err))
            return false;
        bool settled = fabs(sum_ns - last_ns) <= warm_settled_within * sum_ns;
        double spent_s = elapsed_s(start_ns);
        if ((round + 1 >= WARM_ROUNDS_MIN && settled && spent_s >= warm_least_s) ||
            spent_s >= warm_most_s)
            break;
        last_ns = sum_ns;
        if (round == 0)
            for (int i = 0; i < s->count; i++)
                choose_batch(&s->tracks[i], is_cold(s));
    }
    for (int i = 0; i < s->count; i++)
        choose_batch(&s->tracks[i], is_cold(s));
    return true;
}

/* ---- sampling --------------------------------------------------------------------------------------- */

static struct device_state look(struct session *s)
{
    struct device_state state = {.valid = false};
    if (s->bench.device->ops->state)
        s->bench.device->ops->state(s->bench.device, &state);
    return state;
}

static void keep_finite(struct doubles *list, double value)
{
    if (isfinite(value) && value > 0)
        VEC_PUSH(list->items, list->count, list->capacity, value);
}

// Samples of a variant before the last one, which is the one that is checked.
static size_t samples_before_last(const struct session *s)
{
    int64_t most = request_of(s)->samples_max > 0 ? request_of(s)->samples_max : SAMPLES_MAX;
    return (size_t)most - 1;
}

static bool take_block(struct session *s, struct track *t, struct error *err)
{
    double times[BLOCK_SAMPLES_MAX];
    size_t left = samples_before_last(s) - t->good.count;
    int count = left < (size_t)t->block_samples ? (int)left : t->block_samples;
    if (count == 0)
        return true;
    if (!tell_begin(s, t) || !make_fresh(s, err))
        return false;
    struct device_state before = look(s);
    if (!take_samples(s, t, count, t->batch, is_cold(s), times, err))
        return false;
    struct device_state after = look(s);
    const char *reason = after.valid && after.throttled     ? after.throttled
                         : before.valid && before.throttled ? before.throttled
                                                            : NULL;
    struct doubles *list = reason ? &t->throttled : &t->good;
    t->reason = reason ? reason : t->reason;
    for (int i = 0; i < count; i++)
        VEC_PUSH(list->items, list->count, list->capacity, times[i]);
    if (!after.valid)
        return true;
    keep_finite(&t->sm_mhz, after.sm_mhz);
    keep_finite(&t->power_w, after.power_w);
    keep_finite(&t->temperature_c, after.temperature_c);
    return true;
}

// Philox by a counter: the order of a round is random, and the seed is the run's.
static void shuffle(struct session *s, int *order)
{
    for (int i = s->count - 1; i > 0; i--) {
        uint32_t words[4];
        philox(request_of(s)->seed, 1, s->random++, words);
        int j = (int)(((uint64_t)words[0] * (uint64_t)(i + 1)) >> 32);
        int other = order[j];
        order[j] = order[i];
        order[i] = other;
    }
}

static bool is_settled(const struct track *t)
{
    return t->good.count >= SAMPLES_MIN &&
           stats_settled(t->good.items, t->good.count, settled_within);
}

// All go on until the last one has settled: only then does drift hit all alike.
static bool is_done(const struct session *s, double spent_s)
{
    double allowed_s = limit_s(request_of(s)) * s->count;
    bool settled = true, full = true, begun = true, slowed = false;
    for (int i = 0; i < s->count; i++) {
        const struct track *t = &s->tracks[i];
        settled = settled && is_settled(t);
        full = full && t->good.count >= samples_before_last(s);
        begun = begun && t->good.count > 0;
        slowed = slowed || t->throttled.count > t->good.count;
    }
    if (slowed && spent_s >= retake_share * allowed_s)
        return true; // the chip is always slowed down under this load
    return settled || full || (spent_s >= allowed_s && (begun || spent_s >= 2 * allowed_s));
}

static bool sample_all(struct session *s, struct track **culprit, struct error *err)
{
    uint64_t start_ns = clock_ns();
    int *order = ARENA_ARRAY(s->arena, int, s->count + 1);
    for (int i = 0; i < s->count; i++)
        order[i] = i;
    for (double spent_s = 0; !is_done(s, spent_s); spent_s = elapsed_s(start_ns)) {
        shuffle(s, order);
        for (int i = 0; i < s->count; i++) {
            *culprit = &s->tracks[order[i]];
            if (!take_block(s, *culprit, err))
                return false;
        }
        tell_share(s, fmin(1, spent_s / (limit_s(request_of(s)) * s->count)));
    }
    return true;
}

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
    if (c->work_bytes > 0)
        roof = (c->work_bytes - GPU(g, l2_bytes)) / GPU(g, dram_gbps);
    double lanes = GPU(g, f32_lanes_per_cycle) * GPU(g, sm_count) * GPU(g, clock_mhz) / mhz_per_ghz;
    if (c->work_flops_f32 > 0)
        roof = fmax(roof, c->work_flops_f32 / (lanes * flops_per_fma));
    return fmax(roof, 0);
}

// false: the worker cannot go on. A wrong output is told, and the variant has no times.
static bool prove(struct session *s, struct track *t, bool *right, struct error *err)
{
    struct result r = {.status = RESULT_OK};
    double time_ns = 0;
    *right = true;
    if (!tell_begin(s, t) || !make_fresh(s, err) ||
        !take_samples(s, t, 1, t->batch, is_cold(s), &time_ns, err))
        return false;
    VEC_PUSH(t->good.items, t->good.count, t->good.capacity, time_ns);
    if (t->bench.job->wanted && !bench_check(&t->bench, &r, err))
        return false;
    if (r.status != RESULT_OK) {
        *right = false;
        tell_failed(s, t, RESULT_WRONG, arena_printf(s->arena, "in a timed launch: %s", r.error));
        return true;
    }
    double roof = roof_ns(s), median = stats_summary(t->good.items, t->good.count).median;
    if (median >= roof_slack * roof)
        return true;
    char is[32], least[32];
    *right = false;
    tell_failed(s, t, RESULT_FAILED,
                arena_printf(s->arena,
                             "measured %s, but %s needs at least %s for the experiment's 'work' "
                             "by its data sheet: the kernel leaves work out, or 'work' states "
                             "too much; the time is not believed",
                             format_time_ns(median, is), s->bench.job->device->name,
                             format_time_ns(roof, least)));
    return true;
}

// Energy of a run: many back to back, long enough for NVML's counter.
static bool measure_energy(struct session *s, struct track *t, struct error *err)
{
    struct device_state before = look(s);
    if (!before.valid || !(before.energy_mj > 0))
        return true;
    double batch = ceil(energy_s * ns_per_s / fmax(t->warm_ns, 1));
    batch = fmax(1, fmin(batch, queued_runs_max(t)));
    double runs = 0, time_ns = 0;
    uint64_t start_ns = clock_ns();
    before = look(s);
    while (elapsed_s(start_ns) < energy_s) {
        if (!take_samples(s, t, 1, (int)batch, false, &time_ns, err))
            return false;
        runs += batch + 1; // one more warms the caches
    }
    struct device_state after = look(s);
    if (after.valid && after.energy_mj > before.energy_mj)
        t->energy_mj = (after.energy_mj - before.energy_mj) / runs;
    return true;
}

static double median_of(const struct doubles *list)
{
    return list->count > 0 ? stats_summary(list->items, list->count).median : 0;
}

static bool tell_times(struct session *s, struct track *t)
{
    // Slowed-down samples count only where hardly any others could be had.
    bool slowed = t->throttled.count > t->good.count;
    struct times_message m = {.kind = MESSAGE_TIMES,
                              .index = t->index,
                              .batch = t->batch,
                              .throttled_samples = t->throttled.count,
                              .sm_mhz = median_of(&t->sm_mhz),
                              .power_w = median_of(&t->power_w),
                              .temperature_c = median_of(&t->temperature_c),
                              .energy_mj = t->energy_mj};
    if (slowed) {
        for (size_t i = 0; i < t->throttled.count; i++)
            VEC_PUSH(t->good.items, t->good.count, t->good.capacity, t->throttled.items[i]);
        strncpy(m.throttled, t->reason, sizeof m.throttled - 1);
    }
    m.count = t->good.count;
    struct text whole = {0};
    text_addn(&whole, (const char *)&m, sizeof m);
    text_addn(&whole, (const char *)t->good.items, m.count * sizeof(double));
    bool sent = worker_send(s->fd, whole.data, whole.length);
    text_release(&whole);
    return sent;
}

static bool finish_all(struct session *s, struct track **culprit, struct error *err)
{
    for (int i = 0; i < s->count; i++) {
        struct track *t = *culprit = &s->tracks[i];
        bool right = false;
        if (!prove(s, t, &right, err))
            return false;
        if (!right)
            continue;
        if (!measure_energy(s, t, err) || !tell_times(s, t))
            return false;
    }
    return true;
}

/* ---- the worker's whole ------------------------------------------------------------------------------- */

static bool session_open(struct session *s, struct track **culprit, struct error *err)
{
    struct error no_room = {0};
    s->tracks = ARENA_ARRAY(s->arena, struct track, s->job_count + 1);
    if (!bench_open(&s->bench, err) || !bench_write(&s->bench, err))
        return false;
    const struct device_ops *ops = s->bench.device->ops;
    s->snapshot = ops->snapshot && ops->restore && ops->snapshot(s->bench.device, &no_room);
    for (int i = 0; i < s->job_count; i++) {
        if (!s->alive[i])
            continue;
        struct track *t = *culprit = &s->tracks[s->count++];
        *t = (struct track){.index = i, .bench = s->bench, .batch = 1};
        t->bench.job = &s->jobs[i];
        struct result opened = {.status = RESULT_OK}; // they were there when it was verified
        if (!tell_begin(s, t) || !bench_open_libraries(&t->bench, &opened, err) ||
            !bench_load(&t->bench, err))
            return false;
        t->sequence = bench_sequence(&t->bench);
    }
    return true;
}

static int measure_body(void *context, int fd)
{
    struct session *s = context;
    struct arena a = {0};
    struct error err = {0};
    struct track first = {.index = -1}, *culprit = &first;
    worker_own_crashes();
    s->fd = fd;
    s->arena = &a;
    s->bench = (struct bench){.job = &s->jobs[0], .arena = &a, .fd = fd};
    if (session_open(s, &culprit, &err) && warm_up(s, &culprit, &err) &&
        sample_all(s, &culprit, &err) && finish_all(s, &culprit, &err))
        return 0;
    tell_failed(s, culprit, RESULT_FAILED,
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
    int current; // what the worker works on; -1 = nothing yet
    bool told;   // … and why it failed, in `failure`
    struct failed_message failure;
};

static void take_times(struct inbox *box, const char *data, size_t size_bytes)
{
    struct times_message m;
    memcpy(&m, data, sizeof m);
    if (m.index < 0 || m.index >= box->count || m.count == 0 ||
        size_bytes != sizeof m + m.count * sizeof(double))
        return;
    double *samples = ARENA_ARRAY(box->arena, double, m.count);
    memcpy(samples, data + sizeof m, m.count * sizeof(double));
    box->timed[m.index] = true;
    struct result *r = box->results[m.index];
    r->time = (struct time_result){PROVENANCE_MEASURED, stats_summary(samples, m.count), samples};
    r->conditions = (struct conditions){
        .batch = m.batch,
        .sm_mhz = m.sm_mhz,
        .power_w = m.power_w,
        .temperature_c = m.temperature_c,
        .energy_mj = m.energy_mj,
        .throttled_samples = m.throttled_samples,
        .throttled = m.throttled[0] ? arena_strdup(box->arena, m.throttled) : NULL,
    };
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
        box->told = false;
        break;
    case MESSAGE_SHARE:
        if (size_bytes != sizeof share)
            return;
        memcpy(&share, data, sizeof share);
        if (box->progress && box->progress->call)
            box->progress->call(box->progress->context, share.share);
        break;
    case MESSAGE_FAILED:
        if (size_bytes != sizeof box->failure)
            return;
        memcpy(&box->failure, data, sizeof box->failure);
        box->told = true;
        if (box->failure.index < 0 || box->failure.index >= box->count)
            return;
        box->alive[box->failure.index] = false;
        box->results[box->failure.index]->status = box->failure.status;
        box->results[box->failure.index]->error = arena_strdup(box->arena, box->failure.why);
        if (box->failure.status == RESULT_WRONG)
            box->results[box->failure.index]->verified = false;
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
    const char *why = box->told ? arena_strdup(box->arena, box->failure.why)
                                : worker_describe_end(box->arena, "measuring it", w, timeout_s);
    if (index >= 0 && index < box->count && box->alive[index]) {
        struct result *r = box->results[index];
        box->alive[index] = false;
        r->status = RESULT_FAILED;
        r->error = why;
        r->time = (struct time_result){.provenance = PROVENANCE_ABSENT};
        return true;
    }
    if (box->told && box->failure.index >= 0)
        return true;
    for (int i = 0; i < box->count; i++)
        if (box->alive[i]) {
            box->alive[i] = false;
            box->results[i]->status = RESULT_FAILED;
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
    double each_s = job_timeout_s(jobs[0].request) + limit_s(jobs[0].request);
    struct worker_spec spec = {.body = measure_body,
                               .context = &session,
                               .timeout_s = each_s * (box->count + 1), // a run's own is shorter
                               .on_message = take_message,
                               .message_context = box,
                               .cancel = cancel};
    box->current = -1;
    box->told = false;
    memset(box->timed, 0, sizeof *box->timed * (size_t)box->count);
    if (!worker_run(&spec, &w, err))
        return false;
    if (w.end == WORKER_CANCELLED)
        return fail_as(err, ERROR_SYSTEM, NOWHERE, "interrupted");
    if (w.end == WORKER_DONE || !drop_culprit(box, &w, spec.timeout_s))
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
