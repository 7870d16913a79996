// Devices by name. A backend is a row of the table below; this version has one that can measure.
// SPDX-License-Identifier: Apache-2.0
#include "device/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char default_device[] = "sim:h200"; // what "auto" means while no real backend exists
static const char sim_prefix[] = "sim:";

static const struct device_ops *const backends[] = {&sim_device_ops};

const char *environment(const char *name)
{
    const char *value = getenv(name); // NOLINT(concurrency-mt-unsafe): never set once threads run
    return value && *value ? value : NULL;
}

bool device_open(const struct device_info *info, struct device **out, struct error *err)
{
    for (size_t i = 0; i < COUNT_OF(backends); i++)
        if (strcmp(backends[i]->backend, info->backend) == 0)
            return backends[i]->open(info, out, err);
    return fail_as(err, ERROR_SYSTEM, NOWHERE, "this version cannot measure on %s", info->id);
}

static struct device_facts facts_of(const struct gpu *g)
{
    static const double cc_minor_step = 0.1;
    return (struct device_facts){
        .cc = g->cc_major + g->cc_minor * cc_minor_step,
        .sm_count = (int)GPU(g, sm_count),
        .warp_size = (int)GPU(g, warp_size),
        .max_threads_per_block = (int)GPU(g, max_threads_per_block),
        .shared_bytes_per_block = (int64_t)GPU(g, shared_bytes_per_block),
        .l2_bytes = (int64_t)GPU(g, l2_bytes),
        .memory_bytes = (int64_t)GPU(g, dram_bytes),
    };
}

bool device_info_sim(struct arena *a, const char *chip, struct device_info *out, struct error *err)
{
    struct gpu *g = NULL;
    if (!gpu_load(a, chip, &g, err))
        return false;
    *out = (struct device_info){
        .id = arena_printf(a, "%s%s", sim_prefix, chip),
        .name = arena_printf(a, "%s (simulated)", g->name),
        .backend = sim_device_ops.backend,
        .simulated = true,
        .gpu = g,
        .facts = facts_of(g),
    };
    return true;
}

static bool fail_unknown(struct arena *a, const char *id, struct error *err)
{
    const char *const *chips = NULL;
    if (!gpu_list(a, &chips, err))
        return false;
    const char *names[64] = {"auto"};
    size_t count = 1;
    struct text list = {0};
    text_add(&list, "auto");
    for (; *chips && count < COUNT_OF(names); chips++) {
        names[count] = arena_printf(a, "%s%s", sim_prefix, *chips);
        text_printf(&list, ", %s", names[count++]);
        if (strcmp(*chips, id) == 0) // "h200"
            names[0] = names[count - 1];
    }
    const char *near = strcmp(names[0], "auto") != 0 ? names[0] : str_nearest(id, names, count);
    fail(err, NOWHERE, "unknown device '%s'%s%s%s; it is one of: %s", id,
         near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "", text_str(&list));
    text_release(&list);
    return false;
}

bool device_find(struct arena *a, const char *id, struct device_info *out, struct error *err)
{
    static const char *const real[] = {"cuda", "hip", "opencl"};
    if (!id || !*id || strcmp(id, "auto") == 0)
        id = default_device;
    for (size_t i = 0; i < COUNT_OF(real); i++)
        if (str_starts_with(id, real[i]) && strchr(":", id[strlen(real[i])]))
            return fail_as(err, ERROR_SYSTEM, NOWHERE,
                           "this version cannot measure on '%s': it has simulated GPUs only; try "
                           "--device %s",
                           id, default_device);
    const char *const *chips = NULL;
    if (!gpu_list(a, &chips, err))
        return false;
    if (str_starts_with(id, sim_prefix))
        for (; *chips; chips++)
            if (strcmp(*chips, id + sizeof sim_prefix - 1) == 0)
                return device_info_sim(a, *chips, out, err);
    return fail_unknown(a, id, err);
}
