// The metrics of metrics.def as points: a value and its labels. The scrape walks them; a family's points lie together.
// SPDX-License-Identifier: Apache-2.0
#include "monitor/alerts.h"

#include <math.h>
#include <stdio.h>

const struct family_info *family_info(enum metric_family family)
{
    static const struct family_info table[] = {
#define FAMILY(name, kind, unit, source, otel, help) {#name, unit, otel, help, TELEMETRY_##kind},
#define OWN_FAMILY FAMILY
#define METRIC(figure, family, label, value, factor, title, full)
#include "monitor/metrics.def"
#undef METRIC
#undef OWN_FAMILY
#undef FAMILY
    };
    return &table[family];
}

#define FULL(figure) TELEMETRY_##figure
static const struct metric_row rows[] = {
#define FAMILY(name, kind, unit, source, otel, help)
#define OWN_FAMILY FAMILY
#define METRIC(figure, family, label, value, factor, title, full) \
    {TELEMETRY_##figure, FAMILY_##family, label, value, title, factor, full},
#include "monitor/metrics.def"
#undef METRIC
#undef OWN_FAMILY
#undef FAMILY
};
#undef FULL

int metric_row_count(void)
{
    return (int)COUNT_OF(rows);
}

const struct metric_row *metric_row(int index)
{
    return index < (int)COUNT_OF(rows) ? &rows[index] : NULL;
}

double metric_share(const struct metric_row *row, const struct telemetry_sample *s)
{
    static const double percent = 100;
    double full = row->full == FULL_100 ? percent
                  : row->full >= 0      ? s->value[row->full]
                                        : (double)NAN;
    return full > 0 ? s->value[row->figure] / full : (double)NAN;
}

/* ---- points ------------------------------------------------------------------------------------------- */

struct walk {
    const struct monitor *m;
    const struct monitor_gpu *g; // NULL: of the monitor itself
    enum metric_family family;
    metric_sink sink;
    void *context;
};

// With the labels that each of the GPU's points has, and up to two pairs of its own.
static void emit(const struct walk *w, const char *name, const char *value, const char *name2,
                 const char *value2, double figure)
{
    struct metric_point p = {.value = figure};
    char index[16];
    if (isnan(figure))
        return;
    if (w->g) {
        (void)snprintf(index, sizeof index, "%d", w->g->chip->index);
        p.labels[p.label_count++] = (struct metric_label){"hw_id", w->g->chip->uuid};
        p.labels[p.label_count++] = (struct metric_label){"hw_type", "gpu"};
        p.labels[p.label_count++] = (struct metric_label){"gpu", index};
    }
    if (name)
        p.labels[p.label_count++] = (struct metric_label){name, value};
    if (name2)
        p.labels[p.label_count++] = (struct metric_label){name2, value2};
    w->sink(w->context, &p);
}

static void emit_figures(const struct walk *w)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (rows[i].family == w->family)
            emit(w, rows[i].label, rows[i].label_value, NULL, NULL,
                 w->g->now.value[rows[i].figure] * rows[i].factor);
}

static void emit_memory_share(const struct walk *w)
{
    emit(w, NULL, NULL, NULL, NULL,
         w->g->now.value[TELEMETRY_memory_used_bytes] /
             w->g->now.value[TELEMETRY_memory_total_bytes]);
}

static void emit_status(const struct walk *w)
{
    for (int i = 0; i < STATUS_COUNT; i++)
        emit(w, "hw_state", status_name((enum gpu_status)i), NULL, NULL,
             gpu_status(w->g) == (enum gpu_status)i);
}

static void emit_info(const struct walk *w)
{
    const struct telemetry_chip *c = w->g->chip;
    struct metric_point p = {.value = 1};
    const struct metric_label labels[] = {{"hw_id", c->uuid},
                                          {"hw_type", "gpu"},
                                          {"hw_name", c->name},
                                          {"hw_driver_version", c->driver},
                                          {"pci_bus_id", c->bus_id}};
    for (size_t i = 0; i < COUNT_OF(labels); i++)
        p.labels[p.label_count++] = labels[i];
    w->sink(w->context, &p);
}

static void emit_reasons(const struct walk *w)
{
    for (unsigned i = 0; w->g->now.reasons_known && i < REASON_COUNT; i++)
        emit(w, "reason", telemetry_reason_info((enum telemetry_reason)i)->name, NULL, NULL,
             w->g->now.reasons >> i & 1U);
}

static void emit_links(const struct walk *w)
{
    char index[16];
    for (int i = 0; i < TELEMETRY_LINKS_MAX; i++) {
        (void)snprintf(index, sizeof index, "%d", i);
        if (w->g->now.links[i].known)
            emit(w, "link", index, NULL, NULL, w->g->now.links[i].up);
    }
}

static void emit_link_errors(const struct walk *w)
{
    static const char *const names[] = {
        [LINK_REPLAY] = "replay", [LINK_RECOVERY] = "recovery", [LINK_CRC] = "crc"};
    char index[16];
    for (int i = 0; i < TELEMETRY_LINKS_MAX; i++) {
        (void)snprintf(index, sizeof index, "%d", i);
        for (int e = 0; e < LINK_ERROR_COUNT; e++)
            emit(w, "link", index, "error_type", names[e], w->g->now.links[i].errors[e]);
    }
}

static void emit_processes(const struct walk *w)
{
    if (w->g->now.processes_known)
        emit(w, NULL, NULL, NULL, NULL, w->g->now.process_count);
}

static void emit_xid_log(const struct walk *w, bool active)
{
    char number[16];
    for (int i = 0; i < w->g->xids.count; i++) {
        const struct xid_seen *x = &w->g->xids.seen[i];
        (void)snprintf(number, sizeof number, "%u", x->number);
        emit(w, "xid", number, NULL, NULL, active ? (double)x->active : (double)x->count);
    }
}

static void emit_xids(const struct walk *w)
{
    emit_xid_log(w, false);
}

static void emit_xids_active(const struct walk *w)
{
    emit_xid_log(w, true);
}

static void emit_conditions(const struct walk *w)
{
    for (unsigned i = 0; i < CONDITION_COUNT; i++)
        emit(w, "condition", condition_info((enum condition_id)i)->name, NULL, NULL,
             w->g->conditions >> i & 1U);
}

static void emit_version(const struct walk *w)
{
    emit(w, "version", RIDGE_VERSION, NULL, NULL, 1);
}

static void emit_samples(const struct walk *w)
{
    emit(w, NULL, NULL, NULL, NULL, (double)w->m->samples);
}

static void emit_sample_time(const struct walk *w)
{
    emit(w, NULL, NULL, NULL, NULL, w->m->sample_s);
}

/* ---- the canary ------------------------------------------------------------------------------------------ */

// With the labels of its GPU, where it has one: the i-th canary is the i-th GPU's.
static struct walk canary_walk(const struct walk *w, int i)
{
    struct walk own = *w;
    own.g = w->m->gpu_count ? &w->m->gpus[i] : NULL;
    return own;
}

static void emit_canary(const struct walk *w, double (*figure)(const struct canary_record *r))
{
    for (int i = 0; i < w->m->canary_count; i++) {
        const struct canary_record *r = &w->m->canaries[i];
        const struct walk own = canary_walk(w, i);
        if (r->known)
            emit(&own, "experiment", r->experiment, "variant", r->variant, figure(r));
    }
}

static double figure_time(const struct canary_record *r)
{
    return r->now_ns / monitor_ns_per_s;
}

static double figure_healthy(const struct canary_record *r)
{
    return r->healthy_ns / monitor_ns_per_s;
}

static double figure_gap(const struct canary_record *r)
{
    return r->verdict.gap;
}

static void emit_canary_time(const struct walk *w)
{
    emit_canary(w, figure_time);
}

static void emit_canary_healthy(const struct walk *w)
{
    emit_canary(w, figure_healthy);
}

static void emit_canary_gap(const struct walk *w)
{
    emit_canary(w, figure_gap);
}

static void emit_canary_cause(const struct walk *w)
{
    for (int i = 0; i < w->m->canary_count; i++) {
        const struct canary_record *r = &w->m->canaries[i];
        const struct walk own = canary_walk(w, i);
        for (int cause = 0; r->known && cause < CAUSE_COUNT; cause++)
            emit(&own, "cause", canary_cause_name((enum canary_cause)cause), NULL, NULL,
                 r->verdict.cause == (enum canary_cause)cause);
    }
}

static void emit_canary_tries(const struct walk *w)
{
    for (int i = 0; i < w->m->canary_count; i++) {
        const struct canary_record *r = &w->m->canaries[i];
        const struct walk own = canary_walk(w, i);
        emit(&own, "result", "ran", NULL, NULL, (double)r->runs);
        emit(&own, "result", "skipped", NULL, NULL, (double)r->skipped);
        emit(&own, "result", "failed", NULL, NULL, (double)r->failed);
    }
}

/* ---- the monitor itself ------------------------------------------------------------------------------------ */

static void emit_alerts(const struct walk *w)
{
    for (int i = 0; i < ALERT_KIND_COUNT; i++)
        emit(w, "kind", alert_kind_name((enum alert_kind)i), NULL, NULL,
             (double)w->m->alerts.of_kind[i]);
}

// Of the HTTP server, where there is one.
static void emit_served(const struct walk *w, double figure)
{
    emit(w, NULL, NULL, NULL, NULL, w->m->serves ? figure : (double)NAN);
}

static void emit_requests(const struct walk *w)
{
    emit_served(w, (double)w->m->served.requests);
}

static void emit_expired(const struct walk *w)
{
    emit_served(w, (double)w->m->served.expired);
}

static void emit_connections(const struct walk *w)
{
    emit_served(w, w->m->served.connections);
}

void points_each(const struct monitor *m, enum metric_family family, metric_sink sink,
                 void *context)
{
    static const struct {
        void (*emit)(const struct walk *w);
        bool own; // of the monitor, not of a GPU
    } sources[] = {
#define FAMILY(name, kind, unit, source, otel, help) {emit_##source, false},
#define OWN_FAMILY(name, kind, unit, source, otel, help) {emit_##source, true},
#define METRIC(figure, family, label, value, factor, title, full)
#include "monitor/metrics.def"
#undef METRIC
#undef OWN_FAMILY
#undef FAMILY
    };
    struct walk w = {.m = m, .family = family, .sink = sink, .context = context};
    if (sources[family].own)
        sources[family].emit(&w);
    for (int i = 0; !sources[family].own && i < m->gpu_count; i++) {
        w.g = &m->gpus[i];
        sources[family].emit(&w);
    }
}
