// ridge export: a recorded run as JSON, as CSV (a row a figure), or as a trace of Chrome's format, which
// Perfetto reads too: a slice per sample, a track per case, and counter tracks of clock, power and
// temperature. Of measured runs the journal keeps when each block of samples began; the slices of others
// lie end to end in the recorded order.
// SPDX-License-Identifier: Apache-2.0
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double us_ns = 1000, s_us = 1e6;

/* ---- Chrome trace ------------------------------------------------------------------------------------- */

static json_t *slice_args(const struct result *r, size_t sample)
{
    json_t *args = json_pack("{s:I, s:s, s:s}", "sample", (json_int_t)sample + 1, "provenance",
                             provenance_name(r->time.provenance), "limiter",
                             r->diagnosed ? r->diagnosis.limiter : "not diagnosed");
    for (int c = 0; sample == 0 && c < COUNTER_COUNT; c++)
        if (counters_has(&r->counters, (enum counter_id)c))
            json_object_set_new(args, counter_info((enum counter_id)c)->name,
                                json_real(r->counters.figure[c].value));
    return args;
}

static json_t *track_name(const char *what, int track, const char *name)
{
    return json_pack("{s:s, s:s, s:i, s:i, s:{s:s}}", "name", what, "ph", "M", "pid", 1, "tid",
                     track, "args", "name", name && *name ? name : "all");
}

static int track_of(const struct run *run, int result)
{
    int track = 0;
    for (int i = 0; i <= result; i++) {
        const char *a = run->results[i].case_label, *b = run->results[result].case_label;
        track = i + 1;
        if (strcmp(a ? a : "", b ? b : "") == 0)
            break;
    }
    return track;
}

static bool same_case(const struct result *a, const struct result *b)
{
    return strcmp(a->case_label ? a->case_label : "", b->case_label ? b->case_label : "") == 0;
}

static double duration_us(const struct result *r, size_t from, size_t to)
{
    double sum = 0;
    for (size_t s = from; s < to; s++)
        sum += r->time.samples_ns[s] / us_ns;
    return sum;
}

// Where a result's blocks of samples were timed, in order and within its samples.
static bool has_timeline(const struct result *r)
{
    double last = 0;
    for (int i = 0; i < r->conditions.chip_count; i++) {
        const struct chip_sample *c = &r->conditions.chip[i];
        if (!(c->at_s >= last) || c->sample > r->time.summary.count)
            return false;
        last = c->at_s;
    }
    return r->conditions.chip_count > 0 && r->time.samples_ns;
}

// The end of a case's measurement, so that the next begins behind it.
static double case_end_us(const struct run *run, const struct result *of)
{
    double end = 0;
    for (int i = 0; i < run->result_count; i++) {
        const struct result *r = &run->results[i];
        if (!same_case(r, of) || !has_timeline(r))
            continue;
        const struct chip_sample *last = &r->conditions.chip[r->conditions.chip_count - 1];
        end = fmax(end, last->at_s * s_us + duration_us(r, last->sample, r->time.summary.count));
    }
    return end;
}

static void add_slice(json_t *events, const struct result *r, int track, size_t sample,
                      double at_us)
{
    json_array_append_new(events, json_pack("{s:s, s:s, s:s, s:f, s:f, s:i, s:i, s:o}", "name",
                                            r->variant, "cat", "kernel", "ph", "X", "ts", at_us,
                                            "dur", r->time.samples_ns[sample] / us_ns, "pid", 1,
                                            "tid", track, "args", slice_args(r, sample)));
}

static void add_counter(json_t *events, const char *name, const char *unit, double at_us,
                        double value)
{
    if (isfinite(value))
        json_array_append_new(events, json_pack("{s:s, s:s, s:f, s:i, s:{s:f}}", "name", name, "ph",
                                                "C", "ts", at_us, "pid", 1, "args", unit, value));
}

// Blocks at the times when they ran, the samples of one end to end, and the chip's state beside them.
// Samples are timed by the device and blocks by the host: where the samples last longer than the time to
// the next block, that block's slices begin behind them, since slices on top of each other do not show.
static void add_timeline(json_t *events, const struct result *r, int track, double begin_us)
{
    const struct conditions *c = &r->conditions;
    double free_us = begin_us; // where the slices before end
    for (int i = 0; i < c->chip_count; i++) {
        size_t end = i + 1 < c->chip_count ? c->chip[i + 1].sample : r->time.summary.count;
        double at_us = begin_us + c->chip[i].at_s * s_us;
        add_counter(events, "SM clock", "MHz", at_us, c->chip[i].sm_mhz);
        add_counter(events, "power", "W", at_us, c->chip[i].power_w);
        add_counter(events, "temperature", "C", at_us, c->chip[i].temperature_c);
        free_us = fmax(free_us, at_us);
        for (size_t s = c->chip[i].sample; s < end; s++) {
            add_slice(events, r, track, s, free_us);
            free_us += r->time.samples_ns[s] / us_ns;
        }
    }
}

// What the run did and when, on a process of its own: its clock is the run's, the samples' is their case's.
static void add_phases(json_t *events, const struct run *run)
{
    enum { PHASES = 2 };
    bool any = false;
    for (int i = 0; i < run->result_count; i++) {
        const struct result *r = &run->results[i];
        for (int k = 0; k < r->phase_count; k++) {
            const struct phase_time *p = &r->phases[k];
            json_array_append_new(
                events, json_pack("{s:s, s:s, s:s, s:f, s:f, s:i, s:i, s:{s:s?, s:s}}", "name",
                                  p->name, "cat", "phase", "ph", "X", "ts", p->at_s * s_us, "dur",
                                  p->duration_s * s_us, "pid", PHASES, "tid", 0, "args", "variant",
                                  p->variant, "case", r->case_label));
            any = true;
        }
    }
    if (any)
        json_array_append_new(events,
                              json_pack("{s:s, s:s, s:i, s:{s:s}}", "name", "process_name", "ph",
                                        "M", "pid", PHASES, "args", "name", "phases of the run"));
}

static bool trace_write(const struct run *run, struct text *out)
{
    json_t *events = json_array();
    double *at_us = xcalloc((size_t)run->result_count + 2, sizeof *at_us), begin_us = 0;
    bool timed = false;
    json_array_append_new(events, track_name("process_name", 0, run->header.experiment));
    for (int i = 0; i < run->result_count; i++) {
        const struct result *r = &run->results[i];
        int track = track_of(run, i);
        if (track == i + 1) {
            json_array_append_new(events, track_name("thread_name", track, r->case_label));
            at_us[track] = begin_us; // of those without a timeline
            begin_us += case_end_us(run, r);
        }
        if (has_timeline(r)) {
            timed = true;
            add_timeline(events, r, track, at_us[track]);
            continue;
        }
        for (size_t s = 0; r->time.samples_ns && s < r->time.summary.count; s++) {
            add_slice(events, r, track, s, at_us[track]);
            at_us[track] += r->time.samples_ns[s] / us_ns;
        }
    }
    free(at_us);
    add_phases(events, run);
    json_t *trace =
        json_pack("{s:s, s:o, s:{s:s, s:s?, s:s}}", "displayTimeUnit", "ns", "traceEvents", events,
                  "otherData", "experiment", run->header.experiment, "device",
                  run->header.device_name, "order",
                  timed ? "blocks of samples when they ran, the samples of a block end to end"
                        : "samples end to end, as recorded; the gaps between them are not known");
    char *dump = json_dumps(trace, JSON_COMPACT);
    text_printf(out, "%s\n", dump);
    free(dump);
    json_decref(trace);
    return true;
}

/* ---- CSV ------------------------------------------------------------------------------------------------ */

static void add_field(struct text *out, const char *s)
{
    text_add(out, "\"");
    for (s = s ? s : ""; *s; s++)
        text_add(out, *s == '"' ? "\"\"" : (char[]){*s, 0});
    text_add(out, "\",");
}

static void add_row(struct text *out, const struct run *run, const struct result *r,
                    const char *metric, struct figure f)
{
    if (f.provenance == PROVENANCE_ABSENT || isnan(f.value))
        return;
    text_printf(out, "%lld,", (long long)run->header.id);
    add_field(out, run->header.experiment);
    add_field(out, run->header.device_id);
    add_field(out, r->variant);
    add_field(out, r->case_label);
    add_field(out, metric);
    text_printf(out, "%.17g,%s\n", f.value, provenance_name(f.provenance));
}

static bool csv_write(const struct run *run, struct text *out)
{
    text_add(out, "run,experiment,device,variant,case,metric,value,provenance\n");
    for (int i = 0; i < run->result_count; i++) {
        const struct result *r = &run->results[i];
        enum provenance p = r->time.provenance;
        const struct summary *s = &r->time.summary;
        add_row(out, run, r, "time_ns_median", (struct figure){s->median, p});
        add_row(out, run, r, "time_ns_low", (struct figure){s->low, p});
        add_row(out, run, r, "time_ns_high", (struct figure){s->high, p});
        for (size_t k = 0; r->time.samples_ns && s->count > 1 && k < s->count; k++)
            add_row(out, run, r, "time_ns_sample", (struct figure){r->time.samples_ns[k], p});
        for (int c = 0; c < COUNTER_COUNT; c++)
            add_row(out, run, r, counter_info((enum counter_id)c)->name, r->counters.figure[c]);
    }
    return true;
}

static bool json_write(const struct run *run, struct text *out)
{
    report_json(run, out);
    return true;
}

/* ---- the command --------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    bool (*write)(const struct run *run, struct text *out);
} writers[] = {{"json", json_write}, {"chrome", trace_write}, {"csv", csv_write}};

bool command_export(const struct options *o, int *status, struct error *err)
{
    struct arena a = {0};
    struct run run = {0};
    struct text out = {0};
    const char *format = option_text(o, OPTION_FORMAT, "json"), *file;
    file = option_text(o, OPTION_OUTPUT, NULL);
    size_t which = 0;
    *status = 0;
    while (which < COUNT_OF(writers) && strcmp(writers[which].name, format) != 0)
        which++;
    bool done = which < COUNT_OF(writers) ||
                fail(err, NOWHERE, "option --format: '%s' is none of json, chrome and csv", format);
    done = done && cli_run_find(o, &a, &run, err) && writers[which].write(&run, &out);
    if (done)
        done = cli_write(file, &out, err);
    text_release(&out);
    json_decref(run.header.environment);
    arena_release(&a);
    return done;
}
