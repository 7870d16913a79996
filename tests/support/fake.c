// SPDX-License-Identifier: Apache-2.0
#include "support/fake.h"

#include "base/base.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

void *fake_open(const char *folder, const char *soname, const char *source)
{
    struct arena a = {0};
    struct process_result r;
    struct error err = {0};
    const char *library = path_join(&a, folder, soname);
    const char *name = arena_printf(&a, "-Wl,-soname,%s", soname);
    const char *const argv[] = {"cc", "-shared", "-fPIC", "-std=gnu17", "-Isrc",
                                name, "-o",      library, source,       NULL};
    struct process_spec spec = {.argv = argv, .timeout_s = 60};
    if (!process_run(&spec, &r, &err))
        fail_msg("%s", err.message);
    if (r.exit_status != 0)
        fail_msg("%s", text_str(&r.err_text));
    process_result_release(&r);
    void *handle = dlopen(library, RTLD_NOW | RTLD_GLOBAL);
    assert_non_null(handle);
    arena_release(&a);
    return handle;
}
