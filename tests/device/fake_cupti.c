// CUPTI's range profiler for tests where there is none: every metric is 2, but those asked for after the first call of
// ConfigAddMetrics are 0, as those of instructions are on an H200 then. Names with "barrier" are unknown, and refused.
// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { UNKNOWN_METRIC = 17, HARDWARE_BUSY = 26, METRICS_MAX = 256 };

static const char *taken[METRICS_MAX]; // by the host object's first call
static size_t taken_count;
static int calls;
static char launch[16];

struct head {
    size_t size;
    void *reserved;
};
#define NOTHING(name)         \
    int name(struct head *it) \
    {                         \
        return it->size < 16; \
    }
NOTHING(cuptiProfilerInitialize)
NOTHING(cuptiProfilerHostDeinitialize)
NOTHING(cuptiRangeProfilerDisable)
NOTHING(cuptiRangeProfilerCounterDataImageInitialize)
NOTHING(cuptiRangeProfilerSetConfig)
NOTHING(cuptiRangeProfilerPopRange)

// FAKE_CUPTI_BUSY: so many calls find another profiler at work.
int cuptiRangeProfilerStart(struct head *it)
{
    static int started;
    const char *busy = getenv("FAKE_CUPTI_BUSY");
    return busy && started++ < atoi(busy) ? HARDWARE_BUSY : it->size < 16;
}

struct chip {
    struct head head;
    size_t device;
    const char *name;
};
int cuptiDeviceGetChipName(struct chip *it)
{
    it->name = "FAKE";
    return 0;
}

struct availability {
    struct head head;
    void *context;
    size_t bytes;
    uint8_t *image;
};
int cuptiProfilerGetCounterAvailability(struct availability *it)
{
    it->bytes = 8;
    return 0;
}

struct host {
    struct head head;
    int type;
    const char *chip;
    const uint8_t *availability;
    void *host;
};
int cuptiProfilerHostInitialize(struct host *it)
{
    it->host = &calls;
    calls = 0;
    taken_count = 0;
    return 0;
}

struct metrics {
    struct head head;
    void *host;
    const char **names;
    size_t count;
};
int cuptiProfilerHostConfigAddMetrics(struct metrics *it)
{
    for (size_t i = 0; i < it->count; i++)
        if (strstr(it->names[i], "barrier")) {
            calls = 1;
            taken_count = 0;
            return UNKNOWN_METRIC;
        }
    for (size_t i = 0; calls == 0 && i < it->count && i < METRICS_MAX; i++)
        taken[taken_count++] = it->names[i];
    calls++;
    return 0;
}

struct properties {
    struct head head;
    void *host;
    const char *name;
};
int cuptiProfilerHostGetMetricProperties(struct properties *it)
{
    return strstr(it->name, "barrier") ? UNKNOWN_METRIC : 0;
}

struct sized { // a handle, then the bytes that are asked for
    struct head head;
    void *host;
    size_t bytes;
};
int cuptiProfilerHostGetConfigImageSize(struct sized *it)
{
    it->bytes = 16;
    return 0;
}
NOTHING(cuptiProfilerHostGetConfigImage)

struct evaluate {
    struct head head;
    void *host;
    const uint8_t *data;
    size_t bytes, range;
    const char **names;
    size_t count;
    double *values;
};
int cuptiProfilerHostEvaluateToGpuValues(struct evaluate *it)
{
    for (size_t i = 0; i < it->count; i++) {
        it->values[i] = 0;
        for (size_t k = 0; k < taken_count; k++)
            if (strcmp(taken[k], it->names[i]) == 0)
                it->values[i] = 2;
    }
    return 0;
}

struct enable {
    struct head head;
    void *context, *object;
};
int cuptiRangeProfilerEnable(struct enable *it)
{
    it->object = launch;
    return 0;
}

struct data_size {
    struct head head;
    void *object;
    const char **names;
    size_t count, ranges;
    uint32_t nodes;
    size_t bytes;
};
int cuptiRangeProfilerGetCounterDataSize(struct data_size *it)
{
    it->bytes = 64;
    return 0;
}

struct stop {
    struct head head;
    void *object;
    size_t pass, level;
    uint8_t all_done;
};
int cuptiRangeProfilerStop(struct stop *it)
{
    it->all_done = 1;
    return 0;
}

struct push {
    struct head head;
    void *object;
    const char *name;
};
int cuptiRangeProfilerPushRange(struct push *it)
{
    (void)strncpy(launch, it->name, sizeof launch - 1);
    return 0;
}

struct range {
    struct head head;
    const uint8_t *data;
    size_t bytes, range;
    const char *delimiter, *name;
};
int cuptiRangeProfilerCounterDataGetRangeInfo(struct range *it)
{
    it->name = launch;
    return 0;
}

struct decode {
    struct head head;
    void *object;
    size_t dropped;
};
int cuptiRangeProfilerDecodeData(struct decode *it)
{
    it->dropped = 0;
    return 0;
}

struct info {
    struct head head;
    const uint8_t *data;
    size_t bytes, ranges;
};
int cuptiRangeProfilerGetCounterDataInfo(struct info *it)
{
    it->ranges = 1;
    return 0;
}
