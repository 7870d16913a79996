// Which branches decide whether something that is needed is executed: ptxas leaves out those that decide nothing, and with them
// loops whose turns leave nothing behind.
// SPDX-License-Identifier: Apache-2.0
#include "sim/decode/lower_forms.h"

#include <stdlib.h>

enum { NONE = -1 };

/* ---- what a branch decides ------------------------------------------------------------------------- */

// A jump between two places; what ends lanes or chooses among many places is needed in itself, and so is what a loop chooses within a
// turn: ptxas leaves out loops of one block, and those around them that are one without them.
bool code_may_be_needless(const struct code *c, const struct deciders *d, int i)
{
    int block = c->f->block_of[i];
    if (!is_branch(c, i) || block < 0 || i != last_of(c, block) ||
        block_at(c, block)->successor_count != (at(c, i)->guard >= 0 ? 2 : 1))
        return false;
    return at(c, i)->guard < 0 || c->loop_of[block] < 0 || !d->chooses[c->loop_of[block]];
}

// Do lanes choose a way in the loop's turns, but to another turn?
static void choices_find(const struct code *c, struct deciders *d)
{
    for (int b = 0; b < c->f->block_count; b++) {
        if (c->number[b] < 0 || c->loop_of[b] < 0 || !ends_with_choice(c, b))
            continue;
        bool back = false;
        for (int l = c->loop_of[b]; l >= 0; l = c->loops[l].around)
            back |= c->loops[l].branch == last_of(c, b);
        for (int l = c->loop_of[b]; l >= 0 && !back; l = c->loops[l].around)
            d->chooses[l] = true;
    }
}

// Blocks that are executed or not by what `from` chooses: from each of its ways on to where all of them meet (Ferrante, Ottenstein,
// Warren, "The program dependence graph and its use in optimization", 1987).
static void decided_add(const struct code *c, struct deciders *d, int from, int pass)
{
    int meet = block_at(c, from)->postdominator;
    for (int s = 0; s < 2; s++)
        for (int b = block_at(c, from)->successors[s], steps = 0;
             b >= 0 && b != meet && steps < c->f->block_count;
             b = block_at(c, b)->postdominator, steps++) {
            if (pass == 0)
                d->first[b + 1]++;
            else
                d->list[d->first[b]++] = last_of(c, from);
        }
}

struct deciders code_deciders(const struct code *c)
{
    int blocks = c->f->block_count;
    struct deciders d = {xcalloc((size_t)blocks + 2, sizeof(int)), NULL,
                         xcalloc((size_t)c->loop_count + 1, sizeof(bool))};
    choices_find(c, &d);
    for (int pass = 0; pass < 2; pass++) {
        for (int b = 0; b < blocks; b++)
            if (c->number[b] >= 0 && ends_with_choice(c, b))
                decided_add(c, &d, b, pass);
        for (int b = 0; pass == 0 && b < blocks; b++)
            d.first[b + 1] += d.first[b];
        if (pass == 0)
            d.list = xcalloc((size_t)d.first[blocks] + 1, sizeof(int));
    }
    for (int b = blocks; b > 0; b--) // each has moved to where the next one's begin
        d.first[b] = d.first[b - 1];
    d.first[0] = 0;
    return d;
}

/* ---- loops ------------------------------------------------------------------------------------------ */

// Is nothing in the loop's blocks needed?
static bool is_needless(const struct code *c, int loop, const bool *live)
{
    for (int i = 0; i < c->count; i++)
        if (live[i] && in_loop(c, c->f->block_of[i], loop))
            return false;
    return true;
}

// Takes the loops away that nothing is needed of: their blocks are the loop's around them.
void code_drop_loops(struct code *c, const bool *live)
{
    bool *needless = xcalloc((size_t)c->loop_count + 1, sizeof *needless);
    int *now = xcalloc((size_t)c->loop_count + 1, sizeof *now), left = 0;
    for (int l = 0; l < c->loop_count; l++)
        needless[l] = is_needless(c, l, live);
    for (int l = 0; l < c->loop_count; l++)
        now[l] = needless[l] ? NONE : left++;
    for (int b = 0; b < c->f->block_count; b++) {
        int loop = c->loop_of[b];
        while (loop >= 0 && needless[loop])
            loop = c->loops[loop].around;
        c->loop_of[b] = loop >= 0 ? now[loop] : NONE;
    }
    for (int l = 0; l < c->loop_count; l++) {
        if (needless[l])
            continue;
        struct natural_loop kept = c->loops[l];
        kept.around = kept.around >= 0 ? now[kept.around] : NONE; // needed, as this one is
        kept.has_inner = false;
        c->loops[now[l]] = kept;
    }
    c->loop_count = left;
    for (int l = 0; l < left; l++)
        if (c->loops[l].around >= 0)
            c->loops[c->loops[l].around].has_inner = true;
    free(needless);
    free(now);
}
