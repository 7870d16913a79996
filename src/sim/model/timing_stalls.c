// What a warp of the replay waits for, by the profiler's names (record/stalls.def).
// SPDX-License-Identifier: Apache-2.0
#include "sim/model/replay.h"

void stall_add(struct replay *p, struct warp_state *w, uint32_t site, enum stall reason,
               double until)
{
    if (until <= w->since || p->stalls == NULL)
        return;
    p->stalls[site][reason] += until - w->since;
    w->since = until;
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
