// Steps that a library does, on the CUDA device: opened once in a worker, made ready for each set of
// buffers outside of any timing, put into the worker's stream like a kernel.
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/cuda.h"

#include <assert.h>
#include <stdlib.h>

static const struct cuda_library *const libraries[] = {
#define LIBRARY(name) &library_##name,
#include "device/cuda/libraries.def"
#undef LIBRARY
};
const struct library_rules *const cuda_libraries[] = {
#define LIBRARY(name) &library_##name.rules,
#include "device/cuda/libraries.def"
#undef LIBRARY
    NULL};

struct opened_library {
    const struct library_call *call;
    const struct cuda_library *library;
    const void *opened; // by it
    struct device_library facts;
};

static struct opened_library *find_opened(struct cuda_device *c, const struct library_call *call)
{
    for (size_t i = 0; i < c->libraries.count; i++)
        if (c->libraries.items[i].call == call)
            return &c->libraries.items[i];
    return NULL;
}

// libraries_check has seen the call: there is a row for it.
static const struct cuda_library *row_of(const struct library_call *call)
{
    for (size_t i = 0; i < COUNT_OF(libraries); i++)
        if (library_is(&libraries[i]->rules, call))
            return libraries[i];
    return NULL;
}

bool cuda_library_open(struct device *d, const struct library_call *call,
                       struct device_library *out, struct error *err)
{
    struct cuda_device *c = (struct cuda_device *)d;
    struct opened_library fresh = {.call = call, .library = row_of(call)};
    const struct opened_library *known = find_opened(c, call);
    if (known) {
        *out = known->facts;
        return true;
    }
    assert(fresh.library);
    if (!fresh.library->open(c, call, &fresh.opened, &fresh.facts, err))
        return error_context(err, "for '%s'", call->text);
    VEC_PUSH(c->libraries.items, c->libraries.count, c->libraries.capacity, fresh);
    *out = fresh.facts;
    return true;
}

// Grows only while nothing runs: steps take the address when they are put into the stream.
static bool grow_workspace(struct cuda_device *c, size_t size_bytes, struct error *err)
{
    if (size_bytes <= c->workspace_bytes)
        return true;
    uint64_t address = 0;
    if (!driver_check(&c->cu, c->cu.cuStreamSynchronize(c->stream), err, "cannot wait") ||
        !cuda_grab(c, "a library's workspace", size_bytes, &address, err))
        return false;
    if (c->workspace)
        (void)c->cu.cuMemFree_v2(c->workspace);
    c->workspace = address;
    c->workspace_bytes = size_bytes;
    return true;
}

bool cuda_library_prepare(struct cuda_device *c, struct arena *a,
                          const struct device_sequence *sequence, const uint64_t *addresses,
                          struct cuda_launch *out, struct error *err)
{
    const struct resolved_launch *l = out->given->launch;
    const struct opened_library *x = find_opened(c, l->library);
    size_t workspace_bytes = 0;
    out->kernel = l->library->text;
    if (!x || x->facts.absent)
        return fail_as(err, ERROR_SYSTEM, NOWHERE, "'%s' is not open", l->library->text);
    out->library = x->library;
    return x->library->prepare(c, a, x->opened, sequence, l, addresses, &out->call,
                               &workspace_bytes, err) &&
           grow_workspace(c, workspace_bytes, err);
}

void cuda_libraries_close(struct cuda_device *c)
{
    for (size_t i = 0; i < COUNT_OF(libraries); i++)
        if (libraries[i]->close)
            libraries[i]->close(c);
    free(c->libraries.items);
}
