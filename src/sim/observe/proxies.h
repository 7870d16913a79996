// Races between the ways to shared memory (proxies): ordinary accesses on one side, bulk copies and wgmma on the other.
// Copies are done at once in the simulation, so that a missing wait leaves results right; these records find it.
//   a copy's bytes are touched before anything saw its mbarrier's phase end
//   bytes of an ordinary store are read by a bulk copy or by wgmma with no fence.proxy.async between
//   bytes that a bulk copy reads are written before its group was waited for
// A little generous: who has waited or fenced did so for all that a barrier orders after it.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_SIM_PROXIES_H
#define RIDGE_SIM_PROXIES_H

#include "sim/internal.h"

struct block;
struct warp;
struct uop;

struct proxy_word {
    uint32_t arriving; // the copy that fills it, from 1; 0: none
    uint64_t written;  // when by an ordinary store; 0: not since a copy filled it
    struct warp *writer, *reader;
    uint32_t group; // the reader's, that the copy belongs to; 0: none
};
struct arrival { // a copy to shared memory
    uint32_t barrier;
    bool odd, seen; // parity of the phase that waits for it; some thread saw it end
};
struct proxies { // of a block
    struct proxy_word *words;
    struct arrival *arrivals;
    size_t arrival_count, arrival_capacity;
    size_t first_unseen; // those before are all seen
};

struct proxies *proxies_new(size_t shared_bytes);
void proxies_clear(struct proxies *p, size_t shared_bytes);
void proxies_free(struct proxies *p);

// Each is for a launch that looks for races; `b` is the block whose memory it is.
void proxies_copied(struct block *b, uint64_t at, uint32_t bytes, uint32_t barrier, bool odd);
void proxies_waited(struct block *b, uint32_t barrier, bool odd);
// A bulk copy (group: its reads end later) or wgmma reads.
void proxies_read(struct warp *w, const struct uop *u, uint32_t lane, struct block *b, uint64_t at,
                  uint32_t bytes, bool group);
void proxies_touched(struct warp *w, const struct uop *u, uint32_t lane, uint64_t at,
                     unsigned bytes, enum touch touch);

#endif
