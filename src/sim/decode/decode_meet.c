// Where lanes meet again that a branch in a loop takes apart while some of them may leave the loop: `continue` beside `break`. The
// branch's postdominator lies behind the loop then, and lanes that met there alone would take all further turns one after the other.
// ptxas has those that stay meet in the loop (BSSY, BSYNC) and lets those go that leave (BREAK).
// SPDX-License-Identifier: Apache-2.0
#include "sim/decode/decode.h"

#include <stdlib.h>
#include <string.h>

enum {
    BLOCKS_MOST = 4096, // of a function in which such branches are looked for
    TRIED_MOST = 64,    // blocks of a way back, the nearest ones
};

struct meeting {
    const struct ptx_function *f;
    int branch, behind; // blocks: the branch's, its postdominator
    bool *seen;
    int *stack, *from;
};

// Can `start` come to the branch again without `behind` and `without`? from[]: by which way.
static bool comes_back(struct meeting *m, int start, int without)
{
    if (start == without || start == m->behind)
        return false;
    memset(m->seen, 0, (size_t)m->f->block_count * sizeof *m->seen);
    int n = 0;
    m->stack[n++] = start;
    m->seen[start] = true;
    m->from[start] = -1;
    while (n > 0) {
        int b = m->stack[--n];
        if (b == m->branch)
            return true;
        for (int i = 0; i < m->f->blocks[b].successor_count; i++) {
            int s = m->f->blocks[b].successors[i];
            if (s == m->behind || s == without || m->seen[s])
                continue;
            m->seen[s] = true;
            m->from[s] = b;
            m->stack[n++] = s;
        }
    }
    return false;
}

// The first block that all ways of both targets back to the branch have, of which from[] has one of the first target's; the branch's
// own, if there is no other.
static int first_common(struct meeting *m, const int target[2])
{
    int first = m->branch;
    if (target[0] == m->branch || target[1] == m->branch)
        return first;
    int *way = xcalloc((size_t)m->f->block_count, sizeof *way), count = 0;
    for (int b = m->from[m->branch]; b >= 0; b = m->from[b]) // from the last one on
        way[count++] = b;
    for (int i = count; i-- > 0 && first == m->branch && count - i <= TRIED_MOST;)
        if (!comes_back(m, target[0], way[i]) && !comes_back(m, target[1], way[i]))
            first = way[i];
    free(way);
    return first;
}

int branch_meeting(const struct decoder *d, int instruction)
{
    const struct ptx_function *f = d->f;
    int block = f->block_of[instruction];
    if (block < 0 || f->block_count > BLOCKS_MOST || f->blocks[block].successor_count != 2)
        return -1;
    size_t n = (size_t)f->block_count;
    struct meeting m = {.f = f,
                        .branch = block,
                        .behind = f->blocks[block].postdominator,
                        .seen = xcalloc(n, sizeof *m.seen),
                        .stack = xcalloc(n, sizeof *m.stack),
                        .from = xcalloc(n, sizeof *m.from)};
    const int *target = f->blocks[block].successors;
    int meet = -1;
    if (target[0] != target[1] && comes_back(&m, target[1], -1) && comes_back(&m, target[0], -1))
        meet = f->blocks[first_common(&m, target)].first;
    free(m.seen);
    free(m.stack);
    free(m.from);
    return meet;
}
