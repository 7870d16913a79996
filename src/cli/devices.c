// ridge devices: what is installed, what is missing, how to get it.
// SPDX-License-Identifier: Apache-2.0
#include "cli/cli.h"

#include <math.h>

static json_t *device_json(const struct device_info *d)
{
    return json_pack("{s:s, s:s, s:s, s:b, s:s, s:i, s:I}", "id", d->id, "name", d->name, "backend",
                     d->backend, "simulated", (int)d->simulated, "cc", d->gpu ? d->gpu->arch : "",
                     "sm_count", d->facts.sm_count, "memory_bytes",
                     (json_int_t)d->facts.memory_bytes);
}

static json_t *part_json(const struct device_part *p)
{
    return json_pack("{s:s, s:b, s:s?, s:s?}", "what", p->what, "present", (int)p->present,
                     "detail", p->detail, "remedy", p->remedy);
}

static json_t *inventory_json(const struct device_inventory *v)
{
    json_t *devices = json_array(), *parts = json_array();
    for (int i = 0; i < v->device_count; i++)
        json_array_append_new(devices, device_json(&v->devices[i]));
    for (int i = 0; i < v->part_count; i++)
        json_array_append_new(parts, part_json(&v->parts[i]));
    return json_pack("{s:s, s:i, s:o, s:o}", "ridge", RIDGE_VERSION, "schema", 1, "devices",
                     devices, "parts", parts);
}

static void chip_print(const struct gpu *g, struct text *out)
{
    for (int f = 0; f < GPU_FIELD_COUNT; f++)
        if (!isnan(g->value[f]))
            text_printf(out, "      %-26s %12g %-14s %s\n", gpu_field_info((enum gpu_field)f)->name,
                        g->value[f], gpu_field_info((enum gpu_field)f)->unit, g->source[f]);
}

static void inventory_print(const struct device_inventory *v, bool verbose, struct text *out)
{
    text_add(out, "Devices:\n");
    for (int i = 0; i < v->device_count; i++) {
        const struct device_info *d = &v->devices[i];
        char memory[32];
        text_printf(out, "  %-14s %s, %d SMs, %s\n", d->id, d->name, d->facts.sm_count,
                    format_bytes((double)d->facts.memory_bytes, memory));
        if (verbose && d->gpu)
            chip_print(d->gpu, out);
    }
    text_add(out, "Parts:\n");
    for (int i = 0; i < v->part_count; i++) {
        const struct device_part *p = &v->parts[i];
        text_printf(out, "  %-8s %s%s%s\n", p->present ? "here" : "missing", p->what,
                    p->detail ? ": " : "", p->detail ? p->detail : "");
        if (!p->present && p->remedy)
            text_printf(out, "           %s\n", p->remedy);
    }
}

bool command_devices(const struct options *o, int *status, struct error *err)
{
    struct arena a = {0};
    struct text out = {0};
    struct device_inventory v = {0};
    *status = 0;
    bool done = device_inventory(&a, &v, err);
    for (int i = 0; i < v.device_count; i++)
        if (v.devices[i].warning)
            cli_warn(v.devices[i].warning);
    if (done && option_given(o, OPTION_JSON)) {
        done = cli_print_json(inventory_json(&v), err);
    } else if (done) {
        inventory_print(&v, option_given(o, OPTION_VERBOSE), &out);
        done = cli_print(&out, err);
    }
    text_release(&out);
    arena_release(&a);
    return done;
}
