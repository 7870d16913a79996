// Clusters of blocks: their barrier, and the shared memory of the other blocks. A block's place in its
// cluster stands in the shared address: 0 for the block's own memory, else 1 + rank, from bit
// RANK_SHIFT on. Launches with clusters run their SMs one by one.
// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/events.h"
#include "sim/run/cluster.h"

/* ---- places ---------------------------------------------------------------------------------- */

struct block *cluster_block(const struct warp *w, uint32_t rank)
{
    const struct launch *l = w->core->launch;
    struct block *own = w->block;
    if (l->cluster_blocks <= 1)
        return rank == 0 ? own : NULL;
    if (rank >= l->cluster_blocks)
        return NULL;
    uint64_t linear = own->linear - own->linear % l->cluster_blocks + rank;
    uint64_t place = linear - l->wave_first;
    const struct sm *sm = &l->sms[place % (uint64_t)l->sm_count];
    size_t slot = (size_t)(place / (uint64_t)l->sm_count);
    return sm->home != NULL && sm->home->blocks[slot].live ? &sm->home->blocks[slot] : NULL;
}

uint32_t cluster_rank(const struct warp *w)
{
    uint32_t size = w->core->launch->cluster_blocks;
    return size > 1 ? (uint32_t)(w->block->linear % size) : 0;
}

uint8_t *shared_at(struct warp *w, const struct uop *u, uint32_t lane, uint64_t address,
                   bool generic, unsigned bytes, struct block **block)
{
    uint64_t at = address - (generic ? SHARED_WINDOW : 0);
    uint32_t place = at < WINDOW_BYTES ? (uint32_t)at >> RANK_SHIFT : UINT32_MAX;
    uint64_t offset = at & RANK_MASK;
    struct block *b = place == 0 ? w->block : cluster_block(w, place - 1);
    unsigned align = bytes < 16 ? bytes : 16;
    if (b != NULL && offset + bytes <= w->core->launch->shared_bytes && offset % align == 0) {
        if (block != NULL)
            *block = b;
        return b->shared + offset;
    }
    if (place != UINT32_MAX && b == NULL)
        violation_add(
            w, SIM_OUT_OF_BOUNDS, u->site, lane, address,
            "uses shared memory of block %u of its cluster, which does not run (any more)",
            place - 1);
    else
        violation_add(
            w, offset % align != 0 ? SIM_MISALIGNED : SIM_OUT_OF_BOUNDS, u->site, lane, address,
            "uses %u bytes at 0x%llx, %s of the block's %llu bytes of shared memory", bytes,
            (unsigned long long)at, offset % align != 0 ? "misaligned in" : "not part",
            (unsigned long long)w->core->launch->shared_bytes);
    return NULL;
}

uint32_t cluster_enter(struct warp *w, const struct uop *u, uint32_t mask, const uint32_t *offset,
                       uint32_t *near, struct shared_view *own)
{
    struct block *b = w->block;
    uint32_t lane = (uint32_t)lane_first(mask), place = offset[lane] >> RANK_SHIFT, part = 0;
    *own = (struct shared_view){b->shared, b->shared_shadow, b->shared_records, b->proxies};
    const struct block *other = place == 0 ? b : cluster_block(w, place - 1);
    if (other == NULL) {
        (void)shared_at(w, u, lane, offset[lane], false, 4, NULL); // says why
        return 0;
    }
    for (uint32_t i = 0; i < LANES; i++) {
        part |= (uint32_t)(offset[i] >> RANK_SHIFT == place) << i;
        near[i] = offset[i] & RANK_MASK;
    }
    b->shared = other->shared;
    b->shared_shadow = other->shared_shadow;
    b->shared_records = other->shared_records;
    b->proxies = other->proxies;
    w->core->mem[u->extra].mask = 0; // the pattern kept is of one block
    return part & mask;
}

void cluster_leave(struct warp *w, const struct shared_view *own)
{
    w->block->shared = own->shared;
    w->block->shared_shadow = own->shadow;
    w->block->shared_records = own->records;
    w->block->proxies = own->proxies;
}

// d: address of a, in block b (a rank) of the cluster; imm: 1 = generic; small: bits of d; a is 64 bits
// if e is 1.
const struct uop *op_mapa(struct warp *w, const struct uop *u)
{
    uint64_t window = u->imm != 0 ? SHARED_WINDOW : 0;
    EACH_LANE(lane, guard_mask(w, u))
    {
        uint64_t address = u->e != 0 ? row64(w, u->a)[lane] : row32(w, u->a)[lane];
        uint64_t at = (address - window) & RANK_MASK;
        at |= (uint64_t)(row32(w, u->b)[lane] + 1) << RANK_SHIFT;
        if (u->small == 64)
            row64(w, u->d)[lane] = at + window;
        else
            row32(w, u->d)[lane] = (uint32_t)at;
    }
    return u + 1;
}

// d: rank of the block whose shared memory address a is in; imm, e: as op_mapa.
const struct uop *op_getctarank(struct warp *w, const struct uop *u)
{
    EACH_LANE(lane, guard_mask(w, u))
    {
        uint64_t address = u->e != 0 ? row64(w, u->a)[lane] : row32(w, u->a)[lane];
        uint64_t place = (address - (u->imm != 0 ? SHARED_WINDOW : 0)) >> RANK_SHIFT;
        row32(w, u->d)[lane] = place == 0 ? cluster_rank(w) : (uint32_t)place - 1;
    }
    return u + 1;
}

/* ---- the barrier ------------------------------------------------------------------------------- */

void cluster_check(struct block *b)
{
    struct cluster *c = b->cluster;
    if (c == NULL || c->arrived == 0 || c->arrived < c->left)
        return;
    c->arrived = 0;
    c->phase++;
    b->sm->changes++;
}

bool cluster_holds(const struct warp *w)
{
    if (!w->cluster_waiting)
        return false;
    uint32_t odd = (w->block->cluster->phase & 1) != 0 ? ALL_LANES : 0;
    return ((w->cluster_parity ^ odd) & w->mask) != w->mask;
}

// imm: 1 = arrive, 2 = wait. What a lane waits for is the parity of the phase it arrived at.
const struct uop *op_cluster_barrier(struct warp *w, const struct uop *u)
{
    struct block *b = w->block;
    struct cluster *c = b->cluster;
    uint32_t odd = (c->phase & 1) != 0 ? ALL_LANES : 0;
    event_order(w, u);
    if (u->imm == 1) {
        w->cluster_parity = (w->cluster_parity & ~w->mask) | (odd & w->mask);
        c->arrived += (uint32_t)lane_count(w->mask);
        cluster_check(b);
        return u + 1;
    }
    if (((w->cluster_parity ^ odd) & w->mask) != w->mask) {
        w->cluster_waiting = w->other_count == 0;
        if (w->cluster_waiting) {
            b->sm->has_cluster_waits = true;
            return path_yield(w, u); // it gets no turn until the barrier opens: sm_round
        }
        // Lanes apart look one path per turn: the turn ends here, for all of them may wait.
        w->wake = b->sm->now + LOOK_CYCLES;
        b->sm->watches++;
        (void)path_yield(w, u);
        return NULL;
    }
    w->cluster_waiting = false;
    b->barrier_epoch++;
    return u + 1;
}
