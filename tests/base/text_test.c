// Growing strings, suggestions, strict numbers, numbers for people.
// SPDX-License-Identifier: Apache-2.0
#include "base/base.h"

#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void text_grows_and_stays_terminated(void **state)
{
    (void)state;
    struct text t = {0};
    assert_string_equal(text_str(&t), "");
    for (int i = 0; i < 1000; i++)
        text_printf(&t, "%d,", i % 10);
    assert_int_equal(t.length, 2000);
    assert_int_equal(strlen(t.data), 2000);
    text_clear(&t);
    assert_string_equal(text_str(&t), "");
    text_add(&t, "ab");
    text_addn(&t, "cdef", 2);
    assert_string_equal(text_str(&t), "abcd");
    text_release(&t);
}

static void prefixes_and_suffixes_are_reported(void **state)
{
    (void)state;
    assert_true(str_starts_with("sim:h200", "sim:"));
    assert_false(str_starts_with("si", "sim:"));
    char lower[8];
    str_lower("Num_SM", lower, sizeof lower);
    assert_string_equal(lower, "num_sm");
    str_lower("BLOCK_SIZE", lower, sizeof lower);
    assert_string_equal(lower, "block_s"); // cut
    assert_true(str_ends_with("a.ptx", ".ptx"));
    assert_false(str_ends_with("ptx", ".ptx"));
    assert_true(str_ends_with("x", ""));
}

static void nearest_word_forgives_slips_and_nothing_more(void **state)
{
    (void)state;
    static const char *const keys[] = {"block", "grid", "kernel", "args", "N"};
    size_t n = COUNT_OF(keys);
    assert_string_equal(str_nearest("blok", keys, n), "block");
    assert_string_equal(str_nearest("kernle", keys, n), "kernel");
    assert_string_equal(str_nearest("GRID", keys, n), "grid");
    assert_string_equal(str_nearest("n", keys, n), "N");
    assert_null(str_nearest("launches", keys, n));
    assert_null(str_nearest("x", keys, n));
    assert_null(str_nearest("", keys, n));
    char longest[200];
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    assert_null(str_nearest(longest, keys, n));
    const char *const also[] = {longest};
    assert_null(str_nearest("a", also, 1));
}

static void integers_are_read_whole_or_not_at_all(void **state)
{
    (void)state;
    static const struct {
        const char *s;
        int64_t value;
    } good[] = {{"0", 0},
                {"-1", -1},
                {"+12", 12},
                {"0x1F", 31},
                {"-0x10", -16},
                {"007", 7},
                {"9223372036854775807", INT64_MAX},
                {"-9223372036854775808", INT64_MIN}};
    for (size_t i = 0; i < COUNT_OF(good); i++) {
        int64_t value = 42;
        assert_true(str_to_i64(good[i].s, &value));
        assert_true(value == good[i].value);
    }
    static const char *const bad[] = {"",
                                      "-",
                                      " 1",
                                      "1 ",
                                      "1.0",
                                      "1e3",
                                      "0x",
                                      "0xg",
                                      "--1",
                                      "9223372036854775808",
                                      "-9223372036854775809",
                                      "1_000",
                                      "a"};
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        int64_t value = 42;
        assert_false(str_to_i64(bad[i], &value));
        assert_true(value == 42);
    }
}

static void doubles_are_read_whole_or_not_at_all(void **state)
{
    (void)state;
    static const struct {
        const char *s;
        double value;
    } good[] = {{"0", 0},       {"1.5", 1.5}, {"-.5", -0.5},      {"5.", 5},     {"1e3", 1e3},
                {"1E-3", 1e-3}, {"0x10", 16}, {"+2.25e+1", 22.5}, {"1e-400", 0}, {"0.1", 0.1}};
    for (size_t i = 0; i < COUNT_OF(good); i++) {
        double value = 42;
        assert_true(str_to_double(good[i].s, &value));
        assert_true(value == good[i].value);
    }
    static const char *const bad[] = {"",   ".",  "e3", "1e",    "1e+", "inf",   "nan", "1,5",
                                      " 1", "1 ", "0x", "0x1p3", "1f",  "1e400", "-",   "1..2"};
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        double value = 42;
        assert_false(str_to_double(bad[i], &value));
        assert_true(value == 42);
    }
}

static void doubles_do_not_follow_the_locale(void **state)
{
    (void)state;
    static const char *const with_comma[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
    const char *set = NULL;
    for (size_t i = 0; i < COUNT_OF(with_comma) && !set; i++)
        set = setlocale(LC_ALL, with_comma[i]);
    if (!set) {
        print_message("no locale with a decimal comma is installed\n");
        skip();
    }
    double value = 0;
    char out[32];
    bool read = str_to_double("1.5", &value);
    format_time_ns(12100, out);
    setlocale(LC_ALL, "C");
    assert_true(read && value == 1.5);
    assert_string_equal(out, "12.1 us");
}

static void numbers_for_people_have_three_digits_and_a_unit(void **state)
{
    (void)state;
    char out[32];
    assert_string_equal(format_time_ns(0, out), "0 ns");
    assert_string_equal(format_time_ns(0.5, out), "0.500 ns");
    assert_string_equal(format_time_ns(12100, out), "12.1 us");
    assert_string_equal(format_time_ns(1.5523e6, out), "1.55 ms");
    assert_string_equal(format_time_ns(999.6, out), "1.00 us");
    assert_string_equal(format_time_ns(9.996, out), "10.0 ns");
    assert_string_equal(format_time_ns(2.5e12, out), "2500 s");
    assert_string_equal(format_time_ns(-12100, out), "-12.1 us");
    assert_string_equal(format_time_ns((double)NAN, out), "n/a");
    assert_string_equal(format_time_ns((double)INFINITY, out), "n/a");
    assert_string_equal(format_count(7, out), "7");
    assert_string_equal(format_count(31.5, out), "31.5");
    assert_string_equal(format_count(524288, out), "524 k");
    assert_string_equal(format_count(1048576, out), "1.05 M");
    assert_string_equal(format_bytes(512, out), "512 B");
    assert_string_equal(format_bytes(16777216, out), "16.8 MB");
    assert_true(strlen(format_bytes(1e300, out)) < 32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_grows_and_stays_terminated),
        cmocka_unit_test(prefixes_and_suffixes_are_reported),
        cmocka_unit_test(nearest_word_forgives_slips_and_nothing_more),
        cmocka_unit_test(integers_are_read_whole_or_not_at_all),
        cmocka_unit_test(doubles_are_read_whole_or_not_at_all),
        cmocka_unit_test(doubles_do_not_follow_the_locale),
        cmocka_unit_test(numbers_for_people_have_three_digits_and_a_unit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
