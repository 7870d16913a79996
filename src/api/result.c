// Results: samples and counters under a name; compared as the loop compares; recorded as the loop
// records, one run of the journal for an opened device.
// SPDX-License-Identifier: Apache-2.0
#include "api/result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- by name --------------------------------------------------------------------------------------------- */

struct ridge_result *ledger_result(struct ledger *l, struct ridge *owner, const char *path,
                                   const char *name, const char *case_label)
{
    const char *label = case_label ? case_label : "";
    const char *full = arena_printf(l->arena, "%s%s%s", path, *path ? "/" : "", name);
    for (size_t i = 0; i < l->results.count; i++)
        if (strcmp(l->results.items[i]->name, full) == 0 &&
            strcmp(l->results.items[i]->case_label, label) == 0)
            return l->results.items[i];
    struct ridge_result *x = ARENA_NEW(l->arena, struct ridge_result);
    *x = (struct ridge_result){
        .owner = owner, .ledger = l, .name = full, .case_label = arena_strdup(l->arena, label)};
    VEC_PUSH(l->results.items, l->results.count, l->results.capacity, x);
    return x;
}

static void results_release(struct ledger *l)
{
    for (size_t i = 0; i < l->results.count; i++) {
        free(l->results.items[i]->samples.items);
        free(l->results.items[i]->lines.items);
    }
    free(l->results.items);
}

/* ---- samples and counters ----------------------------------------------------------------------------------- */

bool result_take_samples(struct ridge_result *x, enum provenance p, const double *times_ns,
                         size_t count, struct error *err)
{
    if (x->recorded)
        return fail(err, NOWHERE, "'%s' has been recorded: samples come before ridge_record",
                    x->name);
    if (x->provenance != PROVENANCE_ABSENT && x->provenance != p)
        return fail(err, NOWHERE,
                    "the samples of '%s' are %s, so a %s one cannot be added: use another name",
                    x->name, provenance_name(x->provenance), provenance_name(p));
    x->provenance = p;
    for (size_t i = 0; i < count; i++)
        sample_add(&x->samples, times_ns[i]);
    return true;
}

void result_take_counters(struct ridge_result *x, const struct counters *counted)
{
    for (int c = 0; c < COUNTER_COUNT; c++)
        if (counted->figure[c].provenance != PROVENANCE_ABSENT)
            x->counters.figure[c] = counted->figure[c];
}

int ridge_add_sample(struct ridge_result *x, double time_ns)
{
    struct error err = {0};
    bool done =
        api_need(x, "ridge_add_sample", "the result", &err) &&
        ((isfinite(time_ns) && time_ns > 0) ||
         fail(&err, NOWHERE, "ridge_add_sample: %g ns is no time of '%s'", time_ns, x->name)) &&
        result_take_samples(x, PROVENANCE_MEASURED, &time_ns, 1, &err);
    return api_end(done, &err);
}

static bool fail_counter(const char *name, struct error *err)
{
    size_t count = 0;
    const char *const *names = counters_names(&count);
    const char *near = str_nearest(name, names, count);
    return fail(err, NOWHERE,
                "there is no counter '%s'%s%s%s; docs/api.md says where they are listed", name,
                near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
}

static bool set_counter(struct ridge_result *x, const char *name, double value, struct error *err)
{
    enum counter_id id;
    enum derived_id ratio;
    if (!counter_find(name, &id))
        return derived_find(name, &ratio)
                   ? fail(err, NOWHERE, "'%s' is made of other counters: set those", name)
                   : fail_counter(name, err);
    if (x->recorded)
        return fail(err, NOWHERE, "'%s' has been recorded: counters come before ridge_record",
                    x->name);
    if (!isfinite(value) || value < 0)
        return fail(err, NOWHERE, "ridge_set_counter: %g is no value of '%s'", value, name);
    counters_set(&x->counters, id, value, PROVENANCE_MEASURED);
    return true;
}

int ridge_set_counter(struct ridge_result *x, const char *counter, double value)
{
    struct error err = {0};
    bool done = api_need(x, "ridge_set_counter", "the result", &err) &&
                api_need(counter, "ridge_set_counter", "counter", &err) &&
                set_counter(x, counter, value, &err);
    return api_end(done, &err);
}

int ridge_get_counter(const struct ridge_result *x, const char *counter, double *value,
                      const char **provenance)
{
    struct error err = {0};
    struct figure f = {0};
    bool done = api_need(x, "ridge_get_counter", "the result", &err) &&
                api_need(counter, "ridge_get_counter", "counter", &err) &&
                api_need(value, "ridge_get_counter", "value", &err) &&
                (counters_by_name(&x->counters, counter, &f) || fail_counter(counter, &err));
    if (done && f.provenance != PROVENANCE_ABSENT)
        *value = f.value;
    if (done && provenance)
        *provenance = provenance_name(f.provenance);
    return api_end(done, &err);
}

int ridge_summarize(const struct ridge_result *x, struct ridge_summary *out)
{
    struct error err = {0};
    if (!api_need(x, "ridge_summarize", "the result", &err) ||
        !api_need(out, "ridge_summarize", "out", &err))
        return api_end(false, &err);
    const struct conditions *c = &x->conditions;
    struct summary s = {0};
    if (x->samples.count > 0)
        s = stats_summary(x->samples.items, x->samples.count);
    *out = (struct ridge_summary){
        .name = x->name,
        .case_label = x->case_label,
        .provenance = provenance_name(x->provenance),
        .sample_count = x->samples.count,
        .samples_ns = x->samples.items,
        .median_ns = s.median,
        .low_ns = s.low,
        .high_ns = s.high,
        .mean_ns = s.mean,
        .stddev_ns = s.stddev,
        .min_ns = s.min,
        .max_ns = s.max,
        .p10_ns = s.p10,
        .p90_ns = s.p90,
        .batch = c->batch,
        .sm_mhz = c->sm_mhz,
        .power_w = c->power_w,
        .temperature_c = c->temperature_c,
        .energy_mj = c->energy_mj,
        .throttled = c->throttled,
        .note = x->note,
    };
    return RIDGE_OK;
}

/* ---- as the loop has results ----------------------------------------------------------------------------------- */

// "N=1024 K=33": the parameters of the case, so far as they are numbers.
static void take_parameters(struct arena *a, struct result *out)
{
    out->params = ARENA_ARRAY(a, struct case_value, strlen(out->case_label) + 1);
    for (const char *at = out->case_label; *at;) {
        const char *word = arena_strndup(a, at, strcspn(at, " ")), *equals = strchr(word, '=');
        struct value v = {0};
        v.is_integer = equals && str_to_i64(equals + 1, &v.i);
        v.d = (double)v.i;
        if (equals && equals > word && (v.is_integer || str_to_double(equals + 1, &v.d)))
            out->params[out->param_count++] =
                (struct case_value){arena_strndup(a, word, (size_t)(equals - word)), v};
        at += strlen(word);
        at += strspn(at, " ");
    }
}

static void make_result(struct arena *a, const struct ridge_result *x, struct result *out)
{
    *out = (struct result){
        .variant = x->name,
        .case_label = x->case_label,
        .status = RESULT_OK,
        .note = x->note,
        .conditions = x->conditions,
        .counters = x->counters,
        .worst_relative_error = (double)NAN,
        .worst_absolute_error = (double)NAN,
    };
    if (x->samples.count > 0)
        out->time = (struct time_result){
            x->provenance, stats_summary(x->samples.items, x->samples.count), x->samples.items};
    take_parameters(a, out);
}

static bool compare(struct arena *a, const struct ridge_result *base,
                    const struct ridge_result *fresh, struct result *out, struct error *err)
{
    struct result before;
    make_result(a, base, &before);
    make_result(a, fresh, out);
    out->from = base->name;
    result_compare(&before, out);
    if (out->speedup.valid)
        return true;
    const struct ridge_result *empty = base->samples.count == 0    ? base
                                       : fresh->samples.count == 0 ? fresh
                                                                   : NULL;
    return empty
               ? fail(err, NOWHERE, "'%s' has no times to compare", empty->name)
               : fail(err, NOWHERE,
                      "the times of '%s' are %s, those of '%s' %s: they say nothing of each other",
                      base->name, provenance_name(base->provenance), fresh->name,
                      provenance_name(fresh->provenance));
}

int ridge_compare(const struct ridge_result *base, const struct ridge_result *fresh,
                  struct ridge_comparison *out)
{
    struct error err = {0};
    struct arena a = {0};
    struct result r;
    bool done = api_need(base, "ridge_compare", "base", &err) &&
                api_need(fresh, "ridge_compare", "fresh", &err) &&
                api_need(out, "ridge_compare", "out", &err) && compare(&a, base, fresh, &r, &err);
    if (done) {
        const struct comparison *c = &r.speedup.comparison;
        *out = (struct ridge_comparison){c->ratio, c->low, c->high, (enum ridge_verdict)c->verdict};
    }
    arena_release(&a);
    return api_end(done, &err);
}

_Static_assert((int)RIDGE_SAME == (int)VERDICT_SAME && (int)RIDGE_FASTER == (int)VERDICT_FASTER &&
                   (int)RIDGE_SLOWER == (int)VERDICT_SLOWER,
               "the public verdicts are those of stats");

const char *ridge_verdict_name(enum ridge_verdict v)
{
    return verdict_name((enum verdict)v);
}

/* ---- diagnosing ----------------------------------------------------------------------------------------- */

static double stated(double work)
{
    return work > 0 ? work : (double)NAN;
}

// Without instructions and traffic of device memory everything would look latency-bound.
static bool can_diagnose(const struct result *r)
{
    return r->time.provenance != PROVENANCE_ABSENT &&
           counters_has(&r->counters, COUNTER_DRAM_READ_BYTES) &&
           counters_has(&r->counters, COUNTER_WARP_INSTRUCTIONS);
}

static bool diagnose_result(struct arena *a, const struct ridge_result *x, struct result *r,
                            struct error *err)
{
    struct diagnosis_input in = {
        .gpu = x->ledger->gpu,
        .counters = &r->counters,
        .time_ns = {r->time.summary.median, r->time.provenance},
        .work_bytes = stated(x->work.bytes),
        .work_flops_f16 = stated(x->work.flops_f16),
        .work_flops_f32 = stated(x->work.flops_f32),
        .work_flops_f64 = stated(x->work.flops_f64),
        .work_flops_tensor = stated(x->work.flops_tensor),
        .lines = x->lines.items,
        .line_count = (int)x->lines.count,
        .launches = x->launches > 0 ? x->launches : 1,
        .time_model = x->longest.model.valid ? &x->longest.model : NULL,
        .grid_blocks = x->longest.grid_blocks,
        .block_threads = x->longest.block_threads,
    };
    if (!can_diagnose(r))
        return true;
    r->lines = x->lines.items;
    r->line_count = (int)x->lines.count;
    r->diagnosed = diagnose(a, &in, &r->diagnosis, err);
    return r->diagnosed || error_context(err, "diagnosing '%s'", x->name);
}

/* ---- recording ---------------------------------------------------------------------------------------------- */

static bool run_begin(struct ledger *l, struct error *err)
{
    return l->run != 0 ||
           ((l->journal || journal_open(l->journal_asked, false, &l->journal, err)) &&
            journal_begin_run(l->journal, &l->header, &l->run, err));
}

bool result_record(struct ridge_result *x, const struct ridge_result *base, struct error *err)
{
    struct arena a = {0};
    struct result r;
    struct ledger *l = x->ledger;
    bool done = !x->recorded || fail(err, NOWHERE, "'%s' has been recorded before", x->name);
    if (done && base)
        done = compare(&a, base, x, &r, err);
    else if (done)
        make_result(&a, x, &r);
    done = done && diagnose_result(&a, x, &r, err) && run_begin(l, err) &&
           journal_add_result(l->journal, l->run, &r, err);
    x->recorded = x->recorded || done;
    arena_release(&a);
    return done;
}

bool ledger_close(struct ledger *l, struct error *err)
{
    bool done = l->run == 0 || journal_end_run(l->journal, l->run, NULL, err);
    journal_close(l->journal);
    json_decref(l->header.environment);
    results_release(l);
    return done;
}
