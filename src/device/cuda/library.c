// Steps that a library does, on the CUDA device: opened once in a worker, made ready for each set of
// buffers outside of any timing, put into the worker's stream like a kernel.
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/cuda.h"

#include <stdlib.h>

enum { WORKSPACE_LEAST_BYTES = 256 }; // a plug-in that asks for none gets an address all the same

struct opened_library {
    const struct library_call *call;
    const struct ridge_peer *peer; // LIBRARY_PLUGIN
    struct device_library facts;
};

static struct opened_library *find_opened(struct cuda_device *c, const struct library_call *call)
{
    for (size_t i = 0; i < c->libraries.count; i++)
        if (c->libraries.items[i].call == call)
            return &c->libraries.items[i];
    return NULL;
}

bool cuda_library(struct device *d, const struct library_call *call, struct device_library *out,
                  struct error *err)
{
    struct cuda_device *c = (struct cuda_device *)d;
    struct opened_library fresh = {.call = call};
    const struct opened_library *known = find_opened(c, call);
    if (known) {
        *out = known->facts;
        return true;
    }
    switch (call->kind) {
    case LIBRARY_CUBLAS:
        if (!c->cublas && !cublas_open(c, &fresh.facts.absent, err))
            return error_context(err, "for '%s'", call->text);
        fresh.facts.version = c->cublas ? cublas_version(c->cublas) : NULL;
        break;
    case LIBRARY_PLUGIN:
        if (!plugin_open(&c->arena, call, &fresh.peer, &fresh.facts.absent, err))
            return false;
        fresh.facts.version = fresh.peer ? plugin_version(fresh.peer) : NULL;
        break;
    }
    VEC_PUSH(c->libraries.items, c->libraries.count, c->libraries.capacity, fresh);
    *out = fresh.facts;
    return true;
}

// Grows only while nothing runs: steps take the address when they are put into the stream.
static bool grow_workspace(struct cuda_device *c, size_t size_bytes, struct error *err)
{
    if (size_bytes < WORKSPACE_LEAST_BYTES)
        size_bytes = WORKSPACE_LEAST_BYTES;
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
    const struct opened_library *library = find_opened(c, l->library);
    size_t workspace_bytes = 0;
    out->kernel = l->library->text;
    out->addresses = addresses;
    if (!library || library->facts.absent)
        return fail_as(err, ERROR_SYSTEM, NOWHERE, "'%s' is not open", l->library->text);
    return l->library->kind == LIBRARY_CUBLAS ||
           (plugin_prepare(a, library->peer, l, sequence, addresses, c->stream, &out->plugin,
                           &workspace_bytes, err) &&
            grow_workspace(c, workspace_bytes, err));
}

bool cuda_library_enqueue(struct cuda_device *c, const struct cuda_launch *l, struct error *err)
{
    const struct resolved_launch *r = l->given->launch;
    return l->plugin ? plugin_enqueue(l->plugin, r, c->workspace, c->workspace_bytes, err)
                     : cublas_enqueue(c->cublas, r, l->addresses, err);
}

void cuda_libraries_close(struct cuda_device *c)
{
    cublas_close(c->cublas);
    free(c->libraries.items);
}
