// Launches ready to go: kernels made and their arguments set, and how each is put into the queue.
// SPDX-License-Identifier: Apache-2.0
#include "device/opencl/opencl.h"

#include <string.h>

static const uint64_t sweep_min_bytes = (uint64_t)64 << 20;
enum { SWEEP_CACHE_TIMES = 2, SWEEP_MEMORY_PARTS = 8, SWEEP_GROUPS = 4096, SWEEP_BLOCK = 64 };
enum { SWEEP_WORD_BYTES = 16 };

// A group reads a part whole, its threads side by side: in order for a CPU, coalesced for a GPU. It stores only
// what a sum of zeros never is.
static const char sweep_source[] =
    "__kernel void ridge_sweep(__global uint4 *words, ulong each)\n"
    "{\n"
    "    uint4 sum = 0;\n"
    "    ulong begin = get_group_id(0) * each;\n"
    "    for (ulong i = get_local_id(0); i < each; i += get_local_size(0))\n"
    "        sum |= words[begin + i];\n"
    "    if (any(sum != 0))\n"
    "        words[0] = sum;\n"
    "}\n";

/* ---- what OpenCL does not have ------------------------------------------------------------------------ */

static bool check_sequence(const struct opencl_device *c, const struct device_sequence *s,
                           struct error *err)
{
    const char *what = s->graph              ? "graphs ('graph: true')"
                       : s->stream_count > 1 ? "further streams ('stream')"
                       : s->memory           ? "memory of the host ('memory')"
                                             : NULL;
    return !what ||
           fail(err, NOWHERE, "%s: ridge's OpenCL backend has no %s", c->head.info->id, what);
}

/* ---- a kernel -------------------------------------------------------------------------------------------- */

static bool set_argument(struct opencl_device *c, struct arena *a, struct opencl_launch *out,
                         unsigned index, const struct resolved_argument *x,
                         const uint64_t *addresses, struct error *err)
{
    const void *value = NULL;
    size_t size = x->kind == ARGUMENT_STRUCT ? x->fields->size_bytes : element_bytes(x->type);
    if (x->kind == ARGUMENT_BUFFER && x->inside_bytes > 0)
        return fail(err, x->at,
                    "OpenCL's kernels get whole buffers: 'offset' of '%s' is for CUDA and HIP",
                    x->text);
    if (x->kind == ARGUMENT_BUFFER) {
        size_t offset = 0;
        const struct opencl_buffer *b = opencl_buffer_at(c, addresses[x->buffer], &offset);
        value = b ? (const void *)&b->memory : NULL;
        size = sizeof b->memory;
    } else if (!kernel_arg(a, x, addresses, NULL, &value, err)) {
        return false;
    }
    int status =
        value ? c->cl.clSetKernelArg(out->kernel, index, size, value) : CL_INVALID_MEM_OBJECT;
    return opencl_check(status, err, "argument %u of kernel '%s' (%s)", index + 1, out->name,
                        x->text ? x->text : "a value");
}

// A pointer to local memory takes no argument of the launch but its shared_bytes.
static bool set_arguments(struct opencl_device *c, struct arena *a, struct opencl_launch *out,
                          const uint64_t *addresses, struct error *err)
{
    const struct resolved_launch *l = out->given->launch;
    uint64_t locals = 0;
    unsigned count = 0;
    if (!opencl_local_arguments(&c->cl, out->kernel, &locals, &count))
        count = (unsigned)l->arg_count; // the device does not say which they are
    int local_count = 0, next = 0;
    for (unsigned i = 0; i < count; i++)
        local_count += (locals >> i & 1) != 0;
    if (local_count > 1)
        return fail(err, l->at,
                    "kernel '%s' takes %d pointers to local memory, and a launch has one "
                    "'shared_bytes': one pointer can be cut into parts in the kernel",
                    l->kernel, local_count);
    if ((local_count > 0) != (l->shared_bytes > 0))
        return fail(err, l->at,
                    local_count > 0
                        ? "kernel '%s' takes a pointer to local memory: 'shared_bytes' "
                          "says how much"
                        : "the launch of kernel '%s' has 'shared_bytes', and the kernel "
                          "takes no pointer to local memory (__local float *x)",
                    l->kernel);
    if ((int)count - local_count != l->arg_count)
        return fail(err, l->at, "kernel '%s' takes %d argument%s, this launch gives %d", l->kernel,
                    (int)count - local_count, plural((int)count - local_count), l->arg_count);
    for (unsigned i = 0; i < count; i++) {
        bool local = (locals >> i & 1) != 0;
        if (local && !opencl_check(c->cl.clSetKernelArg(out->kernel, i, l->shared_bytes, NULL), err,
                                   "local memory of kernel '%s'", out->name))
            return false;
        if (!local && !set_argument(c, a, out, i, &l->args[next++], addresses, err))
            return false;
    }
    return true;
}

static bool prepare_kernel(struct opencl_device *c, struct arena *a, const uint64_t *addresses,
                           struct opencl_launch *out, struct error *err)
{
    const struct resolved_launch *l = out->given->launch;
    const struct device_module *m = out->given->module;
    const struct code_kernel *k =
        kernel_find(a, m->kernels, m->kernel_count, m->source, l->kernel, l->at, err);
    int status = CL_DONE;
    if (!k || !launch_check_features(l, ~0U, c->head.info->id, err))
        return false;
    out->name = l->kernel;
    out->kernel = c->cl.clCreateKernel(m->program, k->name, &status);
    for (int i = 0; i < 3; i++) {
        out->block[i] = l->block[i];
        out->threads[i] = (size_t)l->block[i] * l->grid[i];
    }
    return opencl_check(status, err, "%s has no kernel '%s'", m->source, k->name) &&
           (k->parameter_count == CODE_UNKNOWN || kernel_check_args(a, l, k, err)) &&
           set_arguments(c, a, out, addresses, err);
}

/* ---- a sequence ------------------------------------------------------------------------------------------ */

static bool prepare_fill(struct opencl_device *c, const struct device_sequence *s,
                         const uint64_t *addresses, struct opencl_launch *out, struct error *err)
{
    const struct resolved_launch *l = out->given->launch;
    bool zero = l->kind == LAUNCH_ZERO;
    const struct resolved_copy *copy = &l->copy;
    uint64_t offset = zero ? 0 : copy->offset_bytes;
    const struct opencl_buffer *from =
        zero ? NULL : opencl_buffer_at(c, addresses[copy->from] + offset, &out->from_offset);
    const struct opencl_buffer *to =
        opencl_buffer_at(c, addresses[zero ? l->zero_buffer : copy->to] + offset, &out->to_offset);
    out->name = zero ? "(zero)" : "(copy)";
    out->size_bytes = zero ? s->sizes_bytes[l->zero_buffer] : copy->size_bytes;
    if (!to || (!zero && !from))
        return fail_as(err, ERROR_SYSTEM, l->at, "%s: no buffer of the device", out->name);
    out->to = to->memory;
    out->from = from ? from->memory : NULL;
    return true;
}

bool opencl_prepare(struct opencl_device *c, struct arena *a, const struct device_sequence *s,
                    const uint64_t *addresses, struct opencl_launch **out, struct error *err)
{
    struct opencl_launch *launches = ARENA_ARRAY(a, struct opencl_launch, s->launch_count + 1);
    bool done = check_sequence(c, s, err);
    for (int i = 0; i < s->launch_count && done; i++) {
        launches[i].given = &s->launches[i];
        switch (s->launches[i].kind) {
        case LAUNCH_KERNEL:
            done = prepare_kernel(c, a, addresses, &launches[i], err);
            break;
        case LAUNCH_ZERO:
        case LAUNCH_COPY:
            done = prepare_fill(c, s, addresses, &launches[i], err);
            break;
        case LAUNCH_LIBRARY: // the loop skips it: no library of this backend's
            done = fail_as(err, ERROR_SYSTEM, s->launches[i].launch->at, "'%s' needs a CUDA device",
                           s->launches[i].launch->library->text);
            break;
        }
    }
    if (!done)
        opencl_launches_release(c, launches, s->launch_count);
    *out = launches;
    return done;
}

void opencl_launches_release(struct opencl_device *c, struct opencl_launch *launches, int count)
{
    for (int i = 0; i < count; i++)
        if (launches[i].kernel)
            (void)c->cl.clReleaseKernel(launches[i].kernel);
}

bool opencl_enqueue(struct opencl_device *c, const struct opencl_launch *l, void *gate,
                    void **event, struct error *err)
{
    static const unsigned char zero = 0;
    const struct opencl *cl = &c->cl;
    unsigned waits = gate ? 1 : 0;
    void *const *wait_for = gate ? &gate : NULL;
    if (!l->kernel)
        return opencl_check(
            l->from ? cl->clEnqueueCopyBuffer(c->queue, l->from, l->to, l->from_offset,
                                              l->to_offset, l->size_bytes, waits, wait_for, event)
                    : cl->clEnqueueFillBuffer(c->queue, l->to, &zero, sizeof zero, l->to_offset,
                                              l->size_bytes, waits, wait_for, event),
            err, "%s", l->name);
    int status = cl->clEnqueueNDRangeKernel(c->queue, l->kernel, 3, NULL, l->threads, l->block,
                                            waits, wait_for, event);
    size_t most = 0;
    if (status == CL_INVALID_WORK_GROUP_SIZE &&
        cl->clGetKernelWorkGroupInfo(l->kernel, c->device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most,
                                     &most, NULL) == CL_DONE)
        return fail(err, l->given->launch->at,
                    "kernel '%s' cannot be launched with blocks of %zu x %zu x %zu threads on %s: "
                    "a block of this kernel may have %zu",
                    l->name, l->block[0], l->block[1], l->block[2], c->head.info->id, most);
    return opencl_check(status, err, "kernel '%s' cannot be launched", l->name);
}

/* ---- emptying the cache -------------------------------------------------------------------------------------- */

static bool open_sweep(struct opencl_device *c, struct error *err)
{
    const struct device_facts *f = &c->head.info->facts;
    uint64_t bytes = SWEEP_CACHE_TIMES * (uint64_t)f->l2_bytes;
    uint64_t most = (uint64_t)f->memory_bytes / SWEEP_MEMORY_PARTS;
    static const unsigned zero = 0;
    void *program = NULL, *kernel = NULL;
    int status = CL_DONE;
    bytes = bytes < sweep_min_bytes ? sweep_min_bytes : bytes;
    bytes = bytes > most ? most : bytes;
    c->sweep_each = bytes / SWEEP_WORD_BYTES / SWEEP_GROUPS;
    bytes = c->sweep_each * SWEEP_WORD_BYTES * SWEEP_GROUPS;
    if (!opencl_build(&c->cl, c->context, c->device, sweep_source, "ridge's own kernel", &program,
                      err))
        return false;
    VEC_PUSH(c->programs.items, c->programs.count, c->programs.capacity, program);
    c->sweep_memory = c->cl.clCreateBuffer(c->context, CL_MEM_READ_WRITE, bytes, NULL, &status);
    if (!opencl_check(status, err, "no memory to empty the cache with"))
        return false;
    kernel = c->cl.clCreateKernel(program, "ridge_sweep", &status);
    if (!opencl_check(status, err, "cannot empty the cache"))
        return false;
    c->sweep = kernel;
    return opencl_check(c->cl.clSetKernelArg(kernel, 0, sizeof c->sweep_memory, &c->sweep_memory),
                        err, "cannot empty the cache") &&
           opencl_check(c->cl.clSetKernelArg(kernel, 1, sizeof c->sweep_each, &c->sweep_each), err,
                        "cannot empty the cache") &&
           opencl_check(c->cl.clEnqueueFillBuffer(c->queue, c->sweep_memory, &zero, sizeof zero, 0,
                                                  bytes, 0, NULL, NULL),
                        err, "cannot empty the cache");
}

bool opencl_flush(struct opencl_device *c, void *gate, struct error *err)
{
    static const size_t block = SWEEP_BLOCK, threads = (size_t)SWEEP_GROUPS * SWEEP_BLOCK;
    if (!c->sweep && !open_sweep(c, err))
        return false;
    return opencl_check(c->cl.clEnqueueNDRangeKernel(c->queue, c->sweep, 1, NULL, &threads, &block,
                                                     gate ? 1 : 0, gate ? &gate : NULL, NULL),
                        err, "cannot empty the cache");
}
