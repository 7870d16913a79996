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

bool same_words(const char *a, const char *b); // NULL is ""
const struct result *subject_result(const struct gate_subject *s, const char *case_label,
                                    const char *variant);
// The variant's line in the experiment's file, where nothing nearer is known.
void entry_place(const struct gate_subject *s, struct gate_entry *e);

#endif
