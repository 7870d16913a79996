// Why a canary is slower than it was: from evidence to a cause, with the share of the gap that it accounts for.
// SPDX-License-Identifier: Apache-2.0
#include "monitor/canary.h"

#include "monitor/internal.h"

#include <math.h>

static const struct {
    const char *name, *words;
} causes[] = {
#define CAUSE(name, words) {#name, words},
#include "monitor/causes.def"
#undef CAUSE
};

const char *canary_cause_name(enum canary_cause cause)
{
    return causes[cause].name;
}

const char *canary_cause_words(enum canary_cause cause)
{
    return causes[cause].words;
}

// By how much a kernel that waits for nothing but this clock takes longer; 0 where it is not known.
static double slower_by(double healthy_mhz, double now_mhz)
{
    return now_mhz > 0 && healthy_mhz > now_mhz ? healthy_mhz / now_mhz - 1 : 0;
}

static enum canary_cause clock_cause(unsigned reasons)
{
    if (reasons & (1U << REASON_heat_software | 1U << REASON_heat_hardware))
        return CAUSE_temperature;
    return reasons & (1U << REASON_power_cap | 1U << REASON_power_brake) ? CAUSE_power_cap
                                                                         : CAUSE_clock;
}

struct canary_verdict canary_attribute(const struct canary_evidence *e, double tolerance)
{
    static const double busy_most_pct = 5, half = 0.5;
    static const unsigned errors =
        1U << CONDITION_xid | 1U << CONDITION_remapping_failed | 1U << CONDITION_lost;
    static const unsigned links =
        1U << CONDITION_pcie_narrow | 1U << CONDITION_pcie_slow | 1U << CONDITION_nvlink_down;
    struct canary_verdict v = {.gap = e->now_ns / e->healthy_ns - 1, .explained = (double)NAN};
    double by_clock = fmax(slower_by(e->healthy_sm_mhz, e->now_sm_mhz),
                           slower_by(e->memory_max_mhz, e->memory_mhz));
    if (e->wrong) {
        v.cause = CAUSE_wrong_result;
    } else if (!(v.gap > tolerance)) {
        v.cause = CAUSE_none;
    } else if (e->others > 0 || e->busy_before_pct > busy_most_pct) {
        v.cause = CAUSE_tenant; // with others on it no other cause can be named
    } else if (by_clock >= half * v.gap) {
        v.cause = clock_cause(e->reasons);
        v.explained = fmin(1, by_clock / v.gap);
    } else if ((e->conditions & errors) || e->uncorrected_errors > 0) {
        v.cause = CAUSE_ecc_or_xid;
    } else if (e->conditions & links) {
        v.cause = CAUSE_link_width;
    } else {
        v.cause = CAUSE_unknown;
        v.explained = by_clock > 0 ? by_clock / v.gap : (double)NAN;
    }
    return v;
}
