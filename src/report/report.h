// report: one view model (struct run), several writers. Each writes to a struct text; cli prints.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_REPORT_H
#define RIDGE_REPORT_H

#include "base/base.h"
#include "diagnose/diagnose.h"
#include "experiment/experiment.h"
#include "gate/gate.h"
#include "gpu/gpu.h"
#include "record/record.h"

struct report_style {
    bool color;   // ANSI; chosen to read on dark and light
    bool unicode; // box and block characters; else ASCII
    bool plain;   // for a screen reader: one fact per line, nothing drawn or aligned
    int width;    // columns; at least 80
    bool verbose; // folded findings, all bounds, all expectations
};

// The writers below that take a style write marks where colours begin and end, and names as they were
// given: what they wrote goes to a person through here, the one door. Marks become ANSI; control
// characters, marks of direction and the like become escapes (text_add_shown).
void report_show(const struct text *t, struct text *out);
// Words wrapped at blanks to the style's width, each line indented by so many columns.
void report_wrapped(const char *s, size_t indent, const struct report_style *style,
                    struct text *out);
// Per case which variant is fastest, what holds it back and what comes next; the table, expectations,
// findings, a small roofline; at last the stop rule.
void report_terminal(const struct run *r, const struct report_style *style, struct text *out);
// One line of what goes on now, at most so many columns: share, variant, samples, interval, clock, time
// left; a bar where there is room.
void report_progress(const struct run_progress *p, int columns, struct text *out);
// Correctness only: a line per variant, and what is wrong.
void report_verify(const struct run *r, const struct report_style *style, struct text *out);
// The documentation template: per iteration hypothesis, implementation (diff), results, analysis.
// `experiment` may be NULL when the files are gone (then no diff, and it says so).
bool report_markdown(const struct run *r, const struct experiment *experiment, struct text *out,
                     struct error *err) CHECK_RESULT;
// Source with counters beside each line, for one result.
bool report_annotate(const struct run *r, const struct result *result,
                     const struct report_style *style, struct text *out,
                     struct error *err) CHECK_RESULT;
// Findings in full, for one result or all.
void report_explain(const struct run *r, const struct result *only,
                    const struct report_style *style, struct text *out);
// One self-contained page. Fails only if ridge's own style sheet or script is not installed.
bool report_html(const struct run *r, struct text *out, struct error *err) CHECK_RESULT;
// The roofline of a case as an SVG file of its own.
bool report_svg(const struct run *r, const char *case_label, struct text *out,
                struct error *err) CHECK_RESULT;
// One result under another launch shape or on another chip (diagnose_whatif).
void report_whatif(const struct result *r, const struct whatif_result *w, const struct gpu *before,
                   const struct gpu *after, const struct report_style *style, struct text *out);
// A replay with what was asked for taken away, beside the replay as it is.
void report_counterfactual(const struct result *r, const struct counterfactuals *c,
                           const char *asked, struct text *out);
void report_json(const struct run *r, struct text *out);

/* ---- one experiment on several devices ------------------------------------------------------------------ */

enum { REPORT_DEVICES_MAX = 9 };
// A run per device, with the same variants and cases: how the chips differ, the variants' figures below one another,
// and which variant each is best with. style NULL: as Markdown.
void report_devices(const struct run *runs, int count, const struct report_style *style,
                    struct text *out);
json_t *report_devices_json(const struct run *runs, int count); // a new reference

/* ---- several experiments as one --------------------------------------------------------------------- */

struct suite_run { // an experiment of a suite
    const char *experiment;
    const struct run *run;  // NULL: it could not be run …
    const char *error;      // … and why
    const struct run *last; // the run before it on the same device; NULL = none
};
struct suite_view {
    const char *name;
    bool alone; // no run before them was looked for
    struct suite_run *runs;
    int count;
};
// One table: correctness, number of samples, mean and deviation, median and its interval, and the verdict
// against the last run. Plain: a fact per line.
void report_suite(const struct suite_view *v, const struct report_style *style, struct text *out);
json_t *report_suite_json(const struct suite_view *v); // a new reference

/* ---- gates and the formats of others ------------------------------------------------------------------ */

enum report_of { REPORT_OF_GATE = 1, REPORT_OF_SUITE = 2, REPORT_OF_BOTH = 3 };
enum report_format { // report/formats.def
#define REPORT_FORMAT(id, name, of, writer, meaning) FORMAT_##id,
#include "report/formats.def"
#undef REPORT_FORMAT
    REPORT_FORMAT_COUNT
};
// of: a gate's, or a suite's.
bool report_format_find(const char *name, enum report_of of, enum report_format *out,
                        struct error *err) CHECK_RESULT;
// A suite's runs in that format; gate: what was judged of them, or NULL.
void report_format(enum report_format f, const struct suite_view *v, const struct gate_report *gate,
                   const struct report_style *style, struct text *out);
json_t *report_gate_json(const struct gate_report *g); // a new reference

/* ---- one figure over runs ------------------------------------------------------------------------------ */

struct history; // gate/history.h
void report_history(const struct history *series, int count, const struct report_style *style,
                    struct text *out);
json_t *report_history_json(const struct history *series, int count); // a new reference
bool report_history_html(const struct history *series, int count, struct text *out,
                         struct error *err) CHECK_RESULT;

/* ---- tuning -------------------------------------------------------------------------------------------- */

struct tuning; // tune/tune.h
void report_tuning(const struct tuning *t, const struct report_style *style, struct text *out);

/* ---- two runs --------------------------------------------------------------------------------------- */

struct run_pair { // the same variant and case of both, or the two that were named
    const struct result *before, *after;
    const char *unjudged;   // why the times are not judged; NULL: `time` holds
    struct comparison time; // ratio above 1: the second is faster
};
struct run_comparison { // arena-owned
    const struct run *before, *after;
    struct run_pair *pairs;
    int pair_count;
    const struct result **gone, **added; // of one run only, where no result was named
    int gone_count, added_count;
};
// only_*: NULL, or the one result of that run that counts.
void report_compare(struct arena *a, const struct run *before, const struct result *only_before,
                    const struct run *after, const struct result *only_after,
                    struct run_comparison *out);
// Every figure of every pair, and as JSON (a new reference).
void report_compare_figures(const struct run_comparison *c, const struct report_style *style,
                            struct text *out);
json_t *report_compare_json(const struct run_comparison *c);
// What changed: times with intervals and verdicts, counters, findings gone and new, hypotheses judged.
void report_compare_terminal(const struct run_comparison *c, const struct report_style *style,
                             struct text *out);
void report_compare_markdown(const struct run_comparison *c, struct text *out);
bool report_compare_html(const struct run_comparison *c, struct text *out,
                         struct error *err) CHECK_RESULT;

#endif
