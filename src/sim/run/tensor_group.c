// wgmma: four warps multiply matrices that lie in shared memory, each its own 16 rows of the result. A
// warp's share is done at once; the product is done when all four have done theirs, for which wait_group
// waits. What a descriptor means:
// PTX ISA, "Asynchronous warpgroup-level matrix instructions", canonical layouts.
// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/proxies.h"
#include "sim/run/tensor.h"

struct descriptor {
    uint32_t start, leading, stride; // bytes
    uint32_t width;                  // bytes of a row of an atom of 8 rows: 16 to 128
    uint32_t swizzle;                // mask of the rows that move a 16-byte piece
};

static struct descriptor descriptor_of(uint64_t raw)
{
    static const uint8_t WIDTH[4] = {16, 128, 64, 32};
    struct descriptor s = {.start = (uint32_t)(raw & 0x3fff) << 4,
                           .leading = (uint32_t)(raw >> 16 & 0x3fff) << 4,
                           .stride = (uint32_t)(raw >> 32 & 0x3fff) << 4,
                           .width = WIDTH[raw >> 62]};
    s.swizzle = s.width / 16 - 1;
    return s;
}

// Element `line` (of m or n), `deep` (of k) of a matrix with its lines side by side (by_line) or each
// line along k.
static uint32_t element_offset(const struct descriptor *s, unsigned bytes, unsigned line,
                               unsigned deep, bool by_line)
{
    bool plain = s->width == 16;
    unsigned piece = 16 / bytes, atom = s->width / bytes;
    uint32_t at;
    if (by_line)
        at = line % atom * bytes + line / atom * (plain ? s->stride : s->leading) +
             deep % 8 * s->width + deep / 8 * (plain ? s->leading : s->stride);
    else
        at = line % 8 * s->width + line / 8 * s->stride + deep % piece * bytes +
             deep / piece * (plain ? s->leading : 16);
    at += s->start;
    return at ^ (at >> 7 & s->swizzle) << 4;
}

// 16 bytes that lie side by side, or fewer: elements `step` apart in the matrix.
static void piece_load(enum ptx_type type, union elements to, size_t at, size_t step,
                       const uint8_t *from, unsigned count, bool negate)
{
    unsigned bytes = (unsigned)ptx_type_bits(type) / 8;
    if (type == PTX_TYPE_BF16) {
        for (unsigned i = 0; i < count; i++) {
            uint16_t raw;
            memcpy(&raw, from + 2 * (size_t)i, sizeof raw);
            to.f[at + i * step] = negate ? -tensor_bf16(raw) : tensor_bf16(raw);
        }
        return;
    }
    for (unsigned i = 0; i < count; i++) {
        uint32_t raw = 0;
        memcpy(&raw, from + (size_t)i * bytes, bytes);
        if (ptx_type_kind(type) == PTX_KIND_FLOAT) {
            float value = tensor_value(type, raw);
            to.f[at + i * step] = negate ? -value : value;
        } else
            to.i[at + i * step] = type == PTX_TYPE_S8 ? (int8_t)(uint8_t)raw : (int32_t)raw;
    }
}

// Stored with k along rows (a) or down columns (b).
struct place {
    size_t line, deep; // apart: lines, and elements of one
};

// `lines` lines from `first` on, 16 bytes at a time, which no swizzle takes apart. false: beyond the
// block's shared memory, at *outside.
static bool matrix_load(struct warp *w, const struct uop *u, enum ptx_type type, uint64_t raw,
                        bool by_line, unsigned first, unsigned lines, unsigned k,
                        struct place place, bool negate, union elements to, uint64_t *outside)
{
    struct descriptor s = descriptor_of(raw);
    unsigned bytes = (unsigned)ptx_type_bits(type) / 8, piece = 16 / bytes;
    unsigned lines_once = by_line ? piece : 1, deep_once = by_line ? 1 : piece;
    for (unsigned line = 0; line < lines; line += lines_once)
        for (unsigned deep = 0; deep < k; deep += deep_once) {
            unsigned left = by_line ? lines - line : k - deep, count = left < piece ? left : piece;
            uint32_t at = element_offset(&s, bytes, first + line, deep, by_line);
            uint64_t room = w->core->launch->shared_bytes;
            if (at + count * bytes > room) {
                *outside = at >= room ? at : at + (room - at) / bytes * bytes;
                return false;
            }
            if (w->block->proxies != NULL)
                proxies_read(w, u, 0, w->block, at, count * bytes, false);
            piece_load(type, to, line * place.line + deep * place.deep,
                       by_line ? place.line : place.deep, w->block->shared + at, count, negate);
        }
    return true;
}

static bool operands_load(struct warp *w, const struct uop *u, const struct matrix_op *op,
                          struct matrices *x, uint32_t lane, uint64_t *outside)
{
    unsigned first = (unsigned)w->index % 4 * 16;
    if (op->a_from == FROM_REGISTERS) {
        fragment_gather(w, &op->a, x->a);
        for (int i = 0; i < x->m * x->k && op->negate_a; i++)
            x->a.f[i] = -x->a.f[i];
    } else if (!matrix_load(w, u, op->a.type, row64(w, op->a_row)[lane], op->a_by_column, first, 16,
                            op->k, (struct place){op->k, 1}, op->negate_a, x->a, outside)) {
        return false;
    }
    return matrix_load(w, u, op->b.type, row64(w, op->b_row)[lane], op->b_by_column, 0, op->n,
                       op->k, (struct place){1, op->n}, op->negate_b, x->b, outside);
}

// wgmma.mma_async. more: struct matrix_op.
const struct uop *op_wgmma(struct warp *w, const struct uop *u)
{
    const struct matrix_op *op = &w->core->launch->program->matrix_ops[u->more];
    uint32_t mask = guard_mask(w, u);
    if (mask == 0)
        return u + 1;
    whole_warp(w, u, mask);
    uint32_t lane = (uint32_t)lane_first(mask);
    uint64_t outside = 0;
    struct matrices x;
    matrices_init(&x, 16, op->n, op->k);
    if (!operands_load(w, u, op, &x, lane, &outside)) {
        violation_add(w, SIM_OUT_OF_BOUNDS, u->site, lane, outside,
                      "multiplies a matrix that reaches beyond the block's %llu bytes of shared "
                      "memory",
                      (unsigned long long)w->core->launch->shared_bytes);
        return warp_stop(w, u);
    }
    bool keep =
        op->keep_row == NO_ROW || ((*row32(w, op->keep_row) >> lane & 1) != 0) != op->keep_flip;
    if (keep)
        fragment_gather(w, &op->d, x.c);
    else
        memset(x.c_room, 0, sizeof(float) * 16 * op->n);
    matrices_multiply(w, &x, op);
    fragment_spread(w, &op->d, x.c, mask);
    return u + 1;
}

// wgmma.commit_group.
const struct uop *op_wgmma_commit(struct warp *w, const struct uop *u)
{
    w->products++;
    w->block->sm->changes++;
    return u + 1;
}

// wgmma.wait_group: until the four warps have committed all but the last imm of this one's groups. Without it a warp
// could hand a stage back that its neighbours have yet to multiply.
const struct uop *op_wgmma_wait(struct warp *w, const struct uop *u)
{
    const struct block *b = w->block;
    int first = w->index & ~3, last = first + 4 < b->warp_count ? first + 4 : b->warp_count;
    for (int i = first; i < last; i++) {
        const struct warp *other = &b->warps[i];
        if (other->done || (int64_t)other->products + (int64_t)u->imm >= (int64_t)w->products)
            continue;
        b->sm->watches++;
        w->wake = b->sm->now + LOOK_CYCLES;
        return path_yield(w, u);
    }
    return u + 1;
}
