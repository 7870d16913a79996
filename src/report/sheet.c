// SPDX-License-Identifier: Apache-2.0
#include "report/sheet.h"
#include "report/internal.h"

struct sheet sheet_make(struct arena *a, int columns, const char *const *titles, int rows)
{
    struct sheet t = {.arena = a, .columns = columns};
    t.cells = ARENA_ARRAY(a, const char *, columns *rows + 1);
    for (int c = 0; c < columns; c++) {
        t.right[c] = titles[c][0] == '>';
        t.titles[c] = titles[c] + t.right[c];
    }
    return t;
}

const char **sheet_row(struct sheet *t)
{
    return &t->cells[t->columns * t->count++];
}

static void add_text_row(const struct sheet *t, const char *const *cells, const size_t *widths,
                         struct text *out)
{
    text_add(out, "  ");
    for (int c = 0; c < t->columns; c++) {
        if (c == t->columns - 1)
            add_name(out, cells[c]);
        else
            add_cell(out, cells[c], widths[c], t->right[c]);
        text_add(out, c == t->columns - 1 ? "\n" : "  ");
    }
}

static void add_text_table(const struct sheet *t, struct text *out)
{
    size_t widths[SHEET_COLUMNS_MAX];
    for (int c = 0; c < t->columns; c++) {
        widths[c] = text_columns(t->titles[c]);
        for (int r = 0; r < t->count; r++) {
            size_t width = text_columns(t->cells[r * t->columns + c]);
            widths[c] = width > widths[c] ? width : widths[c];
        }
    }
    add_text_row(t, t->titles, widths, out);
    for (int r = 0; r < t->count; r++)
        add_text_row(t, &t->cells[r * t->columns], widths, out);
}

static void add_facts(const struct sheet *t, struct text *out)
{
    for (int r = 0; r < t->count; r++)
        for (int c = 1; c < t->columns; c++) {
            const char *cell = t->cells[r * t->columns + c];
            if (!*cell)
                continue;
            add_name(out, t->cells[r * t->columns]);
            text_printf(out, ": %s ", t->titles[c]);
            add_name(out, cell);
            text_add(out, "\n");
        }
}

static void add_markdown_table(const struct sheet *t, struct text *out)
{
    for (int r = -2; r < t->count; r++) {
        for (int c = 0; c < t->columns; c++) {
            text_add(out, "| ");
            if (r == -1)
                text_add(out, t->right[c] ? "--:" : "---");
            else
                add_markdown(out, r == -2 ? t->titles[c] : t->cells[r * t->columns + c]);
            text_add(out, " ");
        }
        text_add(out, "|\n");
    }
}

void add_sheet(const struct sheet *t, const struct report_style *style, struct text *out)
{
    if (!style)
        add_markdown_table(t, out);
    else if (style->plain)
        add_facts(t, out);
    else
        add_text_table(t, out);
    text_add(out, "\n");
}

void add_heading(const struct report_style *style, int level, const char *words, struct text *out)
{
    if (style) {
        add_ink(out, style, INK_BOLD, words);
    } else {
        add_repeat(out, "#", (size_t)level);
        text_add(out, " ");
        add_markdown(out, words);
        text_add(out, "\n");
    }
    text_add(out, "\n");
}

void add_sentence(const struct report_style *style, const char *words, struct text *out)
{
    if (style) {
        add_wrapped(out, style, 0, words);
    } else {
        add_markdown(out, words);
        text_add(out, "\n");
    }
    text_add(out, "\n");
}
