// The tuned table: what is kept is read again, and which entry holds for a size: the nearest case, the fastest variant
// there, and never a stale one.
// SPDX-License-Identifier: Apache-2.0
#include "tune/table.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;

static int teardown(void **state)
{
    arena_release(&arena);
    return 0;
}

static struct tuned_entry entry(const char *variant, double n, double time_ns)
{
    struct tuned_size *size = ARENA_NEW(&arena, struct tuned_size);
    *size = (struct tuned_size){"N", n};
    return (struct tuned_entry){.experiment = "e",
                                .variant = variant,
                                .sizes = size,
                                .size_count = 1,
                                .device = "GPU",
                                .platform = "CUDA 13.0",
                                .source = "abc",
                                .provenance = "measured",
                                .time_ns = time_ns,
                                .energy_mj = (double)NAN,
                                .energy_error = (double)NAN,
                                .at = "now"};
}

static struct tuned_entry by_energy(const char *variant, double n, double time_ns, double energy_mj,
                                    enum objective objective)
{
    struct tuned_entry e = entry(variant, n, time_ns);
    e.objective = objective;
    e.energy_mj = energy_mj;
    return e;
}

static enum objective asked_for;

static struct tuned_answer ask(struct tuned_entry *entries, int count, double n)
{
    struct tuned_table t = {entries, count};
    struct tuned_size *size = ARENA_NEW(&arena, struct tuned_size);
    *size = (struct tuned_size){"N", n};
    struct tuned_query q = {.experiment = "e",
                            .sizes = size,
                            .size_count = 1,
                            .device = "GPU",
                            .platform = "CUDA 13.2",
                            .source = "abc",
                            .objective = asked_for};
    struct tuned_answer found;
    tuned_select(&arena, &t, &q, &found);
    return found;
}

static void the_nearest_case_is_taken_by_ratio(void **state)
{
    struct tuned_entry e[] = {entry("v", 100, 1), entry("v", 10000, 1)};
    assert_true(ask(e, 2, 900).entry == &e[0]); // 9 times, and 11 times
    assert_true(ask(e, 2, 1100).entry == &e[1]);
    assert_true(fabs(ask(e, 2, 400).octaves - 2) < 1e-12);
}

static void of_two_as_near_the_smaller_case_is_taken(void **state)
{
    struct tuned_entry e[] = {entry("v", 4000, 1), entry("v", 1000, 1)};
    assert_true(ask(e, 2, 2000).entry == &e[1]);
}

static void in_the_case_the_fastest_variant_is_taken(void **state)
{
    struct tuned_entry e[] = {entry("slow", 1000, 9), entry("fast", 1000, 5),
                              entry("far", 9000, 1)};
    assert_string_equal(ask(e, 3, 1000).entry->variant, "fast");
}

static void a_stale_entry_is_never_taken_and_the_reason_is_said(void **state)
{
    struct tuned_entry e[] = {entry("v", 1000, 1)};
    assert_non_null(ask(e, 1, 1000).entry); // another minor version of the driver is the same
    e[0].platform = "CUDA 12.9";
    assert_null(ask(e, 1, 1000).entry);
    assert_non_null(strstr(ask(e, 1, 1000).why, "1 of another driver or model"));
    e[0].platform = "CUDA 130.0";
    assert_null(ask(e, 1, 1000).entry);
    e[0] = entry("v", 1000, 1);
    e[0].source = "abd";
    assert_non_null(strstr(ask(e, 1, 1000).why, "1 of another source"));
    e[0].source = ""; // a library's: nothing is known of its code
    assert_null(ask(e, 1, 1000).entry);
    e[0] = entry("v", 1000, 1);
    e[0].device = "GPU (simulated)";
    assert_non_null(strstr(ask(e, 1, 1000).why, "1 of another chip"));
    e[0] = entry("v", -1, 1);
    assert_non_null(strstr(ask(e, 1, 1000).why, "1 of sizes that cannot be compared"));
}

static void what_a_session_found_is_kept_in_the_place_of_an_earlier_entry(void **state)
{
    static const char *const tiles[] = {"8", "16"};
    struct axis axis = {"TILE", tiles, 2, true};
    struct error err = {0};
    struct tuned_table t;
    const char *folder = getenv("TMPDIR");
    const char *path =
        path_join(&arena, folder ? folder : "/tmp",
                  arena_printf(&arena, "tuned-%llx.json", (unsigned long long)random_seed()));
    struct evaluation e = {.point = 1,
                           .outcome = OUTCOME_CORRECT,
                           .time_ns = 10,
                           .low_ns = 10,
                           .high_ns = 10,
                           .at = "now"};
    struct tuning s = {.experiment = "e",
                       .variant = "v",
                       .case_label = "N=7",
                       .device_name = "GPU",
                       .platform = "CUDA 13.0",
                       .source_hash = "abc",
                       .provenance = "measured",
                       .evaluations = &e,
                       .count = 1,
                       .most = 1};
    struct tuned_size size = {"N", 7};
    search_space_make(&arena, &axis, 1, (uint16_t[]){0, 1}, 2, &s.space);
    ties_find(&arena, &e, 1, OBJECTIVE_TIME, &s.ties);
    assert_true(tuned_keep(&arena, path, &s, &size, 1, &err));
    e.point = 0;
    assert_true(tuned_keep(&arena, path, &s, &size, 1, &err));
    size.value = 8;
    assert_true(tuned_keep(&arena, path, &s, &size, 1, &err));
    assert_true(tuned_read(&arena, path, &t, &err));
    assert_int_equal(t.count, 2);
    assert_string_equal(tuned_choices_text(&arena, &t.entries[0]), "TILE=8");
    assert_string_equal(tuned_sizes_text(&arena, &t.entries[1]), "N=8");
    assert_true(t.entries[0].complete);
    // By energy it is an entry beside that of the time.
    s.objective = OBJECTIVE_ENERGY;
    e.energy_mj = 3;
    e.energy_error = 0.1;
    e.point = 1;
    ties_find(&arena, &e, 1, s.objective, &s.ties);
    assert_true(tuned_keep(&arena, path, &s, &size, 1, &err));
    assert_true(tuned_read(&arena, path, &t, &err));
    assert_int_equal(t.count, 3);
    assert_int_equal(t.entries[1].objective, OBJECTIVE_TIME);
    assert_int_equal(t.entries[2].objective, OBJECTIVE_ENERGY);
    assert_string_equal(tuned_choices_text(&arena, &t.entries[2]), "TILE=16");
    s.objective = OBJECTIVE_TIME;
    (void)remove(path);
    (void)remove(arena_printf(&arena, "%s.lock", path));
    // Nothing that is right: nothing is written.
    e.outcome = OUTCOME_CORRECTNESS;
    ties_find(&arena, &e, 1, OBJECTIVE_TIME, &s.ties);
    assert_true(tuned_keep(&arena, path, &s, &size, 1, &err));
    assert_false(file_exists(path));
}

static void each_objective_has_entries_of_its_own(void **state)
{
    struct tuned_entry e[] = {entry("fast", 1000, 5),
                              by_energy("fast", 1000, 5, 9, OBJECTIVE_ENERGY),
                              by_energy("thrifty", 1000, 8, 6, OBJECTIVE_ENERGY),
                              by_energy("fast", 1000, 5, 9, OBJECTIVE_EDP),
                              by_energy("thrifty", 1000, 8, 6, OBJECTIVE_EDP)};
    (void)state;
    assert_true(ask(e, 5, 1000).entry == &e[0]);
    assert_string_equal(ask(e, 5, 1000).why, "");
    asked_for = OBJECTIVE_ENERGY;
    assert_true(ask(e, 5, 1000).entry == &e[2]);
    asked_for = OBJECTIVE_EDP;
    assert_true(ask(e, 5, 1000).entry == &e[3]); // 45 against 48
    assert_null(ask(e, 1, 1000).entry);
    assert_string_equal(ask(e, 1, 1000).why, "no current entry of e: 1 of another objective");
    asked_for = OBJECTIVE_TIME;
}

static void an_entry_by_energy_is_written_and_read_and_needs_its_energy(void **state)
{
    struct tuned_entry e[] = {by_energy("v", 1000, 8, 6, OBJECTIVE_ENERGY), entry("v", 1000, 5)};
    struct tuned_table t = {e, 2}, again;
    struct error err = {0};
    (void)state;
    e[0].energy_error = 0.05;
    json_t *j = tuned_to_json(&t);
    char *text = json_dumps(j, 0);
    assert_true(tuned_parse(&arena, "t.json", text, strlen(text), &again, &err));
    assert_int_equal(again.entries[0].objective, OBJECTIVE_ENERGY);
    assert_true(again.entries[0].energy_mj > 5.9 && again.entries[0].energy_mj < 6.1);
    assert_true(again.entries[0].energy_error > 0.04 && again.entries[0].energy_error < 0.06);
    assert_int_equal(again.entries[1].objective, OBJECTIVE_TIME);
    assert_true(isnan(again.entries[1].energy_mj));
    free(text);
    json_object_del(json_array_get(json_object_get(j, "entries"), 0), "energy_mj");
    text = json_dumps(j, 0);
    assert_false(tuned_parse(&arena, "t.json", text, strlen(text), &again, &err));
    free(text);
    json_decref(j);
}

static void a_table_that_is_not_there_is_empty_and_a_broken_one_an_error(void **state)
{
    struct tuned_table t;
    struct error err = {0};
    assert_true(tuned_read(&arena, "/nonexistent/tuned.json", &t, &err));
    assert_int_equal(t.count, 0);
    assert_false(tuned_parse(&arena, "t.json", "{", 1, &t, &err));
    assert_non_null(strstr(err.message, "t.json:1: no JSON"));
    error_clear(&err);
    assert_false(tuned_parse(&arena, "t.json", "{}", 2, &t, &err));
    assert_non_null(strstr(err.message, "no tuned table of version 1"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_nearest_case_is_taken_by_ratio),
        cmocka_unit_test(of_two_as_near_the_smaller_case_is_taken),
        cmocka_unit_test(in_the_case_the_fastest_variant_is_taken),
        cmocka_unit_test(a_stale_entry_is_never_taken_and_the_reason_is_said),
        cmocka_unit_test(what_a_session_found_is_kept_in_the_place_of_an_earlier_entry),
        cmocka_unit_test(each_objective_has_entries_of_its_own),
        cmocka_unit_test(an_entry_by_energy_is_written_and_read_and_needs_its_energy),
        cmocka_unit_test(a_table_that_is_not_there_is_empty_and_a_broken_one_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, teardown);
}
