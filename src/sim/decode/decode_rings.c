// Special functions in a loop's recurrence, for the model of time only. ptxas tests the argument of one that does not flush subnormals,
// and scales it under the predicate: 13 cycles that ptxas fills with other instructions of the loop, if there are any that wait for
// something else. Where the argument comes of the function's own result a turn before, and every other such function of the loop
// is in the same ring, there are none: the warp waits.
// SPDX-License-Identifier: Apache-2.0
#include "sim/decode/lower_code.h"

#include <stdlib.h>
#include <string.h>

struct ring { // of a block that goes back to itself
    struct timing_site *sites;
    const struct ptx_block *block;
    const struct function *own;
    bool *reached; // by register
};

static bool is_tested(const struct timing_site *t)
{
    return t->pipe == PIPE_F32 && t->issue_slots > 1 && t->special_slots > 0 &&
           t->operation == OPERATION_NONE;
}

static bool reads_reached(const struct ring *r, const struct timing_site *t)
{
    for (int n = 0; n < t->source_count; n++) {
        int reg = own_register(r->own, t->source[n]);
        if (reg >= 0 && r->reached[reg])
            return true;
    }
    return false;
}

static void result_reached(struct ring *r, const struct timing_site *t)
{
    for (int n = 0; n < t->result_count; n++)
        if (own_register(r->own, t->result[n]) >= 0)
            r->reached[own_register(r->own, t->result[n])] = true;
}

// Does what the instruction makes come to it again a turn later, and to every tested function in between?
static bool is_ring(struct ring *r, int from)
{
    memset(r->reached, 0, (size_t)r->own->ptx->register_count + 1);
    result_reached(r, &r->sites[from]);
    int first = r->block->first, count = r->block->count;
    for (int k = 1; k <= count; k++) {
        const struct timing_site *t = &r->sites[first + (from - first + k) % count];
        if (reads_reached(r, t))
            result_reached(r, t);
        else if (is_tested(t))
            return false;
    }
    return reads_reached(r, &r->sites[from]);
}

static bool goes_to_itself(const struct ptx_function *f, int block)
{
    for (int k = 0; k < f->blocks[block].successor_count; k++)
        if (f->blocks[block].successors[k] == block)
            return true;
    return false;
}

void rings_find(struct program *p)
{
    for (int n = 0; n < p->function_count; n++) {
        const struct function *own = &p->functions[n];
        struct ring r = {.sites = &p->timing[own->site_base], .own = own};
        r.reached = xcalloc((size_t)own->ptx->register_count + 1, sizeof *r.reached);
        for (int b = 0; b < own->ptx->block_count; b++) {
            r.block = &own->ptx->blocks[b];
            for (int i = r.block->first;
                 goes_to_itself(own->ptx, b) && i < r.block->first + r.block->count; i++)
                r.sites[i].in_ring = is_tested(&r.sites[i]) && is_ring(&r, i);
        }
        free(r.reached);
    }
}
