// The crew's folder: rank.K (its device; locked while it lives), job.J, order.K.S, answer.K.S (a line of JSON, then the
// outputs' bytes; of an exchange its report), meet.X (what exchange X is opened with), failed.X, over. Files appear whole
// (file_write).
// SPDX-License-Identifier: Apache-2.0
#include "fleet/crew.h"

#include <dirent.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { NAME_BYTES = 64, STEP_NS = 20 * 1000 * 1000, JSON_BYTES_MAX = 1 << 20 };

static const size_t answer_bytes_max = (size_t)1 << 40;
static const double coming_s = 120; // until all ranks are there
static const double ns_per_s = 1e9;

static char *path_of(const struct crew *c, const char *name)
{
    char *path = NULL;
    if (asprintf(&path, "%s/%s", c->folder, name) < 0)
        abort();
    return path;
}

static void step(void)
{
    const struct timespec wait = {.tv_nsec = STEP_NS};
    (void)nanosleep(&wait, NULL);
}

static bool put(const struct crew *c, const char *name, const void *data, size_t size_bytes,
                struct error *err)
{
    char *path = path_of(c, name);
    bool done = file_write(path, data, size_bytes, err);
    free(path);
    return done;
}

static bool put_json(const struct crew *c, const char *name, json_t *json, struct error *err)
{
    char *text = json_dumps(json, JSON_COMPACT);
    bool done = put(c, name, text, strlen(text), err);
    free(text);
    json_decref(json);
    return done;
}

static bool is_there(const struct crew *c, const char *name)
{
    char *path = path_of(c, name);
    bool there = file_exists(path);
    free(path);
    return there;
}

// malloc'ed; NULL = not there.
static char *take(const struct crew *c, const char *name, size_t most, size_t *size_bytes)
{
    struct error ignored = {0};
    char *path = path_of(c, name), *data = NULL;
    bool read = file_exists(path) && file_read(path, most, &data, size_bytes, &ignored);
    free(path);
    return read ? data : NULL;
}

static json_t *take_json(const struct crew *c, const char *name)
{
    size_t size = 0;
    char *text = take(c, name, JSON_BYTES_MAX, &size);
    json_t *json = text ? json_loadb(text, size, 0, NULL) : NULL;
    free(text);
    return json;
}

static bool is_over(const struct crew *c)
{
    return is_there(c, "over");
}

static void rank_name(char out[NAME_BYTES], int rank)
{
    (void)snprintf(out, NAME_BYTES, "rank.%d", rank);
}

// It came, and its lock is free: the system took it back.
static bool is_gone(const struct crew *c, int rank)
{
    char name[NAME_BYTES];
    rank_name(name, rank);
    char *path = path_of(c, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    free(path);
    bool gone = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) == 0;
    if (fd >= 0)
        close(fd);
    return gone;
}

/* ---- coming and going --------------------------------------------------------------------------------------- */

// Locked before it has its name: others never see it free while the rank lives.
static bool come(struct crew *c, const struct device_info *own, struct error *err)
{
    char name[NAME_BYTES], early[NAME_BYTES + 8];
    json_t *json = json_pack("{s:s, s:s, s:s, s:b, s:I}", "id", own->id, "name", own->name,
                             "backend", own->backend, "simulated", (int)own->simulated,
                             "memory_bytes", (json_int_t)own->facts.memory_bytes);
    char *text = json_dumps(json, JSON_COMPACT);
    json_decref(json);
    rank_name(name, c->rank);
    (void)snprintf(early, sizeof early, ".%s", name);
    char *from = path_of(c, early), *to = path_of(c, name);
    size_t size = strlen(text);
    c->lock = open(from, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR);
    bool done = c->lock >= 0 && flock(c->lock, LOCK_EX | LOCK_NB) == 0 &&
                write(c->lock, text, size) == (ssize_t)size && rename(from, to) == 0;
    free(from);
    free(to);
    free(text);
    return done || fail_as(err, ERROR_SYSTEM, NOWHERE,
                           "cannot write to the folder '%s', which the ranks share", c->folder);
}

bool crew_open(struct arena *a, const char *folder, const struct ranks *ranks,
               const struct device_info *own, struct crew *out, struct error *err)
{
    *out = (struct crew){.folder = arena_strdup(a, folder),
                         .rank = ranks->rank,
                         .count = ranks->count,
                         .lock = -1,
                         .orders = ARENA_ARRAY(a, int, ranks->count)};
    return ranks_begin(ranks, folder, err) && dir_make(folder, err) &&
           (is_over(out) || come(out, own, err));
}

static void empty_folder(struct crew *c)
{
    struct error ignored = {0};
    (void)!put(c, "over", "", 0, &ignored); // before anything goes
    DIR *dir = opendir(c->folder);
    for (struct dirent *e; dir && (e = readdir(dir));)
        if (strcmp(e->d_name, "over") != 0 && e->d_name[0] != '.') {
            char *path = path_of(c, e->d_name);
            (void)unlink(path);
            free(path);
        }
    if (dir)
        closedir(dir);
}

void crew_close(struct crew *c)
{
    if (c->rank == 0 && c->lock >= 0)
        empty_folder(c);
    if (c->lock >= 0)
        close(c->lock);
    c->lock = -1;
}

/* ---- rank 0 ---------------------------------------------------------------------------------------------------- */

// Of another rank's simulated device. NULL: it is real, or the chip has no file here.
static const struct gpu *chip_of(struct arena *a, const char *id)
{
    struct gpu *chip = NULL;
    struct error ignored = {0};
    return str_starts_with(id, "sim:") && gpu_load(a, id + 4, &chip, &ignored) ? chip : NULL;
}

bool crew_device(struct arena *a, struct crew *c, int rank, const struct device_info *own,
                 const volatile bool *cancel, struct device_info *out, struct error *err)
{
    char name[NAME_BYTES];
    const char *id = NULL, *words = NULL, *backend = NULL;
    int simulated = 0;
    json_int_t memory = 0;
    json_t *json;
    uint64_t began = clock_ns();
    rank_name(name, rank);
    while (!(json = take_json(c, name))) {
        if (cancel && *cancel)
            return fail_as(err, ERROR_SYSTEM, NOWHERE, "interrupted");
        if ((double)(clock_ns() - began) > coming_s * ns_per_s)
            return fail_as(err, ERROR_SYSTEM, NOWHERE,
                           "rank %d has not come to '%s' in %.0f s: do all ranks reach that "
                           "folder (RIDGE_HOME)?",
                           rank, c->folder, coming_s);
        step();
    }
    bool read = json_unpack(json, "{s:s, s:s, s:s, s:b, s:I}", "id", &id, "name", &words, "backend",
                            &backend, "simulated", &simulated, "memory_bytes", &memory) == 0;
    *out = *own;
    if (read) {
        out->id = arena_printf(a, "rank %d: %s", rank, id);
        out->name = arena_strdup(a, words);
        out->backend = arena_strdup(a, backend);
        out->simulated = simulated != 0;
        out->facts.memory_bytes = memory;
        out->chip = chip_of(a, id);
    }
    json_decref(json);
    return read || fail_as(err, ERROR_SYSTEM, NOWHERE,
                           "what rank %d says of its device cannot be read", rank);
}

bool crew_start(struct crew *c, const struct crew_job *job, struct error *err)
{
    char number[NAME_BYTES], name[NAME_BYTES];
    json_t *overrides = json_array();
    for (int i = 0; i < job->override_count; i++)
        json_array_append_new(overrides, json_string(job->overrides[i]));
    (void)snprintf(number, sizeof number, "%llu", (unsigned long long)job->seed);
    (void)snprintf(name, sizeof name, "job.%d", c->jobs++);
    return put_json(c, name,
                    json_pack("{s:s, s:s, s:o}", "seed", number, "variant", job->variant,
                              "overrides", overrides),
                    err);
}

// Of the answer's bytes after its first line.
static bool take_outputs(struct part *p, const char *data, size_t size_bytes)
{
    for (int b = 0; b < p->outputs.count; b++) {
        size_t size = p->resolved.buffers[b].output ? p->resolved.buffers[b].size_bytes : 0;
        if (size > size_bytes)
            return false;
        if (size)
            memcpy(p->outputs.data[b], data, size);
        data += size;
        size_bytes -= size;
    }
    return size_bytes == 0;
}

static bool take_answer(const char *data, size_t size_bytes, int rank, struct part *p, bool *lost,
                        struct error *err)
{
    const char *line = memchr(data, '\n', size_bytes), *why;
    json_t *json = line ? json_loadb(data, (size_t)(line - data), 0, NULL) : NULL;
    int was_lost = 0, kind = 0, provenance = 0, by_bounds = 0;
    double time_ns = 0, noise = 0;
    bool read = json_unpack(json, "{s:i, s:b, s:f, s:i, s:f, s:b}", "kind", &kind, "lost",
                            &was_lost, "time_ns", &time_ns, "provenance", &provenance, "noise",
                            &noise, "by_bounds", &by_bounds) == 0;
    why = json_string_value(json_object_get(json, "error")); // null: there is none
    *lost = was_lost != 0;
    bool done = read && !why;
    if (read && why)
        (void)fail_as(err, (enum error_kind)kind, NOWHERE, "rank %d: %s", rank, why);
    p->time = (struct part_time){{time_ns, (enum provenance)provenance}, noise, by_bounds != 0};
    if (!read || (done && !take_outputs(p, line + 1, size_bytes - (size_t)(line + 1 - data))))
        done = fail_as(err, ERROR_SYSTEM, NOWHERE, "what rank %d answers cannot be read", rank);
    json_decref(json);
    return done;
}

bool crew_order(struct crew *c, int rank, const struct part *p, struct error *err)
{
    char order[NAME_BYTES];
    (void)snprintf(order, sizeof order, "order.%d.%d", rank, c->orders[rank]++);
    return put_json(c, order,
                    json_pack("{s:i, s:I, s:I}", "job", c->jobs - 1, "first",
                              (json_int_t)p->range.first, "end", (json_int_t)p->range.end),
                    err);
}

bool crew_ended(struct crew *c, int rank, struct part *p, struct crew_wait *w, bool *done,
                bool *lost, struct error *err)
{
    char answer[NAME_BYTES];
    size_t size = 0;
    (void)snprintf(answer, sizeof answer, "answer.%d.%d", rank, c->orders[rank] - 1);
    char *data = take(c, answer, answer_bytes_max, &size);
    *done = *lost = false;
    if (data) {
        *done = take_answer(data, size, rank, p, lost, err);
        free(data);
        return true;
    }
    if (w->gone) { // and it left no answer
        *lost = true;
        (void)fail_as(err, ERROR_SYSTEM, NOWHERE, "rank %d died", rank);
        return true;
    }
    w->gone = is_gone(c, rank);
    return false;
}

/* ---- exchange ------------------------------------------------------------------------------------------------------ */

bool crew_exchange_start(struct crew *c, const uint64_t *ends, int count, int *number,
                         struct error *err)
{
    bool done = true;
    *number = c->exchanges++;
    for (int rank = 1; rank < count && done; rank++) {
        char name[NAME_BYTES];
        json_t *list = json_array();
        for (int i = 0; i < count; i++)
            json_array_append_new(list, json_integer((json_int_t)ends[i]));
        (void)snprintf(name, sizeof name, "order.%d.%d", rank, c->orders[rank]++);
        done = put_json(
            c, name,
            json_pack("{s:i, s:i, s:o}", "job", c->jobs - 1, "exchange", *number, "ends", list),
            err);
    }
    return done;
}

bool crew_exchange_take(struct crew *c, int rank, const volatile bool *cancel,
                        struct exchange_report *out, struct error *err)
{
    char name[NAME_BYTES];
    (void)snprintf(name, sizeof name, "answer.%d.%d", rank, c->orders[rank] - 1);
    for (bool gone = false;; step()) {
        size_t size = 0;
        char *data = take(c, name, sizeof *out, &size);
        if (data) {
            bool whole = size == sizeof *out;
            if (whole)
                memcpy(out, data, sizeof *out);
            free(data);
            return whole || fail_as(err, ERROR_SYSTEM, NOWHERE,
                                    "its answer cannot be read: start the same ridge on all nodes");
        }
        if (cancel && *cancel)
            return fail_as(err, ERROR_SYSTEM, NOWHERE, "interrupted");
        if (gone)
            return fail_as(err, ERROR_SYSTEM, NOWHERE, "it died");
        gone = is_gone(c, rank);
    }
}

bool crew_exchange_give(struct crew *c, int number, const unsigned char id[EXCHANGE_ID_BYTES],
                        struct error *err)
{
    char name[NAME_BYTES];
    (void)snprintf(name, sizeof name, "meet.%d", number);
    return put(c, name, id, EXCHANGE_ID_BYTES, err);
}

bool crew_exchange_wait(struct crew *c, int number, unsigned char id[EXCHANGE_ID_BYTES],
                        struct error *err)
{
    char name[NAME_BYTES];
    size_t size = 0;
    char *data;
    (void)snprintf(name, sizeof name, "meet.%d", number);
    while (!(data = take(c, name, EXCHANGE_ID_BYTES, &size)))
        step(); // who watches this worker ends it when that does not come
    bool whole = size == EXCHANGE_ID_BYTES;
    if (whole)
        memcpy(id, data, EXCHANGE_ID_BYTES);
    free(data);
    return whole || fail_as(err, ERROR_SYSTEM, NOWHERE, "what rank 0 gives cannot be read");
}

void crew_exchange_fail(struct crew *c, int number)
{
    char name[NAME_BYTES];
    struct error ignored = {0};
    (void)snprintf(name, sizeof name, "failed.%d", number);
    (void)!put(c, name, "", 0, &ignored);
}

bool crew_exchange_over(struct crew *c, int number, int count)
{
    char name[NAME_BYTES];
    (void)snprintf(name, sizeof name, "failed.%d", number);
    bool over = is_there(c, name) || is_over(c);
    for (int rank = 0; rank < count && !over; rank++)
        over = rank != c->rank && is_gone(c, rank);
    return over;
}

bool crew_exchange_answer(struct crew *c, const struct exchange_report *r, struct error *err)
{
    char name[NAME_BYTES];
    (void)snprintf(name, sizeof name, "answer.%d.%d", c->rank, c->orders[c->rank]++);
    return put(c, name, r, sizeof *r, err);
}

/* ---- the others ------------------------------------------------------------------------------------------------ */

// Until the file is there; *over: the job ended, by rank 0's word or its death.
static bool wait_json(struct crew *c, const char *name, const volatile bool *cancel, json_t **out,
                      bool *over, struct error *err)
{
    for (uint64_t began = clock_ns();; step()) {
        *out = take_json(c, name);
        if (*out)
            return true;
        *over = is_over(c) || is_gone(c, 0);
        if (*over)
            return true;
        if (cancel && *cancel)
            return fail_as(err, ERROR_SYSTEM, NOWHERE, "interrupted");
        if (!is_there(c, "rank.0") && (double)(clock_ns() - began) > coming_s * ns_per_s)
            return fail_as(err, ERROR_SYSTEM, NOWHERE,
                           "rank 0 has not come to '%s' in %.0f s: do all ranks reach that folder "
                           "(RIDGE_HOME)?",
                           c->folder, coming_s);
    }
}

static bool read_order(struct arena *a, json_t *json, struct crew_order *out)
{
    json_int_t from = 0, to = 0;
    json_t *ends = NULL;
    *out = (struct crew_order){.exchange = -1};
    if (json_unpack(json, "{s:i, s:i, s:o}", "job", &out->job, "exchange", &out->exchange, "ends",
                    &ends) == 0) {
        out->count = (int)json_array_size(ends);
        out->ends = ARENA_ARRAY(a, uint64_t, out->count + 1);
        for (int i = 0; i < out->count; i++)
            out->ends[i] = (uint64_t)json_integer_value(json_array_get(ends, (size_t)i));
        return true;
    }
    out->exchange = -1;
    bool read =
        json_unpack(json, "{s:i, s:I, s:I}", "job", &out->job, "first", &from, "end", &to) == 0;
    out->first = (uint64_t)from;
    out->end = (uint64_t)to;
    return read;
}

bool crew_wait_order(struct arena *a, struct crew *c, const volatile bool *cancel,
                     struct crew_order *out, bool *over, struct error *err)
{
    char name[NAME_BYTES];
    json_t *json = NULL;
    *over = false;
    (void)snprintf(name, sizeof name, "order.%d.%d", c->rank, c->orders[c->rank]);
    if (!wait_json(c, name, cancel, &json, over, err) || *over)
        return err->kind == ERROR_NONE;
    bool read = read_order(a, json, out);
    json_decref(json);
    return read || fail_as(err, ERROR_SYSTEM, NOWHERE, "an order of rank 0 cannot be read");
}

bool crew_read_job(struct arena *a, struct crew *c, int number, struct crew_job *out,
                   struct error *err)
{
    char name[NAME_BYTES];
    const char *seed = NULL, *variant = NULL;
    json_t *all = NULL;
    (void)snprintf(name, sizeof name, "job.%d", number);
    json_t *json = take_json(c, name);
    bool read = json && json_unpack(json, "{s:s, s:s, s:o}", "seed", &seed, "variant", &variant,
                                    "overrides", &all) == 0;
    if (read) {
        int count = (int)json_array_size(all);
        const char **overrides = ARENA_ARRAY(a, const char *, count + 1);
        for (int i = 0; i < count; i++) {
            const char *word = json_string_value(json_array_get(all, (size_t)i));
            overrides[i] = arena_strdup(a, word ? word : "");
        }
        *out =
            (struct crew_job){strtoull(seed, NULL, 10), arena_strdup(a, variant), overrides, count};
    }
    json_decref(json);
    return read ||
           fail_as(err, ERROR_SYSTEM, NOWHERE, "what rank 0 says of the job cannot be read");
}

bool crew_answer(struct crew *c, const struct part *p, bool done, bool lost,
                 const struct error *why, struct error *err)
{
    char name[NAME_BYTES];
    struct text out = {0};
    (void)snprintf(name, sizeof name, "answer.%d.%d", c->rank, c->orders[c->rank]++);
    json_t *json = json_pack(
        "{s:s?, s:i, s:b, s:f, s:i, s:f, s:b}", "error", done ? NULL : why->message, "kind",
        (int)why->kind, "lost", (int)lost, "time_ns", done ? p->time.ns.value : 0.0, "provenance",
        done ? (int)p->time.ns.provenance : 0, "noise", done ? p->time.noise : 0.0, "by_bounds",
        (int)(done && p->time.by_bounds));
    char *head = json_dumps(json, JSON_COMPACT);
    json_decref(json);
    text_printf(&out, "%s\n", head ? head : "{}"); // NULL: words that are no UTF-8
    free(head);
    for (int b = 0; b < p->outputs.count && done; b++)
        if (p->resolved.buffers[b].output) // an input is the same in every rank
            text_addn(&out, p->outputs.data[b], p->resolved.buffers[b].size_bytes);
    bool put_done = put(c, name, out.data, out.length, err);
    text_release(&out);
    return put_done;
}
