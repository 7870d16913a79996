// What the writers of gates share.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_REPORT_GATE_H
#define RIDGE_REPORT_GATE_H

#include "report/walk.h"

#define REPORT_FORMAT(id, name, of, writer, meaning) extern const struct report_writer writer;
#include "report/formats.def"
#undef REPORT_FORMAT

void gate_name(const struct gate_entry *e, struct text *out);          // "scan N=4096 tiled"
const char *gate_counts(struct arena *a, const struct gate_report *g); // "1 regressed, 3 unchanged"
const char *gate_line_words(struct arena *a, const struct gate_change *c); // of its place

#endif
