// import: detect -> read -> kernels -> results, diagnosed where chip, time and counters suffice.
// SPDX-License-Identifier: Apache-2.0
#include "import/internal.h"

#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// More samples than this of one kernel are counted, not kept.
enum { SAMPLES_MAX = 65536 };
static const size_t file_bytes_max = (size_t)1 << 30;

struct format {
    const char *name, *what;
    bool (*detect)(const struct source *s);
    bool (*read)(struct builder *b, const struct source *s, struct error *err);
};
static const struct format formats[] = {
#define FORMAT(id, name, what) {name, what, id##_detect, id##_read},
#include "import/formats.def"
#undef FORMAT
};
static const char *const format_names[] = {
#define FORMAT(id, name, what) name,
#include "import/formats.def"
#undef FORMAT
};

const char *const *import_formats(size_t *count)
{
    *count = COUNT_OF(format_names);
    return format_names;
}

/* ---- kernels ---------------------------------------------------------------------------------------- */

const char *text_valid(struct arena *a, const char *s)
{
    char *copy = arena_strdup(a, s);
    json_t *j = json_string(copy);
    for (char *c = copy; !j && *c; c++)
        if ((unsigned char)*c >= 0x80)
            *c = '?';
    json_decref(j);
    return copy;
}

struct kernel *kernel_get(struct builder *b, const char *name, const char *shape, const char *group)
{
    const char *valid = text_valid(b->arena, *name ? name : "(no name)");
    const char *key = arena_printf(b->arena, "%s\x1f%s\x1f%s", valid, shape, group);
    struct kernel *k = table_get(&b->by_key, key);
    if (k)
        return k;
    k = ARENA_NEW(b->arena, struct kernel);
    k->name = valid;
    k->shape = text_valid(b->arena, shape);
    k->group = arena_strdup(b->arena, group);
    k->mean_ns = k->median_ns = k->min_ns = k->max_ns = k->stddev_ns = (double)NAN;
    table_set(&b->by_key, key, k);
    VEC_PUSH(b->kernels, b->count, b->capacity, k);
    return k;
}

void kernel_time(struct kernel *k, double ns)
{
    k->launches++;
    if (k->sample_count < SAMPLES_MAX)
        VEC_PUSH(k->samples_ns, k->sample_count, k->sample_capacity, ns);
}

void kernel_metric(struct builder *b, struct kernel *k, const char *name, double value)
{
    struct metric *m = table_get(&k->metrics, name);
    if (!m) {
        m = ARENA_NEW(b->arena, struct metric);
        table_set(&k->metrics, name, m);
    }
    m->sum += value;
    m->count++;
}

void kernel_shape(struct kernel *k, double grid_blocks, double block_threads)
{
    if (grid_blocks > 0)
        counters_set(&k->counters, COUNTER_GRID_BLOCKS, grid_blocks, PROVENANCE_MEASURED);
    if (block_threads > 0)
        counters_set(&k->counters, COUNTER_BLOCK_THREADS, block_threads, PROVENANCE_MEASURED);
}

bool seen_first(struct builder *b, const char *key)
{
    if (table_has(&b->seen, key))
        return false;
    table_set(&b->seen, key, b);
    return true;
}

/* ---- results ---------------------------------------------------------------------------------------- */

static bool metric_value(const void *context, const char *name, double *value)
{
    const struct kernel *k = context;
    const struct metric *m = table_get(&k->metrics, name);
    if (m)
        *value = m->sum / (double)m->count;
    return m != NULL;
}

// No launch takes longer, nor a negative time: the clock or the file is broken.
static const double time_max_ns = 1e18;

static bool time_possible(double ns, struct error *err)
{
    return isnan(ns) || (ns >= 0 && ns <= time_max_ns) ||
           fail(err, NOWHERE, "a launch took %g ns, which cannot be: export the file again", ns);
}

// A launch below the clock's resolution has no time that could be compared.
static bool times_check(struct kernel *k, struct error *err)
{
    const double sums[] = {k->mean_ns, k->median_ns, k->min_ns, k->max_ns, k->stddev_ns};
    size_t kept = 0;
    for (size_t i = 0; i < COUNT_OF(sums); i++)
        if (!time_possible(sums[i], err))
            return false;
    for (size_t i = 0; i < k->sample_count; i++) {
        if (!time_possible(k->samples_ns[i], err))
            return false;
        if (k->samples_ns[i] > 0)
            k->samples_ns[kept++] = k->samples_ns[i];
    }
    k->zero_count = k->sample_count - kept;
    k->sample_count = kept;
    return true;
}

static double known(double value, double otherwise)
{
    return isnan(value) ? otherwise : value;
}

// Of a tool's own sums: one figure, and its minimum and maximum as the interval.
static void time_summed(struct arena *a, const struct kernel *k, struct time_result *t)
{
    double typical = known(k->median_ns, k->mean_ns);
    if (!(typical > 0)) // only spreads were in the file, or 0
        return;
    t->provenance = PROVENANCE_MEASURED;
    t->samples_ns = ARENA_NEW(a, double);
    t->samples_ns[0] = typical;
    t->summary = stats_summary(&typical, 1);
    t->summary.low = t->summary.min = known(k->min_ns, typical);
    t->summary.high = t->summary.max = known(k->max_ns, typical);
    t->summary.mean = known(k->mean_ns, typical);
    t->summary.stddev = known(k->stddev_ns, 0);
}

static bool time_fill(struct arena *a, struct kernel *k, struct time_result *t, struct error *err)
{
    double ns;
    if (k->sample_count == 0 && !k->summed &&
        metrics_time_ns(METRIC_TOOL_NCU, metric_value, k, &ns))
        kernel_time(k, ns);
    if (!times_check(k, err))
        return false;
    if (k->sample_count > 0) {
        t->provenance = PROVENANCE_MEASURED;
        t->samples_ns = ARENA_ARRAY(a, double, k->sample_count);
        memcpy(t->samples_ns, k->samples_ns, k->sample_count * sizeof *t->samples_ns);
        t->summary = stats_summary(t->samples_ns, k->sample_count);
    } else if (k->summed) {
        time_summed(a, k, t);
    }
    return true;
}

static const char *note_of(struct arena *a, const struct kernel *k)
{
    if (k->note)
        return k->note;
    if (k->summed)
        return arena_printf(a,
                            "%zu launch%s as the tool summed them up: the interval is from the "
                            "fastest to the slowest",
                            k->launches, k->launches == 1 ? "" : "es");
    if (k->zero_count > 0)
        return arena_printf(a, "%zu of %zu launches took 0 ns by the tool's clock: left out",
                            k->zero_count, k->launches);
    if (k->launches > k->sample_count)
        return arena_printf(a, "the first %zu of %zu launches", k->sample_count, k->launches);
    return NULL;
}

// Without instructions and traffic of device memory every kernel would look latency-bound.
static bool can_diagnose(const struct result *r, const struct gpu *gpu)
{
    return gpu && r->time.provenance != PROVENANCE_ABSENT && r->time.summary.median > 0 &&
           counters_has(&r->counters, COUNTER_DRAM_READ_BYTES) &&
           counters_has(&r->counters, COUNTER_WARP_INSTRUCTIONS);
}

// Occupancy and waves calculated from the launch's shape where the tool does not report them: AMD's do not.
static void occupancy_fill(const struct gpu *gpu, const struct kernel *k, struct counters *c)
{
    struct occupancy at;
    double threads = counters_get(c, COUNTER_BLOCK_THREADS, 0), accumulators = 0, scalars = 0;
    double registers = counters_get(c, COUNTER_REGISTERS_PER_THREAD, 0);
    double blocks = counters_get(c, COUNTER_GRID_BLOCKS, (double)NAN);
    if (!gpu || counters_has(c, COUNTER_OCCUPANCY_THEORETICAL_PCT) || !(registers > 0) ||
        !(threads > 0) || threads > GPU(gpu, max_threads_per_block))
        return;
    (void)metric_value(k, "Accum_VGPR_Count", &accumulators);
    (void)metric_value(k, "SGPR_Count", &scalars);
    // rocprof counts those that are allocated, with the trap handler's.
    scalars = fmin(scalars, GPU(gpu, max_scalar_registers));
    double shared_bytes = counters_get(c, COUNTER_SHARED_BYTES_PER_BLOCK, 0);
    if (accumulators < 0 || scalars < 0 || shared_bytes < 0)
        return;
    const struct block_needs needs = {.threads = (int)threads,
                                      .registers = (int)fmin(registers, 1 << 16),
                                      .shared_bytes = (uint64_t)fmin(shared_bytes, 1e12),
                                      .accumulators = (int)fmin(accumulators, 1 << 16),
                                      .scalars = isnan(scalars) ? 0 : (int)scalars};
    if (!gpu_occupancy(gpu, &needs, &at))
        return;
    counters_set(c, COUNTER_OCCUPANCY_THEORETICAL_PCT, at.pct, PROVENANCE_MODELLED);
    if (!isnan(blocks) && !counters_has(c, COUNTER_WAVES))
        counters_set(c, COUNTER_WAVES, blocks / (at.blocks_per_sm * GPU(gpu, sm_count)),
                     PROVENANCE_MODELLED);
}

static bool result_fill(struct arena *a, const struct gpu *gpu, struct kernel *k, struct result *r,
                        struct error *err)
{
    *r = (struct result){.variant = k->name,
                         .case_label = k->group,
                         .status = k->status,
                         .error = k->error,
                         .counters = k->counters,
                         .worst_relative_error = (double)NAN,
                         .worst_absolute_error = (double)NAN};
    if (!time_fill(a, k, &r->time, err))
        return false;
    r->title = note_of(a, k);
    counters_from_metrics(METRIC_TOOL_NCU, metric_value, k, &r->counters);
    counters_from_metrics(METRIC_TOOL_ROCPROF, metric_value, k, &r->counters);
    occupancy_fill(gpu, k, &r->counters);
    if (!can_diagnose(r, gpu))
        return true;
    struct diagnosis_input in = {
        .gpu = gpu,
        .counters = &r->counters,
        .time_ns = {r->time.summary.median, PROVENANCE_MEASURED},
        .work_bytes = (double)NAN,
        .work_flops_f16 = (double)NAN,
        .work_flops_f32 = (double)NAN,
        .work_flops_f64 = (double)NAN,
        .work_flops_tensor = (double)NAN,
        .launches = 1,
        .grid_blocks = (uint64_t)fmin(counters_get(&r->counters, COUNTER_GRID_BLOCKS, 0), 1e18),
        .block_threads = (int)fmin(counters_get(&r->counters, COUNTER_BLOCK_THREADS, 0), 1 << 20),
    };
    r->diagnosed = diagnose(a, &in, &r->diagnosis, err) && r->diagnosis.limiter;
    return err->kind == ERROR_NONE;
}

// A kernel launched in several shapes is a case for each.
static void cases_name(struct builder *b)
{
    for (size_t i = 0; i < b->count; i++)
        for (size_t j = 0; j < b->count; j++)
            if (i != j && !*b->kernels[i]->group && *b->kernels[i]->shape &&
                strcmp(b->kernels[i]->name, b->kernels[j]->name) == 0 &&
                strcmp(b->kernels[i]->shape, b->kernels[j]->shape) != 0) {
                b->kernels[i]->group = b->kernels[i]->shape;
                break;
            }
}

static bool results_fill(struct builder *b, const char *file, const struct gpu *gpu,
                         struct run *out, struct error *err)
{
    cases_name(b);
    out->results = ARENA_ARRAY(b->arena, struct result, b->count + 1);
    for (size_t i = 0; i < b->count; i++)
        if (!result_fill(b->arena, gpu, b->kernels[i], &out->results[out->result_count++], err))
            return error_context(err, "in kernel '%s' of %s", b->kernels[i]->name, file);
    return true;
}

static void header_fill(struct builder *b, const struct import_request *request, const char *file,
                        const struct gpu *gpu, struct run_header *h)
{
    char started[32];
    time_utc_iso(started);
    const char *name = path_name(file), *dot = strrchr(name, '.');
    *h = (struct run_header){
        .ridge_version = RIDGE_VERSION,
        .started = arena_strdup(b->arena, started),
        .experiment = request->name ? text_valid(b->arena, request->name)
                                    : text_valid(b->arena, arena_strndup(b->arena, name,
                                                                         dot && dot > name
                                                                             ? (size_t)(dot - name)
                                                                             : strlen(name))),
        .title = arena_printf(b->arena, "imported from %s (%s)",
                              text_valid(b->arena, path_name(file)), b->format),
        .device_id = b->device_id ? b->device_id : "unknown",
        .device_name = b->device_name ? text_valid(b->arena, b->device_name)
                       : gpu          ? gpu->name
                                      : "a device the file does not name",
        .device_cc = b->cc > 0 ? b->cc
                     : gpu     ? gpu->cc_major + gpu->cc_minor / 10.0
                               : 0,
        .environment = json_object(),
    };
    json_object_set_new(h->environment, "imported",
                        json_pack("{s:s, s:s, s:s?}", "file", text_valid(b->arena, file), "format",
                                  b->format, "chip", gpu ? gpu->id : NULL));
    if (b->context)
        json_object_set(h->environment, "context", b->context);
}

static bool run_fill(struct builder *b, const struct import_request *request, const char *file,
                     struct run *out, struct error *err)
{
    struct gpu *chip = NULL;
    const struct gpu *gpu = NULL;
    *out = (struct run){0};
    if (b->count == 0)
        return fail(err, (struct location){.file = file},
                    "no kernel is in this %s file: profile a program that launches one", b->format);
    if (request->chip && !gpu_load(b->arena, request->chip, &chip, err))
        return false;
    if (!request->chip && b->device_name && !gpu_find_by_name(b->arena, b->device_name, &chip, err))
        return false;
    if (chip)
        gpu = roofs_known(b->arena, chip, b->device_name);
    if (!results_fill(b, file, gpu, out, err))
        return false;
    header_fill(b, request, file, gpu, &out->header);
    return true;
}

/* ---- files ------------------------------------------------------------------------------------------ */

static const char *formats_text(struct arena *a)
{
    const char *out = format_names[0];
    for (size_t i = 1; i < COUNT_OF(format_names); i++)
        out = arena_printf(a, "%s, %s", out, format_names[i]);
    return out;
}

static const struct format *format_of(struct arena *a, const char *named, const struct source *s,
                                      struct error *err)
{
    for (size_t i = 0; i < COUNT_OF(formats); i++)
        if (named ? strcmp(named, formats[i].name) == 0 : formats[i].detect(s))
            return &formats[i];
    if (named) {
        const char *near = str_nearest(named, format_names, COUNT_OF(format_names));
        fail(err, NOWHERE, "there is no format '%s'%s: it is one of %s", named,
             near ? arena_printf(a, " (did you mean '%s'?)", near) : "", formats_text(a));
    } else if (import_timeline_detect(s->data, s->size_bytes)) {
        fail(err, (struct location){.file = s->file},
             "this is a trace, which is read as a timeline: `ridge capture --list --from %s`",
             s->file);
    } else {
        fail(
            err, (struct location){.file = s->file},
            "this is no file of a profiler that ridge knows: it reads %s; where it is one of them, "
            "say which with --format",
            formats_text(a));
    }
    return NULL;
}

static bool source_read(struct builder *b, const struct import_request *request,
                        const struct source *s, struct error *err)
{
    const struct format *f = format_of(b->arena, request->format, s, err);
    if (!f)
        return false;
    b->format = f->name;
    return f->read(b, s, err);
}

static void builder_release(struct builder *b)
{
    for (size_t i = 0; i < b->count; i++) {
        table_release(&b->kernels[i]->metrics);
        free(b->kernels[i]->samples_ns);
    }
    free(b->kernels);
    table_release(&b->by_key);
    table_release(&b->seen);
    json_decref(b->context);
}

bool import_bytes(struct arena *a, const struct import_request *request, const char *file,
                  const char *data, size_t size_bytes, struct run *out, struct error *err)
{
    struct builder b = {.arena = a};
    struct source s = {.file = file, .data = data, .size_bytes = size_bytes};
    bool done = source_read(&b, request, &s, err) && run_fill(&b, request, file, out, err);
    builder_release(&b);
    return done;
}

// For glob(): names of folders mean themselves.
static const char *escaped(struct arena *a, const char *path)
{
    struct text t = {0};
    for (; *path; path++) {
        if (strchr("*?[\\", *path))
            text_add(&t, "\\");
        text_addn(&t, path, 1);
    }
    const char *out = arena_strdup(a, text_str(&t));
    text_release(&t);
    return out;
}

static const char *without_slash(struct arena *a, const char *path)
{
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/')
        n--;
    return arena_strndup(a, path, n);
}

static bool is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static bool file_import(struct builder *b, const struct import_request *request, const char *path,
                        struct error *err)
{
    struct source s = {.file = path, .path = path};
    char *data = NULL;
    if (!file_read(path, file_bytes_max, &data, &s.size_bytes, err))
        return false;
    s.data = data;
    bool done = source_read(b, request, &s, err);
    free(data);
    return done;
}

// The files of a workload's folder; what else lies there (rooflines, logs) is not read.
static bool folder_import(struct builder *b, const struct import_request *request,
                          const char *folder, struct error *err)
{
    static const char *const patterns[] = {"pmc_perf.csv", "results_pmc_perf_*.csv", "sysinfo.csv"};
    size_t counters = 0;
    for (size_t i = 0; i < COUNT_OF(patterns); i++) {
        glob_t found = {0};
        bool is_sysinfo = i + 1 == COUNT_OF(patterns), done = true;
        if (i == 1 && counters > 0) // pmc_perf.csv is these, joined
            continue;
        (void)glob(path_join(b->arena, escaped(b->arena, folder), patterns[i]), 0, NULL, &found);
        for (size_t k = 0; done && k < found.gl_pathc; k++)
            done = file_import(b, request, found.gl_pathv[k], err);
        counters += is_sysinfo ? 0 : found.gl_pathc;
        globfree(&found);
        if (!done)
            return false;
    }
    return counters > 0 ||
           fail(err, (struct location){.file = folder},
                "this folder holds no pmc_perf.csv or results_pmc_perf_*.csv, so it is no workload "
                "of rocprof-compute: name another tool's file itself");
}

bool import_files(struct arena *a, const struct import_request *request, const char *const *paths,
                  size_t count, struct run *out, struct error *err)
{
    struct builder b = {.arena = a};
    bool done = true;
    for (size_t i = 0; done && i < count; i++)
        done = is_folder(paths[i]) ? folder_import(&b, request, paths[i], err)
                                   : file_import(&b, request, paths[i], err);
    done = done && run_fill(&b, request, without_slash(a, paths[0]), out, err);
    builder_release(&b);
    return done;
}
