// A gate's verdicts for a terminal: what fails first, each with its place and its figures, then what is new,
// better or unclear; what is unchanged is a number.
// SPDX-License-Identifier: Apache-2.0
#include "report/gate.h"

#include <math.h>

void gate_name(const struct gate_entry *e, struct text *out)
{
    add_name(out, e->experiment);
    const char *const parts[] = {e->case_label, e->variant};
    for (size_t i = 0; i < COUNT_OF(parts); i++)
        if (parts[i] && *parts[i]) {
            text_add(out, " ");
            add_name(out, parts[i]);
        }
}

const char *gate_counts(struct arena *a, const struct gate_report *g)
{
    const char *list = "";
    for (int v = 0; v < GATE_VERDICT_COUNT; v++)
        if (g->counts[v] > 0)
            list = arena_printf(a, "%s%s%d %s", list, *list ? ", " : "", g->counts[v],
                                gate_verdict_name((enum gate_verdict)v));
    return *list ? list : "nothing judged";
}

const char *gate_line_words(struct arena *a, const struct gate_change *c)
{
    return c->line_before > 0 ? arena_printf(a, "%s of this line %.6g to %.6g", c->name,
                                             c->line_before, c->line_after)
                              : arena_printf(a, "%s: %.6g at this line, which is new or edited",
                                             c->name, c->line_after);
}

static enum ink ink_of(enum gate_verdict v)
{
    return gate_verdict_fails(v) ? INK_RED : v == GATE_IMPROVED ? INK_GREEN : INK_NONE;
}

static void add_entry(struct arena *a, const struct gate_entry *e, const struct report_style *style,
                      struct text *out)
{
    add_ink(out, style, ink_of(e->verdict), gate_verdict_name(e->verdict));
    text_add(out, ": ");
    gate_name(e, out);
    text_add(out, "\n");
    bool placed = false;
    for (int i = 0; i < e->change_count; i++) {
        const struct gate_change *c = &e->changes[i];
        if (!c->worse || !c->file)
            continue;
        placed = true;
        text_add(out, "  ");
        add_name(out, c->file);
        text_printf(out, ":%d: %s\n", c->line, gate_line_words(a, c));
    }
    if (!placed && e->file) {
        text_add(out, "  ");
        add_name(out, e->file);
        text_printf(out, ":%d\n", e->line);
    }
    if (e->why)
        add_message(out, style, 2, e->why);
}

static void gate_close(const struct suite_view *v, const struct report_out *o)
{
    struct arena a = {0};
    const struct gate_report *g = o->gate;
    (void)v;
    for (int i = 0; i < g->count; i++)
        if (g->entries[i].verdict != GATE_UNCHANGED || o->style->verbose)
            add_entry(&a, &g->entries[i], o->style, o->text);
    for (int i = 0; i < g->note_count; i++) {
        text_add(o->text, "note: ");
        add_message(o->text, o->style, 0, g->notes[i]);
    }
    for (int i = 0; i < g->property_count; i++)
        text_printf(o->text, "%s: %s\n", g->properties[i].name, g->properties[i].value);
    if (g->count > 0)
        text_printf(o->text, "gate %s against %s: %s\n", gate_passed(g) ? "passed" : "failed",
                    show_text(g->baseline), gate_counts(&a, g));
    arena_release(&a);
}

const struct report_writer report_gate_terminal = {.close = gate_close};
