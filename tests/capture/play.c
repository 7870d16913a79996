// A program that does what a recorded one did: gives the fake CUPTI the calls, kernels, copies, fills and whole graphs of a recording
// (*.ridgecap), each at its time. Usage: play RECORDING, or play RECORDING launches: then each kernel is launched, and the fake driver takes as long as
// it took
// SPDX-License-Identifier: Apache-2.0
#include "capture/recorder/cupti_min.h"
#include "capture/stream.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    EVENTS_MAX = 4096,
    FILE_BYTES_MAX = 1 << 20,
    CALL_LAUNCH = 307,
    CALL_GRAPH_LAUNCH = 514,
    CALL_NS = 500
};

static struct played {
    uint64_t time_ns;
    int kind;
    const void *fields;
} events[EVENTS_MAX];
static int event_count;
struct text_event { // NAME, DEVICE
    struct event_head head;
    uint64_t id;
    char words[];
};
static const struct text_event *names[EVENTS_MAX];
static int name_count;

static uint64_t begin_ns; // of the program: a GPU's clock may show the wall clock's time

static void (*set_clock)(uint64_t);
static void (*call)(int domain, uint32_t id, const void *data);
static void (*record_as_it_is)(const void *record, size_t bytes);

// Letters end where padding or the next event begins: copied, as neither need be a NUL.
static const char *words_of(const struct text_event *e)
{
    return strndup(e->words, e->head.size_bytes - e->head.padding - sizeof *e);
}

static const char *name_of(uint64_t id)
{
    for (int i = 0; i < name_count; i++)
        if (names[i]->id == id)
            return words_of(names[i]);
    return "";
}

static void callback(uint32_t id, const void *parameters, uint64_t correlation, uint64_t time_ns,
                     uint64_t end_ns)
{
    int done = 0;
    uint64_t kept = 0;
    struct callback_data data = {.site = SITE_ENTER,
                                 .parameters = parameters,
                                 .status = &done,
                                 .symbol = "",
                                 .kept = &kept,
                                 .correlation = (uint32_t)correlation};
    set_clock(time_ns);
    call(DOMAIN_DRIVER, id, &data);
    data.site = SITE_EXIT;
    set_clock(end_ns);
    call(DOMAIN_DRIVER, id, &data);
}

static void play_launch(const struct event_launch *l)
{
    struct call_launch launch = {
        .function = (void *)(uintptr_t)l->function,
        .grid = {(unsigned)l->grid_x, (unsigned)l->grid_y, (unsigned)l->grid_z},
        .block = {(unsigned)l->block_x, (unsigned)l->block_y, (unsigned)l->block_z},
        .shared_bytes = (unsigned)l->shared_bytes,
        .stream = (void *)(uintptr_t)l->stream};
    callback(CALL_LAUNCH, &launch, l->correlation, l->time_ns, l->end_ns);
}

static void play_graph(const struct event_graph_launch *g)
{
    struct call_graph_launch launch = {(void *)(uintptr_t)g->graph, (void *)(uintptr_t)g->stream};
    callback(CALL_GRAPH_LAUNCH, &launch, g->correlation, g->time_ns, g->end_ns);
}

static void play_kernel(const struct event_kernel *k)
{
    struct activity_kernel a = {
        .kind = ACTIVITY_KERNEL,
        .registers = (uint16_t)k->registers,
        .start_ns = k->start_ns,
        .end_ns = k->end_ns,
        .device = (uint32_t)k->device,
        .context = (uint32_t)k->context,
        .stream = (uint32_t)k->stream,
        .grid = {(int32_t)k->grid_x, (int32_t)k->grid_y, (int32_t)k->grid_z},
        .block = {(int32_t)k->block_x, (int32_t)k->block_y, (int32_t)k->block_z},
        .static_shared_bytes = (int32_t)k->static_shared_bytes,
        .dynamic_shared_bytes = (int32_t)k->dynamic_shared_bytes,
        .correlation = (uint32_t)k->correlation,
        .name = name_of(k->name),
        .node = k->node,
        .graph = (uint32_t)k->graph};
    record_as_it_is(&a, sizeof a);
}

static void play_copy(const struct event_copy *c)
{
    struct activity_copy a = {.kind = ACTIVITY_COPY,
                              .copy_kind = (uint8_t)c->kind,
                              .bytes = c->bytes,
                              .start_ns = c->start_ns,
                              .end_ns = c->end_ns,
                              .device = (uint32_t)c->device,
                              .context = (uint32_t)c->context,
                              .stream = (uint32_t)c->stream,
                              .correlation = (uint32_t)c->correlation};
    record_as_it_is(&a, sizeof a);
}

static void play_fill(const struct event_fill *f)
{
    struct activity_fill a = {.kind = ACTIVITY_FILL,
                              .bytes = f->bytes,
                              .start_ns = f->start_ns,
                              .end_ns = f->end_ns,
                              .device = (uint32_t)f->device,
                              .context = (uint32_t)f->context,
                              .stream = (uint32_t)f->stream,
                              .correlation = (uint32_t)f->correlation};
    record_as_it_is(&a, sizeof a);
}

static void play_whole(const struct event_graph *g)
{
    struct activity_graph a = {.kind = ACTIVITY_GRAPH,
                               .correlation = (uint32_t)g->correlation,
                               .start_ns = g->start_ns,
                               .end_ns = g->end_ns,
                               .device = (uint32_t)g->device,
                               .graph = (uint32_t)g->graph,
                               .context = (uint32_t)g->context,
                               .stream = (uint32_t)g->stream};
    record_as_it_is(&a, sizeof a);
}

static void play(const struct played *e)
{
    switch (e->kind) {
    case EVENT_LAUNCH:
        play_launch(e->fields);
        break;
    case EVENT_GRAPH_LAUNCH:
        play_graph(e->fields);
        break;
    case EVENT_KERNEL:
        play_kernel(e->fields);
        break;
    case EVENT_COPY:
        play_copy(e->fields);
        break;
    case EVENT_FILL:
        play_fill(e->fields);
        break;
    case EVENT_GRAPH:
        play_whole(e->fields);
        break;
    }
}

static void read_events(const char *data, size_t bytes)
{
    for (size_t at = sizeof(struct stream_header); at + sizeof(struct event_head) <= bytes;) {
        const struct event_head *head = (const void *)(data + at);
        const uint64_t *fields = (const void *)(data + at + sizeof *head);
        if (head->size_bytes == 0)
            break;
        if (head->kind == EVENT_NAME && name_count < EVENTS_MAX)
            names[name_count++] = (const void *)head;
        else if (head->kind == EVENT_PROCESS)
            begin_ns = ((const struct event_process *)(const void *)fields)->clock_ns;
        else if (head->kind == EVENT_DEVICE)
            setenv("FAKE_DEVICE", words_of((const void *)head), 1);
        else if (event_count < EVENTS_MAX)
            events[event_count++] = (struct played){fields[0], head->kind, fields};
        at += head->size_bytes;
    }
}

static int by_time(const void *a, const void *b)
{
    const struct played *x = a, *y = b;
    return (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns);
}

// Each kernel by a launch of its name, shape and time, for who stands before the driver's calls.
static void launch_all(void *driver)
{
    int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                  void *, void **, void **);
    int (*init)(unsigned), (*wait_all)(void), launched = 0;
    void *(*kernel)(const char *, uint64_t);
    *(void **)&init = dlsym(driver, "cuInit");
    *(void **)&launch = dlsym(driver, "cuLaunchKernel");
    *(void **)&wait_all = dlsym(driver, "cuCtxSynchronize");
    *(void **)&kernel = dlsym(driver, "fakeKernel");
    init(0);
    for (int i = 0; i < event_count; i++) {
        const struct event_kernel *k = events[i].fields;
        if (events[i].kind != EVENT_KERNEL)
            continue;
        void *handle = kernel(name_of(k->name), k->end_ns - k->start_ns);
        launched += launch(handle, (unsigned)k->grid_x, (unsigned)k->grid_y, (unsigned)k->grid_z,
                           (unsigned)k->block_x, (unsigned)k->block_y, (unsigned)k->block_z, 0,
                           (void *)(uintptr_t)(k->stream << 8), NULL, NULL) == 0;
    }
    wait_all();
    printf("played %d launches\n", launched);
}

int main(int argc, char **argv)
{
    _Alignas(8) static char data[FILE_BYTES_MAX];
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    FILE *f = argc >= 2 ? fopen(argv[1], "rb") : NULL;
    if (!driver || !f)
        return 99;
    read_events(data, fread(data, 1, sizeof data, f));
    fclose(f);
    if (argc > 2) { // launches
        qsort(events, (size_t)event_count, sizeof events[0], by_time);
        launch_all(driver);
        return 0;
    }
    int (*init)(unsigned);
    void *cupti = dlopen("libcupti.so.13", RTLD_NOW); // the recorder takes one that is there
    if (!cupti)
        return 98;
    *(void **)&set_clock = dlsym(cupti, "fake_clock");
    set_clock(begin_ns + CALL_NS);
    *(void **)&init = dlsym(driver, "cuInit");
    init(0);
    *(void **)&call = dlsym(cupti, "fake_call");
    *(void **)&record_as_it_is = dlsym(cupti, "fake_record_as_it_is");
    qsort(events, (size_t)event_count, sizeof events[0], by_time);
    for (int i = 0; i < event_count; i++)
        play(&events[i]);
    printf("played %d events\n", event_count);
    return 0;
}
