// Suites: a suite's file to paths, cases and variants; what --only and --shard leave.
// SPDX-License-Identifier: Apache-2.0
#include "suite/suite.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;
static struct error err;

static int teardown(void **state)
{
    (void)state;
    arena_release(&arena);
    return 0;
}

static bool parse(const char *text, struct suite *out)
{
    error_clear(&err);
    return suite_parse(&arena, "ci/suite.yaml", text, strlen(text), out, &err);
}

static void suite_file_gives_paths_cases_and_variants(void **state)
{
    (void)state;
    struct suite s;
    assert_true(parse("suite: nightly\n"
                      "experiments:\n"
                      "  - ../a\n"
                      "  - path: /b\n"
                      "    params: {N: [1024, 2048], K: 3}\n"
                      "    variants: [x, y]\n",
                      &s));
    assert_string_equal(s.name, "nightly");
    assert_string_equal(s.folder, "ci");
    assert_int_equal(s.count, 2);
    assert_string_equal(s.items[0].path, "ci/../a");
    assert_string_equal(s.items[1].path, "/b");
    assert_int_equal(s.items[1].override_count, 2);
    assert_string_equal(s.items[1].overrides[0], "N=1024,2048");
    assert_string_equal(s.items[1].overrides[1], "K=3");
    assert_int_equal(s.items[1].variant_count, 2);
    assert_string_equal(s.items[1].variants[1], "y");
}

static void suite_file_rejects(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"suite: a\n", "experiments: [...]"},
        {"experiments: [a]\n", "suite: NAME"},
        {"suite: a\nexperiments: []\n", "has no experiments"},
        {"suite: a/b\nexperiments: [x]\n", "must be a name"},
        {"suite: a\nexperiments: [{pth: x}]\n", "did you mean 'path'"},
        {"suite: a\nexperiments: [{params: {N: 1}}]\n", "'path' is missing"},
        {"suite: a\nexperiments: [{path: x, params: {N: []}}]\n", "has no values"},
        {"suite: a\nexperiment: [x]\n", "did you mean 'experiments'"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct suite s;
        assert_false(parse(rows[i].text, &s));
        assert_non_null(strstr(err.message, "ci/suite.yaml:"));
        assert_non_null(strstr(err.message, rows[i].message));
    }
}

// Shipped experiments: names that need no file beside the test.
static void open_shipped(struct suite *s)
{
    static const char *const names[] = {"transpose", "histogram", "scan", "softmax", "reduction"};
    assert_true(suite_open(&arena, names, COUNT_OF(names), s, &err));
    assert_int_equal(s->count, COUNT_OF(names));
}

static void every_experiment_is_in_one_shard(void **state)
{
    (void)state;
    enum { SHARDS = 3 };
    int seen[5] = {0};
    for (int part = 1; part <= SHARDS; part++) {
        struct suite s, all;
        open_shipped(&all);
        open_shipped(&s);
        assert_true(suite_shard(&s, arena_printf(&arena, "%d/%d", part, SHARDS), &err));
        for (int i = 0; i < s.count; i++)
            for (int k = 0; k < all.count; k++)
                seen[k] += strcmp(s.items[i].path, all.items[k].path) == 0;
    }
    for (size_t k = 0; k < COUNT_OF(seen); k++)
        assert_int_equal(seen[k], 1);
}

static void shard_rejects_what_is_no_part(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "1", "0/2", "3/2", "1/", "/2", "a/b", "1/2/3", "-1/2"};
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        struct suite s;
        open_shipped(&s);
        error_clear(&err);
        assert_false(suite_shard(&s, texts[i], &err));
        assert_non_null(strstr(err.message, "is no part"));
    }
}

static void only_keeps_experiments_and_variants(void **state)
{
    (void)state;
    struct suite s;
    open_shipped(&s);
    const char *const patterns[] = {"s*", "transpose:*d"};
    int before = s.items[0].jobs / s.items[0].experiment->variant_count;
    assert_true(suite_only(&arena, &s, patterns, 2, &err));
    assert_int_equal(s.count, 3);
    assert_string_equal(s.items[0].experiment->name, "transpose");
    assert_int_equal(s.items[0].variant_count, 3); // tiled padded striped
    assert_int_equal(s.items[0].jobs, 3 * before);
    assert_int_equal(s.items[1].variant_count, 0);
    const char *const wrong[] = {"nothing"};
    assert_false(suite_only(&arena, &s, wrong, 1, &err));
    assert_non_null(strstr(err.message, "'nothing' matches no experiment"));
}

static void experiment_that_is_named_twice_is_refused(void **state)
{
    (void)state;
    static const char *const names[] = {"scan", "scan"};
    struct suite s;
    assert_false(suite_open(&arena, names, 2, &s, &err));
    assert_non_null(strstr(err.message, "is in the suite twice"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(suite_file_gives_paths_cases_and_variants, teardown),
        cmocka_unit_test_teardown(suite_file_rejects, teardown),
        cmocka_unit_test_teardown(every_experiment_is_in_one_shard, teardown),
        cmocka_unit_test_teardown(shard_rejects_what_is_no_part, teardown),
        cmocka_unit_test_teardown(only_keeps_experiments_and_variants, teardown),
        cmocka_unit_test_teardown(experiment_that_is_named_twice_is_refused, teardown),
    };
    return cmocka_run_group_tests_name("suite", tests, NULL, NULL);
}
