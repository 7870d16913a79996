// What the GPU did, as CUPTI hands it over in buffers, on a thread of its own: kernels, copies, fills.
// SPDX-License-Identifier: Apache-2.0
#include "capture/recorder/recorder.h"

#include <stdlib.h>
#include <string.h>

enum { BUFFER_BYTES = 1 << 20, BUFFERS_MAX = 64 }; // 64 MiB at most; docs/capture.md says so
enum { DEVICES_MAX = 64, DEVICE_NAME_BYTES = 256 };

static atomic_int buffers_out;

static void request(uint8_t **buffer, size_t *size_bytes, size_t *records_max)
{
    *buffer = NULL;
    *size_bytes = *records_max = 0;
    if (atomic_fetch_add(&buffers_out, 1) < BUFFERS_MAX)
        *buffer = aligned_alloc(STREAM_ALIGNMENT, BUFFER_BYTES);
    if (*buffer)
        *size_bytes = BUFFER_BYTES;
    else
        atomic_fetch_sub(&buffers_out, 1); // CUPTI drops records, and says how many
}

static void name_device(uint32_t device)
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
    name_device(k->device);
    RECORD(KERNEL, event);
}

static void take_copy(const struct activity_copy *c)
{
    struct event_copy event = {c->start_ns, c->end_ns,  c->bytes,  c->copy_kind,
                               c->device,   c->context, c->stream, c->correlation};
    name_device(c->device);
    RECORD(COPY, event);
}

static void take_fill(const struct activity_fill *f)
{
    struct event_fill event = {f->start_ns, f->end_ns, f->bytes,      f->device,
                               f->context,  f->stream, f->correlation};
    name_device(f->device);
    RECORD(FILL, event);
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
    default: // nothing else was asked for
        break;
    }
}

static void complete(void *context, uint32_t stream, uint8_t *buffer, size_t size_bytes,
                     size_t valid_bytes)
{
    void *record = NULL;
    size_t dropped = 0;
    (void)size_bytes;
    while (valid_bytes > 0 &&
           recorder.cupti.cuptiActivityGetNextRecord(buffer, valid_bytes, &record) == CUPTI_DONE)
        take(record);
    if (recorder.cupti.cuptiActivityGetNumDroppedRecords(context, stream, &dropped) == CUPTI_DONE &&
        dropped > 0) {
        struct event_dropped event = {dropped};
        RECORD(DROPPED, event);
    }
    free(buffer);
    atomic_fetch_sub(&buffers_out, 1);
}

bool activities_start(void)
{
    static const struct {
        int kind;
        const char *name;
    } kinds[] = {{ACTIVITY_KERNEL, "kernels"}, {ACTIVITY_COPY, "copies"}, {ACTIVITY_FILL, "fills"}};
    bool any = false;
    int status = recorder.cupti.cuptiActivityRegisterCallbacks(request, complete);
    for (size_t i = 0; status == CUPTI_DONE && i < COUNT_OF(kinds); i++) {
        int enabled = recorder.cupti.cuptiActivityEnable(kinds[i].kind);
        if (enabled != CUPTI_DONE)
            recorder_trouble("no times of %s: cuptiActivityEnable returns %d", kinds[i].name,
                             enabled);
        any |= enabled == CUPTI_DONE;
    }
    if (status != CUPTI_DONE)
        recorder_trouble("no times of the GPU's work: cuptiActivityRegisterCallbacks returns %d",
                         status);
    return any;
}

void activities_end(void)
{
    recorder.cupti.cuptiActivityFlushAll(ACTIVITY_FLUSH_FORCED);
}
