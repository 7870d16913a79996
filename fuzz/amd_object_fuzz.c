// Any bytes as one of AMD's code objects: what the reader takes is placed, and every kernel of it runs a little or is
// refused. The same bytes as machine code: each word decodes to an instruction with a text, or is refused.
// SPDX-License-Identifier: Apache-2.0
#include "sim/amd/amd.h"
#include "sim/amd/isa.h"
#include "target.h"

#include <stdlib.h>
#include <string.h>

enum { BUDGET = 2000, ARGUMENTS_MOST = 32, ARGUMENT_BYTES_MOST = 256 };

static void read_as_code(const uint8_t *data, size_t size)
{
    const char *why = NULL;
    for (size_t at = 0; at + 4 <= size; at += 4) {
        struct amd_instruction in;
        struct text t = {0};
        if (!amd_decode((enum amd_arch)(data[0] % ARCH_COUNT), data + at, size - at, &in, &why)) {
            if (!why)
                abort();
            continue;
        }
        amd_print(&in, &t);
        if (t.length == 0 || in.size_bytes > size - at)
            abort();
        text_release(&t);
    }
}

static void run_kernel(struct sim *s, const struct amd_module *m, const struct amd_kernel *k,
                       struct arena *a)
{
    static const uint8_t zeros[ARGUMENT_BYTES_MOST];
    const void *args[ARGUMENTS_MOST];
    struct sim_report report;
    struct error err = {0};
    if (k->user_parameter_count > ARGUMENTS_MOST)
        return;
    for (int i = 0; i < ARGUMENTS_MOST; i++)
        args[i] = zeros;
    for (int i = 0; i < k->parameter_count; i++)
        if (k->parameters[i].size_bytes > ARGUMENT_BYTES_MOST)
            return;
    const struct sim_launch l = {.kernel = k->name,
                                 .grid = {1, 1, 1},
                                 .block = {40, 1, 1},
                                 .args = args,
                                 .arg_count = k->user_parameter_count,
                                 .checks = SIM_CHECK_UNINIT,
                                 .budget_warp_instructions = BUDGET};
    (void)!amd_launch(s, m, &l, a, &report, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct arena chips;
    static const char *const names[ARCH_COUNT] = {"mi250x", "mi300x", "rx7900xtx"};
    static struct gpu *gpus[ARCH_COUNT];
    enum { FLAGS_AT = 48 }; // of the ELF header: which chip the file is for
    struct arena a = {0};
    struct sim *s = NULL;
    struct amd_module *m = NULL;
    struct error err = {0};
    read_as_code(data, size);
    for (int i = 0; i < ARCH_COUNT; i++)
        if (!gpus[i] && !gpu_load(&chips, names[i], &gpus[i], &err))
            abort();
    uint8_t chip = size > FLAGS_AT ? data[FLAGS_AT] : 0;
    const struct gpu *gpu = gpus[chip == 0x41   ? ARCH_GFX1100
                                 : chip == 0x4c ? ARCH_GFX942
                                                : ARCH_GFX90A];
    if (sim_open(gpu, &s, &err) && amd_module_load(s, "fuzz.o", data, size, &m, &err)) {
        const struct amd_object *o = amd_module_object(m);
        for (int i = 0; i < o->kernel_count; i++)
            run_kernel(s, m, &o->kernels[i], &a);
    }
    amd_module_unload(m);
    sim_close(s);
    arena_release(&a);
    return 0;
}
