// The caches of AMD's simulated chip: what hits, what memory gives and takes.
// SPDX-License-Identifier: Apache-2.0
#include "sim/amd/cache_levels.h"

#include "base/base.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h> // last: its fail() hides base's

enum { L1_LINES = 16384 / 64, L2_LINES = (8 << 20) / 64, BOTH = 3 };

static struct arena arena;
static struct gpu *chip;

static int load_chip(void **state)
{
    struct error err = {0};
    (void)state;
    return !gpu_load(&arena, "mi250x", &chip, &err);
}

static int release(void **state)
{
    (void)state;
    arena_release(&arena);
    return 0;
}

struct bench {
    struct amd_caches *caches;
    struct amd_cache_counts counts;
};

static struct bench bench_new(void)
{
    struct bench b = {.caches = amd_caches_new(chip)};
    assert_non_null(b.caches);
    return b;
}

static void touch(struct bench *b, unsigned cu, enum touch_kind kind, uint64_t line,
                  unsigned sectors)
{
    amd_caches_access(b->caches, cu, kind, false, line, sectors, &b->counts);
}

static void a_line_that_was_loaded_is_there_for_its_own_cu(void **state)
{
    struct bench b = bench_new();
    (void)state;
    touch(&b, 0, TOUCH_LOADS, 7, 1);
    assert_int_equal(b.counts.l1_hit_sectors, 0);
    assert_int_equal(b.counts.l2_sectors[TOUCH_LOADS], 2); // the whole line of L1
    assert_int_equal(b.counts.dram_read_bytes, 64);
    touch(&b, 0, TOUCH_LOADS, 7, BOTH);
    assert_int_equal(b.counts.l1_hit_sectors, 2);
    touch(&b, 1, TOUCH_LOADS, 7, BOTH);
    assert_int_equal(b.counts.l1_hit_sectors, 2);
    assert_int_equal(b.counts.l2_hit_sectors, 2);
    amd_caches_access(b.caches, 0, TOUCH_LOADS, true, 7, BOTH, &b.counts);
    assert_int_equal(b.counts.l1_hit_sectors, 2);
    amd_l1_drop(b.caches, 0);
    touch(&b, 0, TOUCH_LOADS, 7, BOTH);
    assert_int_equal(b.counts.l1_hit_sectors, 2);
    assert_int_equal(b.counts.l2_hit_sectors, 6);
    assert_int_equal(b.counts.dram_read_bytes, 64);
    amd_caches_free(b.caches);
}

static void l1_holds_sixteen_kib_and_no_more(void **state)
{
    static const struct {
        uint64_t lines, hits;
    } rows[] = {{L1_LINES, L1_LINES}, {2 * L1_LINES, 0}};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct bench b = bench_new();
        for (uint64_t n = 0; n < 2 * rows[i].lines; n++)
            touch(&b, 0, TOUCH_LOADS, n % rows[i].lines, BOTH);
        assert_int_equal(b.counts.l1_hit_sectors, 2 * rows[i].hits);
        assert_int_equal(b.counts.dram_read_bytes, 64 * rows[i].lines);
        amd_caches_free(b.caches);
    }
}

static void halves_of_an_l2_line_are_read_on_their_own(void **state)
{
    struct bench b = bench_new();
    (void)state;
    touch(&b, 0, TOUCH_LOADS, 10, BOTH);
    touch(&b, 0, TOUCH_LOADS, 11, BOTH);
    assert_int_equal(b.counts.l2_hit_sectors, 0);
    assert_int_equal(b.counts.dram_read_bytes, 128);
    amd_caches_free(b.caches);
}

static void stores_stay_in_l2_until_it_needs_the_room(void **state)
{
    struct bench b = bench_new();
    (void)state;
    for (uint64_t n = 0; n < L2_LINES; n++)
        touch(&b, 0, TOUCH_STORES, n, BOTH);
    assert_int_equal(b.counts.dram_write_bytes, 0);
    assert_int_equal(b.counts.dram_read_bytes, 0);
    touch(&b, 0, TOUCH_LOADS, 0, BOTH); // not in L1, but in L2
    assert_int_equal(b.counts.l1_hit_sectors, 0);
    assert_int_equal(b.counts.l2_hit_sectors, 2);
    for (uint64_t n = L2_LINES; n < 2 * L2_LINES; n++)
        touch(&b, 0, TOUCH_STORES, n, 1);
    assert_int_equal(b.counts.dram_write_bytes, 8 << 20);
    assert_int_equal(b.counts.l2_sectors[TOUCH_STORES], 3 * L2_LINES);
    amd_caches_flush(b.caches);
    touch(&b, 0, TOUCH_LOADS, 0, BOTH);
    assert_int_equal(b.counts.dram_read_bytes, 64);
    assert_int_equal(b.counts.dram_write_bytes, 8 << 20); // nothing is written back
    amd_caches_free(b.caches);
}

static void atomics_read_what_they_change(void **state)
{
    struct bench b = bench_new();
    (void)state;
    touch(&b, 0, TOUCH_ATOMICS, 4, 1);
    touch(&b, 3, TOUCH_ATOMICS, 4, 1);
    assert_int_equal(b.counts.dram_read_bytes, 64);
    assert_int_equal(b.counts.l2_sectors[TOUCH_ATOMICS], 2);
    assert_int_equal(b.counts.l2_hit_sectors, 1);
    amd_caches_free(b.caches);
}

static void a_chip_whose_file_lacks_a_figure_has_no_caches(void **state)
{
    struct gpu other = *chip;
    (void)state;
    other.value[GPU_FIELD_l2_line_bytes] = (double)NAN;
    assert_null(amd_caches_new(&other));
    other = *chip;
    other.value[GPU_FIELD_l1_line_bytes] = 256;
    assert_null(amd_caches_new(&other));
}

// MI300X: lines of 128 bytes in L1, an L2 per die, the Infinity Cache below them.
static void dies_have_an_l2_each_and_share_the_cache_of_memory(void **state)
{
    enum { ALL = 15, DIE_LINES = (4 << 20) / 128 };
    struct gpu *mi300x = NULL;
    struct error err = {0};
    (void)state;
    if (!gpu_load(&arena, "mi300x", &mi300x, &err))
        fail_msg("%s", err.message);
    struct bench b = {.caches = amd_caches_new(mi300x)};
    assert_non_null(b.caches);
    assert_int_equal(amd_caches_line_sectors(b.caches), 4);
    touch(&b, 0, TOUCH_LOADS, 7, 1);
    assert_int_equal(b.counts.l2_sectors[TOUCH_LOADS], 4);
    assert_int_equal(b.counts.dram_read_bytes, 128);
    touch(&b, 8, TOUCH_LOADS, 7, ALL); // the same die
    assert_int_equal(b.counts.l2_hit_sectors, 4);
    touch(&b, 1, TOUCH_LOADS, 7, ALL); // another one: what memory's cache has
    assert_int_equal(b.counts.l2_hit_sectors, 4);
    assert_int_equal(b.counts.dram_read_bytes, 128);
    for (uint64_t n = 0; n < 2 * DIE_LINES; n++)
        touch(&b, 2, TOUCH_STORES, 1000 + n, ALL);
    assert_int_equal(b.counts.dram_write_bytes, 0); // the L2's are full, memory's cache is not
    touch(&b, 2, TOUCH_LOADS, 1000, ALL);
    assert_int_equal(b.counts.dram_read_bytes, 128);
    amd_caches_free(b.caches);
}

// RX 7900 XTX: two L1s of a work-group processor, one of each of twelve arrays behind them, then L2 and the Infinity Cache.
static struct bench bench_of(const char *name)
{
    struct gpu *gpu = NULL;
    struct error err = {0};
    if (!gpu_load(&arena, name, &gpu, &err))
        fail_msg("%s", err.message);
    struct bench b = {.caches = amd_caches_new(gpu)};
    assert_non_null(b.caches);
    return b;
}

static struct bench bench_of_rdna(void)
{
    return bench_of("rx7900xtx");
}

static void cus_of_an_array_share_an_l1_that_stores_pass(void **state)
{
    enum { ALL = 15 };
    struct bench b = bench_of_rdna();
    (void)state;
    assert_true(amd_caches_have_array(b.caches));
    assert_true(amd_caches_have_memory(b.caches));
    const unsigned own = amd_l1_of(b.caches, 0, 0), other = amd_l1_of(b.caches, 0, 1),
                   same_array = amd_l1_of(b.caches, 12, 0), far = amd_l1_of(b.caches, 1, 0);
    assert_int_equal(amd_l1_of(b.caches, 0, 2), own);
    touch(&b, own, TOUCH_LOADS, 7, 1);
    assert_int_equal(b.counts.dram_read_bytes, 128);
    touch(&b, own, TOUCH_LOADS, 7, ALL);
    assert_int_equal(b.counts.l1_hit_sectors, 4);
    touch(&b, other, TOUCH_LOADS, 7, ALL);
    assert_int_equal(b.counts.array_hit_sectors, 4);
    touch(&b, same_array, TOUCH_LOADS, 7, ALL);
    assert_int_equal(b.counts.array_hit_sectors, 8);
    assert_int_equal(b.counts.l2_sectors[TOUCH_LOADS], 4);
    touch(&b, far, TOUCH_LOADS, 7, ALL); // another array: L2
    assert_int_equal(b.counts.array_hit_sectors, 8);
    assert_int_equal(b.counts.l2_hit_sectors, 4);
    assert_int_equal(b.counts.l2_load_hit_sectors, 4);
    touch(&b, own, TOUCH_STORES, 7, 1); // its own array forgets the line, others do not
    amd_l1_drop(b.caches, other);
    touch(&b, other, TOUCH_LOADS, 7, ALL);
    assert_int_equal(b.counts.array_hit_sectors, 8);
    amd_l1_drop(b.caches, far);
    touch(&b, far, TOUCH_LOADS, 7, ALL);
    assert_int_equal(b.counts.array_hit_sectors, 12);
    amd_l1_drop(b.caches, far);
    amd_array_drop(b.caches, far);
    touch(&b, far, TOUCH_LOADS, 7, ALL);
    assert_int_equal(b.counts.array_hit_sectors, 12);
    amd_caches_free(b.caches);
}

static void each_level_of_rdna_holds_its_size(void **state)
{
    enum { ALL = 15, LINE = 128 };
    const struct {
        uint64_t bytes; // walked twice
        uint64_t l1, array, l2, memory;
    } rows[] = {{32 << 10, 1, 0, 0, 0},
                {256 << 10, 0, 1, 0, 0},
                {6 << 20, 0, 0, 1, 0},
                {96 << 20, 0, 0, 0, 1}};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct bench b = bench_of_rdna();
        const uint64_t sectors = rows[i].bytes / 32;
        for (uint64_t n = 0; n < 2 * rows[i].bytes / LINE; n++)
            touch(&b, 0, TOUCH_LOADS, n % (rows[i].bytes / LINE), ALL);
        assert_int_equal(b.counts.l1_hit_sectors, rows[i].l1 * sectors);
        assert_int_equal(b.counts.array_hit_sectors, rows[i].array * sectors);
        assert_int_equal(b.counts.l2_hit_sectors, rows[i].l2 * sectors);
        assert_int_equal(b.counts.memory_cache_hit_bytes, rows[i].memory * rows[i].bytes);
        assert_int_equal(b.counts.dram_read_bytes, rows[i].bytes);
        amd_caches_free(b.caches);
    }
}

static void arrays_of_unknown_size_have_no_caches(void **state)
{
    struct gpu *rx7900xtx = NULL;
    struct error err = {0};
    (void)state;
    if (!gpu_load(&arena, "rx7900xtx", &rx7900xtx, &err))
        fail_msg("%s", err.message);
    rx7900xtx->value[GPU_FIELD_array_cache_bytes] = (double)NAN;
    assert_null(amd_caches_new(rx7900xtx));
}

static void same_sets(const struct cache *a, const struct cache *b, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        assert_memory_equal(a[i].sets, b[i].sets, a[i].count * a[i].stride);
}

// What a request remembers of its lines, and the arrays' regions, change no count: the same lines one by one, without either.
static void requests_are_as_their_lines(struct bench whole, struct bench single, unsigned patterns)
{
    enum { REQUESTS = 300000, SHAPES = 8, LINES = 24, DROPS = 997, PLACES = 400000 };
    static struct amd_changed changed[SHAPES];
    uint64_t seed = 18, at[SHAPES] = {0};
    unsigned last[2] = {0};
    memset(changed, 0, sizeof changed);
    for (unsigned n = 0; n < REQUESTS; n++) {
        uint64_t line[LINES];
        uint8_t sectors[LINES];
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        // Half of them are the last one again, or the one before it.
        const unsigned choice = (unsigned)(seed >> 29) % 4,
                       r = choice < 2 ? last[choice] : (unsigned)(seed >> 33), shape = r % SHAPES,
                       l1 = r / 8 % 4;
        unsigned touched = 0;
        last[1] = last[0];
        last[0] = r;
        const enum touch_kind kind = shape < 3   ? TOUCH_STORES
                                     : shape < 5 ? TOUCH_ATOMICS
                                                 : TOUCH_LOADS;
        if (r / 32 % 4 == 0) // else where it was; some are where others are
            at[shape] = r / 128 % 8 == 0 ? at[(shape + 3) % SHAPES] : r / 128 % PLACES;
        for (unsigned i = 0; i < LINES; i++) {
            line[i] = i * (shape + 1);
            sectors[i] = (uint8_t)(1 + (r >> i) % patterns);
            touched += i < 1 + r % LINES ? bits(sectors[i]) : 0;
        }
        if (n % DROPS == 0) {
            same_sets(whole.caches->l2, single.caches->l2, whole.caches->dies);
            same_sets(whole.caches->array, single.caches->array, whole.caches->arrays);
            amd_l1_drop_all(whole.caches);
            amd_l1_drop_all(single.caches);
        }
        const struct amd_lines lines = {.line = line,
                                        .sectors = sectors,
                                        .count = 1 + r % LINES,
                                        .touched = touched,
                                        .more = at[shape],
                                        .changed = kind == TOUCH_LOADS ? NULL : &changed[shape]};
        (void)levels_access(whole.caches, l1, kind, false, &lines, &whole.counts);
        memset(single.caches->loaded, 1, sizeof single.caches->loaded); // each is searched
        for (unsigned i = 0; i < lines.count; i++)
            amd_caches_access(single.caches, l1, kind, false, line[i] + at[shape], sectors[i],
                              &single.counts);
    }
    amd_caches_settle(whole.caches, &whole.counts);
    assert_true(whole.counts.l1_hit_sectors > 0);
    assert_true(whole.counts.l2_hit_sectors > 0);
    assert_memory_equal(&whole.counts, &single.counts, sizeof whole.counts);
    amd_caches_free(whole.caches);
    amd_caches_free(single.caches);
}

static void requests_count_what_their_lines_do(void **state)
{
    (void)state;
    requests_are_as_their_lines(bench_of_rdna(), bench_of_rdna(), 15);
    requests_are_as_their_lines(bench_of("mi300x"), bench_of("mi300x"), 15); // an L2 per die
    requests_are_as_their_lines(bench_new(), bench_new(),
                                3); // no cache keeps from memory what L2 gives back
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_that_was_loaded_is_there_for_its_own_cu),
        cmocka_unit_test(l1_holds_sixteen_kib_and_no_more),
        cmocka_unit_test(halves_of_an_l2_line_are_read_on_their_own),
        cmocka_unit_test(stores_stay_in_l2_until_it_needs_the_room),
        cmocka_unit_test(atomics_read_what_they_change),
        cmocka_unit_test(dies_have_an_l2_each_and_share_the_cache_of_memory),
        cmocka_unit_test(cus_of_an_array_share_an_l1_that_stores_pass),
        cmocka_unit_test(each_level_of_rdna_holds_its_size),
        cmocka_unit_test(arrays_of_unknown_size_have_no_caches),
        cmocka_unit_test(requests_count_what_their_lines_do),
        cmocka_unit_test(a_chip_whose_file_lacks_a_figure_has_no_caches),
    };
    return cmocka_run_group_tests(tests, load_chip, release);
}
