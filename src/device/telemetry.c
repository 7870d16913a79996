// Telemetry of a chip by its backend's library.
// SPDX-License-Identifier: Apache-2.0
#include "device/internal.h"

#include <math.h>
#include <string.h>

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

void telemetry_close(struct telemetry *t)
{
    if (t)
        t->ops->close(t);
}

/* ---- the policy of clocks ------------------------------------------------------------------------ */

enum { POLICY_BYTES = 128 };

static int policy_body(void *context, int fd)
{
    const struct device_info *info = context;
    struct telemetry *t = NULL;
    struct error ignored = {0};
    char words[POLICY_BYTES] = "";
    if (!telemetry_open(info, &t, &ignored))
        return 0;
    if (t->ops->policy)
        t->ops->policy(t, words, sizeof words);
    telemetry_close(t);
    return *words && !worker_send(fd, words, strlen(words));
}

struct policy {
    struct arena *arena;
    const char *words;
};

static void take_policy(void *context, const char *data, size_t size_bytes)
{
    struct policy *p = context;
    p->words = arena_strndup(p->arena, data, size_bytes);
}

const char *telemetry_policy(struct arena *a, const struct device_info *info)
{
    static const double timeout_s = 20;
    struct policy p = {a, NULL};
    struct device_info copy = *info;
    const struct worker_spec spec = {.body = policy_body,
                                     .context = &copy,
                                     .timeout_s = timeout_s,
                                     .on_message = take_policy,
                                     .message_context = &p};
    struct worker_result r;
    struct error ignored = {0};
    if (info->simulated || !worker_run(&spec, &r, &ignored))
        return NULL;
    return p.words;
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
