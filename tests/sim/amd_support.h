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

// Assembly text to an object file; false: there is no clang that knows the target.
static inline bool amd_assemble(struct arena *a, const char *source, const char *object)
{
    const char *out;
    const char *const argv[] = {"clang",        "--target=amdgcn-amd-amdhsa",
                                "-mcpu=gfx90a", "-x",
                                "assembler",    "-c",
                                source,         "-o",
                                object,         NULL};
    return amd_run_program(a, argv, &out);
}

// A CUDA source to an object file, in the folder.
static inline bool amd_compile(struct arena *a, const char *source, const char *folder,
                               const char *object)
{
    const char *out, *assembly = path_join(a, folder, "kernels.s");
    const char *const argv[] = {"clang",
                                "-x",
                                "hip",
                                "--cuda-device-only",
                                "--offload-arch=gfx90a",
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
    return amd_run_program(a, argv, &out) && amd_assemble(a, assembly, object);
}

#endif
