// ridge probe: measures the roofs of a device, shows them beside its chip's figures, keeps them.
// SPDX-License-Identifier: Apache-2.0
#include "agent/agent.h"
#include "cli/cli.h"
#include "fleet/fleet.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double pct_per_one = 100;

static void on_progress(void *context, enum roof_id measured)
{
    (void)context;
    agent_progress(((double)measured + 1) / ROOF_COUNT, roof_name(measured));
    fprintf(stderr, "%s measured\n", roof_name(measured));
}

// By what factor the device is better than its chip's figure says, or worse.
static double roof_ratio(const struct gpu *chip, const struct roofs *r, enum roof_id id)
{
    return r->value[id] / roof_of_chip(chip, id);
}

static json_t *number_or_null(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *probe_json(const struct device_info *d, const struct roofs *r, const char *path)
{
    json_t *roofs = json_array();
    for (int i = 0; i < ROOF_COUNT; i++) {
        enum roof_id id = (enum roof_id)i;
        if (!isnan(r->value[i]))
            json_array_append_new(
                roofs,
                json_pack("{s:s, s:s, s:s, s:f, s:s, s:o, s:s?, s:o, s:s?}", "name", roof_name(id),
                          "unit", roof_unit(id), "meaning", roof_meaning(id), "value", r->value[i],
                          "provenance", "measured", "chip_value",
                          number_or_null(roof_of_chip(d->chip, id)), "chip_source",
                          roof_source(d->chip, id), "ratio",
                          number_or_null(roof_ratio(d->chip, r, id)), "slowed_by", r->slowed[i]));
    }
    return json_pack("{s:s, s:i, s:s, s:s, s:s, s:s, s:s, s:o}", "ridge", RIDGE_VERSION, "schema",
                     1, "device", d->id, "name", r->device, "driver", r->driver, "date", r->date,
                     "file", path, "roofs", roofs);
}

static void probe_print(const struct device_info *d, const struct roofs *r, const char *path,
                        struct text *out)
{
    text_printf(out, "Roofs of %s, %s, driver for %s\n\n", d->id, r->device, r->driver);
    text_printf(out, "  %-27s %9s %-13s %-8s  %9s %6s  %s\n", "", "", "", "", "chip file", "ratio",
                "");
    for (int i = 0; i < ROOF_COUNT; i++) {
        enum roof_id id = (enum roof_id)i;
        double chip = roof_of_chip(d->chip, id);
        char beside[32] = "-", ratio[32] = "";
        if (isnan(r->value[i]))
            continue;
        if (isfinite(chip)) {
            snprintf(beside, sizeof beside, "%.4g", chip);
            snprintf(ratio, sizeof ratio, "%.0f %%", pct_per_one * roof_ratio(d->chip, r, id));
        }
        text_printf(out, "  %-27s %9.4g %-13s measured  %9s %6s  %s", roof_name(id), r->value[i],
                    roof_unit(id), beside, ratio, roof_meaning(id));
        if (r->slowed[i])
            text_printf(out, "; slowed down by %s", r->slowed[i]);
        text_add(out, "\n");
    }
    text_printf(out, "\nKept in %s: runs on this device use them as roofs from now on.\n", path);
}

static bool probe_one(const struct options *o, struct arena *arena, struct error *err)
{
    struct text out = {0};
    struct device_info device = {0};
    struct roofs roofs = {0};
    const char *path = "";
    struct probe_request request = {.compiler = option_text(o, OPTION_COMPILER, "auto"),
                                    .cancel = cli_cancelled};
    if (!option_given(o, OPTION_QUIET))
        request.progress = on_progress;
    bool done = device_find(arena, option_text(o, OPTION_DEVICE, "auto"), &device, err) &&
                device_probe(arena, &device, &request, &roofs, err) &&
                roofs_write(arena, &roofs, &path, err);
    if (done && option_given(o, OPTION_JSON)) {
        done = cli_print_json(probe_json(&device, &roofs, path), err);
    } else if (done) {
        probe_print(&device, &roofs, path, &out);
        done = cli_print(&out, err);
    }
    text_release(&out);
    return done;
}

bool command_probe(const struct options *o, int *status, struct error *err)
{
    struct arena a = {0};
    *status = 0;
    const char *devices = NULL;
    bool done = fleet_devices(&a, option_text(o, OPTION_DEVICE, "auto"), &devices, err);
    if (done && strchr(devices, ','))
        done = cli_collectives(o, devices, &a, err);
    else if (done)
        done = probe_one(o, &a, err);
    arena_release(&a);
    return done;
}
