// An OpenCL device's memory. OpenCL names buffers by handles and its kernels' pointers cannot be had, so an
// address is one of ours: the buffer's number above, the offset below.
// SPDX-License-Identifier: Apache-2.0
#include "device/opencl/opencl.h"

#include <inttypes.h>
#include <stdlib.h>

static struct opencl_device *own(struct device *d)
{
    return (struct opencl_device *)d;
}

struct opencl_buffer *opencl_buffer_at(struct opencl_device *c, uint64_t address, size_t *offset)
{
    uint64_t number = address >> OPENCL_OFFSET_BITS;
    *offset = (size_t)(address & (((uint64_t)1 << OPENCL_OFFSET_BITS) - 1));
    if (number == 0 || number > c->buffers.count || !c->buffers.items[number - 1].memory)
        return NULL;
    return &c->buffers.items[number - 1];
}

static bool fail_room(const struct opencl_device *c, const char *name, uint64_t size_bytes,
                      struct error *err)
{
    char wanted[32], most[32], total[32];
    uint64_t largest =
        opencl_figure(&c->cl, c->device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof largest);
    return fail_as(err, ERROR_SYSTEM, NOWHERE,
                   "%s has no room for %s (%s): a buffer may have %s there, all of them %s; use a "
                   "smaller case (--param)",
                   c->head.info->id, name, format_bytes((double)size_bytes, wanted),
                   format_bytes((double)largest, most),
                   format_bytes((double)c->head.info->facts.memory_bytes, total));
}

bool opencl_grab(struct opencl_device *c, const char *name, uint64_t size_bytes, uint64_t *address,
                 struct error *err)
{
    int status = CL_DONE;
    void *memory = c->cl.clCreateBuffer(c->context, CL_MEM_READ_WRITE,
                                        size_bytes > 0 ? size_bytes : 1, NULL, &status);
    if (status == CL_MEM_OBJECT_ALLOCATION_FAILURE || status == CL_INVALID_BUFFER_SIZE ||
        status == CL_OUT_OF_RESOURCES || status == CL_OUT_OF_HOST_MEMORY)
        return fail_room(c, name, size_bytes, err);
    if (!opencl_check(status, err, "no memory for %s", name))
        return false;
    struct opencl_buffer fresh = {memory, size_bytes, arena_strdup(&c->arena, name), {0}};
    VEC_PUSH(c->buffers.items, c->buffers.count, c->buffers.capacity, fresh);
    *address = (uint64_t)c->buffers.count << OPENCL_OFFSET_BITS;
    return true;
}

static bool opencl_alloc(struct device *d, uint64_t size_bytes, const char *name, uint64_t *address,
                         struct error *err)
{
    struct opencl_device *c = own(d);
    return opencl_grab(c, arena_printf(&c->arena, "buffer '%s'", name), size_bytes, address, err);
}

static void release(struct opencl_device *c, struct opencl_buffer *b)
{
    for (size_t i = 0; i < b->twins.count; i++) {
        size_t offset = 0;
        struct opencl_buffer *twin = opencl_buffer_at(c, b->twins.items[i], &offset);
        if (twin)
            release(c, twin);
    }
    free(b->twins.items);
    if (b->memory)
        (void)c->cl.clReleaseMemObject(b->memory);
    *b = (struct opencl_buffer){0};
}

static bool opencl_release(struct device *d, uint64_t address, struct error *err)
{
    size_t offset = 0;
    struct opencl_buffer *b = opencl_buffer_at(own(d), address, &offset);
    if (!b)
        return fail_as(err, ERROR_SYSTEM, NOWHERE, "0x%" PRIx64 " is not allocated", address);
    release(own(d), b);
    return true;
}

static bool opencl_write(struct device *d, uint64_t address, const void *data, uint64_t size_bytes,
                         struct error *err)
{
    struct opencl_device *c = own(d);
    size_t offset = 0;
    const struct opencl_buffer *b = opencl_buffer_at(c, address, &offset);
    if (size_bytes == 0)
        return true;
    return opencl_check(b ? c->cl.clEnqueueWriteBuffer(c->queue, b->memory, 1, offset, size_bytes,
                                                       data, 0, NULL, NULL)
                          : CL_INVALID_MEM_OBJECT,
                        err, "cannot write to the device's memory");
}

static bool opencl_read(struct device *d, uint64_t address, void *data, uint64_t size_bytes,
                        struct error *err)
{
    struct opencl_device *c = own(d);
    size_t offset = 0;
    const struct opencl_buffer *b = opencl_buffer_at(c, address, &offset);
    if (size_bytes == 0)
        return true;
    return opencl_check(b ? c->cl.clEnqueueReadBuffer(c->queue, b->memory, 1, offset, size_bytes,
                                                      data, 0, NULL, NULL)
                          : CL_INVALID_MEM_OBJECT,
                        err, "cannot read the device's memory");
}

void opencl_memory_close(struct opencl_device *c)
{
    for (size_t i = 0; i < c->buffers.count; i++)
        release(c, &c->buffers.items[i]);
    free(c->buffers.items);
}

const struct device_memory_ops opencl_memory_ops = {
    .alloc = opencl_alloc,
    .release = opencl_release,
    .write = opencl_write,
    .read = opencl_read,
};
