// Copies by tensor map (cp.async.bulk.tensor): boxes of tensors of rank 1 to 5 between global and shared
// memory, done at once as the plain bulk copies are. What lies outside the tensor is read as zeros and
// not written. PTX ISA, "Tensors": boxes, coordinates, swizzling modes.
// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/proxies.h"
#include "sim/run/async.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { TENSOR_ALIGN_BYTES = 128, PIECE_BYTES = 16, SWIZZLE_AT_BIT = 7 };
static_assert(sizeof(struct sim_tensor_map) <= SIM_TENSOR_MAP_BYTES, "a map fills its parameter");

struct box {
    struct warp *w;
    const struct uop *u;
    const struct async_op *op;
    uint32_t lane;
    struct sim_tensor_map map;
    int64_t at[SIM_TENSOR_RANK_MAX]; // coordinates
    uint32_t row_bytes, rows, swizzle;
    uint32_t shared; // offset in its block
};

static bool map_check(const struct box *b, uint64_t address)
{
    if (b->map.magic != SIM_TENSOR_MAP_MAGIC) {
        violation_add(b->w, SIM_TRAP, b->u->site, b->lane, address,
                      "copies by a tensor map that is none: a parameter of the kernel declared "
                      "__grid_constant__, given by 'tensor_map'");
        return false;
    }
    if (b->map.rank != b->op->data_count) {
        violation_add(b->w, SIM_TRAP, b->u->site, b->lane, address,
                      "copies with %u coordinates by a tensor map of rank %u", b->op->data_count,
                      b->map.rank);
        return false;
    }
    return true;
}

// A compiler older than PTX 8.0 knows no __grid_constant__ and hands on a copy in local memory: taken,
// since a GPU refuses its code anyway.
static bool map_load_local(struct box *b, uint64_t address)
{
    const struct launch *l = b->w->core->launch;
    uint64_t offset = address - LOCAL_WINDOW;
    if (offset >= WINDOW_BYTES || offset + sizeof b->map > l->local_bytes ||
        l->options->module->ptx->version_major >= 8)
        return false;
    for (size_t i = 0; i < sizeof b->map; i++)
        ((uint8_t *)&b->map)[i] = *local_at(b->w, offset + i, b->lane);
    return true;
}

static bool map_load(struct box *b, const struct async_address *a)
{
    struct space *space = &b->w->core->launch->sim->space;
    uint64_t address = async_address_at(b->w, a, b->lane);
    if (map_load_local(b, address))
        return map_check(b, address);
    const struct allocation *in = address >= DEVICE_BASE ? space_find(space, address) : NULL;
    if (in != NULL && !in->freed && address % 64 == 0 &&
        address - DEVICE_BASE + SIM_TENSOR_MAP_BYTES <= in->start + in->size)
        memcpy(&b->map, space_host(space, address), sizeof b->map);
    return map_check(b, address);
}

static bool box_init(struct box *b, const struct async_address *map)
{
    if (!map_load(b, map))
        return false;
    b->rows = 1;
    for (unsigned i = 0; i < b->map.rank; i++) {
        b->at[i] = (int32_t)row32(b->w, b->op->data[i])[b->lane];
        b->rows *= i > 0 ? b->map.box[i] : 1;
    }
    b->row_bytes = (uint32_t)(b->map.box[0] * b->map.strides_bytes[0]);
    b->swizzle = b->map.swizzle_bytes / PIECE_BYTES - 1;
    if (b->swizzle == 0 || b->row_bytes == b->map.swizzle_bytes)
        return true;
    violation_add(b->w, SIM_UNSUPPORTED, b->u->site, b->lane, 0,
                  "copies rows of %u bytes swizzled by %u: only rows of as many are simulated",
                  b->row_bytes, b->map.swizzle_bytes);
    return false;
}

// Global memory of a row of the box: its bytes inside of the tensor (0: none), how far from the row's start.
static uint32_t row_inside(const struct box *b, uint32_t row, uint64_t *address, uint32_t *skip)
{
    const struct sim_tensor_map *m = &b->map;
    int64_t low = b->at[0], high = low + m->box[0], last = (int64_t)m->dims[0];
    uint64_t offset = 0;
    for (unsigned i = 1; i < m->rank; row /= m->box[i], i++) {
        int64_t at = b->at[i] + (int64_t)(row % m->box[i]);
        if (at < 0 || at >= (int64_t)m->dims[i])
            return 0;
        offset += (uint64_t)at * m->strides_bytes[i];
    }
    low = low < 0 ? 0 : low;
    high = high > last ? last : high;
    if (low >= high)
        return 0;
    *skip = (uint32_t)((uint64_t)(low - b->at[0]) * m->strides_bytes[0]);
    *address = m->address + offset + (uint64_t)low * m->strides_bytes[0];
    return (uint32_t)((uint64_t)(high - low) * m->strides_bytes[0]);
}

static uint8_t *row_global(const struct box *b, uint64_t address, uint32_t bytes, enum touch touch)
{
    struct space *space = &b->w->core->launch->sim->space;
    const struct allocation *a = address >= DEVICE_BASE ? space_find(space, address) : NULL;
    bool write = touch != TOUCH_READ;
    if (a == NULL || a->freed || (write && a->read_only) ||
        address - DEVICE_BASE + bytes > a->start + a->size) {
        violation_add(b->w, SIM_OUT_OF_BOUNDS, b->u->site, b->lane, address,
                      "copies %u bytes %s global memory out of bounds, by its tensor map", bytes,
                      write ? "to" : "from");
        return NULL;
    }
    async_traffic(b->w, b->u, b->lane, address, bytes, touch);
    if (write)
        space_mark_written(space, address, bytes);
    return space_host(space, address);
}

// Bytes of a row in shared memory, in pieces that the swizzle moves whole.
static void row_to_shared(const struct box *b, uint8_t *block, uint32_t row, const uint8_t *from)
{
    uint32_t at = b->shared + row * b->row_bytes;
    for (uint32_t i = 0; i < b->row_bytes; i += PIECE_BYTES) {
        uint32_t to = at + i;
        memcpy(block + (to ^ (to >> SWIZZLE_AT_BIT & b->swizzle) << 4), from + i, PIECE_BYTES);
    }
}

static void row_from_shared(const struct box *b, const uint8_t *block, uint32_t row, uint8_t *to)
{
    uint32_t at = b->shared + row * b->row_bytes;
    for (uint32_t i = 0; i < b->row_bytes; i += PIECE_BYTES) {
        uint32_t from = at + i;
        memcpy(to + i, block + (from ^ (from >> SWIZZLE_AT_BIT & b->swizzle) << 4), PIECE_BYTES);
    }
}

// The box's shared memory in one block; NULL after a violation.
static uint8_t *box_shared(struct box *b, uint64_t address, bool generic, struct block **block)
{
    uint32_t bytes = b->rows * b->row_bytes;
    uint8_t *p = shared_at(b->w, b->u, b->lane, address, generic, bytes, block);
    if (p == NULL)
        return NULL;
    b->shared = (uint32_t)(p - (*block)->shared);
    if (b->shared % TENSOR_ALIGN_BYTES == 0)
        return p;
    violation_add(b->w, SIM_MISALIGNED, b->u->site, b->lane, address,
                  "copies by tensor map at shared address 0x%x: not aligned to %d bytes", b->shared,
                  TENSOR_ALIGN_BYTES);
    return NULL;
}

static bool box_read(const struct box *b, uint8_t *to)
{
    memset(to, 0, (size_t)b->rows * b->row_bytes);
    for (uint32_t row = 0; row < b->rows; row++) {
        uint64_t address = 0;
        uint32_t skip = 0, bytes = row_inside(b, row, &address, &skip);
        const uint8_t *from = bytes > 0 ? row_global(b, address, bytes, TOUCH_READ) : NULL;
        if (bytes > 0 && from == NULL)
            return false;
        if (bytes > 0)
            memcpy(to + (size_t)row * b->row_bytes + skip, from, bytes);
    }
    return true;
}

static bool box_deliver(struct box *b, const uint8_t *from, uint64_t to, uint64_t barrier)
{
    struct block *block = b->w->block;
    uint8_t *p = box_shared(b, to, b->op->to.generic, &block);
    if (p == NULL)
        return false;
    for (uint32_t row = 0; row < b->rows; row++)
        row_to_shared(b, block->shared, row, from + (size_t)row * b->row_bytes);
    async_copied(b->w, b->u, b->lane, block, p, b->rows * b->row_bytes, barrier);
    return async_progress(b->w, b->u, b->lane, barrier, b->op->barrier.generic, 0,
                          (int64_t)b->rows * b->row_bytes, 0);
}

static bool tensor_load(struct box *b)
{
    const struct async_op *op = b->op;
    uint64_t to = async_address_at(b->w, &op->to, b->lane);
    uint64_t barrier = async_address_at(b->w, &op->barrier, b->lane);
    uint32_t blocks = op->blocks != NO_ROW ? row32(b->w, op->blocks)[b->lane] & 0xffff : 0;
    uint8_t *room = xcalloc(b->rows, b->row_bytes);
    bool ok = box_read(b, room);
    if (ok && op->blocks == NO_ROW)
        ok = box_deliver(b, room, to, barrier);
    for (uint32_t rank = 0; ok && rank < CLUSTER_BLOCKS_MAX; rank++)
        if ((blocks >> rank & 1) != 0)
            ok = box_deliver(b, room, async_in_block(to, rank), async_in_block(barrier, rank));
    free(room);
    b->w->block->sm->changes++;
    return ok;
}

static bool tensor_store(struct box *b)
{
    struct block *block = b->w->block;
    uint64_t from = async_address_at(b->w, &b->op->from, b->lane);
    enum touch touch = b->op->reduces ? TOUCH_ATOMIC : TOUCH_WRITE;
    if (box_shared(b, from, b->op->from.generic, &block) == NULL)
        return false;
    if (block->proxies != NULL)
        proxies_read(b->w, b->u, b->lane, block, b->shared, b->rows * b->row_bytes, true);
    uint8_t *room = xcalloc(1, b->row_bytes);
    struct async_op move = *b->op;
    move.type = (enum ptx_type)b->map.type;
    bool ok = true;
    for (uint32_t row = 0; ok && row < b->rows; row++) {
        uint64_t address = 0;
        uint32_t skip = 0, bytes = row_inside(b, row, &address, &skip);
        uint8_t *to = bytes > 0 ? row_global(b, address, bytes, touch) : NULL;
        ok = bytes == 0 || to != NULL;
        if (to == NULL)
            continue;
        row_from_shared(b, block->shared, row, room);
        async_move(&move, to, room + skip, bytes);
    }
    free(room);
    return ok;
}

// extra: struct mem_op, for its counts; more: struct async_op.
const struct uop *op_tensor_copy(struct warp *w, const struct uop *u)
{
    const struct async_op *op = &w->core->launch->program->async_ops[u->more];
    bool store = op->to_space == PTX_SPACE_GLOBAL;
    EACH_LANE(lane, guard_mask(w, u))
    {
        struct box b = {.w = w, .u = u, .op = op, .lane = lane};
        if (!box_init(&b, store ? &op->to : &op->from) ||
            !(store ? tensor_store(&b) : tensor_load(&b)))
            return warp_stop(w, u);
    }
    w->pc = u + 1;
    return NULL;
}
