// The rounds over the GPUs: what each reports, what has changed since the last round, and its history.
// SPDX-License-Identifier: Apache-2.0
#include "monitor/alerts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double interval_default_s = 1, xid_clear_default_s = 900;

/* ---- opening ---------------------------------------------------------------------------------------- */

bool monitor_open(const struct monitor_options *options, struct monitor **out, struct error *err)
{
    struct monitor *m = xcalloc(1, sizeof *m);
    struct telemetry_chip *chips = NULL;
    *out = NULL;
    m->options = *options;
    if (!(m->options.interval_s > 0))
        m->options.interval_s = interval_default_s;
    if (!(m->options.xid_clear_s > 0))
        m->options.xid_clear_s = xid_clear_default_s;
    pthread_mutex_init(&m->lock, NULL);
    if (!options->no_gpus && !telemetry_chips(&m->arena, &chips, &m->gpu_count, err)) {
        monitor_close(m);
        return error_context(err, "a monitor needs a GPU that its driver's library reports");
    }
    m->gpus = xcalloc((size_t)m->gpu_count + 1, sizeof *m->gpus);
    for (int i = 0; i < m->gpu_count; i++) {
        struct monitor_gpu *g = &m->gpus[i];
        struct error ignored = {0};
        g->chip = &chips[i];
        g->history = xcalloc((size_t)metric_row_count(), sizeof *g->history);
        g->anomalies = xcalloc(ANOMALY_COUNT, sizeof *g->anomalies);
        anomalies_init(g->anomalies);
        telemetry_sample_clear(&g->now);
        if (!telemetry_open_chip(g->chip, &g->telemetry, &ignored))
            g->now.lost = true;
    }
    *out = m;
    return true;
}

void monitor_close(struct monitor *m)
{
    if (!m)
        return;
    for (int i = 0; m->gpus && i < m->gpu_count; i++) {
        telemetry_close(m->gpus[i].telemetry);
        free(m->gpus[i].history);
        free(m->gpus[i].anomalies);
    }
    free(m->gpus);
    free(m->canaries);
    pthread_mutex_destroy(&m->lock);
    arena_release(&m->arena);
    free(m);
}

/* ---- a round ------------------------------------------------------------------------------------------ */

static void ring_add(struct ring *r, double value)
{
    r->values[r->next] = (float)value;
    r->next = (r->next + 1) % HISTORY_MAX;
    r->count += r->count < HISTORY_MAX;
}

int ring_newest(const struct ring *r, int want, double *out)
{
    int count = r->count < want ? r->count : want;
    for (int i = 0; i < count; i++)
        out[i] = (double)r->values[(r->next - count + i + HISTORY_MAX) % HISTORY_MAX];
    return count;
}

// The name of a process, as far as this machine's /proc knows its number (a container's may not).
static void command_read(unsigned pid, char out[COMMAND_BYTES])
{
    char path[COMMAND_BYTES];
    out[0] = '\0';
    (void)snprintf(path, sizeof path, "/proc/%u/comm", pid);
    FILE *f = fopen(path, "re");
    if (!f)
        return;
    if (!fgets(out, COMMAND_BYTES, f))
        out[0] = '\0';
    out[strcspn(out, "\n")] = '\0';
    (void)fclose(f);
}

// The driver counts from anew: it was loaded again, or the GPU was reset.
static bool was_reset(struct monitor_gpu *g)
{
    double now_j = g->now.value[TELEMETRY_energy_j];
    bool reset = now_j < g->energy_j;
    if (!isnan(now_j))
        g->energy_j = now_j;
    return reset;
}

struct clearing { // what an XID that is over is reported with
    struct monitor *m;
    const struct monitor_gpu *g;
};

static void xid_name(unsigned number, char out[ALERT_NAME_BYTES])
{
    (void)snprintf(out, ALERT_NAME_BYTES, "%u", number);
}

static void xid_is_over(void *context, const struct xid_seen *x)
{
    const struct clearing *c = context;
    char name[ALERT_NAME_BYTES];
    xid_name(x->number, name);
    alert_raise(c->m, c->g, ALERT_XID, true, name, "%s; last %s", xid_info(x->number).meaning,
                x->last);
}

static void xids_take(struct monitor *m, struct monitor_gpu *g)
{
    struct clearing c = {m, g};
    char name[ALERT_NAME_BYTES];
    xid_clear(&g->xids, m->sampled_ns, m->options.xid_clear_s, was_reset(g), xid_is_over, &c);
    for (int i = 0; i < g->now.xid_count; i++) {
        struct xid_seen *x = xid_arrived(&g->xids, g->now.xids[i], m->sampled_ns, m->sampled);
        xid_name(x->number, name);
        if (!x->told)
            alert_raise(m, g, ALERT_XID, false, name, "%s", xid_info(x->number).meaning);
        x->told = true;
    }
}

// One that comes and goes is reported once: it is over when it was not seen for a minute.
static void conditions_take(struct monitor *m, struct monitor_gpu *g)
{
    static const double over_s = 60;
    g->conditions = conditions_find(g);
    for (unsigned i = 0; i < CONDITION_COUNT; i++) {
        const struct condition_info *c = condition_info((enum condition_id)i);
        bool now = g->conditions >> i & 1U, raised = g->raised >> i & 1U;
        if (now)
            g->condition_ns[i] = m->sampled_ns;
        bool over =
            raised && (double)(m->sampled_ns - g->condition_ns[i]) >= over_s * monitor_ns_per_s;
        if (!(now && !raised) && !over)
            continue;
        g->raised ^= 1U << i;
        alert_raise(m, g, ALERT_CONDITION, over, c->name, "%s: %s%s%s", status_name(c->severity),
                    c->words, over ? "" : "; ", over ? "" : c->remedy);
    }
}

// Under the lock: what the sample adds to what is known.
static void gpu_take(struct monitor *m, struct monitor_gpu *g, const struct telemetry_sample *fresh)
{
    g->now = *fresh;
    g->reasons_seen |= fresh->reasons;
    for (int i = 0; i < g->now.process_count && i < TELEMETRY_PROCESSES_MAX; i++)
        command_read(g->now.processes[i].pid, g->commands[i]);
    for (unsigned i = 0; i < TELEMETRY_LINKS_MAX; i++)
        g->links_up |= (g->now.links[i].up ? 1U : 0U) << i;
    xids_take(m, g);
    conditions_take(m, g);
    anomalies_sample(m, g, m->sampled_ns, (int64_t)time(NULL));
    for (int i = 0; i < metric_row_count(); i++)
        if (metric_row(i)->full != FULL_NONE)
            ring_add(&g->history[i], metric_share(metric_row(i), &g->now));
}

void monitor_sample(struct monitor *m, uint64_t now_ns)
{
    uint64_t began_ns = clock_ns();
    struct telemetry_sample *fresh = xcalloc((size_t)m->gpu_count + 1, sizeof *fresh);
    for (int i = 0; i < m->gpu_count; i++) { // without the lock: a driver may take its time
        telemetry_sample_clear(&fresh[i]);
        fresh[i].lost = true;
        if (m->gpus[i].telemetry)
            telemetry_sample_read(m->gpus[i].telemetry, &fresh[i]);
    }
    pthread_mutex_lock(&m->lock);
    if (m->samples++ == 0)
        m->began_ns = now_ns;
    m->sampled_ns = now_ns;
    time_utc_iso(m->sampled);
    for (int i = 0; i < m->gpu_count; i++)
        gpu_take(m, &m->gpus[i], &fresh[i]);
    m->sample_s = (double)(clock_ns() - began_ns) / monitor_ns_per_s;
    pthread_mutex_unlock(&m->lock);
    free(fresh);
}

uint64_t monitor_samples(struct monitor *m)
{
    pthread_mutex_lock(&m->lock);
    uint64_t samples = m->samples;
    pthread_mutex_unlock(&m->lock);
    return samples;
}

bool monitor_is_fresh(struct monitor *m, uint64_t now_ns)
{
    static const double intervals = 5, least_s = 10;
    pthread_mutex_lock(&m->lock);
    double age_s = ((double)now_ns - (double)m->sampled_ns) / monitor_ns_per_s;
    bool fresh = m->samples > 0 && age_s < fmax(least_s, intervals * m->options.interval_s);
    pthread_mutex_unlock(&m->lock);
    return fresh;
}

void monitor_served(struct monitor *m, const struct serve_figures *now)
{
    pthread_mutex_lock(&m->lock);
    m->serves = true;
    m->served = *now;
    pthread_mutex_unlock(&m->lock);
}

/* ---- words ----------------------------------------------------------------------------------------------- */

bool duration_parse(const char *text, double *seconds)
{
    static const struct {
        const char *unit;
        double seconds;
    } units[] = {{"ms", 1e-3}, {"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}, {"", 1}};
    char number[COMMAND_BYTES];
    for (size_t i = 0; i < COUNT_OF(units); i++) {
        size_t length = strlen(text), unit = strlen(units[i].unit);
        if (!str_ends_with(text, units[i].unit) || length - unit >= sizeof number)
            continue;
        memcpy(number, text, length - unit);
        number[length - unit] = '\0';
        if (!str_to_double(number, seconds))
            continue;
        *seconds *= units[i].seconds;
        return isfinite(*seconds) && *seconds > 0;
    }
    return false;
}
