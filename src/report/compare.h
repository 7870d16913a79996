// Two runs side by side: what the writers of a comparison share. The pairs are in report.h.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_REPORT_COMPARE_H
#define RIDGE_REPORT_COMPARE_H

#include "report/internal.h"

// The figures of a result, in one list: the time (0), the counters, the derived counters.
enum { FIGURE_COUNT = 1 + COUNTER_COUNT + DERIVED_COUNT };
struct change {
    const char *name; // "time_ns", "dram_read_bytes" …
    struct figure before, after;
    enum provenance weaker; // of the two
    double percent;         // NAN where one is absent or the first is 0
};
// false: neither side has it.
bool pair_change(const struct run_pair *p, int figure, struct change *out);
// By 1 % or more, or there on one side only.
bool change_is_real(const struct change *c);
// The next counter after figure *i that really changed; start with 0, the time. false: no more.
bool pair_next_counter(const struct run_pair *p, int *i, struct change *out);
const char *show_change(const struct change *c, char out[CELL_SIZE]); // "+12.3 %"
// "1.234x (1.200 to 1.250), faster", or why it was not judged.
const char *show_judgement(const struct run_pair *p, char out[CELL_SIZE]);
// "1.200 to 1.250"; "no samples" where the times do not vary; "-" where they are not judged.
const char *show_interval(const struct run_pair *p, char out[CELL_SIZE]);
const char *pair_verdict(const struct run_pair *p); // "faster" …, "not judged"
const char *pair_class(const struct run_pair *p);   // of the page: "good", "bad", "even"

// Findings that promise a gain on one side only. Figures in their titles do not distinguish them.
struct finding_change {
    const struct result *result;
    const struct finding *finding;
    bool is_new;
};
// The n-th of the pair's, gone ones first; false: there are no more.
bool pair_finding(const struct run_pair *p, int n, struct finding_change *out);
// What run `before` said of the same expectation, or NULL if it did not judge it.
const struct expectation_result *expectation_before(const struct run_pair *p,
                                                    const struct expectation_result *e);

struct verdict_counts {
    int faster, slower, same, unjudged;
};
struct verdict_counts comparison_counts(const struct run_comparison *c);
// "2 faster, 1 slower, 3 no difference, 1 not judged"
const char *show_counts(const struct run_comparison *c, char out[CELL_SIZE]);
// What differs besides the code, each as a sentence; NULL at the end.
const char *const *comparison_warnings(struct arena *a, const struct run_comparison *c);
const char *run_line(struct arena *a, const struct run *r); // "run 3, NVIDIA H200 (cuda:0), …"
const char *pair_name(struct arena *a, const struct run_pair *p);
bool first_pair_of_case(const struct run_comparison *c, int index);

// Tests, intervals and spread of both sides (compare_stats.c); nothing, or null, where a side is not measured or has too
// few blocks.
void add_pair_statistics(const struct run_pair *p, struct text *out);
json_t *pair_statistics_json(const struct run_pair *p); // new reference

// One fact per line, for a plain style.
void add_plain_figures(const struct run_pair *p, bool only_changed, struct text *out);

#endif
