// Stands around sim_counterfactuals in a build of ridge (bench/sim/replays.sh, --wrap) and says of each launch how long the replays
// that price findings took: seconds of wall time, seconds of all processors. (A launch runs in a worker, which has no end of its own.)
// SPDX-License-Identifier: Apache-2.0
#include "sim/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

void __real_sim_counterfactuals(const struct timing_input *in, double time_ns,
                                const struct sim_launch *asked, struct sim_report *report);
void __wrap_sim_counterfactuals(const struct timing_input *in, double time_ns,
                                const struct sim_launch *asked, struct sim_report *report);

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void say(double wall_s, double processor_s)
{
    const char *path = getenv("RIDGE_REPLAYS_INTO");
    FILE *f = path ? fopen(path, "a") : NULL;
    if (f == NULL)
        return;
    fprintf(f, "%.6f %.6f\n", wall_s, processor_s);
    fclose(f);
}

void __wrap_sim_counterfactuals(const struct timing_input *in, double time_ns,
                                const struct sim_launch *asked, struct sim_report *report)
{
    double wall = seconds(CLOCK_MONOTONIC), processor = seconds(CLOCK_PROCESS_CPUTIME_ID);
    __real_sim_counterfactuals(in, time_ns, asked, report);
    if (asked->counterfactuals)
        say(seconds(CLOCK_MONOTONIC) - wall, seconds(CLOCK_PROCESS_CPUTIME_ID) - processor);
}
