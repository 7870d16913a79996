// Launches counted all, and some of them timed: what the hooks (hooks.c) call around the driver's calls (sampling.c), and what graphs
// are made of (graphs.c).
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_CAPTURE_SAMPLING_H
#define RIDGE_CAPTURE_SAMPLING_H

#include "capture/recorder/recorder.h"

struct counting { // of one call; row NULL: it is not counted
    struct counted *row;
    struct clock *clock; // it is timed
    uint64_t bytes;
    void *stream;
};
enum { COPY_DIRECTIONS = 11 }; // CUpti_ActivityMemcpyKind; the next number stands for fills

bool sampling_wanted(void); // by the environment: RIDGE_CAPTURE_SAMPLED
bool hooks_stand(void);     // hooks.c
void counting_launch(struct counting *c, void *function, const unsigned grid[3],
                     const unsigned block[3], unsigned shared_bytes, void *stream);
void counting_graph(struct counting *c, void *graph, void *stream);
void counting_move(struct counting *c, unsigned direction, uint64_t bytes, void *stream,
                   bool timed);
int counting_end(struct counting *c, int status); // returns the status
void sampling_pause(int change);                  // while streams are captured nothing is timed
void sampling_forget_names(void);
void sampling_forget_graphs(void);
void sampling_forget_contexts(void);

// The name of a CUfunction or a CUkernel, as events have it.
uint64_t sampling_name(void *function);
// A graph is ready, or its parts have changed: it has a new number, and what it launches is recorded.
void graphs_made(void *ready, void *graph);
void graphs_forget(void *ready);
uint64_t graphs_number(const void *ready); // 0: it was made by a call that is not known

#endif
