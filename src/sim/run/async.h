// mbarriers and bulk copies: what decode_async.c leaves for async.c.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_SIM_ASYNC_H
#define RIDGE_SIM_ASYNC_H

#include "sim/run/cluster.h"

enum mbarrier_kind {
    MBARRIER_INIT,
    MBARRIER_INVAL,
    MBARRIER_ARRIVE,
    MBARRIER_EXPECT,
    MBARRIER_COMPLETE,
    MBARRIER_WAIT,
    MBARRIER_COPIES, // an arrival of its own for earlier copies: nothing is left of it but its event
};
struct async_address {
    uint32_t row; // NO_ROW: none
    bool wide, generic;
    int64_t offset;
};
struct async_op {
    enum mbarrier_kind kind;
    struct async_address barrier;
    uint32_t count;            // row: arrivals, bytes or what to wait for; NO_ROW = 1
    bool expect, drop, parity; // arrive.expect_tx: count are bytes
    // copies
    struct async_address to, from;
    enum ptx_space to_space, from_space; // GLOBAL or SHARED
    uint32_t bytes;                      // row
    uint32_t blocks;                     // row of the blocks of a multicast, or NO_ROW
    // reductions: of elements of `type`; and st.async, red.async: data
    bool reduces;
    enum atomic_kind atomic;
    enum ptx_type type;
    uint32_t data[5];
    unsigned data_count;
    // tensors: coordinates in `data`, the map in `from` (or `to`, when it is what is written)
    bool tensor;
};

uint64_t async_address_at(const struct warp *w, const struct async_address *a, uint32_t lane);
// Arrivals at an mbarrier, and bytes that came there. false: after a violation.
bool async_progress(struct warp *w, const struct uop *u, uint32_t lane, uint64_t address,
                    bool generic, int64_t arrivals, int64_t bytes, int64_t drop);
void async_shared_written(struct block *b, const uint8_t *to, uint32_t bytes);
// The same of a copy that an mbarrier waits for: for the checks, before its bytes are counted there.
void async_copied(struct warp *w, const struct uop *u, uint32_t lane, struct block *b,
                  const uint8_t *to, uint32_t bytes, uint64_t barrier);
// What L2 sees of a copy of global memory; the copy engine goes past L1.
void async_traffic(struct warp *w, const struct uop *u, uint32_t lane, uint64_t address,
                   uint64_t bytes, enum touch touch);
void async_move(const struct async_op *op, uint8_t *to, const uint8_t *from, uint32_t bytes);
// The same place in the shared memory of the cluster's block `rank`.
uint64_t async_in_block(uint64_t address, uint32_t rank);

#endif
