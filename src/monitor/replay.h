// replay: what `ridge monitor --json` wrote, given to the series' detectors again, in the recording's own time. On a
// recording in which nothing was wrong the alerts are false alarms.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_MONITOR_REPLAY_H
#define RIDGE_MONITOR_REPLAY_H

#include "monitor/monitor.h"

#include <stdio.h>

struct replay_series {
    const char *uuid, *figure;
    uint64_t readings, alerts;
};
struct replay { // arena-owned
    uint64_t lines;
    int gpu_count;
    double span_s, reading_s; // a season's reading is a quarter of an hour
    const char *first, *last; // times
    struct replay_series *series;
    int count;
    uint64_t readings, alerts; // of all series
    // Per reading, of the readings after the level was learned; at most: with 95 % confidence.
    uint64_t judged;
    double rate, rate_most;
    double resampled_s, block_s; // 0: it was replayed as it was recorded
};
// An object per line. reading_s: 0 = a minute, as the monitor takes it. Alerts come as the monitor's do. resample_s: not 0 =
// a series of so long, made of blocks of the recording that are drawn at random (a circular block bootstrap: Politis and
// Romano 1992), in the recording's place: its alerts are counted and do not come. Series by the time of day are left out, which blocks do not keep.
bool monitor_replay(struct arena *a, const char *path, FILE *in, double reading_s,
                    double resample_s, void (*each)(void *context, const struct alert *alert),
                    void *context, struct replay *out, struct error *err) CHECK_RESULT;
void replay_print(const struct replay *r, struct text *out);
json_t *replay_json(const struct replay *r); // a new reference
// The most that a Poisson process's mean may be, with 95 % confidence, where so many events came.
double poisson_most(uint64_t count);

#endif
