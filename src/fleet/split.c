// Rates to shares. The filter: a moving average, or a Kalman filter of a level that wanders (a "local
// level model": Durbin and Koopman, Time Series Analysis by State Space Methods, 2nd ed., chapter 2), whose
// drift is learned from how far it was off (covariance matching: Mehra, IEEE TAC 15(2), 1970).
// SPDX-License-Identifier: Apache-2.0
#include "fleet/split.h"

#include <math.h>

/* ---- rates ------------------------------------------------------------------------------------------- */

// Of a time whose noise nobody knows.
static const double noise_least = 0.005;
// Of the learned drift, what the newest surprise weighs. The average may be below 0 where noise is all there is:
// cut off at 0 only where it is used, or the cut would pass for drift.
static const double drift_weight = 0.1;
// A rate so many standard deviations away is a change of level, not noise: the estimate starts anew.
static const double level_sigmas = 3;

static void average(const struct split *s, struct split_device *d, double rate)
{
    d->gain = s->weight > 0 ? s->weight : SPLIT_WEIGHT;
    d->rate += d->gain * (rate - d->rate);
}

static void adapt(struct split_device *d, double rate, double noise)
{
    double sd = rate * fmax(noise, noise_least), measured = sd * sd;
    double surprise = rate - d->rate, squared = surprise * surprise;
    double before = d->variance + fmax(0, d->drift);
    if (squared > level_sigmas * level_sigmas * (before + measured))
        before = squared;
    else
        d->drift += drift_weight * (squared - d->variance - measured - d->drift);
    d->gain = before / (before + measured);
    d->rate += d->gain * surprise;
    d->variance = (1 - d->gain) * before;
}

void split_observe(struct split *s, int device, uint64_t units, double time_ns, double noise)
{
    struct split_device *d = &s->devices[device];
    double rate = (double)units / time_ns;
    if (units == 0 || !(time_ns > 0) || !isfinite(rate) || !(rate > 0))
        return;
    if (d->rate > 0) {
        if (s->adaptive)
            adapt(d, rate, noise);
        else
            average(s, d, rate);
        return;
    }
    double sd = rate * fmax(noise, noise_least);
    d->rate = rate;
    d->gain = 1;
    d->variance = sd * sd;
}

int split_updates(double weight, double share)
{
    if (weight >= 1)
        return 1;
    return (int)ceil(log1p(-share) / log1p(-weight) - 1e-9);
}

double split_imbalance(const double *times_ns, int count)
{
    double longest = 0, sum = 0;
    int counted = 0;
    for (int i = 0; i < count; i++) {
        if (!(times_ns[i] > 0))
            continue;
        longest = fmax(longest, times_ns[i]);
        sum += times_ns[i];
        counted++;
    }
    return counted > 0 ? fmax(0, longest * counted / sum - 1)
                       : 0; // equal ones may be rounded below it
}

/* ---- shares ------------------------------------------------------------------------------------------ */

static uint64_t granule_of(const struct split *s)
{
    return s->granule > 0 ? s->granule : 1;
}

// Whole granules that the device may take.
static uint64_t room_of(const struct split *s, int device)
{
    const struct split_device *d = &s->devices[device];
    if (d->lost)
        return 0;
    return d->most > 0 ? d->most / granule_of(s) : UINT64_MAX;
}

static double mean_rate(const struct split *s)
{
    double sum = 0;
    int known = 0;
    for (int i = 0; i < s->count; i++)
        if (!s->devices[i].lost && s->devices[i].rate > 0) {
            sum += s->devices[i].rate;
            known++;
        }
    return known > 0 ? sum / known : 1;
}

static double rate_of(const struct split *s, int device, double mean)
{
    return s->devices[device].rate > 0 ? s->devices[device].rate : mean;
}

// No assignment of whole granules is done before all divide what there is without remainder, so each device's
// floor of that is in some best one. A device whose room is less takes all of it, and the rest is divided
// again. shares are granules; returns what they leave.
static uint64_t deal_floors(const struct split *s, uint64_t granules, double mean, uint64_t *shares)
{
    for (bool filled = true; filled;) {
        double rates = 0;
        uint64_t left = granules;
        filled = false;
        for (int i = 0; i < s->count; i++) {
            bool full = room_of(s, i) == shares[i];
            left -= full ? shares[i] : 0;
            rates += full ? 0 : rate_of(s, i, mean);
        }
        for (int i = 0; i < s->count && rates > 0; i++) {
            uint64_t room = room_of(s, i);
            if (room == shares[i])
                continue;
            double part = floor((double)left * (rate_of(s, i, mean) / rates));
            filled = filled || part >= (double)room;
            shares[i] = part >= (double)room ? room : (uint64_t)part;
        }
    }
    for (int i = 0; i < s->count; i++) { // beyond 2^53 doubles are not exact
        shares[i] = shares[i] < granules ? shares[i] : granules;
        granules -= shares[i];
    }
    return granules;
}

// One granule at a time, to whoever would have it done first: then the longest time is the least.
static uint64_t deal_rest(const struct split *s, uint64_t granules, double mean, uint64_t *shares)
{
    for (; granules > 0; granules--) {
        int best = -1;
        double soonest = 0;
        for (int i = 0; i < s->count; i++) {
            double done = (double)(shares[i] + 1) / rate_of(s, i, mean);
            if (shares[i] < room_of(s, i) && (best < 0 || done < soonest)) {
                best = i;
                soonest = done;
            }
        }
        if (best < 0)
            break;
        shares[best]++;
    }
    return granules;
}

uint64_t split_shares(const struct split *s, uint64_t units, uint64_t *shares)
{
    uint64_t granule = granule_of(s), granules = units / granule + (units % granule > 0), dealt = 0;
    double mean = mean_rate(s);
    for (int i = 0; i < s->count; i++)
        shares[i] = 0;
    uint64_t left = deal_rest(s, deal_floors(s, granules, mean, shares), mean, shares);
    uint64_t missing = left > 0 ? 0 : granules * granule - units; // of the last granule
    for (int i = s->count - 1; i >= 0; i--) {
        shares[i] *= granule;
        if (shares[i] > 0) {
            shares[i] -= missing;
            missing = 0;
        }
        dealt += shares[i];
    }
    return dealt;
}
