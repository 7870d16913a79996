// Predicates that a loop finds as they are: there are seven registers for them; what is beyond is kept as a bit of another (P2R), and
// tested where it is read.
// SPDX-License-Identifier: Apache-2.0
#include "sim/decode/lower_forms.h"

#include <stdlib.h>

enum { NONE = -1 };

// The comparison or combination that the predicate is of, past those that only negate it.
static int predicate_of(const struct code *c, struct origin v)
{
    int from = def_of(c, v);
    while (from >= 0 && is_of_predicates(at(c, from)) && at(c, from)->opcode == PTX_OP_NOT)
        from = def_of(c, *source_of(c, from, 0));
    if (from < 0 || c->f->block_of[from] < 0)
        return NONE;
    return at(c, from)->opcode == PTX_OP_SETP || is_of_predicates(at(c, from)) ? c->same[from]
                                                                               : NONE;
}

// What the loop's branches ask that was made before it, each once. Returns how many.
static int predicates_find(const struct code *c, int loop, bool *found)
{
    int count = 0;
    for (int b = 0; b < c->f->block_count; b++) {
        if (!in_loop(c, b, loop) || !ends_with_choice(c, b))
            continue;
        int from = predicate_of(c, *asked_by(c, b));
        if (from == NONE || in_loop(c, c->f->block_of[from], loop) || found[from])
            continue;
        found[from] = true;
        count++;
    }
    return count;
}

void code_kept(struct code *c)
{
    enum { PREDICATES = 7 };
    bool *found = xcalloc((size_t)c->count + 1, sizeof *found);
    for (int l = 0; l < c->loop_count; l++) {
        int beyond = c->loops[l].has_inner ? 0 : predicates_find(c, l, found) - PREDICATES;
        for (int i = 0; i < c->count && beyond > 0; i++) {
            if (!found[i])
                continue;
            beyond--;
            code_bring(c, c->joined_to[c->f->block_of[i]], i, 1);
            for (int b = 0; b < c->f->block_count; b++)
                if (in_loop(c, b, l) && ends_with_choice(c, b) &&
                    predicate_of(c, *asked_by(c, b)) == i)
                    code_bring(c, c->joined_to[b], last_of(c, b), 1);
        }
        for (int i = 0; i < c->count; i++)
            found[i] = false;
    }
    free(found);
}
