// What-if questions of ridge explain: --if registers=64,block=128 and --on a100.
// SPDX-License-Identifier: Apache-2.0
#include "cli/cli.h"

#include <math.h>
#include <string.h>

static bool change_parse(const char *list, struct whatif *w, struct arena *a, struct error *err)
{
    static const char *const names[] = {"registers", "block", "shared"};
    while (*list) {
        size_t length = strcspn(list, ",");
        char *item = arena_strndup(a, list, length);
        char *equals = strchr(item, '=');
        int64_t value;
        if (!equals || !str_to_i64(equals + 1, &value) || value < 0 || value > INT32_MAX)
            return fail(err, NOWHERE, "option --if: '%s' is not NAME=NUMBER, as registers=64",
                        item);
        *equals = 0;
        if (strcmp(item, names[0]) == 0)
            w->registers_per_thread = (int)value;
        else if (strcmp(item, names[1]) == 0)
            w->block_threads = (int)value;
        else if (strcmp(item, names[2]) == 0)
            w->shared_bytes_per_block = value;
        else
            return fail(err, NOWHERE,
                        "option --if: there is no '%s'; it takes registers, block and shared",
                        item);
        list += length + (list[length] == ',');
    }
    return true;
}

// The chip a run was on: "sim:h200" names it, a real device's name holds it; with the roofs measured on
// that device, where it was probed here.
static bool chip_of(struct arena *a, const struct run_header *h, const struct gpu **out,
                    struct error *err)
{
    struct gpu *chip = NULL;
    if (str_starts_with(h->device_id, "sim:")) {
        bool loaded = gpu_load(a, h->device_id + strlen("sim:"), &chip, err);
        *out = chip;
        return loaded;
    }
    if (!gpu_find_by_name(a, h->device_name, &chip, err))
        return false;
    *out = chip ? roofs_known(a, chip, h->device_name) : NULL;
    return *out || fail(err, NOWHERE, "nothing is known of '%s': no file in gpus/ describes it",
                        h->device_name);
}

static bool other_chip(struct arena *a, const char *id, const struct gpu **out, struct error *err)
{
    struct gpu *chip = NULL;
    if (!gpu_load(a, id, &chip, err))
        return false;
    *out = roofs_known(a, chip, NULL);
    return true;
}

static struct diagnosis_input input_of(const struct result *r, const struct gpu *gpu)
{
    const struct diagnosis *d = &r->diagnosis;
    double time = r->time.summary.median;
    double launches = 1;
    for (int i = 0; i < d->bound_count; i++)
        if (d->bounds[i].resource == RESOURCE_LAUNCH)
            launches = d->bounds[i].work;
    return (struct diagnosis_input){
        .gpu = gpu,
        .counters = &r->counters,
        .time_ns = {time, r->time.provenance},
        .transfers = transfers_of(&r->counters),
        .work_bytes = d->throughput_gbps * time,
        .work_flops_f16 = (double)NAN,
        .work_flops_f32 = (double)NAN,
        .work_flops_f64 = (double)NAN,
        .work_flops_tensor = (double)NAN,
        .launches = (int)launches,
    };
}

static json_t *whatif_json(const struct result *r, const struct whatif_result *w)
{
    json_t *bounds = json_array();
    for (int i = 0; i < w->bound_count; i++)
        json_array_append_new(bounds, json_pack("{s:s, s:f, s:s?}", "resource",
                                                resource_name(w->bounds[i].resource), "time_ns",
                                                w->bounds[i].time_ns, "rate_source",
                                                w->bounds[i].rate_source));
    return json_pack("{s:s, s:s, s:f, s:f, s:s, s:f, s:f, s:s, s:o}", "variant", r->variant, "case",
                     r->case_label, "time_ns", r->time.summary.median, "expected_time_ns",
                     w->expected_time_ns, "provenance", "modelled", "occupancy_before_pct",
                     w->before.pct, "occupancy_after_pct", w->after.pct, "limiter", w->limiter,
                     "bounds", bounds);
}

bool cli_whatif(const struct options *o, struct arena *a, const struct run *run,
                const struct result *only, struct error *err)
{
    struct whatif change = {-1, -1, -1, NULL};
    const struct gpu *here = NULL, *there = NULL;
    struct text out = {0};
    struct report_style style = cli_style(o);
    json_t *json = json_array();
    bool done = change_parse(option_text(o, OPTION_IF, ""), &change, a, err) &&
                chip_of(a, &run->header, &here, err) &&
                (!option_given(o, OPTION_ON_CHIP) ||
                 other_chip(a, option_text(o, OPTION_ON_CHIP, ""), &there, err));
    change.gpu = there;
    for (int i = 0; done && i < run->result_count; i++) {
        const struct result *r = &run->results[i];
        struct whatif_result w;
        if ((only && r != only) || !r->diagnosed)
            continue;
        struct diagnosis_input in = input_of(r, here);
        done = diagnose_whatif(a, &in, &change, &w, err) ||
               error_context(err, "variant '%s', %s", r->variant, r->case_label);
        if (done && option_given(o, OPTION_JSON))
            json_array_append_new(json, whatif_json(r, &w));
        else if (done)
            report_whatif(r, &w, here, there ? there : here, &style, &out);
    }
    done = done && cli_print_either(o, json, &out, err);
    json_decref(json);
    text_release(&out);
    return done;
}
