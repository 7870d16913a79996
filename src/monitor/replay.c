// A recording's lines, one after the other: its figures become the samples of made-up GPUs that no driver has.
// SPDX-License-Identifier: Apache-2.0
#include "monitor/replay.h"
#include "monitor/internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { GPUS_MAX = 64 };
static const double s_per_h = 3600;
static const double block_readings = 10, block_share = 0.1, block_most = 0.5; // of the recording

struct kept {       // a line, for resampling
    uint64_t gpus;  // a bit for each that the line has
    double *values; // by GPU and figure; NAN = not there
};

struct replaying {
    struct arena *arena;
    struct monitor *monitor;
    uint64_t alerts_seen, began_ns;
    void (*each)(void *context, const struct alert *alert);
    void *context;
    struct replay *out;
    uint64_t *alerts;  // by GPU and series
    double resample_s; // 0 = no lines are kept
    struct kept *kept;
    size_t kept_count, kept_room;
};

static const char *text_of(const json_t *j, const char *key)
{
    return json_string_value(json_object_get(j, key));
}

static bool utc_seconds(const char *text, int64_t *out)
{
    struct tm t = {0};
    const char *end = text ? strptime(text, "%Y-%m-%dT%H:%M:%S", &t) : NULL;
    *out = end ? (int64_t)timegm(&t) : 0;
    return end && *out > 0;
}

// NULL: there are too many.
static struct monitor_gpu *gpu_of(struct replaying *r, const char *uuid)
{
    struct monitor *m = r->monitor;
    for (int i = 0; i < m->gpu_count; i++)
        if (strcmp(m->gpus[i].chip->uuid, uuid) == 0)
            return &m->gpus[i];
    if (m->gpu_count == GPUS_MAX)
        return NULL;
    struct monitor_gpu *g = &m->gpus[m->gpu_count];
    struct telemetry_chip *chip = ARENA_NEW(r->arena, struct telemetry_chip);
    *chip = (struct telemetry_chip){.uuid = arena_strdup(r->arena, uuid), .index = m->gpu_count};
    *g = (struct monitor_gpu){.chip = chip,
                              .history = xcalloc((size_t)metric_row_count(), sizeof *g->history),
                              .anomalies = xcalloc(ANOMALY_COUNT, sizeof *g->anomalies)};
    anomalies_init(g->anomalies);
    m->gpu_count++;
    return g;
}

static void take_values(struct monitor_gpu *g, const json_t *values)
{
    telemetry_sample_clear(&g->now);
    for (int i = 0; i < TELEMETRY_FIELD_COUNT; i++) {
        const json_t *v =
            json_object_get(values, telemetry_field_info((enum telemetry_field)i)->name);
        if (json_is_number(v))
            g->now.value[i] = json_number_value(v);
    }
}

static void count_alert(void *context, const struct alert *a)
{
    struct replaying *r = context;
    for (int i = 0; i < ANOMALY_COUNT && a->gpu >= 0; i++)
        if (strcmp(a->name, anomaly_figure(i)) == 0)
            r->alerts[a->gpu * ANOMALY_COUNT + i]++;
    if (r->each)
        r->each(r->context, a);
}

// Lines of one second follow each other by the recording's interval.
static uint64_t line_time(const struct replaying *r, const json_t *line, int64_t utc_s)
{
    double interval_s = json_number_value(json_object_get(line, "interval_s"));
    uint64_t ns = (uint64_t)utc_s * (uint64_t)monitor_ns_per_s, before = r->monitor->sampled_ns;
    if (!(interval_s > 0 && interval_s < 1e6))
        interval_s = 0;
    uint64_t least = before + (uint64_t)(interval_s * monitor_ns_per_s);
    return ns > least || r->out->lines == 0 ? ns : least;
}

// The sample of every GPU, as it lies in the recording.
static void keep_line(struct replaying *r, uint64_t gpus)
{
    const struct monitor *m = r->monitor;
    double *values = ARENA_ARRAY(r->arena, double, (size_t)m->gpu_count *TELEMETRY_FIELD_COUNT + 1);
    for (int g = 0; g < m->gpu_count; g++)
        memcpy(values + (size_t)g * TELEMETRY_FIELD_COUNT, m->gpus[g].now.value,
               sizeof m->gpus[g].now.value);
    VEC_PUSH(r->kept, r->kept_count, r->kept_room, ((struct kept){gpus, values}));
}

static bool take_line(struct replaying *r, const json_t *line)
{
    struct monitor *m = r->monitor;
    const char *time = text_of(line, "time");
    const json_t *gpus = json_object_get(line, "gpus");
    int64_t utc_s = 0;
    if (!json_is_array(gpus) || !utc_seconds(time, &utc_s))
        return false;
    uint64_t seen = 0;
    m->sampled_ns = line_time(r, line, utc_s);
    (void)snprintf(m->sampled, sizeof m->sampled, "%s", time);
    if (r->out->lines++ == 0) {
        r->began_ns = m->sampled_ns;
        r->out->first = arena_strdup(r->arena, m->sampled);
    }
    for (size_t i = 0; i < json_array_size(gpus); i++) {
        const json_t *gpu = json_array_get(gpus, i);
        const char *uuid = text_of(gpu, "uuid");
        struct monitor_gpu *g = uuid ? gpu_of(r, uuid) : NULL;
        if (!g)
            return false;
        seen |= UINT64_C(1) << (g - m->gpus);
        take_values(g, json_object_get(gpu, "values"));
        anomalies_sample(m, g, m->sampled_ns, utc_s);
    }
    r->alerts_seen = monitor_alerts(m, r->alerts_seen, count_alert, r);
    if (r->resample_s > 0)
        keep_line(r, seen);
    return true;
}

/* ---- resampled ----------------------------------------------------------------------------------------- */

static void forget_alerts(struct replaying *r)
{
    struct monitor *m = r->monitor;
    for (int g = 0; g < m->gpu_count; g++) {
        memset(m->gpus[g].anomalies, 0, ANOMALY_COUNT * sizeof *m->gpus[g].anomalies);
        anomalies_init(m->gpus[g].anomalies);
    }
    memset(r->alerts, 0, (size_t)GPUS_MAX * ANOMALY_COUNT * sizeof *r->alerts);
}

// A figure of the series that is made: counters go on from where they were, whatever block comes next.
static double continued(double recorded, double *offset, double *last, bool joins, int field)
{
    if (telemetry_field_info((enum telemetry_field)field)->kind == TELEMETRY_GAUGE)
        return recorded;
    if (joins)
        *offset = *last - recorded;
    *last = recorded + *offset;
    return *last;
}

static void play_line(struct replaying *r, size_t line, bool joins, double *offsets, double *lasts)
{
    struct monitor *m = r->monitor;
    for (int g = 0; g < m->gpu_count; g++) {
        if (!(r->kept[line].gpus >> g & 1))
            continue;
        telemetry_sample_clear(&m->gpus[g].now);
        for (int f = 0; f < TELEMETRY_FIELD_COUNT; f++) {
            size_t at = (size_t)g * TELEMETRY_FIELD_COUNT + (size_t)f;
            double recorded = r->kept[line].values[at];
            if (!isnan(recorded))
                m->gpus[g].now.value[f] = continued(recorded, &offsets[at], &lasts[at], joins, f);
        }
        anomalies_sample(m, &m->gpus[g], m->sampled_ns,
                         (int64_t)(m->sampled_ns / (uint64_t)monitor_ns_per_s));
    }
    r->alerts_seen = monitor_alerts(m, r->alerts_seen, count_alert, r);
}

// Blocks long enough for what depends on what came just before; the recording's end goes on at its beginning.
static bool resample(struct replaying *r, double reading_s, struct error *err)
{
    enum { SEED = 20261123, LINES_LEAST = 20 };
    struct replay *out = r->out;
    double span_s = (double)(r->monitor->sampled_ns - r->began_ns) / monitor_ns_per_s;
    size_t n = r->kept_count, fields = (size_t)r->monitor->gpu_count * TELEMETRY_FIELD_COUNT;
    double step_s = span_s / (double)(n > 1 ? n - 1 : 1);
    double block_s =
        fmin(fmax(block_readings * reading_s, block_share * span_s), block_most * span_s);
    size_t length = (size_t)fmax(1, block_s / step_s);
    if (n < LINES_LEAST || !(step_s > 0))
        return fail(err, NOWHERE, "the recording has %zu samples: %d are needed to resample it", n,
                    LINES_LEAST);
    double *offsets = ARENA_ARRAY(r->arena, double, fields),
           *lasts = ARENA_ARRAY(r->arena, double, fields);
    out->resampled_s = r->resample_s;
    out->block_s = (double)length * step_s;
    forget_alerts(r);
    r->each = NULL;
    size_t at = 0;
    for (uint64_t i = 0; (double)i * step_s < r->resample_s; i++, at = (at + 1) % n) {
        bool joins = i % length == 0;
        if (joins) {
            uint32_t words[4];
            philox(SEED, 0, i, words);
            at = (size_t)(philox_uniform(words[0]) * (double)n);
        }
        r->monitor->sampled_ns += (uint64_t)(step_s * monitor_ns_per_s);
        play_line(r, at, joins || at == 0, offsets, lasts);
    }
    return true;
}

double poisson_most(uint64_t count)
{
    enum { STEPS = 100 };
    static const double tail = 0.05;
    double low = (double)count, high = 2 * (double)count + 20;
    for (int step = 0; step < STEPS; step++) {
        double mean = (low + high) / 2, sum = 0;
        for (uint64_t i = 0; i <= count; i++)
            sum += exp((double)i * log(mean) - mean - lgamma((double)i + 1));
        *(sum > tail ? &low : &high) = mean;
    }
    return high;
}

static void add_series(struct replaying *r, int gpu, int series)
{
    const struct monitor_gpu *g = &r->monitor->gpus[gpu];
    const struct anomaly *s = &g->anomalies[series];
    struct replay *out = r->out;
    uint64_t alerts = r->alerts[gpu * ANOMALY_COUNT + series];
    if (out->resampled_s > 0 && anomaly_is_seasonal(series))
        return;
    out->series[out->count++] =
        (struct replay_series){g->chip->uuid, anomaly_figure(series), s->readings, alerts};
    out->readings += s->readings;
    out->alerts += alerts;
    out->judged += s->judged;
}

static void sum_up(struct replaying *r)
{
    struct replay *out = r->out;
    out->gpu_count = r->monitor->gpu_count;
    out->last = arena_strdup(r->arena, r->monitor->sampled);
    out->span_s = (double)(r->monitor->sampled_ns - r->began_ns) / monitor_ns_per_s;
    out->series = ARENA_ARRAY(r->arena, struct replay_series, out->gpu_count * ANOMALY_COUNT + 1);
    for (int g = 0; g < out->gpu_count; g++)
        for (int i = 0; i < ANOMALY_COUNT; i++)
            add_series(r, g, i);
    out->rate = out->judged ? (double)out->alerts / (double)out->judged : (double)NAN;
    out->rate_most =
        out->judged ? fmin(poisson_most(out->alerts) / (double)out->judged, 1) : (double)NAN;
}

static bool take_lines(struct replaying *r, const char *path, FILE *in, struct error *err)
{
    char *s = NULL;
    size_t room = 0;
    ssize_t length;
    bool taken = true;
    int number = 0;
    while (taken && (length = getline(&s, &room, in)) >= 0) {
        bool empty = length == 0 || strspn(s, " \t\r\n") == (size_t)length;
        json_t *line = empty ? NULL : json_loadb(s, (size_t)length, 0, NULL);
        bool cut = number > 0 && !empty && !line && s[length - 1] != '\n'; // still being written
        taken = empty || cut || (line && take_line(r, line));
        json_decref(line);
        number++;
    }
    free(s);
    if (!taken)
        return fail(err, (struct location){.file = path, .line = number},
                    "this is no line of `ridge monitor --json` (an object with time and gpus, each "
                    "with its uuid): record with `ridge monitor --interval 1s --json`");
    return r->out->lines > 0 ||
           fail(err, (struct location){.file = path}, "the recording has no samples");
}

bool monitor_replay(struct arena *a, const char *path, FILE *in, double reading_s,
                    double resample_s, void (*each)(void *context, const struct alert *alert),
                    void *context, struct replay *out, struct error *err)
{
    struct monitor_options options = {.no_gpus = true, .reading_s = reading_s};
    struct replaying r = {.arena = a,
                          .each = resample_s > 0 ? NULL : each,
                          .context = context,
                          .out = out,
                          .resample_s = resample_s};
    *out = (struct replay){.reading_s = anomaly_reading_s(&options)};
    if (!monitor_open(&options, &r.monitor, err))
        return false;
    free(r.monitor->gpus);
    r.monitor->gpus = xcalloc(GPUS_MAX, sizeof *r.monitor->gpus);
    r.alerts = xcalloc((size_t)GPUS_MAX * ANOMALY_COUNT, sizeof *r.alerts);
    bool done = take_lines(&r, path, in, err);
    uint64_t recorded_ns = r.monitor->sampled_ns;
    done = done && (!(resample_s > 0) || resample(&r, out->reading_s, err));
    r.monitor->sampled_ns = recorded_ns;
    if (done)
        sum_up(&r);
    free(r.kept);
    monitor_close(r.monitor);
    free(r.alerts);
    return done;
}

/* ---- words --------------------------------------------------------------------------------------------- */

void replay_print(const struct replay *r, struct text *out)
{
    text_printf(out, "%" PRIu64 " samples of %d GPU%s, %s to %s (%.4g h)\n\n", r->lines,
                r->gpu_count, plural(r->gpu_count), r->first, r->last, r->span_s / s_per_h);
    text_printf(out, "  %-24s %9s %8s  %s\n", "series", "readings", "alerts", "GPU");
    for (int i = 0; i < r->count; i++)
        text_printf(out, "  %-24s %9" PRIu64 " %8" PRIu64 "  %s\n", r->series[i].figure,
                    r->series[i].readings, r->series[i].alerts, r->series[i].uuid);
    text_printf(out, "\nA reading is the mean of %g s.\n", r->reading_s);
    if (r->resampled_s > 0)
        text_printf(
            out,
            "Resampled, not recorded: %.4g h made of blocks of %.4g s that were drawn from the "
            "recording at random. What changes more slowly than a block is not in it, and the "
            "time of day is not kept.\n",
            r->resampled_s / s_per_h, r->block_s);
    if (r->judged == 0)
        text_add(out, "No reading was judged: all went into learning the levels.\n");
    else
        text_printf(out,
                    "%" PRIu64 " alert%s in %" PRIu64 " judged readings: %.3g per reading, at most "
                    "%.3g (95 %%), if nothing was wrong meanwhile\n",
                    r->alerts, r->alerts == 1 ? "" : "s", r->judged, r->rate, r->rate_most);
}

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *replay_json(const struct replay *r)
{
    json_t *series = json_array();
    for (int i = 0; i < r->count; i++)
        json_array_append_new(series, json_pack("{s:s?, s:s, s:I, s:I}", "uuid", r->series[i].uuid,
                                                "figure", r->series[i].figure, "readings",
                                                (json_int_t)r->series[i].readings, "alerts",
                                                (json_int_t)r->series[i].alerts));
    return json_pack(
        "{s:s, s:i, s:I, s:i, s:s, s:s, s:f, s:f, s:o, s:I, s:I, s:I, s:o, s:o, s:o, s:o}", "ridge",
        RIDGE_VERSION, "schema", 1, "samples", (json_int_t)r->lines, "gpus", r->gpu_count, "first",
        r->first, "last", r->last, "span_s", r->span_s, "reading_s", r->reading_s, "series", series,
        "readings", (json_int_t)r->readings, "judged", (json_int_t)r->judged, "alerts",
        (json_int_t)r->alerts, "rate", number(r->rate), "rate_most", number(r->rate_most),
        "resampled_s", r->resampled_s > 0 ? json_real(r->resampled_s) : json_null(), "block_s",
        r->resampled_s > 0 ? json_real(r->block_s) : json_null());
}
