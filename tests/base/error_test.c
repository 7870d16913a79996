// Errors: places, carets, context, and what must never reach a terminal.
// SPDX-License-Identifier: Apache-2.0
#include "base/base.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#undef fail // cmocka's; ours is under test

static void fail_writes_file_line_and_column(void **state)
{
    (void)state;
    struct error err = {0};
    assert_false(fail(&err, (struct location){"a.yaml", 3, 7, NULL}, "unknown key '%s'", "x"));
    assert_int_equal(err.kind, ERROR_INPUT);
    assert_string_equal(err.message, "a.yaml:3:7: unknown key 'x'");
}

static void fail_leaves_unknown_parts_out(void **state)
{
    (void)state;
    struct error err = {0};
    assert_false(fail(&err, NOWHERE, "no place"));
    assert_string_equal(err.message, "no place");
    assert_false(fail(&err, (struct location){"a.yaml", 0, 0, NULL}, "only a file"));
    assert_string_equal(err.message, "a.yaml: only a file");
    assert_false(fail(&err, (struct location){"a.yaml", 4, 0, NULL}, "no column"));
    assert_string_equal(err.message, "a.yaml:4: no column");
    assert_false(fail(&err, (struct location){NULL, 4, 2, NULL}, "no file"));
    assert_string_equal(err.message, "4:2: no file");
}

static void fail_shows_the_line_and_a_caret(void **state)
{
    (void)state;
    struct error err = {0};
    assert_false(fail(&err, (struct location){"f", 2, 6, "one\ngrid: (\r\nthree\n"}, "bad"));
    assert_string_equal(err.message, "f:2:6: bad\n    grid: (\n         ^");
}

static void caret_stands_right_under_tabs_and_umlauts(void **state)
{
    (void)state;
    struct error err = {0};
    assert_false(fail(&err, (struct location){"f", 1, 4, "\ta\tb"}, "bad"));
    assert_string_equal(err.message, "f:1:4: bad\n        a   b\n            ^");
    assert_false(fail(&err, (struct location){"f", 1, 3, "\xc3\xa4\xc3\xb6x"}, "bad"));
    assert_string_equal(err.message, "f:1:3: bad\n    \xc3\xa4\xc3\xb6x\n      ^");
}

static void caret_of_a_column_past_the_end_stands_after_the_line(void **state)
{
    (void)state;
    struct error err = {0};
    assert_false(fail(&err, (struct location){"f", 1, 90, "abc"}, "bad"));
    assert_string_equal(err.message, "f:1:90: bad\n    abc\n       ^");
    assert_false(fail(&err, (struct location){"f", 9, 1, "abc"}, "bad"));
    assert_string_equal(err.message, "f:9:1: bad");
}

static void long_lines_are_cut_around_the_caret(void **state)
{
    (void)state;
    char line[1001];
    memset(line, 'a', sizeof line - 1);
    line[1000] = '\0';
    line[499] = 'X';
    struct error err = {0};
    assert_false(fail(&err, (struct location){"f", 1, 500, line}, "bad"));
    const char *shown = strchr(err.message, '\n') + 1;
    const char *caret_line = strchr(shown, '\n') + 1;
    assert_true(strlen(caret_line) < 100);
    assert_int_equal(strchr(shown, 'X') - shown, strchr(caret_line, '^') - caret_line);
    assert_non_null(strstr(shown, "    ...aaa"));
    assert_non_null(strstr(shown, "aaa...\n"));
}

static void messages_hold_no_control_characters(void **state)
{
    (void)state;
    struct error err = {0};
    assert_false(fail(&err, (struct location){"f", 1, 1, "\x1b[31mred"}, "key '\x1b]0;x\a'"));
    assert_string_equal(err.message, "f:1:1: key '?]0;x?'\n    ?[31mred\n    ^");
    assert_false(fail(&err, NOWHERE, "'\u202eabc'")); // a mark that turns the direction is seen
    assert_string_equal(err.message, "'\\u202eabc'");
}

static void messages_are_valid_utf8_whatever_they_quote(void **state)
{
    (void)state;
    struct error err = {0};
    // A stray byte, an overlong form, a surrogate, the 8-bit CSI, a character beyond U+10FFFF.
    static const char *const bad[] = {"\xff",     "\xc0\xaf",         "\xed\xa0\x80",
                                      "\xc2\x9b", "\xf4\x90\x80\x80", "\x08\x88\x88"};
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        assert_false(fail(&err, NOWHERE, "<%s>", bad[i]));
        assert_string_equal(err.message, "<?>");
        assert_false(fail(&err, (struct location){NULL, 1, 2, bad[i]}, "x"));
        assert_string_equal(err.message, "1:2: x\n    ?\n     ^");
    }
    const char good[] = "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80";
    assert_false(fail(&err, NOWHERE, "%s", good));
    assert_string_equal(err.message, good);
}

static void long_messages_are_cut_at_a_whole_character(void **state)
{
    (void)state;
    struct error err = {0};
    char text[3 * sizeof err.message];
    for (size_t i = 0; i + 2 < sizeof text; i += 2)
        memcpy(text + i, i % 64 == 32 ? "  " : "\xc3\xa4", 2);
    text[sizeof text - 2] = '\0';
    assert_false(fail(&err, NOWHERE, "x%s", text));
    size_t length = strlen(err.message);
    assert_in_range(length, sizeof err.message - 3, sizeof err.message - 1);
    assert_int_equal(length % 2, 1);
    assert_false(error_context(&err, "lost"));
}

// A value of 4 KB buried the message; names and paths of usual lengths stay whole.
static void an_overlong_word_is_shown_by_its_ends(void **state)
{
    (void)state;
    struct error err = {0};
    char word[4001], usual[301];
    memset(word, 'x', sizeof word - 1), word[sizeof word - 1] = '\0';
    memset(usual, 'y', sizeof usual - 1), usual[sizeof usual - 1] = '\0';
    assert_false(fail(&err, NOWHERE, "unknown type '%s': use one of f32, f64", word));
    assert_in_range(strlen(err.message), 180, 220);
    assert_non_null(strstr(err.message, "unknown type 'xxx"));
    assert_non_null(strstr(err.message, "xxx...xxx"));
    assert_non_null(strstr(err.message, "xxx': use one of f32, f64"));
    assert_false(fail(&err, NOWHERE, "no file %s here", usual));
    assert_int_equal(strlen(err.message), strlen("no file  here") + 300);
    for (size_t i = 0; i < sizeof word - 1; i += 2)
        memcpy(word + i, "\xc3\xa4", 2);
    assert_false(
        fail(&err, NOWHERE, "a%s", word)); // its ends fall within characters: cut before them
    assert_non_null(strstr(err.message, "\xc3\xa4...\xc3\xa4"));
}

// So did one of many words, which no limit on a word sees, or of many lines.
static void an_overlong_value_is_shown_by_its_ends(void **state)
{
    (void)state;
    struct error err = {0};
    char value[4001], usual[201];
    for (size_t i = 0; i < sizeof value - 1; i++)
        value[i] = i % 7 == 0 ? ' ' : i % 31 == 0 ? '\n' : 'x';
    value[sizeof value - 1] = '\0';
    memset(usual, ' ', sizeof usual - 1), usual[sizeof usual - 1] = '\0';
    assert_false(fail(&err, NOWHERE, "unknown type '%s' or '%.*s': use one of f32, f64", value,
                      3000, value));
    assert_in_range(strlen(err.message), 360, 400);
    assert_null(strchr(err.message, '\n'));
    assert_non_null(strstr(err.message, "': use one of f32, f64"));
    assert_false(fail(&err, NOWHERE, "'%s' and '%s'", usual, "\x01 \x02"));
    assert_int_equal(strlen(err.message), strlen("'' and '? ?") + 200 + 1);
    assert_false(error_context(&err, "in variant '%s'", value));
    assert_in_range(strlen(err.message), 360, 400);
}

// A PTX file with this byte among its words made the text one byte longer than its memory.
static void marks_of_values_in_text_of_others_begin_no_value(void **state)
{
    (void)state;
    struct error err = {0};
    assert_false(fail(&err, NOWHERE, "expected a name, found %s",
                      "\x01"
                      "abc"));
    assert_string_equal(err.message, "expected a name, found ?abc");
    assert_false(fail(&err, NOWHERE, "%s and '%s'", "\x01\x01", "x"));
    assert_string_equal(err.message, "'? and ?x'");
}

static void the_old_message_may_be_an_argument_of_the_new(void **state)
{
    (void)state;
    struct error err = {0};
    assert_false(fail(&err, NOWHERE, "inner"));
    assert_false(fail_as(&err, ERROR_CHECK, NOWHERE, "outer: %s", err.message));
    assert_string_equal(err.message, "outer: inner");
    assert_int_equal(err.kind, ERROR_CHECK);
}

static void context_is_appended_on_its_own_line(void **state)
{
    (void)state;
    struct error err = {0};
    assert_false(fail(&err, NOWHERE, "bad"));
    assert_false(error_context(&err, "in variant '%s'", "tiled"));
    assert_string_equal(err.message, "bad\n  in variant 'tiled'");
    error_clear(&err);
    assert_int_equal(err.kind, ERROR_NONE);
    assert_string_equal(err.message, "");
}

static void fail_errno_names_the_reason(void **state)
{
    (void)state;
    struct error err = {0};
    assert_false(fail_errno(&err, ENOENT, "cannot open '%s'", "x"));
    assert_int_equal(err.kind, ERROR_SYSTEM);
    assert_string_equal(err.message, "cannot open 'x': No such file or directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fail_writes_file_line_and_column),
        cmocka_unit_test(fail_leaves_unknown_parts_out),
        cmocka_unit_test(fail_shows_the_line_and_a_caret),
        cmocka_unit_test(caret_stands_right_under_tabs_and_umlauts),
        cmocka_unit_test(caret_of_a_column_past_the_end_stands_after_the_line),
        cmocka_unit_test(long_lines_are_cut_around_the_caret),
        cmocka_unit_test(messages_hold_no_control_characters),
        cmocka_unit_test(messages_are_valid_utf8_whatever_they_quote),
        cmocka_unit_test(long_messages_are_cut_at_a_whole_character),
        cmocka_unit_test(an_overlong_word_is_shown_by_its_ends),
        cmocka_unit_test(an_overlong_value_is_shown_by_its_ends),
        cmocka_unit_test(marks_of_values_in_text_of_others_begin_no_value),
        cmocka_unit_test(the_old_message_may_be_an_argument_of_the_new),
        cmocka_unit_test(context_is_appended_on_its_own_line),
        cmocka_unit_test(fail_errno_names_the_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
