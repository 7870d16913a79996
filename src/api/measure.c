// Regions timed: on a real device by the loop's sampling, the region's function in the place of a
// variant's launches; on a simulated one by running it once while its launches are recorded.
// SPDX-License-Identifier: Apache-2.0
#include "api/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH_MAX = 64 };

struct subject { // one region at work
    const struct ridge_region *given;
    struct device_region region;
};

struct measuring {
    struct ridge *r;
    const struct ridge_measure_options *options;
    void *stream;
    struct subject *subjects;
    struct sampled *sampled;
    struct ridge_result **results;
    int count;
};

/* ---- the program's functions ------------------------------------------------------------------------------ */

static bool call(const struct ridge_region *region, ridge_enqueue function, void *stream,
                 struct error *err)
{
    api_forget();
    int status = function(region->user, stream);
    if (status == 0)
        return true;
    if (!api_failed(err))
        (void)fail_as(err, ERROR_CHECK, NOWHERE, "its function returned %d", status);
    return error_context(err, "in region '%s'", region->name);
}

static bool call_enqueue(void *context, void *stream, struct error *err)
{
    const struct ridge_region *g = ((struct subject *)context)->given;
    return call(g, g->enqueue, stream, err);
}

static bool call_prepare(void *context, void *stream, struct error *err)
{
    const struct ridge_region *g = ((struct subject *)context)->given;
    return !g->prepare || call(g, g->prepare, stream, err);
}

/* ---- a simulated device ------------------------------------------------------------------------------------- */

void recording_begin(struct ridge *r, struct recording *rec, bool cold)
{
    *rec = (struct recording){.cold = cold};
    r->recording = rec;
}

static void add_line(struct ridge *r, const struct line *l)
{
    struct lines *all = &r->recording->lines;
    for (size_t i = 0; i < all->count; i++)
        if (all->items[i].line == l->line && strcmp(all->items[i].file, l->file) == 0) {
            line_sum(&all->items[i], l);
            return;
        }
    VEC_PUSH(all->items, all->count, all->capacity, *l);
    all->items[all->count - 1].file = arena_strdup(&r->arena, l->file);
}

void recording_add(struct ridge *r, const struct resolved_launch *launch,
                   const struct device_report *report)
{
    struct recording *rec = r->recording;
    bool timed = report->time_ns.provenance != PROVENANCE_ABSENT;
    rec->time_ns += timed ? report->time_ns.value : (double)NAN;
    counters_accumulate(&rec->counters, &report->counters, rec->launches == 0);
    for (int i = 0; i < report->line_count; i++)
        add_line(r, &report->lines[i]);
    if (timed && report->time_ns.value > rec->longest.time_ns)
        rec->longest = (struct longest){
            .time_ns = report->time_ns.value,
            .model = report->steps[0].time_model,
            .grid_blocks = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2],
            .block_threads = (int)(launch->block[0] * launch->block[1] * launch->block[2])};
    rec->launches++;
}

static void recording_drop(struct ridge *r)
{
    if (r->recording)
        free(r->recording->lines.items);
    r->recording = NULL;
}

static bool recording_take(struct ridge *r, struct ridge_result *x, struct error *err)
{
    struct recording *rec = r->recording;
    if (rec->launches == 0)
        return fail(err, NOWHERE,
                    "'%s' ran no kernel: on %s only kernels started by ridge_launch are seen",
                    x->name, r->info.id);
    if (isnan(rec->time_ns))
        return fail_as(err, ERROR_SYSTEM, NOWHERE,
                       "a kernel of '%s' has no modelled time on %s: the trace was cut, or the "
                       "chip's file in gpus/ lacks a figure of the model; try sim:h200",
                       x->name, r->info.id);
    if (!result_take_samples(x, PROVENANCE_MODELLED, &rec->time_ns, 1, err))
        return false;
    result_take_counters(x, &rec->counters);
    free(x->lines.items);
    x->lines = rec->lines;
    rec->lines = (struct lines){0};
    x->longest = rec->longest;
    x->launches = rec->launches;
    return true;
}

bool recording_end(struct ridge *r, struct ridge_result *x, struct error *err)
{
    bool done = recording_take(r, x, err);
    recording_drop(r);
    return done;
}

static bool run_once(struct measuring *m, struct subject *s, struct recording *rec, bool cold,
                     struct error *err)
{
    recording_drop(m->r);
    if (!call_prepare(s, m->stream, err))
        return false;
    recording_begin(m->r, rec, cold);
    return call_enqueue(s, m->stream, err);
}

static bool model(struct measuring *m, int index, struct error *err)
{
    struct recording rec;
    struct subject *s = &m->subjects[index];
    bool done = (!m->options->warm || run_once(m, s, &rec, true, err)) &&
                run_once(m, s, &rec, !m->options->warm, err) &&
                recording_end(m->r, m->results[index], err);
    recording_drop(m->r);
    return done;
}

static bool model_all(struct measuring *m, struct error *err)
{
    for (int i = 0; i < m->count; i++)
        if (!model(m, i, err))
            return false;
    return true;
}

/* ---- a real device ------------------------------------------------------------------------------------------- */

static bool fresh_subject(void *context, int subject, struct error *err)
{
    const struct measuring *m = context;
    return call_prepare(&m->subjects[subject], m->stream, err);
}

static bool take_subject(void *context, int subject, const struct device_run_options *options,
                         int count, double *times_ns, struct error *err)
{
    const struct measuring *m = context;
    return m->r->device->ops->clock->measure_region(m->r->device, &m->subjects[subject].region,
                                                    options, count, times_ns, err);
}

static const struct sampling_ops sampling_ops = {.fresh = fresh_subject, .take = take_subject};

// Without counters the times stand; the note says why they are not there.
static void count(struct measuring *m, int index)
{
    struct ridge_result *x = m->results[index];
    struct counters counted = {0};
    struct error why = {0};
    phase_begin("ridge: count");
    if (m->r->device->ops->counting->region(m->r->device, &m->subjects[index].region,
                                            !m->options->warm, &counted, &why))
        result_take_counters(x, &counted);
    else
        x->note = arena_printf(&m->r->arena, "no hardware counters: %s", why.message);
    phase_end();
}

static bool finish(struct measuring *m, struct sampling *s, int index, struct error *err)
{
    struct sampled *t = &m->sampled[index];
    struct ridge_result *x = m->results[index];
    if (!sampling_energy(s, index, err))
        return false;
    x->conditions = sampling_conclude(t);
    if (!result_take_samples(x, PROVENANCE_MEASURED, t->good.items, t->good.count, err))
        return false;
    if (m->options->count)
        count(m, index);
    return true;
}

static bool sample_all(struct measuring *m, struct error *err)
{
    const struct ridge_measure_options *o = m->options;
    struct sampling s = {
        .ops = &sampling_ops,
        .context = m,
        .device = m->r->device,
        .subjects = m->sampled,
        .count = m->count,
        .cold = !o->warm,
        .seed = o->seed ? o->seed : random_seed(),
        .samples_max = o->samples_max > 0 ? o->samples_max : SAMPLES_MAX_DEFAULT,
        .limit_s = o->time_limit_s,
        .timeout_s = o->timeout_s,
    };
    for (int i = 0; i < m->count; i++)
        m->sampled[i] = (struct sampled){
            .name = m->subjects[i].given->name,
            .batch_max_cold = 1, // the program's buffers are the only set
            .batch_max = BATCH_MAX,
            .queue_max = BATCH_MAX,
        };
    bool done = sampling_run(&s, err);
    for (int i = 0; done && i < m->count; i++)
        done = finish(m, &s, i, err);
    for (int i = 0; i < m->count; i++)
        sampled_release(&m->sampled[i]);
    return done;
}

/* ---- the whole --------------------------------------------------------------------------------------------- */

static bool check_work(const struct ridge_region *g, struct error *err)
{
    const double work[] = {g->work.bytes, g->work.flops_f16, g->work.flops_f32, g->work.flops_f64,
                           g->work.flops_tensor};
    for (size_t i = 0; i < COUNT_OF(work); i++)
        if (!isfinite(work[i]) || work[i] < 0)
            return fail(err, NOWHERE,
                        "ridge_measure: the work of region '%s' is %g: give a count, or 0 where it "
                        "is not known",
                        g->name, work[i]);
    return true;
}

static bool check_request(const struct ridge *r, const struct ridge_region *regions, int count,
                          struct ridge_result **results, struct error *err)
{
    if (!api_need(r, "ridge_measure", "the device", err) ||
        !api_need(regions, "ridge_measure", "regions", err) ||
        !api_need(results, "ridge_measure", "results", err))
        return false;
    enum { REGIONS_MAX = 65536 };
    if (count <= 0 || count > REGIONS_MAX)
        return fail(err, NOWHERE, "ridge_measure: %d regions: there must be 1 to %d", count,
                    REGIONS_MAX);
    for (int i = 0; i < count; i++)
        if (!regions[i].name || !*regions[i].name || !regions[i].enqueue)
            return fail(err, NOWHERE, "ridge_measure: region %d has no %s", i + 1,
                        regions[i].enqueue ? "name" : "enqueue function");
        else if (!check_work(&regions[i], err))
            return false;
    if (r->open || r->recording || r->measuring)
        return fail(err, NOWHERE, "ridge_measure: inside a region, which cannot be");
    return true;
}

static bool measure(struct ridge *r, const struct ridge_region *regions, int count, void *stream,
                    const struct ridge_measure_options *options, struct ridge_result **results,
                    struct error *err)
{
    struct arena a = {0};
    struct measuring m = {
        .r = r,
        .options = options,
        .stream = stream,
        .subjects = ARENA_ARRAY(&a, struct subject, count),
        .sampled = ARENA_ARRAY(&a, struct sampled, count),
        .results = results,
        .count = count,
    };
    for (int i = 0; i < count; i++) {
        m.subjects[i] = (struct subject){
            .given = &regions[i],
            .region = {regions[i].name, call_enqueue, regions[i].prepare ? call_prepare : NULL,
                       &m.subjects[i], stream, 0},
        };
        results[i] =
            ledger_result(&r->ledger, r, range_path(), regions[i].name, options->case_label);
        results[i]->work = regions[i].work;
        results[i]->cache_state = options->warm ? "warm" : "cold";
    }
    r->measuring = true;
    bool done = r->device->ops->clock ? sample_all(&m, err) : model_all(&m, err);
    r->measuring = false;
    arena_release(&a);
    return done;
}

int ridge_measure(struct ridge *r, const struct ridge_region *regions, int region_count,
                  void *stream, const struct ridge_measure_options *options,
                  struct ridge_result **results)
{
    static const struct ridge_measure_options defaults = {0};
    struct error err = {0};
    bool done =
        check_request(r, regions, region_count, results, &err) &&
        measure(r, regions, region_count, stream, options ? options : &defaults, results, &err);
    return api_end(done, &err);
}

/* ---- in the program's own course ------------------------------------------------------------------------------ */

static bool begin(struct ridge_result *x, void *stream, struct error *err)
{
    struct ridge *r = x->owner;
    if (r->open || r->recording)
        return fail(err, NOWHERE, "ridge_begin: '%s' is not ended: regions do not nest",
                    r->open ? r->open->name : "a measured region");
    if (r->device->ops->clock && !r->device->ops->clock->mark(r->device, stream, err))
        return false;
    phase_begin(x->name);
    if (!r->device->ops->clock)
        recording_begin(r, &r->at_work, false);
    r->open = x;
    return true;
}

int ridge_begin(struct ridge_result *x, void *stream)
{
    struct error err = {0};
    bool done = api_need(x, "ridge_begin", "the result", &err) && begin(x, stream, &err);
    return api_end(done, &err);
}

static bool end(struct ridge_result *x, void *stream, struct error *err)
{
    struct ridge *r = x->owner;
    double time_ns = 0;
    if (r->open != x)
        return fail(err, NOWHERE, "ridge_end: '%s' is not begun", x->name);
    r->open = NULL;
    phase_end();
    if (!r->device->ops->clock)
        return recording_end(r, x, err);
    return r->device->ops->clock->elapsed(r->device, stream, &time_ns, err) &&
           result_take_samples(x, PROVENANCE_MEASURED, &time_ns, 1, err);
}

int ridge_end(struct ridge_result *x, void *stream)
{
    struct error err = {0};
    bool done = api_need(x, "ridge_end", "the result", &err) && end(x, stream, &err);
    return api_end(done, &err);
}

/* ---- a pass of a region that is watched ------------------------------------------------------------------- */

bool pass_begin(struct ridge_result *mark, void *stream, struct error *err)
{
    return begin(mark, stream, err);
}

bool pass_end(struct ridge *r, void *stream, double *time_ns, enum provenance *provenance,
              struct error *err)
{
    bool clock = r->device->ops->clock != NULL;
    r->open = NULL;
    phase_end();
    *provenance = clock ? PROVENANCE_MEASURED : PROVENANCE_MODELLED;
    if (clock)
        return r->device->ops->clock->elapsed(r->device, stream, time_ns, err);
    *time_ns = r->at_work.time_ns;
    recording_drop(r);
    return true;
}
