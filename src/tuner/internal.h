// tuner, inside: a session, as its files share it.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_TUNER_INTERNAL_H
#define RIDGE_TUNER_INTERNAL_H

#include "tuner/tuner.h"

struct session {
    struct arena *arena;
    const struct tuner_plan *plan;
    const struct tuner_job *job;
    const struct tuner_request *request;
    const struct tuner_events *events;
    struct tuning *t;
    struct tuner_state state;
    // Of the run of the loop at work:
    const struct experiment *running;
    const int *points;          // of its variants beyond the experiment's own
    struct evaluation *answers; // to them
    int point_count, answered;
    // Of pruning: every point's modelled time, NAN = none; NULL = nothing is ranked.
    double *ranks;
    const char *rank_by; // how; NULL
    struct device_info rank_device;
    double cut_budget; // warp instructions; 0 = none
    uint64_t since_ns, shown_ns;
    bool *sampled; // by point of the run: its first samples are kept
    bool warned;
};

// A run of the loop with the points as variants beyond the experiment's own; the request's data lies in `a`.
void session_points_request(struct session *s, struct arena *a, const int *points, int count,
                            struct loop_request *q);
bool session_is_cancelled(const struct session *s);

// rank.c: what the points are ranked by, before the state is opened; every point's rank, those that an earlier session
// left taken as they are.
bool rank_describe(struct session *s, struct error *err) CHECK_RESULT;
bool rank_all(struct session *s, struct error *err) CHECK_RESULT;

#endif
