// ridge.lock: written and read back; what is worse, better, new, missing and broken against it, and at
// which line; the conditions under which nothing is judged.
// SPDX-License-Identifier: Apache-2.0
#include "gate/gate.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;
static struct error err;

static int teardown(void **state)
{
    (void)state;
    arena_release(&arena);
    error_clear(&err);
    return 0;
}

static struct lock_entry entry(const char *variant, double instructions, double sectors)
{
    struct lock_entry e = {.experiment = "copy",
                           .case_label = "N=4096 K=3",
                           .variant = variant,
                           .value = {instructions, sectors, 0, 0, 0, 16},
                           .time_ns = 2000,
                           .lines = ARENA_ARRAY(&arena, struct lock_line, 2),
                           .line_count = 2};
    e.lines[0] = (struct lock_line){
        .text = "int i = f(x) | g(y);", .file = "copy.cu", .line = 3, .value = {instructions / 2}};
    e.lines[1] = (struct lock_line){
        .text = "y[i] = x[i];", .file = "copy.cu", .line = 4, .value = {instructions / 2, sectors}};
    return e;
}

static struct lock lock_of(int count, struct lock_entry *entries)
{
    return (struct lock){.device = "sim:h200",
                         .compiler = "clang 14.0.6",
                         .registers = "estimated",
                         .model = "0.1.0 abc",
                         .seed = 7,
                         .entries = entries,
                         .count = count};
}

static struct lock reread(const struct lock *l)
{
    struct text text = {0};
    struct lock out;
    lock_write(l, &text);
    bool done = lock_parse(&arena, "ridge.lock", text_str(&text), text.length, &out, &err);
    text_release(&text);
    if (!done)
        print_error("%s\n", err.message);
    assert_true(done);
    return out;
}

static void lock_comes_back_as_it_was_written(void **state)
{
    (void)state;
    struct lock_entry entries[] = {entry("plain", 2432, 1024), entry("wide one", 123456789012, 8)};
    entries[1].value[LOCK_LOCAL] = (double)NAN;
    struct lock l = lock_of(2, entries), back = reread(&l);
    assert_string_equal(back.device, "sim:h200");
    assert_string_equal(back.compiler, "clang 14.0.6");
    assert_string_equal(back.registers, "estimated");
    assert_int_equal(back.seed, 7);
    assert_int_equal(back.count, 2);
    assert_string_equal(back.entries[1].variant, "wide one");
    assert_string_equal(back.entries[1].case_label, "N=4096 K=3");
    assert_true(back.entries[1].value[LOCK_INSTRUCTIONS] == 123456789012);
    assert_true(isnan(back.entries[1].value[LOCK_LOCAL])); // absent is not zero
    assert_int_equal(back.entries[0].line_count, 2);
    assert_string_equal(back.entries[0].lines[0].text, "int i = f(x) | g(y);");
    assert_true(back.entries[0].lines[1].value[LOCK_SECTORS] == 1024);
    assert_true(back.entries[0].time_ns == 2000);
}

static void lock_rejects(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"", "'version' is missing"},
        {"version 2\n", "ridge.lock:1: version 2 was written by a newer ridge"},
        {"version x\n", "is no version"},
        {"version 1\ndevice sim:h200\n", "'compiler' is missing"},
        {"version 1\nvariant a\n", "ridge.lock:2: 'variant' stands before"},
        {"experiment a\n case\n variant b\n  registerz 3\n", "did you mean 'registers'"},
        {"experiment a\n case\n variant b\n  registers -3\n", "'-3' is not a figure"},
        {"experiment a\n case\n variant b\n  registers nan\n", "is not a figure"},
        {"experiment a\n case\n variant b\n variant b\n", "is here twice"},
        {"experiment a\n case\n line 1 2 3 4 | x\n", "belongs to a variant"},
        {"experiment a\n case\n variant b\n line 1 2 3 | x\n", "has 4 figures"},
        {"experiment a\n case\n variant b\n line 1 2 3 4 5 | x\n", "has 4 figures"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct lock l;
        error_clear(&err);
        assert_false(
            lock_parse(&arena, "ridge.lock", rows[i].text, strlen(rows[i].text), &l, &err));
        if (!strstr(err.message, rows[i].message))
            print_error("%s\n", err.message);
        assert_non_null(strstr(err.message, rows[i].message));
    }
}

/* ---- judging ------------------------------------------------------------------------------------------ */

static struct variant_spec variants[] = {{.name = "plain", .at = {.line = 30}},
                                         {.name = "other", .at = {.line = 40}}};
static struct experiment experiment = {.name = "copy",
                                       .path = "copy/experiment.yaml",
                                       .variants = variants,
                                       .variant_count = 2,
                                       .gate = {.percent = 3}};
static struct result results[2];
static struct run run;

static struct gate_report judge(const struct lock *committed, const struct lock *fresh)
{
    struct gate_report out = {0};
    struct gate_subject subject = {.experiment = &experiment, .run = &run};
    run.header.experiment_path = "copy/experiment.yaml";
    run.results = results;
    bool done = gate_lock(&arena, committed, fresh, &subject, 1, true, &out, &err);
    if (!done)
        print_error("%s\n", err.message);
    assert_true(done);
    return out;
}

static void nothing_changed_passes(void **state)
{
    (void)state;
    struct lock_entry a = entry("plain", 2432, 1024);
    struct lock old = lock_of(1, &a), back = reread(&old);
    struct gate_report r = judge(&back, &old);
    assert_true(gate_passed(&r));
    assert_int_equal(r.counts[GATE_UNCHANGED], 1);
}

static void one_more_sector_fails_at_its_line(void **state)
{
    (void)state;
    struct lock_entry a = entry("plain", 2432, 1024), b = entry("plain", 2432, 1025);
    b.lines[1].line = 17; // code above it moved: the text is what counts
    struct lock old = lock_of(1, &a), fresh = lock_of(1, &b);
    struct gate_report r = judge(&old, &fresh);
    assert_false(gate_passed(&r));
    assert_int_equal(r.entries[0].verdict, GATE_REGRESSED);
    assert_string_equal(r.entries[0].file, "copy/copy.cu");
    assert_int_equal(r.entries[0].line, 17);
    assert_non_null(strstr(r.entries[0].why, "global_sectors 1024 to 1025 (+0.1 %)"));
}

static void the_place_is_that_of_the_figure_that_grew_most(void **state)
{
    (void)state;
    struct lock_entry a = entry("plain", 2432, 1024), b = entry("plain", 2440, 8192);
    struct lock old = lock_of(1, &a), fresh = lock_of(1, &b);
    struct gate_report r = judge(&old, &fresh);
    assert_int_equal(r.entries[0].line, 4);
    assert_int_equal(r.entries[0].change_count, 2);
    assert_int_equal(r.entries[0].changes[0].line, 3); // of the instructions
}

static void the_file_allows_a_share_of_a_counter(void **state)
{
    (void)state;
    struct lock_entry a = entry("plain", 2432, 1024), b = entry("plain", 2440, 1024);
    struct lock old = lock_of(1, &a), fresh = lock_of(1, &b);
    experiment.gate.counters_percent = 1;
    struct gate_report r = judge(&old, &fresh);
    experiment.gate.counters_percent = 0;
    assert_true(gate_passed(&r));
    r = judge(&old, &fresh);
    assert_false(gate_passed(&r));
}

static void time_may_grow_by_percent_or_ns(void **state)
{
    (void)state;
    struct lock_entry a = entry("plain", 2432, 1024), b = a;
    struct lock old = lock_of(1, &a), fresh = lock_of(1, &b);
    b.time_ns = 2059;
    struct gate_report r = judge(&old, &fresh);
    assert_true(gate_passed(&r));
    b.time_ns = 2061;
    r = judge(&old, &fresh);
    assert_int_equal(r.entries[0].verdict, GATE_REGRESSED);
    assert_string_equal(r.entries[0].file, "copy/experiment.yaml"); // no line is to blame
    assert_int_equal(r.entries[0].line, 30);
    experiment.gate.ns = 100;
    r = judge(&old, &fresh);
    experiment.gate.ns = 0;
    assert_true(gate_passed(&r));
}

static void better_is_improved_and_passes(void **state)
{
    (void)state;
    struct lock_entry a = entry("plain", 2432, 1024), b = entry("plain", 2400, 1024);
    struct lock old = lock_of(1, &a), fresh = lock_of(1, &b);
    struct gate_report r = judge(&old, &fresh);
    assert_true(gate_passed(&r));
    assert_int_equal(r.entries[0].verdict, GATE_IMPROVED);
}

static void better_in_one_figure_does_not_pay_for_another(void **state)
{
    (void)state;
    struct lock_entry a = entry("plain", 2432, 1024), b = entry("plain", 100, 1032);
    struct lock old = lock_of(1, &a), fresh = lock_of(1, &b);
    struct gate_report r = judge(&old, &fresh);
    assert_int_equal(r.entries[0].verdict, GATE_REGRESSED);
}

static void what_is_gone_fails_and_what_is_new_passes(void **state)
{
    (void)state;
    struct lock_entry a = entry("plain", 2432, 1024), b = entry("other", 1, 1);
    struct lock old = lock_of(1, &a), fresh = lock_of(1, &b);
    struct gate_report r = judge(&old, &fresh);
    assert_false(gate_passed(&r));
    assert_int_equal(r.counts[GATE_MISSING], 1);
    assert_int_equal(r.counts[GATE_NEW], 1);
}

static void a_wrong_result_fails_whether_the_lock_has_it_or_not(void **state)
{
    (void)state;
    struct lock_entry a = entry("plain", 2432, 1024);
    struct lock with = lock_of(1, &a), none = lock_of(0, NULL);
    results[0] = (struct result){
        .variant = "plain", .case_label = "N=4096 K=3", .status = RESULT_WRONG, .error = "y[3]"};
    run.result_count = 1;
    struct gate_report r = judge(&with, &none);
    assert_int_equal(r.counts[GATE_BROKEN], 1);
    assert_false(gate_passed(&r));
    r = judge(&none, &none);
    run.result_count = 0;
    assert_int_equal(r.counts[GATE_BROKEN], 1);
    assert_string_equal(r.entries[0].why, "y[3]");
}

static void other_conditions_judge_nothing(void **state)
{
    (void)state;
    struct lock_entry a = entry("plain", 2432, 1024);
    struct lock old = lock_of(1, &a);
    struct gate_subject subject = {.experiment = &experiment, .run = &run};
    for (int i = 0; i < 4; i++) {
        struct lock fresh = lock_of(1, &a);
        const char **to[] = {&fresh.device, &fresh.compiler, &fresh.registers, &fresh.model};
        struct gate_report out = {0};
        *to[i] = "another";
        error_clear(&err);
        assert_false(gate_lock(&arena, &old, &fresh, &subject, 1, true, &out, &err));
        assert_non_null(strstr(err.message, "the lock was made with another"));
    }
}

static void update_keeps_what_was_not_run(void **state)
{
    (void)state;
    struct lock_entry both[] = {entry("plain", 1, 1), entry("plain", 2, 2)};
    struct lock_entry now = entry("other", 3, 3);
    both[0].experiment = "zeta";
    struct lock old = lock_of(2, both), fresh = lock_of(1, &now);
    struct gate_subject subject = {.experiment = &experiment, .run = &run};
    lock_merge(&arena, &old, &subject, 1, &fresh);
    assert_int_equal(fresh.count, 2);
    assert_string_equal(fresh.entries[0].variant, "other");
    assert_string_equal(fresh.entries[1].experiment, "zeta");
    subject.partial = true; // only some of its variants were run: the others stay
    fresh = lock_of(1, &now);
    lock_merge(&arena, &old, &subject, 1, &fresh);
    assert_int_equal(fresh.count, 3);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_teardown(name, teardown)
    const struct CMUnitTest tests[] = {
        TEST(lock_comes_back_as_it_was_written),
        TEST(lock_rejects),
        TEST(nothing_changed_passes),
        TEST(one_more_sector_fails_at_its_line),
        TEST(the_place_is_that_of_the_figure_that_grew_most),
        TEST(the_file_allows_a_share_of_a_counter),
        TEST(time_may_grow_by_percent_or_ns),
        TEST(better_is_improved_and_passes),
        TEST(better_in_one_figure_does_not_pay_for_another),
        TEST(what_is_gone_fails_and_what_is_new_passes),
        TEST(a_wrong_result_fails_whether_the_lock_has_it_or_not),
        TEST(other_conditions_judge_nothing),
        TEST(update_keeps_what_was_not_run),
    };
    return cmocka_run_group_tests_name("lock", tests, NULL, NULL);
}
