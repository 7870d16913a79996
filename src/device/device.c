// Devices by name. A backend is a row of the table below.
// SPDX-License-Identifier: Apache-2.0
#include "device/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char fallback_device[] = "sim:h200"; // what "auto" means where no real GPU is
static const char sim_prefix[] = "sim:", cuda_prefix[] = "cuda:";

static const struct device_ops *const backends[] = {&cuda_device_ops, &sim_device_ops};

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

struct device_facts device_facts_of(const struct gpu *g)
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

bool chips_simulated(struct arena *a, const char *const **ids, struct error *err)
{
    const char *const *all = NULL;
    size_t count = 0, kept = 0;
    if (!gpu_list(a, &all, err))
        return false;
    while (all[count])
        count++;
    const char **list = ARENA_ARRAY(a, const char *, count + 1);
    for (size_t i = 0; i < count; i++) {
        struct gpu *g = NULL;
        if (!gpu_load(a, all[i], &g, err))
            return false;
        if (gpu_is_simulated(g))
            list[kept++] = all[i];
    }
    *ids = list;
    return true;
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
        .chip = g,
        .facts = device_facts_of(g),
    };
    return true;
}

static bool fail_unknown(struct arena *a, const char *id, struct error *err)
{
    const char *const *chips = NULL;
    if (!chips_simulated(a, &chips, err))
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

// One of the real GPUs; a missing one is the system's fault, not the user's.
static bool find_cuda(struct arena *a, const char *id, struct device_info *out, struct error *err)
{
    struct device_info *infos = NULL;
    int count = 0;
    struct error why = {0};
    if (!device_infos_cuda(a, &infos, &count, &why))
        return fail_as(err, ERROR_SYSTEM, NOWHERE,
                       "no device '%s': %s; --device %s needs no GPU, `ridge devices` says what is "
                       "missing",
                       id, why.message, fallback_device);
    for (int i = 0; i < count; i++)
        if (strcmp(infos[i].id, id) == 0 || (i == 0 && strcmp(id, "cuda") == 0)) {
            *out = infos[i];
            return true;
        }
    return fail_as(err, ERROR_SYSTEM, NOWHERE, "no device '%s': there %s %d (%s%s%s)", id,
                   count == 1 ? "is" : "are", count, infos[0].id, count > 1 ? " to " : "",
                   count > 1 ? infos[count - 1].id : "");
}

// A chip with a file; only some of them can be simulated.
static bool find_sim(struct arena *a, const char *chip, struct device_info *out, struct error *err)
{
    struct gpu *g = NULL;
    if (!gpu_load(a, chip, &g, err))
        return false;
    if (!gpu_is_simulated(g))
        return fail(
            err, NOWHERE,
            "the simulated GPU runs PTX, which '%s' does not: `ridge occupancy --device %s` "
            "and `ridge explain --on %s` know that chip",
            chip, chip, chip);
    return device_info_sim(a, chip, out, err);
}

bool device_find(struct arena *a, const char *id, struct device_info *out, struct error *err)
{
    static const char *const other[] = {"hip", "opencl"};
    struct device_info *real = NULL;
    struct error none = {0};
    int count = 0;
    if (!id || !*id || strcmp(id, "auto") == 0) {
        if (device_infos_cuda(a, &real, &count, &none)) {
            *out = real[0];
            return true;
        }
        id = fallback_device;
    }
    if (str_starts_with(id, cuda_prefix) || strcmp(id, "cuda") == 0)
        return find_cuda(a, id, out, err);
    for (size_t i = 0; i < COUNT_OF(other); i++)
        if (str_starts_with(id, other[i]) && strchr(":", id[strlen(other[i])]))
            return fail_as(err, ERROR_SYSTEM, NOWHERE,
                           "this version cannot measure on '%s': it has NVIDIA's GPUs (cuda:0) and "
                           "simulated ones; try --device %s",
                           id, fallback_device);
    const char *const *chips = NULL;
    if (!gpu_list(a, &chips, err))
        return false;
    if (str_starts_with(id, sim_prefix))
        for (; *chips; chips++)
            if (strcmp(*chips, id + sizeof sim_prefix - 1) == 0)
                return find_sim(a, *chips, out, err);
    return fail_unknown(a, id, err);
}
