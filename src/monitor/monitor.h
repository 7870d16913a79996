// monitor: GPUs watched while others use them. Samples what each chip reports (device/telemetry.h), keeps a bounded
// history, names what is wrong, and shows it: in the terminal, as JSON, as metrics for a scrape. No CUDA context is
// made. All functions may be called from several threads.
//   monitor_open -> monitor_sample, again and again -> monitor_terminal, monitor_json, monitor_scrape -> monitor_close
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_MONITOR_H
#define RIDGE_MONITOR_H

#include "base/base.h"
#include "report/report.h"

#include <jansson.h>

struct monitor;
struct monitor_options {
    double interval_s;  // between samples: what history is labelled with; 0 = 1
    bool no_gpus;       // none is watched: a canary on a simulated one is all
    double reading_s;   // of the series that are watched; 0 = 60
    double xid_clear_s; // an XID of a program is over after so long without another; 0 = 900
};
// false: there is no GPU to watch, err says why.
bool monitor_open(const struct monitor_options *options, struct monitor **out,
                  struct error *err) CHECK_RESULT;
// One round over all GPUs. now_ns is clock_ns(), or a test's own time that does not go back.
void monitor_sample(struct monitor *m, uint64_t now_ns);
void monitor_close(struct monitor *m);       // NULL is fine
uint64_t monitor_samples(struct monitor *m); // rounds so far
// The newest sample is younger than five intervals, or 10 s: a driver that hangs makes none.
bool monitor_is_fresh(struct monitor *m, uint64_t now_ns);

// What the newest sample shows.
void monitor_terminal(struct monitor *m, const struct report_style *style, struct text *out);
void monitor_line(struct monitor *m, struct text *out); // a line per GPU, for a log
json_t *monitor_json(struct monitor *m);                // a new reference
// The newest values of the metrics that have a bar, as shares of it.
json_t *monitor_history_json(struct monitor *m); // a new reference
enum scrape_format { SCRAPE_PROMETHEUS, SCRAPE_OPENMETRICS, SCRAPE_FORMAT_COUNT };
void monitor_scrape(struct monitor *m, enum scrape_format format, struct text *out);

/* ---- alerts ---------------------------------------------------------------------------------------- */

enum alert_kind { ALERT_XID, ALERT_CONDITION, ALERT_ANOMALY, ALERT_CANARY, ALERT_KIND_COUNT };
enum { ALERTS_MAX = 64, ALERT_WORDS_BYTES = 256, ALERT_NAME_BYTES = 48, TIME_BYTES = 32 };
struct alert {
    enum alert_kind kind;
    bool over; // it is no longer so
    int gpu;   // -1: of none
    char uuid[96], name[ALERT_NAME_BYTES], words[ALERT_WORDS_BYTES], time[TIME_BYTES];
};
// Those after the first `seen`, as far as they are kept; how many there were in all.
uint64_t monitor_alerts(struct monitor *m, uint64_t seen,
                        void (*each)(void *context, const struct alert *a), void *context);
void alert_line(const struct alert *a, struct text *out); // for a log
json_t *alert_json(const struct alert *a);                // a new reference

// A command of the shell's, run for each alert with its JSON on standard input, one at a time, 30 s at most; so many
// wait, further ones are dropped.
struct hook;
bool hook_open(const char *command, struct hook **out, struct error *err) CHECK_RESULT;
void hook_add(struct hook *h, const struct alert *a);
void hook_close(struct hook *h, int *failed, int *dropped); // after those that wait

// "500ms", "10s", "10m", "2h", "1d"; a number alone is seconds. Above 0.
bool duration_parse(const char *text, double *seconds) CHECK_RESULT;

#endif
