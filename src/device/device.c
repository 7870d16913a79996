// Devices by id. A backend is a row of backends.def; nothing here knows one by its name.
// SPDX-License-Identifier: Apache-2.0
#include "device/internal.h"

#include <stdlib.h>
#include <string.h>

static const struct device_backend *const backends[] = {
#define BACKEND(name) &backend_##name,
#include "device/backends.def"
#undef BACKEND
};
const char *environment(const char *name)
{
    const char *value = getenv(name); // NOLINT(concurrency-mt-unsafe): never set once threads run
    return value && *value ? value : NULL;
}

const struct device_backend *backend_at(size_t index)
{
    return index < COUNT_OF(backends) ? backends[index] : NULL;
}

const struct device_backend *backend_of(const struct device_info *info)
{
    for (size_t i = 0; i < COUNT_OF(backends); i++)
        if (strcmp(backends[i]->name, info->backend) == 0)
            return backends[i];
    return NULL;
}

bool device_open(const struct device_info *info, struct device **out, struct error *err)
{
    const struct device_backend *b = backend_of(info);
    if (!b)
        return fail_as(err, ERROR_SYSTEM, NOWHERE, "this version cannot measure on %s", info->id);
    return b->ops->open(info, out, err);
}

void device_close(struct device *d)
{
    telemetry_close(d->telemetry);
    d->ops->close(d);
}

struct asking {
    void *answer;
    size_t size_bytes;
};

static void take_answer(void *context, const char *data, size_t size_bytes)
{
    const struct asking *a = context;
    if (size_bytes == a->size_bytes)
        memcpy(a->answer, data, size_bytes);
}

bool driver_ask(int (*body)(void *answer, int fd), void *answer, size_t size_bytes,
                const char *whose, const char *what, struct error *err)
{
    static const double timeout_s = 30; // a cold start of a driver takes seconds
    struct asking asking = {answer, size_bytes};
    struct worker_spec spec = {.body = body,
                               .context = answer,
                               .timeout_s = timeout_s,
                               .on_message = take_answer,
                               .message_context = &asking};
    struct worker_result end;
    if (!worker_run(&spec, &end, err))
        return false;
    return end.end == WORKER_DONE ||
           fail_as(err, ERROR_SYSTEM, NOWHERE, "%s %s when asked for its %s", whose,
                   end.end == WORKER_TIMED_OUT ? "hangs" : "crashes", what);
}

bool device_pick(const struct device_info *infos, int count, const char *id,
                 struct device_info *out)
{
    int i = 0;
    while (id && i < count && strcmp(infos[i].id, id) != 0)
        i++;
    if (i < count)
        *out = infos[i];
    return i < count;
}

bool fail_no_gpu(const char *id, const struct error *why, struct error *err)
{
    return fail_as(err, ERROR_SYSTEM, NOWHERE,
                   "no device '%s': %s; --device %s needs no GPU, `ridge devices` says what is "
                   "missing",
                   id, why->message, fallback_device);
}

void report_note(struct arena *a, struct device_report *report, const char *text)
{
    report->note = note_join(a, report->note, text);
}

struct device_facts device_facts_of(const struct gpu *g)
{
    static const double cc_minor_step = 0.1;
    return (struct device_facts){
        .cc = g->cc_major + g->cc_minor * cc_minor_step,
        .sm_count = (int)GPU(g, sm_count),
        .warp_size = (int)GPU(g, warp_size),
        .max_threads_per_block = (int)GPU(g, max_threads_per_block),
        .shared_bytes_per_block = (int64_t)GPU(g, shared_bytes_per_block),
        .l2_bytes = (int64_t)GPU(g, l2_bytes),
        .memory_bytes = (int64_t)GPU(g, dram_bytes),
    };
}

// Does the id begin with that name, alone or before a colon? Then what follows the colon, or "".
static bool id_begins(const char *id, const char *name, const char **which)
{
    if (!str_starts_with(id, name))
        return false;
    const char *rest = id + strlen(name);
    *which = *rest == ':' ? rest + 1 : NULL;
    return *rest == ':' || *rest == '\0';
}

// The first device of the first backend that has real ones; else what needs no GPU.
static bool find_auto(struct arena *a, struct device_info *out, struct error *err)
{
    const char *which = NULL;
    for (size_t i = 0; i < COUNT_OF(backends); i++) {
        struct device_info *devices = NULL;
        struct error none = {0};
        int count = 0;
        if (backends[i]->fallback)
            return id_begins(backends[i]->fallback, backends[i]->name, &which) &&
                   backends[i]->find(a, backends[i]->fallback, which, out, err);
        if (backends[i]->list(a, &devices, &count, &none) && count > 0) {
            *out = devices[0];
            return true;
        }
    }
    return fail_as(err, ERROR_SYSTEM, NOWHERE, "there is no device");
}

bool device_find(struct arena *a, const char *id, struct device_info *out, struct error *err)
{
    if (id && strchr(id, ','))
        return fail(err, NOWHERE,
                    "'%s' names several devices, and this command takes one: run it once for each "
                    "(`ridge run`, `verify` and `scale` take several)",
                    id);
    const char *which = NULL;
    if (!id || !*id || strcmp(id, "auto") == 0)
        return find_auto(a, out, err);
    for (size_t i = 0; i < COUNT_OF(backends); i++)
        if (id_begins(id, backends[i]->name, &which))
            return backends[i]->find(a, id, which, out, err);
    return fail_unknown_device(a, id, err);
}

bool devices_list(struct arena *a, struct device_inventory *out, struct error *err)
{
    struct device_info *lists[COUNT_OF(backends)] = {NULL};
    int counts[COUNT_OF(backends)] = {0}, all = 0;
    for (size_t i = 0; i < COUNT_OF(backends); i++) {
        struct error none = {0}; // why there are no real ones, the parts say
        if (backends[i]->list(a, &lists[i], &counts[i], &none))
            all += counts[i];
        else if (backends[i]->fallback) {
            *err = none;
            return false;
        } else
            counts[i] = 0;
    }
    out->devices = ARENA_ARRAY(a, struct device_info, all + 1);
    for (size_t i = 0; i < COUNT_OF(backends); i++)
        for (int k = 0; k < counts[i]; k++)
            out->devices[out->device_count++] = lists[i][k];
    return true;
}

void devices_parts(struct parts *p)
{
    for (size_t i = 0; i < COUNT_OF(backends); i++)
        if (backends[i]->parts)
            backends[i]->parts(p);
}
