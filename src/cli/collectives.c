// ridge probe --device A,B,…: what the links between GPUs deliver, row by row, beside the roof that follows from them.
// SPDX-License-Identifier: Apache-2.0
#include "cli/cli.h"
#include "fleet/collectives.h"

#include <math.h>
#include <string.h>

static const double pct_per_one = 100, ns_per_us = 1e3;

struct shown {
    struct device_info **devices;
    const struct collectives *c;
    const struct topology *topology;
};

// Bytes per ns are GB/s.
static double bus_gbps(const struct shown *s, enum collective which, int size)
{
    const struct collective_row *row = &s->c->rows[which][size];
    return row->size_bytes / row->time_ns.median * collective_bus(which, s->c->device_count);
}

static double pair_gbps(const struct collective_pair *p)
{
    return collectives_large_bytes / p->large_ns.median;
}

/* ---- JSON ---------------------------------------------------------------------------------------------- */

static json_t *number_json(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *rows_json(const struct shown *s)
{
    json_t *rows = json_array();
    for (int i = 0; i < COLLECTIVE_COUNT; i++)
        for (int k = 0; k < s->c->row_count[i]; k++) {
            const struct collective_row *row = &s->c->rows[i][k];
            enum collective which = (enum collective)i;
            struct collective_roof roof = collective_roof(s->topology, s->c, which);
            double bus = bus_gbps(s, which, k);
            json_array_append_new(
                rows,
                json_pack("{s:s, s:f, s:f, s:f, s:f, s:s, s:b, s:f, s:s?, s:o, s:o}", "collective",
                          collective_info(which)->name, "bytes", row->size_bytes, "time_ns",
                          row->time_ns.median, "low_ns", row->time_ns.low, "high_ns",
                          row->time_ns.high, "provenance", "measured", "verified",
                          (int)row->verified, "bus_gbps", bus, "roof", roof.how, "roof_gbps",
                          number_json(roof.gbps), "of_roof", number_json(bus / roof.gbps)));
        }
    return rows;
}

static json_t *pairs_json(const struct shown *s)
{
    json_t *pairs = json_array();
    for (int i = 0; i < s->c->pair_count; i++) {
        const struct collective_pair *p = &s->c->pairs[i];
        json_array_append_new(
            pairs, json_pack("{s:s, s:s, s:f, s:f, s:f, s:f, s:f}", "from", s->devices[p->from]->id,
                             "to", s->devices[p->to]->id, "latency_ns", p->small_ns.median, "bytes",
                             collectives_large_bytes, "time_ns", p->large_ns.median, "low_ns",
                             p->large_ns.low, "high_ns", p->large_ns.high));
    }
    return pairs;
}

// null: nobody is.
static json_t *slow_json(const struct shown *s)
{
    const struct collective_slow *w = &s->c->slow;
    if (!s->c->has_slow)
        return json_null();
    return json_pack("{s:s?, s:s?, s:s?, s:f, s:f, s:f}", "device",
                     w->device >= 0 ? s->devices[w->device]->id : NULL, "from",
                     w->device >= 0 ? NULL : s->devices[w->from]->id, "to",
                     w->device >= 0 ? NULL : s->devices[w->to]->id, "ratio", w->against.ratio,
                     "low", w->against.low, "high", w->against.high);
}

static json_t *collectives_json(const struct shown *s)
{
    json_t *devices = json_array();
    for (int i = 0; i < s->c->device_count; i++)
        json_array_append_new(devices, json_string(s->devices[i]->id));
    return json_pack("{s:s, s:i, s:o, s:s, s:s, s:b, s:s, s:o, s:o, s:o}", "ridge", RIDGE_VERSION,
                     "schema", 1, "devices", devices, "way", exchange_way_name(s->c->by.way),
                     "version", s->c->by.version, "nvls", (int)s->c->multicast, "instead",
                     s->c->by.instead, "rows", rows_json(s), "pairs", pairs_json(s), "slow",
                     slow_json(s));
}

/* ---- text ------------------------------------------------------------------------------------------------ */

static void print_collective(const struct shown *s, enum collective which, struct text *out)
{
    struct collective_roof roof = collective_roof(s->topology, s->c, which);
    double latency_us = s->c->rows[which][0].time_ns.median / ns_per_us;
    double steps = collective_steps(which, s->c->device_count);
    text_printf(out, "\n%s: %s\n", collective_info(which)->name, collective_info(which)->words);
    for (int i = 0; i < s->c->row_count[which]; i++) {
        const struct collective_row *row = &s->c->rows[which][i];
        double bus = bus_gbps(s, which, i);
        char size[32], time[32], low[32], high[32];
        text_printf(out, "  %10s %10s  (%s to %s)  %8.4g GB/s on the bus",
                    format_bytes(row->size_bytes, size), format_time_ns(row->time_ns.median, time),
                    format_time_ns(row->time_ns.low, low), format_time_ns(row->time_ns.high, high),
                    bus);
        if (isfinite(roof.gbps))
            text_printf(out, ", %.1f %%", pct_per_one * bus / roof.gbps);
        text_add(out, "\n");
    }
    if (isfinite(roof.gbps))
        text_printf(out, "  of %.4g GB/s: %s, raw, as reported; ", roof.gbps, roof.how);
    else
        text_add(out, "  no roof: the links' speed is not reported; ");
    text_printf(out, "latency %.3g us, %.3g us per step of a ring\n", latency_us,
                latency_us / steps);
}

static void print_slow(const struct shown *s, struct text *out)
{
    const struct collective_slow *w = &s->c->slow;
    if (!s->c->has_slow) {
        text_add(out, s->c->pair_count > 1
                          ? "No pair is slower than the others by 5 % beyond the noise.\n"
                          : "");
        return;
    }
    if (w->device >= 0)
        text_printf(out, "Slow: %s, all of whose messages", s->devices[w->device]->id);
    else
        text_printf(out, "Slow: %s to %s, whose messages", s->devices[w->from]->id,
                    s->devices[w->to]->id);
    text_printf(out, " take %.3g times as long as the others' (%.3g to %.3g)\n",
                1 / w->against.ratio, 1 / w->against.high, 1 / w->against.low);
}

static void print_pairs(const struct shown *s, struct text *out)
{
    char size[32];
    text_printf(out, "\nPair by pair, nothing else under way (messages of %s)\n",
                format_bytes(collectives_large_bytes, size));
    for (int i = 0; i < s->c->pair_count; i++) {
        const struct collective_pair *p = &s->c->pairs[i];
        char time[32];
        text_printf(
            out, "  %s to %s: %8.4g GB/s (%.4g to %.4g), latency %s\n", s->devices[p->from]->id,
            s->devices[p->to]->id, pair_gbps(p), collectives_large_bytes / p->large_ns.high,
            collectives_large_bytes / p->large_ns.low, format_time_ns(p->small_ns.median, time));
    }
    print_slow(s, out);
}

static void collectives_print(const struct shown *s, struct text *out)
{
    text_printf(out, "Links of %d GPUs, %s%s%s%s, NVLink multicast %s; measured\n",
                s->c->device_count, exchange_way_words(s->c->by.way),
                s->c->by.version[0] ? " (" : "", s->c->by.version, s->c->by.version[0] ? ")" : "",
                s->c->multicast ? "on" : "off");
    if (s->c->by.instead[0])
        text_printf(out, "Not by a better way: %s\n", s->c->by.instead);
    for (int i = 0; i < COLLECTIVE_COUNT; i++)
        print_collective(s, (enum collective)i, out);
    print_pairs(s, out);
}

static bool find_all(const char *devices, struct arena *a, struct device_info ***out, int *count,
                     struct error *err)
{
    const char *const *names;
    if (!cli_device_list(a, devices, &names, count, err))
        return false;
    *out = ARENA_ARRAY(a, struct device_info *, *count);
    for (int i = 0; i < *count; i++) {
        bool again = i > 0 && (*out)[i - 1]->simulated && strcmp(names[i], names[i - 1]) == 0;
        (*out)[i] = again ? (*out)[i - 1] : ARENA_NEW(a, struct device_info);
        if (!again && !device_find(a, names[i], (*out)[i], err))
            return false;
    }
    return true;
}

/* ---- simulated devices ----------------------------------------------------------------------------------- */

static bool all_simulated(struct device_info *const *devices, int count)
{
    bool all = true;
    for (int i = 0; i < count; i++)
        all = all && devices[i]->simulated;
    return all;
}

json_t *cli_links_json(const struct links *l)
{
    return json_pack("{s:s, s:i, s:i, s:f, s:o, s:f, s:o, s:o}", "node", l->name, "gpus_per_node",
                     l->per_node, "nodes", l->nodes, "link_gbps", l->link_gbps, "network_gbps",
                     number_json(l->network_gbps), "start_ns", l->start_ns, "validated_gpus",
                     number_json(l->validated_devices), "validated_error_pct",
                     number_json(l->validated_error_pct));
}

void cli_print_validated(const struct links *l, struct text *out)
{
    if (isnan(l->validated_devices))
        text_add(out, "not validated\n");
    else
        text_printf(out, "%s (up to %.0f GPUs within %.0f %%)\n",
                    l->devices <= (int)l->validated_devices ? "held against measured exchanges"
                                                            : "not validated for so many",
                    l->validated_devices, l->validated_error_pct);
}

static json_t *modelled_json(struct device_info *const *devices, const struct links *l)
{
    json_t *rows = json_array(), *ids = json_array();
    for (int i = 0; i < l->devices; i++)
        json_array_append_new(ids, json_string(devices[i]->id));
    for (int c = 0; c < COLLECTIVE_COUNT; c++)
        for (int i = 0; i < COLLECTIVE_SIZES; i++) {
            double size = collectives_size(i, l->devices);
            double time_ns = collective_modelled_ns(l, (enum collective)c, size);
            json_array_append_new(
                rows, json_pack("{s:s, s:f, s:f, s:s, s:b, s:f}", "collective",
                                collective_info((enum collective)c)->name, "bytes", size, "time_ns",
                                time_ns, "provenance", "modelled", "verified", 0, "bus_gbps",
                                size / time_ns * collective_bus((enum collective)c, l->devices)));
        }
    return json_pack("{s:s, s:i, s:o, s:s, s:o, s:o}", "ridge", RIDGE_VERSION, "schema", 1,
                     "devices", ids, "way", "model", "model", cli_links_json(l), "rows", rows);
}

static void modelled_print(const struct links *l, struct text *out)
{
    text_printf(out, "Links of %d simulated GPUs, %d node%s of %s%s; modelled, ", l->devices,
                l->nodes, plural(l->nodes), l->name, l->kinds > 1 ? " and others" : "");
    cli_print_validated(l, out);
    text_printf(out, "  %10s", "");
    for (int c = 0; c < COLLECTIVE_COUNT; c++)
        text_printf(out, "  %22s", collective_info((enum collective)c)->name);
    text_add(out, "\n");
    for (int i = 0; i < COLLECTIVE_SIZES; i++) {
        double size = collectives_size(i, l->devices);
        char bytes[32], time[32];
        text_printf(out, "  %10s", format_bytes(size, bytes));
        for (int c = 0; c < COLLECTIVE_COUNT; c++) {
            double time_ns = collective_modelled_ns(l, (enum collective)c, size);
            text_printf(out, "  %10s %6.4g GB/s", format_time_ns(time_ns, time),
                        size / time_ns * collective_bus((enum collective)c, l->devices));
        }
        text_add(out, "\n");
    }
    text_printf(out, "GB/s on the bus, of %.4g of a GPU's links one way", l->link_gbps);
    if (l->nodes > 1)
        text_printf(out, " and %.4g of its network", l->network_gbps);
    text_add(out, ".\n");
}

static bool modelled_command(const struct options *o, struct arena *a,
                             struct device_info *const *devices, int count, struct error *err)
{
    const struct device_info **infos = ARENA_ARRAY(a, const struct device_info *, count);
    struct links l;
    struct text out = {0};
    const char *why = NULL;
    for (int i = 0; i < count; i++)
        infos[i] = devices[i];
    if (!links_of(a, infos, count, &l, &why, err))
        return false;
    if (why)
        return fail(err, NOWHERE, "%s", why);
    if (option_given(o, OPTION_JSON))
        return cli_print_json(modelled_json(devices, &l), err);
    modelled_print(&l, &out);
    bool done = cli_print(&out, err);
    text_release(&out);
    return done;
}

bool cli_collectives(const struct options *o, const char *devices, struct arena *a,
                     struct error *err)
{
    struct collectives *c = ARENA_NEW(a, struct collectives);
    struct topology t = {0};
    struct shown s = {.c = c, .topology = &t};
    struct text out = {0};
    int count = 0;
    struct error ignored = {0}; // a roof that is not known is said
    if (!find_all(devices, a, &s.devices, &count, err))
        return false;
    if (all_simulated(s.devices, count))
        return modelled_command(o, a, s.devices, count, err);
    if (!collectives_measure(s.devices, count, cli_cancelled, c, err))
        return false;
    if (c->wrong[0])
        return fail_as(err, ERROR_CHECK, NOWHERE, "the links' results are wrong: %s", c->wrong);
    struct device_info *infos = ARENA_ARRAY(a, struct device_info, count);
    for (int i = 0; i < count; i++)
        infos[i] = *s.devices[i];
    (void)!device_topology(a, infos, count, &t, &ignored);
    if (!option_given(o, OPTION_JSON))
        collectives_print(&s, &out);
    bool done = option_given(o, OPTION_JSON) ? cli_print_json(collectives_json(&s), err)
                                             : cli_print(&out, err);
    text_release(&out);
    return done;
}
