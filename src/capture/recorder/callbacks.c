// What the program asked the driver for, on its own threads, at the end of each call that succeeded: launches with
// their shape, graphs; for saving kernels also modules' images, parameters and allocations.
// SPDX-License-Identifier: Apache-2.0
#include "capture/recorder/recorder.h"

#include <string.h>
#include <unistd.h>

enum { PARAMETERS_MAX = 512, PARAMETER_BYTES_MAX = 32768 };
// cuLaunchKernel's `extra`: pairs of a word and a value.
enum { EXTRA_POINTER = 1, EXTRA_SIZE = 2, EXTRA_PAIRS_MAX = 4 };

struct call {
    uint64_t time_ns, end_ns, correlation;
    const char *symbol;
};
struct parameters {
    uint64_t count;
    size_t bytes;
    char tail[PARAMETERS_MAX * 2 * sizeof(uint32_t) + PARAMETER_BYTES_MAX];
};

static uint64_t number(const void *pointer)
{
    return (uint64_t)(uintptr_t)pointer;
}

/* ---- parameters ------------------------------------------------------------------------------------- */

// A buffer that the caller packed: one piece.
static void packed(void **extra, struct parameters *p)
{
    const void *data = NULL;
    size_t bytes = 0;
    for (int i = 0; i < EXTRA_PAIRS_MAX && extra[2 * i]; i++) {
        if (number(extra[2 * i]) == EXTRA_POINTER)
            data = extra[2 * i + 1];
        else if (number(extra[2 * i]) == EXTRA_SIZE)
            memcpy(&bytes, extra[2 * i + 1], sizeof bytes);
    }
    if (!data || bytes == 0 || bytes > PARAMETER_BYTES_MAX)
        return;
    uint32_t place[2] = {0, (uint32_t)bytes};
    memcpy(p->tail, place, sizeof place);
    memcpy(p->tail + sizeof place, data, bytes);
    p->count = 1;
    p->bytes = sizeof place + bytes;
}

static void listed(void *function, void **values, struct parameters *p)
{
    size_t offset, size, bytes = 0, count = 0;
    uint32_t places[PARAMETERS_MAX][2];
    while (count < PARAMETERS_MAX &&
           recorder.driver.parameter(function, count, &offset, &size) == 0) {
        if (size > PARAMETER_BYTES_MAX - bytes)
            return;
        places[count][0] = (uint32_t)offset;
        places[count++][1] = (uint32_t)size;
        bytes += size;
    }
    char *to = p->tail + count * sizeof places[0];
    memcpy(p->tail, places, count * sizeof places[0]);
    for (size_t i = 0; i < count; to += places[i++][1])
        memcpy(to, values[i], places[i][1]);
    p->count = count;
    p->bytes = count * sizeof places[0] + bytes;
}

static void record_launch(const struct call *c, void *function, const struct launch_config *shape,
                          void **values, void **extra)
{
    struct event_launch event = {
        .time_ns = c->time_ns,
        .end_ns = c->end_ns,
        .correlation = c->correlation,
        .thread = (uint64_t)gettid(),
        .function = number(function),
        .stream = number(shape->stream),
        .grid_x = shape->grid[0],
        .grid_y = shape->grid[1],
        .grid_z = shape->grid[2],
        .block_x = shape->block[0],
        .block_y = shape->block[1],
        .block_z = shape->block[2],
        .shared_bytes = shape->shared_bytes,
    };
    struct parameters p;
    p.count = p.bytes = 0;
    for (unsigned i = 0; i < shape->attribute_count && shape->attributes; i++)
        if (shape->attributes[i].id == LAUNCH_ATTRIBUTE_CLUSTER) {
            event.cluster_x = shape->attributes[i].value.cluster[0];
            event.cluster_y = shape->attributes[i].value.cluster[1];
            event.cluster_z = shape->attributes[i].value.cluster[2];
        }
    if (recorder.whole) {
        if (values && recorder.driver.parameter)
            listed(function, values, &p);
        else if (extra)
            packed(extra, &p);
        struct event_function named = {event.function, recorder_name(c->symbol ? c->symbol : "")};
        RECORD(FUNCTION, named);
    }
    event.parameters = p.count;
    stream_add(&recorder.out, EVENT_LAUNCH, &event, sizeof event, p.tail, p.bytes);
}

/* ---- one function per row of calls.def ---------------------------------------------------------------- */

static struct launch_config shape_of(const struct call_launch *l)
{
    struct launch_config shape = {.shared_bytes = l->shared_bytes, .stream = l->stream};
    memcpy(shape.grid, l->grid, sizeof shape.grid);
    memcpy(shape.block, l->block, sizeof shape.block);
    return shape;
}

static void take_launch(const struct call *c, const void *parameters)
{
    const struct call_launch *l = parameters;
    struct launch_config shape = shape_of(l);
    record_launch(c, l->function, &shape, l->parameters, l->extra);
}

static void take_cooperative(const struct call *c, const void *parameters)
{
    const struct call_launch *l = parameters;
    struct launch_config shape = shape_of(l);
    record_launch(c, l->function, &shape, l->parameters, NULL);
}

static void take_launch_ex(const struct call *c, const void *parameters)
{
    const struct call_launch_ex *l = parameters;
    record_launch(c, l->function, l->config, l->parameters, l->extra);
}

static void take_graph(const struct call *c, const void *parameters)
{
    const struct call_graph_launch *g = parameters;
    struct event_graph_launch event = {c->time_ns,         c->end_ns,        c->correlation,
                                       (uint64_t)gettid(), number(g->graph), number(g->stream)};
    RECORD(GRAPH_LAUNCH, event);
}

static void record_allocation(const struct call *c, uint64_t address, uint64_t bytes, bool managed)
{
    struct event_allocation event = {c->end_ns, address, bytes, managed};
    RECORD(ALLOCATION, event);
}

static void take_allocate(const struct call *c, const void *parameters)
{
    const struct call_allocate *l = parameters;
    record_allocation(c, *l->address, l->bytes, false);
}

static void take_allocate_managed(const struct call *c, const void *parameters)
{
    const struct call_allocate *l = parameters;
    record_allocation(c, *l->address, l->bytes, true);
}

static void take_allocate_pitch(const struct call *c, const void *parameters)
{
    const struct call_allocate_pitch *l = parameters;
    record_allocation(c, *l->address, *l->pitch_bytes * l->height, false);
}

static void take_map(const struct call *c, const void *parameters)
{
    const struct call_map *l = parameters;
    record_allocation(c, l->address, l->bytes, false);
}

static void take_free(const struct call *c, const void *parameters)
{
    const struct call_free *l = parameters;
    struct event_free event = {c->time_ns, l->address};
    RECORD(FREE, event);
}

/* ---- listening ---------------------------------------------------------------------------------------- */

enum when { ALWAYS, WHOLE };
static const struct {
    uint32_t id;
    void (*take)(const struct call *c, const void *parameters);
    enum when when;
} calls[] = {
#define CALL(id, name, take, when) {id, take, when},
#include "capture/recorder/calls.def"
#undef CALL
};

static void on_call(uint32_t id, const struct callback_data *data)
{
    if (data->site == SITE_ENTER) {
        *data->kept = recorder_clock_ns();
        return;
    }
    if (data->site != SITE_EXIT || !data->status || *(const int *)data->status != 0)
        return;
    struct call c = {*data->kept, recorder_clock_ns(), data->correlation, data->symbol};
    for (size_t i = 0; i < COUNT_OF(calls); i++)
        if (calls[i].id == id)
            calls[i].take(&c, data->parameters);
}

static void on_module(uint32_t id, const struct resource_data *data)
{
    const struct module_data *m = data->descriptor;
    if (!m)
        return;
    if (id == RESOURCE_MODULE_LOADED) {
        struct event_module event = {recorder_clock_ns(), m->module, m->size_bytes};
        stream_add(&recorder.out, EVENT_MODULE, &event, sizeof event, m->image,
                   m->image ? m->size_bytes : 0);
    } else {
        struct event_unload event = {recorder_clock_ns(), m->module};
        RECORD(UNLOAD, event);
    }
}

static void on_callback(void *user, int domain, uint32_t id, const void *data)
{
    (void)user;
    if (atomic_load_explicit(&recorder.off, memory_order_relaxed))
        return;
    if (domain == DOMAIN_DRIVER)
        on_call(id, data);
    else if (domain == DOMAIN_RESOURCE)
        on_module(id, data);
}

bool callbacks_start(void)
{
    void *subscriber = NULL;
    int status = recorder.cupti.cuptiSubscribe(&subscriber, on_callback, NULL);
    if (status != CUPTI_DONE) {
        recorder_trouble("no launch calls%s: cuptiSubscribe returns %d%s",
                         recorder.whole ? ", modules, parameters and allocations" : "", status,
                         status == CUPTI_OTHER_SUBSCRIBER
                             ? ", another profiler listens to this program already"
                             : "");
        return false;
    }
    for (size_t i = 0; i < COUNT_OF(calls); i++)
        if ((calls[i].when == ALWAYS || recorder.whole) &&
            recorder.cupti.cuptiEnableCallback(1, subscriber, DOMAIN_DRIVER, calls[i].id) !=
                CUPTI_DONE)
            recorder_trouble("the driver's call %u is not listened to", calls[i].id);
    for (uint32_t id = RESOURCE_MODULE_LOADED; recorder.whole && id <= RESOURCE_MODULE_UNLOAD; id++)
        if (recorder.cupti.cuptiEnableCallback(1, subscriber, DOMAIN_RESOURCE, id) != CUPTI_DONE)
            recorder_trouble("modules are not recorded: CUPTI refuses the callback %u", id);
    return true;
}
