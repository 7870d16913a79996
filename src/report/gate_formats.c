// A gate's verdicts for pull requests: GitHub's workflow commands, and a Markdown comment that stays short.
// SPDX-License-Identifier: Apache-2.0
#include "report/gate.h"

#include <string.h>

static const char *entry_name(struct arena *a, const struct gate_entry *e)
{
    struct text name = {0};
    gate_name(e, &name);
    const char *copy = arena_strdup(a, text_str(&name));
    text_release(&name);
    return copy;
}

/* ---- GitHub annotations ------------------------------------------------------------------------------ */

// Of a workflow command: what would end it is written by its number; in properties also what divides them.
static void add_command_text(struct text *out, const char *s, bool property)
{
    for (; *s; s++) {
        bool special = strchr("%\r\n", *s) || (property && strchr(":,", *s));
        text_printf(out, special ? "%%%02X" : "%c", (unsigned)(unsigned char)*s);
    }
}

static const char *annotation_level(enum gate_verdict v)
{
    return gate_verdict_fails(v) ? "error" : v == GATE_NOISY ? "warning" : "notice";
}

static void github_close(const struct suite_view *v, const struct report_out *o)
{
    struct arena a = {0};
    (void)v;
    for (int i = 0; i < o->gate->count; i++) {
        const struct gate_entry *e = &o->gate->entries[i];
        if (e->verdict == GATE_UNCHANGED)
            continue;
        text_printf(o->text, "::%s ", annotation_level(e->verdict));
        if (e->file) {
            text_add(o->text, "file=");
            add_command_text(o->text, e->file, true);
            text_printf(o->text, ",line=%d,", e->line);
        }
        text_add(o->text, "title=");
        add_command_text(
            o->text, arena_printf(&a, "%s: %s", gate_verdict_name(e->verdict), entry_name(&a, e)),
            true);
        text_add(o->text, "::");
        add_command_text(o->text, e->why ? e->why : gate_verdict_meaning(e->verdict), false);
        text_add(o->text, "\n");
    }
    arena_release(&a);
}

const struct report_writer report_gate_github = {.close = github_close};

/* ---- Markdown ---------------------------------------------------------------------------------------------- */

static void markdown_row(struct arena *a, const struct gate_entry *e, struct text *out)
{
    text_printf(out, "| %s | ", gate_verdict_name(e->verdict));
    add_markdown(out, entry_name(a, e));
    text_add(out, " | ");
    add_markdown(out, e->file ? arena_printf(a, "%s:%d", e->file, e->line) : "");
    text_add(out, " | ");
    add_markdown(out, e->why ? e->why : "");
    text_add(out, " |\n");
}

static void markdown_close(const struct suite_view *v, const struct report_out *o)
{
    enum { ROWS_MAX = 20 };
    struct arena a = {0};
    const struct gate_report *g = o->gate;
    int rows = 0, changed = g->count - g->counts[GATE_UNCHANGED];
    (void)v;
    text_printf(o->text, "**ridge gate %s**: %s, against ", gate_passed(g) ? "passed" : "failed",
                gate_counts(&a, g));
    add_markdown(o->text, show_text(g->baseline));
    text_add(o->text, "\n");
    if (changed > 0)
        text_add(o->text, "\n| verdict | result | place | why |\n|---|---|---|---|\n");
    for (int i = 0; i < g->count && rows < ROWS_MAX; i++)
        if (g->entries[i].verdict != GATE_UNCHANGED) {
            markdown_row(&a, &g->entries[i], o->text);
            rows++;
        }
    if (changed > rows)
        text_printf(o->text, "\n%d more: `ridge gate` shows them.\n", changed - rows);
    arena_release(&a);
}

const struct report_writer report_gate_markdown = {.close = markdown_close};
