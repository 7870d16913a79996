// What the writers of a timeline share: its tables, and the tracks that work lies on. Private to report.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_REPORT_TIMELINE_PARTS_H
#define RIDGE_REPORT_TIMELINE_PARTS_H

#include "report/sheet.h"
#include "report/timeline.h"

struct timeline_tables {
    struct sheet devices, worth, kernels, moves, ranges, gaps;
};
// So many rows of the first kernels and ranges, and of what to work on next.
void timeline_tables_make(struct arena *a, const struct timeline *t,
                          const struct timeline_summary *s, int rows, int worth_rows,
                          struct timeline_tables *out);
const char *timeline_worth_words(struct arena *a,
                                 const struct timeline_summary *s); // what a share is
// What recording may have added, where that is more than 3 %; NULL: less.
const char *timeline_recording_words(struct arena *a, const struct timeline_summary *s);
// That work has no times; NULL: all has.
const char *timeline_timeless_words(struct arena *a, const struct watched_process *p);
// That launches of graphs were recorded as a whole; NULL: none was.
const char *timeline_graphs_words(struct arena *a, const struct timeline_summary *s);
// Why its floor is not known; NULL: it is, or nobody asked.
const char *timeline_no_floor_words(struct arena *a, const struct timeline *t,
                                    const struct kernel_sum *k);
// "GPU 0 NVIDIA H200"
const char *timeline_device_words(struct arena *a, const struct timeline *t, int index);

// What is missing of the recordings, and why.
void timeline_add_missing(struct arena *a, const struct timeline *t,
                          const struct report_style *style, struct text *out);
json_t *timeline_processes_json(const struct timeline *t);
json_t *timeline_troubles_json(const struct timeline *t);

struct track { // a stream of a GPU, of a process
    int process, device;
    uint64_t stream;
};
// Its index; added where it is new and there is room for `most`. most: there is none any more.
int timeline_track(struct track *tracks, int *count, int most, const struct work *w);

#endif
