// NVIDIA GPUs through the driver's API (libcuda.so.1, opened at run time; see driver.def). The loop
// uses it in worker processes: an error on the device is final for the context.
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/cuda.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { JIT_LOG_BYTES = 16384, SWEEP_BLOCKS_PER_SM = 4, SWEEP_THREADS = 256 };
enum { FUNCTION_SHARED_BYTES = 1, FUNCTION_LOCAL_BYTES = 3 };
enum { CUDA_ILLEGAL_ADDRESS = 700, CUDA_LAUNCH_TIMEOUT = 702, CUDA_ASSERT = 710 };
enum {
    CUDA_MISALIGNED = 716,
    CUDA_UNSUPPORTED_PTX = 222,
    CUDA_NO_BINARY = 209,
    CUDA_LAUNCH_FAILED = 719
};
enum { STREAM_NON_BLOCKING = 1 };

static const uint64_t sweep_min_bytes = (uint64_t)64 << 20;
static const uint64_t sweep_l2_times = 4;

// Ours: ridge_hold spins for so many ns, so that all that follows is queued when it starts;
// ridge_sweep reads a buffer whole (it stores only what a sum of zeros never is).
static const char tools_ptx[] =
    ".version 6.0\n.target sm_50\n.address_size 64\n"
    ".visible .entry ridge_hold(.param .u64 duration_ns)\n{\n"
    "  .reg .b64 %rd<5>;\n  .reg .pred %p;\n"
    "  ld.param.u64 %rd1, [duration_ns];\n  mov.u64 %rd2, %globaltimer;\n"
    "again:\n  mov.u64 %rd3, %globaltimer;\n  sub.u64 %rd4, %rd3, %rd2;\n"
    "  setp.lt.u64 %p, %rd4, %rd1;\n  @%p bra again;\n  ret;\n}\n"
    ".visible .entry ridge_sweep(.param .u64 base, .param .u64 count)\n{\n"
    "  .reg .b64 %rd<8>;\n  .reg .b32 %r<10>;\n  .reg .pred %p<3>;\n"
    "  ld.param.u64 %rd1, [base];\n  ld.param.u64 %rd2, [count];\n"
    "  mov.u32 %r1, %ctaid.x;\n  mov.u32 %r2, %ntid.x;\n  mov.u32 %r3, %tid.x;\n"
    "  mov.u32 %r4, %nctaid.x;\n  mad.lo.u32 %r5, %r1, %r2, %r3;\n  mul.lo.u32 %r6, %r2, %r4;\n"
    "  cvt.u64.u32 %rd3, %r5;\n  cvt.u64.u32 %rd4, %r6;\n  mov.u32 %r7, 0;\n"
    "again:\n  setp.ge.u64 %p1, %rd3, %rd2;\n  @%p1 bra done;\n"
    "  shl.b64 %rd5, %rd3, 5;\n  add.u64 %rd6, %rd1, %rd5;\n"
    "  ld.global.u32 %r8, [%rd6];\n  or.b32 %r7, %r7, %r8;\n"
    "  add.u64 %rd3, %rd3, %rd4;\n  bra again;\n"
    "done:\n  setp.ne.u32 %p2, %r7, 0;\n  @%p2 st.global.u32 [%rd1], %r7;\n  ret;\n}\n";

static const struct device_ops cuda_device_ops;

static struct cuda_device *own(struct device *d)
{
    return (struct cuda_device *)d;
}

/* ---- opening --------------------------------------------------------------------------------------- */

// `errors` gets what the driver's compiler says.
static int load_logged(struct cuda_device *c, const char *code, void **module, char *info,
                       char *errors)
{
    enum { INFO_LOG = 3, INFO_LOG_BYTES = 4, ERROR_LOG = 5, ERROR_LOG_BYTES = 6 }; // CUjit_option
    int options[] = {INFO_LOG, INFO_LOG_BYTES, ERROR_LOG, ERROR_LOG_BYTES};
    uintptr_t size = JIT_LOG_BYTES - 1;
    void *values[] = {info, NULL, errors, NULL};
    memcpy(&values[1], &size, sizeof size); // the option's value lies in the pointer itself
    memcpy(&values[3], &size, sizeof size);
    return c->cu.cuModuleLoadDataEx(module, code, COUNT_OF(options), options, values);
}

static bool fail_load(struct cuda_device *c, int status, const char *code, const char *what,
                      const char *errors, struct error *err)
{
    if (status == CUDA_UNSUPPORTED_PTX) {
        int version = 0;
        (void)c->cu.cuDriverGetVersion(&version);
        const char *at = strstr(code, ".version");
        return fail_as(err, ERROR_SYSTEM, NOWHERE,
                       "%s is PTX %.*s, which NVIDIA's driver (for CUDA %d.%d) is too old for: "
                       "update the driver, or use an older NVRTC (RIDGE_CUDA_PATH) or --compiler "
                       "clang",
                       what, at ? (int)strspn(at + 9, "0123456789.") : 0, at ? at + 9 : "",
                       version / 1000, version % 1000 / 10);
    }
    (void)driver_check(&c->cu, status, err, "the driver cannot load %s", what);
    return errors[0] ? error_context(err, "the driver's compiler says: %s", errors) : false;
}

static bool load_code(struct cuda_device *c, const char *code, const char *what, void **module,
                      struct error *err)
{
    char *logs = xcalloc(2, JIT_LOG_BYTES), *errors = logs + JIT_LOG_BYTES; // a thread's own
    int status = load_logged(c, code, module, logs, errors);
    if (status == CUDA_DONE)
        VEC_PUSH(c->modules.items, c->modules.count, c->modules.capacity, *module);
    bool done = status == CUDA_DONE || fail_load(c, status, code, what, errors, err);
    free(logs);
    return done;
}

static bool nvidia_tools(struct arena *a, const struct device_info *info, struct code_object *out,
                         struct error *err)
{
    (void)a, (void)info, (void)err;
    *out = (struct code_object){.format = CODE_PTX, .bytes = tools_ptx};
    return true;
}

static bool open_tools(struct cuda_device *c, const struct code_object *code, struct error *err)
{
    void *tools = NULL;
    const struct driver *cu = &c->cu;
    return load_code(c, code->bytes, "ridge's own kernels", &tools, err) &&
           driver_check(cu, cu->cuModuleGetFunction(&c->hold, tools, "ridge_hold"), err, "hold") &&
           driver_check(cu, cu->cuModuleGetFunction(&c->sweep, tools, "ridge_sweep"), err, "sweep");
}

// The program that ridge is part of may have a context on this GPU: its streams are of that one. Else
// the primary one, which is the CUDA runtime's.
static bool take_context(struct cuda_device *c, struct error *err)
{
    const struct driver *cu = &c->cu;
    const char *id = c->head.info->id;
    int device = -1;
    if (cu->cuCtxGetCurrent(&c->context) == CUDA_DONE && c->context &&
        cu->cuCtxGetDevice(&device) == CUDA_DONE && device == c->device)
        return true;
    c->retained = driver_check(cu, cu->cuDevicePrimaryCtxRetain(&c->context, c->device), err,
                               "%s cannot be used", id);
    return c->retained &&
           driver_check(cu, cu->cuCtxSetCurrent(c->context), err, "%s cannot be used", id);
}

static bool open_context(struct cuda_device *c, struct error *err)
{
    const struct driver *cu = &c->cu;
    const char *id = c->head.info->id;
    return driver_check(cu, cu->cuDeviceGet(&c->device, c->ordinal), err, "there is no %s", id) &&
           take_context(c, err) &&
           driver_check(cu, cu->cuStreamCreate(&c->stream, STREAM_NON_BLOCKING), err,
                        "no stream on %s", id) &&
           driver_check(cu, cu->cuEventCreate(&c->start, 0), err, "no event on %s", id) &&
           driver_check(cu, cu->cuEventCreate(&c->stop, 0), err, "no event on %s", id);
}

// The context may go on without us: nothing of ours stays in it.
void cuda_close(struct device *d)
{
    struct cuda_device *c = own(d);
    cuda_textures_close(c);
    cuda_host_close(c);
    cuda_memory_close(c);
    cuda_libraries_close(c);
    if (c->sweep_address)
        (void)c->cu.cuMemFree_v2(c->sweep_address);
    for (size_t i = 0; i < c->modules.count; i++)
        (void)c->cu.cuModuleUnload(c->modules.items[i]);
    free(c->modules.items);
    if (c->start)
        (void)c->cu.cuEventDestroy_v2(c->start);
    if (c->stop)
        (void)c->cu.cuEventDestroy_v2(c->stop);
    if (c->stream)
        (void)c->cu.cuStreamDestroy_v2(c->stream);
    c->dialect->counting->close(c->counting);
    arena_release(&c->arena);
    if (c->retained)
        (void)c->cu.cuDevicePrimaryCtxRelease_v2(c->device);
    free(c);
}

bool cuda_open_as(const struct cuda_dialect *dialect, const struct device_ops *ops,
                  const struct device_info *info, struct device **out, struct error *err)
{
    struct cuda_device *c = xcalloc(1, sizeof *c);
    struct code_object tools;
    const char *colon = strchr(info->id, ':');
    c->head = (struct device){.ops = ops, .info = info};
    c->dialect = dialect;
    c->ordinal = colon ? atoi(colon + 1) : 0; // NOLINT(cert-err34-c): device_find made it
    if (!dialect->tools(&c->arena, info, &tools, err) || !dialect->open(&c->cu, err)) {
        arena_release(&c->arena);
        free(c);
        return false;
    }
    if (!open_context(c, err) || !open_tools(c, &tools, err)) {
        cuda_close(&c->head);
        return false;
    }
    *out = &c->head;
    return true;
}

static bool open_cupti(const struct cuda_device *c, void **out, struct error *err)
{
    struct cupti *cupti = NULL;
    bool done = cupti_open(c->context, c->ordinal, &cupti, err);
    *out = cupti;
    return done;
}

static void close_cupti(void *tool)
{
    cupti_close(tool);
}

static bool count_by_cupti(void *tool, bool (*replay)(void *context, struct error *err),
                           void *context, int launches, struct counters *per_launch,
                           struct error *err)
{
    return cupti_count(tool, replay, context, launches, per_launch, err);
}

static bool begin_of_cupti(void *tool, int launch, struct error *err)
{
    return cupti_range_begin(tool, launch, err);
}

static bool end_of_cupti(void *tool, struct error *err)
{
    return cupti_range_end(tool, err);
}

static bool cuda_open(const struct device_info *info, struct device **out, struct error *err)
{
    static const struct cuda_counting counting = {.open = open_cupti,
                                                  .close = close_cupti,
                                                  .count = count_by_cupti,
                                                  .begin = begin_of_cupti,
                                                  .end = end_of_cupti};
    static const struct cuda_dialect nvidia = {.open = driver_open,
                                               .counting = &counting,
                                               .tools = nvidia_tools,
                                               .formats = 1U << CODE_PTX | 1U << CODE_CUBIN,
                                               .formats_words =
                                                   "a CUDA device runs PTX and cubin files"};
    return cuda_open_as(&nvidia, &cuda_device_ops, info, out, err);
}

/* ---- kernels ----------------------------------------------------------------------------------------- */

bool cuda_load(struct device *d, const struct code_object *code, struct device_module **out,
               struct error *err)
{
    struct cuda_device *c = own(d);
    struct device_module *m = ARENA_NEW(&c->arena, struct device_module);
    m->source = arena_strdup(&c->arena, code->source);
    if ((c->dialect->formats >> code->format & 1) == 0)
        return fail(err, (struct location){.file = code->source}, "%s, and this is a %s",
                    c->dialect->formats_words, code_format_name(code->format));
    const char *name = code_name(&c->arena, code);
    struct error ignored = {0}; // a driver that is older than the compiler makes its own of the PTX
    if (!(code->machine && load_code(c, code->machine, name, &m->handle, &ignored)) &&
        !load_code(c, code->bytes, name, &m->handle, err))
        return false;
    m->format = code->format;
    m->code_bytes = code->size_bytes;
    m->code = code->format == CODE_PTX || code->format == CODE_CUBIN
                  ? arena_copy(&c->arena, code->bytes, code->size_bytes)
                  : NULL;
    m->listed = code->kernels_listed;
    code_copy_kernels(&c->arena, code, &m->kernels, &m->kernel_count);
    *out = m;
    return true;
}

bool cuda_flush(struct cuda_device *c, struct error *err)
{
    const struct driver *cu = &c->cu;
    const struct device_facts *facts = &c->head.info->facts;
    if (!c->sweep_address) {
        c->sweep_bytes = sweep_l2_times * (uint64_t)facts->l2_bytes;
        if (c->sweep_bytes < sweep_min_bytes)
            c->sweep_bytes = sweep_min_bytes;
        if (!cuda_grab(c, "emptying the L2", c->sweep_bytes, &c->sweep_address, err) ||
            !driver_check(cu, cu->cuMemsetD8Async(c->sweep_address, 0, c->sweep_bytes, c->stream),
                          err, "cannot empty the L2"))
            return false;
    }
    uint64_t count = c->sweep_bytes / 32; // a load a sector
    void *args[] = {&c->sweep_address, &count};
    // Lines that an earlier kernel made persistent would survive.
    if (cu->cuCtxResetPersistingL2Cache)
        (void)cu->cuCtxResetPersistingL2Cache();
    return driver_check(cu,
                        cu->cuLaunchKernel(c->sweep,
                                           (unsigned)(facts->sm_count * SWEEP_BLOCKS_PER_SM), 1, 1,
                                           SWEEP_THREADS, 1, 1, 0, c->stream, args, NULL),
                        err, "cannot empty the L2");
}

/* ---- one run --------------------------------------------------------------------------------------------- */

// After an error on the device nothing more can be asked of it: which kernel it was is all there is.
static bool wait_step(struct cuda_device *c, const struct cuda_launch *l, struct error *err)
{
    static const struct {
        int status;
        const char *what;
    } known[] = {
        {CUDA_ILLEGAL_ADDRESS, "reads or writes where no memory is"},
        {CUDA_MISALIGNED, "reads or writes at an address that its size does not divide"},
        {CUDA_ASSERT, "stopped on an assert"},
        {CUDA_LAUNCH_TIMEOUT, "ran longer than the driver allows a kernel on this GPU"},
        {CUDA_LAUNCH_FAILED, "failed on the device"},
    };
    int status = c->cu.cuStreamSynchronize(c->stream);
    if (status == CUDA_DONE)
        return true;
    bool library = l->given->kind == LAUNCH_LIBRARY;
    const char *name = NULL, *what = library ? "library call" : "kernel";
    (void)c->cu.cuGetErrorName(status, &name);
    for (size_t i = 0; i < COUNT_OF(known); i++)
        if (known[i].status == status)
            return fail_as(err, ERROR_CHECK, NOWHERE, "%s '%s' %s (%s on %s)%s", what, l->kernel,
                           known[i].what, name ? name : "", c->head.info->id,
                           library ? "" : "; --device sim:h200 says in which line");
    return driver_check(&c->cu, status, err, "%s '%s' failed on %s", what, l->kernel,
                        c->head.info->id);
}

static void set_counter(struct counters *s, enum counter_id id, double value, enum provenance p)
{
    if (!counters_has(s, id))
        counters_set(s, id, value, p);
}

// From the machine code: exact, though nothing was run for it.
static void take_attributes(struct cuda_device *c, const struct cuda_launch *l, struct counters *s)
{
    const struct resolved_launch *r = l->given->launch;
    int registers = 0, shared_bytes = 0;
    struct occupancy o;
    struct block_needs needs;
    if (c->cu.cuFuncGetAttribute(&registers, FUNCTION_REGISTERS, l->function) != CUDA_DONE ||
        c->cu.cuFuncGetAttribute(&shared_bytes, FUNCTION_SHARED_BYTES, l->function) != CUDA_DONE)
        return;
    uint64_t shared = (uint64_t)shared_bytes + r->shared_bytes;
    int threads = (int)(r->block[0] * r->block[1] * r->block[2]);
    double blocks = (double)r->grid[0] * r->grid[1] * r->grid[2];
    set_counter(s, COUNTER_REGISTERS_PER_THREAD, registers, PROVENANCE_MEASURED);
    set_counter(s, COUNTER_BLOCK_THREADS, threads, PROVENANCE_MEASURED);
    set_counter(s, COUNTER_GRID_BLOCKS, blocks, PROVENANCE_MEASURED);
    set_counter(s, COUNTER_SHARED_BYTES_PER_BLOCK, (double)shared, PROVENANCE_MEASURED);
    needs =
        (struct block_needs){.threads = threads, .registers = registers, .shared_bytes = shared};
    if (!c->head.info->gpu || !gpu_occupancy(c->head.info->gpu, &needs, &o))
        return;
    set_counter(s, COUNTER_OCCUPANCY_THEORETICAL_PCT, o.pct, PROVENANCE_MODELLED);
    set_counter(s, COUNTER_WAVES, blocks / ((double)o.blocks_per_sm * c->head.info->facts.sm_count),
                PROVENANCE_MODELLED);
}

static bool run_step(struct cuda_device *c, const struct cuda_launch *l, struct device_step *step,
                     struct error *err)
{
    static const double ns_per_ms = 1e6;
    float time_ms = 0;
    if (c->cu.cuEventRecord(c->start, c->stream) != CUDA_DONE || !cuda_enqueue_one(c, l, err))
        return false;
    (void)c->cu.cuEventRecord(c->stop, c->stream);
    if (!wait_step(c, l, err))
        return false;
    if (c->cu.cuEventElapsedTime(&time_ms, c->start, c->stop) == CUDA_DONE)
        step->time_ns = (struct figure){(double)time_ms * ns_per_ms, PROVENANCE_MEASURED};
    if (l->given->kind == LAUNCH_KERNEL)
        take_attributes(c, l, &step->counters);
    return true;
}

/* ---- counting ----------------------------------------------------------------------------------------------- */

bool cuda_is_counted(const struct cuda_launch *l)
{
    return l->given->kind != LAUNCH_ZERO && l->given->kind != LAUNCH_COPY &&
           !l->given->launch->untimed;
}

static bool finish(struct cuda_device *c, struct error *err)
{
    return driver_check(&c->cu, c->cu.cuStreamSynchronize(c->stream), err,
                        "a counted run failed on %s", c->head.info->id);
}

bool cuda_replay_pass(void *context, struct error *err)
{
    const struct cuda_replay *r = context;
    struct cuda_device *c = r->device;
    bool done = cuda_restore_all(c, err) && cuda_sequence_load(c, err) &&
                (!r->cold || cuda_flush(c, err)) && finish(c, err);
    int kernels = 0;
    for (int i = 0; done && i < r->count; i++) {
        bool marked = cuda_is_counted(&r->launches[i]);
        done = (!marked || r->begin(r->context, kernels++, err)) &&
               cuda_enqueue_one(c, &r->launches[i], err) && finish(c, err) &&
               (!marked || r->end(r->context, err));
    }
    return done;
}

static bool count_begin(void *context, int kernel, struct error *err)
{
    const struct cuda_device *c = context;
    return c->dialect->counting->begin(c->counting, kernel, err);
}

static bool count_end(void *context, struct error *err)
{
    const struct cuda_device *c = context;
    return c->dialect->counting->end(c->counting, err);
}

// Hardware counters of every kernel of the sequence; without them the report's note says why. false:
// a kernel broke the context, in which nothing runs any more.
static bool count_steps(const struct cuda_replay *r, struct arena *a, struct device_report *report,
                        struct error *broken)
{
    struct cuda_device *c = r->device;
    struct cuda_replay pass = *r;
    struct error err = {0};
    int launches = 0;
    pass.context = c;
    pass.begin = count_begin;
    pass.end = count_end;
    for (int i = 0; i < r->count; i++)
        launches += cuda_is_counted(&r->launches[i]);
    struct counters *counted = ARENA_ARRAY(a, struct counters, launches + 1);
    const struct cuda_counting *tool = c->dialect->counting;
    bool done = (c->counting || tool->open(c, &c->counting, &err)) && cuda_snapshot_all(c, &err) &&
                tool->count(c->counting, cuda_replay_pass, &pass, launches, counted, &err) &&
                cuda_restore_all(c, &err);
    if (!done) {
        if (c->cu.cuStreamSynchronize(c->stream) != 0)
            return fail_as(broken, ERROR_CHECK, NOWHERE, "%s", err.message);
        report_note(a, report, arena_printf(a, "no hardware counters: %s", err.message));
        return true;
    }
    int next = 0;
    for (int i = 0; i < r->count && i < report->step_count; i++)
        if (cuda_is_counted(&r->launches[i]))
            report->steps[i].counters = counted[next++];
    return true;
}

static bool run_steps(struct cuda_device *c, const struct cuda_launch *launches, int count,
                      struct arena *a, struct device_report *report, struct error *err)
{
    for (int i = 0; i < count; i++) {
        struct device_step *step = &report->steps[report->step_count++];
        step->kernel = arena_strdup(a, launches[i].kernel);
        step->kind = launches[i].given->kind;
        step->untimed = launches[i].given->launch->untimed;
        if (!run_step(c, &launches[i], step, err))
            return false;
    }
    return true;
}

static bool run_sequence(struct cuda_device *c, const struct device_sequence *sequence,
                         const struct device_run_options *options, struct arena *a,
                         struct device_report *report, struct error *err)
{
    struct cuda_launch *launches = NULL;
    struct capture out, errors;
    *report = (struct device_report){.l2_warm = options->cold ? 0 : 1};
    report->steps = ARENA_ARRAY(a, struct device_step, sequence->launch_count + 1);
    if (!cuda_sequence_begin(c, sequence, err) ||
        !cuda_prepare(c, a, sequence, sequence->addresses, &launches, err))
        return false;
    bool stalls = options->pc_sampling != SAMPLING_OFF && !c->dialect->no_stalls;
    if (options->count && options->pc_sampling != SAMPLING_OFF && !stalls)
        report_note(a, report, c->dialect->no_stalls);
    if (options->count) {
        struct cuda_replay replay = {c,    launches, sequence->launch_count, options->cold, NULL,
                                     NULL, NULL};
        report->step_count = sequence->launch_count;
        bool alive = count_steps(&replay, a, report, err) &&
                     (!stalls ||
                      cuda_sample_stalls(&replay, sequence, options->pc_sampling, a, report, err));
        report->step_count = 0;
        if (!alive)
            return false;
    }
    if (!cuda_sequence_load(c, err) || (options->cold && !cuda_flush(c, err)))
        return false;
    capture_begin(&out, STDOUT_FILENO);
    capture_begin(&errors, STDERR_FILENO);
    bool done = run_steps(c, launches, sequence->launch_count, a, report, err) &&
                cuda_sequence_store(c, err);
    report->printed = capture_end(&out, a);
    const char *said = capture_end(&errors, a);
    if (!done && said)
        (void)error_context(err, "%.*s", (int)strcspn(said, "\n"), said);
    bool first = true;
    for (int i = 0; i < report->step_count; i++)
        if (cuda_is_counted(&launches[i])) {
            counters_accumulate(&report->counters, &report->steps[i].counters, first);
            first = false;
        }
    return done;
}

bool cuda_run(struct device *d, const struct device_sequence *sequence,
              const struct device_run_options *options, struct arena *a,
              struct device_report *report, struct error *err)
{
    bool done = run_sequence(own(d), sequence, options, a, report, err);
    cuda_sequence_end(own(d));
    return done;
}

/* ---- copies over the links ------------------------------------------------------------------------- */

enum { LINK_COPIES = 5 };

struct link { // one kind of copy
    struct cuda_device *device;
    enum device_link way;
    uint64_t address, size_bytes;
    void *host;    // of the two, what the way needs
    uint64_t peer; // in the other GPU's memory
    void *peer_context;
};

static bool link_copy(const struct link *k, struct error *err)
{
    struct cuda_device *c = k->device;
    const struct driver *cu = &c->cu;
    int status = 0;
    if (k->way == LINK_PEER_IN)
        status = cu->cuMemcpyPeer(k->address, c->context, k->peer, k->peer_context, k->size_bytes);
    else if (k->way == LINK_PINNED_IN || k->way == LINK_PAGEABLE_IN)
        status = cu->cuMemcpyHtoD_v2(k->address, k->host, k->size_bytes);
    else
        status = cu->cuMemcpyDtoH_v2(k->host, k->address, k->size_bytes);
    return driver_check(cu, status, err, "cannot copy over the link") &&
           driver_check(cu, cu->cuStreamSynchronize(c->stream), err, "cannot copy over the link");
}

// Memory in the first other GPU that this one can reach; peer_context stays NULL if there is none.
static bool link_peer(struct link *k, int *peer_device, struct error *err)
{
    struct cuda_device *c = k->device;
    const struct driver *cu = &c->cu;
    int count = 0, can = 0;
    if (!driver_check(cu, cu->cuDeviceGetCount(&count), err, "cannot count the GPUs"))
        return false;
    for (*peer_device = 0; *peer_device < count; ++*peer_device)
        if (*peer_device != c->ordinal &&
            cu->cuDeviceCanAccessPeer(&can, c->ordinal, *peer_device) == 0 && can)
            break;
    if (*peer_device == count)
        return true;
    return driver_check(cu, cu->cuDevicePrimaryCtxRetain(&k->peer_context, *peer_device), err,
                        "cannot use the other GPU") &&
           driver_check(cu, cu->cuCtxSetCurrent(k->peer_context), err,
                        "cannot use the other GPU") &&
           driver_check(cu, cu->cuMemAlloc_v2(&k->peer, k->size_bytes), err,
                        "no memory in the other GPU");
}

static bool link_time(const struct link *k, double *time_ns, struct error *err)
{
    *time_ns = (double)INFINITY;
    for (int i = 0; i < LINK_COPIES; i++) {
        uint64_t start = clock_ns();
        if (!link_copy(k, err))
            return false;
        *time_ns = fmin(*time_ns, (double)(clock_ns() - start));
    }
    return true;
}

static bool cuda_link(struct device *d, enum device_link way, uint64_t address, uint64_t size_bytes,
                      double *time_ns, struct error *err)
{
    struct cuda_device *c = own(d);
    const struct driver *cu = &c->cu;
    struct link k = {.device = c, .way = way, .address = address, .size_bytes = size_bytes};
    bool pinned = way == LINK_PINNED_IN || way == LINK_PINNED_OUT, done = true;
    int peer_device = 0;
    *time_ns = (double)NAN;
    if (way == LINK_PEER_IN) {
        done = link_peer(&k, &peer_device, err);
        (void)cu->cuCtxSetCurrent(c->context);
    } else if (pinned) {
        done = driver_check(cu, cu->cuMemAllocHost_v2(&k.host, size_bytes), err,
                            "no pinned memory of the host");
    } else {
        k.host = xcalloc(1, size_bytes);
        memset(k.host, 1, size_bytes); // there, not only promised
    }
    if (done && (way != LINK_PEER_IN || k.peer_context))
        done = link_time(&k, time_ns, err);
    if (k.peer_context) {
        (void)cu->cuCtxSetCurrent(k.peer_context);
        (void)cu->cuMemFree_v2(k.peer);
        (void)cu->cuCtxSetCurrent(c->context);
        (void)cu->cuDevicePrimaryCtxRelease_v2(peer_device);
    } else if (pinned) {
        (void)cu->cuMemFreeHost(k.host);
    } else {
        free(k.host);
    }
    return done;
}

static const struct device_code_ops code_ops = {
    .load = cuda_load,
    .library = cuda_library_open,
    .run = cuda_run,
    .launch = cuda_launch_on,
};
static const struct device_clock_ops clock_ops = {
    .measure = cuda_measure,
    .measure_region = cuda_measure_region,
    .mark = cuda_mark,
    .elapsed = cuda_elapsed,
};
static const struct device_counting_ops counting_ops = {.region = cuda_count_region};
static const struct device_link_ops link_ops = {.time = cuda_link};
static const struct device_ops cuda_device_ops = {
    .open = cuda_open,
    .close = cuda_close,
    .memory = &cuda_memory_ops,
    .code = &code_ops,
    .clock = &clock_ops,
    .counting = &counting_ops,
    .links = &link_ops,
    .exchange = &cuda_exchange_ops,
};
const struct device_backend backend_cuda = {.name = "cuda",
                                            .ops = &cuda_device_ops,
                                            .telemetry = &nvml_telemetry,
                                            .list = cuda_list,
                                            .find = cuda_find,
                                            .parts = cuda_parts,
                                            .topology = cuda_topology,
                                            .libraries = cuda_libraries};
