// Alerts: what arrived and what is over, in a ring; and the command that is run for each, in a thread of its own, so
// that a slow one holds up nothing.
// SPDX-License-Identifier: Apache-2.0
#include "monitor/alerts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kinds[] = {[ALERT_XID] = "xid",
                                    [ALERT_CONDITION] = "condition",
                                    [ALERT_ANOMALY] = "anomaly",
                                    [ALERT_CANARY] = "canary"};

const char *alert_kind_name(enum alert_kind kind)
{
    return kinds[kind];
}

void alert_raise(struct monitor *m, const struct monitor_gpu *g, enum alert_kind kind, bool over,
                 const char *name, const char *fmt, ...)
{
    struct alert *a = &m->alerts.ring[m->alerts.count++ % ALERTS_MAX];
    va_list args;
    *a = (struct alert){.kind = kind, .over = over, .gpu = g ? g->chip->index : -1};
    (void)snprintf(a->uuid, sizeof a->uuid, "%s", g ? g->chip->uuid : "");
    (void)snprintf(a->name, sizeof a->name, "%s", name);
    (void)snprintf(a->time, sizeof a->time, "%s", m->sampled);
    va_start(args, fmt);
    (void)vsnprintf(a->words, sizeof a->words, fmt, args);
    va_end(args);
    m->alerts.of_kind[kind] += !over;
}

uint64_t monitor_alerts(struct monitor *m, uint64_t seen,
                        void (*each)(void *context, const struct alert *a), void *context)
{
    struct alert *copy = xcalloc(ALERTS_MAX, sizeof *copy);
    pthread_mutex_lock(&m->lock);
    uint64_t count = m->alerts.count;
    uint64_t from = count > ALERTS_MAX && count - ALERTS_MAX > seen ? count - ALERTS_MAX : seen;
    for (uint64_t i = from; i < count; i++)
        copy[i - from] = m->alerts.ring[i % ALERTS_MAX];
    pthread_mutex_unlock(&m->lock);
    for (uint64_t i = from; i < count; i++)
        each(context, &copy[i - from]);
    free(copy);
    return count;
}

json_t *alert_json(const struct alert *a)
{
    json_t *j = json_pack("{s:s, s:s, s:b, s:s, s:s}", "time", a->time, "kind", kinds[a->kind],
                          "over", (int)a->over, "name", a->name, "message", a->words);
    if (j && a->gpu >= 0) {
        json_object_set_new(j, "gpu", json_integer(a->gpu));
        json_object_set_new(j, "uuid", json_string(a->uuid));
    }
    return j ? j : json_null();
}

void alert_line(const struct alert *a, struct text *out)
{
    text_printf(out, "%s %s", a->time, a->over ? "over" : "alert");
    if (a->gpu >= 0)
        text_printf(out, " GPU %d %s", a->gpu, a->uuid);
    text_printf(out, " %s %s: %s\n", kinds[a->kind], a->name, a->words);
}

/* ---- the command ----------------------------------------------------------------------------------------- */

enum { HOOK_QUEUE_MAX = 64 };

struct hook {
    const char *command;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct alert queue[HOOK_QUEUE_MAX];
    int count, failed, dropped;
    bool stop;
};

static void hook_call(struct hook *h, const struct alert *a)
{
    static const double timeout_s = 30;
    json_t *j = alert_json(a);
    char *text = json_dumps(j, JSON_COMPACT);
    const char *const argv[] = {"/bin/sh", "-c", h->command, NULL};
    const struct process_spec spec = {.argv = argv,
                                      .input = text ? text : "",
                                      .input_bytes = text ? strlen(text) : 0,
                                      .timeout_s = timeout_s};
    struct process_result r = {0};
    struct error ignored = {0};
    bool done = process_run(&spec, &r, &ignored) && r.exit_status == 0 && !r.timed_out;
    process_result_release(&r);
    json_decref(j);
    free(text);
    pthread_mutex_lock(&h->lock);
    h->failed += !done;
    pthread_mutex_unlock(&h->lock);
}

static void *hook_run(void *context)
{
    struct hook *h = context;
    pthread_mutex_lock(&h->lock);
    for (;;) {
        while (h->count == 0 && !h->stop)
            pthread_cond_wait(&h->changed, &h->lock);
        if (h->count == 0 || cancel_asked())
            break;
        struct alert a = h->queue[0];
        memmove(&h->queue[0], &h->queue[1], (size_t)--h->count * sizeof a);
        pthread_mutex_unlock(&h->lock);
        hook_call(h, &a);
        pthread_mutex_lock(&h->lock);
    }
    pthread_mutex_unlock(&h->lock);
    return NULL;
}

bool hook_open(const char *command, struct hook **out, struct error *err)
{
    struct hook *h = xcalloc(1, sizeof *h);
    h->command = command;
    pthread_mutex_init(&h->lock, NULL);
    pthread_cond_init(&h->changed, NULL);
    *out = h;
    if (pthread_create(&h->thread, NULL, hook_run, h) == 0)
        return true;
    free(h);
    *out = NULL;
    return fail_as(err, ERROR_SYSTEM, NOWHERE, "cannot start a thread");
}

void hook_add(struct hook *h, const struct alert *a)
{
    pthread_mutex_lock(&h->lock);
    if (h->count < HOOK_QUEUE_MAX)
        h->queue[h->count++] = *a;
    else
        h->dropped++;
    pthread_cond_signal(&h->changed);
    pthread_mutex_unlock(&h->lock);
}

void hook_close(struct hook *h, int *failed, int *dropped)
{
    pthread_mutex_lock(&h->lock);
    h->stop = true;
    pthread_cond_signal(&h->changed);
    pthread_mutex_unlock(&h->lock);
    pthread_join(h->thread, NULL);
    *failed = h->failed;
    *dropped = h->dropped;
    pthread_mutex_destroy(&h->lock);
    pthread_cond_destroy(&h->changed);
    free(h);
}
