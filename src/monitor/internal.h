// monitor, inside: the state of the GPUs, and the walk over their metrics that the writers share. Who reads or
// changes it holds the lock.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_MONITOR_INTERNAL_H
#define RIDGE_MONITOR_INTERNAL_H

#include "device/telemetry.h"
#include "monitor/canary.h"
#include "monitor/monitor.h"
#include "stats/stats.h"

#include <pthread.h>

static const double monitor_ns_per_s = 1e9;

/* ---- XIDs (xid.c) ---------------------------------------------------------------------------------- */

enum xid_ends { XID_PROGRAM, XID_NOTICE, XID_RESET };
struct xid_info {
    unsigned number;
    enum xid_ends ends;
    const char *meaning;
};
// A number that is not in the table: no end but time, and it says so.
struct xid_info xid_info(unsigned number);

enum { XIDS_SEEN_MAX = 32 };
struct xid_seen {
    unsigned number;
    uint64_t count, last_ns;
    char first[TIME_BYTES], last[TIME_BYTES]; // UTC
    bool active, told;                        // told: an alert said so, and not yet that it is over
};
struct xid_log { // of a GPU; bounded: the oldest that is over makes room
    struct xid_seen seen[XIDS_SEEN_MAX];
    int count;
};
struct xid_seen *xid_arrived(struct xid_log *log, unsigned number, uint64_t now_ns,
                             const char *now);
// Those that are over now; reset: the GPU was reset. Calls `cleared` (optional) for each.
void xid_clear(struct xid_log *log, uint64_t now_ns, double clear_s, bool reset,
               void (*cleared)(void *context, const struct xid_seen *x), void *context);

/* ---- what is wrong (conditions.c) ------------------------------------------------------------------- */

enum condition_id {
#define CONDITION(name, severity, words, remedy) CONDITION_##name,
#include "monitor/conditions.def"
#undef CONDITION
    CONDITION_COUNT
};
enum gpu_status { STATUS_OK, STATUS_DEGRADED, STATUS_FAILED, STATUS_COUNT };
struct condition_info {
    const char *name, *words, *remedy;
    enum gpu_status severity;
};
const struct condition_info *condition_info(enum condition_id id);
const char *status_name(enum gpu_status status); // OpenTelemetry's: "ok", "degraded", "failed"

/* ---- series that are watched (anomaly.c) ---------------------------------------------------------- */

enum {
#define ANOMALY(figure, state, side, spread, words) ANOMALY_OF_##figure,
#include "monitor/anomalies.def"
#undef ANOMALY
    ANOMALY_COUNT
};
struct anomaly {
    bool began;
    uint64_t window_ns;        // when the window began: a minute, or a quarter of an hour
    double sum, last;          // last: of a counter
    int count, samples;        // in the window: of the series, and of all
    uint64_t readings, judged; // judged: with a level that was known
    struct watch watch;
    struct season season;
};
struct monitor_gpu;
void anomalies_init(struct anomaly *series);
const char *anomaly_figure(int index); // its name
bool anomaly_is_seasonal(int index);   // judged by the time of day
double anomaly_reading_s(const struct monitor_options *options);
// utc_s: seconds of UTC, for the time of day.
void anomalies_sample(struct monitor *m, struct monitor_gpu *g, uint64_t now_ns, int64_t utc_s);

/* ---- the state --------------------------------------------------------------------------------------- */

enum { HISTORY_MAX = 600 };
struct ring { // of the newest HISTORY_MAX values
    float values[HISTORY_MAX];
    int count, next;
};
// The newest `want`, in order; how many there are.
int ring_newest(const struct ring *r, int want, double *out);

enum { COMMAND_BYTES = 32 };
struct monitor_gpu {
    const struct telemetry_chip *chip;
    struct telemetry *telemetry; // NULL: it could not be opened
    struct telemetry_sample now;
    double energy_j; // the newest that was known: one that is lower says that the GPU was reset
    char commands[TELEMETRY_PROCESSES_MAX][COMMAND_BYTES]; // "" = not known
    struct ring *history;                                  // one for each metric that has a bar
    struct xid_log xids;
    unsigned links_up;     // that were up at any time
    unsigned conditions;   // 1 << enum condition_id
    unsigned reasons_seen; // for lower clocks, since the canary began
    unsigned raised;       // … of those that an alert said, and not yet that they are over
    uint64_t condition_ns[CONDITION_COUNT]; // when each was seen last
    struct anomaly *anomalies;              // ANOMALY_COUNT
};
struct canary_record { // of a GPU
    bool known;        // it ran, and there is a healthy run
    uint64_t runs, skipped, failed;
    double now_ns, healthy_ns;
    struct canary_verdict verdict;
    char experiment[ALERT_NAME_BYTES], variant[ALERT_NAME_BYTES], time[TIME_BYTES];
    char case_label[ALERT_NAME_BYTES];                         // "N=1024"
    char words[ALERT_WORDS_BYTES], trouble[ALERT_WORDS_BYTES]; // trouble: why the newest try failed
};
struct serve_figures { // of the HTTP server
    uint64_t requests, expired;
    unsigned connections;
};
struct monitor {
    pthread_mutex_t lock;
    struct arena arena;
    struct monitor_options options;
    struct monitor_gpu *gpus;
    int gpu_count;
    uint64_t samples, began_ns, sampled_ns;
    double sample_s; // what the newest round took
    char sampled[TIME_BYTES];
    struct alert_log {
        struct alert ring[ALERTS_MAX];
        uint64_t count; // of all there were
        uint64_t of_kind[ALERT_KIND_COUNT];
    } alerts;
    struct canary_record *canaries; // one for each GPU; one where there is none but a simulated one
    int canary_count;
    bool serves;
    struct serve_figures served;
};
void monitor_served(struct monitor *m, const struct serve_figures *now);
unsigned conditions_find(const struct monitor_gpu *g); // from now, xids and links_up
enum gpu_status gpu_status(const struct monitor_gpu *g);

/* ---- the metrics (metrics.c) -------------------------------------------------------------------------- */

enum metric_family {
#define FAMILY(name, kind, unit, source, otel, help) FAMILY_##name,
#define OWN_FAMILY FAMILY
#define METRIC(figure, family, label, value, factor, title, full)
#include "monitor/metrics.def"
#undef METRIC
#undef OWN_FAMILY
#undef FAMILY
    FAMILY_COUNT
};
struct family_info {
    const char *name, *unit, *otel, *help;
    enum telemetry_kind kind;
};
const struct family_info *family_info(enum metric_family family);

enum { FULL_NONE = -1, FULL_100 = -2 };
struct metric_row {
    enum telemetry_field figure;
    enum metric_family family;
    const char *label, *label_value, *title;
    double factor;
    int full; // FULL_NONE, FULL_100 or enum telemetry_field
};
const struct metric_row *metric_row(int index); // NULL after the last
int metric_row_count(void);
// Where it has a bar: what part of it is full, 0 to 1; NAN = not known.
double metric_share(const struct metric_row *row, const struct telemetry_sample *s);

enum { METRIC_LABELS_MAX = 6 };
struct metric_point {
    struct metric_label {
        const char *name, *value;
    } labels[METRIC_LABELS_MAX];
    int label_count;
    double value;
};
typedef void (*metric_sink)(void *context, const struct metric_point *p);
// All points of a family, GPU by GPU; figures that are not known are left out.
void points_each(const struct monitor *m, enum metric_family family, metric_sink sink,
                 void *context);

#endif
