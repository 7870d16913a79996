// Any bytes as a chip's file: refused with a message, or every figure that a chip needs is there, positive
// and with a source, and occupancy is computed of it.
// SPDX-License-Identifier: Apache-2.0
#include "gpu/gpu.h"
#include "target.h"

#include <math.h>
#include <string.h>

static void check_chip(const struct gpu *g)
{
    require(g->name[0] && g->vendor[0] && g->arch[0] && gpu_words(g)->sm);
    for (int f = 0; f < GPU_FIELD_COUNT; f++) {
        require(!isinf(g->value[f]) && (isnan(g->value[f]) || g->value[f] >= 0));
        require(isnan(g->value[f]) || g->source[f][0]);
        require(gpu_field_info((enum gpu_field)f)->need != GPU_NEEDED || !isnan(g->value[f]));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a = {0};
    struct error err = {0};
    struct gpu *chip = NULL;
    char *text = arena_alloc(&a, size + 1); // NUL terminated, as file_read gives it
    if (size > 0)
        memcpy(text, data, size);
    if (gpu_parse(&a, "fuzz.yaml", text, size, &chip, &err))
        check_chip(chip);
    else
        require(err.kind != ERROR_NONE && str_starts_with(err.message, "fuzz.yaml"));
    arena_release(&a);
    return 0;
}
