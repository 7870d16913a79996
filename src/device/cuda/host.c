// What a variant's steps have on the host: buffers in its memory (ordinary, pinned, mapped) and copies between it
// and the device; the streams that steps are put on; and the window of the L2 that a kernel keeps.
//   A buffer of the host has its place on the device too, where the loop fills and reads it: contents go to the
//   host before the steps run and back after them, outside of the time.
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/cuda.h"

#include <stdlib.h>
#include <string.h>

enum { HOST_MAPPED = 2, LIMIT_PERSISTING_L2 = 6 };  // CU_MEMHOSTALLOC_DEVICEMAP; CUlimit
enum { MAX_PERSISTING_L2 = 108, MAX_WINDOW = 109 }; // CUdevice_attribute
enum { EVENT_WITHOUT_TIME = 2, STREAM_NON_BLOCKING = 1 };

struct host_place {
    uint64_t address; // of the buffer on the device
    enum buffer_memory memory;
    size_t size_bytes;
    void *host;
    uint64_t mapped; // the host's memory as the device addresses it
    bool used;       // by the sequence at work
};

/* ---- streams ----------------------------------------------------------------------------------------- */

struct side_stream { // beside the device's own
    void *stream, *event;
};

static bool streams_open(struct cuda_device *c, int count, struct error *err)
{
    const struct driver *cu = &c->cu;
    if (count > 1 && !cu->cuStreamWaitEvent)
        return fail_as(err, ERROR_SYSTEM, NOWHERE,
                       "NVIDIA's driver is too old for several streams");
    while (count > 1 && (int)c->streams.count < count) { // the first is the device's own
        struct side_stream s = {c->stream, NULL};
        if ((c->streams.count > 0 &&
             !driver_check(cu, cu->cuStreamCreate(&s.stream, STREAM_NON_BLOCKING), err,
                           "no further stream")) ||
            !driver_check(cu, cu->cuEventCreate(&s.event, EVENT_WITHOUT_TIME), err, "no event"))
            return false;
        VEC_PUSH(c->streams.items, c->streams.count, c->streams.capacity, s);
    }
    return true;
}

/* ---- memory ------------------------------------------------------------------------------------------ */

static bool place_alloc(struct cuda_device *c, struct host_place *p, struct error *err)
{
    const struct driver *cu = &c->cu;
    if (p->memory == MEMORY_PAGEABLE) {
        p->host = xcalloc(p->size_bytes, 1);
        memset(p->host, 1, p->size_bytes); // there, not only promised
        return true;
    }
    if (!cu->cuMemHostAlloc || !cu->cuMemHostGetDevicePointer_v2)
        return fail_as(err, ERROR_SYSTEM, NOWHERE, "NVIDIA's driver is too old for mapped memory");
    return driver_check(cu, cu->cuMemHostAlloc(&p->host, p->size_bytes, HOST_MAPPED), err,
                        "no %s memory of the host", buffer_memory_name(p->memory)) &&
           driver_check(cu, cu->cuMemHostGetDevicePointer_v2(&p->mapped, p->host, 0), err,
                        "memory of the host cannot be mapped");
}

static struct host_place *place_of(struct cuda_device *c, uint64_t address)
{
    for (size_t i = 0; i < c->places.count; i++)
        if (c->places.items[i].address == address && c->places.items[i].used)
            return &c->places.items[i];
    return NULL;
}

static bool place_open(struct cuda_device *c, uint64_t address, size_t size_bytes,
                       enum buffer_memory memory, uint64_t *reached, struct error *err)
{
    struct host_place *p = NULL, fresh = {address, memory, size_bytes, NULL, 0, true};
    for (size_t i = 0; i < c->places.count; i++)
        if (c->places.items[i].address == address && c->places.items[i].memory == memory)
            p = &c->places.items[i];
    if (!p) {
        if (!place_alloc(c, &fresh, err))
            return false;
        VEC_PUSH(c->places.items, c->places.count, c->places.capacity, fresh);
        p = &c->places.items[c->places.count - 1];
    }
    p->used = true;
    *reached = memory == MEMORY_MAPPED ? p->mapped : address;
    return true;
}

bool cuda_host_open(struct cuda_device *c, const struct device_sequence *s,
                    const uint64_t *addresses, uint64_t *reached, struct error *err)
{
    if (!streams_open(c, s->stream_count, err)) // not while a graph is captured
        return false;
    for (int i = 0; i < s->buffer_count; i++) {
        reached[i] = addresses[i];
        if (s->memory && s->memory[i] != MEMORY_DEVICE &&
            !place_open(c, addresses[i], s->sizes_bytes[i], s->memory[i], &reached[i], err))
            return false;
    }
    return true;
}

static void places_forget(struct cuda_device *c)
{
    for (size_t i = 0; i < c->places.count; i++)
        c->places.items[i].used = false;
}

static bool places_copy(struct cuda_device *c, bool back, struct error *err)
{
    const struct driver *cu = &c->cu;
    bool any = false;
    for (size_t i = 0; i < c->places.count; i++)
        any = any || c->places.items[i].used;
    if (any && !driver_check(cu, cu->cuStreamSynchronize(c->stream), err, "the stream fails"))
        return false;
    for (size_t i = 0; i < c->places.count; i++) {
        const struct host_place *p = &c->places.items[i];
        int status = !p->used ? CUDA_DONE
                     : back   ? cu->cuMemcpyHtoD_v2(p->address, p->host, p->size_bytes)
                              : cu->cuMemcpyDtoH_v2(p->host, p->address, p->size_bytes);
        if (!driver_check(cu, status, err, "a buffer cannot be copied %s the host",
                          back ? "from" : "to"))
            return false;
    }
    return true;
}

/* ---- copies ------------------------------------------------------------------------------------------ */

void cuda_copy_prepare(struct cuda_device *c, const uint64_t *addresses, struct cuda_launch *l)
{
    const struct resolved_copy *r = &l->given->launch->copy;
    const struct host_place *from = place_of(c, addresses[r->from]);
    const struct host_place *to = place_of(c, addresses[r->to]);
    l->kernel = "(copy)";
    l->copy = (struct cuda_copy){.from_host = from ? (char *)from->host + r->offset_bytes : NULL,
                                 .to_host = to ? (char *)to->host + r->offset_bytes : NULL,
                                 .from = addresses[r->from] + r->offset_bytes,
                                 .to = addresses[r->to] + r->offset_bytes,
                                 .size_bytes = r->size_bytes};
}

bool cuda_copy_enqueue(struct cuda_device *c, const struct cuda_copy *p, struct error *err)
{
    const struct driver *cu = &c->cu;
    if (!cu->cuMemcpyHtoDAsync_v2 || !cu->cuMemcpyDtoHAsync_v2)
        return fail_as(err, ERROR_SYSTEM, NOWHERE, "NVIDIA's driver is too old for these copies");
    int status =
        p->from_host ? cu->cuMemcpyHtoDAsync_v2(p->to, p->from_host, p->size_bytes, c->stream)
        : p->to_host ? cu->cuMemcpyDtoHAsync_v2(p->to_host, p->from, p->size_bytes, c->stream)
                     : cu->cuMemcpyDtoDAsync_v2(p->to, p->from, p->size_bytes, c->stream);
    return driver_check(cu, status, err, "a copy cannot be made");
}

/* ---- streams on which the steps are put ----------------------------------------------------------- */

static void *stream_at(struct cuda_device *c, int i)
{
    return i == 0 ? c->stream : c->streams.items[i].stream;
}

// What is put on `stream` from now on comes after all that is on stream i.
static bool wait_for(struct cuda_device *c, void *stream, int i, struct error *err)
{
    void *event = c->streams.items[i].event;
    return stream == stream_at(c, i) ||
           (driver_check(&c->cu, c->cu.cuEventRecord(event, stream_at(c, i)), err, "no event") &&
            driver_check(&c->cu, c->cu.cuStreamWaitEvent(stream, event, 0), err,
                         "a stream cannot wait"));
}

static bool enqueue_on(struct cuda_device *c, const struct cuda_launch *l, struct error *err)
{
    const struct resolved_launch *r = l->given->launch;
    void *own = c->stream, *stream = stream_at(c, r->stream);
    for (int i = 0; i < (int)c->streams.count; i++)
        if ((r->after >> i & 1) != 0 && !wait_for(c, stream, i, err))
            return false;
    c->stream = stream;
    bool done = cuda_enqueue_one(c, l, err);
    c->stream = own;
    return done;
}

bool cuda_enqueue_forked(struct cuda_device *c, const struct cuda_launch *launches, int count,
                         int stream_count, struct error *err)
{
    for (int i = 1; i < stream_count; i++)
        if (!wait_for(c, stream_at(c, i), 0, err))
            return false;
    for (int i = 0; i < count; i++)
        if (!enqueue_on(c, &launches[i], err))
            return false;
    for (int i = 1; i < stream_count; i++)
        if (!wait_for(c, c->stream, i, err))
            return false;
    return true;
}

/* ---- the window of the L2 ------------------------------------------------------------------------------ */

// Of the L2 so much is set aside for lines that are to stay.
static bool window_open(struct cuda_device *c, uint64_t bytes, struct error *err)
{
    const struct driver *cu = &c->cu;
    int most = 0, window = 0;
    if (!cu->cuCtxSetLimit || !cu->cuCtxGetLimit || !cu->cuLaunchKernelEx ||
        cu->cuDeviceGetAttribute(&most, MAX_PERSISTING_L2, c->device) != CUDA_DONE ||
        cu->cuDeviceGetAttribute(&window, MAX_WINDOW, c->device) != CUDA_DONE || most <= 0)
        return fail_as(
            err, ERROR_SYSTEM, NOWHERE,
            "%s has no L2 that keeps a window: 'persist' needs compute capability 8.0 and a "
            "driver for CUDA 11.8; say so in 'requires: cc >= 8.0'",
            c->head.info->id);
    c->window_bytes = (uint64_t)window;
    c->aside_bytes = bytes < (uint64_t)most ? bytes : (uint64_t)most;
    if (!c->limit_taken &&
        !driver_check(cu, cu->cuCtxGetLimit(&c->limit_before, LIMIT_PERSISTING_L2), err,
                      "the L2's limit cannot be read"))
        return false;
    c->limit_taken = true;
    return driver_check(cu, cu->cuCtxSetLimit(LIMIT_PERSISTING_L2, c->aside_bytes), err,
                        "no part of the L2 can be set aside");
}

// The share of a window's lines that are kept is what there is room for: more would drive each other out.
struct cuda_window cuda_window_of(const struct cuda_device *c, uint64_t address, uint64_t bytes)
{
    enum { STREAMING = 1, PERSISTING = 2 }; // CUaccessProperty
    uint64_t size = bytes < c->window_bytes ? bytes : c->window_bytes;
    return (struct cuda_window){
        .base = device_pointer(address),
        .size_bytes = size,
        .hit_ratio = size > c->aside_bytes ? (float)((double)c->aside_bytes / (double)size) : 1.0F,
        .hit = PERSISTING,
        .miss = STREAMING};
}

// Nothing is left behind: no line that stays, and the limit as it was.
static void window_close(struct cuda_device *c)
{
    if (!c->limit_taken)
        return;
    (void)c->cu.cuCtxResetPersistingL2Cache();
    (void)c->cu.cuCtxSetLimit(LIMIT_PERSISTING_L2, c->limit_before);
    c->limit_taken = false;
}

/* ---- a sequence -------------------------------------------------------------------------------------- */

bool cuda_sequence_begin(struct cuda_device *c, const struct device_sequence *s, struct error *err)
{
    uint64_t bytes = 0;
    cuda_arrays_begin(c);
    places_forget(c);
    for (int i = 0; i < s->launch_count; i++)
        if (s->launches[i].launch->persist_bytes > bytes)
            bytes = s->launches[i].launch->persist_bytes;
    return bytes == 0 || window_open(c, bytes, err);
}

bool cuda_sequence_load(struct cuda_device *c, struct error *err)
{
    return cuda_arrays_load(c, err) && places_copy(c, false, err);
}

bool cuda_sequence_store(struct cuda_device *c, struct error *err)
{
    return cuda_arrays_store(c, err) && places_copy(c, true, err);
}

void cuda_sequence_end(struct cuda_device *c)
{
    window_close(c);
}

void cuda_host_close(struct cuda_device *c)
{
    for (size_t i = 0; i < c->places.count; i++)
        if (c->places.items[i].memory == MEMORY_PAGEABLE)
            free(c->places.items[i].host);
        else
            (void)c->cu.cuMemFreeHost(c->places.items[i].host);
    for (size_t i = 0; i < c->streams.count; i++) {
        if (i > 0)
            (void)c->cu.cuStreamDestroy_v2(c->streams.items[i].stream);
        (void)c->cu.cuEventDestroy_v2(c->streams.items[i].event);
    }
    free(c->places.items);
    free(c->streams.items);
}
