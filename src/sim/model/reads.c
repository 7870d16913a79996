// How many registers an instruction reads, and what that costs. A scheduler's registers lie in two banks, by odd and even numbers, each
// of which reads one register in a cycle: three registers take two. ptxas gives two operands unlike numbers (of 2,800 additions in the
// tuning kernels' machine code that read two registers 7 % are alike), so two take one. Parameters, numbers and what all lanes share
// come from elsewhere.
// SPDX-License-Identifier: Apache-2.0
#include "sim/model/replay.h"

#include <stdlib.h>
#include <string.h>

enum {
    FEW = 4,   // different registers of an instruction, at most
    DEPTH = 4, // vanishing instructions in a row, at most
};

struct makers {
    const struct timing_input *in;
    int32_t *site; // by register: the site that makes it; NOBODY, MANY
    bool *held;    // it is in a register
};
enum { MANY = -2 };

static bool vanishes(const struct timing_site *t)
{
    return t->pipe == PIPE_NONE;
}

// A value of no register of its own: a number or parameter, what all lanes share, or made of such by what vanishes.
static bool makes_held(const struct makers *m, const struct timing_site *t)
{
    if (t->pipe == PIPE_UNIFORM)
        return false;
    if (!vanishes(t))
        return true;
    for (int i = 0; i < t->source_count; i++)
        if (m->held[t->source[i]])
            return true;
    return false;
}

static void makers_init(struct makers *m, const struct timing_input *in)
{
    size_t registers = (size_t)in->register_count + 1;
    *m = (struct makers){.in = in,
                         .site = xcalloc(registers, sizeof *m->site),
                         .held = xcalloc(registers, sizeof *m->held)};
    for (size_t i = 0; i < registers; i++)
        m->site[i] = NOBODY;
    for (int i = 0; i < in->site_count; i++)
        for (int n = 0; n < in->sites[i].result_count; n++) {
            int32_t *site = &m->site[in->sites[i].result[n]];
            *site = *site == NOBODY ? i : MANY;
        }
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < in->site_count; i++) {
            const struct timing_site *t = &in->sites[i];
            for (int n = 0; n < t->result_count; n++)
                if (!m->held[t->result[n]] && makes_held(m, t))
                    changed = m->held[t->result[n]] = true;
        }
    }
}

static void makers_release(struct makers *m)
{
    free(m->site);
    free(m->held);
}

// The registers that the machine reads for one of PTX's: its own, or those of what vanishes in its reader.
static int registers_add(const struct makers *m, uint16_t reg, uint16_t *all, int count, int depth)
{
    if (!m->held[reg] || count == FEW)
        return count;
    int32_t site = m->site[reg];
    if (site >= 0 && vanishes(&m->in->sites[site]) && depth > 0) {
        const struct timing_site *t = &m->in->sites[site];
        for (int i = 0; i < t->source_count; i++)
            if (t->guard != t->source[i] + 1)
                count = registers_add(m, t->source[i], all, count, depth - 1);
        return count;
    }
    for (int i = 0; i < count; i++)
        if (all[i] == reg)
            return count;
    all[count] = reg;
    return count + 1;
}

struct read { // by an instruction
    uint16_t all[FEW];
    int count;
};

static struct read read_of(const struct makers *m, const struct timing_site *t)
{
    struct read r = {.count = 0};
    for (int n = 0; n < t->source_count; n++)
        if (t->guard != t->source[n] + 1)
            r.count = registers_add(m, t->source[n], r.all, r.count, DEPTH);
    return r;
}

static bool any_same(const struct read *a, const struct read *b)
{
    for (int i = 0; i < a->count; i++)
        for (int n = 0; n < b->count; n++)
            if (a->all[i] == b->all[n])
                return true;
    return false;
}

void reads_charge(const struct timing_input *in, struct site_cost *costs)
{
    static const double again =
        1.25; // one of three is still there: of the other two one pair in four is alike
    struct makers m;
    makers_init(&m, in);
    struct read before = {.count = 0};
    for (int i = 0; i < in->site_count; i++) {
        const struct timing_site *t = &in->sites[i];
        struct site_cost *c = &costs[i];
        if (c->unit == UNIT_NONE)
            continue;
        if (c->unit != UNIT_MATH || c->sequence > 0 || c->pipe == PIPE_BRANCH) {
            before.count = 0;
            continue;
        }
        struct read r = read_of(&m, t);
        if (r.count >= 3 && t->issue_slots <= 1)
            c->slots = later(c->slots, any_same(&r, &before) ? again : 2);
        before = r;
    }
    makers_release(&m);
}
