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

// What is not known is null.
static json_t *number_json(int value)
{
    return value < 0 ? json_null() : json_integer(value);
}

static json_t *rate_json(double gbps)
{
    return isnan(gbps) ? json_null() : json_real(gbps);
}

static json_t *flag_json(int value)
{
    return value < 0 ? json_null() : json_boolean(value);
}

static json_t *topology_json(const struct device_inventory *v, const struct topology *t)
{
    json_t *gpus = json_array(), *pairs = json_array();
    for (int i = 0; i < t->gpu_count; i++) {
        const struct topology_gpu *g = &t->gpus[i];
        json_array_append_new(
            gpus,
            json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "id", v->devices[g->device].id,
                      "pcie_generation", number_json(g->pcie_generation), "pcie_generation_max",
                      number_json(g->pcie_generation_max), "pcie_lanes", number_json(g->pcie_lanes),
                      "pcie_lanes_max", number_json(g->pcie_lanes_max), "numa_node",
                      number_json(g->numa_node), "nvlinks", number_json(g->nvlinks), "nvlink_gbps",
                      rate_json(g->nvlink_gbps)));
    }
    for (int i = 0; i < t->pair_count; i++) {
        const struct topology_pair *p = &t->pairs[i];
        json_array_append_new(
            pairs,
            json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:s?}", "first",
                      v->devices[p->first].id, "second", v->devices[p->second].id, "peer",
                      flag_json(p->peer), "rank", number_json(p->rank), "atomics",
                      flag_json(p->atomics), "nvlinks", number_json(p->nvlinks), "nvswitch",
                      flag_json(p->nvswitch), "nvlink_gbps", rate_json(p->nvlink_gbps), "pcie_path",
                      p->path < TOPOLOGY_PATH_COUNT ? topology_path_info(p->path)->name : NULL));
    }
    return json_pack("{s:o, s:o, s:s?}", "gpus", gpus, "pairs", pairs, "note", t->note);
}

static json_t *inventory_json(const struct device_inventory *v, const struct topology *t)
{
    json_t *devices = json_array(), *parts = json_array();
    for (int i = 0; i < v->device_count; i++)
        json_array_append_new(devices, device_json(&v->devices[i]));
    for (int i = 0; i < v->part_count; i++)
        json_array_append_new(parts, part_json(&v->parts[i]));
    return json_pack("{s:s, s:i, s:o, s:o, s:o}", "ridge", RIDGE_VERSION, "schema", 1, "devices",
                     devices, "links", topology_json(v, t), "parts", parts);
}

static void chip_print(const struct gpu *g, struct text *out)
{
    for (int f = 0; f < GPU_FIELD_COUNT; f++)
        if (!isnan(g->value[f]))
            text_printf(out, "      %-26s %12g %-14s %s\n", gpu_field_info((enum gpu_field)f)->name,
                        g->value[f], gpu_field_info((enum gpu_field)f)->unit, g->source[f]);
}

static void gpu_links_print(const struct topology_gpu *g, const char *id, struct text *out)
{
    text_printf(out, "  %-14s ", id);
    if (g->pcie_generation < 0 || g->pcie_lanes < 0)
        text_add(out, "PCIe not known");
    else
        text_printf(out, "PCIe generation %d x%d", g->pcie_generation, g->pcie_lanes);
    if (g->pcie_generation_max > g->pcie_generation || g->pcie_lanes_max > g->pcie_lanes)
        text_printf(out, " now, of %d x%d", g->pcie_generation_max, g->pcie_lanes_max);
    if (g->numa_node >= 0)
        text_printf(out, ", NUMA node %d", g->numa_node);
    if (g->nvlinks == 0)
        text_add(out, ", no NVLink up");
    if (g->nvlinks > 0)
        text_printf(out, ", %d NVLink%s up", g->nvlinks, plural(g->nvlinks));
    if (g->nvlinks > 0 && !isnan(g->nvlink_gbps))
        text_printf(out, ", %.4g GB/s one way each", g->nvlink_gbps);
    text_add(out, "\n");
}

static void pair_print(const struct topology_pair *p, const char *first, const char *second,
                       struct text *out)
{
    static const char *const peers[] = {"no peer access: copies go over the host", "peer access"};
    text_printf(out, "  %s - %s: %s", first, second,
                p->peer < 0 ? "peer access not known" : peers[p->peer]);
    if (p->peer > 0 && p->rank >= 0)
        text_printf(out, " of rank %d", p->rank);
    if (p->peer > 0 && p->atomics >= 0)
        text_add(out, p->atomics ? " with atomics" : " without atomics");
    if (p->nvlinks > 0)
        text_printf(out, "; %d NVLink%s%s", p->nvlinks, plural(p->nvlinks),
                    p->nvswitch > 0 ? " through switches" : "");
    if (p->nvlinks > 0 && !isnan(p->nvlink_gbps))
        text_printf(out, ", %.4g GB/s one way", p->nvlink_gbps);
    if (p->nvlinks == 0)
        text_add(out, "; no NVLink");
    if (p->path < TOPOLOGY_PATH_COUNT)
        text_printf(out, "; %s", topology_path_info(p->path)->words);
    text_add(out, "\n");
}

static void topology_print(const struct device_inventory *v, const struct topology *t,
                           struct text *out)
{
    if (t->gpu_count == 0)
        return;
    text_add(out, "Links (as the driver and NVML report them; nothing of it is measured):\n");
    for (int i = 0; i < t->gpu_count; i++)
        gpu_links_print(&t->gpus[i], v->devices[t->gpus[i].device].id, out);
    for (int i = 0; i < t->pair_count; i++)
        pair_print(&t->pairs[i], v->devices[t->pairs[i].first].id,
                   v->devices[t->pairs[i].second].id, out);
    if (t->note)
        text_printf(out, "  %s\n", t->note);
}

static void inventory_print(const struct device_inventory *v, const struct topology *t,
                            bool verbose, struct text *out)
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
    topology_print(v, t, out);
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
    struct topology t = {0};
    bool json = option_given(o, OPTION_JSON), verbose = option_given(o, OPTION_VERBOSE);
    bool done = device_inventory(&a, &v, err);
    if (done && (json || verbose))
        done = device_topology(&a, v.devices, v.device_count, &t, err);
    for (int i = 0; i < v.device_count; i++)
        if (v.devices[i].warning)
            cli_warn(v.devices[i].warning);
    if (done && json) {
        done = cli_print_json(inventory_json(&v, &t), err);
    } else if (done) {
        inventory_print(&v, &t, verbose, &out);
        done = cli_print(&out, err);
    }
    text_release(&out);
    arena_release(&a);
    return done;
}
