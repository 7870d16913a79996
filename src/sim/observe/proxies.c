// What orders a bulk copy or wgmma and an ordinary access of the same words (proxies.h).
// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/events.h"
#include "sim/observe/proxies.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct proxies *proxies_new(size_t shared_bytes)
{
    struct proxies *p = xcalloc(1, sizeof(*p));
    p->words = xcalloc(shared_bytes / 4 + 1, sizeof(*p->words));
    return p;
}

void proxies_clear(struct proxies *p, size_t shared_bytes)
{
    memset(p->words, 0, shared_bytes / 4 * sizeof(*p->words));
    p->arrival_count = p->first_unseen = 0;
}

void proxies_free(struct proxies *p)
{
    if (p == NULL)
        return;
    free(p->words);
    free(p->arrivals);
    free(p);
}

void proxies_copied(struct block *b, uint64_t at, uint32_t bytes, uint32_t barrier, bool odd)
{
    struct proxies *p = b->proxies;
    VEC_PUSH(p->arrivals, p->arrival_count, p->arrival_capacity,
             ((struct arrival){.barrier = barrier, .odd = odd}));
    for (uint64_t i = at / 4; i < (at + bytes) / 4; i++) {
        p->words[i].arriving = (uint32_t)p->arrival_count;
        p->words[i].written = 0;
    }
}

void proxies_waited(struct block *b, uint32_t barrier, bool odd)
{
    struct proxies *p = b->proxies;
    for (size_t i = p->first_unseen; i < p->arrival_count; i++) {
        struct arrival *a = &p->arrivals[i];
        a->seen |= a->barrier == barrier && a->odd == odd;
        if (a->seen && i == p->first_unseen)
            p->first_unseen++;
    }
}

// The copy that fills the word has not been waited for.
static bool is_arriving(struct proxies *p, struct proxy_word *word)
{
    if (word->arriving == 0)
        return false;
    if (!p->arrivals[word->arriving - 1].seen)
        return true;
    word->arriving = 0;
    return false;
}

static void tell_arriving(struct warp *w, const struct uop *u, uint32_t lane, uint64_t at,
                          const char *verb)
{
    violation_add(w, SIM_RACE, u->site, lane, at,
                  "%s shared memory at 0x%" PRIx64 " that a bulk copy is still filling: nothing "
                  "has waited for its mbarrier",
                  verb, at);
}

void proxies_read(struct warp *w, const struct uop *u, uint32_t lane, struct block *b, uint64_t at,
                  uint32_t bytes, bool group)
{
    for (uint64_t i = at / 4; i < (at + bytes + 3) / 4; i++) {
        struct proxy_word *word = &b->proxies->words[i];
        if (is_arriving(b->proxies, word))
            tell_arriving(w, u, lane, i * 4, "reads");
        else if (word->written != 0 && word->writer->proxy_fence <= word->written &&
                 w->proxy_fence <= word->written)
            violation_add(w, SIM_RACE, u->site, lane, i * 4,
                          "reads shared memory at 0x%" PRIx64 " that an ordinary store wrote, with "
                          "no fence.proxy.async between",
                          i * 4);
        if (group) {
            word->reader = w;
            word->group = w->bulk_groups + 1;
        }
    }
}

void proxies_touched(struct warp *w, const struct uop *u, uint32_t lane, uint64_t at,
                     unsigned bytes, enum touch touch)
{
    const struct block *b = w->block;
    for (uint64_t i = at / 4; i < (at + bytes + 3) / 4; i++) {
        struct proxy_word *word = &b->proxies->words[i];
        if (is_arriving(b->proxies, word))
            tell_arriving(w, u, lane, i * 4, touch == TOUCH_READ ? "reads" : "writes");
        if (touch == TOUCH_READ)
            continue;
        if (word->group != 0 && word->group > word->reader->bulk_read)
            violation_add(w, SIM_RACE, u->site, lane, i * 4,
                          "writes shared memory at 0x%" PRIx64 " that a bulk copy may still read: "
                          "no cp.async.bulk.wait_group between",
                          i * 4);
        word->group = 0;
        word->written = w->core->launch->races.time;
        word->writer = w;
    }
}

// fence.proxy.async: this warp's accesses before it, and those that a barrier has ordered before it.
const struct uop *op_proxy_fence(struct warp *w, const struct uop *u)
{
    if (guard_mask(w, u) == 0)
        return u + 1;
    event_order(w, u);
    w->proxy_fence = w->core->launch->races.time;
    return u + 1;
}

// cp.async.bulk.commit_group.
const struct uop *op_bulk_commit(struct warp *w, const struct uop *u)
{
    w->bulk_groups += guard_mask(w, u) != 0;
    return u + 1;
}

// cp.async.bulk.wait_group: copies are done; all groups of the warp but the last imm have read what they read.
const struct uop *op_bulk_wait(struct warp *w, const struct uop *u)
{
    if (guard_mask(w, u) != 0 && w->bulk_groups > u->imm && w->bulk_groups - u->imm > w->bulk_read)
        w->bulk_read = w->bulk_groups - (uint32_t)u->imm;
    return u + 1;
}
