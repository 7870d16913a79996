// Arenas, growing arrays and tables.
// SPDX-License-Identifier: Apache-2.0
#include "base/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void arena_memory_is_zeroed_aligned_and_apart(void **state)
{
    (void)state;
    struct arena a = {0};
    static const size_t sizes[] = {0, 1, 15, 16, 17, 4096, 4097, 100000, 3};
    unsigned char *pieces[COUNT_OF(sizes) * 50];
    for (size_t i = 0; i < COUNT_OF(pieces); i++) {
        size_t size = sizes[i % COUNT_OF(sizes)];
        pieces[i] = arena_alloc(&a, size);
        assert_int_equal((uintptr_t)pieces[i] % 16, 0);
        for (size_t k = 0; k < size; k++)
            assert_int_equal(pieces[i][k], 0);
        memset(pieces[i], (int)(i % 256), size);
    }
    for (size_t i = 0; i < COUNT_OF(pieces); i++)
        for (size_t k = 0; k < sizes[i % COUNT_OF(sizes)]; k++)
            assert_int_equal(pieces[i][k], i % 256);
    arena_release(&a);
    assert_null(a.chunks);
    arena_release(&a);
}

static void arena_strings_are_copies(void **state)
{
    (void)state;
    struct arena a = {0};
    char source[] = "hello";
    char *copy = arena_strdup(&a, source);
    source[0] = 'j';
    assert_string_equal(copy, "hello");
    assert_string_equal(arena_strndup(&a, "hello", 2), "he");
    assert_string_equal(arena_strndup(&a, "hi", 20), "hi");
    assert_string_equal(arena_printf(&a, "%d-%s", 7, "x"), "7-x");
    arena_release(&a);
}

static void spare_memory_is_taken_again_by_what_fits(void **state)
{
    (void)state;
    struct spare *s = spare_open();
    unsigned char *first = spare_take(s, 5000), *other = spare_take(s, 100);
    assert_int_equal((uintptr_t)first % 64, 0);
    memset(first, 7, 5000);
    spare_give(first);
    void *larger = spare_take(s, 9000), *third;
    assert_ptr_not_equal(larger, first); // it has less
    unsigned char *again = spare_take_zeros(s, 4500);
    assert_ptr_equal(again, first);
    for (size_t i = 0; i < 4500; i++)
        assert_int_equal(again[i], 0);
    third = spare_take(s, 4500);
    assert_ptr_not_equal(third, first); // it is in use
    spare_give(first);
    spare_give(third);
    spare_give(larger);
    spare_give(other);
    spare_give(NULL);
    spare_close(s);
    spare_close(NULL);
}

static void spare_memory_keeps_its_bytes_when_it_grows(void **state)
{
    (void)state;
    struct spare *owners[] = {spare_open(), NULL}; // of no owner it is just memory
    for (size_t k = 0; k < COUNT_OF(owners); k++) {
        unsigned char *p = spare_grow(owners[k], NULL, 1);
        p[0] = 1;
        for (size_t size = 2; size < 100000; size++) {
            p = spare_grow(owners[k], p, size);
            p[size - 1] = (unsigned char)size;
        }
        for (size_t size = 1; size < 100000; size++)
            if (p[size - 1] != (unsigned char)size)
                fail_msg("byte %zu", size - 1);
        spare_give(p);
        spare_close(owners[k]);
    }
}

static void vec_push_grows_and_keeps_the_items(void **state)
{
    (void)state;
    int *items = NULL;
    size_t count = 0, capacity = 0;
    for (int i = 0; i < 1000; i++)
        VEC_PUSH(items, count, capacity, i);
    assert_int_equal(count, 1000);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(items[i], i);
    free(items);
}

static void table_finds_what_was_set_and_nothing_else(void **state)
{
    (void)state;
    static int values[5000];
    struct table t = {0};
    assert_null(table_get(&t, "k1"));
    assert_false(table_has(&t, "k1"));
    char key[32];
    for (int i = 0; i < 5000; i++) {
        snprintf(key, sizeof key, "k%d", i);
        table_set(&t, key, &values[i]);
    }
    assert_int_equal(t.count, 5000);
    for (int i = 0; i < 5000; i++) {
        snprintf(key, sizeof key, "k%d", i);
        assert_ptr_equal(table_get(&t, key), &values[i]);
        snprintf(key, sizeof key, "k%d", i + 5000);
        assert_false(table_has(&t, key));
    }
    table_release(&t);
    assert_int_equal(t.count, 0);
}

static void table_replaces_a_value_and_knows_null_from_absent(void **state)
{
    (void)state;
    int one = 1;
    struct table t = {0};
    table_set(&t, "", &one);
    table_set(&t, "a", &one);
    table_set(&t, "a", NULL);
    assert_int_equal(t.count, 2);
    assert_null(table_get(&t, "a"));
    assert_true(table_has(&t, "a"));
    assert_ptr_equal(table_get(&t, ""), &one);
    table_release(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arena_memory_is_zeroed_aligned_and_apart),
        cmocka_unit_test(arena_strings_are_copies),
        cmocka_unit_test(spare_memory_is_taken_again_by_what_fits),
        cmocka_unit_test(spare_memory_keeps_its_bytes_when_it_grows),
        cmocka_unit_test(vec_push_grows_and_keeps_the_items),
        cmocka_unit_test(table_finds_what_was_set_and_nothing_else),
        cmocka_unit_test(table_replaces_a_value_and_knows_null_from_absent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
