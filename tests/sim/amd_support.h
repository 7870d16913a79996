// What the tests of the simulated AMD GPU share: sources compiled by clang as ridge does it, without a linker.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_TESTS_AMD_SUPPORT_H
#define RIDGE_TESTS_AMD_SUPPORT_H

#include "sim/amd/amd.h"
#include "sim/amd/isa.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h> // last: its fail() hides base's

static inline bool amd_run_program(struct arena *a, const char *const *argv, const char **out)
{
    struct process_spec spec = {.argv = argv, .timeout_s = 120};
    struct process_result r;
    struct error err = {0};
    if (!process_run(&spec, &r, &err))
        return false;
    bool done = r.exit_status == 0 && !r.timed_out;
    if (!done)
        print_message("%s: %s\n", argv[0], text_str(&r.err_text));
    *out = arena_strndup(a, r.out.data ? r.out.data : "", r.out.length);
    process_result_release(&r);
    return done;
}

// Is there a clang that makes code for AMD's GPUs?
static inline bool amd_has_clang(struct arena *a)
{
    const char *out;
    const char *const argv[] = {"clang", "--print-targets", NULL};
    return program_find(a, "clang") && amd_run_program(a, argv, &out) && strstr(out, "amdgcn");
}

// A clang that makes code for the architecture; NULL: there is none.
static inline const char *amd_clang_for(struct arena *a, enum amd_arch arch)
{
    static const char *const later[] = {"clang-19", "clang-20", "clang-18",
                                        "clang-17", "clang-21", "clang-16"};
    size_t count = arch == ARCH_GFX942 ? 5 : COUNT_OF(later); // gfx942: from 17 on
    if (arch == ARCH_GFX90A)
        return amd_has_clang(a) ? "clang" : NULL;
    for (size_t i = 0; i < count; i++)
        if (program_find(a, later[i]))
            return later[i];
    return NULL;
}

// Assembly text to an object file; false: there is no clang that knows the target.
static inline bool amd_assemble_for(struct arena *a, enum amd_arch arch, const char *source,
                                    const char *object)
{
    const char *out, *clang = amd_clang_for(a, arch);
    const char *const argv[] = {clang,
                                "--target=amdgcn-amd-amdhsa",
                                arena_printf(a, "-mcpu=%s", amd_arch_names[arch]),
                                "-x",
                                "assembler",
                                "-c",
                                source,
                                "-o",
                                object,
                                NULL};
    return clang && amd_run_program(a, argv, &out);
}

static inline bool amd_assemble(struct arena *a, const char *source, const char *object)
{
    return amd_assemble_for(a, ARCH_GFX90A, source, object);
}

// A CUDA source to an object file, in the folder.
static inline bool amd_compile_for(struct arena *a, enum amd_arch arch, const char *source,
                                   const char *folder, const char *object)
{
    const char *out, *assembly = path_join(a, folder, "kernels.s"), *clang = amd_clang_for(a, arch);
    const char *const argv[] = {clang,
                                "-x",
                                "hip",
                                "--cuda-device-only",
                                arena_printf(a, "--offload-arch=%s", amd_arch_names[arch]),
                                "-nogpulib",
                                "-nogpuinc",
                                "-nostdinc",
                                "-O3",
                                "-gline-tables-only",
                                "-std=c++17",
                                "-fno-math-errno",
                                "-DRIDGE_DEFAULT_DEVICE",
                                "-include",
                                "assets/amd_min.h",
                                "-S",
                                "-o",
                                assembly,
                                source,
                                NULL};
    return clang && amd_run_program(a, argv, &out) && amd_assemble_for(a, arch, assembly, object);
}

static inline bool amd_compile(struct arena *a, const char *source, const char *folder,
                               const char *object)
{
    return amd_compile_for(a, ARCH_GFX90A, source, folder, object);
}

#endif
