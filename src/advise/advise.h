// advise: advice as code. For a finding whose fix is mechanical a patch of the source, as a unified diff, and a copy of
// the experiment with the patched kernel as a new variant, which expects what the finding promises. Reads runs,
// experiment files and sources; runs nothing and changes no file that is there.
//   advise_result -> advice_diff | advice_apply
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_ADVISE_H
#define RIDGE_ADVISE_H

#include "base/base.h"
#include "experiment/experiment.h"
#include "record/record.h"

enum { PATCH_KEYS_MAX = 4 };
struct patch_key { // a key of the variant, as its YAML
    const char *name, *value;
};
struct patch {
    const char *maker;             // a row of patches.def: "pad"
    const struct finding *finding; // whose fix it is
    const char *title;             // "Pad the rows of 'tile' by one element"; NULL: refused
    const char *why;               // one sentence: the new variant's hypothesis
    double expected_time_ns;       // of the variant with the patch (modelled)
    enum finding_price price; // by its trial, the replay of its own change, or as its finding's
    bool at_most; // the patch does a part of what was priced, or more than that is not known
    bool sole;    // it is the fix of its finding, and not one of several
    char key[33]; // of what it changes
    const struct patch_trial *trial; // what became of it where it was simulated; NULL: it was not
    const char *refusal;             // why the fix is not mechanical here; NULL: it is
    const char *source;              // of the patched source, whole; NULL: only the launch changes
    const char *diff;                // from the variant's source to that; "" without one
    struct patch_key keys[PATCH_KEYS_MAX]; // of the new variant, in place of the old one's
    int key_count;
};
struct advice { // arena-owned
    const struct result *result;
    const char *source_path; // of the variant, or NULL
    struct patch *patches;   // the same change once, those of the first finding first
    int count;
};
// Of the findings that are not folded. The sources are those of the run; a source that is not known, or no CUDA C++,
// gives no patches, and *out->count is 0.
void advise_result(struct arena *a, const struct run *run, const struct experiment *e,
                   const struct result *r, struct advice *out);
// May it be offered? It could be made, and where it was simulated it was right.
bool patch_usable(const struct patch *p);
// The experiment with the patch as one more variant, in memory: *variant is its index, p->source its source where that
// changes (the new variant names the old file). Fails where the experiment's file cannot be added to.
bool advice_variant(struct arena *a, const struct experiment *e, const struct result *r,
                    const struct patch *p, struct experiment **out, int *variant,
                    struct error *err) CHECK_RESULT;
struct applied { // where a patch was written
    const char *folder, *variant;
    const char *source; // the new file's name; NULL: none
};
// Writes the patch into the copy of the experiment in `folder` as a new variant. A folder that is not there is made from
// the experiment's; one that is there must be such a copy. The experiment's own files must be as the run saw them.
bool advice_apply(struct arena *a, const struct run *run, const struct experiment *e,
                  const struct advice *advice, int patch, const char *folder, struct applied *out,
                  struct error *err) CHECK_RESULT;

#endif
