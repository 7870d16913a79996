// The tuned table as a file: read, written whole through a temporary file, under a lock.
// SPDX-License-Identifier: Apache-2.0
#include "tune/table.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum { TABLE_VERSION = 1, TABLE_BYTES_MAX = 64 << 20, ENTRIES_MAX = 100000, SIZES_MAX = 64 };

/* ---- reading ------------------------------------------------------------------------------------- */

static const char *text_of(struct arena *a, const json_t *j, const char *key)
{
    const char *s = json_string_value(json_object_get(j, key));
    return s ? arena_strdup(a, s) : NULL;
}

static double number_of(const json_t *j, const char *key)
{
    return json_number_value(json_object_get(j, key)); // 0 where it is none
}

static int count_of(const json_t *j, const char *key)
{
    double n = number_of(j, key);
    return n > 0 && n < INT32_MAX ? (int)n : 0;
}

// Where it is not said, the time.
static bool read_objective(const json_t *j, enum objective *out)
{
    struct error ignored = {0};
    const char *name = json_string_value(json_object_get(j, "objective"));
    *out = OBJECTIVE_TIME;
    return !name || objective_find(name, out, &ignored);
}

static double energy_of(const json_t *j, const char *key)
{
    const json_t *value = json_object_get(j, key);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

static bool read_entry(struct arena *a, json_t *j, struct tuned_entry *e)
{
    json_t *sizes = json_object_get(j, "case"), *choices = json_object_get(j, "parameters"), *value;
    const char *key;
    if (!json_is_object(sizes) || !json_is_object(choices) || json_object_size(sizes) > SIZES_MAX ||
        json_object_size(choices) > SIZES_MAX)
        return false;
    *e = (struct tuned_entry){.experiment = text_of(a, j, "experiment"),
                              .variant = text_of(a, j, "variant"),
                              .device = text_of(a, j, "device"),
                              .platform = text_of(a, j, "platform"),
                              .source = text_of(a, j, "source"),
                              .provenance = text_of(a, j, "provenance"),
                              .at = text_of(a, j, "at"),
                              .cc = number_of(j, "cc"),
                              .time_ns = number_of(j, "time_ns"),
                              .energy_mj = energy_of(j, "energy_mj"),
                              .energy_error = energy_of(j, "energy_error"),
                              .evaluated = count_of(j, "evaluated"),
                              .space = count_of(j, "space"),
                              .ties = count_of(j, "ties"),
                              .complete = json_is_true(json_object_get(j, "complete"))};
    e->sizes = ARENA_ARRAY(a, struct tuned_size, json_object_size(sizes) + 1);
    e->choices = ARENA_ARRAY(a, struct tuned_choice, json_object_size(choices) + 1);
    json_object_foreach(sizes, key, value)
    {
        if (!json_is_number(value))
            return false;
        e->sizes[e->size_count++] =
            (struct tuned_size){arena_strdup(a, key), json_number_value(value)};
    }
    json_object_foreach(choices, key, value)
    {
        if (!json_is_string(value))
            return false;
        e->choices[e->choice_count++] =
            (struct tuned_choice){arena_strdup(a, key), arena_strdup(a, json_string_value(value))};
    }
    return e->experiment && e->variant && e->device && e->platform && e->source && e->provenance &&
           e->at && e->time_ns > 0 && isfinite(e->time_ns) && read_objective(j, &e->objective) &&
           (e->objective == OBJECTIVE_TIME || e->energy_mj > 0);
}

bool tuned_parse(struct arena *a, const char *file, const char *text, size_t size_bytes,
                 struct tuned_table *out, struct error *err)
{
    json_error_t why;
    struct location at = {.file = file};
    json_t *root = json_loadb(text, size_bytes, JSON_REJECT_DUPLICATES, &why);
    at.line = root ? 0 : why.line;
    if (!root)
        return fail(err, at, "no JSON: %s", why.text);
    const json_t *list = json_object_get(root, "entries");
    size_t count = json_array_size(list);
    bool done =
        (json_integer_value(json_object_get(root, "ridge_tuned")) == TABLE_VERSION &&
         json_is_array(list) && count <= ENTRIES_MAX) ||
        fail(err, at, "no tuned table of version %d: `ridge tune` writes one", TABLE_VERSION);
    *out = (struct tuned_table){.entries = ARENA_ARRAY(a, struct tuned_entry, count + 1)};
    for (size_t i = 0; done && i < count; i++)
        done = read_entry(a, json_array_get(list, i), &out->entries[out->count++]) ||
               fail(err, at, "entry %zu is no tuned entry: something is missing or of another type",
                    i + 1);
    json_decref(root);
    return done;
}

const char *tuned_path(struct arena *a, const char *path)
{
    return path ? path : user_data_path(a, "tuned.json");
}

bool tuned_read(struct arena *a, const char *path, struct tuned_table *out, struct error *err)
{
    char *text = NULL;
    size_t size_bytes = 0;
    path = tuned_path(a, path);
    *out = (struct tuned_table){0};
    if (!file_exists(path))
        return true;
    bool done = file_read(path, TABLE_BYTES_MAX, &text, &size_bytes, err) &&
                tuned_parse(a, path, text, size_bytes, out, err);
    free(text);
    return done;
}

/* ---- writing --------------------------------------------------------------------------------------- */

static json_t *entry_to_json(const struct tuned_entry *e)
{
    json_t *sizes = json_object(), *choices = json_object();
    for (int i = 0; i < e->size_count; i++) {
        double v = e->sizes[i].value;
        bool whole = fabs(v) < 9e15 && floor(v) == v;
        json_object_set_new(sizes, e->sizes[i].name,
                            whole ? json_integer((json_int_t)v) : json_real(v));
    }
    for (int i = 0; i < e->choice_count; i++)
        json_object_set_new(choices, e->choices[i].name, json_string(e->choices[i].value));
    json_t *j = json_pack(
        "{s:s, s:s, s:o, s:o, s:s, s:f, s:s, s:s, s:f, s:s, s:b, s:i, s:i, s:i, s:s}", "experiment",
        e->experiment, "variant", e->variant, "case", sizes, "parameters", choices, "device",
        e->device, "cc", e->cc, "platform", e->platform, "source", e->source, "time_ns", e->time_ns,
        "provenance", e->provenance, "complete", e->complete, "evaluated", e->evaluated, "space",
        e->space, "ties", e->ties, "at", e->at);
    if (e->objective != OBJECTIVE_TIME)
        json_object_set_new(j, "objective", json_string(objective_name(e->objective)));
    if (!isnan(e->energy_mj))
        json_object_set_new(j, "energy_mj", json_real(e->energy_mj));
    if (!isnan(e->energy_error))
        json_object_set_new(j, "energy_error", json_real(e->energy_error));
    return j;
}

json_t *tuned_to_json(const struct tuned_table *t)
{
    json_t *list = json_array();
    for (int i = 0; i < t->count; i++)
        json_array_append_new(list, entry_to_json(&t->entries[i]));
    return json_pack("{s:i, s:o}", "ridge_tuned", TABLE_VERSION, "entries", list);
}

static struct tuned_entry entry_of(struct arena *a, const struct tuning *t,
                                   const struct evaluation *chosen, const struct tuned_size *sizes,
                                   int size_count)
{
    const uint16_t *choice = search_space_point(&t->space, chosen->point);
    struct tuned_entry e = {.experiment = t->experiment,
                            .variant = t->variant,
                            .sizes = ARENA_ARRAY(a, struct tuned_size, size_count + 1),
                            .size_count = size_count,
                            .choices = ARENA_ARRAY(a, struct tuned_choice, t->space.axis_count + 1),
                            .choice_count = t->space.axis_count,
                            .device = t->device_name,
                            .platform = t->platform ? t->platform : "",
                            .source = t->source_hash,
                            .cc = t->cc,
                            .time_ns = chosen->time_ns,
                            .objective = t->objective,
                            .energy_mj = chosen->energy_mj > 0 ? chosen->energy_mj : (double)NAN,
                            .energy_error =
                                chosen->energy_mj > 0 ? chosen->energy_error : (double)NAN,
                            .provenance = t->provenance,
                            .evaluated = t->count,
                            .space = t->space.count,
                            .ties = t->ties.count,
                            .complete = !t->interrupted && t->count >= t->most,
                            .at = chosen->at};
    if (size_count > 0)
        memcpy(e.sizes, sizes, sizeof *sizes * (size_t)size_count);
    for (int i = 0; i < t->space.axis_count; i++)
        e.choices[i] =
            (struct tuned_choice){t->space.axes[i].name, t->space.axes[i].values[choice[i]]};
    return e;
}

static bool same_sizes(const struct tuned_entry *x, const struct tuned_entry *y)
{
    bool same = x->size_count == y->size_count;
    for (int i = 0; same && i < x->size_count; i++)
        same = strcmp(x->sizes[i].name, y->sizes[i].name) == 0 &&
               !(x->sizes[i].value < y->sizes[i].value) && !(x->sizes[i].value > y->sizes[i].value);
    return same;
}

static bool same_place(const struct tuned_entry *x, const struct tuned_entry *y)
{
    return strcmp(x->experiment, y->experiment) == 0 && strcmp(x->variant, y->variant) == 0 &&
           strcmp(x->device, y->device) == 0 && x->objective == y->objective && same_sizes(x, y);
}

static bool write_with(struct arena *a, const char *path, const struct tuned_entry *e,
                       struct error *err)
{
    struct tuned_table t, out = {0};
    if (!tuned_read(a, path, &t, err))
        return false;
    out.entries = ARENA_ARRAY(a, struct tuned_entry, t.count + 1);
    for (int i = 0; i < t.count; i++)
        if (!same_place(&t.entries[i], e))
            out.entries[out.count++] = t.entries[i];
    out.entries[out.count++] = *e;
    json_t *j = tuned_to_json(&out);
    char *text = json_dumps(j, JSON_INDENT(1));
    json_decref(j);
    bool done = text ? file_write(path, text, strlen(text), err)
                     : fail_as(err, ERROR_SYSTEM, NOWHERE, "cannot write '%s': not UTF-8", path);
    free(text);
    return done;
}

bool tuned_keep(struct arena *a, const char *path, const struct tuning *t,
                const struct tuned_size *sizes, int size_count, struct error *err)
{
    const struct evaluation *chosen = tuning_chosen(t);
    if (!chosen)
        return true;
    path = tuned_path(a, path);
    struct tuned_entry e = entry_of(a, t, chosen, sizes, size_count);
    const char *lock = arena_printf(a, "%s.lock", path);
    if (!dir_make(path_dir(a, path), err))
        return false;
    int fd = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        return fail_errno(err, errno, "cannot open '%s'", lock);
    bool done = flock(fd, LOCK_EX) == 0 ? write_with(a, path, &e, err)
                                        : fail_errno(err, errno, "cannot lock '%s'", lock);
    close(fd);
    return done;
}
