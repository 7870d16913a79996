// What an instruction's result takes longer to readers on another pipe of the scheduler: ptxas 13.0 leaves 4 cycles between two
// instructions of one pipe for sm_90 and 5 where a value goes from the pipe of integers to those of f32 and products, or back
// (docs/h200-rates.md, section 2); from f64 10 for 8. The code has no time of the run that says which reader comes first: a
// result has the mean over the instructions that read it.
// SPDX-License-Identifier: Apache-2.0
#include "sim/model/replay.h"

#include <stdlib.h>

enum side { SIDE_OTHER, SIDE_INTEGER, SIDE_PRODUCTS, SIDE_F64, SIDE_EITHER };

static enum side side_of(const struct timing_site *t)
{
    switch (t->pipe) {
    case PIPE_INTEGER:
        return SIDE_INTEGER;
    case PIPE_ADD: // whichever pipe is free
        return SIDE_EITHER;
    case PIPE_MULTIPLY:
    case PIPE_MULTIPLY_WIDE:
    case PIPE_F32:
    case PIPE_F16:
        return SIDE_PRODUCTS;
    case PIPE_F64:
        return SIDE_F64;
    default:
        return SIDE_OTHER;
    }
}

struct readers { // of a register
    uint32_t all, by_side[SIDE_EITHER + 1];
};

static struct readers *readers_of(const struct timing_input *in)
{
    struct readers *readers = xcalloc((size_t)in->register_count + 1, sizeof *readers);
    for (int i = 0; i < in->site_count; i++) {
        const struct timing_site *t = &in->sites[i];
        if (t->pipe == PIPE_NONE)
            continue;
        for (int n = 0; n < t->source_count; n++) {
            if (t->guard == t->source[n] + 1)
                continue;
            struct readers *r = &readers[t->source[n]];
            r->all++;
            r->by_side[side_of(t)]++;
        }
    }
    return readers;
}

void crossings_charge(const struct timing_input *in, const struct rates *r, struct site_cost *costs)
{
    if (r->crossing <= 0)
        return;
    struct readers *readers = readers_of(in);
    for (int i = 0; i < in->site_count; i++) {
        const struct timing_site *t = &in->sites[i];
        enum side side = side_of(t);
        if (t->result_count == 0 || side == SIDE_OTHER || side == SIDE_EITHER ||
            costs[i].sequence > 0)
            continue;
        const struct readers *to = &readers[t->result[0]];
        double same = to->by_side[side] + to->by_side[SIDE_EITHER] / 2.0;
        double share = to->all > 0 ? 1 - same / to->all : 0;
        costs[i].latency += share * r->crossing * (side == SIDE_F64 ? 2 : 1);
    }
    free(readers);
}
