// gate, inside: what its files share.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_GATE_INTERNAL_H
#define RIDGE_GATE_INTERNAL_H

#include "gate/gate.h"

struct lock_row {
    const char *name, *unit, *increase;
};
extern const struct lock_row lock_rows[LOCK_FIGURE_COUNT];
enum { LOCK_LINE_FIGURES = LOCK_DIVERGENT + 1 }; // the first ones are known of each line of source

// lock_of_runs, also of what the subjects are held against, and of several compilers' code.
bool lock_gather(struct arena *a, const struct gate_subject *subjects, int count, bool before,
                 bool one_compiler, struct lock *out, struct error *err) CHECK_RESULT;
// gate_lock, where the conditions are known to be the same.
bool lock_judge(struct arena *a, const struct lock *committed, const struct lock *fresh,
                const struct gate_subject *subjects, int count, bool whole, struct gate_report *out,
                struct error *err) CHECK_RESULT;

bool same_words(const char *a, const char *b); // NULL is ""
const struct result *subject_result(const struct gate_subject *s, const char *case_label,
                                    const char *variant);
// The variant's line in the experiment's file, where nothing nearer is known.
void entry_place(const struct gate_subject *s, struct gate_entry *e);

#endif
