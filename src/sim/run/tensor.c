// Matrix instructions as a warp runs them: fragments are gathered from registers or memory into whole
// matrices, multiplied, and spread again. All are .aligned: every lane of the warp takes part.
// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/events.h"
#include "sim/run/tensor.h"

void fragment_place(const struct fragment *f, unsigned r, unsigned part, uint32_t lane,
                    unsigned *row, unsigned *column)
{
    unsigned group = lane / 4, own = lane % 4, parts = f->wide / f->bits;
    if (f->role == MATRIX_B) { // as A of the transposed matrix, tiles along k first
        unsigned down = f->rows / (4 * parts);
        *row = r % down * 4 * parts + own * parts + part;
        *column = r / down * 8 + group;
        return;
    }
    unsigned down = f->rows / 8;
    if (f->role == MATRIX_C && parts == 1) { // pairs of registers side by side
        part = r % 2, r /= 2;
        parts = 2;
    }
    *row = r % down * 8 + group;
    *column = r / down * 4 * parts + own * parts + part;
}

// Registers that hold the matrix once.
static unsigned fragment_needs(const struct fragment *f)
{
    unsigned needs = (unsigned)f->rows * f->columns * f->bits / (LANES * f->wide);
    return needs < f->count ? needs : f->count;
}

void whole_warp(struct warp *w, const struct uop *u, uint32_t mask)
{
    if (mask != ALL_LANES)
        violation_add(w, SIM_SHUFFLE_MASK, u->site, (uint32_t)lane_first(mask), 0,
                      "runs a matrix instruction with %d of the warp's 32 lanes: all must",
                      lane_count(mask));
}

/* ---- products -------------------------------------------------------------------------------- */

enum family { FAMILY_FLOAT, FAMILY_DOUBLE, FAMILY_INTEGER, FAMILY_BITS };

static enum family family_of(enum ptx_type type)
{
    if (type == PTX_TYPE_F64)
        return FAMILY_DOUBLE;
    if (type == PTX_TYPE_B1)
        return FAMILY_BITS;
    return ptx_type_kind(type) == PTX_KIND_FLOAT ? FAMILY_FLOAT : FAMILY_INTEGER;
}

static int32_t integer_value(enum ptx_type type, uint32_t raw)
{
    unsigned shift = 32 - (unsigned)ptx_type_bits(type);
    return ptx_type_kind(type) == PTX_KIND_SIGNED ? (int32_t)(raw << shift) >> shift
                                                  : (int32_t)(raw << shift >> shift);
}

static void gather_register(const struct fragment *f, union elements to, const uint16_t *at,
                            const uint32_t *raw)
{
    unsigned parts = f->wide / f->bits, bits = f->bits;
    if (bits == 32) {
        for (unsigned lane = 0; lane < LANES; lane++)
            to.i[at[lane]] = (int32_t)(f->type == PTX_TYPE_TF32 ? raw[lane] & ~0x1fffu : raw[lane]);
        return;
    }
    if (f->type == PTX_TYPE_BF16 || f->type == PTX_TYPE_F16) {
        float value[2 * LANES];
        for (unsigned lane = 0; lane < LANES; lane++) {
            bool half = f->type == PTX_TYPE_F16;
            uint32_t low = raw[lane] & 0xffff, high = raw[lane] >> 16;
            value[2 * lane] = half ? tensor_value(PTX_TYPE_F16, low) : tensor_bf16(low);
            value[2 * lane + 1] = half ? tensor_value(PTX_TYPE_F16, high) : tensor_bf16(high);
        }
        for (unsigned i = 0; i < 2 * LANES; i++)
            to.f[at[i]] = value[i];
        return;
    }
    bool is_float = ptx_type_kind(f->type) == PTX_KIND_FLOAT;
    uint32_t low = (1u << bits) - 1;
    for (unsigned lane = 0; lane < LANES; lane++)
        for (unsigned part = 0; part < parts; part++) {
            uint32_t value = raw[lane] >> part * bits & low;
            if (is_float)
                to.f[at[parts * lane + part]] = tensor_value(f->type, value);
            else
                to.i[at[parts * lane + part]] = integer_value(f->type, value);
        }
}

void fragment_gather(const struct warp *w, const struct fragment *f, union elements to)
{
    unsigned parts = f->wide / f->bits, needs = fragment_needs(f);
    for (unsigned r = 0; r < needs; r++) {
        const uint16_t *at = f->at + (size_t)r * LANES * parts;
        if (f->wide == 32) {
            gather_register(f, to, at, row32(w, f->row[r]));
            continue;
        }
        for (unsigned lane = 0; lane < LANES; lane++)
            memcpy(&to.d[at[lane]], row64(w, f->row[r]) + lane, sizeof(double));
    }
}

void fragment_spread(struct warp *w, const struct fragment *f, union elements from, uint32_t mask)
{
    unsigned parts = f->wide / f->bits;
    for (unsigned r = 0; r < f->count; r++) {
        const uint16_t *at = f->at + (size_t)r * LANES * parts;
        if (mask == ALL_LANES && f->wide == 32 && f->type != PTX_TYPE_F16) {
            for (unsigned lane = 0; lane < LANES; lane++)
                row32(w, f->row[r])[lane] = (uint32_t)from.i[at[lane]];
            continue;
        }
        EACH_LANE(lane, mask)
        {
            if (f->wide == 64)
                memcpy(row64(w, f->row[r]) + lane, &from.d[at[lane]], sizeof(double));
            else if (f->type == PTX_TYPE_F16)
                row32(w, f->row[r])[lane] = tensor_raw(f->type, from.f[at[2 * lane]]) |
                                            tensor_raw(f->type, from.f[at[2 * lane + 1]]) << 16;
            else
                row32(w, f->row[r])[lane] = (uint32_t)from.i[at[lane]];
        }
    }
}

void matrices_multiply(const struct warp *w, struct matrices *x, const struct matrix_op *op)
{
    switch (family_of(op->a.type)) {
    case FAMILY_FLOAT:
        w->core->multiply(x, tensor_rounding(w->core->launch->gpu, op->a.type),
                          op->d.type == PTX_TYPE_F16);
        return;
    case FAMILY_DOUBLE:
        tensor_multiply_double(x);
        return;
    case FAMILY_INTEGER:
        tensor_multiply_integer(x, op->satfinite);
        return;
    case FAMILY_BITS:
        x->k /= 32;
        tensor_multiply_bits(x, op->bit_and);
        return;
    }
}

// mma and wmma.mma. more: struct matrix_op.
const struct uop *op_mma(struct warp *w, const struct uop *u)
{
    const struct matrix_op *op = &w->core->launch->program->matrix_ops[u->more];
    uint32_t mask = guard_mask(w, u);
    if (mask == 0)
        return u + 1;
    whole_warp(w, u, mask);
    struct matrices x;
    matrices_init(&x, op->m, op->n, op->k);
    fragment_gather(w, &op->a, x.a);
    fragment_gather(w, &op->b, x.b);
    fragment_gather(w, &op->c, x.c);
    matrices_multiply(w, &x, op);
    fragment_spread(w, &op->d, x.c, mask);
    return u + 1;
}

// Where an element of an 8x8 result lies in m8n8k4: lane's share i; lanes 16 to 31 have the lower half.
static unsigned quad_place(const struct fragment *f, unsigned i, uint32_t lane)
{
    unsigned lower = lane >= 16 ? 4 : 0;
    if (f->type == PTX_TYPE_F16)
        return (lane % 4 + lower) * 8 + i;
    return ((lane & 1) + (i & 2) + lower) * 8 + (i & 4) + (lane & 2) + (i & 1);
}

static float half_at(const struct warp *w, const struct fragment *f, unsigned i, uint32_t lane)
{
    return tensor_value(PTX_TYPE_F16, row32(w, f->row[i / 2])[lane] >> i % 2 * 16);
}

static void quad_gather(const struct warp *w, const struct matrix_op *op, uint32_t lane,
                        struct matrices *x)
{
    unsigned lower = lane >= 16 ? 4 : 0, own = lane % 4;
    for (unsigned i = 0; i < 4; i++) {
        x->a.f[op->a_by_column ? (i + lower) * 4 + own : (own + lower) * 4 + i] =
            half_at(w, &op->a, i, lane);
        x->b.f[op->b_by_column ? i * 8 + own + lower : own * 8 + i + lower] =
            half_at(w, &op->b, i, lane);
    }
    for (unsigned i = 0; i < 8; i++)
        x->c.f[quad_place(&op->c, i, lane)] =
            op->c.type == PTX_TYPE_F16 ? half_at(w, &op->c, i, lane)
                                       : tensor_value(PTX_TYPE_F32, row32(w, op->c.row[i])[lane]);
}

// mma.m8n8k4 of halves: four products, each of lanes 4 q to 4 q + 3 and those 16 further on.
const struct uop *op_mma_quads(struct warp *w, const struct uop *u)
{
    const struct matrix_op *op = &w->core->launch->program->matrix_ops[u->more];
    uint32_t mask = guard_mask(w, u);
    if (mask == 0)
        return u + 1;
    whole_warp(w, u, mask);
    bool half = op->d.type == PTX_TYPE_F16;
    for (unsigned quad = 0; quad < 4; quad++) {
        struct matrices x;
        uint32_t lanes = 0x000f000fu << 4 * quad;
        matrices_init(&x, 8, 8, 4);
        EACH_LANE(lane, lanes)
        {
            quad_gather(w, op, lane, &x);
        }
        matrices_multiply(w, &x, op);
        EACH_LANE(lane, lanes & mask)
        {
            for (unsigned i = 0; i < 8; i++) {
                uint32_t raw = tensor_raw(op->d.type, x.c.f[quad_place(&op->d, i, lane)]);
                uint32_t *to = row32(w, op->d.row[half ? i / 2 : i]) + lane;
                *to = !half ? raw : i % 2 == 0 ? raw : (*to & 0xffff) | raw << 16;
            }
        }
    }
    return u + 1;
}

// movmatrix: an 8x8 matrix of 16-bit elements, transposed across the warp.
const struct uop *op_movmatrix(struct warp *w, const struct uop *u)
{
    uint32_t mask = guard_mask(w, u), from[LANES];
    if (mask == 0)
        return u + 1;
    whole_warp(w, u, mask);
    memcpy(from, row32(w, u->a), ROW32);
    EACH_LANE(lane, mask)
    {
        uint32_t low = from[lane % 4 * 8 + lane / 8], high = from[lane % 4 * 8 + 4 + lane / 8];
        unsigned shift = lane / 4 % 2 * 16;
        row32(w, u->d)[lane] = (low >> shift & 0xffff) | (high >> shift & 0xffff) << 16;
    }
    return u + 1;
}

/* ---- memory ---------------------------------------------------------------------------------- */

// One access of up to 16 bytes per lane, in whichever space the addresses lie: counted, checked, and
// where the bytes are on the host. false after a violation.
static bool lanes_access(struct warp *w, const struct uop *u, uint32_t mask,
                         const uint64_t *address, unsigned bytes, bool store, uint8_t **host)
{
    const struct mem_op *m = &w->core->launch->program->mem_ops[u->extra];
    struct sm *sm = w->block->sm;
    uint64_t first = address[lane_first(mask)];
    bool generic = m->space == PTX_SPACE_GENERIC;
    bool shared =
        m->space == PTX_SPACE_SHARED || (generic && address_space(first) == PTX_SPACE_SHARED);
    sm->changes += store;
    if (!shared) {
        if (global_account(w, u, mask, address, bytes, store ? TOUCH_WRITE : TOUCH_READ) == NULL)
            return false;
        EACH_LANE(lane, mask)
        {
            host[lane] = space_host(&w->core->launch->sim->space, address[lane]);
        }
        return true;
    }
    uint32_t offset[LANES];
    for (int i = 0; i < LANES; i++)
        offset[i] = (uint32_t)(address[i] - (generic ? SHARED_WINDOW : 0));
    if (generic)
        w->core->mem[u->extra].mask = 0; // the pattern is of one space
    if (shared_account(w, u, mask, offset, 0, bytes, store ? SHARED_STORE : SHARED_LOAD) == NULL)
        return false;
    EACH_LANE(lane, mask)
    {
        host[lane] = w->block->shared + offset[lane];
    }
    return true;
}

static uint64_t lane_address(const struct warp *w, const struct mem_op *m, uint32_t lane)
{
    uint64_t base = m->base64 ? row64(w, m->base)[lane] : row32(w, m->base)[lane];
    return base + (uint64_t)m->offset;
}

// Elements of a register (two registers where these hold neighbours of a row) that one access moves.
struct piece {
    unsigned registers, elements, bytes; // of an element; bits of sub-byte ones are taken together
    bool joined;                         // neighbours in memory too
};

static struct piece piece_of(const struct matrix_op *op, const struct fragment *f)
{
    struct piece p = {.registers = 1, .elements = f->wide / f->bits, .bytes = f->bits / 8u};
    if (f->bits < 8)
        return (struct piece){.registers = 1, .elements = 1, .bytes = 4, .joined = true};
    bool along_rows = f->role == MATRIX_B; // B's parts lie below each other
    p.joined = along_rows == op->by_column;
    if (f->role == MATRIX_C && p.elements == 1 && !op->by_column)
        p.registers = p.elements = 2;
    p.joined = p.joined || p.elements == 1;
    return p;
}

static void piece_move(struct warp *w, const struct fragment *f, const struct piece *p, unsigned r,
                       unsigned element, uint32_t lane, uint8_t *at, bool store)
{
    unsigned count = p->joined ? p->elements : 1;
    unsigned bytes = count * p->bytes / p->registers, skip = element * p->bytes;
    for (unsigned i = 0; i < p->registers; i++) {
        uint8_t *reg = f->wide == 64 ? (uint8_t *)(row64(w, f->row[r + i]) + lane)
                                     : (uint8_t *)(row32(w, f->row[r + i]) + lane);
        if (store)
            memcpy(at + (size_t)i * bytes, reg + skip, bytes);
        else
            memcpy(reg + skip, at + (size_t)i * bytes, bytes);
    }
}

static uint64_t element_offset(const struct matrix_op *op, const struct fragment *f, unsigned r,
                               unsigned part, uint32_t lane, uint64_t stride)
{
    unsigned row, column;
    fragment_place(f, r, part, lane, &row, &column);
    uint64_t index = op->by_column ? column * stride + row : row * stride + column;
    return index * f->bits / 8;
}

// wmma.load and wmma.store. extra: struct mem_op of the base, more: struct matrix_op, whose d is the
// fragment.
const struct uop *op_wmma_memory(struct warp *w, const struct uop *u)
{
    const struct program *program = w->core->launch->program;
    const struct matrix_op *op = &program->matrix_ops[u->more];
    const struct mem_op *m = &program->mem_ops[u->extra];
    const struct fragment *f = &op->d;
    uint32_t mask = guard_mask(w, u);
    if (mask == 0)
        return u + 1;
    whole_warp(w, u, mask);
    struct piece p = piece_of(op, f);
    unsigned needs = fragment_needs(f), steps = p.joined ? 1 : p.elements;
    for (unsigned r = 0; r < needs; r += p.registers)
        for (unsigned step = 0; step < steps; step++) {
            uint64_t address[LANES];
            uint8_t *host[LANES];
            for (uint32_t lane = 0; lane < LANES; lane++) {
                uint64_t packed = op->by_column ? f->rows : f->columns;
                uint64_t stride = op->stride != NO_ROW ? row32(w, op->stride)[lane] /
                                                             (f->type == PTX_TYPE_B1 ? 32 : 1)
                                                       : packed;
                address[lane] =
                    lane_address(w, m, lane) + element_offset(op, f, r, step, lane, stride);
            }
            unsigned bytes = p.joined ? p.elements * p.bytes : p.bytes;
            if (!lanes_access(w, u, mask, address, bytes, op->store, host))
                return warp_stop(w, u);
            EACH_LANE(lane, mask)
            {
                piece_move(w, f, &p, r, step, lane, host[lane], op->store);
            }
        }
    for (unsigned r = needs; r < f->count && !op->store; r++)
        w->core->lanes->blend32(row32(w, f->row[r]), row32(w, f->row[r % needs]), mask);
    w->pc = u + 1;
    return NULL;
}

// Passes of one 8x8 matrix through shared memory: rows of 16 bytes in the same four banks take turns.
static int matrix_passes(const uint32_t *offset)
{
    int most = 1;
    for (int i = 0; i < 8; i++) {
        int turns = 1;
        for (int j = 0; j < i; j++) {
            bool repeated = false;
            for (int k = 0; k < j; k++)
                repeated |= offset[k] == offset[j];
            turns += !repeated && offset[j] != offset[i] && (offset[j] ^ offset[i]) / 16 % 8 == 0;
        }
        most = turns > most ? turns : most;
    }
    return most;
}

static bool rows_account(struct warp *w, const struct uop *u, const struct matrix_op *op,
                         const uint32_t *offset)
{
    const struct launch *l = w->core->launch;
    struct mem_state *s = &w->core->mem[u->extra];
    uint32_t rows = op->d.count * 8u, mask = rows == LANES ? ALL_LANES : (1u << rows) - 1;
    int passes = 0;
    EACH_LANE(lane, mask)
    {
        if (offset[lane] % 16 == 0 && (uint64_t)offset[lane] + 16 <= l->shared_bytes)
            continue;
        violation_shared(w, u, mask, offset, 0, 16, op->store ? TOUCH_WRITE : TOUCH_READ);
        return false;
    }
    for (uint32_t first = 0; first < rows; first += 8)
        passes += matrix_passes(offset + first);
    count_shared(s, (struct wavefronts){.count = passes, .ideal = (int)rows / 8});
    w->block->sm->changes += op->store;
    if (is_heard(w, EVENT_SHARED))
        event_send(w, &(struct event){.kind = EVENT_SHARED,
                                      .u = u,
                                      .mask = mask,
                                      .touch = op->store ? TOUCH_WRITE : TOUCH_READ,
                                      .bytes = 16,
                                      .offset = offset,
                                      .passes = (unsigned)passes});
    return true;
}

// ldmatrix and stmatrix: d's registers are 8x8 matrices; lane 8 i + j has the address of row j of
// matrix i, in shared memory or of its window.
const struct uop *op_ldmatrix(struct warp *w, const struct uop *u)
{
    const struct program *program = w->core->launch->program;
    const struct matrix_op *op = &program->matrix_ops[u->more];
    const struct mem_op *m = &program->mem_ops[u->extra];
    uint32_t mask = guard_mask(w, u), value[4][LANES], offset[LANES];
    if (mask == 0)
        return u + 1;
    whole_warp(w, u, mask);
    uint64_t window = m->space == PTX_SPACE_GENERIC ? SHARED_WINDOW : 0;
    for (uint32_t lane = 0; lane < LANES; lane++) {
        uint64_t at = lane_address(w, m, lane) - window;
        offset[lane] = at < WINDOW_BYTES ? (uint32_t)at : UINT32_MAX - 15;
    }
    if (!rows_account(w, u, op, offset))
        return warp_stop(w, u);
    uint8_t *shared = w->block->shared;
    for (unsigned r = 0; r < op->d.count; r++)
        EACH_LANE(lane, mask)
        {
            uint8_t *reg = (uint8_t *)(op->store ? row32(w, op->d.row[r]) + lane : value[r] + lane);
            for (unsigned part = 0; part < 2; part++, reg += 2) {
                unsigned row = lane / 4, column = lane % 4 * 2 + part;
                uint8_t *at = op->transposed ? shared + offset[8 * r + column] + 2 * (size_t)row
                                             : shared + offset[8 * r + row] + 2 * (size_t)column;
                memcpy(op->store ? at : reg, op->store ? reg : at, 2);
            }
        }
    for (unsigned r = 0; r < op->d.count && !op->store; r++)
        w->core->lanes->blend32(row32(w, op->d.row[r]), value[r], mask);
    return u + 1;
}
