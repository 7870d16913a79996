// What a run says of a share of the blocks: names, sums, the sentence that reports show.
// SPDX-License-Identifier: Apache-2.0
#include "record/execution.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *word, *reason;
} wholes[SAMPLE_WHOLE_COUNT] = {
#define WHOLE(id, word, reason) [SAMPLE_WHOLE_##id] = {word, reason},
#include "record/sample.def"
#undef WHOLE
};

const char *sample_whole_word(enum sample_whole w)
{
    return wholes[w].word;
}

const char *sample_whole_reason(enum sample_whole w)
{
    return wholes[w].reason;
}

bool sample_whole_find(const char *word, enum sample_whole *out)
{
    for (int i = SAMPLE_WHOLE_NOT + 1; i < SAMPLE_WHOLE_COUNT; i++)
        if (strcmp(word, wholes[i].word) == 0) {
            *out = (enum sample_whole)i;
            return true;
        }
    return false;
}

// The error is that of the launch that has most of it.
void sample_sum(struct block_sample *sum, const struct block_sample *more)
{
    if (!(more->asked > 0))
        return;
    sum->asked = more->asked;
    sum->blocks_run += more->blocks_run;
    sum->blocks += more->blocks;
    if (sum->whole == SAMPLE_WHOLE_NOT)
        sum->whole = more->whole;
    if (more->error_pct.provenance != PROVENANCE_ABSENT &&
        (sum->error_pct.provenance == PROVENANCE_ABSENT ||
         more->error_pct.value > sum->error_pct.value))
        sum->error_pct = more->error_pct;
}

void sample_say(const struct block_sample *s, struct text *out)
{
    double pct = s->blocks > 0 ? 100 * s->blocks_run / s->blocks : 100;
    if (s->blocks_run < s->blocks)
        text_printf(out, "%.*f %% of the blocks run", pct < 10 ? 1 : 0, pct);
    else
        text_add(out, "all blocks run");
    if (s->blocks_run >= s->blocks && s->whole != SAMPLE_WHOLE_NOT)
        text_printf(out, ": %s", sample_whole_reason(s->whole));
    else if (s->error_pct.provenance != PROVENANCE_ABSENT)
        text_printf(out, ", figures within %.2g %% by the sample's own account",
                    s->error_pct.value);
}
