// Matrix instructions to micro-ops: each has a struct matrix_op that says which registers hold which
// elements.
// SPDX-License-Identifier: Apache-2.0
#include "sim/decode/decode.h"
#include "sim/run/tensor.h"

#include <stdlib.h>

/* ---- shapes and fragments ---------------------------------------------------------------------- */

// From the word m16n8k16.
static bool shape_of(const struct ptx_instruction *in, struct matrix_op *op)
{
    uint16_t *const sizes[] = {&op->m, &op->n, &op->k};
    for (int i = 0; i < in->word_count; i++) {
        const char *at = in->words[i];
        int axis = 0;
        for (; axis < 3 && *at == "mnk"[axis] && at[1] >= '0' && at[1] <= '9'; axis++) {
            char *end;
            *sizes[axis] = (uint16_t)strtoul(at + 1, &end, 10);
            at = end;
        }
        if (axis == 3)
            return true;
    }
    return false;
}

static uint32_t matrix_add(struct decoder *d, struct matrix_op op)
{
    struct program *p = d->program;
    VEC_PUSH(p->matrix_ops, p->matrix_count, p->matrix_capacity, op);
    return (uint32_t)(p->matrix_count - 1);
}

static void fragment_table(struct decoder *d, struct fragment *f)
{
    unsigned parts = f->wide / f->bits;
    uint16_t *at = ARENA_ARRAY(&d->program->arena, uint16_t, (size_t)f->count * LANES * parts + 1);
    for (unsigned r = 0; r < f->count; r++)
        for (uint32_t lane = 0; lane < LANES; lane++)
            for (unsigned part = 0; part < parts; part++) {
                unsigned row, column;
                fragment_place(f, r, part, lane, &row, &column);
                at[(r * LANES + lane) * parts + part] = (uint16_t)(row * f->columns + column);
            }
    f->at = at;
}

// Whole tiles, no more of them than the interpreter has room for.
static bool fragment_fits(const struct fragment *f)
{
    unsigned tile = f->role == MATRIX_B ? 4u * f->wide / f->bits : 8;
    unsigned rows = f->role == MATRIX_B ? MATRIX_K : MATRIX_M;
    unsigned columns = f->role == MATRIX_A ? MATRIX_K : MATRIX_N;
    return f->rows % tile == 0 && f->rows <= rows && f->columns <= columns &&
           (unsigned)f->rows * f->columns * (f->bits == 64 ? 2 : 1) <= rows * columns;
}

// The registers of an operand as a fragment of a matrix of f->rows by f->columns; false if there are
// too few of them, or of another width.
static bool fragment_of(struct decoder *d, const struct ptx_operand *op, enum ptx_type type,
                        bool result, struct fragment *f)
{
    bool vector = op->kind == PTX_OPERAND_VECTOR;
    int count = vector ? op->element_count : 1;
    f->type = type;
    f->bits = type == PTX_TYPE_B1 ? 32 : (uint8_t)ptx_type_bits(type);
    f->wide = f->bits == 64 ? 64 : 32;
    f->count = (uint16_t)count;
    uint32_t *row = ARENA_ARRAY(&d->program->arena, uint32_t, count + 1);
    f->row = row;
    for (int i = 0; i < count; i++) {
        const struct ptx_operand *e = vector ? &op->elements[i] : op;
        if (result && (e->kind != PTX_OPERAND_REGISTER || reg_bits(d, e->reg) != f->wide))
            return false;
        row[i] = result ? result_row(d, e) : source_row(d, e, f->wide, type);
        if (row[i] == NO_ROW)
            return false;
    }
    unsigned bits = (unsigned)f->rows * f->columns * f->bits, whole = LANES * f->wide;
    unsigned needs = bits / whole;
    if (f->bits == 0 || bits % whole != 0 || needs == 0 || f->count % needs != 0 ||
        !fragment_fits(f))
        return false;
    fragment_table(d, f);
    return true;
}

static void fragment_shapes(struct matrix_op *op, bool words)
{
    uint16_t k = words ? op->k / 32 : op->k;
    op->a = (struct fragment){.role = MATRIX_A, .rows = op->m, .columns = k};
    op->b = (struct fragment){.role = MATRIX_B, .rows = k, .columns = op->n};
    op->c = (struct fragment){.role = MATRIX_C, .rows = op->m, .columns = op->n};
    op->d = op->c;
}

static bool is_matrix_type(enum ptx_type t)
{
    return t == PTX_TYPE_F16 || t == PTX_TYPE_BF16 || t == PTX_TYPE_TF32 || t == PTX_TYPE_F64 ||
           t == PTX_TYPE_E4M3 || t == PTX_TYPE_E5M2 || t == PTX_TYPE_S8 || t == PTX_TYPE_U8 ||
           t == PTX_TYPE_S4 || t == PTX_TYPE_U4 || t == PTX_TYPE_B1;
}

static enum ptx_type sum_type(enum ptx_type factor)
{
    if (factor == PTX_TYPE_F64)
        return PTX_TYPE_F64;
    return ptx_type_kind(factor) == PTX_KIND_FLOAT ? PTX_TYPE_F32 : PTX_TYPE_S32;
}

// Factors and sums are of one family: all f64, other floats, integers, or bits with integers.
static bool types_agree(enum ptx_type d, enum ptx_type a, enum ptx_type b, enum ptx_type c)
{
    enum ptx_type sum = sum_type(a);
    bool half = sum == PTX_TYPE_F32;
    return is_matrix_type(a) && is_matrix_type(b) && sum_type(b) == sum &&
           (a == PTX_TYPE_B1) == (b == PTX_TYPE_B1) && ptx_type_bits(a) == ptx_type_bits(b) &&
           (d == sum || (half && d == PTX_TYPE_F16)) && (c == sum || (half && c == PTX_TYPE_F16));
}

static void note_tensor_flops(struct decoder *d, const struct matrix_op *op)
{
    site_of(d)->tensor_flops = 2u * op->m * op->n * op->k;
}

/* ---- products -------------------------------------------------------------------------------- */

// types: of d, a, b, c.
static void decode_product(struct decoder *d, const struct ptx_instruction *in,
                           struct matrix_op *op, const enum ptx_type types[4])
{
    bool bits = types[1] == PTX_TYPE_B1;
    fragment_shapes(op, bits);
    op->satfinite = in_has(in, "satfinite");
    op->bit_and = in_has(in, "and");
    bool ok = types_agree(types[0], types[1], types[2], types[3]) && in->operand_count >= 4 &&
              fragment_of(d, &in->operands[1], types[1], false, &op->a) &&
              fragment_of(d, &in->operands[2], types[2], false, &op->b) &&
              fragment_of(d, &in->operands[3], types[3], false, &op->c) &&
              fragment_of(d, &in->operands[0], types[0], true, &op->d);
    if (!ok) {
        unsupported(d, "a product of this shape and these types");
        return;
    }
    note_tensor_flops(d, op);
    uint32_t index = matrix_add(d, *op);
    emit(d, op_mma)->more = index;
}

// m8n8k4 of halves: two registers of a and b, and an order of its own.
static void decode_quads(struct decoder *d, const struct ptx_instruction *in, struct matrix_op *op)
{
    struct fragment *const f[4] = {&op->d, &op->a, &op->b, &op->c};
    bool ok = op->n == 8 && in->types[2] == PTX_TYPE_F16 && in->operand_count >= 4 &&
              types_agree(in->types[0], PTX_TYPE_F16, PTX_TYPE_F16, in->types[3]);
    bool *by_column = &op->a_by_column;
    for (int i = 0; i < in->word_count; i++) {
        bool column = strcmp(in->words[i], "col") == 0;
        if (!column && strcmp(in->words[i], "row") != 0)
            continue;
        *by_column = column;
        by_column = &op->b_by_column;
    }
    for (int i = 0; i < 4 && ok; i++) {
        const struct ptx_operand *o = &in->operands[i];
        int needs = i == 1 || i == 2 ? 2 : in->types[i] == PTX_TYPE_F16 ? 4 : 8;
        uint32_t *row = ARENA_ARRAY(&d->program->arena, uint32_t, needs);
        f[i]->type = in->types[i];
        f[i]->row = row;
        ok = o->kind == PTX_OPERAND_VECTOR && o->element_count == needs;
        for (int j = 0; j < needs && ok; j++) {
            row[j] = i == 0 ? result_row(d, &o->elements[j])
                            : source_row(d, &o->elements[j], 32, in->types[i]);
            ok = row[j] != NO_ROW;
        }
    }
    if (!ok) {
        unsupported(d, "a product of this shape and these types");
        return;
    }
    site_of(d)->tensor_flops = 4 * 2 * 8 * 8 * 4;
    uint32_t index = matrix_add(d, *op);
    emit(d, op_mma_quads)->more = index;
}

void decode_mma(struct decoder *d, const struct ptx_instruction *in)
{
    struct matrix_op op = {.stride = NO_ROW};
    if (in_has(in, "sp") || in_has(in, "sp::ordered_metadata")) {
        unsupported(d, "sparse matrices are not simulated");
        return;
    }
    if (!shape_of(in, &op) || in->type_count != 4) {
        unsupported(d, "a product of this shape and these types");
        return;
    }
    if (op.m == 8 && op.k == 4 && in->types[1] == PTX_TYPE_F16)
        decode_quads(d, in, &op);
    else
        decode_product(d, in, &op, in->types);
}

/* ---- wmma ------------------------------------------------------------------------------------ */

static void decode_wmma_memory(struct decoder *d, const struct ptx_instruction *in,
                               struct matrix_op *op)
{
    op->store = in_has(in, "store");
    enum ptx_type type = in->types[0];
    fragment_shapes(op, type == PTX_TYPE_B1);
    const struct fragment *kind = in_has(in, "a") ? &op->a : in_has(in, "b") ? &op->b : &op->c;
    op->d = *kind;
    op->by_column = in_has(in, "col");
    if (in->operand_count < 2) {
        unsupported(d, "this form of wmma");
        return;
    }
    const struct ptx_operand *data = &in->operands[op->store ? 1 : 0];
    bool ok = fragment_of(d, data, type, !op->store, &op->d);
    // Sub-byte elements can't be distinguished in memory: only along k.
    ok = ok && (op->d.bits >= 8 || op->by_column == (op->d.role == MATRIX_B));
    if (!ok) {
        unsupported(d, "a matrix of this shape and type");
        return;
    }
    if (in->operand_count > 2)
        op->stride = source_row(d, &in->operands[2], 32, PTX_TYPE_U32);
    struct mem_op m = mem_new(d, in, &in->operands[op->store ? 0 : 1]);
    address_apart(d, &in->operands[0], &in->operands[op->store ? 0 : 1], &m);
    m.bytes = 4; // of an access, more or less
    uint32_t memory = mem_add(d, m), index = matrix_add(d, *op);
    struct uop *u = emit(d, op_wmma_memory);
    u->extra = memory;
    u->more = index;
    site_of(d)->access = op->store ? SITE_STORE : SITE_LOAD;
    site_of(d)->loads_matrix = ptx_type_bits(in->types[0]) == 16;
}

void decode_wmma(struct decoder *d, const struct ptx_instruction *in)
{
    struct matrix_op op = {.stride = NO_ROW};
    if (!shape_of(in, &op) || in->type_count == 0) {
        unsupported(d, "this form of wmma");
        return;
    }
    if (!in_has(in, "mma")) {
        decode_wmma_memory(d, in, &op);
        return;
    }
    enum ptx_type types[4] = {in->types[0], PTX_TYPE_F16, PTX_TYPE_F16, PTX_TYPE_NONE};
    if (in->type_count == 4)
        memcpy(types, in->types, sizeof(types));
    else
        types[3] = in->types[in->type_count - 1]; // .f32.f16: d and c of halves
    decode_product(d, in, &op, types);
}

/* ---- ldmatrix, stmatrix, movmatrix --------------------------------------------------------------- */

void decode_ldmatrix(struct decoder *d, const struct ptx_instruction *in)
{
    struct matrix_op op = {.stride = NO_ROW};
    op.store = in->opcode == PTX_OP_STMATRIX;
    op.transposed = in_has(in, "trans");
    unsigned count = in_has(in, "x4") ? 4 : in_has(in, "x2") ? 2 : 1;
    op.d = (struct fragment){.role = MATRIX_A, .rows = 8, .columns = (uint16_t)(8 * count)};
    bool ok = in->operand_count == 2 && in->type_count == 1 && in->types[0] == PTX_TYPE_B16 &&
              in_has(in, "m8n8") &&
              fragment_of(d, &in->operands[op.store ? 1 : 0], PTX_TYPE_B16, !op.store, &op.d) &&
              op.d.count == count;
    if (!ok) {
        unsupported(d, "matrices of this shape and type");
        return;
    }
    struct mem_op m = mem_new(d, in, &in->operands[op.store ? 0 : 1]);
    address_apart(d, &in->operands[0], &in->operands[op.store ? 0 : 1], &m);
    m.bytes = 16;
    uint32_t memory = mem_add(d, m), index = matrix_add(d, op);
    struct uop *u = emit(d, op_ldmatrix);
    u->extra = memory;
    u->more = index;
    site_of(d)->access = op.store ? SITE_STORE : SITE_LOAD;
    site_of(d)->loads_matrix = true;
}

void decode_movmatrix(struct decoder *d, const struct ptx_instruction *in)
{
    uint32_t from = source_row(d, &in->operands[1], 32, PTX_TYPE_B32);
    struct uop *u = emit(d, op_movmatrix);
    u->d = result_row(d, &in->operands[0]);
    u->a = from;
}

/* ---- wgmma ----------------------------------------------------------------------------------- */

// Operands behind b: whether d is added to, signs of a and b, whether they lie by columns.
static bool wgmma_options(struct decoder *d, const struct ptx_instruction *in, int from,
                          struct matrix_op *op)
{
    bool half = op->b.type == PTX_TYPE_F16 || op->b.type == PTX_TYPE_BF16;
    bool is_float = ptx_type_kind(op->b.type) == PTX_KIND_FLOAT;
    int left = in->operand_count - from;
    if (left > 0) {
        struct ptx_operand keep = in->operands[from];
        op->keep_flip = keep.kind == PTX_OPERAND_REGISTER && keep.negated;
        keep.negated = keep.negated && !op->keep_flip;
        op->keep_row = source_row(d, &keep, 1, PTX_TYPE_PRED);
    }
    bool *const by_column[] = {&op->a_by_column, &op->b_by_column};
    int transposes = !half ? 0 : op->a_from == FROM_SHARED ? 2 : 1;
    if (!is_float)
        return left <= 1;
    if (left != 3 + transposes)
        return false;
    for (int i = from + 1; i < in->operand_count; i++)
        if (in->operands[i].kind != PTX_OPERAND_IMMEDIATE)
            return false;
    op->negate_a = (int64_t)in->operands[from + 1].bits < 0;
    op->negate_b = (int64_t)in->operands[from + 2].bits < 0;
    for (int i = 0; i < transposes; i++)
        *by_column[2 - transposes + i] = in->operands[from + 3 + i].bits != 0;
    return true;
}

void decode_wgmma(struct decoder *d, const struct ptx_instruction *in)
{
    if (in_has(in, "commit_group"))
        emit(d, op_wgmma_commit);
    if (in_has(in, "wait_group"))
        emit(d, op_wgmma_wait)->imm = in->operand_count > 0 ? (uint32_t)in->operands[0].bits : 0;
    if (!in_has(in, "mma_async"))
        return; // fence: nothing runs while others do
    struct matrix_op op = {.stride = NO_ROW, .keep_row = NO_ROW};
    if (in_has(in, "sp")) {
        unsupported(d, "sparse matrices are not simulated");
        return;
    }
    bool ok = shape_of(in, &op) && in->type_count == 3 && op.m == 64 && op.n <= MATRIX_N &&
              op.n % 8 == 0 && op.n > 0 && in->operand_count >= 3 &&
              types_agree(in->types[0], in->types[1], in->types[2], in->types[0]) &&
              ptx_type_bits(in->types[1]) >= 8 && op.k * ptx_type_bits(in->types[1]) == 256 &&
              in->types[1] != PTX_TYPE_F64;
    op.m = 16; // a warp's share
    fragment_shapes(&op, false);
    op.b.type = ok ? in->types[2] : PTX_TYPE_NONE;
    const struct ptx_operand *a = &in->operands[1];
    op.a_from = a->kind == PTX_OPERAND_VECTOR ? FROM_REGISTERS : FROM_SHARED;
    op.satfinite = in_has(in, "satfinite");
    if (ok && op.a_from == FROM_REGISTERS)
        ok = fragment_of(d, a, in->types[1], false, &op.a);
    else if (ok)
        op.a.type = in->types[1], op.a_row = source_row(d, a, 64, PTX_TYPE_U64);
    ok = ok && fragment_of(d, &in->operands[0], in->types[0], true, &op.d);
    if (ok)
        op.b_row = source_row(d, &in->operands[2], 64, PTX_TYPE_U64);
    if (!ok || !wgmma_options(d, in, 3, &op)) {
        unsupported(d, "a product of this shape and these types");
        return;
    }
    note_tensor_flops(d, &op);
    uint32_t index = matrix_add(d, op);
    emit(d, op_wgmma)->more = index;
}
