// canary: a verified kernel that is run now and then, held against the fastest healthy run of this very GPU in the
// journal; and why it is slower, from what the driver reported meanwhile.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_MONITOR_CANARY_H
#define RIDGE_MONITOR_CANARY_H

#include "monitor/monitor.h"

enum canary_cause {
#define CAUSE(name, words) CAUSE_##name,
#include "monitor/causes.def"
#undef CAUSE
    CAUSE_COUNT
};
const char *canary_cause_name(enum canary_cause cause);
const char *canary_cause_words(enum canary_cause cause);

// What was seen of the GPU when the canary ran. NAN = not known.
struct canary_evidence {
    double healthy_ns, now_ns;         // medians
    double healthy_sm_mhz, now_sm_mhz; // at work
    double memory_mhz, memory_max_mhz;
    unsigned reasons; // for lower clocks, 1 << enum telemetry_reason, at any time meanwhile
    int others;       // processes of others before it began
    double busy_before_pct;
    unsigned conditions;       // 1 << enum condition_id, after it
    double uncorrected_errors; // that came meanwhile
    bool wrong;                // its result
};
struct canary_verdict {
    enum canary_cause cause; // CAUSE_none: within the tolerance
    double gap;              // how much longer than healthy: 0.1 = 10 %
    double
        explained; // the share of the gap that the cause accounts for; NAN = it cannot be computed
};
// tolerance: of the gap.
struct canary_verdict canary_attribute(const struct canary_evidence *e, double tolerance);

struct canary_options {
    const char *experiment, *variant; // variant NULL: the fastest in the journal
    const char *device;               // "auto": every GPU of the monitor; else a simulated one
    const char *journal;              // NULL: the usual one
    const char *compiler;             // NULL: the usual one
    double every_s;
    bool busy_too; // do not wait for an idle GPU
};
struct canary;
// Runs in a thread of its own until it is closed, which waits for the run that goes on. The strings must live as long. The
// monitor has its first sample by then: what was not looked at seems idle.
bool canary_open(const struct canary_options *options, struct monitor *m, struct canary **out,
                 struct error *err) CHECK_RESULT;
void canary_close(struct canary *c); // NULL is fine

#endif
