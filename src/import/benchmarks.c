// The JSON of nvbench and of Google Benchmark. nvbench writes numbers as text, times in seconds, and
// only means. Google Benchmark's repetitions are samples; its aggregates are passed over, unless
// there is nothing else.
// SPDX-License-Identifier: Apache-2.0
#include "import/internal.h"

#include <math.h>
#include <string.h>

static bool json_read(const struct source *s, json_t **out, struct error *err)
{
    json_error_t where;
    *out = json_loadb(s->data, s->size_bytes, 0, &where);
    return *out ||
           fail(err, (struct location){.file = s->file, .line = where.line, .column = where.column},
                "not JSON: %s: export the file again", where.text);
}

// Looks for both words only: files that are broken further on get the parser's message.
static bool has_words(const struct source *s, const char *one, const char *other)
{
    size_t at = 0;
    while (at < s->size_bytes && strchr(" \t\r\n", s->data[at]))
        at++;
    return at < s->size_bytes && s->data[at] == '{' &&
           memmem(s->data, s->size_bytes, one, strlen(one)) &&
           memmem(s->data, s->size_bytes, other, strlen(other));
}

static bool shape_fail(const struct source *s, const char *what, const char *tool,
                       struct error *err)
{
    return fail(err, (struct location){.file = s->file}, "%s, so this is not JSON of %s", what,
                tool);
}

static const char *string_of(const json_t *object, const char *key, const char *otherwise)
{
    const char *s = json_string_value(json_object_get(object, key));
    return s ? s : otherwise;
}

/* ---- nvbench ---------------------------------------------------------------------------------------- */

bool nvbench_detect(const struct source *s)
{
    return has_words(s, "\"benchmarks\"", "\"states\"");
}

// The summary's "value", which is text; NAN if it is not there.
static double summary_value(const json_t *state, const char *tag)
{
    const json_t *summaries = json_object_get(state, "summaries");
    for (size_t i = 0; i < json_array_size(summaries); i++) {
        const json_t *summary = json_array_get(summaries, i);
        const json_t *data = json_object_get(summary, "data");
        if (strcmp(string_of(summary, "tag", ""), tag) != 0)
            continue;
        for (size_t k = 0; k < json_array_size(data); k++) {
            const json_t *item = json_array_get(data, k);
            double value;
            if (strcmp(string_of(item, "name", ""), "value") != 0)
                continue;
            if (json_is_number(json_object_get(item, "value")))
                return json_number_value(json_object_get(item, "value"));
            if (str_to_double(string_of(item, "value", ""), &value))
                return value;
        }
    }
    return (double)NAN;
}

static void state_times(struct kernel *k, const json_t *state)
{
    static const char *const ways[] = {"nv/cold/time/gpu", "nv/batch/time/gpu",
                                       "nv/cpu_only/time/cpu"};
    static const char *const sizes[] = {"nv/cold/sample_size", "nv/batch/sample_size",
                                        "nv/cpu_only/sample_size"};
    char tag[64];
    for (size_t i = 0; i < COUNT_OF(ways) && !k->summed; i++) {
        double figures[4];
        static const char *const names[] = {"mean", "min", "max", "stdev/relative"};
        for (size_t f = 0; f < COUNT_OF(names); f++) {
            snprintf(tag, sizeof tag, "%s/%s", ways[i], names[f]);
            figures[f] = summary_value(state, tag);
        }
        if (!(figures[0] > 0))
            continue;
        double count = summary_value(state, sizes[i]);
        k->summed = true;
        k->mean_ns = 1e9 * figures[0];
        k->min_ns = 1e9 * figures[1];
        k->max_ns = 1e9 * figures[2];
        k->stddev_ns = figures[3] * k->mean_ns;
        k->launches = count > 0 ? (size_t)fmin(count, 1e15) : 1;
    }
}

static void state_take(struct builder *b, const json_t *devices, const char *benchmark,
                       const json_t *state)
{
    const json_t *axes = json_object_get(state, "axis_values"), *device = NULL;
    json_int_t id = json_integer_value(json_object_get(state, "device"));
    const char *label = "";
    for (size_t i = 0; i < json_array_size(axes); i++) {
        const json_t *axis = json_array_get(axes, i);
        label = arena_printf(b->arena, "%s%s%s=%s", label, i ? " " : "",
                             string_of(axis, "name", "?"), string_of(axis, "value", "?"));
    }
    for (size_t i = 0; i < json_array_size(devices); i++)
        if (json_integer_value(json_object_get(json_array_get(devices, i), "id")) == id)
            device = json_array_get(devices, i);
    if (json_array_size(devices) > 1)
        label = arena_printf(b->arena, "%s%sdevice=%lld", label, *label ? " " : "", (long long)id);
    if (!b->device_id) {
        b->device_id = arena_printf(b->arena, "cuda:%lld", (long long)id);
        if (device)
            b->device_name = arena_strdup(b->arena, string_of(device, "name", "?"));
        json_int_t sm = json_integer_value(json_object_get(device, "sm_version"));
        b->cc = sm > 0 ? (double)(sm / 10) / 10 : 0;
    }
    struct kernel *k = kernel_get(b, benchmark, "", label);
    state_times(k, state);
    if (json_is_true(json_object_get(state, "is_skipped"))) {
        k->status = RESULT_SKIPPED;
        k->error = arena_printf(b->arena, "nvbench skipped it: %s",
                                string_of(state, "skip_reason", "no reason given"));
    } else if (!k->summed) {
        k->status = RESULT_FAILED;
        k->error = "nvbench recorded no time, as when all its samples were throttled";
    }
}

bool nvbench_read(struct builder *b, const struct source *s, struct error *err)
{
    json_t *root;
    if (!json_read(s, &root, err))
        return false;
    const json_t *benchmarks = json_object_get(root, "benchmarks");
    bool done =
        json_is_array(benchmarks) || shape_fail(s, "'benchmarks' is no list", "nvbench", err);
    for (size_t i = 0; done && i < json_array_size(benchmarks); i++) {
        const json_t *benchmark = json_array_get(benchmarks, i);
        const json_t *states = json_object_get(benchmark, "states");
        for (size_t k = 0; k < json_array_size(states); k++)
            state_take(b, json_object_get(root, "devices"), string_of(benchmark, "name", ""),
                       json_array_get(states, k));
    }
    json_decref(root);
    return done;
}

/* ---- Google Benchmark ------------------------------------------------------------------------------- */

bool google_benchmark_detect(const struct source *s)
{
    return has_words(s, "\"benchmarks\"", "\"real_time\"");
}

static bool is_aggregate(const json_t *row)
{
    return strcmp(string_of(row, "run_type", ""), "aggregate") == 0;
}

static bool row_take(struct builder *b, const struct source *s, const json_t *row, size_t index,
                     struct error *err)
{
    const json_t *time = json_object_get(row, "real_time");
    const char *name = string_of(row, "run_name", string_of(row, "name", NULL));
    if (!name)
        return shape_fail(s, arena_printf(b->arena, "benchmark %zu has no 'name'", index + 1),
                          "Google Benchmark", err);
    struct kernel *k = kernel_get(b, name, "", "");
    if (json_is_true(json_object_get(row, "error_occurred"))) {
        k->status = RESULT_FAILED;
        k->error = arena_strdup(b->arena, string_of(row, "error_message", "it failed"));
        return true;
    }
    if (!json_is_number(time))
        return shape_fail(s, arena_printf(b->arena, "'real_time' of '%s' is no number", name),
                          "Google Benchmark", err);
    double ns = json_number_value(time) * unit_factor(string_of(row, "time_unit", "ns"));
    const char *aggregate = string_of(row, "aggregate_name", "");
    if (!is_aggregate(row)) {
        kernel_time(k, ns);
    } else {
        k->summed = true;
        k->launches = (size_t)json_integer_value(json_object_get(row, "repetitions"));
        if (strcmp(aggregate, "mean") == 0)
            k->mean_ns = ns;
        else if (strcmp(aggregate, "median") == 0)
            k->median_ns = ns;
        else if (strcmp(aggregate, "stddev") == 0)
            k->stddev_ns = ns;
    }
    return true;
}

bool google_benchmark_read(struct builder *b, const struct source *s, struct error *err)
{
    json_t *root;
    if (!json_read(s, &root, err))
        return false;
    const json_t *rows = json_object_get(root, "benchmarks");
    bool done =
        json_is_array(rows) || shape_fail(s, "'benchmarks' is no list", "Google Benchmark", err);
    b->device_id = b->device_id ? b->device_id : "host";
    for (size_t i = 0; done && i < json_array_size(rows); i++)
        done = row_take(b, s, json_array_get(rows, i), i, err);
    if (done && json_is_object(json_object_get(root, "context"))) {
        json_decref(b->context);
        b->context = json_incref(json_object_get(root, "context"));
        b->device_name =
            b->device_name ? b->device_name
                           : arena_strdup(b->arena, string_of(b->context, "host_name", "the host"));
    }
    json_decref(root);
    return done;
}
