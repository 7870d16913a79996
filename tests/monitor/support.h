// What the tests of monitor share: the fake NVML under the real one's name, and the file that its figures are in.
// SPDX-License-Identifier: Apache-2.0
#ifndef TESTS_MONITOR_SUPPORT_H
#define TESTS_MONITOR_SUPPORT_H

#include "base/base.h"
#include "monitor/internal.h"
#include "support/fake.h"

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
    static char folder[200];
    const char *tmp = getenv("TMPDIR");
    (void)snprintf(folder, sizeof folder, "%s/monitor-XXXXXX", tmp ? tmp : "/tmp");
    assert_non_null(mkdtemp(folder));
    (void)snprintf(fake_state, sizeof fake_state, "%s/state", folder);
    setenv("FAKE_NVML", fake_state, 1);
    (void)fake_open(folder, "libnvidia-ml.so.1", "tests/monitor/fake_nvml.c");
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
