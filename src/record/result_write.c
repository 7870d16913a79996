// Runs and results to JSON (keys: tests/cli/json_test.c). Whole numbers stay integers; what is not known is null or
// left out, and never NaN: a figure that is not finite is not known.
// SPDX-License-Identifier: Apache-2.0
#include "record/record.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const double exact_integer_max = 9007199254740992.0; // 2^53

static json_t *number(double value)
{
    if (!isfinite(value))
        return json_null();
    if (value == floor(value) && fabs(value) < exact_integer_max)
        return json_integer((json_int_t)value);
    return json_real(value);
}

// Text that is not valid UTF-8 (a path, a compiler's message) keeps its shape: '?' for each byte.
static json_t *text(const char *s)
{
    if (!s)
        return json_null();
    json_t *j = json_string(s);
    if (j)
        return j;
    char *copy = xstrdup(s);
    for (char *c = copy; *c; c++)
        if ((unsigned char)*c >= 0x80)
            *c = '?';
    j = json_string(copy);
    free(copy);
    return j;
}

// Left out when NULL.
static void set_text(json_t *object, const char *key, const char *s)
{
    if (s)
        json_object_set_new(object, key, text(s));
}

static json_t *unsigned_number(uint64_t value)
{
    if (value <= (uint64_t)INT64_MAX)
        return json_integer((json_int_t)value);
    return json_sprintf("%llu", (unsigned long long)value); // JSON integers end at 2^63
}

static json_t *figure_to_json(struct figure f)
{
    if (f.provenance == PROVENANCE_ABSENT || !isfinite(f.value))
        return json_null();
    json_t *j = json_object();
    json_object_set_new(j, "value", number(f.value));
    json_object_set_new(j, "provenance", json_string(provenance_name(f.provenance)));
    return j;
}

static json_t *time_to_json(const struct time_result *t)
{
    if (t->provenance == PROVENANCE_ABSENT)
        return json_null();
    const struct summary *s = &t->summary;
    json_t *j = json_object();
    json_object_set_new(j, "median", number(s->median));
    json_object_set_new(j, "low", number(s->low));
    json_object_set_new(j, "high", number(s->high));
    json_object_set_new(j, "mean", number(s->mean));
    json_object_set_new(j, "stddev", number(s->stddev));
    json_object_set_new(j, "samples", json_integer((json_int_t)s->count));
    json_object_set_new(j, "provenance", json_string(provenance_name(t->provenance)));
    json_object_set_new(j, "min", number(s->min));
    json_object_set_new(j, "max", number(s->max));
    json_object_set_new(j, "p10", number(s->p10));
    json_object_set_new(j, "p90", number(s->p90));
    return j;
}

static json_t *samples_to_json(const struct time_result *t)
{
    json_t *j = json_array();
    for (size_t i = 0; t->samples_ns && i < t->summary.count; i++)
        json_array_append_new(j, number(t->samples_ns[i]));
    return j;
}

// Left out when not known.
static void set_positive(json_t *object, const char *key, double value)
{
    if (value > 0)
        json_object_set_new(object, key, number(value));
}

// Lists side by side, one item per block of samples.
static json_t *chip_to_json(const struct conditions *t)
{
    json_t *at = json_array(), *sample = json_array(), *sm = json_array(), *power = json_array(),
           *heat = json_array();
    for (int i = 0; i < t->chip_count; i++) {
        const struct chip_sample *c = &t->chip[i];
        json_array_append_new(at, number(c->at_s));
        json_array_append_new(sample, json_integer((json_int_t)c->sample));
        json_array_append_new(sm, number(c->sm_mhz));
        json_array_append_new(power, number(c->power_w));
        json_array_append_new(heat, number(c->temperature_c));
    }
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "at_s", at, "sample", sample, "sm_mhz", sm,
                     "power_w", power, "temperature_c", heat);
}

// How a time was measured and in what state the chip was.
static json_t *conditions_to_json(const struct conditions *t)
{
    json_t *j = json_object();
    set_positive(j, "batch", t->batch);
    set_positive(j, "warm_up_runs", (double)t->warm_up_runs);
    set_positive(j, "sm_mhz", t->sm_mhz);
    set_positive(j, "power_w", t->power_w);
    set_positive(j, "temperature_c", t->temperature_c);
    set_positive(j, "energy_mj", t->energy_mj);
    set_positive(j, "energy_error", t->energy_error);
    if (t->energy_by_power)
        json_object_set_new(j, "energy_by_power", json_true());
    json_object_set_new(j, "throttled_samples", json_integer((json_int_t)t->throttled_samples));
    set_text(j, "throttled", t->throttled);
    if (t->chip_count > 0)
        json_object_set_new(j, "chip", chip_to_json(t));
    return j;
}

static json_t *phases_to_json(const struct result *r)
{
    json_t *list = json_array();
    for (int i = 0; i < r->phase_count; i++) {
        const struct phase_time *p = &r->phases[i];
        json_array_append_new(list, json_pack("{s:s, s:b, s:o, s:o}", "name", p->name, "whole_case",
                                              p->variant == NULL, "at_s", number(p->at_s), "s",
                                              number(p->duration_s)));
    }
    return list;
}

static json_t *launches_to_json(const struct result *r)
{
    json_t *list = json_array();
    for (int i = 0; i < r->launch_count; i++) {
        const struct launch_time *l = &r->launches[i];
        json_array_append_new(list, json_pack("{s:s, s:o, s:s}", "kernel", l->kernel, "time_ns",
                                              number(l->time_ns.value), "provenance",
                                              provenance_name(l->time_ns.provenance)));
    }
    return list;
}

static json_t *counters_to_json(const struct counters *c)
{
    json_t *j = json_object();
    for (int i = 0; i < COUNTER_COUNT; i++)
        if (counters_has(c, (enum counter_id)i))
            json_object_set_new(j, counter_info((enum counter_id)i)->name,
                                figure_to_json(c->figure[i]));
    return j;
}

// Left out where nothing is known of it.
static void set_stalls(json_t *object, const struct stall_table *t)
{
    if (!stalls_known(t))
        return;
    json_t *j = json_object();
    for (int i = 0; i < STALL_COUNT; i++)
        if (t->warp_cycles[i].provenance != PROVENANCE_ABSENT)
            json_object_set_new(j, stall_name((enum stall)i), figure_to_json(t->warp_cycles[i]));
    json_object_set_new(object, "stalls", j);
}

// Left out where nothing was sampled.
static void set_sampling(json_t *object, const struct stall_sampling *s)
{
    if (s->mode == SAMPLING_OFF)
        return;
    json_t *j = json_object();
    json_object_set_new(j, "mode", json_string(sampling_mode_name(s->mode)));
    json_object_set_new(j, "samples", json_integer((json_int_t)s->samples));
    json_object_set_new(j, "dropped", json_integer((json_int_t)s->dropped));
    json_object_set_new(j, "period_cycles", json_real(s->period_cycles));
    json_object_set_new(object, "stall_sampling", j);
}

// Left out where nothing was replayed.
static void set_counterfactuals(json_t *object, const struct counterfactuals *c)
{
    json_t *j = json_object();
    for (int i = 0; i < INTERVENTION_COUNT; i++)
        if (c->time_ns[i].provenance != PROVENANCE_ABSENT)
            json_object_set_new(j, intervention_name((enum intervention)i),
                                figure_to_json(c->time_ns[i]));
    if (json_object_size(j) > 0) {
        json_object_set_new(j, "as_is", figure_to_json(c->as_is_ns));
        json_object_set(object, "counterfactuals_ns", j);
    }
    json_decref(j);
    if (c->asked_ns.provenance != PROVENANCE_ABSENT)
        json_object_set_new(object, "asked_ns", figure_to_json(c->asked_ns));
}

static void set_facts(json_t *object, const struct facts *f)
{
    if (!f->known)
        return;
    json_t *j = json_object();
    for (int i = 0; i < FACT_COUNT; i++)
        json_object_set_new(j, fact_name((enum fact)i),
                            figure_to_json((struct figure){f->value[i], f->provenance}));
    json_object_set_new(object, "facts", j);
}

static void set_fidelity(json_t *object, const struct run_fidelity *f)
{
    if (!f->known)
        return;
    json_t *j = json_object(), *paths = json_object();
    json_object_set_new(j, "timed", json_boolean(f->timed));
    json_object_set_new(j, "time_error_median_pct", number(f->time_error_median_pct));
    set_text(j, "time_error_source", f->time_error_source);
    for (int i = 0; i < PATH_COUNT; i++) {
        const struct path_use *u = &f->path[i];
        if (!(u->warp_instructions > 0))
            continue;
        json_t *path = json_object();
        json_object_set_new(path, "warp_instructions", number(u->warp_instructions));
        set_text(path, "results", fidelity_name(u->results));
        set_text(path, "time", fidelity_name(u->time));
        json_object_set_new(paths, fidelity_path_name((enum fidelity_path)i), path);
    }
    json_object_set_new(j, "paths", paths);
    json_object_set_new(object, "fidelity", j);
}

static void set_side(json_t *object, const struct side_simulation *s)
{
    json_t *j = s->device ? json_object() : NULL;
    if (!j)
        return;
    set_text(j, "device", s->device);
    json_object_set_new(j, "blocks_share", number(s->blocks_share));
    json_object_set_new(j, "replayed", json_boolean(s->replayed));
    json_object_set_new(object, "side", j);
}

static void set_sample(json_t *object, const struct block_sample *s)
{
    if (!(s->asked > 0))
        return;
    json_t *j = json_object();
    json_object_set_new(j, "asked", number(s->asked));
    json_object_set_new(j, "blocks_run", number(s->blocks_run));
    json_object_set_new(j, "blocks", number(s->blocks));
    set_text(j, "whole", sample_whole_word(s->whole));
    set_text(j, "whole_because", sample_whole_reason(s->whole));
    json_object_set_new(j, "error_pct", figure_to_json(s->error_pct));
    json_object_set_new(object, "sample", j);
}

static json_t *case_to_json(const struct result *r)
{
    json_t *j = json_object();
    for (int i = 0; i < r->param_count; i++) {
        const struct value *v = &r->params[i].value;
        json_object_set_new(j, r->params[i].name,
                            v->is_integer ? json_integer((json_int_t)v->i) : json_real(v->d));
    }
    return j;
}

static json_t *lines_to_json(const struct result *r)
{
    json_t *j = json_array();
    for (int i = 0; i < r->line_count; i++) {
        const struct line *l = &r->lines[i];
        json_t *line = json_object();
        json_object_set_new(line, "file", text(l->file));
        json_object_set_new(line, "line", json_integer(l->line));
#define LINE_FIELD(name, unit, meaning) json_object_set_new(line, #name, unsigned_number(l->name));
#include "record/line_fields.def"
#undef LINE_FIELD
        set_stalls(line, &l->stalls);
        json_array_append_new(j, line);
    }
    return j;
}

static json_t *errors_to_json(const struct result_errors *e)
{
    json_t *j = json_object();
#define ERROR_FIGURE(name, label, column, meaning) json_object_set_new(j, #name, number(e->name));
#include "record/errors.def"
#undef ERROR_FIGURE
    return j;
}

static json_t *problems_to_json(const struct result *r)
{
    json_t *j = json_array();
    for (int i = 0; i < r->problem_count; i++) {
        const struct problem *p = &r->problems[i];
        json_t *problem = json_object();
        json_object_set_new(problem, "kind", text(p->kind));
        json_object_set_new(problem, "message", text(p->message));
        json_object_set_new(problem, "stops", json_boolean(p->stops));
        json_object_set_new(problem, "note", json_boolean(p->note));
        json_array_append_new(j, problem);
    }
    return j;
}

/* ---- the diagnosis ----------------------------------------------------------------------------- */

static json_t *bounds_to_json(const struct diagnosis *d)
{
    json_t *j = json_array();
    for (int i = 0; i < d->bound_count; i++) {
        const struct bound *b = &d->bounds[i];
        json_t *bound = json_object();
        json_object_set_new(bound, "resource", json_string(resource_name(b->resource)));
        json_object_set_new(bound, "time_ns", number(b->time_ns));
        json_object_set_new(bound, "work", number(b->work));
        set_text(bound, "unit", b->unit);
        json_object_set_new(bound, "rate_per_ns", number(b->rate_per_ns));
        set_text(bound, "rate_source", b->rate_source);
        json_object_set_new(bound, "provenance", json_string(provenance_name(b->provenance)));
        json_array_append_new(j, bound);
    }
    return j;
}

static json_t *finding_to_json(const struct finding *f)
{
    json_t *j = json_object();
    json_object_set_new(j, "class", json_string(finding_class_name(f->class)));
    json_object_set_new(j, "cause", text(f->cause));
    json_object_set_new(j, "title", text(f->title));
    json_object_set_new(j, "file", text(f->file));
    json_object_set_new(j, "line", f->line > 0 ? json_integer(f->line) : json_null());
    json_object_set_new(j, "fix", text(f->fix));
    json_object_set_new(j, "expected_time_ns", number(f->expected_time_ns));
    json_object_set_new(j, "priced_by", json_string(finding_price_name(f->price)));
    if (f->price == PRICE_PATCH)
        json_object_set_new(j, "counterfactual_ns", number(f->counterfactual_ns));
    json_t *evidence = json_object();
    for (int i = 0; i < f->evidence_count; i++)
        json_object_set_new(evidence, f->evidence[i].name, figure_to_json(f->evidence[i].figure));
    json_object_set_new(j, "evidence", evidence);
    json_object_set_new(j, "folded", json_boolean(f->folded));
    return j;
}

// Left out where nothing is known of it.
static void set_waiting(json_t *j, const struct waiting *w)
{
    if (isnan(w->dependency_ns))
        return;
    json_t *waiting = json_object();
    json_object_set_new(waiting, "launch_ns", number(w->launch_ns));
    json_object_set_new(waiting, "tail_ns", number(w->tail_ns));
    json_object_set_new(waiting, "occupancy_ns", number(w->occupancy_ns));
    json_object_set_new(waiting, "dependency_ns", number(w->dependency_ns));
    json_object_set_new(waiting, "provenance", json_string(provenance_name(PROVENANCE_MODELLED)));
    json_object_set_new(j, "waiting", waiting);
}

static void set_trials(json_t *object, const struct diagnosis *d)
{
    json_t *trials = json_array();
    for (int i = 0; i < d->trial_count; i++) {
        const struct patch_trial *t = &d->trials[i];
        json_t *j = json_object();
        json_object_set_new(j, "key", text(t->key));
        json_object_set_new(j, "maker", text(t->maker));
        json_object_set_new(j, "cause", text(t->cause));
        json_object_set_new(j, "sole", json_boolean(t->sole));
        json_object_set_new(j, "verdict", json_string(trial_verdict_name(t->verdict)));
        json_object_set_new(j, "verified", json_boolean(t->verified));
        json_object_set_new(j, "time_ns", number(t->time_ns));
        set_text(j, "error", t->error);
        json_array_append_new(trials, j);
    }
    json_object_set_new(object, "patches_tried", trials);
}

static void set_diagnosis(json_t *j, const struct result *r)
{
    const struct diagnosis *d = &r->diagnosis;
    if (!r->diagnosed) {
        json_object_set_new(j, "floor_ns", json_null());
        json_object_set_new(j, "throughput_gbps", json_null());
        json_object_set_new(j, "bounds", json_array());
        json_object_set_new(j, "limiter", json_null());
        json_object_set_new(j, "findings", json_array());
        return;
    }
    json_object_set_new(j, "floor_ns", number(d->floor_ns));
    json_object_set_new(j, "throughput_gbps", number(d->throughput_gbps));
    json_object_set_new(j, "bounds", bounds_to_json(d));
    json_object_set_new(j, "limiter", text(d->limiter));
    set_text(j, "limiter_why", d->limiter_why);
    set_waiting(j, &d->waiting);
    json_object_set_new(j, "code_floor_ns", number(d->code_floor_ns));
    json_object_set_new(j, "intensity", number(d->intensity));
    json_object_set_new(j, "pct_of_floor", number(d->pct_of_floor));
    json_t *findings = json_array();
    for (int i = 0; i < d->finding_count; i++)
        json_array_append_new(findings, finding_to_json(&d->findings[i]));
    json_object_set_new(j, "findings", findings);
    if (d->trial_count > 0)
        set_trials(j, d);
}

/* ---- the judgement ------------------------------------------------------------------------------ */

static json_t *speedup_to_json(const struct speedup *s)
{
    if (!s->valid)
        return json_null();
    json_t *j = json_object();
    json_object_set_new(j, "vs", text(s->versus));
    json_object_set_new(j, "ratio", number(s->comparison.ratio));
    json_object_set_new(j, "low", number(s->comparison.low));
    json_object_set_new(j, "high", number(s->comparison.high));
    json_object_set_new(j, "verdict", json_string(verdict_name(s->comparison.verdict)));
    return j;
}

static json_t *expectations_to_json(const struct result *r)
{
    json_t *j = json_array();
    for (int i = 0; i < r->expectation_count; i++) {
        const struct expectation_result *e = &r->expectations[i];
        json_t *expectation = json_object();
        json_object_set_new(expectation, "what", text(e->what));
        json_object_set_new(expectation, "expected", text(e->expected));
        json_object_set_new(expectation, "actual", text(e->actual));
        json_object_set_new(expectation, "verdict",
                            json_string(expectation_verdict_name(e->verdict)));
        json_array_append_new(j, expectation);
    }
    return j;
}

static const char *status_name(enum result_status s)
{
    switch (s) {
    case RESULT_OK:
        return "ok";
    case RESULT_WRONG:
        return "wrong";
    case RESULT_FAILED:
        return "failed";
    case RESULT_SKIPPED:
        return "skipped";
    }
    return NULL;
}

json_t *result_to_json(const struct result *r)
{
    json_t *j = json_object();
    json_object_set_new(j, "variant", text(r->variant));
    json_object_set_new(j, "from", text(r->from));
    json_object_set_new(j, "case", case_to_json(r));
    json_object_set_new(j, "status", json_string(status_name(r->status)));
    json_object_set_new(j, "verified", r->checked ? json_boolean(r->verified) : json_null());
    set_text(j, "self_check", r->self_check);
    set_text(j, "patterns", r->patterns);
    json_object_set_new(j, "error", text(r->error));
    if (r->by_system)
        json_object_set_new(j, "by_system", json_true());
    json_object_set_new(j, "time_ns", time_to_json(&r->time));
    set_diagnosis(j, r);
    json_object_set_new(j, "counters", counters_to_json(&r->counters));
    set_stalls(j, &r->stalls);
    set_sampling(j, &r->sampling);
    set_facts(j, &r->facts);
    set_fidelity(j, &r->fidelity);
    set_counterfactuals(j, &r->counterfactuals);
    set_side(j, &r->side);
    set_sample(j, &r->sample);
    json_object_set_new(j, "speedup", speedup_to_json(&r->speedup));
    json_object_set_new(j, "expectations", expectations_to_json(r));
    set_text(j, "case_label", r->case_label);
    set_text(j, "title", r->title);
    set_text(j, "hypothesis", r->hypothesis);
    set_text(j, "bottleneck", r->bottleneck);
    set_text(j, "library", r->library);
    set_text(j, "library_version", r->library_version);
    set_text(j, "compiler", r->compiler);
    set_text(j, "source", r->source);
    set_text(j, "compiler_log", r->compiler_log);
    set_text(j, "code_key", r->code_key[0] ? r->code_key : NULL);
    set_text(j, "work_hash", r->work_hash[0] ? r->work_hash : NULL);
    set_text(j, "same_as", r->same_as);
    json_object_set_new(j, "seed", unsigned_number(r->seed));
    json_object_set_new(j, "samples_ns", samples_to_json(&r->time));
    if (r->time.provenance == PROVENANCE_MEASURED)
        json_object_set_new(j, "conditions", conditions_to_json(&r->conditions));
    json_object_set_new(j, "worst_relative_error", number(r->worst_relative_error));
    json_object_set_new(j, "worst_absolute_error", number(r->worst_absolute_error));
    if (r->errors.known)
        json_object_set_new(j, "errors", errors_to_json(&r->errors));
    if (r->phase_count > 0)
        json_object_set_new(j, "phases", phases_to_json(r));
    if (r->launch_count > 0)
        json_object_set_new(j, "launches", launches_to_json(r));
    json_object_set_new(j, "lines", lines_to_json(r));
    json_object_set_new(j, "problems", problems_to_json(r));
    set_text(j, "printed", r->printed);
    set_text(j, "note", r->note);
    return j;
}

/* ---- the run -------------------------------------------------------------------------------------- */

static json_t *device_to_json(const struct run_header *h)
{
    json_t *j = json_object();
    json_object_set_new(j, "id", text(h->device_id));
    json_object_set_new(j, "name", text(h->device_name));
    json_object_set_new(j, "cc",
                        h->device_cc > 0 ? json_sprintf("%.1f", h->device_cc) : json_null());
    json_object_set_new(j, "simulated",
                        json_boolean(h->device_id && str_starts_with(h->device_id, "sim:")));
    return j;
}

json_t *run_to_json(const struct run *r)
{
    const struct run_header *h = &r->header;
    json_t *j = json_object();
    json_object_set_new(j, "ridge", text(h->ridge_version));
    json_object_set_new(j, "schema", json_integer(RECORD_SCHEMA));
    json_object_set_new(j, "run", h->id > 0 ? json_integer((json_int_t)h->id) : json_null());
    json_object_set_new(j, "started", text(h->started));
    json_object_set_new(j, "git", text(h->git));
    json_object_set_new(j, "environment",
                        h->environment ? json_deep_copy(h->environment) : json_object());
    json_object_set_new(j, "experiment", text(h->experiment));
    set_text(j, "title", h->title);
    set_text(j, "experiment_path", h->experiment_path);
    set_text(j, "folder", h->folder);
    set_text(j, "command", h->command);
    json_object_set_new(j, "device", device_to_json(h));
    set_text(j, "cache", h->cache_state);
    if (h->objective != OBJECTIVE_TIME)
        set_text(j, "objective", objective_name(h->objective));
    json_t *results = json_array();
    for (int i = 0; i < r->result_count; i++)
        json_array_append_new(results, result_to_json(&r->results[i]));
    json_object_set_new(j, "results", results);
    json_t *stop = json_object();
    json_object_set_new(stop, "reason", text(r->stop_reason));
    json_object_set_new(j, "stop", stop);
    return j;
}
