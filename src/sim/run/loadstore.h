// Loads and stores, shared by their files:
//   loadstore.c         shared memory, generic addresses, cp.async
//   loadstore_global.c  global memory, constants
//   loadstore_local.c   local memory, parameters of functions
//   loadstore_move.c    bytes between memory and rows
// An access first becomes addresses of 32 lanes; the site's last pattern of differences (struct mem_state)
// usually still holds and gives sectors, lines, wavefronts, bounds and alignment at once; then the bytes move.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_SIM_LOADSTORE_H
#define RIDGE_SIM_LOADSTORE_H

#include "sim/observe/events.h"

/* ---- addresses ----------------------------------------------------------------------------- */

// 64-bit addresses of the lanes, offset included, in the core's buffer.
static inline const uint64_t *addresses(struct warp *w, const struct mem_op *m)
{
    uint64_t *out = w->core->address;
    uint64_t offset = (uint64_t)m->offset;
    if (m->sum != 0 && w->block->affine) {
        const uint64_t *base = (const uint64_t *)(const void *)(w->affine + m->kept);
        w->core->lanes->add64(out, base, w->block->more[m->sum - 1] + offset);
    } else if (m->base64) {
        const uint64_t *base = row64(w, m->base);
        if (offset == 0)
            return base;
        w->core->lanes->add64(out, base, offset);
    } else {
        const uint32_t *base = row32(w, m->base);
        for (int i = 0; i < LANES; i++)
            out[i] = base[i] + offset;
    }
    return out;
}

// 32-bit addresses, without the offset (it joins the base pointer).
static inline const uint32_t *offsets(struct warp *w, const struct mem_op *m)
{
    if (!m->base64)
        return row32(w, m->base);
    uint32_t *out = (uint32_t *)(void *)w->core->address;
    w->core->lanes->narrow(out, row64(w, m->base));
    return out;
}

/* ---- patterns ------------------------------------------------------------------------------- */

static inline enum pattern_shape shape_of(bool contiguous, bool uniform, bool halves)
{
    return contiguous ? SHAPE_CONTIGUOUS
           : uniform  ? SHAPE_UNIFORM
           : halves   ? SHAPE_HALVES
                      : SHAPE_OTHER;
}

/* ---- moving bytes -------------------------------------------------------------------------- */

// An element of a load: from host + address[lane] (or near[lane]) into a row.
struct source {
    const uint8_t *host;
    const uint64_t *far;  // one of the two
    const uint32_t *near; // signed: a base below zero may be led back by the offset
};

static inline const uint8_t *source_at(const struct source *s, uint32_t lane)
{
    if (s->near != NULL)
        return s->host + (int32_t)s->near[lane];
    return s->host + s->far[lane]; // NOLINT(clang-analyzer-core.NullDereference): one is there
}

static inline uint64_t load_bytes(const uint8_t *p, unsigned bytes, bool sign)
{
    uint64_t v = 0;
    memcpy(&v, p, bytes);
    unsigned shift = 64 - 8 * bytes;
    return sign && bytes > 0 ? (uint64_t)((int64_t)(v << shift) >> shift) : v;
}

static inline void load_lane(struct warp *w, const struct mem_op *m, uint32_t row, const uint8_t *p,
                             uint32_t lane)
{
    if (m->width == 128) {
        memcpy(row64(w, row) + lane, p, 8);
        memcpy(row64(w, row) + LANES + lane, p + 8, 8);
    } else if (m->width == 64) {
        row64(w, row)[lane] = load_bytes(p, m->bytes, m->sign);
    } else {
        uint32_t value = (uint32_t)load_bytes(p, m->bytes, m->sign);
        row32(w, row)[lane] = m->narrow16 ? value & 0xffff : value;
    }
}

struct sink {
    uint8_t *host;
    const uint64_t *far;
    const uint32_t *near;
};

static inline uint8_t *sink_at(const struct sink *s, uint32_t lane)
{
    if (s->near != NULL)
        return s->host + (int32_t)s->near[lane];
    return s->host + s->far[lane]; // NOLINT(clang-analyzer-core.NullDereference): one is there
}

static inline void store_lane(const struct warp *w, const struct mem_op *m, uint32_t row,
                              uint8_t *p, uint32_t lane)
{
    if (m->width == 128) {
        memcpy(p, row64(w, row) + lane, 8);
        memcpy(p + 8, row64(w, row) + LANES + lane, 8);
    } else if (m->width == 64) {
        memcpy(p, row64(w, row) + lane, m->bytes); // little end first, as on the device
    } else {
        memcpy(p, row32(w, row) + lane, m->bytes);
    }
}

// loadstore_move.c
void load_move(struct warp *w, const struct mem_op *m, uint32_t mask, struct source *s,
               enum pattern_shape shape);
void store_move(struct warp *w, const struct mem_op *m, uint32_t mask, struct sink *s,
                enum pattern_shape shape);
// loadstore_global.c
const uint8_t *global_host(const struct warp *w); // where device address 0 would lie
bool load_from_global(struct warp *w, const struct uop *u, const struct mem_op *m, uint32_t mask,
                      const uint64_t *address);
bool store_to_global(struct warp *w, const struct uop *u, const struct mem_op *m, uint32_t mask,
                     const uint64_t *address);
// Takes note of reads that wait for what others write: those get their turn soon.
void note_touch(struct warp *w, const struct mem_op *m, enum touch touch);
// loadstore_local.c
bool load_from_local(struct warp *w, const struct uop *u, const struct mem_op *m, uint32_t mask,
                     const uint64_t *offset);
bool store_to_local(struct warp *w, const struct uop *u, const struct mem_op *m, uint32_t mask,
                    const uint64_t *offset);

static inline const struct uop *turn_end(struct warp *w, const struct uop *u)
{
    w->pc = u + 1;
    return NULL;
}

#endif
