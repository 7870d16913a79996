// What the program asked the driver for, on its own threads, at the end of each call that succeeded: launches with
// their shape, graphs; for saving kernels also modules' images, and what saving.c does. Who launched is asked where kernels are
// saved and where the program names ranges: kernels and their times come without (activities.c), and each callback holds
// the program up.
// SPDX-License-Identifier: Apache-2.0
#include "capture/recorder/recorder.h"

#include <stdlib.h>
#include <string.h>

struct call {
    uint64_t time_ns, end_ns, correlation;
    const char *symbol;
    int status;  // 0: it succeeded
    bool before; // it has yet to run
};
static uint64_t number(const void *pointer)
{
    return (uint64_t)(uintptr_t)pointer;
}

static void record_launch(const struct call *c, const struct launch *l)
{
    const struct launch_config *shape = l->shape;
    const struct saved_launch *saved = saving_after(c->status == 0);
    struct event_launch event = {
        .time_ns = c->time_ns,
        .end_ns = c->end_ns,
        .correlation = c->correlation,
        .thread = recorder_thread(),
        .function = number(l->function),
        .stream = number(shape->stream),
        .grid_x = shape->grid[0],
        .grid_y = shape->grid[1],
        .grid_z = shape->grid[2],
        .block_x = shape->block[0],
        .block_y = shape->block[1],
        .block_z = shape->block[2],
        .shared_bytes = shape->shared_bytes,
        .cooperative = l->cooperative,
    };
    for (unsigned i = 0; i < shape->attribute_count && shape->attributes; i++) {
        const struct launch_attribute *x = &shape->attributes[i];
        if (x->id == LAUNCH_ATTRIBUTE_CLUSTER) {
            event.cluster_x = x->value.cluster[0];
            event.cluster_y = x->value.cluster[1];
            event.cluster_z = x->value.cluster[2];
        }
        if (x->id == LAUNCH_ATTRIBUTE_COOPERATIVE)
            event.cooperative = x->value.flag != 0;
    }
    if (saved) {
        event.name = recorder_name(c->symbol ? c->symbol : "");
        event.ordinal = saved->ordinal;
        event.parameters = saved->parameters;
    }
    if (c->status == 0)
        stream_add(&recorder.out, EVENT_LAUNCH, &event, sizeof event, saved ? saved->tail : NULL,
                   saved ? saved->tail_bytes : 0);
    if (saved)
        saving_done(c->correlation);
}

static void on_launch(const struct call *c, const struct launch *l)
{
    if (c->before)
        saving_before(c->symbol, l);
    else
        record_launch(c, l);
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
    on_launch(c, &(struct launch){&shape, l->function, l->parameters, l->extra, false});
}

static void take_cooperative(const struct call *c, const void *parameters)
{
    const struct call_launch *l = parameters;
    struct launch_config shape = shape_of(l);
    on_launch(c, &(struct launch){&shape, l->function, l->parameters, NULL, true});
}

static void take_launch_ex(const struct call *c, const void *parameters)
{
    const struct call_launch_ex *l = parameters;
    on_launch(c, &(struct launch){l->config, l->function, l->parameters, l->extra, false});
}

static void take_graph(const struct call *c, const void *parameters)
{
    const struct call_graph_launch *g = parameters;
    struct event_graph_launch event = {c->time_ns,        c->end_ns,        c->correlation,
                                       recorder_thread(), number(g->graph), number(g->stream)};
    RECORD(GRAPH_LAUNCH, event);
}

static void take_file(const struct call *c, const void *parameters)
{
    const struct call_load *l = parameters;
    struct event_library event = {c->time_ns};
    RECORD_TEXT(LIBRARY, event, (const char *)l->image);
}

static void take_image(const struct call *c, const void *parameters)
{
    const struct call_load *l = parameters;
    struct event_image event = {c->time_ns};
    const void *image = l->image;
    size_t bytes = image_bytes(&image);
    if (bytes > 0)
        stream_add(&recorder.out, EVENT_IMAGE, &event, sizeof event, image, bytes);
}

static void take_capture_begin(const struct call *c, const void *parameters)
{
    (void)c;
    (void)parameters;
    saving_pause(1);
}

static void take_capture_end(const struct call *c, const void *parameters)
{
    (void)c;
    (void)parameters;
    saving_pause(-1);
}

/* ---- listening ---------------------------------------------------------------------------------------- */

enum when { LAUNCH, ALWAYS, SAVING };
static const struct {
    uint32_t id;
    void (*take)(const struct call *c, const void *parameters);
    enum when when;
} calls[] = {
#define CALL(id, name, take, when) {id, take, when},
#include "capture/recorder/calls.def"
#undef CALL
};

enum { IDS_MAX = 1024 };
static uint8_t row_of[IDS_MAX]; // of calls[], from 1; 0: it is not listened to

static void on_call(uint32_t id, const struct callback_data *data)
{
    size_t row = id < IDS_MAX ? row_of[id] : 0;
    bool before = data->site == SITE_ENTER;
    if (before)
        *data->kept = recorder_clock_ns();
    bool launch = row > 0 && calls[row - 1].when == LAUNCH;
    if (row == 0 || (before && !(launch && recorder.saving)))
        return;
    struct call c = {.correlation = data->correlation,
                     .symbol = data->symbol,
                     .time_ns = *data->kept,
                     .end_ns = before ? 0 : recorder_clock_ns(),
                     .status = before         ? 0
                               : data->status ? *(const int *)data->status
                                              : -1,
                     .before = before};
    if (c.status != 0 && !launch)
        return;
    calls[row - 1].take(&c, data->parameters);
    if (before) // what saving took is no part of the call
        *data->kept = recorder_clock_ns();
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
        variables_take(m->image, m->size_bytes);
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

static bool listen_to_calls(void)
{
    void *subscriber = NULL;
    int status = recorder.cupti.cuptiSubscribe(&subscriber, on_callback, NULL);
    if (status != CUPTI_DONE) {
        recorder_trouble("no launch calls%s: cuptiSubscribe returns %d%s",
                         recorder.saving ? ", and no kernel is saved" : "", status,
                         status == CUPTI_OTHER_SUBSCRIBER
                             ? ", another profiler listens to this program already"
                             : "");
        return false;
    }
    for (size_t i = 0; i < COUNT_OF(calls); i++) {
        row_of[calls[i].id] = (uint8_t)(i + 1);
        if ((calls[i].when != SAVING || recorder.saving) &&
            recorder.cupti.cuptiEnableCallback(1, subscriber, DOMAIN_DRIVER, calls[i].id) !=
                CUPTI_DONE)
            recorder_trouble("the driver's call %u is not listened to", calls[i].id);
    }
    for (uint32_t id = RESOURCE_MODULE_LOADED; recorder.saving && id <= RESOURCE_MODULE_UNLOAD;
         id++)
        if (recorder.cupti.cuptiEnableCallback(1, subscriber, DOMAIN_RESOURCE, id) != CUPTI_DONE)
            recorder_trouble("modules are not recorded: CUPTI refuses the callback %u", id);
    return true;
}

static atomic_bool wanted; // by who names ranges

bool callbacks_start(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static bool tried, listens;
    if (recorder.sampled) // no CUPTI is there
        return false;
    if (!recorder.saving && !atomic_load(&wanted) && !getenv("RIDGE_CAPTURE_CALLS"))
        return false;
    pthread_mutex_lock(&lock);
    if (!tried)
        listens = listen_to_calls();
    tried = true;
    pthread_mutex_unlock(&lock);
    return listens;
}

// Before the recorder begins or later.
void callbacks_want(void)
{
    atomic_store(&wanted, true);
    if (!atomic_load(&recorder.off))
        (void)callbacks_start();
}
