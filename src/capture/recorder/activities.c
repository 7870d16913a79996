// What the GPU did, as CUPTI hands it over in buffers: kernels, copies, fills; with RIDGE_CAPTURE_GRAPHS=whole launches of graphs
// in place of what runs in them. A thread asks for what there is every
// 200 ms, as CUPTI's own period hands over full buffers only: a program that is killed would lose up to a buffer. On which
// thread CUPTI hands over is its choice, so buffers are only kept then, and read by that thread.
// SPDX-License-Identifier: Apache-2.0
#include "capture/recorder/recorder.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BUFFER_BYTES = 1 << 20, BUFFERS_MAX = 64 }; // 64 MiB at most; docs/capture.md says so
enum { SPARE_MAX = 4 };                            // buffers that are kept for the next request
// So many wait: the thread reads them now; it cannot keep up: whoever hands over reads them.
enum { FULL_MANY = BUFFERS_MAX / 8, FULL_MOST = BUFFERS_MAX / 2 };
enum { FLUSH_PERIOD_NS = 200000000, END_WAIT_S = 10 };
enum { DEVICES_MAX = 64, DEVICE_NAME_BYTES = 256 };

static struct {
    pthread_mutex_t lock;
    int out; // CUPTI's, and those that wait to be read
    uint8_t *spare[SPARE_MAX];
    int spare_count;
    struct full {
        uint8_t *data;
        size_t valid_bytes;
    } full[BUFFERS_MAX];
    int full_count;
} buffers = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void request(uint8_t **buffer, size_t *size_bytes, size_t *records_max)
{
    uint8_t *spare = NULL;
    pthread_mutex_lock(&buffers.lock);
    bool room = buffers.out < BUFFERS_MAX;
    buffers.out += room;
    if (room && buffers.spare_count > 0)
        spare = buffers.spare[--buffers.spare_count];
    pthread_mutex_unlock(&buffers.lock);
    if (room && !spare)
        spare = aligned_alloc(STREAM_ALIGNMENT, BUFFER_BYTES);
    *buffer = spare;
    *size_bytes = spare ? BUFFER_BYTES : 0; // none: CUPTI drops records, and says how many
    *records_max = 0;
    if (room && !spare) {
        pthread_mutex_lock(&buffers.lock);
        buffers.out--;
        pthread_mutex_unlock(&buffers.lock);
    }
}

void recorder_device(uint32_t device)
{
    static atomic_bool named[DEVICES_MAX];
    char name[DEVICE_NAME_BYTES] = "";
    if (device >= DEVICES_MAX || atomic_exchange(&named[device], true) ||
        !recorder.driver.device_name ||
        recorder.driver.device_name(name, sizeof name, (int)device) != 0)
        return;
    struct event_device event = {device};
    RECORD_TEXT(DEVICE, event, name);
}

static void take_kernel(const struct activity_kernel *k)
{
    struct event_kernel event = {
        .start_ns = k->start_ns,
        .end_ns = k->end_ns,
        .name = recorder_name(k->name ? k->name : ""),
        .device = k->device,
        .context = k->context,
        .stream = k->stream,
        .correlation = k->correlation,
        .grid_x = (uint64_t)k->grid[0],
        .grid_y = (uint64_t)k->grid[1],
        .grid_z = (uint64_t)k->grid[2],
        .block_x = (uint64_t)k->block[0],
        .block_y = (uint64_t)k->block[1],
        .block_z = (uint64_t)k->block[2],
        .registers = k->registers,
        .static_shared_bytes = (uint64_t)k->static_shared_bytes,
        .dynamic_shared_bytes = (uint64_t)k->dynamic_shared_bytes,
        .graph = k->graph,
        .node = k->node,
    };
    recorder_device(k->device);
    RECORD(KERNEL, event);
}

static void take_copy(const struct activity_copy *c)
{
    struct event_copy event = {c->start_ns, c->end_ns,  c->bytes,  c->copy_kind,
                               c->device,   c->context, c->stream, c->correlation};
    recorder_device(c->device);
    RECORD(COPY, event);
}

static void take_fill(const struct activity_fill *f)
{
    struct event_fill event = {f->start_ns, f->end_ns, f->bytes,      f->device,
                               f->context,  f->stream, f->correlation};
    recorder_device(f->device);
    RECORD(FILL, event);
}

static void take_graph(const struct activity_graph *g)
{
    struct event_graph event = {g->start_ns, g->end_ns,      g->device, g->context,
                                g->stream,   g->correlation, g->graph};
    recorder_device(g->device);
    RECORD(GRAPH, event);
}

static void take(const void *record)
{
    switch (*(const int *)record) {
    case ACTIVITY_KERNEL:
        take_kernel(record);
        break;
    case ACTIVITY_COPY:
        take_copy(record);
        break;
    case ACTIVITY_FILL:
        take_fill(record);
        break;
    case ACTIVITY_GRAPH:
        take_graph(record);
        break;
    default: // nothing else was asked for
        break;
    }
}

static void read_buffer(struct full f)
{
    void *record = NULL;
    while (f.valid_bytes > 0 &&
           recorder.cupti.cuptiActivityGetNextRecord(f.data, f.valid_bytes, &record) == CUPTI_DONE)
        take(record);
    pthread_mutex_lock(&buffers.lock);
    buffers.out--;
    bool kept = buffers.spare_count < SPARE_MAX;
    if (kept)
        buffers.spare[buffers.spare_count++] = f.data;
    pthread_mutex_unlock(&buffers.lock);
    if (!kept)
        free(f.data);
}

static void read_buffers(void)
{
    struct full now[BUFFERS_MAX];
    pthread_mutex_lock(&buffers.lock);
    int count = buffers.full_count;
    memcpy(now, buffers.full, (size_t)count * sizeof now[0]);
    buffers.full_count = 0;
    pthread_mutex_unlock(&buffers.lock);
    for (int i = 0; i < count; i++)
        read_buffer(now[i]);
}

/* ---- handing over ------------------------------------------------------------------------------------ */

static struct {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    atomic_bool runs;
    bool end;
} flusher = {.lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER};

static void complete(void *context, uint32_t stream, uint8_t *buffer, size_t size_bytes,
                     size_t valid_bytes)
{
    size_t dropped = 0;
    (void)size_bytes;
    if (recorder.cupti.cuptiActivityGetNumDroppedRecords(context, stream, &dropped) == CUPTI_DONE &&
        dropped > 0) {
        struct event_dropped event = {dropped};
        RECORD(DROPPED, event);
    }
    pthread_mutex_lock(&buffers.lock); // there is room: no more buffers than that are out
    buffers.full[buffers.full_count++] = (struct full){buffer, valid_bytes};
    int count = buffers.full_count;
    pthread_mutex_unlock(&buffers.lock);
    if (!atomic_load(&flusher.runs) || count >= FULL_MOST)
        read_buffers();
    else if (count == FULL_MANY)
        pthread_cond_signal(&flusher.wake);
}

static struct timespec from_now(time_t s, long ns)
{
    struct timespec at;
    clock_gettime(CLOCK_REALTIME, &at);
    at.tv_nsec += ns;
    at.tv_sec += s + at.tv_nsec / 1000000000;
    at.tv_nsec %= 1000000000;
    return at;
}

static void *flush_now_and_then(void *unused)
{
    pthread_mutex_lock(&flusher.lock);
    while (!flusher.end) {
        struct timespec until = from_now(0, FLUSH_PERIOD_NS);
        (void)pthread_cond_timedwait(&flusher.wake, &flusher.lock, &until);
        pthread_mutex_unlock(&flusher.lock);
        recorder.cupti.cuptiActivityFlushAll(0);
        read_buffers();
        pthread_mutex_lock(&flusher.lock);
    }
    pthread_mutex_unlock(&flusher.lock);
    return unused;
}

// The program's signals are none of its business.
static void flusher_start(void)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    atomic_store(&flusher.runs,
                 pthread_create(&flusher.thread, NULL, flush_now_and_then, NULL) == 0);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!atomic_load(&flusher.runs))
        recorder_trouble("the GPU's work is written at the end only: no thread can be started");
}

// Not for ever: the program may end in the middle of a call that the thread waits for.
static void flusher_end(void)
{
    struct timespec until = from_now(END_WAIT_S, 0);
    if (!atomic_load(&flusher.runs))
        return;
    pthread_mutex_lock(&flusher.lock);
    flusher.end = true;
    pthread_cond_signal(&flusher.wake);
    pthread_mutex_unlock(&flusher.lock);
    (void)!pthread_timedjoin_np(flusher.thread, NULL, &until);
}

bool activities_start(void)
{
    static const struct {
        int kind;
        const char *name;
    } kinds[] = {{ACTIVITY_KERNEL, "kernels"},
                 {ACTIVITY_COPY, "copies"},
                 {ACTIVITY_FILL, "fills"},
                 {ACTIVITY_GRAPH, "whole graphs"}};
    const char *graphs = getenv("RIDGE_CAPTURE_GRAPHS");
    bool any = false, whole = graphs && strcmp(graphs, "whole") == 0 && !recorder.saving;
    int status = recorder.cupti.cuptiActivityRegisterCallbacks(request, complete);
    for (size_t i = 0; status == CUPTI_DONE && i < COUNT_OF(kinds) - !whole; i++) {
        int enabled = recorder.cupti.cuptiActivityEnable(kinds[i].kind);
        if (enabled != CUPTI_DONE)
            recorder_trouble("no times of %s: cuptiActivityEnable returns %d", kinds[i].name,
                             enabled);
        any |= enabled == CUPTI_DONE;
    }
    if (status != CUPTI_DONE)
        recorder_trouble("no times of the GPU's work: cuptiActivityRegisterCallbacks returns %d",
                         status);
    if (any)
        flusher_start();
    return any;
}

void activities_end(void)
{
    flusher_end();
    recorder.cupti.cuptiActivityFlushAll(ACTIVITY_FLUSH_FORCED);
    read_buffers();
}

void activities_forget(void)
{
    pthread_mutex_init(&buffers.lock, NULL); // another thread of the parent may have held it
}
