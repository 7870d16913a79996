// ridge check: what can be known of an experiment without running it.
// SPDX-License-Identifier: Apache-2.0
#include "cli/cli.h"

#include <math.h>
#include <string.h>

#include "journal/journal.h"

enum { STATUS_FAILED = 1, STATUS_SYSTEM = 3 };

static void add_bytes(struct text *out, uint64_t bytes)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    double value = (double)bytes;
    size_t unit = 0;
    for (; value >= 1024 && unit + 1 < COUNT_OF(units); unit++)
        value /= 1024;
    text_printf(out, "%.4g %s", value, units[unit]);
}

/* ---- how long a run takes -------------------------------------------------------------------------- */

struct took { // a case, in the newest recorded run of the experiment on that device
    double wall_s;
    int variants;     // that were run
    const char *like; // scaled by the work of that case; NULL: it is the case itself
};

// Wall time of what was done for a case, NAN where the run did not have it.
static double case_wall_s(const struct run *run, const char *label, int *variants)
{
    double sum_s = (double)NAN;
    *variants = 0;
    for (int i = 0; i < run->result_count; i++) {
        const struct result *r = &run->results[i];
        if (strcmp(r->case_label, label) != 0 || r->status == RESULT_SKIPPED)
            continue;
        for (int k = 0; k < r->phase_count; k++)
            sum_s = (isnan(sum_s) ? 0 : sum_s) + r->phases[k].duration_s;
        (*variants)++;
    }
    return sum_s;
}

// Of the recorded cases that of most work, as it has the least of what every run costs.
static struct took estimate(const struct checked_case *k, const struct run *run)
{
    struct took t = {0};
    const struct result *most = NULL;
    t.wall_s = case_wall_s(run, k->label, &t.variants);
    if (!isnan(t.wall_s) || isnan(k->least_ns))
        return t;
    for (int i = 0; i < run->result_count; i++) {
        const struct result *r = &run->results[i];
        if (r->diagnosed && r->diagnosis.floor_ns > 0 &&
            (!most || r->diagnosis.floor_ns > most->diagnosis.floor_ns))
            most = r;
    }
    if (!most)
        return t;
    t.like = most->case_label;
    t.wall_s = case_wall_s(run, t.like, &t.variants) * k->least_ns / most->diagnosis.floor_ns;
    return t;
}

static void add_took(const struct checked_case *k, const struct run *run, struct text *out)
{
    struct took t = estimate(k, run);
    if (isnan(t.wall_s))
        return;
    text_printf(out, "  %d variant%s %s %.3g s ", t.variants, t.variants == 1 ? "" : "s",
                t.like ? "would take" : "took", t.wall_s);
    if (t.like)
        text_printf(out, "(modelled: run %lld's time for %s, by the work stated)\n",
                    (long long)run->header.id, t.like);
    else
        text_printf(out, "(measured: run %lld)\n", (long long)run->header.id);
}

// The newest run that the journal has of it on this device; one that is not there has no results.
static void recorded_run(const struct options *o, struct arena *a, const struct checked *c,
                         struct run *run)
{
    struct error ignored = {0}; // no journal yet
    struct journal *j = NULL;
    struct journal_entry *entries = NULL;
    int count = 0;
    const struct journal_filter filter = {c->experiment, c->device, 1};
    *run = (struct run){0};
    if (cli_journal_open(o, true, &j, &ignored) &&
        journal_list(j, a, &filter, &entries, &count, &ignored) && count > 0 &&
        !journal_get_run(j, a, entries[0].id, NULL, run, &ignored))
        *run = (struct run){0};
    journal_close(j);
}

/* ---- what is printed --------------------------------------------------------------------------------- */

static void add_case(const struct checked *c, const struct checked_case *k, const struct run *run,
                     struct text *out)
{
    text_printf(out, "\n%s\n  %d buffers, ", k->label, k->buffer_count);
    add_bytes(out, k->memory_bytes);
    text_add(out, k->fits ? "" : ": more than the device has");
    if (!isnan(k->least_ns))
        text_printf(out,
                    "; no variant takes less than %.3g us (modelled: the work stated, at the "
                    "device's rates)",
                    k->least_ns / 1000);
    text_add(out, "\n");
    add_took(k, run, out);
    for (int i = 0; i < c->variant_count; i++) {
        const struct checked_variant *v = &k->variants[i];
        if (v->trouble)
            text_printf(out, "  %s: %s\n", v->name, v->trouble);
        else if (v->skipped)
            text_printf(out, "  %s: skipped, what it requires does not hold\n", v->name);
        else
            text_printf(out, "  %s: fits%s%s\n", v->name, v->compiler ? ", compiled by " : "",
                        v->compiler ? v->compiler : "");
    }
}

static json_t *took_json(const struct checked_case *k, const struct run *run)
{
    struct took t = estimate(k, run);
    if (isnan(t.wall_s))
        return json_null();
    return json_pack("{s:f, s:s, s:i, s:I, s:s?}", "wall_s", t.wall_s, "provenance",
                     provenance_name(t.like ? PROVENANCE_MODELLED : PROVENANCE_MEASURED),
                     "variants", t.variants, "run", (json_int_t)run->header.id, "scaled_from",
                     t.like);
}

static json_t *case_json(const struct checked *c, const struct checked_case *k,
                         const struct run *run)
{
    json_t *variants = json_array();
    for (int i = 0; i < c->variant_count; i++) {
        const struct checked_variant *v = &k->variants[i];
        json_array_append_new(variants,
                              json_pack("{s:s, s:b, s:b, s:s?, s:s?}", "variant", v->name, "fits",
                                        !v->trouble && !v->skipped, "skipped", v->skipped,
                                        "compiler", v->compiler, "error", v->trouble));
    }
    return json_pack("{s:s, s:I, s:b, s:o, s:o, s:o}", "case", k->label, "memory_bytes",
                     (json_int_t)k->memory_bytes, "fits_in_memory", k->fits, "floor_ns",
                     isnan(k->least_ns) ? json_null() : json_real(k->least_ns), "took",
                     took_json(k, run), "variants", variants);
}

static bool show(const struct options *o, const struct checked *c, const struct run *run,
                 struct error *err)
{
    struct text out = {0};
    bool done = false;
    if (option_given(o, OPTION_JSON)) {
        json_t *cases = json_array();
        for (int i = 0; i < c->case_count; i++)
            json_array_append_new(cases, case_json(c, &c->cases[i], run));
        done = cli_print_json(json_pack("{s:s, s:s, s:o}", "experiment", c->experiment, "device",
                                        c->device, "cases", cases),
                              err);
    } else {
        text_printf(&out, "%s on %s, nothing was run\n", c->experiment, c->device);
        for (int i = 0; i < c->case_count; i++)
            add_case(c, &c->cases[i], run, &out);
        if (run->header.id == 0)
            text_printf(&out, "\nHow long a run takes is not known: the journal has none on %s\n",
                        c->device);
        done = cli_print(&out, err);
    }
    text_release(&out);
    return done;
}

bool command_check(const struct options *o, int *status, struct error *err)
{
    struct arena a = {0};
    struct checked c;
    struct loop_request request = {
        .experiment_path = o->arguments[0],
        .device = option_text(o, OPTION_DEVICE, "auto"),
        .overrides = o->option[OPTION_PARAM].values,
        .override_count = (int)o->option[OPTION_PARAM].count,
        .compiler = option_text(o, OPTION_COMPILER, "auto"),
    };
    struct run run = {0};
    bool done = loop_check(&a, &request, &c, err);
    if (done) {
        recorded_run(o, &a, &c, &run);
        done = show(o, &c, &run, err);
    }
    *status = 0;
    for (int i = 0; done && i < c.case_count; i++) {
        if (!c.cases[i].fits)
            *status = STATUS_FAILED;
        for (int k = 0; k < c.variant_count; k++)
            if (c.cases[i].variants[k].trouble && *status != STATUS_SYSTEM)
                *status = c.cases[i].variants[k].by_system ? STATUS_SYSTEM : STATUS_FAILED;
    }
    json_decref(run.header.environment);
    arena_release(&a);
    return done;
}
