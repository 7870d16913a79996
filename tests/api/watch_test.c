// Regions as metrics (ridge_watch_*), on the simulated H200: what is counted, how many names there are, what the file says.
// SPDX-License-Identifier: Apache-2.0
#include "base/base.h"
#include "ridge.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void ok(int status)
{
    if (status != RIDGE_OK)
        fail_msg("status %d: %s", status, ridge_error());
}

static const char *metrics_file(struct arena *a)
{
    const char *folder = getenv("TMPDIR");
    return path_join(a, folder ? folder : "/tmp", "ridge_watch_test.prom");
}

static char *file_text(const char *path)
{
    char *text = NULL;
    size_t size = 0;
    struct error err = {0};
    assert_true(file_read(path, 1 << 20, &text, &size, &err));
    return text;
}

static void pass(ridge_watch *w, const char *name, int times)
{
    double time_ns;
    for (int i = 0; i < times; i++) {
        ok(ridge_watch_begin(w, name, NULL));
        ok(ridge_watch_end(w, NULL, &time_ns));
        assert_true(isnan(time_ns) || time_ns >= 0);
    }
}

static int setup(void **state)
{
    ridge *r;
    ok(ridge_open("sim:h200", NULL, &r));
    *state = r;
    return 0;
}

static int teardown(void **state)
{
    ok(ridge_close(*state));
    return 0;
}

static void every_pass_is_counted_and_some_are_timed(void **state)
{
    ridge_watch *w;
    struct ridge_watched x;
    ok(ridge_watch_open(*state, &(struct ridge_watch_options){.overhead = 1}, &w));
    pass(w, "solve", 1000);
    ok(ridge_watch_figures(w, "solve", &x));
    assert_int_equal(x.passes, 1000);
    assert_int_equal(x.timed, 1000); // a share of 1 is no limit
    assert_true(x.total_ns >= 0 && x.median_ns >= 0);
    ok(ridge_watch_close(w));
    ok(ridge_watch_open(*state, &(struct ridge_watch_options){.overhead = 0.5}, &w));
    pass(w, "solve", 1000);
    ok(ridge_watch_figures(w, "solve", &x));
    assert_int_equal(x.passes, 1000);
    assert_true(x.timed >= 1 && x.timed <= 1000);
    ok(ridge_watch_close(w));
}

static void names_beyond_the_limit_are_one(void **state)
{
    ridge_watch *w;
    struct ridge_watched x;
    char name[32];
    ok(ridge_watch_open(*state, &(struct ridge_watch_options){.regions_max = 3}, &w));
    for (int i = 0; i < 100; i++) {
        (void)snprintf(name, sizeof name, "request %d", i);
        pass(w, name, 1);
    }
    ok(ridge_watch_figures(w, "request 2", &x));
    assert_int_equal(x.passes, 1);
    ok(ridge_watch_figures(w, "other", &x));
    assert_int_equal(x.passes, 97);
    assert_int_equal(ridge_watch_figures(w, "request 50", &x), RIDGE_BAD_INPUT);
    ok(ridge_watch_close(w));
}

static void the_file_is_prometheus_text(void **state)
{
    struct arena a = {0};
    ridge_watch *w;
    ok(ridge_watch_open(*state, &(struct ridge_watch_options){.textfile = metrics_file(&a)}, &w));
    pass(w, "a \"quoted\\ name", 2);
    ok(ridge_watch_close(w));
    char *text = file_text(metrics_file(&a));
    assert_non_null(strstr(text, "# TYPE ridge_region_passes_total counter\n"));
    assert_non_null(strstr(text,
                           "ridge_region_passes_total{region=\"a \\\"quoted\\\\ name\",device="
                           "\"sim:h200\",provenance=\"modelled\"} 2\n"));
    assert_non_null(strstr(text, "\nridge_region_overhead_ratio "));
    free(text);
    (void)remove(metrics_file(&a));
    arena_release(&a);
}

static void a_region_in_a_region_is_refused(void **state)
{
    ridge_watch *w;
    ok(ridge_watch_open(*state, NULL, &w));
    ok(ridge_watch_begin(w, "outer", NULL));
    assert_int_equal(ridge_watch_begin(w, "inner", NULL), RIDGE_BAD_INPUT);
    ok(ridge_watch_end(w, NULL, NULL));
    assert_int_equal(ridge_watch_end(w, NULL, NULL), RIDGE_BAD_INPUT);
    ok(ridge_watch_close(w));
    assert_int_equal(ridge_watch_open(*state, &(struct ridge_watch_options){.overhead = 2}, &w),
                     RIDGE_BAD_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_pass_is_counted_and_some_are_timed, setup, teardown),
        cmocka_unit_test_setup_teardown(names_beyond_the_limit_are_one, setup, teardown),
        cmocka_unit_test_setup_teardown(the_file_is_prometheus_text, setup, teardown),
        cmocka_unit_test_setup_teardown(a_region_in_a_region_is_refused, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
