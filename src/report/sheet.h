// sheet: tables with headings and sentences, which are written for a terminal, a fact per line, or as Markdown. Private
// to report.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_REPORT_SHEET_H
#define RIDGE_REPORT_SHEET_H

#include "report/report.h"

enum { SHEET_COLUMNS_MAX = 10 };
struct sheet {
    struct arena *arena;
    const char *titles[SHEET_COLUMNS_MAX];
    bool right[SHEET_COLUMNS_MAX];
    int columns, count;
    const char **cells;
};
// Room for so many rows. A title that begins with ">" is of a column of numbers.
struct sheet sheet_make(struct arena *a, int columns, const char *const *titles, int rows);
const char **sheet_row(struct sheet *t); // the cells of the next row, to be filled

// style NULL: as Markdown.
void add_sheet(const struct sheet *t, const struct report_style *style, struct text *out);
void add_heading(const struct report_style *style, int level, const char *words, struct text *out);
void add_sentence(const struct report_style *style, const char *words, struct text *out);

#endif
