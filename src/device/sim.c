// The simulated GPU as a device. Every launch of a sequence runs once, with all its counters; times
// are modelled and added up. What the simulator finds wrong becomes a problem that names the source.
// SPDX-License-Identifier: Apache-2.0
#include "device/internal.h"
#include "device/sim_amd.h"
#include "device/sim_module.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PRINTED_MAX = 4096 };

struct sim_device {
    struct device head; // first: a struct device * is a struct sim_device *
    struct sim *sim;
    struct arena arena; // modules and their PTX
    struct device_module *modules;
};

static const struct device_ops sim_device_ops;

static struct sim_device *own(struct device *d)
{
    return (struct sim_device *)d;
}

static bool sim_device_open(const struct device_info *info, struct device **out, struct error *err)
{
    struct sim_device *d = xcalloc(1, sizeof *d);
    d->head = (struct device){.ops = &sim_device_ops, .info = info};
    if (!sim_open(info->gpu, &d->sim, err)) {
        free(d);
        return false;
    }
    *out = &d->head;
    return true;
}

static void sim_device_close(struct device *d)
{
    for (struct device_module *m = own(d)->modules; m; m = m->next)
        amd_module_unload(m->amd);
    sim_close(own(d)->sim);
    arena_release(&own(d)->arena);
    free(d);
}

static bool sim_device_alloc(struct device *d, uint64_t size_bytes, const char *name,
                             uint64_t *address, struct error *err)
{
    return sim_alloc(own(d)->sim, size_bytes, name, address, err);
}

static bool sim_device_release(struct device *d, uint64_t address, struct error *err)
{
    return sim_free(own(d)->sim, address, err);
}

static bool sim_device_write(struct device *d, uint64_t address, const void *data,
                             uint64_t size_bytes, struct error *err)
{
    return sim_write(own(d)->sim, address, data, size_bytes, err);
}

static bool sim_device_read(struct device *d, uint64_t address, void *data, uint64_t size_bytes,
                            struct error *err)
{
    return sim_read(own(d)->sim, address, data, size_bytes, err);
}

static bool load_amd(struct sim_device *d, const struct code_object *code, struct device_module *m,
                     struct device_module **out, struct error *err)
{
    if (code->format != CODE_HSACO)
        return fail(err, (struct location){.file = code->source},
                    "%s runs AMD's machine code, and this is %s: give the source (.cu)",
                    d->head.info->id, code_format_name(code->format));
    if (!amd_module_load(d->sim, m->source, code->bytes, code->size_bytes, &m->amd, err))
        return false;
    m->next = d->modules;
    d->modules = m;
    sim_amd_list_kernels(&d->arena, amd_module_object(m->amd), &m->kernels, &m->kernel_count);
    *out = m;
    return true;
}

static bool sim_device_load(struct device *d, const struct code_object *code,
                            struct device_module **out, struct error *err)
{
    struct arena *a = &own(d)->arena;
    struct device_module *m = ARENA_NEW(a, struct device_module);
    struct ptx_module *ptx = NULL;
    m->source = arena_strdup(a, code->source);
    if (sim_amd_takes(d->info))
        return load_amd(own(d), code, m, out, err);
    if (code->format != CODE_PTX)
        return fail(err, (struct location){.file = code->source},
                    "the simulated GPU runs PTX, and this is a %s: give the source (.cu) or PTX",
                    code_format_name(code->format));
    if (!ptx_parse(a, code_name(a, code), code->bytes, code->size_bytes, &ptx, err) ||
        !sim_module_load(own(d)->sim, ptx, &m->code, err))
        return false;
    code_copy_kernels(a, code, &m->kernels, &m->kernel_count);
    m->ptx = ptx;
    *out = m;
    return true;
}

/* ---- one launch ------------------------------------------------------------------------------------ */

// One run of a sequence.
struct work {
    struct sim_device *device;
    const struct device_sequence *sequence;
    const struct device_run_options *options;
    struct arena *arena;
    struct device_report *report;
    struct text printed;
    int launch; // the one that runs
    struct {
        struct line *items;
        size_t count, capacity;
    } lines;
    struct {
        struct problem *items;
        size_t count, capacity;
    } problems;
};

static void on_progress(void *context, uint64_t done, uint64_t total)
{
    const struct work *w = context;
    double share = total > 0 ? (double)done / (double)total : 1;
    if (w->options->progress)
        w->options->progress(w->options->progress_context,
                             (w->launch + share) / w->sequence->launch_count);
}

static int on_printf(void *context, const char *data, size_t size_bytes)
{
    struct work *w = context;
    size_t room = PRINTED_MAX - w->printed.length;
    text_addn(&w->printed, data, size_bytes < room ? size_bytes : room);
    return (int)size_bytes;
}

static const char *problem_kind(enum sim_violation_kind kind)
{
    switch (kind) {
    case SIM_OUT_OF_BOUNDS:
        return "out-of-bounds";
    case SIM_MISALIGNED:
        return "misaligned";
    case SIM_UNINITIALISED:
        return "uninitialised-read";
    case SIM_RACE:
        return "race";
    case SIM_BARRIER_DIVERGENCE:
        return "barrier-divergence";
    case SIM_BARRIER_EXITED:
        return "barrier-after-exit";
    case SIM_SHUFFLE_MASK:
        return "shuffle-mask";
    case SIM_TRAP:
        return "trap";
    case SIM_ASSERT:
        return "assert";
    case SIM_UNSUPPORTED:
        return "unsupported-instruction";
    case SIM_BUDGET:
        return "budget";
    case SIM_DEADLOCK:
        return "deadlock";
    }
    return "unknown";
}

static const char *violation_message(struct arena *a, const struct sim_violation *v,
                                     const char *kernel)
{
    struct text t = {0};
    if (v->file)
        text_printf(&t, "%s:%d: ", v->file, v->line);
    text_printf(&t, "kernel '%s': %s (block (%u,%u,%u), thread (%u,%u,%u)", kernel, v->what,
                v->block[0], v->block[1], v->block[2], v->thread[0], v->thread[1], v->thread[2]);
    if (v->has_other) {
        text_printf(&t, ", the other: block (%u,%u,%u), thread (%u,%u,%u)", v->other_block[0],
                    v->other_block[1], v->other_block[2], v->other_thread[0], v->other_thread[1],
                    v->other_thread[2]);
        if (v->other_line > 0)
            text_printf(&t, ", line %d", v->other_line);
    }
    if (v->address != 0)
        text_printf(&t, ", address 0x%" PRIx64, v->address);
    text_add(&t, ")");
    if (v->count > 1)
        text_printf(&t, "; %" PRIu64 " times at this place", v->count);
    const char *message = shorten_paths(a, arena_strdup(a, text_str(&t)));
    text_release(&t);
    return message;
}

// Adds the launch's violations. Returns the message of the one that stopped it, or NULL.
static const char *take_violations(struct work *w, const struct sim_report *r, const char *kernel)
{
    const char *stopped_by = NULL;
    for (int i = 0; i < r->violation_count; i++) {
        const struct sim_violation *v = &r->violations[i];
        struct problem p = {.kind = problem_kind(v->kind),
                            .message = violation_message(w->arena, v, kernel),
                            .stops = violation_stops(v->kind),
                            .note = v->kind == SIM_BARRIER_EXITED};
        VEC_PUSH(w->problems.items, w->problems.count, w->problems.capacity, p);
        if (p.stops && !stopped_by)
            stopped_by = p.message;
    }
    return stopped_by;
}

static void take_report(struct work *w, const struct sim_report *r, struct device_step *step)
{
    if (step->untimed)
        return;
    step->counters = r->counters;
    step->time_model = r->time;
    step->stalls = r->stalls;
    step->facts = r->facts;
    step->fidelity = r->fidelity;
    step->counterfactuals = r->counterfactuals;
    if (r->time.valid)
        step->time_ns = (struct figure){r->time.time_ns, PROVENANCE_MODELLED};
    if (r->time_of_pieces)
        report_note(w->arena, w->report,
                    arena_printf(w->arena,
                                 "blocks of '%s' are too long to trace: its time is modelled from "
                                 "%.2g %% of an SM's instructions, scaled to all of them",
                                 step->kernel, 100 * r->time.traced_share));
    if (r->groups_wait)
        report_note(
            w->arena, w->report,
            arena_printf(w->arena,
                         "no time is modelled of '%s': its work-groups wait for each other, "
                         "and how often they look is up to the simulator",
                         step->kernel));
    const struct device_info *info = w->device->head.info;
    if (r->time_missing)
        report_note(
            w->arena, w->report,
            arena_printf(w->arena,
                         "no time is modelled: the file of %s has no figure '%s'; run on sim:h200, "
                         "or add the figure with its source to the chip's file (docs/h200-rates.md "
                         "says how it is measured)",
                         info->id, r->time_missing));
    for (int i = 0; i < r->line_count; i++)
        VEC_PUSH(w->lines.items, w->lines.count, w->lines.capacity, r->lines[i]);
}

/* ---- launches ---------------------------------------------------------------------------------------- */

static void sample_prepare(const struct work *w, struct sim_launch *s, struct device_step *step)
{
    const struct device_run_options *o = w->options;
    s->sample_share = o->sample_share;
    s->sample_judged = o->sample_judged;
    if (!o->sample_judged)
        return;
    double blocks = (double)s->grid[0] * s->grid[1] * s->grid[2];
    step->sample =
        (struct block_sample){.asked = o->sample_share,
                              .blocks_run = blocks,
                              .blocks = blocks,
                              .whole = sim_sample_not(w->sequence, w->launch, o, w->arena)};
    if (step->sample.whole != SAMPLE_WHOLE_NOT)
        s->sample_share = 0;
}

// 0 = unknown: the simulator then estimates.
static int registers_of(const struct device_launch *launch, const struct code_kernel *k)
{
    if (launch->registers_per_thread > 0)
        return launch->registers_per_thread;
    return k->registers != CODE_UNKNOWN ? k->registers : 0;
}

static const struct sim_line_code *line_codes(struct arena *a, const struct code_kernel *k)
{
    struct sim_line_code *codes = ARENA_ARRAY(a, struct sim_line_code, k->line_count + 1);
    for (int i = 0; i < k->line_count; i++)
        codes[i] = (struct sim_line_code){k->lines[i].line, k->lines[i].loop,
                                          k->lines[i].instructions, k->lines[i].moved};
    return codes;
}

static bool set_variables(struct work *w, const struct device_launch *launch, struct error *err)
{
    const struct resolved_launch *l = launch->launch;
    for (int i = 0; i < l->set_count; i++) {
        const struct set_spec *s = &l->sets[i];
        uint64_t address = 0, room = 0, size = w->sequence->sizes_bytes[s->buffer];
        const struct device_module *m = launch->module;
        if (m->amd ? !sim_amd_symbol(m->amd, s->variable, &address, &room)
                   : !sim_module_symbol(m->code, s->variable, &address, &room))
            return fail_no_variable(err, s, launch->module->source);
        if (size > room)
            return fail_variable_size(err, s, room, size);
        void *data = arena_alloc(w->arena, size);
        if (!sim_read(w->device->sim, w->sequence->addresses[s->buffer], data, size, err) ||
            !sim_write(w->device->sim, address, data, size, err))
            return false;
    }
    return true;
}

static enum ptx_type ptx_type_of(enum element_type t)
{
    static const enum ptx_type of[ELEMENT_TYPE_COUNT] = {
        [ELEMENT_F16] = PTX_TYPE_F16, [ELEMENT_BF16] = PTX_TYPE_BF16, [ELEMENT_F32] = PTX_TYPE_F32,
        [ELEMENT_F64] = PTX_TYPE_F64, [ELEMENT_I8] = PTX_TYPE_S8,     [ELEMENT_U8] = PTX_TYPE_U8,
        [ELEMENT_I16] = PTX_TYPE_S16, [ELEMENT_U16] = PTX_TYPE_U16,   [ELEMENT_I32] = PTX_TYPE_S32,
        [ELEMENT_U32] = PTX_TYPE_U32, [ELEMENT_I64] = PTX_TYPE_S64,   [ELEMENT_U64] = PTX_TYPE_U64,
        [ELEMENT_E4M3] = PTX_TYPE_U8};
    return of[t];
}

static bool encode_tensor(void *context, const struct resolved_tensor *t, uint64_t address,
                          struct tensor_map_bytes *out, struct error *err)
{
    _Static_assert((int)SIM_TENSOR_RANK_MAX == (int)TENSOR_RANK_MAX, "the same ranks");
    struct sim_tensor_map map = {.magic = SIM_TENSOR_MAP_MAGIC,
                                 .address = address,
                                 .rank = (uint8_t)t->rank,
                                 .swizzle_bytes = (uint8_t)(16 << t->swizzle),
                                 .type = (uint8_t)ptx_type_of(t->type)};
    (void)context, (void)err;
    for (int i = 0; i < t->rank; i++) {
        map.dims[i] = t->dims[i];
        map.strides_bytes[i] = t->strides_bytes[i];
        map.box[i] = (uint16_t)t->box[i];
    }
    memset(out, 0, sizeof *out);
    memcpy(out, &map, sizeof map);
    return true;
}

static bool encode_texture(void *context, const struct resolved_texture *t, uint64_t address,
                           uint64_t *handle, struct error *err)
{
    struct sim_texture texture = {0};
    (void)err;
    texture.address = address;
    texture.width = t->width;
    texture.height = t->height;
    texture.pitch_bytes = t->pitch_bytes;
    texture.element = ptx_type_of(t->type);
    texture.rank = t->rank;
    texture.channels = t->channels;
    for (int i = 0; i < t->rank; i++) // the same names in the same order
        texture.mode[i] = (enum sim_texture_mode)t->address[i];
    texture.surface = t->surface;
    texture.array = t->array;
    texture.linear_filter = t->linear_filter;
    texture.normalized = t->normalized;
    texture.read_normalized = t->read_normalized;
    *handle = sim_texture_open(context, &texture);
    return true;
}

static bool run_kernel(struct work *w, const struct device_launch *launch, struct device_step *step,
                       struct error *err)
{
    const struct resolved_launch *l = launch->launch;
    const struct device_run_options *o = w->options;
    const void *const *args = NULL;
    struct sim_report report = {0};
    step->kernel = arena_strdup(w->arena, l->kernel);
    const struct device_module *m = launch->module;
    const struct object_encoder objects = {encode_tensor, encode_texture, w->device->sim};
    const struct code_kernel *k =
        kernel_find(w->arena, m->kernels, m->kernel_count, m->source, l->kernel, l->at, err);
    if (!k || !kernel_args(w->arena, l, k, w->sequence->addresses, &objects, &args, err) ||
        !set_variables(w, launch, err))
        return false;
    struct sim_launch s = {
        .module = launch->module->code,
        .kernel = k->name,
        .grid = {l->grid[0], l->grid[1], l->grid[2]},
        .block = {l->block[0], l->block[1], l->block[2]},
        .cluster = {l->cluster[0], l->cluster[1], l->cluster[2]},
        .dynamic_shared_bytes = l->shared_bytes,
        .cooperative = l->cooperative,
        .args = args,
        .arg_count = l->arg_count,
        .registers_per_thread = registers_of(launch, k),
        .line_codes = line_codes(w->arena, k),
        .line_code_count = k->line_count,
        .threads = o->threads,
        .checks = o->checks,
        .budget_warp_instructions = o->budget_warp_instructions,
        .reverse_blocks = o->reverse_blocks,
        .no_caches = !o->count,
        .no_timing = !o->count,
        .touched = o->touched_bytes != NULL,
        .facts = o->facts && o->count,
        .counterfactuals = o->counterfactuals && o->count,
        .replay_s = o->replay_s / w->sequence->launch_count,
        .replay_steps = o->replay_steps / (uint64_t)w->sequence->launch_count,
        .change = o->change,
        .progress = on_progress,
        .progress_context = w,
        .printf_sink = on_printf,
        .printf_context = w,
    };
    sample_prepare(w, &s, step);
    bool done = m->amd ? amd_launch(w->device->sim, m->amd, &s, w->arena, &report, err)
                       : sim_launch(w->device->sim, &s, w->arena, &report, err);
    const char *stopped_by = take_violations(w, &report, l->kernel);
    take_report(w, &report, step);
    if (report.sample.asked > 0) {
        step->sample = report.sample;
        step->sample_fails = report.sample_fails;
    }
    if (!done && stopped_by) // ours names the kernel as the user does
        return fail_as(err, ERROR_CHECK, NOWHERE, "%s", stopped_by);
    return done;
}

// A fill by the driver: modelled as its bytes at the write rate, plus a launch. It adds no counters.
static bool run_zero(struct work *w, const struct device_launch *launch, struct device_step *step,
                     struct error *err)
{
    int buffer = launch->launch->zero_buffer;
    const struct gpu *g = w->device->head.info->gpu;
    uint64_t size_bytes = w->sequence->sizes_bytes[buffer];
    step->kernel = "(zero)";
    if (!sim_fill(w->device->sim, w->sequence->addresses[buffer], 0, size_bytes, err))
        return false;
    double gbps = g->value[GPU_FIELD_dram_write_gbps]; // GB/s = bytes/ns
    if (isnan(gbps))
        gbps = GPU(g, dram_gbps);
    if (w->options->count && !step->untimed)
        step->time_ns = (struct figure){GPU(g, grid_launch_ns) + (double)size_bytes / gbps,
                                        PROVENANCE_MODELLED};
    return true;
}

static enum buffer_memory memory_of(const struct work *w, int buffer)
{
    return w->sequence->memory ? w->sequence->memory[buffer] : MEMORY_DEVICE;
}

// GB/s of a copy, or NAN with a note: what crosses the host's link needs its rate, which is that of pinned memory;
// within the device a copy reads and writes.
static double copy_rate(struct work *w, const struct resolved_copy *c)
{
    const struct gpu *g = w->device->head.info->gpu;
    enum buffer_memory from = memory_of(w, c->from), to = memory_of(w, c->to);
    enum buffer_memory host = from != MEMORY_DEVICE ? from : to;
    double rate = GPU(g, host_link_gbps);
    if (host == MEMORY_DEVICE)
        return g->value[GPU_FIELD_dram_copy_gbps] / 2;
    if (host == MEMORY_PAGEABLE || !(rate > 0)) {
        report_note(w->arena, w->report,
                    arena_printf(w->arena,
                                 "copies %s %s memory are not modelled: the file of %s has no "
                                 "rate of them",
                                 from != MEMORY_DEVICE ? "from" : "to", buffer_memory_name(host),
                                 w->device->head.info->id));
        return (double)NAN;
    }
    return rate;
}

static bool run_copy(struct work *w, const struct device_launch *launch, struct device_step *step,
                     struct error *err)
{
    const struct resolved_copy *c = &launch->launch->copy;
    void *data = xcalloc(c->size_bytes, 1);
    step->kernel = "(copy)";
    bool done = sim_read(w->device->sim, w->sequence->addresses[c->from] + c->offset_bytes, data,
                         c->size_bytes, err) &&
                sim_write(w->device->sim, w->sequence->addresses[c->to] + c->offset_bytes, data,
                          c->size_bytes, err);
    free(data);
    double rate = done && w->options->count && !step->untimed ? copy_rate(w, c) : (double)NAN;
    if (!isnan(rate))
        step->time_ns = (struct figure){(double)c->size_bytes / rate, PROVENANCE_MODELLED};
    return done;
}

// What the simulated GPU does not have, said once; a kernel that reaches over the link has no modelled time.
static void note_missing(struct work *w, const struct resolved_launch *l, struct device_step *step)
{
    if (l->persist_bytes > 0)
        report_note(w->arena, w->report,
                    "the simulated L2 keeps no window: 'persist' changes nothing there");
    for (int i = 0; i < l->arg_count; i++)
        if (l->args[i].kind == ARGUMENT_BUFFER &&
            memory_of(w, l->args[i].buffer) == MEMORY_MAPPED) {
            step->time_ns = (struct figure){0};
            report_note(w->arena, w->report,
                        "a kernel's accesses to mapped memory of the host are simulated as if it "
                        "were the device's, and their time is not modelled");
        }
}

/* ---- variables of the program --------------------------------------------------------------------- */

struct variable { // before a run
    const struct device_module *module;
    const struct ptx_variable *of;
    uint64_t address, size_bytes, hash;
};
struct variables {
    struct variable *items;
    size_t count, capacity;
};

static bool hash_variable(struct sim *sim, struct variable *v, uint64_t *hash)
{
    enum { PART_BYTES = 1 << 14 };
    unsigned char part[PART_BYTES];
    struct error ignored = {0};
    *hash = 0;
    for (uint64_t at = 0; at < v->size_bytes; at += PART_BYTES) {
        uint64_t size = v->size_bytes - at < PART_BYTES ? v->size_bytes - at : PART_BYTES;
        if (!sim_read(sim, v->address + at, part, size, &ignored))
            return false;
        *hash = hash64(part, (size_t)size, *hash);
    }
    return true;
}

static bool is_set(const struct device_sequence *s, const char *name)
{
    for (int i = 0; i < s->launch_count; i++)
        for (int k = 0; k < s->launches[i].launch->set_count; k++)
            if (strcmp(s->launches[i].launch->sets[k].variable, name) == 0)
                return true;
    return false;
}

static void list_variables(const struct work *w, struct variables *list)
{
    for (int i = 0; i < w->sequence->launch_count; i++) {
        const struct device_module *m = w->sequence->launches[i].module;
        bool known = m == NULL || w->sequence->launches[i].kind != LAUNCH_KERNEL;
        for (size_t k = 0; k < list->count && !known; k++)
            known = list->items[k].module == m;
        for (int k = 0; !known && m->ptx && k < m->ptx->variable_count; k++) {
            struct variable v = {.module = m, .of = &m->ptx->variables[k]};
            if (v.of->space == PTX_SPACE_GLOBAL && !is_set(w->sequence, v.of->name) &&
                sim_module_symbol(m->code, v.of->name, &v.address, &v.size_bytes) &&
                hash_variable(w->device->sim, &v, &v.hash))
                VEC_PUSH(list->items, list->count, list->capacity, v);
        }
    }
}

static const char *changed_variable(const struct work *w, struct variables *list)
{
    for (size_t i = 0; i < list->count; i++) {
        uint64_t now = 0;
        if (hash_variable(w->device->sim, &list->items[i], &now) && now != list->items[i].hash)
            return list->items[i].of->name;
    }
    return NULL;
}

/* ---- the sequence ------------------------------------------------------------------------------------ */

// Lines of all launches, one a place, in the report's arena.
static void merge_lines(struct work *w)
{
    struct device_report *r = w->report;
    if (w->lines.count == 0)
        return;
    r->line_count = lines_merge(w->lines.items, (int)w->lines.count);
    r->lines = ARENA_ARRAY(w->arena, struct line, r->line_count);
    // PTX that was given is named as messages do, from the working directory; what its own .file
    // directives name lies beside the experiment, as far as is known, and keeps its name.
    char *folder = getcwd(NULL, 0);
    for (int i = 0; i < r->line_count; i++) {
        struct line *line = &r->lines[i];
        *line = w->lines.items[i];
        bool from_here = folder && file_exists(line->file);
        line->file = from_here ? path_join(w->arena, folder, line->file)
                               : arena_strdup(w->arena, line->file);
    }
    free(folder);
}

// What a step keeps busy: the SMs and the memory, or the copy engine of a direction.
enum engine { ENGINE_KERNELS, ENGINE_IN, ENGINE_OUT, ENGINES };

static enum engine engine_of(const struct work *w, const struct resolved_launch *l)
{
    if (l->kind != LAUNCH_COPY)
        return ENGINE_KERNELS;
    return memory_of(w, l->copy.from) != MEMORY_DEVICE ? ENGINE_IN
           : memory_of(w, l->copy.to) != MEMORY_DEVICE ? ENGINE_OUT
                                                       : ENGINE_KERNELS;
}

// Steps on several streams: each begins when its stream, those it waits for and its engine are ready. Kernels
// take turns: how two share the chip is not modelled.
static double streams_end_ns(const struct work *w)
{
    double stream_ns[STREAMS_MAX] = {0}, engine_ns[ENGINES] = {0}, end_ns = 0;
    for (int i = 0; i < w->report->step_count; i++) {
        const struct resolved_launch *l = w->sequence->launches[i].launch;
        enum engine engine = engine_of(w, l);
        double at_ns = fmax(stream_ns[l->stream], engine_ns[engine]);
        for (int s = 0; s < STREAMS_MAX; s++)
            if ((l->after >> s & 1) != 0)
                at_ns = fmax(at_ns, stream_ns[s]);
        stream_ns[l->stream] = engine_ns[engine] = at_ns + w->report->steps[i].time_ns.value;
        end_ns = fmax(end_ns, stream_ns[l->stream]);
    }
    return end_ns;
}

// Of the whole sequence: steps in which an intervention changes nothing take their time.
static struct figure sum_counterfactual(const struct device_report *r, int i)
{
    struct figure sum = {0, PROVENANCE_ABSENT};
    for (int k = 0; k < r->step_count; k++) {
        const struct device_step *s = &r->steps[k];
        const struct counterfactuals *c = &s->counterfactuals;
        const struct figure *then = i < INTERVENTION_COUNT ? &c->time_ns[i] : &c->asked_ns;
        bool has = then->provenance != PROVENANCE_ABSENT;
        if (s->untimed)
            continue;
        sum.value += has ? then->value : s->time_ns.value;
        sum.provenance = has ? then->provenance : sum.provenance;
    }
    return sum;
}

static void sum_counterfactuals(struct device_report *r)
{
    for (int i = 0; i < INTERVENTION_COUNT; i++)
        r->counterfactuals.time_ns[i] = sum_counterfactual(r, i);
    r->counterfactuals.as_is_ns = r->time_ns;
    r->counterfactuals.asked_ns = sum_counterfactual(r, INTERVENTION_COUNT);
    for (int k = 0; k < r->step_count; k++) {
        const struct facts *f = &r->steps[k].facts;
        for (int i = 0; f->known && i < FACT_COUNT; i++)
            r->facts.value[i] += f->value[i];
        r->facts.known |= f->known;
        r->facts.provenance = f->known ? f->provenance : r->facts.provenance;
    }
}

// Sums over the steps: time only when every step has one.
static void sum_steps(struct device_report *r)
{
    bool first = true;
    r->time_ns = (struct figure){0, PROVENANCE_MODELLED};
    for (int i = 0; i < r->step_count; i++) {
        const struct device_step *s = &r->steps[i];
        if (s->untimed)
            continue;
        if (s->time_ns.provenance == PROVENANCE_ABSENT)
            r->time_ns.provenance = PROVENANCE_ABSENT;
        r->time_ns.value += s->time_ns.value;
        if (s->kind == LAUNCH_ZERO || s->kind == LAUNCH_COPY)
            continue;
        counters_accumulate(&r->counters, &s->counters, first);
        fidelity_sum(&r->fidelity, &s->fidelity);
        sample_sum(&r->sample, &s->sample);
        r->sample_fails |= s->sample_fails;
        if (first)
            r->stalls = s->stalls;
        else
            stalls_sum(&r->stalls, &s->stalls);
        first = false;
    }
}

// In a graph a kernel's launch costs less than in a stream: the chip's file says what an empty one takes.
static void model_graph(struct work *w)
{
    const struct gpu *g = w->device->head.info->gpu;
    struct device_report *r = w->report;
    double each = g->value[GPU_FIELD_graph_kernel_ns], in_stream = GPU(g, grid_launch_ns);
    if (isnan(each) && !r->note)
        r->note =
            arena_printf(w->arena,
                         "the launches of a graph are modelled as those of a stream: the file "
                         "of %s has no figure 'graph_kernel_ns'",
                         w->device->head.info->id);
    if (isnan(each) || r->time_ns.provenance == PROVENANCE_ABSENT)
        return;
    // The first one is launched by the host, as in a stream.
    for (int i = 1; i < r->step_count; i++) {
        struct device_step *s = &r->steps[i];
        double saved = fmin(fmax(in_stream - each, 0), s->time_ns.value);
        s->time_ns.value -= saved;
        r->time_ns.value -= saved;
    }
}

static void work_finish(struct work *w)
{
    struct device_report *r = w->report;
    merge_lines(w);
    sum_steps(r);
    sum_counterfactuals(r);
    if (w->sequence->graph && w->options->count)
        model_graph(w);
    if (w->sequence->stream_count > 1 && r->time_ns.provenance != PROVENANCE_ABSENT)
        r->time_ns.value = streams_end_ns(w);
    r->problems = ARENA_ARRAY(w->arena, struct problem, w->problems.count);
    for (size_t i = 0; i < w->problems.count; i++)
        r->problems[r->problem_count++] = w->problems.items[i];
    if (w->printed.length > 0)
        r->printed = arena_strndup(w->arena, w->printed.data, w->printed.length);
    free(w->lines.items);
    free(w->problems.items);
    text_release(&w->printed);
}

static bool sim_device_run(struct device *d, const struct device_sequence *sequence,
                           const struct device_run_options *options, struct arena *a,
                           struct device_report *report, struct error *err)
{
    *report = (struct device_report){.l2_warm = options->cold ? 0 : 1};
    report->steps = ARENA_ARRAY(a, struct device_step, sequence->launch_count);
    struct work w = {
        .device = own(d), .sequence = sequence, .options = options, .arena = a, .report = report};
    if (options->cold)
        sim_flush_caches(w.device->sim);
    bool done = true;
    struct variables variables = {0};
    if (options->count)
        list_variables(&w, &variables);
    for (w.launch = 0; done && w.launch < sequence->launch_count; w.launch++) {
        const struct device_launch *launch = &sequence->launches[w.launch];
        struct device_step *step = &report->steps[report->step_count++];
        step->kind = launch->kind;
        step->untimed = launch->launch->untimed;
        switch (launch->kind) {
        case LAUNCH_KERNEL:
            done = run_kernel(&w, launch, step, err);
            note_missing(&w, launch->launch, step);
            break;
        case LAUNCH_ZERO:
            done = run_zero(&w, launch, step, err);
            break;
        case LAUNCH_COPY:
            done = run_copy(&w, launch, step, err);
            break;
        case LAUNCH_LIBRARY: // the loop skips it: no library brings PTX
            done = fail_as(err, ERROR_SYSTEM, launch->launch->at, "'%s' needs a CUDA device",
                           launch->launch->library->text);
            break;
        }
    }
    for (int i = 0; options->touched_bytes && i < sequence->buffer_count; i++)
        options->touched_bytes[i] = sim_touched(w.device->sim, sequence->addresses[i]);
    report->kept = changed_variable(&w, &variables);
    free(variables.items);
    work_finish(&w);
    return done;
}

static const struct device_memory_ops memory_ops = {
    .alloc = sim_device_alloc,
    .release = sim_device_release,
    .write = sim_device_write,
    .read = sim_device_read,
};
static const struct device_code_ops code_ops = {
    .load = sim_device_load,
    .run = sim_device_run,
};
static const struct device_ops sim_device_ops = {
    .open = sim_device_open,
    .close = sim_device_close,
    .memory = &memory_ops,
    .code = &code_ops,
    .clock = NULL, // a modelled time has nothing to repeat
};

/* ---- which there are -------------------------------------------------------------------------------- */

// Ids of the chips that the simulated GPU can be, sorted; NULL terminated.
static struct device_info device_info_sim(struct arena *a, const char *chip, const struct gpu *g)
{
    return (struct device_info){
        .id = arena_printf(a, "%s:%s", backend_sim.name, chip),
        .name = arena_printf(a, "%s (simulated)", g->name),
        .backend = backend_sim.name,
        .simulated = true,
        .gpu = g,
        .chip = g,
        .facts = device_facts_of(g),
    };
}

static bool sim_list(struct arena *a, struct device_info **out, int *count, struct error *err)
{
    const char *const *chips = NULL;
    size_t n = 0;
    *count = 0;
    if (!gpu_list(a, &chips, err))
        return false;
    while (chips[n])
        n++;
    *out = ARENA_ARRAY(a, struct device_info, n + 1);
    for (; *chips; chips++) {
        struct gpu *g = NULL;
        if (!gpu_load(a, *chips, &g, err))
            return false;
        if (gpu_is_simulated(g) || amd_is_simulated(g->arch))
            (*out)[(*count)++] = device_info_sim(a, *chips, g);
    }
    return true;
}

bool fail_unknown_device(struct arena *a, const char *id, struct error *err)
{
    struct device_info *devices = NULL;
    int device_count = 0;
    if (!sim_list(a, &devices, &device_count, err))
        return false;
    const char **names = ARENA_ARRAY(a, const char *, device_count + 1), *near = NULL;
    struct text list = {0};
    text_add(&list, "auto");
    names[0] = "auto";
    for (int i = 0; i < device_count; i++) {
        names[i + 1] = devices[i].id;
        text_printf(&list, ", %s", devices[i].id);
        if (strcmp(devices[i].id + strlen(backend_sim.name) + 1, id) == 0) // "h200"
            near = devices[i].id;
    }
    if (!near)
        near = str_nearest(id, names, (size_t)device_count + 1);
    fail(err, NOWHERE, "unknown device '%s'%s%s%s; it is one of: %s", id,
         near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "", text_str(&list));
    text_release(&list);
    return false;
}

// A chip with a file; only some of them can be simulated.
static bool find_sim(struct arena *a, const char *chip, struct device_info *out, struct error *err)
{
    struct gpu *g = NULL;
    if (!gpu_load(a, chip, &g, err))
        return false;
    if (!gpu_is_simulated(g) && !amd_is_simulated(g->arch))
        return fail(err, NOWHERE,
                    "the simulated GPU runs PTX and machine code of gfx90a, gfx942 and gfx1100, "
                    "and '%s' has "
                    "none of them: "
                    "`ridge occupancy --device %s` "
                    "and `ridge explain --on %s` know that chip",
                    chip, chip, chip);
    *out = device_info_sim(a, chip, g);
    return true;
}

static bool sim_find(struct arena *a, const char *id, const char *which, struct device_info *out,
                     struct error *err)
{
    const char *const *chips = NULL;
    if (!gpu_list(a, &chips, err))
        return false;
    for (; which && *chips; chips++)
        if (strcmp(*chips, which) == 0)
            return find_sim(a, *chips, out, err);
    return fail_unknown_device(a, id, err);
}

const char fallback_device[] = "sim:h200";

const struct device_backend backend_sim = {.name = "sim",
                                           .fallback = fallback_device,
                                           .ops = &sim_device_ops,
                                           .list = sim_list,
                                           .find = sim_find,
                                           .compile = sim_amd_compile,
                                           .compiles = sim_amd_takes};
