// adapt: when a choice is taken back. Pure: candidates with what they promise, times that come in, a clock that the
// caller gives. select.c says who the candidates are, adaptive.c records what is chosen.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_API_ADAPT_H
#define RIDGE_API_ADAPT_H

#include <stdbool.h>
#include <stdint.h>

enum { ADAPT_CANDIDATES_MOST = 16, ADAPT_PATIENCE_MOST = 255 };

struct adapt_candidate {
    double promised_ns; // NAN = nothing is
    double seen_ns;     // the median when it was left; NAN = it was not run, or that is forgotten
    uint64_t seen_at_ns;
};
struct adapt {
    struct adapt_candidate candidates[ADAPT_CANDIDATES_MOST];
    int count, chosen;
    double band;  // to both sides of the level
    int patience; // times per median
    uint64_t hold_ns;
    double level_ns; // that is expected of the chosen one; NAN = the first median says
    double times_ns[ADAPT_PATIENCE_MOST];
    int time_count, next;
    uint64_t chosen_at_ns;
};
enum adapt_answer {
    ADAPT_KEEPS,   // nothing happened
    ADAPT_SETTLES, // out of the band, and nothing promises less: the level is what is seen
    ADAPT_CHOOSES, // another candidate
};
// candidates[0] is chosen; band, patience and hold_ns are set.
void adapt_begin(struct adapt *a, uint64_t now_ns);
// *median_ns: that the answer is about.
enum adapt_answer adapt_add(struct adapt *a, double time_ns, uint64_t now_ns, double *median_ns);

#endif
