// Exchanges between the lanes of a warp: shfl, vote, match, redux, elect, activemask. The .sync
// forms name the lanes that take part: if some of them are on another path, this one waits until
// they come to the same instruction, and the last to come does it for all.
// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/events.h"
#include "sim/run/exec.h"

// The lanes that the running ones name in the mask at `row`; each must be in its own.
static uint32_t lanes_named(struct warp *w, const struct uop *u, uint32_t here)
{
    static const uint32_t SAME[LANES];
    const uint32_t *row = row32(w, u->e);
    uint32_t first = row[lane_first(here)], named = 0;
    if ((here & ~first) == 0 && (w->core->lanes->mismatch32(row, first, SAME) & here) == 0)
        return first;
    EACH_LANE(lane, here)
    {
        named |= row[lane];
        if ((row[lane] >> lane & 1) == 0)
            violation_add(w, SIM_SHUFFLE_MASK, u->site, lane, 0,
                          "is not in the mask 0x%08x of the warp instruction it runs", row[lane]);
    }
    return named;
}

// The lanes to do the exchange for, in *mask; *next is where to go if it can't be done yet (or the
// guard leaves no lane), false then. e of the micro-op: row of the member mask, or NO_ROW.
static bool lanes_gather(struct warp *w, const struct uop *u, uint32_t *mask,
                         const struct uop **next)
{
    uint32_t here = guard_mask(w, u);
    *next = u + 1;
    *mask = here;
    if (here == 0)
        return false;
    if (u->e == NO_ROW)
        return true;
    uint32_t lane = (uint32_t)lane_first(here), members = lanes_named(w, u, here);
    uint32_t missing = members & w->lanes & ~w->exited & ~w->mask, found = 0;
    w->sync_epoch++;
    if (missing == 0)
        return true;
    for (int i = 0; i < w->other_count; i++)
        if (w->others[i]->barrier == WAIT_WARP && w->others[i]->pc == u &&
            w->others[i]->frame == w->frame)
            found |= w->others[i]->mask;
    if ((missing & ~found) != 0 && !w->forced) {
        *next = path_block(w, WAIT_WARP, u, NULL);
        return false;
    }
    if ((missing & ~found) != 0)
        violation_add(w, SIM_SHUFFLE_MASK, u->site, lane, 0,
                      "names lanes 0x%08x in the mask of a warp instruction that they never reach",
                      missing & ~found);
    w->forced = false;
    for (int i = w->other_count; i-- > 0;) {
        struct path *p = w->others[i];
        if (p->barrier != WAIT_WARP || p->pc != u || p->frame != w->frame)
            continue;
        p->barrier = -1;
        p->pc = u + 1;
        *mask |= p->mask;
        path_merge(w, i);
    }
    return true;
}

// Of the lanes left, those that name the same members as the first: a group that votes and adds by itself, though others of
// the warp are at the same instruction (ptxas parts them, WARPSYNC.EXCLUSIVE; not for a shuffle).
static uint32_t lanes_group(const struct warp *w, const struct uop *u, uint32_t left)
{
    static const uint32_t SAME[LANES];
    if (u->e == NO_ROW || left == 0)
        return left;
    const uint32_t *row = row32(w, u->e);
    return left & ~w->core->lanes->mismatch32(row, row[lane_first(left)], SAME);
}

// The body, once for each group of the mask.
#define EACH_GROUP(group, w, u, mask)                                           \
    for (uint32_t left_ = (mask), group = lanes_group(w, u, left_); left_ != 0; \
         left_ &= ~group, group = lanes_group(w, u, left_))

// The lane that a lane reads from; *inside: it lies in the lane's segment.
static int shuffle_source(enum shuffle_mode mode, int lane, uint32_t by, uint32_t clamp,
                          bool *inside)
{
    int distance = (int)(by & 31), segment = (int)(clamp >> 8 & 31);
    int low = lane & segment, high = low | ((int)(clamp & 31) & ~segment);
    int source = low | (distance & ~segment); // SHUFFLE_IDX
    if (mode == SHUFFLE_UP)
        source = lane - distance;
    else if (mode == SHUFFLE_DOWN)
        source = lane + distance;
    else if (mode == SHUFFLE_BFLY)
        source = lane ^ distance;
    *inside = mode == SHUFFLE_UP ? source >= high : source <= high;
    return source;
}

// d: result, more: predicate of d|p or NO_ROW; a: value, b: lane or distance, c: clamp and segment.
// imm: enum shuffle_mode.
const struct uop *op_shfl(struct warp *w, const struct uop *u)
{
    uint32_t mask, valid = 0, from[LANES];
    const struct uop *next;
    if (!lanes_gather(w, u, &mask, &next))
        return next;
    memcpy(from, row32(w, u->a), ROW32); // the result may be the source
    const uint32_t *b = row32(w, u->b), *c = row32(w, u->c);
    EACH_LANE(lane, mask)
    {
        bool inside;
        int source =
            shuffle_source((enum shuffle_mode)u->imm, (int)lane, b[lane], c[lane], &inside);
        if (u->imm == SHUFFLE_IDX && inside && (mask >> source & 1) == 0)
            violation_add(w, SIM_SHUFFLE_MASK, u->site, lane, 0,
                          "takes the value of lane %d, which takes no part in the shuffle", source);
        if (u->d != NO_ROW)
            row32(w, u->d)[lane] = from[inside ? source : (int)lane];
        valid |= (uint32_t)inside << lane;
    }
    if (u->more != NO_ROW)
        *row32(w, u->more) = (*row32(w, u->more) & ~mask) | (valid & mask);
    return u + 1;
}

// d: the ballot's row, or a predicate; lanes of the group alone.
static void vote(const struct uop *u, uint32_t *d, uint32_t group, uint32_t yes)
{
    bool value = false;
    switch ((enum vote_mode)u->imm) {
    case VOTE_BALLOT:
        EACH_LANE(lane, group)
        {
            d[lane] = yes;
        }
        return;
    case VOTE_ALL:
        value = yes == group;
        break;
    case VOTE_ANY:
        value = yes != 0;
        break;
    case VOTE_UNI:
        value = yes == group || yes == 0;
        break;
    }
    *d = value ? *d | group : *d & ~group;
}

// a: predicate, b: flips it; imm: enum vote_mode; d: predicate, or row of the ballot.
const struct uop *op_vote(struct warp *w, const struct uop *u)
{
    uint32_t mask;
    const struct uop *next;
    if (!lanes_gather(w, u, &mask, &next))
        return next;
    uint32_t yes = (*row32(w, u->a) ^ u->b) & mask;
    EACH_GROUP(group, w, u, mask)
    {
        vote(u, row32(w, u->d), group, yes & group);
    }
    return u + 1;
}

// Lanes of the group that have this lane's value.
static uint32_t lanes_alike(struct warp *w, const struct uop *u, uint32_t lane, uint32_t group)
{
    uint32_t alike = 0;
    EACH_LANE(other, group)
    {
        bool same = u->small == 64 ? row64(w, u->a)[lane] == row64(w, u->a)[other]
                                   : row32(w, u->a)[lane] == row32(w, u->a)[other];
        alike |= (uint32_t)same << other;
    }
    return alike;
}

// d: mask of lanes with the same value; more: predicate of match.all, or NO_ROW; imm: 1 = all;
// small: bits of the value.
const struct uop *op_match(struct warp *w, const struct uop *u)
{
    uint32_t mask, result[LANES];
    const struct uop *next;
    if (!lanes_gather(w, u, &mask, &next))
        return next;
    int values = 0;
    uint32_t agreed = 0; // lanes of groups that have one value
    EACH_GROUP(group, w, u, mask)
    {
        bool all = true;
        EACH_LANE(lane, group)
        {
            result[lane] = lanes_alike(w, u, lane, group);
            all &= result[lane] == group;
            values += lane_first(result[lane]) == (int)lane;
        }
        agreed |= all ? group : 0;
    }
    if (u->imm == 0)
        event_values(w, u, mask, values);
    EACH_LANE(lane, mask)
    {
        row32(w, u->d)[lane] = u->imm == 0 || (agreed >> lane & 1) != 0 ? result[lane] : 0;
    }
    if (u->more != NO_ROW)
        *row32(w, u->more) = (*row32(w, u->more) & ~mask) | agreed;
    return u + 1;
}

static uint32_t redux_apply(enum redux_kind kind, bool is_signed, uint32_t x, uint32_t y)
{
    bool less = is_signed ? (int32_t)x < (int32_t)y : x < y;
    switch (kind) {
    case REDUX_ADD:
        return x + y;
    case REDUX_MIN:
        return less ? x : y;
    case REDUX_MAX:
        return less ? y : x;
    case REDUX_AND:
        return x & y;
    case REDUX_OR:
        return x | y;
    case REDUX_XOR:
        return x ^ y;
    }
    return x;
}

// The number wins, or NaN with `nan`.
static uint32_t redux_float(enum redux_kind kind, bool nan, uint32_t x, uint32_t y)
{
    float a, b;
    memcpy(&a, &x, 4);
    memcpy(&b, &y, 4);
    if (a != a || b != b)
        return nan || (a != a && b != b) ? 0x7fffffff : a != a ? y : x;
    bool zeros = ((x | y) << 1) == 0, less = zeros ? (x >> 31) > (y >> 31) : a < b;
    return less == (kind == REDUX_MIN) ? x : y;
}

// imm: enum redux_kind; small: enum redux_flags.
static uint32_t redux_of(const struct uop *u, const uint32_t *a, uint32_t group)
{
    enum redux_kind kind = (enum redux_kind)u->imm;
    uint32_t magnitude = (u->small & REDUX_ABS) != 0 ? INT32_MAX : UINT32_MAX;
    uint32_t value = a[lane_first(group)] & magnitude;
    if ((u->small & REDUX_FLOAT) != 0) {
        EACH_LANE(lane, group) // the first one twice: its NaN is made canonical
        {
            value = redux_float(kind, (u->small & REDUX_NAN) != 0, value, a[lane] & magnitude);
        }
        return value;
    }
    EACH_LANE(lane, group & (group - 1))
    {
        value = redux_apply(kind, (u->small & REDUX_SIGNED) != 0, value, a[lane]);
    }
    return value;
}

// a: what is reduced, d: the result in each lane; imm and small as above.
const struct uop *op_redux(struct warp *w, const struct uop *u)
{
    uint32_t mask;
    const struct uop *next;
    if (!lanes_gather(w, u, &mask, &next))
        return next;
    EACH_GROUP(group, w, u, mask)
    {
        uint32_t value = redux_of(u, row32(w, u->a), group);
        EACH_LANE(lane, group)
        {
            row32(w, u->d)[lane] = value;
        }
    }
    return u + 1;
}

// d: the leader's lane (or NO_ROW), more: predicate, true for the leader alone.
const struct uop *op_elect(struct warp *w, const struct uop *u)
{
    uint32_t mask;
    const struct uop *next;
    if (!lanes_gather(w, u, &mask, &next))
        return next;
    uint32_t leaders = 0;
    EACH_GROUP(group, w, u, mask)
    {
        uint32_t leader = (uint32_t)lane_first(group);
        leaders |= 1u << leader;
        if (u->d != NO_ROW)
            EACH_LANE(lane, group)
            {
                row32(w, u->d)[lane] = leader;
            }
    }
    if (u->more != NO_ROW)
        *row32(w, u->more) = (*row32(w, u->more) & ~mask) | leaders;
    return u + 1;
}

const struct uop *op_activemask(struct warp *w, const struct uop *u)
{
    EACH_LANE(lane, guard_mask(w, u))
    {
        row32(w, u->d)[lane] = w->mask;
    }
    return u + 1;
}

// bar.warp.sync: lanes of the mask wait for one another.
const struct uop *op_barrier_warp(struct warp *w, const struct uop *u)
{
    uint32_t mask;
    const struct uop *next;
    return lanes_gather(w, u, &mask, &next) ? u + 1 : next;
}
