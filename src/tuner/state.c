// What a session leaves as it goes: appended line by line, read again by the next one. Each line is one write, so
// that a killed process leaves whole lines.
// SPDX-License-Identifier: Apache-2.0
#include "tuner/tuner.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

enum { STATE_VERSION = 1, STATE_BYTES_MAX = 256 << 20, SEED_SHIFT = 11 };

/* ---- reading ------------------------------------------------------------------------------------- */

static double number(const json_t *j, const char *key)
{
    const json_t *x = json_object_get(j, key);
    return json_is_number(x) ? json_number_value(x) : (double)NAN;
}

// The point by the texts of its values; -1: the space has no such point.
static int point_of(const struct search_space *s, const json_t *parameters)
{
    uint16_t choice[AXES_MAX];
    if (!json_is_object(parameters) || json_object_size(parameters) != (size_t)s->axis_count ||
        s->axis_count > AXES_MAX)
        return -1;
    for (int i = 0; i < s->axis_count; i++) {
        const char *text = json_string_value(json_object_get(parameters, s->axes[i].name));
        int v = 0;
        while (text && v < s->axes[i].value_count && strcmp(s->axes[i].values[v], text) != 0)
            v++;
        if (!text || v == s->axes[i].value_count)
            return -1;
        choice[i] = (uint16_t)v;
    }
    return search_space_find(s, choice);
}

static bool has_time(const struct evaluation *e)
{
    return e->time_ns > 0 && e->low_ns > 0 && e->low_ns <= e->time_ns && e->high_ns >= e->time_ns;
}

static void take_times(const json_t *j, struct evaluation *e)
{
    double samples = number(j, "samples");
    e->time_ns = number(j, "time_ns");
    e->low_ns = number(j, "low_ns");
    e->high_ns = number(j, "high_ns");
    e->sample_count = samples >= 0 && samples < 1e9 ? (size_t)samples : 0;
}

static void take_sampled(struct arena *a, const json_t *j, const char *at, struct evaluation *e,
                         struct tuner_state *out)
{
    take_times(j, e);
    if (e->point < 0 || !at || !has_time(e))
        return;
    e->outcome = OUTCOME_CORRECT;
    e->rank_ns = e->energy_mj = e->energy_error = e->took_s = (double)NAN;
    e->at = arena_strdup(a, at);
    out->sampled[e->point] = *e;
}

static void take_line(struct arena *a, const json_t *j, const struct search_space *space,
                      struct tuner_state *out)
{
    struct evaluation e = {.point = point_of(space, json_object_get(j, "parameters"))};
    const char *outcome = json_string_value(json_object_get(j, "outcome"));
    const char *at = json_string_value(json_object_get(j, "at"));
    const char *error = json_string_value(json_object_get(j, "error"));
    const json_t *seed = json_object_get(j, "data_seed");
    const char *rank_by = json_string_value(json_object_get(j, "rank_by"));
    const json_t *sampled = json_object_get(j, "sampled");
    if (sampled) {
        take_sampled(a, sampled, at, &e, out);
        return;
    }
    if (rank_by) {
        if (e.point < 0 || !out->rank_by || strcmp(rank_by, out->rank_by) != 0)
            return;
        double rank = number(j, "rank_ns");
        out->ranked[e.point] = true;
        out->ranks[e.point] = rank > 0 ? rank : (double)NAN;
        return;
    }
    if (json_is_integer(seed) && json_integer_value(seed) >= 0)
        out->data_seed = (uint64_t)json_integer_value(seed);
    if (e.point < 0 || !at || !outcome || !outcome_find(outcome, &e.outcome))
        return;
    take_times(j, &e);
    e.rank_ns = number(j, "rank_ns");
    e.energy_mj = number(j, "energy_mj");
    e.energy_error = number(j, "energy_error");
    e.took_s = number(j, "took_s");
    if (e.outcome == OUTCOME_CORRECT && !has_time(&e))
        return;
    e.at = arena_strdup(a, at);
    e.error = error ? arena_strdup(a, error) : NULL;
    out->known[e.point] = e;
}

void state_parse(struct arena *a, const char *text, size_t size_bytes,
                 const struct search_space *space, struct tuner_state *out)
{
    const char *end = text + size_bytes;
    out->known = ARENA_ARRAY(a, struct evaluation, space->count + 1);
    out->sampled = ARENA_ARRAY(a, struct evaluation, space->count + 1);
    out->ranks = ARENA_ARRAY(a, double, space->count + 1);
    out->ranked = ARENA_ARRAY(a, bool, space->count + 1);
    for (int i = 0; i < space->count; i++)
        out->ranks[i] = (double)NAN;
    while (text < end) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        size_t length = (size_t)((stop ? stop : end) - text);
        json_t *j = stop ? json_loadb(text, length, 0, NULL) : NULL; // without its end it is torn
        if (json_is_object(j))
            take_line(a, j, space, out);
        json_decref(j);
        text += length + 1;
    }
}

/* ---- writing --------------------------------------------------------------------------------------- */

static bool add_line(struct tuner_state *s, json_t *j, struct error *err)
{
    struct text t = {0};
    char *line = j ? json_dumps(j, JSON_COMPACT) : NULL;
    json_decref(j);
    text_printf(&t, "%s\n", line ? line : "{}");
    free(line);
    ssize_t wrote = write(s->fd, t.data, t.length);
    bool whole = wrote == (ssize_t)t.length;
    text_release(&t);
    return whole || fail_errno(err, wrote < 0 ? errno : ENOSPC, "cannot write '%s'", s->path);
}

static json_t *real_or_null(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

static json_t *parameters_of(const struct search_space *s, int point)
{
    json_t *j = json_object();
    const uint16_t *choice = search_space_point(s, point);
    for (int i = 0; i < s->axis_count; i++)
        json_object_set_new(j, s->axes[i].name, json_string(s->axes[i].values[choice[i]]));
    return j;
}

bool state_add_rank(struct tuner_state *s, const struct tuning *t, int point, double rank_ns,
                    struct error *err)
{
    return add_line(s,
                    json_pack("{s:o, s:s, s:o}", "parameters", parameters_of(&t->space, point),
                              "rank_by", s->rank_by, "rank_ns", real_or_null(rank_ns)),
                    err);
}

bool state_add(struct tuner_state *s, const struct tuning *t, const struct evaluation *e,
               struct error *err)
{
    json_t *error = e->error ? json_string(e->error) : NULL;
    return add_line(
        s,
        json_pack("{s:o, s:s, s:o, s:o, s:o, s:I, s:o, s:o, s:o, s:o, s:o, s:s}", "parameters",
                  parameters_of(&t->space, e->point), "outcome", outcome_name(e->outcome),
                  "time_ns", real_or_null(e->time_ns), "low_ns", real_or_null(e->low_ns), "high_ns",
                  real_or_null(e->high_ns), "samples", (json_int_t)e->sample_count, "energy_mj",
                  real_or_null(e->energy_mj), "energy_error", real_or_null(e->energy_error),
                  "rank_ns", real_or_null(e->rank_ns), "took_s", real_or_null(e->took_s), "error",
                  error ? error : json_null(), "at", e->at),
        err);
}

// Without an outcome: a ridge that does not know such lines passes them over.
bool state_add_sampled(struct tuner_state *s, const struct tuning *t, const struct evaluation *e,
                       struct error *err)
{
    return add_line(s,
                    json_pack("{s:o, s:{s:o, s:o, s:o, s:I}, s:s}", "parameters",
                              parameters_of(&t->space, e->point), "sampled", "time_ns",
                              real_or_null(e->time_ns), "low_ns", real_or_null(e->low_ns),
                              "high_ns", real_or_null(e->high_ns), "samples",
                              (json_int_t)e->sample_count, "at", e->at),
                    err);
}

// What the session is of, for people; the file's name is what decides.
static bool add_head(struct tuner_state *s, const struct tuning *t, struct error *err)
{
    return add_line(s,
                    json_pack("{s:i, s:s, s:s, s:s, s:s, s:s, s:s, s:I}", "ridge_tune",
                              STATE_VERSION, "experiment", t->experiment, "variant", t->variant,
                              "case", t->case_label, "device", t->device_name, "platform",
                              t->platform ? t->platform : "", "source", t->source_hash, "data_seed",
                              (json_int_t)s->data_seed),
                    err);
}

// A killed session's worker inherited the lock, and ends a moment after it.
static bool lock_file(int fd)
{
    enum { TRIES = 20 };
    static const struct timespec pause = {.tv_nsec = 100000000};
    for (int i = 0; i < TRIES; i++) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0)
            return true;
        (void)nanosleep(&pause, NULL);
    }
    return false;
}

static bool open_file(struct tuner_state *s, struct error *err)
{
    s->fd = open(s->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (s->fd < 0)
        return fail_errno(err, errno, "cannot open '%s'", s->path);
    return lock_file(s->fd) ||
           fail_as(err, ERROR_SYSTEM, NOWHERE,
                   "another `ridge tune` works on this variant, case and device: wait for it, or "
                   "end it (it holds '%s')",
                   s->path);
}

bool state_open(struct arena *a, const char *identity, const struct tuning *t, const char *rank_by,
                bool fresh, struct tuner_state *out, struct error *err)
{
    char hash[33], *text = NULL;
    size_t size_bytes = 0;
    const char *folder = user_data_path(a, "tune");
    *out = (struct tuner_state){
        .fd = -1, .data_seed = random_seed() >> SEED_SHIFT, .rank_by = rank_by};
    hash_hex(&(struct hash_piece){identity, strlen(identity)}, 1, hash);
    out->path = path_join(a, folder, arena_printf(a, "%s.jsonl", hash));
    if (!dir_make(folder, err) || !open_file(out, err))
        return false;
    if (fresh && ftruncate(out->fd, 0) != 0)
        return fail_errno(err, errno, "cannot empty '%s'", out->path);
    if (!file_read(out->path, STATE_BYTES_MAX, &text, &size_bytes, err))
        return false;
    state_parse(a, text, size_bytes, &t->space, out);
    bool torn = size_bytes > 0 && text[size_bytes - 1] != '\n';
    free(text);
    if (torn && write(out->fd, "\n", 1) != 1)
        return fail_errno(err, errno, "cannot write '%s'", out->path);
    return size_bytes > 0 || add_head(out, t, err);
}

void state_close(struct tuner_state *s)
{
    if (s->fd >= 0)
        close(s->fd);
    s->fd = -1;
}
