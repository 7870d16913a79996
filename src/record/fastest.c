// Which of a case's variants is the answer.
// SPDX-License-Identifier: Apache-2.0
#include "record/record.h"

#include <string.h>

static bool is_candidate(const struct result *r, const char *label)
{
    bool same_case =
        r->case_label == label || (r->case_label && label && strcmp(r->case_label, label) == 0);
    return same_case && r->status == RESULT_OK && (!r->checked || r->verified) && !r->library &&
           r->time.provenance != PROVENANCE_ABSENT;
}

// A verified one goes before one that was not compared, whatever their times. A library's call is a
// yardstick, not a candidate.
const struct result *run_fastest(const struct run *r, const char *label)
{
    const struct result *best = NULL;
    for (int i = 0; i < r->result_count; i++) {
        const struct result *it = &r->results[i];
        if (!is_candidate(it, label))
            continue;
        if (!best || (it->verified && !best->verified) ||
            (it->verified == best->verified && it->time.summary.median < best->time.summary.median))
            best = it;
    }
    return best;
}
