// counters: the one counter table and the figures that fill it. Analysis reads `struct counters`
// and never asks where they came from; each figure carries its provenance; absent is not zero.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_COUNTERS_H
#define RIDGE_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>

enum provenance {
    PROVENANCE_ABSENT = 0,
    PROVENANCE_MEASURED,
    PROVENANCE_SIMULATED,
    PROVENANCE_MODELLED
};
const char *provenance_name(enum provenance p); // "absent", "measured", "simulated", "modelled"
bool provenance_find(const char *name, enum provenance *out);

struct figure {
    double value;
    enum provenance provenance; // ABSENT: value means nothing
};

enum counter_unit { // units.def
#define UNIT(id, one, many) UNIT_##id,
#include "counters/units.def"
#undef UNIT
    UNIT_COUNT
};
const char *unit_name(enum counter_unit u); // "sectors"
enum counter_sum { ADD_SUM, ADD_LARGEST, ADD_MEAN };
enum counter_by { // which of the simulated GPUs count it: bits
    COUNTED_NONE = 0,
    COUNTED_PTX = 1,
    COUNTED_AMD = 2,
    COUNTED_BOTH = COUNTED_PTX | COUNTED_AMD
};
// counters.def: COUNTER(ID, name, unit, sum, by, meaning, ncu metric or NULL, rocprof metric or NULL).
enum counter_id {
#define COUNTER(id, name, unit, sum, by, meaning, ncu, rocprof) COUNTER_##id,
#include "counters/counters.def"
#undef COUNTER
    COUNTER_COUNT
};
struct counter_info {
    const char *name;
    enum counter_unit unit;
    enum counter_unit per; // derived ones: `unit` per this; PERCENT where both are the same
    enum counter_sum sum;  // over launches; derived ones are computed from the sums
    enum counter_by by;    // derived ones: NONE
    const char *meaning;
    const char *ncu, *rocprof; // NULL: no such metric there
};
const struct counter_info *counter_info(enum counter_id id);
bool counter_find(const char *name, enum counter_id *out);

struct counters {
    struct figure figure[COUNTER_COUNT];
};
bool counters_has(const struct counters *c, enum counter_id id);
// Value, or `otherwise` when absent.
double counters_get(const struct counters *c, enum counter_id id, double otherwise);
void counters_set(struct counters *c, enum counter_id id, double value, enum provenance p);

// Adds what a further launch did: extensive counters sum; per-launch facts (registers, shared bytes,
// occupancy, waves, lanes) are weighted by warp instructions or taken from the longest step.
// A counter absent in any step that ran a kernel is absent in the sum.
void counters_accumulate(struct counters *sum, const struct counters *step, bool first);

// derived.def: ratios people read. Absent if any
// counter they need is absent or the divisor is zero. Provenance is the weakest of the parts'
// (modelled < simulated < measured).
enum derived_id {
#define DERIVED(id, name, unit, per, meaning, num, den, scale) DERIVED_##id,
#include "counters/derived.def"
#undef DERIVED
    DERIVED_COUNT
};
const struct counter_info *derived_info(enum derived_id id);
bool derived_find(const char *name, enum derived_id *out);
struct figure counters_derived(const struct counters *c, enum derived_id id);

// Either kind by its name ("global_load_sectors" or "load_sectors_per_request"); false: no such name.
bool counters_by_name(const struct counters *c, const char *name, struct figure *out);
// All names, for suggestions; *count is set.
const char *const *counters_names(size_t *count);

// Other profilers' metrics. Each counter has formulas over them: the column of counters.def, then the
// rows of metrics.def; the first whose metrics `find` all knows gives the counter's value.
enum metric_tool { METRIC_TOOL_NCU, METRIC_TOOL_ROCPROF };
typedef bool (*metric_lookup)(const void *context, const char *name, double *value);
// Sets those that can be computed, as measured; leaves the others alone.
void counters_from_metrics(enum metric_tool tool, metric_lookup find, const void *context,
                           struct counters *out);
bool metrics_time_ns(enum metric_tool tool, metric_lookup find, const void *context, double *out);
// Calls `each` with every metric the tool's formulas name; repeatedly where several do.
void metrics_each(enum metric_tool tool, void (*each)(void *context, const char *name),
                  void *context);
bool metric_is_used(enum metric_tool tool, const char *name); // named by any formula of the tool

#endif
