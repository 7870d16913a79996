// The newest sample as JSON (schema version 1). What is not known is null, never 0.
// SPDX-License-Identifier: Apache-2.0
#include "monitor/internal.h"

#include <math.h>

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

// Text of others: NULL where it is no UTF-8.
static json_t *words(const char *s)
{
    json_t *j = json_string(s);
    return j ? j : json_null();
}

static json_t *values_json(const struct telemetry_sample *s)
{
    json_t *j = json_object();
    for (int i = 0; i < TELEMETRY_FIELD_COUNT; i++)
        json_object_set_new(j, telemetry_field_info((enum telemetry_field)i)->name,
                            number(s->value[i]));
    return j;
}

static json_t *reasons_json(const struct telemetry_sample *s)
{
    json_t *j = json_array();
    for (unsigned i = 0; i < REASON_COUNT; i++)
        if (s->reasons >> i & 1U)
            json_array_append_new(
                j, json_string(telemetry_reason_info((enum telemetry_reason)i)->name));
    return j;
}

static json_t *links_json(const struct telemetry_sample *s)
{
    json_t *j = json_array();
    for (int i = 0; i < TELEMETRY_LINKS_MAX; i++) {
        const struct telemetry_link *l = &s->links[i];
        if (l->known)
            json_array_append_new(j, json_pack("{s:i, s:b, s:o, s:o, s:o}", "link", i, "up",
                                               (int)l->up, "replay_errors",
                                               number(l->errors[LINK_REPLAY]), "recovery_errors",
                                               number(l->errors[LINK_RECOVERY]), "crc_errors",
                                               number(l->errors[LINK_CRC])));
    }
    return j;
}

static json_t *processes_json(const struct monitor_gpu *g)
{
    json_t *j = json_array();
    for (int i = 0; i < g->now.process_count && i < TELEMETRY_PROCESSES_MAX; i++)
        json_array_append_new(
            j, json_pack("{s:I, s:o, s:o}", "pid", (json_int_t)g->now.processes[i].pid, "command",
                         *g->commands[i] ? words(g->commands[i]) : json_null(), "memory_bytes",
                         number(g->now.processes[i].memory_bytes)));
    return j;
}

static json_t *xids_json(const struct xid_log *log)
{
    static const char *const ends[] = {
        [XID_PROGRAM] = "program", [XID_NOTICE] = "notice", [XID_RESET] = "reset"};
    json_t *j = json_array();
    for (int i = 0; i < log->count; i++) {
        const struct xid_seen *x = &log->seen[i];
        struct xid_info info = xid_info(x->number);
        json_array_append_new(j,
                              json_pack("{s:I, s:s, s:s, s:I, s:s, s:s, s:b}", "xid",
                                        (json_int_t)x->number, "meaning", info.meaning, "ends_with",
                                        ends[info.ends], "count", (json_int_t)x->count, "first",
                                        x->first, "last", x->last, "active", (int)x->active));
    }
    return j;
}

static json_t *conditions_json(const struct monitor_gpu *g)
{
    json_t *j = json_array();
    for (unsigned i = 0; i < CONDITION_COUNT; i++) {
        const struct condition_info *c = condition_info((enum condition_id)i);
        if (g->conditions >> i & 1U)
            json_array_append_new(j, json_pack("{s:s, s:s, s:s, s:s}", "name", c->name, "severity",
                                               status_name(c->severity), "meaning", c->words,
                                               "remedy", c->remedy));
    }
    return j;
}

// NULL where the driver does not say.
static json_t *known(bool is_known, json_t *j)
{
    if (is_known)
        return j;
    json_decref(j);
    return json_null();
}

static json_t *gpu_json(const struct monitor_gpu *g)
{
    const struct telemetry_chip *c = g->chip;
    const struct telemetry_sample *s = &g->now;
    json_t *j =
        json_pack("{s:i, s:o, s:o, s:o, s:o, s:s, s:s}", "index", c->index, "uuid", words(c->uuid),
                  "name", words(c->name), "bus_id", words(c->bus_id), "driver", words(c->driver),
                  "provenance", "measured", "status", status_name(gpu_status(g)));
    json_object_set_new(j, "values", values_json(s));
    json_object_set_new(j, "clock_reasons", known(s->reasons_known, reasons_json(s)));
    json_object_set_new(j, "nvlinks", known(s->links_known, links_json(s)));
    json_object_set_new(j, "process_count",
                        known(s->processes_known, json_integer(s->process_count)));
    json_object_set_new(j, "processes", known(s->processes_known, processes_json(g)));
    json_object_set_new(j, "xids", known(s->xids_known || g->xids.count, xids_json(&g->xids)));
    json_object_set_new(j, "conditions", conditions_json(g));
    return j;
}

// The newest ones, the oldest of them first. Under the lock.
static json_t *alerts_json(const struct alert_log *log)
{
    json_t *j = json_array();
    for (uint64_t i = log->count > ALERTS_MAX ? log->count - ALERTS_MAX : 0; i < log->count; i++)
        json_array_append_new(j, alert_json(&log->ring[i % ALERTS_MAX]));
    return j;
}

static json_t *canaries_json(const struct monitor *m)
{
    json_t *all = json_array();
    for (int i = 0; i < m->canary_count; i++) {
        const struct canary_record *r = &m->canaries[i];
        json_t *j = json_pack("{s:o, s:I, s:I, s:I, s:o}", "experiment", words(r->experiment),
                              "runs", (json_int_t)r->runs, "skipped", (json_int_t)r->skipped,
                              "failed", (json_int_t)r->failed, "trouble",
                              *r->trouble ? words(r->trouble) : json_null());
        if (m->gpu_count)
            json_object_set_new(j, "uuid", words(m->gpus[i].chip->uuid));
        if (r->known) {
            json_object_set_new(j, "variant", words(r->variant));
            json_object_set_new(j, "case", words(r->case_label));
            json_object_set_new(j, "time", json_string(r->time));
            json_object_set_new(j, "time_ns", number(r->now_ns));
            json_object_set_new(j, "healthy_time_ns", number(r->healthy_ns));
            json_object_set_new(j, "gap", number(r->verdict.gap));
            json_object_set_new(j, "cause", json_string(canary_cause_name(r->verdict.cause)));
            json_object_set_new(j, "explained", number(r->verdict.explained));
            json_object_set_new(j, "message", words(r->words));
        }
        json_array_append_new(all, j);
    }
    return all;
}

json_t *monitor_json(struct monitor *m)
{
    pthread_mutex_lock(&m->lock);
    json_t *gpus = json_array();
    for (int i = 0; i < m->gpu_count; i++)
        json_array_append_new(gpus, gpu_json(&m->gpus[i]));
    json_t *j = json_pack("{s:s, s:i, s:s, s:I, s:f, s:o}", "ridge", RIDGE_VERSION, "schema", 1,
                          "time", m->sampled, "samples", (json_int_t)m->samples, "interval_s",
                          m->options.interval_s, "gpus", gpus);
    json_object_set_new(j, "canaries", canaries_json(m));
    json_object_set_new(j, "alerts", alerts_json(&m->alerts));
    pthread_mutex_unlock(&m->lock);
    return j;
}

/* ---- history --------------------------------------------------------------------------------------- */

static json_t *series_json(const struct ring *r)
{
    static const double steps = 1000; // as fine as a chart shows
    double values[HISTORY_MAX];
    json_t *j = json_array();
    int count = ring_newest(r, HISTORY_MAX, values);
    for (int i = 0; i < count; i++)
        json_array_append_new(j, number(round(values[i] * steps) / steps));
    return j;
}

json_t *monitor_history_json(struct monitor *m)
{
    json_t *gpus = json_array();
    pthread_mutex_lock(&m->lock);
    for (int k = 0; k < m->gpu_count; k++) {
        const struct monitor_gpu *g = &m->gpus[k];
        json_t *series = json_array();
        for (int i = 0; i < metric_row_count(); i++) {
            const struct metric_row *row = metric_row(i);
            if (row->title)
                json_array_append_new(series,
                                      json_pack("{s:s, s:s, s:o}", "figure",
                                                telemetry_field_info(row->figure)->name, "title",
                                                row->title, "shares", series_json(&g->history[i])));
        }
        json_array_append_new(gpus, json_pack("{s:i, s:o, s:o}", "index", g->chip->index, "uuid",
                                              words(g->chip->uuid), "series", series));
    }
    json_t *j = json_pack("{s:i, s:s, s:f, s:o}", "schema", 1, "time", m->sampled, "interval_s",
                          m->options.interval_s, "gpus", gpus);
    pthread_mutex_unlock(&m->lock);
    return j;
}
