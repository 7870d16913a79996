// report, inside: small formatting helpers that the writers share. Buffers hold CELL_SIZE bytes.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_REPORT_INTERNAL_H
#define RIDGE_REPORT_INTERNAL_H

#include "report/ink.h"
#include "report/report.h"

enum { CELL_SIZE = 96 };

// A value that is not finite is "-".
const char *show_fixed(double value, int decimals, char out[CELL_SIZE]);
const char *show_time(double ns, char out[CELL_SIZE]);
const char *show_bytes(double bytes, char out[CELL_SIZE]);
const char *show_energy(double mj, char out[CELL_SIZE]);
// "12.3 mJ per run, 345 W, 2.31 GB/s per W, measured by the energy counter", of a result that has_energy.
const char *energy_words(struct arena *a, const struct result *r);
const char *show_count(double value, char out[CELL_SIZE]);
const char *show_error(double value, char out[CELL_SIZE]); // of a comparison: two digits
const char *show_text(const char *s);                      // "-" for NULL

// ", a sample of 10 % of the blocks or what it takes" or "".
const char *show_sampling(const struct run_header *h, char out[CELL_SIZE]);

// Characters on the screen, of UTF-8.
size_t text_columns(const char *s);
void add_name(struct text *out,
              const char *s); // on the screen as it is, but for control characters
// Wraps at blanks to the style's width; further lines are indented.
void add_wrapped(struct text *out, const struct report_style *style, size_t indent, const char *s);

// A name or a sentence as text: on one line, what Markdown or HTML would take for itself escaped.
void add_markdown(struct text *out, const char *s);

// Text of others (a compiler, a kernel, a device): one line is wrapped, several keep their lines, so
// that carets stay where they point; control characters become '?'.
void add_message(struct text *out, const struct report_style *style, size_t indent, const char *s);

// NAN when absent.
double figure_number(struct figure f);
double counter_number(const struct result *r, enum counter_id id);
double derived_number(const struct result *r, enum derived_id id);
double result_time_ns(const struct result *r);
double result_gbps(const struct result *r);
double result_gflops(const struct result *r); // of the work
double result_floor_pct(const struct result *r);
double result_occupancy(const struct result *r, enum provenance *provenance);
double result_dram_bytes(const struct result *r);
// The provenance of the counters: of the first one there.
enum provenance result_counted(const struct result *r);
// The same of its lines, which a measured result has from the simulation on its side.
enum provenance result_lines_counted(const struct result *r);
// Percent of the time that the finding's fix would save; NAN if unknown.
double finding_gain_pct(const struct result *r, const struct finding *f);
// The nearest step that comes from r, in its case, and acted on the finding; by NULL: none did. run may be NULL.
struct taken {
    const struct result *by;
    int steps; // from r: 1 where `by` is its very next one
};
enum { TAKEN_STEPS_MAX = 2 }; // so many steps later others had more to do with it
struct taken finding_taken(const struct run *run, const struct result *r, const struct finding *f);
// What became of its patches, where they were simulated; false: none was.
bool say_trials(struct text *out, const struct result *r, const struct finding *f);
// "taken by both (with the steps before it): 38.7 us modelled, gain 37 %"; false: no step took it.
bool say_taken(struct text *out, const struct run *run, const struct result *r,
               const struct finding *f);
double taken_gain_pct(const struct result *r, const struct result *by); // percent of r's time
const char *verified_word(const struct result *r);

const struct result *find_result(const struct run *r, const char *variant, const char *label);
// The first finding not folded, or NULL.
const struct finding *top_finding(const struct result *r);
bool same_text(const char *a, const char *b); // NULL equals NULL
// The next row of a listing that stands at that line of the file; false: there is no other.
bool listing_find(const char **at, const char *file, int line, struct listing_row *row);
// True for the first result of its case.
bool first_of_case(const struct run *r, int index);

// How far the run's simulated figures were compared with hardware, all variants together, in one
// sentence; empty where nothing was simulated.
void add_run_fidelity(struct text *out, const struct run *r);

const char *show_evidence(const struct evidence *e, char buffer[CELL_SIZE]); // in its unit
// One finding, and the step of the run that took it; in full also its class and evidence.
void add_finding(struct text *out, const struct report_style *style, const struct run *run,
                 const struct result *r, const struct finding *f, bool full);

/* ---- markup ------------------------------------------------------------------------------------ */

typedef void (*escape_function)(struct text *out, const char *s);
// printf whose every %s goes through `escape`; NULL is "-". No '*' widths.
void text_vprintf_escaped(struct text *out, escape_function escape, const char *fmt, va_list args)
    PRINTF_LIKE(3, 0);

#endif
