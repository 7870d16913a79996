// PTX text all the way: whatever the parser takes, the simulator's decoder must take apart, and every
// kernel of it must run or be refused: a small block, a few thousand instructions, all checks.
// SPDX-License-Identifier: Apache-2.0
#include "ptx/ptx.h"
#include "sim/run/exec.h"
#include "sim/sim.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes);

enum {
    BUDGET = 4000,
    BUFFER_BYTES = 4096,
    PARAM_BYTES_MOST = 4096,
    REGISTERS_MOST =
        200000, // of a warp's 32 lanes, each with its shadow: more takes seconds, not more care
    THREADS = 40
};

// Parameters of eight bytes point to a buffer; all others are small numbers.
static void kernel_run(struct sim *s, const struct sim_module *m, const struct ptx_function *f,
                       uint64_t buffer)
{
    struct arena a = {0};
    struct error err = {0};
    struct sim_report report = {0};
    const void **args = ARENA_ARRAY(&a, const void *, f->param_count + 1);
    for (int i = 0; i < f->param_count; i++) {
        size_t size = f->params[i].size_bytes;
        uint8_t *value = arena_alloc(&a, size + 8);
        memset(value, 0, size + 8);
        if (size == 8)
            memcpy(value, &buffer, 8);
        else
            value[0] = 5;
        args[i] = value;
    }
    struct sim_launch launch = {.module = m,
                                .kernel = f->name,
                                .grid = {2, 1, 1},
                                .block = {THREADS, 1, 1},
                                .args = args,
                                .arg_count = f->param_count,
                                .threads = 1,
                                .checks = SIM_CHECK_BOUNDS | SIM_CHECK_UNINIT | SIM_CHECK_RACES,
                                .budget_warp_instructions = BUDGET};
    if (!sim_launch(s, &launch, &a, &report, &err))
        error_clear(&err);
    arena_release(&a);
}

static void module_run(struct sim *s, const struct ptx_module *ptx, uint64_t buffer)
{
    struct error err = {0};
    struct sim_module *m = NULL;
    if (!sim_module_load(s, ptx, &m, &err))
        return;
    for (int i = 0; i < ptx->function_count; i++) {
        const struct ptx_function *f = &ptx->functions[i];
        if (!f->is_entry || !f->has_body || f->param_bytes > PARAM_BYTES_MOST ||
            f->register_count > REGISTERS_MOST)
            continue;
        program_free(program_new(m, f, s->isa));
        kernel_run(s, m, f, buffer);
    }
    sim_module_unload(s, m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
    struct arena a = {0};
    struct error err = {0};
    struct ptx_module *ptx = NULL;
    struct gpu *gpu = NULL;
    struct sim *s = NULL;
    uint64_t buffer = 0;
    char *text = xcalloc(size_bytes + 1, 1);
    memcpy(text, data, size_bytes);
    if (memchr(text, 0, size_bytes) == NULL &&
        ptx_parse(&a, "fuzz.ptx", text, size_bytes, &ptx, &err)) {
        if (!gpu_load(&a, "h200", &gpu, &err) || !sim_open(gpu, &s, &err) ||
            !sim_alloc(s, BUFFER_BYTES, "buffer", &buffer, &err) ||
            !sim_fill(s, buffer, 0, BUFFER_BYTES, &err))
            abort();
        module_run(s, ptx, buffer);
        sim_close(s);
    }
    free(text);
    arena_release(&a);
    return 0;
}
