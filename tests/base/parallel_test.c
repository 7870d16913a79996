// Loops over large arrays: every element once, in pieces that begin where the grain says.
// SPDX-License-Identifier: Apache-2.0
#include "base/base.h"

#include <setjmp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { COUNT = 1000003, GRAIN = 4096 };

struct seen {
    unsigned char *times;
    _Atomic int pieces, misplaced;
};

static void see(void *context, uint64_t first, uint64_t end)
{
    struct seen *s = context;
    atomic_fetch_add(&s->pieces, 1);
    if (first % GRAIN != 0 || end <= first || end - first > GRAIN)
        atomic_fetch_add(&s->misplaced, 1);
    for (uint64_t i = first; i < end; i++)
        s->times[i]++;
}

static void every_element_is_met_once(void **state)
{
    (void)state;
    static const uint64_t counts[] = {0, 1, GRAIN - 1, GRAIN, GRAIN + 1, COUNT};
    for (size_t k = 0; k < COUNT_OF(counts); k++) {
        struct seen s = {.times = xcalloc(COUNT, 1)};
        parallel_for(counts[k], GRAIN, see, &s);
        assert_int_equal(s.pieces, (counts[k] + GRAIN - 1) / GRAIN);
        assert_int_equal(s.misplaced, 0);
        for (uint64_t i = 0; i < COUNT; i++)
            assert_int_equal(s.times[i], i < counts[k]);
        free(s.times);
    }
}

static void a_copy_is_the_same(void **state)
{
    (void)state;
    size_t size = ((size_t)5 << 20) + 3;
    unsigned char *from = xcalloc(size, 1), *to = xcalloc(size + 1, 1);
    for (size_t i = 0; i < size; i++)
        from[i] = (unsigned char)(i * 7 + i / 251);
    parallel_copy(to, from, size);
    assert_memory_equal(from, to, size);
    assert_int_equal(to[size], 0);
    free(from);
    free(to);
}

static void a_large_hash_knows_every_byte_and_the_size(void **state)
{
    (void)state;
    size_t size = ((size_t)3 << 20) + 17;
    unsigned char *data = xcalloc(size, 1);
    char whole[33], again[33], other[33], shorter[33];
    hash_hex_large(data, size, whole);
    hash_hex_large(data, size, again);
    assert_string_equal(whole, again);
    hash_hex_large(data, size - 1, shorter);
    assert_string_not_equal(whole, shorter);
    data[size - 1] = 1;
    hash_hex_large(data, size, other);
    assert_string_not_equal(whole, other);
    data[size - 1] = 0;
    data[1 << 20] = 1; // the first byte of a piece
    hash_hex_large(data, size, other);
    assert_string_not_equal(whole, other);
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_element_is_met_once),
        cmocka_unit_test(a_copy_is_the_same),
        cmocka_unit_test(a_large_hash_knows_every_byte_and_the_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
