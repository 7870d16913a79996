// roi: what an optimization was worth, and which one is worth doing next. Every figure carries where it comes from:
// given, measured, or modelled; what follows from modelled times is modelled, and nothing of it is money saved.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_ROI_H
#define RIDGE_ROI_H

#include "base/base.h"
#include "record/record.h"

enum roi_vary { VARY_NOT, VARY_HALF, VARY_INTERVAL };
enum roi_id {
#define ROI(id, key, label, unit, vary) ROI_##id,
#include "roi/roi.def"
#undef ROI
    ROI_COUNT
};
struct roi_row {
    const char *key, *label, *unit;
    enum roi_vary vary;
};
const struct roi_row *roi_row(enum roi_id id);

// ASSUMED: nobody gave it, and it is not known. Times are the record's: MEASURED by a clock or counter, SIMULATED or
// MODELLED.
enum roi_origin { ROI_ABSENT, ROI_GIVEN, ROI_ASSUMED, ROI_MEASURED, ROI_SIMULATED, ROI_MODELLED };
const char *roi_origin_name(enum roi_origin o);
enum roi_origin roi_origin_of(enum provenance p);

struct roi_figure {
    enum roi_origin origin;
    double value, low, high; // low, high: of its 95 % interval, or equal to the value
    const char *where;       // "--hours", "run 17", a formula
};

enum { ROI_VARIED_MAX = 8 };
struct roi_varied { // an input, and what becomes of the rest
    enum roi_id id;
    double value[2], net[2], break_even[2]; // break_even NAN: never
};
struct roi {
    const char *experiment, *case_label, *device;
    const char *before, *after; // variants
    const char *currency;
    int64_t run;
    struct comparison speedup;
    struct roi_figure figure[ROI_COUNT]; // the inputs are the caller's; ABSENT: no such part
    struct roi_varied varied[ROI_VARIED_MAX];
    int varied_count; // that which moves the net value most is first
};
// Times, speed-up, energy and their origin from two right results of a run. energy per run is the difference of what was
// measured, else power_w (NAN = not known) over the time saved. Fails where the times do not compare.
bool roi_take(struct roi *r, const struct run *run, const struct result *before,
              const struct result *after, double power_w, struct error *err) CHECK_RESULT;
// Fills what follows from the inputs.
void roi_compute(struct roi *r);
// Is it what the model of a GPU says, and no GPU?
bool roi_is_modelled(const struct roi *r);

// Work hours that the dates of runs show, oldest first: spans without a gap above gap_s. false: they show none.
bool roi_hours(const char *const *started, int count, double gap_s, double *hours, int *sessions);

struct roi_candidate { // an experiment of a suite: its fastest right variant as it is now
    const char *experiment, *case_label, *variant, *device;
    const char *why_not; // it has no rank: no floor is stated …
    int64_t run;
    enum roi_origin origin; // of the time
    double time_ns, floor_ns;
    double runs_per_day;
    double share, gap; // of the suite's time; of its own time that the floor leaves
    double worth_per_day;
};
// The one whose gap to the floor is worth most is first; those without a rank are last.
void roi_rank(struct roi_candidate *items, int count, double gpu_hour_price);

#endif
