// A CUDA device's memory: the buffers, copies of their contents beside them, the host's pinned memory.
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/cuda.h"

#include <inttypes.h>
#include <stdlib.h>

static struct cuda_device *own(struct device *d)
{
    return (struct cuda_device *)d;
}

struct allocation *cuda_find_allocation(struct cuda_device *c, uint64_t address)
{
    for (size_t i = 0; i < c->allocations.count; i++)
        if (c->allocations.items[i].address == address)
            return &c->allocations.items[i];
    return NULL;
}

static void release_allocation(struct cuda_device *c, struct allocation *x)
{
    for (size_t t = 0; t < x->twins.count; t++)
        (void)c->cu.cuMemFree_v2(x->twins.items[t]);
    if (x->snapshot)
        (void)c->cu.cuMemFree_v2(x->snapshot);
    free(x->twins.items);
}

bool cuda_grab(struct cuda_device *c, const char *name, uint64_t size_bytes, uint64_t *address,
               struct error *err)
{
    size_t free_bytes = 0, total_bytes = 0;
    int status = c->cu.cuMemAlloc_v2(address, size_bytes > 0 ? size_bytes : 1);
    if (status != CUDA_OUT_OF_MEMORY)
        return driver_check(&c->cu, status, err, "no memory for %s", name);
    char wanted[32], left[32], total[32];
    (void)c->cu.cuMemGetInfo_v2(&free_bytes, &total_bytes);
    return fail_as(err, ERROR_SYSTEM, NOWHERE,
                   "%s has no room for %s (%s): %s of %s are free; use a smaller case (--param)",
                   c->head.info->id, name, format_bytes((double)size_bytes, wanted),
                   format_bytes((double)free_bytes, left),
                   format_bytes((double)total_bytes, total));
}

static bool cuda_alloc(struct device *d, uint64_t size_bytes, const char *name, uint64_t *address,
                       struct error *err)
{
    struct cuda_device *c = own(d);
    const char *kept = arena_strdup(&c->arena, name);
    if (!cuda_grab(c, arena_printf(&c->arena, "buffer '%s'", name), size_bytes, address, err))
        return false;
    struct allocation fresh = {.address = *address, .size_bytes = size_bytes, .name = kept};
    VEC_PUSH(c->allocations.items, c->allocations.count, c->allocations.capacity, fresh);
    return true;
}

static bool cuda_release(struct device *d, uint64_t address, struct error *err)
{
    struct cuda_device *c = own(d);
    for (size_t i = 0; i < c->allocations.count; i++) {
        struct allocation *x = &c->allocations.items[i];
        if (x->address != address)
            continue;
        release_allocation(c, x);
        *x = c->allocations.items[--c->allocations.count];
        return driver_check(&c->cu, c->cu.cuMemFree_v2(address), err, "cannot release memory");
    }
    return fail_as(err, ERROR_SYSTEM, NOWHERE, "0x%" PRIx64 " is not allocated", address);
}

static bool cuda_write(struct device *d, uint64_t address, const void *data, uint64_t size_bytes,
                       struct error *err)
{
    const struct driver *cu = &own(d)->cu;
    return size_bytes == 0 || driver_check(cu, cu->cuMemcpyHtoD_v2(address, data, size_bytes), err,
                                           "cannot write to the device's memory");
}

static bool cuda_read(struct device *d, uint64_t address, void *data, uint64_t size_bytes,
                      struct error *err)
{
    const struct driver *cu = &own(d)->cu;
    return size_bytes == 0 || driver_check(cu, cu->cuMemcpyDtoH_v2(data, address, size_bytes), err,
                                           "cannot read the device's memory");
}

static bool snapshot_one(struct cuda_device *c, struct allocation *x, struct error *err)
{
    return (x->snapshot || cuda_grab(c, arena_printf(&c->arena, "a copy of buffer '%s'", x->name),
                                     x->size_bytes, &x->snapshot, err)) &&
           driver_check(
               &c->cu,
               c->cu.cuMemcpyDtoDAsync_v2(x->snapshot, x->address, x->size_bytes, c->stream), err,
               "cannot copy buffer '%s'", x->name) &&
           driver_check(&c->cu, c->cu.cuStreamSynchronize(c->stream), err, "cannot copy buffers");
}

static bool cuda_snapshot(struct device *d, uint64_t address, struct error *err)
{
    struct allocation *x = cuda_find_allocation(own(d), address);
    return !x || snapshot_one(own(d), x, err);
}

bool cuda_snapshot_all(struct cuda_device *c, struct error *err)
{
    for (size_t i = 0; i < c->allocations.count; i++)
        if (!snapshot_one(c, &c->allocations.items[i], err))
            return false;
    return true;
}

static bool restore_one(struct cuda_device *c, const struct allocation *x, struct error *err)
{
    return !x->snapshot || driver_check(&c->cu,
                                        c->cu.cuMemcpyDtoDAsync_v2(x->address, x->snapshot,
                                                                   x->size_bytes, c->stream),
                                        err, "cannot copy buffer '%s'", x->name);
}

bool cuda_restore_all(struct cuda_device *c, struct error *err)
{
    for (size_t i = 0; i < c->allocations.count; i++)
        if (!restore_one(c, &c->allocations.items[i], err))
            return false;
    return true;
}

static bool cuda_restore(struct device *d, uint64_t address, struct error *err)
{
    struct cuda_device *c = own(d);
    const struct allocation *x = cuda_find_allocation(c, address);
    return !x || restore_one(c, x, err);
}

static void *cuda_pinned(struct device *d, uint64_t size_bytes)
{
    struct cuda_device *c = own(d);
    void *memory = NULL;
    if (c->cu.cuMemAllocHost_v2(&memory, size_bytes) != CUDA_DONE)
        return NULL;
    VEC_PUSH(c->pinned.items, c->pinned.count, c->pinned.capacity, memory);
    return memory;
}

void cuda_memory_close(struct cuda_device *c)
{
    for (size_t i = 0; i < c->allocations.count; i++) {
        release_allocation(c, &c->allocations.items[i]);
        (void)c->cu.cuMemFree_v2(c->allocations.items[i].address);
    }
    free(c->allocations.items);
    for (size_t i = 0; i < c->pinned.count; i++)
        (void)c->cu.cuMemFreeHost(c->pinned.items[i]);
    free(c->pinned.items);
}

const struct device_memory_ops cuda_memory_ops = {
    .alloc = cuda_alloc,
    .release = cuda_release,
    .write = cuda_write,
    .read = cuda_read,
    .pinned = cuda_pinned,
    .snapshot = cuda_snapshot,
    .restore = cuda_restore,
};
