// What stretches of vector instructions leave to count when a launch ends.
// SPDX-License-Identifier: Apache-2.0
#include "sim/amd/stretch.h"

#include "sim/amd/module.h"

#include <stdlib.h>

static void count_one(struct amd_run *run, const struct amd_stretch *t, size_t word)
{
    for (unsigned i = 0; i < t->count; i++) {
        const struct amd_instruction *in = &run->module->instructions[word];
        run->site = &run->sites[word];
        run->site->instructions += t->times;
        run->site->lanes += t->lanes;
        for (unsigned k = 0; k < in->plans; k++)
            if (in->plan[k].counts)
                amd_count_arithmetic(run, (enum amd_id)in->plan[k].id, t->lanes);
        word += in->size_bytes / 4;
    }
}

void amd_stretches_count(struct amd_run *run)
{
    for (size_t i = 0; i < run->module->object.code_bytes / 4; i++)
        if (run->stretches[i])
            count_one(run, run->stretches[i], i);
}

void amd_stretches_free(struct amd_run *run)
{
    for (size_t i = 0; i < run->module->object.code_bytes / 4; i++) {
        struct amd_stretch *t = run->stretches[i];
        if (!t)
            continue;
        for (uint32_t k = 0; k < run->waves; k++)
            amd_lines_free(t->bound[k]);
        free(t->bound);
        amd_lines_free(t->room);
        free(t->op);
        free(t);
    }
    free(run->stretches);
}
