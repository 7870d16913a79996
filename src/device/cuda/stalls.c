// What warps waited for, by the GPU's PC samples: the sequence's kernels run again from machine code that has a line table (the
// driver makes it of the same PTX, with -lineinfo, which changes no instruction), until there are samples enough; each
// sample goes to its instruction's line.
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/cubin.h"
#include "device/cuda/cuda.h"
#include "device/cuda/pcsampling.h"

#include <math.h>
#include <string.h>

enum {
    SAMPLES_WANTED = 20000,
    PASSES_MAX = 16,
    TIME_MAX_MS = 2000,   // of all passes
    SAMPLES_PER_SM = 256, // of a pass, at least: the period is chosen for it
    CLOCK_RATE_KHZ = 13,  // CUdevice_attribute
};
enum { JIT_LINE_INFO = 13, JIT_INPUT_PTX = 1 }; // CUjit_option, CUjitInputType

struct sampled_module {
    const struct device_module *of;
    struct device_module module; // the same code with a line table
    struct cubin_lines lines;
};
struct stall_pass {
    struct cuda_replay replay;
    struct arena *arena;
    struct sampled_module *modules;
    int module_count;
    struct pcsampling *sampling; // NULL: the pass at work is not sampled
    uint64_t began_ns;           // of the kernel at work
    double kernels_ns;           // of all passes
    struct pc_samples samples;
    unsigned period_log2;
};

/* ---- machine code with lines ---------------------------------------------------------------------------- */

static bool link_ptx(struct cuda_device *c, struct arena *a, const struct device_module *m,
                     const char **code, size_t *code_bytes, struct error *err)
{
    int option = JIT_LINE_INFO;
    uintptr_t on = 1;
    void *value = NULL, *linker = NULL, *made = NULL;
    memcpy(&value, &on, sizeof on); // the option's value lies in the pointer itself
    char *ptx = arena_copy(a, m->code, m->code_bytes); // the driver's type; it only reads
    if (!c->cu.cuLinkCreate_v2 || !c->cu.cuLinkAddData_v2 || !c->cu.cuLinkComplete)
        return fail_as(err, ERROR_SYSTEM, NOWHERE,
                       "NVIDIA's driver is too old to compile with lines: update it");
    if (!driver_check(&c->cu, c->cu.cuLinkCreate_v2(1, &option, &value, &linker), err,
                      "cannot compile with lines"))
        return false;
    bool done = driver_check(&c->cu,
                             c->cu.cuLinkAddData_v2(linker, JIT_INPUT_PTX, ptx, m->code_bytes + 1,
                                                    "ridge", 0, NULL, NULL),
                             err, "cannot compile %s with lines", m->source) &&
                driver_check(&c->cu, c->cu.cuLinkComplete(linker, &made, code_bytes), err,
                             "cannot compile %s with lines", m->source);
    *code = done ? arena_copy(a, made, *code_bytes) : NULL;
    if (c->cu.cuLinkDestroy)
        (void)c->cu.cuLinkDestroy(linker);
    return done;
}

static bool module_open(struct cuda_device *c, struct arena *a, const struct device_module *m,
                        struct sampled_module *out, struct error *err)
{
    const char *code = m->code;
    size_t code_bytes = m->code_bytes;
    *out = (struct sampled_module){.of = m, .module = *m};
    if (!code)
        return fail(err, NOWHERE, "%s is neither PTX nor a cubin", m->source);
    if ((m->format == CODE_PTX && !link_ptx(c, a, m, &code, &code_bytes, err)) ||
        !cubin_lines_read(a, code, code_bytes, &out->lines, err) ||
        !driver_check(&c->cu, c->cu.cuModuleLoadDataEx(&out->module.handle, code, 0, NULL, NULL),
                      err, "the driver cannot load %s with lines", m->source))
        return false;
    VEC_PUSH(c->modules.items, c->modules.count, c->modules.capacity, out->module.handle);
    return true;
}

static struct sampled_module *module_find(const struct stall_pass *p, const struct device_module *m)
{
    for (int i = 0; i < p->module_count; i++)
        if (p->modules[i].of == m)
            return &p->modules[i];
    return NULL;
}

// The sequence's launches, of modules with lines.
static bool launches_prepare(struct stall_pass *p, const struct device_sequence *sequence,
                             struct error *err)
{
    struct cuda_device *c = p->replay.device;
    struct device_sequence same = *sequence;
    struct device_launch *launches =
        ARENA_ARRAY(p->arena, struct device_launch, sequence->launch_count + 1);
    struct cuda_launch *prepared = NULL;
    p->modules = ARENA_ARRAY(p->arena, struct sampled_module, sequence->launch_count + 1);
    for (int i = 0; i < sequence->launch_count; i++) {
        const struct device_module *m = sequence->launches[i].module;
        launches[i] = sequence->launches[i];
        if (launches[i].kind != LAUNCH_KERNEL)
            continue;
        if (!module_find(p, m) && !module_open(c, p->arena, m, &p->modules[p->module_count++], err))
            return false;
        launches[i].module = &module_find(p, m)->module;
    }
    same.launches = launches;
    if (!cuda_prepare(c, p->arena, &same, sequence->addresses, &prepared, err))
        return false;
    p->replay.launches = prepared;
    return true;
}

/* ---- passes ---------------------------------------------------------------------------------------------- */

// Without sampling the host's clock times the kernels: what it adds makes the period no shorter than it need be.
static bool pass_begin(void *context, int kernel, struct error *err)
{
    struct stall_pass *p = context;
    (void)kernel;
    p->began_ns = clock_ns();
    return !p->sampling || pcsampling_begin(p->sampling, err);
}

static bool pass_end(void *context, struct error *err)
{
    struct stall_pass *p = context;
    p->kernels_ns += (double)(clock_ns() - p->began_ns);
    return !p->sampling || pcsampling_end(p->sampling, err);
}

static bool period_choose(struct stall_pass *p, struct error *err)
{
    static const double ghz_per_khz = 1e-6;
    const struct cuda_device *c = p->replay.device;
    int clock_khz = 0;
    if (!cuda_replay_pass(&p->replay, err) ||
        !driver_check(&c->cu, c->cu.cuDeviceGetAttribute(&clock_khz, CLOCK_RATE_KHZ, c->device),
                      err, "the GPU's clock is not known"))
        return false;
    double cycles = p->kernels_ns * clock_khz * ghz_per_khz;
    double period = floor(log2(fmax(cycles / SAMPLES_PER_SM, 1)));
    p->period_log2 = (unsigned)fmin(fmax(period, PERIOD_LOG2_MIN), PERIOD_LOG2_MAX);
    return true;
}

static bool passes_sample(struct stall_pass *p, struct error *err)
{
    static const uint64_t ns_per_ms = 1000000;
    uint64_t began_ns = clock_ns();
    for (int i = 0; i < PASSES_MAX && pcsampling_total(p->sampling) < SAMPLES_WANTED &&
                    clock_ns() - began_ns < TIME_MAX_MS * ns_per_ms;
         i++)
        if (!cuda_replay_pass(&p->replay, err))
            return false;
    return true;
}

// Sampling is enabled once for all passes, before the modules with lines are loaded.
static bool session_run(struct stall_pass *p, const struct device_sequence *sequence,
                        enum sampling_mode mode, struct error *err)
{
    struct error ignored = {0};
    struct pcsampling *s = NULL;
    if (!period_choose(p, err) ||
        !pcsampling_open(p->replay.device->context, mode, p->period_log2, &s, err))
        return false;
    bool ready = launches_prepare(p, sequence, err);
    p->sampling = s;
    bool ran = ready && passes_sample(p, err);
    p->sampling = NULL;
    return pcsampling_close(s, p->arena, &p->samples, ran ? err : &ignored) && ran;
}

// The run that is checked comes after it: it must find its inputs, whatever became of the samples.
static bool passes_run(struct stall_pass *p, const struct device_sequence *sequence,
                       enum sampling_mode mode, struct error *err)
{
    struct error ignored = {0};
    if (!cuda_snapshot_all(p->replay.device, err))
        return false;
    bool sampled = session_run(p, sequence, mode, err);
    return cuda_restore_all(p->replay.device, sampled ? err : &ignored) && sampled;
}

/* ---- lines --------------------------------------------------------------------------------------------------- */

static void take_samples(const struct pc_place *p, struct stall_table *out)
{
    for (int i = 0; i < STALL_COUNT; i++)
        out->warp_cycles[i] = (struct figure){(double)p->samples[i], PROVENANCE_MEASURED};
}

static bool is_ours(const struct stall_pass *p, const char *function,
                    const struct cubin_lines **lines)
{
    for (int i = 0; i < p->module_count; i++)
        if (cubin_has_function(&p->modules[i].lines, function)) {
            *lines = &p->modules[i].lines;
            return true;
        }
    return false; // a library's kernel, or one that empties caches
}

static void report_samples(const struct stall_pass *p, enum sampling_mode mode, struct arena *a,
                           struct device_report *report)
{
    const struct cubin_lines *of = NULL;
    struct line *lines = ARENA_ARRAY(a, struct line, p->samples.count + 1);
    struct stall_table none = {0};
    int count = 0;
    take_samples(&(struct pc_place){0}, &none);
    report->stalls = none;
    report->sampling = (struct stall_sampling){.mode = mode,
                                               .dropped = p->samples.dropped,
                                               .period_cycles = ldexp(1, (int)p->period_log2)};
    for (size_t i = 0; i < p->samples.count; i++) {
        const struct pc_place *at = &p->samples.places[i];
        struct line line = {0};
        if (!is_ours(p, at->function, &of))
            continue;
        const struct dwarf_place *place = cubin_place_at(of, at->function, at->offset);
        take_samples(at, &line.stalls);
        stalls_sum(&report->stalls, &line.stalls);
        line.file = place ? arena_strdup(a, place->file) : NULL;
        line.line = place ? place->line : 0;
        if (place)
            lines[count++] = line;
    }
    report->sampling.samples = (uint64_t)stalls_cycles(&report->stalls);
    report->lines = lines;
    report->line_count = lines_merge(lines, count);
}

static const char *nothing_sampled(struct arena *a, const struct pc_samples *all)
{
    uint64_t others = all->unnamed + all->total;
    return others == 0
               ? "stalls were not sampled: no sample fell into these kernels, which are too "
                 "short"
               : arena_printf(a,
                              "stalls were not sampled: all %llu samples fell into code "
                              "that CUPTI does not name or that is none of these kernels'",
                              (unsigned long long)others);
}

static void note_samples(const struct pc_samples *all, struct arena *a,
                         struct device_report *report)
{
    struct stall_sampling *s = &report->sampling;
    if (s->dropped > 0)
        report_note(a, report,
                    arena_printf(a, "the GPU dropped %llu samples of stalls and kept %llu",
                                 (unsigned long long)s->dropped, (unsigned long long)s->samples));
    if (s->samples > 0 && report->line_count > 0)
        return;
    report_note(a, report,
                s->samples > 0 ? "the sampled machine code has no line table: stalls of the whole "
                                 "kernel only"
                               : nothing_sampled(a, all));
    if (s->samples == 0) {
        report->stalls = (struct stall_table){0};
        s->mode = SAMPLING_OFF;
    }
}

bool cuda_sample_stalls(const struct cuda_replay *r, const struct device_sequence *sequence,
                        enum sampling_mode mode, struct arena *a, struct device_report *report,
                        struct error *broken)
{
    struct arena own = {0};
    struct stall_pass p = {.replay = *r, .arena = &own};
    struct error err = {0};
    p.replay.context = &p;
    p.replay.begin = pass_begin;
    p.replay.end = pass_end;
    bool done = passes_run(&p, sequence, mode, &err);
    bool alive = r->device->cu.cuStreamSynchronize(r->device->stream) == CUDA_DONE;
    if (done) {
        report_samples(&p, mode, a, report);
        note_samples(&p.samples, a, report);
    } else if (alive) {
        report_note(a, report, arena_printf(a, "stalls were not sampled: %s", err.message));
    }
    arena_release(&own);
    return alive || fail_as(broken, ERROR_CHECK, NOWHERE, "%s", err.message);
}
