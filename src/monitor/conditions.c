// What is wrong with a GPU, from what it reports now.
// SPDX-License-Identifier: Apache-2.0
#include "monitor/internal.h"

#include <math.h>

static const double busy_least_pct = 50; // a GPU at work: idle ones let their links and clocks down

const struct condition_info *condition_info(enum condition_id id)
{
    static const struct condition_info table[] = {
#define CONDITION(name, severity, words, remedy) {#name, words, remedy, STATUS_##severity},
#include "monitor/conditions.def"
#undef CONDITION
    };
    return &table[id];
}

const char *status_name(enum gpu_status status)
{
    static const char *const names[] = {
        [STATUS_OK] = "ok", [STATUS_DEGRADED] = "degraded", [STATUS_FAILED] = "failed"};
    return names[status];
}

static bool condition_lost(const struct monitor_gpu *g)
{
    return g->now.lost;
}

static bool condition_xid(const struct monitor_gpu *g)
{
    for (int i = 0; i < g->xids.count; i++)
        if (g->xids.seen[i].active && xid_info(g->xids.seen[i].number).ends == XID_RESET)
            return true;
    return false;
}

static bool condition_remapping_failed(const struct monitor_gpu *g)
{
    return g->now.value[TELEMETRY_remapping_failed_flag] > 0;
}

static bool condition_remapping_pending(const struct monitor_gpu *g)
{
    return g->now.value[TELEMETRY_remapping_pending_flag] > 0;
}

static bool condition_ecc_uncorrected(const struct monitor_gpu *g)
{
    return g->now.value[TELEMETRY_ecc_uncorrected_errors] > 0;
}

static bool condition_pcie_narrow(const struct monitor_gpu *g)
{
    return g->now.value[TELEMETRY_pcie_width_lanes] < g->now.value[TELEMETRY_pcie_width_max_lanes];
}

static bool condition_pcie_slow(const struct monitor_gpu *g)
{
    return g->now.value[TELEMETRY_busy_pct] >= busy_least_pct &&
           g->now.value[TELEMETRY_pcie_generation] < g->now.value[TELEMETRY_pcie_generation_max];
}

static bool condition_nvlink_down(const struct monitor_gpu *g)
{
    for (unsigned i = 0; i < TELEMETRY_LINKS_MAX; i++)
        if (g->now.links[i].known && !g->now.links[i].up && (g->links_up >> i & 1U))
            return true;
    return false;
}

static bool condition_slowed_by_hardware(const struct monitor_gpu *g)
{
    return g->now.reasons &
           (1U << REASON_hardware_slowdown | 1U << REASON_heat_hardware | 1U << REASON_power_brake);
}

unsigned conditions_find(const struct monitor_gpu *g)
{
    static bool (*const find[])(const struct monitor_gpu *) = {
#define CONDITION(name, severity, words, remedy) condition_##name,
#include "monitor/conditions.def"
#undef CONDITION
    };
    unsigned found = 0;
    for (unsigned i = 0; i < CONDITION_COUNT; i++)
        found |= (find[i](g) ? 1U : 0U) << i;
    return found;
}

enum gpu_status gpu_status(const struct monitor_gpu *g)
{
    enum gpu_status worst = STATUS_OK;
    for (unsigned i = 0; i < CONDITION_COUNT; i++)
        if (g->conditions >> i & 1U && condition_info((enum condition_id)i)->severity > worst)
            worst = condition_info((enum condition_id)i)->severity;
    return worst;
}
