// What of a variant is given to the compiler. Shared by the run, by `ridge check` and by `ridge new --from`.
// SPDX-License-Identifier: Apache-2.0
#include "loop/request.h"

#include <string.h>

const char *loop_source_of(const struct experiment *e, int variant,
                           const struct device_info *device)
{
    const struct variant_spec *v = &e->variants[variant];
    const char *const *all = v->source ? v->sources : e->sources;
    for (; all && *all; all++)
        if (device_takes_source(device, *all))
            return *all;
    return v->source ? v->source : e->source;
}

// Kernels that are named with template arguments are made by naming them.
static const char *const *instances_of(struct arena *a, const struct variant_spec *v, int *count)
{
    const char **names = ARENA_ARRAY(a, const char *, v->launch_count + 1);
    *count = 0;
    for (int i = 0; i < v->launch_count; i++) {
        const char *name = v->launches[i].kernel;
        bool again = !name || !strchr(name, '<');
        for (int k = 0; !again && k < *count; k++)
            again = strcmp(names[k], name) == 0;
        if (!again)
            names[(*count)++] = name;
    }
    return names;
}

// All kernels and variables that the experiment names of that source: those of its variants are compiled together.
static const char *const *needed_of(struct arena *a, const struct experiment *e,
                                    const struct device_info *device, const char *source,
                                    int *count)
{
    int room = 0;
    for (int i = 0; i < e->variant_count; i++)
        for (int k = 0; k < e->variants[i].launch_count; k++)
            room += 1 + e->variants[i].launches[k].set_count;
    const char **names = ARENA_ARRAY(a, const char *, room + 1);
    *count = 0;
    for (int i = 0; i < e->variant_count; i++) {
        const char *own = loop_source_of(e, i, device);
        for (int k = 0; own && strcmp(own, source) == 0 && k < e->variants[i].launch_count; k++) {
            const struct launch_spec *launch = &e->variants[i].launches[k];
            if (launch->kernel)
                names[(*count)++] = launch->kernel;
            for (int n = 0; n < launch->set_count; n++)
                names[(*count)++] = launch->sets[n].variable;
        }
    }
    return names;
}

struct compile_request loop_compile_request(struct arena *a, const struct experiment *e,
                                            int variant, const struct resolved_variant *v,
                                            const struct device_info *device,
                                            const struct loop_request *asked)
{
    struct compile_request request = {
        .source_path = loop_source_of(e, variant, device),
        .defines = (const char *const *)v->defines,
        .define_count = v->define_count,
        .device = device,
        .arch = device->gpu ? device->gpu->arch : NULL,
        .compiler = asked->compiler,
        .timeout_s = asked->timeout_s,
        .machine = asked->machine && !device->simulated,
        .flags = v->spec->flags.items,
        .flag_count = v->spec->flags.count,
        .flags_directory = v->spec->directory ? v->spec->directory : e->directory,
        .flags_at = v->spec->flags.at,
    };
    request.instances = instances_of(a, v->spec, &request.instance_count);
    if (request.source_path)
        request.needed = needed_of(a, e, device, request.source_path, &request.needed_count);
    return request;
}
