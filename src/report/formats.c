// Which writer a format is, and the JSON of a gate.
// SPDX-License-Identifier: Apache-2.0
#include "report/gate.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *name;
    enum report_of of;
    const struct report_writer *writer;
} formats[REPORT_FORMAT_COUNT] = {
#define REPORT_FORMAT(id, name, of, writer, meaning) {name, REPORT_OF_##of, &writer},
#include "report/formats.def"
#undef REPORT_FORMAT
};

bool report_format_find(const char *name, enum report_of of, enum report_format *out,
                        struct error *err)
{
    const char *names[REPORT_FORMAT_COUNT];
    size_t count = 0;
    struct text list = {0};
    for (int i = 0; i < REPORT_FORMAT_COUNT; i++) {
        if (!(formats[i].of & of))
            continue;
        names[count++] = formats[i].name;
        text_printf(&list, "%s%s", count > 1 ? ", " : "", formats[i].name);
        if (strcmp(name, formats[i].name) == 0) {
            *out = (enum report_format)i;
            text_release(&list);
            return true;
        }
    }
    const char *near = str_nearest(name, names, count);
    fail(err, NOWHERE, "there is no format '%s'%s%s%s; the formats are %s", name,
         near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "", text_str(&list));
    text_release(&list);
    return false;
}

void report_format(enum report_format f, const struct suite_view *v, const struct gate_report *gate,
                   const struct report_style *style, struct text *out)
{
    const struct report_out o = {.text = out, .style = style, .gate = gate};
    report_walk_suite(v, formats[f].writer, &o);
}

/* ---- JSON ------------------------------------------------------------------------------------------ */

static json_t *number_or_null(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *change_json(const struct gate_change *c)
{
    json_t *j = json_pack("{s:s, s:s, s:f, s:f, s:b}", "name", c->name, "unit", c->unit, "before",
                          c->before, "after", c->after, "worse", (int)c->worse);
    if (c->file)
        json_object_update_new(j, json_pack("{s:s, s:i, s:f, s:f}", "file", c->file, "line",
                                            c->line, "line_before", c->line_before, "line_after",
                                            c->line_after));
    return j;
}

static json_t *entry_json(const struct gate_entry *e)
{
    json_t *changes = json_array();
    for (int i = 0; i < e->change_count; i++)
        json_array_append_new(changes, change_json(&e->changes[i]));
    return json_pack("{s:s, s:s, s:s, s:s, s:b, s:s?, s:s?, s:i, s:o, s:o, s:o}", "experiment",
                     e->experiment, "case", show_text(e->case_label), "variant", e->variant,
                     "verdict", gate_verdict_name(e->verdict), "fails",
                     (int)gate_verdict_fails(e->verdict), "why", e->why, "file", e->file, "line",
                     e->line, "before_ns", number_or_null(e->before_ns), "after_ns",
                     number_or_null(e->after_ns), "changes", changes);
}

json_t *report_gate_json(const struct gate_report *g)
{
    json_t *entries = json_array(), *counts = json_object(), *notes = json_array(),
           *properties = json_object();
    for (int i = 0; i < g->count; i++)
        json_array_append_new(entries, entry_json(&g->entries[i]));
    for (int v = 0; v < GATE_VERDICT_COUNT; v++)
        json_object_set_new(counts, gate_verdict_name((enum gate_verdict)v),
                            json_integer(g->counts[v]));
    for (int i = 0; i < g->note_count; i++)
        json_array_append_new(notes, json_string(g->notes[i]));
    for (int i = 0; i < g->property_count; i++)
        json_object_set_new(properties, g->properties[i].name, json_string(g->properties[i].value));
    return json_pack("{s:s, s:i, s:s, s:s, s:b, s:o, s:o, s:o, s:o}", "ridge", RIDGE_VERSION,
                     "schema", RECORD_SCHEMA, "suite", show_text(g->suite), "baseline",
                     show_text(g->baseline), "passed", (int)gate_passed(g), "counts", counts,
                     "entries", entries, "notes", notes, "properties", properties);
}
