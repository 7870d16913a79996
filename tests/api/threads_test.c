// Handles opened and used in several threads at once, each its own: simulated ones give their own results, those of
// a driver (a fake one, built here) their own errors. scripts/build-matrix runs it under ThreadSanitizer, which
// sees what these threads share.
// SPDX-License-Identifier: Apache-2.0
#include "base/base.h"
#include "ridge.h"

#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { THREADS = 4, ROUNDS = 6, N = 256 };

// out[i] = in[i] * the thread's factor.
static const char times_ptx[] =
    ".version 7.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry times(.param .u64 out, .param .u64 in, .param .u32 factor)\n{\n"
    ".reg .b32 %r<6>;\n.reg .b64 %l<8>;\n"
    "ld.param.u64 %l1, [out];\nld.param.u64 %l2, [in];\nld.param.u32 %r1, [factor];\n"
    "mov.u32 %r2, %tid.x;\nmul.wide.u32 %l3, %r2, 4;\nadd.s64 %l4, %l1, %l3;\nadd.s64 %l5, %l2, "
    "%l3;\n"
    "ld.global.u32 %r3, [%l5];\nmul.lo.u32 %r4, %r3, %r1;\nst.global.u32 [%l4], %r4;\nret;\n}\n";

struct worker {
    pthread_t thread;
    const char *device, *source;
    char said[512]; // what went wrong, or ""
    uint32_t number;
};

static const char *write_source(struct arena *a, const char *name, const char *text)
{
    const char *folder = getenv("TMPDIR");
    struct error err = {0};
    const char *path = path_join(a, folder ? folder : "/tmp", name);
    if (!file_write(path, text, strlen(text), &err))
        fail_msg("%s", err.message);
    return path;
}

static bool done(struct worker *w, int status)
{
    if (status != RIDGE_OK && !w->said[0])
        snprintf(w->said, sizeof w->said, "%s", ridge_error());
    return status == RIDGE_OK;
}

// All bodies: open, use, close; several times, so that one thread opens while another works.
static void run_all(void *(*body)(void *), struct worker *workers)
{
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&workers[i].thread, NULL, body, &workers[i]), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(workers[i].thread, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        assert_string_equal(workers[i].said, "");
}

/* ---- simulated devices ------------------------------------------------------------------------------ */

static bool multiply(struct worker *w, ridge *r, ridge_module *module)
{
    uint32_t data[N], back[N];
    uint64_t in = 0, out = 0;
    for (uint32_t i = 0; i < N; i++)
        data[i] = i;
    if (!done(w, ridge_alloc(r, "in", sizeof data, &in)) ||
        !done(w, ridge_alloc(r, "out", sizeof data, &out)) ||
        !done(w, ridge_write(r, in, data, sizeof data)))
        return false;
    struct ridge_argument arguments[] = {ridge_address(out), ridge_address(in),
                                         ridge_u32(w->number)};
    struct ridge_launch launch = {
        .kernel = "times", .grid = {1}, .block = {N}, .arguments = arguments, .argument_count = 3};
    if (!done(w, ridge_launch(module, &launch, NULL)) ||
        !done(w, ridge_read(r, back, out, sizeof back)))
        return false;
    for (uint32_t i = 0; i < N; i++)
        if (back[i] != i * w->number)
            snprintf(w->said, sizeof w->said, "element %u is %u, not %u", i, back[i],
                     i * w->number);
    return !w->said[0];
}

static void *simulate(void *context)
{
    struct worker *w = context;
    struct ridge_options options = {.program = "threads", .threads = 2};
    for (int i = 0; i < ROUNDS && !w->said[0]; i++) {
        ridge *r = NULL;
        ridge_module *module = NULL;
        if (!done(w, ridge_open(w->device, &options, &r)))
            break;
        if (done(w, ridge_compile(r, w->source, NULL, 0, &module)))
            (void)multiply(w, r, module);
        (void)done(w, ridge_close(r));
    }
    return NULL;
}

static void simulated_handles_of_several_threads_give_their_own_results(void **state)
{
    struct arena a = {0};
    struct worker workers[THREADS] = {0};
    (void)state;
    const char *source = write_source(&a, "times.ptx", times_ptx);
    for (uint32_t i = 0; i < THREADS; i++) {
        workers[i].device = "sim:h200";
        workers[i].source = source;
        workers[i].number = i + 2;
    }
    run_all(simulate, workers);
    arena_release(&a);
}

/* ---- a driver ----------------------------------------------------------------------------------------- */

// Builds tests/device/fake_driver.c and opens it, so that the name libcuda.so.1 means it from then on.
static bool take_fake_driver(struct arena *a)
{
    const char *folder = getenv("TMPDIR");
    const char *library = path_join(a, folder ? folder : "/tmp", "libcuda.so.1");
    const char *script =
        arena_printf(a,
                     "set -e; f=tests/device/fake_driver.c; cc -std=gnu17 -fPIC -c -o %s.o $f; "
                     "cc -std=gnu17 -fPIC -DFAKE_REST -Isrc -c -o %s.rest.o $f; "
                     "cc -shared -Wl,-soname,libcuda.so.1 -o %s %s.o %s.rest.o",
                     library, library, library, library, library);
    const char *const argv[] = {"sh", "-c", script, NULL};
    struct process_spec spec = {.argv = argv};
    struct process_result result;
    struct error err = {0};
    if (!process_run(&spec, &result, &err))
        fail_msg("%s", err.message);
    bool built = result.exit_status == 0;
    if (!built)
        print_message("%s", text_str(&result.err_text));
    process_result_release(&result);
    return built && dlopen(library, RTLD_NOW | RTLD_GLOBAL);
}

// The driver's compiler refuses the thread's code, and says its number.
static void *be_refused(void *context)
{
    struct worker *w = context;
    struct ridge_options options = {.program = "threads"};
    char own[64];
    snprintf(own, sizeof own, "fake ptxas refuses number %u here", w->number);
    for (int i = 0; i < ROUNDS && !w->said[0]; i++) {
        ridge *r = NULL;
        ridge_module *module = NULL;
        if (!done(w, ridge_open(w->device, &options, &r)))
            break;
        if (ridge_compile(r, w->source, NULL, 0, &module) == RIDGE_OK)
            snprintf(w->said, sizeof w->said, "the driver took what it refuses");
        else if (!strstr(ridge_error(), own))
            snprintf(w->said, sizeof w->said, "'%s' is not in: %.400s", own, ridge_error());
        (void)done(w, ridge_close(r));
    }
    return NULL;
}

static void handles_of_several_threads_get_their_own_compilers_words(void **state)
{
    struct arena a = {0};
    struct worker workers[THREADS] = {0};
    (void)state;
    if (!take_fake_driver(&a)) {
        arena_release(&a);
        skip();
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        workers[i].device = "cuda:0";
        workers[i].number = i;
        workers[i].source = write_source(
            &a, arena_printf(&a, "refused%u.ptx", i),
            arena_printf(&a, "// fake ptxas refuses number %u here\n%s", i, times_ptx));
    }
    run_all(be_refused, workers);
    arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(simulated_handles_of_several_threads_give_their_own_results),
        cmocka_unit_test(handles_of_several_threads_get_their_own_compilers_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
