// table: the tuned table, a JSON file of what `ridge tune` chose: which parameters for which variant in which case on
// which chip. `ridge run --tuned` and ridge_select() read it. An entry whose source, driver or chip is another is
// never used.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_TUNE_TABLE_H
#define RIDGE_TUNE_TABLE_H

#include "tune/tune.h"

struct tuned_size { // a parameter of the case
    const char *name;
    double value;
};
struct tuned_choice { // a value of an axis
    const char *name, *value;
};
struct tuned_entry { // strings are the arena's that it was read into
    const char *experiment, *variant;
    struct tuned_size *sizes;
    int size_count;
    struct tuned_choice *choices;
    int choice_count;
    const char *device;   // "NVIDIA H200"; "NVIDIA H200 (simulated)"
    const char *platform; // as a tuning's
    const char *source;   // code_source_hash()
    double cc, time_ns;
    enum objective objective;       // that it is the best by; a case may have an entry for each
    double energy_mj, energy_error; // of one run, and the share that is open; NAN = not measured
    const char *provenance;
    int evaluated, space, ties;
    bool complete; // the session went to its end
    const char *at;
};
struct tuned_table {
    struct tuned_entry *entries;
    int count;
};

bool tuned_parse(struct arena *a, const char *file, const char *text, size_t size_bytes,
                 struct tuned_table *out, struct error *err) CHECK_RESULT;
json_t *tuned_to_json(const struct tuned_table *t); // new reference
// The file; one that is not there is an empty table. NULL: the user's.
bool tuned_read(struct arena *a, const char *path, struct tuned_table *out,
                struct error *err) CHECK_RESULT;
const char *tuned_path(struct arena *a, const char *path);
// What the session chose, in the place of an earlier entry of that variant, case, device and objective. Nothing is written where
// no point is right.
bool tuned_keep(struct arena *a, const char *path, const struct tuning *t,
                const struct tuned_size *sizes, int size_count, struct error *err) CHECK_RESULT;
// "TILE=32 ROWS=8"; "N=1024".
const char *tuned_choices_text(struct arena *a, const struct tuned_entry *e);
const char *tuned_sizes_text(struct arena *a, const struct tuned_entry *e);
// A C header with a macro for each choice, and the table.
void tuned_header(const struct tuned_table *t, struct text *out);

struct tuned_query {
    const char *experiment;
    const char *variant; // NULL = any
    const struct tuned_size *sizes;
    int size_count;
    const char *device, *platform, *source;
    enum objective objective; // of its entries alone
};
struct tuned_answer {
    const struct tuned_entry *entry; // NULL = none is current
    double octaves;                  // how far its case is: the sum of |log2| of the sizes' ratios
    const char *why; // why there is none, or which were passed over; arena's, never NULL
};
// Of the current entries with the same sizes' names those of the nearest case; among cases at the same distance the
// one that is smaller (sizes in the query's order); in that case the variant that took the least by the objective.
void tuned_select(struct arena *a, const struct tuned_table *t, const struct tuned_query *q,
                  struct tuned_answer *out);

#endif
