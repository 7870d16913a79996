// A list of devices in which a simulated one may stand for many: "sim:h200x8". A chip's own name goes first: sim:rtx4090 is
// one device.
// SPDX-License-Identifier: Apache-2.0
#include "fleet/fleet.h"

#include <stdlib.h>
#include <string.h>

static bool is_chip(struct arena *a, const char *name)
{
    const char *const *ids = NULL;
    struct error ignored = {0};
    if (!gpu_list(a, &ids, &ignored))
        return false;
    for (; *ids; ids++)
        if (strcmp(*ids, name) == 0)
            return true;
    return false;
}

// Of "sim:h200x8" 8 and "sim:h200"; else 1 and all of it.
static long times_of(struct arena *a, const char *device, const char **one)
{
    const char *cross = strrchr(device, 'x');
    *one = device;
    if (!str_starts_with(device, "sim:") || !cross || !cross[1] ||
        cross[1 + strspn(cross + 1, "0123456789")] || is_chip(a, device + 4))
        return 1;
    *one = arena_strndup(a, device, (size_t)(cross - device));
    return strtol(cross + 1, NULL, 10);
}

bool fleet_devices(struct arena *a, const char *list, const char **out, struct error *err)
{
    struct text all = {0};
    const char *comma = "";
    long count = 0;
    for (const char *s = list; s; s = strchr(s, ',') ? strchr(s, ',') + 1 : NULL) {
        const char *device = arena_strndup(a, s, strcspn(s, ",")), *one;
        long times = times_of(a, device, &one);
        if (times < 1 || times > FLEET_DEVICES_MOST || (count += times) > FLEET_DEVICES_MOST) {
            text_release(&all);
            return fail(err, NOWHERE, "option --device: '%s': give 1 to %d devices in all", device,
                        FLEET_DEVICES_MOST);
        }
        for (long i = 0; i < times; i++, comma = ",")
            text_printf(&all, "%s%s", comma, one);
    }
    *out = arena_strdup(a, text_str(&all));
    text_release(&all);
    return true;
}
