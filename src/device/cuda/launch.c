// Launches ready to go: kernels found and their arguments bound, what they need set (clusters, shared memory,
// variables), and how each is put on the stream.
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/cuda.h"

#include <inttypes.h>
#include <string.h>

enum { FUNCTION_MAX_DYNAMIC_SHARED_BYTES = 8, FUNCTION_LARGE_CLUSTERS = 14, CLUSTER_PORTABLE = 8 };
enum { CUDA_INVALID_VALUE = 1, CUDA_LAUNCH_RESOURCES = 701, CUDA_COOPERATIVE_TOO_LARGE = 720 };

// Name in the module and values of the arguments. A kernel of code that is not read here is launched by
// its exact name, with the arguments as they are.
static bool bind_kernel(struct cuda_device *c, struct arena *a, const struct device_launch *given,
                        const uint64_t *addresses, const char **name, const void *const **args,
                        struct error *err)
{
    struct object_encoder objects = cuda_object_encoder(c);
    const struct resolved_launch *l = given->launch;
    const struct device_module *m = given->module;
    if (m->listed) {
        const struct code_kernel *k =
            kernel_find(a, m->kernels, m->kernel_count, m->source, l->kernel, l->at, err);
        *name = k ? k->name : NULL;
        return k && kernel_args(a, l, k, addresses, &objects, args, err);
    }
    const void **values = ARENA_ARRAY(a, const void *, l->arg_count + 1);
    for (int i = 0; i < l->arg_count; i++)
        if (!kernel_arg(a, &l->args[i], addresses, &objects, &values[i], err))
            return false;
    *name = l->kernel;
    *args = values;
    return true;
}

static unsigned cluster_blocks(const struct resolved_launch *l)
{
    unsigned blocks = 1;
    for (int i = 0; i < 3; i++)
        blocks *= l->cluster[i] > 1 ? l->cluster[i] : 1;
    return blocks;
}

// Clusters of more than eight blocks must be allowed.
static bool set_cluster(struct cuda_device *c, const struct cuda_launch *out,
                        const struct resolved_launch *l, struct error *err)
{
    unsigned blocks = cluster_blocks(l);
    if (blocks > 1 && !c->cu.cuLaunchKernelEx)
        return fail(err, l->at,
                    "kernel '%s' cannot have clusters: NVIDIA's driver is older than "
                    "CUDA 11.8: update it",
                    l->kernel);
    return blocks <= CLUSTER_PORTABLE ||
           driver_check(&c->cu, c->cu.cuFuncSetAttribute(out->function, FUNCTION_LARGE_CLUSTERS, 1),
                        err, "kernel '%s' cannot have clusters of %u blocks", l->kernel, blocks);
}

// Variables of the module get the contents of buffers.
static bool set_variables(struct cuda_device *c, const struct device_launch *given,
                          const uint64_t *addresses, const uint64_t *sizes_bytes, struct error *err)
{
    const struct resolved_launch *l = given->launch;
    for (int i = 0; i < l->set_count; i++) {
        const struct set_spec *s = &l->sets[i];
        uint64_t address = 0;
        size_t room = 0;
        if (c->cu.cuModuleGetGlobal_v2(&address, &room, given->module->handle, s->variable) !=
            CUDA_DONE)
            return fail_no_variable(err, s, given->module->source);
        if (sizes_bytes[s->buffer] > room)
            return fail_variable_size(err, s, room, sizes_bytes[s->buffer]);
        if (!driver_check(&c->cu,
                          c->cu.cuMemcpyDtoDAsync_v2(address, addresses[s->buffer],
                                                     sizes_bytes[s->buffer], c->stream),
                          err, "the variable '%s' cannot be set", s->variable))
            return false;
    }
    return true;
}

static bool prepare_kernel(struct cuda_device *c, struct arena *a,
                           const struct device_sequence *sequence, const uint64_t *addresses,
                           struct cuda_launch *out, struct error *err)
{
    const struct device_launch *given = out->given;
    const struct resolved_launch *l = given->launch;
    const char *name = NULL;
    const void *const *args = NULL;
    if (!launch_check_features(l, c->dialect->lacks, c->head.info->id, err) ||
        !bind_kernel(c, a, given, addresses, &name, &args, err) ||
        !driver_check(&c->cu,
                      c->cu.cuModuleGetFunction(&out->function, given->module->handle, name), err,
                      "%s has no kernel '%s'", given->module->source, name))
        return false;
    out->kernel = l->kernel;
    out->window_address = l->persist_bytes > 0 ? addresses[l->persist_buffer] : 0;
    out->args = ARENA_ARRAY(a, void *, l->arg_count + 1); // the driver's type; it only reads
    memcpy(out->args, args, sizeof *out->args * (size_t)l->arg_count);
    if (!set_cluster(c, out, l, err) ||
        !set_variables(c, given, addresses, sequence->sizes_bytes, err))
        return false;
    if (l->shared_bytes == 0 || !c->cu.cuFuncSetAttribute)
        return true; // AMD's runtime needs no leave
    int status = c->cu.cuFuncSetAttribute(out->function, FUNCTION_MAX_DYNAMIC_SHARED_BYTES,
                                          (int)l->shared_bytes);
    return status == CUDA_DONE ||
           fail(err, l->at,
                "kernel '%s' cannot have %u bytes of dynamic shared memory: a block may have "
                "%" PRId64 " bytes on %s, static ones included",
                l->kernel, l->shared_bytes, c->head.info->facts.shared_bytes_per_block,
                c->head.info->id);
}

bool cuda_prepare(struct cuda_device *c, struct arena *a, const struct device_sequence *sequence,
                  const uint64_t *addresses, struct cuda_launch **out, struct error *err)
{
    struct cuda_launch *launches = ARENA_ARRAY(a, struct cuda_launch, sequence->launch_count + 1);
    uint64_t *reached = ARENA_ARRAY(a, uint64_t, sequence->buffer_count + 1);
    if (!cuda_host_open(c, sequence, addresses, reached, err))
        return false;
    for (int i = 0; i < sequence->launch_count; i++) {
        struct cuda_launch *l = &launches[i];
        l->given = &sequence->launches[i];
        switch (l->given->kind) {
        case LAUNCH_KERNEL:
            if (!prepare_kernel(c, a, sequence, reached, l, err))
                return false;
            break;
        case LAUNCH_ZERO:
            l->kernel = "(zero)";
            l->zero_address = addresses[l->given->launch->zero_buffer];
            l->zero_bytes = sequence->sizes_bytes[l->given->launch->zero_buffer];
            break;
        case LAUNCH_COPY:
            cuda_copy_prepare(c, addresses, l);
            break;
        case LAUNCH_LIBRARY:
            if (!cuda_library_prepare(c, a, sequence, addresses, l, err))
                return false;
            break;
        }
    }
    *out = launches;
    return true;
}

static bool fail_launch(struct cuda_device *c, const struct cuda_launch *l, int status,
                        struct error *err)
{
    const struct resolved_launch *r = l->given->launch;
    if (status == CUDA_COOPERATIVE_TOO_LARGE)
        return fail(
            err, r->at,
            "kernel '%s': a cooperative launch of %u x %u x %u blocks: they do not all fit at "
            "the same time on %s; use a smaller grid and a loop, like device.sm_count",
            l->kernel, r->grid[0], r->grid[1], r->grid[2], c->head.info->name);
    if (status == CUDA_LAUNCH_RESOURCES || status == CUDA_INVALID_VALUE) {
        int registers = 0;
        (void)c->cu.cuFuncGetAttribute(&registers, FUNCTION_REGISTERS, l->function);
        return fail(err, r->at,
                    "kernel '%s' cannot be launched with blocks of %u x %u x %u threads, %d "
                    "registers each, and %u bytes of dynamic shared memory: too much for an SM of "
                    "%s; use smaller blocks or __launch_bounds__",
                    l->kernel, r->block[0], r->block[1], r->block[2], registers, r->shared_bytes,
                    c->head.info->name);
    }
    return driver_check(&c->cu, status, err, "kernel '%s' cannot be launched", l->kernel);
}

// With what only attributes say: clusters, and that the blocks cooperate.
static bool enqueue_with_attributes(struct cuda_device *c, const struct cuda_launch *l,
                                    struct error *err)
{
    const struct resolved_launch *r = l->given->launch;
    struct cuda_launch_attribute a[3] = {{0}};
    struct cuda_launch_config config = {
        .shared_bytes = r->shared_bytes, .stream = c->stream, .attributes = a};
    struct cuda_launch_attribute *cluster = NULL;
    if (cluster_blocks(r) > 1) {
        cluster = &a[config.attribute_count++];
        cluster->id = CUDA_ATTRIBUTE_CLUSTER;
    }
    if (r->cooperative) {
        a[config.attribute_count].id = CUDA_ATTRIBUTE_COOPERATIVE;
        a[config.attribute_count++].value.cooperative = 1;
    }
    if (l->window_address != 0) {
        a[config.attribute_count].id = CUDA_ATTRIBUTE_WINDOW;
        a[config.attribute_count++].value.window =
            cuda_window_of(c, l->window_address, r->persist_bytes);
    }
    for (int i = 0; i < 3; i++) {
        config.grid[i] = r->grid[i];
        config.block[i] = r->block[i];
        if (cluster)
            cluster->value.cluster[i] = r->cluster[i] > 1 ? r->cluster[i] : 1;
    }
    int status = c->cu.cuLaunchKernelEx(&config, l->function, l->args, NULL);
    return status == CUDA_DONE || fail_launch(c, l, status, err);
}

static bool enqueue_cooperative(struct cuda_device *c, const struct cuda_launch *l,
                                struct error *err)
{
    const struct resolved_launch *r = l->given->launch;
    if (!c->cu.cuLaunchCooperativeKernel)
        return fail_as(err, ERROR_SYSTEM, r->at,
                       "kernel '%s' cannot be launched: the driver is too old for cooperative "
                       "launches",
                       l->kernel);
    int status = c->cu.cuLaunchCooperativeKernel(l->function, r->grid[0], r->grid[1], r->grid[2],
                                                 r->block[0], r->block[1], r->block[2],
                                                 r->shared_bytes, c->stream, l->args);
    return status == CUDA_DONE || fail_launch(c, l, status, err);
}

bool cuda_enqueue_one(struct cuda_device *c, const struct cuda_launch *l, struct error *err)
{
    const struct resolved_launch *r = l->given->launch;
    if (l->given->kind == LAUNCH_ZERO)
        return l->zero_bytes == 0 ||
               driver_check(&c->cu,
                            c->cu.cuMemsetD8Async(l->zero_address, 0, l->zero_bytes, c->stream),
                            err, "cannot zero a buffer");
    if (l->given->kind == LAUNCH_LIBRARY)
        return l->library->enqueue(c, l->call, r, err);
    if (l->given->kind == LAUNCH_COPY)
        return cuda_copy_enqueue(c, &l->copy, err);
    if (cluster_blocks(r) > 1 || l->window_address != 0)
        return enqueue_with_attributes(c, l, err);
    if (r->cooperative)
        return enqueue_cooperative(c, l, err);
    int status =
        c->cu.cuLaunchKernel(l->function, r->grid[0], r->grid[1], r->grid[2], r->block[0],
                             r->block[1], r->block[2], r->shared_bytes, c->stream, l->args, NULL);
    return status == CUDA_DONE || fail_launch(c, l, status, err);
}

bool cuda_enqueue(struct cuda_device *c, const struct cuda_launch *launches,
                  const struct device_sequence *sequence, struct error *err)
{
    if (sequence->stream_count > 1)
        return cuda_enqueue_forked(c, launches, sequence->launch_count, sequence->stream_count,
                                   err);
    for (int i = 0; i < sequence->launch_count; i++)
        if (!cuda_enqueue_one(c, &launches[i], err))
            return false;
    return true;
}
