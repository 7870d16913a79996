// What the tests of device share: sources written to a folder of their own, compilers that may not
// be here.
// SPDX-License-Identifier: Apache-2.0
#ifndef TESTS_DEVICE_SUPPORT_H
#define TESTS_DEVICE_SUPPORT_H

#include "base/base.h"
#include "device/internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

// A fresh folder below TMPDIR.
static inline const char *make_folder(struct arena *a)
{
    const char *tmp = getenv("TMPDIR");
    char *path = arena_printf(a, "%s/device-XXXXXX", tmp ? tmp : "/tmp");
    assert_non_null(mkdtemp(path));
    return path;
}

static inline const char *write_source(struct arena *a, const char *folder, const char *name,
                                       const char *text)
{
    const char *path = path_join(a, folder, name);
    struct error err = {0};
    if (!file_write(path, text, strlen(text), &err))
        fail_msg("%s", err.message);
    return path;
}

// Skips the test, saying why, where the compiler is not here.
static inline void need_compiler(struct arena *a, const char *name)
{
    struct tool tool;
    struct error err = {0};
    bool found = strcmp(name, "nvrtc") == 0  ? nvrtc_find(a, &tool, &err)
                 : strcmp(name, "nvcc") == 0 ? nvcc_find(a, &tool, &err)
                                             : clang_find(a, name, &tool, &err);
    if (!found) {
        print_message("%s is not here: %s\n", name, err.message);
        arena_release(a);
        skip();
    }
}

static inline struct compile_request request_for(const char *path, const char *compiler)
{
    return (struct compile_request){.source_path = path, .compiler = compiler, .arch = "sm_90"};
}

#endif
