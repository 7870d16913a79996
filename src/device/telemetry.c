// Telemetry of a chip by its backend's library.
// SPDX-License-Identifier: Apache-2.0
#include "device/internal.h"

#include <math.h>

bool telemetry_open(const struct device_info *info, struct telemetry **out, struct error *err)
{
    const struct device_backend *b = backend_of(info);
    *out = NULL;
    if (!b || !b->telemetry)
        return fail_as(err, ERROR_SYSTEM, NOWHERE, "%s has no clocks or temperature to read",
                       info->id);
    return b->telemetry->open(info, out, err);
}

void telemetry_read(struct telemetry *t, struct device_state *out)
{
    *out = (struct device_state){.sm_mhz = (double)NAN,
                                 .memory_mhz = (double)NAN,
                                 .power_w = (double)NAN,
                                 .temperature_c = (double)NAN,
                                 .energy_mj = (double)NAN};
    t->ops->read(t, out);
}

void telemetry_close(struct telemetry *t)
{
    if (t)
        t->ops->close(t);
}

void device_state(struct device *d, struct device_state *out)
{
    struct error ignored = {0};
    *out = (struct device_state){.valid = false};
    if (!d->telemetry_tried && !telemetry_open(d->info, &d->telemetry, &ignored))
        d->telemetry = NULL;
    d->telemetry_tried = true;
    if (d->telemetry)
        telemetry_read(d->telemetry, out);
}
