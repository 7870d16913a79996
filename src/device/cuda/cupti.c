// Hardware counters by CUPTI's range profiler: the caller marks every kernel launch as a range of its
// own (copies and fills are launches too, and not marked), and replays them all for each pass, so that
// it decides what data and caches a pass finds. Only
// the metrics that the counter table's formulas name are asked for; those that this chip does not
// have are left out. Structures are declared here, from CUPTI's documentation, so that no toolkit is
// needed to build; each begins with its own size, by which the library distinguishes versions.
// SPDX-License-Identifier: Apache-2.0
#include "device/internal.h"
#include "device/cuda/cupti.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    CUPTI_BUSY = 26,                  // CUPTI_ERROR_HARDWARE_BUSY
    CUPTI_NO_PRIVILEGES = 35,         // CUPTI_ERROR_INSUFFICIENT_PRIVILEGES
    CUPTI_VIRTUAL_NO_PRIVILEGES = 40, // …_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES
    USER_RANGE = 2,
    USER_REPLAY = 3,
    INVALID_METRIC = 17, // CUPTI_ERROR_INVALID_METRIC_NAME
    METRICS_MAX = 128,
    PASSES_MAX = 200,
    BUSY_TRIES = 40,
};

/* ---- CUPTI's structures ------------------------------------------------------------------------ */

#define HEAD     \
    size_t size; \
    void *reserved

struct cupti_initialize {
    HEAD;
};
struct cupti_chip_name {
    HEAD;
    size_t device;
    const char *name; // out
};
struct cupti_availability {
    HEAD;
    void *context;
    size_t image_bytes; // in, out
    uint8_t *image;
};
struct cupti_host_initialize {
    HEAD;
    int type; // 0 = range profiler
    const char *chip;
    const uint8_t *availability;
    void *host; // out
};
struct cupti_host {
    HEAD;
    void *host;
};
struct cupti_add_metrics {
    HEAD;
    void *host;
    const char **names;
    size_t count;
};
struct cupti_properties {
    HEAD;
    void *host;
    const char *name;
    const char *description, *hardware_unit, *unit; // out
    int type;                                       // out
};
struct cupti_config_size {
    HEAD;
    void *host;
    size_t bytes; // out
};
struct cupti_config_image {
    HEAD;
    void *host;
    size_t bytes;
    uint8_t *image;
};
struct cupti_evaluate {
    HEAD;
    void *host;
    const uint8_t *data;
    size_t data_bytes, range;
    const char **names;
    size_t count;
    double *values;
};
struct cupti_enable {
    HEAD;
    void *context;
    void *object; // out
};
struct cupti_object {
    HEAD;
    void *object;
};
struct cupti_data_size {
    HEAD;
    void *object;
    const char **names;
    size_t count, ranges_max;
    uint32_t nodes_max;
    size_t bytes; // out
};
struct cupti_data_initialize {
    HEAD;
    void *object;
    size_t bytes;
    uint8_t *data;
};
struct cupti_set_config {
    HEAD;
    void *object;
    size_t config_bytes;
    const uint8_t *config;
    size_t data_bytes;
    uint8_t *data;
    int range, replay;
    size_t ranges_max;
    uint16_t levels, level_min;
    size_t pass;
    uint16_t level;
};
struct cupti_stop {
    HEAD;
    void *object;
    size_t pass, level; // out
    uint8_t all_done;   // out
};
struct cupti_push {
    HEAD;
    void *object;
    const char *name;
};
struct cupti_range_info {
    HEAD;
    const uint8_t *data;
    size_t bytes, range;
    const char *delimiter;
    const char *name; // out
};
struct cupti_decode {
    HEAD;
    void *object;
    size_t dropped; // out
};
struct cupti_data_info {
    HEAD;
    const uint8_t *data;
    size_t bytes;
    size_t ranges; // out
};
// As the library counts: up to the end of the last member, without padding after it.
#define SIZED(type, last) .size = offsetof(struct type, last) + sizeof(((struct type *)0)->last)
_Static_assert(offsetof(struct cupti_set_config, level) == 88, "as in CUPTI's header");
_Static_assert(offsetof(struct cupti_stop, all_done) == 40, "as in CUPTI's header");
_Static_assert(offsetof(struct cupti_evaluate, values) == 64, "as in CUPTI's header");

struct functions {
#define CUPTI(name, type) int (*name)(struct type *);
#include "device/cuda/cupti.def"
#undef CUPTI
    int (*result_string)(int status, const char **text);
    int (*properties)(struct cupti_properties *); // may be NULL
};

struct cupti {
    struct functions f;
    struct arena arena;
    void *context, *host, *object;
    const char *chip;
    uint8_t *availability;
    const char *metrics[METRICS_MAX];
    size_t metric_count;
    uint8_t *config;
    size_t config_bytes;
};

/* ---- opening ----------------------------------------------------------------------------------- */

bool cupti_check(int (*result_string)(int status, const char **text), int status, const char *doing,
                 struct error *err)
{
    const char *text = NULL;
    if (status == CUPTI_DONE)
        return true;
    if (status == CUPTI_NO_PRIVILEGES || status == CUPTI_VIRTUAL_NO_PRIVILEGES)
        return fail_as(err, ERROR_SYSTEM, NOWHERE,
                       "this user may not read the GPU's counters (ERR_NVGPUCTRPERM): ask the "
                       "administrator for the driver option NVreg_RestrictProfilingToAdminUsers=0, "
                       "or run as root");
    if (result_string)
        (void)result_string(status, &text);
    return fail_as(err, ERROR_SYSTEM, NOWHERE, "CUPTI cannot %s: %s (%d)", doing,
                   text ? text : "unknown error", status);
}

static bool check(const struct functions *f, int status, const char *doing, struct error *err)
{
    return cupti_check(f->result_string, status, doing, err);
}

static const char *const cupti_names[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so", NULL};

// Folders of toolkits that may hold it, NULL terminated.
static const char *const *cupti_folders(struct arena *a)
{
    const char *const *folders = cuda_folders(a);
    size_t count = 0;
    while (folders[count])
        count++;
    const char **places = ARENA_ARRAY(a, const char *, 2 * count + 1);
    for (size_t i = 0; i < count; i++) {
        places[2 * i] = folders[i];
        places[2 * i + 1] = arena_printf(a, "%s/../extras/CUPTI/lib64", folders[i]);
    }
    return places;
}

const char *device_cupti(struct arena *a)
{
    for (const char *const *name = cupti_names; *name; name++)
        for (const char *const *folder = cupti_folders(a); *folder; folder++) {
            const char *path = path_join(a, *folder, *name);
            if (file_exists(path))
                return path;
        }
    return NULL;
}

void *cupti_library(struct error *err)
{
    struct arena a = {0};
    struct error ignored = {0};
    void *library = library_open(cupti_names, cupti_folders(&a), &ignored);
    arena_release(&a);
    if (!library)
        (void)fail_as(err, ERROR_SYSTEM, NOWHERE,
                      "libcupti is not here: it comes with the CUDA toolkit; RIDGE_CUDA_PATH names "
                      "the toolkit's folder");
    return library;
}

static bool functions_load(struct functions *f, struct error *err)
{
    struct error ignored = {0};
    void *library = cupti_library(err);
    if (!library)
        return false;
#define CUPTI(name, type)                                                                \
    if (!library_symbol(library, #name, &f->name, sizeof f->name, &ignored))             \
        return fail_as(                                                                  \
            err, ERROR_SYSTEM, NOWHERE,                                                  \
            "libcupti is older than CUDA 12.6, whose range profiler ridge uses: update " \
            "the toolkit");
#include "device/cuda/cupti.def"
#undef CUPTI
    if (!library_symbol(library, "cuptiGetResultString", &f->result_string, sizeof f->result_string,
                        &ignored))
        f->result_string = NULL;
    if (!library_symbol(library, "cuptiProfilerHostGetMetricProperties", &f->properties,
                        sizeof f->properties, &ignored))
        f->properties = NULL;
    return true;
}

static bool host_fresh(struct cupti *c, struct error *err)
{
    struct cupti_host old = {SIZED(cupti_host, host), .host = c->host};
    struct cupti_host_initialize host = {SIZED(cupti_host_initialize, host), .chip = c->chip,
                                         .availability = c->availability};
    if (c->host)
        (void)c->f.cuptiProfilerHostDeinitialize(&old);
    c->host = NULL;
    if (!check(&c->f, c->f.cuptiProfilerHostInitialize(&host), "read this chip's counters", err))
        return false;
    c->host = host.host;
    return true;
}

static bool host_open(struct cupti *c, int ordinal, struct error *err)
{
    struct cupti_initialize init = {SIZED(cupti_initialize, reserved)};
    struct cupti_chip_name chip = {SIZED(cupti_chip_name, name), .device = (size_t)ordinal};
    struct cupti_availability has = {SIZED(cupti_availability, image), .context = c->context};
    if (!check(&c->f, c->f.cuptiProfilerInitialize(&init), "start", err) ||
        !check(&c->f, c->f.cuptiDeviceGetChipName(&chip), "name the chip", err) ||
        !check(&c->f, c->f.cuptiProfilerGetCounterAvailability(&has), "report what it counts", err))
        return false;
    c->chip = arena_strdup(&c->arena, chip.name);
    c->availability = has.image = arena_alloc(&c->arena, has.image_bytes);
    return check(&c->f, c->f.cuptiProfilerGetCounterAvailability(&has), "report what it counts",
                 err) &&
           host_fresh(c, err);
}

// Hardware metrics have a unit and two underscores: not what a profiler adds of the launch, nor labels.
static bool is_hardware(const char *name)
{
    return strstr(name, "__") && !str_starts_with(name, "launch__") &&
           !str_starts_with(name, "gpu__time") && !strchr(name, ' ');
}

static int metrics_add(struct cupti *c, const char **names, size_t count)
{
    struct cupti_add_metrics add = {SIZED(cupti_add_metrics, count), .host = c->host,
                                    .names = names, .count = count};
    return c->f.cuptiProfilerHostConfigAddMetrics(&add);
}

// Asking costs nothing, and a fresh host object after a refusal some 60 ms. Without the question, CUPTI is tried.
static bool is_known(struct cupti *c, const char *name)
{
    struct cupti_properties of = {SIZED(cupti_properties, type), .host = c->host, .name = name};
    struct error ignored = {0};
    if (c->f.properties)
        return c->f.properties(&of) != INVALID_METRIC;
    bool taken = metrics_add(c, &name, 1) == CUPTI_DONE;
    return host_fresh(c, &ignored) && taken;
}

static void metric_take(void *context, const char *name)
{
    struct cupti *c = context;
    if (!is_hardware(name) || c->metric_count == METRICS_MAX || !c->host)
        return;
    for (size_t i = 0; i < c->metric_count; i++)
        if (strcmp(c->metrics[i], name) == 0)
            return;
    if (is_known(c, name))
        c->metrics[c->metric_count++] = arena_strdup(&c->arena, name);
}

static bool config_make(struct cupti *c, struct error *err)
{
    metrics_each(METRIC_TOOL_NCU, metric_take, c);
    struct cupti_config_size size = {SIZED(cupti_config_size, bytes), .host = c->host};
    if (c->metric_count == 0 || !c->host)
        return fail_as(err, ERROR_SYSTEM, NOWHERE, "CUPTI knows none of the counters on this chip");
    // All in one call: each call plans passes of its own. One by one, an H200's 56 metrics take 58 passes in place of 10,
    // and those of instructions (smsp__sass_…) count nothing.
    if (!check(&c->f, metrics_add(c, c->metrics, c->metric_count), "take its counters", err))
        return false;
    if (!check(&c->f, c->f.cuptiProfilerHostGetConfigImageSize(&size), "plan its passes", err))
        return false;
    c->config_bytes = size.bytes;
    c->config = arena_alloc(&c->arena, size.bytes);
    struct cupti_config_image image = {SIZED(cupti_config_image, image), .host = c->host,
                                       .bytes = size.bytes, .image = c->config};
    return check(&c->f, c->f.cuptiProfilerHostGetConfigImage(&image), "plan its passes", err);
}

bool cupti_open(void *cu_context, int ordinal, struct cupti **out, struct error *err)
{
    struct cupti *c = xcalloc(1, sizeof *c);
    c->context = cu_context;
    *out = NULL;
    if (functions_load(&c->f, err) && host_open(c, ordinal, err) && config_make(c, err)) {
        *out = c;
        return true;
    }
    cupti_close(c);
    return false;
}

void cupti_close(struct cupti *c)
{
    if (!c)
        return;
    struct cupti_host host = {SIZED(cupti_host, host), .host = c->host};
    if (c->host)
        (void)c->f.cuptiProfilerHostDeinitialize(&host);
    arena_release(&c->arena);
    free(c);
}

/* ---- counting ----------------------------------------------------------------------------------- */

struct values { // of one launch, for the formulas
    const struct cupti *c;
    const double *value;
};

static bool value_find(const void *context, const char *name, double *value)
{
    const struct values *v = context;
    for (size_t i = 0; i < v->c->metric_count; i++)
        if (strcmp(v->c->metrics[i], name) == 0) {
            *value = v->value[i];
            return true;
        }
    return false;
}

static const long busy_nap_ns = 50000000; // 2 s in all

// Another profiler's pass (a data centre's monitor) is over soon: on an H200 one variant of eleven met one.
static int pass_start(struct cupti *c)
{
    struct cupti_object start = {SIZED(cupti_object, object), .object = c->object};
    int status = c->f.cuptiRangeProfilerStart(&start);
    for (int i = 0; status == CUPTI_BUSY && i < BUSY_TRIES; i++) {
        (void)nanosleep(&(struct timespec){.tv_nsec = busy_nap_ns}, NULL);
        status = c->f.cuptiRangeProfilerStart(&start);
    }
    return status;
}

// Pass after pass until CUPTI has all; each runs every launch once.
static bool passes_run(struct cupti *c, bool (*replay)(void *context, struct error *err),
                       void *context, struct error *err)
{
    for (int pass = 0; pass < PASSES_MAX; pass++) {
        struct cupti_stop stop = {SIZED(cupti_stop, all_done), .object = c->object};
        if (!check(&c->f, pass_start(c), "start a pass", err))
            return false;
        bool ran = replay(context, err);
        int status = c->f.cuptiRangeProfilerStop(&stop);
        if (!ran || !check(&c->f, status, "end a pass", err))
            return false;
        if (stop.all_done)
            return true;
    }
    return fail_as(err, ERROR_SYSTEM, NOWHERE, "CUPTI wants more than %d passes", (int)PASSES_MAX);
}

bool cupti_range_begin(struct cupti *c, int launch, struct error *err)
{
    char name[16];
    (void)snprintf(name, sizeof name, "%d", launch);
    struct cupti_push push = {SIZED(cupti_push, name), .object = c->object, .name = name};
    return check(&c->f, c->f.cuptiRangeProfilerPushRange(&push), "begin a range", err);
}

bool cupti_range_end(struct cupti *c, struct error *err)
{
    struct cupti_object pop = {SIZED(cupti_object, object), .object = c->object};
    return check(&c->f, c->f.cuptiRangeProfilerPopRange(&pop), "end a range", err);
}

static bool data_make(struct cupti *c, struct arena *a, int launches, uint8_t **data, size_t *bytes,
                      struct error *err)
{
    struct cupti_data_size size = {SIZED(cupti_data_size, bytes),
                                   .object = c->object,
                                   .names = c->metrics,
                                   .count = c->metric_count,
                                   .ranges_max = (size_t)launches,
                                   .nodes_max = (uint32_t)launches};
    if (!check(&c->f, c->f.cuptiRangeProfilerGetCounterDataSize(&size), "size its data", err))
        return false;
    *bytes = size.bytes;
    *data = arena_alloc(a, size.bytes);
    struct cupti_data_initialize init = {SIZED(cupti_data_initialize, data), .object = c->object,
                                         .bytes = size.bytes, .data = *data};
    struct cupti_set_config set = {SIZED(cupti_set_config, level),
                                   .object = c->object,
                                   .config_bytes = c->config_bytes,
                                   .config = c->config,
                                   .data_bytes = size.bytes,
                                   .data = *data,
                                   .range = USER_RANGE,
                                   .replay = USER_REPLAY,
                                   .ranges_max = (size_t)launches,
                                   .levels = 1,
                                   .level_min = 1,
                                   .level = 1};
    return check(&c->f, c->f.cuptiRangeProfilerCounterDataImageInitialize(&init),
                 "prepare its data", err) &&
           check(&c->f, c->f.cuptiRangeProfilerSetConfig(&set), "take its configuration", err);
}

// The launch a range was marked as; -1 if it is none of them.
static int launch_of(const struct cupti *c, const uint8_t *data, size_t bytes, size_t range,
                     int launches)
{
    int64_t launch;
    struct cupti_range_info info = {SIZED(cupti_range_info, name), .data = data, .bytes = bytes,
                                    .range = range, .delimiter = "/"};
    if (c->f.cuptiRangeProfilerCounterDataGetRangeInfo(&info) != CUPTI_DONE || !info.name ||
        !str_to_i64(info.name, &launch) || launch < 0 || launch >= launches)
        return -1;
    return (int)launch;
}

static bool values_read(struct cupti *c, struct arena *a, const uint8_t *data, size_t bytes,
                        int launches, struct counters *per_launch, struct error *err)
{
    struct cupti_decode decode = {SIZED(cupti_decode, dropped), .object = c->object};
    struct cupti_data_info info = {SIZED(cupti_data_info, ranges), .data = data, .bytes = bytes};
    if (!check(&c->f, c->f.cuptiRangeProfilerDecodeData(&decode), "decode its data", err) ||
        !check(&c->f, c->f.cuptiRangeProfilerGetCounterDataInfo(&info), "read its data", err))
        return false;
    if (decode.dropped > 0 || info.ranges != (size_t)launches)
        return fail_as(err, ERROR_SYSTEM, NOWHERE, "CUPTI counted %zu launches, not %d",
                       info.ranges, launches);
    double *value = ARENA_ARRAY(a, double, c->metric_count);
    for (int i = 0; i < launches; i++) {
        struct cupti_evaluate evaluate = {
            SIZED(cupti_evaluate, values), .host = c->host,    .data = data,
            .data_bytes = bytes,           .range = (size_t)i, .names = c->metrics,
            .count = c->metric_count,      .values = value};
        if (!check(&c->f, c->f.cuptiProfilerHostEvaluateToGpuValues(&evaluate),
                   "work out its values", err))
            return false;
        struct values values = {c, value};
        int launch = launch_of(c, data, bytes, (size_t)i, launches);
        if (launch < 0)
            return fail_as(err, ERROR_SYSTEM, NOWHERE, "CUPTI counted a range nobody marked");
        per_launch[launch] = (struct counters){0};
        counters_from_metrics(METRIC_TOOL_NCU, value_find, &values, &per_launch[launch]);
    }
    return true;
}

bool cupti_count(struct cupti *c, bool (*replay)(void *context, struct error *err), void *context,
                 int launches, struct counters *per_launch, struct error *err)
{
    struct arena a = {0};
    struct cupti_enable enable = {SIZED(cupti_enable, object), .context = c->context};
    uint8_t *data = NULL;
    size_t bytes = 0;
    if (!check(&c->f, c->f.cuptiRangeProfilerEnable(&enable), "open the profiler", err))
        return false;
    c->object = enable.object;
    bool done = data_make(c, &a, launches, &data, &bytes, err) &&
                passes_run(c, replay, context, err) &&
                values_read(c, &a, data, bytes, launches, per_launch, err);
    struct cupti_object off = {SIZED(cupti_object, object), .object = c->object};
    (void)c->f.cuptiRangeProfilerDisable(&off);
    arena_release(&a);
    return done;
}
