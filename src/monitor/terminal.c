// The newest sample for a terminal: bars and history of each GPU, what is wrong, processes; and a line per GPU for a
// log.
// SPDX-License-Identifier: Apache-2.0
#include "monitor/internal.h"
#include "report/ink.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    TITLE_COLUMNS = 10,
    BAR_COLUMNS = 24,
    WORDS_COLUMNS = 26,
    CELL_BYTES = 64,
    SPARKS_MAX = 120
};

// Units that are written behind the figure: the last word of its name, and how it is written.
static const struct unit {
    const char *word, *shown;
} units[] = {{"bytes", ""}, {"pct", " %"}, {"w", " W"}, {"c", " C"}, {"mhz", " MHz"}, {"j", " J"}};

static const struct unit *unit_of(enum telemetry_field field)
{
    const char *end = strrchr(telemetry_field_info(field)->name, '_');
    for (size_t i = 0; end && i < COUNT_OF(units); i++)
        if (strcmp(end + 1, units[i].word) == 0)
            return &units[i];
    return NULL;
}

// "300 W", "45 C", "34.4 GB"; "-" where it is not known.
static const char *show_figure(enum telemetry_field field, double value, char out[CELL_BYTES])
{
    const struct unit *unit = unit_of(field);
    if (isnan(value))
        return "-";
    if (unit == &units[0])
        return format_bytes(value, out);
    (void)snprintf(out, CELL_BYTES, "%.0f%s", value, unit ? unit->shown : "");
    return out;
}

static void add_figure(const struct metric_row *row, const struct telemetry_sample *s,
                       char out[CELL_BYTES + CELL_BYTES])
{
    char value[CELL_BYTES], full[CELL_BYTES];
    bool beside = row->full >= 0 && !isnan(s->value[row->full]);
    (void)snprintf(out, CELL_BYTES + CELL_BYTES, "%s%s%s",
                   show_figure(row->figure, s->value[row->figure], value), beside ? " of " : "",
                   beside ? show_figure((enum telemetry_field)row->full, s->value[row->full], full)
                          : "");
}

static void add_bar(struct text *out, const struct report_style *style, double share)
{
    static const double hot = 0.9;
    int full = isnan(share) ? 0 : (int)lround(fmin(fmax(share, 0), 1) * BAR_COLUMNS);
    struct text bar = {0};
    add_repeat(&bar, style->unicode ? "█" : "#", (size_t)full);
    add_ink(out, style, share > hot ? INK_BOLD : INK_GREEN, text_str(&bar));
    add_repeat(out, style->unicode ? "░" : ".", (size_t)(BAR_COLUMNS - full));
    text_release(&bar);
}

static void add_history(struct text *out, const struct report_style *style, const struct ring *r)
{
    double values[SPARKS_MAX];
    int room = style->width - TITLE_COLUMNS - BAR_COLUMNS - WORDS_COLUMNS - 8;
    if (!style->unicode || room < 8)
        return;
    int count = ring_newest(r, room < SPARKS_MAX ? room : SPARKS_MAX, values);
    text_add(out, " ");
    add_sparkline(out, values, count, 0, 1);
}

static void add_bars(struct text *out, const struct report_style *style,
                     const struct monitor_gpu *g)
{
    char words[CELL_BYTES + CELL_BYTES];
    for (int i = 0; i < metric_row_count(); i++) {
        const struct metric_row *row = metric_row(i);
        if (!row->title || isnan(g->now.value[row->figure]))
            continue;
        add_figure(row, &g->now, words);
        text_add(out, "  ");
        add_cell(out, row->title, TITLE_COLUMNS, false);
        text_add(out, " ");
        add_bar(out, style, metric_share(row, &g->now));
        text_add(out, " ");
        add_cell(out, words, WORDS_COLUMNS, false);
        add_history(out, style, &g->history[i]);
        text_add(out, "\n");
    }
}

/* ---- links, errors, reasons ---------------------------------------------------------------------------- */

static void add_separator(struct text *out, size_t began)
{
    text_add(out, out->length > began ? "; " : "");
}

// "PCIe generation 5, 16 of 16 lanes; NVLink 18 of 18 up; …": what is known of it.
static void add_rest(struct text *out, const struct telemetry_sample *s)
{
    size_t began = out->length;
    const double *v = s->value;
    if (!isnan(v[TELEMETRY_pcie_generation]) && !isnan(v[TELEMETRY_pcie_width_lanes]))
        text_printf(out, "PCIe generation %.0f of %.0f, %.0f of %.0f lanes",
                    v[TELEMETRY_pcie_generation], v[TELEMETRY_pcie_generation_max],
                    v[TELEMETRY_pcie_width_lanes], v[TELEMETRY_pcie_width_max_lanes]);
    if (s->links_known) {
        int up = 0, all = 0;
        for (int i = 0; i < TELEMETRY_LINKS_MAX; i++) {
            up += s->links[i].up;
            all += s->links[i].known;
        }
        add_separator(out, began);
        text_printf(out, "NVLink %d of %d up", up, all);
    }
    if (!isnan(v[TELEMETRY_ecc_corrected_errors])) {
        add_separator(out, began);
        text_printf(out, "ECC %.0f corrected, %.0f uncorrected", v[TELEMETRY_ecc_corrected_errors],
                    v[TELEMETRY_ecc_uncorrected_errors]);
    }
    for (unsigned i = 0; i < REASON_COUNT; i++)
        if (s->reasons >> i & 1U) {
            add_separator(out, began);
            text_printf(out, "clocks: %s", telemetry_reason_info((enum telemetry_reason)i)->words);
        }
}

static void add_troubles(struct text *out, const struct report_style *style,
                         const struct monitor_gpu *g, const char *indent)
{
    char line[256];
    for (unsigned i = 0; i < CONDITION_COUNT; i++) {
        const struct condition_info *c = condition_info((enum condition_id)i);
        if (!(g->conditions >> i & 1U))
            continue;
        (void)snprintf(line, sizeof line, "%s%s: %s; %s\n", indent, status_name(c->severity),
                       c->words, c->remedy);
        add_ink(out, style, INK_RED, line);
    }
    for (int i = 0; i < g->xids.count; i++) {
        const struct xid_seen *x = &g->xids.seen[i];
        (void)snprintf(line, sizeof line, "%sXID %u, %llu time%s, last %s, %s: %s\n", indent,
                       x->number, (unsigned long long)x->count, plural((double)x->count), x->last,
                       x->active ? "active" : "over", xid_info(x->number).meaning);
        add_ink(out, style, x->active ? INK_RED : INK_NONE, line);
    }
}

/* ---- the page ------------------------------------------------------------------------------------------- */

static void add_gpu(struct text *out, const struct report_style *style, const struct monitor_gpu *g)
{
    char title[CELL_BYTES];
    enum gpu_status status = gpu_status(g);
    (void)snprintf(title, sizeof title, "GPU %d  %.40s", g->chip->index, g->chip->name);
    add_ink(out, style, INK_BOLD, title);
    text_add(out, "  ");
    add_ink(out, style, status == STATUS_OK ? INK_GREEN : INK_RED, status_name(status));
    text_printf(out, "  %s", g->chip->uuid);
    if (style->verbose)
        text_printf(out, "  %s, driver %s", g->chip->bus_id, g->chip->driver);
    text_add(out, "\n");
    add_bars(out, style, g);
    text_add(out, "  ");
    add_rest(out, &g->now);
    text_add(out, "\n");
    add_troubles(out, style, g, "  ");
    for (int i = 0; style->verbose && i < TELEMETRY_FIELD_COUNT; i++) {
        char value[CELL_BYTES];
        double now = g->now.value[i];
        text_printf(out, "  %-28s %12s  %s\n", telemetry_field_info((enum telemetry_field)i)->name,
                    isnan(now) ? "not reported" : show_figure((enum telemetry_field)i, now, value),
                    telemetry_field_info((enum telemetry_field)i)->meaning);
    }
}

static void add_processes(struct text *out, const struct report_style *style,
                          const struct monitor *m)
{
    char memory[CELL_BYTES];
    int all = 0;
    for (int k = 0; k < m->gpu_count; k++) {
        const struct monitor_gpu *g = &m->gpus[k];
        if (g->now.process_count > 0 && all == 0 && !style->plain)
            text_add(out, "\n  GPU       PID      memory  command\n");
        all += g->now.process_count;
        for (int i = 0; i < g->now.process_count && i < TELEMETRY_PROCESSES_MAX; i++) {
            const struct telemetry_process *p = &g->now.processes[i];
            text_printf(out,
                        style->plain ? "GPU %d process %u memory %s command %s\n"
                                     : "  %3d  %8u  %10s  %s\n",
                        g->chip->index, p->pid,
                        isnan(p->memory_bytes) ? "-" : format_bytes(p->memory_bytes, memory),
                        *g->commands[i] ? g->commands[i] : "-");
        }
        if (g->now.process_count > TELEMETRY_PROCESSES_MAX)
            text_printf(out, "  GPU %d has %d more\n", g->chip->index,
                        g->now.process_count - TELEMETRY_PROCESSES_MAX);
    }
}

// A fact per line.
static void add_plain(struct text *out, const struct report_style *style,
                      const struct monitor_gpu *g)
{
    char value[CELL_BYTES], name[CELL_BYTES];
    int index = g->chip->index;
    text_printf(out, "GPU %d name %s\nGPU %d uuid %s\nGPU %d status %s\n", index, g->chip->name,
                index, g->chip->uuid, index, status_name(gpu_status(g)));
    for (int i = 0; i < TELEMETRY_FIELD_COUNT; i++) {
        const char *field = telemetry_field_info((enum telemetry_field)i)->name;
        const struct unit *unit = unit_of((enum telemetry_field)i);
        size_t length = strlen(field) - (unit ? strlen(unit->word) + 1 : 0);
        (void)snprintf(name, sizeof name, "%.*s", (int)length, field);
        for (char *c = name; *c; c++)
            *c = *c == '_' ? ' ' : *c;
        if (!isnan(g->now.value[i]))
            text_printf(out, "GPU %d %s %s\n", index, name,
                        show_figure((enum telemetry_field)i, g->now.value[i], value));
    }
    (void)snprintf(name, sizeof name, "GPU %d ", index);
    add_troubles(out, style, g, name);
}

static void add_canaries(struct text *out, const struct monitor *m)
{
    for (int i = 0; i < m->canary_count; i++) {
        const struct canary_record *r = &m->canaries[i];
        if (*r->trouble || r->known)
            text_printf(out, "canary  %s\n", *r->trouble ? r->trouble : r->words);
        else if (r->skipped > 0)
            text_printf(out,
                        "canary  %s: not run yet, as the GPU was not idle (%llu time%s); "
                        "--canary-busy runs it anyway\n",
                        r->experiment, (unsigned long long)r->skipped, plural((int)r->skipped));
    }
}

void monitor_terminal(struct monitor *m, const struct report_style *style, struct text *out)
{
    pthread_mutex_lock(&m->lock);
    text_printf(out, "ridge monitor  %s  %d GPU%s, every %g s\n", m->sampled, m->gpu_count,
                plural(m->gpu_count), m->options.interval_s);
    for (int i = 0; i < m->gpu_count; i++)
        (style->plain ? add_plain : add_gpu)(out, style, &m->gpus[i]);
    add_canaries(out, m);
    add_processes(out, style, m);
    pthread_mutex_unlock(&m->lock);
}

void monitor_line(struct monitor *m, struct text *out)
{
    char words[CELL_BYTES + CELL_BYTES];
    pthread_mutex_lock(&m->lock);
    for (int k = 0; k < m->gpu_count; k++) {
        const struct monitor_gpu *g = &m->gpus[k];
        text_printf(out, "%s GPU %d %s", m->sampled, g->chip->index, status_name(gpu_status(g)));
        for (int i = 0; i < metric_row_count(); i++) {
            const struct metric_row *row = metric_row(i);
            if (!row->title || isnan(g->now.value[row->figure]))
                continue;
            add_figure(row, &g->now, words);
            text_printf(out, ", %s %s", row->title, words);
        }
        for (unsigned i = 0; i < CONDITION_COUNT; i++)
            if (g->conditions >> i & 1U)
                text_printf(out, ", %s", condition_info((enum condition_id)i)->name);
        text_add(out, "\n");
    }
    add_canaries(out, m);
    pthread_mutex_unlock(&m->lock);
}
