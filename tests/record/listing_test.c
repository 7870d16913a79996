// Instructions by source line: what is written is read again, and nothing else is taken for a row.
// SPDX-License-Identifier: Apache-2.0
#include "record/record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void rows_come_with_their_file_and_line(void **state)
{
    struct text listing = {0};
    struct listing_row row = {0};
    const char *last = NULL;
    (void)state;
    listing_add(&listing, &last, "k.cu", 7, "ld.global.f32 %f1, [%rd1];");
    listing_add(&listing, &last, "k.cu", 9, "ret;");
    listing_add(&listing, &last, "b.h", 3, "bar.sync 0;");
    const char *at = text_str(&listing);
    assert_true(listing_next(&at, &row));
    assert_int_equal(row.line, 7);
    assert_memory_equal(row.text, "ld.global.f32 %f1, [%rd1];", row.text_bytes);
    assert_true(listing_next(&at, &row));
    assert_int_equal(row.line, 9);
    assert_int_equal(row.file_bytes, 4);
    assert_memory_equal(row.file, "k.cu", 4);
    assert_true(listing_next(&at, &row));
    assert_int_equal(row.line, 3);
    assert_memory_equal(row.file, "b.h", row.file_bytes);
    assert_false(listing_next(&at, &row));
    text_release(&listing);
}

static void lines_that_are_no_rows_are_passed_over(void **state)
{
    const char *at = "12 before any file\n=k.cu\nx 1\n-4 mov;\n99999999999 mov;\n5\n6 ret;";
    struct listing_row row = {0};
    (void)state;
    assert_true(listing_next(&at, &row));
    assert_int_equal(row.line, 6);
    assert_int_equal(row.text_bytes, 4);
    assert_false(listing_next(&at, &row));
}

static void machine_code_follows_the_ptx_or_why_it_does_not(void **state)
{
    struct text listing = {0}, without = {0};
    struct listing_row row = {0};
    const char *last = NULL;
    size_t bytes = 0;
    (void)state;
    listing_add(&listing, &last, "k.cu", 7, "ret;");
    listing_add(&without, &last, "k.cu", 7, "ret;");
    listing_begin_machine(&listing, &last, NULL);
    listing_add(&listing, &last, "k.cu", 7, "EXIT");
    const char *at = text_str(&listing);
    assert_true(listing_next(&at, &row));
    assert_false(row.machine);
    assert_true(listing_next(&at, &row));
    assert_true(row.machine);
    assert_int_equal(row.line, 7);
    assert_memory_equal(row.file, "k.cu", row.file_bytes);
    assert_memory_equal(row.text, "EXIT", row.text_bytes);
    assert_false(listing_next(&at, &row));
    assert_null(listing_why_no_machine(text_str(&listing), &bytes));
    listing_begin_machine(&without, &last, "no tool");
    const char *why = listing_why_no_machine(text_str(&without), &bytes);
    assert_non_null(why);
    assert_int_equal(bytes, strlen("no tool"));
    assert_memory_equal(why, "no tool", bytes);
    assert_null(listing_why_no_machine(NULL, &bytes));
    text_release(&listing);
    text_release(&without);
}

static void the_listing_of_a_result_is_that_of_its_variant_and_code(void **state)
{
    struct source_text kept[] = {{"/runs/instructions/0123/plain", "=k.cu\n1 ret;\n", 13},
                                 {"/runs/k.cu", "", 0}};
    struct run run = {.sources = kept, .source_count = 2};
    struct result plain = {.variant = "plain", .code_key = "0123"},
                  other = {.variant = "plain", .code_key = "4567"};
    (void)state;
    assert_ptr_equal(run_listing(&run, &plain), kept[0].text);
    assert_null(run_listing(&run, &other));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_come_with_their_file_and_line),
        cmocka_unit_test(lines_that_are_no_rows_are_passed_over),
        cmocka_unit_test(machine_code_follows_the_ptx_or_why_it_does_not),
        cmocka_unit_test(the_listing_of_a_result_is_that_of_its_variant_and_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
