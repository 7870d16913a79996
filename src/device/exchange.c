// Ways of exchanging, and the best one that devices have.
// SPDX-License-Identifier: Apache-2.0
#include "device/internal.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name, *words;
} ways[EXCHANGE_WAY_COUNT] = {
#define WAY(id, name, words) {name, words},
#include "device/exchange_ways.def"
#undef WAY
};

const char *exchange_way_name(enum exchange_way way)
{
    return ways[way].name;
}

const char *exchange_way_words(enum exchange_way way)
{
    return ways[way].words;
}

bool device_exchanges(const struct device_info *info)
{
    const struct device_backend *b = backend_of(info);
    return b && b->ops->exchange;
}

bool exchange_open_best(const struct device_exchange_ops *ops, struct device *const *devices,
                        int count, const struct exchange_team *team, struct exchange_choice *chosen,
                        struct device_exchange **out, struct error *err)
{
    struct error why = {0};
    *chosen = (struct exchange_choice){0};
    enum exchange_way end = team ? EXCHANGE_NCCL + 1 : EXCHANGE_WAY_COUNT;
    for (chosen->way = EXCHANGE_NCCL; chosen->way < end; chosen->way++) {
        if (ops->open(devices, count, team, chosen->way, out, &why)) {
            const char *version = ops->version(*out);
            (void)snprintf(chosen->version, sizeof chosen->version, "%.500s",
                           version ? version : "");
            return true;
        }
        size_t used = strlen(chosen->instead);
        (void)snprintf(chosen->instead + used, sizeof chosen->instead - used, "%s%.220s",
                       used ? "; " : "", why.message);
        why = (struct error){0};
    }
    return fail_as(err, ERROR_SYSTEM, NOWHERE, "%s", chosen->instead);
}
