// Any bytes as an experiment file: read, its calls of libraries checked, its cases made, resolved for a device. Whatever comes out is
// within the limits that the loop relies on, or an error with a message. Source and reference lie in
// tests/cli/scale.
// SPDX-License-Identifier: Apache-2.0
#include "device/library.h"
#include "experiment/experiment.h"
#include "target.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void check_launch(const struct resolved_launch *l, const struct resolved_case *c)
{
    if (l->kind == LAUNCH_ZERO) {
        require(l->zero_buffer >= 0 && l->zero_buffer < c->buffer_count);
        return;
    }
    if (l->kind == LAUNCH_KERNEL) {
        require(l->kernel && l->kernel[0]);
        for (int i = 0; i < 3; i++)
            require(l->grid[i] >= 1 && l->block[i] >= 1);
        require((uint64_t)l->block[0] * l->block[1] * l->block[2] <= 1024);
    }
    require((l->kind == LAUNCH_LIBRARY) == (l->library != NULL));
    for (int i = 0; i < l->arg_count; i++)
        require(l->args[i].kind != ARGUMENT_BUFFER ||
                (l->args[i].buffer >= 0 && l->args[i].buffer < c->buffer_count));
}

static void check_case(struct arena *a, const struct experiment *e, const struct case_point *point,
                       bool calls_are_right)
{
    static const struct device_facts device = {.cc = 9.0,
                                               .sm_count = 132,
                                               .warp_size = 32,
                                               .max_threads_per_block = 1024,
                                               .shared_bytes_per_block = 232448,
                                               .l2_bytes = 52428800,
                                               .memory_bytes = 141000000000};
    struct error err = {0};
    struct resolved_case c;
    require(point->label != NULL);
    if (!experiment_resolve_case(a, e, point, &device, &c, &err)) {
        require(err.kind != ERROR_NONE && err.message[0]);
        return;
    }
    for (int i = 0; i < c.buffer_count; i++)
        require(c.buffers[i].count >= 1 &&
                c.buffers[i].size_bytes == c.buffers[i].count * element_bytes(c.buffers[i].type));
    for (int v = 0; v < e->variant_count; v++) {
        struct resolved_variant variant;
        struct error why = {0};
        if (!experiment_resolve_variant(a, e, v, point, &device, &variant, &why)) {
            require(why.kind != ERROR_NONE && why.message[0]);
            continue;
        }
        for (int i = 0; i < variant.launch_count && variant.supported; i++)
            check_launch(&variant.launches[i], &c);
        if (variant.supported && calls_are_right && !libraries_check_case(&c, &variant, &why))
            require(why.kind == ERROR_INPUT && why.message[0]);
    }
}

static void check_experiment(struct arena *a, const struct experiment *e)
{
    enum { CASES_MAX = 3 };
    struct case_point *cases = NULL;
    struct error err = {0};
    int count = 0;
    require(e->name && e->title && e->variant_count > 0);
    for (int i = 0; i < e->variant_count; i++)
        require(e->variants[i].from < i && e->variants[i].launch_count > 0);
    if (!experiment_cases(a, e, NULL, 0, &cases, &count, &err)) {
        require(err.message[0] != '\0');
        return;
    }
    require(count > 0);
    bool calls_are_right = libraries_check(a, e, &err);
    require(calls_are_right || (err.kind == ERROR_INPUT && err.message[0]));
    for (int i = 0; i < count && i < CASES_MAX; i++)
        check_case(a, e, &cases[i], calls_are_right);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a = {0};
    struct error err = {0};
    struct experiment *e = NULL;
    char *text = xcalloc(size + 1, 1);
    if (size > 0)
        memcpy(text, data, size);
    if (experiment_parse(&a, "tests/cli/scale/experiment.yaml", text, size, &e, &err))
        check_experiment(&a, e);
    else
        require(err.kind != ERROR_NONE &&
                str_starts_with(err.message, "tests/cli/scale/experiment.yaml"));
    free(text);
    arena_release(&a);
    return 0;
}
