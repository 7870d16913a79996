// Finds the stretches of a decoded function (run/stretch.h): micro-ops in a row that a handler of their own runs. A
// stretch ends where an address register of its loads would be read after it was written.
// SPDX-License-Identifier: Apache-2.0
#include "sim/decode/decode.h"
#include "sim/run/stretch.h"

#include <stdlib.h>

enum { ALUS_LEAST = 2, STRETCH_LEAST = 3, STRETCH_MOST = 512, STRETCHES_MAX = UINT16_MAX };

struct finder {
    struct decoder *d;
    int *reg_of; // by row / ROW32, or -1
    size_t rows;
    size_t *written; // by row / ROW32: 1 + the last micro-op that wrote it
    size_t first;    // micro-op of the stretch that is looked at
    struct stretch_group groups[STRETCH_GROUPS];
    size_t member_capacity[STRETCH_GROUPS], group_count;
};

static bool is_alone(const struct uop *u)
{
    return u->guard == ALWAYS && u->guard_flip == 0;
}

static const struct mem_op *mem_of(const struct finder *f, const struct uop *u)
{
    return &f->d->program->mem_ops[u->extra];
}

static bool is_load(const struct finder *f, const struct uop *u)
{
    return u->run == op_ld_shared && is_alone(u) && mem_of(f, u)->plain;
}

/* ---- groups of loads ----------------------------------------------------------------------- */

static void group_add(struct stretch_group *g, size_t *capacity, const struct mem_op *m,
                      const struct uop *u)
{
    int64_t low = m->offset, high = low + m->bytes;
    if (m->merged != 0) {
        low = m->merge_start < low ? m->merge_start : low;
        high = m->merge_start + m->merged > high ? m->merge_start + m->merged : high;
    }
    if (g->member_count == 0) {
        g->low = low;
        g->high = high;
    }
    g->low = low < g->low ? low : g->low;
    g->high = high > g->high ? high : g->high;
    const struct stretch_member member = {.mem = u->extra, .site = u->site};
    VEC_PUSH(g->members, g->member_count, *capacity, member);
}

static bool written_here(const struct finder *f, uint32_t row, unsigned rows)
{
    for (unsigned i = 0; i < rows; i++)
        if (f->written[row / ROW32 + i] > f->first)
            return true;
    return false;
}

// The group of a load's address register; false if there is no room, or it was written in this stretch.
static bool load_takes_part(struct finder *f, const struct uop *u)
{
    const struct mem_op *m = mem_of(f, u);
    if ((m->offset & 3) != 0 || m->offset < INT32_MIN / 2 || m->offset > INT32_MAX / 2 ||
        written_here(f, m->base, m->base64 ? 2 : 1))
        return false;
    size_t i = 0;
    while (i < f->group_count && f->groups[i].base != m->base)
        i++;
    if (i == STRETCH_GROUPS)
        return false;
    if (i == f->group_count) {
        f->groups[i] = (struct stretch_group){.base = m->base, .wide = m->base64};
        f->member_capacity[i] = 0;
        f->group_count++;
    }
    group_add(&f->groups[i], &f->member_capacity[i], m, u);
    return true;
}

static void note_written(struct finder *f, size_t at, uint32_t row, unsigned bits)
{
    for (unsigned i = 0; i < (bits + 31) / 32; i++)
        f->written[row / ROW32 + i] = at + 1;
}

// Micro-ops from `first` on that make a stretch.
static size_t stretch_length(struct finder *f, size_t first)
{
    size_t at = first;
    f->first = first;
    f->group_count = 0;
    for (; at < f->d->uop_count && at - first < STRETCH_MOST; at++) {
        const struct uop *u = &f->d->uops[at];
        bool load = is_load(f, u);
        if (load ? !load_takes_part(f, u) : u->run != op_alu || !is_alone(u))
            break;
        note_written(f, at, load ? mem_of(f, u)->reg[0] : u->d, load ? 32 : u->small);
    }
    return at - first;
}

/* ---- its steps ----------------------------------------------------------------------------- */

static bool is_fma(const struct finder *f, const struct uop *u)
{
    const struct ptx_instruction *in =
        &f->d->f->instructions[u->site - (uint32_t)f->d->out->site_base];
    return (in->opcode == PTX_OP_FMA || in->opcode == PTX_OP_MAD) && in->type_count == 1 &&
           in->types[0] == PTX_TYPE_F32 && in_has(in, "rn") && !in_has(in, "ftz") &&
           !in_has(in, "sat") && u->small == 32;
}

static struct step step_of(const struct finder *f, const struct uop *u)
{
    struct step s = {.kind = STEP_ALU, .fn = u->fn, .imm = u->imm};
    if (is_load(f, u)) {
        const struct mem_op *m = mem_of(f, u);
        s.kind = STEP_LOAD;
        s.d = m->reg[0];
        s.left.offset = (int32_t)m->offset;
        while (f->groups[s.left.group].base != m->base)
            s.left.group++;
        return s;
    }
    s.kind = is_fma(f, u) ? STEP_FMA : STEP_ALU;
    s.d = u->d, s.a = u->a, s.b = u->b, s.c = u->c, s.e = u->e;
    return s;
}

// One instruction writes the row's register, one reads it, once.
static bool read_once(const struct finder *f, uint32_t row)
{
    int reg = row / ROW32 < f->rows ? f->reg_of[row / ROW32] : -1;
    return reg >= 0 && f->d->definition[reg] >= 0 && f->d->read[reg] == 1;
}

// The load among the steps since the last other one that leaves a row which only this step reads: taken out.
static bool load_taken(const struct finder *f, struct step *steps, uint32_t *count, uint32_t row,
                       struct step_load *out)
{
    if (!read_once(f, row))
        return false;
    for (uint32_t i = *count; i-- > 0;) {
        if (steps[i].kind != STEP_LOAD || steps[i].d != row)
            continue;
        *out = steps[i].left;
        memmove(&steps[i], &steps[i + 1], (*count - i - 1) * sizeof(*steps));
        (*count)--;
        return true;
    }
    return false;
}

static void step_join(const struct finder *f, struct step *steps, uint32_t *count, struct step s)
{
    if (s.kind == STEP_FMA && s.a != s.b) {
        if (load_taken(f, steps, count, s.a, &s.left)) {
            s.kind = STEP_LOAD_FMA;
        } else if (load_taken(f, steps, count, s.b, &s.left)) {
            s.kind = STEP_LOAD_FMA;
            s.b = s.a;
        }
        if (s.kind == STEP_LOAD_FMA && load_taken(f, steps, count, s.b, &s.right))
            s.kind = STEP_LOADS_FMA;
        const struct step *before = *count > 0 ? &steps[*count - 1] : NULL;
        s.continues = before && before->kind >= STEP_FMA && before->d == s.c && read_once(f, s.c) &&
                      s.c != s.b && (s.kind != STEP_FMA || s.c != s.a);
    }
    steps[(*count)++] = s;
}

static void stretch_make(struct finder *f, size_t first, size_t count)
{
    struct decoder *d = f->d;
    struct program *p = d->program;
    struct arena *a = &p->arena;
    struct stretch s = {.head = d->uops[first].run,
                        .count = (uint32_t)count,
                        .first_group = p->stretch_groups,
                        .first_member = p->stretch_members,
                        .group_count = (uint32_t)f->group_count};
    s.steps = ARENA_ARRAY(a, struct step, count + 1); // the last of them is none
    for (size_t i = 0; i < count; i++)
        step_join(f, s.steps, &s.step_count, step_of(f, &d->uops[first + i]));
    s.steps[s.step_count] = (struct step){.kind = STEP_ALU};
    s.groups = ARENA_ARRAY(a, struct stretch_group, f->group_count + 1);
    for (size_t i = 0; i < f->group_count; i++) {
        struct stretch_group *g = &s.groups[i];
        *g = f->groups[i];
        g->members = ARENA_ARRAY(a, struct stretch_member, g->member_count);
        memcpy(g->members, f->groups[i].members, g->member_count * sizeof(*g->members));
        p->stretch_members += (uint32_t)g->member_count;
    }
    p->stretch_groups += (uint32_t)f->group_count;
    d->uops[first].run = op_stretch;
    d->uops[first].stretch = (uint16_t)p->stretch_count;
    VEC_PUSH(p->stretches, p->stretch_count, p->stretch_capacity, s);
}

/* ---- a function ---------------------------------------------------------------------------- */

void stretches_find(struct decoder *d)
{
    struct finder f = {.d = d, .rows = d->out->frame_bytes / ROW32 + 1};
    f.reg_of = xcalloc(f.rows, sizeof(*f.reg_of));
    f.written = xcalloc(f.rows + 4, sizeof(*f.written));
    for (size_t i = 0; i < f.rows; i++)
        f.reg_of[i] = -1;
    for (int i = 0; i < d->f->register_count; i++)
        if (reg_bits(d, i) > 1 && d->row[i] != NO_ROW && !d->constant_reg[i])
            f.reg_of[d->row[i] / ROW32] = i;
    for (size_t i = 0; i < d->uop_count && d->program->stretch_count < STRETCHES_MAX;) {
        size_t count = stretch_length(&f, i);
        if (f.group_count == 0 && count >= ALUS_LEAST) {
            d->uops[i].run = op_alus;
            d->uops[i].stretch = (uint16_t)count;
        } else if (count >= STRETCH_LEAST) {
            stretch_make(&f, i, count);
        }
        for (size_t g = 0; g < f.group_count; g++)
            free(f.groups[g].members);
        i += count > 0 ? count : 1;
    }
    free(f.reg_of);
    free(f.written);
}
