// Loads, stores, asynchronous copies and atomics to micro-ops: each has a struct mem_op beside it that
// says where its address and data are.
// SPDX-License-Identifier: Apache-2.0
#include "sim/decode/decode.h"

/* ---- loads and stores ---------------------------------------------------------------------- */

static bool is_ordered(const struct ptx_instruction *in)
{
    return in_has(in, "volatile") || in_has(in, "relaxed") || in_has(in, "acquire") ||
           in_has(in, "release") || in_has(in, "acq_rel") || in_has(in, "mmio");
}

// Row and offset of an address operand.
void address_of(struct decoder *d, const struct ptx_operand *op, uint32_t *row, bool *wide,
                int64_t *offset)
{
    *offset = op->offset;
    *wide = true;
    if (op->reg >= 0) {
        struct ptx_operand base = *op;
        base.kind = PTX_OPERAND_REGISTER;
        base.negated = false;
        base.offset = 0;
        *wide = reg_bits(d, op->reg) == 64;
        *row = source_row(d, &base, *wide ? 64 : 32, PTX_TYPE_NONE);
        return;
    }
    struct ptx_operand symbol = *op;
    symbol.kind = PTX_OPERAND_SYMBOL;
    symbol.offset = 0;
    *row = source_row(d, &symbol, 64, PTX_TYPE_U64);
}

struct mem_op mem_new(struct decoder *d, const struct ptx_instruction *in,
                      const struct ptx_operand *address)
{
    struct mem_op m = {.space = ptx_space_of(in), .vector = 1, .width = 32};
    if (m.space == PTX_SPACE_SHARED_CLUSTER)
        m.space = PTX_SPACE_SHARED;
    m.bytes = (uint8_t)(ptx_type_bits(in->type_count > 0 ? in->types[0] : PTX_TYPE_B32) / 8);
    m.bypass_l1 =
        in_has(in, "cg") || in_has(in, "cv") || is_ordered(in) || in_has(in, "L1::no_allocate");
    m.ordered = is_ordered(in);
    m.releases = in_has(in, "release") || in_has(in, "acq_rel");
    m.reg[0] = NO_ROW;
    address_of(d, address, &m.base, &m.base64, &m.offset);
    return m;
}

uint32_t mem_add(struct decoder *d, struct mem_op m)
{
    struct program *p = d->program;
    site_of(d)->mem = (int)p->mem_count;
    site_of(d)->space = m.space;
    VEC_PUSH(p->mem_ops, p->mem_count, p->mem_capacity, m);
    return (uint32_t)(p->mem_count - 1);
}

// Rows of the elements of a load's or store's data operand; false if it can't be.
static bool mem_data(struct decoder *d, const struct ptx_instruction *in,
                     const struct ptx_operand *data, bool load, struct mem_op *m)
{
    bool vector = data->kind == PTX_OPERAND_VECTOR;
    int count = vector ? data->element_count : 1;
    if (count > VECTOR_MAX)
        return false;
    m->vector = (uint8_t)count;
    unsigned wide = m->bytes == 16 ? 128 : m->bytes == 8 ? 64 : 32;
    for (int i = 0; i < count; i++) {
        const struct ptx_operand *op = vector ? &data->elements[i] : data;
        if (op->kind == PTX_OPERAND_REGISTER) {
            unsigned bits = reg_bits(d, op->reg);
            wide = load || bits >= wide ? bits : wide;
            m->narrow16 |= ptx_type_bits(d->f->registers[op->reg].type) <= 16;
        }
    }
    m->width = (uint8_t)wide;
    m->sign = load && ptx_type_kind(in->types[0]) == PTX_KIND_SIGNED;
    for (int i = 0; i < count; i++) {
        const struct ptx_operand *op = vector ? &data->elements[i] : data;
        m->reg[i] = load ? result_row(d, op) : source_row(d, op, wide, in->types[0]);
        if (!load && m->reg[i] == NO_ROW)
            return false;
    }
    return wide != 1 && m->bytes > 0;
}

static uop_fn load_handler(struct decoder *d, enum ptx_space space, bool fixed)
{
    switch (space) {
    case PTX_SPACE_GLOBAL:
        return op_ld_global;
    case PTX_SPACE_SHARED:
        return op_ld_shared;
    case PTX_SPACE_SHARED_CLUSTER:
        return op_ld_cluster;
    case PTX_SPACE_LOCAL:
        return op_ld_local;
    case PTX_SPACE_CONST:
        return op_ld_const;
    case PTX_SPACE_PARAM:
        return d->f->is_entry && !fixed ? op_ld_const : fixed ? op_ld_row : op_ld_local;
    case PTX_SPACE_GENERIC:
    case PTX_SPACE_REGISTER:
    case PTX_SPACE_COUNT:
        break;
    }
    return op_ld_generic;
}

static uop_fn store_handler(enum ptx_space space, bool fixed)
{
    if (space == PTX_SPACE_GLOBAL)
        return op_st_global;
    if (space == PTX_SPACE_SHARED)
        return op_st_shared;
    if (space == PTX_SPACE_SHARED_CLUSTER)
        return op_st_cluster;
    if (space == PTX_SPACE_LOCAL)
        return op_st_local;
    return space == PTX_SPACE_PARAM ? fixed ? op_st_row : op_st_local : op_st_generic;
}

// A .param variable of the frame at a fixed place: a row of local memory.
static bool fixed_param(struct decoder *d, const struct ptx_operand *address, struct mem_op *m)
{
    uint32_t at = 0;
    if (m->space != PTX_SPACE_PARAM || address->reg >= 0 ||
        !variable_local(d, address->variable, &at))
        return false;
    m->offset = (int64_t)at + address->offset;
    return true;
}

void address_apart(struct decoder *d, const struct ptx_operand *results,
                   const struct ptx_operand *address, struct mem_op *m)
{
    bool shared = false;
    for (int i = 0; i < results->element_count; i++)
        shared |= address->reg >= 0 && results->elements[i].kind == PTX_OPERAND_REGISTER &&
                  results->elements[i].reg == address->reg;
    if (!shared)
        return;
    uint32_t copy = temp_row(d);
    struct uop *u = emit_always(d, m->base64 ? op_copy64 : op_copy32);
    u->d = copy;
    u->a = m->base;
    u->imm = 0;
    m->base = copy;
}

static bool is_plain(const struct mem_op *m)
{
    return m->bytes == 4 && m->width == 32 && m->vector == 1 && !m->narrow16 && !m->ordered &&
           m->reg[0] != NO_ROW;
}

void decode_ld(struct decoder *d, const struct ptx_instruction *in)
{
    const struct ptx_operand *address = &in->operands[1];
    struct mem_op m = mem_new(d, in, address);
    if (m.base == NO_ROW || !mem_data(d, in, &in->operands[0], true, &m)) {
        unsupported(d, "this form of a load");
        return;
    }
    address_apart(d, &in->operands[0], address, &m);
    bool fixed = fixed_param(d, address, &m);
    m.plain = is_plain(&m);
    uint32_t index = mem_add(d, m);
    struct uop *u = emit(d, load_handler(d, ptx_space_of(in), fixed));
    u->extra = index;
    bool counted = m.space != PTX_SPACE_CONST && m.space != PTX_SPACE_PARAM;
    site_of(d)->access = counted ? SITE_LOAD : SITE_OTHER;
    bool looks = m.ordered && (m.space == PTX_SPACE_GLOBAL || m.space == PTX_SPACE_GENERIC);
    d->program->order_shows |= looks;
    d->program->blocks_meet |= looks;
}

void decode_st(struct decoder *d, const struct ptx_instruction *in)
{
    if (in_has(in, "async")) {
        decode_store_async(d, in);
        return;
    }
    const struct ptx_operand *address = &in->operands[0];
    struct mem_op m = mem_new(d, in, address);
    if (m.base == NO_ROW || in->operand_count < 2 ||
        !mem_data(d, in, &in->operands[1], false, &m)) {
        unsupported(d, "this form of a store");
        return;
    }
    bool fixed = fixed_param(d, address, &m);
    m.plain = is_plain(&m);
    uint32_t index = mem_add(d, m);
    struct uop *u = emit(d, store_handler(ptx_space_of(in), fixed));
    u->extra = index;
    site_of(d)->access = m.space == PTX_SPACE_PARAM ? SITE_OTHER : SITE_STORE;
}

void decode_cp(struct decoder *d, const struct ptx_instruction *in)
{
    if (decode_copy(d, in))
        return;
    if (in->operand_count < 2 || in_has(in, "commit_group") || in_has(in, "wait_group") ||
        in_has(in, "wait_all"))
        return; // copies are done at once
    uint64_t size = in->operand_count > 2 ? in->operands[2].bits : 16;
    if (size != 4 && size != 8 && size != 16) {
        unsupported(d, "a copy of other than 4, 8 or 16 bytes");
        return;
    }
    uint32_t to, take = NO_ROW;
    const struct ptx_operand *skip = NULL; // lanes that ignore their source: zeros
    bool wide;
    int64_t offset;
    struct mem_op m = mem_new(d, in, &in->operands[1]);
    address_of(d, &in->operands[0], &to, &wide, &offset);
    m.space = PTX_SPACE_GLOBAL;
    m.bytes = (uint8_t)size;
    if (in->operand_count > 3) {
        bool flag =
            in->operands[3].kind == PTX_OPERAND_REGISTER && reg_bits(d, in->operands[3].reg) == 1;
        if (flag)
            skip = &in->operands[3];
        else if (!in_has(in, "L2::cache_hint") || in->operand_count > 4)
            take = source_row(d, &in->operands[3], 32, PTX_TYPE_U32);
    }
    uint32_t skip_row = skip != NULL ? source_row(d, skip, 1, PTX_TYPE_PRED) : NO_ROW;
    uint32_t index = mem_add(d, m);
    struct uop *u = emit(d, op_copy_async);
    u->a = skip_row;
    u->extra = index;
    u->b = to;
    u->imm = (uint32_t)offset;
    u->more = wide;
    u->c = take;
    site_of(d)->access = SITE_LOAD;
}

/* ---- atomics ------------------------------------------------------------------------------- */

static const char *const ATOMIC_WORDS[] = {"add", "min", "max", "inc",  "dec",
                                           "and", "or",  "xor", "exch", "cas"};

int atomic_word(const struct ptx_instruction *in)
{
    return word_index(in, ATOMIC_WORDS, COUNT_OF(ATOMIC_WORDS));
}

// The result of an atomic can depend on which block comes first.
static bool atomic_order_shows(const struct decoder *d, const struct ptx_instruction *in,
                               const struct mem_op *m, int kind)
{
    if (m->space == PTX_SPACE_SHARED)
        return false;
    enum ptx_type_kind family = ptx_type_kind(in->types[0]);
    bool is_float = family == PTX_KIND_FLOAT || family == PTX_KIND_PACKED;
    (void)d;
    return !m->reduction || is_float || kind == ATOMIC_INC || kind == ATOMIC_DEC ||
           kind == ATOMIC_EXCH || kind == ATOMIC_CAS || m->bytes == 2 || m->bytes == 16;
}

// NVIDIA's shared memory adds integers of 32 bits by itself. A sum of floats or of 64 bits is a loop: load, add, compare and swap,
// test, branch; of two words two tests, and an integer's sum is two instructions. Every lane whose word another lane has got
// takes another turn.
static uint8_t swap_turn(const struct ptx_instruction *in, const struct mem_op *m, int kind)
{
    enum ptx_type_kind of = ptx_type_kind(in->types[0]);
    bool is_float = of == PTX_KIND_FLOAT || of == PTX_KIND_PACKED;
    if ((m->space != PTX_SPACE_SHARED && m->space != PTX_SPACE_GENERIC) || kind != ATOMIC_ADD ||
        (!is_float && m->bytes != 8))
        return 0;
    if (m->bytes != 8)
        return SWAP_TURN;
    return SWAP_TURN + (is_float ? 1 : 2);
}

void decode_atomic(struct decoder *d, const struct ptx_instruction *in)
{
    bool red = in->opcode == PTX_OP_RED;
    int at = red ? 0 : 1;
    int kind = atomic_word(in);
    bool results = !red && in->operands[0].kind == PTX_OPERAND_VECTOR;
    if (in_has(in, "async") && red) {
        decode_store_async(d, in);
        return;
    }
    const struct ptx_operand *to = &in->operands[0];
    if (in_has(in, "async") || kind < 0 || in->type_count == 0 || in->operand_count < at + 2 ||
        (!red && !results && to->kind != PTX_OPERAND_REGISTER && to->kind != PTX_OPERAND_SINK)) {
        unsupported(d, "this form of an atomic");
        return;
    }
    struct mem_op m = mem_new(d, in, &in->operands[at]);
    unsigned width = m.bytes == 16 ? 128 : m.bytes == 8 ? 64 : 32;
    const struct ptx_operand *b = &in->operands[at + 1];
    bool vector = b->kind == PTX_OPERAND_VECTOR;
    m.vector = vector ? (uint8_t)b->element_count : 1;
    for (int i = 0; i < m.vector && i < VECTOR_MAX; i++)
        m.reg[i] = source_row(d, vector ? &b->elements[i] : b, width, in->types[0]);
    m.width = (uint8_t)width;
    for (int i = 0; i < m.vector && results && i < to->element_count; i++)
        m.result[i] = result_row(d, &to->elements[i]);
    m.results = results;
    if (results)
        address_apart(d, to, &in->operands[at], &m);
    m.reduction = red || to->kind == PTX_OPERAND_SINK || (!results && d->read[to->reg] == 0);
    m.increment = m.reduction && kind == ATOMIC_ADD && m.bytes == 4 && !vector &&
                  b->kind == PTX_OPERAND_IMMEDIATE && b->bits == 1 &&
                  ptx_type_kind(in->types[0]) != PTX_KIND_FLOAT &&
                  ptx_type_kind(in->types[0]) != PTX_KIND_PACKED;
    site_of(d)->swap_turn = swap_turn(in, &m, kind);
    uint32_t c = in->operand_count > at + 2 && kind == ATOMIC_CAS
                     ? source_row(d, &in->operands[at + 2], width, in->types[0])
                     : (uint32_t)ALWAYS;
    uint32_t index = mem_add(d, m);
    struct uop *u = emit(d, m.space == PTX_SPACE_SHARED   ? op_atomic_shared
                            : m.space == PTX_SPACE_GLOBAL ? op_atomic_global
                                                          : op_atomic_generic);
    u->extra = index;
    u->d = m.reduction || results ? NO_ROW : result_row(d, to);
    u->b = m.reg[0];
    u->c = c;
    u->imm = (uint32_t)kind;
    u->more = in->types[0];
    site_of(d)->access = SITE_ATOMIC;
    d->program->order_shows |= atomic_order_shows(d, in, &m, kind);
    d->program->blocks_meet |= !m.reduction && m.space != PTX_SPACE_SHARED;
}
