// Philox against the published vectors, hashes, the clock.
// SPDX-License-Identifier: Apache-2.0
#include "base/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

// Random123's kat_vectors, philox4x32 10.
static void philox_gives_the_published_vectors(void **state)
{
    (void)state;
    static const struct {
        uint64_t seed, stream, index;
        uint32_t out[4];
    } known[] = {
        {0, 0, 0, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {UINT64_MAX, UINT64_MAX, UINT64_MAX, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {0x299f31d0a4093822,
         0x0370734413198a2e,
         0x85a308d3243f6a88,
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t i = 0; i < COUNT_OF(known); i++) {
        uint32_t out[4];
        philox(known[i].seed, known[i].stream, known[i].index, out);
        assert_memory_equal(out, known[i].out, sizeof out);
    }
}

static void uniform_numbers_lie_in_zero_to_one(void **state)
{
    (void)state;
    assert_true(philox_uniform(0) == 0);
    assert_true(philox_uniform(UINT32_MAX) < 1);
    assert_true(philox_uniform(UINT32_C(1) << 31) == 0.5);
}

static void seeds_differ(void **state)
{
    (void)state;
    assert_true(random_seed() != random_seed());
}

static void hashes_tell_pieces_apart(void **state)
{
    (void)state;
    char one[33], two[33], again[33], none[33];
    hash_hex((struct hash_piece[]){{"ab", 2}, {"c", 1}}, 2, one);
    hash_hex((struct hash_piece[]){{"a", 1}, {"bc", 2}}, 2, two);
    hash_hex((struct hash_piece[]){{"ab", 2}, {"c", 1}}, 2, again);
    hash_hex((struct hash_piece[]){{NULL, 0}}, 1, none);
    assert_int_equal(strlen(one), 32);
    assert_int_equal(strspn(one, "0123456789abcdef"), 32);
    assert_string_equal(one, again);
    assert_string_not_equal(one, two);
    assert_string_not_equal(one, none);
    assert_true(hash64("abc", 3, 0) == 0x78af5f94892f3950); // XXH3_64bits("abc"), published
    assert_true(hash64("abc", 3, 1) != hash64("abc", 3, 0));
}

static void clock_goes_forward_and_the_date_has_its_form(void **state)
{
    (void)state;
    uint64_t before = clock_ns();
    assert_true(before > 0 && clock_ns() >= before);
    char date[32];
    time_utc_iso(date);
    assert_int_equal(strlen(date), 20);
    assert_int_equal(date[10], 'T');
    assert_int_equal(date[19], 'Z');
    assert_true(cpu_count() >= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(philox_gives_the_published_vectors),
        cmocka_unit_test(uniform_numbers_lie_in_zero_to_one),
        cmocka_unit_test(seeds_differ),
        cmocka_unit_test(hashes_tell_pieces_apart),
        cmocka_unit_test(clock_goes_forward_and_the_date_has_its_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
