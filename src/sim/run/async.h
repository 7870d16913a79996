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
    uint32_t data[4];
    unsigned data_count;
};

#endif
