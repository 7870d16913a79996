// ridge probe: the roofs of a device, measured with the kernels of probe.cu through the same
// functions that time variants. Each roof is the best of a few launch shapes, each shape the median
// of a few samples with warm caches and clocks.
// SPDX-License-Identifier: Apache-2.0
#include "device/internal.h"
#include "stats/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SAMPLES = 7,
    BATCH = 8,
    LAUNCH_BATCH = 64,
    FIRST_ROUNDS = 16,
    ELEMENT_BYTES = 16,
    TILE_ELEMENTS = 4, // a thread
    ARGUMENTS = 4,     // of every kernel: two buffers, count of elements, rounds
    REASON_BYTES = 32,
};
static const double run_ns = 1e6; // a BUSY run takes about so long
static const double warm_s = 0.3, ns_per_s = 1e9;
static const double timeout_s = 300;
static const uint64_t stream_bytes_max = (uint64_t)4 << 30; // of each buffer
static const uint64_t stream_share = 16;                    // of the device's memory at most
static const uint64_t link_bytes_max = (uint64_t)256 << 20;
static const uint64_t cached_bytes_max = (uint64_t)16 << 20;

struct shape {
    unsigned threads;
    unsigned warps_per_sm; // 0 = as many blocks as there is work for
};
static const struct shape stream_shapes[] = {{128, 0}, {256, 0}, {512, 0}, {1024, 64}};
static const struct shape tile_shapes[] = {{128, 0},  {256, 0},   {512, 0},  {1024, 0},
                                           {512, 64}, {1024, 32}, {256, 32}, {512, 16}};
static const struct shape busy_shapes[] = {{256, 64}, {512, 32}, {128, 16}, {1024, 64}};
static const struct shape launch_shapes[] = {{32, 0}};

struct message {
    int roof;
    double value;
    char slowed[REASON_BYTES]; // "" = it was not
};

struct prober {
    const struct device_info *info;
    const struct code_object *code;
    int fd;
    struct arena arena;
    struct device *device;
    struct device_module *module;
    uint64_t addresses[2], sizes[2];
};

/* ---- in the worker: a launch -------------------------------------------------------------------------- */

static void scalar(struct resolved_argument *out, uint64_t value)
{
    *out = (struct resolved_argument){.kind = ARGUMENT_SCALAR, .type = ELEMENT_U64};
    memcpy(out->value, &value, sizeof value);
}

static bool time_runs(struct prober *p, const char *kernel, struct shape s, uint64_t blocks,
                      uint64_t count, uint64_t rounds, int batch, double *median_ns,
                      struct error *err)
{
    double times[SAMPLES];
    struct resolved_argument args[ARGUMENTS] = {{.kind = ARGUMENT_BUFFER, .buffer = 0},
                                                {.kind = ARGUMENT_BUFFER, .buffer = 1}};
    scalar(&args[2], count);
    scalar(&args[3], rounds);
    struct resolved_launch launch = {.kind = LAUNCH_KERNEL,
                                     .kernel = kernel,
                                     .grid = {(uint32_t)blocks, 1, 1},
                                     .block = {s.threads, 1, 1},
                                     .args = args,
                                     .arg_count = ARGUMENTS};
    struct device_launch one = {.kind = LAUNCH_KERNEL, .module = p->module, .launch = &launch};
    struct device_sequence sequence = {.launches = &one,
                                       .launch_count = 1,
                                       .addresses = p->addresses,
                                       .sizes_bytes = p->sizes,
                                       .buffer_count = COUNT_OF(p->addresses)};
    struct device_run_options options = {.timeout_s = timeout_s, .batch = batch};
    if (!p->device->ops->clock->measure(p->device, &sequence, &options, SAMPLES, times, err))
        return false;
    *median_ns = stats_summary(times, SAMPLES).median;
    return true;
}

/* ---- in the worker: a roof, in the roof's unit; of times less is better, of rates more ----------------- */

static bool probe_memory(struct prober *p, enum roof_id id, struct shape s, double *value,
                         struct error *err)
{
    const struct roof_info *r = roof_info(id);
    unsigned thread_elements = r->shape == ROOF_TILES ? TILE_ELEMENTS : 1;
    uint64_t count = p->sizes[0] / ELEMENT_BYTES, blocks = count / (s.threads * thread_elements);
    double ns = 0;
    if (s.warps_per_sm > 0)
        blocks = (uint64_t)p->info->facts.sm_count * s.warps_per_sm *
                 (uint64_t)p->info->facts.warp_size / s.threads;
    if (!time_runs(p, r->kernel, s, blocks, count, 1, BATCH, &ns, err))
        return false;
    *value = r->work * (double)count / ns * roof_units_per_ns(id);
    return true;
}

static uint64_t cached_elements(const struct prober *p)
{
    uint64_t bytes = cached_bytes_max;
    while (bytes > (uint64_t)p->info->facts.l2_bytes / 2)
        bytes /= 2;
    return bytes / ELEMENT_BYTES;
}

static bool probe_busy(struct prober *p, enum roof_id id, struct shape s, double *value,
                       struct error *err)
{
    const struct roof_info *r = roof_info(id);
    unsigned most = (unsigned)GPU(p->info->chip, max_warps_per_sm);
    unsigned lanes = (unsigned)p->info->facts.warp_size, warps = s.threads / lanes;
    unsigned per_sm = (s.warps_per_sm < most ? s.warps_per_sm : most) / warps;
    uint64_t blocks = (uint64_t)p->info->facts.sm_count * (per_sm > 0 ? per_sm : 1);
    uint64_t count = cached_elements(p), rounds = FIRST_ROUNDS;
    double ns = 0;
    if (!time_runs(p, r->kernel, s, blocks, count, rounds, 1, &ns, err))
        return false;
    if (ns < run_ns)
        rounds = (uint64_t)(FIRST_ROUNDS * run_ns / fmax(ns, 1));
    if (!time_runs(p, r->kernel, s, blocks, count, rounds, BATCH, &ns, err))
        return false;
    *value = r->work * (double)blocks * s.threads * (double)rounds / ns * roof_units_per_ns(id);
    return true;
}

static bool probe_launch(struct prober *p, enum roof_id id, struct shape s, double *value,
                         struct error *err)
{
    return time_runs(p, roof_info(id)->kernel, s, 1, 0, 0, LAUNCH_BATCH, value, err);
}

static bool probe_link(struct prober *p, enum roof_id id, struct shape s, double *value,
                       struct error *err)
{
    (void)s;
    enum device_link way = (enum device_link)roof_info(id)->work;
    uint64_t bytes = p->sizes[0] < link_bytes_max ? p->sizes[0] : link_bytes_max;
    double ns = (double)NAN;
    if (p->device->ops->links &&
        !p->device->ops->links->time(p->device, way, p->addresses[0], bytes, &ns, err))
        return false;
    *value = (double)bytes / ns;
    return true;
}

typedef bool probe_shape(struct prober *p, enum roof_id id, struct shape s, double *value,
                         struct error *err);
static const struct {
    probe_shape *probe;
    const struct shape *shapes;
    size_t count;
} kinds[] = {
    [ROOF_STREAM] = {probe_memory, stream_shapes, COUNT_OF(stream_shapes)},
    [ROOF_TILES] = {probe_memory, tile_shapes, COUNT_OF(tile_shapes)},
    [ROOF_BUSY] = {probe_busy, busy_shapes, COUNT_OF(busy_shapes)},
    [ROOF_LAUNCH] = {probe_launch, launch_shapes, COUNT_OF(launch_shapes)},
    [ROOF_LINK] = {probe_link, launch_shapes, COUNT_OF(launch_shapes)},
};

static bool probe_roof(struct prober *p, enum roof_id id, struct error *err)
{
    struct message m = {.roof = (int)id};
    struct device_state state = {.valid = false};
    enum roof_shape kind = roof_info(id)->shape;
    for (size_t i = 0; i < kinds[kind].count; i++) {
        double value = 0;
        if (!kinds[kind].probe(p, id, kinds[kind].shapes[i], &value, err))
            return error_context(err, "while measuring %s", roof_info(id)->name);
        if (isnan(value))
            return true; // the device has no such thing
        m.value = fmax(m.value, value);
    }
    device_state(p->device, &state);
    if (state.valid && state.throttled)
        memcpy(m.slowed, state.throttled, strnlen(state.throttled, REASON_BYTES - 1));
    return worker_send(p->fd, &m, sizeof m);
}

/* ---- in the worker: all of it -------------------------------------------------------------------------- */

static bool prober_open(struct prober *p, struct error *err)
{
    static const char *const names[] = {"a", "b"};
    uint64_t size = stream_bytes_max;
    while (size > (uint64_t)p->info->facts.memory_bytes / stream_share)
        size /= 2;
    if (!device_open(p->info, &p->device, err))
        return false;
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        p->sizes[i] = size;
        if (!p->device->ops->memory->alloc(p->device, size, names[i], &p->addresses[i], err))
            return false;
    }
    return p->device->ops->code->load(p->device, p->code, &p->module, err);
}

static bool warm_up(struct prober *p, struct error *err)
{
    uint64_t end_ns = clock_ns() + (uint64_t)(warm_s * ns_per_s);
    double ignored = 0;
    while (clock_ns() < end_ns)
        if (!probe_busy(p, ROOF_f32_tflops, busy_shapes[0], &ignored, err))
            return false;
    return true;
}

static bool has_kernel(const struct code_object *code, const char *name)
{
    for (int i = 0; i < code->kernel_count; i++)
        if (strcmp(code->kernels[i].name, name) == 0)
            return true;
    return !code->kernels_listed;
}

// The device has the instructions, and the compiler knew them ("sm_89": 8.9). wgmma is of one architecture only: its
// kernels are left out of the code for others.
static bool is_here(const struct prober *p, enum roof_id id)
{
    static const double slack = 0.05; // a compute capability is given in tenths
    static const double tenths = 10;
    const char *digits = strchr(p->code->arch, '_');
    double compiled = digits ? strtod(digits + 1, NULL) / tenths : p->info->facts.cc;
    const struct roof_info *r = roof_info(id);
    return fmin(p->info->facts.cc, compiled) + slack > r->cc_least &&
           (r->shape == ROOF_LINK || has_kernel(p->code, r->kernel));
}

static int probe_body(void *context, int fd)
{
    struct prober *p = context;
    struct error err = {0};
    p->fd = fd;
    bool done = prober_open(p, &err) && warm_up(p, &err);
    for (int i = 0; done && i < ROOF_COUNT; i++)
        done = !is_here(p, (enum roof_id)i) || probe_roof(p, (enum roof_id)i, &err);
    if (!done)
        return worker_send(fd, &err, sizeof err) ? 0 : 1;
    device_close(p->device);
    return 0;
}

/* ---- outside -------------------------------------------------------------------------------------------- */

struct answer {
    struct arena *arena;
    struct roofs *roofs;
    struct error err;
    void (*progress)(void *context, enum roof_id id);
    void *progress_context;
};

static void take_answer(void *context, const char *data, size_t size_bytes)
{
    struct answer *r = context;
    struct message m;
    if (size_bytes == sizeof r->err)
        memcpy(&r->err, data, sizeof r->err);
    if (size_bytes != sizeof m)
        return;
    memcpy(&m, data, sizeof m);
    if (m.roof < 0 || m.roof >= ROOF_COUNT)
        return;
    r->roofs->value[m.roof] = m.value;
    if (m.slowed[0])
        r->roofs->slowed[m.roof] = arena_strndup(r->arena, m.slowed, sizeof m.slowed);
    if (r->progress)
        r->progress(r->progress_context, (enum roof_id)m.roof);
}

static bool compile_probe(struct arena *a, const struct device_info *info, const char *compiler,
                          struct code_object *out, struct error *err)
{
    const char *source = data_path(a, "probe.cu", err);
    struct compile_request request = {
        .source_path = source, .arch = info->gpu->arch, .compiler = compiler};
    return source && code_compile(a, &request, out, err);
}

bool device_probe(struct arena *a, const struct device_info *info,
                  const struct probe_request *request, struct roofs *out, struct error *err)
{
    char now[32];
    struct code_object code = {0};
    if (info->simulated)
        return fail(err, NOWHERE,
                    "%s is simulated: its roofs are those of its chip file, gpus/%s.yaml (`ridge "
                    "devices -v` shows them); on a machine with a GPU, --device cuda:0 measures it",
                    info->id, info->gpu->id);
    if (!info->gpu || strcmp(info->gpu->vendor, "nvidia") != 0)
        return fail(err, NOWHERE,
                    "%s cannot be probed: the kernels that measure roofs are written for NVIDIA's "
                    "GPUs",
                    info->id);
    if (!compile_probe(a, info, request->compiler, &code, err))
        return false;
    time_utc_iso(now);
    *out =
        (struct roofs){.device = info->name, .driver = info->driver, .date = arena_strdup(a, now)};
    for (int i = 0; i < ROOF_COUNT; i++)
        out->value[i] = (double)NAN;
    struct prober p = {.info = info, .code = &code};
    struct answer answer = {.arena = a,
                            .roofs = out,
                            .progress = request->progress,
                            .progress_context = request->context};
    struct worker_spec spec = {.body = probe_body,
                               .context = &p,
                               .timeout_s = timeout_s,
                               .on_message = take_answer,
                               .message_context = &answer,
                               .cancel = request->cancel};
    struct worker_result end;
    if (!worker_run(&spec, &end, err))
        return false;
    if (end.end == WORKER_CANCELLED)
        return fail_as(err, ERROR_SYSTEM, NOWHERE, "cancelled; nothing was written");
    if (answer.err.kind != ERROR_NONE) {
        *err = answer.err;
        return false;
    }
    return end.end == WORKER_DONE ||
           fail_as(err, ERROR_SYSTEM, NOWHERE, "measuring the roofs of %s %s", info->id,
                   end.end == WORKER_TIMED_OUT ? "took too long and was stopped" : "crashed");
}
