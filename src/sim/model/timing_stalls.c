// What a warp of the replay waits for, by the profiler's names (record/stalls.def), as a sampler on the GPU sees it: it looks at one
// resident warp of an SM every so many cycles, each warp in its turn. A cycle has one look, however many warps there are to choose
// from: of each of n warps a cycle counts as 1/n. Where warps come and go together that is their share of the warps' cycles; where a few
// stay on, as at the end of a kernel, they have all the looks.
// SPDX-License-Identifier: Apache-2.0
#include "sim/model/replay.h"

void sampling_go_on(struct replay *p, double now)
{
    if (now <= p->now)
        return;
    if (p->resident > 0)
        p->sampled += (now - p->now) / p->resident;
    p->now = now;
}

// A warp's share of the looks up to `at`: those until now are known, at what is ahead the same warps are there.
static double sampled_at(const struct replay *p, const struct warp_state *w, double at)
{
    if (at >= p->now || p->now <= w->since)
        return later(p->sampled + (at - p->now) / later(p->resident, 1), w->sampled);
    return w->sampled +
           (at - w->since) / (p->now - w->since) * later(p->sampled - w->sampled, 0);
}

void sampling_enter(struct replay *p, struct warp_state *w)
{
    p->resident++;
    w->since = w->at;
    w->sampled = p->sampled;
}

void sampling_leave(struct replay *p, int warp, uint32_t site)
{
    const struct warp_state *w = &p->warps[warp];
    p->draining[warp] = (struct draining){site, w->since, w->sampled};
    p->resident_cycles += later(w->at, w->drained) - w->started;
    if (w->drained <= w->at)
        p->resident--;
}

void sampling_drained(struct replay *p, int warp)
{
    const struct draining *d = &p->draining[warp];
    if (p->stalls != NULL)
        p->stalls[d->site][STALL_DRAIN] += later(p->sampled - d->sampled, 0);
    p->resident--;
}

void stall_add(struct replay *p, struct warp_state *w, uint32_t site, enum stall reason,
               double until)
{
    if (until <= w->since || p->stalls == NULL)
        return;
    double sampled = sampled_at(p, w, until);
    p->stalls[site][reason] += sampled - w->sampled;
    w->since = until;
    w->sampled = sampled;
}

void stall_explain(struct replay *p, struct warp_state *w, uint32_t site, double at)
{
    int last = w->last;
    if (last >= 0 && w->last_ready > w->since) {
        double ready = sooner(w->last_ready, at);
        double queued = sooner(w->queued[last], ready - w->since);
        bool math = w->reason[last] != STALL_SHORT_SCOREBOARD; // else the queue of the shared units
        stall_add(p, w, site, math ? STALL_MATH_PIPE_THROTTLE : STALL_MIO_THROTTLE,
                  w->since + queued);
        stall_add(p, w, site, (enum stall)w->reason[last], ready);
    }
    stall_add(p, w, site, (enum stall)p->costs[site].throttle, sooner(w->throttled, at));
    stall_add(p, w, site, STALL_NOT_SELECTED, at);
    w->throttled = 0;
}
