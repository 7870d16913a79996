// JSON back to runs and results: the exact inverse of result_write.c. Keys it does not know are
// passed over (a newer ridge may have written them); wrong types are errors that name the key.
// SPDX-License-Identifier: Apache-2.0
#include "record/record.h"

#include <math.h>
#include <stdio.h>
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
    out->energy_error = read_number(r, j, "energy_error", 0);
    out->energy_by_power = json_object_get(j, "energy_by_power") == json_true();
    out->warm_up_runs = (size_t)read_number(r, j, "warm_up_runs", 0);
    out->throttled_samples = (size_t)read_unsigned(r, j, "throttled_samples");
    out->throttled = read_text(r, j, "throttled");
    read_chip(r, j, out);
}

// A list's items, in the arena: `read` fills one, which lies zeroed, and says whether it is kept. Absent
// is none; more than `most` are passed over.
typedef bool (*read_item)(struct reader *r, const json_t *j, const struct result *of, void *item);
static void *read_items(struct reader *r, const json_t *object, const char *key, size_t most,
                        size_t item_bytes, read_item read, struct result *of, int *count)
{
    const json_t *array = NULL;
    size_t all = read_count(r, object, key, &array);
    all = all < most ? all : most;
    char *items = arena_alloc(r->arena, (all + 1) * item_bytes);
    memset(items, 0, (all + 1) * item_bytes);
    *count = 0;
    for (size_t i = 0; i < all; i++) {
        char *item = items + (size_t)*count * item_bytes;
        if (read(r, json_array_get(array, i), of, item))
            ++*count;
        else
            memset(item, 0, item_bytes);
    }
    return items;
}

static bool read_phase(struct reader *r, const json_t *j, const struct result *of, void *item)
{
    struct phase_time *p = item;
    p->name = read_text(r, j, "name");
    p->variant = json_is_true(json_object_get(j, "whole_case")) ? NULL : of->variant;
    p->at_s = read_number(r, j, "at_s", (double)NAN);
    p->duration_s = read_number(r, j, "s", (double)NAN);
    return p->name && p->at_s >= 0 && p->duration_s >= 0;
}

static bool read_launch(struct reader *r, const json_t *j, const struct result *of, void *item)
{
    struct launch_time *l = item;
    (void)of;
    l->kernel = read_text(r, j, "kernel");
    l->time_ns = (struct figure){read_number(r, j, "time_ns", (double)NAN), read_provenance(r, j)};
    return l->kernel && l->time_ns.value >= 0;
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

static const char *sampling_of(int i)
{
    return sampling_mode_name((enum sampling_mode)i);
}

static void read_sampling(struct reader *r, const json_t *object, struct stall_sampling *out)
{
    const json_t *j = member(object, "stall_sampling");
    if (j && !json_is_object(j))
        reader_fail(r, "stall_sampling", "an object");
    if (!json_is_object(j))
        return;
    out->mode = (enum sampling_mode)read_name(r, j, "mode", sampling_of, SAMPLING_MODE_COUNT);
    out->samples = read_unsigned(r, j, "samples");
    out->dropped = read_unsigned(r, j, "dropped");
    out->period_cycles = read_double(r, j, "period_cycles");
}

static void read_facts(struct reader *r, const json_t *object, struct facts *out)
{
    const json_t *j = member(object, "facts");
    for (int i = 0; json_is_object(j) && i < FACT_COUNT; i++) {
        struct figure f = read_figure(r, json_object_get(j, fact_name((enum fact)i)));
        out->value[i] = f.value;
        out->provenance = f.provenance;
        out->known = true;
    }
}

static enum fidelity read_fidelity_word(struct reader *r, const json_t *path, const char *key)
{
    enum fidelity f = FIDELITY_UNVALIDATED;
    const char *word = read_text(r, path, key);
    if (word && !fidelity_find(word, &f))
        reader_fail(r, key, "exact, validated or not validated");
    return f;
}

static void read_fidelity(struct reader *r, const json_t *object, struct run_fidelity *out)
{
    const json_t *j = member(object, "fidelity"), *paths = member(j, "paths");
    if (j && !json_is_object(j))
        reader_fail(r, "fidelity", "an object");
    if (!json_is_object(j))
        return;
    out->known = true;
    out->timed = read_bool(r, j, "timed");
    out->time_error_median_pct = read_double(r, j, "time_error_median_pct");
    out->time_error_source = read_text(r, j, "time_error_source");
    for (int i = 0; i < PATH_COUNT; i++) {
        const json_t *path = json_object_get(paths, fidelity_path_name((enum fidelity_path)i));
        if (!path)
            continue;
        out->path[i] = (struct path_use){read_number(r, path, "warp_instructions", 0),
                                         read_fidelity_word(r, path, "results"),
                                         read_fidelity_word(r, path, "time")};
    }
}

static void read_counterfactuals(struct reader *r, const json_t *object,
                                 struct counterfactuals *out)
{
    const json_t *j = member(object, "counterfactuals_ns");
    for (int i = 0; i < INTERVENTION_COUNT; i++)
        out->time_ns[i] =
            read_figure(r, json_object_get(j, intervention_name((enum intervention)i)));
    out->as_is_ns = read_figure(r, json_object_get(j, "as_is"));
    out->asked_ns = read_figure(r, member(object, "asked_ns"));
}

static void read_side(struct reader *r, const json_t *object, struct side_simulation *out)
{
    const json_t *j = member(object, "side");
    if (j && !json_is_object(j))
        reader_fail(r, "side", "an object");
    if (!json_is_object(j))
        return;
    out->device = read_text(r, j, "device");
    out->blocks_share = read_double(r, j, "blocks_share");
    out->replayed = read_bool(r, j, "replayed");
}

static void read_sample(struct reader *r, const json_t *object, struct block_sample *out)
{
    const json_t *j = member(object, "sample");
    if (j && !json_is_object(j))
        reader_fail(r, "sample", "an object");
    if (!json_is_object(j))
        return;
    out->asked = read_double(r, j, "asked");
    out->blocks_run = read_double(r, j, "blocks_run");
    out->blocks = read_double(r, j, "blocks");
    out->error_pct = read_figure(r, json_object_get(j, "error_pct"));
    const char *word = read_text(r, j, "whole");
    if (word && !sample_whole_find(word, &out->whole))
        reader_fail(r, "whole", "a reason to run all blocks");
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

static bool read_line(struct reader *r, const json_t *j, const struct result *of, void *item)
{
    struct line *l = item;
    (void)of;
    l->file = read_text(r, j, "file");
    l->line = (int)read_unsigned(r, j, "line");
    if (!l->file)
        reader_fail(r, "file", "text");
#define LINE_FIELD(name, unit, meaning) l->name = read_unsigned(r, j, #name);
#include "record/line_fields.def"
#undef LINE_FIELD
    read_stalls(r, j, &l->stalls);
    return true;
}

static void read_errors(struct reader *r, const json_t *result, struct result_errors *e)
{
    const json_t *j = member(result, "errors");
    e->known = json_is_object(j);
    if (j && !e->known)
        reader_fail(r, "errors", "an object");
    if (!e->known)
        return;
#define ERROR_FIGURE(name, label, column, meaning) e->name = read_double(r, j, #name);
#include "record/errors.def"
#undef ERROR_FIGURE
}

static bool read_problem(struct reader *r, const json_t *j, const struct result *of, void *item)
{
    struct problem *p = item;
    (void)of;
    p->kind = read_text(r, j, "kind");
    p->message = read_text(r, j, "message");
    p->stops = read_bool(r, j, "stops");
    p->note = read_bool(r, j, "note");
    if (!p->kind || !p->message)
        reader_fail(r, "problems", "a list of problems");
    return true;
}

static bool read_bound(struct reader *r, const json_t *j, const struct result *of, void *item)
{
    struct bound *b = item;
    (void)of;
    b->resource = (enum resource)read_name(r, j, "resource", resource_of, RESOURCE_COUNT);
    b->time_ns = read_double(r, j, "time_ns");
    b->work = read_double(r, j, "work");
    b->unit = read_text(r, j, "unit");
    b->rate_per_ns = read_double(r, j, "rate_per_ns");
    b->rate_source = read_text(r, j, "rate_source");
    b->provenance = member(j, "provenance") ? read_provenance(r, j) : PROVENANCE_ABSENT;
    return true;
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

static bool read_finding(struct reader *r, const json_t *j, const struct result *of, void *item)
{
    struct finding *f = item;
    (void)of;
    f->class = (enum finding_class)read_name(r, j, "class", class_of, FINDING_CLASS_COUNT);
    f->cause = read_text(r, j, "cause");
    if (!finding_price_find(read_text(r, j, "priced_by"), &f->price))
        f->price = PRICE_BOUNDS;
    f->counterfactual_ns = read_number(r, j, "counterfactual_ns", (double)NAN);
    f->title = read_text(r, j, "title");
    f->file = read_text(r, j, "file");
    f->line = (int)read_unsigned(r, j, "line");
    f->fix = read_text(r, j, "fix");
    f->expected_time_ns = read_double(r, j, "expected_time_ns");
    f->folded = read_bool(r, j, "folded");
    read_evidence(r, json_object_get(j, "evidence"), f);
    return true;
}

static const char *trial_of(int i)
{
    return trial_verdict_name((enum trial_verdict)i);
}

static bool read_trial(struct reader *r, const json_t *j, const struct result *of, void *item)
{
    struct patch_trial *t = item;
    const char *key = read_text(r, j, "key");
    (void)of;
    (void)snprintf(t->key, sizeof t->key, "%s", key ? key : "");
    t->maker = read_text(r, j, "maker");
    t->cause = read_text(r, j, "cause");
    t->sole = read_bool(r, j, "sole");
    t->verdict = (enum trial_verdict)read_name(r, j, "verdict", trial_of, TRIAL_COUNT);
    t->verified = read_bool(r, j, "verified");
    t->time_ns = read_number(r, j, "time_ns", (double)NAN);
    t->error = read_text(r, j, "error");
    return t->maker && t->cause;
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
    d->bounds = read_items(r, object, "bounds", SIZE_MAX, sizeof *d->bounds, read_bound, out,
                           &d->bound_count);
    d->findings = read_items(r, object, "findings", SIZE_MAX, sizeof *d->findings, read_finding,
                             out, &d->finding_count);
    d->trials = read_items(r, object, "patches_tried", SIZE_MAX, sizeof *d->trials, read_trial, out,
                           &d->trial_count);
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

static bool read_expectation(struct reader *r, const json_t *j, const struct result *of, void *item)
{
    struct expectation_result *e = item;
    (void)of;
    e->what = read_text(r, j, "what");
    e->expected = read_text(r, j, "expected");
    e->actual = read_text(r, j, "actual");
    const char *verdict = json_string_value(member(j, "verdict"));
    e->verdict = verdict && strcmp(verdict, OLD_OPPOSITE) == 0
                     ? EXPECTATION_OPPOSITE
                     : (enum expectation_verdict)read_name(r, j, "verdict", expectation_of,
                                                           EXPECTATION_UNKNOWN + 1);
    return true;
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
    out->self_check = member(json, "self_check") ? read_text(&r, json, "self_check") : NULL;
    out->patterns = member(json, "patterns") ? read_text(&r, json, "patterns") : NULL;
    out->error = read_text(&r, json, "error");
    out->by_system = member(json, "by_system") && read_bool(&r, json, "by_system");
    read_time(&r, json, &out->time);
    read_conditions(&r, json, &out->conditions);
    out->phases = read_items(&r, json, "phases", PHASES_MAX, sizeof *out->phases, read_phase, out,
                             &out->phase_count);
    out->launches = read_items(&r, json, "launches", LAUNCHES_MAX, sizeof *out->launches,
                               read_launch, out, &out->launch_count);
    read_diagnosis(&r, json, out);
    read_counters(&r, json, &out->counters);
    read_stalls(&r, json, &out->stalls);
    read_sampling(&r, json, &out->sampling);
    read_facts(&r, json, &out->facts);
    read_fidelity(&r, json, &out->fidelity);
    read_counterfactuals(&r, json, &out->counterfactuals);
    read_side(&r, json, &out->side);
    read_sample(&r, json, &out->sample);
    read_speedup(&r, json, &out->speedup);
    out->expectations = read_items(&r, json, "expectations", SIZE_MAX, sizeof *out->expectations,
                                   read_expectation, out, &out->expectation_count);
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
    read_errors(&r, json, &out->errors);
    out->lines = read_items(&r, json, "lines", SIZE_MAX, sizeof *out->lines, read_line, out,
                            &out->line_count);
    out->problems = read_items(&r, json, "problems", SIZE_MAX, sizeof *out->problems, read_problem,
                               out, &out->problem_count);
    out->source = read_text(&r, json, "source");
    out->compiler_log = read_text(&r, json, "compiler_log");
    out->printed = read_text(&r, json, "printed");
    out->note = read_text(&r, json, "note");
    return !r.failed;
}

static void read_objective(struct reader *r, const json_t *json, struct run_header *h)
{
    struct error ignored = {0};
    const char *name = read_text(r, json, "objective");
    if (name && !objective_find(name, &h->objective, &ignored))
        reader_fail(r, "objective", "time, energy or edp");
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
    h->folder = read_text(r, json, "folder");
    h->command = read_text(r, json, "command");
    h->cache_state = read_text(r, json, "cache");
    read_objective(r, json, h);
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
