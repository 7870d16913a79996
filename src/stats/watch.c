// A series watched as it comes: its reference is learned first, then each further reading is judged. After an alarm
// the reference is learned anew, so that a new level is one alarm.
// SPDX-License-Identifier: Apache-2.0
#include "stats/stats.h"

#include <math.h>
#include <string.h>

/* ---- EWMA and CUSUM ---------------------------------------------------------------------------------- */

// Medians: a few readings that stand out while it learns do not spoil the reference.
static void learned(struct watch *w)
{
    w->centre = stats_quantile(w->readings, w->count, 0.5);
    w->sigma = fmax(stats_mad(w->readings, w->count), w->sigma_least);
    w->ewma = w->above = w->below = 0;
    w->ewma_count = 0;
    w->learns = false;
}

static void learn_anew(struct watch *w)
{
    w->count = 0;
    w->learns = true;
}

// Outside of `limit` standard deviations of the smoothed value, which grow to those of a long series (Roberts 1959).
static bool ewma_alarm(struct watch *w, double z)
{
    double rest = 1 - WATCH_EWMA_WEIGHT;
    w->ewma += WATCH_EWMA_WEIGHT * (z - w->ewma);
    w->ewma_count++;
    double sigma = sqrt(WATCH_EWMA_WEIGHT / (2 - WATCH_EWMA_WEIGHT) *
                        (1 - pow(rest, 2 * (double)w->ewma_count)));
    return fabs(w->ewma) > WATCH_EWMA_LIMIT * sigma;
}

static bool cusum_alarm(struct watch *w, double z)
{
    w->above = fmax(0, w->above + z - WATCH_CUSUM_SLACK);
    w->below = fmax(0, w->below - z - WATCH_CUSUM_SLACK);
    return w->above > WATCH_CUSUM_LIMIT || w->below > WATCH_CUSUM_LIMIT;
}

enum watch_alarm watch_add(struct watch *w, double reading)
{
    if (w->count == 0)
        w->learns = true;
    if (w->learns) {
        w->readings[w->count++] = reading;
        if (w->count == WATCH_LEARN)
            learned(w);
        return WATCH_QUIET;
    }
    double z = (reading - w->centre) / w->sigma;
    bool by_ewma = ewma_alarm(w, z), by_cusum = cusum_alarm(w, z);
    if (!by_ewma && !by_cusum)
        return WATCH_QUIET;
    w->up = by_ewma ? w->ewma > 0 : w->above > w->below;
    w->alarm_centre = w->centre;
    learn_anew(w);
    return by_ewma ? WATCH_EWMA : WATCH_CUSUM;
}

/* ---- the time of day ------------------------------------------------------------------------------------ */

void season_init(struct season *s, double sigma_least)
{
    *s = (struct season){.sigma_least = sigma_least, .sigma = (double)NAN};
    for (int i = 0; i < SEASON_SLOTS; i++)
        for (int d = 0; d < SEASON_DAYS; d++)
            s->days[i][d] = NAN;
}

// The median of a slot's days; NAN with too few of them.
static double slot_median(const struct season *s, int slot)
{
    double values[SEASON_DAYS];
    size_t n = 0;
    for (int d = 0; d < SEASON_DAYS; d++)
        if (!isnan(s->days[slot][d]))
            values[n++] = (double)s->days[slot][d];
    return n < SEASON_DAYS_LEAST ? (double)NAN : stats_quantile(values, n, 0.5);
}

// Of what all slots' days are away from their medians: one slot has too few days to say.
static double spread(const struct season *s)
{
    double away[SEASON_SLOTS * SEASON_DAYS];
    size_t n = 0;
    for (int i = 0; i < SEASON_SLOTS; i++) {
        double median = slot_median(s, i);
        for (int d = 0; d < SEASON_DAYS && !isnan(median); d++)
            if (!isnan(s->days[i][d]))
                away[n++] = (double)s->days[i][d] - median;
    }
    return n < SEASON_SLOTS ? (double)NAN : fmax(stats_mad(away, n), s->sigma_least);
}

bool season_add(struct season *s, int slot, double reading, double *expected)
{
    double median = slot_median(s, slot);
    if (slot == 0)
        s->sigma = spread(s); // once a day
    double z = (reading - median) / s->sigma;
    bool outside = !isnan(z) && fabs(z) > SEASON_LIMIT;
    memmove(&s->days[slot][1], &s->days[slot][0], (SEASON_DAYS - 1) * sizeof s->days[slot][0]);
    s->days[slot][0] = (float)reading;
    s->in_a_row = outside ? s->in_a_row + 1 : 0;
    *expected = median;
    return s->in_a_row == SEASON_IN_A_ROW;
}
