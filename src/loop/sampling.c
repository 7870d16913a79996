// Sampling: the discipline of measured times, for whatever can be run again. The subjects are
// interleaved in random order and its reverse, so that whatever drifts (clocks, heat, neighbours) hits all alike:
//     warm up -> rounds of blocks until every median is settled
// A block is a few samples of one subject between two looks at the chip's state; one that was slowed
// down is set aside and taken again. Samples of a block are more alike than those of two blocks, so that what can be
// told from a time depends on the number of blocks: they are short and many. What a run is, the caller's functions know.
// SPDX-License-Identifier: Apache-2.0
#include "loop/loop.h"

#include <math.h>
#include <stdlib.h>

enum {
    WARM_SAMPLES = 3,
    BLOCK_SAMPLES_MIN = SAMPLES_CLEAR,
    BLOCK_SAMPLES_MAX = 5,
    SAMPLES_MIN = 30,
    BLOCKS_MIN = 8,      // samples of a block are more alike than those of two
    CUT_SAMPLES_MIN = 6, // fewer have no 95 % interval of the median
    WARM_ROUNDS_MIN = 3,
    MANY = 32, // subjects: each is warm from the others, and needs a time alone
};

static const double ns_per_s = 1e9;
static const double default_limit_s = 3;
static const double settled_within = 0.005; // half the 95 % interval of the median
static const double batch_ns = 200000;      // a sample takes at least so long
static const double block_ns = 1e6;         // samples of a block together
static const double alone_ns = 5e7;         // a sample that is so long is a block of its own
static const double slow_ns = 2e8;          // such a run is sampled one at a time
static const double warm_least_s = 0.2, warm_most_s = 2;
static const double warm_settled_within = 0.01; // from one round to the next
// Between two steps of NVML's counter, at least and at most: a look that comes late by 9 ms leaves a tenth of 90 ms open at
// each end, too much where variants are chosen by it.
static const struct energy_span {
    double least_s, most_s;
} energy_usual = {0.09, 0.5}, energy_chosen_by = {0.6, 1.5};
static const double power_settles_s = 0.1, power_most_s = 0.3; // where there is no such counter
static const double mj_per_w_ns = 1e-6;
static const double energy_batch_ns = 4e6; // of runs, between two looks at it
// The chip's state takes milliseconds to ask for (six questions, 2.4 ms on an H200), and is measured by the chip every
// 20 to 100 ms: what ends one block begins the next, and where only the fastest matter one look serves many blocks.
static const uint64_t look_new_ns = 1000000, look_racing_ns = 20000000;
static const double retake_share = 0.5; // of the time limit goes to blocks set aside

static double elapsed_s(uint64_t since_ns)
{
    return (double)(clock_ns() - since_ns) / ns_per_s;
}

double sampling_limit_s(double asked_s)
{
    return asked_s > 0 ? asked_s : default_limit_s;
}

static bool begin(struct sampling *s, int subject, struct error *err)
{
    s->current = subject;
    return !s->ops->begin || s->ops->begin(s->context, subject, err);
}

static bool take(struct sampling *s, int subject, int count, int batch, bool cold, double *times_ns,
                 struct error *err)
{
    struct device_run_options options = {.timeout_s = s->timeout_s, .cold = cold, .batch = batch};
    return s->ops->take(s->context, subject, &options, count, times_ns, err);
}

static struct device_state look(struct sampling *s)
{
    device_state(s->device, &s->seen);
    s->seen_ns = clock_ns();
    return s->seen;
}

static struct device_state look_unless_new(struct sampling *s, uint64_t new_ns)
{
    return s->seen_ns > 0 && clock_ns() - s->seen_ns < new_ns ? s->seen : look(s);
}

/* ---- warming up ------------------------------------------------------------------------------------- */

static void choose_batch(const struct sampling *s, struct sampled *t)
{
    double runs =
        fmin(ceil(batch_ns / fmax(t->warm_ns, 1)), s->cold ? t->batch_max_cold : t->batch_max);
    t->batch = (int)fmax(1, runs);
    double samples = ceil(block_ns / fmax(t->warm_ns * t->batch, 1));
    t->block_samples = (int)fmax(BLOCK_SAMPLES_MIN, fmin(samples, BLOCK_SAMPLES_MAX));
    if (t->warm_ns >= alone_ns)
        t->block_samples = 1;
}

static bool warm_round(struct sampling *s, double *sum_ns, struct error *err)
{
    double times[WARM_SAMPLES];
    *sum_ns = 0;
    for (int i = 0; i < s->count; i++) {
        struct sampled *t = &s->subjects[i];
        bool short_run = t->warm_ns > 0 && t->warm_ns < slow_ns;
        int samples = short_run && s->count < MANY ? WARM_SAMPLES : 1;
        int batch = t->batch > 0 ? t->batch : 1;
        if (!begin(s, i, err) || !take(s, i, samples, batch, s->cold, times, err))
            return false;
        t->warm_up_runs += (size_t)(samples * batch);
        t->warm_ns = stats_summary(times, (size_t)samples).median;
        *sum_ns += t->warm_ns;
    }
    return true;
}

// Until the clocks are up and a round takes as long as the one before.
static bool warm_up(struct sampling *s, struct error *err)
{
    uint64_t start_ns = clock_ns();
    double last_ns = 0, sum_ns = 0;
    for (int round = 0;; round++) {
        if (!warm_round(s, &sum_ns, err))
            return false;
        bool settled = fabs(sum_ns - last_ns) <= warm_settled_within * sum_ns;
        double spent_s = elapsed_s(start_ns);
        if ((round + 1 >= WARM_ROUNDS_MIN && settled && spent_s >= warm_least_s) ||
            spent_s >= warm_most_s)
            break;
        last_ns = sum_ns;
        if (round == 0)
            for (int i = 0; i < s->count; i++)
                choose_batch(s, &s->subjects[i]);
    }
    for (int i = 0; i < s->count; i++)
        choose_batch(s, &s->subjects[i]);
    return true;
}

/* ---- rounds ----------------------------------------------------------------------------------------- */

static void keep_finite(struct sample_list *list, double value)
{
    if (isfinite(value) && value > 0)
        sample_add(list, value);
}

static double or_nan(bool known, double value)
{
    return known && value > 0 ? value : (double)NAN;
}

static void keep_chip(struct sampled *t, double at_s, const struct device_state *state)
{
    if (t->chip_count == CHIP_SAMPLES_MAX)
        return;
    struct chip_sample c = {.at_s = at_s,
                            .sample = t->good.count,
                            .sm_mhz = or_nan(state->valid, state->sm_mhz),
                            .power_w = or_nan(state->valid, state->power_w),
                            .temperature_c = or_nan(state->valid, state->temperature_c)};
    VEC_PUSH(t->chip, t->chip_count, t->chip_capacity, c);
}

static bool take_samples(struct sampling *s, int subject, struct error *err)
{
    double times[BLOCK_SAMPLES_MAX];
    struct sampled *t = &s->subjects[subject];
    size_t left = s->samples_max - t->good.count;
    int count = left < (size_t)t->block_samples ? (int)left : t->block_samples;
    if (count == 0)
        return true;
    if (!begin(s, subject, err) || (s->ops->fresh && !s->ops->fresh(s->context, subject, err)))
        return false;
    double at_s = elapsed_s(s->began_ns);
    bool racing = s->race_beyond > 0;
    struct device_state before = look_unless_new(s, racing ? look_racing_ns : look_new_ns);
    if (!take(s, subject, count, t->batch, s->cold, times, err))
        return false;
    struct device_state after = racing ? look_unless_new(s, look_racing_ns) : look(s);
    keep_chip(t, at_s, &after);
    const char *reason = after.valid && after.throttled     ? after.throttled
                         : before.valid && before.throttled ? before.throttled
                                                            : NULL;
    t->reason = reason ? reason : t->reason;
    for (int i = 0; i < count; i++)
        sample_add(reason ? &t->throttled : &t->good, times[i]);
    t->good_blocks += !reason;
    if (!after.valid)
        return true;
    keep_finite(&t->sm_mhz, after.sm_mhz);
    keep_finite(&t->power_w, after.power_w);
    keep_finite(&t->temperature_c, after.temperature_c);
    return true;
}

static bool take_block(struct sampling *s, int subject, struct error *err)
{
    phase_begin(s->subjects[subject].name);
    bool done = take_samples(s, subject, err);
    phase_end();
    return done;
}

static void swap(int *x, int *y)
{
    int was = *x;
    *x = *y;
    *y = was;
}

// Philox by a counter: the order of a round is random, and the seed is the run's. Each second round is the one before it
// reversed: who was first is last, so that what a place in the round costs hits all alike.
static void arrange(struct sampling *s, int round, int *order)
{
    if (round % 2 == 1) {
        for (int i = 0; i < s->count / 2; i++)
            swap(&order[i], &order[s->count - 1 - i]);
        return;
    }
    for (int i = s->count - 1; i > 0; i--) {
        uint32_t words[4];
        philox(s->seed, 1, s->random++, words);
        int j = (int)(((uint64_t)words[0] * (uint64_t)(i + 1)) >> 32);
        swap(&order[i], &order[j]);
    }
}

static bool is_settled(const struct sampling *s, const struct sampled *t)
{
    return t->good.count >= SAMPLES_MIN && t->good_blocks >= BLOCKS_MIN &&
           stats_settled(t->good.items, t->good.count, s->settle > 0 ? s->settle : settled_within);
}

// What is surely slower than this is not sampled to its end; 0 = nothing is.
static double cut_line(const struct sampling *s)
{
    double line = s->cut_ns > 0 ? s->cut_ns : (double)INFINITY;
    for (int i = 0; i < s->count && s->race_beyond > 0; i++) {
        const struct sampled *t = &s->subjects[i];
        if (t->good.count >= CUT_SAMPLES_MIN)
            line = fmin(line, stats_summary(t->good.items, t->good.count).high * s->race_beyond);
    }
    return isfinite(line) ? line : 0;
}

// The whole interval of its median is beyond the line, or a whole block far beyond.
static bool is_beyond(const struct sampled *t, double line_ns)
{
    if (line_ns == 0 || t->good.count < BLOCK_SAMPLES_MIN)
        return false;
    struct summary sum = stats_summary(t->good.items, t->good.count);
    return sum.min > CLEARLY_BEYOND * line_ns ||
           (t->good.count >= CUT_SAMPLES_MIN && sum.low > line_ns);
}

static void cut_slow(struct sampling *s)
{
    double line_ns = cut_line(s);
    for (int i = 0; i < s->count; i++)
        s->subjects[i].cut = is_beyond(&s->subjects[i], line_ns);
}

// All go on until the last one has settled: only then does drift hit all alike. But not those that are cut.
static bool is_done(const struct sampling *s, double spent_s)
{
    double allowed_s = sampling_limit_s(s->limit_s) * s->count;
    bool settled = true, full = true, begun = true, slowed = false;
    for (int i = 0; i < s->count; i++) {
        const struct sampled *t = &s->subjects[i];
        settled = settled && (t->cut || is_settled(s, t));
        full = full && (t->cut || t->good.count >= s->samples_max);
        begun = begun && t->good.count > 0;
        slowed = slowed || t->throttled.count > t->good.count;
    }
    if (slowed && spent_s >= retake_share * allowed_s)
        return true; // the chip is always slowed down under this load
    return settled || full || (spent_s >= allowed_s && (begun || spent_s >= 2 * allowed_s));
}

static bool sample_all(struct sampling *s, int *order, struct error *err)
{
    uint64_t start_ns = clock_ns();
    for (int i = 0; i < s->count; i++)
        order[i] = i;
    for (int round = 0; !is_done(s, elapsed_s(start_ns)); round++) {
        arrange(s, round, order);
        for (int i = 0; i < s->count; i++) {
            if (s->subjects[order[i]].cut)
                continue;
            if (!take_block(s, order[i], err))
                return false;
            if (s->ops->progress)
                s->ops->progress(
                    s->context, order[i],
                    fmin(1, elapsed_s(start_ns) / (sampling_limit_s(s->limit_s) * s->count)));
        }
        cut_slow(s);
    }
    return true;
}

static bool warm_up_phase(struct sampling *s, struct error *err)
{
    phase_begin("ridge: warm up");
    bool done = warm_up(s, err);
    phase_end();
    return done;
}

bool sampling_run(struct sampling *s, struct error *err)
{
    int *order = xcalloc((size_t)s->count + 1, sizeof *order);
    s->began_ns = clock_ns();
    bool done = warm_up_phase(s, err) && sample_all(s, order, err);
    free(order);
    return done;
}

/* ---- afterwards --------------------------------------------------------------------------------------- */

// Of a chip that has no counter (before Volta, whose readings are of the moment): the mean of the power while it runs
// back to back, by the time of a run.
static bool energy_by_power(struct sampling *s, int subject, int batch, struct error *err)
{
    struct sampled *t = &s->subjects[subject];
    uint64_t start_ns = clock_ns();
    double time_ns = 0, sum_w = 0, sum_ns = 0, least_w = (double)INFINITY, most_w = 0;
    size_t readings = 0;
    while (elapsed_s(start_ns) < power_most_s) {
        if (!take(s, subject, 1, batch, false, &time_ns, err))
            return false;
        struct device_state now = look(s);
        if (!now.valid || !(now.power_w > 0))
            return true;
        if (elapsed_s(start_ns) < power_settles_s)
            continue;
        sum_w += now.power_w;
        least_w = fmin(least_w, now.power_w);
        most_w = fmax(most_w, now.power_w);
        sum_ns += time_ns;
        readings++;
    }
    if (readings > 0) {
        double n = (double)readings;
        t->energy_mj = sum_w / n * (sum_ns / n) * mj_per_w_ns;
        t->energy_error = (most_w - least_w) / (most_w + least_w);
        t->energy_by_power = true;
    }
    return true;
}

// NVML's counter moves in steps of 20 to 100 ms. From one step to a later one, with runs back to back all
// the while: the power of these runs, and with their time the energy of one. A step lies somewhere between two looks at
// the counter: that is the error.
bool sampling_energy(struct sampling *s, int subject, struct error *err)
{
    struct sampled *t = &s->subjects[subject];
    double time_ns = 0, first_mj = 0, last_mj = look(s).energy_mj;
    double batch = fmax(1, fmin(ceil(energy_batch_ns / fmax(t->warm_ns, 1)), t->queue_max));
    const struct energy_span *span = s->by_energy ? &energy_chosen_by : &energy_usual;
    uint64_t start_ns = clock_ns(), first_ns = 0, look_ns = start_ns, open_ns = 0;
    if (!(last_mj > 0))
        return energy_by_power(s, subject, (int)batch, err);
    while (elapsed_s(start_ns) < span->most_s) {
        if (!take(s, subject, 1, (int)batch, false, &time_ns, err))
            return false;
        struct device_state now = look(s);
        uint64_t now_ns = clock_ns();
        uint64_t unseen_ns = now_ns - look_ns;
        look_ns = now_ns;
        if (!now.valid || !(now.energy_mj > last_mj))
            continue;
        last_mj = now.energy_mj;
        if (first_ns == 0) {
            first_ns = now_ns;
            open_ns = unseen_ns;
            first_mj = now.energy_mj;
        } else if (elapsed_s(first_ns) >= span->least_s) {
            double between_ns = (double)(now_ns - first_ns);
            t->energy_mj = (last_mj - first_mj) / between_ns * time_ns;
            t->energy_error = fmin(1, (double)(open_ns + unseen_ns) / between_ns);
            break;
        }
    }
    return true;
}

static double median_of(const struct sample_list *list)
{
    return list->count > 0 ? stats_summary(list->items, list->count).median : 0;
}

// Slowed-down samples count only where hardly any others could be had.
struct conditions sampling_conclude(struct sampled *t)
{
    bool slowed = t->throttled.count > t->good.count;
    for (size_t i = 0; slowed && i < t->throttled.count; i++)
        sample_add(&t->good, t->throttled.items[i]);
    return (struct conditions){.batch = t->batch,
                               .warm_up_runs = t->warm_up_runs,
                               .sm_mhz = median_of(&t->sm_mhz),
                               .power_w = median_of(&t->power_w),
                               .temperature_c = median_of(&t->temperature_c),
                               .energy_mj = t->energy_mj,
                               .energy_error = t->energy_error,
                               .energy_by_power = t->energy_by_power,
                               .throttled_samples = t->throttled.count,
                               .throttled = slowed ? t->reason : NULL};
}

void sampled_release(struct sampled *t)
{
    free(t->good.items);
    free(t->throttled.items);
    free(t->sm_mhz.items);
    free(t->power_w.items);
    free(t->temperature_c.items);
    free(t->chip);
}
