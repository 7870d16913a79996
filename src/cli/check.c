// ridge check: what can be known of an experiment without running it.
// SPDX-License-Identifier: Apache-2.0
#include "cli/cli.h"

#include <math.h>

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

static void add_case(const struct checked *c, const struct checked_case *k, struct text *out)
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

static json_t *case_json(const struct checked *c, const struct checked_case *k)
{
    json_t *variants = json_array();
    for (int i = 0; i < c->variant_count; i++) {
        const struct checked_variant *v = &k->variants[i];
        json_array_append_new(variants,
                              json_pack("{s:s, s:b, s:b, s:s?, s:s?}", "variant", v->name, "fits",
                                        !v->trouble && !v->skipped, "skipped", v->skipped,
                                        "compiler", v->compiler, "error", v->trouble));
    }
    return json_pack("{s:s, s:I, s:b, s:o, s:o}", "case", k->label, "memory_bytes",
                     (json_int_t)k->memory_bytes, "fits_in_memory", k->fits, "floor_ns",
                     isnan(k->least_ns) ? json_null() : json_real(k->least_ns), "variants",
                     variants);
}

static bool show(const struct options *o, const struct checked *c, struct error *err)
{
    struct text out = {0};
    bool done = false;
    if (option_given(o, OPTION_JSON)) {
        json_t *cases = json_array();
        for (int i = 0; i < c->case_count; i++)
            json_array_append_new(cases, case_json(c, &c->cases[i]));
        done = cli_print_json(json_pack("{s:s, s:s, s:o}", "experiment", c->experiment, "device",
                                        c->device, "cases", cases),
                              err);
    } else {
        text_printf(&out, "%s on %s, nothing was run\n", c->experiment, c->device);
        for (int i = 0; i < c->case_count; i++)
            add_case(c, &c->cases[i], &out);
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
    bool done = loop_check(&a, &request, &c, err) && show(o, &c, err);
    *status = 0;
    for (int i = 0; done && i < c.case_count; i++) {
        if (!c.cases[i].fits)
            *status = STATUS_FAILED;
        for (int k = 0; k < c.variant_count; k++)
            if (c.cases[i].variants[k].trouble && *status != STATUS_SYSTEM)
                *status = c.cases[i].variants[k].by_system ? STATUS_SYSTEM : STATUS_FAILED;
    }
    arena_release(&a);
    return done;
}
