// Takes out of a kernel what gives the same for every block: arithmetic on the lanes' places in the block, on parameters and
// constants, with one result for each place of a warp. It is run once, when the warps get their places (frame_fill), in
// the rows where the kernel's instructions find it; counted and timed it is where it stands. Addresses in shared memory are
// worked out in 32 bits, and products that only a sum reads together with it.
// SPDX-License-Identifier: Apache-2.0
#include "sim/decode/decode.h"

#include <stdlib.h>

enum { READS_MANY = UINT8_MAX };
struct hoist {
    struct decoder *d;
    bool *steady;  // by row / ROW32: the same for all blocks, from the start
    bool *uniform; // the same: for all lanes, too
    int *reg_of;   // the same: of the registers that may be taken, or -1
    size_t rows;
    struct uop *once;
    size_t once_count, once_capacity;
    struct narrowed {
        uint32_t wide, row;
    } * narrowed;
    size_t narrowed_count, narrowed_capacity;
};

static bool is_steady(const struct hoist *h, uint32_t row)
{
    return row == ALWAYS || (row / ROW32 < h->rows && h->steady[row / ROW32]);
}

static bool is_uniform(const struct hoist *h, uint32_t row)
{
    return row == ALWAYS || (row / ROW32 < h->rows && h->uniform[row / ROW32]);
}

static void steady_mark(struct hoist *h, uint32_t row, unsigned bits, bool uniform)
{
    for (uint32_t i = 0; i < (bits + 31) / 32; i++)
        if (row / ROW32 + i < h->rows) {
            h->steady[row / ROW32 + i] = true;
            h->uniform[row / ROW32 + i] = uniform;
        }
}

// Literals, and slots filled at launch or for a warp's place; not those of blocks.
static void constants_mark(struct hoist *h)
{
    const struct decoder *d = h->d;
    for (size_t i = 0; i < d->constant_count; i++)
        steady_mark(h, d->constants[i].row, d->constants[i].width, true);
    for (int when = SLOTS_LAUNCH; when <= SLOTS_WARP; when++)
        for (size_t i = 0; i < d->slot_count[when]; i++)
            steady_mark(h, d->slots[when][i].row, d->slots[when][i].width, when == SLOTS_LAUNCH);
}

// Registers that one instruction writes, for all lanes, before any reads them.
static void registers_mark(struct hoist *h)
{
    const struct decoder *d = h->d;
    for (size_t i = 0; i < h->rows; i++)
        h->reg_of[i] = -1;
    for (int i = 0; i < d->f->register_count; i++)
        if (reg_bits(d, i) > 1 && d->row[i] != NO_ROW && !d->constant_reg[i] &&
            d->definition[i] >= 0)
            h->reg_of[d->row[i] / ROW32] = i;
    for (int i = 0; i < d->out->clear_count; i++)
        h->reg_of[d->out->clear[i].row / ROW32] = -1;
}

static unsigned result_bits(const struct uop *u)
{
    return u->run == op_copy64 ? 64 : u->run == op_copy32 || u->run == op_narrow ? 32 : u->small;
}

static bool is_simple(const struct uop *u)
{
    return u->run == op_alu || u->run == op_widen || u->run == op_narrow || u->run == op_copy32 ||
           u->run == op_copy64;
}

bool uop_may_move(const struct decoder *d, const struct steadiness *s, const struct uop *u)
{
    if (u->guard != ALWAYS || u->guard_flip != 0 || !is_simple(u))
        return false;
    int reg = u->d / ROW32 < s->rows ? s->reg_of[u->d / ROW32] : -1;
    return reg >= 0 && reg_bits(d, reg) == result_bits(u) && result_bits(u) <= 64 &&
           d->definition[reg] == (int)u->site - d->out->site_base;
}

static struct steadiness steadiness_of(const struct hoist *h)
{
    return (struct steadiness){h->steady, h->uniform, h->reg_of, h->rows};
}

static bool is_taken(const struct hoist *h, const struct uop *u)
{
    const struct steadiness s = steadiness_of(h);
    return uop_may_move(h->d, &s, u) && is_steady(h, u->a) && is_steady(h, u->b) &&
           is_steady(h, u->c) && is_steady(h, u->e);
}

static void once_add(struct hoist *h, struct uop u)
{
    VEC_PUSH(h->once, h->once_count, h->once_capacity, u);
}

void uops_drop(struct decoder *d, const bool *gone)
{
    uint32_t *now = xcalloc(d->uop_count + 1, sizeof(*now));
    size_t kept = 0;
    for (size_t i = 0; i < d->uop_count; i++) {
        now[i] = (uint32_t)kept;
        if (!gone[i])
            d->uops[kept++] = d->uops[i];
    }
    now[d->uop_count] = (uint32_t)kept;
    for (int i = 0; i <= d->f->instruction_count; i++)
        d->uop_of[i] = now[d->uop_of[i]];
    for (size_t i = 0; i < d->fixup_count; i++)
        d->fixups[i].uop = now[d->fixups[i].uop];
    d->uop_count = kept;
    free(now);
}

static void uops_take(struct hoist *h)
{
    struct decoder *d = h->d;
    bool *gone = xcalloc(d->uop_count + 1, sizeof(*gone));
    for (size_t i = 0; i < d->uop_count; i++) {
        const struct uop *u = &d->uops[i];
        gone[i] = is_taken(h, u);
        if (gone[i]) {
            steady_mark(h, u->d, result_bits(u),
                        is_uniform(h, u->a) && is_uniform(h, u->b) && is_uniform(h, u->c) &&
                            is_uniform(h, u->e));
            once_add(h, *u);
        }
    }
    uops_drop(d, gone);
    free(gone);
}

static uint32_t row_narrowed(struct hoist *h, uint32_t wide)
{
    for (size_t i = 0; i < h->narrowed_count; i++)
        if (h->narrowed[i].wide == wide)
            return h->narrowed[i].row;
    struct narrowed n = {.wide = wide, .row = row_more(h->d, ROW32)};
    VEC_PUSH(h->narrowed, h->narrowed_count, h->narrowed_capacity, n);
    once_add(h, (struct uop){.run = op_narrow, .d = n.row, .a = wide});
    return n.row;
}

struct alu_op alu_named(const struct decoder *d, enum ptx_opcode opcode, const char *first,
                        const char *second, enum ptx_type type)
{
    const struct ptx_instruction as = {.opcode = opcode,
                                       .words = {first, second},
                                       .word_count = second != NULL ? 2 : 1,
                                       .types = {type},
                                       .type_count = 1};
    struct alu_op alu = {0};
    const char *why = NULL;
    if (!sim_alu_find(&as, d->isa, &alu, &why))
        abort(); // the table has them all
    return alu;
}

/* ---- addresses in shared memory: of 64 bits only the lower half counts -------------------------- */

// Instructions of 64 bits whose lower half comes from lower halves, and what gives just that.
static const struct low_form {
    enum ptx_opcode opcode;
    enum ptx_type type;
    const char *words[2]; // with the type: the instruction of 32 bits
    unsigned sources64;   // bits: which sources have 64
    bool wide;            // the product's factors have 32 bits
} LOW_FORMS[] = {
    {PTX_OP_ADD, PTX_TYPE_U32, {"u32"}, 3, false},
    {PTX_OP_SUB, PTX_TYPE_U32, {"u32"}, 3, false},
    {PTX_OP_SHL, PTX_TYPE_B32, {"b32"}, 1, false},
    {PTX_OP_MUL, PTX_TYPE_U32, {"lo", "u32"}, 0, true},
    {PTX_OP_MAD, PTX_TYPE_U32, {"lo", "u32"}, 4, true},
};

static const struct low_form *low_form_of(const struct hoist *h, const struct uop *u)
{
    const struct decoder *d = h->d;
    const struct ptx_instruction *in = &d->f->instructions[(int)u->site - d->out->site_base];
    if (u->run != op_alu || u->guard != ALWAYS || u->guard_flip != 0 || u->small != 64 ||
        in->type_count != 1)
        return NULL;
    for (size_t i = 0; i < COUNT_OF(LOW_FORMS); i++) {
        const struct low_form *f = &LOW_FORMS[i];
        int bits = f->wide ? 32 : 64;
        if (f->opcode == in->opcode && ptx_has_modifier(in, PTX_MOD_WIDE) == f->wide &&
            in->modifier_count == f->wide && ptx_type_bits(in->types[0]) == bits &&
            ptx_type_kind(in->types[0]) != PTX_KIND_FLOAT)
            return f;
    }
    return NULL;
}

static int reg_at(const struct hoist *h, uint32_t row)
{
    return row / ROW32 < h->rows ? h->reg_of[row / ROW32] : -1;
}

static bool is_shared_access(const struct uop *u)
{
    return u->run == op_ld_shared || u->run == op_st_shared || u->run == op_atomic_shared;
}

// By register: how often its lower half alone is read, if what `low` says of the others holds.
static void low_reads_count(const struct hoist *h, const bool *low, uint8_t *reads)
{
    const struct decoder *d = h->d;
    memset(reads, 0, (size_t)d->f->register_count);
    for (size_t i = 0; i < d->uop_count; i++) {
        const struct uop *u = &d->uops[i];
        uint32_t rows[3] = {NO_ROW, NO_ROW, NO_ROW};
        if (is_shared_access(u)) {
            const struct mem_op *m = &d->program->mem_ops[u->extra];
            rows[0] = m->base64 ? m->base : NO_ROW;
        } else {
            const struct low_form *f = low_form_of(h, u);
            int to = reg_at(h, u->d);
            if (f == NULL || to < 0 || !low[to])
                continue;
            const uint32_t from[3] = {u->a, u->b, u->c};
            for (int k = 0; k < 3; k++)
                rows[k] = (f->sources64 >> k & 1) != 0 ? from[k] : NO_ROW;
        }
        for (int k = 0; k < 3; k++) {
            int reg = rows[k] != NO_ROW ? reg_at(h, rows[k]) : -1;
            if (reg >= 0)
                reads[reg] = (uint8_t)(reads[reg] + (reads[reg] < READS_MANY));
        }
    }
}

static bool sources_low(const struct hoist *h, const struct uop *u, const struct low_form *f,
                        const bool *low)
{
    const uint32_t from[3] = {u->a, u->b, u->c};
    for (int k = 0; k < 3; k++) {
        int reg = reg_at(h, from[k]);
        if ((f->sources64 >> k & 1) != 0 && !is_steady(h, from[k]) && (reg < 0 || !low[reg]))
            return false;
    }
    return true;
}

// Registers of which nothing but the lower half is read, and that can be worked out without the upper.
static void low_find(const struct hoist *h, bool *low)
{
    const struct decoder *d = h->d;
    uint8_t *reads = xcalloc((size_t)d->f->register_count + 1, sizeof(*reads));
    for (size_t i = 0; i < d->uop_count; i++) {
        int reg = reg_at(h, d->uops[i].d);
        if (reg >= 0 && low_form_of(h, &d->uops[i]) != NULL)
            low[reg] = d->definition[reg] == (int)d->uops[i].site - d->out->site_base;
    }
    for (bool changed = true; changed;) {
        changed = false;
        low_reads_count(h, low, reads);
        for (size_t i = 0; i < d->uop_count; i++) {
            const struct uop *u = &d->uops[i];
            const struct low_form *f = low_form_of(h, u);
            int reg = reg_at(h, u->d);
            if (f == NULL || reg < 0 || !low[reg] ||
                (reads[reg] == d->read[reg] && reads[reg] < READS_MANY &&
                 sources_low(h, u, f, low)))
                continue;
            low[reg] = false;
            changed = true;
        }
    }
    free(reads);
}

static void uop_narrow(struct hoist *h, struct uop *u, const struct low_form *f, const bool *low)
{
    const struct alu_op alu = alu_named(h->d, f->opcode, f->words[0], f->words[1], f->type);
    uint32_t *from[3] = {&u->a, &u->b, &u->c};
    for (int k = 0; k < 3; k++) {
        int reg = reg_at(h, *from[k]);
        if ((f->sources64 >> k & 1) != 0 && (reg < 0 || !low[reg]))
            *from[k] = row_narrowed(h, *from[k]);
    }
    u->fn = alu.fn;
    u->imm = alu.imm;
    u->small = 32;
}

static void addresses_narrow(struct hoist *h)
{
    struct decoder *d = h->d;
    bool *low = xcalloc((size_t)d->f->register_count + 1, sizeof(*low));
    low_find(h, low);
    for (size_t i = 0; i < d->uop_count; i++) {
        struct uop *u = &d->uops[i];
        if (is_shared_access(u)) {
            struct mem_op *m = &d->program->mem_ops[u->extra];
            int reg = reg_at(h, m->base);
            bool steady = is_steady(h, m->base);
            if (!m->base64 || !(steady || (reg >= 0 && low[reg])))
                continue;
            m->base = steady ? row_narrowed(h, m->base) : m->base;
            m->base64 = false;
        } else {
            const struct low_form *f = low_form_of(h, u);
            int reg = reg_at(h, u->d);
            if (f != NULL && reg >= 0 && low[reg])
                uop_narrow(h, u, f, low);
        }
    }
    free(low);
}

/* ---- products that only a sum reads ------------------------------------------------------------ */

static const struct joined_form { // mul and mad by these words, and the sum
    const char *words[2], *sum;
    enum ptx_type type, sum_type;
} JOINED[] = {
    {{"wide", "u32"}, "u64", PTX_TYPE_U32, PTX_TYPE_U64},
    {{"wide", "s32"}, "u64", PTX_TYPE_S32, PTX_TYPE_U64},
    {{"lo", "u32"}, "u32", PTX_TYPE_U32, PTX_TYPE_U32},
};
struct joined {
    alu_fn product, sum;
    struct alu_op whole;
};

static bool overlap(uint32_t a, uint32_t b, unsigned b_bits)
{
    return a + ROW64 > b && b + b_bits / 32 * ROW32 > a;
}

// The sum that alone reads the product of micro-op i, run with the same lanes, before a factor changes; 0: none.
static size_t sum_of(const struct hoist *h, size_t i, const struct joined *x)
{
    const struct decoder *d = h->d;
    const struct uop *u = &d->uops[i];
    for (size_t j = i + 1; j < d->uop_count && is_simple(&d->uops[j]); j++) {
        const struct uop *v = &d->uops[j];
        if (v->fn == x->sum && v->run == op_alu && (v->a == u->d) != (v->b == u->d))
            return v->guard == ALWAYS && v->guard_flip == 0 ? j : 0;
        if (overlap(u->a, v->d, result_bits(v)) || overlap(u->b, v->d, result_bits(v)))
            return 0;
    }
    return 0;
}

static bool product_joins(const struct hoist *h, size_t i, const struct joined *x)
{
    struct decoder *d = h->d;
    const struct uop *u = &d->uops[i];
    int reg = reg_at(h, u->d);
    if (u->run != op_alu || u->fn != x->product || u->guard != ALWAYS || u->guard_flip != 0 ||
        reg < 0 || d->read[reg] != 1)
        return false;
    size_t j = sum_of(h, i, x);
    if (j == 0)
        return false;
    struct uop *v = &d->uops[j];
    v->c = v->a == u->d ? v->b : v->a;
    v->a = u->a;
    v->b = u->b;
    v->fn = x->whole.fn;
    v->imm = x->whole.imm;
    return true;
}

static void products_join(struct hoist *h)
{
    struct decoder *d = h->d;
    struct joined forms[COUNT_OF(JOINED)];
    for (size_t k = 0; k < COUNT_OF(JOINED); k++) {
        const struct joined_form *f = &JOINED[k];
        forms[k] = (struct joined){
            .product = alu_named(d, PTX_OP_MUL, f->words[0], f->words[1], f->type).fn,
            .sum = alu_named(d, PTX_OP_ADD, f->sum, NULL, f->sum_type).fn,
            .whole = alu_named(d, PTX_OP_MAD, f->words[0], f->words[1], f->type)};
    }
    bool *gone = xcalloc(d->uop_count + 1, sizeof(*gone));
    for (size_t i = 0; i < d->uop_count; i++)
        for (size_t k = 0; k < COUNT_OF(JOINED) && !gone[i]; k++)
            gone[i] = product_joins(h, i, &forms[k]);
    uops_drop(d, gone);
    free(gone);
}

void values_hoist(struct decoder *d)
{
    if (!d->f->is_entry)
        return;
    struct hoist h = {.d = d, .rows = d->out->frame_bytes / ROW32 + 1};
    h.steady = xcalloc(h.rows, sizeof(*h.steady));
    h.uniform = xcalloc(h.rows, sizeof(*h.uniform));
    h.reg_of = xcalloc(h.rows, sizeof(*h.reg_of));
    constants_mark(&h);
    registers_mark(&h);
    uops_take(&h);
    addresses_narrow(&h);
    const struct steadiness steadiness = steadiness_of(&h);
    affine_take(d, &steadiness);
    products_join(&h);
    d->out->once = ARENA_ARRAY(&d->program->arena, struct uop, h.once_count + 1);
    if (h.once_count > 0)
        memcpy(d->out->once, h.once, h.once_count * sizeof(*h.once));
    d->out->once_count = (int)h.once_count;
    free(h.steady);
    free(h.uniform);
    free(h.reg_of);
    free(h.once);
    free(h.narrowed);
}
