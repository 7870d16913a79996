// Clusters: blocks that run at the same time and reach into each other's shared memory (cluster.c).
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_SIM_CLUSTER_H
#define RIDGE_SIM_CLUSTER_H

#include "sim/run/exec.h"

enum { RANK_SHIFT = 19, RANK_MASK = (1 << RANK_SHIFT) - 1, CLUSTER_BLOCKS_MAX = 16 };

// The block of that rank in the warp's cluster; NULL if there is none, or it does not run.
struct block *cluster_block(const struct warp *w, uint32_t rank);
uint32_t cluster_rank(const struct warp *w);
bool cluster_holds(const struct warp *w); // all its lanes wait at the cluster's barrier
// Bytes of shared memory of this block or another of its cluster, on the host; NULL after a violation.
// block: whose it is, may be NULL.
uint8_t *shared_at(struct warp *w, const struct uop *u, uint32_t lane, uint64_t address,
                   bool generic, unsigned bytes, struct block **block);
// The lanes of `mask` whose offsets lie in the same block as the first one's: until cluster_leave that
// block's shared memory stands in the place of the warp's own, and near has the offsets there. 0 after
// a violation.
struct shared_view {
    uint8_t *shared, *shadow;
    struct word_record *records;
    struct proxies *proxies;
};
uint32_t cluster_enter(struct warp *w, const struct uop *u, uint32_t mask, const uint32_t *offset,
                       uint32_t *near, struct shared_view *own);
void cluster_leave(struct warp *w, const struct shared_view *own);

#endif
