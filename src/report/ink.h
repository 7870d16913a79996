// ink: colours and drawing of the writers for a terminal, for who writes such a page elsewhere. What is written goes
// out through report_show.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_REPORT_INK_H
#define RIDGE_REPORT_INK_H

#include "report/report.h"

enum ink { INK_NONE, INK_BOLD, INK_GREEN, INK_RED };
void add_ink(struct text *out, const struct report_style *style, enum ink ink, const char *s);
void add_repeat(struct text *out, const char *s, size_t times);
// Cuts to `columns`, marked with "~"; pads with spaces, to the left when `right`.
void add_cell(struct text *out, const char *s, size_t columns, bool right);
// A row of bars, a value each, from `low` (the shortest) to `high`; a value that is not finite is a blank.
void add_sparkline(struct text *out, const double *values, int count, double low, double high);

#endif
