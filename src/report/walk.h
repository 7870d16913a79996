// walk: the one walk over a run. A writer is a table of functions and of parts; the walk finds the
// cases, what answers the reader's three questions in each, and which results a part is about, and
// calls the writer. A writer says things; it never looks for them.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_REPORT_WALK_H
#define RIDGE_REPORT_WALK_H

#include "report/internal.h"

// What a writer writes to, and with what in hand.
struct report_out {
    struct text *text;
    const struct report_style *style;    // terminal and plain
    const struct experiment *experiment; // Markdown: its sources; NULL = gone
    const struct gate_report *gate;      // formats of gates: the judgement; NULL = none was made
};

// The three questions: which variant is best (by the run's objective) and is it right, what holds it back, what comes next
// and what is it worth. Sentences without markup; never empty.
enum answer { ANSWER_BEST, ANSWER_LIMIT, ANSWER_NEXT, ANSWER_COUNT };
struct report_case;
const char *answer_name(const struct report_case *c,
                        enum answer which); // "Fastest", "Limited by", "Next step"

struct report_case {
    const struct run *run;
    const char *label; // may be NULL or empty: the only case
    const struct result *const *results;
    int count;
    int number;                // of the case, from 0
    int of;                    // how many cases there are
    const struct result *best; // of our own, that ran and is not wrong, by the objective; or NULL
    // Whose first finding promises the shortest time of all, where that is not the fastest; or NULL.
    const struct result *promising;
    bool arithmetic; // its floor is the rate of arithmetic, not of device memory
    bool inexact;    // of a result's errors one is not 0
    const char *answers[ANSWER_COUNT];
};

struct report_part {
    bool (*has)(const struct result
                    *r); // the results it is about; without any it is left out. Optional: all
    void (*begin)(const struct report_case *c, const struct report_out *o);       // optional
    void (*each)(const struct report_case *c, int i, const struct report_out *o); // optional
    void (*end)(const struct report_case *c, const struct report_out *o);         // optional
    bool verbose; // only where the style is
};
struct report_writer {
    // Around all runs of a suite; optional.
    void (*open)(const struct suite_view *v, const struct report_out *o);
    void (*close)(const struct suite_view *v, const struct report_out *o);
    void (*begin)(const struct run *r, const struct report_out *o); // optional
    struct report_part overview; // on every case, before the first one's parts; optional
    bool overview_of_one;        // … even if there is but one
    const struct report_part *parts;
    int part_count;
    void (*end)(const struct run *r, const struct report_out *o); // optional
};
void report_walk(const struct run *r, const struct report_writer *w, const struct report_out *o);
// Every run of the suite between the writer's open and close.
void report_walk_suite(const struct suite_view *v, const struct report_writer *w,
                       const struct report_out *o);

// What `has` asks for.
bool has_time(const struct result *r);
bool has_bounds(const struct result *r);
bool has_counters(const struct result *r);
bool has_findings(const struct result *r);
bool has_lines(const struct result *r);
bool has_hypothesis(const struct result *r);
bool has_expectations(const struct result *r);
bool has_transfers(const struct result *r);
bool has_energy(const struct result *r);

// The case with that label; false: no result has it.
bool report_case_find(struct arena *a, const struct run *r, const char *label,
                      struct report_case *out);
// The part of the terminal's report that draws.
void roofline_begin(const struct report_case *c, const struct report_out *o);
// report_terminal of a plain style.
extern const struct report_writer report_plain;

// Fills c->answers. c has everything else.
void report_answer(struct arena *a, struct report_case *c);

#endif
