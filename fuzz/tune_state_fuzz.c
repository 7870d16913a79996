// Any bytes as what a tuning session left: what is taken from them is of the space's points, and right ones have a
// time within its interval.
// SPDX-License-Identifier: Apache-2.0
#include "tuner/tuner.h"
#include "target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const tiles[] = {"8", "16"}, *const types[] = {"float", "double"};
    struct axis axes[] = {{"TILE", tiles, 2, true}, {"T", types, 2, false}};
    static const uint16_t choices[] = {0, 0, 0, 1, 1, 0};
    struct arena a = {0};
    struct search_space s;
    struct tuner_state state = {.fd = -1};
    search_space_make(&a, axes, 2, choices, 3, &s);
    state_parse(&a, (const char *)data, size, &s, &state);
    for (int i = 0; i < s.count; i++) {
        const struct evaluation *begun = &state.sampled[i];
        if (begun->at)
            require(begun->point == i && begun->low_ns > 0 && begun->low_ns <= begun->time_ns &&
                    begun->time_ns <= begun->high_ns);
    }
    for (int i = 0; i < s.count; i++) {
        const struct evaluation *e = &state.known[i];
        if (!e->at)
            continue;
        require(e->point == i && (int)e->outcome >= 0 && e->outcome < OUTCOME_COUNT);
        if (e->outcome == OUTCOME_CORRECT)
            require(e->low_ns > 0 && e->low_ns <= e->time_ns && e->time_ns <= e->high_ns);
    }
    arena_release(&a);
    return 0;
}
