// Hardware counters of AMD's GPUs by rocprofiler-sdk's device counting service: a context per GPU, made when the library
// lets its tools register, is started before a launch, read after it, and stopped. It counts the GPU, not the launch: what
// others compute meanwhile is in it. Counters that do not fit together are read in several passes. Structures are declared here, from
// AMD's public headers. Not tried on hardware: docs/amd.md.
// SPDX-License-Identifier: Apache-2.0
#include "device/hip/rocprofiler.h"
#include "device/hip/rocm_smi.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROCPROFILER_DONE = 0,
    AGENTS_V0 = 1, // rocprofiler_agent_version_t
    AGENT_GPU = 2,
    INFO_V0 = 1, // rocprofiler_counter_info_version_id_t
    LOSSLESS = 2,
    GPUS_MAX = 64,
    COUNTERS_MAX = 128,
    RECORDS_MAX = 16384,
    RECORD_BYTES = 32,       // rocprofiler_record_counter_t
    RECORD_BYTES_LATER = 40, // with the agent behind it
    BUFFER_BYTES = 1 << 20,
};
#define OUR_RECORDS UINT64_C(0x7269646765) // user data, by which a record is known

/* ---- the library's structures ---------------------------------------------------------------------- */

struct rocprofiler_agent { // the head of rocprofiler_agent_v0_t
    uint64_t size, id;
    uint32_t type, counts[20], gfx_version;
    uint16_t vendor, device;
    uint32_t location, domain; // of PCI
};
struct rocprofiler_counter_info { // rocprofiler_counter_info_v0_t
    uint64_t id;
    const char *name, *description, *block, *expression;
    uint8_t flags;
};
struct rocprofiler_client { // rocprofiler_client_id_t
    const char *name;
    uint32_t handle;
};
struct rocprofiler_tool { // rocprofiler_tool_configure_result_t
    size_t size;
    int (*initialize)(void (*finalize)(struct rocprofiler_client), void *data);
    void (*finalize)(void *data);
    void *data;
};
struct rocprofiler_record { // in both forms
    uint64_t id;
    double value;
    uint64_t dispatch, data;
};
typedef struct rocprofiler_tool *rocprofiler_configure(uint32_t version, const char *runtime,
                                                       uint32_t priority,
                                                       struct rocprofiler_client *client);
typedef int rocprofiler_agents(int version, const void **agents, size_t count, void *context);
typedef void rocprofiler_records(uint64_t context, uint64_t buffer, void **records, size_t count,
                                 void *data, uint64_t dropped);
typedef int rocprofiler_set_config(uint64_t context, uint64_t config);
typedef void rocprofiler_choose(uint64_t context, uint64_t agent, rocprofiler_set_config *set,
                                void *data);
typedef int rocprofiler_counters(uint64_t agent, uint64_t *counters, size_t count, void *data);

struct functions {
#define ROCPROFILER(name, older, parameters) int(*name) parameters;
#include "device/hip/rocprofiler.def"
#undef ROCPROFILER
};

/* ---- registration: once per process ---------------------------------------------------------------- */

struct counted_gpu {
    uint64_t agent, context, bdf;
    uint64_t config; // that the next start takes; 0: none
};
static struct {
    struct functions f;
    struct counted_gpu gpus[GPUS_MAX];
    int count;
    struct error why; // there are no counters
} service;
static pthread_once_t registered = PTHREAD_ONCE_INIT;

static bool symbol_load(void *library, const char *name, const char *older, void *out,
                        size_t size_bytes)
{
    struct error ignored = {0};
    return library_symbol(library, name, out, size_bytes, &ignored) ||
           (older && library_symbol(library, older, out, size_bytes, &ignored));
}

static bool functions_load(struct functions *f, struct error *err)
{
    static const char *const names[] = {"librocprofiler-sdk.so.1", "librocprofiler-sdk.so.0", NULL};
    struct error ignored = {0};
    void *library = hip_library(names, &ignored);
    if (!library)
        return fail_as(err, ERROR_SYSTEM, NOWHERE,
                       "librocprofiler-sdk is not here: it comes with ROCm from 6.2 on");
#define ROCPROFILER(name, older, parameters)                           \
    if (!symbol_load(library, #name, older, &f->name, sizeof f->name)) \
        return fail_as(err, ERROR_SYSTEM, NOWHERE,                     \
                       "librocprofiler-sdk has no " #name ": update ROCm");
#include "device/hip/rocprofiler.def"
#undef ROCPROFILER
    return true;
}

static int part_body(void *context, int fd)
{
    (void)context;
    struct functions f;
    struct error err = {0};
    return functions_load(&f, &err) ? part_here(fd, "has what ridge calls")
                                    : part_missing(fd, "%s", err.message);
}

void rocprofiler_part(struct parts *p)
{
    part_ask(p, "rocprofiler-sdk", part_body, "only for hardware counters of AMD's GPUs");
}

static void choose_config(uint64_t context, uint64_t agent, rocprofiler_set_config *set, void *data)
{
    const struct counted_gpu *gpu = data;
    (void)agent;
    if (gpu->config != 0)
        (void)set(context, gpu->config);
}

// The service wants a buffer; records are taken where they are asked for.
static void drop_records(uint64_t context, uint64_t buffer, void **records, size_t count,
                         void *data, uint64_t dropped)
{
    (void)context;
    (void)buffer;
    (void)records;
    (void)count;
    (void)data;
    (void)dropped;
}

static int take_agents(int version, const void **agents, size_t count, void *context)
{
    (void)version;
    (void)context;
    for (size_t i = 0; i < count && service.count < GPUS_MAX; i++) {
        const struct rocprofiler_agent *a = agents[i];
        if (a->type == AGENT_GPU)
            service.gpus[service.count++] = (struct counted_gpu){
                .agent = a->id, .bdf = (uint64_t)a->domain << 32 | (a->location & UINT16_MAX)};
    }
    return ROCPROFILER_DONE;
}

static bool context_make(struct counted_gpu *gpu)
{
    const struct functions *f = &service.f;
    uint64_t buffer = 0;
    return f->rocprofiler_create_context(&gpu->context) == ROCPROFILER_DONE &&
           f->rocprofiler_create_buffer(gpu->context, BUFFER_BYTES, BUFFER_BYTES / 2, LOSSLESS,
                                        drop_records, NULL, &buffer) == ROCPROFILER_DONE &&
           f->rocprofiler_configure_device_counting_service(gpu->context, buffer, gpu->agent,
                                                            choose_config, gpu) == ROCPROFILER_DONE;
}

static int initialize(void (*finalize)(struct rocprofiler_client), void *data)
{
    (void)finalize;
    (void)data;
    if (service.f.rocprofiler_query_available_agents(
            AGENTS_V0, take_agents, sizeof(struct rocprofiler_agent), NULL) != ROCPROFILER_DONE)
        service.count = 0;
    int made = 0;
    for (int i = 0; i < service.count; i++) {
        service.gpus[made] = service.gpus[i];
        made += context_make(&service.gpus[made]);
    }
    service.count = made;
    return 0;
}

static void leave(void *data)
{
    (void)data;
}

static struct rocprofiler_tool *configure(uint32_t version, const char *runtime, uint32_t priority,
                                          struct rocprofiler_client *client)
{
    static struct rocprofiler_tool tool = {
        .size = sizeof tool, .initialize = initialize, .finalize = leave};
    (void)version;
    (void)runtime;
    (void)priority;
    client->name = "ridge";
    return &tool;
}

static void register_once(void)
{
    const char *wanted = environment("RIDGE_ROCPROFILER");
    struct error *why = &service.why;
    if (wanted && strcmp(wanted, "0") == 0) {
        (void)fail_as(why, ERROR_SYSTEM, NOWHERE, "RIDGE_ROCPROFILER is 0");
        return;
    }
    if (!functions_load(&service.f, why))
        return;
    int status = service.f.rocprofiler_force_configure(configure);
    if (status != ROCPROFILER_DONE)
        (void)fail_as(
            why, ERROR_SYSTEM, NOWHERE,
            "rocprofiler-sdk takes no tool any more (status %d): another one is there, or "
            "AMD's runtime was at work before",
            status);
    else if (service.count == 0)
        (void)fail_as(why, ERROR_SYSTEM, NOWHERE,
                      "rocprofiler-sdk gives no counting context for any GPU");
}

void rocprofiler_register(void)
{
    (void)pthread_once(&registered, register_once);
}

/* ---- which counters, and in which passes ------------------------------------------------------------ */

struct rocprofiler {
    struct counted_gpu *gpu;
    struct arena arena;
    const char *names[COUNTERS_MAX];
    uint64_t ids[COUNTERS_MAX];
    size_t count;
    struct pass { // counters from `first` on
        uint64_t config;
        size_t first, count;
    } passes[COUNTERS_MAX];
    size_t pass_count;
    const struct pass *pass; // at work
    int launch;
    double *value; // of each launch, `count` of them; NAN: not known
    char *records;
};

struct listed {
    uint64_t *ids;
    size_t count;
};

static int take_counters(uint64_t agent, uint64_t *counters, size_t count, void *data)
{
    struct listed *all = data;
    (void)agent;
    all->ids = xrealloc(all->ids, (all->count + count + 1) * sizeof *all->ids);
    for (size_t i = 0; i < count; i++)
        all->ids[all->count++] = counters[i];
    return ROCPROFILER_DONE;
}

struct wanted {
    struct rocprofiler *r;
    const struct listed *all;
};

static void metric_take(void *context, const char *name)
{
    const struct wanted *w = context;
    struct rocprofiler *r = w->r;
    for (size_t i = 0; i < r->count; i++)
        if (strcmp(r->names[i], name) == 0)
            return;
    for (size_t i = 0; i < w->all->count && r->count < COUNTERS_MAX; i++) {
        struct rocprofiler_counter_info info = {0};
        if (service.f.rocprofiler_query_counter_info(w->all->ids[i], INFO_V0, &info) !=
                ROCPROFILER_DONE ||
            !info.name || strcmp(info.name, name) != 0)
            continue;
        r->names[r->count] = arena_strdup(&r->arena, name);
        r->ids[r->count++] = w->all->ids[i];
        return;
    }
}

// false: the chip cannot count these together.
static bool config_make(const struct rocprofiler *r, size_t first, size_t count, uint64_t *config)
{
    uint64_t ids[COUNTERS_MAX];
    *config = 0;
    memcpy(ids, r->ids + first, count * sizeof *ids);
    return service.f.rocprofiler_create_counter_config(r->gpu->agent, ids, count, config) ==
           ROCPROFILER_DONE;
}

static void leave_out(struct rocprofiler *r, size_t i)
{
    memmove(r->names + i, r->names + i + 1, (r->count - i - 1) * sizeof *r->names);
    memmove(r->ids + i, r->ids + i + 1, (r->count - i - 1) * sizeof *r->ids);
    r->count--;
}

// As many as fit, from the first on; one that does not alone is left out.
static void passes_make(struct rocprofiler *r)
{
    size_t first = 0;
    while (first < r->count) {
        struct pass pass = {.first = first};
        uint64_t config = 0;
        while (first + pass.count < r->count && config_make(r, first, pass.count + 1, &config)) {
            pass.config = config;
            pass.count++;
        }
        if (pass.count == 0) {
            leave_out(r, first);
            continue;
        }
        r->passes[r->pass_count++] = pass;
        first += pass.count;
    }
}

static struct counted_gpu *gpu_find(const struct cuda_device *c)
{
    uint64_t bdf = 0;
    if (!smi_bdf_of(c->head.info->bus_id, &bdf))
        return NULL;
    for (int i = 0; i < service.count; i++)
        if (service.gpus[i].bdf == bdf)
            return &service.gpus[i];
    return NULL;
}

static void rocprofiler_close(void *tool)
{
    struct rocprofiler *r = tool;
    if (!r)
        return;
    arena_release(&r->arena);
    free(r->records);
    free(r);
}

static bool rocprofiler_open(const struct cuda_device *c, void **out, struct error *err)
{
    struct listed all = {.count = 0};
    *out = NULL;
    rocprofiler_register();
    if (service.why.kind != ERROR_NONE) {
        *err = service.why;
        return false;
    }
    struct counted_gpu *gpu = gpu_find(c);
    if (!gpu)
        return fail_as(err, ERROR_SYSTEM, NOWHERE, "rocprofiler-sdk does not know the GPU at %s",
                       c->head.info->bus_id ? c->head.info->bus_id : "an unknown PCI address");
    struct rocprofiler *r = xcalloc(1, sizeof *r);
    r->gpu = gpu;
    if (service.f.rocprofiler_iterate_agent_supported_counters(gpu->agent, take_counters, &all) ==
        ROCPROFILER_DONE) {
        struct wanted wanted = {r, &all};
        metrics_each(METRIC_TOOL_ROCPROF, metric_take, &wanted);
        passes_make(r);
    }
    free(all.ids);
    if (r->pass_count == 0) {
        rocprofiler_close(r);
        return fail_as(err, ERROR_SYSTEM, NOWHERE,
                       "rocprofiler-sdk counts nothing on this chip that ridge has a use for");
    }
    r->records = xcalloc(RECORDS_MAX, RECORD_BYTES_LATER);
    *out = r;
    return true;
}

/* ---- counting --------------------------------------------------------------------------------------- */

static bool rocprofiler_begin(void *tool, int launch, struct error *err)
{
    struct rocprofiler *r = tool;
    r->launch = launch;
    r->gpu->config = r->pass->config;
    int status = service.f.rocprofiler_start_context(r->gpu->context);
    return status == ROCPROFILER_DONE ||
           fail_as(err, ERROR_SYSTEM, NOWHERE, "rocprofiler-sdk cannot start to count (status %d)",
                   status);
}

// Records are 32 or 40 bytes long, by version: our data say where the second one has them.
static size_t record_bytes(const struct rocprofiler *r, size_t count)
{
    struct rocprofiler_record second;
    if (count < 2)
        return RECORD_BYTES;
    memcpy(&second, r->records + RECORD_BYTES, sizeof second);
    return second.data == OUR_RECORDS ? RECORD_BYTES : RECORD_BYTES_LATER;
}

// A counter has a record per instance (channel, shader engine …): their sum.
static bool records_take(struct rocprofiler *r, size_t count, struct error *err)
{
    const size_t bytes = record_bytes(r, count);
    double *value = r->value + (size_t)r->launch * r->count;
    for (size_t i = 0; i < count; i++) {
        struct rocprofiler_record record;
        uint64_t id = 0;
        memcpy(&record, r->records + i * bytes, sizeof record);
        if (record.data != OUR_RECORDS)
            return fail_as(err, ERROR_SYSTEM, NOWHERE,
                           "rocprofiler-sdk's records have a form that ridge does not know");
        if (service.f.rocprofiler_query_record_counter_id(record.id, &id) != ROCPROFILER_DONE)
            continue;
        for (size_t k = r->pass->first; k < r->pass->first + r->pass->count; k++)
            if (r->ids[k] == id)
                value[k] = isnan(value[k]) ? record.value : value[k] + record.value;
    }
    return true;
}

static bool rocprofiler_end(void *tool, struct error *err)
{
    struct rocprofiler *r = tool;
    size_t count = RECORDS_MAX;
    int status = service.f.rocprofiler_sample_device_counting_service(r->gpu->context, OUR_RECORDS,
                                                                      0, r->records, &count);
    (void)service.f.rocprofiler_stop_context(r->gpu->context);
    if (status != ROCPROFILER_DONE)
        return fail_as(err, ERROR_SYSTEM, NOWHERE,
                       "rocprofiler-sdk cannot read what it counted (status %d)", status);
    return records_take(r, count < RECORDS_MAX ? count : RECORDS_MAX, err);
}

struct values { // of one launch, for the formulas
    const struct rocprofiler *r;
    const double *value;
};

static bool value_find(const void *context, const char *name, double *value)
{
    const struct values *v = context;
    for (size_t i = 0; i < v->r->count; i++)
        if (strcmp(v->r->names[i], name) == 0 && !isnan(v->value[i])) {
            *value = v->value[i];
            return true;
        }
    return false;
}

static bool rocprofiler_count(void *tool, bool (*replay)(void *context, struct error *err),
                              void *context, int launches, struct counters *per_launch,
                              struct error *err)
{
    struct rocprofiler *r = tool;
    struct arena a = {0};
    bool done = true;
    r->value = ARENA_ARRAY(&a, double, (size_t)launches * r->count + 1);
    for (size_t i = 0; i < (size_t)launches * r->count; i++)
        r->value[i] = (double)NAN;
    for (size_t i = 0; i < r->pass_count && done; i++) {
        r->pass = &r->passes[i];
        done = replay(context, err);
    }
    for (int i = 0; i < launches && done; i++) {
        struct values values = {r, r->value + (size_t)i * r->count};
        per_launch[i] = (struct counters){0};
        counters_from_metrics(METRIC_TOOL_ROCPROF, value_find, &values, &per_launch[i]);
    }
    r->value = NULL;
    r->gpu->config = 0;
    arena_release(&a);
    return done;
}

const struct cuda_counting rocprofiler_counting = {.open = rocprofiler_open,
                                                   .close = rocprofiler_close,
                                                   .count = rocprofiler_count,
                                                   .begin = rocprofiler_begin,
                                                   .end = rocprofiler_end};
