// Under what two runs were made: figures of another chip, driver or clock policy are no baseline.
// SPDX-License-Identifier: Apache-2.0
#include "gate/internal.h"

static const char *environment(const struct run *r, const char *key)
{
    return json_string_value(json_object_get(r->header.environment, key));
}

// Of simulated code: the counters are the compiler's as much as the source's.
static const char *other_compiler(struct arena *a, const struct run *before, const struct run *now)
{
    for (int i = 0; i < now->result_count; i++)
        for (int k = 0; k < before->result_count; k++) {
            const struct result *x = &before->results[k], *y = &now->results[i];
            if (x->compiler && y->compiler && same_words(x->variant, y->variant) &&
                same_words(x->case_label, y->case_label) && !same_words(x->compiler, y->compiler))
                return arena_printf(a,
                                    "it was compiled by %s, and is by %s now: choose one with "
                                    "--compiler",
                                    x->compiler, y->compiler);
        }
    return NULL;
}

const char *gate_conditions_differ(struct arena *a, const struct run *before, const struct run *now)
{
    const struct {
        const char *what, *before, *now;
    } rows[] = {
        {"chip", before->header.device_name, now->header.device_name},
        {"driver", environment(before, "driver"), environment(now, "driver")},
        {"clock policy", environment(before, "clocks"), environment(now, "clocks")},
        {"state of caches", before->header.cache_state, now->header.cache_state},
        {"model of time (ridge and the chip's file)", environment(before, "model"),
         environment(now, "model")},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (!same_words(rows[i].before, rows[i].now))
            return arena_printf(a, "another %s: the baseline has '%s', and this is '%s'",
                                rows[i].what, rows[i].before ? rows[i].before : "unknown",
                                rows[i].now ? rows[i].now : "unknown");
    return environment(now, "model") ? other_compiler(a, before, now) : NULL;
}
