// JSON back to runs and results: the exact inverse of result_write.c. Keys it does not know are
// passed over (a newer ridge may have written them); wrong types are errors that name the key.
// SPDX-License-Identifier: Apache-2.0
#include "record/record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Reads members of one object; the first that is not as it should be makes `failed` true.
struct reader {
    struct arena *arena;
    struct error *err;
    bool failed;
};

static void reader_fail(struct reader *r, const char *key, const char *wanted)
{
    if (!r->failed)
        (void)fail(r->err, NOWHERE, "the result's JSON is not ours: '%s' is not %s", key, wanted);
    r->failed = true;
}

// NULL for null and for absent.
static const json_t *member(const json_t *object, const char *key)
{
    const json_t *j = json_object_get(object, key);
    return json_is_null(j) ? NULL : j;
}

static const char *read_text(struct reader *r, const json_t *object, const char *key)
{
    const json_t *j = member(object, key);
    if (j && !json_is_string(j))
        reader_fail(r, key, "text");
    return json_is_string(j) ? arena_strdup(r->arena, json_string_value(j)) : NULL;
}

static double read_number(struct reader *r, const json_t *object, const char *key, double absent)
{
    const json_t *j = member(object, key);
    if (j && !json_is_number(j))
        reader_fail(r, key, "a number");
    return json_is_number(j) ? json_number_value(j) : absent;
}

static double read_double(struct reader *r, const json_t *object, const char *key)
{
    return read_number(r, object, key, (double)NAN);
}

static uint64_t read_unsigned(struct reader *r, const json_t *object, const char *key)
{
    const json_t *j = member(object, key);
    if (json_is_integer(j) && json_integer_value(j) >= 0)
        return (uint64_t)json_integer_value(j);
    if (json_is_string(j)) // above 2^63
        return strtoull(json_string_value(j), NULL, 10);
    if (j)
        reader_fail(r, key, "a whole number");
    return 0;
}

static bool read_bool(struct reader *r, const json_t *object, const char *key)
{
    const json_t *j = member(object, key);
    if (j && !json_is_boolean(j))
        reader_fail(r, key, "true or false");
    return json_is_true(j);
}

// The items of an array, an empty one if absent.
static size_t read_count(struct reader *r, const json_t *object, const char *key,
                         const json_t **array)
{
    *array = member(object, key);
    if (*array && !json_is_array(*array))
        reader_fail(r, key, "a list");
    return json_array_size(*array);
}

// The number of the name among `count` names, or -1.
static int read_name(struct reader *r, const json_t *object, const char *key,
                     const char *(*name_of)(int), int count)
{
    const char *name = json_string_value(member(object, key));
    for (int i = 0; name && i < count; i++)
        if (strcmp(name_of(i), name) == 0)
            return i;
    reader_fail(r, key, "one of the names it may be");
    return 0;
}

static const char *resource_of(int i)
{
    return resource_name((enum resource)i);
}

static const char *class_of(int i)
{
    return finding_class_name((enum finding_class)i);
}

static const char *verdict_of(int i)
{
    return verdict_name((enum verdict)i);
}

static const char *expectation_of(int i)
{
    return expectation_verdict_name((enum expectation_verdict)i);
}

static const char *provenance_of(int i)
{
    return provenance_name((enum provenance)i);
}

static enum provenance read_provenance(struct reader *r, const json_t *object)
{
    return (enum provenance)read_name(r, object, "provenance", provenance_of,
                                      PROVENANCE_MODELLED + 1);
}

static struct figure read_figure(struct reader *r, const json_t *j)
{
    if (!json_is_object(j))
        return (struct figure){.provenance = PROVENANCE_ABSENT};
    return (struct figure){read_number(r, j, "value", 0), read_provenance(r, j)};
}

static void read_time(struct reader *r, const json_t *object, struct time_result *out)
{
    const json_t *j = member(object, "time_ns"), *samples = NULL;
    *out = (struct time_result){.provenance = PROVENANCE_ABSENT};
    if (!j)
        return;
    struct summary *s = &out->summary;
    out->provenance = read_provenance(r, j);
    s->count = (size_t)read_unsigned(r, j, "samples");
    s->median = read_double(r, j, "median");
    s->low = read_double(r, j, "low");
    s->high = read_double(r, j, "high");
    s->mean = read_double(r, j, "mean");
    s->stddev = read_double(r, j, "stddev");
    s->min = read_double(r, j, "min");
    s->max = read_double(r, j, "max");
    s->p10 = read_double(r, j, "p10");
    s->p90 = read_double(r, j, "p90");
    size_t count = read_count(r, object, "samples_ns", &samples);
    if (count != s->count) {
        reader_fail(r, "samples_ns", "as long as 'samples' says");
        return;
    }
    out->samples_ns = ARENA_ARRAY(r->arena, double, count);
    for (size_t i = 0; i < count; i++)
        out->samples_ns[i] = json_number_value(json_array_get(samples, i));
}

static double item_number(const json_t *list, size_t i)
{
    const json_t *j = json_array_get(list, i);
    return json_is_number(j) ? json_number_value(j) : (double)NAN;
}

static void read_chip(struct reader *r, const json_t *conditions, struct conditions *out)
{
    const json_t *j = member(conditions, "chip"), *at, *sample, *sm, *power, *heat;
    if (!j)
        return;
    size_t count = read_count(r, j, "at_s", &at);
    if (read_count(r, j, "sample", &sample) != count || read_count(r, j, "sm_mhz", &sm) != count ||
        read_count(r, j, "power_w", &power) != count ||
        read_count(r, j, "temperature_c", &heat) != count || count > CHIP_SAMPLES_MAX) {
        reader_fail(r, "chip", "lists of one length");
        return;
    }
    out->chip = ARENA_ARRAY(r->arena, struct chip_sample, count + 1);
    out->chip_count = (int)count;
    for (size_t i = 0; i < count; i++) {
        json_int_t first = json_integer_value(json_array_get(sample, i));
        out->chip[i] = (struct chip_sample){.at_s = item_number(at, i),
                                            .sample = first > 0 ? (size_t)first : 0,
                                            .sm_mhz = item_number(sm, i),
                                            .power_w = item_number(power, i),
                                            .temperature_c = item_number(heat, i)};
    }
}

static void read_conditions(struct reader *r, const json_t *object, struct conditions *out)
{
    const json_t *j = member(object, "conditions");
    *out = (struct conditions){0};
    if (!j)
        return;
    out->batch = (int)read_number(r, j, "batch", 0);
    out->sm_mhz = read_number(r, j, "sm_mhz", 0);
    out->power_w = read_number(r, j, "power_w", 0);
    out->temperature_c = read_number(r, j, "temperature_c", 0);
    out->energy_mj = read_number(r, j, "energy_mj", 0);
    out->throttled_samples = (size_t)read_unsigned(r, j, "throttled_samples");
    out->throttled = read_text(r, j, "throttled");
    read_chip(r, j, out);
}

static void read_phases(struct reader *r, const json_t *object, struct result *out)
{
    const json_t *array = NULL;
    if (!member(object, "phases"))
        return;
    size_t count = read_count(r, object, "phases", &array);
    out->phases = ARENA_ARRAY(r->arena, struct phase_time, count + 1);
    for (size_t i = 0; i < count && i < PHASES_MAX; i++) {
        const json_t *j = json_array_get(array, i);
        struct phase_time p = {
            .name = read_text(r, j, "name"),
            .variant = json_is_true(json_object_get(j, "whole_case")) ? NULL : out->variant,
            .at_s = read_number(r, j, "at_s", (double)NAN),
            .duration_s = read_number(r, j, "s", (double)NAN)};
        if (p.name && p.at_s >= 0 && p.duration_s >= 0)
            out->phases[out->phase_count++] = p;
    }
}

static void read_launches(struct reader *r, const json_t *object, struct result *out)
{
    const json_t *array = NULL;
    if (!member(object, "launches"))
        return;
    size_t count = read_count(r, object, "launches", &array);
    out->launches = ARENA_ARRAY(r->arena, struct launch_time, count + 1);
    for (size_t i = 0; i < count && i < LAUNCHES_MAX; i++) {
        const json_t *j = json_array_get(array, i);
        struct launch_time l = {
            .kernel = read_text(r, j, "kernel"),
            .time_ns = {read_number(r, j, "time_ns", (double)NAN), read_provenance(r, j)}};
        if (l.kernel && l.time_ns.value >= 0)
            out->launches[out->launch_count++] = l;
    }
}

static void read_counters(struct reader *r, const json_t *object, struct counters *out)
{
    *out = (struct counters){0};
    const json_t *j = member(object, "counters");
    for (int i = 0; i < COUNTER_COUNT; i++)
        out->figure[i] = read_figure(r, json_object_get(j, counter_info((enum counter_id)i)->name));
}

static void read_stalls(struct reader *r, const json_t *object, struct stall_table *out)
{
    const json_t *j = member(object, "stalls");
    for (int i = 0; i < STALL_COUNT; i++)
        out->warp_cycles[i] = read_figure(r, json_object_get(j, stall_name((enum stall)i)));
}

static void read_case(struct reader *r, const json_t *object, struct result *out)
{
    json_t *j = json_object_get(object, "case"), *value = NULL;
    const char *name = NULL;
    out->params = ARENA_ARRAY(r->arena, struct case_value, json_object_size(j));
    json_object_foreach(j, name, value)
    {
        if (!json_is_number(value)) {
            reader_fail(r, "case", "an object of numbers");
            return;
        }
        struct case_value *v = &out->params[out->param_count++];
        v->name = arena_strdup(r->arena, name);
        v->value.is_integer = json_is_integer(value);
        v->value.i = json_is_integer(value) ? (int64_t)json_integer_value(value) : 0;
        v->value.d = json_number_value(value);
    }
}

static void read_lines(struct reader *r, const json_t *object, struct result *out)
{
    const json_t *array = NULL;
    size_t count = read_count(r, object, "lines", &array);
    out->lines = ARENA_ARRAY(r->arena, struct line, count);
    for (size_t i = 0; i < count; i++) {
        const json_t *j = json_array_get(array, i);
        struct line *l = &out->lines[out->line_count++];
        l->file = read_text(r, j, "file");
        l->line = (int)read_unsigned(r, j, "line");
        if (!l->file)
            reader_fail(r, "file", "text");
#define LINE_FIELD(name, unit, meaning) l->name = read_unsigned(r, j, #name);
#include "record/line_fields.def"
#undef LINE_FIELD
        read_stalls(r, j, &l->stalls);
    }
}

static void read_problems(struct reader *r, const json_t *object, struct result *out)
{
    const json_t *array = NULL;
    size_t count = read_count(r, object, "problems", &array);
    out->problems = ARENA_ARRAY(r->arena, struct problem, count);
    for (size_t i = 0; i < count; i++) {
        const json_t *j = json_array_get(array, i);
        struct problem *p = &out->problems[out->problem_count++];
        p->kind = read_text(r, j, "kind");
        p->message = read_text(r, j, "message");
        p->stops = read_bool(r, j, "stops");
        p->note = read_bool(r, j, "note");
        if (!p->kind || !p->message)
            reader_fail(r, "problems", "a list of problems");
    }
}

static void read_bounds(struct reader *r, const json_t *object, struct diagnosis *d)
{
    const json_t *array = NULL;
    size_t count = read_count(r, object, "bounds", &array);
    d->bounds = ARENA_ARRAY(r->arena, struct bound, count);
    for (size_t i = 0; i < count; i++) {
        const json_t *j = json_array_get(array, i);
        struct bound *b = &d->bounds[d->bound_count++];
        b->resource = (enum resource)read_name(r, j, "resource", resource_of, RESOURCE_COUNT);
        b->time_ns = read_double(r, j, "time_ns");
        b->work = read_double(r, j, "work");
        b->unit = read_text(r, j, "unit");
        b->rate_per_ns = read_double(r, j, "rate_per_ns");
        b->rate_source = read_text(r, j, "rate_source");
        b->provenance = member(j, "provenance") ? read_provenance(r, j) : PROVENANCE_ABSENT;
    }
}

static void read_evidence(struct reader *r, json_t *evidence, struct finding *f)
{
    const char *name = NULL;
    json_t *value = NULL;
    json_object_foreach(evidence, name, value)
    {
        if (f->evidence_count == (int)COUNT_OF(f->evidence))
            return;
        struct evidence *e = &f->evidence[f->evidence_count++];
        e->name = arena_strdup(r->arena, name);
        e->figure = read_figure(r, value);
    }
}

static void read_findings(struct reader *r, const json_t *object, struct diagnosis *d)
{
    const json_t *array = NULL;
    size_t count = read_count(r, object, "findings", &array);
    d->findings = ARENA_ARRAY(r->arena, struct finding, count);
    for (size_t i = 0; i < count; i++) {
        const json_t *j = json_array_get(array, i);
        struct finding *f = &d->findings[d->finding_count++];
        f->class = (enum finding_class)read_name(r, j, "class", class_of, FINDING_CLASS_COUNT);
        f->title = read_text(r, j, "title");
        f->file = read_text(r, j, "file");
        f->line = (int)read_unsigned(r, j, "line");
        f->fix = read_text(r, j, "fix");
        f->expected_time_ns = read_double(r, j, "expected_time_ns");
        f->folded = read_bool(r, j, "folded");
        read_evidence(r, json_object_get(j, "evidence"), f);
    }
}

static void read_waiting(struct reader *r, const json_t *object, struct waiting *out)
{
    const json_t *j = member(object, "waiting");
    out->launch_ns = read_double(r, j, "launch_ns");
    out->tail_ns = read_double(r, j, "tail_ns");
    out->occupancy_ns = read_double(r, j, "occupancy_ns");
    out->dependency_ns = read_double(r, j, "dependency_ns");
}

static void read_diagnosis(struct reader *r, const json_t *object, struct result *out)
{
    struct diagnosis *d = &out->diagnosis;
    d->limiter = read_text(r, object, "limiter");
    out->diagnosed = d->limiter != NULL;
    if (!out->diagnosed)
        return;
    d->limiter_why = read_text(r, object, "limiter_why");
    d->floor_ns = read_double(r, object, "floor_ns");
    d->code_floor_ns = read_double(r, object, "code_floor_ns");
    d->throughput_gbps = read_double(r, object, "throughput_gbps");
    d->intensity = read_double(r, object, "intensity");
    d->pct_of_floor = read_double(r, object, "pct_of_floor");
    read_waiting(r, object, &d->waiting);
    read_bounds(r, object, d);
    read_findings(r, object, d);
}

static void read_speedup(struct reader *r, const json_t *object, struct speedup *out)
{
    const json_t *j = member(object, "speedup");
    if (!j)
        return;
    out->valid = true;
    out->versus = read_text(r, j, "vs");
    out->comparison.ratio = read_double(r, j, "ratio");
    out->comparison.low = read_double(r, j, "low");
    out->comparison.high = read_double(r, j, "high");
    out->comparison.verdict =
        (enum verdict)read_name(r, j, "verdict", verdict_of, VERDICT_SLOWER + 1);
}

static void read_expectations(struct reader *r, const json_t *object, struct result *out)
{
    const json_t *array = NULL;
    size_t count = read_count(r, object, "expectations", &array);
    out->expectations = ARENA_ARRAY(r->arena, struct expectation_result, count);
    for (size_t i = 0; i < count; i++) {
        const json_t *j = json_array_get(array, i);
        struct expectation_result *e = &out->expectations[out->expectation_count++];
        e->what = read_text(r, j, "what");
        e->expected = read_text(r, j, "expected");
        e->actual = read_text(r, j, "actual");
        e->verdict = (enum expectation_verdict)read_name(r, j, "verdict", expectation_of,
                                                         EXPECTATION_UNKNOWN + 1);
    }
}

static const char *status_of(int i)
{
    static const char *const names[] = {[RESULT_OK] = "ok",
                                        [RESULT_WRONG] = "wrong",
                                        [RESULT_FAILED] = "failed",
                                        [RESULT_SKIPPED] = "skipped"};
    return names[i];
}

bool result_from_json(struct arena *a, const json_t *json, struct result *out, struct error *err)
{
    struct reader r = {.arena = a, .err = err};
    *out = (struct result){0};
    if (!json_is_object(json))
        return fail(err, NOWHERE, "the result's JSON is not ours: not an object");
    out->variant = read_text(&r, json, "variant");
    if (!out->variant)
        reader_fail(&r, "variant", "text");
    out->from = read_text(&r, json, "from");
    read_case(&r, json, out);
    out->status = (enum result_status)read_name(&r, json, "status", status_of, RESULT_SKIPPED + 1);
    out->checked = member(json, "verified") != NULL;
    out->verified = read_bool(&r, json, "verified");
    out->error = read_text(&r, json, "error");
    out->by_system = member(json, "by_system") && read_bool(&r, json, "by_system");
    read_time(&r, json, &out->time);
    read_conditions(&r, json, &out->conditions);
    read_phases(&r, json, out);
    read_launches(&r, json, out);
    read_diagnosis(&r, json, out);
    read_counters(&r, json, &out->counters);
    read_stalls(&r, json, &out->stalls);
    read_speedup(&r, json, &out->speedup);
    read_expectations(&r, json, out);
    out->case_label = read_text(&r, json, "case_label");
    out->title = read_text(&r, json, "title");
    out->hypothesis = read_text(&r, json, "hypothesis");
    out->bottleneck = read_text(&r, json, "bottleneck");
    out->library = read_text(&r, json, "library");
    out->library_version = read_text(&r, json, "library_version");
    out->compiler = read_text(&r, json, "compiler");
    const char *key = read_text(&r, json, "code_key");
    if (key && strlen(key) < sizeof out->code_key)
        memcpy(out->code_key, key, strlen(key) + 1);
    const char *hash = read_text(&r, json, "work_hash");
    if (hash && strlen(hash) < sizeof out->work_hash)
        memcpy(out->work_hash, hash, strlen(hash) + 1);
    out->same_as = read_text(&r, json, "same_as");
    out->seed = read_unsigned(&r, json, "seed");
    out->worst_relative_error = read_double(&r, json, "worst_relative_error");
    out->worst_absolute_error = read_double(&r, json, "worst_absolute_error");
    read_lines(&r, json, out);
    read_problems(&r, json, out);
    out->compiler_log = read_text(&r, json, "compiler_log");
    out->printed = read_text(&r, json, "printed");
    out->note = read_text(&r, json, "note");
    return !r.failed;
}

static void read_header(struct reader *r, const json_t *json, struct run_header *h)
{
    h->id = (int64_t)read_unsigned(r, json, "run");
    h->ridge_version = read_text(r, json, "ridge");
    h->started = read_text(r, json, "started");
    h->git = read_text(r, json, "git");
    h->experiment = read_text(r, json, "experiment");
    h->title = read_text(r, json, "title");
    h->experiment_path = read_text(r, json, "experiment_path");
    h->command = read_text(r, json, "command");
    h->cache_state = read_text(r, json, "cache");
    const json_t *device = member(json, "device");
    h->device_id = read_text(r, device, "id");
    h->device_name = read_text(r, device, "name");
    const char *cc = read_text(r, device, "cc");
    if (cc && !str_to_double(cc, &h->device_cc))
        reader_fail(r, "cc", "a number in text");
    const json_t *environment = member(json, "environment");
    h->environment = environment ? json_deep_copy(environment) : NULL;
}

bool run_from_json(struct arena *a, const json_t *json, struct run *out, struct error *err)
{
    struct reader r = {.arena = a, .err = err};
    const json_t *results = NULL;
    *out = (struct run){0};
    if (!json_is_object(json))
        return fail(err, NOWHERE, "the run's JSON is not ours: not an object");
    if (read_number(&r, json, "schema", 0) != RECORD_SCHEMA)
        return fail(err, NOWHERE, "the run's JSON is of another schema than %d", RECORD_SCHEMA);
    read_header(&r, json, &out->header);
    out->stop_reason = read_text(&r, json_object_get(json, "stop"), "reason");
    size_t count = read_count(&r, json, "results", &results);
    out->results = ARENA_ARRAY(a, struct result, count);
    for (size_t i = 0; i < count && !r.failed; i++)
        r.failed = !result_from_json(a, json_array_get(results, i),
                                     &out->results[out->result_count++], err);
    if (r.failed) { // nothing of it is the caller's
        json_decref(out->header.environment);
        out->header.environment = NULL;
    }
    return !r.failed;
}
