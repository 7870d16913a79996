// What the tests of monitor share: the fake NVML under the real one's name, and the file that its figures are in.
// SPDX-License-Identifier: Apache-2.0
#ifndef TESTS_MONITOR_SUPPORT_H
#define TESTS_MONITOR_SUPPORT_H

#include "base/base.h"
#include "monitor/internal.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char fake_state[256]; // the file

// What the GPUs report from now on.
static inline void fake_say(const char *lines)
{
    FILE *f = fopen(fake_state, "we");
    assert_non_null(f);
    fputs(lines, f);
    (void)fclose(f);
}

static inline void fake_load(void)
{
    struct arena a = {0};
    static char folder[200];
    const char *tmp = getenv("TMPDIR");
    (void)snprintf(folder, sizeof folder, "%s/monitor-XXXXXX", tmp ? tmp : "/tmp");
    assert_non_null(mkdtemp(folder));
    const char *library = path_join(&a, folder, "libnvidia-ml.so.1");
    (void)snprintf(fake_state, sizeof fake_state, "%s/state", folder);
    setenv("FAKE_NVML", fake_state, 1);
    const char *const argv[] = {"cc",
                                "-shared",
                                "-fPIC",
                                "-Wl,-soname,libnvidia-ml.so.1",
                                "-o",
                                library,
                                "tests/monitor/fake_nvml.c",
                                NULL};
    struct process_spec spec = {.argv = argv, .timeout_s = 60};
    struct process_result r;
    struct error err = {0};
    if (!process_run(&spec, &r, &err))
        fail_msg("%s", err.message);
    if (r.exit_status != 0)
        fail_msg("%s", text_str(&r.err_text));
    process_result_release(&r);
    assert_non_null(dlopen(library, RTLD_NOW | RTLD_GLOBAL));
    arena_release(&a);
    fake_say("");
}

static inline struct monitor *opened(const struct monitor_options *options)
{
    struct monitor *m = NULL;
    struct error err = {0};
    if (!monitor_open(options, &m, &err))
        fail_msg("%s", err.message);
    return m;
}

static const uint64_t second = 1000000000;

#endif
