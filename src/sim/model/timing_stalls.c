// What a warp of the replay waits for, by the profiler's names (record/stalls.def).
// SPDX-License-Identifier: Apache-2.0
#include "sim/model/replay.h"

// What a reader of the pipe's result waits for, as the profiler names it.
enum stall reason_of(const struct timing_site *t)
{
    switch (t->pipe) {
    case PIPE_GLOBAL_LOAD:
    case PIPE_LOCAL_LOAD:
    case PIPE_GLOBAL_ATOMIC:
    case PIPE_ASYNC_COPY:
        return STALL_LONG_SCOREBOARD;
    case PIPE_SHARED_LOAD:
    case PIPE_SHARED_ATOMIC:
    case PIPE_SPECIAL:
    case PIPE_CONVERT:
    case PIPE_WARP:
    case PIPE_CONST:
        return STALL_SHORT_SCOREBOARD;
    case PIPE_TENSOR:
        return t->group ? STALL_GMMA : STALL_WAIT;
    case PIPE_NONE:
    case PIPE_INTEGER:
    case PIPE_ADD:
    case PIPE_MULTIPLY:
    case PIPE_F32:
    case PIPE_F64:
    case PIPE_F16:
    case PIPE_GLOBAL_STORE:
    case PIPE_SHARED_STORE:
    case PIPE_GLOBAL_REDUCTION:
    case PIPE_LOCAL_STORE:
    case PIPE_ASYNC_WAIT:
    case PIPE_BARRIER:
    case PIPE_BRANCH:
    case PIPE_FENCE:
    case PIPE_EXIT:
    case PIPE_COUNT:
        break;
    }
    return STALL_WAIT;
}

static enum stall throttle_of(enum timing_pipe pipe)
{
    return pipe == PIPE_SHARED_LOAD || pipe == PIPE_SHARED_STORE || pipe == PIPE_SHARED_ATOMIC
               ? STALL_MIO_THROTTLE
               : STALL_LG_THROTTLE;
}

void stall_add(struct replay *p, struct warp_state *w, uint32_t site, enum stall reason,
               double until)
{
    if (until <= w->since)
        return;
    p->stalls[site][reason] += until - w->since;
    w->since = until;
}

int last_register(const struct warp_state *w, const struct timing_site *t)
{
    int last = -1;
    for (int i = 0; i < t->source_count; i++)
        if (last < 0 || w->ready[t->source[i]] > w->ready[last])
            last = t->source[i];
    for (int i = 0; i < t->result_count; i++)
        if (last < 0 || w->ready[t->result[i]] > w->ready[last])
            last = t->result[i];
    return last;
}

void stall_explain(struct replay *p, struct warp_state *w, uint32_t site, double at)
{
    const struct timing_site *t = &p->in->sites[site];
    int last = last_register(w, t);
    if (last >= 0 && w->ready[last] > w->since) {
        double ready = fmin(w->ready[last], at);
        double queued = fmin(w->queued[last], ready - w->since);
        bool math = w->reason[last] != STALL_SHORT_SCOREBOARD; // else the queue of the shared units
        stall_add(p, w, site, math ? STALL_MATH_PIPE_THROTTLE : STALL_MIO_THROTTLE,
                  w->since + queued);
        stall_add(p, w, site, (enum stall)w->reason[last], ready);
    }
    stall_add(p, w, site, throttle_of(t->pipe), fmin(w->throttled, at));
    stall_add(p, w, site, STALL_NOT_SELECTED, at);
    w->throttled = 0;
}
