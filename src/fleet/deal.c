// A round: ranges of units that are left are divided into waves of shares until none is; what a wave lost is a range
// again. Estimates learn from the first wave of a round alone.
// SPDX-License-Identifier: Apache-2.0
#include "fleet/deal.h"

#include <math.h>
#include <string.h>

struct range {
    uint64_t first, end;
};
struct dealing { // a round
    struct arena *arena;
    struct deal *deal;
    const struct deal_ops *ops;
    void *context;
    struct deal_round *round;
    uint64_t *units;           // by device, of a wave
    struct deal_share *shares; // of a wave
    struct range *left;        // not dealt, or lost
    int left_count;
};

// A range's shares, one after the other; what no device can take stays.
static int deal_range(struct dealing *d, struct range *r)
{
    const struct split *s = &d->deal->split;
    uint64_t at = r->first;
    int count = 0;
    (void)split_shares(s, r->end - r->first, d->units);
    for (int i = 0; i < s->count; i++) {
        if (d->units[i] == 0)
            continue;
        d->shares[count++] = (struct deal_share){.device = i, .first = at, .end = at + d->units[i]};
        at += d->units[i];
    }
    r->first = at;
    return count;
}

// One wave: the last range that is left, as far as the devices hold it.
static bool run_wave(struct dealing *d, struct error *err)
{
    struct split *s = &d->deal->split;
    struct range *r = &d->left[d->left_count - 1];
    int count = deal_range(d, r);
    double longest = 0;
    if (count == 0)
        return fail_as(err, ERROR_SYSTEM, NOWHERE, "every device is lost, the last one with: %s",
                       d->deal->why[s->count]);
    d->left_count -= r->first == r->end;
    if (!d->ops->run(d->context, d->shares, count, err))
        return false;
    for (int i = 0; i < count; i++) {
        const struct deal_share *x = &d->shares[i];
        struct deal_turn *turn = &d->round->turns[x->device];
        if (x->lost) {
            s->devices[x->device].lost = true;
            d->deal->why[x->device] = d->deal->why[s->count] = x->why ? x->why : "no reason given";
            d->left[d->left_count++] = (struct range){x->first, x->end};
            continue;
        }
        turn->units += x->end - x->first;
        turn->time_ns += x->time_ns;
        longest = fmax(longest, x->time_ns);
        if (d->round->waves == 0) // a remainder is mostly what starting costs
            split_observe(s, x->device, x->end - x->first, x->time_ns, x->noise);
    }
    d->round->time_ns += longest;
    d->round->waves++;
    return true;
}

static bool run_round(struct dealing *d, uint64_t units, struct error *err)
{
    const struct split *s = &d->deal->split;
    double *times = ARENA_ARRAY(d->arena, double, s->count + 1);
    d->round->turns = ARENA_ARRAY(d->arena, struct deal_turn, s->count + 1);
    d->left[0] = (struct range){0, units};
    d->left_count = 1;
    while (d->left_count > 0)
        if (!run_wave(d, err))
            return false;
    for (int i = 0; i < s->count; i++)
        times[i] = s->devices[i].lost ? 0 : d->round->turns[i].time_ns;
    d->round->imbalance = split_imbalance(times, s->count);
    return !d->ops->round || d->ops->round(d->context, d->deal->round_count, err);
}

static bool is_settled(const struct deal *d, double balanced)
{
    const struct deal_round *now = &d->rounds[d->round_count - 1];
    if (d->round_count < 2)
        return false;
    bool same = true;
    for (int i = 0; i < d->split.count; i++)
        same = same && now->turns[i].units == (now - 1)->turns[i].units;
    return same || now->imbalance < balanced;
}

bool deal_rounds(struct arena *a, const struct deal_request *q, const struct split *split,
                 const struct deal_ops *ops, void *context, struct deal *out, struct error *err)
{
    int count = split->count;
    *out = (struct deal){.split = *split,
                         .rounds = ARENA_ARRAY(a, struct deal_round, q->rounds_most + 1),
                         .why = ARENA_ARRAY(a, const char *, count + 1)};
    out->split.devices = ARENA_ARRAY(a, struct split_device, count + 1);
    memcpy(out->split.devices, split->devices, sizeof *split->devices * (size_t)count);
    struct dealing d = {.arena = a,
                        .deal = out,
                        .ops = ops,
                        .context = context,
                        .units = ARENA_ARRAY(a, uint64_t, count + 1),
                        .shares = ARENA_ARRAY(a, struct deal_share, count + 1),
                        .left = ARENA_ARRAY(a, struct range, count + 2)};
    while (out->round_count < q->rounds_most && !out->settled) {
        d.round = &out->rounds[out->round_count];
        if (!run_round(&d, q->units, err))
            return false;
        out->round_count++;
        out->settled = is_settled(out, q->balanced);
    }
    return true;
}
