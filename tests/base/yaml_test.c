// YAML: what is read, what is refused, and the exact words of the refusals.
// SPDX-License-Identifier: Apache-2.0
#include "base/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct yaml_node *parse(struct arena *a, const char *text)
{
    struct error err = {0};
    struct yaml_node *root = NULL;
    if (!yaml_parse(a, "t.yaml", text, strlen(text), &root, &err))
        fail_msg("%s", err.message);
    return root;
}

static void refuses_bytes(const char *text, size_t size_bytes, const char *message)
{
    struct arena a = {0};
    struct error err = {0};
    struct yaml_node *root = NULL;
    assert_false(yaml_parse(&a, "t.yaml", text, size_bytes, &root, &err));
    assert_null(root);
    assert_int_equal(err.kind, ERROR_INPUT);
    assert_string_equal(err.message, message);
    arena_release(&a);
}

static void refuses(const char *text, const char *message)
{
    refuses_bytes(text, strlen(text), message);
}

static void parse_keeps_order_places_and_text(void **state)
{
    (void)state;
    struct arena a = {0};
    char text[] = "title: a b\nparams:\n  N: [1024, 0x10]\n  empty:\nflow: {a: true, b: '1'}\n";
    struct yaml_node *root = parse(&a, text);
    memset(text, 'x', sizeof text - 1); // the tree must not need the caller's text
    assert_int_equal(root->kind, YAML_MAP);
    assert_int_equal(root->count, 3);
    assert_string_equal(root->keys[1]->scalar, "params");
    const struct yaml_node *params = root->items[1];
    const struct yaml_node *n = yaml_get(params, "N");
    assert_int_equal(n->kind, YAML_LIST);
    assert_int_equal(n->count, 2);
    assert_string_equal(n->items[1]->scalar, "0x10");
    assert_string_equal(n->items[1]->at.file, "t.yaml");
    assert_int_equal(n->items[1]->at.line, 3);
    assert_int_equal(n->items[1]->at.column, 13);
    assert_string_equal(yaml_get(params, "empty")->scalar, "");
    assert_null(yaml_get(params, "no"));
    assert_null(yaml_get(n, "no"));
    assert_null(yaml_get(NULL, "no"));
    assert_string_equal(yaml_get(yaml_get(root, "flow"), "b")->scalar, "1");
    arena_release(&a);
}

static void parse_accepts_a_byte_order_mark_and_document_marks(void **state)
{
    (void)state;
    struct arena a = {0};
    assert_string_equal(yaml_get(parse(&a, "\xef\xbb\xbf"
                                           "%YAML 1.1\n---\na: b\n...\n"),
                                 "a")
                            ->scalar,
                        "b");
    arena_release(&a);
}

static void parse_rejects_duplicate_keys(void **state)
{
    (void)state;
    refuses("a: 1\nb: 2\na: 3\n", "t.yaml:3:1: duplicate key 'a' (first on line 1)\n"
                                  "    a: 3\n"
                                  "    ^");
}

static void parse_rejects_anchors_aliases_and_tags(void **state)
{
    (void)state;
    refuses("a: &x 1\n", "t.yaml:1:4: anchors are not supported: write the value out where it is "
                         "used\n    a: &x 1\n       ^");
    refuses("a: *x\n", "t.yaml:1:4: aliases are not supported: write the value out instead of "
                       "'*x'\n    a: *x\n       ^");
    refuses("a: !!str 1\n", "t.yaml:1:4: tags are not supported: leave 'tag:yaml.org,2002:str' "
                            "out\n    a: !!str 1\n       ^");
    refuses("- !x [1]\n", "t.yaml:1:3: tags are not supported: leave '!x' out\n    - !x [1]\n"
                          "      ^");
    refuses("%TAG ! tag:x,2000:\n---\na: 1\n",
            "t.yaml:1:1: tags are not supported\n    %TAG ! tag:x,2000:\n    ^");
}

static void parse_rejects_a_second_document(void **state)
{
    (void)state;
    refuses("a: 1\n---\nb: 2\n",
            "t.yaml:2:1: a second document: only one is allowed in a file\n    ---\n    ^");
}

static void parse_rejects_an_empty_file(void **state)
{
    (void)state;
    refuses("", "t.yaml: the file is empty");
    refuses("# only a comment\n", "t.yaml: the file is empty");
}

static void parse_rejects_a_key_that_is_no_word(void **state)
{
    (void)state;
    refuses("[a, b]: 1\n",
            "t.yaml:1:1: a key must be a word, not a list or a map\n    [a, b]: 1\n    ^");
}

static void parse_rejects_an_unclosed_list(void **state)
{
    (void)state;
    refuses("a: [1, 2\nb: 3\n",
            "t.yaml:2:2: not valid YAML: did not find expected ',' or ']' while parsing a flow "
            "sequence\n    b: 3\n     ^");
}

static void parse_rejects_bytes_that_are_no_utf8(void **state)
{
    (void)state;
    refuses("a: 1\nb: \xff\n", "t.yaml:2:4: not a valid text: invalid leading UTF-8 octet\n"
                               "    b: ?\n"
                               "       ^");
    refuses_bytes("a: \0b\n", 6,
                  "t.yaml:1:4: not a valid text: control characters are not "
                  "allowed\n    a: \n       ^");
    refuses("a: \"x\\0y\"\n", "t.yaml:1:4: a NUL character in a value\n    a: \"x\\0y\"\n       ^");
}

static void parse_rejects_deep_nesting(void **state)
{
    (void)state;
    struct arena a = {0};
    struct error err = {0};
    struct yaml_node *root = NULL;
    char text[2 * 64 + 3];
    memset(text, '[', 64);
    memset(text + 64, ']', 64);
    assert_true(yaml_parse(&a, "t.yaml", text, 128, &root, &err));
    memset(text, '[', 65);
    memset(text + 65, ']', 65);
    assert_false(yaml_parse(&a, "t.yaml", text, 130, &root, &err));
    assert_non_null(strstr(err.message, "t.yaml:1:65: nested deeper than 64 levels"));
    arena_release(&a);
}

static void unknown_keys_get_a_suggestion(void **state)
{
    (void)state;
    static const char *const allowed[] = {"kernel", "block", "grid"};
    struct arena a = {0};
    struct error err = {0};
    struct yaml_node *root = parse(&a, "kernel: k\nblok: 1\n");
    assert_false(yaml_check_keys(root, "a variant", allowed, COUNT_OF(allowed), &err));
    assert_string_equal(err.message, "t.yaml:2:1: unknown key 'blok' in a variant (did you mean "
                                     "'block'?)\n    blok: 1\n    ^");
    root = parse(&a, "zzz: 1\n");
    assert_false(yaml_check_keys(root, "a variant", allowed, COUNT_OF(allowed), &err));
    assert_string_equal(err.message, "t.yaml:1:1: unknown key 'zzz' in a variant (known: kernel, "
                                     "block, grid)\n    zzz: 1\n    ^");
    root = parse(&a, "grid: 1\n");
    assert_true(yaml_check_keys(root, "a variant", allowed, COUNT_OF(allowed), &err));
    assert_false(yaml_check_keys(root->items[0], "a variant", allowed, COUNT_OF(allowed), &err));
    assert_string_equal(err.message, "t.yaml:1:7: a variant must be a map, not a single value\n"
                                     "    grid: 1\n          ^");
    arena_release(&a);
}

static void scalars_are_typed_by_the_schema(void **state)
{
    (void)state;
    struct arena a = {0};
    struct error err = {0};
    struct yaml_node *root = parse(&a, "i: 12\nd: 2.5\nb: true\ns: no\n");
    const struct yaml_node *s = yaml_get(root, "s");
    int64_t i = 0;
    double d = 0;
    bool b = false;
    const char *text = NULL;
    assert_true(yaml_i64(yaml_get(root, "i"), "'i'", &i, &err) && i == 12);
    assert_true(yaml_double(yaml_get(root, "d"), "'d'", &d, &err) && d == 2.5);
    assert_true(yaml_bool(yaml_get(root, "b"), "'b'", &b, &err) && b);
    assert_true(yaml_string(s, "'s'", &text, &err));
    assert_string_equal(text, "no");
    assert_false(yaml_i64(yaml_get(root, "d"), "'d'", &i, &err));
    assert_string_equal(err.message,
                        "t.yaml:2:4: 'd' must be a whole number, not '2.5'\n    d: 2.5\n       ^");
    assert_false(yaml_double(s, "'s'", &d, &err));
    assert_non_null(strstr(err.message, "t.yaml:4:4: 's' must be a number, not 'no'"));
    assert_false(yaml_bool(s, "'s'", &b, &err));
    assert_non_null(strstr(err.message, "'s' must be true or false, not 'no'"));
    assert_false(yaml_string(NULL, "'x'", &text, &err));
    assert_string_equal(err.message, "'x' is missing");
    assert_false(yaml_string(root, "'x'", &text, &err));
    arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parse_keeps_order_places_and_text),
        cmocka_unit_test(parse_accepts_a_byte_order_mark_and_document_marks),
        cmocka_unit_test(parse_rejects_duplicate_keys),
        cmocka_unit_test(parse_rejects_anchors_aliases_and_tags),
        cmocka_unit_test(parse_rejects_a_second_document),
        cmocka_unit_test(parse_rejects_an_empty_file),
        cmocka_unit_test(parse_rejects_a_key_that_is_no_word),
        cmocka_unit_test(parse_rejects_an_unclosed_list),
        cmocka_unit_test(parse_rejects_bytes_that_are_no_utf8),
        cmocka_unit_test(parse_rejects_deep_nesting),
        cmocka_unit_test(unknown_keys_get_a_suggestion),
        cmocka_unit_test(scalars_are_typed_by_the_schema),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
