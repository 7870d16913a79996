// Series that are watched for a change: a minute's mean by EWMA and CUSUM, a quarter of an hour by the time of day
// (stats/watch.c). False-alarm rates: docs/monitor.md.
// SPDX-License-Identifier: Apache-2.0
#include "monitor/alerts.h"

#include <math.h>
#include <time.h>

enum { MINUTE_S = 60, SLOT_S = 86400 / SEASON_SLOTS };
enum state { STATE_ALWAYS, STATE_BUSY };
enum side { SIDE_UP, SIDE_DOWN, SIDE_SEASON };
static const double busy_least_pct = 50;

static const struct row {
    enum telemetry_field figure;
    enum state state;
    enum side side;
    double spread;
    const char *words;
} table[] = {
#define ANOMALY(figure, state, side, spread, words) \
    {TELEMETRY_##figure, STATE_##state, SIDE_##side, spread, words},
#include "monitor/anomalies.def"
#undef ANOMALY
};

void anomalies_init(struct anomaly *series)
{
    for (int i = 0; i < ANOMALY_COUNT; i++) {
        series[i].watch.sigma_least = table[i].spread;
        season_init(&series[i].season, table[i].spread);
    }
}

const char *anomaly_figure(int index)
{
    return telemetry_field_info(table[index].figure)->name;
}

bool anomaly_is_seasonal(int index)
{
    return table[index].side == SIDE_SEASON;
}

double anomaly_reading_s(const struct monitor_options *options)
{
    return options->reading_s > 0 ? options->reading_s : MINUTE_S;
}

static void judge_level(struct monitor *m, const struct monitor_gpu *g, struct anomaly *s,
                        const struct row *row, double mean)
{
    const struct telemetry_field_info *f = telemetry_field_info(row->figure);
    s->judged += s->watch.count > 0 && !s->watch.learns; // not while it learns
    enum watch_alarm alarm = watch_add(&s->watch, mean);
    if (alarm == WATCH_QUIET || s->watch.up != (row->side == SIDE_UP))
        return; // better than it was: learned anew, no alert
    alert_raise(m, g, ALERT_ANOMALY, false, f->name, "%s: %.5g, and %.5g before (%s)", row->words,
                mean, s->watch.alarm_centre, alarm == WATCH_EWMA ? "EWMA" : "CUSUM");
}

static void judge_season(struct monitor *m, const struct monitor_gpu *g, struct anomaly *s,
                         const struct row *row, double mean, int slot)
{
    double expected;
    bool alarm = season_add(&s->season, slot, mean, &expected);
    if (!isnan(expected))
        s->judged++;
    if (alarm)
        alert_raise(m, g, ALERT_ANOMALY, false, telemetry_field_info(row->figure)->name,
                    "%s: %.5g, usually %.5g", row->words, mean, expected);
}

// What the sample adds to the series; NAN: it is not of it.
static double addition(const struct monitor_gpu *g, struct anomaly *s, const struct row *row)
{
    double value = g->now.value[row->figure], before = s->last;
    if (isnan(value) ||
        (row->state == STATE_BUSY && !(g->now.value[TELEMETRY_busy_pct] >= busy_least_pct)))
        return (double)NAN;
    if (telemetry_field_info(row->figure)->kind == TELEMETRY_GAUGE)
        return value;
    s->last = value;
    return s->began && value >= before ? value - before : 0;
}

void anomalies_sample(struct monitor *m, struct monitor_gpu *g, uint64_t now_ns, int64_t utc_s)
{
    for (int i = 0; i < ANOMALY_COUNT; i++) {
        struct anomaly *s = &g->anomalies[i];
        const struct row *row = &table[i];
        bool counter = telemetry_field_info(row->figure)->kind == TELEMETRY_COUNTER;
        double x = addition(g, s, row),
               window_s = row->side == SIDE_SEASON ? SLOT_S : anomaly_reading_s(&m->options);
        if (!s->began)
            s->window_ns = now_ns;
        s->began = true;
        s->samples++;
        if (!isnan(x)) {
            s->sum += x;
            s->count++;
        }
        if ((double)(now_ns - s->window_ns) < window_s * monitor_ns_per_s)
            continue;
        bool most = 2 * s->count > s->samples; // of the window's samples are of the series
        double mean = counter ? s->sum : s->sum / s->count;
        s->readings += most;
        if (most && row->side == SIDE_SEASON)
            judge_season(m, g, s, row, mean, (int)(utc_s % 86400 / SLOT_S));
        else if (most)
            judge_level(m, g, s, row, mean);
        s->window_ns = now_ns;
        s->sum = 0;
        s->count = s->samples = 0;
    }
}
