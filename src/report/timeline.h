// report: what GPUs did for a program (capture/timeline.h).
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_REPORT_TIMELINE_H
#define RIDGE_REPORT_TIMELINE_H

#include "capture/timeline.h"
#include "report/report.h"

// Without `verbose` the first rows of each table.
void report_timeline(const struct timeline *t, const struct timeline_summary *s,
                     const struct report_style *style, struct text *out);
json_t *report_timeline_json(const struct timeline *t,
                             const struct timeline_summary *s); // a new reference
// A page that holds everything itself, below 500 kB: streams over time, ranges, tables.
bool report_timeline_html(const struct timeline *t, const struct timeline_summary *s,
                          struct text *out, struct error *err) CHECK_RESULT;
// Of launches that were counted all and timed in part.
void report_counted(const struct timeline *t, const struct estimates *s,
                    const struct report_style *style, struct text *out);
json_t *report_counted_json(const struct timeline *t, const struct estimates *s);
// Chrome's trace format, which Perfetto reads: a track per process, GPU and stream.
void report_timeline_trace(const struct timeline *t, struct text *out);

#endif
