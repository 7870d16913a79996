// When to listen to a program, so that what listening adds to the program's time stays within a budget. Time is cut into
// periods; in each there is one window in which work is recorded: all of the period where that is cheap enough, else as
// much as the budget allows at the cost of the last windows, at a place that is drawn, so that windows do not beat with the
// program. Arithmetic alone: the caller has the clock and says what records cost.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_CAPTURE_SHARE_H
#define RIDGE_CAPTURE_SHARE_H

#include <stdbool.h>
#include <stdint.h>

// What CUPTI adds to the program's time for a record, bounds of what an H200 showed (docs/capture.md): of work that the GPU
// was idle before, as where the program waits for each launch, and of kernels of graphs; of other work that was queued; more, where calls are listened to.
enum { SHARE_WAITED_NS = 1800, SHARE_QUEUED_NS = 300, SHARE_CALL_NS = 500 };
enum { SHARE_IDLE_NS = 3000 };       // a longer time without work was no mere change of kernels
enum { SHARE_FIRST_NS = 200000000 }; // so long after the first record all is listened to

struct share {
    double budget; // of the time: 0.03
    uint64_t seed, draws, period;
    uint64_t from_ns, start_ns, end_ns, until_ns; // of the period and its window
    uint64_t now_ns, first_ns; // of the last step; of the first record (0: none yet)
    bool on, opened;
    double came_ns, heard_ns;    // cost and time listened to since the period began
    double cost_ns, listened_ns; // of the last periods, fading
    double owed_ns;              // cost beyond the budget; below 0: room for more
};
struct share_step {
    bool on;           // listen
    uint64_t until_ns; // then take the next step
    uint64_t period;   // from 1
};
// Listening has begun.
void share_begin(struct share *s, double budget, uint64_t seed, uint64_t now_ns);
// cost_ns: of what was recorded since the last step.
struct share_step share_next(struct share *s, uint64_t now_ns, double cost_ns);

#endif
