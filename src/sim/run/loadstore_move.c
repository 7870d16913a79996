// Bytes between memory and the rows of a warp's registers, 32 lanes at once where their addresses allow it.
// SPDX-License-Identifier: Apache-2.0
#include "sim/run/loadstore.h"

static void load_uniform(struct warp *w, const struct mem_op *m, uint32_t row, const uint8_t *p)
{
    load_lane(w, m, row, p, 0);
    if (m->width == 32) {
        uint32_t *d = row32(w, row), value = d[0];
        for (int i = 0; i < LANES; i++)
            d[i] = value;
        return;
    }
    for (uint32_t half = 0; half < m->width / 64u; half++) {
        uint64_t *d = row64(w, row) + (size_t)half * LANES, value = d[0];
        for (int i = 0; i < LANES; i++)
            d[i] = value;
    }
}

static void load_all(struct warp *w, const struct mem_op *m, uint32_t row, const struct source *s,
                     enum pattern_shape shape)
{
    const struct lanes_functions *lanes = w->core->lanes;
    if (shape == SHAPE_UNIFORM) {
        load_uniform(w, m, row, source_at(s, 0));
    } else if (m->width == 32 && m->bytes == 4) {
        if (shape == SHAPE_CONTIGUOUS && m->vector == 1)
            memcpy(row32(w, row), source_at(s, 0), ROW32);
        else if (shape == SHAPE_HALVES && m->vector == 1)
            for (uint32_t half = 0; half < LANES; half += LANES / 2)
                memcpy(row32(w, row) + half, source_at(s, half), ROW32 / 2);
        else if (s->far != NULL)
            lanes->gather32_far(row32(w, row), s->host, s->far);
        else
            lanes->gather32(row32(w, row), s->host, s->near);
    } else if (m->width == 64 && m->bytes == 8) {
        if (shape == SHAPE_CONTIGUOUS && m->vector == 1)
            memcpy(row64(w, row), source_at(s, 0), ROW64);
        else
            for (uint32_t i = 0; i < LANES; i++)
                memcpy(&row64(w, row)[i], source_at(s, i), 8);
    } else {
        for (uint32_t i = 0; i < LANES; i++)
            load_lane(w, m, row, source_at(s, i), i);
    }
}

void load_move(struct warp *w, const struct mem_op *m, uint32_t mask, struct source *s,
               enum pattern_shape shape)
{
    for (unsigned e = 0; e < m->vector; e++, s->host += m->bytes) {
        uint32_t row = m->reg[e];
        if (row == NO_ROW)
            continue;
        if (mask == ALL_LANES) {
            load_all(w, m, row, s, shape);
            continue;
        }
        EACH_LANE(lane, mask)
        {
            load_lane(w, m, row, source_at(s, lane), lane);
        }
    }
}

void stored_value(const struct warp *w, const struct mem_op *m, uint32_t lane, uint8_t *out)
{
    for (unsigned e = 0; e < m->vector; e++)
        if (m->reg[e] != NO_ROW)
            store_lane(w, m, m->reg[e], out + (size_t)e * m->bytes, lane);
}

// Words of all lanes, ascending: where lanes collide the last one wins. The pointers are copies that no store can change.
static void store_words_far(uint8_t *host, const uint64_t *far, const uint32_t *row)
{
    for (uint32_t i = 0; i < LANES; i += 4) { // four at a time: the compiler would not
        memcpy(host + far[i], row + i, 4);
        memcpy(host + far[i + 1], row + i + 1, 4);
        memcpy(host + far[i + 2], row + i + 2, 4);
        memcpy(host + far[i + 3], row + i + 3, 4);
    }
}

// Two words of 32 bits at a time (SHAPE_PAIRS): half as many stores to lines that the host has not at hand.
static void store_pairs_far(uint8_t *host, const uint64_t *far, const uint32_t *row)
{
    enum { HALF = LANES / 2 };
    uint64_t pair[HALF];
    for (unsigned i = 0; i < HALF; i++)
        pair[i] = row[i] | (uint64_t)row[i + HALF] << 32;
    for (unsigned i = 0; i < HALF; i++)
        memcpy(host + far[i], &pair[i], sizeof(pair[i]));
}

void store_move(struct warp *w, const struct mem_op *m, uint32_t mask, struct sink *s,
                enum pattern_shape shape)
{
    bool whole = mask == ALL_LANES && m->width == 8u * m->bytes;
    for (unsigned e = 0; e < m->vector; e++, s->host += m->bytes) {
        uint32_t row = m->reg[e];
        if (whole && shape == SHAPE_CONTIGUOUS && m->vector == 1 && m->width <= 64)
            memcpy(sink_at(s, 0), w->regs + row, (size_t)LANES * m->bytes);
        else if (whole && shape == SHAPE_HALVES && m->vector == 1 && m->bytes == 4)
            for (uint32_t half = 0; half < LANES; half += LANES / 2)
                memcpy(sink_at(s, half), row32(w, row) + half, ROW32 / 2);
        else if (whole && shape == SHAPE_PAIRS && m->vector == 1 && m->bytes == 4)
            store_pairs_far(s->host, s->far, row32(w, row));
        else if (whole && m->width == 32 && s->far != NULL)
            store_words_far(s->host, s->far, row32(w, row));
        else if (whole && m->width == 32)
            for (uint32_t i = 0; i < LANES; i++)
                memcpy(sink_at(s, i), row32(w, row) + i, 4);
        else
            EACH_LANE(lane, mask)
            { // ascending: where lanes collide the last one wins
                store_lane(w, m, row, sink_at(s, lane), lane);
            }
    }
}
