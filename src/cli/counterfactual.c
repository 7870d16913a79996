// ridge explain --what-if conflicts=0,atomics=warp: the recorded variants' traces replayed with these changes
// together, on the simulated GPU; what is simulated is run again for it.
// SPDX-License-Identifier: Apache-2.0
#include "cli/cli.h"

#include <math.h>
#include <string.h>

bool cli_simulated_of(struct arena *a, const struct run_header *h, const char **device,
                      struct error *err)
{
    struct gpu *chip = NULL;
    *device = h->device_id;
    if (str_starts_with(h->device_id, "sim:"))
        return true;
    if (!gpu_find_by_name(a, h->device_name, &chip, err))
        return false;
    if (!chip || !gpu_is_simulated(chip))
        return fail(
            err, NOWHERE,
            "'%s' is not simulated, so nothing can be replayed for it; `ridge devices` lists "
            "the simulated chips",
            h->device_name);
    *device = arena_printf(a, "sim:%s", chip->id);
    return true;
}

const char **cli_overrides_of(struct arena *a, const struct result *r)
{
    const char **out = ARENA_ARRAY(a, const char *, r->param_count + 1);
    for (int i = 0; i < r->param_count; i++) {
        const struct value *v = &r->params[i].value;
        out[i] = v->is_integer ? arena_printf(a, "%s=%lld", r->params[i].name, (long long)v->i)
                               : arena_printf(a, "%s=%.17g", r->params[i].name, v->d);
    }
    return out;
}

static bool replay_result(const struct options *o, struct arena *a, const struct run *run,
                          const struct result *r, const struct interventions *change,
                          struct result *out, struct error *err)
{
    const char *device;
    struct run again = {0};
    struct loop_events events = {.cancel = cli_cancelled};
    (void)o;
    if (!cli_simulated_of(a, &run->header, &device, err))
        return false;
    struct loop_request request = {.experiment_path = run->header.experiment_path,
                                   .device = device,
                                   .overrides = cli_overrides_of(a, r),
                                   .override_count = r->param_count,
                                   .variants = &r->variant,
                                   .variant_count = 1,
                                   .compiler = "auto",
                                   .no_verify = true,
                                   .change = change,
                                   .has_seed = true,
                                   .seed = r->seed};
    bool done = loop_run(a, &request, &events, &again, err);
    json_decref(again.header.environment);
    for (int i = 0; done && i < again.result_count; i++)
        if (strcmp(again.results[i].variant, r->variant) == 0)
            *out = again.results[i];
    if (done && out->counterfactuals.asked_ns.provenance == PROVENANCE_ABSENT)
        return fail(err, NOWHERE, "variant '%s' has no modelled time to replay%s%s", r->variant,
                    out->error ? ": " : "", out->error ? out->error : "");
    return done;
}

static json_t *replay_json(const struct result *r, const struct counterfactuals *c,
                           const char *asked)
{
    return json_pack("{s:s, s:s, s:s, s:f, s:f, s:s, s:s}", "variant", r->variant, "case",
                     r->case_label, "what_if", asked, "time_ns", c->as_is_ns.value,
                     "expected_time_ns", c->asked_ns.value, "provenance",
                     provenance_name(c->asked_ns.provenance), "priced_by",
                     finding_price_name(PRICE_REPLAY));
}

bool cli_counterfactual(const struct options *o, struct arena *a, const struct run *run,
                        const struct result *only, struct error *err)
{
    struct interventions change;
    const char *asked = option_text(o, OPTION_WHAT_IF, "");
    struct text out = {0};
    json_t *json = json_array();
    bool done = interventions_parse(asked, &change, err) || error_context(err, "in --what-if");
    for (int i = 0; done && i < run->result_count; i++) {
        const struct result *r = &run->results[i];
        struct result again = {0};
        if ((only && r != only) || !r->diagnosed || r->library)
            continue;
        done = replay_result(o, a, run, r, &change, &again, err);
        if (!done)
            break;
        const struct counterfactuals *c = &again.counterfactuals;
        report_counterfactual(r, c, asked, &out);
        json_array_append_new(json, replay_json(r, c, asked));
    }
    done = done && cli_print_either(o, json, &out, err);
    json_decref(json);
    text_release(&out);
    return done;
}
