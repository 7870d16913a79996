// Telemetry of a chip by its backend's library.
// SPDX-License-Identifier: Apache-2.0
#include "device/internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

bool telemetry_open(const struct device_info *info, struct telemetry **out, struct error *err)
{
    const struct device_backend *b = backend_of(info);
    *out = NULL;
    if (!b || !b->telemetry)
        return fail_as(err, ERROR_SYSTEM, NOWHERE, "%s has no clocks or temperature to read",
                       info->id);
    return b->telemetry->open(info, out, err);
}

void telemetry_read(struct telemetry *t, struct device_state *out)
{
    *out = (struct device_state){.sm_mhz = (double)NAN,
                                 .memory_mhz = (double)NAN,
                                 .power_w = (double)NAN,
                                 .temperature_c = (double)NAN,
                                 .energy_mj = (double)NAN};
    t->ops->read(t, out);
}

/* ---- all that a chip reports ----------------------------------------------------------------------- */

const struct telemetry_field_info *telemetry_field_info(enum telemetry_field field)
{
    static const struct telemetry_field_info table[] = {
#define TELEMETRY(name, kind, meaning) {#name, meaning, TELEMETRY_##kind},
#include "device/telemetry.def"
#undef TELEMETRY
    };
    return &table[field];
}

const struct telemetry_reason_info *telemetry_reason_info(enum telemetry_reason reason)
{
    enum { NO, YES };
    static const struct telemetry_reason_info table[] = {
#define REASON(name, nvml, slows, words) {#name, words, slows},
#include "device/reasons.def"
#undef REASON
    };
    return &table[reason];
}

static void chips_append(struct arena *a, const struct telemetry_chip *chips, int more,
                         struct telemetry_chip **all, int *count)
{
    struct telemetry_chip *joined = ARENA_ARRAY(a, struct telemetry_chip, *count + more);
    for (int i = 0; i < *count; i++)
        joined[i] = (*all)[i];
    for (int i = 0; i < more; i++) {
        joined[*count + i] = chips[i];
        joined[*count + i].index += *count;
    }
    *all = joined;
    *count += more;
}

bool telemetry_chips(struct arena *a, struct telemetry_chip **out, int *count, struct error *err)
{
    const struct device_backend *b;
    struct error first = {0}, why = {0};
    *out = NULL;
    *count = 0;
    for (size_t i = 0; (b = backend_at(i)); i++) {
        struct telemetry_chip *chips = NULL;
        int more = 0;
        if (!b->telemetry || !b->telemetry->chips)
            continue;
        why = (struct error){0};
        if (b->telemetry->chips(a, &chips, &more, &why))
            chips_append(a, chips, more, out, count);
        else if (first.kind == ERROR_NONE)
            first = why;
    }
    if (*count > 0)
        return true;
    if (first.kind == ERROR_NONE)
        return fail_as(err, ERROR_SYSTEM, NOWHERE,
                       "this ridge has no backend that can watch a GPU");
    *err = first;
    return false;
}

bool telemetry_open_chip(const struct telemetry_chip *chip, struct telemetry **out,
                         struct error *err)
{
    const struct device_info info = {
        .id = chip->uuid, .name = chip->name, .backend = chip->backend, .bus_id = chip->bus_id};
    return telemetry_open(&info, out, err);
}

void telemetry_sample_clear(struct telemetry_sample *out)
{
    *out = (struct telemetry_sample){.lost = false};
    for (int i = 0; i < TELEMETRY_FIELD_COUNT; i++)
        out->value[i] = (double)NAN;
    for (int i = 0; i < TELEMETRY_LINKS_MAX; i++)
        for (int e = 0; e < LINK_ERROR_COUNT; e++)
            out->links[i].errors[e] = (double)NAN;
}

void telemetry_sample_read(struct telemetry *t, struct telemetry_sample *out)
{
    telemetry_sample_clear(out);
    if (t->ops->sample)
        t->ops->sample(t, out);
}

void telemetry_close(struct telemetry *t)
{
    if (t)
        t->ops->close(t);
}

// "0000:4E:00.0" of the driver's is "00000000:4E:00.0" of NVML's.
static bool bus_id_same(const char *x, const char *y)
{
    while (*x == '0')
        x++;
    while (*y == '0')
        y++;
    return strcasecmp(x, y) == 0;
}

/* ---- words about a chip, asked in a worker: the caller's process stays without NVML ----------------- */

enum { WORDS_BYTES = 128 };
enum { WORDS_POLICY = 'p', WORDS_UUID = 'u' }; // kinds of messages

static void policy_send(const struct device_info *info, int fd)
{
    struct telemetry *t = NULL;
    struct error ignored = {0};
    char words[WORDS_BYTES] = "";
    if (!telemetry_open(info, &t, &ignored))
        return;
    if (t->ops->policy)
        t->ops->policy(t, words, sizeof words);
    telemetry_close(t);
    if (*words)
        (void)worker_send_kind(fd, WORDS_POLICY, words, strlen(words));
}

static void uuid_send(const struct device_info *info, int fd)
{
    struct arena a = {0};
    struct telemetry_chip *chips = NULL;
    struct error ignored = {0};
    int count = 0;
    if (info->bus_id && telemetry_chips(&a, &chips, &count, &ignored))
        for (int i = 0; i < count; i++)
            if (bus_id_same(chips[i].bus_id, info->bus_id))
                (void)worker_send_kind(fd, WORDS_UUID, chips[i].uuid, strlen(chips[i].uuid));
    arena_release(&a);
}

static int words_body(void *context, int fd)
{
    policy_send(context, fd);
    uuid_send(context, fd);
    return 0;
}

struct words {
    struct arena *arena;
    const char *policy, *uuid;
};

static void take_words(void *context, const char *data, size_t size_bytes)
{
    struct words *w = context;
    if (size_bytes > 1)
        *(data[0] == WORDS_UUID ? &w->uuid : &w->policy) =
            arena_strndup(w->arena, data + 1, size_bytes - 1);
}

void telemetry_words(struct arena *a, const struct device_info *info, const char **policy,
                     const char **uuid)
{
    static const double timeout_s = 20;
    struct words w = {.arena = a};
    struct device_info copy = *info;
    const struct worker_spec spec = {.body = words_body,
                                     .context = &copy,
                                     .timeout_s = timeout_s,
                                     .on_message = take_words,
                                     .message_context = &w};
    struct worker_result r;
    struct error ignored = {0};
    if (!info->simulated)
        (void)!worker_run(&spec, &r, &ignored);
    *policy = w.policy;
    *uuid = w.uuid;
}

void device_state(struct device *d, struct device_state *out)
{
    struct error ignored = {0};
    *out = (struct device_state){.valid = false};
    if (!d->telemetry_tried && !telemetry_open(d->info, &d->telemetry, &ignored))
        d->telemetry = NULL;
    d->telemetry_tried = true;
    if (d->telemetry)
        telemetry_read(d->telemetry, out);
}
