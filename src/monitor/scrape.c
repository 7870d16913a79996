// Metrics for a scrape: Prometheus' text format 0.0.4 and OpenMetrics 1.0.0, which differ in how counters are
// declared, in units and in the last line.
// SPDX-License-Identifier: Apache-2.0
#include "monitor/internal.h"

#include <string.h>

struct scrape {
    struct text *out;
    const struct family_info *family;
    enum scrape_format format;
    bool declared;
};

// Text of others within quotes; what is no UTF-8 or steers a terminal becomes an escape first.
static void add_label_value(struct text *out, const char *s)
{
    struct text shown = {0};
    text_add_shown(&shown, s, strlen(s));
    for (const char *c = text_str(&shown); *c; c++) {
        if (*c == '\\' || *c == '"')
            text_add(out, "\\");
        text_addn(out, *c == '\n' ? "\\n" : c, *c == '\n' ? 2 : 1);
    }
    text_release(&shown);
}

static const char *counter_end(const struct family_info *f)
{
    return f->kind == TELEMETRY_COUNTER ? "_total" : "";
}

static void declare(struct scrape *s)
{
    static const char *const kinds[] = {
        [TELEMETRY_GAUGE] = "gauge", [TELEMETRY_COUNTER] = "counter"};
    const struct family_info *f = s->family;
    const char *end = s->format == SCRAPE_PROMETHEUS ? counter_end(f) : "";
    text_printf(s->out, "# HELP %s%s %s%s%s%s\n", f->name, end, f->help, f->otel ? " (" : "",
                f->otel ? f->otel : "", f->otel ? ")" : "");
    text_printf(s->out, "# TYPE %s%s %s\n", f->name, end, kinds[f->kind]);
    if (s->format == SCRAPE_OPENMETRICS && *f->unit)
        text_printf(s->out, "# UNIT %s %s\n", f->name, f->unit);
    s->declared = true;
}

static void add_point(void *context, const struct metric_point *p)
{
    struct scrape *s = context;
    if (!s->declared)
        declare(s);
    text_printf(s->out, "%s%s", s->family->name, counter_end(s->family));
    for (int i = 0; i < p->label_count; i++) {
        text_printf(s->out, "%s%s=\"", i ? "," : "{", p->labels[i].name);
        add_label_value(s->out, p->labels[i].value);
        text_add(s->out, "\"");
    }
    text_printf(s->out, "%s %.15g\n", p->label_count ? "}" : "", p->value);
}

void monitor_scrape(struct monitor *m, enum scrape_format format, struct text *out)
{
    pthread_mutex_lock(&m->lock);
    for (int i = 0; i < FAMILY_COUNT; i++) {
        struct scrape s = {
            .out = out, .family = family_info((enum metric_family)i), .format = format};
        points_each(m, (enum metric_family)i, add_point, &s);
    }
    pthread_mutex_unlock(&m->lock);
    if (format == SCRAPE_OPENMETRICS)
        text_add(out, "# EOF\n");
}
