// T4: the results of a tuning session as JSON, both ways. Times are in milliseconds, as Kernel Tuner writes them; the
// interval, the number of samples and the rank are measurements of their own, which others pass over.
// SPDX-License-Identifier: Apache-2.0
#include "stats/stats.h"
#include "tune/tune.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { T4_AXES_MAX = 64, T4_VALUES_MAX = 65535, RESULTS_MAX = 1000000 };

static const double ns_per_ms = 1e6;

/* ---- writing --------------------------------------------------------------------------------------- */

static void add_measurement(json_t *list, const char *name, double value, const char *unit)
{
    if (isfinite(value))
        json_array_append_new(
            list, json_pack("{s:s, s:f, s:s}", "name", name, "value", value, "unit", unit));
}

static json_t *value_to_json(const struct axis *x, const char *text)
{
    int64_t i;
    double d;
    if (x->ordered && str_to_i64(text, &i))
        return json_integer((json_int_t)i);
    return x->ordered && str_to_double(text, &d) ? json_real(d) : json_string(text);
}

static json_t *configuration_to_json(const struct search_space *s, int point)
{
    json_t *j = json_object();
    const uint16_t *choice = search_space_point(s, point);
    for (int i = 0; i < s->axis_count; i++)
        json_object_set_new(j, s->axes[i].name,
                            value_to_json(&s->axes[i], s->axes[i].values[choice[i]]));
    return j;
}

static json_t *result_to_t4(const struct tuning *t, const struct evaluation *e)
{
    json_t *measurements = json_array(), *runtimes = json_array();
    bool right = evaluation_is_right(e);
    if (right) {
        add_measurement(measurements, "time", e->time_ns / ns_per_ms, "ms");
        add_measurement(measurements, "time_low", e->low_ns / ns_per_ms, "ms");
        add_measurement(measurements, "time_high", e->high_ns / ns_per_ms, "ms");
        add_measurement(measurements, "samples", (double)e->sample_count, "");
        add_measurement(measurements, "energy", e->energy_mj, "mJ");
        add_measurement(measurements, "energy_error", e->energy_error, "");
        if (t->objective == OBJECTIVE_EDP)
            add_measurement(measurements, "edp", evaluation_cost(e, t->objective) / ns_per_ms,
                            "mJ ms");
        json_array_append_new(runtimes, json_real(e->time_ns / ns_per_ms));
    }
    add_measurement(measurements, "rank_time", e->rank_ns / ns_per_ms, "ms");
    json_t *error = e->error ? json_string(e->error) : NULL;
    if (error)
        json_array_append_new(measurements, json_pack("{s:s, s:o, s:s}", "name", "error", "value",
                                                      error, "unit", ""));
    const char *invalidity = e->outcome == OUTCOME_CUT ? "timeout" : outcome_name(e->outcome);
    return json_pack(
        "{s:s, s:o, s:[s], s:{s:f, s:o}, s:s, s:i, s:o}", "timestamp", e->at ? e->at : "",
        "configuration", configuration_to_json(&t->space, e->point), "objectives",
        objective_name(t->objective), "times", "benchmark", isfinite(e->took_s) ? e->took_s : 0.0,
        "runtimes", runtimes, "invalidity", invalidity, "correctness",
        e->outcome != OUTCOME_CORRECTNESS, "measurements", measurements);
}

static json_t *text(const char *s)
{
    json_t *j = s ? json_string(s) : NULL;
    return j ? j : json_null();
}

json_t *t4_to_json(const struct tuning *t)
{
    json_t *results = json_array();
    for (int i = 0; i < t->count; i++)
        json_array_append_new(results, result_to_t4(t, &t->evaluations[i]));
    json_t *metadata = json_pack(
        "{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "timeunit", "milliseconds", "tuner",
        "ridge " RIDGE_VERSION, "experiment", text(t->experiment), "variant", text(t->variant),
        "case", text(t->case_label), "device", text(t->device_name), "platform", text(t->platform),
        "provenance", text(t->provenance), "rank_by", text(t->pruning.rank_by));
    return json_pack("{s:s, s:o, s:o}", "schema_version", "1.0.0", "metadata", metadata, "results",
                     results);
}

/* ---- reading --------------------------------------------------------------------------------------- */

struct names { // the texts of an axis' values, each once
    struct table seen;
    const char **items;
    size_t count, capacity;
    bool numbers;
};

struct reader {
    struct arena *a;
    struct location at;
    struct tuning *t;
    int axis_count;
    const char *axes[T4_AXES_MAX];
    struct names values[T4_AXES_MAX];
    struct error *err;
};

static const char *value_text(struct arena *a, const json_t *j)
{
    if (json_is_integer(j))
        return arena_printf(a, "%" PRId64, (int64_t)json_integer_value(j));
    if (json_is_real(j))
        return arena_printf(a, "%.15g", json_real_value(j));
    if (json_is_boolean(j))
        return json_is_true(j) ? "1" : "0";
    const char *s = json_string_value(j);
    return s && *s ? arena_strdup(a, s) : NULL;
}

static bool take_axes(struct reader *r, json_t *configuration)
{
    const char *key;
    json_t *value;
    json_object_foreach(configuration, key, value)
    {
        if (r->axis_count == T4_AXES_MAX)
            return fail(r->err, r->at, "more than %d parameters", T4_AXES_MAX);
        r->values[r->axis_count].numbers = true;
        r->axes[r->axis_count++] = arena_strdup(r->a, key);
    }
    return r->axis_count > 0 || fail(r->err, r->at, "a configuration has no parameters");
}

static bool take_value(struct reader *r, int axis, const json_t *j)
{
    struct names *n = &r->values[axis];
    const char *s = value_text(r->a, j);
    if (!s)
        return fail(r->err, r->at, "the parameter '%.60s' is no number and no text", r->axes[axis]);
    n->numbers = n->numbers && !json_is_string(j);
    if (table_has(&n->seen, s))
        return true;
    if (n->count == T4_VALUES_MAX)
        return fail(r->err, r->at, "'%.60s' has more than %d values", r->axes[axis], T4_VALUES_MAX);
    table_set(&n->seen, s, r);
    VEC_PUSH(n->items, n->count, n->capacity, s);
    return true;
}

static bool take_configuration(struct reader *r, json_t *configuration)
{
    if (!json_is_object(configuration))
        return fail(r->err, r->at, "a result has no 'configuration'");
    if (r->axis_count == 0 && !take_axes(r, configuration))
        return false;
    if (json_object_size(configuration) != (size_t)r->axis_count)
        return fail(r->err, r->at, "configurations have different parameters");
    for (int i = 0; i < r->axis_count; i++) {
        const json_t *value = json_object_get(configuration, r->axes[i]);
        if (!value)
            return fail(r->err, r->at, "a configuration lacks '%.60s'", r->axes[i]);
        if (!take_value(r, i, value))
            return false;
    }
    return true;
}

static int by_number(const void *a, const void *b)
{
    double x = 0, y = 0;
    bool both =
        str_to_double(*(const char *const *)a, &x) && str_to_double(*(const char *const *)b, &y);
    return both ? (x > y) - (x < y) : 0;
}

static void make_axes(struct reader *r, struct axis *axes)
{
    for (int i = 0; i < r->axis_count; i++) {
        struct names *n = &r->values[i];
        const char **texts = ARENA_ARRAY(r->a, const char *, n->count + 1);
        memcpy(texts, n->items, sizeof(const char *) * n->count);
        if (n->numbers)
            qsort(texts, n->count, sizeof(const char *), by_number);
        for (size_t k = 0; k < n->count; k++)
            table_set(&n->seen, texts[k], &texts[k]);
        axes[i] = (struct axis){r->axes[i], texts, (int)n->count, n->numbers};
    }
}

static void choose(struct reader *r, const struct axis *axes, const json_t *configuration,
                   uint16_t *choice)
{
    for (int i = 0; i < r->axis_count; i++) {
        const char *s = value_text(r->a, json_object_get(configuration, r->axes[i]));
        const char *const *at = table_get(&r->values[i].seen, s);
        choice[i] = (uint16_t)(at - axes[i].values);
    }
}

// In nanoseconds; NAN = it is none.
static double time_of(const json_t *measurement, const char *unit_of_all)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"ns", 1},   {"nanoseconds", 1},    {"us", 1e3}, {"microseconds", 1e3},
                 {"ms", 1e6}, {"milliseconds", 1e6}, {"s", 1e9},  {"seconds", 1e9}};
    const json_t *value = json_object_get(measurement, "value");
    const char *unit = json_string_value(json_object_get(measurement, "unit"));
    double scale = ns_per_ms;
    for (size_t i = 0; i < COUNT_OF(units); i++)
        if (strcasecmp(units[i].name, unit && *unit ? unit : unit_of_all) == 0)
            scale = units[i].ns;
    if (json_is_number(value))
        return json_number_value(value) * scale;
    size_t count = json_array_size(value), numbers = 0;
    double *x = xcalloc(count + 1, sizeof *x), median = (double)NAN;
    for (size_t i = 0; i < count; i++)
        if (json_is_number(json_array_get(value, i)))
            x[numbers++] = json_number_value(json_array_get(value, i));
    if (numbers > 0)
        median = stats_quantile(x, numbers, 0.5) * scale;
    free(x);
    return median;
}

static const json_t *measurement_named(const json_t *result, const char *name)
{
    const json_t *list = json_object_get(result, "measurements");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *m = json_array_get(list, i);
        const char *s = json_string_value(json_object_get(m, "name"));
        if (s && strcmp(s, name) == 0)
            return m;
    }
    return NULL;
}

// NAN = it is not there.
static double number_of(const json_t *result, const char *name)
{
    const json_t *value = json_object_get(measurement_named(result, name), "value");
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

static const char *objective_of(const json_t *result)
{
    const char *s = json_string_value(json_array_get(json_object_get(result, "objectives"), 0));
    return s ? s : "time";
}

// What another tuner's file was after is taken for the time; ridge's have the time beside another objective.
static const char *measurement_of_time(const json_t *result)
{
    enum objective ours;
    struct error ignored = {0};
    const char *objective = objective_of(result);
    bool known = objective_find(objective, &ours, &ignored);
    return known && measurement_named(result, "time") ? "time" : objective;
}

static struct evaluation evaluation_of(struct reader *r, const json_t *result, const char *unit)
{
    const char *objective = measurement_of_time(result);
    const char *invalidity = json_string_value(json_object_get(result, "invalidity"));
    const char *at = json_string_value(json_object_get(result, "timestamp"));
    const json_t *error = json_object_get(measurement_named(result, "error"), "value");
    const json_t *samples = json_object_get(measurement_named(result, "samples"), "value");
    struct evaluation e = {.at = arena_strdup(r->a, at ? at : ""),
                           .time_ns = time_of(measurement_named(result, objective), unit),
                           .low_ns = time_of(measurement_named(result, "time_low"), unit),
                           .high_ns = time_of(measurement_named(result, "time_high"), unit),
                           .rank_ns = time_of(measurement_named(result, "rank_time"), unit),
                           .energy_mj = number_of(result, "energy"),
                           .energy_error = number_of(result, "energy_error"),
                           .took_s = (double)NAN};
    if (!invalidity || !outcome_find(invalidity, &e.outcome))
        e.outcome = OUTCOME_RUNTIME;
    if (e.outcome == OUTCOME_CORRECT && !(e.time_ns > 0 && isfinite(e.time_ns)))
        e.outcome = OUTCOME_RUNTIME;
    if (e.outcome != OUTCOME_CORRECT)
        e.time_ns = (double)NAN;
    if (!(e.low_ns > 0 && e.low_ns <= e.time_ns && e.high_ns >= e.time_ns && isfinite(e.high_ns)))
        e.low_ns = e.high_ns = e.time_ns;
    if (!(e.rank_ns > 0 && isfinite(e.rank_ns)))
        e.rank_ns = (double)NAN;
    double n = json_is_number(samples) ? json_number_value(samples) : 1;
    e.sample_count = n >= 0 && n < 1e9 ? (size_t)n : 1;
    if (json_is_string(error))
        e.error = arena_strdup(r->a, json_string_value(error));
    return e;
}

static const char *metadata_text(struct arena *a, const json_t *metadata, const char *key,
                                 const char *otherwise)
{
    const char *s = json_string_value(json_object_get(metadata, key));
    return s ? arena_strdup(a, s) : otherwise;
}

static void take_results(struct reader *r, const json_t *results, const char *unit)
{
    int count = (int)json_array_size(results);
    struct axis *axes = ARENA_ARRAY(r->a, struct axis, r->axis_count);
    uint16_t *items = ARENA_ARRAY(r->a, uint16_t, (size_t)count * (size_t)r->axis_count + 1);
    make_axes(r, axes);
    for (int i = 0; i < count; i++)
        choose(r, axes, json_object_get(json_array_get(results, (size_t)i), "configuration"),
               &items[(size_t)i * (size_t)r->axis_count]);
    search_space_make(r->a, axes, r->axis_count, items, count, &r->t->space);
    r->t->evaluations = ARENA_ARRAY(r->a, struct evaluation, r->t->space.count + 1);
    r->t->count = r->t->space.count;
    for (int i = 0; i < count; i++) {
        int point = search_space_find(&r->t->space, &items[(size_t)i * (size_t)r->axis_count]);
        r->t->evaluations[point] = evaluation_of(r, json_array_get(results, (size_t)i), unit);
        r->t->evaluations[point].point = point;
    }
}

static bool read_root(struct reader *r, const json_t *root)
{
    const json_t *results = json_object_get(root, "results");
    const json_t *metadata = json_object_get(root, "metadata");
    struct tuning *t = r->t;
    size_t count = json_array_size(results);
    if (count == 0 || count > RESULTS_MAX)
        return fail(r->err, r->at, "no T4 file: 'results' must have 1 to %d entries", RESULTS_MAX);
    for (size_t i = 0; i < count; i++)
        if (!take_configuration(r, json_object_get(json_array_get(results, i), "configuration")))
            return error_context(r->err, "in result %zu", i + 1);
    take_results(r, results, metadata_text(r->a, metadata, "timeunit", "milliseconds"));
    t->experiment = metadata_text(r->a, metadata, "experiment", path_name(r->at.file));
    t->variant = metadata_text(r->a, metadata, "variant", "recorded");
    t->case_label = metadata_text(r->a, metadata, "case", "");
    t->device_id = "replay";
    t->device_name =
        metadata_text(r->a, metadata, "device", "a device that the file does not name");
    t->platform = metadata_text(r->a, metadata, "platform", NULL);
    t->provenance = metadata_text(r->a, metadata, "provenance", "recorded");
    t->pruning.rank_by = metadata_text(r->a, metadata, "rank_by", NULL);
    t->product = t->space.count;
    t->most = t->space.count;
    struct error ignored = {0};
    const json_t *first = json_array_get(results, 0);
    if (!isfinite(number_of(first, "energy")) ||
        !objective_find(objective_of(first), &t->objective, &ignored))
        t->objective = OBJECTIVE_TIME;
    ties_find(r->a, t->evaluations, t->count, t->objective, &t->ties);
    return true;
}

bool t4_parse(struct arena *a, const char *file, const char *text, size_t size_bytes,
              struct tuning *out, struct error *err)
{
    json_error_t why;
    struct reader r = {.a = a, .at = {.file = arena_strdup(a, file)}, .t = out, .err = err};
    *out = (struct tuning){.start = -1, .ties = {.fastest = -1, .chosen = -1}};
    json_t *root = json_loadb(text, size_bytes, 0, &why);
    if (!root)
        return fail(err, (struct location){.file = r.at.file, .line = why.line}, "no JSON: %s",
                    why.text);
    bool done = read_root(&r, root);
    json_decref(root);
    for (int i = 0; i < r.axis_count; i++) {
        table_release(&r.values[i].seen);
        free(r.values[i].items);
    }
    return done;
}
