// The splitter (fleet/split.h) for programs that run the shares themselves. Opens no device.
// SPDX-License-Identifier: Apache-2.0
#include "api/status.h"
#include "fleet/split.h"

#include <math.h>
#include <ridge.h>
#include <stdlib.h>

struct ridge_shares {
    struct split split;
};

static const double ns_per_s = 1e9;

static bool check_device(const struct ridge_shares *s, const char *function, int device,
                         struct error *err)
{
    return api_need(s, function, "the shares", err) &&
           ((device >= 0 && device < s->split.count) ||
            fail(err, NOWHERE, "%s: there is no device %d: they are 0 to %d", function, device,
                 s->split.count - 1));
}

int ridge_shares_open(int device_count, const struct ridge_shares_options *options,
                      struct ridge_shares **out)
{
    struct error err = {0};
    const struct ridge_shares_options o = options ? *options : (struct ridge_shares_options){0};
    if (!api_need(out, "ridge_shares_open", "out", &err))
        return api_end(false, &err);
    *out = NULL;
    if (device_count < 1)
        return api_end(fail(&err, NOWHERE, "ridge_shares_open: %d devices; at least 1 is needed",
                            device_count),
                       &err);
    if (!(o.weight >= 0 && o.weight <= 1))
        return api_end(fail(&err, NOWHERE,
                            "ridge_shares_open: the weight is %g; it must be above 0 to 1, or 0 "
                            "for the default",
                            o.weight),
                       &err);
    struct ridge_shares *s = xcalloc(1, sizeof *s);
    s->split = (struct split){.devices = xcalloc((size_t)device_count, sizeof *s->split.devices),
                              .count = device_count,
                              .granule = o.granule,
                              .weight = o.weight,
                              .adaptive = o.adapt != 0};
    *out = s;
    return RIDGE_OK;
}

void ridge_shares_close(struct ridge_shares *s)
{
    if (s)
        free(s->split.devices);
    free(s);
}

int ridge_shares_limit(struct ridge_shares *s, int device, uint64_t units)
{
    struct error err = {0};
    if (!check_device(s, "ridge_shares_limit", device, &err))
        return api_end(false, &err);
    s->split.devices[device].most = units;
    return RIDGE_OK;
}

int ridge_shares_add(struct ridge_shares *s, int device, uint64_t units, double time_ns,
                     double noise)
{
    struct error err = {0};
    if (!check_device(s, "ridge_shares_add", device, &err))
        return api_end(false, &err);
    if (units == 0 || !(time_ns > 0) || !isfinite(time_ns) || !(noise >= 0))
        return api_end(fail(&err, NOWHERE,
                            "ridge_shares_add: %llu units in %g ns with a noise of %g: units and "
                            "time must be above 0, the noise not below",
                            (unsigned long long)units, time_ns, noise),
                       &err);
    split_observe(&s->split, device, units, time_ns, noise);
    return RIDGE_OK;
}

int ridge_shares_lose(struct ridge_shares *s, int device)
{
    struct error err = {0};
    if (!check_device(s, "ridge_shares_lose", device, &err))
        return api_end(false, &err);
    s->split.devices[device].lost = true;
    return RIDGE_OK;
}

int ridge_split(const struct ridge_shares *s, uint64_t units, uint64_t *shares, uint64_t *dealt)
{
    struct error err = {0};
    bool left = false;
    if (!api_need(s, "ridge_split", "the shares' handle", &err) ||
        !api_need(shares, "ridge_split", "shares", &err))
        return api_end(false, &err);
    for (int i = 0; i < s->split.count; i++)
        left = left || !s->split.devices[i].lost;
    if (!left)
        return api_end(fail_as(&err, ERROR_SYSTEM, NOWHERE, "ridge_split: every device is lost"),
                       &err);
    uint64_t all = split_shares(&s->split, units, shares);
    if (dealt)
        *dealt = all;
    return RIDGE_OK;
}

double ridge_shares_rate(const struct ridge_shares *s, int device)
{
    struct error ignored = {0};
    return check_device(s, "ridge_shares_rate", device, &ignored)
               ? s->split.devices[device].rate * ns_per_s
               : (double)NAN;
}
